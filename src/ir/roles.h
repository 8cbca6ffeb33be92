/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a function do with its parameters? Told from bitcode, where debug information knows
 * types only: which pointer is freed, which is a text, which number counts the elements behind
 * which pointer. Guesses for those who call a library without knowing it (room api), never proofs.
 */
#ifndef SLOWPATH_IR_ROLES_H
#define SLOWPATH_IR_ROLES_H

#include "ir/facts.h"

/* ROLE(identifier, "name"): of a parameter */
#define IR_ROLES(ROLE)                                                                             \
    ROLE(FREED, "freed")               /* handed to free, here or in what is called */             \
    ROLE(FREED_BEHIND, "freed-behind") /* what it points to is a pointer that is freed */          \
    ROLE(FILLED, "filled")             /* a fresh object is stored to where it points */           \
    ROLE(TEXT, "text")                 /* read up to a zero byte */                                \
    ROLE(READ, "read")                 /* memory behind it is read */                              \
    ROLE(WRITTEN, "written")           /* memory behind it is written */                           \
    ROLE(KEPT, "kept")                 /* the pointer itself is stored */                          \
    ROLE(CALLED, "called")             /* a function that is called */                             \
    ROLE(INDEXED, "indexed")           /* elements behind it are chosen by a variable */           \
    ROLE(BOUND, "bound")               /* a number that ends a loop */                             \
    ROLE(AMOUNT, "amount")             /* a number that memory is asked for with */

enum ir_role_bit {
#define ROLE(id, name) IR_ROLE_##id##_BIT,
    IR_ROLES(ROLE)
#undef ROLE
};
enum ir_role {
#define ROLE(id, name) IR_ROLE_##id = 1 << IR_ROLE_##id##_BIT,
    IR_ROLES(ROLE)
#undef ROLE
};

#define IR_ROLE_PARAMETERS 16
#define IR_ROLE_CONSTANTS 8

struct ir_parameter_roles {
    uint32_t roles;     /* enum ir_role */
    uint32_t length_of; /* it counts elements behind this parameter; IR_NONE: of none */
    uint32_t constant_count;
    int64_t constants[IR_ROLE_CONSTANTS]; /* that it is compared with */
};

struct ir_function_roles {
    char *name;
    bool returns_new; /* an object that the caller has to free */
    uint32_t count;   /* parameters, IR_ROLE_PARAMETERS at most */
    struct ir_parameter_roles parameters[IR_ROLE_PARAMETERS];
};

struct ir_all_roles { /* a vector */
    struct ir_function_roles *data;
    size_t count, capacity;
};

bool ir_roles_save(const struct ir_all_roles *all, const char *path, struct base_error *error);
bool ir_roles_load(const char *path, struct ir_all_roles *all, struct base_error *error);
const struct ir_function_roles *ir_roles_find(const struct ir_all_roles *all, const char *name);
void ir_roles_done(struct ir_all_roles *all);

#endif
