/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files that change the open bytes of an input and measure the whole: ways to fill a
 * region from other parts of the input, a climb that uses them, and the rehearsal on small inputs.
 */
#ifndef SLOWPATH_SEARCH_BEAM_SPREAD_H
#define SLOWPATH_SEARCH_BEAM_SPREAD_H

#include "search/beam/beam.h"

/* ---- fill.c: filling bytes from other bytes ---- */

struct beam_fill {
    enum beam_fill_kind kind;
    size_t unit, length; /* the unit to copy: its position and length, in whole elements */
    size_t from, to;     /* where the copies go */
    size_t grain;        /* bytes of an element */
    size_t part; /* of NESTED: bytes of the shorter unit; of RESAMPLED: elements of context; of
                    MOVED: distance; of NUMBERED: bytes of the number; of SCATTERED: how many; of
                    RENAMED: what is added; of SWAPPED: position of the other element */
    uint64_t random;
};
/* Fills bytes FROM to TO of TO as FILL says, copying from SOURCE, an input of SIZE bytes. */
void beam_fill(const struct beam_fill *fill, const uint8_t *source, size_t size, uint8_t *to);

struct beam_recipe {
    struct beam_fill *data;
    size_t count, capacity;
};

/* ---- climb.c: one input, changed while it gets costlier ---- */

struct beam_climb {
    struct search *search;
    const struct search_program *program;
    const struct beam_origin *origin; /* its fixed bytes stay; NULL: none are fixed */
    size_t first;                     /* first byte that may change */
    size_t fresh;                     /* bytes from here on are changed more often; 0: none */
    size_t size;                      /* of the input */
    size_t grain;                     /* bytes of an element */
    uint8_t *best;                    /* the costliest input so far */
    uint8_t *trial;
    uint8_t *scratch;         /* NULL for large inputs */
    double cost;              /* of the best; NAN: its run failed */
    struct abi_result result; /* of the last run */
    struct abi_result best_result;
    uint64_t random;
    double deadline;            /* 0: only the number of tries is limited */
    struct beam_rates rates;    /* success rates of the fills so far */
    struct beam_recipe *recipe; /* records the fills that helped; NULL: not needed */
};
void beam_climb_init(struct beam_climb *climb, struct search *search, size_t worker, size_t size);
void beam_climb_done(struct beam_climb *climb);
/* Measures the initial best input. */
bool beam_climb_begin(struct beam_climb *climb, struct base_error *error);
/* The trial becomes the best if it costs more. */
bool beam_climb_try(struct beam_climb *climb, struct base_error *error);
/* Tries until the deadline, or until nothing has helped for a while. */
bool beam_climb_run(struct beam_climb *climb, struct base_error *error);

/* ---- rehearse.c: large inputs ---- */

/* Replaces ROOT, which costs beam->first_cost, by an input like the costliest small one if that
 * costs more; only where inputs of any size can be run. SECONDS: of one round. */
bool beam_rehearse(struct beam *beam, uint8_t *root, double seconds, struct base_error *error);

#endif
