/* SPDX-License-Identifier: Apache-2.0
 *
 * A pipeline from the inside: what chain.c, which runs it, and chain_trace.c, which follows it,
 * both know.
 */
#ifndef SLOWPATH_TARGET_CHAIN_PARTS_H
#define SLOWPATH_TARGET_CHAIN_PARTS_H

#include "target/internal.h"

#define CHAIN_RUNS ((size_t)64) /* that go through a stage together */

struct part { /* a stage */
    const struct target_stage *stage;
    struct target *target;
    uint32_t first_block;
    struct base_buffer given;  /* what it reads and the tree behind it, where there is a tree */
    struct base_buffer output; /* of the runs that are under way */
    struct abi_result results[CHAIN_RUNS];
    uint64_t *records; /* NULL: nobody wants any */
};

struct chain {
    const struct target_pipeline *pipeline;
    struct part *parts;
    size_t count;
    uint32_t block_count;
    bool has_tree;     /* the input is a tree of files */
    bool tells_output; /* traces tell what the last stage writes */
    size_t slice;      /* runs at a time, now */
    double run_seconds;
    char counters[ABI_MAX_COUNTERS][ABI_NAME_SIZE];
    uint32_t counter_count;
    uint64_t *records, *counts;
    bool is_counting;                       /* the run under way leaves its counts */
    struct abi_loss losses[ABI_MAX_LOSSES]; /* of traces, by name */
    uint32_t loss_count;
    struct target_aim aim; /* of traces */
    uint8_t *fixed;        /* its bits */
    char key[33];
    const struct target *suspect;
};

/* One more result of a run that goes through several programs. */
void chain_add_result(struct abi_result *sum, const struct abi_result *more);
/* What a stage counts by name has another number there; ABI_MAX_COUNTERS: there is no room. */
uint32_t chain_counter_number(struct chain *chain, const char *name);

#endif
