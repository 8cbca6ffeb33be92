/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside ir: dominators and loops of one control-flow graph, on plain integers. Nothing here knows
 * LLVM, so that it can be tested with graphs that no compiler emits.
 */
#ifndef SLOWPATH_IR_GRAPH_H
#define SLOWPATH_IR_GRAPH_H

#include "base/base.h"

#define IR_GRAPH_NONE UINT32_MAX

/* The successors of block B are successors[first[B]] up to, not including, first[B + 1]. Block 0
 * is the entry. Borrowed. */
struct ir_graph {
    uint32_t count;
    const uint32_t *first; /* count + 1 of them */
    const uint32_t *successors;
};

struct ir_graph_loop {
    uint32_t header;
    uint32_t parent; /* index, always smaller than its own; or IR_GRAPH_NONE */
    uint32_t depth;  /* 1 = outermost */
    uint32_t block_count;
    bool irreducible; /* more than one entry; the header is the first of them */
};

/* What was found; all of it lies in `memory`. Blocks that the entry does not reach have no
 * dominator and no loop. */
struct ir_graph_shape {
    uint32_t *dominator; /* immediate dominator of each block, IR_GRAPH_NONE for the entry */
    uint32_t *loop;      /* innermost loop of each block, or IR_GRAPH_NONE */
    struct ir_graph_loop *loops;
    uint32_t loop_count;
    struct base_arena memory;
};

void ir_graph_analyse(const struct ir_graph *graph, struct ir_graph_shape *shape);
void ir_graph_done(struct ir_graph_shape *shape);

/* ---- which blocks need a counter? ---- */

/* The count of a block is the sum of those of others. */
struct ir_graph_sum {
    uint32_t block, first_term, term_count;
};

struct ir_graph_counting {
    uint32_t *leader; /* of each block: the lowest of those that run equally often in every run */
    BASE_VECTOR(struct ir_graph_sum) sums; /* of leaders; each contains only earlier ones */
    BASE_VECTOR(uint32_t) terms;           /* leaders */
};

/* A run may leave the graph at the end of a block that LEAVES (it calls something), and come back
 * there. */
void ir_graph_count(const struct ir_graph *graph, const bool *leaves,
                    struct ir_graph_counting *counting);
void ir_graph_counting_done(struct ir_graph_counting *counting);
void ir_graph_together(const struct ir_graph *graph, const bool *leaves, uint32_t *leader);

#endif
