#include "ordered_map.h"

#include <stdlib.h>

struct entry {
    struct entry *next;
    const void *key;
    void *value;
    unsigned long hash;
};

struct ordered_map {
    struct entry **buckets;
    size_t bucket_count, count, room;
    const void **order;
    ordered_map_hash *hash;
    ordered_map_compare *compare;
};

struct ordered_map *ordered_map_new(ordered_map_hash *hash, ordered_map_compare *compare) {
    struct ordered_map *map = calloc(1, sizeof *map);
    if (!map)
        return NULL;
    map->bucket_count = 16;
    map->buckets = calloc(map->bucket_count, sizeof *map->buckets);
    map->hash = hash;
    map->compare = compare;
    return map;
}

void ordered_map_free(struct ordered_map *map) {
    if (!map)
        return;
    for (size_t i = 0; i < map->bucket_count; i++)
        for (struct entry *entry = map->buckets[i], *next; entry; entry = next) {
            next = entry->next;
            free(entry);
        }
    free(map->buckets);
    free(map->order);
    free(map);
}

static struct entry **find(const struct ordered_map *map, const void *key) {
    struct entry **at = &map->buckets[map->hash(key) % map->bucket_count];
    while (*at && map->compare((*at)->key, key) != 0)
        at = &(*at)->next;
    return at;
}

static void rehash(struct ordered_map *map) {
    size_t count = 2 * map->bucket_count;
    struct entry **buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return;
    for (size_t i = 0; i < map->bucket_count; i++)
        for (struct entry *entry = map->buckets[i], *next; entry; entry = next) {
            next = entry->next;
            entry->next = buckets[entry->hash % count];
            buckets[entry->hash % count] = entry;
        }
    free(map->buckets);
    map->buckets = buckets;
    map->bucket_count = count;
}

int ordered_map_put(struct ordered_map *map, const void *key, void *value) {
    struct entry **at = find(map, key);
    if (*at) {
        (*at)->value = value;
        return 0;
    }
    if (map->count == map->room) {
        size_t room = map->room ? 2 * map->room : 8;
        const void **order = realloc(map->order, room * sizeof *order);
        if (!order)
            return -1;
        map->order = order;
        map->room = room;
    }
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return -1;
    *entry = (struct entry){NULL, key, value, map->hash(key)};
    *at = entry;
    map->order[map->count++] = key;
    if (map->count > map->bucket_count)
        rehash(map);
    return 1;
}

void *ordered_map_get(const struct ordered_map *map, const void *key) {
    struct entry *entry = *find(map, key);
    return entry ? entry->value : NULL;
}

size_t ordered_map_size(const struct ordered_map *map) {
    return map->count;
}

static void forget(struct ordered_map *map, const void *key) {
    size_t at = 0;
    while (map->compare(map->order[at], key) != 0)
        at++;
    for (; at + 1 < map->count; at++)
        map->order[at] = map->order[at + 1];
    map->count--;
}

void *ordered_map_remove(struct ordered_map *map, const void *key) {
    struct entry **at = find(map, key), *entry = *at;
    if (!entry)
        return NULL;
    void *value = entry->value;
    *at = entry->next;
    forget(map, key);
    free(entry);
    return value;
}
