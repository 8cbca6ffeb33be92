#include "identity_stack.h"

#include <stdlib.h>

struct identity_stack {
    void **elements;
    size_t count, room;
};

identity_stack *identity_stack_create(void) {
    return calloc(1, sizeof(identity_stack));
}

void identity_stack_destroy(identity_stack *stack) {
    if (stack)
        free(stack->elements);
    free(stack);
}

int identity_stack_push(identity_stack *stack, void *element) {
    if (stack->count == stack->room) {
        size_t room = stack->room ? 2 * stack->room : 8;
        void **elements = realloc(stack->elements, room * sizeof *elements);
        if (!elements)
            return 0;
        stack->elements = elements;
        stack->room = room;
    }
    stack->elements[stack->count++] = element;
    return 1;
}

void *identity_stack_pop(identity_stack *stack) {
    return stack->count ? stack->elements[--stack->count] : NULL;
}

size_t identity_stack_size(const identity_stack *stack) {
    return stack->count;
}

int identity_stack_contains(const identity_stack *stack, const void *element) {
    for (size_t i = 0; i < stack->count; i++)
        if (stack->elements[i] == element)
            return 1;
    return 0;
}

int identity_stack_contains_all(const identity_stack *stack, const identity_stack *others) {
    for (size_t i = 0; i < others->count; i++)
        if (!identity_stack_contains(stack, others->elements[i]))
            return 0;
    return 1;
}

static size_t filter(identity_stack *stack, const identity_stack *others, int wanted) {
    size_t kept = 0, before = stack->count;
    for (size_t i = 0; i < stack->count; i++)
        if (identity_stack_contains(others, stack->elements[i]) == wanted)
            stack->elements[kept++] = stack->elements[i];
    stack->count = kept;
    return before - kept;
}

size_t identity_stack_remove_all(identity_stack *stack, const identity_stack *others) {
    return filter(stack, others, 0);
}

size_t identity_stack_retain_all(identity_stack *stack, const identity_stack *others) {
    return filter(stack, others, 1);
}
