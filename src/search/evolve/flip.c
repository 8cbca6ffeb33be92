/* SPDX-License-Identifier: Apache-2.0
 *
 * What lies on the other side of a decision that evolution cannot turn round? A magic number, a
 * checksum, a length that must agree: no random change hits them, and the solver does at once.
 *
 * An input is followed in the symbolic build. Each decision whose other side leads to a block that
 * no run has ever reached is put to the solver first; then those whose other side has run far more
 * often in other inputs than the side that was taken (what is known of blocks is their bars). One
 * walk along the path asks: the conditions of the decisions before hold for the input anyway. How
 * many questions are put is bounded, and every answer is only a proposal: it is run and judged as
 * any other child. (Following "Driller: Augmenting Fuzzing Through Selective Symbolic Execution",
 * Stephens et al., which goes over to symbolic execution when fuzzing is stuck.)
 */
#include "search/evolve/evolve.h"

#include <stdlib.h>
#include <string.h>

#define MOST_QUESTIONS 16u /* of one path */
#define MOST_PER_SITE 2u   /* of one decision's way, as in a loop */
#define COSTLIER 4         /* times more often: the other side is worth it */
#define QUESTION_MS 200u

struct evolve_flip {
    struct search *search;
    struct solver *solver;
    struct expr_trace trace;
    uint8_t *asked; /* by block: how often its way in was asked for on this path */
    uint8_t *model;
    size_t model_size;
    /* of the input that is followed */
    const struct target_input *input;
    const uint64_t *bars;
    struct evolve_children *children;
    struct search_counters *counters;
    uint32_t questions;
};

struct evolve_flip *evolve_flip_new(struct search *search) {
    struct evolve_flip *flip = base_alloc(sizeof *flip);
    struct solver_options options = search->options.solver;
    options.timeout_ms = QUESTION_MS;
    flip->search = search;
    flip->solver = solver_new(&options);
    solver_set_ranges(flip->solver, search->options.ranges, search->options.range_count);
    flip->trace.pool = expr_pool_new();
    flip->asked = base_alloc(search->options.facts->block_count + 1);
    return flip;
}

const struct solver_statistics *evolve_flip_solver(const struct evolve_flip *flip) {
    return solver_statistics(flip->solver);
}

void evolve_flip_free(struct evolve_flip *flip) {
    solver_free(flip->solver);
    expr_trace_done(&flip->trace);
    free(flip->asked);
    free(flip->model);
    free(flip);
}

void evolve_children_done(struct evolve_children *children) {
    for (size_t i = 0; i < children->count; i++)
        free(children->data[i].bytes);
    base_vector_done(children);
}

/* ---- which ways are worth a question? ---- */

static uint64_t runs_of(const struct evolve_flip *flip, uint32_t block) {
    return flip->bars ? flip->bars[block + 1] : 0; /* slot 0 is the library's */
}

/* Is this block worth going to, when the path went to the other one? */
static bool is_worth_it(struct evolve_flip *flip, uint32_t to, uint32_t instead_of) {
    if (to == IR_NONE || to >= flip->search->options.facts->block_count ||
        flip->asked[to] >= MOST_PER_SITE)
        return false;
    uint64_t there = runs_of(flip, to);
    bool is_worth =
        !there || (instead_of != IR_NONE && there / COSTLIER > runs_of(flip, instead_of));
    flip->asked[to] += is_worth;
    return is_worth;
}

/* The block behind an outcome of a branch or switch. */
static uint32_t block_behind(const struct evolve_flip *flip, const struct expr_event *event,
                             const struct expr_cases *cases, uint64_t outcome) {
    const struct ir_facts *facts = flip->search->options.facts;
    const struct ir_block *block = &facts->blocks[event->site];
    const uint32_t *successors = facts->successors + block->first_successor;
    if (!cases)
        return block->successor_count == 2 ? successors[outcome ? 0 : 1] : IR_NONE;
    if (outcome == cases->default_outcome)
        return successors[0];
    for (uint32_t i = 0; i < cases->count; i++)
        if (cases->outcomes[i] == outcome)
            return successors[i + 1];
    return IR_NONE;
}

/* ---- questions ---- */

static void ask(struct evolve_flip *flip, uint32_t condition) {
    flip->questions++;
    enum solver_answer answer = solver_ask(flip->solver, condition, flip->model);
    flip->counters->infeasible += answer == SOLVER_UNSAT;
    flip->counters->unknown += answer == SOLVER_UNKNOWN;
    if (answer != SOLVER_SAT)
        return;
    struct evolve_child child = {base_alloc(flip->input->size + 1), flip->input->size};
    memcpy(child.bytes, flip->model, flip->input->size);
    base_push(flip->children, child);
    flip->counters->flipped++;
}

static void ask_branch(struct evolve_flip *flip, const struct expr_event *event,
                       uint32_t condition) {
    bool in_program = event->site < flip->search->options.facts->block_count;
    uint32_t taken = in_program ? block_behind(flip, event, NULL, event->value) : IR_NONE;
    uint32_t other = in_program ? block_behind(flip, event, NULL, !event->value) : IR_NONE;
    if (in_program && is_worth_it(flip, other, taken))
        ask(flip, expr_make_not(flip->trace.pool, condition));
}

static void ask_switch(struct evolve_flip *flip, const struct expr_event *event,
                       const struct expr_cases *cases) {
    uint32_t taken = expr_event_outcome(event, cases);
    uint32_t count = search_outcome_count(&flip->search->sites, event->site);
    uint32_t behind = block_behind(flip, event, cases, taken);
    for (uint32_t outcome = 0; outcome < count; outcome++)
        if (outcome != taken &&
            is_worth_it(flip, block_behind(flip, event, cases, outcome), behind))
            ask(flip, expr_switch_condition(flip->trace.pool, event->expr, outcome, cases));
}

static bool is_constant(struct expr_pool *pool, uint32_t id) {
    return !id || expr_node(pool, id)->op == ABI_OP_CONST;
}

/* A comparison in a library function, such as strcmp, has no block of ours behind it: its other
 * side is tried once for each place, because more of a word may then be the same. */
static void ask_library(struct evolve_flip *flip, const struct expr_event *event,
                        uint32_t condition) {
    if (event->kind == ABI_EVENT_BRANCH &&
        event->site >= flip->search->options.facts->block_count &&
        flip->questions < MOST_QUESTIONS / 2)
        ask(flip, expr_make_not(flip->trace.pool, condition));
}

static void walk_decision(struct evolve_flip *flip, const struct expr_event *event) {
    struct expr_pool *pool = flip->trace.pool;
    const struct expr_cases *cases =
        event->kind == ABI_EVENT_SWITCH ? search_cases(&flip->search->sites, event->site) : NULL;
    if (is_constant(pool, event->expr) || (event->kind == ABI_EVENT_SWITCH && !cases))
        return;
    uint32_t condition = expr_event_condition(pool, event, cases);
    if (is_constant(pool, condition))
        return;
    if (event->kind == ABI_EVENT_BRANCH)
        ask_branch(flip, event, condition);
    else if (event->kind == ABI_EVENT_SWITCH)
        ask_switch(flip, event, cases);
    ask_library(flip, event, condition);
    solver_assert(flip->solver, condition);
}

static bool is_late(const struct search *search) {
    return search->options.seconds > 0 && base_seconds() - search->began >= search->options.seconds;
}

static void walk(struct evolve_flip *flip) {
    solver_begin(flip->solver, flip->trace.pool, flip->input->data, flip->input->size);
    uint32_t decisions = 0;
    for (size_t i = 0; i < flip->trace.count && flip->questions < MOST_QUESTIONS; i++) {
        const struct expr_event *event = &flip->trace.events[i];
        if (search_is_refusal(event->kind, event->site, event->value)) {
            if (!is_constant(flip->trace.pool, event->expr))
                ask(flip, event->expr);
            return;
        }
        if (event->kind == ABI_EVENT_ASSUME && !is_constant(flip->trace.pool, event->expr))
            solver_assert(flip->solver, event->expr);
        else if (search_is_decision(event->kind, event->site)) {
            if (++decisions > flip->search->options.max_path)
                return;
            walk_decision(flip, event);
        }
        if (atomic_load(&flip->search->stop) || is_late(flip->search))
            return;
    }
}

static void follow(size_t index, const struct abi_result *result, const void *trace, size_t size,
                   void *context) {
    struct evolve_flip *flip = context;
    struct base_error error;
    size_t next;
    (void)index, (void)result;
    if (!trace || !expr_trace_read(&flip->trace, trace, size, &next, &error)) {
        flip->counters->lost++;
        return;
    }
    walk(flip);
}

bool evolve_flip_follow(struct evolve_flip *flip, const struct search_programs *programs,
                        const struct target_input *input, const uint64_t *bars,
                        struct evolve_children *children, struct search_counters *counters,
                        struct base_error *error) {
    if (input->size > flip->model_size) {
        flip->model = base_realloc(flip->model, input->size);
        flip->model_size = input->size;
    }
    flip->input = input;
    flip->bars = bars;
    flip->children = children;
    flip->counters = counters;
    flip->questions = 0;
    memset(flip->asked, 0, flip->search->options.facts->block_count + 1);
    counters->followed++;
    return programs->trace(programs->self, input, 1, follow, flip, error);
}
