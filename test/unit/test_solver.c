/* SPDX-License-Identifier: Apache-2.0
 *
 * Is every answer of the chain right? Random paths in the language of each stage are walked down as
 * the engine walks down a trace, with every fast answer cross-checked against Z3, every model
 * evaluated, and each stage switched off in turn. SLOWPATH_ROUNDS makes it longer.
 */
#include "solver/flat.h"
#include "solver/solver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formula.h"

#define PATH 14

static uint32_t satisfied(struct formula *f, uint32_t condition) {
    expr_eval_begin(f->pool, f->input, f->size);
    return expr_eval(f->pool, condition) ? condition : expr_make_not(f->pool, condition);
}

static void check_model(struct formula *f, const uint32_t *conditions, size_t count, uint32_t asked,
                        const uint8_t *model) {
    expr_eval_begin(f->pool, model, f->size);
    assert_true(expr_eval(f->pool, asked));
    for (size_t i = 0; i < count; i++)
        assert_true(expr_eval(f->pool, conditions[i]));
}

/* Walks down one random path; the answers go to ANSWERS. */
static void walk(struct formula *f, struct solver *solver, const uint32_t *path,
                 enum solver_answer *answers) {
    uint8_t model[sizeof f->input];
    solver_begin(solver, f->pool, f->input, f->size);
    for (unsigned i = 0; i < PATH; i++) {
        uint32_t other = expr_make_not(f->pool, path[i]);
        answers[i] = solver_ask(solver, other, model);
        if (answers[i] == SOLVER_SAT)
            check_model(f, path, i, other, model);
        solver_assert(solver, path[i]);
    }
}

static void make_path(struct formula *f, enum language language, uint32_t *path) {
    static const unsigned widths[] = {8, 16, 32, 64};
    unsigned width = language == BYTES || language == EQUALITIES
                         ? 8
                         : widths[formula_pick(f, language == LINEAR ? 3 : 4)];
    formula_begin(f, width, 2 + formula_pick(f, 5));
    f->signs = language == ORDERS ? 1 + formula_pick(f, 2) : formula_pick(f, 3);
    bool is_small = language == LINEAR && formula_pick(f, 2);
    if (is_small)
        formula_shrink(f);
    uint32_t limit = expr_make_constant(f->pool, width, 255);
    for (unsigned i = 0; i < PATH; i++) {
        bool is_range = is_small && i < f->count;
        uint32_t variable = is_range ? expr_make_input(f->pool, width, i * (width / 8)) : 0;
        path[i] = satisfied(f, is_range && width > 8
                                   ? expr_make(f->pool, ABI_OP_ULE, 1, 0, variable, limit, 0)
                                   : formula_condition(f, language));
    }
}

static void print_statistics(const char *name, const struct solver *solver) {
    static const char *const names[] = {
#define STAGE(id, name, text) #name,
#include "solver/stages.def"
#undef STAGE
    };
    const struct solver_statistics *s = solver_statistics(solver);
    printf("%s:", name);
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT; i++)
        printf(" %s %llu+%llu", names[i], (unsigned long long)s->sat[i],
               (unsigned long long)s->unsat[i]);
    printf(" unknown %llu wrong %llu\n", (unsigned long long)s->unknown,
           (unsigned long long)s->wrong_models);
}

static void check_language(const char *name, enum language language, unsigned count,
                           double least_share) {
    struct formula f = {.pool = expr_pool_new(), .random = formula_seed(name)};
    struct solver_options options = {.cross_check = true, .timeout_ms = 10000};
    struct solver *solver = solver_new(&options);
    enum solver_answer answers[PATH];
    uint32_t path[PATH];
    for (unsigned round = 0; round < count; round++) {
        make_path(&f, language, path);
        walk(&f, solver, path, answers);
        for (unsigned i = 0; i < PATH; i++)
            assert_int_not_equal(answers[i], SOLVER_UNKNOWN);
    }
    print_statistics(name, solver);
    const struct solver_statistics *s = solver_statistics(solver);
    double fast = 0, slow = (double)(s->sat[SOLVER_STAGE_SMT] + s->unsat[SOLVER_STAGE_SMT]);
    for (unsigned i = 0; i < SOLVER_STAGE_SMT; i++)
        fast += (double)(s->sat[i] + s->unsat[i]);
    assert_int_equal(s->wrong_models, 0);
    assert_true(fast >= least_share * (fast + slow));
    solver_free(solver);
    expr_pool_free(f.pool);
}

static void test_bytes(void **state) {
    (void)state;
    check_language("bytes", BYTES, formula_rounds(60), 1.0);
}

static void test_orders(void **state) {
    (void)state;
    check_language("orders", ORDERS, formula_rounds(60), 0.98);
}

static void test_sums(void **state) {
    (void)state;
    check_language("sums", SUMS, formula_rounds(40), 0.1);
}

static void test_casts(void **state) {
    (void)state;
    check_language("casts", CASTS, formula_rounds(40), 0.3);
}

static void test_linear(void **state) {
    (void)state;
    check_language("linear", LINEAR, formula_rounds(4), 0.5);
}

static void test_equalities(void **state) {
    (void)state;
    check_language("equalities", EQUALITIES, formula_rounds(50), 0.9);
}

static void test_tables(void **state) {
    (void)state;
    check_language("tables", TABLES, formula_rounds(12), 0.0);
}

static void test_mixture(void **state) {
    (void)state;
    check_language("mixture", MIXTURE, formula_rounds(30), 0.0);
}

static void test_stages_off(void **state) {
    (void)state;
    struct formula f = {.pool = expr_pool_new(), .random = formula_seed("stages off")};
    struct solver_options options = {.timeout_ms = 10000};
    struct solver *usual = solver_new(&options), *without[SOLVER_STAGE_COUNT];
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT; i++) {
        struct solver_options fewer = options;
        fewer.off[i] = true;
        without[i] = solver_new(&fewer);
    }
    for (unsigned round = 0; round < formula_rounds(10); round++) {
        uint32_t path[PATH];
        enum solver_answer expected[PATH], answers[PATH];
        make_path(&f, (enum language)formula_pick(&f, LANGUAGES), path);
        walk(&f, usual, path, expected);
        for (unsigned stage = 0; stage < SOLVER_STAGE_COUNT; stage++) {
            walk(&f, without[stage], path, answers);
            for (unsigned i = 0; i < PATH; i++)
                if (stage != SOLVER_STAGE_SMT || answers[i] != SOLVER_UNKNOWN)
                    assert_int_equal(answers[i], expected[i]);
        }
    }
    for (unsigned i = 0; i < SOLVER_STAGE_COUNT; i++)
        solver_free(without[i]);
    solver_free(usual);
    expr_pool_free(f.pool);
}

/* All at once: random conditions, satisfiable or not; cores must be unsatisfiable. Where the
 * solver keeps what it knows, the answers are the same. */
static void check_solve(bool keeps) {
    struct formula f = {.pool = expr_pool_new(), .random = formula_seed("solve")};
    struct solver_options options = {.cross_check = true, .timeout_ms = 10000}, plain = options;
    for (unsigned i = 0; i < SOLVER_STAGE_SMT; i++)
        plain.off[i] = true;
    plain.cross_check = false;
    struct solver *solver = solver_new(&options), *reference = solver_new(&plain);
    unsigned cores = 0;
    for (unsigned round = 0; round < formula_rounds(120); round++) {
        uint32_t conditions[PATH], core[PATH];
        bool in_core[PATH];
        uint8_t model[sizeof f.input];
        make_path(&f, (enum language)formula_pick(&f, LANGUAGES), conditions);
        size_t count = 2 + formula_pick(&f, PATH - 2), size = 0;
        solver_keep(solver, keeps); /* the pool is another one */
        for (size_t i = 0; i < count; i++)
            if (formula_pick(&f, 4) == 0)
                conditions[i] = expr_make_not(f.pool, conditions[i]);
        enum solver_answer answer =
            solver_solve(solver, f.pool, conditions, count, model, f.size, in_core);
        enum solver_answer expected =
            solver_solve(reference, f.pool, conditions, count, model, f.size, NULL);
        assert_int_equal(answer, expected);
        if (answer == SOLVER_SAT) {
            check_model(&f, conditions, count, conditions[0], model);
            continue;
        }
        for (size_t i = 0; i < count; i++)
            if (in_core[i])
                core[size++] = conditions[i];
        assert_int_equal(solver_solve(reference, f.pool, core, size, model, f.size, NULL),
                         SOLVER_UNSAT);
        assert_int_equal(solver_solve(solver, f.pool, core, size, model, f.size, in_core),
                         SOLVER_UNSAT);
        cores++;
    }
    assert_true(cores > 0);
    print_statistics("solve", solver);
    solver_free(solver);
    solver_free(reference);
    expr_pool_free(f.pool);
}

static void test_solve(void **state) {
    (void)state;
    check_solve(false);
    check_solve(true);
}

/* Ranges hold in every model, also where the pool has the bytes of an integer only. */
static void test_ranges(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    struct solver_options options = {.cross_check = true};
    struct solver *solver = solver_new(&options);
    struct solver_range range = {.offset = 0, .width = 32, .low = -5, .high = 5, .is_signed = true};
    uint8_t input[8] = {0}, model[8];
    solver_set_ranges(solver, &range, 1);
    uint32_t x = expr_make_input(pool, 32, 0), y = expr_make_input(pool, 32, 4);
    uint32_t five = expr_make_constant(pool, 32, 5);
    solver_begin(solver, pool, input, sizeof input);
    assert_int_equal(solver_ask(solver, expr_make(pool, ABI_OP_SLT, 1, 0, five, x, 0), model),
                     SOLVER_UNSAT);
    assert_int_equal(solver_ask(solver, expr_make(pool, ABI_OP_SLT, 1, 0, five, y, 0), model),
                     SOLVER_SAT);
    solver_assert(solver, expr_make(pool, ABI_OP_SLE, 1, 0, y, x, 0));
    assert_int_equal(solver_ask(solver, expr_make(pool, ABI_OP_SLT, 1, 0, five, y, 0), model),
                     SOLVER_UNSAT);
    expr_pool_clear(pool);
    uint32_t byte = expr_make_input(pool, 8, 1);
    solver_begin(solver, pool, input, sizeof input);
    assert_int_equal(
        solver_ask(solver,
                   expr_make(pool, ABI_OP_EQ, 1, 0, byte, expr_make_constant(pool, 8, 7), 0),
                   model),
        SOLVER_UNSAT);
    solver_free(solver);
    expr_pool_free(pool);
}

/* Bytes beyond the end of the input are zero. */
static void test_end_of_input(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    struct solver_options options = {.cross_check = true};
    struct solver *solver = solver_new(&options);
    uint8_t input[2] = {0}, model[2];
    uint32_t x = expr_make_input(pool, 32, 0);
    uint32_t limit = expr_make_constant(pool, 32, 0xffff);
    solver_begin(solver, pool, input, sizeof input);
    assert_int_equal(solver_ask(solver, expr_make(pool, ABI_OP_ULT, 1, 0, limit, x, 0), model),
                     SOLVER_UNSAT);
    assert_int_equal(solver_ask(solver, expr_make(pool, ABI_OP_EQ, 1, 0, x, limit, 0), model),
                     SOLVER_SAT);
    assert_int_equal(model[1], 0xff);
    solver_free(solver);
    expr_pool_free(pool);
}

struct stopping {
    double end;
};

static bool is_past(void *context) {
    const struct stopping *stopping = context;
    return base_seconds() > stopping->end;
}

/* The factors of a product of two primes: Z3 does not find them for a very long time. */
static uint32_t hard_question(struct expr_pool *pool) {
    uint32_t a = expr_make(pool, ABI_OP_ZEXT, 64, 0, expr_make_input(pool, 32, 0), 0, 0);
    uint32_t b = expr_make(pool, ABI_OP_ZEXT, 64, 0, expr_make_input(pool, 32, 4), 0, 0);
    uint32_t product = expr_make_constant(pool, 64, 2654435761u * (uint64_t)3266489917u);
    return expr_make(pool, ABI_OP_EQ, 1, 0, expr_make(pool, ABI_OP_MUL, 64, 0, a, b, 0), product,
                     0);
}

/* A question ends soon after the search, and the solver answers others afterwards. */
static void test_stopping(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    struct stopping stopping = {base_seconds() + 0.3};
    struct solver_options options = {.timeout_ms = 60000, .is_over = is_past, .context = &stopping};
    struct solver *solver = solver_new(&options);
    uint8_t zeros[16] = {0}, model[16];
    double began = base_seconds();
    solver_begin(solver, pool, zeros, sizeof zeros);
    assert_int_equal(solver_ask(solver, hard_question(pool), model), SOLVER_UNKNOWN);
    assert_true(base_seconds() - began < 20); /* far less, unless the machine is very busy */
    assert_true(solver_is_over(solver));
    stopping.end = 1e18;
    for (unsigned i = 0; i < SOLVER_STAGE_SMT; i++)
        options.off[i] = true;
    struct solver *other = solver_new(&options);
    uint32_t nine = expr_make_constant(pool, 32, 9), input = expr_make_input(pool, 32, 0);
    for (int i = 0; i < 2; i++) {
        struct solver *asked = i ? other : solver;
        solver_begin(asked, pool, zeros, sizeof zeros);
        assert_int_equal(solver_ask(asked, expr_make(pool, ABI_OP_EQ, 1, 0, input, nine, 0), model),
                         SOLVER_SAT);
        assert_int_equal(model[0], 9);
    }
    solver_free(other);
    solver_free(solver);
    expr_pool_free(pool);
}

/* What Z3 refused is refused again without it, in another trace and with more assertions; not if
 * one that it needed is missing. */
static void test_cores(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    struct solver_options options = {.timeout_ms = 60000};
    for (unsigned i = 0; i < SOLVER_STAGE_SMT; i++)
        options.off[i] = true;
    struct solver *solver = solver_new(&options);
    uint8_t zeros[16] = {0}, model[16];
    for (unsigned round = 0; round < 3; round++) {
        expr_pool_clear(pool);
        for (unsigned i = 0; i < round; i++) /* other numbers for the same expressions */
            expr_make_input(pool, 32, 12 - i * 4);
        uint32_t x = expr_make_input(pool, 32, 0), y = expr_make_input(pool, 32, 4);
        uint32_t z = expr_make_input(pool, 32, 8), ten = expr_make_constant(pool, 32, 10);
        uint32_t sum = expr_make(pool, ABI_OP_ADD, 32, 0, x, y, 0);
        solver_begin(solver, pool, zeros, sizeof zeros);
        solver_assert(solver, expr_make(pool, ABI_OP_ULT, 1, 0, x, ten, 0));
        if (round)
            solver_assert(solver, expr_make(pool, ABI_OP_ULE, 1, 0, x, z, 0));
        if (round < 2)
            solver_assert(solver, expr_make(pool, ABI_OP_ULT, 1, 0, y, ten, 0));
        uint32_t large =
            expr_make(pool, ABI_OP_ULT, 1, 0, expr_make_constant(pool, 32, 50), sum, 0);
        assert_int_equal(solver_ask(solver, large, model), round < 2 ? SOLVER_UNSAT : SOLVER_SAT);
        assert_int_equal(solver_statistics(solver)->refused_again, round ? 1 : 0);
    }
    solver_free(solver);
    expr_pool_free(pool);
}

/* What was asked of a full pool is not what was meant: there is no answer, until it is emptied. */
static void test_full_pool(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    struct solver_options options = {.timeout_ms = 10000};
    struct solver *solver = solver_new(&options);
    uint8_t zeros[16] = {0}, model[16];
    for (int i = 0; i < 3; i++) {
        bool is_full = i == 1;
        expr_pool_clear(pool);
        uint32_t input = expr_make_input(pool, 32, 0);
        solver_begin(solver, pool, zeros, sizeof zeros);
        expr_pool_set_limit(pool, is_full ? 1 : 1000000);
        uint32_t nine = expr_make_constant(pool, 32, 9);
        uint32_t same = expr_make(pool, ABI_OP_EQ, 1, 0, input, nine, 0);
        assert_int_equal(expr_pool_is_full(pool), is_full);
        enum solver_answer wanted = is_full ? SOLVER_UNKNOWN : SOLVER_SAT;
        assert_int_equal(solver_ask(solver, same, model), wanted);
        assert_int_equal(solver_ask(solver, expr_make_not(pool, same), model), wanted);
        assert_int_equal(solver_solve(solver, pool, &same, 1, model, sizeof model, NULL), wanted);
    }
    solver_free(solver);
    expr_pool_free(pool);
}

/* The worst path of insertion sort: each element is smaller than all before it. */
static void test_sorting(void **state) {
    (void)state;
    enum { COUNT = 60 };
    struct expr_pool *pool = expr_pool_new();
    struct solver_options options = {.timeout_ms = 1000};
    options.off[SOLVER_STAGE_SMT] = true;
    struct solver *solver = solver_new(&options);
    static uint32_t conditions[COUNT * COUNT];
    uint8_t model[COUNT * 4];
    size_t count = 0;
    for (unsigned i = 1; i < COUNT; i++)
        for (unsigned j = i; j-- > 0;)
            conditions[count++] =
                expr_make(pool, ABI_OP_SLT, 1, 0, expr_make_input(pool, 32, i * 4),
                          expr_make_input(pool, 32, j * 4), 0);
    assert_int_equal(solver_solve(solver, pool, conditions, count, model, sizeof model, NULL),
                     SOLVER_SAT);
    bool core[COUNT * COUNT];
    conditions[count++] = expr_make(pool, ABI_OP_SLE, 1, 0, expr_make_input(pool, 32, 0),
                                    expr_make_input(pool, 32, 8), 0);
    assert_int_equal(solver_solve(solver, pool, conditions, count, model, sizeof model, core),
                     SOLVER_UNSAT);
    assert_true(core[count - 1]);
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += core[i];
    assert_true(size <= 3);
    solver_free(solver);
    expr_pool_free(pool);
}

static int32_t number_at(const uint8_t *model, unsigned i) {
    int32_t value;
    memcpy(&value, model + (size_t)i * 4, 4);
    return value;
}

/* The worst path of insertion sort in runs, then with bounds, differences and a contradiction. */
static void test_runs(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    struct solver *solver = solver_new(&(struct solver_options){.timeout_ms = 1000});
    static struct solver_run runs[COUNT + 2];
    static uint8_t model[COUNT * 4];
    for (int i = 1; i < COUNT; i++)
        runs[i - 1] = (struct solver_run){
            .x = i * 4, .y = i * 4 - 4, .weight = -1, .dy = -4, .count = (uint64_t)i};
    assert_int_equal(solver_solve_runs(solver, runs, COUNT - 1, 4, true, model, sizeof model),
                     SOLVER_SAT);
    for (unsigned i = 1; i < COUNT; i++)
        assert_true(number_at(model, i) < number_at(model, i - 1));
    /* The last one is at least 7, the first at most 7 + COUNT - 1: one solution is left. */
    runs[COUNT - 1] =
        (struct solver_run){.x = SOLVER_ZERO, .y = COUNT * 4 - 4, .weight = -7, .count = 1};
    runs[COUNT] = (struct solver_run){.x = 0, .y = SOLVER_ZERO, .weight = 6 + COUNT, .count = 1};
    assert_int_equal(solver_solve_runs(solver, runs, COUNT + 1, 4, true, model, sizeof model),
                     SOLVER_SAT);
    for (unsigned i = 0; i < COUNT; i++)
        assert_int_equal(number_at(model, i), 7 + COUNT - 1 - (int)i);
    runs[COUNT].weight--; /* and now none */
    assert_int_equal(solver_solve_runs(solver, runs, COUNT + 1, 4, true, model, sizeof model),
                     SOLVER_UNKNOWN);
    solver_free(solver);
}

static void test_different_runs(void **state) {
    (void)state;
    struct solver *solver = solver_new(&(struct solver_options){.timeout_ms = 1000});
    uint8_t model[12];
    /* a >= b, a != b, b != 0 as bytes; then an offset that is none, and a range that leaves nothing
     */
    struct solver_run runs[3] = {{.x = 1, .y = 0, .count = 1},
                                 {.x = 0, .y = 1, .count = 1, .differ = true},
                                 {.x = 1, .y = SOLVER_ZERO, .count = 1, .differ = true}};
    assert_int_equal(solver_solve_runs(solver, runs, 3, 1, false, model, 2), SOLVER_SAT);
    assert_true(model[0] > model[1] && model[1] != 0);
    const struct solver_range range = {.offset = 0, .width = 8, .low = 0, .high = 1};
    solver_set_ranges(solver, &range, 1);
    assert_int_equal(solver_solve_runs(solver, runs, 3, 1, false, model, 2), SOLVER_UNKNOWN);
    runs[0].x = 2;
    assert_int_equal(solver_solve_runs(solver, runs, 1, 4, true, model, 12), SOLVER_UNKNOWN);
    solver_free(solver);
}

/* A variable that no condition waits for. */
static void test_level_without_steps(void **state) {
    (void)state;
    struct flat_program program = {.levels = 1};
    assert_true(flat_set(&program, 0, 7));
    assert_int_equal(program.values[0], 7);
    flat_done(&program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_equalities),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_mixture),
        cmocka_unit_test(test_stages_off),
        cmocka_unit_test(test_solve),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_end_of_input),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_cores),
        cmocka_unit_test(test_full_pool),
        cmocka_unit_test(test_sorting),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_different_runs),
        cmocka_unit_test(test_level_without_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
