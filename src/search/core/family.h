/* SPDX-License-Identifier: Apache-2.0
 *
 * A family: all inputs that take the path of one trace. It has the conditions that they meet and,
 * for every cost, what they cost in terms of the input: a constant, or a sum of expressions where
 * the path leaves open how much is allocated, copied or counted.
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

/* ---- addresses.c: what of a path can be told ---- */

/* Appends conditions that mean the same and have no addresses in them; false when some have. */
bool search_plain_conditions(const struct search_walk *walk, const uint32_t *conditions,
                             size_t count, struct search_ids *plain);
/* The same as C; that some were left out is said in a comment. */
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
    struct search_ids terms; /* of 64 bits; none: the cost is the constant */
    bool is_unknown;         /* it could not be told */
};

struct search_block {
    uint32_t size; /* an expression, perhaps a constant */
    uint64_t value;
};
struct search_moment { /* at which the heap may have been at its largest */
    uint64_t constant;
    struct search_ids sizes;
};

struct search_formulas {
    struct search_formula of[ABI_COST_COUNT];
    /* On the way along the path: */
    BASE_VECTOR(struct search_block) blocks; /* by number, from 1 on */
    struct search_ids open;                  /* numbers of those of open size that are live */
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
    struct search_ids choices;    /* those of them that fix no value */
    struct search_formulas formulas;
    struct search_recount recount; /* the path in words */
};
/* Reads an imported walk from its first step to its last. */
void search_family_read(struct search_family *family, struct search_walk *walk);
void search_family_done(struct search_family *family);

/* What each cost of PROGRAM's traces counts in the measure, the user's counters included. */
struct search_prices search_find_prices(const struct search_subject *subject,
                                        const struct search_program *program);
/* The measure in terms of the input, in SCALE-ths; 0: the path leaves nothing of it open. */
uint32_t search_family_measure(struct search_family *family, const struct search_prices *prices,
                               double *scale);
/* What the policy asks of inputs of the family, besides what holds for all of them or for none; 0:
 * nothing. */
uint32_t search_policy_condition(const struct search_policy *policy, struct search_family *family);
/* No more than MOST bytes of the heap are live at any time. */
uint32_t search_family_within(struct search_family *family, uint64_t most);

/* Of all inputs of a family, which has the least or the greatest value of EXPR, a signed number of
 * 64 bits? INPUT is one of them, and becomes that one. */
struct search_extreme {
    struct search_family *family;
    struct solver *solver;
    const struct search_layout *layout;
    uint32_t also; /* one more condition that INPUT meets; 0: none */
    uint8_t *input;
    size_t size;
};
/* False when it may not be the very last: the solver gave up. VALUE is what INPUT has. */
bool search_find_extreme(const struct search_extreme *extreme, uint32_t expr, bool greatest,
                         int64_t *value);

/* Does the input meet a condition? Is there one of the family that does? It is then in MODEL. */
bool search_family_holds(const struct search_extreme *extreme, uint32_t condition);
enum solver_answer search_family_ask(const struct search_extreme *extreme, uint32_t condition,
                                     uint8_t *model);

/* Is the integer of so many bytes there a signed one? */
bool search_is_signed(const struct search_layout *layout, uint32_t offset, unsigned bytes);

/* ---- open.c ---- */

/* Puts what has one value on this path into the formulas; true: some of them still depend on the
 * input. OUT then tells what is left open, as a condition in C; nothing when that is not known. */
bool search_family_settle(const struct search_extreme *extreme, expr_name *names, void *context,
                          size_t limit, struct base_buffer *out);

/* ---- links.c: conditions on pointers ---- */

struct search_conditions {
    uint32_t *data;
    size_t count, capacity;
};
/* Appends them as a person writes them; REST has the conditions on values. */
void search_tell_links(const struct search_question *question, const struct expr_pool *pool,
                       const uint32_t *conditions, size_t count, struct base_buffer *out,
                       struct search_conditions *rest);

#endif
