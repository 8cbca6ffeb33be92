/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in suite.json? The tests with their costs, how they were found, how to run them again,
 * and which files belong to the suite. folder.c moves the files into their folder.
 */
#include "suite/suite.h"

#include <stdlib.h>

static json_t *texts(const char *const *list, size_t count) {
    if (count == 1)
        return json_string(list[0]);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_string(list[i]));
    return array;
}

static json_t *text_or_null(const char *text) {
    json_t *value = text ? json_string(text) : NULL;
    return value ? value : json_null();
}

/* Counts are written as integers. */
static json_t *count_or_real(double value) {
    return value < 0x1p60 && value == (double)(json_int_t)value ? json_integer((json_int_t)value)
                                                                : json_real(value);
}

static json_t *test_json(const struct suite_test *test, size_t number) {
    json_t *value = json_object();
    char *file = base_format("tests/%04zu.input", number);
    json_object_set_new(value, "file", json_string(file));
    json_object_set_new(value, "size", json_integer((json_int_t)test->size));
    json_object_set_new(value, "cost", test->cost);
    json_object_set_new(value, "verified", json_boolean(test->verified));
    json_object_set_new(value, "predicted",
                        test->is_predicted ? count_or_real(test->predicted) : json_null());
    json_object_set_new(value, "decisions", json_integer(test->decisions));
    json_object_set_new(value, "symbolic_cost", test->symbolic ? test->symbolic : json_object());
    json_object_set_new(value, "condition", text_or_null(test->condition));
    if (test->trace && *test->trace)
        json_object_set_new(value, "trace", json_string(test->trace));
    if (test->tables)
        json_object_set_new(value, "tables", json_string(test->tables));
    if (test->more) {
        json_object_update_missing(value, test->more);
        json_decref(test->more);
    }
    free(file);
    return value;
}

/* Crashes and slow inputs are numbered separately. */
void suite_name_fault(const struct suite_fault *faults, size_t index, char name[SUITE_NAME_BYTES]) {
    size_t number = 1;
    for (size_t i = 0; i < index; i++)
        number += faults[i].is_slow == faults[index].is_slow;
    snprintf(name, SUITE_NAME_BYTES, "%s/%04zu.input", faults[index].is_slow ? "slow" : "faults",
             number);
}

static json_t *faults_json(const struct suite_head *head, bool slow) {
    json_t *list = json_array();
    char file[SUITE_NAME_BYTES];
    for (size_t i = 0; i < head->fault_count; i++) {
        const struct suite_fault *fault = &head->faults[i];
        if (fault->is_slow != slow)
            continue;
        suite_name_fault(head->faults, i, file);
        json_t *value = json_pack("{s:s, s:s, s:o}", "file", file, "status", fault->status,
                                  "reason", text_or_null(fault->reason));
        if (fault->limit > 0)
            json_object_set_new(value, "limit", json_real(fault->limit));
        json_array_append_new(list, value);
    }
    return list;
}

/* All files except suite.json and the state. */
static json_t *files_json(const struct suite_head *head, const struct suite_test *tests,
                          size_t count) {
    json_t *list = json_array();
    char name[SUITE_NAME_BYTES];
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "tests/%04zu.input", i + 1);
        json_array_append_new(list, json_string(name));
        snprintf(name, sizeof name, "tests/%04zu.c", i + 1);
        if (tests[i].program)
            json_array_append_new(list, json_string(name));
    }
    for (size_t i = 0; i < head->fault_count; i++) {
        suite_name_fault(head->faults, i, name);
        json_array_append_new(list, json_string(name));
    }
    for (size_t i = 0; i < head->extra_count; i++)
        json_array_append_new(list, json_string(head->extras[i].name));
    return list;
}

static json_t *or_empty(json_t *value) {
    return value ? value : json_object();
}

json_t *suite_describe(const struct suite_head *head, const struct suite_test *tests,
                       size_t count) {
    json_t *root = json_object(), *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, test_json(&tests[i], i + 1));
    json_object_set_new(root, "slowpath", json_string(SLOWPATH_VERSION));
    json_object_set_new(root, "target", texts(head->targets, head->target_count));
    json_object_set_new(root, "folder", text_or_null(head->folder));
    json_object_set_new(root, "entry", text_or_null(head->entry));
    json_object_set_new(root, "strategy", json_string(head->strategy));
    json_object_set_new(root, "measure", json_string(head->measure));
    json_object_set_new(root, "sizes", or_empty(head->sizes));
    json_object_set_new(root, "options", or_empty(head->options));
    json_object_set_new(root, "tests", list);
    json_object_set_new(root, "faults", faults_json(head, false));
    json_object_set_new(root, "slow", faults_json(head, true));
    json_object_set_new(root, "files", files_json(head, tests, count));
    json_object_set_new(root, "stats", or_empty(head->stats));
    json_object_set_new(root, "model", head->model ? head->model : json_null());
    if (head->findings)
        json_object_set_new(root, "findings", head->findings);
    if (head->baseline)
        json_object_set_new(root, "baseline", head->baseline);
    return root;
}
