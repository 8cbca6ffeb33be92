/* SPDX-License-Identifier: Apache-2.0
 *
 * Why does a cost grow? The path from the entry to the block where the growing cost is spent, as
 * loops and calls, each with the growth of its count with the size. Those that raise the exponent
 * are the factors whose product is the cost.
 */
#ifndef SLOWPATH_MEASURE_CAUSE_H
#define SLOWPATH_MEASURE_CAUSE_H

#include "ir/facts.h"

/* STEP(identifier, "name") */
#define MEASURE_STEPS(STEP)                                                                        \
    STEP(LOOP, "loop")                                                                             \
    STEP(CALL, "call")                                                                             \
    STEP(RECURSION, "recursion")                                                                   \
    STEP(LIBRARY, "library")

enum measure_step_kind {
#define STEP(id, name) MEASURE_STEP_##id,
    MEASURE_STEPS(STEP)
#undef STEP
};

struct measure_step {
    enum measure_step_kind kind;
    uint32_t function;   /* the function called (call, recursion) or containing it (otherwise) */
    uint32_t place;      /* number of the loop, or block of the call; or IR_NONE */
    uint32_t file, line; /* in the facts */
    const char *library; /* the library function, if it is one */
    double count;        /* iterations, calls or bytes */
    double grows;        /* exponent of the count */
    double adds;         /* how much a factor raises the exponent; 0: not a factor */
};

#define MEASURE_CAUSE_STEPS 32
struct measure_cause {
    struct measure_step steps[MEASURE_CAUSE_STEPS]; /* outermost first */
    size_t count;                                   /* 0: unknown */
    double size;                                    /* of the counted input, in bytes */
};

/* Two runs of a program on inputs of the same kind. */
struct measure_pair {
    const struct ir_facts *facts;
    const uint64_t *less, *more; /* slots */
    double less_size, more_size;
};

/* HOTTEST: the block, or IR_NONE for bytes touched by library functions. */
void measure_cause_find(const struct measure_pair *pair, uint32_t hottest,
                        struct measure_cause *cause);
/* Do both grow for the same reason? */
bool measure_cause_is_same(const struct measure_cause *a, const struct measure_cause *b);
/* The first and the last factor; NULL: there is none. */
const struct measure_step *measure_cause_outer(const struct measure_cause *cause);
const struct measure_step *measure_cause_inner(const struct measure_cause *cause);
const char *measure_step_name(enum measure_step_kind kind);

#endif
