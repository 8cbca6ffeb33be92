/* SPDX-License-Identifier: Apache-2.0
 *
 * Solves conditions all at once, without an input that satisfies most of them: for forced paths and
 * pipelines. If all of them are orders and differences, a graph decides at once (bulk.c). Otherwise
 * they are divided into slices without common variables, and each slice goes to the graph if
 * possible and else to Z3. The initial input is all zeros. Models are evaluated before they are
 * returned.
 */
#include "solver/internal.h"

#include <stdlib.h>
#include <string.h>

struct solving {
    struct solver *solver;
    BASE_VECTOR(struct conjunct) conjuncts;
    BASE_VECTOR(struct conjunct) part; /* those of one slice */
    id_list conditions;                /* the same, for Z3 */
    uint8_t *model;
    bool *core;
};

/* Splits the conditions and adds the limits of their variables. False: one cannot hold. */
static bool prepare(struct solving *to, const uint32_t *conditions, size_t count) {
    struct solver *solver = to->solver;
    id_list parts = {0};
    bool possible = true;
    for (size_t i = 0; i < count && possible; i++) {
        parts.count = 0;
        possible = solver_split(solver->pool, conditions[i], &parts);
        if (!possible && to->core)
            to->core[i] = true;
        for (size_t k = 0; k < parts.count && possible; k++)
            if (!solver_note_assertion(solver, parts.data[k]))
                base_push(&to->conjuncts, (struct conjunct){parts.data[k], (uint32_t)i});
    }
    base_vector_done(&parts);
    for (size_t i = 0; i < solver->limits.count; i++)
        base_push(&to->conjuncts, (struct conjunct){solver->limits.data[i], NONE});
    return possible && !solver->contradiction;
}

static void count_answer(struct solver *solver, enum solver_stage stage,
                         enum solver_answer answer) {
    if (answer == SOLVER_SAT)
        solver->statistics.sat[stage]++;
    else if (answer == SOLVER_UNSAT)
        solver->statistics.unsat[stage]++;
}

static void write_changes(struct solving *to) {
    const struct question *question = &to->solver->question;
    for (size_t i = 0; i < question->changes.count; i++)
        solver_write(to->solver, to->model, question->changes.data[i]);
}

/* Do the conjuncts hold for the model as it is now? */
static bool holds(struct solving *to, const struct conjunct *conjuncts, size_t count) {
    struct expr_pool *pool = to->solver->pool;
    expr_bank_begin(pool, BANK_TRIAL, to->model, to->solver->size);
    for (size_t i = 0; i < count; i++)
        if (!expr_bank_eval(pool, BANK_TRIAL, conjuncts[i].condition))
            return false;
    return true;
}

static enum solver_answer solve_by_smt(struct solving *to, const struct conjunct *conjuncts,
                                       size_t count, bool *core) {
    struct solver *solver = to->solver;
    if (solver->options.off[SOLVER_STAGE_SMT])
        return SOLVER_UNKNOWN;
    to->conditions.count = 0;
    for (size_t i = 0; i < count; i++)
        base_push(&to->conditions, conjuncts[i].condition);
    bool *parts = core ? base_alloc(count) : NULL;
    solver->question.changes.count = 0;
    enum solver_answer answer =
        smt_check(solver, to->conditions.data, count, &solver->question, parts);
    for (size_t i = 0; parts && answer == SOLVER_UNSAT && i < count; i++)
        if (parts[i] && conjuncts[i].origin != NONE)
            core[conjuncts[i].origin] = true;
    free(parts);
    return answer;
}

static void check_bulk(struct solving *to, const struct conjunct *conjuncts, size_t count,
                       enum solver_answer answer) {
    enum solver_answer truth = solve_by_smt(to, conjuncts, count, NULL);
    if (truth == SOLVER_UNKNOWN || truth == answer)
        return;
    struct base_buffer text = {0};
    smt_print(to->solver, to->conditions.data, to->conditions.count, &text);
    base_panic("the graph says %s, Z3 says %s:\n%s", answer == SOLVER_SAT ? "sat" : "unsat",
               truth == SOLVER_SAT ? "sat" : "unsat", text.data);
}

/* Uses the graph, if it can. */
static enum solver_answer solve_by_order(struct solving *to, const struct conjunct *conjuncts,
                                         size_t count) {
    struct solver *solver = to->solver;
    if (solver->options.off[SOLVER_STAGE_ORDER])
        return SOLVER_UNKNOWN;
    solver->question.changes.count = 0;
    enum solver_answer answer = bulk_solve(solver, conjuncts, count, &solver->question, to->core);
    if (answer == SOLVER_SAT) {
        write_changes(to);
        if (!holds(to, conjuncts, count)) {
            solver->statistics.wrong_models++;
            return SOLVER_UNKNOWN;
        }
    }
    count_answer(solver, SOLVER_STAGE_ORDER, answer);
    if (solver->options.cross_check && answer != SOLVER_UNKNOWN)
        check_bulk(to, conjuncts, count, answer);
    return answer;
}

static enum solver_answer solve_part(struct solving *to) {
    struct solver *solver = to->solver;
    if (solver_is_over(solver))
        return SOLVER_UNKNOWN;
    enum solver_answer answer = solve_by_smt(to, to->part.data, to->part.count, to->core);
    if (answer == SOLVER_SAT) {
        write_changes(to);
        if (!holds(to, to->part.data, to->part.count))
            answer = SOLVER_UNKNOWN;
    }
    count_answer(solver, SOLVER_STAGE_SMT, answer);
    return answer;
}

/* ---- slices ---- */

struct keyed {
    uint32_t root;
    struct conjunct conjunct;
};

static int by_root(const void *a, const void *b) {
    const struct keyed *x = a, *y = b;
    if (x->root != y->root)
        return x->root < y->root ? -1 : 1;
    return x->conjunct.condition < y->conjunct.condition
               ? -1
               : x->conjunct.condition > y->conjunct.condition;
}

static struct keyed *sort_by_slice(struct solving *to) {
    struct solver *solver = to->solver;
    size_t count = to->conjuncts.count;
    for (size_t i = 0; i < count; i++)
        slice_add(solver, to->conjuncts.data[i].condition, 0);
    struct keyed *keyed = base_alloc(count * sizeof *keyed);
    for (size_t i = 0; i < count; i++) {
        struct expr_variables list = expr_variables(solver->pool, to->conjuncts.data[i].condition);
        keyed[i].root = slice_find(&solver->slices, list.numbers[0]);
        keyed[i].conjunct = to->conjuncts.data[i];
    }
    qsort(keyed, count, sizeof *keyed, by_root);
    return keyed;
}

static size_t slice_end(const struct keyed *keyed, size_t count, size_t start) {
    size_t end = start;
    while (end < count && keyed[end].root == keyed[start].root)
        end++;
    return end;
}

static void take_slice(struct solving *to, const struct keyed *keyed, size_t start, size_t end) {
    for (size_t i = start; i < end; i++)
        base_push(&to->part, keyed[i].conjunct);
}

/* Solves all slices that the graph understands together, since it looks at every variable each
 * time. Slices that are done get the root NONE. */
static enum solver_answer solve_understood(struct solving *to, struct keyed *keyed, size_t count) {
    id_list starts = {0};
    bulk_begin(to->solver);
    for (size_t start = 0, end; start < count; start = end) {
        end = slice_end(keyed, count, start);
        to->part.count = 0;
        take_slice(to, keyed, start, end);
        if (bulk_understands(to->solver, to->part.data, to->part.count))
            base_push(&starts, (uint32_t)start);
    }
    to->part.count = 0;
    for (size_t i = 0; i < starts.count; i++)
        take_slice(to, keyed, starts.data[i], slice_end(keyed, count, starts.data[i]));
    enum solver_answer answer =
        starts.count ? solve_by_order(to, to->part.data, to->part.count) : SOLVER_UNKNOWN;
    for (size_t i = 0; answer == SOLVER_SAT && i < starts.count; i++) {
        size_t end = slice_end(keyed, count, starts.data[i]);
        for (size_t k = starts.data[i]; k < end; k++)
            keyed[k].root = NONE;
    }
    base_vector_done(&starts);
    return answer;
}

static enum solver_answer solve_slices(struct solving *to) {
    struct keyed *keyed = sort_by_slice(to);
    size_t count = to->conjuncts.count, end = 0;
    bool by_order = !to->solver->options.off[SOLVER_STAGE_ORDER];
    enum solver_answer answer = SOLVER_SAT;
    if (by_order && solve_understood(to, keyed, count) == SOLVER_UNSAT)
        answer = SOLVER_UNSAT;
    for (size_t start = 0; start < count && answer != SOLVER_UNSAT; start = end) {
        end = slice_end(keyed, count, start);
        if (keyed[start].root == NONE)
            continue;
        to->part.count = 0;
        take_slice(to, keyed, start, end);
        enum solver_answer part = solve_part(to);
        if (part != SOLVER_SAT)
            answer = part; /* a later slice may still be unsatisfiable */
    }
    free(keyed);
    return answer;
}

static void reset_model(struct solver *solver, uint8_t *model) {
    if (solver->size)
        memset(model, 0, solver->size);
}

static enum solver_answer solve(struct solving *to, const uint32_t *conditions, size_t count) {
    struct solver *solver = to->solver;
    reset_model(solver, to->model);
    if (!prepare(to, conditions, count))
        return SOLVER_UNSAT;
    if (!to->conjuncts.count)
        return SOLVER_SAT;
    enum solver_answer answer = solve_by_order(to, to->conjuncts.data, to->conjuncts.count);
    if (answer != SOLVER_UNKNOWN)
        return answer;
    reset_model(solver, to->model);
    answer = solve_slices(to);
    solver->statistics.unknown += answer == SOLVER_UNKNOWN;
    return answer;
}

enum solver_answer solver_solve(struct solver *solver, struct expr_pool *pool,
                                const uint32_t *conditions, size_t count, uint8_t *model,
                                size_t size, bool *core) {
    double start = base_seconds();
    while (solver->zeros.count < size)
        base_push(&solver->zeros, 0);
    solver_begin(solver, pool, solver->zeros.data, size);
    solver_assert_limits(solver);
    for (size_t i = 0; core && i < count; i++)
        core[i] = false;
    struct solving to = {.solver = solver, .model = model, .core = core};
    enum solver_answer answer = solve(&to, conditions, count);
    if (expr_pool_is_full(pool)) /* conditions may be incomplete */
        answer = SOLVER_UNKNOWN;
    base_vector_done(&to.conjuncts);
    base_vector_done(&to.part);
    base_vector_done(&to.conditions);
    solver_begin(solver, pool, solver->zeros.data, size); /* nothing stays asserted */
    solver->statistics.seconds += base_seconds() - start;
    return answer;
}
