/* SPDX-License-Identifier: Apache-2.0
 *
 * evolve: how far do random changes get if the inputs that cost more are kept?
 *
 * All runs are in the measuring build, in batches. A child is a copy of an entry of the corpus with
 * one or more changes (mutate.c). Its result says whether it broke the record of any block, and the
 * corpus decides whether it stays (corpus.c). Successful operators are chosen more often. Inputs
 * start small: the size limit doubles whenever an epoch of runs has hardly raised the cost at the
 * current limit, because what is costly is found much faster on small inputs and can then be
 * repeated.
 *
 * When evolution stalls and there is a symbolic build, the best inputs are traced there, and
 * decisions that lead to unknown or costlier code are flipped (flip.c).
 *
 * Batches end by the cost of runs, never by the clock, so a search with one worker is exactly
 * repeatable.
 */
#include "search/evolve/evolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_RUN 0.02   /* of the search's time; longer runs are faults */
#define SHORTEST_LIMIT 0.2 /* seconds that a run always gets */
#define LONGEST_START 0.1  /* of the search's time: a starting input may take this long ... */
#define LONGER 2.0         /* ... and other inputs this many times what the slowest start took */
#define TIMED_STARTS 16u
#define EPOCH_RUNS 8192u
#define EPOCH_COST ((uint64_t)300 * 1000 * 1000)
#define EPOCH_SHARE 16u /* of --runs: at least this many epochs */
#define HARDLY 1.01     /* an epoch must raise the cost by more than this */
#define STALLED 2u      /* epochs without anything new */
#define MOST_ENTRIES 16384u
#define CORPUS_BYTES ((size_t)256 << 20)
#define LONGEST_STRETCH 256u

/* ---- records ---- */

/* Merges the records of a worker with the common ones. */
static void share_records(struct evolve_state *state, struct evolve_worker *worker,
                          bool has_broken) {
    if (!worker->records || (!has_broken && worker->seen == state->version))
        return;
    for (size_t i = 0; i < state->record_count; i++)
        if (worker->records[i] > state->records[i])
            state->records[i] = worker->records[i];
        else
            worker->records[i] = state->records[i];
    state->version += has_broken;
    worker->seen = state->version;
}

/* ---- epochs ---- */

static double best_at_limit(const struct evolve_state *state) {
    const struct evolve_entry *best =
        evolve_champion(&state->corpus, evolve_bucket_of(state->limit), EVOLVE_BY_COST);
    return best ? best->cost : 0;
}

static void begin_epoch(struct evolve_state *state) {
    uint32_t quiet = state->epoch.quiet;
    state->epoch = (struct evolve_epoch){.best = best_at_limit(state), .quiet = quiet};
    for (int i = 0; i < EVOLVE_OPERATOR_COUNT; i++) {
        state->uses[i] /= 2;
        state->finds[i] /= 2;
    }
}

static bool has_ended(const struct search *search, const struct evolve_epoch *epoch) {
    uint64_t runs = EPOCH_RUNS;
    if (search->options.limits.runs && search->options.limits.runs / EPOCH_SHARE < runs)
        runs = search->options.limits.runs / EPOCH_SHARE + 1;
    return epoch->runs >= runs || epoch->cost >= EPOCH_COST;
}

/* With the lock held: evaluates the epoch, and doubles the size limit if it gained little. */
static void end_epoch(struct search *search) {
    struct evolve_state *state = search->state;
    double best = best_at_limit(state);
    bool is_better = best > state->epoch.best * HARDLY;
    state->epoch.quiet = is_better || state->epoch.broken ? 0 : state->epoch.quiet + 1;
    if (state->epoch.broken)
        state->patience = STALLED;
    state->epochs++;
    if (!is_better && state->limit < search->subject.layout.bytes) {
        state->limit *= 2;
        if (state->limit > search->subject.layout.bytes)
            state->limit = search->subject.layout.bytes;
        base_detail("evolve: %zu entries, best %.15g; now up to %zu bytes", state->corpus.count,
                    search->archive.count ? search->archive.tests[0].cost : 0, state->limit);
    }
    begin_epoch(state);
}

/* ---- one batch ---- */

static void credit(struct evolve_state *state, const struct evolve_birth *birth, bool is_kept,
                   bool is_slow) {
    for (int i = 0; i < EVOLVE_OPERATOR_COUNT; i++)
        if (birth->operators >> i & 1) {
            state->uses[i]++;
            state->finds[i] += is_kept;
        }
    if (is_kept && birth->parent < state->corpus.count)
        state->corpus.entries[birth->parent].finds++;
    if (is_slow && birth->parent < state->corpus.count)
        state->corpus.entries[birth->parent].strikes++;
}

/* Paths are distinguished by magnitudes of counts, so that the tests of a suite differ clearly. */
static struct search_path path_of(const struct abi_result *result) {
    uint64_t shape = result->magnitude_hash ? result->magnitude_hash : result->counts_hash;
    return (struct search_path){shape, result->status};
}

static bool book_run(struct search *search, struct evolve_worker *worker, size_t i,
                     struct search_counters *counters) {
    struct evolve_state *state = search->state;
    const struct abi_result *result = &worker->results[i];
    bool is_good = search_ended_well(result);
    search_count_run(counters, result, NULL);
    struct search_path exact = {result->counts_hash, result->status};
    struct search_test test = {.input = (uint8_t *)worker->inputs[i].data,
                               .size = worker->inputs[i].size,
                               .cost = worker->costs[i],
                               .path = path_of(result),
                               .result = *result};
    if (!result->rejected && search_paths_add(&search->paths, exact))
        counters->paths++;
    if (!result->rejected)
        search_archive_offer(is_good ? &search->archive : &search->faults, &test);
    if (is_good && search_wants_kind(search, result, test.cost))
        search_offer_kind(search, &test);
    state->epoch.runs++;
    state->epoch.cost += result->weighted[MEASURE_INSTRUCTIONS];
    bool drifts = search_random(&worker->random) % 8 == 0;
    bool is_kept = is_good && evolve_corpus_offer(&state->corpus, &test, drifts) != UINT32_MAX;
    credit(state, &worker->births[i], is_kept && (result->broken || !drifts),
           result->status == ABI_STATUS_TIMEOUT);
    state->epoch.broken += is_kept && result->broken;
    if (is_kept && result->broken)
        search_give(search, SEARCH_INPUT, test.input, test.size);
    return is_kept && result->broken;
}

/* With the lock held: adds what another search found to the corpus. */
static bool adopt(struct search *search, size_t index, const struct search_test *test) {
    struct evolve_state *state = search->state;
    if (test->size > search->subject.layout.bytes)
        return false;
    bool is_kept = evolve_corpus_offer(&state->corpus, test, false) != UINT32_MAX;
    bool has_broken = is_kept && test->result.broken;
    share_records(state, &state->workers[index], has_broken);
    state->epoch.broken += has_broken;
    return has_broken;
}

/* With the lock held, which is released meanwhile. */
static bool take_inputs(struct search *search, size_t index, struct base_error *error) {
    if (!search_has_waiting(search, SEARCH_INPUT))
        return true;
    pthread_mutex_unlock(&search->lock);
    bool good = search_take_inputs(search, index, adopt, error);
    pthread_mutex_lock(&search->lock);
    return good;
}

/* With the lock held. */
static void commit(struct search *search, struct evolve_worker *worker) {
    struct evolve_state *state = search->state;
    struct search_counters counters = {0};
    bool has_broken = false;
    for (size_t i = 0; i < worker->count; i++)
        has_broken |= book_run(search, worker, i, &counters);
    share_records(state, worker, has_broken);
    evolve_weigh_operators(state);
    worker->count = 0;
    search_book(search, &counters);
    if (has_ended(search, &state->epoch))
        end_epoch(search);
}

/* ---- the search ---- */

static bool has_timeout(const struct evolve_worker *worker, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++)
        if (worker->results[i].status == ABI_STATUS_TIMEOUT)
            return true;
    return false;
}

/* Runs that take too long cost more than all others together. So the stretches between checks are
 * short at first and after each such run, and the rest of such a batch is not run. */
static bool run_batch(struct search *search, struct evolve_worker *worker,
                      struct base_error *error) {
    const struct search_program *program = worker->program;
    size_t done = 0;
    while (done < worker->count) {
        size_t left = worker->count - done;
        size_t count = worker->stretch < left ? worker->stretch : left;
        if (!program->measure(program->self, worker->inputs + done, count, worker->results + done,
                              worker->costs + done, error))
            return false;
        done += count;
        bool was_slow = has_timeout(worker, done - count, count);
        worker->stretch = was_slow ? 1 : worker->stretch * 2;
        if (worker->stretch > LONGEST_STRETCH)
            worker->stretch = LONGEST_STRETCH;
        if (was_slow || search_is_late(search) || atomic_load(&search->stop))
            break;
    }
    worker->count = done;
    return true;
}

static bool work(struct search *search, size_t index, struct base_error *error) {
    struct evolve_state *state = search->state;
    struct evolve_worker *worker = &state->workers[index];
    bool good = true;
    pthread_mutex_lock(&search->lock);
    while (good && !search_must_stop(search) && (good = take_inputs(search, index, error))) {
        evolve_follow(search, worker);
        evolve_make_batch(search, worker);
        if (!worker->count && !state->busy)
            break; /* not a single successful run, and nothing left to try */
        if (!worker->count) {
            pthread_cond_wait(&search->changed, &search->lock);
            continue;
        }
        state->busy++;
        size_t granted = search_grant(search, worker->count);
        pthread_mutex_unlock(&search->lock);
        good = run_batch(search, worker, error);
        pthread_mutex_lock(&search->lock);
        search_give_back(search, granted - worker->count);
        if (good)
            commit(search, worker);
        state->busy--;
        pthread_cond_broadcast(&search->changed);
    }
    pthread_cond_broadcast(&search->changed);
    pthread_mutex_unlock(&search->lock);
    return good;
}

static void worker_init(struct search *search, struct evolve_state *state, size_t index) {
    struct evolve_worker *worker = &state->workers[index];
    worker->program = &search->subject.programs[index];
    worker->stretch = 8;
    worker->random = search_seed(search, index);
    size_t count = 0;
    worker->bytes = base_alloc(evolve_largest_batch(search) * (search->subject.layout.bytes + 1));
    if (worker->program->records)
        worker->records = worker->program->records(worker->program->self, &count);
    if (!count)
        worker->records = NULL;
    if (worker->records &&
        state->record_count != count) { /* else they were loaded, or belong to another worker */
        free(state->records);
        state->records = base_alloc(count * sizeof *state->records);
        state->record_count = count;
    }
    if (worker->records)
        memcpy(worker->records, state->records, count * sizeof *state->records);
}

static struct evolve_state *state_of(struct search *search) {
    if (search->state)
        return search->state;
    struct evolve_state *state = search->state = base_alloc(sizeof *state);
    state->patience = STALLED;
    size_t most = CORPUS_BYTES / (search->subject.layout.bytes + 1);
    evolve_corpus_init(&state->corpus, most < MOST_ENTRIES ? most + 1 : MOST_ENTRIES);
    evolve_tokens_init(&state->tokens, search->subject.facts, &search->options);
    if (evolve_has_fixed_size(search))
        evolve_lanes_init(&state->lanes, &search->subject.layout);
    state->limit = search->subject.layout.bytes;
    if (!evolve_has_fixed_size(search) && state->limit > EVOLVE_FIRST_LIMIT)
        state->limit = EVOLVE_FIRST_LIMIT;
    return state;
}

/* Time limit of the whole search, of which this one may be a part. */
static double all_seconds(const struct search *search) {
    return (search->outer ? search->outer : search)->options.limits.seconds;
}

/* The starting inputs show what costs, if anything does: measures how long they take. */
static void time_starts(struct search *search, struct evolve_state *state) {
    const struct search_subject *subject = &search->subject;
    const struct search_program *program = &subject->programs[0];
    struct abi_result result;
    struct base_error error;
    double cost;
    if (all_seconds(search) <= 0)
        return;
    search_shorten_runs(search, fmax(LONGEST_START * all_seconds(search), SHORTEST_LIMIT));
    for (size_t i = 0; i < subject->start_count && i < TIMED_STARTS; i++) {
        double began = base_seconds();
        if (!program->measure(program->self, &subject->starts[i], 1, &result, &cost, &error))
            break;
        if (search_ended_well(&result))
            state->slowest_start = fmax(state->slowest_start, base_seconds() - began);
    }
    search_shorten_runs(search, 0);
}

/* A run that takes as long as the user allows would use up a large part of the search. */
static double longest_run(const struct search *search) {
    const struct evolve_state *state = search->state;
    double share =
        fmax(LONGEST_RUN * search->options.limits.seconds, LONGER * state->slowest_start);
    double ring = search_ring_seconds(&search->subject.layout);
    return ring > 0                              ? ring
           : search->options.limits.seconds <= 0 ? 0
           : share < SHORTEST_LIMIT              ? SHORTEST_LIMIT
                                                 : share;
}

static bool run(struct search *search, struct base_error *error) {
    bool is_new = !search->state;
    struct evolve_state *state = state_of(search);
    if (is_new) {
        evolve_add_starts(search);
        time_starts(search, state);
    }
    if (!state->workers) {
        state->workers = base_alloc(search->subject.jobs * sizeof *state->workers);
        for (size_t i = 0; i < search->subject.jobs; i++)
            worker_init(search, state, i);
    }
    evolve_weigh_operators(state);
    search_shorten_runs(search, longest_run(search));
    bool good = search_run_workers(search, work, error);
    search_shorten_runs(search, 0);
    for (int i = 0; i < EVOLVE_OPERATOR_COUNT; i++)
        if (state->uses[i] > 0)
            base_detail("evolve: operator %-8s %5.1f%% of the draws, %.0f of its last %.0f kept",
                        evolve_operator_name((enum evolve_operator)i),
                        (state->chances[i] - (i ? state->chances[i - 1] : 0)) * 100,
                        state->finds[i], state->uses[i]);
    return good;
}

/* ---- saving ---- */

struct saved {
    uint64_t limit, record_count, random;
};

static void save(struct search *search, struct base_buffer *out) {
    const struct evolve_state *state = search->state;
    if (!state)
        return;
    struct saved saved = {state->limit, state->record_count,
                          state->workers ? state->workers[0].random : 0};
    search_put(out, &saved, sizeof saved);
    search_put(out, state->records, state->record_count * sizeof *state->records);
    evolve_corpus_save(&state->corpus, out);
}

static bool load(struct search *search, const char *data, size_t size) {
    struct evolve_state *state = state_of(search);
    struct saved saved;
    const char *end = data + size;
    if (!size)
        return true;
    if (!search_get(&data, end, &saved, sizeof saved) ||
        saved.limit > search->subject.layout.bytes ||
        saved.record_count > (size_t)(end - data) / sizeof *state->records)
        return false;
    state->limit = saved.limit;
    state->record_count = saved.record_count;
    state->records = base_alloc(saved.record_count * sizeof *state->records + 1);
    return search_get(&data, end, state->records, saved.record_count * sizeof *state->records) &&
           evolve_corpus_load(&state->corpus, &data, end);
}

static void done(struct search *search) {
    struct evolve_state *state = search->state;
    if (!state)
        return;
    for (size_t i = 0; state->workers && i < search->subject.jobs; i++) {
        free(state->workers[i].bytes);
        if (state->workers[i].flip)
            evolve_flip_free(state->workers[i].flip);
    }
    free(state->workers);
    free(state->records);
    evolve_corpus_done(&state->corpus);
    evolve_tokens_done(&state->tokens);
    base_vector_done(&state->lanes);
    evolve_children_done(&state->pending);
    free(state);
    search->state = NULL;
}

const struct search_strategy search_strategy_evolve = {
    .name = "evolve",
    .summary = "inputs are changed at random; what raises the cost or breaks the record of any "
               "block is kept",
    .varies_size = true,
    .may_trace = true,
    .has_islands = true,
    .run = run,
    .save = save,
    .load = load,
    .done = done};
