/* SPDX-License-Identifier: Apache-2.0
 *
 * A list without duplicates: a sorted index beside it tells what is there.
 */
#ifndef UNIQUE_LIST_H
#define UNIQUE_LIST_H

#include "array_list.h"

typedef int unique_list_compare(const void *a, const void *b);

struct unique_list;

struct unique_list *unique_list_new(unique_list_compare *compare, collection_equal *equal);
void unique_list_free(struct unique_list *list);
bool unique_list_add(struct unique_list *list, void *item); /* false: it is there */
size_t unique_list_size(const struct unique_list *list);
/* Takes out, or keeps only, what is in OTHER. */
bool unique_list_remove_all(struct unique_list *list, const struct collection *other);
bool unique_list_retain_all(struct unique_list *list, const struct collection *other);

#endif
