/* SPDX-License-Identifier: Apache-2.0
 *
 * What do the conditions of a run say about the trace along which it was forced?
 *
 * In one pass, conditions that the current input meets are asserted; at the first one that it does
 * not meet, the solver repairs the input, and so on. If the solver finds no input, the path is
 * infeasible at that branch.
 *
 * Values that the run had to fix (mostly addresses) and decisions that the oracle does not know
 * (inside library functions) are pins: their values are tried one after another, as long as they
 * may be the cause of a contradiction. So the answer "infeasible" holds for all of them.
 *
 * Where all charges are known, the trace and the run agree on the number of instructions before
 * each decision. If a run decides at another time, a branch that is no decision went another way
 * than the oracle thought possible: with these decisions (and pins) there is no such path.
 */
#include "abi/shadow.h"
#include "search/driven/driven.h"

#include <stdlib.h>
#include <string.h>

/* ---- finding the mark of a decision ---- */

const struct driven_mark *driven_find_mark(struct driven_pass *pass, const struct search_step *step,
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

/* The same for a fixed address. If the trace and the run count alike, both know which access it is.
 */
static const struct driven_mark *
find_access(struct driven_pass *pass, const struct search_step *step, uint64_t instructions) {
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

static bool holds(struct driven_pass *pass, uint32_t condition) {
    struct driven_guide *guide = pass->guide;
    expr_eval_begin(guide->walk.trace.pool, guide->input, guide->search->subject.layout.bytes);
    return !condition || expr_eval(guide->walk.trace.pool, condition) != 0;
}

static void begin_asserting(struct driven_pass *pass) {
    struct driven_guide *guide = pass->guide;
    solver_begin(guide->solver, guide->walk.trace.pool, guide->input,
                 guide->search->subject.layout.bytes);
    for (size_t i = 0; i < guide->asserted.count; i++)
        solver_assert(guide->solver, guide->asserted.data[i]);
}

/* Repairs the input if necessary, so that it meets the condition from now on. */
static enum driven_attempt demand(struct driven_pass *pass, uint32_t condition) {
    struct driven_guide *guide = pass->guide;
    size_t size = guide->search->subject.layout.bytes;
    if (!condition)
        return PASS_DONE;
    if (!holds(pass, condition)) {
        enum solver_answer answer = solver_ask(guide->solver, condition, guide->model);
        if (answer != SOLVER_SAT) {
            pass->verdict->counters.unknown +=
                answer == SOLVER_UNKNOWN && !solver_is_over(guide->solver);
            return answer == SOLVER_UNSAT ? PASS_FAILED : PASS_UNSURE;
        }
        memcpy(guide->input, guide->model, size);
        pass->is_mended = true;
        begin_asserting(pass);
    }
    solver_assert(guide->solver, condition);
    base_push(&guide->asserted, condition);
    return PASS_DONE;
}

/* ---- pins ---- */

void driven_clear_pins(struct driven_guide *guide, size_t from) {
    for (size_t i = from; i < guide->pins.count; i++)
        base_vector_done(&guide->pins.data[i].excluded);
    if (from < guide->pins.count)
        guide->pins.count = from;
}

static struct driven_pin *pin_at(struct driven_guide *guide, size_t number) {
    while (guide->pins.count <= number)
        base_push(&guide->pins, ((struct driven_pin){0}));
    return &guide->pins.data[number];
}

/* The condition that the step would have with this outcome. */
static uint32_t outcome_condition(struct driven_pass *pass, const struct search_step *step,
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

/* Excludes the value of the last of COUNT pins, so that the next run takes another one. False when
 * there is no pin. */
static bool move_pin(struct driven_guide *guide, size_t count) {
    if (!count)
        return false;
    struct driven_pin *last = pin_at(guide, count - 1);
    base_push(&last->excluded, ((struct driven_range){(int64_t)last->value, last->span}));
    driven_clear_pins(guide, count);
    return true;
}

static enum driven_attempt set_pin(struct driven_pass *pass, const struct search_step *step) {
    struct driven_guide *guide = pass->guide;
    struct driven_pin *pin = pin_at(guide, pass->pins);
    uint32_t condition = search_condition(&guide->walk, step);
    if (!condition)
        return PASS_DONE;
    for (size_t i = 0; i < pin->excluded.count; i++) {
        uint32_t same = outcome_condition(pass, step, (uint64_t)pin->excluded.data[i].low,
                                          (uint32_t)pin->excluded.data[i].high);
        enum driven_attempt attempt = demand(pass, expr_make_not(guide->walk.trace.pool, same));
        if (attempt == PASS_FAILED) /* all values have been tried */
            return move_pin(guide, pass->pins) ? PASS_AGAIN : PASS_FAILED;
        if (attempt != PASS_DONE)
            return attempt;
    }
    if (!holds(pass, condition))
        return PASS_AGAIN; /* the run fixed a value that the repaired input no longer has */
    *pin = (struct driven_pin){step->outcome, step->span, pin->excluded};
    pass->pins++;
    return demand(pass, condition);
}

/* ---- one run ---- */

/* A decision that the oracle knows. */
static enum driven_attempt take_mark(struct driven_pass *pass, const struct search_step *step,
                                     const struct driven_mark *mark) {
    if (step->outcome == mark->outcome)
        return demand(pass, search_condition(&pass->guide->walk, step));
    enum driven_attempt attempt = demand(pass, outcome_condition(pass, step, mark->outcome, 1));
    return attempt == PASS_DONE ? PASS_AGAIN : attempt;
}

/* An access whose place the oracle has chosen. */
static enum driven_attempt take_access(struct driven_pass *pass, const struct search_step *step,
                                       const struct driven_mark *mark) {
    if (step->place == mark->outcome)
        return demand(pass, search_condition(&pass->guide->walk, step));
    uint64_t address = step->outcome - step->place + mark->outcome;
    enum driven_attempt attempt = demand(pass, outcome_condition(pass, step, address, 1));
    return attempt == PASS_DONE ? PASS_AGAIN : attempt;
}

/* A decision that the oracle does not know. */
static enum driven_attempt take_other(struct driven_pass *pass, const struct search_step *step,
                                      uint64_t instructions) {
    const struct driven_trace *trace = pass->trace;
    bool is_own = step->site < pass->guide->search->subject.facts->block_count;
    if (!is_own || trace->is_inexact)
        return set_pin(pass, step);
    while (pass->next < trace->marks.count &&
           trace->marks.data[pass->next].instructions <= instructions)
        pass->next++;
    return PASS_FAILED;
}

static enum driven_attempt take_step(struct driven_pass *pass, const struct search_step *step) {
    struct driven_guide *guide = pass->guide;
    uint64_t instructions = guide->walk.costs[ABI_COST_INSTRUCTIONS];
    const struct driven_mark *mark = NULL;
    switch (step->kind) {
    case SEARCH_BRANCH:
    case SEARCH_SWITCH:
        mark = driven_find_mark(pass, step, instructions);
        return mark ? take_mark(pass, step, mark) : take_other(pass, step, instructions);
    case SEARCH_VALUE:
        mark = find_access(pass, step, instructions);
        return mark ? take_access(pass, step, mark) : set_pin(pass, step);
    case SEARCH_LINK:
        return set_pin(pass, step);
    case SEARCH_BOUNDS:
        if (step->site == ABI_ACCESS_MAX_SITE) /* whether an allocation succeeds */
            return set_pin(pass, step);
        return demand(pass, search_condition(&guide->walk, step));
    case SEARCH_ASSUMPTION:
        return demand(pass, search_condition(&guide->walk, step));
    case SEARCH_REFUSAL:
        return demand(pass, search_condition(&guide->walk, step)) == PASS_FAILED ? PASS_FAILED
                                                                                 : PASS_AGAIN;
    default:
        return PASS_DONE;
    }
}

/* Does it follow a cyclic list, for example? No trace is that long. */
static bool is_endless(const struct driven_pass *pass) {
    return pass->verdict->result.status == ABI_STATUS_ENDLESS;
}

bool driven_has_length(const struct driven_pass *pass) {
    bool has_ended = pass->verdict->result.status == ABI_STATUS_OK;
    return !is_endless(pass) && (pass->trace->is_inexact || !has_ended ||
                                 pass->guide->walk.cost == pass->trace->instructions);
}

/* The path cannot go on. Fixed or lost values may be the cause. */
static enum driven_attempt give_up(struct driven_pass *pass, enum driven_attempt why, size_t pins) {
    struct driven_guide *guide = pass->guide;
    if (guide->walk.losses) {
        search_count_losses(&pass->verdict->counters, guide->program, &guide->walk);
        return PASS_UNSURE;
    }
    if (pass->next > pass->verdict->at + 1)
        pass->verdict->at = pass->next - 1;
    return move_pin(guide, pins) ? PASS_AGAIN : why;
}

/* Applies all conditions of the run in order, as long as the path stays within the bounds. */
static enum driven_attempt take_all(struct driven_pass *pass, struct search_loops *loops) {
    struct driven_guide *guide = pass->guide;
    struct search_step step;
    bool is_bounded = loops->bound != SEARCH_NO_BOUND;
    while (search_walk_next(&guide->walk, &step)) {
        size_t pins = pass->pins;
        enum driven_attempt attempt = take_step(pass, &step);
        if (attempt == PASS_DONE && is_bounded && search_loops_exceed(loops, &step))
            attempt = PASS_BEYOND;
        if (attempt == PASS_FAILED || attempt == PASS_BEYOND)
            return give_up(pass, attempt, pins);
        if (attempt != PASS_DONE)
            return attempt;
    }
    return PASS_DONE;
}

/* The run decides like the trace but has another length. How far do they agree? Up to the first
 * mark after the end of the run or, if there is none, up to its last decision. */
static size_t last_reached(const struct driven_pass *pass) {
    const struct driven_trace *trace = pass->trace;
    size_t at = is_endless(pass) ? pass->next - (pass->next > 0) : 0;
    while (!is_endless(pass) && at + 1 < trace->marks.count &&
           trace->marks.data[at].instructions <= pass->guide->walk.cost)
        at++;
    return at;
}

enum driven_attempt driven_take_conditions(struct driven_pass *pass) {
    struct driven_guide *guide = pass->guide;
    struct search_loops loops = {.bound = guide->search->options.path.loop_bound};
    guide->asserted.count = 0;
    begin_asserting(pass);
    enum driven_attempt attempt = take_all(pass, &loops);
    base_vector_done(&loops.open);
    if (attempt != PASS_DONE)
        return attempt;
    if (pass->is_mended && pass->verdict->result.status != ABI_STATUS_OK)
        return PASS_AGAIN; /* the run may have been ended by values that no input has */
    if (!pass->is_mended && !driven_has_length(pass)) {
        if (guide->walk.losses)
            return PASS_UNSURE;
        size_t at = last_reached(pass);
        pass->verdict->at = at > pass->verdict->at ? at : pass->verdict->at;
        return move_pin(guide, pass->pins) ? PASS_AGAIN : PASS_FAILED;
    }
    return guide->walk.is_broken || search_walk_is_truncated(&guide->walk) ? PASS_UNSURE
                                                                           : PASS_DONE;
}
