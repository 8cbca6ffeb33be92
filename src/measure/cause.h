/* SPDX-License-Identifier: Apache-2.0
 *
 * Why does a cost grow? The way from the entry to the block that the growing cost is spent in, as
 * loops and calls, each with how its count grows with the size: those that raise the exponent are
 * the factors whose product the cost is.
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
    uint32_t function;   /* of a call and a recursion: that is called; else: that it lies in */
    uint32_t place;      /* a loop's number; the block that a call is made in, or IR_NONE */
    uint32_t file, line; /* in the facts */
    const char *library; /* the library function, if that is what it is */
    double count;        /* turns, calls or bytes */
    double grows;        /* exponent of the count */
    double adds;         /* what a factor raises the exponent by; 0: it is none */
};

#define MEASURE_CAUSE_STEPS 32
struct measure_cause {
    struct measure_step steps[MEASURE_CAUSE_STEPS]; /* outermost first */
    size_t count;                                   /* 0: unknown */
    double size;                                    /* in bytes, of the input that was counted */
};

/* Two runs of one program on inputs of one kind. */
struct measure_pair {
    const struct ir_facts *facts;
    const uint64_t *less, *more; /* slots */
    double less_size, more_size;
};

/* HOTTEST: the block, or IR_NONE for what library functions touch. */
void measure_cause_find(const struct measure_pair *pair, uint32_t hottest,
                        struct measure_cause *cause);
/* Do both grow for the same reason? */
bool measure_cause_is_same(const struct measure_cause *a, const struct measure_cause *b);
/* The first and the last factor; NULL: there is none. */
const struct measure_step *measure_cause_outer(const struct measure_cause *cause);
const struct measure_step *measure_cause_inner(const struct measure_cause *cause);
const char *measure_step_name(enum measure_step_kind kind);

#endif
