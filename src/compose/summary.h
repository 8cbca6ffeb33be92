/* SPDX-License-Identifier: Apache-2.0
 *
 * A performance summary: what is costly about one program, called with these arguments, on inputs
 * of so many bytes. It is a set of paths, each with its condition, what it writes in terms of its
 * input, and what it costs.
 */
#ifndef SLOWPATH_COMPOSE_SUMMARY_H
#define SLOWPATH_COMPOSE_SUMMARY_H

#include "search/core/walk.h"

struct compose_path {
    uint8_t *input;
    double weight; /* what it costs, by the measure */
    uint64_t output_bytes;
    void *trace; /* of a run that told its output; see abi/trace.h */
    size_t trace_size;
    double *losses; /* of each conjunct: what the path costs less without it */
    uint32_t conjunct_count;
    bool is_used; /* by a test; not kept */
};

struct compose_summary {
    char key[33];
    char *command, *measure;
    uint64_t bytes;
    double seconds;                         /* that it took to make */
    bool is_complete;                       /* every path of this size was looked at */
    bool is_found;                          /* it was in the library */
    BASE_VECTOR(struct compose_path) paths; /* heaviest first */
};
void compose_path_done(struct compose_path *path);
void compose_summary_done(struct compose_summary *summary);
void compose_summary_sort(struct compose_summary *summary);

/* The conditions and the output of a path, as its trace tells them. */
struct compose_reading {
    struct search_walk walk;
    BASE_VECTOR(uint32_t) conditions; /* each once, in the order of the path */
    /* Of each: a value that the run had, for an index or an address, and no decision. Other values
     * may take the same path. */
    BASE_VECTOR(uint8_t) is_value;
    BASE_VECTOR(uint32_t) output; /* an expression of 8 bits for each byte */
    bool is_lossy; /* data of the input got lost on the way: what it says may not be all */
};
void compose_reading_init(struct compose_reading *reading, const struct search_sites *sites);
void compose_reading_done(struct compose_reading *reading);
/* False: it is no trace, or one that did not fit. */
bool compose_read(struct compose_reading *reading, const void *trace, size_t size);

#endif
