/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the search over patterns share: patterns.c (which ones are tried), mutate.c
 * (how a new one is made), fold.c (which pattern some bytes are an instance of), pool.c (which ones
 * are kept), suspect.c (which of them are superlinear), grow.c (how the cost of one grows), renew.c
 * (what if growth ends with a record) and shrink.c (which of its parts matter).
 */
#ifndef SLOWPATH_SEARCH_PATTERNS_H
#define SLOWPATH_SEARCH_PATTERNS_H

#include "search/core/core.h"

/* ---- mutate.c ---- */

struct patterns_alphabet {
    BASE_VECTOR(struct target_piece) tokens; /* that the program knows */
    BASE_VECTOR(struct target_piece) given;  /* of the dictionary */
    uint8_t bytes[256];                      /* that the program distinguishes */
    size_t byte_count;
    const struct target_input *seeds;
    size_t seed_count;
};
void patterns_alphabet_init(struct patterns_alphabet *alphabet,
                            const struct search_subject *subject,
                            const struct search_options *options);
void patterns_alphabet_add(struct patterns_alphabet *alphabet, uint8_t byte);
/* Adds the bytes whose runs (one hash for each of the 256) differ from most others. */
void patterns_alphabet_learn(struct patterns_alphabet *alphabet, const uint64_t *hashes);
void patterns_alphabet_done(struct patterns_alphabet *alphabet);
/* Changes PATTERN a little; MATE is another one of the pool. */
void patterns_mutate(const struct patterns_alphabet *alphabet, const struct target_pattern *mate,
                     uint64_t *random, struct target_pattern *pattern);
/* A pattern made of parts of a seed; false when there is none. */
bool patterns_mine(const struct patterns_alphabet *alphabet, uint64_t *random,
                   struct target_pattern *pattern);
/* Removes bytes from a piece, or inserts some as far as there is room; a hole keeps its place. */
void patterns_piece_erase(struct target_piece *piece, unsigned at, unsigned count);
void patterns_piece_insert(struct target_piece *piece, unsigned at, const uint8_t *bytes,
                           unsigned count);

/* ---- fold.c ---- */

/* Reads bytes as an instance of a pattern; false when nothing repeats. */
bool patterns_fold(const uint8_t *bytes, size_t size, struct target_pattern *pattern);

/* ---- grow.c ---- */

/* What one worker runs patterns with. */
struct patterns_runner {
    struct search *search;
    const struct search_program *program;
    struct base_buffer bytes;
    uint64_t runs; /* not booked yet */
    struct base_error *error;
    bool is_free; /* its runs do not count, and only stop when time is up */
    bool failed;  /* a target that cannot be run: ERROR says why */
};

struct patterns_run {
    uint64_t repetitions, size;
    double cost;
    struct abi_result result;
    const uint64_t *counts; /* borrowed until the next run; NULL: not asked for */
};
/* Writes and runs a pattern; false when the run failed. */
bool patterns_run(struct patterns_runner *runner, const struct target_pattern *pattern,
                  uint64_t repetitions, bool counted, struct patterns_run *run);

struct patterns_reach {
    uint64_t size; /* of the largest input */
    double cost;   /* of the costliest run */
};
/* Runs the pattern over doublings, or by single repetitions if it explodes, as far as REACH allows,
 * and fits the law; LAST is the largest run that succeeded. Empties LAW's series first. */
void patterns_grow(struct patterns_runner *runner, const struct target_pattern *pattern,
                   const struct patterns_reach *reach, struct search_growth_law *law,
                   struct patterns_run *last);
/* The predicted cost of a large input, to compare two patterns. */
double patterns_strength(const struct search_growth_law *law);
/* Fills in the block in which the growing part of the cost is spent, or IR_NONE, and the cause. */
void patterns_explain(struct patterns_runner *runner, struct search_growth_law *law);
/* For a pattern with two repeated pieces: does the cost grow with each of them? */
void patterns_separate(struct patterns_runner *runner, struct search_growth_law *law);

/* ---- renew.c ---- */

/* Did the cost grow steeply at first, and hardly at all in the end? */
bool patterns_is_held_up(const struct search_growth_law *law);
/* Makes all pieces together one record, which is repeated. NUMBER, below PATTERNS_RECORDS, says how
 * a record ends, and whether it includes the suffix; false: it does not fit. */
#define PATTERNS_RECORDS 8u
bool patterns_renew(const struct target_pattern *pattern, size_t number,
                    struct target_pattern *renewed);

/* ---- shrink.c ---- */

/* Makes LAW's pattern as simple as possible with the same law; fills in the linear relative. */
void patterns_shrink(struct patterns_runner *runner, const struct patterns_alphabet *alphabet,
                     const struct patterns_reach *reach, struct search_growth_law *law);

/* ---- state of the search, and of each worker ---- */

/* The patterns that are kept. A slot stands for a block, or for what library functions touched; its
 * champion is the pattern with the highest count there. */
struct patterns_pool {
    BASE_VECTOR(struct target_pattern) patterns;
    BASE_VECTOR(uint32_t) wins;    /* of each pattern: slots that it is the champion of */
    BASE_VECTOR(uint32_t) units;   /* patterns with a short unit, one per unit */
    size_t first, second;          /* the next two units to join; SECOND is at most FIRST */
    bool is_turned;                /* ... in reverse order */
    BASE_VECTOR(uint32_t) touched; /* slots that some pattern has reached */
    uint32_t slots;
    uint64_t *most;     /* by slot: the largest count */
    uint32_t *champion; /* by slot: the pattern with most[slot] */
    uint32_t hot[16];   /* slots with the highest counts, of different patterns */
    size_t hot_count;
};

struct patterns_found {
    struct search_growth_law law;
    struct patterns_run run; /* of the law's test */
    uint32_t function;       /* in which the growing cost is spent, or IR_NONE */
    double strength;
};

struct patterns_probe { /* limits of the runs by which patterns are compared */
    uint64_t size;
    double seconds, cost; /* of a single run, at most */
};

struct patterns_state { /* of all workers */
    struct patterns_alphabet alphabet;
    struct patterns_pool pool;
    BASE_VECTOR(struct patterns_found) found;
    struct search_growth_law steepest; /* of those that are not superlinear; by cost per byte */
    struct patterns_run steepest_run;  /* of its test */
    uint64_t *records, *examined;      /* by slot; EXAMINED: count of the last suspect */
    struct patterns_probe probe;
    double best_cost;
    unsigned exploding;
    struct base_map claims;                     /* patterns, as text, that some search has grown */
    BASE_VECTOR(struct target_pattern) offered; /* folded from inputs of others, to be tried */
};

struct patterns_worker {
    struct search *search;
    struct patterns_state *state;
    struct patterns_runner runner;
    uint64_t random;
    struct patterns_probe probe; /* as of the beginning of the batch */
    uint64_t *counts[2];         /* of a candidate at the smaller sizes */
    struct base_buffer inputs;
    uint64_t *records;     /* the target's; NULL: it has none */
    bool is_closing_early; /* leaves time and runs for the champions */
};

static inline void patterns_lock(struct patterns_worker *worker) {
    pthread_mutex_lock(&worker->search->lock);
}

static inline void patterns_unlock(struct patterns_worker *worker) {
    pthread_mutex_unlock(&worker->search->lock);
}

/* ---- pool.c; while workers run, all but patterns_trim() need the lock ---- */

void patterns_pool_init(struct patterns_pool *pool, uint32_t slots);
void patterns_pool_done(struct patterns_pool *pool);
/* Forgets all patterns and counts. */
void patterns_pool_clear(struct patterns_pool *pool);
void patterns_pool_tell(const struct patterns_pool *pool);
/* The pattern becomes the champion of all slots in which it has the highest count; false when there
 * is none, then it is not kept. */
bool patterns_pool_enter(struct patterns_pool *pool, const struct target_pattern *pattern,
                         const uint64_t *counts);
/* Borrowed until the next one enters; NULL when the pool is empty. */
const struct target_pattern *patterns_draw_parent(const struct patterns_pool *pool,
                                                  uint64_t *random);
/* Joins two units that were not joined before; false when there is no new pair. */
bool patterns_draw_pair(struct patterns_pool *pool, struct target_pattern *pattern);
/* Removes from PATTERN what it does not need to win its slots. RUN is its run at the probing size,
 * with the counts in worker->counts[0]; both are updated. */
void patterns_trim(struct patterns_worker *worker, struct target_pattern *pattern,
                   struct patterns_run *run);

/* ---- suspect.c; without the lock ---- */

/* Limits up to which a test may be grown. */
struct patterns_reach patterns_final_reach(const struct search *search);
/* Runs at twice and four times the size: does some block's count grow faster than the size? RUNS[0]
 * and worker->counts[0] are those of the run at the probing size. */
bool patterns_is_suspect(struct patterns_worker *worker, const struct target_pattern *pattern,
                         struct patterns_run runs[3]);
/* Grows the pattern; adds it to state->found if it is superlinear, else possibly to
 * state->steepest. */
void patterns_examine(struct patterns_worker *worker, const struct target_pattern *pattern);

/* Grows a pattern that another search has found superlinear. True: it is, and more so than what was
 * known of its function. */
bool patterns_grow_known(struct patterns_worker *worker, const struct target_pattern *pattern);

/* ---- raise.c ---- */

/* Grows the strongest laws on towards the size of the inputs, as far as the time allows. LAWS are
 * those that the state has found, in this order; their runs there become the largest. */
void patterns_raise(struct patterns_runner *runner, struct patterns_state *state,
                    struct search_growth_law **laws);
/* The same for one, of which RUN is the largest run. */
void patterns_raise_one(struct patterns_runner *runner, struct search_growth_law *law,
                        struct patterns_run *run);
/* The same, only until it is clear how it grows. */
void patterns_clear_up(struct patterns_runner *runner, struct search_growth_law *law,
                       struct patterns_run *run);

/* ---- others.c; without the lock ---- */

void patterns_give(const struct patterns_worker *worker, enum search_message kind,
                   const struct target_pattern *pattern); /* with or without it */
/* Tells other searches that the pattern is about to be grown; false: one of them has done so. */
bool patterns_claim(struct patterns_worker *worker, const struct target_pattern *pattern);
void patterns_settle(struct patterns_worker *worker, const struct target_pattern *pattern);
/* Between batches: handles all waiting messages. */
void patterns_take(struct patterns_worker *worker);
void patterns_take_laws(struct patterns_worker *worker);

/* ---- patterns.c, finish.c ---- */

/* Runs the pattern at the probing size; the counts go to worker->counts[0]. */
bool patterns_count_at_probe(struct patterns_worker *worker, const struct target_pattern *pattern,
                             struct patterns_run *run);
/* Patterns that are examined get more time than a probe, but less than the user's limit. */
void patterns_limit_examined(struct patterns_worker *worker);

struct target_pattern patterns_of_byte(uint8_t byte); /* that byte, repeated */
/* Offers what was found, after the workers have ended. */
void patterns_finish(struct search *search, struct base_error *error);

#endif
