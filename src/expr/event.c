/* SPDX-License-Identifier: Apache-2.0
 *
 * Under which condition does an event of a trace go the way it did? A branch: its condition or the
 * negation. A switch: the value is one of the cases of this successor, or none of the others'. A
 * fixed value: an equation. Long disjunctions are balanced, so that they stay shallow. And: what
 * has the path cost up to an event?
 */
#include "expr/internal.h"

static uint32_t switch_outcome(const struct expr_cases *cases, uint64_t value) {
    for (uint32_t i = 0; i < cases->count; i++)
        if (cases->values[i] == value)
            return cases->outcomes[i];
    return cases->default_outcome;
}

uint32_t expr_event_outcome(const struct expr_event *event, const struct expr_cases *cases) {
    if (event->kind == ABI_EVENT_SWITCH && cases)
        return switch_outcome(cases, event->value);
    return event->value != 0;
}

static uint32_t equals_value(struct expr_pool *pool, uint32_t expr, uint64_t value) {
    unsigned width = pool->nodes[expr].width;
    if (value != (value & width_mask(width)))
        return expr_make_constant(pool, 1, 0);
    return expr_make(pool, ABI_OP_EQ, 1, 0, expr, expr_make_constant(pool, width, value), 0);
}

static uint32_t lies_in(struct expr_pool *pool, const struct expr_event *event) {
    unsigned width = pool->nodes[event->expr].width;
    uint32_t start = expr_make_constant(pool, width, event->value);
    uint32_t offset = expr_make(pool, ABI_OP_SUB, width, 0, event->expr, start, 0);
    uint32_t size = expr_make_constant(pool, width, event->site);
    return expr_make(pool, ABI_OP_ULT, 1, 0, offset, size, 0);
}

/* Does the case lead to OUTCOME (TO), or to another successor? */
static bool leads(const struct expr_cases *cases, uint32_t i, uint32_t outcome, bool to) {
    return (cases->outcomes[i] == outcome) == to;
}

/* EXPR is one of the values of cases [first, end) that lead TO the outcome, or elsewhere. */
static uint32_t any_case(struct expr_pool *pool, uint32_t expr, const struct expr_cases *cases,
                         uint32_t outcome, bool to, uint32_t first, uint32_t end) {
    if (first == end)
        return expr_make_constant(pool, 1, 0);
    if (end - first == 1)
        return leads(cases, first, outcome, to) ? equals_value(pool, expr, cases->values[first])
                                                : expr_make_constant(pool, 1, 0);
    uint32_t middle = first + (end - first) / 2;
    uint32_t left = any_case(pool, expr, cases, outcome, to, first, middle);
    uint32_t right = any_case(pool, expr, cases, outcome, to, middle, end);
    return expr_make(pool, ABI_OP_OR, 1, 0, left, right, 0);
}

uint32_t expr_switch_condition(struct expr_pool *pool, uint32_t expr, uint32_t outcome,
                               const struct expr_cases *cases) {
    if (outcome != cases->default_outcome)
        return any_case(pool, expr, cases, outcome, true, 0, cases->count);
    return expr_make_not(pool, any_case(pool, expr, cases, outcome, false, 0, cases->count));
}

uint32_t expr_event_condition(struct expr_pool *pool, const struct expr_event *event,
                              const struct expr_cases *cases) {
    switch (event->kind) {
    case ABI_EVENT_BRANCH:
    case ABI_EVENT_ASSUME:
    case ABI_EVENT_BOUNDS:
    case ABI_EVENT_LINK:
        return event->value ? event->expr : expr_make_not(pool, event->expr);
    case ABI_EVENT_SWITCH:
        if (cases)
            return expr_switch_condition(pool, event->expr, switch_outcome(cases, event->value),
                                         cases);
        return equals_value(pool, event->expr, event->value);
    case ABI_EVENT_OBJECT:
        return lies_in(pool, event);
    default:
        return abi_event_has_expr(event->kind) ? equals_value(pool, event->expr, event->value) : 0;
    }
}
