/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash set that remembers, in a list, the order in which items were added.
 */
#ifndef ORDERED_SET_H
#define ORDERED_SET_H

#include "array_list.h"

#include <stdint.h>

typedef uint32_t ordered_set_hash(const void *item);

struct ordered_set;

struct ordered_set *ordered_set_new(ordered_set_hash *hash, collection_equal *equal);
void ordered_set_free(struct ordered_set *set);
bool ordered_set_add(struct ordered_set *set, void *item); /* false: it was there */
bool ordered_set_remove(struct ordered_set *set, const void *item);
size_t ordered_set_size(const struct ordered_set *set);
/* Adds, in the order of OTHER, what is not there. */
bool ordered_set_add_all(struct ordered_set *set, const struct collection *other);
bool ordered_set_remove_all(struct ordered_set *set, const struct collection *other);
bool ordered_set_retain_all(struct ordered_set *set, const struct collection *other);

#endif
