/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of the chain. A stage is told of assertions one by one and answers questions. It never
 * has to be complete: each assertion that a stage does not understand is noted at the slice it
 * belongs to, and the stage's "no" counts always (a part of the conditions has no solution), its
 * "yes" only after the model was evaluated.
 *
 * Everything here is indexed by the variables of the pool: input integers that do not overlap.
 */
#ifndef SLOWPATH_SOLVER_INTERNAL_H
#define SLOWPATH_SOLVER_INTERNAL_H

#include "solver/solver.h"

#define NONE UINT32_MAX

typedef __int128 wide; /* integers that no sum of machine integers overflows */

/* Whose values the evaluator holds. */
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
    BASE_VECTOR(struct change) changes; /* the answer when it is yes */
    uint32_t incomplete; /* bit per stage that does not know all assertions of the slice */
};

/* ---- slices: which assertions share variables ---- */

struct slice_variable {
    uint32_t parent, size;    /* union-find */
    uint32_t next;            /* the other variables of the slice, in a ring */
    uint32_t occurrences;     /* head of a list of assertions */
    uint32_t wide, wide_last; /* of the root: assertions with very many variables */
    uint32_t incomplete;      /* of the root: bit per stage; bit VIOLATED */
};
#define VIOLATED SOLVER_STAGE_COUNT /* an assertion that the current input does not satisfy */

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
    uint32_t *marks; /* by node: gathered when equal to mark */
    uint32_t mark, mark_capacity;
};

uint32_t slice_find(struct slices *slices, uint32_t variable);
/* Adds an assertion; bits of INCOMPLETE are noted at its slice. */
void slice_add(struct solver *solver, uint32_t condition, uint32_t incomplete);
/* Forgets what was added behind so many links and unions; nothing is incomplete then. */
void slice_back_to(struct solver *solver, size_t links, size_t unions);
/* An assertion that was added turns out to be unknown to stages. */
void slice_mark(struct solver *solver, uint32_t condition, uint32_t incomplete);
/* What is incomplete in the slices that the conditions touch. */
uint32_t slice_incomplete(struct solver *solver, const uint32_t *conditions, size_t count);
/* All assertions of the slices that the conditions touch, and their variables. */
void slice_gather(struct solver *solver, const uint32_t *conditions, size_t count,
                  id_list *assertions, id_list *variables);
/* Do all assertions that the changes touch, and the question itself, hold for the model? */
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
/* The values of its only variable for which a condition holds; false if they are not found. */
bool set_of_condition(struct expr_pool *pool, uint32_t condition, struct interval_set *set);

/* ---- stages ---- */

struct stage {
    void *(*create)(struct solver *solver);
    void (*destroy)(void *state);
    void (*begin)(struct solver *solver);
    /* An assertion; true if the stage now knows all of it. Assertions are handed on in order, but
     * not before the stage is asked. */
    bool (*add)(struct solver *solver, uint32_t condition);
    enum solver_answer (*ask)(struct solver *solver, struct question *question);
    /* Is it worth asking? NULL: always. */
    bool (*speaks)(struct solver *solver, const struct question *question);
    /* For another input, which satisfies all of them, too: keeps the first so many of the
     * assertions it was handed and forgets the others. NULL: it begins anew. */
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
    uint32_t ranged;    /* variables below this number have their ranges asserted */
    bool contradiction; /* an assertion is false */
    uint32_t keeping;   /* raised when what Z3 knows of the pool is to stay */
    bool keeps;
    uint32_t *asserted; /* by node: stamp of the trace that asserted it */
    uint32_t stamp, asserted_capacity;
    id_list assertions;
    id_list unknown_to;                   /* of each: bit per stage that did not understand it */
    size_t handed_on[SOLVER_STAGE_COUNT]; /* assertions that each stage was told of */
    struct question question;
    id_list conjuncts;
    id_list limits;             /* assertions that come from ranges and the end of the input */
    BASE_VECTOR(uint8_t) trial; /* a model that a stage tries */
    BASE_VECTOR(uint8_t) zeros;
    uint64_t asked;    /* questions so far */
    double slow_since; /* when the question at hand went beyond the fast stages; 0: it has not */
};

unsigned solver_width(const struct solver *solver, uint32_t variable);
uint64_t solver_current(struct solver *solver, uint32_t variable);
void solver_write(const struct solver *solver, uint8_t *model, struct change change);
/* Asserts one conjunct; ranges and the end of the input, as far as the pool has variables. */
void solver_assert_limits(struct solver *solver);
bool solver_note_assertion(struct solver *solver, uint32_t condition);
/* Splits a condition into conjuncts, which are appended to LIST. False: it cannot hold. */
bool solver_split(struct expr_pool *pool, uint32_t condition, id_list *list);

/* ---- domains of bytes (domain.c), also used by equal.c ---- */

struct byte_set {
    uint64_t bits[4];
};
/* The one variable of a condition if it is a byte; NONE otherwise. */
uint32_t domain_variable(struct solver *solver, uint32_t condition);
/* The solutions of a condition on one byte; false if it is too large to tell. */
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

/* The conditions, and nothing else; a SAT model's values go to CHANGES of the question. */
enum solver_answer smt_check(struct solver *solver, const uint32_t *conditions, size_t count,
                             struct question *question, bool *core);
void smt_print(struct solver *solver, const uint32_t *conditions, size_t count,
               struct base_buffer *out);

/* ---- all at once (bulk.c) ---- */

/* A conjunct and the condition it comes from (NONE: a range). */
struct conjunct {
    uint32_t condition, origin;
};
/* Difference constraints without a current input. UNKNOWN: not of that language. On UNSAT, CORE
 * (unless NULL) receives the origins of a contradiction. */
enum solver_answer bulk_solve(struct solver *solver, const struct conjunct *conjuncts, size_t count,
                              struct question *question, bool *core);
/* Are all of these in its language? After bulk_begin, for any number of slices. */
void bulk_begin(struct solver *solver);
bool bulk_understands(struct solver *solver, const struct conjunct *conjuncts, size_t count);

#endif
