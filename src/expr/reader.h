/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files that read a trace: the trace in memory, and the previous one.
 */
#ifndef SLOWPATH_EXPR_READER_H
#define SLOWPATH_EXPR_READER_H

#include "expr/internal.h"

#include <string.h>

struct progress {
    struct expr_mark mark;
    uint32_t built; /* the first node that is not built */
};

/* The original trace, and the state of the pool after each event. */
struct expr_origin {
    BASE_VECTOR(struct abi_node) nodes;
    BASE_VECTOR(struct abi_event) events;
    BASE_VECTOR(uint8_t) needed, next_needed; /* by node; next: of the trace being read */
    BASE_VECTOR(struct abi_node) inputs;      /* the needed ones */
    BASE_VECTOR(uint32_t) remap;              /* trace node -> pool node; 0: not built */
    BASE_VECTOR(struct progress) progress;    /* behind each event */
    bool is_simple; /* no tables, objects or shared input bytes: its events can be kept */
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

/* Is the node a whole integer of the input? */
static inline bool is_input(struct abi_node node) {
    return node.op == ABI_OP_INPUT && node.width % 8 == 0 && node.width >= 8 && node.width <= 64 &&
           node.a < EXPR_MAX_OFFSET;
}

/* shared.c: true if needed inputs of different offset or width share bytes; turns these bytes into
 * variables, unless the reader ONLY_ASKS. */
bool split_shared_inputs(struct reader *from, const uint8_t *needed, bool only_asks);

#endif
