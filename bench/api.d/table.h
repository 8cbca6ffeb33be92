/* A table of rows of numbers: three loops around each other, across two calls. */
#ifndef TABLE_H
#define TABLE_H
#include <stddef.h>

typedef struct table table;

table *table_new(void);
void table_free(table *self);
/* Adds a copy of the row. */
int table_add_row(table *self, const int *row, size_t length);
size_t table_rows(const table *self);
int table_has_row(const table *self, const int *row, size_t length);
size_t table_common_rows(const table *self, const table *other);

#endif
