/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of the chain. A stage gets assertions one by one and answers questions. It never has
 * to be complete: an assertion that a stage does not understand is noted in the slice it belongs
 * to. A stage's "no" always counts (a subset of the conditions has no solution); its "yes" counts
 * only after the model was evaluated.
 *
 * Everything here is indexed by the variables of the pool: input integers that do not overlap.
 */
#ifndef SLOWPATH_SOLVER_INTERNAL_H
#define SLOWPATH_SOLVER_INTERNAL_H

#include "solver/solver.h"

#define NONE UINT32_MAX

typedef __int128 wide; /* wide enough for sums of machine integers */

/* Which assignment the evaluator's values belong to. */
#define BANK_CURRENT 1
#define BANK_TRIAL 2

/* A model is the current input with some variables changed. */
struct change {
    uint32_t variable;
    uint64_t value;
};
typedef BASE_VECTOR(uint32_t) id_list;

struct question {
    const uint32_t *conditions; /* conjuncts, none of them a constant */
    size_t count;
    BASE_VECTOR(struct change) changes; /* the model if the answer is yes */
    uint32_t incomplete; /* one bit per stage that does not know all assertions of the slice */
};

/* ---- slices: which assertions share variables ---- */

struct slice_variable {
    uint32_t parent, size;    /* union-find */
    uint32_t next;            /* the other variables of the slice, in a ring */
    uint32_t occurrences;     /* head of a list of assertions */
    uint32_t wide, wide_last; /* of the root: assertions with very many variables */
    uint32_t incomplete;      /* of the root: one bit per stage; bit VIOLATED */
};
#define VIOLATED SOLVER_STAGE_COUNT /* the current input violates an assertion */

struct occurrence {
    uint32_t condition, next;
    uint32_t variable;
};

struct slice_union {
    uint32_t into, from; /* roots at that time */
};

struct slices {
    BASE_VECTOR(struct slice_variable) variables;
    BASE_VECTOR(struct occurrence) links;
    BASE_VECTOR(struct slice_union) unions;
    bool has_wide;
    uint32_t *marks; /* by node: gathered if equal to mark */
    uint32_t mark, mark_capacity;
};

uint32_t slice_find(struct slices *slices, uint32_t variable);
/* Adds an assertion; notes the bits of INCOMPLETE in its slice. */
void slice_add(struct solver *solver, uint32_t condition, uint32_t incomplete);
/* Drops everything beyond so many links and unions, and clears all incomplete bits. */
void slice_back_to(struct solver *solver, size_t links, size_t unions);
/* Stages have turned out not to understand an assertion that was added. */
void slice_mark(struct solver *solver, uint32_t condition, uint32_t incomplete);
/* The incomplete bits of the slices that the conditions touch. */
uint32_t slice_incomplete(struct solver *solver, const uint32_t *conditions, size_t count);
/* Collects all assertions of the slices that the conditions touch, and their variables. */
void slice_gather(struct solver *solver, const uint32_t *conditions, size_t count,
                  id_list *assertions, id_list *variables);
/* Does the model satisfy the question and all assertions with changed variables? */
bool slice_verify(struct solver *solver, const struct question *question, const uint8_t *model);

/* ---- sets of values of one variable, as unsigned intervals ---- */

#define SET_LIMIT 64
struct interval {
    uint64_t low, high; /* inclusive */
};
struct interval_set {
    unsigned count; /* sorted, disjoint, not adjacent */
    struct interval at[SET_LIMIT];
};
/* The values of its only variable for which a condition holds; false if they cannot be computed. */
bool set_of_condition(struct expr_pool *pool, uint32_t condition, struct interval_set *set);

/* ---- stages ---- */

struct stage {
    void *(*create)(struct solver *solver);
    void (*destroy)(void *state);
    void (*begin)(struct solver *solver);
    /* Adds an assertion; true if the stage understands all of it. Assertions come in order, but not
     * before the stage is asked. */
    bool (*add)(struct solver *solver, uint32_t condition);
    enum solver_answer (*ask)(struct solver *solver, struct question *question);
    /* Is it worth asking? NULL: always. */
    bool (*speaks)(struct solver *solver, const struct question *question);
    /* Continues with another input that also satisfies the first KEPT assertions: drops the others.
     * NULL: the stage starts over. */
    void (*go_on)(struct solver *solver, size_t kept);
};
#define STAGE(id, name, text) extern const struct stage name##_stage;
#include "solver/stages.def"
#undef STAGE

struct solver {
    struct solver_options options;
    struct solver_statistics statistics;
    double deadline; /* of base_seconds; 0: none */
    void *states[SOLVER_STAGE_COUNT];
    struct slices slices;
    struct expr_pool *pool;
    const uint8_t *input;
    size_t size;
    BASE_VECTOR(struct solver_range) ranges; /* sorted by offset */
    uint32_t ranged;                         /* variables below this have their ranges asserted */
    bool contradiction;                      /* an assertion is false */
    uint32_t keeping;                        /* raised if Z3 shall keep what it knows of the pool */
    bool keeps;
    uint32_t *asserted; /* by node: the trace that asserted it */
    uint32_t stamp, asserted_capacity;
    id_list assertions;
    /* Of each assertion: one bit per stage that did not understand it. */
    id_list unknown_to;
    size_t handed_on[SOLVER_STAGE_COUNT]; /* assertions passed to each stage */
    struct question question;
    id_list conjuncts;
    id_list limits;             /* assertions from ranges and the end of the input */
    BASE_VECTOR(uint8_t) trial; /* a model being tried */
    BASE_VECTOR(uint8_t) zeros;
    uint64_t asked;    /* questions so far */
    double slow_since; /* when the current question left the fast stages; 0: it has not */
};

unsigned solver_width(const struct solver *solver, uint32_t variable);
uint64_t solver_current(struct solver *solver, uint32_t variable);
void solver_write(const struct solver *solver, uint8_t *model, struct change change);
/* Asserts the ranges and the end of the input for all variables in the pool. */
void solver_assert_limits(struct solver *solver);
bool solver_note_assertion(struct solver *solver, uint32_t condition);
/* Splits a condition into conjuncts and appends them to LIST. False: it cannot hold. */
bool solver_split(struct expr_pool *pool, uint32_t condition, id_list *list);

/* ---- domains of bytes (domain.c), also used by equal.c ---- */

struct byte_set {
    uint64_t bits[4];
};
/* The one variable of a condition if it is a byte; NONE otherwise. */
uint32_t domain_variable(struct solver *solver, uint32_t condition);
/* The solutions of a condition on one byte; false if it is too large to compute. */
bool domain_of_condition(struct solver *solver, uint32_t condition, struct byte_set *set);
static inline bool byte_set_has(const struct byte_set *set, unsigned value) {
    return set->bits[value >> 6] >> (value & 63) & 1;
}
static inline bool byte_set_empty(const struct byte_set *set) {
    return !(set->bits[0] | set->bits[1] | set->bits[2] | set->bits[3]);
}
static inline struct byte_set byte_set_and(struct byte_set a, struct byte_set b) {
    for (unsigned i = 0; i < 4; i++)
        a.bits[i] &= b.bits[i];
    return a;
}

/* ---- Z3 (smt.c) ---- */

/* Checks these conditions and nothing else; the values of a model go to CHANGES of the question. */
enum solver_answer smt_check(struct solver *solver, const uint32_t *conditions, size_t count,
                             struct question *question, bool *core);
void smt_print(struct solver *solver, const uint32_t *conditions, size_t count,
               struct base_buffer *out);

/* ---- all at once (bulk.c) ---- */

/* A conjunct, and the condition it comes from (NONE: a range). */
struct conjunct {
    uint32_t condition, origin;
};
/* Solves difference constraints without a current input. UNKNOWN: not of that form. On UNSAT, CORE
 * (unless NULL) receives the origins of a contradiction. */
enum solver_answer bulk_solve(struct solver *solver, const struct conjunct *conjuncts, size_t count,
                              struct question *question, bool *core);
/* Are all of these difference constraints? After bulk_begin, for any number of slices. */
void bulk_begin(struct solver *solver);
bool bulk_understands(struct solver *solver, const struct conjunct *conjuncts, size_t count);

#endif
