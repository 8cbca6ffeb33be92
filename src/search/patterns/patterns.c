/* SPDX-License-Identifier: Apache-2.0
 *
 * patterns: what costs more than in proportion when it is repeated?
 *
 * An evolutionary search whose individuals are patterns. Each one is run at one small size. It is
 * kept if some block runs more often than in any earlier run at that size, because something that
 * reaches code that nothing else reaches may be part of what makes it slow. Kept patterns are run
 * at twice and four times the size: a block whose count grows faster than the size makes the
 * pattern a suspect, even if it is far from dominating the total yet. Suspects are grown over many
 * doublings; only the law of the total cost counts. Superlinear patterns are shrunk, grown as far
 * as the limits allow, and kept as one test for each function in which the growing cost is spent.
 *
 * Keeping an input for the maximum of each block is the idea of "PerfFuzz: Automatically Generating
 * Pathological Inputs" (Lemieux, Padhye, Sen, Song); here it is applied to generators, so that the
 * size of what is found can be chosen.
 */
#include "search/patterns/patterns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_BYTES 128    /* size at which patterns are compared */
#define PROBE_COST 2e6     /* of a run at that size, beyond the usual cost */
#define LEAST_PROBE 16     /* for when too many patterns take too long at that size */
#define SLOWEST 5e7        /* instructions per second that any target reaches */
#define STRETCH 16         /* patterns per hand-over */
#define LONGEST_PROBE 0.25 /* seconds */
#define BATCH 64           /* patterns in a batch */
#define PAIRS 3            /* one in so many patterns joins two units */
#define CLOSING 8          /* one part in so many of the time and the runs is kept for champions */
#define CLOSING_RUNS 16    /* and this many runs */
#define MOST_EXPLODING 48  /* patterns too slow to be probed that are examined */

/* With the lock held: is the rest needed to examine the champions? */
static bool is_closing(const struct search *search) {
    uint64_t runs = search->options.limits.runs;
    double seconds = search->options.limits.seconds;
    return (runs && search_runs_left(search) <= runs / CLOSING + CLOSING_RUNS) ||
           (seconds > 0 && base_seconds() - search->began > seconds * (1 - 1.0 / CLOSING));
}

/* Books the worker's runs so far; true when it is time to stop. */
static bool is_over(struct patterns_worker *worker) {
    patterns_lock(worker);
    struct search_counters counters = {.runs = worker->runner.runs};
    worker->runner.runs = 0;
    search_book(worker->search, &counters);
    bool over = search_must_stop(worker->search) || worker->runner.failed ||
                (worker->is_closing_early && is_closing(worker->search));
    patterns_unlock(worker);
    return over;
}

static void limit_runs(struct patterns_worker *worker, double seconds) {
    const struct search_program *program = worker->runner.program;
    if (program->limit)
        program->limit(program->self, seconds);
}

void patterns_limit_examined(struct patterns_worker *worker) {
    limit_runs(worker, patterns_final_reach(worker->search).cost / SLOWEST);
}

/* ---- one pattern ---- */

bool patterns_count_at_probe(struct patterns_worker *worker, const struct target_pattern *pattern,
                             struct patterns_run *run) {
    uint64_t k = target_pattern_fit(pattern, worker->probe.size);
    if (!patterns_run(&worker->runner, pattern, k, true, run) || !run->counts)
        return false;
    memcpy(worker->counts[0], run->counts, worker->state->pool.slots * sizeof(uint64_t));
    return true;
}

/* Folds one copy of the pattern at the probing size: the pattern that it is an instance of. */
static bool fold(struct patterns_worker *worker, struct target_pattern *pattern) {
    struct target_pattern one = *pattern, folded;
    struct base_buffer *bytes = &worker->inputs;
    one.copies = 1;
    size_t before = bytes->count;
    uint64_t probe = worker->probe.size / pattern->copies;
    target_pattern_write(&one, target_pattern_fit(&one, probe), bytes);
    bool found = bytes->count > before && patterns_fold((const uint8_t *)bytes->data + before,
                                                        bytes->count - before, &folded);
    bytes->count = before;
    folded.copies = pattern->copies;
    if (found)
        *pattern = folded;
    return found;
}

static void examine_unclaimed(struct patterns_worker *worker,
                              const struct target_pattern *pattern) {
    if (!patterns_claim(worker, pattern))
        return;
    patterns_examine(worker, pattern);
    patterns_settle(worker, pattern);
}

/* For patterns that take too long, or cost very much, even at the probing size. */
static void look_at_exploding(struct patterns_worker *worker,
                              const struct target_pattern *pattern) {
    patterns_lock(worker);
    bool is_wanted = worker->state->exploding++ < MOST_EXPLODING;
    worker->search->growth->exploding++;
    patterns_unlock(worker);
    if (!is_wanted)
        return;
    struct target_pattern folded = *pattern;
    patterns_limit_examined(worker);
    examine_unclaimed(worker, pattern);
    if (fold(worker, &folded) && memcmp(&folded, pattern, sizeof folded) != 0)
        examine_unclaimed(worker, &folded);
    limit_runs(worker, worker->probe.seconds);
}

static void adopt(struct patterns_worker *worker, const struct target_pattern *candidate) {
    struct patterns_run runs[3];
    struct target_pattern pattern = *candidate;
    if (!patterns_count_at_probe(worker, &pattern, &runs[0]))
        return;
    if (runs[0].cost > worker->probe.cost) { /* as a parent it would slow everything down */
        look_at_exploding(worker, &pattern);
        return;
    }
    patterns_trim(worker, &pattern, &runs[0]);
    patterns_lock(worker);
    bool stays = patterns_pool_enter(&worker->state->pool, &pattern, worker->counts[0]);
    patterns_unlock(worker);
    if (stays && patterns_is_suspect(worker, &pattern, runs)) {
        patterns_limit_examined(worker);
        examine_unclaimed(worker, &pattern);
        limit_runs(worker, worker->probe.seconds);
    }
}

/* ---- batches ---- */

struct batch {
    struct target_pattern patterns[BATCH];
    struct abi_result results[BATCH];
    double costs[BATCH];
};

static void draw_batch(struct patterns_worker *worker, struct batch *batch) {
    struct patterns_state *state = worker->state;
    patterns_lock(worker);
    worker->probe = state->probe;
    for (size_t i = 0; i < BATCH; i++) {
        struct target_pattern *pattern = &batch->patterns[i];
        const struct target_pattern *parent = patterns_draw_parent(&state->pool, &worker->random);
        const struct target_pattern *mate = patterns_draw_parent(&state->pool, &worker->random);
        const struct target_pattern empty = target_pattern_empty(TARGET_PATTERN_REPEAT);
        if (state->offered.count) {
            *pattern = state->offered.data[--state->offered.count];
            continue;
        }
        if (i % PAIRS == 0 && patterns_draw_pair(&state->pool, pattern))
            continue;
        if (search_random(&worker->random) % 16 == 0 &&
            patterns_mine(&state->alphabet, &worker->random, pattern))
            continue;
        *pattern = parent ? *parent : empty;
        patterns_mutate(&state->alphabet, mate ? mate : &empty, &worker->random, pattern);
        if (search_random(&worker->random) % 16 == 0)
            fold(worker, pattern);
    }
    patterns_unlock(worker);
}

/* Takes over the probe and the records of all workers. */
static void begin_batch(struct patterns_worker *worker) {
    patterns_lock(worker);
    worker->probe = worker->state->probe;
    if (worker->records)
        memcpy(worker->records, worker->state->records,
               worker->state->pool.slots * sizeof(uint64_t));
    patterns_unlock(worker);
}

static void get_records(struct patterns_worker *worker) {
    struct patterns_state *state = worker->state;
    patterns_lock(worker);
    for (uint32_t slot = 0; worker->records && slot < state->pool.slots; slot++)
        if (worker->records[slot] > state->records[slot])
            state->records[slot] = worker->records[slot];
    patterns_unlock(worker);
}

/* With the lock held: too many patterns are too slow at this size, so start again with a smaller
 * one. */
static void lower_probe(struct patterns_state *state) {
    if (state->probe.size <= LEAST_PROBE)
        return;
    state->probe.size /= 2;
    memset(state->records, 0, state->pool.slots * sizeof *state->records);
    memset(state->examined, 0, state->pool.slots * sizeof *state->examined);
    patterns_pool_clear(&state->pool);
    base_detail("patterns: compared at %llu bytes from now on",
                (unsigned long long)state->probe.size);
}

/* Hands over a few inputs at a time, so that a batch of slow ones does not outlast the search.
 * Returns how many were run. */
static size_t run_stretches(struct patterns_worker *worker, const struct target_input *inputs,
                            size_t count, struct batch *batch) {
    struct patterns_runner *runner = &worker->runner;
    size_t done = 0;
    while (done < count && !runner->failed && (!done || !is_over(worker))) {
        size_t next = count - done < STRETCH ? count - done : STRETCH;
        next = search_grant_locked(runner->search, next);
        if (!next)
            break;
        runner->failed =
            !runner->program->measure(runner->program->self, inputs + done, next,
                                      batch->results + done, batch->costs + done, runner->error);
        runner->runs += next;
        done += next;
    }
    return done;
}

/* COUNT_RUN becomes the number that was run. */
static bool run_batch(struct patterns_worker *worker, size_t *count_run, struct batch *batch) {
    struct target_input inputs[BATCH];
    size_t starts[BATCH], count = *count_run;
    begin_batch(worker);
    worker->inputs.count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct target_pattern *pattern = &batch->patterns[i];
        starts[i] = worker->inputs.count;
        target_pattern_write(pattern, target_pattern_fit(pattern, worker->probe.size),
                             &worker->inputs);
        inputs[i].size = worker->inputs.count - starts[i];
    }
    for (size_t i = 0; i < count; i++)
        inputs[i].data = worker->inputs.data ? worker->inputs.data + starts[i] : "";
    limit_runs(worker, worker->probe.seconds);
    *count_run = run_stretches(worker, inputs, count, batch);
    get_records(worker);
    return !worker->runner.failed;
}

static bool is_new(struct patterns_worker *worker, const struct batch *batch, size_t index) {
    const struct abi_result *result = &batch->results[index];
    if (!search_ended_well(result))
        return false;
    if (worker->records)
        return result->broken > 0;
    patterns_lock(worker);
    bool more = batch->costs[index] > worker->state->best_cost;
    if (more)
        worker->state->best_cost = batch->costs[index];
    patterns_unlock(worker);
    return more;
}

static unsigned book_batch(struct patterns_worker *worker, const struct batch *batch,
                           size_t count) {
    struct search_counters counters = {0};
    unsigned late = 0;
    for (size_t i = 0; i < count; i++) {
        search_count_run(&counters, &batch->results[i], NULL);
        late += batch->results[i].status == ABI_STATUS_TIMEOUT;
    }
    counters.runs = 0; /* run_stretches counted them */
    patterns_lock(worker);
    worker->search->growth->patterns += count;
    search_book(worker->search, &counters);
    patterns_unlock(worker);
    return late;
}

/* Runs the first COUNT patterns of the batch and adopts what is new. */
static void try_batch(struct patterns_worker *worker, size_t count, struct batch *batch) {
    if (!run_batch(worker, &count, batch))
        return;
    unsigned late = book_batch(worker, batch, count);
    size_t first_late = count;
    for (size_t i = 0; i < count && !is_over(worker); i++) {
        if (is_new(worker, batch, i))
            adopt(worker, &batch->patterns[i]);
        if (batch->results[i].status == ABI_STATUS_TIMEOUT && first_late == count)
            first_late = i;
    }
    if (first_late < count && !is_over(worker))
        look_at_exploding(worker, &batch->patterns[first_late]);
    patterns_lock(worker);
    if (late > count / 16)
        lower_probe(worker->state);
    patterns_unlock(worker);
}

/* ---- the first patterns: every byte, every token ---- */

struct target_pattern patterns_of_byte(uint8_t byte) {
    struct target_pattern pattern = target_pattern_empty(TARGET_PATTERN_REPEAT);
    pattern.unit.bytes[0] = byte;
    pattern.unit.size = 1;
    return pattern;
}

static void try_bytes(struct patterns_worker *worker, struct batch *batch) {
    uint64_t hashes[256] = {0};
    unsigned turn = (uint8_t)worker->search->options.stream; /* other searches start elsewhere */
    for (unsigned first = 0; first < 256 && !is_over(worker); first += BATCH) {
        for (unsigned i = 0; i < BATCH; i++)
            batch->patterns[i] = patterns_of_byte((uint8_t)((first + i) ^ turn));
        try_batch(worker, BATCH, batch);
        for (unsigned i = 0; i < BATCH; i++)
            hashes[(first + i) ^ turn] = batch->results[i].counts_hash;
    }
    patterns_lock(worker);
    patterns_alphabet_learn(&worker->state->alphabet, hashes);
    patterns_unlock(worker);
}

static void try_tokens(struct patterns_worker *worker, struct batch *batch) {
    const struct patterns_alphabet *alphabet = &worker->state->alphabet;
    size_t count = 0;
    for (size_t i = 0; i < alphabet->tokens.count && !is_over(worker); i++) {
        batch->patterns[count] = target_pattern_empty(TARGET_PATTERN_REPEAT);
        batch->patterns[count++].unit = alphabet->tokens.data[i];
        if (count == BATCH || i + 1 == alphabet->tokens.count) {
            try_batch(worker, count, batch);
            count = 0;
        }
    }
}

/* Times a run of an almost empty input, and sets the limits of a probe to a multiple of that. */
static void time_probe(struct patterns_worker *worker) {
    struct target_pattern pattern = patterns_of_byte(' ');
    struct patterns_run run;
    double least = LONGEST_PROBE, most = 0;
    limit_runs(worker, LONGEST_PROBE);
    for (int i = 0; i < 4; i++) {
        double began = base_seconds();
        patterns_run(&worker->runner, &pattern, PROBE_BYTES, false, &run);
        least = fmin(least, base_seconds() - began);
        most = fmax(most, run.cost);
    }
    patterns_lock(worker);
    worker->state->probe.cost = PROBE_COST + 16 * most;
    worker->state->probe.seconds = fmin(0.025 + 20 * least, LONGEST_PROBE);
    patterns_unlock(worker);
}

/* The costliest patterns may be steep even if no block made them suspects; if nothing is
 * superlinear, they provide the steepest cost. */
static void examine_champions(struct patterns_worker *worker) {
    const struct patterns_pool *pool = &worker->state->pool;
    struct target_pattern champions[BASE_COUNT(pool->hot)];
    patterns_lock(worker); /* others may still be running their last batch */
    size_t count = pool->hot_count;
    for (size_t i = 0; i < count; i++)
        champions[i] = pool->patterns.data[pool->champion[pool->hot[i]]];
    patterns_unlock(worker);
    patterns_limit_examined(worker);
    for (size_t i = 0; i < count && !is_over(worker); i++)
        patterns_examine(worker, &champions[i]);
}

/* ---- the strategy ---- */

static void go_on(struct patterns_worker *worker, struct batch *batch) {
    while (!is_over(worker)) {
        patterns_take(worker);
        draw_batch(worker, batch);
        try_batch(worker, BATCH, batch);
    }
}

static void find(struct patterns_worker *worker) {
    struct batch *batch = base_alloc(sizeof *batch);
    if (worker->runner.program == worker->search->subject.programs) {
        worker->is_closing_early = true;
        time_probe(worker);
        try_bytes(worker, batch);
        try_tokens(worker, batch);
        go_on(worker, batch);
        worker->is_closing_early = false;
        examine_champions(worker);
    }
    go_on(worker, batch);
    free(batch);
}

static void worker_init(struct patterns_worker *worker, struct search *search, size_t number,
                        struct base_error *error) {
    struct patterns_state *state = search->state;
    size_t record_count = 0;
    *worker = (struct patterns_worker){.search = search, .state = state};
    worker->runner = (struct patterns_runner){
        .search = search, .program = &search->subject.programs[number], .error = error};
    worker->random = search_seed(search, number);
    for (int i = 0; i < 2; i++)
        worker->counts[i] = base_alloc(state->pool.slots * sizeof(uint64_t));
    if (worker->runner.program->records)
        worker->records =
            worker->runner.program->records(worker->runner.program->self, &record_count);
}

static bool worker_done(struct patterns_worker *worker) {
    limit_runs(worker, 0);
    base_buffer_done(&worker->inputs);
    base_buffer_done(&worker->runner.bytes);
    for (int i = 0; i < 2; i++)
        free(worker->counts[i]);
    return !worker->runner.failed;
}

static bool work(struct search *search, size_t number, struct base_error *error) {
    struct patterns_worker worker;
    worker_init(&worker, search, number, error);
    find(&worker);
    return worker_done(&worker);
}

/* Takes the last laws of other searches. These runs do not count, like those that run tests again.
 */
static void take_rest(struct search *search) {
    const struct search_exchange *exchange = search->options.exchange;
    struct patterns_worker worker;
    struct base_error error;
    if (!exchange || !exchange->ask(exchange->self, SEARCH_LAW))
        return;
    worker_init(&worker, search, 0, &error);
    worker.runner.is_free = true;
    patterns_limit_examined(&worker);
    patterns_take_laws(&worker);
    worker_done(&worker);
}

static struct patterns_state *new_state(struct search *search) {
    const struct ir_facts *facts = search->subject.facts;
    struct patterns_state *state = base_alloc(sizeof *state);
    uint32_t slots = (facts ? facts->block_count : 0) + 1;
    patterns_pool_init(&state->pool, slots);
    state->records = base_alloc(slots * sizeof *state->records);
    state->examined = base_alloc(slots * sizeof *state->examined);
    size_t largest = patterns_final_reach(search).size;
    state->probe.size = largest / 4 < PROBE_BYTES ? largest / 4 : PROBE_BYTES;
    state->probe.seconds = 0.1;
    state->probe.cost = PROBE_COST;
    patterns_alphabet_init(&state->alphabet, &search->subject, &search->options);
    return state;
}

static bool run(struct search *search, struct base_error *error) {
    struct patterns_state *state = new_state(search);
    search->state = state;
    search->growth = base_alloc(sizeof *search->growth);
    bool good = search->only_takes || search_run_workers(search, work, error);
    if (good)
        take_rest(search);
    patterns_pool_tell(&state->pool);
    if (good)
        patterns_finish(search, error);
    return good;
}

static void done(struct search *search) {
    struct patterns_state *state = search->state;
    if (!state)
        return;
    for (size_t i = 0; i < state->found.count; i++)
        base_vector_done(&state->found.data[i].law.series);
    base_vector_done(&state->found);
    base_vector_done(&state->steepest.series);
    base_vector_done(&state->offered);
    base_map_done(&state->claims);
    patterns_pool_done(&state->pool);
    patterns_alphabet_done(&state->alphabet);
    free(state->records);
    free(state->examined);
    free(state);
}

const struct search_strategy search_strategy_patterns = {
    .name = "patterns",
    .summary = "short pieces, repeated and grown, whose cost is superlinear",
    .varies_size = true,
    .needs_bytes = true,
    .has_islands = true,
    .run = run,
    .done = done};
