/* SPDX-License-Identifier: Apache-2.0
 *
 * From what a search has kept to what is believed: candidates that are clean, their laws, the goals
 * that they reach. It can be asked again while the search goes on, and looks at what is new.
 */
#ifndef SLOWPATH_API_PICK_H
#define SLOWPATH_API_PICK_H

#include "api/check.h"
#include "api/growth.h"
#include "api/search.h"

#define API_CHECKED_SIZE 20 /* n at which a sequence has to be clean */

struct api_laws { /* a vector; one for each function that could be called */
    struct api_law *data;
    size_t count, capacity;
};

struct api_candidate {
    struct api_sequence found, sequence; /* as it was bred, and made shorter */
    uint32_t function;
    double weight;
    bool is_weighed, is_taken, is_clean;
};
struct api_candidates { /* a vector */
    struct api_candidate *data;
    size_t count, capacity;
};

struct api_picked {
    struct api_search *search;
    struct api_checker *checker;
    /* Asked now and then; false: what there is must do. LAW: of one that is new, or NULL. */
    bool (*goes_on)(void *context, const struct api_law *law);
    void *context;

    struct api_laws laws;       /* in no order until api_pick_sort */
    struct api_candidates open; /* that have not had their turn */
    struct base_map seen;       /* sequences that are or were among them */
    size_t candidates, unclean;
    uint32_t *sizes;      /* for each goal the n at which it is covered; 0: it is not */
    size_t covered, deep; /* goals that are covered, and all of them */
    bool *is_covered;     /* functions of the model with a goal that is covered */
};

void api_picked_init(struct api_picked *picked, struct api_search *search,
                     struct api_checker *checker);
/* Looks at new candidates, the best of each function first, for so many seconds. */
bool api_pick(struct api_picked *picked, double seconds, struct base_error *error);
void api_pick_sort(struct api_picked *picked); /* what matters most first */
/* cover.c: which goals are reached when each of their loops has to make so many TURNS? */
bool api_cover(struct api_picked *picked, double turns, double seconds, struct base_error *error);
void api_picked_done(struct api_picked *picked);

#endif
