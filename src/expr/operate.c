/* SPDX-License-Identifier: Apache-2.0
 *
 * What do C's operators do to pieces? An operation of some width is C's operator in a type of that
 * width, or in a narrower one if the bounds show that no value leaves it; otherwise an operand is
 * first cast to 64 bits.
 */
#include "expr/piece.h"

/* ---- bounds ---- */

#define FAR ((wide)1 << 126) /* stands for anything beyond */

static wide times(wide a, wide b) {
    wide product;
    if (!__builtin_mul_overflow(a, b, &product) && product > -FAR && product < FAR)
        return product;
    return (a < 0) == (b < 0) ? FAR : -FAR;
}

static wide least(wide a, wide b) {
    return a < b ? a : b;
}

static wide most(wide a, wide b) {
    return a > b ? a : b;
}

struct bounds piece_product(struct bounds a, struct bounds b) {
    wide corners[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                      times(a.high, b.high)};
    struct bounds result = {corners[0], corners[0]};
    for (unsigned i = 1; i < BASE_COUNT(corners); i++) {
        result.low = least(result.low, corners[i]);
        result.high = most(result.high, corners[i]);
    }
    return result;
}

/* The smallest power of two p such that all values are in [-p, p). */
static wide power_around(struct bounds a, struct bounds b) {
    wide power = 1;
    while (a.low < -power || b.low < -power || a.high >= power || b.high >= power)
        power *= 2;
    return power;
}

static struct bounds bitwise_bounds(enum abi_op op, struct bounds a, struct bounds b) {
    wide power = power_around(a, b);
    bool positive = a.low >= 0 && b.low >= 0;
    struct bounds result = {positive ? 0 : -power, power - 1};
    if (op != ABI_OP_AND)
        return result;
    if (a.low >= 0)
        result = (struct bounds){0, least(result.high, a.high)};
    if (b.low >= 0)
        result = (struct bounds){0, least(result.high, b.high)};
    return result;
}

static struct bounds exact_bounds(enum abi_op op, struct bounds a, struct bounds b) {
    switch (op) {
    case ABI_OP_ADD:
        return (struct bounds){a.low + b.low, a.high + b.high};
    case ABI_OP_SUB:
        return (struct bounds){a.low - b.high, a.high - b.low};
    case ABI_OP_MUL:
        return piece_product(a, b);
    default:
        return bitwise_bounds(op, a, b);
    }
}

/* ---- arithmetic ---- */

static enum precedence precedence_of(enum abi_op op) {
    switch (op) {
    case ABI_OP_ADD:
    case ABI_OP_SUB:
        return PREC_SUM;
    case ABI_OP_AND:
        return PREC_AND;
    case ABI_OP_OR:
        return PREC_OR;
    case ABI_OP_XOR:
        return PREC_XOR;
    default:
        return PREC_PRODUCT;
    }
}

static char operator_of(enum abi_op op) {
    static const char operators[ABI_OP_COUNT] = {
        [ABI_OP_ADD] = '+', [ABI_OP_SUB] = '-', [ABI_OP_MUL] = '*',
        [ABI_OP_AND] = '&', [ABI_OP_OR] = '|',  [ABI_OP_XOR] = '^'};
    return operators[op];
}

static enum abi_op chain_of(enum abi_op op) {
    return op == ABI_OP_SUB ? ABI_OP_ADD : op;
}

/* a * b is a chain of products that another factor may precede, but a % 4 * b is not. */
static enum abi_op chain_joined(enum abi_op op, const struct piece *a) {
    enum abi_op chain = chain_of(op);
    return a->precedence == precedence_of(op) && a->chain != chain ? ABI_OP_NONE : chain;
}

/* a + (b + c) is a + b + c where both are computed in as many bits. */
static bool continues(enum abi_op op, const struct piece *a, const struct piece *b) {
    return b->chain == op && piece_promoted(a->type).bits == b->type.bits;
}

static struct piece join(struct printer *to, enum abi_op op, const struct piece *a,
                         const struct piece *b, struct c_type type, struct bounds bounds) {
    enum precedence own = precedence_of(op);
    struct piece piece =
        piece_new(to, own, type, bounds, "%s %c %s", piece_within(to, a, own), operator_of(op),
                  piece_within(to, b, continues(op, a, b) ? own : own + 1));
    piece.chain = chain_joined(op, a);
    return piece;
}

static bool is_bitwise(enum abi_op op) {
    return op == ABI_OP_AND || op == ABI_OP_OR || op == ABI_OP_XOR;
}

/* Turns constants into numbers; adding a negative one is a subtraction. */
static enum abi_op spell_constants(struct printer *to, enum abi_op op, struct piece *a,
                                   struct piece *b) {
    if (is_bitwise(op)) {
        *a = piece_spell_mask(to, *a);
        *b = piece_spell_mask(to, *b);
        return op;
    }
    if (op == ABI_OP_ADD && !b->text) {
        wide value = piece_sign_extended(to, *b, b->width).bounds.low;
        *b = piece_number(to, value < 0 ? -value : value, NUMBER_PLAIN);
        op = value < 0 ? ABI_OP_SUB : ABI_OP_ADD;
    }
    *a = piece_spell(to, *a, b->text ? b->type : (struct c_type){32, true});
    *b = piece_spell(to, *b, a->type);
    return op;
}

static void widen_one(struct printer *to, struct piece *a, struct piece *b) {
    struct piece *one = a->is_literal ? b : a;
    *one = piece_widened(to, *one);
}

struct piece piece_arithmetic(struct printer *to, enum abi_op op, unsigned width, struct piece a,
                              struct piece b) {
    op = spell_constants(to, op, &a, &b);
    struct bounds bounds = exact_bounds(op, a.bounds, b.bounds);
    struct c_type type = piece_common(a.type, b.type);
    bool exact =
        piece_fits(type, a.bounds) && piece_fits(type, b.bounds) && piece_fits(type, bounds);
    if (!exact && type.bits < width) {
        widen_one(to, &a, &b);
        type = piece_common(a.type, b.type);
        exact =
            piece_fits(type, a.bounds) && piece_fits(type, b.bounds) && piece_fits(type, bounds);
    }
    return join(to, op, &a, &b, type, exact ? bounds : piece_all_of(type));
}

struct piece piece_shifted_left(struct printer *to, unsigned width, struct piece a, unsigned by) {
    a = piece_spell(to, a, (struct c_type){32, true});
    wide factor = (wide)1 << by;
    struct bounds bounds = {times(a.bounds.low, factor), times(a.bounds.high, factor)};
    struct c_type type = piece_promoted(a.type);
    if (by >= type.bits || (type.bits < width && !piece_fits(type, bounds))) {
        a = piece_widened(to, a);
        type = a.type;
    }
    if (!piece_fits(type, bounds))
        bounds = piece_all_of(type);
    return piece_new(to, PREC_SHIFT, type, bounds, "%s << %u", piece_within(to, &a, PREC_SHIFT),
                     by);
}

/* All that is left of a number of at most 64 bits after so many, or more. */
static unsigned shift_amount(wide by) {
    return by < 0 ? 0 : by > 127 ? 127 : (unsigned)by;
}

struct piece piece_shifted_right(struct printer *to, struct piece a, struct piece by) {
    if (by.bounds.high >= piece_promoted(a.type).bits)
        a = piece_widened(to, a);
    struct bounds bounds = {
        a.bounds.low >> shift_amount(a.bounds.low < 0 ? by.bounds.low : by.bounds.high),
        a.bounds.high >> shift_amount(a.bounds.high < 0 ? by.bounds.high : by.bounds.low)};
    return piece_new(to, PREC_SHIFT, piece_promoted(a.type), bounds, "%s >> %s",
                     piece_within(to, &a, PREC_SHIFT), piece_within(to, &by, PREC_SUM));
}

struct piece piece_negated(struct printer *to, unsigned width, struct piece a) {
    struct bounds bounds = {-a.bounds.high, -a.bounds.low};
    struct c_type type = piece_promoted(a.type);
    if (type.bits < width && !piece_fits(type, bounds)) {
        a = piece_widened(to, a);
        type = a.type;
    }
    if (!piece_fits(type, bounds))
        bounds = piece_all_of(type);
    enum precedence around = a.text[0] == '-' ? PREC_PRIMARY : PREC_UNARY; /* -- is an operator */
    return piece_new(to, PREC_UNARY, type, bounds, "-%s", piece_within(to, &a, around));
}

/* ---- choices and truths ---- */

struct piece piece_choice(struct printer *to, unsigned width, struct piece condition,
                          struct piece a, struct piece b) {
    a = piece_spell(to, a, b.text ? b.type : (struct c_type){32, true});
    b = piece_spell(to, b, a.type);
    struct c_type type = piece_common(a.type, b.type);
    bool exact = piece_fits(type, a.bounds) && piece_fits(type, b.bounds);
    if (!exact && type.bits < width) {
        widen_one(to, &a, &b);
        type = piece_common(a.type, b.type);
        exact = piece_fits(type, a.bounds) && piece_fits(type, b.bounds);
    }
    struct bounds bounds = {least(a.bounds.low, b.bounds.low), most(a.bounds.high, b.bounds.high)};
    return piece_new(to, PREC_CHOICE, type, exact ? bounds : piece_all_of(type), "%s ? %s : %s",
                     piece_within(to, &condition, PREC_OR_ELSE), piece_within(to, &a, PREC_OR_ELSE),
                     piece_within(to, &b, PREC_CHOICE));
}

struct piece piece_truth(struct printer *to, enum precedence precedence, const struct piece *a,
                         const char *text, const struct piece *b) {
    bool is_logical = precedence == PREC_AND_ALSO || precedence == PREC_OR_ELSE;
    return piece_new(to, precedence, (struct c_type){32, true}, (struct bounds){0, 1}, "%s %s %s",
                     piece_within(to, a, precedence), text,
                     piece_within(to, b, is_logical ? precedence : precedence + 1));
}
