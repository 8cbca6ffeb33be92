/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions of several paths that one input is to meet: which of them must go so that there is
 * such an input?
 */
#ifndef SLOWPATH_COMPOSE_RELAX_H
#define SLOWPATH_COMPOSE_RELAX_H

#include "solver/solver.h"

struct compose_conjunct {
    uint32_t condition; /* 1 bit; a constant is fine */
    uint32_t path;      /* that it belongs to */
    uint32_t number;    /* among the conjuncts of its path */
    double loss;        /* what the path costs less without it */
    bool is_value;      /* only what the run had, and no decision: it goes before all others */
    bool is_dropped;    /* out */
};

/* One conjunct was dropped; weights in percent of the sum of all paths. */
struct compose_step {
    size_t conjunct;
    size_t core;  /* conjuncts in the core; 0: there is none ... */
    size_t kept;  /* ... it contradicts so many that were kept; 0: it is false for every input */
    bool is_late; /* nobody knows: there was no time to look for an input that meets it */
    double before, behind; /* weight of its path, loss and compensation included */
};

#define COMPOSE_MANY                                                                               \
    4000 /* conjuncts, too many to ask for cores: the rule is always the second                    \
          */

enum compose_rule {
    COMPOSE_BALANCED, /* from the path of least weight, which is then compensated */
    /* From the last path that has one: those before it stay whole, so that what they write is what
     * was channelled. */
    COMPOSE_UPSTREAM,
    COMPOSE_RULES
};

struct compose_relaxing {
    enum compose_rule rule;
    struct expr_pool *pool;
    struct solver *solver;
    struct compose_conjunct *conjuncts;
    size_t count;
    const double *weights; /* of each path, by the measure */
    size_t path_count;
    uint8_t *input; /* in: bytes that nothing demands stay; out: one that meets what is left */
    size_t size;
    BASE_VECTOR(struct compose_step) steps; /* out */
    size_t solved;                          /* out: questions to the solver */
};

/* Drops as few and as cheap conjuncts as the rule finds. False: the solver's time was up. */
bool compose_relax(struct compose_relaxing *relaxing);
void compose_relaxing_done(struct compose_relaxing *relaxing);

#endif
