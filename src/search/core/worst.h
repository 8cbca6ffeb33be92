/* SPDX-License-Identifier: Apache-2.0
 *
 * The costliest input of a path whose inputs differ in cost.
 */
#ifndef SLOWPATH_SEARCH_WORST_H
#define SLOWPATH_SEARCH_WORST_H

#include "search/core/core.h"

/* The costs that a step may make depend on the input, one bit each. Without expressions, in the
 * first walk, this is an overestimate: the amount may turn out to be constant. */
static inline uint32_t search_open_costs(const struct search_step *step) {
    if (step->kind == SEARCH_ALLOCATION)
        return 1u << ABI_COST_ALLOCATED | 1u << ABI_COST_MEMORY | 1u << ABI_COST_LIVE;
    return step->kind == SEARCH_AMOUNT && step->site < ABI_COST_COUNT ? 1u << step->site : 0;
}

struct search_worst {
    bool is_open;        /* its cost depends on what the path leaves open */
    bool is_conditional; /* whether the policy holds depends on it */
    bool is_unproven;    /* there may be a costlier one: the solver gave up, or the formula does not
                            cover it */
};
/* INPUT took the path of WALK, whose costs in OPEN may depend on the input: it becomes the
 * costliest that does and adheres to the policy, if there is one. */
struct search_worst search_find_worst(const struct search *search,
                                      const struct search_program *program, struct solver *solver,
                                      struct search_walk *walk, uint32_t open, uint8_t *input);

#endif
