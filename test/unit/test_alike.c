/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces that begin alike: what is kept of the last one must make no difference. A solver that goes
 * on is compared with one that begins anew, answer by answer and model by model, on random paths in
 * the language of each stage; an import that goes on with one that begins anew, node by node.
 */
#include "solver/solver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "formula.h"

#define PATH 16
#define TURNS 12

/* ---- the solver ---- */

struct walk {
    struct formula f;
    struct solver *one, *other; /* goes on; begins anew */
    struct solver_mark marks[PATH];
    uint32_t path[PATH];
};

static uint32_t satisfied(struct formula *f, uint32_t condition) {
    expr_eval_begin(f->pool, f->input, f->size);
    return expr_eval(f->pool, condition) ? condition : expr_make_not(f->pool, condition);
}

static void assert_step(struct walk *walk, unsigned i) {
    solver_assert(walk->one, walk->path[i]);
    solver_assert(walk->other, walk->path[i]);
    walk->marks[i] = solver_mark(walk->one);
}

/* True when there is such an input: it becomes the current one. */
static bool ask_both(struct walk *walk, uint32_t condition, uint8_t *model) {
    uint8_t same[sizeof walk->f.input] = {0};
    enum solver_answer answer = solver_ask(walk->one, condition, model);
    assert_int_equal(answer, solver_ask(walk->other, condition, same));
    if (answer == SOLVER_SAT)
        assert_memory_equal(model, same, walk->f.size);
    return answer == SOLVER_SAT;
}

/* From decision FIRST on, each is asked about and then asserted. */
static void walk_down(struct walk *walk, enum language language, unsigned first) {
    struct formula *f = &walk->f;
    uint8_t model[sizeof f->input];
    for (unsigned i = first; i < PATH; i++) {
        walk->path[i] = satisfied(f, formula_condition(f, language));
        ask_both(walk, expr_make_not(f->pool, walk->path[i]), model);
        assert_step(walk, i);
    }
}

/* Another path with the same beginning, and an input for it. */
static void turn_off(struct walk *walk, enum language language) {
    struct formula *f = &walk->f;
    uint8_t model[sizeof f->input];
    unsigned kept = 1 + formula_pick(f, PATH - 1);
    solver_begin(walk->other, f->pool, f->input, f->size);
    for (unsigned i = 0; i < kept; i++)
        solver_assert(walk->other, walk->path[i]);
    uint32_t other = expr_make_not(f->pool, walk->path[kept]);
    if (solver_ask(walk->other, other, model) == SOLVER_SAT)
        memcpy(f->input, model, f->size);
    solver_begin(walk->other, f->pool, f->input, f->size);
    for (unsigned i = 0; i < kept; i++)
        solver_assert(walk->other, walk->path[i]);
    if (!solver_go_on(walk->one, &walk->marks[kept - 1], f->input, f->size)) {
        solver_begin(walk->one, f->pool, f->input, f->size);
        for (unsigned i = 0; i < kept; i++)
            solver_assert(walk->one, walk->path[i]);
    }
    walk_down(walk, language, kept);
}

static void test_solver_goes_on(void **state) {
    (void)state;
    static const unsigned widths[] = {8, 16, 32, 64};
    struct solver_options options = {.off = {[SOLVER_STAGE_SMT] = true}};
    struct walk walk = {.f = {.random = formula_seed("goes on")}};
    walk.one = solver_new(&options);
    walk.other = solver_new(&options);
    walk.f.pool = expr_pool_new();
    for (unsigned round = 0; round < formula_rounds(10); round++)
        for (enum language language = 0; language < LANGUAGES; language++) {
            bool has_bytes = language == BYTES || language == EQUALITIES;
            expr_pool_clear(walk.f.pool);
            formula_begin(&walk.f, has_bytes ? 8 : widths[formula_pick(&walk.f, 4)],
                          2 + formula_pick(&walk.f, 5));
            walk.f.signs = formula_pick(&walk.f, 3);
            solver_begin(walk.one, walk.f.pool, walk.f.input, walk.f.size);
            solver_begin(walk.other, walk.f.pool, walk.f.input, walk.f.size);
            walk_down(&walk, language, 0);
            for (unsigned turn = 0; turn < TURNS; turn++)
                turn_off(&walk, language);
        }
    solver_free(walk.one);
    solver_free(walk.other);
    expr_pool_free(walk.f.pool);
}

/* ---- the import ---- */

static void make_not(void *context, uint32_t event) {
    struct expr_trace *trace = context;
    if (trace->events[event].expr)
        expr_make_not(trace->pool, trace->events[event].expr);
}

static void assert_same_trace(const struct expr_trace *a, const struct expr_trace *b) {
    assert_int_equal(a->count, b->count);
    assert_int_equal(expr_count(a->pool), expr_count(b->pool));
    assert_int_equal(expr_variable_count(a->pool), expr_variable_count(b->pool));
    for (uint32_t i = 1; i < expr_count(a->pool); i++) {
        struct expr_variables one = expr_variables(a->pool, i), other = expr_variables(b->pool, i);
        assert_memory_equal(expr_node(a->pool, i), expr_node(b->pool, i), sizeof(struct abi_node));
        assert_int_equal(one.count, other.count);
        assert_true(!one.count || memcmp(one.numbers, other.numbers, one.count * 4) == 0);
    }
    for (size_t i = 0; i < a->count; i++)
        assert_int_equal(a->events[i].expr, b->events[i].expr);
}

/* What others make in the pool between two traces is gone. */
static void litter(struct expr_pool *pool, uint64_t *random) {
    for (unsigned i = 0; i < 40; i++)
        expr_make(pool, ABI_OP_ADD, 32, 0, expr_make_input(pool, 32, 400 + 4 * (i % 9)),
                  expr_make_constant(pool, 32, search_random(random)), 0);
}

static void test_import_goes_on(void **state) {
    (void)state;
    struct fake fake = {.program = fake_insertion_sort};
    struct expr_trace one = {.each = make_not}, other = {.each = make_not};
    one.context = &one;
    other.context = &other;
    int32_t input[9] = {0};
    uint64_t random = formula_seed("import"), kept_events = 0;
    for (unsigned round = 0; round < formula_rounds(1000); round++) {
        struct base_error error;
        uint32_t kept, none;
        input[search_random(&random) % 9] = (int32_t)(search_random(&random) % 12);
        fake_run_once(&fake, &(struct target_input){input, sizeof input});
        fake_write_trace(&fake.run, &fake.trace);
        assert_true(
            expr_trace_read_on(&one, fake.trace.data, fake.trace.count, UINT32_MAX, &kept, &error));
        assert_true(
            expr_trace_read_on(&other, fake.trace.data, fake.trace.count, 0, &none, &error));
        assert_int_equal(none, 0);
        assert_same_trace(&one, &other);
        litter(one.pool, &random);
        kept_events += kept;
    }
    assert_true(kept_events > 400);
    expr_trace_done(&one);
    expr_trace_done(&other);
    base_vector_done(&fake.run.nodes);
    base_vector_done(&fake.run.events);
    base_buffer_done(&fake.trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solver_goes_on),
        cmocka_unit_test(test_import_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
