/* SPDX-License-Identifier: Apache-2.0
 *
 * A condition without its leaves: what the conditions of one place of the program have in common,
 * whichever elements of the input they are about.
 */
#ifndef SLOWPATH_SEARCH_SKELETON_H
#define SLOWPATH_SEARCH_SKELETON_H

#include "search/scale/scale.h"

#define SEARCH_SKELETON_NODES 40

struct search_joint { /* of an expression as a tree, operands before their users */
    uint8_t op, width;
    uint16_t extra;
    uint8_t operands[3];
    uint8_t leaf; /* of an input or constant: its place among the leaves */
};

struct scale_skeleton {
    struct search_joint joints[SEARCH_SKELETON_NODES];
    uint32_t count, leaves;
};
/* The skeleton of an expression and its leaves (offsets of inputs, values of constants), at most
 * MOST. False when it is too large. */
bool scale_skeleton_read(const struct expr_pool *pool, uint32_t id, size_t most,
                         struct scale_skeleton *skeleton, int64_t *leaves);
/* The expression that has these leaves; 0 when one lies outside the input. */
uint32_t scale_skeleton_fill(const struct scale_skeleton *skeleton, struct expr_pool *pool,
                             const int64_t *leaves, size_t input_bytes);

/* ---- orders ---- */

struct scale_orders { /* that need no expressions at all */
    BASE_VECTOR(struct solver_run) runs;
    unsigned bytes; /* of the integers; 0: not known yet */
    bool is_signed, is_unsigned;
};
/* COUNT conditions, each STRIDE on from the one before; false when they are no plain orders of
 * integers like those that came before. */
bool scale_orders_add(struct scale_orders *orders, const struct scale_skeleton *skeleton,
                      const int64_t *leaves, const int64_t *stride, uint64_t count);

#endif
