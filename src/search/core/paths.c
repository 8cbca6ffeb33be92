/* SPDX-License-Identifier: Apache-2.0
 *
 * Which paths are known? A set of 128-bit hashes with open addressing.
 *
 * By construction the exhaustive strategy visits no path twice; the set checks that, and tells new
 * paths from known ones for strategies that find inputs in other ways. It stops growing at LARGEST
 * paths: from then on everything counts as new.
 */
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST ((size_t)1 << 25)
#define SAVED                                                                                      \
    ((uint64_t)1 << 20) /* larger sets are not saved: a state must stay cheap to write             \
                         */

/* An empty slot is zero; a path whose hash is zero is replaced by another value. */
static bool place(struct search_path *slots, size_t capacity, struct search_path path) {
    size_t at = (size_t)path.a & (capacity - 1);
    while (slots[at].a || slots[at].b) {
        if (slots[at].a == path.a && slots[at].b == path.b)
            return false;
        at = (at + 1) & (capacity - 1);
    }
    slots[at] = path;
    return true;
}

static void grow(struct search_paths *paths) {
    size_t capacity = paths->capacity ? paths->capacity * 2 : 1024;
    struct search_path *slots = base_alloc(capacity * sizeof *slots);
    for (size_t i = 0; i < paths->capacity; i++)
        if (paths->slots[i].a || paths->slots[i].b)
            place(slots, capacity, paths->slots[i]);
    free(paths->slots);
    paths->slots = slots;
    paths->capacity = capacity;
}

bool search_paths_add(struct search_paths *paths, struct search_path path) {
    if (!path.a && !path.b)
        path.b = 1;
    if (paths->is_full)
        return true;
    if (paths->count * 2 >= paths->capacity)
        grow(paths);
    bool is_new = place(paths->slots, paths->capacity, path);
    paths->count += is_new;
    paths->is_full = paths->count >= LARGEST;
    return is_new;
}

void search_paths_done(struct search_paths *paths) {
    free(paths->slots);
    *paths = (struct search_paths){0};
}

void search_paths_save(const struct search_paths *paths, struct base_buffer *out) {
    uint64_t count = paths->count <= SAVED ? paths->count : 0;
    search_put(out, &count, sizeof count);
    for (size_t i = 0; count && i < paths->capacity; i++)
        if (paths->slots[i].a || paths->slots[i].b)
            search_put(out, &paths->slots[i], sizeof paths->slots[i]);
}

bool search_paths_load(struct search_paths *paths, const char **data, const char *end,
                       uint64_t *known) {
    uint64_t count, again = 0;
    if (!search_get(data, end, &count, sizeof count) || count > SAVED)
        return false;
    for (; count; count--) {
        struct search_path path;
        if (!search_get(data, end, &path, sizeof path))
            return false;
        again += !search_paths_add(paths, path);
    }
    if (known)
        *known = again;
    return true;
}
