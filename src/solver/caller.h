/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that calls Z3, so that the asking thread need not wait for the answer.
 */
#ifndef SLOWPATH_SOLVER_CALLER_H
#define SLOWPATH_SOLVER_CALLER_H

#include "solver/internal.h"

#include <z3.h>

struct caller;
/* After an interrupt, discard the context and do not trust its answer. After leaving, the context
 * and the caller belong to the other thread. */
enum caller_end { CALLER_ANSWERED, CALLER_INTERRUPTED, CALLER_LEFT };

struct call {
    Z3_context context;
    Z3_solver engine;
    const Z3_ast *guards; /* NULL: everything the engine knows holds */
    size_t guard_count;
    Z3_lbool result;
};

struct caller *caller_new(void); /* NULL: could not start a thread */
void caller_free(struct caller *caller);
/* Runs CALL for SOLVER, for at most SECONDS of processor time. */
enum caller_end caller_check(struct caller *caller, struct call *call, const struct solver *solver,
                             double seconds);
/* True: the caller's thread frees a large context, and then itself, while we go on. */
bool caller_takes_over(struct caller *caller, Z3_context context);

#endif
