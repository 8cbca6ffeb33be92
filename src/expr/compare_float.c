/* SPDX-License-Identifier: Apache-2.0
 *
 * Simplification of floating-point comparisons, so that they compare input numbers wherever
 * possible: casts that keep the order are removed, integers converted without loss are compared as
 * integers, and operations that can only change the sign of a zero are dropped.
 */
#include "expr/build.h"

#include <math.h>

static uint32_t truth(struct expr_pool *pool, bool value) {
    return expr_make_constant(pool, 1, value);
}

static double number_of(const struct expr_pool *pool, uint32_t id) {
    return expr_float_value(pool->nodes[id].width, constant_of(pool, id));
}

static bool is_number(const struct expr_pool *pool, uint32_t id, double value) {
    return is_constant(pool, id) && number_of(pool, id) == value;
}

/* ---- neutral elements ---- */

/* x + 0 and x * 1 equal x except for the sign of a zero, which no comparison sees and which a sum,
 * difference or product below a comparison cannot turn into anything else. */
static uint32_t without_neutral(struct expr_pool *pool, uint32_t id, unsigned *budget) {
    struct abi_node node = pool->nodes[id];
    bool is_sum = node.op == ABI_OP_FADD || node.op == ABI_OP_FSUB;
    if (!*budget || (!is_sum && node.op != ABI_OP_FMUL && node.op != ABI_OP_FDIV))
        return id;
    --*budget;
    if (is_number(pool, node.b, is_sum ? 0 : 1))
        return without_neutral(pool, node.a, budget);
    if (node.op == ABI_OP_FDIV)
        return id;
    uint32_t a = without_neutral(pool, node.a, budget), b = without_neutral(pool, node.b, budget);
    return expr_make(pool, node.op, node.width, 0, a, b, 0);
}

/* ---- casts ---- */

static bool is_widened(const struct expr_pool *pool, uint32_t id) {
    return pool->nodes[id].op == ABI_OP_FCVT && pool->nodes[id].width == 64;
}

/* Compares a float with the float next to a double. LEFT: the double is on the left. */
static uint32_t compare_widened(struct expr_pool *pool, enum abi_op op, uint32_t widened,
                                double value, bool left) {
    uint32_t narrow = pool->nodes[widened].a;
    uint64_t bits = expr_float_bits(32, value);
    double next = expr_float_value(32, bits);
    uint32_t constant = expr_make_constant(pool, 32, bits);
    if (op == ABI_OP_FEQ)
        return next == value ? expr_make(pool, op, 1, 0, narrow, constant, 0) : truth(pool, false);
    if (next != value)
        op = (next < value) == !left ? ABI_OP_FLE : ABI_OP_FLT;
    return left ? expr_make(pool, op, 1, 0, constant, narrow, 0)
                : expr_make(pool, op, 1, 0, narrow, constant, 0);
}

/* ---- integers ---- */

/* Is it an integer converted to floating point without loss? */
static bool is_exact_integer(const struct expr_pool *pool, uint32_t id) {
    struct abi_node node = pool->nodes[id];
    if (node.op != ABI_OP_STOF)
        return false;
    struct abi_node inner = pool->nodes[node.a];
    bool is_cast = inner.op == ABI_OP_ZEXT || inner.op == ABI_OP_SEXT;
    unsigned bits = is_cast ? pool->nodes[inner.a].width : inner.width;
    return bits <= (node.width == 32 ? 24 : 53);
}

static uint32_t integer_order(struct expr_pool *pool, enum abi_op op, uint32_t a, uint32_t b) {
    enum abi_op order = op == ABI_OP_FEQ ? ABI_OP_EQ : op == ABI_OP_FLT ? ABI_OP_SLT : ABI_OP_SLE;
    return expr_make(pool, order, 1, 0, a, b, 0);
}

/* Compares an integer with the nearest integer on the relevant side of a number. */
static uint32_t compare_integer(struct expr_pool *pool, enum abi_op op, uint32_t id, double value,
                                bool left) {
    uint32_t integer = pool->nodes[id].a;
    unsigned width = pool->nodes[integer].width;
    double limit = ldexp(1, (int)width - 1);
    if (op == ABI_OP_FEQ && floor(value) != value)
        return truth(pool, false);
    double whole = (op == ABI_OP_FLT) == left ? floor(value) : ceil(value);
    if (whole < -limit || whole >= limit)
        return truth(pool, op != ABI_OP_FEQ && (whole < -limit) == left);
    uint32_t constant = expr_make_constant(pool, width, (uint64_t)(int64_t)whole);
    return left ? integer_order(pool, op, constant, integer)
                : integer_order(pool, op, integer, constant);
}

/* ---- comparisons ---- */

/* Compares it with itself: is it not NaN? */
static uint32_t compare_with_itself(struct expr_pool *pool, enum abi_op op, uint32_t a) {
    struct abi_node node = pool->nodes[a];
    if (op == ABI_OP_FLT)
        return truth(pool, false);
    if (node.op == ABI_OP_STOF || node.op == ABI_OP_UTOF)
        return truth(pool, true);
    if (node.op == ABI_OP_FCVT)
        return expr_make(pool, ABI_OP_FEQ, 1, 0, node.a, node.a, 0);
    return build_plain(pool, ABI_OP_FEQ, 1, 0, a, a, 0);
}

static uint32_t compare_with_number(struct expr_pool *pool, enum abi_op op, uint32_t a,
                                    double value, bool left) {
    if (isnan(value))
        return truth(pool, false);
    if (isinf(value) && (op == ABI_OP_FLT || op == ABI_OP_FLE)) {
        bool is_beyond = (value > 0) == left; /* x < -inf, inf < x */
        if (op == ABI_OP_FLT && is_beyond)
            return truth(pool, false);
        if (op == ABI_OP_FLE && !is_beyond)
            return expr_make(pool, ABI_OP_FEQ, 1, 0, a, a, 0);
    }
    if (is_widened(pool, a))
        return compare_widened(pool, op, a, value, left);
    return is_exact_integer(pool, a) ? compare_integer(pool, op, a, value, left) : 0;
}

static uint32_t simplify(struct expr_pool *pool, enum abi_op op, uint32_t a, uint32_t b) {
    if (a == b)
        return compare_with_itself(pool, op, a);
    if (is_constant(pool, b))
        return compare_with_number(pool, op, a, number_of(pool, b), false);
    if (is_constant(pool, a))
        return compare_with_number(pool, op, b, number_of(pool, a), true);
    uint32_t left = pool->nodes[a].a, right = pool->nodes[b].a;
    if (is_widened(pool, a) && is_widened(pool, b))
        return expr_make(pool, op, 1, 0, left, right, 0);
    if (is_exact_integer(pool, a) && is_exact_integer(pool, b) &&
        pool->nodes[left].width == pool->nodes[right].width)
        return integer_order(pool, op, left, right);
    return 0;
}

uint32_t build_float_compare(struct expr_pool *pool, enum abi_op op, uint32_t a, uint32_t b) {
    unsigned budget = 64;
    uint32_t x = without_neutral(pool, a, &budget), y = without_neutral(pool, b, &budget);
    if (x != a || y != b)
        return expr_make(pool, op, 1, 0, x, y, 0);
    uint32_t simple = simplify(pool, op, a, b);
    return simple ? simple : build_plain(pool, op, 1, 0, a, b, 0);
}
