/* SPDX-License-Identifier: Apache-2.0
 *
 * Who called what, as a tree of costs, for flame graphs.
 */
#ifndef SLOWPATH_MEASURE_TREE_H
#define SLOWPATH_MEASURE_TREE_H

#include "measure/measure.h"

struct measure_node {
    uint32_t function; /* IR_NONE: bytes in library functions, or what no way leads to */
    const char *name;  /* borrowed from the facts, or a text that stays */
    uint32_t parent;   /* a node's number; IR_NONE: of the first */
    uint32_t depth;
    double own, all; /* instructions: its own, and with all below it */
};

struct measure_tree {
    BASE_VECTOR(struct measure_node) nodes; /* a parent comes before its children */
};

/* Block counts do not tell by which way a function was entered: its cost is shared out by the
 * number of calls, as gprof does. What is less than LEAST of the whole is left out. */
void measure_tree_make(const struct measure_profile *profile, double least,
                       struct measure_tree *tree);
void measure_tree_done(struct measure_tree *tree);
/* "main;parse;scan 1234", a line for each node that has a cost of its own. */
void measure_tree_folded(const struct measure_tree *tree, struct base_buffer *out);

#endif
