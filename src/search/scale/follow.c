/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces single runs: shared by the methods that look at one path instead of exploring a tree.
 */
#include "search/scale/scale.h"

void scale_follower_init(struct scale_follower *follower, struct search *search) {
    double seconds = search->options.limits.seconds;
    *follower = (struct scale_follower){.search = search, .program = &search->subject.programs[0]};
    follower->solver = solver_new(&search->options.solver);
    if (seconds > 0)
        solver_set_deadline(follower->solver, search->began + seconds);
    search_walk_init(&follower->walk, &search->sites);
}

void scale_follower_done(struct scale_follower *follower) {
    search_add_solver(&follower->search->solver, solver_statistics(follower->solver));
    solver_free(follower->solver);
    search_walk_done(&follower->walk);
}

bool scale_follow(struct scale_follower *follower, const uint8_t *input, size_t bytes,
                  struct base_error *error) {
    struct target_input one = {input, bytes};
    struct abi_result result;
    bool good = search_follow(follower->program, &follower->walk, &one, &follower->has_trace,
                              &result, error);
    search_note_outside(follower->search, &one, &result);
    follower->has_trace &= !search_walk_is_truncated(&follower->walk);
    return good;
}
