/* SPDX-License-Identifier: Apache-2.0
 *
 * Few bytes, few values each: why not try them all? The domain stage has narrowed every byte of the
 * slice to a set of values; if their combinations are few enough, the conditions that connect them
 * are evaluated for each, which answers both ways. Hash functions of two or three characters and
 * lookups in tables end here, which are hard for a bit-vector solver.
 *
 * The current input's values come first, so that a model changes as little as it can.
 */
#include "solver/internal.h"

#include <stdlib.h>
#include <string.h>

#define BYTE_LIMIT 6
#define WORK_LIMIT ((uint64_t)1 << 21) /* combinations times conditions */

struct byte_choice {
    uint32_t variable;
    unsigned count, at;
    uint8_t values[256];
};

struct enumeration {
    struct byte_choice bytes[BYTE_LIMIT];
    unsigned byte_count;
    id_list conditions; /* that have more than one variable */
    id_list assertions, variables;
};

static void *create(struct solver *solver) {
    (void)solver;
    return base_alloc(sizeof(struct enumeration));
}

static void destroy(void *state) {
    struct enumeration *all = state;
    base_vector_done(&all->conditions);
    base_vector_done(&all->assertions);
    base_vector_done(&all->variables);
    free(all);
}

static void begin(struct solver *solver) {
    (void)solver;
}

static bool add_condition(struct solver *solver, uint32_t condition) {
    (void)solver, (void)condition;
    return true; /* it looks at the assertions themselves when it is asked */
}

/* ---- what is to be tried ---- */

/* The values that the conditions on one byte alone leave to it. */
static bool narrow(struct solver *solver, const id_list *conditions, uint32_t variable,
                   struct byte_set *set) {
    memset(set, 0xff, sizeof *set);
    for (size_t i = 0; i < conditions->count; i++) {
        struct byte_set solutions;
        if (domain_variable(solver, conditions->data[i]) != variable)
            continue;
        if (!domain_of_condition(solver, conditions->data[i], &solutions))
            return false;
        *set = byte_set_and(*set, solutions);
    }
    return true;
}

static bool choose_values(struct solver *solver, const id_list *conditions, uint32_t variable,
                          struct byte_choice *byte) {
    struct byte_set set;
    unsigned current = (unsigned)solver_current(solver, variable);
    *byte = (struct byte_choice){.variable = variable};
    if (solver_width(solver, variable) != 8 || !narrow(solver, conditions, variable, &set))
        return false;
    for (unsigned i = 0; i < 256; i++) {
        unsigned value = (current + i) & 255;
        if (byte_set_has(&set, value))
            byte->values[byte->count++] = (uint8_t)value;
    }
    return true;
}

/* Gathers the slice; false if it is not for this stage. */
static bool prepare(struct solver *solver, struct enumeration *all,
                    const struct question *question) {
    all->assertions.count = all->variables.count = all->conditions.count = 0;
    slice_gather(solver, question->conditions, question->count, &all->assertions, &all->variables);
    if (all->variables.count > BYTE_LIMIT)
        return false;
    for (size_t i = 0; i < question->count; i++)
        base_push(&all->assertions, question->conditions[i]);
    for (size_t i = 0; i < all->assertions.count; i++)
        if (expr_variables(solver->pool, all->assertions.data[i]).count > 1)
            base_push(&all->conditions, all->assertions.data[i]);
    uint64_t work = all->conditions.count + 1;
    all->byte_count = (unsigned)all->variables.count;
    for (unsigned i = 0; i < all->byte_count; i++) {
        if (!choose_values(solver, &all->assertions, all->variables.data[i], &all->bytes[i]))
            return false;
        work *= all->bytes[i].count;
        if (work > WORK_LIMIT)
            return false;
    }
    return true;
}

/* ---- trying ---- */

static bool holds(struct solver *solver, const struct enumeration *all) {
    expr_bank_begin(solver->pool, BANK_TRIAL, solver->trial.data, solver->size);
    for (size_t i = all->conditions.count; i-- > 0;) /* the question's come last: most fail there */
        if (!expr_bank_eval(solver->pool, BANK_TRIAL, all->conditions.data[i]))
            return false;
    return true;
}

static void write_byte(struct solver *solver, const struct byte_choice *byte) {
    solver_write(solver, solver->trial.data,
                 (struct change){byte->variable, byte->values[byte->at]});
}

/* The next combination; false after the last. */
static bool advance(struct solver *solver, struct enumeration *all) {
    for (unsigned i = 0; i < all->byte_count; i++) {
        struct byte_choice *byte = &all->bytes[i];
        byte->at = byte->at + 1 < byte->count ? byte->at + 1 : 0;
        write_byte(solver, byte);
        if (byte->at)
            return true;
    }
    return false;
}

static void report(struct solver *solver, const struct enumeration *all,
                   struct question *question) {
    for (unsigned i = 0; i < all->byte_count; i++) {
        const struct byte_choice *byte = &all->bytes[i];
        if (byte->values[byte->at] != solver_current(solver, byte->variable))
            base_push(&question->changes, (struct change){byte->variable, byte->values[byte->at]});
    }
}

static enum solver_answer ask(struct solver *solver, struct question *question) {
    struct enumeration *all = solver->states[SOLVER_STAGE_ENUMERATE];
    if (!prepare(solver, all, question))
        return SOLVER_UNKNOWN;
    solver->trial.count = 0;
    for (size_t i = 0; i < solver->size; i++)
        base_push(&solver->trial, solver->input[i]);
    for (unsigned i = 0; i < all->byte_count; i++) {
        if (!all->bytes[i].count)
            return SOLVER_UNSAT;
        write_byte(solver, &all->bytes[i]);
    }
    do
        if (holds(solver, all)) {
            report(solver, all, question);
            return SOLVER_SAT;
        }
    while (advance(solver, all));
    return SOLVER_UNSAT;
}

const struct stage enumerate_stage = {create, destroy, begin, add_condition, ask, NULL};
