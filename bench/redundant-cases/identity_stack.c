/* SPDX-License-Identifier: Apache-2.0
 *
 * A stack that tells items apart by their address alone.
 */
#include "identity_stack.h"

#include <stdlib.h>

struct identity_stack {
    void **items;
    size_t count, capacity;
};

struct identity_stack *identity_stack_new(void) {
    return calloc(1, sizeof(struct identity_stack));
}

void identity_stack_free(struct identity_stack *stack) {
    if (stack)
        free(stack->items);
    free(stack);
}

bool identity_stack_push(struct identity_stack *stack, void *item) {
    if (stack->count == stack->capacity) {
        size_t capacity = stack->capacity ? 2 * stack->capacity : 8;
        void **items = realloc(stack->items, capacity * sizeof *items);
        if (!items)
            return false;
        stack->items = items;
        stack->capacity = capacity;
    }
    stack->items[stack->count++] = item;
    return true;
}

void *identity_stack_pop(struct identity_stack *stack) {
    return stack->count ? stack->items[--stack->count] : NULL;
}

size_t identity_stack_size(const struct identity_stack *stack) {
    return stack->count;
}

/* From the top: what was pushed last is asked for most. */
bool identity_stack_contains(const struct identity_stack *stack, const void *item) {
    for (size_t i = stack->count; i-- > 0;)
        if (stack->items[i] == item)
            return true;
    return false;
}

bool identity_stack_contains_all(const struct identity_stack *stack,
                                 const struct identity_stack *other) {
    for (size_t i = 0; i < other->count; i++)
        if (!identity_stack_contains(stack, other->items[i]))
            return false;
    return true;
}

static bool keep(struct identity_stack *stack, const struct identity_stack *other, bool wanted) {
    size_t kept = 0, before = stack->count;
    for (size_t i = 0; i < before; i++)
        if (identity_stack_contains(other, stack->items[i]) == wanted)
            stack->items[kept++] = stack->items[i];
    stack->count = kept;
    return kept < before;
}

bool identity_stack_remove_all(struct identity_stack *stack, const struct identity_stack *other) {
    return keep(stack, other, false);
}

bool identity_stack_retain_all(struct identity_stack *stack, const struct identity_stack *other) {
    return keep(stack, other, true);
}
