/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a search on disk: a header, a key that says what was searched, and the search's own
 * bytes, with a hash over everything. It is replaced by one rename, so that even after kill -9 the
 * last state written is there, complete.
 */
#include "suite/suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC "SLOWPSS1"

struct header {
    char magic[8];
    char hash[40]; /* of all that follows, hexadecimal */
    uint64_t key_size, state_size;
};

static void hash_rest(const char *file, size_t size, char text[33]) {
    size_t start = offsetof(struct header, key_size);
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add(&hash, file + start, size - start);
    base_hash_done(&hash, text);
}

void suite_seal_state(const char *key, const struct base_buffer *state,
                      struct base_buffer *sealed) {
    struct header header = {.key_size = strlen(key), .state_size = state->count};
    memcpy(header.magic, MAGIC, sizeof header.magic);
    base_buffer_add(sealed, &header, sizeof header);
    base_buffer_add(sealed, key, header.key_size);
    base_buffer_add(sealed, state->data, state->count);
    char text[33];
    hash_rest(sealed->data, sealed->count, text);
    memcpy(sealed->data + offsetof(struct header, hash), text, sizeof text);
}

bool suite_save_state(const char *path, const struct base_buffer *sealed,
                      struct base_error *error) {
    char *file = base_format("%s/state", path);
    bool good =
        base_make_dirs(path, error) && base_write_file(file, sealed->data, sealed->count, error);
    if (good)
        suite_drop_ranks(path); /* outdated: the search has continued since */
    free(file);
    return good;
}

static bool begins_with(const char *folder, const char *name, const char *text, size_t size) {
    char *path = base_format("%s/%s", folder, name), start[16] = {0};
    FILE *file = fopen(path, "rb");
    bool does = file && fread(start, 1, size, file) == size && memcmp(start, text, size) == 0;
    if (file)
        fclose(file);
    free(path);
    return does;
}

bool suite_has_state(const char *path) {
    return begins_with(path, "state", MAGIC, 8) || suite_has_ranks(path);
}

/* The first line of a key identifies the program; the rest is how it was searched. */
static const char *compare_keys(const char *stored, size_t size, const char *key) {
    if (size == strlen(key) && memcmp(stored, key, size) == 0)
        return NULL;
    const char *rest = memchr(stored, '\n', size), *wanted = strchr(key, '\n');
    size_t left = rest ? size - (size_t)(rest - stored) : 0;
    if (rest && wanted && left == strlen(wanted) && memcmp(rest, wanted, left) == 0)
        return "belongs to the target as it was: it has changed since, or slowpath has";
    return "belongs to another target or to other options";
}

static bool has_same_program(const char *stored, size_t size, const char *key) {
    size_t length = strcspn(key, "\n") + 1;
    return size >= length && memcmp(stored, key, length) == 0;
}

static const char *find_problem(const char *data, size_t size, const char *key) {
    const struct header *header = (const struct header *)data;
    char text[33];
    if (size < sizeof *header || memcmp(header->magic, MAGIC, sizeof header->magic) != 0)
        return "is not a state of this version of slowpath";
    hash_rest(data, size, text);
    if (memcmp(header->hash, text, sizeof text) != 0)
        return "is damaged";
    size_t rest = size - sizeof *header;
    if (header->key_size > rest || header->state_size != rest - header->key_size)
        return "is damaged";
    return compare_keys(data + sizeof *header, header->key_size, key);
}

bool suite_state_is_of(const char *path, const char *key) {
    char *file = base_format("%s/state", path), *data = NULL;
    struct base_error error;
    size_t size, head = sizeof(struct header);
    bool same = access(file, F_OK) == 0 && base_read_file(file, &data, &size, &error) &&
                size > head && has_same_program(data + head, size - head, key);
    free(data);
    free(file);
    return same;
}

bool suite_read_state(const char *file, const char *key, char **state, size_t *size,
                      struct base_error *error) {
    char *data = NULL;
    const char *problem = NULL;
    size_t all;
    bool good = base_read_file(file, &data, &all, error);
    if (good && (problem = find_problem(data, all, key)))
        good = base_fail(error, BASE_USAGE, "--resume: '%s' %s; start again without --resume", file,
                         problem);
    if (good) {
        const struct header *header = (const struct header *)data;
        *size = header->state_size;
        *state = base_alloc(*size + 1);
        memcpy(*state, data + sizeof *header + header->key_size, *size);
    }
    free(data);
    return good;
}

bool suite_load_state(const char *path, const char *key, char **state, size_t *size,
                      struct base_error *error) {
    char *file = base_format("%s/state", path);
    bool good = access(file, F_OK) == 0
                    ? suite_read_state(file, key, state, size, error)
                    : base_fail(error, BASE_USAGE,
                                "--resume: there is no search to go on with in '%s'", path);
    free(file);
    return good;
}

/* ---- findings of an unfinished search ---- */

bool suite_has_found(const char *path) {
    return begins_with(path, "found.jsonl", SUITE_FOUND_BEGINS, strlen(SUITE_FOUND_BEGINS));
}

bool suite_add_found(const char *path, const char *line, struct base_error *error) {
    if (!base_make_dirs(path, error))
        return false;
    char *name = base_format("%s/found.jsonl", path);
    FILE *file = fopen(name, "a");
    bool good = file && fprintf(file, "%s\n", line) > 0;
    if ((file && fclose(file) != 0) || !good)
        good = base_fail(error, BASE_USAGE, "cannot write '%s': %s", name, strerror(errno));
    free(name);
    return good;
}

void suite_drop_found(const char *path) {
    char *name = base_format("%s/found.jsonl", path);
    unlink(name);
    free(name);
}
