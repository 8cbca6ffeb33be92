/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the words of a text in a hash table that grows.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct word {
    struct word *next;
    uint32_t hash, count;
    size_t length;
    const uint8_t *text;
};

struct table {
    struct word **slots;
    size_t size, count;
};

static void grow(struct table *table) {
    size_t size = table->size ? 2 * table->size : 16;
    struct word **slots = calloc(size, sizeof *slots);
    for (size_t i = 0; i < table->size; i++)
        for (struct word *word = table->slots[i], *next; word; word = next) {
            next = word->next;
            word->next = slots[word->hash % size];
            slots[word->hash % size] = word;
        }
    free(table->slots);
    table->slots = slots;
    table->size = size;
}

static void add(struct table *table, const uint8_t *text, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ text[i]) * 16777619u;
    if (table->count >= table->size)
        grow(table);
    struct word **at = &table->slots[hash % table->size];
    for (; *at; at = &(*at)->next)
        if ((*at)->hash == hash && (*at)->length == length &&
            memcmp((*at)->text, text, length) == 0) {
            (*at)->count++;
            return;
        }
    *at = malloc(sizeof **at);
    **at = (struct word){NULL, hash, 1, length, text};
    table->count++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct table table = {0};
    for (size_t i = 0, start = 0; i <= size; i++)
        if (i == size || data[i] <= ' ') {
            if (i > start)
                add(&table, data + start, i - start);
            start = i + 1;
        }
    for (size_t i = 0; i < table.size; i++)
        for (struct word *word = table.slots[i], *next; word; word = next) {
            next = word->next;
            free(word);
        }
    free(table.slots);
    return 0;
}
