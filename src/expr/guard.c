/* SPDX-License-Identifier: Apache-2.0
 *
 * What about operands for which C defines nothing? A shift by the width or more gives zeros or the
 * sign, a division by zero all ones or the dividend, a look-up beyond the table zero; the least
 * integer divided by -1 wraps around. If the bounds of the operands allow such a case, the printed
 * code handles it separately.
 */
#include "expr/piece.h"

#include <assert.h>

static const struct c_type plain_int = {32, true};

/* ---- shifts ---- */

static struct piece below(struct printer *to, const struct piece *a, unsigned limit) {
    bool is_signed = piece_promoted(a->type).is_signed;
    struct piece number = piece_number(to, limit, is_signed ? NUMBER_PLAIN : NUMBER_UNSIGNED);
    return piece_truth(to, PREC_LESS, a, "<", &number);
}

/* ID divided by 2^BY, if it is a multiple of that by its form. */
static bool divided(struct printer *to, uint32_t id, unsigned by, struct piece *result) {
    const struct expr_pool *pool = to->pool;
    struct abi_node node = pool->nodes[id];
    assert(by < 64);
    if (operand_count(node.op) != 2 || !is_constant(pool, node.b))
        return false;
    uint64_t constant = constant_of(pool, node.b), rest = constant & width_mask(by);
    if (node.op == ABI_OP_SHL && constant == by) {
        *result = piece_of(to, node.a);
    } else if (node.op == ABI_OP_MUL && !rest) {
        *result = constant >> by == 1
                      ? piece_of(to, node.a)
                      : piece_arithmetic(to, ABI_OP_MUL, node.width, piece_of(to, node.a),
                                         piece_constant(node.width, constant >> by));
    } else if (node.op == ABI_OP_ADD && !rest && divided(to, node.a, by, result)) {
        *result = piece_arithmetic(to, ABI_OP_ADD, node.width, *result,
                                   piece_constant(node.width, constant >> by));
    } else {
        return false;
    }
    return true;
}

/* x * 2 + 6 >> 1, as in the index of a look-up, is x + 3 when that cannot have wrapped around. */
static bool divides_evenly(struct printer *to, const struct abi_node *node, struct piece *result) {
    if (!is_constant(to->pool, node->b) || constant_of(to->pool, node->b) >= node->width)
        return false;
    unsigned by = (unsigned)constant_of(to->pool, node->b);
    return divided(to, node->a, by, result) && piece_is_zero_extended(result, node->width - by);
}

static struct piece at_most(struct printer *to, struct piece by, unsigned most) {
    if (by.bounds.high <= most)
        return by;
    if (by.is_literal)
        return piece_number(to, most, NUMBER_PLAIN);
    struct piece condition = below(to, &by, most + 1);
    by.bounds.high = most;
    return piece_choice(to, 64, condition, by, piece_number(to, most, NUMBER_PLAIN));
}

struct piece guard_shift_right(struct printer *to, const struct abi_node *node) {
    struct piece a, by;
    if (node->op == ABI_OP_LSHR && divides_evenly(to, node, &a))
        return a;
    a = piece_of(to, node->a);
    by = piece_zero_extended(to, piece_of(to, node->b), node->width);
    if (node->op == ABI_OP_ASHR)
        return piece_shifted_right(to, piece_sign_extended(to, a, node->width),
                                   at_most(to, by, node->width - 1));
    a = piece_zero_extended(to, a, node->width);
    if (by.bounds.high < node->width)
        return piece_shifted_right(to, a, by);
    struct piece condition = below(to, &by, node->width);
    by.bounds.high = node->width - 1;
    return piece_choice(to, node->width, condition, piece_shifted_right(to, a, by),
                        piece_constant(node->width, 0));
}

struct piece guard_shift_left(struct printer *to, const struct abi_node *node) {
    struct piece a = piece_of(to, node->a), by = piece_of(to, node->b);
    if (!by.text && by.constant < node->width)
        return piece_shifted_left(to, node->width, a, (unsigned)by.constant);
    a = piece_spell(to, a, plain_int);
    by = piece_zero_extended(to, by, node->width);
    if (piece_promoted(a.type).bits < node->width)
        a = piece_widened(to, a);
    struct c_type type = piece_promoted(a.type);
    struct piece shifted =
        piece_new(to, PREC_SHIFT, type, piece_all_of(type), "%s << %s",
                  piece_within(to, &a, PREC_SHIFT), piece_within(to, &by, PREC_SUM));
    if (by.bounds.high < node->width)
        return shifted;
    return piece_choice(to, node->width, below(to, &by, node->width), shifted,
                        piece_constant(node->width, 0));
}

/* ---- division ---- */

static wide magnitude(struct bounds bounds) {
    return -bounds.low > bounds.high ? -bounds.low : bounds.high;
}

static struct bounds quotient_bounds(struct bounds a, struct bounds b) {
    wide most = magnitude(a);
    if (b.low > 0)
        return (struct bounds){a.low < 0 ? a.low / b.low : 0, a.high > 0 ? a.high / b.low : 0};
    if (b.high < 0)
        return (struct bounds){a.high > 0 ? a.high / b.high : 0, a.low < 0 ? a.low / b.high : 0};
    return (struct bounds){a.low >= 0 && b.low >= 0 ? 0 : -most, most};
}

/* The remainder has the sign of the dividend and is smaller than the divisor. */
static struct bounds remainder_bounds(struct bounds a, struct bounds b) {
    wide most = magnitude(a), rest = magnitude(b) - 1;
    if (rest >= 0 && rest < most)
        most = rest;
    return (struct bounds){a.low < 0 ? -most : 0, a.high > 0 ? most : 0};
}

static struct piece divide(struct printer *to, const struct abi_node *node, const struct piece *a,
                           const struct piece *b) {
    bool is_division = node->op == ABI_OP_UDIV || node->op == ABI_OP_SDIV;
    return piece_new(to, PREC_PRODUCT, piece_common(a->type, b->type),
                     is_division ? quotient_bounds(a->bounds, b->bounds)
                                 : remainder_bounds(a->bounds, b->bounds),
                     "%s %s %s", piece_within(to, a, PREC_PRODUCT), is_division ? "/" : "%",
                     piece_within(to, b, PREC_UNARY));
}

/* Division by zero has a value here: all ones, or the sign inverted; the remainder is A. */
static struct piece guard_zero(struct printer *to, const struct abi_node *node, struct piece result,
                               struct piece a, struct piece b) {
    if (b.bounds.low > 0 || b.bounds.high < 0 || facts_is_nonzero(to, node->b))
        return result;
    struct piece otherwise = a;
    if (node->op == ABI_OP_UDIV || (node->op == ABI_OP_SDIV && a.bounds.low >= 0)) {
        otherwise = piece_number(to, -1, NUMBER_PLAIN);
    } else if (node->op == ABI_OP_SDIV) {
        otherwise =
            piece_choice(to, node->width, below(to, &a, 0), piece_number(to, 1, NUMBER_PLAIN),
                         piece_number(to, -1, NUMBER_PLAIN));
    }
    bool always = b.bounds.low == 0 && b.bounds.high == 0;
    return always ? otherwise : piece_choice(to, node->width, b, result, otherwise);
}

struct piece guard_unsigned_division(struct printer *to, const struct abi_node *node) {
    struct piece a = piece_zero_extended(to, piece_of(to, node->a), node->width);
    struct piece b = piece_zero_extended(to, piece_of(to, node->b), node->width);
    return guard_zero(to, node, divide(to, node, &a, &b), a, b);
}

/* The least integer divided by -1 overflows: in 32 bits the type is widened, in 64 bits the case is
 * handled separately. */
struct piece guard_signed_division(struct printer *to, const struct abi_node *node) {
    struct piece a = piece_sign_extended(to, piece_of(to, node->a), node->width);
    struct piece b = piece_sign_extended(to, piece_of(to, node->b), node->width);
    piece_unify(to, &a, &b);
    struct c_type type = piece_common(a.type, b.type);
    bool overflows =
        a.bounds.low == piece_all_of(type).low && b.bounds.low <= -1 && b.bounds.high >= -1;
    if (overflows && type.bits == 32)
        a = piece_widened(to, a);
    struct piece result = divide(to, node, &a, &b);
    if (overflows && type.bits == 64) {
        struct piece minus_one = piece_number(to, -1, NUMBER_PLAIN);
        struct piece otherwise = node->op == ABI_OP_SDIV ? piece_negated(to, node->width, a)
                                                         : piece_number(to, 0, NUMBER_PLAIN);
        result = piece_choice(to, node->width, piece_truth(to, PREC_EQUAL, &b, "==", &minus_one),
                              otherwise, result);
    }
    return guard_zero(to, node, result, a, b);
}

/* ---- look-ups ---- */

static wide greatest_element(const struct expr_pool *pool, uint32_t table) {
    uint64_t greatest = 0;
    for (uint32_t i = 0; i < expr_table_count(pool, table); i++)
        if (table_read(pool, table, i) > greatest)
            greatest = table_read(pool, table, i);
    return greatest;
}

struct piece guard_table(struct printer *to, const struct abi_node *node) {
    uint32_t count = expr_table_count(to->pool, node->b);
    unsigned index_width = to->pool->nodes[node->a].width;
    struct piece index = piece_zero_extended(to, piece_of(to, node->a), index_width);
    struct piece found = piece_new(to, PREC_PRIMARY, (struct c_type){node->width, false},
                                   (struct bounds){0, greatest_element(to->pool, node->b)},
                                   "table%u[%s]", node->b, index.text);
    if (index.bounds.high < count)
        return found;
    return piece_choice(to, node->width, below(to, &index, count), found,
                        piece_constant(node->width, 0));
}
