/* SPDX-License-Identifier: Apache-2.0
 *
 * How does an expression become simple while it is built? Operands are simple already, so each rule
 * looks only at the new operation and at the operations of its operands. Constants are moved to the
 * right of commutative operations, and subtracting a constant becomes an addition. Comparisons are
 * in compare.c, casts in cast.c. A rule never makes more than a handful of nodes, so that import
 * stays linear.
 */
#include "expr/build.h"

#include <assert.h>

static bool commutes(enum abi_op op) {
    return op == ABI_OP_ADD || op == ABI_OP_MUL || op == ABI_OP_AND || op == ABI_OP_OR ||
           op == ABI_OP_XOR || op == ABI_OP_EQ || op == ABI_OP_FEQ || op == ABI_OP_FADD ||
           op == ABI_OP_FMUL;
}

static bool is_value(const struct expr_pool *pool, uint32_t id, uint64_t value) {
    return is_constant(pool, id) &&
           constant_of(pool, id) == (value & width_mask(pool->nodes[id].width));
}

uint32_t build_plain(struct expr_pool *pool, enum abi_op op, unsigned width, unsigned extra,
                     uint32_t a, uint32_t b, uint32_t c) {
    return pool_intern(pool, (struct abi_node){.op = (uint8_t)op,
                                               .width = (uint8_t)width,
                                               .extra = (uint16_t)extra,
                                               .a = a,
                                               .b = b,
                                               .c = c});
}

static uint32_t negate_constant(struct expr_pool *pool, uint32_t id) {
    return expr_make_constant(pool, pool->nodes[id].width, 0 - constant_of(pool, id));
}

/* (x + k) + b, and neutral elements. */
static uint32_t make_add(struct expr_pool *pool, unsigned width, uint32_t a, uint32_t b) {
    if (is_value(pool, b, 0))
        return a;
    struct abi_node left = pool->nodes[a];
    if (is_constant(pool, b) && left.op == ABI_OP_ADD && is_constant(pool, left.b)) {
        uint64_t sum = constant_of(pool, left.b) + constant_of(pool, b);
        uint32_t constant = expr_make_constant(pool, width, sum);
        return expr_make(pool, ABI_OP_ADD, width, 0, left.a, constant, 0);
    }
    return build_plain(pool, ABI_OP_ADD, width, 0, a, b, 0);
}

static uint32_t make_sub(struct expr_pool *pool, unsigned width, uint32_t a, uint32_t b) {
    if (a == b)
        return expr_make_constant(pool, width, 0);
    if (is_constant(pool, b))
        return expr_make(pool, ABI_OP_ADD, width, 0, a, negate_constant(pool, b), 0);
    return build_plain(pool, ABI_OP_SUB, width, 0, a, b, 0);
}

/* Simplifies OP with a constant right operand; 0: nothing to simplify. */
static uint32_t by_constant(struct expr_pool *pool, enum abi_op op, unsigned width, uint32_t a,
                            uint64_t value) {
    bool ones = value == width_mask(width);
    switch (op) {
    case ABI_OP_MUL:
        return value == 1 ? a : value == 0 ? expr_make_constant(pool, width, 0) : 0;
    case ABI_OP_UDIV:
    case ABI_OP_SDIV: /* in one bit, 1 is -1: not an identity for signed division */
        return value == 1 && width > 1 ? a : 0;
    case ABI_OP_UREM:
        return value == 1 ? expr_make_constant(pool, width, 0) : 0;
    case ABI_OP_SHL:
    case ABI_OP_LSHR:
        return value == 0 ? a : value >= width ? expr_make_constant(pool, width, 0) : 0;
    case ABI_OP_ASHR:
        return value == 0 ? a : 0;
    case ABI_OP_AND:
        return ones ? a : value == 0 ? expr_make_constant(pool, width, 0) : 0;
    case ABI_OP_OR:
        return value == 0 ? a : ones ? expr_make_constant(pool, width, value) : 0;
    case ABI_OP_XOR:
        return value == 0 ? a : ones ? expr_make_not(pool, a) : 0;
    default:
        return 0;
    }
}

static bool opposite(const struct expr_pool *pool, uint32_t a, uint32_t b) {
    return (pool->nodes[a].op == ABI_OP_NOT && pool->nodes[a].a == b) ||
           (pool->nodes[b].op == ABI_OP_NOT && pool->nodes[b].a == a);
}

static uint32_t make_bitwise(struct expr_pool *pool, enum abi_op op, unsigned width, uint32_t a,
                             uint32_t b) {
    if (a == b)
        return op == ABI_OP_XOR ? expr_make_constant(pool, width, 0) : a;
    if (opposite(pool, a, b))
        return expr_make_constant(pool, width, op == ABI_OP_AND ? 0 : UINT64_MAX);
    return build_plain(pool, op, width, 0, a, b, 0);
}

static uint32_t make_binary(struct expr_pool *pool, enum abi_op op, unsigned width, uint32_t a,
                            uint32_t b) {
    if (is_constant(pool, b)) {
        uint32_t simple = by_constant(pool, op, width, a, constant_of(pool, b));
        if (simple)
            return simple;
        if (op == ABI_OP_AND)
            return build_masked(pool, a, constant_of(pool, b));
    }
    switch (op) {
    case ABI_OP_ADD:
        return make_add(pool, width, a, b);
    case ABI_OP_SUB:
        return make_sub(pool, width, a, b);
    case ABI_OP_AND:
    case ABI_OP_OR:
    case ABI_OP_XOR:
        return make_bitwise(pool, op, width, a, b);
    case ABI_OP_EQ:
    case ABI_OP_ULT:
    case ABI_OP_ULE:
    case ABI_OP_SLT:
    case ABI_OP_SLE:
        return build_compare(pool, op, a, b);
    default:
        return build_plain(pool, op, width, 0, a, b, 0);
    }
}

/* The comparison that is the negation of ID; 0 if there is none. */
static uint32_t negated_comparison(struct expr_pool *pool, uint32_t id) {
    struct abi_node node = pool->nodes[id];
    switch (node.op) {
    case ABI_OP_ULT:
        return expr_make(pool, ABI_OP_ULE, 1, 0, node.b, node.a, 0);
    case ABI_OP_ULE:
        return expr_make(pool, ABI_OP_ULT, 1, 0, node.b, node.a, 0);
    case ABI_OP_SLT:
        return expr_make(pool, ABI_OP_SLE, 1, 0, node.b, node.a, 0);
    case ABI_OP_SLE:
        return expr_make(pool, ABI_OP_SLT, 1, 0, node.b, node.a, 0);
    default:
        return 0;
    }
}

uint32_t expr_make_not(struct expr_pool *pool, uint32_t a) {
    struct abi_node node = pool->nodes[a];
    if (node.op == ABI_OP_CONST)
        return expr_make_constant(pool, node.width, ~constant_of(pool, a));
    if (node.op == ABI_OP_NOT)
        return node.a;
    uint32_t negated = negated_comparison(pool, a);
    return negated ? negated : build_plain(pool, ABI_OP_NOT, node.width, 0, a, 0, 0);
}

static uint32_t make_ite(struct expr_pool *pool, unsigned width, uint32_t a, uint32_t b,
                         uint32_t c) {
    if (is_constant(pool, a))
        return constant_of(pool, a) ? b : c;
    if (b == c)
        return b;
    if (pool->nodes[a].op == ABI_OP_NOT)
        return make_ite(pool, width, pool->nodes[a].a, c, b);
    if (width != 1)
        return build_plain(pool, ABI_OP_ITE, width, 0, a, b, c);
    if (is_constant(pool, b))
        return constant_of(pool, b)
                   ? expr_make(pool, ABI_OP_OR, 1, 0, a, c, 0)
                   : expr_make(pool, ABI_OP_AND, 1, 0, expr_make_not(pool, a), c, 0);
    if (is_constant(pool, c))
        return constant_of(pool, c) ? expr_make(pool, ABI_OP_OR, 1, 0, expr_make_not(pool, a), b, 0)
                                    : expr_make(pool, ABI_OP_AND, 1, 0, a, b, 0);
    return build_plain(pool, ABI_OP_ITE, 1, 0, a, b, c);
}

static bool all_constant(const struct expr_pool *pool, unsigned count, uint32_t a, uint32_t b,
                         uint32_t c) {
    return is_constant(pool, a) && (count < 2 || is_constant(pool, b)) &&
           (count < 3 || is_constant(pool, c));
}

static uint32_t fold(struct expr_pool *pool, enum abi_op op, unsigned width, unsigned extra,
                     uint32_t a, uint32_t b, uint32_t c) {
    unsigned count = operand_count(op);
    uint64_t x = constant_of(pool, a), y = count > 1 ? constant_of(pool, b) : 0;
    uint64_t value = 0;
    if (op == ABI_OP_TABLE)
        value = table_read(pool, b, x);
    else if (op == ABI_OP_CONCAT)
        value = x << pool->nodes[b].width | y;
    else
        value = expr_apply(op, width, pool->nodes[a].width, extra, x, y,
                           count > 2 ? constant_of(pool, c) : 0);
    return expr_make_constant(pool, width, value);
}

uint32_t expr_make(struct expr_pool *pool, enum abi_op op, unsigned width, unsigned extra,
                   uint32_t a, uint32_t b, uint32_t c) {
    assert(op > ABI_OP_INPUT && op < ABI_OP_COUNT);
    if (all_constant(pool, operand_count(op), a, b, c))
        return fold(pool, op, width, extra, a, b, c);
    if (commutes(op) && (is_constant(pool, a) || (!is_constant(pool, b) && a > b))) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    switch (op) {
    case ABI_OP_NOT:
        return expr_make_not(pool, a);
    case ABI_OP_ITE:
        return make_ite(pool, width, a, b, c);
    case ABI_OP_ZEXT:
    case ABI_OP_SEXT:
        return build_extension(pool, op, width, a);
    case ABI_OP_EXTRACT:
        return build_extract(pool, width, extra, a);
    case ABI_OP_CONCAT:
        return build_concat(pool, width, a, b);
    case ABI_OP_FEQ:
    case ABI_OP_FLT:
    case ABI_OP_FLE:
        return build_float_compare(pool, op, a, b);
    case ABI_OP_TABLE:
        return build_plain(pool, op, width, 0, a, b, 0);
    default:
        return abi_op_is_float(op) ? build_plain(pool, op, width, 0, a, b, 0)
                                   : make_binary(pool, op, width, a, b);
    }
}
