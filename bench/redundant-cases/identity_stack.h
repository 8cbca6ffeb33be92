/* SPDX-License-Identifier: Apache-2.0
 *
 * A stack that tells items apart by their address alone.
 */
#ifndef IDENTITY_STACK_H
#define IDENTITY_STACK_H

#include "collection.h"

struct identity_stack;

struct identity_stack *identity_stack_new(void);
void identity_stack_free(struct identity_stack *stack);
bool identity_stack_push(struct identity_stack *stack, void *item);
void *identity_stack_pop(struct identity_stack *stack); /* NULL: it is empty */
size_t identity_stack_size(const struct identity_stack *stack);
bool identity_stack_contains(const struct identity_stack *stack, const void *item);
bool identity_stack_contains_all(const struct identity_stack *stack,
                                 const struct identity_stack *other);
bool identity_stack_remove_all(struct identity_stack *stack, const struct identity_stack *other);
bool identity_stack_retain_all(struct identity_stack *stack, const struct identity_stack *other);

#endif
