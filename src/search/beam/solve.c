/* SPDX-License-Identifier: Apache-2.0
 *
 * How long may the beam wait for a solver? Some conditions take it a second or forever (the hashes
 * of compressors), while states that need no search are found by the thousand. So where time is
 * limited, the stages that search get a tenth of it, or more if they contribute a larger share of
 * the states found. When that is used up, states are expanded without those stages until enough
 * time has passed; what remains unanswered is counted as unknown.
 *
 * Without a time limit all stages are asked, and results do not depend on the clock.
 */
#include "search/beam/beam.h"

#include <stdlib.h>

#define LEAST_SHARE 0.1 /* of the time */
#define GRACE 0.002     /* seconds beyond the share: no question is cut off at once */

struct beam_solver {
    struct search *search;
    struct solver *full, *quick; /* with all stages; without those that search */
    struct solver *current;      /* the one used for the current state */
    uint64_t guesses;
};

static bool searches(enum solver_stage stage) {
    return stage >= SOLVER_STAGE_REPAIR;
}

static struct solver *new_quick(const struct solver_options *options) {
    struct solver_options quick = *options;
    for (int stage = 0; stage < SOLVER_STAGE_COUNT; stage++)
        quick.off[stage] |= searches((enum solver_stage)stage);
    return solver_new(&quick);
}

struct beam_solver *beam_solver_new(struct search *search) {
    struct beam_solver *solver = base_alloc(sizeof *solver);
    const struct solver_options *options = &search->options.solver;
    *solver = (struct beam_solver){
        .search = search, .full = solver_new(options), .quick = new_quick(options)};
    solver->current = solver->full;
    return solver;
}

void beam_solver_free(struct beam_solver *solver) {
    solver_free(solver->full);
    solver_free(solver->quick);
    free(solver);
}

void beam_solver_set_ranges(struct beam_solver *solver, const struct search_layout *layout) {
    solver_set_ranges(solver->full, layout->ranges.data, layout->ranges.count);
    solver_set_ranges(solver->quick, layout->ranges.data, layout->ranges.count);
}

struct solver_statistics beam_solver_statistics(const struct beam_solver *solver) {
    struct solver_statistics sum = *solver_statistics(solver->full);
    search_add_solver(&sum, solver_statistics(solver->quick));
    return sum;
}

/* ---- its share ---- */

/* The share of the states found so far that needed a stage that searches. */
static double searched_share(const struct beam_solver *solver) {
    struct solver_statistics all = beam_solver_statistics(solver);
    uint64_t searched = 0, found = solver->guesses + 1;
    for (int stage = 0; stage < SOLVER_STAGE_COUNT; stage++) {
        found += all.sat[stage];
        searched += searches((enum solver_stage)stage) ? all.sat[stage] : 0;
    }
    return (double)searched / (double)found;
}

/* Seconds it has left; below 0: it has exceeded its share. */
static double time_left(const struct beam_solver *solver) {
    double share = searched_share(solver), passed = base_seconds() - solver->search->began;
    return passed * (share > LEAST_SHARE ? share : LEAST_SHARE) -
           solver_statistics(solver->full)->seconds;
}

void beam_solver_begin(struct beam_solver *solver, struct expr_pool *pool, const uint8_t *input,
                       size_t size) {
    bool is_limited = solver->search->options.limits.seconds > 0;
    double left = is_limited ? time_left(solver) : 0;
    solver->current = left < 0 ? solver->quick : solver->full;
    if (is_limited && left >= 0)
        solver_set_deadline(solver->full, base_seconds() + left + GRACE);
    solver_begin(solver->current, pool, input, size);
}

/* ---- questions ---- */

void beam_solver_assert(struct beam_solver *solver, uint32_t condition) {
    solver_assert(solver->current, condition);
}

/* A question that was cut short counts as unknown, like one that the solver gave up. */
bool beam_solver_ask(struct beam_solver *solver, uint32_t condition, uint8_t *model,
                     struct search_counters *counters) {
    enum solver_answer answer = solver_ask(solver->current, condition, model);
    counters->infeasible += answer == SOLVER_UNSAT;
    counters->unknown += answer == SOLVER_UNKNOWN && !search_is_over(solver->search);
    return answer == SOLVER_SAT;
}

void beam_solver_note_guess(struct beam_solver *solver) {
    solver->guesses++;
}
