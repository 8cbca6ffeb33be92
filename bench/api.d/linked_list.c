#include "linked_list.h"

#include <stdlib.h>

struct link {
    struct link *next;
    void *data;
};

struct linked_list {
    struct link *first, **end;
    size_t length;
    linked_list_equal *equal;
};

struct linked_list *linked_list_create(linked_list_equal *equal) {
    struct linked_list *list = calloc(1, sizeof *list);
    if (!list)
        return NULL;
    list->end = &list->first;
    list->equal = equal;
    return list;
}

void linked_list_release(struct linked_list *list) {
    if (!list)
        return;
    while (list->first) {
        struct link *next = list->first->next;
        free(list->first);
        list->first = next;
    }
    free(list);
}

int linked_list_add(struct linked_list *list, void *data) {
    struct link *link = calloc(1, sizeof *link);
    if (!link)
        return 0;
    link->data = data;
    *list->end = link;
    list->end = &link->next;
    list->length++;
    return 1;
}

size_t linked_list_length(const struct linked_list *list) {
    return list->length;
}

int linked_list_contains(const struct linked_list *list, const void *data) {
    for (const struct link *link = list->first; link; link = link->next)
        if (list->equal(link->data, data))
            return 1;
    return 0;
}

int linked_list_contains_all(const struct linked_list *list, const struct linked_list *other) {
    for (const struct link *link = other->first; link; link = link->next)
        if (!linked_list_contains(list, link->data))
            return 0;
    return 1;
}
