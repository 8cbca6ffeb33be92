/* SPDX-License-Identifier: Apache-2.0
 *
 * What the strategies share and nobody else sees: the search's state, the frontier of work items,
 * the set of paths, the archive of tests, and how a raw trace is read as a sequence of decisions.
 *
 * One lock guards everything in struct search that changes during a search. Workers take it
 * between batches only.
 */
#ifndef SLOWPATH_SEARCH_INTERNAL_H
#define SLOWPATH_SEARCH_INTERNAL_H

#include "search/search.h"
#include <pthread.h>
#include <stdatomic.h>

/* ---- frontier.c: a stack of work items, each with its input behind it ---- */

/* Values that an address or size had already, newest first; shared between items. */
struct search_value {
    const struct search_value *next;
    uint64_t value;
    uint32_t count; /* of this one and the rest */
};

struct search_item {
    uint64_t prefix;                  /* hash of the decisions that the input was made for */
    const struct search_value *tried; /* of the last of them, if it fixes a value; else NULL */
    uint32_t bound;                   /* how many those are: decisions from here on are open */
    uint32_t limit;                   /* decisions from here on are not */
    uint32_t is_rest; /* the path is known; only its decisions before LIMIT are left */
    uint32_t reserved;
    uint8_t input[];
};

struct search_frontier {
    char *data;
    size_t count, capacity, stride, input_size;
};
void search_frontier_init(struct search_frontier *frontier, size_t input_size);
void search_frontier_done(struct search_frontier *frontier);
/* A new item on top, not initialised. */
struct search_item *search_frontier_push(struct search_frontier *frontier);
struct search_item *search_frontier_at(const struct search_frontier *frontier, size_t index);
/* Moves the topmost COUNT items of FROM onto TO, their order kept. */
void search_frontier_move(struct search_frontier *to, struct search_frontier *from, size_t count);
void search_frontier_save(const struct search_frontier *frontier, struct base_buffer *out);
bool search_frontier_load(struct search_frontier *frontier, const char **data, const char *end,
                          struct base_arena *values);

/* ---- paths.c: a set of paths ---- */

struct search_paths {
    struct search_path *slots;
    size_t count, capacity;
    bool is_full; /* no more are remembered: all others count as new */
};
bool search_paths_add(struct search_paths *paths, struct search_path path); /* is it new? */
void search_paths_done(struct search_paths *paths);
void search_paths_save(const struct search_paths *paths, struct base_buffer *out);
bool search_paths_load(struct search_paths *paths, const char **data, const char *end);

/* ---- archive.c: the costliest tests ---- */

struct search_archive {
    struct search_test *tests; /* costliest first */
    size_t count, limit;
};
void search_archive_init(struct search_archive *archive, size_t limit);
void search_archive_done(struct search_archive *archive);
/* Copies the test when it is among the best. */
void search_archive_offer(struct search_archive *archive, const struct search_test *test);
void search_archive_save(const struct search_archive *archive, struct base_buffer *out);
bool search_archive_load(struct search_archive *archive, const char **data, const char *end);

/* ---- decisions.c: a raw trace as decisions ---- */

struct search_sites {
    const struct ir_facts *facts;
    uint32_t *switch_of; /* by block: number of its switch, or IR_NONE */
    struct expr_cases *cases;
    uint64_t *values;
    uint32_t *outcomes, *outcome_counts;
};
void search_sites_init(struct search_sites *sites, const struct ir_facts *facts);
void search_sites_done(struct search_sites *sites);
const struct expr_cases *search_cases(const struct search_sites *sites, uint32_t site);
uint32_t search_outcome_count(const struct search_sites *sites, uint32_t site);

/* The runtime writes an assumption that is false, which ends the run, as a branch of no block. */
static inline bool search_is_refusal(uint32_t kind, uint32_t site, uint64_t value) {
    return (kind == ABI_EVENT_ASSUME && !value) || (kind == ABI_EVENT_BRANCH && site == UINT32_MAX);
}
static inline bool search_is_decision(uint32_t kind, uint32_t site) {
    return (kind == ABI_EVENT_BRANCH && site != UINT32_MAX) || kind == ABI_EVENT_SWITCH ||
           kind == ABI_EVENT_ADDRESS || kind == ABI_EVENT_CONCRETE;
}
static inline bool search_fixes_value(uint32_t kind) {
    return kind == ABI_EVENT_ADDRESS || kind == ABI_EVENT_CONCRETE;
}

/* A run that took too long or too much memory. */
static inline bool search_is_over(const struct abi_result *result) {
    return result->status == ABI_STATUS_TIMEOUT || result->status == ABI_STATUS_MEMORY ||
           result->status == ABI_STATUS_ENDLESS;
}

/* Nothing of the input can change it. */
static inline bool search_is_constant(const struct expr_pool *pool, uint32_t id) {
    return !id || expr_node(pool, id)->op == ABI_OP_CONST;
}

#define SEARCH_ANY_VALUE 0x5a5a5a5a5a5a5a5au /* stands for the value of an open fixed value */
/* The hash of a sequence of decisions and one more. */
static inline uint64_t search_extend(uint64_t hash, uint32_t kind, uint32_t site,
                                     uint64_t outcome) {
    hash = (hash ^ ((uint64_t)site << 4 | kind)) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 29) ^ outcome) * 0xbf58476d1ce4e5b9u;
    return hash ^ (hash >> 32);
}

/* --loop-bound: a path is beyond it when it takes the back edge of a loop more than BOUND times per
 * entry. Only loops count that a decision is made in, and not in one of their inner loops: also a
 * decision in a function that the loop calls. */
struct search_turn {
    uint64_t turns;
    bool decides;
};
struct search_turns {
    uint64_t bound;
    BASE_VECTOR(struct search_turn) open; /* the loops that the path is in, innermost last */
};

struct search_scan {
    uint32_t decisions;
    uint32_t exceeded; /* the first decision beyond the loop bound, or UINT32_MAX */
    uint32_t fixed;    /* decisions that fix a value */
    uint64_t prefix;   /* hash of the first BOUND decisions */
    bool reached;      /* there were that many */
    bool repeats;      /* the open value was one of those that it must not be */
    bool is_rejected;  /* ends with an assumption that is false */
    struct search_path path;
    uint64_t cost;
    uint32_t flags;
    uint32_t events;
};
/* Its event_count events; NULL when the record is not a trace. */
const struct abi_event *search_events(const struct abi_trace *trace, size_t size);
/* False when the record is not a trace. */
bool search_scan_trace(const struct search_sites *sites, struct search_turns *turns,
                       const struct search_item *item, const void *trace, size_t size,
                       struct search_scan *scan);

/* ---- context.c ---- */

struct search {
    const struct search_strategy *strategy;
    struct search_options options;
    const struct search_programs *programs;
    size_t jobs;
    struct search_sites sites;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct search_counters counters;
    struct search_archive archive, faults;
    struct search_paths paths;
    struct solver_statistics solver; /* of workers that have ended, and of earlier sessions */
    struct solver_statistics *worker_solver; /* by worker, as of its last batch */
    struct base_error error;
    bool failed;
    void *state;                /* the strategy's */
    struct search_model *model; /* NULL: there is none */
    BASE_VECTOR(struct search_recipe *) recipes;
    struct search_growth *growth; /* NULL: there is none */

    double began, before, watched; /* BEFORE: seconds of earlier sessions */
    double seconds;
    void (*watch)(struct search *search, void *context);
    void *watch_context;
    atomic_bool stop;
    atomic_int end; /* enum search_end */
    uint64_t turn;  /* the number of runs at which this turn ends; 0: it has no other end */
    bool finished;
};

/* A search that ended may run again: for RUNS more runs, or 0. */
void search_begin_turn(struct search *search, uint64_t runs);
/* With the lock held: time, runs or the user say that this is enough. */
bool search_must_stop(struct search *search);
/* Runs WORK for every worker, in this thread when there is only one. */
bool search_run_workers(struct search *search,
                        bool (*work)(struct search *search, size_t worker,
                                     struct base_error *error),
                        struct base_error *error);
/* With the lock held: adds the counters of a batch and calls the watcher if it is time. */
void search_book(struct search *search, const struct search_counters *counters);
/* With the lock held: a run that was measured. Counts it if its path is new. */
void search_found(struct search *search, const struct search_test *test);
/* Copies the fields of --range within their bounds. */
void search_clamp(const struct search_options *options, uint8_t *input, size_t size);
uint64_t search_random(uint64_t *state);
/* Where the random numbers of a worker begin. */
uint64_t search_seed(const struct search *search, size_t worker);
/* Is there an input that goes this way? If so it is in MODEL; if not, COUNTERS say why. */
bool search_ask(struct solver *solver, uint32_t condition, uint8_t *model,
                struct search_counters *counters);
void search_add_solver(struct solver_statistics *sum, const struct solver_statistics *part);

/* With the lock held: a copy of LAW that the search owns; takes over its series. */
const struct search_recipe *search_keep_recipe(struct search *search,
                                               const struct search_recipe *law);

/* model.c */
void search_model_free(struct search_model *model); /* NULL is fine */
void search_model_done(struct search_model *model);
void search_note(struct search_model *model, const char *format, ...) BASE_PRINTF(2, 3);

/* Parts of a saved state. */
void search_put(struct base_buffer *out, const void *data, size_t size);
bool search_get(const char **data, const char *end, void *to, size_t size);

extern const struct search_strategy search_strategy_random, search_strategy_exhaustive,
    search_strategy_beam, search_strategy_scale, search_strategy_policy, search_strategy_auto,
    search_strategy_evolve, search_strategy_patterns, search_strategy_climb;

#endif
