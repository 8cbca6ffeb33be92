#include "table.h"

#include <stdlib.h>
#include <string.h>

struct row {
    struct row *next;
    size_t length;
    int values[];
};

struct table {
    struct row *first;
    size_t rows;
};

table *table_new(void) {
    return calloc(1, sizeof(table));
}

void table_free(table *self) {
    if (!self)
        return;
    for (struct row *row = self->first, *next; row; row = next) {
        next = row->next;
        free(row);
    }
    free(self);
}

int table_add_row(table *self, const int *row, size_t length) {
    struct row *copy = malloc(sizeof *copy + length * sizeof *row);
    if (!copy)
        return 0;
    for (size_t i = 0; i < length; i++)
        copy->values[i] = row[i];
    copy->length = length;
    copy->next = self->first;
    self->first = copy;
    self->rows++;
    return 1;
}

size_t table_rows(const table *self) {
    return self->rows;
}

static int is_same(const int *a, const int *b, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

int table_has_row(const table *self, const int *row, size_t length) {
    for (const struct row *at = self->first; at; at = at->next)
        if (at->length == length && is_same(at->values, row, length))
            return 1;
    return 0;
}

size_t table_common_rows(const table *self, const table *other) {
    size_t common = 0;
    for (const struct row *at = other->first; at; at = at->next)
        common += (size_t)table_has_row(self, at->values, at->length);
    return common;
}
