/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the search over patterns share: patterns.c (which ones are tried),
 * pattern_mutate.c (how a new one is made), pattern_grow.c (how the cost of one grows) and
 * pattern_shrink.c (what of it matters).
 */
#ifndef SLOWPATH_SEARCH_PATTERNS_H
#define SLOWPATH_SEARCH_PATTERNS_H

#include "search/internal.h"

/* ---- pattern_mutate.c ---- */

struct patterns_alphabet {
    BASE_VECTOR(struct search_piece) tokens; /* that the program knows */
    uint8_t bytes[256];                      /* that the program tells apart */
    size_t byte_count;
    const struct target_input *seeds;
    size_t seed_count;
};
void patterns_alphabet_init(struct patterns_alphabet *alphabet,
                            const struct search_options *options);
void patterns_alphabet_add(struct patterns_alphabet *alphabet, uint8_t byte);
void patterns_alphabet_done(struct patterns_alphabet *alphabet);
/* Changes PATTERN a little; MATE is another good one. */
void patterns_mutate(const struct patterns_alphabet *alphabet, const struct search_pattern *mate,
                     uint64_t *random, struct search_pattern *pattern);
/* A pattern made of parts of a seed; false when there is none. */
bool patterns_mine(const struct patterns_alphabet *alphabet, uint64_t *random,
                   struct search_pattern *pattern);
/* Takes bytes out of a piece, or puts some in as far as there is room; a hole keeps its place. */
void patterns_piece_erase(struct search_piece *piece, unsigned at, unsigned count);
void patterns_piece_insert(struct search_piece *piece, unsigned at, const uint8_t *bytes,
                           unsigned count);

/* ---- pattern_fold.c ---- */

/* Reads bytes as an instance of a pattern; false when nothing comes several times in a row. */
bool patterns_fold(const uint8_t *bytes, size_t size, struct search_pattern *pattern);

/* ---- pattern_grow.c ---- */

/* What one worker runs patterns with. */
struct patterns_runner {
    struct search *search;
    const struct search_programs *programs;
    struct base_buffer bytes;
    uint64_t runs; /* not booked yet */
    struct base_error *error;
    bool failed; /* a target that cannot be run: ERROR says why */
};

struct patterns_run {
    uint64_t repetitions, size;
    double cost;
    struct abi_result result;
    const uint64_t *counts; /* borrowed until the next run; NULL: not asked for */
};
/* Writes and runs a pattern; false when it did not end well. */
bool patterns_run(struct patterns_runner *runner, const struct search_pattern *pattern,
                  uint64_t repetitions, bool counted, struct patterns_run *run);

struct patterns_reach {
    uint64_t size; /* of the largest input */
    double cost;   /* of the costliest run */
};
/* Runs the pattern over doublings, or bytes where it explodes, as far as REACH allows, and fits the
 * law; the last run is the largest that ended well. LAW's series is emptied before. */
void patterns_grow(struct patterns_runner *runner, const struct search_pattern *pattern,
                   const struct patterns_reach *reach, struct search_recipe *law,
                   struct patterns_run *last);
/* What the law would make of a large input; to compare two patterns. */
double patterns_strength(const struct search_recipe *law);
/* The block that the growing part of the cost is spent in, or IR_NONE. */
uint32_t patterns_hottest(struct patterns_runner *runner, const struct search_recipe *law);

/* ---- pattern_shrink.c ---- */

/* Makes LAW's pattern as simple as it can be with the same law; fills in the linear relative. */
void patterns_shrink(struct patterns_runner *runner, const struct patterns_alphabet *alphabet,
                     const struct patterns_reach *reach, struct search_recipe *law);

#endif
