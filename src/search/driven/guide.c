/* SPDX-License-Identifier: Apache-2.0
 *
 * Does an input take the path that the oracle proposes?
 *
 * A forced run goes that way whatever the values are, and records the condition of every decision
 * on it. The pass over these conditions (pass.c) repairs the input. At the end either the input
 * takes the path without force, which a free run confirms, or no input does.
 */
#include "search/core/worst.h"
#include "search/driven/driven.h"

#include <stdlib.h>
#include <string.h>

void driven_guide_init(struct driven_guide *guide, struct search *search, size_t worker) {
    size_t size = search->subject.layout.bytes;
    *guide = (struct driven_guide){.search = search, .program = &search->subject.programs[worker]};
    guide->solver = search_new_solver(&search->options, &search->subject.layout);
    search_walk_init(&guide->walk, &search->sites);
    guide->input = base_alloc(size + 1);
    guide->model = base_alloc(size + 1);
}

void driven_guide_done(struct driven_guide *guide) {
    search_add_solver(&guide->search->solver, solver_statistics(guide->solver));
    solver_free(guide->solver);
    search_walk_done(&guide->walk);
    driven_clear_pins(guide, 0);
    base_vector_done(&guide->pins);
    base_vector_done(&guide->times);
    base_vector_done(&guide->asserted);
    free(guide->input);
    free(guide->model);
}

/* ---- runs ---- */

static void make_times(struct driven_guide *guide, const struct driven_trace *trace) {
    guide->times.count = 0;
    for (size_t i = 0; i < trace->marks.count; i++) {
        const struct driven_mark *mark = &trace->marks.data[i];
        if (!mark->is_switch && !mark->access)
            base_push(&guide->times, abi_timed(mark->instructions, mark->outcome ? 1 : 0));
    }
}

struct visit {
    struct driven_guide *guide;
    struct driven_verdict *verdict;
    bool has_trace;
};

static void look_at_run(size_t index, const struct abi_result *result, const void *trace,
                        size_t size, void *context) {
    struct visit *visit = context;
    struct search_walk *walk = &visit->guide->walk;
    (void)index;
    visit->has_trace = search_walk_open(walk, trace, size);
    visit->verdict->result = *result;
    search_count_run(&visit->verdict->counters, result, walk);
    visit->has_trace = visit->has_trace && search_walk_import(walk);
}

/* Runs the input once, forced along the trace or free. */
static bool run_once(struct driven_guide *guide, bool is_forced, struct driven_verdict *verdict,
                     bool *has_trace, struct base_error *error) {
    struct visit visit = {.guide = guide, .verdict = verdict};
    const struct search_program *program = guide->program;
    struct target_input input = {guide->input, guide->search->subject.layout.bytes};
    struct target_force force = {.times = guide->times.data,
                                 .script_count = (uint32_t)guide->times.count};
    if (is_forced && guide->times.count)
        program->force(program->self, &force);
    struct search_counters before = verdict->counters;
    bool good = program->trace(program->self, &input, 1, look_at_run, &visit, error);
    if (is_forced && guide->times.count) {
        program->force(program->self, NULL);
        verdict->counters = before; /* a crash on an infeasible path does not count */
        verdict->counters.runs++;
    }
    *has_trace = good && visit.has_trace;
    return good;
}

/* ---- does the input take the path without force? ---- */

struct outcome {
    uint32_t open; /* costs that may depend on the input */
    bool is_trace; /* it took the whole trace */
    bool has_fixed;
};

static void extend_path(struct driven_verdict *verdict, const struct search_step *step) {
    uint64_t outcome = step->kind == SEARCH_VALUE ? SEARCH_ANY_VALUE : step->outcome;
    struct search_path *path = &verdict->path;
    path->a = search_extend(path->a, step->kind, step->site, outcome);
    path->b = search_extend(path->b + 1, step->site, step->kind, ~outcome);
    verdict->decisions++;
}

static struct outcome compare_run(struct driven_pass *pass) {
    struct driven_guide *guide = pass->guide;
    struct outcome outcome = {.is_trace = true};
    struct search_step step;
    struct search_loops loops = {.bound = guide->search->options.path.loop_bound};
    bool is_bounded = loops.bound != SEARCH_NO_BOUND;
    pass->next = 0;
    pass->verdict->path = (struct search_path){1, 2};
    pass->verdict->decisions = 0;
    while (search_walk_next(&guide->walk, &step)) {
        outcome.open |= search_open_costs(&step);
        outcome.has_fixed |= step.kind == SEARCH_VALUE;
        outcome.is_trace &= !is_bounded || !search_loops_exceed(&loops, &step);
        if (search_is_decision(&step))
            extend_path(pass->verdict, &step);
        if (step.kind != SEARCH_BRANCH && step.kind != SEARCH_SWITCH)
            continue;
        const struct driven_mark *mark =
            driven_find_mark(pass, &step, guide->walk.costs[ABI_COST_INSTRUCTIONS]);
        outcome.is_trace &= mark ? mark->outcome == step.outcome
                                 : pass->trace->is_inexact ||
                                       step.site >= guide->search->subject.facts->block_count;
    }
    base_vector_done(&loops.open);
    outcome.is_trace &= !guide->walk.is_broken && driven_has_length(pass);
    return outcome;
}

static bool measure(struct driven_pass *pass, bool has_fixed, struct base_error *error) {
    struct driven_verdict *verdict = pass->verdict;
    const struct search_program *program = pass->guide->program;
    struct target_input input = {verdict->input, pass->guide->search->subject.layout.bytes};
    if (!program->measure(program->self, &input, 1, &verdict->result, &verdict->cost, error))
        return false;
    if (has_fixed)
        verdict->path.a ^= verdict->result.counts_hash;
    if (!search_ended_well(&verdict->result))
        verdict->fate = DRIVEN_FAULTY;
    return true;
}

/* The last run took the trace without force: finds the costliest input of its path and measures it.
 */
static bool confirm(struct driven_pass *pass, const struct outcome outcome,
                    struct base_error *error) {
    struct driven_guide *guide = pass->guide;
    struct driven_verdict *verdict = pass->verdict;
    size_t size = guide->search->subject.layout.bytes;
    search_count_losses(&verdict->counters, guide->program, &guide->walk);
    verdict->fate = DRIVEN_FEASIBLE;
    verdict->input = base_alloc(2 * size + 1);
    memcpy(verdict->input, guide->input, size);
    memcpy(verdict->input + size, guide->input, size);
    if (outcome.open) {
        struct search_worst worst = search_find_worst(guide->search, guide->program, guide->solver,
                                                      &guide->walk, outcome.open, verdict->input);
        verdict->is_open = worst.is_open;
        verdict->counters.conditional += worst.is_conditional;
        verdict->counters.unknown += worst.is_unproven; /* also if time was up */
        verdict->has_first = memcmp(verdict->input, guide->input, size) != 0;
    }
    return measure(pass, outcome.has_fixed, error);
}

/* ---- trying a trace ---- */

/* Runs the input without force: does it take the trace? *IS_OVER: there is nothing more to try. */
static bool run_free(struct driven_pass *pass, bool *is_over, struct base_error *error) {
    struct driven_guide *guide = pass->guide;
    struct driven_verdict *verdict = pass->verdict;
    bool has_trace;
    if (!run_once(guide, false, verdict, &has_trace, error))
        return false;
    *is_over = !has_trace || driven_has_length(pass);
    if (!has_trace || !search_ended_well(&verdict->result)) {
        verdict->fate = *is_over ? DRIVEN_FAULTY : DRIVEN_UNCERTAIN;
        return true;
    }
    struct outcome outcome = compare_run(pass);
    *is_over = outcome.is_trace;
    search_walk_rewind(&guide->walk);
    return !outcome.is_trace || confirm(pass, outcome, error);
}

/* All tries start from the same input, which may happen to take the first trace. */
static bool try_first(struct driven_pass *pass, bool *is_over, struct base_error *error) {
    struct search_counters before = pass->verdict->counters;
    *is_over = false;
    if (pass->guide->has_begun)
        return true;
    pass->guide->has_begun = true;
    if (!run_free(pass, is_over, error))
        return false;
    if (pass->verdict->fate != DRIVEN_FEASIBLE) { /* that was not expected anyway */
        *is_over = false;
        pass->verdict->fate = DRIVEN_UNCERTAIN;
        pass->verdict->counters = before;
        pass->verdict->counters.runs++;
    }
    return true;
}

/* One forced run, the conclusions from it, and if an input was found, a free run. */
static bool attempt_once(struct driven_pass *pass, enum driven_attempt *attempt,
                         struct base_error *error) {
    struct driven_guide *guide = pass->guide;
    bool has_trace, is_over;
    pass->next = pass->pins = 0;
    pass->is_mended = false;
    if (!run_once(guide, true, pass->verdict, &has_trace, error))
        return false;
    *attempt = has_trace ? driven_take_conditions(pass) : PASS_UNSURE;
    if (*attempt != PASS_DONE)
        return true;
    if (!run_free(pass, &is_over, error))
        return false;
    if (!is_over) /* the next forced run has the values needed to find out why */
        *attempt = pass->is_mended ? PASS_AGAIN : PASS_UNSURE;
    return true;
}

static void begin_input(struct driven_guide *guide) {
    const struct search_subject *subject = &guide->search->subject;
    size_t size = subject->layout.bytes;
    memset(guide->input, 0, size + 1);
    if (subject->start_count && subject->starts[0].size == size)
        memcpy(guide->input, subject->starts[0].data, size);
    search_clamp(&subject->layout, guide->input, size);
}

bool driven_guide_try(struct driven_guide *guide, const struct driven_trace *trace,
                      struct driven_verdict *verdict, struct base_error *error) {
    struct driven_pass pass = {.guide = guide, .trace = trace, .verdict = verdict};
    enum driven_attempt attempt = PASS_AGAIN;
    bool is_over;
    uint32_t most = guide->search->options.path.values;
    *verdict = (struct driven_verdict){.fate = DRIVEN_UNCERTAIN};
    driven_clear_pins(guide, 0);
    begin_input(guide);
    make_times(guide, trace);
    if (!try_first(&pass, &is_over, error))
        return false;
    if (is_over)
        return true;
    for (uint32_t i = 0; attempt == PASS_AGAIN && i < most; i++) {
        verdict->is_untried = search_is_ending(guide->search);
        if (verdict->is_untried)
            return true;
        if (!attempt_once(&pass, &attempt, error))
            return false;
    }
    verdict->is_untried = attempt == PASS_UNSURE && search_is_ending(guide->search);
    verdict->counters.concretised += attempt == PASS_AGAIN;
    if (attempt == PASS_FAILED || attempt == PASS_BEYOND)
        verdict->fate = attempt == PASS_FAILED ? DRIVEN_INFEASIBLE : DRIVEN_BEYOND;
    return true;
}
