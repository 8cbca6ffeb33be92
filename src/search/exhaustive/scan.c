/* SPDX-License-Identifier: Apache-2.0
 *
 * Which path did a run take, and is it the one that was asked of it?
 *
 * A path is the sequence of blocks that a person sees, so values that were fixed are no part of
 * it. But what depends on a fixed value is decided without a trace; paths with fixed values are
 * therefore told apart by their block counts, too.
 */
#include "search/exhaustive/exhaustive.h"

static bool is_tried(const struct exhaustive_value *tried, uint64_t value) {
    for (; tried; tried = tried->next)
        if (tried->value == value)
            return true;
    return false;
}

/* The decision is one of those that the input was made for. */
static void follow_prefix(const struct exhaustive_item *item, const struct search_step *step,
                          struct exhaustive_scan *scan) {
    bool is_last = step->depth + 1 == item->bound;
    uint64_t outcome = step->outcome;
    if (is_last && item->tried && step->kind == SEARCH_VALUE) {
        scan->repeats = is_tried(item->tried, outcome);
        outcome = SEARCH_ANY_VALUE;
    }
    scan->prefix = search_extend(scan->prefix, step->kind, step->site, outcome);
    scan->reached |= is_last;
}

static void take_decision(const struct exhaustive_item *item, const struct search_step *step,
                          struct exhaustive_scan *scan) {
    uint64_t outcome = step->outcome;
    if (step->depth < item->bound)
        follow_prefix(item, step, scan);
    if (step->kind == SEARCH_VALUE) {
        scan->fixed++;
        outcome = SEARCH_ANY_VALUE;
    }
    scan->path.a = search_extend(scan->path.a, step->kind, step->site, outcome);
    scan->path.b = search_extend(scan->path.b + 1, step->site, step->kind, ~outcome);
}

/* A first look has no expressions: it may be that the amount is constant after all. */
static uint32_t open_costs(const struct search_step *step) {
    if (step->kind == SEARCH_ALLOCATION)
        return 1u << ABI_COST_ALLOCATED | 1u << ABI_COST_MEMORY | 1u << ABI_COST_LIVE;
    return step->site < ABI_COST_COUNT ? 1u << step->site : 0;
}

bool exhaustive_scan_trace(struct search_walk *walk, struct search_loops *loops,
                           const struct search_policy *policy, const struct exhaustive_item *item,
                           struct exhaustive_scan *scan) {
    struct search_step step;
    *scan = (struct exhaustive_scan){.exceeded = UINT32_MAX,
                                     .given_up = UINT32_MAX,
                                     .reached = item->bound == 0,
                                     .path = {1, 2}};
    loops->open.count = 0;
    while (search_walk_next(walk, &step)) {
        if (policy && scan->given_up == UINT32_MAX &&
            search_policy_exceeded(policy, walk->costs, scan->open))
            scan->given_up = step.depth;
        if (step.kind == SEARCH_ALLOCATION || step.kind == SEARCH_AMOUNT)
            scan->open |= open_costs(&step);
        if (search_is_decision(&step))
            take_decision(item, &step, scan);
        else if (step.kind == SEARCH_REFUSAL)
            scan->is_rejected = true;
        if (search_loops_exceed(loops, &step) && scan->exceeded == UINT32_MAX)
            scan->exceeded = step.depth;
    }
    scan->decisions = walk->depth;
    return !walk->is_broken;
}
