/* SPDX-License-Identifier: Apache-2.0
 *
 * Values for the numbers of a sequence, solved where a guard keeps the search from a goal.
 */
#ifndef SLOWPATH_API_GUARDS_H
#define SLOWPATH_API_GUARDS_H

#include "api/search.h"

struct api_guards {
    struct api_search *search;
    struct target_options target; /* library and harness, as the search measures them */
    struct target *symbolic;      /* NULL: not needed yet */
    bool is_out;                  /* there is no such build */
    uint8_t *tried;               /* for each goal, sequences that were looked at */
    uint64_t solved;              /* sequences with other values that were run */
    uint64_t reached;             /* goals that they reached */
};

void api_guards_init(struct api_guards *guards, struct api_search *search,
                     const struct target_options *target);
/* Looks at the best sequences of goals that are not reached, for so many seconds; 0: no limit.
 * A library that cannot be followed is no error. */
bool api_guards_solve(struct api_guards *guards, double seconds, struct base_error *error);
void api_guards_done(struct api_guards *guards);

#endif
