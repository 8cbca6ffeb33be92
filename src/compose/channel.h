/* SPDX-License-Identifier: Apache-2.0
 *
 * Carries expressions of one path over to the input of another: what a stage reads is what the
 * previous stage writes.
 */
#ifndef SLOWPATH_COMPOSE_CHANNEL_H
#define SLOWPATH_COMPOSE_CHANNEL_H

#include "expr/expr.h"

/* Where the bytes of a path's input come from. */
struct compose_channel {
    const uint32_t *bytes; /* an expression of 8 bits for each; NULL: they are the input itself */
    size_t count;
};

struct compose_carrier; /* from one pool into another */
struct compose_carrier *compose_carrier_new(struct expr_pool *from, struct expr_pool *to,
                                            const struct compose_channel *channel);
void compose_carrier_free(struct compose_carrier *carrier);
/* Copies an expression into the other pool. */
uint32_t compose_carry(struct compose_carrier *carrier, uint32_t id);

#endif
