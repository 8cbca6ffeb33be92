/* A stack whose elements are compared by their address, as Ant's IdentityStack. */
#ifndef IDENTITY_STACK_H
#define IDENTITY_STACK_H
#include <stddef.h>

typedef struct identity_stack identity_stack;

identity_stack *identity_stack_create(void);
void identity_stack_destroy(identity_stack *stack);
int identity_stack_push(identity_stack *stack, void *element);
void *identity_stack_pop(identity_stack *stack);
size_t identity_stack_size(const identity_stack *stack);
int identity_stack_contains(const identity_stack *stack, const void *element);
int identity_stack_contains_all(const identity_stack *stack, const identity_stack *others);
size_t identity_stack_remove_all(identity_stack *stack, const identity_stack *others);
size_t identity_stack_retain_all(identity_stack *stack, const identity_stack *others);

#endif
