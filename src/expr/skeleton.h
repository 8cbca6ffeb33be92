/* SPDX-License-Identifier: Apache-2.0
 *
 * An expression without its leaves: what the conditions of one place of a program have in common,
 * whatever elements of the input they are about.
 */
#ifndef SLOWPATH_EXPR_SKELETON_H
#define SLOWPATH_EXPR_SKELETON_H

#include "expr/expr.h"

#define EXPR_SKELETON_NODES 40

struct expr_joint { /* of an expression as a tree, operands before users */
    uint8_t op, width;
    uint16_t extra;
    uint8_t operands[3];
    uint8_t leaf; /* of an input or constant: its index among the leaves */
};

struct expr_skeleton {
    struct expr_joint joints[EXPR_SKELETON_NODES];
    uint32_t count, leaves;
};
/* The skeleton of an expression and its leaves (offsets of inputs, values of constants), at most
 * MOST. False when it is too large. */
bool expr_skeleton_read(const struct expr_pool *pool, uint32_t id, size_t most,
                        struct expr_skeleton *skeleton, int64_t *leaves);
/* The expression with these leaves; 0 if one is outside the input. */
uint32_t expr_skeleton_fill(const struct expr_skeleton *skeleton, struct expr_pool *pool,
                            const int64_t *leaves, size_t input_bytes);

#endif
