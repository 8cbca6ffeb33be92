/* SPDX-License-Identifier: Apache-2.0
 *
 * A string map by open addressing, and the edit distance that finds the nearest name.
 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

struct base_map_slot {
    char *key;
    uint32_t value;
};

static size_t hash_text(const char *text) {
    uint64_t hash = 1469598103934665603u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash ^ (hash >> 32);
}

static struct base_map_slot *find_slot(const struct base_map *map, const char *key) {
    size_t at = hash_text(key) & (map->capacity - 1);
    while (map->slots[at].key && strcmp(map->slots[at].key, key) != 0)
        at = (at + 1) & (map->capacity - 1);
    return &map->slots[at];
}

uint32_t base_map_get(const struct base_map *map, const char *key) {
    if (!map->capacity)
        return BASE_MAP_NONE;
    const struct base_map_slot *slot = find_slot(map, key);
    return slot->key ? slot->value : BASE_MAP_NONE;
}

void base_map_set(struct base_map *map, const char *key, uint32_t value) {
    if (map->count * 2 >= map->capacity) {
        struct base_map bigger = {.capacity = map->capacity ? map->capacity * 2 : 16};
        bigger.slots = base_alloc(bigger.capacity * sizeof *bigger.slots);
        for (size_t i = 0; i < map->capacity; i++)
            if (map->slots[i].key)
                *find_slot(&bigger, map->slots[i].key) = map->slots[i];
        bigger.count = map->count;
        free(map->slots);
        *map = bigger;
    }
    struct base_map_slot *slot = find_slot(map, key);
    if (!slot->key) {
        slot->key = base_strdup(key);
        map->count++;
    }
    slot->value = value;
}

void base_map_done(struct base_map *map) {
    for (size_t i = 0; i < map->capacity; i++)
        free(map->slots[i].key);
    free(map->slots);
    *map = (struct base_map){0};
}

size_t base_edit_distance(const char *a, const char *b) {
    size_t columns = strlen(b) + 1;
    size_t *row = base_alloc(columns * sizeof *row);
    for (size_t j = 0; j < columns; j++)
        row[j] = j;
    for (size_t i = 1; *a; a++, i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j < columns; j++) {
            size_t best = diagonal + (*a != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    size_t distance = row[columns - 1];
    free(row);
    return distance;
}

size_t base_near_distance(const char *word) {
    return (strlen(word) + 1) / 3;
}
