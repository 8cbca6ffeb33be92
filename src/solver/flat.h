/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions on a few variables as straight-line code, for stages that evaluate them very often.
 * Variables are assigned in a fixed order; whatever is known after the k-th of them is level k.
 */
#ifndef SLOWPATH_SOLVER_FLAT_H
#define SLOWPATH_SOLVER_FLAT_H

#include "solver/internal.h"

#define FLAT_LEVELS 8
#define FLAT_PLACES 4096 /* values per program */

struct flat_step {
    uint8_t op, width, from; /* FROM: width of the first operand, of CONCAT that of the second */
    bool is_condition;
    uint16_t extra, to;
    uint16_t a, b, c; /* places of the operands */
    uint32_t table;
};

struct flat_program {
    const struct expr_pool *pool;
    unsigned levels;
    BASE_VECTOR(struct flat_step) steps[FLAT_LEVELS];
    uint64_t values[FLAT_PLACES]; /* the first LEVELS places hold the variables */
    unsigned place_count;
    uint32_t *place_of; /* by node; valid if the stamp is that of the program */
    uint32_t *stamps, stamp, capacity;
    uint16_t level_of[FLAT_PLACES];
    id_list stack;
};

void flat_done(struct flat_program *program);
/* The conditions have no variables except those in ORDER. False: they are too large. */
bool flat_build(struct flat_program *program, struct expr_pool *pool, const uint32_t *order,
                unsigned count, const id_list *conditions);
/* Sets the variable of LEVEL. Do all conditions hold that are decided at that level? */
bool flat_set(struct flat_program *program, unsigned level, uint64_t value);
size_t flat_size(const struct flat_program *program, unsigned level); /* steps */

#endif
