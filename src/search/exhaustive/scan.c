/* SPDX-License-Identifier: Apache-2.0
 *
 * Which path did a run take, and is it the expected one?
 *
 * A path is the sequence of blocks that a user sees, so fixed values are not part of it. But
 * branches that depend on a fixed value leave no trace; so paths with fixed values are also
 * distinguished by their block counts.
 *
 * Consecutive runs have long common beginnings, because the stack puts siblings side by side. So
 * the events of the last trace are kept, with the state before each of them, and a scan starts
 * where its trace diverges. Traces with loop events are always read from the start.
 */
#include "search/exhaustive/exhaustive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void exhaustive_scanner_done(struct exhaustive_scanner *scanner) {
    base_vector_done(&scanner->guards.loops.open);
    search_follower_done(&scanner->guards.follower);
    base_vector_done(&scanner->events);
    base_vector_done(&scanner->points);
    base_vector_done(&scanner->decisions);
}

/* ---- the common beginning with the last trace ---- */

static size_t count_common(const struct exhaustive_scanner *scanner,
                           const struct search_walk *walk) {
    const struct abi_event *known = scanner->events.data;
    size_t most = scanner->events.count, at = 0;
    if (most > walk->event_count)
        most = walk->event_count;
    while (at < most && memcmp(&known[at], &walk->events[at], sizeof *known) == 0)
        at++;
    return at;
}

static void go_on_from(struct exhaustive_scanner *scanner, struct search_walk *walk, size_t event,
                       struct exhaustive_point *point) {
    *point = event < scanner->points.count ? scanner->points.data[event] : scanner->last;
    scanner->events.count = scanner->points.count = event;
    scanner->decisions.count = point->depth;
    scanner->guards.loops.open.count = 0;
    search_walk_go_to(walk, (uint32_t)event, point->depth, point->losses);
}

/* ---- decisions ---- */

static void take_decision(struct exhaustive_scanner *scanner, const struct search_step *step,
                          uint32_t event, struct exhaustive_point *point) {
    uint64_t outcome = step->outcome;
    base_push(&scanner->decisions,
              (struct exhaustive_decision){point->prefix, outcome, step->kind, step->site, event});
    point->prefix = search_extend(point->prefix, step->kind, step->site, outcome);
    if (step->kind == SEARCH_VALUE) {
        point->fixed++;
        outcome = SEARCH_ANY_VALUE;
    }
    point->path.a = search_extend(point->path.a, step->kind, step->site, outcome);
    point->path.b = search_extend(point->path.b + 1, step->site, step->kind, ~outcome);
}

static bool is_tried(const struct exhaustive_value *tried, uint64_t value) {
    for (; tried; tried = tried->next)
        if (tried->value == value)
            return true;
    return false;
}

/* Did the run make the decisions that the input was made for? */
static bool is_expected(const struct exhaustive_scanner *scanner,
                        const struct exhaustive_item *item) {
    if (!item->bound)
        return true;
    if (scanner->decisions.count < item->bound)
        return false;
    const struct exhaustive_decision *last = &scanner->decisions.data[item->bound - 1];
    bool is_open = item->tried && last->kind == SEARCH_VALUE;
    if (is_open && is_tried(item->tried, last->outcome))
        return false;
    return item->prefix == search_extend(last->prefix, last->kind, last->site,
                                         is_open ? SEARCH_ANY_VALUE : last->outcome);
}

static void guard(struct exhaustive_guards *guards, const struct search_walk *walk,
                  const struct search_step *step, struct exhaustive_scan *scan) {
    bool in_loop = guards->loops.open.count || step->kind == SEARCH_LOOP;
    if (in_loop && search_loops_exceed(&guards->loops, step) && scan->exceeded == UINT32_MAX)
        scan->exceeded = step->depth;
    if (guards->policy && scan->given_up == UINT32_MAX &&
        search_policy_exceeded(guards->policy, walk->costs, scan->open))
        scan->given_up = step->depth;
    if (guards->trail && scan->strayed == UINT32_MAX &&
        !search_follower_step(&guards->follower, step)) /* a branch can go the other way */
        scan->strayed = step->depth + search_is_decision(step);
}

static void keep_events(struct exhaustive_scanner *scanner, const struct search_walk *walk,
                        uint32_t first, const struct exhaustive_point *point) {
    for (; first < walk->next; first++) {
        base_push(&scanner->events, walk->events[first]);
        base_push(&scanner->points, *point);
    }
}

/* With a policy or a trail, every step must be checked, so the trace is read from the start. */
static void begin_scan(struct exhaustive_scanner *scanner, struct search_walk *walk,
                       struct exhaustive_scan *scan, struct exhaustive_point *point) {
    *scan = (struct exhaustive_scan){
        .exceeded = UINT32_MAX, .given_up = UINT32_MAX, .strayed = UINT32_MAX};
    if (scanner->guards.policy || scanner->guards.trail)
        scanner->events.count = scanner->points.count = 0;
    if (!scanner->points.count)
        scanner->last = (struct exhaustive_point){.path = {1, 2}};
    search_follower_begin(&scanner->guards.follower, scanner->guards.trail);
    go_on_from(scanner, walk, count_common(scanner, walk), point);
}

static void end_scan(const struct exhaustive_scanner *scanner, const struct exhaustive_item *item,
                     const struct exhaustive_point *point, struct exhaustive_scan *scan) {
    const struct exhaustive_guards *guards = &scanner->guards;
    scan->is_expected = is_expected(scanner, item);
    scan->decisions = point->depth;
    scan->path = point->path;
    scan->fixed = point->fixed;
    scan->open = point->open;
    scan->is_rejected = point->is_rejected;
    if (guards->trail && scan->strayed == UINT32_MAX && !search_follower_ends(&guards->follower))
        scan->strayed = scan->decisions;
}

bool exhaustive_scan_trace(struct exhaustive_scanner *scanner, struct search_walk *walk,
                           const struct exhaustive_item *item, struct exhaustive_scan *scan) {
    struct exhaustive_point point;
    struct search_step step;
    bool tells_loops = false;
    begin_scan(scanner, walk, scan, &point);
    for (uint32_t event = walk->next; search_walk_next(walk, &step); event = walk->next) {
        tells_loops |= step.kind == SEARCH_LOOP;
        keep_events(scanner, walk, event, &point);
        point.open |= search_open_costs(&step);
        if (search_is_decision(&step))
            take_decision(scanner, &step, walk->next - 1, &point);
        point.is_rejected |= step.kind == SEARCH_REFUSAL;
        point.depth = walk->depth;
        point.losses = walk->losses;
        scan->open = point.open;
        guard(&scanner->guards, walk, &step, scan);
    }
    scanner->last = point;
    if (tells_loops)
        scanner->events.count = scanner->points.count = 0;
    end_scan(scanner, item, &point, scan);
    return !walk->is_broken;
}

static bool tells_cost(const struct search_prices *prices) {
    for (size_t i = 0; i < ABI_COST_COUNT; i++)
        if (i != ABI_COST_INSTRUCTIONS && i != ABI_COST_CALLS && prices->of[i] != 0)
            return false;
    return !prices->is_partial;
}

double exhaustive_told_cost(const struct search *search, const struct search_walk *walk) {
    const struct search_prices *prices = &search->subject.prices;
    if (!tells_cost(prices) || search_walk_is_truncated(walk))
        return NAN;
    return prices->of[ABI_COST_INSTRUCTIONS] * (double)walk->cost +
           prices->of[ABI_COST_CALLS] * (double)walk->calls;
}
