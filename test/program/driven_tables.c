/* SPDX-License-Identifier: Apache-2.0
 *
 * What `driven` knows of memory behind an unknown index: which place of a table is taken. It finds and proves the worst case that
 * `exhaustive` finds, and needs one trace for it. The first is a hash table with open places that doubles when it is half full.
 * ENTRY: count(keys[n], n)
 *
 * RUN: search() { %slowpath run %s --jobs 1 --out s --force --quiet --policy worst "$@" >out 2>err || cat err; }
 * RUN: same() { search "$@" --strategy exhaustive; grep '^worst' out >one; search "$@" --strategy driven; grep '^worst' out >two
 * RUN:   cmp one two && grep -q 'costs more, by the oracle' out || { cat one out; exit 1; }; }
 * RUN: for k in 2 3; do same --entry 'count(keys[n], n)' --size n=$k --loop-bound $k; same --entry 'chain(keys[n], n)' --size n=$k --loop-bound $k; done
 * RUN: search --entry 'count(keys[n], n)' --size n=4 --loop-bound 4 --strategy driven --show-traces; grep -q '^worst instructions: 488$' out; grep -q '^trace 1, .* feasible' out
 *
 * A decision that was made before is none: the second loop turns three times as often as the bound allows, and is within it.
 * RUN: for k in 2 3; do same --entry 'twice(a[n], n)' --size n=$k --loop-bound $k; done
 *
 * Places that no key leads to together, which the oracle does not know: what leaves 5 of 6 leaves 2 of 3.
 * RUN: search --entry 'step(key)' --strategy driven --show-traces; cat out | %check
 * CHECK: infeasible at decision [[#]], step:[[#]] [[#]] bytes behind the start of its object
 * CHECK: complete: nothing costs more, by the oracle's bound
 */
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

struct item {
    struct item *next;
    unsigned char key;
};

int chain(const unsigned char *keys, int n) {
    struct item *heads[3] = {0};
    int used = 0;
    for (int i = 0; i < n; i++) {
        struct item **at = &heads[keys[i] % 3];
        while (*at && (*at)->key != keys[i])
            at = &(*at)->next;
        if (*at)
            continue;
        *at = calloc(1, sizeof **at);
        (*at)->key = keys[i];
        used++;
    }
    return used;
}

int twice(const signed char *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 0)
            sum++;
    for (int i = 0; i < 3 * n; i++)
        if (a[i % n] > 0)
            sum += 2;
    return sum;
}

int step(unsigned char key) {
    unsigned char thirds[3] = {0}, sixths[6] = {0};
    volatile int cost = 0;
    thirds[key % 3] = 1;
    sixths[key % 6] = 1;
    if (thirds[1] && sixths[5])
        for (int i = 0; i < 9; i++)
            cost += i;
    return cost;
}
