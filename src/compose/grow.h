/* SPDX-License-Identifier: Apache-2.0
 *
 * Large inputs of a pipeline: made of small ones, and drawn at their full size.
 */
#ifndef SLOWPATH_COMPOSE_GROW_H
#define SLOWPATH_COMPOSE_GROW_H

#include "search/core/core.h"

#define COMPOSE_MOST_STEPS 32 /* more than any size has */

struct compose_growing {
    double best[COMPOSE_MOST_STEPS]; /* of what was grown, by the steps that were left */
    BASE_VECTOR(uint64_t) grown;     /* what others found and was grown: hashes of their runs */
    uint8_t *drawn;                  /* the costliest input that was drawn; NULL: there is none */
    double drawn_cost;
    uint64_t draws;
    uint64_t random;
};
void compose_growing_done(struct compose_growing *growing);

double compose_end_of(const struct search *search); /* of its turn, in base_seconds */
/* Runs an input; *COST is NAN if it ended badly, or was not run. */
bool compose_measure(struct search *search, const struct target_input *input, double *cost,
                     struct base_error *error);
/* The input, and its whole lines, repeated up to WANTED bytes. */
bool compose_grow(struct search *search, struct compose_growing *growing,
                  const struct target_input *small, size_t wanted, struct base_error *error);

/* Runs it first, and repeats it only as far as that does not take too long. */
bool compose_grow_timed(struct search *search, struct compose_growing *growing,
                        const struct target_input *small, size_t wanted, struct base_error *error);
/* A small tree, in the cells of WHOLE and repeated up to all of its objects. */
bool compose_grow_tree(struct search *search, const struct abi_tree *small,
                       const struct abi_tree *whole, const struct target_input *input,
                       struct base_error *error);
/* Are its inputs so large that few can be run? */
bool compose_is_large(const struct search *search);
/* What the outer search found is grown; then inputs of the full size are drawn, and parts of the
 * costliest are drawn again, until the turn is over. */
bool compose_enlarge(struct search *search, struct compose_growing *growing,
                     struct base_error *error);

#endif
