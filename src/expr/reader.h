/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files that read a trace share: the trace as it lies in memory, and the one before it.
 */
#ifndef SLOWPATH_EXPR_READER_H
#define SLOWPATH_EXPR_READER_H

#include "expr/internal.h"

#include <string.h>

struct progress {
    struct expr_mark mark;
    uint32_t built; /* the first node that is not */
};

/* The trace as it was, and how far the pool was when each event was there. */
struct expr_origin {
    BASE_VECTOR(struct abi_node) nodes;
    BASE_VECTOR(struct abi_event) events;
    BASE_VECTOR(uint8_t) needed, next_needed; /* by node; of the trace that is read now */
    BASE_VECTOR(struct abi_node) inputs;      /* that are needed */
    BASE_VECTOR(uint32_t) remap;              /* trace node -> pool node; 0: it is not built */
    BASE_VECTOR(struct progress) progress;    /* behind each event */
    bool is_simple; /* no tables, objects and shared input bytes: its events can be kept */
};

struct reader {
    struct expr_pool *pool;
    struct expr_origin *origin;
    struct abi_trace header;
    const char *nodes, *events, *tables, *table_bytes;
    struct base_error *error;
};

static inline struct abi_node node_at(const struct reader *from, uint32_t id) {
    struct abi_node node;
    memcpy(&node, from->nodes + (size_t)id * sizeof node, sizeof node);
    return node;
}

/* A node that is a whole integer of the input. */
static inline bool is_input(struct abi_node node) {
    return node.op == ABI_OP_INPUT && node.width % 8 == 0 && node.width >= 8 && node.width <= 64 &&
           node.a < EXPR_MAX_OFFSET;
}

/* shared.c: true when needed inputs of different place or width share bytes; their bytes become
 * variables, unless the reader ONLY_ASKS. */
bool split_shared_inputs(struct reader *from, const uint8_t *needed, bool only_asks);

#endif
