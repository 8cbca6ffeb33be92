/* SPDX-License-Identifier: Apache-2.0
 *
 * A performance summary: what is costly about one program, called with these arguments, on inputs
 * of one size. It is a set of paths, each with its condition, its cost, and its output as a
 * function of its input.
 */
#ifndef SLOWPATH_COMPOSE_SUMMARY_H
#define SLOWPATH_COMPOSE_SUMMARY_H

#include "search/core/walk.h"

struct compose_path {
    uint8_t *input;
    double weight; /* what it costs, by the measure */
    uint64_t output_bytes;
    void *trace; /* of a run whose output was traced; see abi/trace.h */
    size_t trace_size;
    double *losses; /* by conjunct: how much cheaper the path is without it */
    uint32_t conjunct_count;
    bool is_used; /* by a test; not stored */
};

struct compose_summary {
    char key[33];
    char *command, *measure;
    uint64_t bytes;
    double seconds;                         /* needed to make it */
    double given;                           /* seconds that it might have taken */
    bool is_complete;                       /* every path of this size was explored */
    bool is_found;                          /* it came from the library */
    BASE_VECTOR(struct compose_path) paths; /* heaviest first */
};
void compose_path_done(struct compose_path *path);
void compose_summary_done(struct compose_summary *summary);
void compose_summary_sort(struct compose_summary *summary);

/* The conditions and the output of a path, from its trace. */
struct compose_reading {
    struct search_walk walk;
    BASE_VECTOR(uint32_t) conditions; /* without repetitions, in the order of the path */
    /* By condition: a value that an index or an address had in the run, not a decision. Other
     * values may take the same path. */
    BASE_VECTOR(uint8_t) is_value;
    BASE_VECTOR(uint32_t) output; /* an 8-bit expression for each byte */
    bool is_lossy; /* input data became untracked on the way: the conditions may be incomplete */
};
void compose_reading_init(struct compose_reading *reading, const struct search_sites *sites);
void compose_reading_done(struct compose_reading *reading);
/* False: it is no trace, or one that did not fit. */
bool compose_read(struct compose_reading *reading, const void *trace, size_t size);

#endif
