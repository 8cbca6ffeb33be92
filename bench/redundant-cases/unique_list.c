/* SPDX-License-Identifier: Apache-2.0
 *
 * A list without duplicates: a sorted index beside it tells what is there.
 */
#include "unique_list.h"

#include <stdlib.h>
#include <string.h>

struct unique_list {
    struct array_list *items;
    void **index; /* sorted */
    size_t count, capacity;
    unique_list_compare *compare;
};

struct unique_list *unique_list_new(unique_list_compare *compare, collection_equal *equal) {
    struct unique_list *list = calloc(1, sizeof *list);
    if (!list)
        return NULL;
    list->items = array_list_new(equal);
    list->compare = compare;
    return list;
}

void unique_list_free(struct unique_list *list) {
    array_list_free(list->items);
    free(list->index);
    free(list);
}

size_t unique_list_size(const struct unique_list *list) {
    return list->count;
}

/* Where the item is in the index, or would be. */
static size_t look_up(const struct unique_list *list, const void *item, bool *is_there) {
    size_t low = 0, high = list->count;
    *is_there = false;
    while (low < high && !*is_there) {
        size_t middle = low + (high - low) / 2;
        int order = list->compare(list->index[middle], item);
        if (order == 0) {
            *is_there = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool unique_list_add(struct unique_list *list, void *item) {
    bool is_there;
    size_t at = look_up(list, item, &is_there);
    if (is_there)
        return false;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 8;
        void **index = realloc(list->index, capacity * sizeof *index);
        if (!index)
            return false;
        list->index = index;
        list->capacity = capacity;
    }
    memmove(list->index + at + 1, list->index + at, (list->count - at) * sizeof *list->index);
    list->index[at] = item;
    list->count++;
    return array_list_add(list->items, item);
}

static void drop(struct unique_list *list, size_t position) {
    bool is_there;
    size_t at = look_up(list, array_list_get(list->items, position), &is_there);
    list->count--;
    memmove(list->index + at, list->index + at + 1, (list->count - at) * sizeof *list->index);
    array_list_remove_at(list->items, position);
}

static bool keep(struct unique_list *list, const struct collection *other, bool wanted) {
    bool changed = false;
    for (size_t i = 0; i < array_list_size(list->items);) {
        void *item = array_list_get(list->items, i);
        if (other->methods->contains(other->self, item) == wanted) {
            i++;
            continue;
        }
        drop(list, i);
        changed = true;
    }
    return changed;
}

bool unique_list_remove_all(struct unique_list *list, const struct collection *other) {
    return keep(list, other, false);
}

bool unique_list_retain_all(struct unique_list *list, const struct collection *other) {
    return keep(list, other, true);
}
