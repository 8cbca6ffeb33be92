/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a search that says `complete` find every path, or `driven` the worst one? A module of random
 * programs is built once; each of its programs is explored, and run with every input of its domain.
 */
#ifndef SLOWPATH_EXACT_CHECK_H
#define SLOWPATH_EXACT_CHECK_H

#include "exact/generate.h"
#include "search/search.h"

enum exact_verdict {
    EXACT_PENDING,    /* not looked at, or the engine died over it */
    EXACT_COMPLETE,   /* said so, and every path of the enumeration was found */
    EXACT_INCOMPLETE, /* said so, with a reason */
    EXACT_LATE,       /* the time was over */
    EXACT_FALSE,      /* complete was said, and a path or the worst case was missed */
    EXACT_UNVERIFIED, /* a test has another cost than its input, or than a formula of its path */
    EXACT_BROKEN,     /* the program crashed, or could not be built: a fault of the generator */
    EXACT_VERDICT_COUNT
};

struct exact_outcome {
    enum exact_verdict verdict;
    uint64_t inputs, paths; /* of the enumeration: distinct counts of blocks */
    uint64_t found;         /* by the search */
    double worst, found_worst;
    uint8_t missed[4]; /* an input whose path was not found */
    char reason[200];  /* why it is not complete */
};

struct exact_limits {
    double seconds;      /* for the exploration of one program */
    const char *folder;  /* for sources: builds are found again under the same name */
    bool is_driven;      /* only the worst case is looked for, by the oracle of `driven` */
    uint64_t loop_bound; /* 0: none; else the worst case within it is that of `exhaustive` */
};

/* OUTCOMES has one place for each; a build that fails makes them all broken. False: there is no
 * process or no memory to do it. */
bool exact_check_module(const struct exact_program *programs, uint32_t count,
                        const struct exact_limits *limits, struct exact_outcome *outcomes);

/* formulas.c: do all inputs that take the path of TEST cost what its formulas say? WRONG: the first
 * that does not. */
bool exact_formulas_hold(const struct search_subject *subject, const struct search_test *test,
                         const struct target_input *inputs, const struct abi_result *results,
                         size_t count, size_t *wrong);

/* Leaves out items as long as the verdict stays; WITHOUT is the caller's to free. */
void exact_shrink(const struct exact_program *program, enum exact_verdict verdict,
                  const struct exact_limits *limits, double seconds, uint8_t **without,
                  uint32_t *without_count);

#endif
