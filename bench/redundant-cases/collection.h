/* SPDX-License-Identifier: Apache-2.0
 *
 * Anything that holds items: what functions that take another container ask of it.
 */
#ifndef COLLECTION_H
#define COLLECTION_H

#include <stdbool.h>
#include <stddef.h>

typedef bool collection_equal(const void *a, const void *b);

struct collection_methods {
    size_t (*size)(const void *self);
    bool (*contains)(const void *self, const void *item);
    /* The item at *POSITION, which starts at 0 and is moved on; false at the end. */
    bool (*next)(const void *self, size_t *position, void **item);
    /* Takes the item out that `next` has given last. */
    void (*remove_last)(void *self, size_t *position);
};

struct collection {
    const struct collection_methods *methods;
    void *self;
};

/* Keeps the items that are also in OTHER; true if any was taken out. */
bool collection_retain_all(struct collection *own, const struct collection *other);

#endif
