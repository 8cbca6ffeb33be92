/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a search on several ranks, on disk: one file per rank in the subfolder `ranks` of
 * the suite, named by the checkpoint they belong to. A checkpoint is valid once `ranks/whole` names
 * it, which is one rename; files of other checkpoints are useless then.
 *
 *   ranks/whole    "3 4 1": checkpoint 3, of 4 ranks, 1 more file
 *   ranks/3.0      state of rank 0, in the format of `state` (state.c)
 *   ranks/3.2.1    work that was on its way to rank 2 at that checkpoint
 */
#include "suite/internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "ranks"
#define WHOLE FOLDER "/whole"

struct whole {
    uint32_t moment, ranks, more;
};

static bool read_whole(const char *path, struct whole *whole) {
    char *name = suite_path(path, WHOLE);
    FILE *file = fopen(name, "r");
    bool good = file && fscanf(file, "%u %u %u", &whole->moment, &whole->ranks, &whole->more) == 3;
    if (file)
        fclose(file);
    free(name);
    return good;
}

bool suite_has_ranks(const char *path) {
    struct whole whole;
    return read_whole(path, &whole);
}

uint32_t suite_last_moment(const char *path) {
    struct whole whole;
    return read_whole(path, &whole) ? whole.moment : 0;
}

static char *name_of(const char *path, uint32_t moment, uint32_t rank, uint32_t part) {
    return part ? base_format("%s/" FOLDER "/%u.%u.%u", path, moment, rank, part)
                : base_format("%s/" FOLDER "/%u.%u", path, moment, rank);
}

bool suite_save_rank(const char *path, const char *key, const struct suite_rank_file *file,
                     const struct base_buffer *state, struct base_error *error) {
    struct base_buffer sealed = {0};
    char *folder = suite_path(path, FOLDER);
    char *name = name_of(path, file->moment, file->rank, file->part);
    suite_seal_state(key, state, &sealed);
    bool good =
        base_make_dirs(folder, error) && base_write_file(name, sealed.data, sealed.count, error);
    base_buffer_done(&sealed);
    free(name);
    free(folder);
    return good;
}

/* Reads the checkpoint's number from a file name; false if it is some other file. */
static bool read_moment(const char *name, unsigned long *moment) {
    char *end;
    *moment = strtoul(name, &end, 10);
    return end != name && *end == '.';
}

static void remove_moments(const char *path, uint32_t first, uint32_t end) {
    char *folder = suite_path(path, FOLDER);
    DIR *open = opendir(folder);
    unsigned long moment;
    for (const struct dirent *item; open && (item = readdir(open));) {
        char *name = suite_path(folder, item->d_name);
        if (read_moment(item->d_name, &moment) && moment >= first && moment < end)
            unlink(name);
        free(name);
    }
    if (open)
        closedir(open);
    free(folder);
}

bool suite_owns_ranks(const char *path) {
    char *folder = suite_path(path, FOLDER);
    DIR *open = opendir(folder);
    bool owns = open != NULL;
    unsigned long moment;
    for (const struct dirent *item; owns && (item = readdir(open));)
        owns = item->d_name[0] == '.' || strncmp(item->d_name, "whole", 5) == 0 ||
               read_moment(item->d_name, &moment);
    if (open)
        closedir(open);
    free(folder);
    return owns;
}

void suite_forget_unfinished(const char *path) {
    if (suite_owns_ranks(path))
        remove_moments(path, suite_last_moment(path) + 1, UINT32_MAX);
}

bool suite_commit_ranks(const char *path, uint32_t moment, uint32_t ranks, uint32_t more,
                        struct base_error *error) {
    char *name = suite_path(path, WHOLE), *text = base_format("%u %u %u\n", moment, ranks, more);
    char *folder = suite_path(path, FOLDER);
    bool good = base_make_dirs(folder, error) && base_write_file(name, text, strlen(text), error);
    if (good)
        remove_moments(path, 0, moment);
    free(folder);
    free(text);
    free(name);
    return good;
}

/* Removes `whole` first: without it the others mean nothing. */
void suite_drop_ranks(const char *path) {
    char *whole = suite_path(path, WHOLE), *folder = suite_path(path, FOLDER);
    if (suite_owns_ranks(path)) {
        unlink(whole);
        remove_moments(path, 0, UINT32_MAX);
        rmdir(folder);
    }
    free(whole);
    free(folder);
}

/* ---- reading ---- */

static bool load_file(const char *name, const char *key, bool is_rest,
                      const struct suite_rank_reader *reader, struct base_error *error) {
    char *state;
    size_t size;
    if (!suite_read_state(name, key, &state, &size, error))
        return false;
    bool good = reader->take(reader->context, state, size, is_rest, error);
    free(state);
    return good;
}

/* Parts are numbered from 1; returns their number, or UINT32_MAX and ERROR. */
static uint32_t load_parts(const char *path, const char *key, uint32_t moment, uint32_t rank,
                           const struct suite_rank_reader *reader, struct base_error *error) {
    for (uint32_t part = 1;; part++) {
        char *name = name_of(path, moment, rank, part);
        bool is_there = access(name, F_OK) == 0;
        bool good = !is_there || load_file(name, key, true, reader, error);
        free(name);
        if (!good || !is_there)
            return good ? part - 1 : UINT32_MAX;
    }
}

bool suite_load_ranks(const char *path, const char *key, const struct suite_rank_reader *reader,
                      struct base_error *error) {
    struct whole whole;
    uint64_t more = 0;
    if (!read_whole(path, &whole))
        return base_fail(error, BASE_USAGE, "--resume: '%s/" WHOLE "' cannot be read", path);
    for (uint32_t rank = 0; rank < whole.ranks; rank++) {
        char *name = name_of(path, whole.moment, rank, 0);
        bool good = load_file(name, key, false, reader, error);
        free(name);
        uint32_t parts = good ? load_parts(path, key, whole.moment, rank, reader, error) : 0;
        if (!good || parts == UINT32_MAX)
            return false;
        more += parts;
    }
    return more == whole.more ||
           base_fail(error, BASE_USAGE,
                     "--resume: '%s/" FOLDER "' lacks work that was on its way between ranks; "
                     "start again without --resume",
                     path);
}
