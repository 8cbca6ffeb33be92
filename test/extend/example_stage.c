/* SPDX-License-Identifier: Apache-2.0
 *
 * A stage of the solver that knows one thing: what is asked of no variable cannot be made true.
 */
#include "solver/internal.h"

static bool add(struct solver *solver, uint32_t condition) {
    (void)solver, (void)condition;
    return false;
}

static enum solver_answer ask(struct solver *solver, struct question *question) {
    for (size_t i = 0; i < question->count; i++)
        if (!expr_variables(solver->pool, question->conditions[i]).count)
            return SOLVER_UNSAT;
    return SOLVER_UNKNOWN;
}

const struct stage example_stage = {.add = add, .ask = ask};
