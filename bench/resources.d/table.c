/* SPDX-License-Identifier: Apache-2.0
 * A hash table with open places that doubles when it is half full. ENTRY: count(keys[n], n) */
#include <stdlib.h>

struct table {
    unsigned char *keys; /* 0: free */
    int size, used;
};

static void put(struct table *table, unsigned char key);

static void grow(struct table *table) {
    struct table larger = {calloc((size_t)table->size * 2, 1), table->size * 2, 0};
    for (int i = 0; i < table->size; i++)
        if (table->keys[i])
            put(&larger, table->keys[i]);
    free(table->keys);
    *table = larger;
}

static void put(struct table *table, unsigned char key) {
    if (2 * (table->used + 1) > table->size)
        grow(table);
    int at = key & (table->size - 1);
    while (table->keys[at] && table->keys[at] != key)
        at = (at + 1) & (table->size - 1);
    if (!table->keys[at]) {
        table->keys[at] = key;
        table->used++;
    }
}

int count(const unsigned char *keys, int n) {
    struct table table = {calloc(2, 1), 2, 0};
    for (int i = 0; i < n; i++)
        if (keys[i])
            put(&table, keys[i]);
    free(table.keys);
    return table.used;
}
