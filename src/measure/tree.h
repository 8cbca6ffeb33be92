/* SPDX-License-Identifier: Apache-2.0
 *
 * The call tree with costs, for flame graphs.
 */
#ifndef SLOWPATH_MEASURE_TREE_H
#define SLOWPATH_MEASURE_TREE_H

#include "measure/measure.h"

struct measure_node {
    uint32_t function; /* IR_NONE: bytes in library functions, or costs without a call path */
    const char *name;  /* borrowed from the facts, or a constant */
    uint32_t parent;   /* index of a node; IR_NONE for the first */
    uint32_t depth;
    double own, all; /* instructions: exclusive and inclusive */
};

struct measure_tree {
    BASE_VECTOR(struct measure_node) nodes; /* a parent comes before its children */
};

/* Block counts do not say from where a function was called, so its cost is divided by the number of
 * calls, as in gprof. Nodes with less than LEAST of the total are omitted. */
void measure_tree_make(const struct measure_profile *profile, double least,
                       struct measure_tree *tree);
void measure_tree_done(struct measure_tree *tree);
/* "main;parse;scan 1234", one line for each node with a cost of its own. */
void measure_tree_folded(const struct measure_tree *tree, struct base_buffer *out);

#endif
