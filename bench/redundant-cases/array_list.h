/* SPDX-License-Identifier: Apache-2.0
 *
 * A list in a growing array.
 */
#ifndef ARRAY_LIST_H
#define ARRAY_LIST_H

#include "collection.h"

struct array_list;

struct array_list *array_list_new(collection_equal *equal);
void array_list_free(struct array_list *list);
size_t array_list_size(const struct array_list *list);
void *array_list_get(const struct array_list *list, size_t index);
bool array_list_add(struct array_list *list, void *item);
bool array_list_contains(const struct array_list *list, const void *item);
/* Takes the first such item out; false if there is none. */
bool array_list_remove(struct array_list *list, const void *item);
void array_list_remove_at(struct array_list *list, size_t index);
struct array_list *array_list_copy(const struct array_list *list);
struct collection array_list_collection(struct array_list *list);

#endif
