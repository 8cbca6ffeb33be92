/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens to an existing suite when a new one is written to its folder?
 *
 * Two suites are alike if each could contain the other's tests: the same target, called in the same
 * way with inputs of the same sizes and ranges, and the same measure. Then the best tests of both
 * are kept, which the caller does. A different suite is moved to a folder of its own, where it can
 * be replayed. Either way no earlier result is lost.
 */
#include "suite/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- whose suite is it? ---- */

static bool is_same_file(const char *a, const char *b) {
    struct stat left, right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

static bool is_same_target(const json_t *target, const char *folder, const char *path) {
    const char *name = json_string_value(target);
    if (!name)
        return false;
    char *there = *name == '/' ? base_strdup(name) : suite_path(folder, name);
    bool same = is_same_file(there, path) || strcmp(name, path) == 0;
    free(there);
    return same;
}

static bool has_same_targets(const json_t *root, const char *folder, const char *const *targets,
                             size_t count) {
    const json_t *target = json_object_get(root, "target");
    if (!json_is_array(target))
        return count == 1 && is_same_target(target, folder, targets[0]);
    bool same = json_array_size(target) == count;
    for (size_t i = 0; same && i < count; i++)
        same = is_same_target(json_array_get(target, i), folder, targets[i]);
    return same;
}

static bool is_of(const json_t *root, const char *path, const struct suite_head *head) {
    const char *made = json_string_value(json_object_get(root, "folder"));
    char *folder = suite_path(path, made ? made : "..");
    bool same = has_same_targets(root, folder, head->targets, head->target_count);
    free(folder);
    return same;
}

/* ---- are they alike? ---- */

static bool are_equal(const json_t *a, const json_t *b, const char *name) {
    json_t *left = json_object_get(a, name), *right = json_object_get(b, name);
    bool neither = (!left || json_is_null(left)) && (!right || json_is_null(right));
    return neither || json_equal(left, right);
}

static bool agree_on(const json_t *a, const json_t *b, const char *const *names) {
    for (; *names; names++)
        if (!are_equal(a, b, *names))
            return false;
    return true;
}

/* Limits may differ, as each test is run again; so may options that only affect the search. */
static bool are_alike(const json_t *a, const json_t *b) {
    static const char *const parts[] = {"entry", "measure", "sizes", NULL};
    static const char *const options[] = {"pipeline", "files",      "file_bytes", "cflags",
                                          "args",     "arg",        "bytes",      "ranges",
                                          "weights",  "loop_bound", NULL};
    static const char *const templates[] = {"template", "fillings", "text", "choices", NULL};
    return agree_on(a, b, parts) &&
           agree_on(json_object_get(a, "options"), json_object_get(b, "options"), options) &&
           agree_on(json_object_get(a, "baseline"), json_object_get(b, "baseline"), templates);
}

enum suite_kinship suite_look_around(const char *path, const struct suite_head *head,
                                     const json_t *fresh) {
    json_t *root = suite_read_description(path);
    if (!root)
        return SUITE_ALONE;
    enum suite_kinship found = SUITE_FOREIGN;
    if (is_of(root, path, head))
        found = are_alike(root, fresh) ? SUITE_ALIKE : SUITE_DIFFERENT;
    json_decref(root);
    return found;
}

/* ---- setting aside ---- */

static bool copy_file(const char *from, const char *to, const char *name,
                      struct base_error *error) {
    char *source = suite_path(from, name), *place = suite_path(to, name), *data = NULL;
    size_t size;
    bool good = access(source, F_OK) != 0 || (base_read_file(source, &data, &size, error) &&
                                              base_write_file(place, data, size, error));
    free(data);
    free(source);
    free(place);
    return good;
}

/* The paths of the targets are relative to a folder one level further up now. */
static bool write_description(json_t *root, const char *folder, struct base_error *error) {
    const char *made = json_string_value(json_object_get(root, "folder"));
    char *further = base_format("../%s", made ? made : "..");
    json_object_set_new(root, "folder", json_string(further));
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    char *line = base_format("%s\n", text ? text : ""), *path = suite_path(folder, "suite.json");
    bool good = base_write_file(path, line, strlen(line), error);
    free(path);
    free(line);
    free(text);
    free(further);
    return good;
}

static bool copy_suite(const char *path, json_t *root, const char *to, struct base_error *error) {
    static const char *const parts[] = {"tests", "faults", "slow"};
    struct base_strings files = {0};
    suite_list_files(root, &files);
    base_strings_add(&files, "state");
    bool good = true;
    for (size_t i = 0; good && i < BASE_COUNT(parts); i++) {
        char *part = suite_path(to, parts[i]);
        good = base_make_dirs(part, error);
        free(part);
    }
    for (size_t i = 0; good && i < files.count; i++)
        good = copy_file(path, to, files.data[i], error);
    base_strings_done(&files);
    for (size_t i = 0; i < BASE_COUNT(parts); i++) {
        char *part = suite_path(to, parts[i]);
        rmdir(part); /* only if it is empty */
        free(part);
    }
    return good && write_description(root, to, error);
}

static char *free_place(const char *path) {
    for (unsigned number = 1;; number++) {
        char *place = base_format("%s/earlier-%u", path, number);
        if (access(place, F_OK) != 0)
            return place;
        free(place);
    }
}

bool suite_set_aside(const char *path, char **place, struct base_error *error) {
    json_t *root = suite_read_description(path);
    char *fresh = suite_fresh_folder(path);
    *place = free_place(path);
    bool good = root && copy_suite(path, root, fresh, error) &&
                (base_rename(fresh, *place) ||
                 base_fail(error, BASE_USAGE, "cannot put the earlier suite at '%s': %s", *place,
                           strerror(errno)));
    if (!good) {
        base_remove_tree(fresh);
        free(*place);
        *place = NULL;
    }
    free(fresh);
    json_decref(root);
    return good;
}
