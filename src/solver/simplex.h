/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers, sums of them, and bounds on both: is there an assignment within all bounds? Fractions
 * are accepted; a caller that wants integers splits (sums.c). There is always a current solution,
 * `now`, which satisfies all bounds except those of a question. Numbers that grow too large for
 * exact arithmetic make a check give up, but never make it wrong.
 */
#ifndef SLOWPATH_SOLVER_SIMPLEX_H
#define SLOWPATH_SOLVER_SIMPLEX_H

#include "solver/internal.h"

#define SIMPLEX_FAR ((wide)1 << 100) /* no real bound */
/* Reasons of bounds: below BRANCH the caller's numbers, then one per active split. */
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
    wide now;   /* in the current solution */
    wide value; /* during a question; for an owner of a row, times the row's scale */
    struct simplex_bound low, high;
    /* The row that it owns, which determines its value; NONE: it is free. */
    uint32_t row;
    uint32_t moved;             /* the question that may have moved it */
    uint32_t definition, parts; /* definition of a sum; 0 parts: not a sum */
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
    BASE_VECTOR(id_list) columns;         /* by variable: rows that may contain it */
    BASE_VECTOR(struct simplex_part) definitions;
    BASE_VECTOR(struct simplex_undo) trail;
    BASE_VECTOR(uint32_t) places; /* by variable: its position in the current row, plus one */
    id_list moved;                /* in this question */
    uint32_t row_count, stamp, visit;
    unsigned pivots;   /* left for this question */
    bool is_too_large; /* overflow: do not use the rows before simplex_settle */
    uint64_t blame;    /* of the last conflict: one bit per split involved */
    bool *core;        /* NULL, or by reason: part of some conflict */
};

void simplex_begin(struct simplex *simplex);
void simplex_done(struct simplex *simplex);

/* Only between questions: adds a variable, or a sum of variables. NONE: numbers too large. */
uint32_t simplex_add(struct simplex *simplex, wide now, wide low, wide high);
uint32_t simplex_add_sum(struct simplex *simplex, const struct simplex_part *parts, size_t count);

/* Starts a question with a limit of pivots. At its end all bounds since are dropped, and `now` is
 * restored. */
void simplex_ask(struct simplex *simplex, unsigned pivots);
void simplex_settle(struct simplex *simplex);
/* Includes the variable in this question. */
void simplex_look_at(struct simplex *simplex, uint32_t variable);

/* False: its bounds exclude each other; then the blame is set. */
bool simplex_bound_low(struct simplex *simplex, uint32_t variable, wide low, uint32_t reason);
bool simplex_bound_high(struct simplex *simplex, uint32_t variable, wide high, uint32_t reason);
void simplex_undo(struct simplex *simplex, size_t mark); /* back to this height of the trail */

/* SOLVER_SAT: all bounds are satisfied, maybe by fractions. */
enum solver_answer simplex_check(struct simplex *simplex);

/* After SAT: moves free variables a little so that owners that are not sums become integers, where
 * that breaks no bound and no other integer. */
void simplex_patch(struct simplex *simplex);

/* ---- rows (simplex_rows.c) ---- */

/* Iterates over the rows that contain VARIABLE, with AT = 0 first and after raising `visit`. */
bool simplex_next_row(struct simplex *simplex, uint32_t variable, size_t *at, uint32_t *index,
                      size_t *part);
void simplex_move(struct simplex *simplex, uint32_t variable, wide value); /* a free variable */
/* Exchanges the owner of row INDEX with the free variable at PART; the owner gets VALUE. */
void simplex_pivot(struct simplex *simplex, uint32_t index, size_t part, wide value);
/* Back to `now`, and to the rows as defined. */
void simplex_start_over(struct simplex *simplex);

wide simplex_floor(wide dividend, wide divisor);
/* The value of a variable, rounded down; WHOLE: it was an integer. */
wide simplex_value(const struct simplex *simplex, uint32_t variable, bool *whole);

#endif
