#ifndef LIST_H
#define LIST_H
#include <stddef.h>

typedef struct list list;
typedef int (*list_compare)(const void *a, const void *b);

list *list_new(list_compare compare);
void list_free(list *self);
int list_append(list *self, void *item);
size_t list_size(const list *self);
void *list_at(const list *self, size_t index);
int list_contains(const list *self, const void *item);
int list_contains_all(const list *self, const list *other);
int list_remove_at(list *self, size_t index);
void list_debug_check(list *self, int level);
long sum_squares(const int *values, size_t count);
int text_distance(const char *a, const char *b);
void spin(unsigned turns);

#endif
