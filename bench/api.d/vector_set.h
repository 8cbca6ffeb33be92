/* A set kept in a growing array, as Ant's VectorSet; elements are compared by the caller's
 * function. */
#ifndef VECTOR_SET_H
#define VECTOR_SET_H
#include <stdbool.h>
#include <stddef.h>

struct vector_set {
    void **items;
    size_t length, capacity;
    bool (*equal)(const void *a, const void *b);
};

void vector_set_init(struct vector_set *set, bool (*equal)(const void *a, const void *b));
void vector_set_fini(struct vector_set *set);
size_t vector_set_length(const struct vector_set *set);
bool vector_set_add(struct vector_set *set, void *item);
size_t vector_set_add_all(struct vector_set *set, void *const *items, size_t count);
/* Makes COPY, which must be an empty set, the same as SET. */
bool vector_set_clone(const struct vector_set *set, struct vector_set *copy);

#endif
