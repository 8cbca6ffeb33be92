/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers, sums of them, and bounds of both: is there an assignment within all bounds? Fractions
 * count as answers; whoever wants whole numbers splits (sums.c). There is always one solution at
 * hand, `now`, which satisfies all bounds that are not of a question. Numbers that grow too large
 * for exact arithmetic make a check give up, never err.
 */
#ifndef SLOWPATH_SOLVER_SIMPLEX_H
#define SLOWPATH_SOLVER_SIMPLEX_H

#include "solver/internal.h"

#define SIMPLEX_FAR ((wide)1 << 100) /* no bound at all */
/* Reasons of bounds: below BRANCH whatever the caller counts, then one per split under way. */
#define SIMPLEX_BRANCH 0x80000000u

struct simplex_part {
    uint32_t variable;
    int64_t factor;
};

struct simplex_bound {
    wide value;
    uint32_t reason;
};

struct simplex_variable {
    wide now;   /* in the solution at hand */
    wide value; /* in a question; of an owner of a row, times its scale */
    struct simplex_bound low, high;
    uint32_t row;               /* that it owns: it follows from the others; NONE: it is free */
    uint32_t moved;             /* stamp of the question that may have moved it */
    uint32_t definition, parts; /* where a sum is defined; 0 parts: it is no sum */
};

/* scale * owner = sum of the parts, which are free variables; scale > 0 */
struct simplex_row {
    uint32_t owner, visited;
    int64_t scale;
    BASE_VECTOR(struct simplex_part) parts;
};

struct simplex_undo {
    uint32_t variable;
    bool is_high;
    struct simplex_bound before;
};

struct simplex {
    BASE_VECTOR(struct simplex_variable) variables;
    BASE_VECTOR(struct simplex_row) rows; /* the first row_count are in use */
    BASE_VECTOR(id_list) columns;         /* by variable: rows that may have it as a part */
    BASE_VECTOR(struct simplex_part) definitions;
    BASE_VECTOR(struct simplex_undo) trail;
    BASE_VECTOR(uint32_t) places; /* by variable: where the row at hand has it, plus one */
    id_list moved;                /* in this question */
    uint32_t row_count, stamp, visit;
    unsigned pivots;   /* left for this question */
    bool is_too_large; /* a number was: the rows are not to be used before simplex_settle */
    uint64_t blame;    /* of the last conflict: a bit per split that took part */
    bool *core;        /* NULL, or by reason: took part in some conflict */
};

void simplex_begin(struct simplex *simplex);
void simplex_done(struct simplex *simplex);

/* Between questions: a variable, and a sum of such. NONE: its numbers are too large. */
uint32_t simplex_add(struct simplex *simplex, wide now, wide low, wide high);
uint32_t simplex_add_sum(struct simplex *simplex, const struct simplex_part *parts, size_t count);

/* Starts a question of so many pivots. Its end takes back all bounds since and returns to `now`. */
void simplex_ask(struct simplex *simplex, unsigned pivots);
void simplex_settle(struct simplex *simplex);
/* The variable is one of those to look at in this question. */
void simplex_look_at(struct simplex *simplex, uint32_t variable);

/* False: nothing is left between its bounds; then the blame is set. */
bool simplex_bound_low(struct simplex *simplex, uint32_t variable, wide low, uint32_t reason);
bool simplex_bound_high(struct simplex *simplex, uint32_t variable, wide high, uint32_t reason);
void simplex_undo(struct simplex *simplex, size_t mark); /* back to so many on the trail */

/* SOLVER_SAT: all bounds are met, maybe by fractions. */
enum solver_answer simplex_check(struct simplex *simplex);

/* Moves free variables a little so that owners that are no sums become whole, where that harms no
 * other and breaks no bound. After SAT. */
void simplex_patch(struct simplex *simplex);

/* ---- rows (simplex_rows.c) ---- */

/* Each row that VARIABLE is a part of, from AT = 0 on and after `visit` was raised. */
bool simplex_next_row(struct simplex *simplex, uint32_t variable, size_t *at, uint32_t *index,
                      size_t *part);
void simplex_move(struct simplex *simplex, uint32_t variable, wide value); /* a free one */
/* The owner of row INDEX and the free variable at PART change places; the owner goes to VALUE. */
void simplex_pivot(struct simplex *simplex, uint32_t index, size_t part, wide value);
/* Back to `now`, and to the rows as they were defined. */
void simplex_start_over(struct simplex *simplex);

wide simplex_floor(wide dividend, wide divisor);
/* The value of a variable, rounded down; WHOLE: it was an integer. */
wide simplex_value(const struct simplex *simplex, uint32_t variable, bool *whole);

#endif
