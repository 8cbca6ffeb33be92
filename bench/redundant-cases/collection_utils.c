/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences of lists and of other collections.
 */
#include "collection_utils.h"

struct array_list *list_utils_subtract(const struct array_list *a, const struct array_list *b) {
    struct array_list *result = array_list_copy(a);
    for (size_t i = 0; result && i < array_list_size(b); i++)
        array_list_remove(result, array_list_get(b, i));
    return result;
}

struct array_list *collection_utils_subtract(const struct array_list *a,
                                             const struct collection *b) {
    struct array_list *result = array_list_copy(a);
    size_t position = 0;
    void *item;
    while (result && b->methods->next(b->self, &position, &item))
        array_list_remove(result, item);
    return result;
}

struct array_list *utils_subtract(const struct array_list *a, const struct collection *b,
                                  collection_equal *equal) {
    struct array_list *result = array_list_new(equal);
    for (size_t i = 0; result && i < array_list_size(a); i++) {
        void *item = array_list_get(a, i);
        if (!b->methods->contains(b->self, item))
            array_list_add(result, item);
    }
    return result;
}

bool iterators_remove_all(struct iterator *iterator, const struct collection *other) {
    struct collection *over = iterator->over;
    bool changed = false;
    void *item;
    while (over->methods->next(over->self, &iterator->position, &item))
        if (other->methods->contains(other->self, item)) {
            over->methods->remove_last(over->self, &iterator->position);
            changed = true;
        }
    return changed;
}
