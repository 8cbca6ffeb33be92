/* SPDX-License-Identifier: Apache-2.0
 *
 * What any container can do by its methods alone.
 */
#include "collection.h"

bool collection_retain_all(struct collection *own, const struct collection *other) {
    size_t position = 0;
    bool changed = false;
    void *item;
    while (own->methods->next(own->self, &position, &item))
        if (!other->methods->contains(other->self, item)) {
            own->methods->remove_last(own->self, &position);
            changed = true;
        }
    return changed;
}
