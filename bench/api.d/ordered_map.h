/* A map that remembers the order of its keys in a list, as ListOrderedMap: keys are compared by the
 * caller's function. */
#ifndef ORDERED_MAP_H
#define ORDERED_MAP_H
#include <stddef.h>

struct ordered_map;
typedef unsigned long ordered_map_hash(const void *key);
typedef int ordered_map_compare(const void *a, const void *b);

struct ordered_map *ordered_map_new(ordered_map_hash *hash, ordered_map_compare *compare);
void ordered_map_free(struct ordered_map *map);
int ordered_map_put(struct ordered_map *map, const void *key, void *value);
void *ordered_map_get(const struct ordered_map *map, const void *key);
size_t ordered_map_size(const struct ordered_map *map);
/* The value that was there, or NULL. */
void *ordered_map_remove(struct ordered_map *map, const void *key);

#endif
