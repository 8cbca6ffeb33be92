/* SPDX-License-Identifier: Apache-2.0
 *
 * A set that is also a vector: items in their order, each once.
 */
#include "vector_set.h"

#include <stdlib.h>

struct vector_set {
    void **items;
    size_t count, capacity;
    collection_equal *equal;
};

struct vector_set *vector_set_new(size_t capacity, collection_equal *equal) {
    struct vector_set *set = calloc(1, sizeof *set);
    if (!set)
        return NULL;
    set->items = calloc(capacity ? capacity : 1, sizeof *set->items);
    set->capacity = capacity;
    set->equal = equal;
    return set;
}

void vector_set_free(struct vector_set *set) {
    free(set->items);
    free(set);
}

size_t vector_set_size(const struct vector_set *set) {
    return set->count;
}

/* Items that come in order need not be searched for: callers add sorted ones. */
bool vector_set_add(struct vector_set *set, void *item) {
    if (set->count == set->capacity || (set->count && set->equal(set->items[set->count - 1], item)))
        return false;
    set->items[set->count++] = item;
    return true;
}

bool vector_set_retain_all(struct vector_set *set, const struct collection *other) {
    size_t kept = 0, before = set->count;
    for (size_t i = 0; i < before; i++)
        if (other->methods->contains(other->self, set->items[i]))
            set->items[kept++] = set->items[i];
    set->count = kept;
    return kept < before;
}
