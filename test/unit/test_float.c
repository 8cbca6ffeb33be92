/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating-point expressions: what they evaluate to is what the host computes, what Z3 says of them
 * is what they evaluate to, and what the builder makes of comparisons means the same. On random
 * values with a liking for NaN, infinities, zeros, subnormals and neighbours.
 */
#include "formula.h"
#include "solver/solver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 3000

static uint64_t random_bits(struct formula *f, unsigned width) {
    static const double values[] = {0.0,
                                    1.0,
                                    2.0,
                                    0.5,
                                    1.5,
                                    3.0,
                                    1e300,
                                    5e-324,
                                    1e-40,
                                    16777217.0,
                                    2147483648.0,
                                    9223372036854775808.0,
                                    18446744073709551616.0};
    uint64_t sign = (uint64_t)formula_pick(f, 2) << (width - 1), bits = 0;
    switch (formula_pick(f, 8)) {
    case 0:
        bits = formula_random(f);
        break;
    case 1:
        bits = (uint64_t)expr_float_infinity(width) + formula_pick(f, 3);
        break;
    case 2:
        bits = formula_pick(f, 3); /* zero, subnormal */
        break;
    case 3:
        bits = expr_float_bits(width, (double)(int64_t)formula_value(f, 64));
        break;
    case 4:
        bits = expr_float_bits(width, formula_pick(f, 1000) / 8.0);
        break;
    default:
        bits = expr_float_bits(width, values[formula_pick(f, BASE_COUNT(values))]) +
               (formula_pick(f, 4) ? 0 : formula_pick(f, 3) - 1);
    }
    return (bits ^ sign) & (width == 32 ? UINT32_MAX : UINT64_MAX);
}

static float single_of(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void assert_single(uint64_t bits, float expected) {
    if (isnan(expected))
        assert_true(isnan(single_of(bits)));
    else
        assert_memory_equal(&bits, &expected, sizeof expected);
}

static void assert_double(uint64_t bits, double expected) {
    if (isnan(expected))
        assert_true(isnan(double_of(bits)));
    else
        assert_memory_equal(&bits, &expected, sizeof expected);
}

#define APPLY(op, width, from, a, b) expr_apply(ABI_OP_##op, width, from, 0, a, b, 0)

static void folds_as_the_host(void **state) {
    (void)state;
    struct formula f = {.random = formula_seed("folds_as_the_host")};
    for (unsigned i = 0; i < ROUNDS * 10; i++) {
        uint64_t a = random_bits(&f, 64), b = random_bits(&f, 64);
        double x = double_of(a), y = double_of(b);
        assert_int_equal(APPLY(FEQ, 1, 64, a, b), x == y);
        assert_int_equal(APPLY(FLT, 1, 64, a, b), x < y);
        assert_int_equal(APPLY(FLE, 1, 64, a, b), x <= y);
        assert_double(APPLY(FADD, 64, 64, a, b), x + y);
        assert_double(APPLY(FSUB, 64, 64, a, b), x - y);
        assert_double(APPLY(FMUL, 64, 64, a, b), x * y);
        assert_double(APPLY(FDIV, 64, 64, a, b), x / y);
        assert_double(APPLY(FSQRT, 64, 64, a, 0), sqrt(x));
        assert_double(APPLY(FLOOR, 64, 64, a, 0), floor(x));
        assert_double(APPLY(FCEIL, 64, 64, a, 0), ceil(x));
        assert_double(APPLY(FTRUNC, 64, 64, a, 0), trunc(x));
        assert_double(APPLY(FROUND, 64, 64, a, 0), round(x));
        assert_double(APPLY(FRINT, 64, 64, a, 0), rint(x));
        assert_single(APPLY(FCVT, 32, 64, a, 0), (float)x);
        assert_double(APPLY(STOF, 64, 64, a, 0), (double)(int64_t)a);
        assert_double(APPLY(UTOF, 64, 64, a, 0), (double)a);
        assert_single(APPLY(STOF, 32, 64, a, 0), (float)(int64_t)a);
        a = random_bits(&f, 32), b = random_bits(&f, 32);
        float s = single_of(a), t = single_of(b);
        assert_int_equal(APPLY(FLT, 1, 32, a, b), s < t);
        assert_single(APPLY(FADD, 32, 32, a, b), s + t);
        assert_single(APPLY(FSUB, 32, 32, a, b), s - t);
        assert_single(APPLY(FMUL, 32, 32, a, b), s * t);
        assert_single(APPLY(FDIV, 32, 32, a, b), s / t);
        assert_single(APPLY(FSQRT, 32, 32, a, 0), sqrtf(s));
        assert_single(APPLY(FLOOR, 32, 32, a, 0), floorf(s));
        assert_single(APPLY(FROUND, 32, 32, a, 0), roundf(s));
        assert_single(APPLY(FRINT, 32, 32, a, 0), rintf(s));
        assert_double(APPLY(FCVT, 64, 32, a, 0), s);
        assert_single(APPLY(STOF, 32, 32, a, 0), (float)(int32_t)a);
    }
}

/* What the processor's conversions give, out of range too. */
static void converts_as_the_processor(void **state) {
    (void)state;
    struct formula f = {.random = formula_seed("converts_as_the_processor")};
    for (unsigned i = 0; i < ROUNDS * 10; i++) {
        uint64_t bits = random_bits(&f, 64);
        double x = double_of(bits);
        int narrow;
        long wide;
        __asm__("cvttsd2si %1, %0" : "=r"(narrow) : "x"(x));
        __asm__("cvttsd2si %1, %0" : "=r"(wide) : "x"(x));
        assert_int_equal(APPLY(FTOS, 32, 64, bits, 0), (uint32_t)narrow);
        assert_int_equal(APPLY(FTOS, 64, 64, bits, 0), (uint64_t)wide);
        if (x >= 0 && x < 18446744073709551616.0)
            assert_int_equal(APPLY(FTOU, 64, 64, bits, 0), (uint64_t)x);
    }
}

/* Keys are ordered as the numbers, and lead back to them. */
static void keys_are_orders(void **state) {
    (void)state;
    struct formula f = {.random = formula_seed("keys_are_orders")};
    for (unsigned i = 0; i < ROUNDS * 10; i++) {
        unsigned width = i % 2 ? 32 : 64;
        uint64_t a = random_bits(&f, width), b = random_bits(&f, width);
        double x = expr_float_value(width, a), y = expr_float_value(width, b);
        int64_t p = expr_float_key(width, a), q = expr_float_key(width, b);
        assert_int_equal(isnan(x), llabs(p) > expr_float_infinity(width));
        if (!isnan(x) && !isnan(y))
            assert_true((x < y) == (p < q) && (x == y) == (p == q));
        if (x != 0)
            assert_int_equal(expr_float_of_key(width, p), a);
    }
}

/* ---- Z3 ---- */

static const enum abi_op operations[] = {
    ABI_OP_FEQ,   ABI_OP_FLT,   ABI_OP_FLE,   ABI_OP_FADD,  ABI_OP_FSUB,   ABI_OP_FMUL,
    ABI_OP_FDIV,  ABI_OP_FSQRT, ABI_OP_FLOOR, ABI_OP_FCEIL, ABI_OP_FTRUNC, ABI_OP_FROUND,
    ABI_OP_FRINT, ABI_OP_FCVT,  ABI_OP_STOF,  ABI_OP_UTOF,  ABI_OP_FTOS,   ABI_OP_FTOU};

static unsigned result_width(enum abi_op op, unsigned from, unsigned other) {
    if (abi_op_compares_floats(op))
        return 1;
    if (op == ABI_OP_FCVT)
        return 96 - from;
    if (op == ABI_OP_FTOU)
        return 64;
    return op == ABI_OP_STOF || op == ABI_OP_UTOF || op == ABI_OP_FTOS ? other : from;
}

static void fill(struct formula *f, unsigned width) {
    expr_pool_clear(f->pool);
    f->width = width;
    f->count = 2;
    f->size = 2 * (width / 8);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t bits = random_bits(f, width);
        memcpy(f->input + i * (width / 8), &bits, width / 8);
    }
}

/* With the operands fixed, the result is what it evaluates to and nothing else. */
static void z3_computes_the_same(void **state) {
    (void)state;
    struct formula f = {.pool = expr_pool_new(), .random = formula_seed("z3_computes_the_same")};
    struct solver_options options = {.timeout_ms = 60000};
    for (unsigned i = 0; i < SOLVER_STAGE_SMT; i++)
        options.off[i] = true;
    struct solver *solver = solver_new(&options);
    uint8_t model[16];
    for (unsigned i = 0; i < formula_rounds(20) * BASE_COUNT(operations); i++) {
        enum abi_op op = operations[i % BASE_COUNT(operations)];
        unsigned width = op == ABI_OP_UTOF || formula_pick(&f, 2) ? 64 : 32;
        fill(&f, width);
        uint32_t a = expr_make_input(f.pool, width, 0),
                 b = expr_make_input(f.pool, width, width / 8);
        unsigned to = result_width(op, width, formula_pick(&f, 2) ? 64 : 32);
        uint32_t result = expr_make(f.pool, op, to, 0, a, expr_operands(op) > 1 ? b : 0, 0);
        expr_eval_begin(f.pool, f.input, f.size);
        uint32_t value = expr_make_constant(f.pool, to, expr_eval(f.pool, result));
        const uint32_t inputs[2] = {a, b};
        solver_begin(solver, f.pool, f.input, f.size);
        for (unsigned k = 0; k < 2; k++)
            solver_assert(solver,
                          expr_make(f.pool, ABI_OP_EQ, 1, 0, inputs[k],
                                    expr_make_constant(f.pool, width, expr_eval(f.pool, inputs[k])),
                                    0));
        uint32_t same = expr_make(f.pool, ABI_OP_EQ, 1, 0, result, value, 0);
        assert_int_equal(solver_ask(solver, expr_make_not(f.pool, same), model), SOLVER_UNSAT);
        assert_int_equal(solver_ask(solver, same, model), SOLVER_SAT);
    }
    assert_int_equal(solver_statistics(solver)->wrong_models, 0);
    solver_free(solver);
    expr_pool_free(f.pool);
}

/* ---- orders ---- */

static uint32_t random_side(struct formula *f) {
    uint32_t side = formula_variable(f);
    uint64_t sign = (uint64_t)1 << (f->width - 1);
    switch (formula_pick(f, 12)) {
    case 0:
        return expr_make(f->pool, ABI_OP_XOR, f->width, 0, side,
                         expr_make_constant(f->pool, f->width, sign), 0);
    case 1:
        return expr_make(f->pool, ABI_OP_AND, f->width, 0, side,
                         expr_make_constant(f->pool, f->width, sign - 1), 0);
    case 2:
    case 3:
        return expr_make_constant(f->pool, f->width, random_bits(f, f->width));
    default:
        return side;
    }
}

/* A comparison; now and then of bits, or of a number with itself. */
static uint32_t random_comparison(struct formula *f) {
    static const enum abi_op ops[] = {ABI_OP_FEQ, ABI_OP_FLT, ABI_OP_FLE, ABI_OP_FLT};
    enum abi_op op = formula_pick(f, 16) ? ops[formula_pick(f, 4)] : ABI_OP_SLT;
    uint32_t a = random_side(f), b = formula_pick(f, 12) ? random_side(f) : a;
    return expr_make(f->pool, op, 1, 0, a, b, 0);
}

static void fill_many(struct formula *f, unsigned width, unsigned count) {
    expr_pool_clear(f->pool);
    f->width = width;
    f->count = count;
    f->size = count * (width / 8);
    for (unsigned i = 0; i < count; i++) {
        uint64_t bits = random_bits(f, width);
        memcpy(f->input + i * (width / 8), &bits, width / 8);
    }
}

/* Every answer of a fast stage is compared with Z3's, every model is evaluated. */
static void orders_agree_with_z3(void **state) {
    (void)state;
    struct formula f = {.pool = expr_pool_new(), .random = formula_seed("orders_agree_with_z3")};
    struct solver_options options = {.timeout_ms = 60000, .cross_check = true};
    struct solver *solver = solver_new(&options);
    uint8_t model[64];
    for (unsigned round = 0; round < 60; round++) {
        fill_many(&f, round % 2 ? 32 : 64, 2 + formula_pick(&f, 4));
        solver_begin(solver, f.pool, f.input, f.size);
        expr_eval_begin(f.pool, f.input, f.size);
        for (unsigned i = 0; i < 10; i++) {
            uint32_t condition = random_comparison(&f);
            uint32_t other = expr_make_not(f.pool, condition);
            bool holds = expr_eval(f.pool, condition);
            solver_ask(solver, holds ? other : condition, model);
            solver_assert(solver, holds ? condition : other);
        }
    }
    const struct solver_statistics *statistics = solver_statistics(solver);
    assert_int_equal(statistics->wrong_models, 0);
    assert_int_equal(statistics->unknown, 0);
    assert_true(statistics->unsat[SOLVER_STAGE_ORDER] > 2);
    assert_true(statistics->sat[SOLVER_STAGE_ORDER] > 40);
    solver_free(solver);
    expr_pool_free(f.pool);
}

/* s < t and not u < t: then not u < s, whatever the three sums are; but u may be NaN. */
static void sums_contradict_each_other(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    struct solver_options options = {.timeout_ms = 60000};
    struct solver *solver = solver_new(&options);
    uint8_t input[32], model[32];
    const double values[4] = {1, 2, 3, 4};
    memcpy(input, values, sizeof input);
    solver_begin(solver, pool, input, sizeof input);
    uint32_t v[4], sums[3];
    for (unsigned i = 0; i < 4; i++)
        v[i] = expr_make_input(pool, 64, 8 * i);
    for (unsigned i = 0; i < 3; i++)
        sums[i] = expr_make(pool, ABI_OP_FADD, 64, 0, v[i], v[i + 1], 0);
    uint32_t s = sums[0], t = sums[1], u = sums[2];
    solver_assert(solver, expr_make(pool, ABI_OP_FLT, 1, 0, s, t, 0));
    solver_assert(solver, expr_make_not(pool, expr_make(pool, ABI_OP_FLT, 1, 0, u, t, 0)));
    uint32_t less = expr_make(pool, ABI_OP_FLT, 1, 0, u, s, 0);
    assert_int_equal(solver_ask(solver, less, model), SOLVER_UNSAT);
    assert_int_equal(solver_statistics(solver)->unsat[SOLVER_STAGE_CYCLE], 1);
    uint32_t at_least = expr_make(pool, ABI_OP_FLE, 1, 0, s, u, 0);
    assert_int_equal(solver_ask(solver, expr_make_not(pool, at_least), model), SOLVER_SAT);
    solver_assert(solver, expr_make(pool, ABI_OP_FEQ, 1, 0, u, u, 0));
    assert_int_equal(solver_ask(solver, expr_make_not(pool, at_least), model), SOLVER_UNSAT);
    assert_int_equal(solver_statistics(solver)->unsat[SOLVER_STAGE_CYCLE], 2);
    solver_free(solver);
    expr_pool_free(pool);
}

/* What the builder makes of a comparison means the same as the comparison itself. */
static void comparisons_keep_their_meaning(void **state) {
    (void)state;
    static const enum abi_op ops[] = {ABI_OP_FEQ, ABI_OP_FLT, ABI_OP_FLE};
    struct formula f = {.pool = expr_pool_new(),
                        .random = formula_seed("comparisons_keep_their_meaning")};
    for (unsigned round = 0; round < ROUNDS * 10; round++) {
        fill(&f, 32);
        uint32_t a = expr_make_input(f.pool, 32, 0), b = expr_make_input(f.pool, 32, 4), side[2];
        for (unsigned i = 0; i < 2; i++) {
            uint32_t number = formula_pick(&f, 2) ? a : b;
            enum abi_op op = formula_pick(&f, 2) ? ABI_OP_STOF : ABI_OP_FCVT;
            side[i] = formula_pick(&f, 3) ? expr_make(f.pool, op, 64, 0, number, 0, 0)
                                          : expr_make_constant(f.pool, 64, random_bits(&f, 64));
            uint32_t zero = expr_make_constant(f.pool, 64, (uint64_t)formula_pick(&f, 2) << 63);
            if (formula_pick(&f, 3) == 0)
                side[i] = expr_make(f.pool, ABI_OP_FADD, 64, 0, zero, side[i], 0);
        }
        enum abi_op op = ops[formula_pick(&f, 3)];
        uint32_t built = expr_make(f.pool, op, 1, 0, side[0], side[1], 0);
        expr_eval_begin(f.pool, f.input, f.size);
        uint64_t x = expr_eval(f.pool, side[0]), y = expr_eval(f.pool, side[1]);
        assert_int_equal(expr_eval(f.pool, built), expr_apply(op, 1, 64, 0, x, y, 0));
    }
    expr_pool_free(f.pool);
}

/* ---- as C ---- */

static void expect(struct expr_pool *pool, uint32_t id, const char *expected) {
    struct base_buffer text = {0};
    expr_print(pool, id, NULL, NULL, &text);
    assert_string_equal(text.data, expected);
    base_buffer_done(&text);
}

static void prints_as_c(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    uint32_t x = expr_make_input(pool, 64, 0), y = expr_make_input(pool, 64, 8);
    uint32_t half = expr_make_constant(pool, 64, expr_float_bits(64, 0.5));
    uint32_t sign = expr_make_constant(pool, 64, (uint64_t)1 << 63);
    uint32_t sum = expr_make(pool, ABI_OP_FADD, 64, 0, x, half, 0);
    uint32_t product = expr_make(pool, ABI_OP_FMUL, 64, 0, sum, y, 0);
    uint32_t negative = expr_make(pool, ABI_OP_XOR, 64, 0, y, sign, 0);
    uint32_t less = expr_make(pool, ABI_OP_FLT, 1, 0, x, negative, 0);
    expect(pool, less, "*(double *)&in[0] < -*(double *)&in[8]");
    expect(pool, expr_make_not(pool, less), "!(*(double *)&in[0] < -*(double *)&in[8])");
    expect(pool, expr_make_not(pool, expr_make(pool, ABI_OP_FEQ, 1, 0, x, x, 0)),
           "*(double *)&in[0] != *(double *)&in[0]");
    expect(pool, expr_make(pool, ABI_OP_FLE, 1, 0, half, product, 0),
           "*(double *)&in[8] * (*(double *)&in[0] + 0.5) >= 0.5");
    expect(pool, expr_make(pool, ABI_OP_FTOS, 32, 0, product, 0, 0),
           "(int32_t)(*(double *)&in[8] * (*(double *)&in[0] + 0.5))");
    expect(pool, sum, "*(int64_t *)&(double){*(double *)&in[0] + 0.5}");
    uint32_t next = expr_make(pool, ABI_OP_ADD, 64, 0, x, expr_make_constant(pool, 64, 1), 0);
    expect(pool, expr_make(pool, ABI_OP_FLT, 1, 0, next, half, 0),
           "*(double *)&(int64_t){*(int64_t *)&in[0] + 1} < 0.5");
    expr_pool_free(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_as_the_host),
        cmocka_unit_test(converts_as_the_processor),
        cmocka_unit_test(keys_are_orders),
        cmocka_unit_test(z3_computes_the_same),
        cmocka_unit_test(orders_agree_with_z3),
        cmocka_unit_test(prints_as_c),
        cmocka_unit_test(sums_contradict_each_other),
        cmocka_unit_test(comparisons_keep_their_meaning),
    };
    return cmocka_run_group_tests_name("float", tests, NULL, NULL);
}
