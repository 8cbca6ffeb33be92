/* SPDX-License-Identifier: Apache-2.0
 *
 * Does an input take the path that the oracle proposes?
 *
 * A forced run goes that way whatever the values are, and leaves the condition of every decision on
 * it. Then one pass over the conditions: those that the input at hand satisfies are asserted, for
 * the first that it does not the solver mends the input, and so on. At the end the input takes the
 * path by itself; where the solver finds none, the path is infeasible at just that branch.
 *
 * Values that the run had to fix (addresses, mostly) and decisions that the oracle does not know of
 * (inside library functions) are pins: the values that they have are tried one after the other, as
 * long as nothing else is to blame for a contradiction. So an answer of "infeasible" holds for all
 * of them.
 *
 * Where all charges are known, the trace and the run agree on how many instructions come before
 * each decision. A run that decides at another time has taken a branch that is no decision another
 * way than the oracle thought possible: with these decisions (and pins) there is no such path.
 */
#include "abi/shadow.h"
#include "search/core/worst.h"
#include "search/driven/driven.h"

#include <stdlib.h>
#include <string.h>

enum attempt { DONE, AGAIN, FAILED, BEYOND, UNSURE };

/* The pass over the conditions of one run. */
struct pass {
    struct driven_guide *guide;
    const struct driven_trace *trace;
    struct driven_verdict *verdict;
    size_t next;    /* mark that is to come */
    size_t pins;    /* so far */
    bool is_mended; /* the input is not the one that ran */
};

void driven_guide_init(struct driven_guide *guide, struct search *search, size_t worker) {
    size_t size = search->subject.layout.bytes;
    *guide = (struct driven_guide){.search = search, .program = &search->subject.programs[worker]};
    guide->solver = search_new_solver(&search->options, &search->subject.layout);
    search_walk_init(&guide->walk, &search->sites);
    guide->input = base_alloc(size + 1);
    guide->model = base_alloc(size + 1);
}

static void clear_pins(struct driven_guide *guide, size_t from) {
    for (size_t i = from; i < guide->pins.count; i++)
        base_vector_done(&guide->pins.data[i].excluded);
    if (from < guide->pins.count)
        guide->pins.count = from;
}

void driven_guide_done(struct driven_guide *guide) {
    search_add_solver(&guide->search->solver, solver_statistics(guide->solver));
    solver_free(guide->solver);
    search_walk_done(&guide->walk);
    clear_pins(guide, 0);
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

/* Runs the input, forced along the trace or free. */
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
        verdict->counters = before; /* a crash on a path that there is not is none */
        verdict->counters.runs++;
    }
    *has_trace = good && visit.has_trace;
    return good;
}

/* ---- which mark is this decision? ---- */

static const struct driven_mark *find_mark(struct pass *pass, const struct search_step *step,
                                           uint64_t instructions) {
    const struct driven_trace *trace = pass->trace;
    for (size_t i = pass->next; i < trace->marks.count; i++) {
        const struct driven_mark *mark = &trace->marks.data[i];
        bool is_same = mark->site == step->site && !mark->access &&
                       (trace->is_inexact || mark->instructions == instructions);
        if (is_same) {
            pass->next = i + 1;
            return mark;
        }
        if (!trace->is_inexact && mark->instructions > instructions)
            break;
    }
    return NULL;
}

/* The same for an address that was fixed. Where the trace and the run count alike, both know which
 * access it is. */
static const struct driven_mark *find_access(struct pass *pass, const struct search_step *step,
                                             uint64_t instructions) {
    const struct driven_trace *trace = pass->trace;
    if (trace->is_inexact || !step->is_address || !step->access || step->place == UINT32_MAX)
        return NULL;
    for (size_t i = pass->next; i < trace->marks.count; i++) {
        const struct driven_mark *mark = &trace->marks.data[i];
        if (mark->instructions > instructions)
            break;
        if (mark->access == step->access && mark->instructions == instructions) {
            pass->next = i + 1;
            return mark;
        }
    }
    return NULL;
}

/* ---- conditions ---- */

static bool holds(struct pass *pass, uint32_t condition) {
    struct driven_guide *guide = pass->guide;
    expr_eval_begin(guide->walk.trace.pool, guide->input, guide->search->subject.layout.bytes);
    return !condition || expr_eval(guide->walk.trace.pool, condition) != 0;
}

static void begin_asserting(struct pass *pass) {
    struct driven_guide *guide = pass->guide;
    solver_begin(guide->solver, guide->walk.trace.pool, guide->input,
                 guide->search->subject.layout.bytes);
    for (size_t i = 0; i < guide->asserted.count; i++)
        solver_assert(guide->solver, guide->asserted.data[i]);
}

/* The input satisfies the condition from now on, if one can. */
static enum attempt demand(struct pass *pass, uint32_t condition) {
    struct driven_guide *guide = pass->guide;
    size_t size = guide->search->subject.layout.bytes;
    if (!condition)
        return DONE;
    if (!holds(pass, condition)) {
        enum solver_answer answer = solver_ask(guide->solver, condition, guide->model);
        if (answer != SOLVER_SAT) {
            pass->verdict->counters.unknown +=
                answer == SOLVER_UNKNOWN && !solver_is_over(guide->solver);
            return answer == SOLVER_UNSAT ? FAILED : UNSURE;
        }
        memcpy(guide->input, guide->model, size);
        pass->is_mended = true;
        begin_asserting(pass);
    }
    solver_assert(guide->solver, condition);
    base_push(&guide->asserted, condition);
    return DONE;
}

/* ---- pins ---- */

static struct driven_pin *pin_at(struct driven_guide *guide, size_t number) {
    while (guide->pins.count <= number)
        base_push(&guide->pins, ((struct driven_pin){0}));
    return &guide->pins.data[number];
}

/* What the step demands had it this outcome. */
static uint32_t outcome_condition(struct pass *pass, const struct search_step *step,
                                  uint64_t outcome, uint32_t span) {
    struct search_walk *walk = &pass->guide->walk;
    if (step->kind == SEARCH_VALUE)
        return search_make_within(walk->trace.pool, step->expr, outcome, span);
    struct search_step other = *step;
    struct search_alternative alternative = {0};
    if (outcome == step->outcome)
        return search_condition(walk, step);
    while (search_next_alternative(walk, &other, &alternative))
        if (alternative.outcome == outcome)
            return alternative.condition;
    return 0;
}

/* The last pin takes another value, or the one before it. False when all were tried. */
static bool move_pin(struct driven_guide *guide, size_t count) {
    if (!count)
        return false;
    struct driven_pin *last = pin_at(guide, count - 1);
    base_push(&last->excluded, ((struct driven_range){(int64_t)last->value, last->span}));
    clear_pins(guide, count);
    return true;
}

static enum attempt set_pin(struct pass *pass, const struct search_step *step) {
    struct driven_guide *guide = pass->guide;
    struct driven_pin *pin = pin_at(guide, pass->pins);
    uint32_t condition = search_condition(&guide->walk, step);
    if (!condition)
        return DONE;
    for (size_t i = 0; i < pin->excluded.count; i++) {
        uint32_t same = outcome_condition(pass, step, (uint64_t)pin->excluded.data[i].low,
                                          (uint32_t)pin->excluded.data[i].high);
        enum attempt attempt = demand(pass, expr_make_not(guide->walk.trace.pool, same));
        if (attempt == FAILED) /* every value was tried */
            return move_pin(guide, pass->pins) ? AGAIN : FAILED;
        if (attempt != DONE)
            return attempt;
    }
    if (!holds(pass, condition))
        return AGAIN; /* the run fixed a value that the input no longer has */
    *pin = (struct driven_pin){step->outcome, step->span, pin->excluded};
    pass->pins++;
    return demand(pass, condition);
}

/* ---- one run ---- */

/* A decision that the oracle knows of. */
static enum attempt take_mark(struct pass *pass, const struct search_step *step,
                              const struct driven_mark *mark) {
    if (step->outcome == mark->outcome)
        return demand(pass, search_condition(&pass->guide->walk, step));
    enum attempt attempt = demand(pass, outcome_condition(pass, step, mark->outcome, 1));
    return attempt == DONE ? AGAIN : attempt;
}

/* An access that the oracle has chosen a place for. */
static enum attempt take_access(struct pass *pass, const struct search_step *step,
                                const struct driven_mark *mark) {
    if (step->place == mark->outcome)
        return demand(pass, search_condition(&pass->guide->walk, step));
    uint64_t address = step->outcome - step->place + mark->outcome;
    enum attempt attempt = demand(pass, outcome_condition(pass, step, address, 1));
    return attempt == DONE ? AGAIN : attempt;
}

/* A decision that the oracle does not know of, or knows nothing about. */
static enum attempt take_other(struct pass *pass, const struct search_step *step,
                               uint64_t instructions) {
    const struct driven_trace *trace = pass->trace;
    bool is_own = step->site < pass->guide->search->subject.facts->block_count;
    if (!is_own || trace->is_inexact)
        return set_pin(pass, step);
    while (pass->next < trace->marks.count &&
           trace->marks.data[pass->next].instructions <= instructions)
        pass->next++;
    return FAILED;
}

static enum attempt take_step(struct pass *pass, const struct search_step *step) {
    struct driven_guide *guide = pass->guide;
    uint64_t instructions = guide->walk.costs[ABI_COST_INSTRUCTIONS];
    const struct driven_mark *mark = NULL;
    switch (step->kind) {
    case SEARCH_BRANCH:
    case SEARCH_SWITCH:
        mark = find_mark(pass, step, instructions);
        return mark ? take_mark(pass, step, mark) : take_other(pass, step, instructions);
    case SEARCH_VALUE:
        mark = find_access(pass, step, instructions);
        return mark ? take_access(pass, step, mark) : set_pin(pass, step);
    case SEARCH_LINK:
        return set_pin(pass, step);
    case SEARCH_BOUNDS:
        if (step->site == ABI_ACCESS_MAX_SITE) /* there is memory for it, or there is none */
            return set_pin(pass, step);
        return demand(pass, search_condition(&guide->walk, step));
    case SEARCH_ASSUMPTION:
        return demand(pass, search_condition(&guide->walk, step));
    case SEARCH_REFUSAL:
        return demand(pass, search_condition(&guide->walk, step)) == FAILED ? FAILED : AGAIN;
    default:
        return DONE;
    }
}

/* A list that leads back into itself, for one: no trace is that long. */
static bool is_endless(const struct pass *pass) {
    return pass->verdict->result.status == ABI_STATUS_ENDLESS;
}

/* The run is as long as the trace, as far as that is known. */
static bool has_length(const struct pass *pass) {
    bool has_ended = pass->verdict->result.status == ABI_STATUS_OK;
    return !is_endless(pass) && (pass->trace->is_inexact || !has_ended ||
                                 pass->guide->walk.cost == pass->trace->instructions);
}

/* The path has no future. Values that were fixed, or lost, may be to blame. */
static enum attempt give_up(struct pass *pass, enum attempt why, size_t pins) {
    struct driven_guide *guide = pass->guide;
    if (guide->walk.losses) {
        search_count_losses(&pass->verdict->counters, guide->program, &guide->walk);
        return UNSURE;
    }
    if (pass->next > pass->verdict->at + 1)
        pass->verdict->at = pass->next - 1;
    return move_pin(guide, pins) ? AGAIN : why;
}

/* The conditions of the run, in order, as far as the path stays within the bounds. */
static enum attempt take_all(struct pass *pass, struct search_loops *loops) {
    struct driven_guide *guide = pass->guide;
    struct search_step step;
    bool is_bounded = loops->bound != SEARCH_NO_BOUND;
    while (search_walk_next(&guide->walk, &step)) {
        size_t pins = pass->pins;
        enum attempt attempt = take_step(pass, &step);
        if (attempt == DONE && is_bounded && search_loops_exceed(loops, &step))
            attempt = BEYOND;
        if (attempt == FAILED || attempt == BEYOND)
            return give_up(pass, attempt, pins);
        if (attempt != DONE)
            return attempt;
    }
    return DONE;
}

/* A run that decides as the trace does is not as long. How far do both agree? To the first mark
 * behind the end of the run; if it has none, to its last decision, since it makes no other. */
static size_t last_reached(const struct pass *pass) {
    const struct driven_trace *trace = pass->trace;
    size_t at = is_endless(pass) ? pass->next - (pass->next > 0) : 0;
    while (!is_endless(pass) && at + 1 < trace->marks.count &&
           trace->marks.data[at].instructions <= pass->guide->walk.cost)
        at++;
    return at;
}

static enum attempt take_steps(struct pass *pass) {
    struct driven_guide *guide = pass->guide;
    struct search_loops loops = {.bound = guide->search->options.path.loop_bound};
    guide->asserted.count = 0;
    begin_asserting(pass);
    enum attempt attempt = take_all(pass, &loops);
    base_vector_done(&loops.open);
    if (attempt != DONE)
        return attempt;
    if (pass->is_mended && pass->verdict->result.status != ABI_STATUS_OK)
        return AGAIN; /* values that no input has may have ended the run */
    if (!pass->is_mended && !has_length(pass)) {
        if (guide->walk.losses)
            return UNSURE;
        size_t at = last_reached(pass);
        pass->verdict->at = at > pass->verdict->at ? at : pass->verdict->at;
        return move_pin(guide, pass->pins) ? AGAIN : FAILED;
    }
    return guide->walk.is_broken || search_walk_is_truncated(&guide->walk) ? UNSURE : DONE;
}

/* ---- does the input go there by itself? ---- */

struct outcome {
    uint32_t open; /* costs that may depend on the input */
    bool is_trace; /* it took the trace to its end */
    bool has_fixed;
};

static void extend_path(struct driven_verdict *verdict, const struct search_step *step) {
    uint64_t outcome = step->kind == SEARCH_VALUE ? SEARCH_ANY_VALUE : step->outcome;
    struct search_path *path = &verdict->path;
    path->a = search_extend(path->a, step->kind, step->site, outcome);
    path->b = search_extend(path->b + 1, step->site, step->kind, ~outcome);
    verdict->decisions++;
}

static struct outcome compare_run(struct pass *pass) {
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
            find_mark(pass, &step, guide->walk.costs[ABI_COST_INSTRUCTIONS]);
        outcome.is_trace &= mark ? mark->outcome == step.outcome
                                 : pass->trace->is_inexact ||
                                       step.site >= guide->search->subject.facts->block_count;
    }
    base_vector_done(&loops.open);
    outcome.is_trace &= !guide->walk.is_broken && has_length(pass);
    return outcome;
}

static bool measure(struct pass *pass, bool has_fixed, struct base_error *error) {
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

/* The run that was just made took the trace by itself: its input becomes the costliest of the path
 * and is measured. */
static bool confirm(struct pass *pass, const struct outcome outcome, struct base_error *error) {
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
        verdict->has_first = memcmp(verdict->input, guide->input, size) != 0;
    }
    return measure(pass, outcome.has_fixed, error);
}

/* ---- the whole ---- */

/* Runs the input as it is: does it take the trace? *IS_OVER: then there is nothing more to try. */
static bool run_free(struct pass *pass, bool *is_over, struct base_error *error) {
    struct driven_guide *guide = pass->guide;
    struct driven_verdict *verdict = pass->verdict;
    bool has_trace;
    if (!run_once(guide, false, verdict, &has_trace, error))
        return false;
    *is_over = !has_trace || has_length(pass);
    if (!has_trace || !search_ended_well(&verdict->result)) {
        verdict->fate = *is_over ? DRIVEN_FAULTY : DRIVEN_UNCERTAIN;
        return true;
    }
    struct outcome outcome = compare_run(pass);
    *is_over = outcome.is_trace;
    search_walk_rewind(&guide->walk);
    return !outcome.is_trace || confirm(pass, outcome, error);
}

/* All inputs begin as one, which may take the first trace by itself. */
static bool try_first(struct pass *pass, bool *is_over, struct base_error *error) {
    struct search_counters before = pass->verdict->counters;
    *is_over = false;
    if (pass->guide->has_begun)
        return true;
    pass->guide->has_begun = true;
    if (!run_free(pass, is_over, error))
        return false;
    if (pass->verdict->fate != DRIVEN_FEASIBLE) { /* it was never meant to */
        *is_over = false;
        pass->verdict->fate = DRIVEN_UNCERTAIN;
        pass->verdict->counters = before;
        pass->verdict->counters.runs++;
    }
    return true;
}

/* One forced run, what follows from it, and if there is an input one without force. */
static bool attempt_once(struct pass *pass, enum attempt *attempt, struct base_error *error) {
    struct driven_guide *guide = pass->guide;
    bool has_trace, is_over;
    pass->next = pass->pins = 0;
    pass->is_mended = false;
    if (!run_once(guide, true, pass->verdict, &has_trace, error))
        return false;
    *attempt = has_trace ? take_steps(pass) : UNSURE;
    if (*attempt != DONE)
        return true;
    if (!run_free(pass, &is_over, error))
        return false;
    if (!is_over) /* the next forced run has the values that it needs to see why */
        *attempt = pass->is_mended ? AGAIN : UNSURE;
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
    struct pass pass = {.guide = guide, .trace = trace, .verdict = verdict};
    enum attempt attempt = AGAIN;
    bool is_over;
    uint32_t most = guide->search->options.path.values;
    *verdict = (struct driven_verdict){.fate = DRIVEN_UNCERTAIN};
    clear_pins(guide, 0);
    begin_input(guide);
    make_times(guide, trace);
    if (!try_first(&pass, &is_over, error))
        return false;
    if (is_over)
        return true;
    for (uint32_t i = 0; attempt == AGAIN && i < most; i++) {
        verdict->is_untried = search_is_ending(guide->search);
        if (verdict->is_untried)
            return true;
        if (!attempt_once(&pass, &attempt, error))
            return false;
    }
    verdict->is_untried = attempt == UNSURE && search_is_ending(guide->search);
    verdict->counters.concretised += attempt == AGAIN;
    if (attempt == FAILED || attempt == BEYOND)
        verdict->fate = attempt == FAILED ? DRIVEN_INFEASIBLE : DRIVEN_BEYOND;
    return true;
}
