/* SPDX-License-Identifier: Apache-2.0
 *
 * search: which inputs are worth running? A strategy proposes inputs and sees the results of
 * running them; what all strategies share (limits, statistics, the best tests so far, workers) is
 * here.
 *
 * A strategy is one file (or folder) and one row in strategies.def. It sees its target only through
 * struct search_subject, so that it can be tested without one.
 *
 * The order of calls: search_new, optionally search_load of a saved state, search_run, then
 * search_tests and search_statistics; search_describe says what a test's path requires of its
 * input.
 */
#ifndef SLOWPATH_SEARCH_H
#define SLOWPATH_SEARCH_H

#include "cluster/cluster.h"
#include "measure/cause.h"
#include "measure/growth.h"
#include "search/exchange.h"
#include "search/subject.h"
#include "target/pattern.h"

/* ---- strategies: the table is strategies.def ---- */

struct search;

struct search_strategy {
    const char *name, *summary;
    bool is_symbolic;  /* needs a symbolic build */
    bool may_trace;    /* uses one if there is one */
    bool is_scaled;    /* needs the subject's sizes */
    bool may_scale;    /* uses them if there is one that varies */
    bool varies_size;  /* inputs without entry may be shorter than the layout says */
    bool needs_bytes;  /* the input is any string of bytes: no entry */
    bool is_scheduler; /* only runs others: where it does not fit, one of these is used instead */
    bool covers_all;   /* once it has ended, every path was covered or counted as left out */
    bool proves_worst; /* it ends when it has proved that no input costs more */
    bool shares_work;  /* ranks share one frontier */
    bool has_islands;  /* each rank searches on its own and receives what others find */
    /* On ranks other than 0, which searches: worker WORKER does a piece of its work. See
     * core/serve.c. */
    bool (*serve)(struct search *search, size_t worker, const char *piece, size_t size,
                  struct base_buffer *answer, struct base_error *error);
    bool joins; /* ... and a piece means joining a search of all ranks, with all workers */
    /* Works until nothing is left to do or search_must_stop. */
    bool (*run)(struct search *search, struct base_error *error);
    /* What is left to do, for --resume; NULL when there is nothing to save. */
    void (*save)(struct search *search, struct base_buffer *out);
    /* With `merges`, loading a second state adds to the first. */
    bool (*load)(struct search *search, const char *data, size_t size);
    bool merges;
    /* Work that was packed for another rank but not done there. */
    bool (*take_rest)(struct search *search, const char *data, size_t size);
    size_t (*frontier)(const struct search *search);
    void (*done)(struct search *search);
};
const struct search_strategy *search_find_strategy(const char *name); /* NULL: there is none */
void search_list_strategies(struct base_buffer *names);               /* "random, exhaustive" */

/* ---- what was learned about cost and size ---- */

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
    struct base_strings notes;      /* what was tried, and the result */
};

/* ---- the search ---- */

#define SEARCH_NO_BOUND UINT32_MAX

/* How is a path valued that has not ended? */
enum search_prospect {
    SEARCH_SO_FAR, /* by its cost so far */
    SEARCH_RATE,   /* by its cost per byte of the input that it has read */
    SEARCH_WHOLE   /* by the cost of its whole input, with the rest as it happens to be */
};

struct search_test;
/* A strategy of another room that takes turns with auto's own. */
struct search_guest {
    const struct search_strategy *strategy;
    void *self;                   /* passed to the functions */
    bool (*is_ready)(void *self); /* does it have something to do now? */
    double share;                 /* of the time, even without finds ... */
    double needs;                 /* ... if that is at least this many seconds */
    /* Could it find something that the others cannot? Then it gets more time than its share. BEST
     * is the costliest test, NULL before the first one. NULL: unknown. */
    bool (*has_hope)(void *self, const struct search_test *best);
};

struct search_growth_law;
struct search_options {
    size_t tests; /* how many to keep */
    uint64_t seed;
    uint64_t stream; /* number of the search among those with the same seed: each has other random
                        numbers */
    struct {
        double seconds; /* 0: no limit */
        double reserve; /* of these: the search ends earlier by this, for running its tests again */
        uint64_t runs;  /* 0: no limit */
    } limits;
    struct {
        uint32_t longest;    /* decisions explored */
        uint32_t loop_bound; /* back edges of a loop per entry; SEARCH_NO_BOUND */
        uint32_t values;     /* alternatives tried for one fixed value */
    } path;
    struct {
        uint32_t lookahead, max_constraints, max_frontier; /* see beam/beam.c */
        enum search_prospect prospect;
    } beam;
    struct {
        int64_t first, last; /* sizes to learn from; 0: the strategy chooses */
        const char *method;  /* the only one to try, of scale/scale.c; NULL: all */
    } scale;
    struct {
        bool is_naive; /* the oracle uses only the graph and the calls */
        bool tells;    /* report its proposals: see search_proposals */
    } driven;
    const struct search_trail *trail; /* paths must follow it; NULL: none */
    struct cluster *cluster;          /* ranks that search together; NULL: there are no others */
    size_t grow_size; /* of the largest growing pattern; 0: the size of all inputs */
    const struct target_input *dictionary; /* tokens that inputs may be made of */
    size_t dictionary_count;
    struct solver_options solver;
    struct search_exchange *exchange; /* with others that search the same; NULL: there are none */
    const struct search_guest *guest; /* NULL: there is none */
    /* Called, while no worker changes anything, for each superlinear law as soon as it is known; a
     * stronger law of the same function may follow. May be NULL. */
    void (*announce)(void *context, const struct search_growth_law *law, const char *function);
    void *announce_context;
};

/* COUNTER(identifier, is a reason why the search is not complete, "what it counts") */
#define SEARCH_COUNTERS(COUNTER)                                                                   \
    COUNTER(runs, false, "inputs run")                                                             \
    COUNTER(paths, false, "different paths")                                                       \
    COUNTER(infeasible, false, "infeasible branches")                                              \
    COUNTER(violating, false, "paths that violate the policy")                                     \
    COUNTER(conditional, false, "paths that meet the policy only under a condition")               \
    COUNTER(exceeding, false, "runs stopped by the policy")                                        \
    COUNTER(strayed, false, "runs that left the given trace")                                      \
    COUNTER(rejected, false, "runs rejected by an assumption")                                     \
    COUNTER(unknown, true, "questions that the solver could not answer")                           \
    COUNTER(truncated, true, "runs whose trace was too long")                                      \
    COUNTER(mismatches, true, "inputs that did not take the path they were made for")              \
    COUNTER(concretised, true, "values that were fixed without trying all others")                 \
    COUNTER(lost, true, "runs without a trace to follow")                                          \
    COUNTER(unfollowed, true, "runs in which input data could not be followed")                    \
    COUNTER(crashes, false, "runs that crashed or left the bounds of an object")                   \
    COUNTER(signals, true, "crashes by a signal, whose paths have no cost")                        \
    COUNTER(outside, true, "runs that were followed only up to where they left an object")         \
    COUNTER(timeouts, true, "runs that took too long or too much memory")                          \
    COUNTER(cut, true, "branches beyond --max-path or --loop-bound")                               \
    COUNTER(dropped, true, "branches dropped for lack of memory or of a rank")                     \
    COUNTER(pruned, true, "states dropped by the beam")                                            \
    COUNTER(guessed, false, "branches reached without the solver")                                 \
    COUNTER(continued, false, "runs continued from a snapshot")                                    \
    COUNTER(reached, false, "decisions of a path that the beam reached")                           \
    COUNTER(expected, false, "decisions of its starting path")                                     \
    COUNTER(passed, false, "bytes of the input that its front has passed")                         \
    COUNTER(profiled, false, "episodes begun further on, where decisions move cost")               \
    COUNTER(levels, false, "levels of look-ahead")                                                 \
    COUNTER(episodes, false, "prefixes fixed to concrete values")                                  \
    COUNTER(constraints, false, "constraints in these prefixes")                                   \
    COUNTER(followed, false, "inputs followed symbolically by evolution")                          \
    COUNTER(flipped, false, "inputs solved to take another branch")                                \
    COUNTER(proposed, false, "traces that the oracle proposed")                                    \
    COUNTER(unproven, true, "times the oracle's bound exceeded what was found")                    \
    COUNTER(unpriced, true, "calls whose cost the oracle does not know")                           \
    COUNTER(unbounded, true, "loops cut by the oracle that may not depend on the input")           \
    COUNTER(unforeseen, true, "pieces of code that the oracle cannot follow")

struct search_loss { /* a way in which input data became untracked */
    char name[ABI_NAME_SIZE];
    uint64_t runs;
};

struct search_counters {
#define COUNTER(id, blocks, text) uint64_t id;
    SEARCH_COUNTERS(COUNTER)
#undef COUNTER
    struct search_loss losses[ABI_MAX_LOSSES]; /* up to the first without name */
};

enum search_end { SEARCH_FINISHED, SEARCH_TIME, SEARCH_RUNS, SEARCH_STOPPED };

struct search_news { /* the last superlinear law that was found; all 0: none yet */
    size_t count;    /* of all laws found */
    char text[96];   /* "O(n^2) in scan_name" */
    double seconds;  /* when it was found */
};

struct search_statistics {
    struct search_news news;
    const char *doing; /* the strategy that is running now */
    size_t best_size;  /* of the costliest test, in bytes */
    struct search_counters counters;
    struct solver_statistics solver; /* of all workers */
    double seconds, best;
    double start, random; /* the costliest input that the search started from, and the costliest
                             random one among them; NAN: not known */
    size_t frontier;      /* work items waiting */
    uint64_t pieces;      /* of rank 0's work done by other ranks, as far as known here */
    enum search_end end;
    bool complete;      /* every path was covered, and nothing was cut */
    bool within_bounds; /* every path within --max-path and --loop-bound was covered */
};

/* A 128-bit hash of a path: of its decisions and, where values were fixed, its block counts. If a
 * run was only measured, of the block counts alone. */
struct search_path {
    uint64_t a, b;
};

struct search_test {
    uint8_t *input;
    size_t size; /* of the input, in bytes */
    double cost;
    uint32_t decisions;
    bool is_open;   /* its cost depends on parts of the input that the path leaves open */
    bool has_first; /* the input is followed by the one with which the path was found: as good to
                       trace, and no larger */
    struct search_path path;
    struct abi_result result; /* of the measuring build */
    double predicted;         /* the cost, extrapolated from smaller sizes */
    bool is_predicted;
    bool is_unmeasured;                  /* a run would take too long: COST is the prediction */
    const struct search_growth_law *law; /* of the pattern it was generated from; NULL: none */
};

/* How the cost of a pattern grows, with the evidence. Owned by the search. */
struct search_growth_law {
    struct target_pattern pattern;
    uint64_t repetitions; /* in the test */
    struct measure_growth growth;
    BASE_VECTOR(struct measure_point) series;
    uint32_t hottest;               /* block in which the growing cost is spent, or IR_NONE */
    struct measure_cause cause;     /* without steps: unknown */
    double strength;                /* predicted cost of a large input, to compare laws */
    double by_unit, by_other;       /* exponents of the pattern's two pieces alone; 0: not both */
    bool leads;                     /* it leads a finding */
    bool has_relative;              /* there is a very similar pattern that stays linear: */
    struct target_pattern relative; /* */
    struct measure_point beside;    /* its size and cost, at about the size of the test */
};

/* Laws with the same cause. The first is the strongest, and its test represents the finding; the
 * others are its variants. */
struct search_finding {
    BASE_VECTOR(const struct search_growth_law *) laws;
};

/* What all patterns that were tried showed about growth. */
struct search_growth {
    uint64_t patterns;    /* run */
    uint64_t grown;       /* of these, grown over doublings */
    uint64_t superlinear; /* kept as tests: one per function */
    uint64_t exploding;   /* too slow at the smallest size */
    double rate;          /* steepest cost per byte of those that are not superlinear */
    const struct search_growth_law *steepest;    /* its law; NULL: none */
    BASE_VECTOR(struct search_finding) findings; /* strongest first */
};
/* NULL: the strategy grows no patterns. */
const struct search_growth *search_growth(const struct search *search);

/* What SUBJECT and OPTIONS point to is borrowed. */
struct search *search_new(const struct search_strategy *strategy,
                          const struct search_options *options,
                          const struct search_subject *subject);
void search_free(struct search *search);
bool search_run(struct search *search, struct base_error *error);
/* Overrides the options; to be called before search_run. */
void search_limit_runs(struct search *search, uint64_t runs);
/* Ends the search soon; may be called from a signal handler. */
void search_stop(struct search *search);
/* WATCH is called about every tenth of a second, while no worker changes anything. */
void search_set_watch(struct search *search, void (*watch)(struct search *search, void *context),
                      void *context);
void search_statistics(const struct search *search, struct search_statistics *statistics);
/* The tests so far, costliest first; borrowed until the search goes on. */
size_t search_tests(const struct search *search, const struct search_test **tests);
/* Some inputs that crashed or exceeded the limits of time or memory; not part of a saved state. */
size_t search_faults(const struct search *search, const struct search_test **faults);

/* For a range of sizes: the number of paths found for each. Borrowed. */
struct search_at_size {
    int64_t size;
    uint64_t paths;
};
size_t search_sizes_run(const struct search *search, const struct search_at_size **sizes);

/* For `driven` with options.driven.tells: the proposals of its oracle, one or more lines each.
 * Borrowed. */
const struct base_strings *search_proposals(const struct search *search);

/* What the strategy learned about cost and size; NULL: nothing. Borrowed. */
const struct search_model *search_model(const struct search *search);

/* --trace: a partial trace that paths must follow; see core/trail.h. NULL and ERROR on failure. */
struct search_trail;
struct search_trail *search_trail_read(const char *path, const struct ir_facts *facts,
                                       struct base_error *error);
void search_trail_free(struct search_trail *trail); /* NULL is fine */

/* Everything needed to resume: call between runs or from the watcher. */
void search_save(struct search *search, struct base_buffer *out);
bool search_load(struct search *search, const char *data, size_t size, struct base_error *error);
/* Adds the finds and the remaining work of another search of the same subject. */
bool search_merge(struct search *search, const char *data, size_t size, struct base_error *error);
/* The same for items that were in transit to another rank. */
bool search_take_rest(struct search *search, const char *data, size_t size);
/* After a search over several ranks: does this one hold what all have found? */
bool search_has_all(const struct search *search);
/* Some ranks did not report, and their remaining work is missing from this state. */
bool search_lacks_ranks(const struct search *search);

/* ---- what a test's path requires of its input ---- */

/* An input of a path's family, run in the measuring build. */
struct search_point {
    uint64_t costs[ABI_COST_COUNT]; /* by the formulas, for costs that are open */
    bool is_confirmed;              /* the run cost exactly that */
};

struct search_description {
    char *condition; /* as C; NULL when the run left no trace */
    char *trace;     /* its branches by function and source line, as --trace takes them */
    char *tables;    /* definitions of the tables it reads; NULL: none */
    uint32_t decisions;
    bool is_outside; /* an access leaves its object, which the measuring build did not notice: */
    struct abi_outside outside;
    /* Costs that the path leaves open, as a function of the input, in C. NULL: constant, or not
     * known. */
    char *costs[ABI_COST_COUNT];
    char *family; /* the remaining conditions on the inputs that these depend on; or NULL */
    struct search_point points[3]; /* from the cheapest to the costliest */
    size_t point_count;
    char *measure; /* the measure of the search as such a formula; NULL: it is constant */
    char *adheres; /* when the policy holds; NULL: always, or there is none */
    char *wins;    /* when it costs more than the rival; NULL: never, always, or there is none */
    bool always_wins;
};
/* Appends a readable name of what the pointer at OFFSET of the input leads to when its value is
 * VALUE, or of the pointer itself if VALUE is -1. False: no pointer is there. */
typedef bool search_link_name(uint32_t offset, int64_t value, void *context,
                              struct base_buffer *out);
struct search_question {
    const struct target_input *input;
    expr_name *names;        /* see expr_print */
    search_link_name *links; /* NULL: the input has no pointers */
    void *context;           /* of both */
    size_t limit;            /* each text is cut after about this many bytes */
    double rival;            /* cost of another test to compare with; NAN: none */
    double until;            /* as by base_seconds: what would take longer is left out */
};
bool search_describe(const struct search_subject *subject, const struct search_options *options,
                     const struct search_question *question, struct search_description *description,
                     struct base_error *error);
void search_description_done(struct search_description *description);

#endif
