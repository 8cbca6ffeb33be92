/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions of several paths that one input should meet: which of them must be dropped so that
 * such an input exists?
 */
#ifndef SLOWPATH_COMPOSE_RELAX_H
#define SLOWPATH_COMPOSE_RELAX_H

#include "solver/solver.h"

struct compose_conjunct {
    uint32_t condition; /* 1 bit; a constant is fine */
    uint32_t path;      /* that it belongs to */
    uint32_t number;    /* among the conjuncts of its path */
    double loss;        /* how much cheaper the path is without it */
    bool is_value;      /* a value that the run had, not a decision: dropped before all others */
    bool is_dropped;    /* out */
};

/* A dropped conjunct; weights are in percent of the sum of all paths. */
struct compose_step {
    size_t conjunct;
    size_t core;  /* conjuncts in the core; 0: no core was used ... */
    size_t kept;  /* ... it contradicts this many kept ones; 0: it is false for every input */
    bool is_late; /* unknown: there was no time to look for an input that meets it */
    double before, behind; /* weight of its path, with loss and compensation */
};

#define COMPOSE_MANY                                                                               \
    4000 /* conjuncts, too many to ask for cores: the rule is always the second                    \
          */

enum compose_rule {
    COMPOSE_BALANCED, /* from the path of least weight, which is then compensated */
    /* From the last path that has one: earlier paths stay intact, so that their output is what was
     * channelled. */
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
    uint8_t *input; /* in: bytes without conditions stay; out: it meets the remaining ones */
    size_t size;
    BASE_VECTOR(struct compose_step) steps; /* out */
    size_t solved;                          /* out: questions to the solver */
};

/* Drops as few and as cheap conjuncts as the rule can find. False: the solver's time was up. */
bool compose_relax(struct compose_relaxing *relaxing);
void compose_relaxing_done(struct compose_relaxing *relaxing);

#endif
