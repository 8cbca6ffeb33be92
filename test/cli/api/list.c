#include "list.h"

#include <stdlib.h>
#include <string.h>

struct list {
    void **items;
    size_t size, room;
    list_compare compare;
};

list *list_new(list_compare compare) {
    list *self = calloc(1, sizeof *self);
    if (self)
        self->compare = compare;
    return self;
}

void list_free(list *self) {
    if (!self)
        return;
    free(self->items);
    free(self);
}

int list_append(list *self, void *item) {
    if (self->size == self->room) {
        size_t room = self->room ? 2 * self->room : 4;
        void **items = realloc(self->items, room * sizeof *items);
        if (!items)
            return -1;
        self->items = items;
        self->room = room;
    }
    self->items[self->size++] = item;
    return 0;
}

size_t list_size(const list *self) {
    return self->size;
}

void *list_at(const list *self, size_t index) {
    return self->items[index];
}

int list_contains(const list *self, const void *item) {
    for (size_t i = 0; i < self->size; i++)
        if (self->compare(self->items[i], item) == 0)
            return 1;
    return 0;
}

int list_contains_all(const list *self, const list *other) {
    for (size_t i = 0; i < other->size; i++)
        if (!list_contains(self, other->items[i]))
            return 0;
    return 1;
}

int list_remove_at(list *self, size_t index) {
    for (size_t i = index; i + 1 < self->size; i++)
        self->items[i] = self->items[i + 1];
    self->size--;
    return 0;
}

void list_debug_check(list *self, int level) {
    if (level > 3)
        abort();
    (void)self;
}

long sum_squares(const int *values, size_t count) {
    long sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (long)values[i] * values[i];
    return sum;
}

static int least(int a, int b, int c) {
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

int text_distance(const char *a, const char *b) {
    size_t m = strlen(a), n = strlen(b);
    int *row = malloc((n + 1) * sizeof *row);
    if (!row)
        return -1;
    for (size_t j = 0; j <= n; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= m; i++) {
        int before = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= n; j++) {
            int above = row[j];
            row[j] = least(row[j] + 1, row[j - 1] + 1, before + (a[i - 1] != b[j - 1]));
            before = above;
        }
    }
    int result = row[n];
    free(row);
    return result;
}

void spin(unsigned turns) {
    for (volatile unsigned i = 0; i < turns; i++)
        continue;
}
