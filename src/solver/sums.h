/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of the sums stage: machine integers as linear forms over mathematical ones.
 */
#ifndef SLOWPATH_SOLVER_SUMS_H
#define SLOWPATH_SOLVER_SUMS_H

#include "solver/simplex.h"

/* A variable is within [low, high], or, if not INSIDE, outside. */
struct sums_limit {
    uint32_t variable;
    bool inside;
    wide low, high;
};

struct sums_gap {
    uint32_t next; /* of the same variable */
    wide low, high;
};

/* Additional data for a variable of the simplex. */
struct sums_variable {
    uint32_t input; /* variable of the pool; NONE: a sum, or a wrap-around count */
    uint32_t gaps;  /* excluded values */
    bool is_signed; /* how an input is read, fixed for the trace */
};

/* The value of a node as variable + constant. */
struct sums_reading {
    uint32_t stamp, variable;
    wide constant;
    bool is_opaque; /* its parts are unknown */
};
enum sums_kind { SUMS_SIGNED, SUMS_UNSIGNED, SUMS_QUOTIENT, SUMS_KINDS };

struct sums {
    struct simplex simplex;
    BASE_VECTOR(struct sums_variable) variables; /* as in the simplex */
    BASE_VECTOR(struct sums_gap) gaps;
    BASE_VECTOR(struct sums_limit) limits;                 /* of the last condition read */
    BASE_VECTOR(struct sums_limit) asked;                  /* those of the question */
    BASE_VECTOR(struct sums_reading) readings[SUMS_KINDS]; /* by node */
    id_list inputs;  /* by variable of the pool: the variable of the simplex, or NONE */
    uint32_t *known; /* sums by their parts: a hash table of variables */
    uint32_t known_mask, known_count;
    uint32_t stamp;  /* of the trace */
    unsigned splits; /* left for this question */
};

/* ---- forms (sums_form.c) ---- */

#define SUMS_PARTS 48
#define SUMS_BITS 55 /* limit for factors: sums of all parts then fit into 128 bits */

struct sums_form {
    wide constant;
    unsigned count;
    struct simplex_part parts[SUMS_PARTS];
};

struct sums_reader {
    struct solver *solver;
    struct sums *sums;
    unsigned steps;
    bool is_exact;
    bool is_signed; /* preferred reading of a new variable */
};

uint32_t sums_new_variable(struct sums *sums, wide now, wide low, wide high, uint32_t input);
/* The simplex variable of the pool's variable NUMBER. */
uint32_t sums_input(struct sums_reader *in, uint32_t number);
static inline const struct simplex_variable *sums_variable_of(const struct sums *sums,
                                                              uint32_t number) {
    return &sums->simplex.variables.data[number];
}
wide sums_type_low(unsigned width, bool is_signed); /* the least number of a type */
wide sums_signed(uint64_t bits, unsigned width);
bool sums_is_small(wide value); /* usable as a factor */

void sums_set_single(struct sums_form *form, uint32_t variable, wide constant);
/* TO += FACTOR * FORM; false: too large. */
bool sums_add_form(struct sums_form *to, const struct sums_form *form, wide factor);
/* Bounds of the form; false: unknown. */
bool sums_bound_form(const struct sums *sums, const struct sums_form *form, wide *low, wide *high);
wide sums_form_now(const struct sums *sums, const struct sums_form *form);
/* The variable for the sum of the parts; NONE: too large. */
uint32_t sums_find(struct sums *sums, struct sums_form *form);
/* Appends low <= form <= high, or its negation, as a limit of one variable. False: too large. */
bool sums_limit_form(struct sums *sums, struct sums_form *form, wide low, wide high, bool inside);

/* ---- reading (sums_read.c) ---- */

enum sums_answer {
    SUMS_NOTHING, /* not about integers */
    SUMS_PART,    /* the limits are necessary, but not sufficient */
    SUMS_ALL,     /* the condition is equivalent to the limits */
    SUMS_NEVER    /* it cannot hold */
};
/* Reads a condition into `limits`. Not during a question of the simplex. */
enum sums_answer sums_read(struct solver *solver, struct sums *sums, uint32_t condition);
void sums_forget(struct sums *sums); /* drops everything read */

#endif
