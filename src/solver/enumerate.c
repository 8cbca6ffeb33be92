/* SPDX-License-Identifier: Apache-2.0
 *
 * Few bytes, few values each: why not try them all? The domain stage has narrowed every byte of the
 * slice to a set of values. Bytes are assigned one after the other; each condition is evaluated as
 * soon as all of its bytes have a value, and a value that violates it is skipped. That answers both
 * ways. It solves hash functions of a few characters and table look-ups, which are hard for a
 * bit-vector solver.
 *
 * The current input's values come first, so that a model changes as little as possible.
 */
#include "solver/flat.h"

#include <stdlib.h>
#include <string.h>

/* Steps: if all combinations together take at most the first number, all are tried; otherwise the
 * search gives up after the second. */
#define FULL_WORK ((uint64_t)1 << 26)
#define TRIAL_WORK ((uint64_t)1 << 21)
#define GLANCE 0xffffu /* steps between two checks of the clock, minus one */

struct byte_choice {
    uint32_t variable;
    unsigned count, at;
    uint8_t values[256];
};

struct enumeration {
    struct byte_choice bytes[FLAT_LEVELS]; /* in the order of assignment */
    unsigned byte_count;
    id_list conditions; /* those with more than one variable */
    id_list assertions, variables;
    struct flat_program program;
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
    flat_done(&all->program);
    free(all);
}

static void begin(struct solver *solver) {
    (void)solver;
}

static bool add_condition(struct solver *solver, uint32_t condition) {
    (void)solver, (void)condition;
    return true; /* reads the assertions when it is asked */
}

/* ---- preparing ---- */

/* The values that the conditions on that byte alone allow. */
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

static unsigned variable_count(struct solver *solver, uint32_t condition) {
    return expr_variables(solver->pool, condition).count;
}

static void gather(struct solver *solver, struct enumeration *all,
                   const struct question *question) {
    slice_gather(solver, question->conditions, question->count, &all->assertions, &all->variables);
    for (size_t i = 0; i < question->count; i++)
        base_push(&all->assertions, question->conditions[i]);
    all->conditions.count = 0;
    /* The question's first: most values fail there. */
    for (size_t i = all->assertions.count; i-- > 0;)
        if (variable_count(solver, all->assertions.data[i]) > 1)
            base_push(&all->conditions, all->assertions.data[i]);
}

static bool is_ordered(const struct enumeration *all, uint32_t variable) {
    for (unsigned i = 0; i < all->byte_count; i++)
        if (all->bytes[i].variable == variable)
            return true;
    return false;
}

/* How many of the condition's variables are not in the order yet? */
static unsigned count_open(struct solver *solver, const struct enumeration *all,
                           uint32_t condition) {
    struct expr_variables list = expr_variables(solver->pool, condition);
    unsigned open = 0;
    for (uint32_t i = 0; i < list.count; i++)
        open += !is_ordered(all, list.numbers[i]);
    return open;
}

/* The condition with the fewest variables outside of the order, or NONE if there is none. */
static uint32_t next_condition(struct solver *solver, const struct enumeration *all) {
    uint32_t best = NONE;
    unsigned least = UINT32_MAX;
    for (size_t i = 0; i < all->conditions.count; i++) {
        unsigned open = count_open(solver, all, all->conditions.data[i]);
        if (open && open < least) {
            least = open;
            best = all->conditions.data[i];
        }
    }
    return best;
}

/* Orders the bytes so that conditions are decided early. */
static bool choose_order(struct solver *solver, struct enumeration *all) {
    all->byte_count = 0;
    for (uint32_t next; (next = next_condition(solver, all)) != NONE;) {
        struct expr_variables list = expr_variables(solver->pool, next);
        for (uint32_t i = 0; i < list.count; i++) {
            uint32_t variable = expr_variables(solver->pool, next).numbers[i];
            if (is_ordered(all, variable))
                continue;
            if (!choose_values(solver, &all->assertions, variable, &all->bytes[all->byte_count]))
                return false;
            all->byte_count++;
        }
    }
    for (size_t i = 0; i < all->variables.count; i++)
        if (!is_ordered(all, all->variables.data[i])) {
            if (!choose_values(solver, &all->assertions, all->variables.data[i],
                               &all->bytes[all->byte_count]))
                return false;
            all->byte_count++;
        }
    return true;
}

/* Prepares everything; false if the slice is not for this stage. */
static bool prepare(struct solver *solver, struct enumeration *all,
                    const struct question *question) {
    uint32_t order[FLAT_LEVELS];
    gather(solver, all, question);
    if (all->variables.count > FLAT_LEVELS || !choose_order(solver, all))
        return false;
    for (unsigned i = 0; i < all->byte_count; i++)
        order[i] = all->bytes[i].variable;
    return flat_build(&all->program, solver->pool, order, all->byte_count, &all->conditions);
}

/* ---- trying ---- */

/* The number of steps for all combinations without pruning, up to FULL_WORK. */
static uint64_t whole_work(const struct enumeration *all) {
    uint64_t combinations = 1, work = 0;
    for (unsigned i = 0; i < all->byte_count && work <= FULL_WORK; i++) {
        combinations *= all->bytes[i].count;
        work += combinations * (flat_size(&all->program, i) + 1);
    }
    return work;
}

static void report(struct solver *solver, const struct enumeration *all,
                   struct question *question) {
    for (unsigned i = 0; i < all->byte_count; i++) {
        uint8_t value = all->bytes[i].values[all->bytes[i].at - 1];
        if (value != solver_current(solver, all->bytes[i].variable))
            base_push(&question->changes, (struct change){all->bytes[i].variable, value});
    }
}

/* Depth first; the byte of LEVEL has tried its first AT values. */
static enum solver_answer try_all(const struct solver *solver, struct enumeration *all,
                                  uint64_t limit) {
    unsigned level = 0;
    uint64_t work = 0, steps = 0;
    all->bytes[0].at = 0;
    for (;;) {
        struct byte_choice *byte = &all->bytes[level];
        if (byte->at == byte->count) {
            if (!level--)
                return SOLVER_UNSAT;
            continue;
        }
        work += flat_size(&all->program, level) + 1;
        if (work > limit || (!(++steps & GLANCE) && solver_is_over(solver)))
            return SOLVER_UNKNOWN;
        if (!flat_set(&all->program, level, byte->values[byte->at++]))
            continue;
        if (++level == all->byte_count)
            return SOLVER_SAT;
        all->bytes[level].at = 0;
    }
}

static enum solver_answer ask(struct solver *solver, struct question *question) {
    struct enumeration *all = solver->states[SOLVER_STAGE_ENUMERATE];
    if (!prepare(solver, all, question) || !all->byte_count)
        return SOLVER_UNKNOWN;
    uint64_t work = whole_work(all);
    enum solver_answer answer = try_all(solver, all, work > FULL_WORK ? TRIAL_WORK : work);
    if (answer == SOLVER_SAT)
        report(solver, all, question);
    return answer;
}

const struct stage enumerate_stage = {
    .create = create, .destroy = destroy, .begin = begin, .add = add_condition, .ask = ask};
