/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a pipeline, shared by chain.c, which runs it, and chain_trace.c, which follows it
 * symbolically.
 */
#ifndef SLOWPATH_TARGET_CHAIN_PARTS_H
#define SLOWPATH_TARGET_CHAIN_PARTS_H

#include "target/internal.h"

#define CHAIN_RUNS ((size_t)64) /* that go through a stage together */

struct part { /* one stage */
    const struct target_stage *stage;
    struct target *target;
    uint32_t first_block;
    struct base_buffer given;  /* its input and the tree behind it, if there is a tree */
    struct base_buffer output; /* of the current runs */
    struct abi_result results[CHAIN_RUNS];
    uint64_t *records; /* NULL: not wanted */
};

struct chain {
    const struct target_pipeline *pipeline;
    struct part *parts;
    size_t count;
    uint32_t block_count;
    bool has_tree;     /* the input is a tree of files */
    bool tells_output; /* traces contain what the last stage writes */
    size_t slice;      /* current limit of runs at a time */
    double run_seconds;
    char counters[ABI_MAX_COUNTERS][ABI_NAME_SIZE];
    uint32_t counter_count;
    uint64_t *records, *counts;
    bool is_counting;                       /* the current run keeps its counts */
    struct abi_loss losses[ABI_MAX_LOSSES]; /* of traces, by name */
    uint32_t loss_count;
    struct target_aim aim; /* of traces */
    uint8_t *fixed;        /* its bits */
    char key[33];
    const struct target *suspect;
};

/* Adds the result of one more program to that of a run. */
void chain_add_result(struct abi_result *sum, const struct abi_result *more);
/* The number of a cost that a stage counts by name; ABI_MAX_COUNTERS: no room. */
uint32_t chain_counter_number(struct chain *chain, const char *name);

#endif
