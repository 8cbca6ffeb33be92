/* SPDX-License-Identifier: Apache-2.0
 *
 * Which number did we give this LLVM object? Open addressing, at most half full; the C API hands
 * out stable addresses but no place to hang a number on.
 */
#include "ir/pointers.h"

#include <stdlib.h>

static struct ir_pointers_slot *find_slot(const struct ir_pointers *map, const void *key) {
    uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
    size_t at = (hash >> 32) & (map->capacity - 1);
    while (map->slots[at].key && map->slots[at].key != key)
        at = (at + 1) & (map->capacity - 1);
    return &map->slots[at];
}

static void grow(struct ir_pointers *map) {
    struct ir_pointers bigger = {.capacity = map->capacity ? map->capacity * 2 : 64};
    bigger.slots = base_alloc(bigger.capacity * sizeof *bigger.slots);
    bigger.count = map->count;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].key)
            *find_slot(&bigger, map->slots[i].key) = map->slots[i];
    free(map->slots);
    *map = bigger;
}

uint32_t ir_pointers_get(const struct ir_pointers *map, const void *key) {
    if (!map->capacity)
        return IR_POINTERS_NONE;
    const struct ir_pointers_slot *slot = find_slot(map, key);
    return slot->key ? slot->value : IR_POINTERS_NONE;
}

void ir_pointers_set(struct ir_pointers *map, const void *key, uint32_t value) {
    if (map->count * 2 >= map->capacity)
        grow(map);
    struct ir_pointers_slot *slot = find_slot(map, key);
    if (!slot->key) {
        slot->key = key;
        map->count++;
    }
    slot->value = value;
}

void ir_pointers_done(struct ir_pointers *map) {
    free(map->slots);
    *map = (struct ir_pointers){0};
}
