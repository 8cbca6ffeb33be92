/* SPDX-License-Identifier: Apache-2.0
 *
 * A set that is also a vector: items in their order, each once.
 */
#ifndef VECTOR_SET_H
#define VECTOR_SET_H

#include "collection.h"

struct vector_set;

struct vector_set *vector_set_new(size_t capacity, collection_equal *equal);
void vector_set_free(struct vector_set *set);
bool vector_set_add(struct vector_set *set, void *item);
size_t vector_set_size(const struct vector_set *set);
/* Keeps what is in OTHER too. */
bool vector_set_retain_all(struct vector_set *set, const struct collection *other);

#endif
