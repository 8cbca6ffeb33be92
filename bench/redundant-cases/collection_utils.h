/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences of lists and of other collections.
 */
#ifndef COLLECTION_UTILS_H
#define COLLECTION_UTILS_H

#include "array_list.h"

/* A copy of A without the items of B, each taken out once. */
struct array_list *list_utils_subtract(const struct array_list *a, const struct array_list *b);
/* The same for any B. */
struct array_list *collection_utils_subtract(const struct array_list *a,
                                             const struct collection *b);
/* The items of A that are not in B at all. */
struct array_list *utils_subtract(const struct array_list *a, const struct collection *b,
                                  collection_equal *equal);

struct iterator {
    struct collection *over;
    size_t position;
};
/* Takes out what is left and is in OTHER too; true if there was any. */
bool iterators_remove_all(struct iterator *iterator, const struct collection *other);

#endif
