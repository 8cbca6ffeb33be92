/* SPDX-License-Identifier: Apache-2.0
 *
 * evolve: what becomes of inputs that are changed at random, when those that cost more are kept?
 *
 * All runs are in the measuring build, in batches. A child is a copy of an entry of the corpus with
 * one or more changes (mutate.c); whether it raised the count of any block comes back with its
 * result, and the corpus decides whether it stays (corpus.c). Operators that brought something are
 * chosen more often. Inputs start small: the largest size doubles whenever an epoch of runs has
 * hardly raised the cost at the present one, because what is costly can be found much faster on
 * small inputs and then be repeated.
 *
 * When evolution stalls and there is a symbolic build, the best inputs are followed there and
 * decisions that lead to unknown or costlier code are turned round (flip.c).
 *
 * Batches end by what runs cost and never by the clock, so one worker repeats itself exactly.
 */
#include "search/evolve/evolve.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_RUN 0.02   /* of the search's time; longer ones are faults */
#define SHORTEST_LIMIT 0.2 /* seconds that a run always has */
#define BATCH 1024u
#define BATCH_BYTES ((size_t)8 << 20)
#define BATCH_COST ((uint64_t)20 * 1000 * 1000) /* instructions that a batch may take, expected */
#define FIRST_LIMIT 64u                         /* bytes of the largest input in the beginning */
#define EPOCH_RUNS 8192u
#define EPOCH_COST ((uint64_t)300 * 1000 * 1000)
#define EPOCH_SHARE 16u    /* of --runs, at least so many epochs */
#define HARDLY 1.01        /* an epoch must raise the cost by more than this */
#define STALLED 2u         /* epochs without anything new */
#define FLIPPED_AT_ONCE 1u /* entries that are followed then */
#define MOST_ENTRIES 16384u
#define CORPUS_BYTES ((size_t)256 << 20)
#define MOST_CHANGES 6u
#define TRIES 8u
#define LONGEST_STRETCH 256u

struct birth { /* where an input comes from */
    uint32_t parent, operators;
};

struct worker {
    const struct search_programs *programs;
    uint64_t random;
    uint64_t *bars; /* of this worker's target, NULL: there are none */
    uint64_t seen;  /* the version of the common bars that they include */
    uint8_t *bytes;
    size_t count;
    struct target_input inputs[BATCH];
    struct birth births[BATCH];
    struct abi_result results[BATCH];
    double costs[BATCH];
    struct evolve_flip *flip;
    size_t stretch; /* inputs that are run before the clock is looked at */
};

struct epoch {
    uint64_t runs, cost; /* of this epoch so far */
    uint64_t raised;     /* inputs that raised a bar in it */
    double best;         /* by which it is judged: the best of the largest size when it began */
    uint32_t quiet;      /* epochs in a row that brought nothing */
};

struct state {
    struct evolve_corpus corpus;
    struct evolve_tokens tokens;
    struct evolve_lanes lanes;
    struct evolve_children pending; /* inputs that wait for their first run */
    size_t next_pending;
    size_t limit; /* bytes of the largest input at present */
    struct epoch epoch;
    double uses[EVOLVE_OPERATOR_COUNT], finds[EVOLVE_OPERATOR_COUNT];
    double chances[EVOLVE_OPERATOR_COUNT]; /* summed up, the last is 1 */
    uint64_t *bars;                        /* the highest of all workers */
    size_t bar_count;
    uint64_t version; /* of the bars */
    struct worker *workers;
    size_t busy;       /* workers that may still bring new entries */
    uint32_t patience; /* quiet epochs before the next input is followed */
    bool no_flips;     /* there is no symbolic build */
};

/* ---- the first inputs ---- */

static void add_pending(struct state *state, const void *bytes, size_t size) {
    struct evolve_child child = {base_alloc(size + 1), size};
    if (size)
        memcpy(child.bytes, bytes, size);
    base_push(&state->pending, child);
}

static bool has_fixed_size(const struct search *search) {
    return search->options.fields != NULL;
}

static void add_plain_starts(struct search *search, struct state *state) {
    const struct search_options *options = &search->options;
    uint64_t random = options->seed + 1;
    size_t size = has_fixed_size(search) || options->input_size < FIRST_LIMIT ? options->input_size
                                                                              : FIRST_LIMIT;
    uint8_t *bytes = base_alloc(size + 8);
    add_pending(state, bytes, size);
    if (!has_fixed_size(search)) {
        add_pending(state, bytes, 0);
        add_pending(state, bytes, size ? 1 : 0);
    }
    for (size_t at = 0; at < size; at += 8) {
        uint64_t bits = search_random(&random);
        memcpy(bytes + at, &bits, 8);
    }
    add_pending(state, bytes, size);
    free(bytes);
    for (int i = 0; !has_fixed_size(search) && i < EVOLVE_GROUPS; i++)
        for (size_t t = 0; t < state->tokens.groups[i].count; t++)
            if (state->tokens.groups[i].data[t].size <= size)
                add_pending(state, state->tokens.groups[i].data[t].data,
                            state->tokens.groups[i].data[t].size);
}

static void add_starts(struct search *search, struct state *state) {
    const struct search_options *options = &search->options;
    for (size_t i = 0; i < options->seed_count; i++) {
        add_pending(state, options->seeds[i].data, options->seeds[i].size);
        if (options->seeds[i].size > state->limit)
            state->limit = options->seeds[i].size;
    }
    add_plain_starts(search, state);
}

/* ---- operators ---- */

/* What an operator has brought for each time it was used, with a floor for all. */
static void weigh_operators(struct state *state) {
    double sum = 0, rate[EVOLVE_OPERATOR_COUNT], most = 0;
    for (int i = 0; i < EVOLVE_OPERATOR_COUNT; i++) {
        bool fits = !state->lanes.count || evolve_is_typed((enum evolve_operator)i);
        rate[i] = fits ? (state->finds[i] + 1) / (state->uses[i] + 200) : 0;
        most = rate[i] > most ? rate[i] : most;
    }
    for (int i = 0; i < EVOLVE_OPERATOR_COUNT; i++)
        sum += rate[i] = rate[i] > 0 ? rate[i] + most / 8 : 0;
    double so_far = 0;
    for (int i = 0; i < EVOLVE_OPERATOR_COUNT; i++)
        state->chances[i] = (so_far += rate[i]) / sum;
}

static enum evolve_operator choose_operator(const struct state *state, uint64_t *random) {
    double die = (double)(search_random(random) >> 11) * 0x1p-53;
    int i = 0;
    while (i < EVOLVE_OPERATOR_COUNT - 1 && state->chances[i] <= die)
        i++;
    return (enum evolve_operator)i;
}

/* ---- children ---- */

static void change(struct state *state, struct evolve_draft *draft, struct birth *birth) {
    size_t changes = 1;
    while (changes < MOST_CHANGES && search_random(draft->random) & 1)
        changes++;
    for (; changes; changes--)
        for (unsigned tries = 0; tries < TRIES; tries++) {
            enum evolve_operator operator= choose_operator(state, draft->random);
            if (!evolve_apply(draft, operator))
                continue;
            birth->operators |= 1u << operator;
            break;
        }
}

/* Not one whose children mostly took too long, if there are others. */
static uint32_t pick_parent(const struct state *state, uint64_t *random) {
    uint32_t parent = 0;
    for (unsigned tries = 0; tries < TRIES; tries++) {
        parent = evolve_corpus_pick(&state->corpus, random, state->limit);
        const struct evolve_entry *entry = &state->corpus.entries[parent];
        if (entry->strikes <= entry->finds)
            break;
    }
    return parent;
}

/* Makes a child in BYTES and gives what its run is expected to cost. */
static uint64_t make_child(struct search *search, struct worker *worker, uint8_t *bytes) {
    struct state *state = search->state;
    uint64_t *random = &worker->random;
    uint32_t parent = pick_parent(state, random);
    const struct evolve_entry *from = &state->corpus.entries[parent];
    const struct evolve_entry *mate =
        &state->corpus.entries[evolve_corpus_pick(&state->corpus, random, state->limit)];
    struct evolve_draft draft = {.bytes = bytes,
                                 .size = from->size < state->limit ? from->size : state->limit,
                                 .limit = state->limit,
                                 .random = random,
                                 .tokens = &state->tokens,
                                 .lanes = &state->lanes,
                                 .mate = {mate->bytes, mate->size}};
    struct birth *birth = &worker->births[worker->count];
    *birth = (struct birth){.parent = parent};
    memcpy(bytes, from->bytes, draft.size);
    change(state, &draft, birth);
    if (search->options.range_count)
        search_clamp(&search->options, bytes, draft.size);
    worker->inputs[worker->count++] = (struct target_input){bytes, draft.size};
    state->corpus.entries[parent].picks++;
    return from->instructions + from->instructions * draft.size / (from->size + 1);
}

static bool has_pending(const struct state *state) {
    return state->next_pending < state->pending.count;
}

static void take_pending(struct state *state, struct worker *worker, uint8_t *bytes) {
    struct evolve_child *child = &state->pending.data[state->next_pending++];
    memcpy(bytes, child->bytes, child->size);
    worker->births[worker->count] = (struct birth){.parent = UINT32_MAX};
    worker->inputs[worker->count++] = (struct target_input){bytes, child->size};
    if (has_pending(state))
        return;
    evolve_children_done(&state->pending);
    state->next_pending = 0;
}

static size_t room_of_batch(const struct search *search) {
    size_t most = BATCH_BYTES / (search->options.input_size + 1);
    most = most < 1 ? 1 : most > BATCH ? BATCH : most;
    uint64_t left = search->options.runs > search->counters.runs
                        ? search->options.runs - search->counters.runs
                        : 1;
    return search->options.runs && left < most ? (size_t)left : most;
}

/* With the lock held. Nothing of a clock decides here. */
static void make_batch(struct search *search, struct worker *worker) {
    struct state *state = search->state;
    size_t most = room_of_batch(search), stride = search->options.input_size + 1;
    uint64_t expected = 0;
    worker->count = 0;
    while (worker->count < most && expected < BATCH_COST) {
        uint8_t *bytes = worker->bytes + worker->count * stride;
        if (has_pending(state))
            take_pending(state, worker, bytes);
        else if (state->corpus.count)
            expected += make_child(search, worker, bytes);
        else
            break;
    }
}

/* ---- bars ---- */

/* Brings the bars of a worker and the common ones together. */
static void share_bars(struct state *state, struct worker *worker, bool has_raised) {
    if (!worker->bars || (!has_raised && worker->seen == state->version))
        return;
    for (size_t i = 0; i < state->bar_count; i++)
        if (worker->bars[i] > state->bars[i])
            state->bars[i] = worker->bars[i];
        else
            worker->bars[i] = state->bars[i];
    state->version += has_raised;
    worker->seen = state->version;
}

/* ---- epochs ---- */

static double best_at_limit(const struct state *state) {
    const struct evolve_entry *best =
        evolve_champion(&state->corpus, evolve_bucket_of(state->limit), EVOLVE_BY_COST);
    return best ? best->cost : 0;
}

static void begin_epoch(struct state *state) {
    uint32_t quiet = state->epoch.quiet;
    state->epoch = (struct epoch){.best = best_at_limit(state), .quiet = quiet};
    for (int i = 0; i < EVOLVE_OPERATOR_COUNT; i++) {
        state->uses[i] /= 2;
        state->finds[i] /= 2;
    }
}

static bool is_over(const struct search *search, const struct epoch *epoch) {
    uint64_t runs = EPOCH_RUNS;
    if (search->options.runs && search->options.runs / EPOCH_SHARE < runs)
        runs = search->options.runs / EPOCH_SHARE + 1;
    return epoch->runs >= runs || epoch->cost >= EPOCH_COST;
}

/* With the lock held: what has the epoch brought? Larger inputs have their turn when it was
 * little. */
static void end_epoch(struct search *search) {
    struct state *state = search->state;
    double best = best_at_limit(state);
    bool is_better = best > state->epoch.best * HARDLY;
    state->epoch.quiet = is_better || state->epoch.raised ? 0 : state->epoch.quiet + 1;
    if (state->epoch.raised)
        state->patience = STALLED;
    if (!is_better && state->limit < search->options.input_size) {
        state->limit *= 2;
        if (state->limit > search->options.input_size)
            state->limit = search->options.input_size;
        base_detail("evolve: %zu entries, best %.15g; now up to %zu bytes", state->corpus.count,
                    search->archive.count ? search->archive.tests[0].cost : 0, state->limit);
    }
    begin_epoch(state);
}

/* ---- one batch ---- */

static void credit(struct state *state, const struct birth *birth, bool is_kept, bool is_slow) {
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

/* Paths are told apart by magnitudes: the tests of a suite are to be different ones. */
static struct search_path path_of(const struct abi_result *result) {
    uint64_t shape = result->shape_hash ? result->shape_hash : result->counts_hash;
    return (struct search_path){shape, result->status};
}

static bool book_run(struct search *search, struct worker *worker, size_t i,
                     struct search_counters *counters) {
    struct state *state = search->state;
    const struct abi_result *result = &worker->results[i];
    bool is_good = result->status == ABI_STATUS_OK && !result->rejected;
    counters->crashes += result->status == ABI_STATUS_CRASH;
    counters->timeouts +=
        result->status == ABI_STATUS_TIMEOUT || result->status == ABI_STATUS_MEMORY;
    counters->rejected += result->rejected != 0;
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
    state->epoch.runs++;
    state->epoch.cost += result->weighted[MEASURE_INSTRUCTIONS];
    bool drifts = search_random(&worker->random) % 8 == 0;
    bool is_kept = is_good && evolve_corpus_offer(&state->corpus, &test, drifts) != UINT32_MAX;
    credit(state, &worker->births[i], is_kept && (result->raised || !drifts),
           result->status == ABI_STATUS_TIMEOUT);
    state->epoch.raised += is_kept && result->raised;
    return is_kept && result->raised;
}

/* With the lock held. */
static void commit(struct search *search, struct worker *worker) {
    struct state *state = search->state;
    struct search_counters counters = {.runs = worker->count};
    bool has_raised = false;
    for (size_t i = 0; i < worker->count; i++)
        has_raised |= book_run(search, worker, i, &counters);
    share_bars(state, worker, has_raised);
    weigh_operators(state);
    worker->count = 0;
    search_book(search, &counters);
    if (is_over(search, &state->epoch))
        end_epoch(search);
}

/* ---- when it stalls ---- */

/* Is A to be followed before B? What reached something new comes first, champions may be many
 * that are much alike; a measure that says nothing yet leaves it to the instructions. */
static bool goes_first(const struct evolve_entry *a, const struct evolve_entry *b) {
    if ((a->raised > 0) != (b->raised > 0))
        return a->raised > 0;
    return a->cost != b->cost ? a->cost > b->cost : a->instructions > b->instructions;
}

/* With the lock held: the entry whose decisions are turned round next, or NULL. */
static struct evolve_entry *choose_flipped(struct state *state) {
    struct evolve_corpus *corpus = &state->corpus;
    struct evolve_entry *best = NULL;
    for (size_t i = 0; i < corpus->count; i++) {
        struct evolve_entry *entry = &corpus->entries[i];
        if (!entry->is_flipped && (entry->raised || entry->roles) &&
            (!best || goes_first(entry, best)))
            best = entry;
    }
    return best;
}

/* With the lock held, which is given up while the input is followed. */
static bool flip_one(struct search *search, struct worker *worker, struct evolve_entry *entry,
                     struct base_error *error) {
    struct state *state = search->state;
    struct target_input input = {base_alloc(entry->size + 1), entry->size};
    memcpy((uint8_t *)input.data, entry->bytes, entry->size);
    entry->is_flipped = true;
    struct evolve_children children = {0};
    struct search_counters counters = {0};
    pthread_mutex_unlock(&search->lock);
    if (!worker->flip)
        worker->flip = evolve_flip_new(search);
    bool good = evolve_flip_follow(worker->flip, worker->programs, &input, worker->bars, &children,
                                   &counters, error);
    pthread_mutex_lock(&search->lock);
    search->worker_solver[worker - state->workers] = *evolve_flip_solver(worker->flip);
    for (size_t i = 0; i < children.count; i++)
        add_pending(state, children.data[i].bytes, children.data[i].size);
    search_book(search, &counters);
    evolve_children_done(&children);
    free((uint8_t *)input.data);
    return good;
}

/* With the lock held. A target that cannot be followed is no failure: evolution goes on alone. */
static void flip(struct search *search, struct worker *worker) {
    struct state *state = search->state;
    struct base_error error;
    state->epoch.quiet = 0;
    state->patience *= 2; /* questions are dear: fewer and fewer, until something comes of it */
    for (unsigned i = 0; i < FLIPPED_AT_ONCE && !state->no_flips; i++) {
        struct evolve_entry *entry = choose_flipped(state);
        if (!entry || search_must_stop(search))
            return;
        if (!flip_one(search, worker, entry, &error)) {
            state->no_flips = true;
            base_note("evolve: the target cannot be followed, so no decision is turned round: %s",
                      error.message);
        }
    }
}

/* ---- the whole ---- */

static bool has_timeout(const struct worker *worker, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++)
        if (worker->results[i].status == ABI_STATUS_TIMEOUT)
            return true;
    return false;
}

static bool is_late(const struct search *search) {
    return search->options.seconds > 0 && base_seconds() - search->began >= search->options.seconds;
}

/* Runs that take too long cost more than all others together: the stretches between two looks at
 * them are short at first and after each, and what is left of such a batch is not run. */
static bool run_batch(struct search *search, struct worker *worker, struct base_error *error) {
    const struct search_programs *programs = worker->programs;
    size_t done = 0;
    while (done < worker->count) {
        size_t left = worker->count - done;
        size_t count = worker->stretch < left ? worker->stretch : left;
        if (!programs->measure(programs->self, worker->inputs + done, count, worker->results + done,
                               worker->costs + done, error))
            return false;
        done += count;
        bool was_slow = has_timeout(worker, done - count, count);
        worker->stretch = was_slow ? 1 : worker->stretch * 2;
        if (worker->stretch > LONGEST_STRETCH)
            worker->stretch = LONGEST_STRETCH;
        if (was_slow || is_late(search) || atomic_load(&search->stop))
            break;
    }
    worker->count = done;
    return true;
}

static bool work(struct search *search, size_t index, struct base_error *error) {
    struct state *state = search->state;
    struct worker *worker = &state->workers[index];
    const struct search_programs *programs = worker->programs;
    bool good = true;
    pthread_mutex_lock(&search->lock);
    while (good && !search_must_stop(search)) {
        if (programs->trace && !state->no_flips && state->epoch.quiet >= state->patience)
            flip(search, worker);
        make_batch(search, worker);
        if (!worker->count && !state->busy)
            break; /* not one good run, and nothing left to try */
        if (!worker->count) {
            pthread_cond_wait(&search->changed, &search->lock);
            continue;
        }
        state->busy++;
        pthread_mutex_unlock(&search->lock);
        good = run_batch(search, worker, error);
        pthread_mutex_lock(&search->lock);
        if (good)
            commit(search, worker);
        state->busy--;
        pthread_cond_broadcast(&search->changed);
    }
    pthread_cond_broadcast(&search->changed);
    pthread_mutex_unlock(&search->lock);
    return good;
}

static void worker_init(struct search *search, struct state *state, size_t index) {
    struct worker *worker = &state->workers[index];
    worker->programs = &search->programs[index];
    worker->stretch = 8;
    worker->random = search_seed(search, index);
    size_t count = 0, most = BATCH_BYTES / (search->options.input_size + 1);
    most = most < 1 ? 1 : most > BATCH ? BATCH : most;
    worker->bytes = base_alloc(most * (search->options.input_size + 1));
    if (worker->programs->bars)
        worker->bars = worker->programs->bars(worker->programs->self, &count);
    if (!count)
        worker->bars = NULL;
    if (worker->bars && state->bar_count != count) { /* else they were loaded, or are another's */
        free(state->bars);
        state->bars = base_alloc(count * sizeof *state->bars);
        state->bar_count = count;
    }
    if (worker->bars)
        memcpy(worker->bars, state->bars, count * sizeof *state->bars);
}

static struct state *state_of(struct search *search) {
    if (search->state)
        return search->state;
    struct state *state = search->state = base_alloc(sizeof *state);
    state->patience = STALLED;
    size_t most = CORPUS_BYTES / (search->options.input_size + 1);
    evolve_corpus_init(&state->corpus, most < MOST_ENTRIES ? most + 1 : MOST_ENTRIES);
    evolve_tokens_init(&state->tokens, &search->options);
    if (has_fixed_size(search))
        evolve_lanes_init(&state->lanes, &search->options);
    state->limit = search->options.input_size;
    if (!has_fixed_size(search) && state->limit > FIRST_LIMIT)
        state->limit = FIRST_LIMIT;
    return state;
}

/* One run that takes as long as the user allows would be a large part of the search. */
static void limit_runs(struct search *search, double seconds) {
    for (size_t i = 0; i < search->jobs; i++)
        if (search->programs[i].limit)
            search->programs[i].limit(search->programs[i].self, seconds);
}

static double longest_run(const struct search *search) {
    double share = LONGEST_RUN * search->options.seconds;
    return search->options.seconds <= 0 ? 0 : share < SHORTEST_LIMIT ? SHORTEST_LIMIT : share;
}

static bool run(struct search *search, struct base_error *error) {
    bool is_new = !search->state;
    struct state *state = state_of(search);
    if (is_new)
        add_starts(search, state);
    if (!state->workers) {
        state->workers = base_alloc(search->jobs * sizeof *state->workers);
        for (size_t i = 0; i < search->jobs; i++)
            worker_init(search, state, i);
    }
    weigh_operators(state);
    limit_runs(search, longest_run(search));
    bool good = search_run_workers(search, work, error);
    limit_runs(search, 0);
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
    uint64_t limit, bar_count, random;
};

static void save(struct search *search, struct base_buffer *out) {
    const struct state *state = search->state;
    if (!state)
        return;
    struct saved saved = {state->limit, state->bar_count,
                          state->workers ? state->workers[0].random : 0};
    search_put(out, &saved, sizeof saved);
    search_put(out, state->bars, state->bar_count * sizeof *state->bars);
    evolve_corpus_save(&state->corpus, out);
}

static bool load(struct search *search, const char *data, size_t size) {
    struct state *state = state_of(search);
    struct saved saved;
    const char *end = data + size;
    if (!size)
        return true;
    if (!search_get(&data, end, &saved, sizeof saved) || saved.limit > search->options.input_size ||
        saved.bar_count > (size_t)(end - data) / sizeof *state->bars)
        return false;
    state->limit = saved.limit;
    state->bar_count = saved.bar_count;
    state->bars = base_alloc(saved.bar_count * sizeof *state->bars + 1);
    return search_get(&data, end, state->bars, saved.bar_count * sizeof *state->bars) &&
           evolve_corpus_load(&state->corpus, &data, end);
}

static void done(struct search *search) {
    struct state *state = search->state;
    if (!state)
        return;
    for (size_t i = 0; state->workers && i < search->jobs; i++) {
        free(state->workers[i].bytes);
        if (state->workers[i].flip)
            evolve_flip_free(state->workers[i].flip);
    }
    free(state->workers);
    free(state->bars);
    evolve_corpus_done(&state->corpus);
    evolve_tokens_done(&state->tokens);
    base_vector_done(&state->lanes);
    evolve_children_done(&state->pending);
    free(state);
    search->state = NULL;
}

const struct search_strategy search_strategy_evolve = {
    .name = "evolve",
    .summary =
        "inputs are changed at random; what raises the cost or the count of any block is kept",
    .varies_size = true,
    .may_trace = true,
    .run = run,
    .save = save,
    .load = load,
    .done = done};
