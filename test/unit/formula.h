/* SPDX-License-Identifier: Apache-2.0
 *
 * Random formulas for the tests of the solver: inputs, and conditions in the language of each
 * stage, with a liking for the ends of ranges, for small differences, and for sums that wrap
 * around.
 */
#ifndef TEST_FORMULA_H
#define TEST_FORMULA_H

#include "expr/expr.h"

#include <stdlib.h>
#include <time.h>

struct formula {
    struct expr_pool *pool;
    uint64_t random;
    unsigned width; /* of the variables */
    unsigned signs; /* comparisons: 0 of any kind, 1 signed only, 2 unsigned only */
    unsigned count; /* of the variables */
    uint8_t input[256];
    size_t size;
};

enum language { BYTES, ORDERS, SUMS, CASTS, EQUALITIES, TABLES, LINEAR, MIXTURE, LANGUAGES };

static inline uint64_t formula_random(struct formula *f) {
    f->random ^= f->random << 13;
    f->random ^= f->random >> 7;
    f->random ^= f->random << 17;
    return f->random;
}

static inline unsigned formula_pick(struct formula *f, unsigned count) {
    return (unsigned)(formula_random(f) >> 20) % count;
}

/* SLOWPATH_SEED repeats a run. */
static inline uint64_t formula_seed(const char *name) {
    const char *text = getenv("SLOWPATH_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
    printf("%s: SLOWPATH_SEED=%llu\n", name, (unsigned long long)seed);
    fflush(stdout);
    return seed ? seed : 1;
}

/* Fewer rounds where SLOWPATH_ROUNDS says so: tenths of the usual number, but one at least. */
static inline unsigned formula_rounds(unsigned usual) {
    const char *text = getenv("SLOWPATH_ROUNDS");
    unsigned count = text ? (unsigned)atoi(text) * usual / 10 : usual;
    return count ? count : 1;
}

/* Values near zero, near the ends, or anything. */
static inline uint64_t formula_value(struct formula *f, unsigned width) {
    uint64_t top = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1, value = 0;
    switch (formula_pick(f, 6)) {
    case 0:
        value = formula_random(f);
        break;
    case 1:
        value = top / 2 + formula_pick(f, 4) - 1;
        break;
    case 2:
        value = top - formula_pick(f, 3);
        break;
    default:
        value = formula_pick(f, 6);
    }
    return value & top;
}

static inline void formula_begin(struct formula *f, unsigned width, unsigned count) {
    expr_pool_clear(f->pool);
    f->width = width;
    f->count = count;
    f->size = count * (width / 8);
    for (unsigned i = 0; i < count; i++) {
        uint64_t value = formula_value(f, width);
        for (unsigned b = 0; b < width / 8; b++)
            f->input[i * (width / 8) + b] = (uint8_t)(value >> 8 * b);
    }
}

static inline uint32_t formula_variable(struct formula *f) {
    return expr_make_input(f->pool, f->width, formula_pick(f, f->count) * (f->width / 8));
}

static inline uint32_t formula_constant(struct formula *f, unsigned width) {
    return expr_make_constant(f->pool, width, formula_value(f, width));
}

static inline uint32_t formula_compare(struct formula *f, uint32_t a, uint32_t b) {
    static const enum abi_op ops[] = {ABI_OP_EQ, ABI_OP_ULT, ABI_OP_ULE, ABI_OP_SLT, ABI_OP_SLE};
    unsigned pick = formula_pick(f, f->signs ? 3 : 5);
    if (pick && f->signs == 1)
        pick += 2;
    uint32_t result = expr_make(f->pool, ops[pick], 1, 0, a, b, 0);
    return formula_pick(f, 4) ? result : expr_make_not(f->pool, result);
}

static inline uint32_t formula_sum(struct formula *f, uint32_t a) {
    uint32_t amount = formula_constant(f, expr_node(f->pool, a)->width);
    enum abi_op op = formula_pick(f, 2) ? ABI_OP_ADD : ABI_OP_SUB;
    return expr_make(f->pool, op, expr_node(f->pool, a)->width, 0, a, amount, 0);
}

static inline uint32_t formula_cast(struct formula *f, uint32_t a, unsigned width) {
    enum abi_op op = formula_pick(f, 2) ? ABI_OP_ZEXT : ABI_OP_SEXT;
    return expr_make(f->pool, op, width, 0, a, 0, 0);
}

/* Any operation on one variable. */
static inline uint32_t formula_unary(struct formula *f, uint32_t a) {
    static const enum abi_op ops[] = {
        ABI_OP_ADD, ABI_OP_SUB, ABI_OP_SHL,  ABI_OP_LSHR, ABI_OP_ASHR, ABI_OP_AND, ABI_OP_OR,
        ABI_OP_XOR, ABI_OP_MUL, ABI_OP_UDIV, ABI_OP_SDIV, ABI_OP_UREM, ABI_OP_SREM};
    unsigned width = expr_node(f->pool, a)->width;
    uint32_t constant = formula_constant(f, width);
    enum abi_op op = ops[formula_pick(f, width <= 8 ? 13 : 8)]; /* Z3 is slow in wide products */
    return formula_pick(f, 5) ? expr_make(f->pool, op, width, 0, a, constant, 0)
                              : expr_make(f->pool, op, width, 0, constant, a, 0);
}

/* All variables within a few hundred, so that sums of them do not wrap around. */
static inline void formula_shrink(struct formula *f) {
    unsigned bytes = f->width / 8;
    for (unsigned i = 0; i < f->count; i++)
        for (unsigned b = 1; b < bytes; b++)
            f->input[i * bytes + b] = 0;
}

/* An operation that sums see through: a factor, a part of the bits, a cast there and back. */
static inline uint32_t formula_part(struct formula *f, uint32_t a) {
    unsigned width = f->width, small = 1 + formula_pick(f, 5);
    uint32_t number = expr_make_constant(f->pool, width, small);
    switch (formula_pick(f, 12)) {
    case 0:
        return expr_make(f->pool, ABI_OP_MUL, width, 0, a, number, 0);
    case 1:
        return expr_make(f->pool, ABI_OP_SHL, width, 0, a, number, 0);
    case 2:
        return expr_make(f->pool, formula_pick(f, 2) ? ABI_OP_LSHR : ABI_OP_ASHR, width, 0, a,
                         number, 0);
    case 3:
        number = expr_make_constant(f->pool, width, ((uint64_t)1 << small) - 1);
        number = formula_pick(f, 2) ? number : expr_make_not(f->pool, number);
        return expr_make(f->pool, ABI_OP_AND, width, 0, a, number, 0);
    case 4:
        a = expr_make(f->pool, ABI_OP_EXTRACT, width / 2, formula_pick(f, 2) ? width / 2 : 0, a, 0,
                      0);
        return formula_cast(f, a, width);
    case 5:
        return width > 16 ? a
                          : expr_make(f->pool, (enum abi_op)(ABI_OP_UDIV + formula_pick(f, 4)),
                                      width, 0, a, number, 0);
    case 6:
        return expr_make_not(f->pool, a);
    case 7:
        a = expr_make(f->pool, ABI_OP_SHL, width, 0, a, number, 0);
        return expr_make(f->pool, formula_pick(f, 2) ? ABI_OP_OR : ABI_OP_XOR, width, 0, a,
                         expr_make_constant(f->pool, width, formula_pick(f, 4)), 0);
    default:
        return a;
    }
}

static inline uint32_t formula_linear(struct formula *f) {
    uint32_t sum = formula_part(f, formula_variable(f));
    for (unsigned more = formula_pick(f, 4); more; more--)
        sum = expr_make(f->pool, formula_pick(f, 3) ? ABI_OP_ADD : ABI_OP_SUB, f->width, 0, sum,
                        formula_pick(f, 5) ? formula_part(f, formula_variable(f))
                                           : formula_constant(f, f->width),
                        0);
    return formula_pick(f, 6) ? sum : formula_part(f, sum);
}

static inline uint32_t formula_condition(struct formula *f, enum language language) {
    uint32_t a = formula_variable(f), b = formula_variable(f);
    unsigned wide = f->width < 64 ? f->width * 2 : 64;
    switch (language) {
    case BYTES:
        if (formula_pick(f, 2))
            a = formula_unary(f, a);
        if (formula_pick(f, 4) == 0)
            return expr_make(f->pool, formula_pick(f, 2) ? ABI_OP_AND : ABI_OP_OR, 1, 0,
                             formula_compare(f, a, formula_constant(f, f->width)),
                             formula_compare(f, a, formula_constant(f, f->width)), 0);
        return formula_compare(f, a, formula_constant(f, f->width));
    case ORDERS:
        return formula_compare(f, a, formula_pick(f, 4) ? b : formula_constant(f, f->width));
    case SUMS:
        return formula_compare(f, formula_pick(f, 2) ? formula_sum(f, a) : a,
                               formula_pick(f, 2) ? b : formula_constant(f, f->width));
    case CASTS:
        a = formula_cast(f, a, wide);
        b = formula_pick(f, 2) ? formula_cast(f, b, wide) : formula_constant(f, wide);
        if (formula_pick(f, 2))
            a = formula_sum(f, a);
        else if (formula_pick(f, 3) == 0)
            a = expr_make(f->pool, ABI_OP_SUB, wide, 0, a,
                          formula_cast(f, formula_variable(f), wide), 0);
        return formula_compare(f, a, b);
    case EQUALITIES: {
        uint32_t same = expr_make(f->pool, ABI_OP_EQ, 1, 0, a, b, 0);
        if (formula_pick(f, 3) == 0)
            return formula_compare(f, formula_unary(f, a), formula_constant(f, f->width));
        return formula_pick(f, 2) ? same : expr_make_not(f->pool, same);
    }
    case TABLES: {
        uint8_t bytes[40];
        for (unsigned i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)formula_random(f);
        uint32_t table = expr_make_table(f->pool, 8, sizeof bytes, bytes);
        a = expr_make(f->pool, ABI_OP_TABLE, 8, 0, a, table, 0);
        return formula_compare(f, a, formula_constant(f, 8));
    }
    case LINEAR:
        return formula_compare(f, formula_linear(f),
                               formula_pick(f, 3) ? formula_linear(f)
                                                  : formula_constant(f, f->width));
    default: {
        uint32_t x = formula_condition(f, (enum language)formula_pick(f, MIXTURE));
        if (formula_pick(f, 4))
            return x;
        uint32_t y = formula_condition(f, (enum language)formula_pick(f, MIXTURE));
        return formula_pick(f, 3)
                   ? expr_make(f->pool, formula_pick(f, 2) ? ABI_OP_AND : ABI_OP_OR, 1, 0, x, y, 0)
                   : formula_compare(f, formula_unary(f, a), formula_unary(f, b));
    }
    }
}

#endif
