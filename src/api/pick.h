/* SPDX-License-Identifier: Apache-2.0
 *
 * From what a search has kept to results: clean candidates, their laws, the goals they reach. It
 * can be called again while the search goes on, and then looks at what is new.
 */
#ifndef SLOWPATH_API_PICK_H
#define SLOWPATH_API_PICK_H

#include "api/check.h"
#include "api/growth.h"
#include "api/search.h"

#define API_CHECKED_SIZE 20 /* n at which a sequence must be clean */

struct api_laws { /* a vector with one law per function that could be called */
    struct api_law *data;
    size_t count, capacity;
};

struct api_candidate {
    struct api_sequence found, sequence; /* as found, and shortened */
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
    /* Called now and then; false: stop with what there is. LAW: a new one, or NULL. */
    bool (*goes_on)(void *context, const struct api_law *law);
    void *context;

    struct api_laws laws;       /* unsorted before api_pick_sort */
    struct api_candidates open; /* not tested yet */
    struct base_map seen;       /* sequences that are or were among them */
    size_t candidates, unclean;
    uint32_t *sizes;      /* for each goal, the n at which it is covered; 0: not covered */
    size_t covered, deep; /* goals that are covered, and all goals */
    bool *is_covered;     /* functions with a covered goal */
};

void api_picked_init(struct api_picked *picked, struct api_search *search,
                     struct api_checker *checker);
/* Tests new candidates, the best of each function first, for so many seconds. */
bool api_pick(struct api_picked *picked, double seconds, struct base_error *error);
void api_pick_sort(struct api_picked *picked); /* sorts by importance */
/* cover.c: which goals are reached with TURNS iterations of each of their loops? */
bool api_cover(struct api_picked *picked, double turns, double seconds, struct base_error *error);
void api_picked_done(struct api_picked *picked);

#endif
