/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a pool, shared by the files of this library. All per-node data is in arrays that
 * grow together and are indexed by node id. Emptying the pool raises stamps instead of clearing
 * memory, so that it costs the same for any size.
 *
 * Invariants: an operand's id is smaller than its user's; equal nodes have equal ids; two INPUT
 * nodes never share a byte.
 */
#ifndef SLOWPATH_EXPR_INTERNAL_H
#define SLOWPATH_EXPR_INTERNAL_H

#include "expr/expr.h"

#define LIST_LIMIT 16u          /* longer lists of variables are computed on demand */
#define LIST_UNKNOWN UINT32_MAX /* count of such a list until then */

struct variable_list {
    uint32_t start, count; /* in pool->items */
};

struct hash_slot {
    uint32_t id, stamp;
};

/* Values of nodes for one input; valid where the epoch is the bank's. */
struct value_bank {
    uint64_t *values;
    uint32_t *epochs;
    uint32_t epoch;
    uint32_t capacity;
    const uint8_t *input;
    size_t size;
};

struct constant_table {
    uint32_t count, width;
    size_t start; /* in pool->table_bytes */
};

struct byte_owner {
    uint32_t node, stamp; /* the INPUT node that covers a byte */
};

struct expr_pool {
    struct abi_node *nodes;
    struct variable_list *lists;
    uint32_t count, capacity, limit;
    bool is_full;

    struct hash_slot *slots;
    uint32_t slot_mask, stamp;

    BASE_VECTOR(uint32_t) items;     /* lists of variables */
    bool has_late_lists;             /* a list was computed after its node was made */
    BASE_VECTOR(uint32_t) variables; /* variable number -> INPUT node */
    struct byte_owner *owners;       /* by offset */
    size_t owner_capacity;

    struct value_bank banks[EXPR_BANKS];
    BASE_VECTOR(uint32_t) stack; /* for the evaluator and for walks */

    uint32_t *marks; /* for walks: visited if equal to mark */
    uint32_t mark, mark_capacity;
    BASE_VECTOR(uint32_t) offsets; /* the last expr_support */
    struct base_arena support_memory;
    bool support_used;

    BASE_VECTOR(struct constant_table) tables;
    struct base_buffer table_bytes;
};

static inline uint64_t width_mask(unsigned width) {
    return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static inline bool is_constant(const struct expr_pool *pool, uint32_t id) {
    return pool->nodes[id].op == ABI_OP_CONST;
}

static inline uint64_t constant_of(const struct expr_pool *pool, uint32_t id) {
    return pool->nodes[id].b | (uint64_t)pool->nodes[id].c << 32;
}

/* float.c: the result of a floating-point operation. FROM: the operands' width. */
uint64_t float_apply(enum abi_op op, unsigned width, unsigned from, uint64_t a, uint64_t b);

/* The number of operands that are node ids, by operation. */
extern const uint8_t operand_counts[ABI_OP_COUNT];
static inline unsigned operand_count(unsigned op) {
    return operand_counts[op];
}
/* The node with these fields, without simplification. */
uint32_t pool_intern(struct expr_pool *pool, struct abi_node node);
/* Starts a walk over nodes: no node is marked. */
void pool_start_marks(struct expr_pool *pool);
uint64_t table_read(const struct expr_pool *pool, uint32_t table, uint64_t index);

#endif
