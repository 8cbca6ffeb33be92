#include "vector_set.h"

#include <stdlib.h>

void vector_set_init(struct vector_set *set, bool (*equal)(const void *a, const void *b)) {
    set->items = NULL;
    set->length = set->capacity = 0;
    set->equal = equal;
}

void vector_set_fini(struct vector_set *set) {
    free(set->items);
    set->items = NULL;
    set->length = set->capacity = 0;
}

size_t vector_set_length(const struct vector_set *set) {
    return set->length;
}

bool vector_set_add(struct vector_set *set, void *item) {
    for (size_t i = 0; i < set->length; i++)
        if (set->equal(set->items[i], item))
            return false;
    if (set->length == set->capacity) {
        size_t capacity = set->capacity + 10;
        void **items = realloc(set->items, capacity * sizeof *items);
        if (!items)
            return false;
        set->items = items;
        set->capacity = capacity;
    }
    set->items[set->length++] = item;
    return true;
}

size_t vector_set_add_all(struct vector_set *set, void *const *items, size_t count) {
    size_t added = 0;
    for (size_t i = 0; i < count; i++)
        added += vector_set_add(set, items[i]);
    return added;
}

bool vector_set_clone(const struct vector_set *set, struct vector_set *copy) {
    for (size_t i = 0; i < set->length; i++)
        vector_set_add(copy, set->items[i]);
    return copy->length >= set->length;
}
