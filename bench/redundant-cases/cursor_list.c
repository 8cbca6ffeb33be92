/* SPDX-License-Identifier: Apache-2.0
 *
 * A doubly linked list; cursors on it stay valid while it changes.
 */
#include "cursor_list.h"

#include <stdlib.h>

struct link {
    struct link *next, *previous;
    void *item;
};

struct cursor {
    struct cursor_list *list;
    struct link *at;
    struct cursor *next;
};

struct cursor_list {
    struct link head; /* of a ring */
    struct cursor *cursors;
    collection_equal *equal;
};

struct cursor_list *cursor_list_new(collection_equal *equal) {
    struct cursor_list *list = calloc(1, sizeof *list);
    if (!list)
        return NULL;
    list->head.next = list->head.previous = &list->head;
    list->equal = equal;
    return list;
}

void cursor_list_free(struct cursor_list *list) {
    for (struct link *at = list->head.next, *next; at != &list->head; at = next) {
        next = at->next;
        free(at);
    }
    free(list);
}

bool cursor_list_add(struct cursor_list *list, void *item) {
    struct link *link = malloc(sizeof *link);
    if (!link)
        return false;
    *link = (struct link){&list->head, list->head.previous, item};
    link->previous->next = link;
    list->head.previous = link;
    return true;
}

bool cursor_list_contains(const struct cursor_list *list, const void *item) {
    for (const struct link *at = list->head.next; at != &list->head; at = at->next)
        if (list->equal(at->item, item))
            return true;
    return false;
}

bool cursor_list_contains_all(const struct cursor_list *list, const struct collection *other) {
    size_t position = 0;
    void *item;
    while (other->methods->next(other->self, &position, &item))
        if (!cursor_list_contains(list, item))
            return false;
    return true;
}

struct cursor *cursor_new(struct cursor_list *list) {
    struct cursor *cursor = malloc(sizeof *cursor);
    if (!cursor)
        return NULL;
    *cursor = (struct cursor){list, list->head.next, list->cursors};
    list->cursors = cursor;
    return cursor;
}

bool cursor_next(struct cursor *cursor, void **item) {
    if (cursor->at == &cursor->list->head)
        return false;
    *item = cursor->at->item;
    cursor->at = cursor->at->next;
    return true;
}

void cursor_free(struct cursor *cursor) {
    struct cursor **at = &cursor->list->cursors;
    while (*at != cursor)
        at = &(*at)->next;
    *at = cursor->next;
    free(cursor);
}
