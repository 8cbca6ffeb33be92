/* SPDX-License-Identifier: Apache-2.0
 *
 * A list in a growing array.
 */
#include "array_list.h"

#include <stdlib.h>
#include <string.h>

struct array_list {
    void **items;
    size_t count, capacity;
    collection_equal *equal;
};

struct array_list *array_list_new(collection_equal *equal) {
    struct array_list *list = calloc(1, sizeof *list);
    if (list)
        list->equal = equal;
    return list;
}

void array_list_free(struct array_list *list) {
    if (list)
        free(list->items);
    free(list);
}

size_t array_list_size(const struct array_list *list) {
    return list->count;
}

void *array_list_get(const struct array_list *list, size_t index) {
    return index < list->count ? list->items[index] : NULL;
}

bool array_list_add(struct array_list *list, void *item) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 8;
        void **items = realloc(list->items, capacity * sizeof *items);
        if (!items)
            return false;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
    return true;
}

static size_t find(const struct array_list *list, const void *item) {
    size_t at = 0;
    while (at < list->count && !list->equal(list->items[at], item))
        at++;
    return at;
}

bool array_list_contains(const struct array_list *list, const void *item) {
    return find(list, item) < list->count;
}

void array_list_remove_at(struct array_list *list, size_t index) {
    list->count--;
    memmove(list->items + index, list->items + index + 1,
            (list->count - index) * sizeof *list->items);
}

bool array_list_remove(struct array_list *list, const void *item) {
    size_t at = find(list, item);
    if (at == list->count)
        return false;
    array_list_remove_at(list, at);
    return true;
}

struct array_list *array_list_copy(const struct array_list *list) {
    struct array_list *copy = array_list_new(list->equal);
    for (size_t i = 0; copy && i < list->count; i++)
        array_list_add(copy, list->items[i]);
    return copy;
}

/* ---- as a collection ---- */

static size_t own_size(const void *self) {
    return array_list_size(self);
}

static bool own_contains(const void *self, const void *item) {
    return array_list_contains(self, item);
}

static bool own_next(const void *self, size_t *position, void **item) {
    const struct array_list *list = self;
    if (*position >= list->count)
        return false;
    *item = list->items[(*position)++];
    return true;
}

static void own_remove_last(void *self, size_t *position) {
    array_list_remove_at(self, --*position);
}

struct collection array_list_collection(struct array_list *list) {
    static const struct collection_methods methods = {own_size, own_contains, own_next,
                                                      own_remove_last};
    return (struct collection){&methods, list};
}
