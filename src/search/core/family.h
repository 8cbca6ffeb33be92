/* SPDX-License-Identifier: Apache-2.0
 *
 * A family: all inputs that take the path of one trace. It holds the conditions they meet and each
 * cost as a function of the input: a constant, or a sum of expressions where the path leaves open
 * how much is allocated, copied or counted.
 *
 * A family is read from an imported walk and borrows its pool.
 */
#ifndef SLOWPATH_SEARCH_FAMILY_H
#define SLOWPATH_SEARCH_FAMILY_H

#include "search/core/core.h"
#include "search/core/trail.h"

struct search_ids {
    uint32_t *data;
    size_t count, capacity;
};

/* ---- addresses.c: conditions without addresses ---- */

/* Appends equivalent conditions without addresses; false when some cannot be rewritten. */
bool search_plain_conditions(const struct search_walk *walk, const uint32_t *conditions,
                             size_t count, struct search_ids *plain);
/* The same as C; a comment says when some were left out. */
struct search_printing {
    expr_name *names;
    void *context;
    size_t limit;
};
void search_print_conditions(const struct search_walk *walk, const uint32_t *conditions,
                             size_t count, const struct search_printing *as,
                             struct base_buffer *out);

/* ---- formula.c: what a path costs ---- */

struct search_formula { /* all modulo 2^64 */
    uint64_t constant;
    struct search_ids terms; /* of 64 bits; none: the cost is constant */
    bool is_unknown;         /* it could not be derived */
};

struct search_block {
    uint32_t size; /* an expression, perhaps a constant */
    uint64_t value;
};
struct search_moment { /* a moment at which the heap may have peaked */
    uint64_t constant;
    struct search_ids sizes;
};

struct search_formulas {
    struct search_formula of[ABI_COST_COUNT];
    /* While walking along the path: */
    BASE_VECTOR(struct search_block) blocks; /* by number, from 1 on */
    struct search_ids open;                  /* numbers of the live ones of open size */
    BASE_VECTOR(struct search_moment) moments;
};
/* One step of the path, and its end. */
void search_formulas_step(struct search_formulas *formulas, const struct search_walk *walk,
                          const struct search_step *step);
void search_formulas_end(struct search_formulas *formulas, const struct search_walk *walk);
void search_formulas_done(struct search_formulas *formulas);
/* One expression of 64 bits; a constant if the formula is one. */
uint32_t search_formula_expr(struct expr_pool *pool, const struct search_formula *formula);
static inline bool search_formula_is_open(const struct search_formula *formula) {
    return formula->terms.count > 0;
}

/* ---- family.c ---- */

struct search_family {
    struct search_walk *walk;
    struct search_ids conditions; /* of the whole path */
    struct search_ids choices;    /* those of them that do not fix a value */
    struct search_formulas formulas;
    struct search_recount recount; /* the path in text form */
};
/* Reads an imported walk from its first step to its last. */
void search_family_read(struct search_family *family, struct search_walk *walk);
void search_family_done(struct search_family *family);

/* The price of each cost of PROGRAM's traces in the measure, including the user's counters. */
struct search_prices search_find_prices(const struct search_subject *subject,
                                        const struct search_program *program);
/* The measure as a function of the input, times SCALE; 0: it is constant on this path. */
uint32_t search_family_measure(struct search_family *family, const struct search_prices *prices,
                               double *scale);
/* What the policy requires of inputs of the family, besides what holds for all or for none of them;
 * 0: nothing. */
uint32_t search_policy_condition(const struct search_policy *policy, struct search_family *family);
/* The condition that at most MOST bytes of the heap are live at any time. */
uint32_t search_family_within(struct search_family *family, uint64_t most);

/* Which input of a family has the least or the greatest value of EXPR, a signed 64-bit number?
 * INPUT is any member, and is replaced by that one. */
struct search_extreme {
    struct search_family *family;
    struct solver *solver;
    const struct search_layout *layout;
    uint32_t also; /* a further condition that INPUT meets; 0: none */
    uint8_t *input;
    size_t size;
};
/* False when it may not be the extreme: the solver gave up. VALUE is that of INPUT. */
bool search_find_extreme(const struct search_extreme *extreme, uint32_t expr, bool greatest,
                         int64_t *value);

/* Does the input meet a condition? Does some member of the family? That one is written to MODEL. */
bool search_family_holds(const struct search_extreme *extreme, uint32_t condition);
enum solver_answer search_family_ask(const struct search_extreme *extreme, uint32_t condition,
                                     uint8_t *model);

/* Is the integer at this offset signed? */
bool search_is_signed(const struct search_layout *layout, uint32_t offset, unsigned bytes);

/* ---- open.c ---- */

/* Substitutes integers that have a single value on this path into the formulas; true: some formulas
 * still depend on the input. OUT then gets what is left open, as a C condition; nothing when that
 * is not known. */
bool search_family_settle(const struct search_extreme *extreme, expr_name *names, void *context,
                          size_t limit, struct base_buffer *out);

/* ---- links.c: conditions on pointers ---- */

struct search_conditions {
    uint32_t *data;
    size_t count, capacity;
};
/* Appends them in the form a person would write; REST gets the conditions on values. */
void search_tell_links(const struct search_question *question, const struct expr_pool *pool,
                       const uint32_t *conditions, size_t count, struct base_buffer *out,
                       struct search_conditions *rest);

#endif
