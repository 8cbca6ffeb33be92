/* SPDX-License-Identifier: Apache-2.0
 *
 * solver: is there an input that takes another direction? A question is a path prefix (a sequence
 * of 1-bit expressions that the current input satisfies) and one more condition. The answer comes
 * from the first stage of a chain that knows it.
 *
 * Typical use: solver_begin with the input of a trace; for each decision in order: solver_ask with
 * the negation (the other direction), then solver_assert with the condition itself (the one taken).
 * Asserted conditions must hold for the current input, which is what makes answers cheap: a model
 * is found by repairing the current input.
 */
#ifndef SLOWPATH_SOLVER_H
#define SLOWPATH_SOLVER_H

#include "expr/expr.h"

enum solver_answer { SOLVER_UNSAT, SOLVER_SAT, SOLVER_UNKNOWN };

enum solver_stage {
#define STAGE(id, name, text) SOLVER_STAGE_##id,
#include "solver/stages.def"
#undef STAGE
    SOLVER_STAGE_COUNT
};

struct solver_statistics {
    uint64_t sat[SOLVER_STAGE_COUNT], unsat[SOLVER_STAGE_COUNT]; /* answers per stage */
    uint64_t unknown;                                            /* time-outs and the like */
    uint64_t wrong_models;  /* models that did not hold when evaluated: bugs, ignored */
    uint64_t refused_again; /* questions not asked because Z3 has refused the same before */
    double seconds, smt_seconds;
};

struct solver_options {
    bool off[SOLVER_STAGE_COUNT]; /* --no-stage */
    /* Z3 must confirm every answer of a fast stage; panics on a contradiction (tests). */
    bool cross_check;
    unsigned timeout_ms; /* of processor time, per question to Z3 */
    /* Once it returns true, no more questions are answered; called from any thread. NULL: never. */
    bool (*is_over)(void *context);
    void *context;
};

struct solver;
struct solver *solver_new(const struct solver_options *options);
void solver_free(struct solver *solver);
const struct solver_statistics *solver_statistics(const struct solver *solver);
bool solver_stage_by_name(const char *name, enum solver_stage *stage);
void solver_list_stages(struct base_buffer *names); /* "model, domain" */

/* Bounds on input integers, from --range: INPUT nodes of that offset and width stay within
 * [low, high] (signed or unsigned) in every model. Set before solver_begin; copied. */
struct solver_range {
    uint32_t offset, width;
    int64_t low, high;
    bool is_signed;
};
void solver_set_ranges(struct solver *solver, const struct solver_range *ranges, size_t count);

/* No question to Z3 starts or lasts beyond this time (in terms of base_seconds). */
void solver_set_deadline(struct solver *solver, double time);
/* The deadline has passed, or `is_over` says so: an unknown answer might be known another time. */
bool solver_is_over(const struct solver *solver);

/* Ends the program with CODE if Z3 is still busy with an abandoned question; otherwise returns. */
void solver_leave(int code);

/* A new trace: drops all assertions. The pool and the input belong to the caller and must live
 * until the next solver_begin. */
void solver_begin(struct solver *solver, struct expr_pool *pool, const uint8_t *input, size_t size);
/* The state after some assertions of a trace, from which another trace can continue. */
struct solver_mark {
    size_t assertions, links, unions;
    bool is_solid; /* false: cannot continue from here */
};
struct solver_mark solver_mark(const struct solver *solver);
/* A new trace whose first conditions are those asserted before MARK: the same expressions, still in
 * the pool, although later ones may be gone. False: start over. */
bool solver_go_on(struct solver *solver, const struct solver_mark *mark, const uint8_t *input,
                  size_t size);
/* CONDITION (1 bit) holds for the current input, and must hold in every model from now on. */
void solver_assert(struct solver *solver, uint32_t condition);
/* Is there an input that satisfies all assertions and CONDITION? On SOLVER_SAT, MODEL (as large as
 * the input) receives it, equal to the current input where nothing is demanded. */
enum solver_answer solver_ask(struct solver *solver, uint32_t condition, uint8_t *model);
/* Solves any set of conditions at once, without a current input (forced paths, pipelines). On
 * SOLVER_UNSAT, core[i], unless CORE is NULL, says whether condition i is in an unsatisfiable
 * core. */
enum solver_answer solver_solve(struct solver *solver, struct expr_pool *pool,
                                const uint32_t *conditions, size_t count, uint8_t *model,
                                size_t size, bool *core);
/* From here on solver_solve gets sets with mostly equal conditions, all from one pool that only
 * grows: Z3 keeps what it was told and has learned, until STAYS is false. */
void solver_keep(struct solver *solver, bool stays);

/* COUNT orders between input integers: the first is x - y <= weight, and each further one is a step
 * away. x and y are offsets in bytes, or SOLVER_ZERO for the number 0. */
#define SOLVER_ZERO (-1)
struct solver_run {
    int64_t x, y, weight;
    int64_t dx, dy, dweight;
    uint64_t count;
    bool differ; /* x - y != weight instead */
};
/* Many orders at once: all input integers have this many BYTES, and are all signed or all unsigned.
 * SOLVER_SAT or SOLVER_UNKNOWN. */
enum solver_answer solver_solve_runs(struct solver *solver, const struct solver_run *runs,
                                     size_t count, unsigned bytes, bool is_signed, uint8_t *model,
                                     size_t size);

#endif
