/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash set that remembers, in a list, the order in which items were added. Items are chained by
 * hash; the list is searched when one goes.
 */
#include "ordered_set.h"

#include <stdlib.h>

#define BUCKETS 1024u

struct node {
    struct node *next;
    void *item;
};

struct ordered_set {
    struct node *buckets[BUCKETS];
    struct array_list *order;
    ordered_set_hash *hash;
    collection_equal *equal;
};

struct ordered_set *ordered_set_new(ordered_set_hash *hash, collection_equal *equal) {
    struct ordered_set *set = calloc(1, sizeof *set);
    if (!set)
        return NULL;
    set->order = array_list_new(equal);
    set->hash = hash;
    set->equal = equal;
    return set;
}

void ordered_set_free(struct ordered_set *set) {
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct node *at = set->buckets[i], *next; at; at = next) {
            next = at->next;
            free(at);
        }
    array_list_free(set->order);
    free(set);
}

size_t ordered_set_size(const struct ordered_set *set) {
    return array_list_size(set->order);
}

static struct node **find(struct ordered_set *set, const void *item) {
    struct node **at = &set->buckets[set->hash(item) % BUCKETS];
    while (*at && !set->equal((*at)->item, item))
        at = &(*at)->next;
    return at;
}

bool ordered_set_add(struct ordered_set *set, void *item) {
    struct node **at = find(set, item);
    if (*at || !(*at = calloc(1, sizeof **at)))
        return false;
    (*at)->item = item;
    return array_list_add(set->order, item);
}

bool ordered_set_remove(struct ordered_set *set, const void *item) {
    struct node **at = find(set, item), *gone = *at;
    if (gone) {
        *at = gone->next;
        free(gone);
    }
    return array_list_remove(set->order, item);
}

/* The list is asked too, so that the order never has an item twice. */
bool ordered_set_add_all(struct ordered_set *set, const struct collection *other) {
    size_t position = 0;
    bool changed = false;
    void *item;
    while (other->methods->next(other->self, &position, &item))
        if (!array_list_contains(set->order, item))
            changed |= ordered_set_add(set, item);
    return changed;
}

bool ordered_set_remove_all(struct ordered_set *set, const struct collection *other) {
    size_t position = 0;
    bool changed = false;
    void *item;
    while (other->methods->next(other->self, &position, &item))
        changed |= ordered_set_remove(set, item);
    return changed;
}

bool ordered_set_retain_all(struct ordered_set *set, const struct collection *other) {
    bool changed = false;
    for (size_t i = array_list_size(set->order); i-- > 0;) {
        void *item = array_list_get(set->order, i);
        if (other->methods->contains(other->self, item))
            continue;
        changed |= ordered_set_remove(set, item);
    }
    return changed;
}
