/* SPDX-License-Identifier: Apache-2.0
 *
 * Which input bytes does an expression read, and as which variables? A variable is an INPUT node. A
 * solver treats variables as independent, so no byte belongs to two of them: an integer that
 * overlaps an earlier one is built from parts of it. Short lists of variables are made with each
 * node; long ones are collected by a walk on demand.
 */
#include "expr/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void grow_owners(struct expr_pool *pool, size_t end) {
    if (end <= pool->owner_capacity)
        return;
    size_t capacity = pool->owner_capacity ? pool->owner_capacity : 256;
    while (capacity < end)
        capacity *= 2;
    pool->owners = base_realloc(pool->owners, capacity * sizeof *pool->owners);
    memset(pool->owners + pool->owner_capacity, 0,
           (capacity - pool->owner_capacity) * sizeof *pool->owners);
    pool->owner_capacity = capacity;
}

static uint32_t owner_of(const struct expr_pool *pool, uint32_t offset) {
    return pool->owners[offset].stamp == pool->stamp ? pool->owners[offset].node : 0;
}

static uint32_t whole_input(struct expr_pool *pool, unsigned width, uint32_t offset) {
    uint32_t id = pool_intern(
        pool, (struct abi_node){.op = ABI_OP_INPUT, .width = (uint8_t)width, .a = offset});
    for (uint32_t i = 0; i < width / 8; i++)
        pool->owners[offset + i] = (struct byte_owner){id, pool->stamp};
    return id;
}

/* The bytes from OFFSET on that all belong to one variable, or all to none; at most COUNT. */
static unsigned same_owner(const struct expr_pool *pool, uint32_t offset, unsigned count) {
    unsigned length = 1;
    while (length < count && owner_of(pool, offset + length) == owner_of(pool, offset))
        length++;
    return length;
}

static uint32_t part_of_input(struct expr_pool *pool, uint32_t offset, unsigned bytes) {
    uint32_t owner = owner_of(pool, offset);
    if (!owner)
        return whole_input(pool, bytes * 8, offset);
    unsigned low = (offset - pool->nodes[owner].a) * 8;
    return expr_make(pool, ABI_OP_EXTRACT, bytes * 8, low, owner, 0, 0);
}

uint32_t expr_make_input(struct expr_pool *pool, unsigned width, uint32_t offset) {
    unsigned bytes = width / 8;
    assert(width % 8 == 0 && bytes >= 1 && bytes <= 8 && offset <= EXPR_MAX_OFFSET);
    grow_owners(pool, (size_t)offset + bytes);
    uint32_t owner = owner_of(pool, offset), result = 0;
    if (owner && pool->nodes[owner].a == offset && pool->nodes[owner].width == width)
        return owner;
    for (unsigned at = 0; at < bytes;) {
        unsigned length = same_owner(pool, offset + at, bytes - at);
        uint32_t part = part_of_input(pool, offset + at, length);
        at += length;
        result = result ? expr_make(pool, ABI_OP_CONCAT, at * 8, 0, part, result, 0) : part;
    }
    return result;
}

/* ---- variables ---- */

uint32_t expr_variable_count(const struct expr_pool *pool) {
    return (uint32_t)pool->variables.count;
}

uint32_t expr_variable_node(const struct expr_pool *pool, uint32_t number) {
    assert(number < pool->variables.count);
    return pool->variables.data[number];
}

uint32_t expr_variable_number(const struct expr_pool *pool, uint32_t id) {
    assert(pool->nodes[id].op == ABI_OP_INPUT);
    return pool->nodes[id].b;
}

void pool_start_marks(struct expr_pool *pool) {
    if (pool->mark_capacity < pool->capacity) {
        pool->marks = base_realloc(pool->marks, pool->capacity * sizeof *pool->marks);
        memset(pool->marks + pool->mark_capacity, 0,
               (pool->capacity - pool->mark_capacity) * sizeof *pool->marks);
        pool->mark_capacity = pool->capacity;
    }
    if (!++pool->mark) {
        memset(pool->marks, 0, pool->mark_capacity * sizeof *pool->marks);
        pool->mark = 1;
    }
}

static int compare_numbers(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void visit(struct expr_pool *pool, uint32_t id) {
    if (pool->marks[id] == pool->mark)
        return;
    pool->marks[id] = pool->mark;
    base_push(&pool->stack, id);
}

/* Adds the variables of a node with a known list; their INPUT nodes get marked. */
static void collect(struct expr_pool *pool, struct variable_list list) {
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t number = pool->items.data[list.start + i];
        uint32_t node = pool->variables.data[number];
        if (pool->marks[node] == pool->mark)
            continue;
        pool->marks[node] = pool->mark;
        base_push(&pool->items, number);
    }
}

static struct variable_list walk_variables(struct expr_pool *pool, uint32_t id) {
    uint32_t start = (uint32_t)pool->items.count;
    pool_start_marks(pool);
    pool->stack.count = 0;
    visit(pool, id);
    while (pool->stack.count) {
        struct abi_node node = pool->nodes[pool->stack.data[--pool->stack.count]];
        const uint32_t operands[3] = {node.a, node.b, node.c};
        for (unsigned i = 0; i < 3 && i < operand_count(node.op); i++) {
            if (pool->lists[operands[i]].count != LIST_UNKNOWN)
                collect(pool, pool->lists[operands[i]]);
            else
                visit(pool, operands[i]);
        }
    }
    struct variable_list list = {start, (uint32_t)pool->items.count - start};
    if (list.count)
        qsort(pool->items.data + start, list.count, sizeof(uint32_t), compare_numbers);
    return list;
}

struct expr_variables expr_variables(struct expr_pool *pool, uint32_t id) {
    if (pool->lists[id].count == LIST_UNKNOWN) {
        pool->lists[id] = walk_variables(pool, id);
        pool->has_late_lists = true;
    }
    struct variable_list list = pool->lists[id];
    if (!list.count) /* the array of items may not exist yet */
        return (struct expr_variables){NULL, 0};
    return (struct expr_variables){pool->items.data + list.start, list.count};
}

/* ---- bytes ---- */

struct expr_support expr_support(struct expr_pool *pool, uint32_t id) {
    struct expr_variables variables = expr_variables(pool, id);
    pool->offsets.count = 0;
    for (uint32_t i = 0; i < variables.count; i++) {
        const struct abi_node *node = &pool->nodes[pool->variables.data[variables.numbers[i]]];
        for (uint32_t byte = 0; byte < node->width / 8u; byte++)
            base_push(&pool->offsets, node->a + byte);
    }
    uint32_t count = (uint32_t)pool->offsets.count;
    if (!count)
        return (struct expr_support){0};
    pool->support_used = true;
    uint32_t *copy = base_arena_alloc(&pool->support_memory, count * sizeof *copy);
    memcpy(copy, pool->offsets.data, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, compare_numbers);
    return (struct expr_support){copy, count};
}
