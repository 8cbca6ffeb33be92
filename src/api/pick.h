/* SPDX-License-Identifier: Apache-2.0
 *
 * From what a search has kept to what is believed: candidates that are clean, their laws, the goals
 * that they reach.
 */
#ifndef SLOWPATH_API_PICK_H
#define SLOWPATH_API_PICK_H

#include "api/check.h"
#include "api/growth.h"
#include "api/search.h"

struct api_laws { /* a vector; one for each function that could be called */
    struct api_law *data;
    size_t count, capacity;
};

struct api_picked {
    struct api_laws laws; /* what matters most first */
    size_t candidates, unclean;
    uint32_t *sizes;      /* for each goal the n at which it is covered; 0: it is not */
    size_t covered, deep; /* goals that are covered, and all of them */
    bool *is_covered;     /* functions of the model with a goal that is covered */
};

/* TURNS: that each loop of a goal has to make. */
bool api_pick(struct api_search *search, struct api_checker *checker, double turns,
              struct api_picked *picked, struct base_error *error);
void api_picked_done(struct api_picked *picked);

#endif
