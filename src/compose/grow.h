/* SPDX-License-Identifier: Apache-2.0
 *
 * Large inputs of a pipeline: grown from small ones, or drawn at full size.
 */
#ifndef SLOWPATH_COMPOSE_GROW_H
#define SLOWPATH_COMPOSE_GROW_H

#include "search/core/core.h"

#define COMPOSE_MOST_STEPS 32 /* more than are needed for any size */

struct compose_growing {
    double best[COMPOSE_MOST_STEPS]; /* highest cost of grown inputs, by the number of steps left */
    BASE_VECTOR(uint64_t) grown; /* finds of others that have been grown: hashes of their runs */
    uint8_t *drawn;              /* the costliest input drawn; NULL: there is none */
    double drawn_cost;
    uint64_t draws;
    uint64_t random;
};
void compose_growing_done(struct compose_growing *growing);

double compose_end_of(const struct search *search); /* of its turn, in base_seconds */
/* Runs an input; *COST is NAN if the run failed, or was not made. */
bool compose_measure(struct search *search, const struct target_input *input, double *cost,
                     struct base_error *error);
/* Repeats the input, and its whole lines, up to WANTED bytes. */
bool compose_grow(struct search *search, struct compose_growing *growing,
                  const struct target_input *small, size_t wanted, struct base_error *error);

/* Runs it first, and repeats it only as far as that is quick enough. */
bool compose_grow_timed(struct search *search, struct compose_growing *growing,
                        const struct target_input *small, size_t wanted, struct base_error *error);
/* Repeats a small tree in the cells of WHOLE, up to all of its objects. */
bool compose_grow_tree(struct search *search, const struct abi_tree *small,
                       const struct abi_tree *whole, const struct target_input *input,
                       struct base_error *error);
/* Are inputs so large that only a few can be run? */
bool compose_is_large(const struct search *search);
/* Grows what the outer search found; then draws inputs at full size, and redraws parts of the
 * costliest until the turn is over. */
bool compose_enlarge(struct search *search, struct compose_growing *growing,
                     struct base_error *error);

#endif
