/* SPDX-License-Identifier: Apache-2.0
 *
 * From small worst cases to large ones: what the files about scaling share.
 *
 * train.c explores small sizes and keeps the worst inputs; canonical.c brings them into a form that
 * does not depend on the solver's arbitrary choices; extrapolate.c finds a formula for whole
 * inputs, from those of measure/sequence.c for the elements of a field. What they propose for a
 * large size only counts after it was measured.
 */
#ifndef SLOWPATH_SEARCH_SCALE_H
#define SLOWPATH_SEARCH_SCALE_H

#include "expr/skeleton.h"
#include "measure/curve.h"
#include "measure/nest.h"
#include "measure/sequence.h"
#include "search/core/core.h"

/* ---- inputs as lists of numbers ---- */

struct scale_column { /* a field of the input as integers; other fields are read as bytes */
    const char *name;
    uint64_t offset, count;
    unsigned bytes; /* of one element */
    bool is_signed, is_array, is_char;
    int64_t low, high; /* range of an element */
};

struct scale_table { /* all fields of the inputs of one size */
    BASE_VECTOR(struct scale_column) columns;
    size_t elements;
};
void scale_table_init(struct scale_table *table, const struct search_layout *layout);
void scale_table_done(struct scale_table *table);
void scale_table_read(const struct scale_table *table, const uint8_t *input, int64_t *values);
/* False when a value does not fit its field. */
bool scale_table_write(const struct scale_table *table, const int64_t *values, uint8_t *input);

/* ---- train.c: small sizes, explored completely ---- */

struct scale_trained {
    int64_t size;
    struct search_layout layout;
    struct scale_table table;
    double worst, seconds;
    uint64_t paths;
    const char *how;               /* where it came from, if it was not explored */
    BASE_VECTOR(uint8_t *) inputs; /* one for each path with the worst cost; perhaps not all */
    bool has_canonical;
    BASE_VECTOR(int64_t *) canonical; /* their values in canonical form */
};

struct scale_training {
    struct search *search;
    BASE_VECTOR(struct scale_trained) sizes; /* ascending */
};
/* Explores one more size. False and no ERROR when it was not completed in SECONDS or every run
 * failed. */
bool scale_train(struct scale_training *training, int64_t size, double seconds, bool *complete,
                 struct base_error *error);
void scale_training_done(struct scale_training *training);
/* Which of several sizes is varied, and the values of the others; sent to other ranks. */
struct scale_selection {
    bool is_given;
    size_t level;
    int64_t values[ABI_MAX_SIZES];
};
void scale_select(struct search *search, size_t level, const int64_t *values);
/* Serves as the strategies' callback: joins rank 0 in exploring a size. */
bool scale_serve(struct search *search, size_t worker, const char *piece, size_t size,
                 struct base_buffer *answer, struct base_error *error);
void scale_done(struct search *search);
/* The layout of inputs of a size; false when there are none. LAYOUT is empty before. */
bool scale_layout(const struct search *search, int64_t size, struct search_layout *layout);
/* Measures one input of any size; the cost is NAN when the run failed. */
bool scale_measure(struct search *search, const uint8_t *input, size_t size, double *cost,
                   struct abi_result *result, struct base_error *error);
bool scale_measure_all(struct search *search, const struct target_input *inputs, size_t count,
                       double *costs, struct base_error *error);

/* ---- canonical.c ---- */

/* Fills trained->canonical: the worst inputs with small values that cost the same. */
bool scale_canonical(struct search *search, struct scale_trained *trained,
                     struct base_error *error);

/* ---- extrapolate.c: formulas for whole inputs ---- */

struct scale_generator {
    BASE_VECTOR(struct measure_sequence) fields;
    BASE_VECTOR(int64_t) confirmed; /* sizes at which its input has the expected cost */
    int64_t missed;                 /* a size above the trained ones at which it does not, or 0 */
    double missed_cost;
};
/* Finds inputs for all sizes, in particular the WANTED one, from the worst inputs of small ones:
 * they must cost the worst at every trained size, and what CURVE (unless it is NULL) predicts at
 * some larger ones. If all that are found miss the curve above the trained sizes, the first of
 * these is returned. */
bool scale_extrapolate(struct scale_training *training, int64_t wanted,
                       const struct measure_curve *curve, struct scale_generator *generator,
                       bool *found, struct base_error *error);
/* The input of a size; NULL when a value does not fit. The caller frees it. */
uint8_t *scale_generate(struct search *search, const struct scale_generator *generator,
                        int64_t size, size_t *bytes);
/* Does its input of SIZE have the wanted cost? If not, `missed` says what it costs. */
bool scale_generator_costs(struct search *search, struct scale_generator *generator, int64_t size,
                           double wanted, bool *agrees, struct base_error *error);
void scale_generator_done(struct scale_generator *generator);

/* ---- scaling.c: learning, proposing, verifying ---- */

struct scale_scaling {
    struct search *search;
    const char *name; /* of the size that varies */
    int64_t size;     /* the one that is wanted */
    struct search_model *model;
    struct scale_training training;
    struct measure_curve curve;
    bool has_curve;
    bool is_verified; /* an input has the predicted cost: nothing is left to do */
    bool is_refuted;  /* larger sizes than the trained ones do not follow the curve */
    bool is_patient;  /* the next size is quick to learn from: take no short cuts */
    double began, budget;
    bool is_step;  /* an intermediate step: its input is kept here instead of being offered */
    uint8_t *kept; /* the verified one */
    size_t kept_bytes;
    double kept_cost;
};
/* A method that makes an input of the wanted size from what was learned; it ends with scale_verify,
 * or with a note why there is no input. */
typedef bool scale_propose(struct scale_scaling *scaling, struct base_error *error);
bool scale_scaling_run(struct search *search, scale_propose *const *methods, size_t count,
                       struct base_error *error);
/* Explores one size after another and lets the methods propose in between. */
bool scale_learn(struct scale_scaling *scaling, scale_propose *const *methods, size_t count,
                 struct base_error *error);
/* Fits the curve to the trained sizes and lets the methods propose. */
bool scale_attempt(struct scale_scaling *scaling, scale_propose *const *methods, size_t count,
                   bool is_last, struct base_error *error);
/* sizes.c: the same for several growing sizes. */
bool scale_grow(struct scale_scaling *scaling, scale_propose *const *methods, size_t count,
                struct base_error *error);
/* Measures an input of the wanted size and compares its cost with the curve. */
bool scale_verify(struct scale_scaling *scaling, const uint8_t *input, size_t bytes,
                  const char *how, struct base_error *error);
size_t scale_trained_points(const struct scale_scaling *scaling, struct measure_point *points);
bool scale_fit(struct scale_scaling *scaling, const struct measure_point *points, size_t count);
/* Would a run with this cost exceed the time limit of a run? */
bool scale_is_out_of_reach(const struct scale_scaling *scaling, double cost);
void scale_add_row(struct scale_scaling *scaling, int64_t size, double measured, const char *how);

/* ---- follow.c: tracing single runs ---- */

struct scale_follower {
    struct search *search;
    const struct search_program *program;
    struct solver *solver;
    struct search_walk walk; /* of the last run */
    bool has_trace;          /* of the whole run */
};
void scale_follower_init(struct scale_follower *follower, struct search *search);
void scale_follower_done(struct scale_follower *follower);
/* Traces an input; has_trace says whether that succeeded. */
bool scale_follow(struct scale_follower *follower, const uint8_t *input, size_t bytes,
                  struct base_error *error);

/* policy.c: branches decided by earlier decisions. */
scale_propose scale_propose_policy;
/* conditions.c: conditions of the path as nested sequences. */
scale_propose scale_propose_conditions;

/* ---- orders.c ---- */

struct scale_orders { /* conditions that need no expressions */
    BASE_VECTOR(struct solver_run) runs;
    unsigned bytes; /* of the integers; 0: not known yet */
    bool is_signed, is_unsigned;
};
/* Adds COUNT conditions, each of which differs from the last one by STRIDE; false when they are not
 * plain orders of integers of the same kind as earlier ones. */
bool scale_orders_add(struct scale_orders *orders, const struct expr_skeleton *skeleton,
                      const int64_t *leaves, const int64_t *stride, uint64_t count);

#endif
