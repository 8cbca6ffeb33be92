/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a suite get into its folder in one piece?
 *
 * Everything is written to a neighbour folder, which then changes places with the old one in a
 * single rename (RENAME_EXCHANGE); where the file system has no such thing, the old folder is moved
 * aside first, and a crash between the two renames leaves it there.
 */
#include "suite/suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- suite.json ---- */

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

/* Counts are whole numbers and stay so. */
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
    json_t *symbolic = json_object();
    if (test->allocated)
        json_object_set_new(symbolic, "allocated", json_string(test->allocated));
    json_object_set_new(value, "symbolic_cost", symbolic);
    json_object_set_new(value, "condition", text_or_null(test->condition));
    if (test->tables)
        json_object_set_new(value, "tables", json_string(test->tables));
    if (test->more) {
        json_object_update_missing(value, test->more);
        json_decref(test->more);
    }
    free(file);
    return value;
}

static json_t *faults_json(const struct suite_head *head) {
    json_t *list = json_array();
    for (size_t i = 0; i < head->fault_count; i++) {
        char *file = base_format("faults/%04zu.input", i + 1);
        json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "file", file, "status",
                                              head->faults[i].status, "reason",
                                              text_or_null(head->faults[i].reason)));
        free(file);
    }
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
    json_object_set_new(root, "entry", text_or_null(head->entry));
    json_object_set_new(root, "strategy", json_string(head->strategy));
    json_object_set_new(root, "measure", json_string(head->measure));
    json_object_set_new(root, "sizes", or_empty(head->sizes));
    json_object_set_new(root, "options", or_empty(head->options));
    json_object_set_new(root, "tests", list);
    json_object_set_new(root, "faults", faults_json(head));
    json_object_set_new(root, "stats", or_empty(head->stats));
    json_object_set_new(root, "model", head->model ? head->model : json_null());
    if (head->baseline)
        json_object_set_new(root, "baseline", head->baseline);
    return root;
}

/* ---- the folder ---- */

static bool has_file(const char *folder, const char *name) {
    char *path = base_format("%s/%s", folder, name);
    bool found = access(path, F_OK) == 0;
    free(path);
    return found;
}

static bool is_empty(const char *folder) {
    DIR *open = opendir(folder);
    if (!open)
        return false;
    size_t found = 0;
    for (const struct dirent *item; (item = readdir(open));)
        found += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
    closedir(open);
    return found == 0;
}

static char *without_slashes(const char *path) {
    char *copy = base_strdup(path);
    for (size_t length = strlen(copy); length > 1 && copy[length - 1] == '/';)
        copy[--length] = 0;
    return copy;
}

/* The folder that the suite's folder is to lie in, made if need be: now is the time to fail. */
static bool check_parent(const char *path, struct base_error *error) {
    char *parent = without_slashes(path), *slash = strrchr(parent, '/');
    if (slash)
        slash[slash == parent] = 0;
    const char *folder = slash ? parent : ".";
    bool good = base_make_dirs(folder, error) &&
                (access(folder, W_OK | X_OK) == 0 ||
                 base_fail(error, BASE_USAGE, "cannot write to '%s': %s", folder, strerror(errno)));
    free(parent);
    return good;
}

bool suite_check_place(const char *path, struct base_error *error) {
    if (!*path)
        return base_fail(error, BASE_USAGE, "the suite's folder has no name: --out DIR");
    if (access(path, F_OK) != 0)
        return check_parent(path, error);
    if (!base_is_directory(path))
        return base_fail(error, BASE_USAGE, "'%s' is in the way of the suite: it is no folder",
                         path);
    return has_file(path, "suite.json") || has_file(path, "state") || is_empty(path) ||
           base_fail(error, BASE_USAGE,
                     "'%s' holds something else than a suite and is not overwritten: choose "
                     "another --out",
                     path);
}

static bool write_part(const char *folder, const char *name, const void *data, size_t size,
                       struct base_error *error) {
    char *path = base_format("%s/%s", folder, name);
    bool good = base_write_file(path, data, size, error);
    free(path);
    return good;
}

static bool write_test(const char *folder, const struct suite_test *test, size_t number,
                       struct base_error *error) {
    char input[64], program[64];
    snprintf(input, sizeof input, "tests/%04zu.input", number);
    snprintf(program, sizeof program, "tests/%04zu.c", number);
    return write_part(folder, input, test->input, test->size, error) &&
           (!test->program ||
            write_part(folder, program, test->program, strlen(test->program), error));
}

static bool write_faults(const char *folder, const struct suite_head *head,
                         struct base_error *error) {
    char *faults = base_format("%s/faults", folder), name[64];
    bool good = !head->fault_count || base_make_dirs(faults, error);
    for (size_t i = 0; good && i < head->fault_count; i++) {
        snprintf(name, sizeof name, "%04zu.input", i + 1);
        good = write_part(faults, name, head->faults[i].input, head->faults[i].size, error);
    }
    free(faults);
    return good;
}

static bool write_all(const char *folder, const json_t *root, const struct suite_test *tests,
                      size_t count, const struct base_buffer *state, struct base_error *error) {
    char *tests_folder = base_format("%s/tests", folder);
    bool good = base_make_dirs(tests_folder, error);
    free(tests_folder);
    for (size_t i = 0; good && i < count; i++)
        good = write_test(folder, &tests[i], i + 1, error);
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    if (!text)
        return base_fail(error, BASE_USAGE, "a name is not UTF-8: no suite can be written");
    char *line = base_format("%s\n", text);
    good = good && write_part(folder, "suite.json", line, strlen(line), error);
    free(line);
    free(text);
    if (state && state->count)
        good = good && write_part(folder, "state", state->data, state->count, error);
    return good;
}

/* Puts the folder FRESH at PATH, where there may be an older one. */
static bool put_in_place(const char *fresh, const char *path, struct base_error *error) {
    if (access(path, F_OK) != 0 && rename(fresh, path) == 0)
        return true;
    if (renameat2(AT_FDCWD, fresh, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
        base_remove_tree(fresh);
        return true;
    }
    char *old = base_format("%s.old.%d", path, (int)getpid());
    bool good = rename(path, old) == 0 && rename(fresh, path) == 0;
    if (good)
        base_remove_tree(old);
    else
        base_fail(error, BASE_USAGE, "cannot put the suite at '%s': %s", path, strerror(errno));
    free(old);
    return good;
}

bool suite_store(const char *path, const json_t *root, const struct suite_head *head,
                 const struct suite_test *tests, size_t count, const struct base_buffer *state,
                 struct base_error *error) {
    if (!suite_check_place(path, error))
        return false;
    char *place = without_slashes(path), *fresh = base_format("%s.tmp.%d", place, (int)getpid());
    bool good = write_all(fresh, root, tests, count, state, error) &&
                write_faults(fresh, head, error) && put_in_place(fresh, place, error);
    if (!good)
        base_remove_tree(fresh);
    free(place);
    free(fresh);
    return good;
}
