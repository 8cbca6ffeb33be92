/* SPDX-License-Identifier: Apache-2.0
 *
 * From small worst cases to large ones: what the files about scaling share.
 *
 * train.c explores small sizes and keeps the worst inputs; canonical.c gives these a form that does
 * not depend on the solver's taste; sequence.c finds a formula for the elements of an input and
 * extrapolate.c one for whole inputs. What they propose for a large size counts once it was
 * measured.
 */
#ifndef SLOWPATH_SEARCH_SCALE_H
#define SLOWPATH_SEARCH_SCALE_H

#include "measure/curve.h"
#include "search/core/core.h"

#define SEARCH_POINTS 64 /* sizes that a curve goes through at most */

/* ---- inputs as lists of numbers ---- */

struct search_column { /* a field of the input as integers; what is none is taken as bytes */
    const char *name;
    uint64_t offset, count;
    unsigned bytes; /* of one element */
    bool is_signed, is_array, is_char;
    int64_t low, high; /* what an element may be */
};

struct search_table { /* all fields of the inputs of one size */
    BASE_VECTOR(struct search_column) columns;
    size_t elements;
};
void search_table_init(struct search_table *table, const struct search_shape *shape);
void search_table_done(struct search_table *table);
void search_table_read(const struct search_table *table, const uint8_t *input, int64_t *values);
/* False when a value does not fit its field. */
bool search_table_write(const struct search_table *table, const int64_t *values, uint8_t *input);

/* ---- train.c: small sizes, explored completely ---- */

struct search_trained {
    int64_t size;
    struct search_shape shape;
    struct search_table table;
    double worst, seconds;
    uint64_t paths;
    const char *how;               /* it came here, if it was not explored */
    BASE_VECTOR(uint8_t *) inputs; /* one for each path that costs so much; perhaps not all */
    bool has_canonical;
    BASE_VECTOR(int64_t *) canonical; /* their values in canonical form */
};

struct search_training {
    struct search *search;
    BASE_VECTOR(struct search_trained) sizes; /* ascending */
};
/* Explores one more size. False and no ERROR when it was not completed in SECONDS or no run came to
 * a good end. */
bool search_train(struct search_training *training, int64_t size, double seconds, bool *complete,
                  struct base_error *error);
void search_training_done(struct search_training *training);
void search_shape_done(struct search_shape *shape);

/* Measures one input of any size; the cost is NAN when the run did not come to a good end. */
bool search_measure(struct search *search, const uint8_t *input, size_t size, double *cost,
                    struct abi_result *result, struct base_error *error);
bool search_measure_all(struct search *search, const struct target_input *inputs, size_t count,
                        double *costs, struct base_error *error);

/* ---- canonical.c ---- */

/* Fills trained->canonical: each worst input with small values that cost the same. */
bool search_canonical(struct search *search, struct search_trained *trained,
                      struct base_error *error);

/* ---- sequence.c: formulas for the elements of one field ---- */

/* How the elements of a field are divided into parts, each with a formula of its own. */
struct search_scheme {
    uint8_t prefix, suffix; /* so many elements at the ends are parts of their own */
    uint8_t modulus;        /* the rest: every so many elements belong together */
    uint8_t from_back;      /* counted from the back */
    uint8_t split;          /* in halves: 1 the first is the smaller one, 2 the larger one */
    uint8_t square; /* rows and columns instead: 1 all, 2 triangles, 3 and the diagonal above, 4
                       triangles, first row and column */
};

#define SEARCH_PARTS 24
struct search_part { /* base + dx * x + dy * y, or base * 2^x */
    int64_t base, dx, dy;
    bool has_dx, has_dy; /* there were elements enough to tell */
    bool is_geometric;
    uint32_t count;
    int64_t x, y, value; /* its first element */
};

struct search_form { /* of one field of one input */
    struct search_scheme scheme;
    unsigned count;
    struct search_part parts[SEARCH_PARTS];
};
struct search_schemes { /* all there are, from simple to complex; a vector */
    struct search_scheme *data;
    size_t count, capacity;
};
void search_schemes_init(struct search_schemes *all);
bool search_form_describe(const struct search_scheme *scheme, const int64_t *values, size_t count,
                          struct search_form *form);

struct search_law { /* a number that depends on the size: at + (size - from) * above / below */
    int64_t at, from, above, below;
};
struct search_sequence {
    struct search_scheme scheme;
    unsigned count;
    struct {
        struct search_law base, dx, dy;
        bool is_geometric;
    } parts[SEARCH_PARTS];
};
/* The sequence that has these forms at two sizes. */
bool search_sequence_through(const struct search_form *a, int64_t size_a,
                             const struct search_form *b, int64_t size_b,
                             struct search_sequence *sequence);
bool search_sequence_write(const struct search_sequence *sequence, int64_t size, size_t count,
                           int64_t *values);
void search_sequence_print(const struct search_sequence *sequence, const char *field,
                           const char *size, bool is_array, bool is_char, struct base_buffer *out);

/* ---- nest.c: sequences of vectors as nested loops ---- */

#define SEARCH_NEST_WIDTH 24
#define SEARCH_NEST_DEPTH 5
struct search_nest {
    size_t width;                                          /* of the vectors */
    size_t depth;                                          /* loops */
    int64_t strides[SEARCH_NEST_DEPTH][SEARCH_NEST_WIDTH]; /* innermost first */
    int64_t last[SEARCH_NEST_WIDTH]; /* the first vector, then the turns of each loop */
};
/* COUNT vectors of WIDTH numbers each. */
bool search_nest_infer(const int64_t *values, size_t count, size_t width, struct search_nest *nest);
/* The vectors, at most so many; the caller frees them. */
bool search_nest_expand(const struct search_nest *nest, size_t most, int64_t **values,
                        size_t *count);
/* The same, but the innermost loop is left: COUNT vectors, each with its length behind it. Their
 * stride is strides[0] (of zeros, when there is no loop at all). */
bool search_nest_runs(const struct search_nest *nest, size_t most, int64_t **runs, size_t *count);
/* From the nests of COUNT sizes to that of the wanted one. */
bool search_nest_predict(struct search_nest *nests, const int64_t *sizes, size_t count,
                         int64_t wanted, struct search_nest *nest);

/* ---- extrapolate.c: formulas for whole inputs ---- */

struct search_generator {
    BASE_VECTOR(struct search_sequence) fields;
    BASE_VECTOR(int64_t) confirmed; /* sizes at which it costs what it should */
    int64_t missed;                 /* the size above the trained ones at which it does not, or 0 */
    double missed_cost;
};
/* Finds inputs for all sizes from the worst inputs of small ones, such that they cost the worst at
 * every size that was trained and what CURVE (unless it is NULL) says at some more. When there are
 * only such that miss the curve above the trained sizes, the first of these is handed over. */
bool search_extrapolate(struct search_training *training, const struct measure_curve *curve,
                        struct search_generator *generator, bool *found, struct base_error *error);
/* The input of a size; NULL when a value does not fit. The caller frees it. */
uint8_t *search_generate(struct search *search, const struct search_generator *generator,
                         int64_t size, size_t *bytes);
/* Does its input of SIZE cost what is wanted? If not, `missed` tells what it does cost. */
bool search_generator_costs(struct search *search, struct search_generator *generator, int64_t size,
                            double wanted, bool *agrees, struct base_error *error);
void search_generator_done(struct search_generator *generator);

/* ---- scaling.c: learn, let each way propose an input, judge it ---- */

struct search_scaling {
    struct search *search;
    const struct search_scale *scale;
    struct search_model *model;
    struct search_training training;
    struct measure_curve curve;
    bool has_curve;
    bool is_verified; /* an input costs what the curve predicts: nothing is left to do */
    bool is_refuted;  /* larger sizes than the trained ones do not follow the curve */
    bool is_patient;  /* the next size costs little: no short cuts instead of learning from it */
    double began, budget;
    bool is_step;  /* a step on the way: its input is kept here instead of being handed over */
    uint8_t *kept; /* the verified one */
    size_t kept_bytes;
    double kept_cost;
};
/* A way to make an input of the wanted size from what was learned; it ends with search_judge, or
 * with a note why there is none. */
typedef bool search_propose(struct search_scaling *scaling, struct base_error *error);
bool search_scaling_run(struct search *search, search_propose *const *ways, size_t count,
                        struct base_error *error);
/* Explores size after size and lets the ways propose in between. */
bool search_learn(struct search_scaling *scaling, search_propose *const *ways, size_t count,
                  struct base_error *error);
/* Fits the curve to what is trained and lets the ways propose. */
bool search_attempt(struct search_scaling *scaling, search_propose *const *ways, size_t count,
                    bool is_last, struct base_error *error);
/* sizes.c: the same for several sizes that grow. */
bool search_grow(struct search_scaling *scaling, search_propose *const *ways, size_t count,
                 struct base_error *error);
/* Measures an input of the wanted size and compares its cost with the curve. */
bool search_judge(struct search_scaling *scaling, const uint8_t *input, size_t bytes,
                  const char *how, struct base_error *error);
size_t search_trained_points(const struct search_scaling *scaling, struct measure_point *points);
bool search_fit(struct search_scaling *scaling, const struct measure_point *points, size_t count);
/* Would a run that costs so much take longer than one may? */
bool search_is_out_of_reach(const struct search_scaling *scaling, double cost);
void search_add_row(struct search_scaling *scaling, int64_t size, double measured, const char *how);

/* ---- follow.c: single runs as conditions ---- */

struct search_follower {
    struct search *search;
    const struct search_programs *programs;
    struct search_sites sites;
    struct solver *solver;
    struct expr_trace trace; /* of the last run */
    bool has_trace;          /* a whole one */
};
void search_follower_init(struct search_follower *follower, struct search *search);
void search_follower_done(struct search_follower *follower);
/* Runs an input; has_trace tells whether there is something to see. */
bool search_follow(struct search_follower *follower, const uint8_t *input, size_t bytes,
                   struct base_error *error);
/* What an event of the trace demands of the input; 0: nothing. */
uint32_t search_condition(struct search_follower *follower, const struct expr_event *event);

/* policy.c: branches decided by what was decided before. */
search_propose search_propose_policy;
/* conditions.c: the conditions of the path as nested sequences. */
search_propose search_propose_conditions;

#endif
