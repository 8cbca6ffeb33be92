/* SPDX-License-Identifier: Apache-2.0
 *
 * A target that is being opened: the state shared by target.c, which makes and runs its builds, and
 * input.c, which works out its input.
 */
#ifndef SLOWPATH_SEARCH_OPENED_H
#define SLOWPATH_SEARCH_OPENED_H

#include "search/core/aside.h"
#include "search/core/template.h"

#include <pthread.h>

/* Sizes up to this one are also explored directly, beside a larger one. */
#define OPENED_SMALL_SIZE 8

struct build { /* of one worker */
    struct opened *owner;
    struct target *symbolic, *measuring;
};

struct opened {
    struct search_target target;          /* the public part; must be the first member */
    const struct search_request *request; /* valid while it is opened */
    struct target_options options;
    struct build *builds;
    struct search_program *programs;
    struct search_builder *aside; /* the symbolic build, made while the search runs; or NULL */
    pthread_mutex_t opening;      /* guards builds that are made while workers run */
    struct base_strings ranges;
    BASE_VECTOR(struct target_input) starts; /* copies */
    struct search_tried tried;               /* its input is a copy */
    struct search_sizes sizes;
    size_t grows[ABI_MAX_SIZES]; /* the numbers in the entry of the sizes in `sizes` */
    size_t varying;              /* the number in the entry of the one that varies */
    struct search_sweep sweep;
    struct search_policy policy;
    double *prices;             /* of blocks */
    struct search_form **forms; /* one for each worker; NULL: there is no template */
};

/* Is it a function with an entry, whose input has fields? */
static inline bool opened_has_entry(const struct opened *self) {
    return target_entry_kind(self->target.measuring) == ABI_ENTRY_DRIVER;
}

/* input.c; each gives ERROR when it returns false. */
bool opened_find_layout(struct opened *self, struct base_error *error);
/* The sizes that grow, for strategies that learn from small ones. */
bool opened_find_sizes(struct opened *self, struct base_error *error);
/* The range of sizes of --size n=0..4. */
bool opened_find_sweep(struct opened *self, struct base_error *error);
/* tries.c: does the first input cost the same twice? */
bool opened_check_repeats(struct opened *self, struct base_error *error);

#endif
