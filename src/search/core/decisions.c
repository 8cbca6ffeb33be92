/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace as a sequence of decisions, read straight from shared memory.
 *
 * To know whether a run took the path that was asked of it, and which path it took, no expression
 * is needed: site, kind and outcome of each decision are enough. So every trace gets one cheap
 * pass here, and only those with open decisions are imported as expressions. Everything is checked
 * against the record's size: the target may have written over it.
 *
 * A path is the sequence of blocks that a person sees, so values that were fixed are no part of
 * it. But what depends on a fixed value is decided without a trace; search_found therefore tells
 * paths with fixed values apart by their block counts, too.
 */
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

/* ---- sites ---- */

static void split_cases(struct search_sites *sites, uint32_t number) {
    const struct ir_switch *from = &sites->facts->switches[number];
    uint32_t most = from->default_outcome;
    for (uint32_t i = from->first_case; i < from->first_case + from->case_count; i++) {
        sites->values[i] = sites->facts->cases[i].value;
        sites->outcomes[i] = sites->facts->cases[i].outcome;
        if (sites->outcomes[i] > most)
            most = sites->outcomes[i];
    }
    sites->outcome_counts[number] = most + 1;
    sites->cases[number] =
        (struct expr_cases){sites->values + from->first_case, sites->outcomes + from->first_case,
                            from->case_count, from->default_outcome};
}

void search_sites_init(struct search_sites *sites, const struct ir_facts *facts) {
    *sites = (struct search_sites){.facts = facts};
    sites->switch_of = base_alloc(facts->block_count * sizeof *sites->switch_of);
    sites->cases = base_alloc(facts->switch_count * sizeof *sites->cases);
    sites->outcome_counts = base_alloc(facts->switch_count * sizeof *sites->outcome_counts);
    sites->values = base_alloc(facts->case_count * sizeof *sites->values);
    sites->outcomes = base_alloc(facts->case_count * sizeof *sites->outcomes);
    for (uint32_t i = 0; i < facts->block_count; i++)
        sites->switch_of[i] = IR_NONE;
    for (uint32_t i = 0; i < facts->switch_count; i++) {
        sites->switch_of[facts->switches[i].block] = i;
        split_cases(sites, i);
    }
}

void search_sites_done(struct search_sites *sites) {
    free(sites->switch_of);
    free(sites->cases);
    free(sites->outcome_counts);
    free(sites->values);
    free(sites->outcomes);
}

const struct expr_cases *search_cases(const struct search_sites *sites, uint32_t site) {
    uint32_t number = site < sites->facts->block_count ? sites->switch_of[site] : IR_NONE;
    return number == IR_NONE ? NULL : &sites->cases[number];
}

uint32_t search_outcome_count(const struct search_sites *sites, uint32_t site) {
    return sites->outcome_counts[sites->switch_of[site]];
}

/* ---- one pass over the events ---- */

static uint32_t switch_outcome(const struct expr_cases *cases, uint64_t value) {
    for (uint32_t i = 0; i < cases->count; i++)
        if (cases->values[i] == value)
            return cases->outcomes[i];
    return cases->default_outcome;
}

static bool is_tried(const struct search_value *tried, uint64_t value) {
    for (; tried; tried = tried->next)
        if (tried->value == value)
            return true;
    return false;
}

struct pass {
    const struct search_sites *sites;
    struct search_turns *turns;
    const struct search_item *item;
    struct search_scan *scan;
    uint64_t hash;
};

/* The decision is one of those that the input was made for. */
static void follow_prefix(struct pass *pass, const struct abi_event *event, uint64_t outcome) {
    struct search_scan *scan = pass->scan;
    bool is_last = scan->decisions + 1 == pass->item->bound;
    if (is_last && pass->item->tried && search_fixes_value(event->kind)) {
        scan->repeats = is_tried(pass->item->tried, outcome);
        outcome = SEARCH_ANY_VALUE;
    }
    pass->hash = search_extend(pass->hash, event->kind, event->site, outcome);
    if (is_last) {
        scan->prefix = pass->hash;
        scan->reached = true;
    }
}

static struct search_turn *innermost(struct search_turns *turns) {
    return turns->open.count ? &turns->open.data[turns->open.count - 1] : NULL;
}

/* Keeps the turns of the loops that the path is in. True when one is left that went beyond the
 * bound. */
static bool follow_loop(struct search_turns *turns, const struct abi_event *event) {
    struct search_turn *last = innermost(turns);
    if (event->kind == ABI_EVENT_LOOP)
        base_push(&turns->open, (struct search_turn){event->value, false});
    else if (last && event->kind == ABI_EVENT_TURN)
        last->turns = event->value;
    else if (last && event->kind == ABI_EVENT_LEAVE) {
        turns->open.count--;
        return last->decides && event->value > turns->bound;
    }
    return false;
}

/* A decision in the innermost loop. True when it is beyond the bound. */
static bool decide_in_loop(struct search_turns *turns) {
    struct search_turn *last = innermost(turns);
    if (last)
        last->decides = true;
    return last && last->turns > turns->bound;
}

static bool take_decision(struct pass *pass, const struct abi_event *event) {
    struct search_scan *scan = pass->scan;
    uint64_t outcome = event->value;
    if (event->kind == ABI_EVENT_SWITCH) {
        const struct expr_cases *cases = search_cases(pass->sites, event->site);
        if (!cases)
            return false;
        outcome = switch_outcome(cases, outcome);
    }
    if (scan->decisions < pass->item->bound)
        follow_prefix(pass, event, outcome);
    if (search_fixes_value(event->kind)) {
        scan->fixed++;
        outcome = SEARCH_ANY_VALUE;
    } else if (decide_in_loop(pass->turns) && scan->exceeded == UINT32_MAX)
        scan->exceeded = scan->decisions;
    scan->path.a = search_extend(scan->path.a, event->kind, event->site, outcome);
    scan->path.b = search_extend(scan->path.b + 1, event->site, event->kind, ~outcome);
    scan->decisions++;
    return true;
}

const struct abi_event *search_events(const struct abi_trace *trace, size_t size) {
    if (!trace || size < sizeof *trace || trace->magic != ABI_TRACE_MAGIC)
        return NULL;
    size_t nodes = (size_t)trace->node_count * sizeof(struct abi_node);
    size_t events = (size_t)trace->event_count * sizeof(struct abi_event);
    if (nodes > size - sizeof *trace || events > size - sizeof *trace - nodes)
        return NULL;
    return (const struct abi_event *)((const char *)(trace + 1) + nodes);
}

bool search_scan_trace(const struct search_sites *sites, struct search_turns *turns,
                       const struct search_item *item, const void *trace, size_t size,
                       struct search_scan *scan) {
    const struct abi_trace *header = trace;
    const struct abi_event *events = search_events(header, size);
    if (!events)
        return false;
    *scan = (struct search_scan){.exceeded = UINT32_MAX,
                                 .reached = item->bound == 0,
                                 .path = {1, 2},
                                 .cost = header->cost,
                                 .flags = header->flags,
                                 .events = header->event_count};
    struct pass pass = {sites, turns, item, scan, 0};
    turns->open.count = 0;
    for (uint32_t i = 0; i < scan->events; i++) {
        struct abi_event event = events[i];
        if (search_is_refusal(event.kind, event.site, event.value))
            scan->is_rejected = true;
        else if (search_is_decision(event.kind, event.site) && !take_decision(&pass, &event))
            return false;
        if (follow_loop(turns, &event) && scan->exceeded == UINT32_MAX)
            scan->exceeded = scan->decisions;
    }
    return true;
}
