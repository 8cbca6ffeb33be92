/* SPDX-License-Identifier: Apache-2.0
 * A hash table with chains that doubles when it is full. ENTRY: build(keys[n], n) */
#include <stdlib.h>

struct item {
    struct item *next;
    unsigned char key;
    int count;
};

struct table {
    struct item **heads;
    unsigned size, used;
};

static void grow(struct table *t) {
    unsigned size = t->size * 2;
    struct item **heads = calloc(size, sizeof *heads);
    for (unsigned i = 0; i < t->size; i++)
        for (struct item *at = t->heads[i], *next; at; at = next) {
            next = at->next;
            at->next = heads[at->key % size];
            heads[at->key % size] = at;
        }
    free(t->heads);
    t->heads = heads;
    t->size = size;
}

int build(const unsigned char *keys, int n) {
    struct table t = {calloc(2, sizeof(struct item *)), 2, 0};
    for (int i = 0; i < n; i++) {
        struct item *at = t.heads[keys[i] % t.size];
        while (at && at->key != keys[i])
            at = at->next;
        if (at) {
            at->count++;
            continue;
        }
        if (t.used >= t.size)
            grow(&t);
        at = malloc(sizeof *at);
        at->key = keys[i];
        at->count = 1;
        at->next = t.heads[keys[i] % t.size];
        t.heads[keys[i] % t.size] = at;
        t.used++;
    }
    return (int)t.used;
}
