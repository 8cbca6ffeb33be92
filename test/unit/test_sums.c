/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the stage for sums ever err? It is asked alone, about random sums of bytes that wrap around
 * as they like, and all values of the bytes are tried beside it: a "no" must have no solution, a
 * "yes" is evaluated. Sums that are too large for exact arithmetic must be left to others.
 * SLOWPATH_ROUNDS makes it longer.
 */
#include "solver/solver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formula.h"

#define PATH 12
#define MOST 4096 /* assignments of a system: 64 * 64, or 16 * 16 * 16 */

static struct solver *sums_alone(void) {
    struct solver_options options = {.timeout_ms = 1000};
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT; i++)
        options.off[i] = i != SOLVER_STAGE_SUMS;
    return solver_new(&options);
}

/* All inputs that satisfy what was asserted so far. */
struct solutions {
    uint8_t inputs[MOST][4];
    size_t count;
};

static bool holds(struct formula *f, const uint8_t *input, uint32_t condition) {
    expr_eval_begin(f->pool, input, f->size);
    return expr_eval(f->pool, condition);
}

static bool any_holds(struct formula *f, const struct solutions *left, uint32_t condition) {
    for (size_t i = 0; i < left->count; i++)
        if (holds(f, left->inputs[i], condition))
            return true;
    return false;
}

static void keep(struct formula *f, struct solutions *left, uint32_t condition) {
    size_t kept = 0;
    for (size_t i = 0; i < left->count; i++)
        if (holds(f, left->inputs[i], condition))
            memcpy(left->inputs[kept++], left->inputs[i], sizeof left->inputs[i]);
    left->count = kept;
}

/* Two or three bytes from LOW on, with as many values as fit; the solver is told the same. */
static void begin_system(struct formula *f, struct solver *solver, struct solutions *left) {
    unsigned count = 2 + formula_pick(f, 2), top = count == 2 ? 63 : 15;
    uint8_t low = formula_pick(f, 2) ? 0 : (uint8_t)formula_value(f, 8);
    formula_begin(f, 8, count);
    left->count = 0;
    for (unsigned number = 0; number < MOST; number++) {
        for (unsigned i = 0, rest = number; i < count; i++, rest /= top + 1)
            left->inputs[left->count][i] = (uint8_t)(low + rest % (top + 1));
        left->count++;
    }
    memcpy(f->input, left->inputs[formula_pick(f, (unsigned)left->count)], 4);
    solver_begin(solver, f->pool, f->input, f->size);
    for (unsigned i = 0; i < count; i++) { /* x - low <= top, modulo 256 */
        uint32_t x = expr_make_input(f->pool, 8, i);
        uint32_t distance =
            expr_make(f->pool, ABI_OP_SUB, 8, 0, x, expr_make_constant(f->pool, 8, low), 0);
        solver_assert(solver, expr_make(f->pool, ABI_OP_ULE, 1, 0, distance,
                                        expr_make_constant(f->pool, 8, top), 0));
    }
}

/* One question; true if the stage knew the answer. */
static bool check_question(struct formula *f, struct solver *solver, const struct solutions *left,
                           uint32_t condition) {
    uint8_t model[4];
    enum solver_answer answer = solver_ask(solver, condition, model);
    if (answer == SOLVER_UNKNOWN)
        return false;
    assert_int_equal(answer == SOLVER_SAT, any_holds(f, left, condition));
    if (answer == SOLVER_SAT)
        assert_true(holds(f, model, condition));
    return true;
}

static void test_all_values(void **state) {
    (void)state;
    static struct solutions left;
    struct formula f = {.pool = expr_pool_new(), .random = formula_seed("all values")};
    struct solver *solver = sums_alone();
    size_t asked = 0, known = 0;
    for (unsigned round = 0; round < formula_rounds(60); round++) {
        begin_system(&f, solver, &left);
        for (unsigned i = 0; i < PATH; i++) {
            uint32_t condition = formula_condition(&f, LINEAR);
            if (!holds(&f, f.input, condition))
                condition = expr_make_not(f.pool, condition);
            known += check_question(&f, solver, &left, expr_make_not(f.pool, condition));
            asked++;
            solver_assert(solver, condition);
            keep(&f, &left, condition);
        }
    }
    printf("%zu of %zu known, %llu models wrong\n", known, asked,
           (unsigned long long)solver_statistics(solver)->wrong_models);
    assert_true(known >= asked * 6 / 10);
    assert_int_equal(solver_statistics(solver)->wrong_models, 0);
    solver_free(solver);
    expr_pool_free(f.pool);
}

static uint32_t operate(struct expr_pool *pool, enum abi_op op, uint32_t a, uint32_t b) {
    bool compares = op >= ABI_OP_EQ && op <= ABI_OP_SLE;
    return expr_make(pool, op, compares ? 1 : expr_node(pool, a)->width, 0, a, b, 0);
}

/* (a + b) + c < a has solutions for ints, by wrapping around, and none for small ones. */
static void test_wrapping(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    struct solver *solver = sums_alone();
    int32_t input[3] = {1, 2, 3}, model[3];
    uint32_t x[3], zero = expr_make_constant(pool, 32, 0);
    uint32_t most = expr_make_constant(pool, 32, 1 << 29);
    for (unsigned i = 0; i < 3; i++)
        x[i] = expr_make_input(pool, 32, i * 4);
    uint32_t sum = operate(pool, ABI_OP_ADD, operate(pool, ABI_OP_ADD, x[0], x[1]), x[2]);
    uint32_t less = operate(pool, ABI_OP_SLT, sum, x[0]);
    solver_begin(solver, pool, (uint8_t *)input, sizeof input);
    for (unsigned i = 0; i < 3; i++)
        solver_assert(solver, operate(pool, ABI_OP_SLE, zero, x[i]));
    assert_int_equal(solver_ask(solver, less, (uint8_t *)model), SOLVER_SAT);
    assert_true((int32_t)((uint32_t)model[0] + (uint32_t)model[1] + (uint32_t)model[2]) < model[0]);
    for (unsigned i = 0; i < 3; i++)
        solver_assert(solver, operate(pool, ABI_OP_SLE, x[i], most));
    assert_int_equal(solver_ask(solver, less, (uint8_t *)model), SOLVER_UNSAT);
    solver_free(solver);
    expr_pool_free(pool);
}

/* Numbers of 64 bits with large factors: no answer, or a right one, and the next one is right. */
static void test_large_numbers(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    struct solver *solver = sums_alone();
    int64_t input[4] = {1, 2, 3, 4}, model[4];
    uint32_t x[4], sum = expr_make_constant(pool, 64, 1);
    for (unsigned i = 0; i < 4; i++)
        x[i] = expr_make_input(pool, 64, i * 8);
    solver_begin(solver, pool, (uint8_t *)input, sizeof input);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t factor = expr_make_constant(pool, 64, 0x123456789abcdull * (i + 3));
        sum = operate(pool, ABI_OP_ADD, sum, operate(pool, ABI_OP_MUL, x[i], factor));
        solver_ask(solver, operate(pool, ABI_OP_SLT, sum, x[i]), (uint8_t *)model);
    }
    uint32_t ten = expr_make_constant(pool, 64, 10);
    uint32_t small = operate(pool, ABI_OP_SLT, operate(pool, ABI_OP_ADD, x[0], x[1]), ten);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t limit = expr_make_constant(pool, 64, 6);
        solver_assert(solver, operate(pool, ABI_OP_ULT, x[i], limit));
    }
    assert_int_equal(solver_ask(solver, expr_make_not(pool, small), (uint8_t *)model), SOLVER_SAT);
    assert_true(model[0] == 5 && model[1] == 5);
    solver_assert(solver, operate(pool, ABI_OP_SLT, x[0], expr_make_constant(pool, 64, 5)));
    assert_int_equal(solver_ask(solver, expr_make_not(pool, small), (uint8_t *)model),
                     SOLVER_UNSAT);
    solver_free(solver);
    expr_pool_free(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_values),
                                       cmocka_unit_test(test_wrapping),
                                       cmocka_unit_test(test_large_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
