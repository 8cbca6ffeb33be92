/* SPDX-License-Identifier: Apache-2.0
 *
 * What is left to do? A stack of work items.
 *
 * All items of a search have inputs of the same size, so the stack is one block of memory with a
 * fixed stride, and nothing is allocated per item. Last in, first out: the search goes deep before
 * it goes wide, and the stack holds the open siblings of a few paths instead of a whole level of
 * the tree.
 */
#include "search/exhaustive/exhaustive.h"

#include <stdlib.h>
#include <string.h>

void exhaustive_frontier_init(struct exhaustive_frontier *frontier, size_t input_size) {
    *frontier = (struct exhaustive_frontier){
        .stride = (sizeof(struct exhaustive_item) + input_size + 15) & ~(size_t)15,
        .input_size = input_size};
}

void exhaustive_frontier_done(struct exhaustive_frontier *frontier) {
    free(frontier->data);
    *frontier = (struct exhaustive_frontier){0};
}

static void reserve(struct exhaustive_frontier *frontier, size_t more) {
    size_t wanted = frontier->count + more;
    if (wanted <= frontier->capacity)
        return;
    size_t capacity = frontier->capacity ? frontier->capacity : 64;
    while (capacity < wanted)
        capacity += capacity / 2;
    frontier->data = base_realloc(frontier->data, capacity * frontier->stride);
    frontier->capacity = capacity;
}

struct exhaustive_item *exhaustive_frontier_at(const struct exhaustive_frontier *frontier,
                                               size_t index) {
    return (struct exhaustive_item *)(frontier->data + index * frontier->stride);
}

struct exhaustive_item *exhaustive_frontier_push(struct exhaustive_frontier *frontier) {
    reserve(frontier, 1);
    return exhaustive_frontier_at(frontier, frontier->count++);
}

void exhaustive_frontier_move(struct exhaustive_frontier *to, struct exhaustive_frontier *from,
                              size_t count) {
    if (!count)
        return;
    reserve(to, count);
    from->count -= count;
    memcpy(to->data + to->count * to->stride, from->data + from->count * from->stride,
           count * from->stride);
    to->count += count;
}

/* ---- saving ---- */

struct saved {
    uint64_t prefix;
    uint32_t bound, limit, is_rest, tried;
};

static void put_value(struct base_buffer *out, const struct exhaustive_value *value) {
    search_put(out, &value->value, sizeof value->value);
    search_put(out, &value->span, sizeof value->span);
}

void exhaustive_frontier_save(const struct exhaustive_frontier *frontier, struct base_buffer *out) {
    for (size_t i = 0; i < frontier->count; i++) {
        const struct exhaustive_item *item = exhaustive_frontier_at(frontier, i);
        struct saved saved = {item->prefix, item->bound, item->limit, item->is_rest,
                              item->tried ? item->tried->count : 0};
        search_put(out, &saved, sizeof saved);
        for (const struct exhaustive_value *value = item->tried; value; value = value->next)
            put_value(out, value);
        search_put(out, item->input, frontier->input_size);
    }
}

/* Values were written newest first. */
static bool load_values(const char **data, const char *end, uint32_t count,
                        struct base_arena *arena, const struct exhaustive_value **values) {
    struct exhaustive_value *list = NULL, **tail = &list;
    if ((size_t)(end - *data) / sizeof(uint64_t) < count)
        return false;
    for (; count; count--) {
        struct exhaustive_value *value = base_arena_alloc(arena, sizeof *value);
        value->count = count;
        if (!search_get(data, end, &value->value, sizeof value->value) ||
            !search_get(data, end, &value->span, sizeof value->span))
            return false;
        *tail = value;
        tail = (struct exhaustive_value **)&value->next;
    }
    *values = list;
    return true;
}

/* Loads items until END. */
bool exhaustive_frontier_load(struct exhaustive_frontier *frontier, const char **data,
                              const char *end, struct base_arena *values) {
    while (*data < end) {
        struct exhaustive_item *item = exhaustive_frontier_push(frontier);
        struct saved saved;
        *item = (struct exhaustive_item){0};
        if (!search_get(data, end, &saved, sizeof saved) ||
            !load_values(data, end, saved.tried, values, &item->tried) ||
            !search_get(data, end, item->input, frontier->input_size))
            return false;
        item->prefix = saved.prefix;
        item->bound = saved.bound;
        item->limit = saved.limit;
        item->is_rest = saved.is_rest;
    }
    return true;
}
