/* SPDX-License-Identifier: Apache-2.0
 *
 * Solves for the numbers of a sequence where a guard keeps the search from a goal.
 */
#ifndef SLOWPATH_API_GUARDS_H
#define SLOWPATH_API_GUARDS_H

#include "api/search.h"

struct api_guards {
    struct api_search *search;
    struct target_options target; /* library and harness, as the search measures them */
    struct target *symbolic;      /* NULL: not built yet */
    bool is_out;                  /* such a build is impossible */
    uint8_t *tried;               /* for each goal, the sequences already tried */
    uint64_t solved;              /* solved sequences that were run */
    uint64_t reached;             /* goals reached by them */
};

void api_guards_init(struct api_guards *guards, struct api_search *search,
                     const struct target_options *target);
/* Tries the best sequences of goals not yet reached, for so many seconds; 0: no limit. It is not an
 * error if the library cannot be run symbolically. */
bool api_guards_solve(struct api_guards *guards, double seconds, struct base_error *error);
void api_guards_done(struct api_guards *guards);

#endif
