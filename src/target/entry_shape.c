/* SPDX-License-Identifier: Apache-2.0
 *
 * Which objects does one input make, and how does a program reach them? An object is named by the
 * shortest path to it from an argument: l, l->next, t->left->parent. An unreachable object has no
 * name: it takes part of the input, but does not exist for the program.
 */
#include "target/entry.h"

#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

static const struct target_pool *pool_at(const struct target_shape *shape, uint32_t pool) {
    return &shape->entry->heap.pools.data[pool];
}

static const struct target_column *part_at(const struct target_shape *shape,
                                           const struct target_place *place) {
    return &pool_at(shape, place->pool)->parts.data[place->part];
}

static uint64_t part_extent(const struct target_shape *shape, const struct target_column *part) {
    return shape->objects * target_column_count(shape->entry, part, shape->sizes) *
           target_column_bytes(part);
}

/* Finds an argument in the input; false: it is not part of it. */
static bool find_argument(const struct target_shape *shape, size_t which, uint64_t *offset,
                          uint64_t *bytes) {
    *offset = 0;
    for (size_t i = 0; i <= which; i++) {
        if (!target_item_bytes(&shape->entry->items.data[i], shape->sizes, bytes))
            return false;
        *offset += i < which ? *bytes : 0;
    }
    return *bytes > 0;
}

uint64_t target_shape_offset(const struct target_shape *shape, const struct target_place *place) {
    uint64_t offset = shape->start, bytes;
    if (!place->object)
        return find_argument(shape, place->part, &offset, &bytes) ? offset : UINT64_MAX;
    for (uint32_t i = 0; i <= place->pool; i++) {
        const struct target_pool *pool = pool_at(shape, i);
        for (uint32_t j = 0; j < pool->parts.count; j++) {
            const struct target_column *part = &pool->parts.data[j];
            if (i == place->pool && j == place->part)
                return offset + ((place->object - 1) *
                                     target_column_count(shape->entry, part, shape->sizes) +
                                 place->element) *
                                    target_column_bytes(part);
            offset += part_extent(shape, part);
        }
    }
    return UINT64_MAX;
}

static bool find_in_part(const struct target_shape *shape, struct target_place *place,
                         uint64_t within, uint64_t *inside) {
    const struct target_column *part = part_at(shape, place);
    uint64_t count = target_column_count(shape->entry, part, shape->sizes);
    uint64_t number = within / target_column_bytes(part);
    *inside = within % target_column_bytes(part);
    place->object = (uint32_t)(number / count) + 1;
    place->element = number % count;
    return true;
}

bool target_shape_find(const struct target_shape *shape, uint64_t offset,
                       struct target_place *place, uint64_t *inside) {
    uint64_t start, bytes, at = shape->start;
    for (uint32_t i = 0; i < shape->entry->items.count; i++)
        if (shape->entry->items.data[i].kind == TARGET_SHAPE &&
            find_argument(shape, i, &start, &bytes) && offset - start < bytes && offset >= start) {
            *place = (struct target_place){.part = i};
            *inside = offset - start;
            return true;
        }
    for (uint32_t i = 0; i < shape->entry->heap.pools.count; i++)
        for (uint32_t j = 0; j < pool_at(shape, i)->parts.count; j++) {
            *place = (struct target_place){.pool = i, .part = j};
            uint64_t extent = part_extent(shape, part_at(shape, place));
            if (offset >= at && offset - at < extent)
                return find_in_part(shape, place, offset - at, inside);
            at += extent;
        }
    return false;
}

/* ---- links ---- */

static uint32_t pool_of_link(const struct target_shape *shape, const struct target_place *place) {
    return place->object ? part_at(shape, place)->pool : shape->entry->items.data[place->part].pool;
}

static uint32_t read_choice(const struct target_shape *shape, const struct target_place *place) {
    uint64_t offset = target_shape_offset(shape, place);
    uint32_t choice = 0;
    if (offset < shape->size)
        choice = shape->input[offset];
    if (offset < shape->size && shape->size - offset > 1)
        choice |= (uint32_t)shape->input[offset + 1] << 8;
    return choice;
}

static uint64_t most_of(const struct target_shape *shape, const struct target_place *place) {
    const struct target_pool *pool = pool_at(shape, pool_of_link(shape, place));
    return target_pool_is_code(pool) ? pool->functions.count : shape->objects;
}

bool target_shape_is_link(const struct target_shape *shape, const struct target_place *place) {
    return read_choice(shape, place) <= most_of(shape, place);
}

uint32_t target_shape_follow(const struct target_shape *shape, const struct target_place *place) {
    return target_shape_is_link(shape, place) ? read_choice(shape, place) : 0;
}

static bool is_link(const struct target_shape *shape, const struct target_place *place) {
    return !place->object || part_at(shape, place)->kind == TARGET_LINK;
}

const struct ir_type *target_shape_type(const struct target_shape *shape,
                                        const struct target_place *place) {
    return place->object ? part_at(shape, place)->type : shape->entry->items.data[place->part].type;
}

/* ---- names ---- */

static void print_member(const struct target_shape *shape, const struct target_place *place,
                         const char *object, bool goes_on, struct base_buffer *out) {
    const struct target_column *part = part_at(shape, place);
    bool is_row = part->count != 1;
    unsigned long long element = place->element;
    if (*part->member)
        base_buffer_print(out, "%s->%s", object, part->member);
    else if (is_row && !element && !goes_on && part->type->kind != IR_TYPE_CHAR)
        base_buffer_print(out, "*%s", object);
    else
        base_buffer_print(out, "%s[%llu]", object, element);
    if (*part->member && is_row)
        base_buffer_print(out, "[%llu]", element);
}

static bool print_place(const struct target_shape *shape, const struct target_place *place,
                        bool goes_on, struct base_buffer *out) {
    if (!place->object) {
        base_buffer_print(out, "%s", shape->entry->items.data[place->part].name);
        return true;
    }
    const char *object = shape->names[place->pool][place->object];
    if (object)
        print_member(shape, place, object, goes_on, out);
    return object != NULL;
}

bool target_shape_name(const struct target_shape *shape, const struct target_place *place,
                       struct base_buffer *out) {
    return print_place(shape, place, false, out);
}

static bool is_place(const struct target_place *a, const struct target_place *b) {
    return a->pool == b->pool && a->object == b->object && a->part == b->part &&
           a->element == b->element;
}

/* Finds a path to the object that does not use this link, if there is one. */
static bool name_otherwise(const struct target_shape *shape, const struct target_place *link,
                           uint32_t pool, uint32_t object, struct base_buffer *out) {
    for (uint64_t offset = 0; offset < shape->size; offset += 1) {
        struct target_place other;
        uint64_t inside;
        if (target_shape_find(shape, offset, &other, &inside) && !inside &&
            is_link(shape, &other) && !is_place(&other, link) &&
            pool_of_link(shape, &other) == pool && target_shape_follow(shape, &other) == object &&
            print_place(shape, &other, true, out))
            return true;
    }
    return false;
}

/* Is the object named through this link? */
static bool is_named_by(const struct target_shape *shape, const struct target_place *link,
                        const char *name) {
    struct base_buffer own = {0};
    bool same = print_place(shape, link, true, &own) && strcmp(own.data, name) == 0;
    base_buffer_done(&own);
    return same;
}

bool target_shape_name_target(const struct target_shape *shape, const struct target_place *place,
                              uint32_t object, struct base_buffer *out) {
    uint32_t number = pool_of_link(shape, place);
    const struct target_pool *pool = pool_at(shape, number);
    const char *name = "NULL";
    if (target_pool_is_code(pool))
        name = object && object <= pool->functions.count ? pool->functions.data[object - 1] : name;
    else if (object)
        name = object <= shape->objects ? shape->names[number][object] : NULL;
    if (name && object && !target_pool_is_code(pool) && is_named_by(shape, place, name) &&
        name_otherwise(shape, place, number, object, out))
        return true;
    if (name)
        base_buffer_print(out, "%s", name);
    return name != NULL;
}

struct queue {
    struct target_place *data; /* objects: only pool and number are set */
    size_t count, capacity;
};

static void name_target(struct target_shape *shape, const struct target_place *link,
                        struct queue *queue) {
    uint32_t pool = pool_of_link(shape, link), object = target_shape_follow(shape, link);
    struct base_buffer name = {0};
    if (!object || target_pool_is_code(pool_at(shape, pool)) || shape->names[pool][object] ||
        !print_place(shape, link, true, &name))
        return;
    shape->names[pool][object] = name.data;
    base_push(queue, (struct target_place){.pool = pool, .object = object});
}

static void name_links(struct target_shape *shape, struct target_place from, struct queue *queue) {
    for (from.part = 0; from.part < pool_at(shape, from.pool)->parts.count; from.part++) {
        const struct target_column *part = part_at(shape, &from);
        uint64_t count = target_column_count(shape->entry, part, shape->sizes);
        for (from.element = 0; part->kind == TARGET_LINK && from.element < count; from.element++)
            name_target(shape, &from, queue);
    }
}

static void name_objects(struct target_shape *shape) {
    struct queue queue = {0};
    for (uint32_t i = 0; i < shape->entry->items.count; i++)
        if (shape->entry->items.data[i].kind == TARGET_SHAPE)
            name_target(shape, &(struct target_place){.part = i}, &queue);
    for (size_t i = 0; i < queue.count; i++)
        name_links(shape, queue.data[i], &queue);
    base_vector_done(&queue);
}

void target_shape_init(struct target_shape *shape, const struct target_entry *entry,
                       const int64_t *sizes, const void *input, size_t size) {
    uint64_t bytes, heap;
    *shape = (struct target_shape){.entry = entry, .sizes = sizes, .input = input, .size = size};
    shape->objects = target_heap_objects(entry, sizes);
    if (target_entry_bytes(entry, sizes, &bytes) && target_heap_bytes(entry, sizes, &heap))
        shape->start = bytes - heap;
    shape->names = base_alloc((entry->heap.pools.count + 1) * sizeof *shape->names);
    for (size_t i = 0; i < entry->heap.pools.count; i++)
        shape->names[i] = base_alloc((shape->objects + 1) * sizeof **shape->names);
    name_objects(shape);
}

void target_shape_done(struct target_shape *shape) {
    for (size_t i = 0; i < shape->entry->heap.pools.count; i++) {
        for (uint64_t j = 0; j <= shape->objects; j++)
            free(shape->names[i][j]);
        free(shape->names[i]);
    }
    free(shape->names);
}
