/* SPDX-License-Identifier: Apache-2.0
 *
 * What the strategies share and nobody else sees: the state of the search, the set of paths, the
 * archive of tests, and the bookkeeping of runs. Reading traces is in walk.h.
 *
 * One lock guards everything in struct search that changes during a search. Workers take it between
 * batches only.
 */
#ifndef SLOWPATH_SEARCH_CORE_H
#define SLOWPATH_SEARCH_CORE_H

#include "search/core/walk.h"
#include <pthread.h>
#include <stdatomic.h>

/* ---- paths.c: a set of paths ---- */

struct search_paths {
    struct search_path *slots;
    size_t count, capacity;
    bool is_full; /* no more are remembered: every path counts as new */
};
bool search_paths_add(struct search_paths *paths, struct search_path path); /* is it new? */
/* Prefetches the slot of a path that will be added soon: large sets do not fit into the cache. */
static inline void search_paths_await(const struct search_paths *paths, struct search_path path) {
    if (paths->capacity)
        __builtin_prefetch(&paths->slots[path.a & (paths->capacity - 1)], 1);
}
void search_paths_done(struct search_paths *paths);
void search_paths_save(const struct search_paths *paths, struct base_buffer *out);
/* Adds to the set; *KNOWN, unless NULL, becomes how many were in it already. */
bool search_paths_load(struct search_paths *paths, const char **data, const char *end,
                       uint64_t *known);

/* ---- archive.c: the costliest tests ---- */

struct search_archive {
    struct search_test *tests; /* costliest first */
    size_t count, limit;
};
void search_archive_init(struct search_archive *archive, size_t limit);
void search_archive_done(struct search_archive *archive);
/* Is there a test with the same input that says as much about its growth? */
bool search_archive_has(const struct search_archive *archive, const struct search_test *test);
/* Could a test of that cost be among the best? */
bool search_archive_wants(const struct search_archive *archive, double cost);
/* Copies the test when it is among the best. */
void search_archive_offer(struct search_archive *archive, const struct search_test *test);
/* Adds all tests and raises the limit if needed; a test of a known path competes with the one
 * there. */
void search_archive_add_all(struct search_archive *archive, const struct search_archive *more);
void search_archive_save(const struct search_archive *archive, struct base_buffer *out);
bool search_archive_load(struct search_archive *archive, const char **data, const char *end);

/* ---- context.c ---- */

struct search_swept { /* one of a range of sizes */
    bool is_begun, is_finished;
    struct search_counters counters;
    struct solver_statistics solver;
    struct base_buffer state; /* to resume from */
};

struct search {
    const struct search_strategy *strategy;
    struct search *outer;   /* that this one is a part of; NULL: none */
    bool begins_with_finds; /* its starts are tests of the outer one */
    struct search_options options;
    struct search_subject subject;
    struct search_sites sites;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct search_counters counters;
    struct search_archive archive, faults;
    struct search_archive plain; /* if the policy asks for the costliest: those of constant cost */
    struct search_archive
        kinds; /* the costliest of each kind, see choose.c; its path is the kind */
    struct search_paths paths;
    struct solver_statistics solver; /* of workers that have ended, and from before a --resume */
    struct solver_statistics *worker_solver; /* by worker, as of its last batch */
    struct base_error error;
    bool failed;
    void *state;                /* the strategy's */
    struct search_model *model; /* NULL: there is none */
    BASE_VECTOR(struct search_growth_law *) laws;
    struct search_growth *growth; /* NULL: there is none */

    struct base_strings proposals;            /* of an oracle */
    BASE_VECTOR(struct search_at_size) sizes; /* of a sweep */
    struct search_swept *swept;               /* by size, NULL: none has begun */
    struct search *part;                      /* for the size being searched, or NULL */
    size_t part_index;
    bool is_cut_short; /* a size of the sweep was not searched to its end */

    struct search_news news;
    const char *doing;             /* NULL: its own strategy */
    double began, before, watched; /* BEFORE: seconds used before a --resume */
    double seconds;
    _Atomic double again; /* seconds that it takes to run its tests again, where runs take long */
    double start, random; /* see search_statistics */
    double given;         /* cost of the costliest test given to other searches */
    bool only_takes;      /* of patterns: it grows what others found and nothing else */
    void (*watch)(struct search *search, void *context);
    void *watch_context;
    atomic_bool stop;
    atomic_int end;   /* enum search_end */
    uint64_t turn;    /* number of runs at which this turn ends; 0: no such limit */
    uint64_t share;   /* of a part: runs it may reach under --runs; 0: no limit */
    uint64_t granted; /* runs that workers are about to make */
    bool finished;
    double heard; /* when this rank last listened to the others */
    bool lacks_ranks;
    bool is_joint;              /* a part that all ranks search together */
    bool is_own;                /* a part that this rank searches alone, though there are others */
    size_t row_next, row_count; /* see serve.c */
    uint64_t pieces;            /* that were done for rank 0 */
    struct search_gathering *gathering; /* see ranks.c; NULL: there are no other ranks */
};

/* With the lock held, so that --runs is exact: how many of the WANTED runs may be made? They count
 * as made until they are booked, or given back because they were not made after all. */
size_t search_grant(struct search *search, size_t wanted);
void search_give_back(struct search *search, size_t count);
size_t search_grant_locked(struct search *search, size_t wanted); /* takes the lock */
/* Runs left under --runs; UINT64_MAX: no limit. */
uint64_t search_runs_left(const struct search *search);
/* Lets a search that ended run again: for RUNS more runs, or 0 for no such limit. */
void search_begin_turn(struct search *search, uint64_t runs);
/* With the lock held: has the time or the number of runs been used up, or did the user stop it? */
bool search_must_stop(struct search *search);
/* Can runs be traced now, without waiting for a build? */
bool search_can_trace(const struct search_program *program);
/* search_must_stop, without the lock held. */
bool search_is_over(struct search *search);
bool search_is_late(const struct search *search); /* the time is up; needs no lock */
/* Seconds left; infinite without a time limit. */
double search_seconds_left(const struct search *search);
/* Would a run of this duration end in time? If not, the search ends now as if its time were up. */
bool search_has_time(struct search *search, double seconds);
/* Reserves this long for running the tests again, at most half of the time. */
void search_note_again(struct search *search, double seconds);
/* Notes how long running the tests of its archive again will take. */
void search_note_tests(struct search *search);
/* Is the time up, or was this search or an outer one stopped? For any thread, needs no lock. */
bool search_is_ending(const struct search *search);
/* A search that is part of OUTER and ends with it. */
struct search *search_new_part(struct search *outer, const struct search_strategy *strategy,
                               const struct search_options *options,
                               const struct search_subject *subject);
/* While a part runs, its outer search reports both: watch the part with search_relay_watch. */
struct search_relay {
    struct search *outer;
    struct search_counters before; /* of the outer search, when the part began */
};
void search_relay_watch(struct search *part, void *relay);
/* Runs WORK for every worker, in this thread when there is only one. */
bool search_run_workers(struct search *search,
                        bool (*work)(struct search *search, size_t worker,
                                     struct base_error *error),
                        struct base_error *error);
uint64_t search_random(uint64_t *state);
/* The seed of a worker's random numbers. */
uint64_t search_seed(const struct search *search, size_t worker);
/* Moves fields of --range into their bounds and makes pointers valid, in place. */
void search_clamp(const struct search_layout *layout, uint8_t *input, size_t size);
/* Is there an input that also satisfies CONDITION? If so, it is written to MODEL; if not, COUNTERS
 * get the reason, unless the search ended meanwhile. */
bool search_ask(struct solver *solver, uint32_t condition, uint8_t *model,
                struct search_counters *counters);
/* A solver for inputs of this layout. */
struct solver *search_new_solver(const struct search_options *options,
                                 const struct search_layout *layout);
void search_add_solver(struct solver_statistics *sum, const struct solver_statistics *part);

/* mix.c */
/* Draws every byte, and every field with a range, uniformly. */
void search_draw_input(const struct search_layout *layout, uint64_t *random, uint8_t *input);
/* Offers an input that was run, if the run succeeded; true when POOL has taken it. */
bool search_pool_offer(struct search_archive *pool, const uint8_t *input, size_t size, double cost,
                       const struct abi_result *result);
/* Runs random inputs and mixtures of those in POOL for a part of the time or the runs; POOL keeps
 * the costliest. To be called while the strategy has no workers running. */
bool search_mix(struct search *search, struct search_archive *pool, struct base_error *error);

/* policy.c */
/* Does the run keep all limits? */
bool search_policy_holds(const struct search_policy *policy, const struct abi_result *result);
/* A path has cost this much so far, of which the costs in OPEN may be less for other inputs: is a
 * limit exceeded whatever follows? */
bool search_policy_exceeded(const struct search_policy *policy, const uint64_t *costs,
                            uint32_t open);

/* ---- ranks.c: searches on other ranks; all but search_listen need the lock ---- */

bool search_has_gaps(const struct search *search);  /* so far: it would not count as complete */
uint32_t search_rank(const struct search *search);  /* 0 also for a search without other ranks */
bool search_is_shared(const struct search *search); /* other ranks search it, too */
bool search_is_last_rank(const struct search *search);
/* A part that waits for work from others ends its turn, so that others can use the time. */
void search_end_turn(struct search *search);
/* Nothing to do at present: releases the lock for a moment, and listens to other ranks. */
void search_rest(struct search *search);
/* In the middle of a batch, without the lock: handles messages of other ranks. */
void search_listen(struct search *search);
/* From here on, results of other ranks may arrive ... */
void search_gather_begin(struct search *search);
/* ... and the strategy has ended on this one, with ERROR or NULL: rank 0 collects all results. */
void search_gather(struct search *search, const struct base_error *error);

bool search_is_dismissed(const struct search *search); /* rank 0 no longer needs this rank */

/* ---- serve.c: pieces of work that workers of any rank can do; these take the lock ---- */

bool search_can_farm(const struct search *search);      /* on rank 0: other ranks can take pieces */
size_t search_all_workers(const struct search *search); /* of all ranks that can take pieces */
/* One row at a time; its pack and take callbacks are called with the lock held. */
void search_row_begin(struct search *search, const struct cluster_row *row);
/* For a worker of this rank: the next piece. False: no piece is left, or the search must stop. */
bool search_row_next(struct search *search, size_t *number);
bool search_row_end(struct search *search, struct base_error *error);
bool search_serve(struct search *search, struct base_error *error); /* on the other ranks */

/* sweep.c: one size after another. */
bool search_run_sweep(struct search *search, struct base_error *error);
size_t search_sweep_left(const struct search *search); /* sizes that are not finished */
void search_save_sweep(struct search *search, struct base_buffer *out);
bool search_load_sweep(struct search *search, const char *data, const char *end);
void search_free_sweep(struct search *search);

/* ---- exchange.c: inputs from and for other searches; see search/exchange.h ---- */

/* Sends a message to the other searches, if there are any. */
void search_give(const struct search *search, enum search_message kind, const void *data,
                 size_t size);
void search_give_best(struct search *search); /* with the lock held: if it beats the last one */
void search_give_tests(const struct search *search); /* all tests, when the search is over */
bool search_has_waiting(const struct search *search, enum search_message kind); /* any thread */
/* False: nothing waits. The caller frees *DATA. */
bool search_take(const struct search *search, enum search_message kind, uint8_t **data,
                 size_t *size);
void search_note_taken(const struct search *search, enum search_message kind, bool is_record);
/* With the lock held: a run of another search's input succeeded here. Was it better than what the
 * strategy had? */
typedef bool search_adopt(struct search *search, size_t worker, const struct search_test *test);
/* Without the lock: runs some of the waiting inputs and keeps those that are among the best. ADOPT
 * may be NULL. */
bool search_take_inputs(struct search *search, size_t worker, search_adopt *adopt,
                        struct base_error *error);
void search_take_waiting(struct search *search); /* all that wait, as long as there is time */

/* ---- booking.c: counting runs by outcome ---- */

/* Did the run end in a way that makes it a test? */
static inline bool search_ended_well(const struct abi_result *result) {
    return result->status == ABI_STATUS_OK && !result->rejected;
}
/* Counts a run by its outcome. WALK: its trace; NULL when it was only measured. */
void search_count_run(struct search_counters *counters, const struct abi_result *result,
                      const struct search_walk *walk);
/* Counts the losses of the run, once WALK is at its end. */
void search_count_losses(struct search_counters *counters, const struct search_program *program,
                         const struct search_walk *walk);
/* Measures inputs, each of which counts as a run. Failed runs, and those beyond --runs, cost NAN.
 * Only for the single thread of a strategy while it has no workers running. */
bool search_measure(struct search *search, const struct target_input *inputs, size_t count,
                    struct abi_result *results, double *costs, struct base_error *error);
/* Notes the cost of an input that the search starts from, to tell it apart from what it finds. */
void search_note_start(struct search *search, double cost, bool is_random);
/* Adds the counters of a batch and calls the watcher if it is time. */
void search_book(struct search *search, const struct search_counters *counters); /* with the lock */
void search_book_locked(struct search *search, const struct search_counters *counters);
/* With the lock held: books a measured run as a test. Counts its path if it is new. */
void search_found(struct search *search, const struct search_test *test);
void search_count_path(struct search *search, struct search_path path); /* if it is new */
/* With the lock held: would no archive keep such a test? Then only its path is counted. */
bool search_is_dull(const struct search *search, const struct abi_result *result, double cost);
/* Without the lock: a run of the symbolic build left an object, which the measuring build would not
 * notice. */
void search_note_outside(struct search *search, const struct target_input *input,
                         const struct abi_result *result);
/* Books a measured batch; paths are told apart by their block counts. Takes the lock. */
void search_book_measured(struct search *search, const struct target_input *inputs, size_t count,
                          const struct abi_result *results, const double *costs);
void search_add_counters(struct search_counters *sum, const struct search_counters *part);
/* Subtracts the counters of PART again, except the named losses. */
void search_take_back(struct search_counters *sum, const struct search_counters *part);

/* With the lock held: a copy of LAW, owned by the search, which takes over its series. */
struct search_growth_law *search_keep_law(struct search *search,
                                          const struct search_growth_law *law);

/* findings.c: with the lock held, or after the workers have ended. */
void search_growth_free(struct search_growth *growth); /* NULL is fine */
/* Adds the law to the finding with the same cause; findings and their laws are sorted, strongest
 * first. */
void search_add_finding(struct search_growth *growth, struct search_growth_law *law);

/* choose.c: how many tests to keep, so that there is a choice in the end. */
size_t search_keep_count(const struct search_strategy *strategy, size_t tests);
/* Reduces the tests to the number wanted: those of findings, then those that spend their cost in
 * other places than the ones already picked. */
void search_choose_tests(struct search *search);
size_t search_count_kinds(const struct search_strategy *strategy);
/* With the lock held: is it the costliest of its kind? */
bool search_wants_kind(const struct search *search, const struct abi_result *result, double cost);
void search_offer_kind(struct search *search, const struct search_test *test);

/* rings.c: sets pointers of the input that break the required form of the heap to null. */
void search_break_rings(const struct search_layout *layout, unsigned form, uint8_t *input,
                        size_t size);
/* Time limit of a run where no build reports loops that never end; 0: the user's limit. */
double search_ring_seconds(const struct search_layout *layout);
/* Limits runs of the measuring build to this from now on; 0: the user's limit. */
void search_shorten_runs(struct search *search, double seconds);
/* tidy.c: sets pointers that the paths of the tests and faults never look at to null. */
void search_tidy(struct search *search);

/* model.c */
void search_model_free(struct search_model *model); /* NULL is fine */
void search_model_done(struct search_model *model);
void search_note(struct search_model *model, const char *format, ...) BASE_PRINTF(2, 3);

/* Parts of a saved state. */
void search_put(struct base_buffer *out, const void *data, size_t size);
bool search_get(const char **data, const char *end, void *to, size_t size);

#define STRATEGY(id) extern const struct search_strategy search_strategy_##id;
#include "search/strategies.def"
#undef STRATEGY

#endif
