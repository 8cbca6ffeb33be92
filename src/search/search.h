/* SPDX-License-Identifier: Apache-2.0
 *
 * search: which inputs are worth running? A strategy proposes inputs and sees what became of them;
 * what all strategies share (limits, statistics, the best tests so far, workers) is here.
 *
 * A strategy is one file and one row in SEARCH_STRATEGIES. It sees the target only through struct
 * search_programs, so that it can be tested without one.
 *
 * The journey: search_new, perhaps search_load of a saved state, search_run, then search_tests and
 * search_statistics; search_describe tells what a test's path demands of its input.
 */
#ifndef SLOWPATH_SEARCH_H
#define SLOWPATH_SEARCH_H

#include "expr/expr.h"
#include "ir/ir.h"
#include "measure/growth.h"
#include "measure/measure.h"
#include "search/core/pattern.h"
#include "solver/solver.h"
#include "target/entry.h"
#include "target/target.h"

/* ---- what a worker may run ---- */

struct search_programs {
    /* Like target_run_traced; NULL when there is no symbolic build. */
    bool (*trace)(void *self, const struct target_input *inputs, size_t count, target_visit *visit,
                  void *context, struct base_error *error);
    /* Runs inputs in the measuring build; COSTS are by the chosen measure. */
    bool (*measure)(void *self, const struct target_input *inputs, size_t count,
                    struct abi_result *results, double *costs, struct base_error *error);
    void *self;
    /* Like target_set_aim, for the next traces; NULL: they tell of whole runs and all bytes. */
    void (*aim)(void *self, const struct target_aim *aim);
    /* Like target_set_force; NULL: branches cannot be forced. */
    void (*force)(void *self, const struct target_force *force);
    /* Like target_set_bars; NULL: no run is said to raise any. */
    uint64_t *(*bars)(void *self, size_t *count);
    /* Like measure, for one input; COUNTS are the counters it left, valid until the next run. NULL:
     * they cannot be had. */
    bool (*count)(void *self, const struct target_input *input, struct abi_result *result,
                  double *cost, const uint64_t **counts, struct base_error *error);
    /* Like target_limit_run, for the measuring build; NULL: runs end by themselves. */
    void (*limit)(void *self, double seconds);
};

/* The two builds of a real target. SYMBOLIC may be NULL; if OPEN is not, it is called when the
 * symbolic build is first needed, and sets it or fails. */
struct search_builds {
    struct target *symbolic, *measuring;
    const struct measure *measure;
    bool (*open)(struct search_builds *builds, void *self, struct base_error *error);
    void *self;
};
struct search_programs search_programs_of(struct search_builds *builds);

/* ---- strategies: STRATEGY(identifier) ---- */

#define SEARCH_STRATEGIES(STRATEGY)                                                                \
    STRATEGY(auto)                                                                                 \
    STRATEGY(random)                                                                               \
    STRATEGY(exhaustive)                                                                           \
    STRATEGY(beam)                                                                                 \
    STRATEGY(patterns)                                                                             \
    STRATEGY(climb)                                                                                \
    STRATEGY(policy)                                                                               \
    STRATEGY(scale)                                                                                \
    STRATEGY(evolve)

struct search;

struct search_strategy {
    const char *name, *summary;
    bool is_symbolic; /* needs programs.trace */
    bool is_scaled;   /* needs options.scale */
    bool may_trace;   /* uses programs.trace if there is one */
    bool varies_size; /* inputs without entry may be shorter than options.input_size */
    bool needs_bytes; /* the input is any string of bytes: no entry */
    /* Works until there is nothing left to do or search_must_stop says so. */
    bool (*run)(struct search *search, struct base_error *error);
    /* What is left to do, for --resume; NULL when there is no such thing. */
    void (*save)(struct search *search, struct base_buffer *out);
    bool (*load)(struct search *search, const char *data, size_t size);
    size_t (*frontier)(const struct search *search);
    void (*done)(struct search *search);
};
const struct search_strategy *search_find_strategy(const char *name); /* NULL: there is none */
void search_list_strategies(struct base_buffer *names);               /* "random, exhaustive" */

/* ---- inputs of other sizes, for strategies that learn from small ones ---- */

struct search_shape { /* of the inputs of one size */
    uint64_t bytes;
    struct target_fields fields;
    BASE_VECTOR(struct solver_range) ranges;
};
void search_shape_done(struct search_shape *shape);

struct search_scale {
    const char *name;    /* of the size that varies */
    int64_t size;        /* the one that is wanted */
    int64_t first, last; /* sizes to learn from; 0: the strategy chooses */
    double run_seconds;  /* what one run may take */
    const char *way;     /* the only one to try, of scale.c; NULL: all */
    /* False when there are no inputs of that size. SHAPE is empty before. */
    bool (*shape)(void *self, int64_t size, struct search_shape *shape);
    void *self;
    /* When more than one size is to grow: all of them, the one above first. */
    size_t growing;
    const char *names[ABI_MAX_SIZES];
    int64_t wanted[ABI_MAX_SIZES];
    /* From now on that one varies, and the others of these have the VALUES. */
    void (*select)(void *self, size_t which, const int64_t *values);
};

struct search_row { /* the cost at one size */
    int64_t size;
    double measured, predicted; /* NAN: unknown */
    const char *how;            /* borrowed */
};

struct search_model {    /* what was learned about cost and size */
    const char *name;    /* of the size */
    char *cost, *growth; /* as formula and class; NULL: none fits */
    BASE_VECTOR(int64_t) trained;
    BASE_VECTOR(struct search_row) rows;
    struct base_strings generators; /* how inputs are made, in words */
    struct base_strings notes;      /* what was tried, and what came of it */
};

/* ---- the search ---- */

#define SEARCH_NO_BOUND UINT32_MAX

/* What is a path worth that has not come to its end? */
enum search_judge {
    SEARCH_SO_FAR, /* what it has cost so far */
    SEARCH_RATE,   /* what it has cost for each byte of the input that it has read */
    SEARCH_WHOLE   /* what its input costs as a whole, as it happens to go on */
};
struct search_worth {
    enum search_judge judge;
    double instructions, memory; /* factors of what the symbolic run has counted */
};

struct search_options {
    size_t input_size; /* bytes of every input; of strategies that vary the size: the largest */
    bool sizes_vary;   /* inputs of any other size can be run, too */
    size_t tests;      /* how many to keep */
    double seconds;    /* 0: no limit */
    uint64_t runs;     /* 0: no limit */
    uint64_t seed;
    uint32_t max_path;   /* decisions of a path that are explored */
    uint32_t loop_bound; /* back edges of a loop per entry; SEARCH_NO_BOUND */
    uint32_t max_values; /* of one fixed value that are tried */
    uint32_t lookahead, max_constraints, max_frontier; /* see beam.c */
    struct search_worth worth;
    const struct solver_range *ranges;
    size_t range_count;
    const struct target_input *seeds; /* input_size bytes each, or up to that */
    size_t seed_count;
    const struct target_input *dictionary; /* parts that inputs may be made of */
    size_t dictionary_count;
    const struct target_fields *fields; /* of an entry's input; NULL: plain bytes */
    struct solver_options solver;
    const struct ir_facts *facts;
    const struct search_scale *scale; /* NULL: inputs have this one size */
    size_t grow_size;                 /* largest input of a growing pattern; 0: input_size */
    double run_seconds;               /* what one run may take; 0: not known */
};

/* COUNTER(identifier, is a reason why the search is not complete, "what it counts") */
#define SEARCH_COUNTERS(COUNTER)                                                                   \
    COUNTER(runs, false, "inputs that the strategy ran")                                           \
    COUNTER(paths, false, "different paths")                                                       \
    COUNTER(infeasible, false, "alternatives that no input takes")                                 \
    COUNTER(rejected, false, "runs that an assumption ended")                                      \
    COUNTER(unknown, true, "questions that the solver could not answer")                           \
    COUNTER(truncated, true, "runs whose trace did not fit")                                       \
    COUNTER(mismatches, true, "inputs that did not take the path they were made for")              \
    COUNTER(concretised, true, "values that were fixed without trying all others")                 \
    COUNTER(lost, true, "runs that left no trace to follow")                                       \
    COUNTER(crashes, true, "runs that crashed")                                                    \
    COUNTER(timeouts, true, "runs that took too long or too much memory")                          \
    COUNTER(cut, true, "alternatives beyond --max-path or --loop-bound")                           \
    COUNTER(dropped, true, "alternatives for which there was no memory")                           \
    COUNTER(pruned, true, "states that the beam let go")                                           \
    COUNTER(guessed, false, "alternatives that were found without the solver")                     \
    COUNTER(levels, false, "levels of look-ahead")                                                 \
    COUNTER(episodes, false, "times that a prefix was fixed to concrete values")                   \
    COUNTER(constraints, false, "constraints that were fixed so")                                  \
    COUNTER(followed, false, "inputs that were followed when evolution stalled")                   \
    COUNTER(flipped, false, "inputs that take another way at a decision of these")

struct search_counters {
#define COUNTER(id, blocks, text) uint64_t id;
    SEARCH_COUNTERS(COUNTER)
#undef COUNTER
};

enum search_end { SEARCH_FINISHED, SEARCH_TIME, SEARCH_RUNS, SEARCH_STOPPED };

struct search_statistics {
    struct search_counters counters;
    struct solver_statistics solver; /* of all workers */
    double seconds, best;
    size_t frontier; /* work items that wait */
    enum search_end end;
    bool complete;      /* every path was covered, and nothing was cut */
    bool within_bounds; /* every path within --max-path and --loop-bound was covered */
};

/* 128 bits that stand for a path: its decisions and, where values were fixed, its block counts. */
struct search_path {
    uint64_t a, b;
};

struct search_test {
    uint8_t *input;
    size_t size; /* of the input, in bytes */
    double cost;
    uint32_t decisions;
    struct search_path path;
    struct abi_result result; /* of the measuring build */
    double predicted;         /* the cost, from smaller sizes */
    bool is_predicted;
    bool is_unmeasured;                 /* a run would take too long: COST is the prediction */
    const struct search_recipe *recipe; /* of the pattern that it was written from; NULL: none */
};

/* How the cost of a pattern grows, with the evidence. It belongs to the search. */
struct search_recipe {
    struct search_pattern pattern;
    uint64_t repetitions; /* of the test */
    struct measure_growth growth;
    BASE_VECTOR(struct measure_point) series;
    uint32_t hottest;               /* block that the growing cost is spent in, or IR_NONE */
    bool has_relative;              /* a pattern as like it as possible that stays linear: */
    struct search_pattern relative; /* */
    struct measure_point beside;    /* its size and cost, about as large as the test */
};

/* What was learned about growth by all that was tried. */
struct search_growth {
    uint64_t patterns;                    /* that were run */
    uint64_t grown;                       /* of these, over doublings */
    uint64_t superlinear;                 /* kept as tests: one for each function */
    uint64_t exploding;                   /* that took too long at the smallest size */
    double rate;                          /* steepest cost per byte of those that are not */
    const struct search_recipe *steepest; /* its law; NULL: none */
};
/* NULL: the strategy grows no patterns. */
const struct search_growth *search_growth(const struct search *search);

/* PROGRAMS: one for each worker; borrowed like all that OPTIONS points to. */
struct search *search_new(const struct search_strategy *strategy,
                          const struct search_options *options,
                          const struct search_programs *programs, size_t jobs);
void search_free(struct search *search);
bool search_run(struct search *search, struct base_error *error);
/* Ends the search soon; may be called from a signal handler. */
void search_stop(struct search *search);
/* WATCH is called every tenth of a second or so, while no worker changes anything. */
void search_set_watch(struct search *search, void (*watch)(struct search *search, void *context),
                      void *context);
void search_statistics(const struct search *search, struct search_statistics *statistics);
/* The tests so far, costliest first; borrowed until the search goes on. */
size_t search_tests(const struct search *search, const struct search_test **tests);
/* Some of the inputs that crashed, took too long or too much memory; not part of a saved state. */
size_t search_faults(const struct search *search, const struct search_test **faults);

/* What the strategy learned about cost and size; NULL: nothing. Borrowed. */
const struct search_model *search_model(const struct search *search);

/* Everything that is needed to go on: call between runs or while watching. */
void search_save(struct search *search, struct base_buffer *out);
bool search_load(struct search *search, const char *data, size_t size, struct base_error *error);

/* ---- what a test's path demands ---- */

struct search_description {
    char *condition; /* as C; NULL when the run left no trace */
    char *allocated; /* the sum of all allocations, NULL when no size was symbolic */
    uint32_t decisions;
};
/* NAMES: see expr_print. The condition is cut after LIMIT bytes or so. */
bool search_describe(const struct search_programs *programs, const struct ir_facts *facts,
                     const struct target_input *input, expr_name *names, void *context,
                     size_t limit, struct search_description *description,
                     struct base_error *error);
void search_description_done(struct search_description *description);

#endif
