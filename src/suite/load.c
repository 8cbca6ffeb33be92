/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads a suite from its folder. The files are not trusted: every field is checked, a test's file
 * must lie in the folder, and an error is reported in one line with the name of the file.
 */
#include "suite/suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct loading {
    const char *path;
    struct suite *suite;
    struct base_error *error;
};

static bool wrong(const struct loading *loading, const char *what) {
    return base_fail(loading->error, BASE_USAGE, "'%s/suite.json' is not a suite: %s",
                     loading->path, what);
}

static bool load_texts(const json_t *value, struct base_strings *texts) {
    if (json_is_string(value))
        base_strings_add(texts, json_string_value(value));
    size_t index;
    const json_t *item;
    json_array_foreach((json_t *)value, index, item) {
        if (!json_is_string(item))
            return false;
        base_strings_add(texts, json_string_value(item));
    }
    return !value || json_is_string(value) || json_is_array(value);
}

static bool load_sizes(struct loading *loading, json_t *sizes) {
    struct suite *suite = loading->suite;
    const char *name;
    json_t *value;
    if (!json_is_object(sizes))
        return wrong(loading, "\"sizes\" is missing");
    suite->sizes = base_alloc(json_object_size(sizes) * sizeof *suite->sizes);
    json_object_foreach(sizes, name, value) {
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return wrong(loading, "\"sizes\" has a value that is no size");
        suite->sizes[suite->size_count++] = (struct target_given){name, json_integer_value(value)};
    }
    return true;
}

static bool load_options(struct loading *loading) {
    struct suite *suite = loading->suite;
    json_t *options = json_object_get(suite->root, "options");
    if (!load_texts(json_object_get(options, "cflags"), &suite->cflags) ||
        !load_texts(json_object_get(options, "args"), &suite->args))
        return wrong(loading, "\"options\" has something else than words");
    suite->arg_index = (uint32_t)json_integer_value(json_object_get(options, "arg"));
    suite->pipeline = json_string_value(json_object_get(options, "pipeline"));
    uint64_t objects = (uint64_t)json_integer_value(json_object_get(options, "files"));
    suite->tree.objects = objects <= ABI_TREE_MOST ? (uint32_t)objects : ABI_TREE_MOST;
    suite->tree.bytes = (uint64_t)json_integer_value(json_object_get(options, "file_bytes"));
    if (suite->tree.objects)
        suite->tree.slice = (uint32_t)(suite->tree.bytes / suite->tree.objects);
    suite->weights = json_string_value(json_object_get(options, "weights"));
    suite->limit_time = json_number_value(json_object_get(options, "limit_time"));
    suite->limit_memory = json_number_value(json_object_get(options, "limit_memory"));
    suite->limit_file = json_number_value(json_object_get(options, "limit_file"));
    return suite->limit_time >= 0 && suite->limit_memory >= 0 && suite->limit_file >= 0
               ? true
               : wrong(loading, "a limit is negative");
}

bool suite_is_inside(const char *file) {
    return file && *file && file[0] != '/' && !strstr(file, "..");
}

static bool load_test(struct loading *loading, const json_t *test) {
    struct suite *suite = loading->suite;
    const char *file = json_string_value(json_object_get(test, "file"));
    const json_t *cost = json_object_get(test, "cost");
    const json_t *value = json_object_get(cost, suite->measure);
    if (!suite_is_inside(file))
        return wrong(loading, "a test has no file in the suite's folder");
    if (!json_is_number(value)) {
        char *what = base_format("%s has no cost by the measure '%s'", file, suite->measure);
        wrong(loading, what);
        free(what);
        return false;
    }
    struct suite_item *item = &suite->items[suite->count++];
    *item = (struct suite_item){.file = file, .cost = json_number_value(value), .all = cost};
    char *path = base_format("%s/%s", loading->path, file);
    bool good = base_read_file(path, &item->input, &item->size, loading->error);
    free(path);
    return good;
}

static bool load_tests(struct loading *loading) {
    struct suite *suite = loading->suite;
    const json_t *tests = json_object_get(suite->root, "tests"), *test;
    if (!json_is_array(tests))
        return wrong(loading, "\"tests\" is missing");
    suite->items = base_alloc((json_array_size(tests) + 1) * sizeof *suite->items);
    size_t index;
    json_array_foreach((json_t *)tests, index, test) if (!load_test(loading, test)) return false;
    return true;
}

/* Skips what cannot be read: no command depends on it. */
static void load_fault(struct loading *loading, const json_t *from, bool is_slow) {
    struct suite *suite = loading->suite;
    const char *file = json_string_value(json_object_get(from, "file"));
    struct suite_fault fault = {.status = json_string_value(json_object_get(from, "status")),
                                .reason = json_string_value(json_object_get(from, "reason")),
                                .limit = json_number_value(json_object_get(from, "limit")),
                                .is_slow = is_slow};
    struct base_error error;
    char *path = base_format("%s/%s", loading->path, file ? file : ""), *input;
    if (suite_is_inside(file) && fault.status && fault.reason &&
        base_read_file(path, &input, &fault.size, &error)) {
        fault.input = input;
        suite->faults[suite->fault_count++] = fault;
    }
    free(path);
}

static void load_faults(struct loading *loading) {
    struct suite *suite = loading->suite;
    const json_t *faults = json_object_get(suite->root, "faults"), *fault;
    const json_t *slow = json_object_get(suite->root, "slow");
    size_t index, count = json_array_size(faults) + json_array_size(slow);
    suite->faults = base_alloc((count + 1) * sizeof *suite->faults);
    json_array_foreach((json_t *)slow, index, fault) load_fault(loading, fault, true);
    json_array_foreach((json_t *)faults, index, fault) load_fault(loading, fault, false);
}

static bool read_root(struct loading *loading) {
    char *path = base_format("%s/suite.json", loading->path), *text = NULL;
    size_t size;
    bool good = true;
    if (!base_is_directory(loading->path) || access(path, F_OK) != 0)
        good = base_fail(loading->error, BASE_USAGE,
                         "'%s' is not a suite: there is no file suite.json in it", loading->path);
    good = good && base_read_file(path, &text, &size, loading->error);
    json_error_t problem;
    if (good && !(loading->suite->root = json_loadb(text, size, 0, &problem)))
        good = base_fail(loading->error, BASE_USAGE, "'%s', line %d: %s", path, problem.line,
                         problem.text);
    free(text);
    free(path);
    return good;
}

/* A target inside the suite's folder (the harness of its calls) moves with the folder. */
static void find_own_targets(struct loading *loading) {
    struct base_strings *targets = &loading->suite->targets;
    const char *made = loading->suite->folder ? loading->suite->folder : "..";
    for (size_t i = 0; i < targets->count; i++) {
        const char *name = targets->data[i];
        char *there =
            *name == '/' ? base_strdup(name) : base_format("%s/%s/%s", loading->path, made, name);
        char *inside = base_format("%s/%s", loading->path, base_basename(name));
        char *real = access(there, R_OK) == 0 ? NULL : realpath(inside, NULL);
        if (real) {
            free(targets->data[i]);
            targets->data[i] = real;
        }
        free(there);
        free(inside);
    }
}

static bool load(struct loading *loading) {
    struct suite *suite = loading->suite;
    if (!suite_settle(loading->path, loading->error) || !read_root(loading))
        return false;
    const json_t *entry = json_object_get(suite->root, "entry");
    suite->measure = json_string_value(json_object_get(suite->root, "measure"));
    suite->entry = json_string_value(entry);
    suite->folder = json_string_value(json_object_get(suite->root, "folder"));
    bool good = true;
    if (!load_texts(json_object_get(suite->root, "target"), &suite->targets) ||
        !suite->targets.count)
        good = wrong(loading, "\"target\" is missing");
    else if (!suite->measure)
        good = wrong(loading, "\"measure\" is missing");
    find_own_targets(loading);
    load_faults(loading);
    return good && load_sizes(loading, json_object_get(suite->root, "sizes")) &&
           load_options(loading) && load_tests(loading);
}

bool suite_load(const char *path, struct suite *suite, struct base_error *error) {
    *suite = (struct suite){0};
    struct loading loading = {path, suite, error};
    if (load(&loading))
        return true;
    suite_done(suite);
    /* Text from a damaged file may contain anything: keep the message on one line. */
    for (char *at = error->message; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = '?';
    return false;
}

void suite_done(struct suite *suite) {
    for (size_t i = 0; i < suite->count; i++)
        free(suite->items[i].input);
    for (size_t i = 0; i < suite->fault_count; i++)
        free((void *)suite->faults[i].input);
    free(suite->faults);
    free(suite->items);
    free(suite->sizes);
    base_strings_done(&suite->targets);
    base_strings_done(&suite->cflags);
    base_strings_done(&suite->args);
    json_decref(suite->root);
    *suite = (struct suite){0};
}
