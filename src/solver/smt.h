/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by smt.c and terms.c: the connection to Z3 and the terms of the current pool. Z3 keeps
 * every term as long as its context lives, so the context is replaced now and then between traces.
 * Expressions of one bit are Booleans, all others bit-vectors.
 */
#ifndef SLOWPATH_SOLVER_SMT_H
#define SLOWPATH_SOLVER_SMT_H

#include "solver/caller.h"
#include "solver/cores.h"

#include <z3.h>

struct term {
    Z3_ast ast;     /* NULL: not translated yet */
    uint32_t read;  /* the model last read for it */
    uint32_t known; /* engine_stamp if the engine has "guard implies term" */
    Z3_ast guard;
    Z3_ast number;   /* the result of floating-point arithmetic as a number; AST is its bits */
    bool has_floats; /* contains such arithmetic */
    /* Has products, quotients or tables: better asked from scratch, with preprocessing. */
    bool is_hard;
};

struct smt {
    Z3_context context;
    Z3_solver engine;          /* the one in use */
    Z3_solver vectors, floats; /* for bit-vectors only; with floating point */
    struct caller *caller;     /* NULL: before the first question */
    struct term *terms;        /* by node */
    uint32_t capacity, stamp;
    size_t made;   /* terms in this context */
    id_list used;  /* nodes with a term */
    id_list stack; /* of the translation */
    id_list assertions, variables;
    BASE_VECTOR(Z3_ast) guards; /* of the current question */
    uint32_t guarded;           /* conditions that the engine has behind a guard */
    bool has_plain;             /* the engine has conditions without a guard */
    uint32_t engine_stamp;      /* raised when the engine forgets them */
    uint32_t keeping;           /* the solver's value when it was last cleared */
    struct cores *cores;        /* of earlier questions */
    BASE_VECTOR(bool) in_core;  /* by condition of the last question, if unsatisfiable */
};

struct smt *smt_state(struct solver *solver);
/* terms_float.c; the operands have terms. */
Z3_ast terms_of_float(const struct solver *solver, struct smt *smt, uint32_t id);
Z3_ast terms_of_node(struct solver *solver, struct smt *smt, uint32_t node);
void terms_clear(struct smt *smt);

#endif
