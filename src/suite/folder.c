/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a suite get into its folder in one piece, and which files there belong to it?
 *
 * The folder may contain other files. Only files listed in the suite's own suite.json are ever
 * replaced, and a folder whose suite.json somebody else wrote is left alone.
 *
 * A new suite is first written completely to a hidden subfolder. Renaming that is the commit: then
 * the old files are removed and the new ones moved to their places. After a crash in between,
 * whoever opens the suite next finds the renamed folder and finishes the work.
 */
#include "suite/internal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRESH ".slowpath.new."  /* and a process: being written, worth nothing yet */
#define READY ".slowpath.ready" /* whole: takes the place of what lies around it */

/* Subfolders of a suite, each with numbered files. */
static const char *const parts[] = {"tests", "faults", "slow"};

char *suite_path(const char *folder, const char *name) {
    return base_format("%s/%s", folder, name);
}

static bool has_file(const char *folder, const char *name) {
    char *path = suite_path(folder, name);
    bool found = access(path, F_OK) == 0;
    free(path);
    return found;
}

static void remove_file(const char *folder, const char *name) {
    char *path = suite_path(folder, name);
    remove(path); /* also removes an empty folder */
    free(path);
}

/* ---- the suite's own files ---- */

json_t *suite_read_description(const char *folder) {
    char *path = suite_path(folder, "suite.json");
    json_t *root = json_load_file(path, 0, NULL);
    free(path);
    if (json_is_string(json_object_get(root, "slowpath")) &&
        json_is_string(json_object_get(root, "measure")) &&
        json_is_array(json_object_get(root, "tests")))
        return root;
    json_decref(root);
    return NULL;
}

static void add_file(struct base_strings *files, const json_t *name) {
    if (suite_is_inside(json_string_value(name)))
        base_strings_add(files, json_string_value(name));
}

/* Its list of files; an earlier version had no list, only the files of its tests. */
void suite_list_files(const json_t *root, struct base_strings *files) {
    const json_t *list = json_object_get(root, "files"), *item;
    static const char *const own[] = {"tests", "faults"};
    size_t index;
    json_array_foreach((json_t *)list, index, item) add_file(files, item);
    for (size_t i = 0; !list && i < BASE_COUNT(own); i++)
        json_array_foreach(json_object_get(root, own[i]), index, item) {
            add_file(files, json_object_get(item, "file"));
            char *program = base_format("tests/%04zu.c", index + 1);
            if (i == 0)
                base_strings_add(files, program);
            free(program);
        }
}

static bool is_listed(const struct base_strings *files, const char *name) {
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->data[i], name) == 0)
            return true;
    return false;
}

/* ---- moving in ---- */

/* Removes the old suite.json last: while it exists, no new file has been moved. */
static void remove_old(const char *folder) {
    json_t *root = suite_read_description(folder);
    struct base_strings files = {0};
    suite_list_files(root, &files);
    for (size_t i = 0; i < files.count; i++)
        remove_file(folder, files.data[i]);
    for (size_t i = 0; i < BASE_COUNT(parts); i++)
        remove_file(folder, parts[i]);
    remove_file(folder, "state");
    remove_file(folder, "suite.json");
    base_strings_done(&files);
    json_decref(root);
}

static bool move_file(const char *from, const char *to, const char *name,
                      struct base_error *error) {
    char *source = suite_path(from, name), *place = suite_path(to, name);
    bool good =
        access(source, F_OK) != 0 || base_rename(source, place) ||
        base_fail(error, BASE_USAGE, "cannot put '%s' in place: %s", place, strerror(errno));
    free(source);
    free(place);
    return good;
}

static bool make_part(const char *folder, const char *ready, const char *name,
                      struct base_error *error) {
    char *path = suite_path(folder, name);
    bool good = !has_file(ready, name) || base_make_dirs(path, error);
    free(path);
    return good;
}

static bool move_new(const char *folder, const char *ready, struct base_error *error) {
    json_t *root = suite_read_description(ready);
    struct base_strings files = {0};
    suite_list_files(root, &files);
    base_strings_add(&files, "state");
    base_strings_add(&files, "suite.json");
    bool good = true;
    for (size_t i = 0; good && i < BASE_COUNT(parts); i++)
        good = make_part(folder, ready, parts[i], error);
    for (size_t i = 0; good && i < files.count; i++)
        good = move_file(ready, folder, files.data[i], error);
    base_strings_done(&files);
    json_decref(root);
    return good;
}

bool suite_settle(const char *folder, struct base_error *error) {
    char *ready = suite_path(folder, READY);
    bool good = true;
    if (has_file(ready, "suite.json")) {
        if (has_file(folder, "suite.json"))
            remove_old(folder);
        good = move_new(folder, ready, error);
    }
    if (good && access(ready, F_OK) == 0)
        base_remove_tree(ready);
    free(ready);
    return good;
}

/* ---- may a suite be written there? ---- */

char *suite_fresh_folder(const char *folder) {
    return base_format("%s/" FRESH "%d", folder, (int)getpid());
}

static bool is_fresh(const char *name) {
    return strncmp(name, FRESH, strlen(FRESH)) == 0;
}

/* Removes what processes that no longer exist were writing. */
static void sweep(const char *folder) {
    DIR *open = opendir(folder);
    for (const struct dirent *item; open && (item = readdir(open));) {
        char *path = suite_path(folder, item->d_name);
        if (is_fresh(item->d_name)) {
            int process = atoi(item->d_name + strlen(FRESH));
            if (process == getpid() || kill(process, 0) != 0)
                base_remove_tree(path);
        }
        free(path);
    }
    if (open)
        closedir(open);
}

static bool is_ours(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || is_fresh(name) ||
           strcmp(name, READY) == 0;
}

static bool is_empty(const char *folder) {
    DIR *open = opendir(folder);
    size_t found = 0;
    for (const struct dirent *item; open && (item = readdir(open));)
        found += !is_ours(item->d_name) &&
                 !(strcmp(item->d_name, "ranks") == 0 && suite_owns_ranks(folder));
    if (open)
        closedir(open);
    return open && found == 0;
}

/* Is it a name that a suite uses for its files? */
static bool is_numbered(const char *name) {
    size_t digits = 0;
    while (isdigit((unsigned char)name[digits]))
        digits++;
    return digits >= 4 &&
           (strcmp(name + digits, ".input") == 0 || strcmp(name + digits, ".c") == 0);
}

static bool is_part_free(const char *folder, const char *part, const struct base_strings *own,
                         struct base_error *error) {
    char *path = suite_path(folder, part);
    DIR *open = opendir(path);
    bool good =
        open || access(path, F_OK) != 0 ||
        base_fail(error, BASE_USAGE, "'%s' is in the way of the suite: it is no folder", path);
    for (const struct dirent *item; good && open && (item = readdir(open));) {
        char *name = suite_path(part, item->d_name);
        if (is_numbered(item->d_name) && !is_listed(own, name))
            good = base_fail(error, BASE_USAGE,
                             "'%s/%s' is in the way of the suite but not part of it: move it away, "
                             "or choose another --out",
                             folder, name);
        free(name);
    }
    if (open)
        closedir(open);
    free(path);
    return good;
}

static bool is_free(const char *folder, const json_t *root, struct base_error *error) {
    struct base_strings own = {0};
    suite_list_files(root, &own);
    bool good = true;
    for (size_t i = 0; good && i < BASE_COUNT(parts); i++)
        good = is_part_free(folder, parts[i], &own, error);
    base_strings_done(&own);
    return good;
}

/* Accepts a suite's folder, that of a killed search, or an empty one. */
static bool check_folder(const char *folder, struct base_error *error) {
    if (!suite_settle(folder, error))
        return false;
    json_t *root = suite_read_description(folder);
    bool good = true;
    if (!root && has_file(folder, "suite.json"))
        good =
            base_fail(error, BASE_USAGE,
                      "'%s/suite.json' is not a suite of slowpath and is not overwritten: choose "
                      "another --out",
                      folder);
    else if (!root && !suite_has_state(folder) && !suite_has_found(folder) && !is_empty(folder))
        good = base_fail(error, BASE_USAGE,
                         "'%s' holds something else than a suite and is not overwritten: choose "
                         "another --out",
                         folder);
    good = good && is_free(folder, root, error);
    json_decref(root);
    return good;
}

/* The only way to find out is to try. */
static bool try_to_write(const char *folder, struct base_error *error) {
    char *path = suite_fresh_folder(folder);
    sweep(folder);
    bool good = mkdir(path, 0777) == 0 ||
                base_fail(error, BASE_USAGE, "cannot write to '%s': %s", folder, strerror(errno));
    rmdir(path);
    free(path);
    return good;
}

bool suite_check_place(const char *path, struct base_error *error) {
    if (!*path)
        return base_fail(error, BASE_USAGE, "the suite's folder has no name: --out DIR");
    bool is_there = access(path, F_OK) == 0;
    if (is_there && !base_is_directory(path))
        return base_fail(error, BASE_USAGE, "'%s' is in the way of the suite: it is no folder",
                         path);
    bool good =
        base_make_dirs(path, error) && check_folder(path, error) && try_to_write(path, error);
    if (!is_there)
        rmdir(path); /* a search that does not start leaves nothing behind */
    return good;
}

char *suite_way_back(const char *path) {
    return base_relative_path(path, ".");
}

/* ---- writing ---- */

static bool write_part(const char *folder, const char *name, const void *data, size_t size,
                       struct base_error *error) {
    char *path = suite_path(folder, name);
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

static bool make_inside(const char *folder, const char *part, struct base_error *error) {
    char *path = suite_path(folder, part);
    bool good = base_make_dirs(path, error);
    free(path);
    return good;
}

static bool write_faults(const char *folder, const struct suite_head *head,
                         struct base_error *error) {
    char name[SUITE_NAME_BYTES];
    bool good = true;
    for (size_t i = 0; good && i < head->fault_count; i++) {
        const struct suite_fault *fault = &head->faults[i];
        suite_name_fault(head->faults, i, name);
        good = make_inside(folder, fault->is_slow ? "slow" : "faults", error) &&
               write_part(folder, name, fault->input, fault->size, error);
    }
    return good;
}

static bool write_extras(const char *folder, const struct suite_head *head,
                         struct base_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < head->extra_count; i++) {
        const struct suite_extra *extra = &head->extras[i];
        char *path = suite_path(folder, extra->name);
        good = base_write_file(path, extra->data, extra->size, error) &&
               (!extra->is_program || chmod(path, 0755) == 0 ||
                base_fail(error, BASE_USAGE, "'%s' cannot be made a program: %s", path,
                          strerror(errno)));
        free(path);
    }
    return good;
}

static bool write_all(const char *folder, const json_t *root, const struct suite_test *tests,
                      size_t count, const struct base_buffer *state, struct base_error *error) {
    bool good = make_inside(folder, "tests", error);
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

bool suite_store(const char *path, const json_t *root, const struct suite_head *head,
                 const struct suite_test *tests, size_t count, const struct base_buffer *state,
                 struct base_error *error) {
    if (!suite_check_place(path, error))
        return false;
    char *fresh = suite_fresh_folder(path), *ready = suite_path(path, READY);
    bool good =
        write_all(fresh, root, tests, count, state, error) && write_faults(fresh, head, error) &&
        write_extras(fresh, head, error) &&
        (base_rename(fresh, ready) ||
         base_fail(error, BASE_USAGE, "cannot put the suite at '%s': %s", path, strerror(errno))) &&
        suite_settle(path, error);
    if (!good)
        base_remove_tree(fresh);
    free(fresh);
    free(ready);
    return good;
}
