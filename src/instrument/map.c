/* SPDX-License-Identifier: Apache-2.0
 *
 * A map keyed by LLVM's handles. Emptying it is cheap: one function's shadows follow another's.
 */
#include "instrument/internal.h"

#include <stdlib.h>
#include <string.h>

struct slot {
    const void *key;
    uintptr_t value;
};

struct instrument_map {
    struct slot *slots;
    size_t count, capacity;
};

struct instrument_map *instrument_map_new(void) {
    struct instrument_map *map = base_alloc(sizeof *map);
    map->capacity = 64;
    map->slots = base_alloc(map->capacity * sizeof *map->slots);
    return map;
}

void instrument_map_free(struct instrument_map *map) {
    free(map->slots);
    free(map);
}

void instrument_map_clear(struct instrument_map *map) {
    memset(map->slots, 0, map->capacity * sizeof *map->slots);
    map->count = 0;
}

static struct slot *find(const struct instrument_map *map, const void *key) {
    size_t at = (((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20) & (map->capacity - 1);
    while (map->slots[at].key && map->slots[at].key != key)
        at = (at + 1) & (map->capacity - 1);
    return &map->slots[at];
}

void instrument_map_set(struct instrument_map *map, const void *key, uintptr_t value) {
    if (map->count * 2 >= map->capacity) {
        struct instrument_map bigger = {.capacity = map->capacity * 2, .count = map->count};
        bigger.slots = base_alloc(bigger.capacity * sizeof *bigger.slots);
        for (size_t i = 0; i < map->capacity; i++)
            if (map->slots[i].key)
                *find(&bigger, map->slots[i].key) = map->slots[i];
        free(map->slots);
        *map = bigger;
    }
    struct slot *slot = find(map, key);
    map->count += slot->key == NULL;
    *slot = (struct slot){key, value};
}

bool instrument_map_get(const struct instrument_map *map, const void *key, uintptr_t *value) {
    const struct slot *slot = find(map, key);
    if (slot->key)
        *value = slot->value;
    return slot->key != NULL;
}
