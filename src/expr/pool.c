/* SPDX-License-Identifier: Apache-2.0
 *
 * Where do expressions live? In one array per pool, each distinct node once: a hash table maps the
 * fields of a node to its id. Tens of thousands of traces per second pass through a pool, so
 * emptying it must not touch memory: table slots and owners of input bytes have the stamp of the
 * filling they belong to, and a new stamp makes all of them stale.
 */
#include "expr/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024u
#define MOST_NODES (1u << 25) /* with all their data, about two gigabytes */

struct expr_pool *expr_pool_new(void) {
    struct expr_pool *pool = base_alloc(sizeof *pool);
    pool->slots = base_alloc(FIRST_SLOTS * sizeof *pool->slots);
    pool->slot_mask = FIRST_SLOTS - 1;
    pool->limit = MOST_NODES;
    expr_pool_clear(pool);
    return pool;
}

void expr_pool_free(struct expr_pool *pool) {
    if (!pool)
        return;
    for (unsigned i = 0; i < EXPR_BANKS; i++) {
        free(pool->banks[i].values);
        free(pool->banks[i].epochs);
    }
    free(pool->nodes);
    free(pool->lists);
    free(pool->slots);
    free(pool->owners);
    free(pool->marks);
    base_vector_done(&pool->items);
    base_vector_done(&pool->variables);
    base_vector_done(&pool->stack);
    base_vector_done(&pool->offsets);
    base_vector_done(&pool->tables);
    base_buffer_done(&pool->table_bytes);
    base_arena_done(&pool->support_memory);
    free(pool);
}

static void raise_stamp(struct expr_pool *pool) {
    if (++pool->stamp)
        return;
    memset(pool->slots, 0, (pool->slot_mask + 1) * sizeof *pool->slots);
    if (pool->owners)
        memset(pool->owners, 0, pool->owner_capacity * sizeof *pool->owners);
    pool->stamp = 1;
}

static void grow_nodes(struct expr_pool *pool) {
    size_t capacity = pool->capacity ? (size_t)pool->capacity * 2 : 1024;
    assert(capacity <= UINT32_MAX);
    pool->nodes = base_realloc(pool->nodes, capacity * sizeof *pool->nodes);
    pool->lists = base_realloc(pool->lists, capacity * sizeof *pool->lists);
    pool->capacity = (uint32_t)capacity;
}

void expr_pool_clear(struct expr_pool *pool) {
    raise_stamp(pool);
    if (!pool->capacity)
        grow_nodes(pool);
    pool->nodes[0] = (struct abi_node){0};
    pool->lists[0] = (struct variable_list){0};
    pool->count = 1;
    pool->is_full = false;
    pool->has_late_lists = false;
    pool->items.count = 0;
    pool->variables.count = 0;
    pool->tables.count = 0;
    pool->table_bytes.count = 0;
    if (pool->support_used)
        base_arena_done(&pool->support_memory);
    pool->support_used = false;
    for (unsigned i = 0; i < EXPR_BANKS; i++)
        expr_bank_begin(pool, i, NULL, 0);
}

const struct abi_node *expr_node(const struct expr_pool *pool, uint32_t id) {
    assert(id < pool->count);
    return &pool->nodes[id];
}

uint64_t expr_constant(const struct expr_pool *pool, uint32_t id) {
    assert(is_constant(pool, id));
    return constant_of(pool, id);
}

uint32_t expr_count(const struct expr_pool *pool) {
    return pool->count;
}

bool expr_pool_is_full(const struct expr_pool *pool) {
    return pool->is_full;
}

void expr_pool_set_limit(struct expr_pool *pool, uint32_t nodes) {
    pool->limit = nodes;
}

const uint8_t operand_counts[ABI_OP_COUNT] = {
#define NODE(id, text, operands) operands,
    ABI_NODES(NODE)
#undef NODE
};

unsigned expr_operands(enum abi_op op) {
    return operand_count(op);
}

/* ---- hash-consing ---- */

static uint32_t hash_node(const struct abi_node *node) {
    uint64_t low, high;
    memcpy(&low, node, 8);
    memcpy(&high, (const char *)node + 8, 8);
    uint64_t hash = (low ^ (high * 0x9e3779b97f4a7c15u)) * 0xd6e8feb86659fd93u;
    return (uint32_t)(hash ^ (hash >> 32));
}

static void rehash(struct expr_pool *pool) {
    uint32_t count = (pool->slot_mask + 1) * 2;
    free(pool->slots);
    pool->slots = base_alloc(count * sizeof *pool->slots);
    pool->slot_mask = count - 1;
    for (uint32_t id = 1; id < pool->count; id++) {
        struct abi_node node = pool->nodes[id];
        if (node.op == ABI_OP_INPUT)
            node.b = 0; /* holds the number of the variable */
        uint32_t at = hash_node(&node) & pool->slot_mask;
        while (pool->slots[at].stamp == pool->stamp)
            at = (at + 1) & pool->slot_mask;
        pool->slots[at] = (struct hash_slot){id, pool->stamp};
    }
}

static bool same_node(const struct abi_node *have, const struct abi_node *want) {
    return have->op == want->op && have->width == want->width && have->extra == want->extra &&
           have->a == want->a && (have->b == want->b || want->op == ABI_OP_INPUT) &&
           have->c == want->c;
}

/* ---- the variables of a node ---- */

static bool same_list(const struct expr_pool *pool, struct variable_list a,
                      struct variable_list b) {
    if (a.start == b.start && a.count == b.count)
        return true;
    if (a.count != b.count || a.count == LIST_UNKNOWN || a.count == 0)
        return false;
    const uint32_t *left = pool->items.data + a.start, *right = pool->items.data + b.start;
    return left[0] == right[0] && memcmp(left, right, a.count * sizeof *left) == 0;
}

static struct variable_list add_pair(struct expr_pool *pool, uint32_t one, uint32_t other) {
    struct variable_list list = {(uint32_t)pool->items.count, 2};
    base_push(&pool->items, one < other ? one : other);
    base_push(&pool->items, one < other ? other : one);
    return list;
}

static struct variable_list merge_lists(struct expr_pool *pool, struct variable_list a,
                                        struct variable_list b) {
    if (b.count == 0 || same_list(pool, a, b))
        return a;
    if (a.count == 0)
        return b;
    if (a.count > LIST_LIMIT || b.count > LIST_LIMIT)
        return (struct variable_list){0, LIST_UNKNOWN};
    uint32_t merged[2 * LIST_LIMIT], count = 0, i = 0, j = 0;
    const uint32_t *left = pool->items.data + a.start, *right = pool->items.data + b.start;
    if (a.count == 1 && b.count == 1) /* they differ */
        return add_pair(pool, left[0], right[0]);
    while (i < a.count || j < b.count) {
        if (j == b.count || (i < a.count && left[i] < right[j]))
            merged[count++] = left[i++];
        else if (i == a.count || right[j] < left[i])
            merged[count++] = right[j++];
        else
            merged[count++] = left[i++], j++;
    }
    if (count == a.count)
        return a;
    if (count == b.count)
        return b;
    if (count > LIST_LIMIT)
        return (struct variable_list){0, LIST_UNKNOWN};
    struct variable_list list = {(uint32_t)pool->items.count, count};
    for (i = 0; i < count; i++)
        base_push(&pool->items, merged[i]);
    return list;
}

static struct variable_list list_of(struct expr_pool *pool, const struct abi_node *node) {
    unsigned count = operand_count(node->op);
    struct variable_list list = {0};
    if (count > 0)
        list = pool->lists[node->a];
    if (count > 1)
        list = merge_lists(pool, list, pool->lists[node->b]);
    if (count > 2)
        list = merge_lists(pool, list, pool->lists[node->c]);
    return list;
}

static struct variable_list new_variable(struct expr_pool *pool, struct abi_node *node,
                                         uint32_t id) {
    struct variable_list list = {(uint32_t)pool->items.count, 1};
    node->b = (uint32_t)pool->variables.count;
    base_push(&pool->items, node->b);
    base_push(&pool->variables, id);
    return list;
}

/* A node for which there is no room is replaced by a zero, so that widths stay correct. There are
 * only as many zeros as widths and as many inputs as bytes: these always have room. */
static bool has_room(const struct expr_pool *pool, const struct abi_node *node) {
    return pool->count < pool->limit || node->op == ABI_OP_INPUT ||
           (node->op == ABI_OP_CONST && !node->b && !node->c);
}

uint32_t pool_intern(struct expr_pool *pool, struct abi_node node) {
    uint32_t at = hash_node(&node) & pool->slot_mask;
    while (pool->slots[at].stamp == pool->stamp) {
        if (same_node(&pool->nodes[pool->slots[at].id], &node))
            return pool->slots[at].id;
        at = (at + 1) & pool->slot_mask;
    }
    if (!has_room(pool, &node)) {
        pool->is_full = true;
        return expr_make_constant(pool, node.width, 0);
    }
    uint32_t id = pool->count;
    pool->slots[at] = (struct hash_slot){id, pool->stamp};
    if (id == pool->capacity)
        grow_nodes(pool);
    pool->lists[id] =
        node.op == ABI_OP_INPUT ? new_variable(pool, &node, id) : list_of(pool, &node);
    pool->nodes[id] = node;
    pool->count++;
    if (pool->count > pool->slot_mask / 2)
        rehash(pool);
    return id;
}

/* ---- marks ---- */

struct expr_mark expr_pool_mark(const struct expr_pool *pool) {
    return (struct expr_mark){pool->count, (uint32_t)pool->items.count,
                              (uint32_t)pool->variables.count};
}

/* Drops the last node: no other one was placed behind it in the table. */
static void drop_last(struct expr_pool *pool) {
    uint32_t id = --pool->count;
    struct abi_node node = pool->nodes[id];
    if (node.op == ABI_OP_INPUT) {
        for (uint32_t i = 0; i < node.width / 8u; i++)
            if (pool->owners[node.a + i].node == id)
                pool->owners[node.a + i].stamp = 0;
        node.b = 0;
    }
    uint32_t at = hash_node(&node) & pool->slot_mask;
    while (pool->slots[at].stamp != pool->stamp || pool->slots[at].id != id)
        at = (at + 1) & pool->slot_mask;
    pool->slots[at].stamp = 0;
}

/* Lists computed late are stored among the items of later nodes. */
static void forget_late_lists(struct expr_pool *pool, uint32_t items) {
    for (uint32_t id = 1; id < pool->count; id++)
        if (pool->lists[id].start >= items && pool->lists[id].count)
            pool->lists[id] = (struct variable_list){0, LIST_UNKNOWN};
}

void expr_pool_back_to(struct expr_pool *pool, struct expr_mark mark) {
    while (pool->count > mark.nodes)
        drop_last(pool);
    if (pool->has_late_lists)
        forget_late_lists(pool, mark.items);
    pool->items.count = mark.items;
    pool->variables.count = mark.variables;
    for (unsigned i = 0; i < EXPR_BANKS; i++)
        expr_bank_begin(pool, i, NULL, 0);
}

uint32_t expr_make_constant(struct expr_pool *pool, unsigned width, uint64_t value) {
    value &= width_mask(width);
    return pool_intern(pool, (struct abi_node){.op = ABI_OP_CONST,
                                               .width = (uint8_t)width,
                                               .b = (uint32_t)value,
                                               .c = (uint32_t)(value >> 32)});
}

/* ---- constant tables ---- */

uint32_t expr_make_table(struct expr_pool *pool, unsigned width, uint32_t count,
                         const void *bytes) {
    struct constant_table table = {count, width, pool->table_bytes.count};
    base_buffer_add(&pool->table_bytes, bytes, (size_t)count * (width / 8));
    base_push(&pool->tables, table);
    return (uint32_t)pool->tables.count - 1;
}

uint32_t expr_table_count(const struct expr_pool *pool, uint32_t table) {
    assert(table < pool->tables.count);
    return pool->tables.data[table].count;
}

uint64_t table_read(const struct expr_pool *pool, uint32_t table, uint64_t index) {
    const struct constant_table *from = &pool->tables.data[table];
    uint64_t value = 0;
    if (index < from->count)
        memcpy(&value, pool->table_bytes.data + from->start + index * (from->width / 8),
               from->width / 8);
    return value;
}

uint64_t expr_table_read(const struct expr_pool *pool, uint32_t table, uint64_t index) {
    assert(table < pool->tables.count);
    return table_read(pool, table, index);
}
