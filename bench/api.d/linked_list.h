/* A list with contains and containsAll, as the JDK's List. */
#ifndef LINKED_LIST_H
#define LINKED_LIST_H
#include <stddef.h>

struct linked_list;
typedef int linked_list_equal(const void *a, const void *b);

struct linked_list *linked_list_create(linked_list_equal *equal);
void linked_list_release(struct linked_list *list);
int linked_list_add(struct linked_list *list, void *data);
size_t linked_list_length(const struct linked_list *list);
int linked_list_contains(const struct linked_list *list, const void *data);
int linked_list_contains_all(const struct linked_list *list, const struct linked_list *other);

#endif
