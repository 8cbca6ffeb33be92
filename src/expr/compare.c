/* SPDX-License-Identifier: Apache-2.0
 *
 * Simplification of comparisons, so that they are about input variables wherever possible: casts
 * that keep the order are removed from both sides, constants are moved to one side, comparisons
 * that always hold disappear, and a difference compared with zero becomes a comparison of its
 * operands.
 */
#include "expr/build.h"

static uint32_t truth(struct expr_pool *pool, bool value) {
    return expr_make_constant(pool, 1, value);
}

static bool is_signed_op(enum abi_op op) {
    return op == ABI_OP_SLT || op == ABI_OP_SLE;
}

static int64_t as_signed(unsigned width, uint64_t value) {
    return (int64_t)(value << (64 - width)) >> (64 - width);
}

/* The comparison without the cast common to both sides. Zero extension keeps the unsigned order and
 * makes the signed one unsigned; sign extension keeps both. */
static uint32_t strip_casts(struct expr_pool *pool, enum abi_op op, uint32_t a, uint32_t b) {
    struct abi_node left = pool->nodes[a], right = pool->nodes[b];
    if (left.op != right.op || (left.op != ABI_OP_ZEXT && left.op != ABI_OP_SEXT))
        return 0;
    if (pool->nodes[left.a].width != pool->nodes[right.a].width)
        return 0;
    if (left.op == ABI_OP_ZEXT && op == ABI_OP_SLT)
        op = ABI_OP_ULT;
    else if (left.op == ABI_OP_ZEXT && op == ABI_OP_SLE)
        op = ABI_OP_ULE;
    return expr_make(pool, op, 1, 0, left.a, right.a, 0);
}

/* ---- equality ---- */

static uint32_t equal_extension(struct expr_pool *pool, struct abi_node left, uint64_t value) {
    unsigned inner = pool->nodes[left.a].width;
    uint64_t low = value & width_mask(inner);
    uint64_t back = expr_apply(left.op, left.width, inner, 0, low, 0, 0);
    if (back != value)
        return truth(pool, false);
    return expr_make(pool, ABI_OP_EQ, 1, 0, left.a, expr_make_constant(pool, inner, low), 0);
}

static uint32_t equal_concat(struct expr_pool *pool, struct abi_node left, uint64_t value) {
    unsigned border = pool->nodes[left.b].width, upper = pool->nodes[left.a].width;
    uint32_t high = expr_make_constant(pool, upper, value >> border);
    uint32_t low = expr_make_constant(pool, border, value);
    return expr_make(pool, ABI_OP_AND, 1, 0, expr_make(pool, ABI_OP_EQ, 1, 0, left.a, high, 0),
                     expr_make(pool, ABI_OP_EQ, 1, 0, left.b, low, 0), 0);
}

/* (c ? k : l) == value */
static uint32_t equal_choice(struct expr_pool *pool, struct abi_node left, uint64_t value) {
    if (!is_constant(pool, left.b) || !is_constant(pool, left.c))
        return 0;
    bool first = constant_of(pool, left.b) == value, second = constant_of(pool, left.c) == value;
    if (first == second)
        return truth(pool, first);
    return first ? left.a : expr_make_not(pool, left.a);
}

static uint32_t equal_constant(struct expr_pool *pool, uint32_t a, uint64_t value) {
    struct abi_node left = pool->nodes[a];
    if (left.width == 1)
        return value ? a : expr_make_not(pool, a);
    switch (left.op) {
    case ABI_OP_ZEXT:
    case ABI_OP_SEXT:
        return equal_extension(pool, left, value);
    case ABI_OP_CONCAT:
        return equal_concat(pool, left, value);
    case ABI_OP_ITE:
        return equal_choice(pool, left, value);
    case ABI_OP_ADD:
    case ABI_OP_XOR:
        if (is_constant(pool, left.b)) {
            uint64_t other = constant_of(pool, left.b);
            value = left.op == ABI_OP_ADD ? value - other : value ^ other;
            uint32_t constant = expr_make_constant(pool, left.width, value);
            return expr_make(pool, ABI_OP_EQ, 1, 0, left.a, constant, 0);
        }
        return value == 0 && left.op == ABI_OP_XOR
                   ? expr_make(pool, ABI_OP_EQ, 1, 0, left.a, left.b, 0)
                   : 0;
    case ABI_OP_SUB:
        return value == 0 ? expr_make(pool, ABI_OP_EQ, 1, 0, left.a, left.b, 0) : 0;
    default:
        return 0;
    }
}

static uint32_t make_equal(struct expr_pool *pool, uint32_t a, uint32_t b) {
    if (a == b)
        return truth(pool, true);
    uint32_t simple = is_constant(pool, b) ? equal_constant(pool, a, constant_of(pool, b))
                                           : strip_casts(pool, ABI_OP_EQ, a, b);
    return simple ? simple : build_plain(pool, ABI_OP_EQ, 1, 0, a, b, 0);
}

/* ---- order ---- */

struct limits {
    uint64_t least, greatest; /* of the type, as bits */
};

static struct limits limits_of(enum abi_op op, unsigned width) {
    uint64_t half = width_mask(width) >> 1;
    if (is_signed_op(op))
        return (struct limits){half + 1, half};
    return (struct limits){0, width_mask(width)};
}

static uint32_t equals(struct expr_pool *pool, uint32_t a, uint64_t value) {
    return expr_make(pool, ABI_OP_EQ, 1, 0, a,
                     expr_make_constant(pool, pool->nodes[a].width, value), 0);
}

/* Comparisons with the ends of the type; 0: not simplified. */
static uint32_t compare_with_end(struct expr_pool *pool, enum abi_op op, uint32_t a, uint32_t b) {
    struct limits end = limits_of(op, pool->nodes[a].width);
    bool strict = op == ABI_OP_ULT || op == ABI_OP_SLT;
    if (is_constant(pool, b)) {
        uint64_t value = constant_of(pool, b);
        if (value == end.least)
            return strict ? truth(pool, false) : equals(pool, a, value);
        if (value == end.greatest)
            return strict ? expr_make_not(pool, equals(pool, a, value)) : truth(pool, true);
        return 0;
    }
    uint64_t value = constant_of(pool, a);
    if (value == end.greatest)
        return strict ? truth(pool, false) : equals(pool, b, value);
    if (value == end.least)
        return strict ? expr_make_not(pool, equals(pool, b, value)) : truth(pool, true);
    return 0;
}

/* A cast value against a constant: the same comparison at the narrow width if the cast can have the
 * constant as a value, otherwise a known result. LEFT: the constant is on the left. */
static uint32_t compare_cast(struct expr_pool *pool, enum abi_op op, uint32_t cast, uint64_t value,
                             bool left) {
    struct abi_node node = pool->nodes[cast];
    unsigned inner = pool->nodes[node.a].width;
    bool strict = op == ABI_OP_ULT || op == ABI_OP_SLT;
    bool below = false, above = false;
    if (node.op == ABI_OP_ZEXT) {
        below = is_signed_op(op) && as_signed(node.width, value) < 0;
        above = !below && value > width_mask(inner);
        op = strict ? ABI_OP_ULT : ABI_OP_ULE;
    } else if (is_signed_op(op)) {
        int64_t limit = (int64_t)(width_mask(inner) >> 1), number = as_signed(node.width, value);
        below = number < -limit - 1;
        above = number > limit;
    } else {
        return 0;
    }
    if (below || above)
        return truth(pool, left == below);
    uint32_t constant = expr_make_constant(pool, inner, value);
    return left ? expr_make(pool, op, 1, 0, constant, node.a, 0)
                : expr_make(pool, op, 1, 0, node.a, constant, 0);
}

/* x - y against 0, where both are casts of narrow values, so that the difference does not wrap
 * around (strcmp returns this). */
static bool is_safe_difference(const struct expr_pool *pool, uint32_t id) {
    struct abi_node node = pool->nodes[id];
    if (node.op != ABI_OP_SUB)
        return false;
    struct abi_node left = pool->nodes[node.a], right = pool->nodes[node.b];
    bool casts = (left.op == ABI_OP_ZEXT || left.op == ABI_OP_SEXT || left.op == ABI_OP_CONST) &&
                 (right.op == ABI_OP_ZEXT || right.op == ABI_OP_SEXT);
    if (!casts)
        return false;
    if (left.op == right.op)
        return true;
    unsigned narrow = node.width >= 2 ? node.width - 2u : 0;
    if (pool->nodes[right.a].width > narrow)
        return false;
    if (left.op != ABI_OP_CONST)
        return pool->nodes[left.a].width <= narrow;
    int64_t value = as_signed(left.width, constant_of(pool, node.a));
    int64_t limit = (int64_t)(width_mask(left.width) >> 2);
    return value >= -limit && value <= limit;
}

static uint32_t compare_difference(struct expr_pool *pool, enum abi_op op, uint32_t a, uint32_t b) {
    if (!is_signed_op(op))
        return 0;
    if (is_constant(pool, b) && constant_of(pool, b) == 0 && is_safe_difference(pool, a))
        return expr_make(pool, op, 1, 0, pool->nodes[a].a, pool->nodes[a].b, 0);
    if (is_constant(pool, a) && constant_of(pool, a) == 0 && is_safe_difference(pool, b))
        return expr_make(pool, op, 1, 0, pool->nodes[b].b, pool->nodes[b].a, 0);
    return 0;
}

/* The constant that a narrow value is multiplied by, if the product cannot wrap around, as a signed
 * number if IS_SIGNED; 0: any other expression. */
static uint64_t safe_factor(const struct expr_pool *pool, uint32_t id, bool is_signed) {
    struct abi_node node = pool->nodes[id];
    if ((node.op != ABI_OP_MUL && node.op != ABI_OP_SHL) || !is_constant(pool, node.b) ||
        pool->nodes[node.a].op != ABI_OP_ZEXT)
        return 0;
    uint64_t factor = constant_of(pool, node.b);
    if (node.op == ABI_OP_SHL)
        factor = factor < node.width ? (uint64_t)1 << factor : 0;
    unsigned __int128 most = width_mask(pool->nodes[pool->nodes[node.a].a].width);
    return most * factor <= width_mask(node.width) >> is_signed ? factor : 0;
}

/* Such a product against a constant: compares the value with the quotient. */
static uint32_t compare_product(struct expr_pool *pool, enum abi_op op, uint32_t product,
                                uint64_t value, bool left) {
    uint64_t factor = safe_factor(pool, product, is_signed_op(op));
    struct abi_node node = pool->nodes[product];
    if (!factor)
        return 0;
    if (is_signed_op(op) && as_signed(node.width, value) < 0)
        return truth(pool, left);
    bool strict = op == ABI_OP_ULT || op == ABI_OP_SLT;
    op = strict ? ABI_OP_ULT : ABI_OP_ULE;
    bool rounds_up = left != strict && value % factor != 0;
    uint32_t limit = expr_make_constant(pool, node.width, value / factor + rounds_up);
    return left ? expr_make(pool, op, 1, 0, limit, node.a, 0)
                : expr_make(pool, op, 1, 0, node.a, limit, 0);
}

static bool is_cast(const struct expr_pool *pool, uint32_t id) {
    return pool->nodes[id].op == ABI_OP_ZEXT || pool->nodes[id].op == ABI_OP_SEXT;
}

/* A narrow value plus a constant against a constant: compares the value with the difference, if
 * nothing wraps around. */
static uint32_t compare_sum(struct expr_pool *pool, enum abi_op op, uint32_t sum, uint64_t value,
                            bool left) {
    struct abi_node node = pool->nodes[sum];
    if (node.op != ABI_OP_ADD || !is_signed_op(op) || !is_constant(pool, node.b) ||
        !is_cast(pool, node.a))
        return 0;
    struct abi_node cast = pool->nodes[node.a];
    uint64_t inner = width_mask(pool->nodes[cast.a].width);
    __int128 added = as_signed(node.width, constant_of(pool, node.b));
    __int128 limit = as_signed(node.width, value) - added;
    __int128 high = cast.op == ABI_OP_ZEXT ? inner : inner >> 1;
    __int128 low = cast.op == ABI_OP_ZEXT ? 0 : -high - 1;
    __int128 most = (int64_t)(width_mask(node.width) >> 1);
    if (low + added < -most - 1 || high + added > most || limit < -most - 1 || limit > most)
        return 0;
    uint32_t constant = expr_make_constant(pool, node.width, (uint64_t)limit);
    return left ? expr_make(pool, op, 1, 0, constant, node.a, 0)
                : expr_make(pool, op, 1, 0, node.a, constant, 0);
}

static uint32_t simplify_order(struct expr_pool *pool, enum abi_op op, uint32_t a, uint32_t b) {
    if (a == b)
        return truth(pool, op == ABI_OP_ULE || op == ABI_OP_SLE);
    if (!is_constant(pool, a) && !is_constant(pool, b))
        return strip_casts(pool, op, a, b);
    uint32_t simple = compare_with_end(pool, op, a, b);
    bool left = is_constant(pool, a);
    uint32_t other = left ? b : a;
    uint64_t value = constant_of(pool, left ? a : b);
    if (!simple && is_cast(pool, other))
        simple = compare_cast(pool, op, other, value, left);
    if (!simple)
        simple = compare_product(pool, op, other, value, left);
    if (!simple)
        simple = compare_sum(pool, op, other, value, left);
    return simple ? simple : compare_difference(pool, op, a, b);
}

uint32_t build_compare(struct expr_pool *pool, enum abi_op op, uint32_t a, uint32_t b) {
    if (op == ABI_OP_EQ)
        return make_equal(pool, a, b);
    uint32_t simple = simplify_order(pool, op, a, b);
    return simple ? simple : build_plain(pool, op, 1, 0, a, b, 0);
}
