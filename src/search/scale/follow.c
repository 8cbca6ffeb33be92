/* SPDX-License-Identifier: Apache-2.0
 *
 * What does one run demand of its input? A run is traced and its events are read as conditions:
 * what those have in common who look at single paths instead of exploring a tree.
 */
#include "search/scale/scale.h"

static void read_trace(size_t index, const struct abi_result *result, const void *trace,
                       size_t size, void *context) {
    struct search_follower *follower = context;
    struct base_error error;
    size_t next;
    (void)index;
    follower->has_trace = result->status == ABI_STATUS_OK && trace &&
                          expr_trace_read(&follower->trace, trace, size, &next, &error) &&
                          !(follower->trace.flags & ABI_TRACE_TRUNCATED);
}

void search_follower_init(struct search_follower *follower, struct search *search) {
    double seconds = search->options.seconds;
    *follower = (struct search_follower){.search = search, .programs = &search->programs[0]};
    follower->solver = solver_new(&search->options.solver);
    if (seconds > 0)
        solver_set_deadline(follower->solver, search->began + seconds);
    follower->trace.pool = expr_pool_new();
    search_sites_init(&follower->sites, search->options.facts);
}

void search_follower_done(struct search_follower *follower) {
    search_add_solver(&follower->search->solver, solver_statistics(follower->solver));
    solver_free(follower->solver);
    expr_trace_done(&follower->trace);
    search_sites_done(&follower->sites);
}

bool search_follow(struct search_follower *follower, const uint8_t *input, size_t bytes,
                   struct base_error *error) {
    const struct search_programs *programs = follower->programs;
    struct target_input one = {input, bytes};
    follower->has_trace = false;
    return programs->trace(programs->self, &one, 1, read_trace, follower, error);
}

uint32_t search_condition(struct search_follower *follower, const struct expr_event *event) {
    struct expr_pool *pool = follower->trace.pool;
    bool decides = search_is_decision(event->kind, event->site);
    if ((!decides && event->kind != ABI_EVENT_ASSUME) || !event->expr ||
        expr_node(pool, event->expr)->op == ABI_OP_CONST)
        return 0;
    if (event->kind == ABI_EVENT_ASSUME)
        return event->expr;
    const struct expr_cases *cases =
        event->kind == ABI_EVENT_SWITCH ? search_cases(&follower->sites, event->site) : NULL;
    return expr_event_condition(pool, event, cases);
}
