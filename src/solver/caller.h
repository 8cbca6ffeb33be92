/* SPDX-License-Identifier: Apache-2.0
 *
 * Someone who calls Z3 for us, so that we need not wait for the answer.
 */
#ifndef SLOWPATH_SOLVER_CALLER_H
#define SLOWPATH_SOLVER_CALLER_H

#include "solver/internal.h"

#include <z3.h>

struct caller;
/* Answers of a context that was interrupted are not to be believed, and it is to be given up; one
 * that was left belongs to someone else from then on, and so does the caller. */
enum caller_end { CALLER_ANSWERED, CALLER_INTERRUPTED, CALLER_LEFT };

struct call {
    Z3_context context;
    Z3_solver engine;
    const Z3_ast *guards; /* NULL: everything that the engine knows holds */
    size_t guard_count;
    Z3_lbool result;
};

struct caller *caller_new(void); /* NULL: there is no thread to be had */
void caller_free(struct caller *caller);
/* Checks what CALL says, for SOLVER; END is of base_seconds. */
enum caller_end caller_check(struct caller *caller, struct call *call, const struct solver *solver,
                             double end);
/* True: the caller frees a large context, and then itself, while we go on. */
bool caller_takes_over(struct caller *caller, Z3_context context);

#endif
