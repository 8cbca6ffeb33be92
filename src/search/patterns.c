/* SPDX-License-Identifier: Apache-2.0
 *
 * patterns: what, repeated, costs more than in proportion?
 *
 * An evolutionary search whose individuals are patterns. Each is run at one small size; it is kept
 * if some block runs more often than it ever did at that size, because what leads to code that
 * nothing else leads to may be a part of what makes it slow. Whatever is kept is run at twice and
 * four times the size: a block whose count grows faster than the size, though it may be far from
 * dominating the total yet, makes the pattern a suspect. Suspects are grown over many doublings;
 * only the law of the total cost counts. What is superlinear is shrunk, grown as far as the limits
 * allow, and kept as one test for each function in which the growing cost is spent.
 *
 * The idea of keeping an input for each block's maximum is that of "PerfFuzz: Automatically
 * Generating Pathological Inputs" (Lemieux, Padhye, Sen, Song); here it is applied to generators,
 * so that what is found has a size that can be chosen.
 */
#include "search/patterns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_BYTES 128  /* size at which patterns are compared */
#define PROBE_COST 2e6   /* of a run at that size, beyond what most cost */
#define LEAST_PROBE 16   /* where they take too long at that size */
#define BATCH 64         /* patterns that are run in one hand-over */
#define SHORT_UNIT 8     /* bytes of a unit that is joined with every other one */
#define PAIRS 3          /* one in so many patterns joins two units */
#define STEEP 1.4        /* slope of a block's count that makes a suspect */
#define STEEP_COUNT 128  /* at four times the size */
#define BETTER 1.3       /* by which a suspect of the same block must be steeper */
#define QUICK_SIZE 16384 /* bytes, for a first look at a suspect */
#define QUICK_COST 2e7
#define PER_SECOND 3e8    /* instructions of the measuring build, a low guess */
#define FINAL_SHARE 0.02  /* of the search's time for the largest run of a test */
#define MOST_EXPLODING 48 /* patterns that take too long to be probed and are looked at */

struct found {
    struct search_recipe law;
    uint32_t function; /* that the growing cost is spent in, or IR_NONE */
    double strength;
};

struct state {
    struct patterns_alphabet alphabet;
    BASE_VECTOR(struct search_pattern) pool;
    BASE_VECTOR(uint32_t) wins;  /* of each in the pool: slots that it is the champion of */
    BASE_VECTOR(uint32_t) units; /* those in the pool with a short unit, each unit once */
    size_t first, second;        /* the next two units to join; SECOND is not behind FIRST */
    bool is_turned;              /* ... the other way round */
    BASE_VECTOR(struct found) found;
    BASE_VECTOR(uint32_t) touched; /* slots that some pattern has reached */
    struct search_recipe steepest; /* of those that are not superlinear; by cost per byte */
    uint32_t slots;
    uint64_t *bars, *most, *examined; /* by slot; EXAMINED: count of the last suspect */
    uint32_t *champion;               /* by slot: the pattern with most[slot] */
    uint32_t hot[16];                 /* slots with the largest counts, by different patterns */
    size_t hot_count;
    uint64_t probe;
    double probe_seconds, probe_cost; /* what a run at that size may take */
    double best_cost;
    unsigned exploding;
};

struct worker {
    struct search *search;
    struct state *state;
    struct patterns_runner runner;
    uint64_t random;
    uint64_t *counts[2]; /* of a candidate at the smaller sizes */
    struct search_pattern batch[BATCH];
    struct base_buffer inputs;
    uint64_t *bars; /* the target's; NULL: it has none */
};

static struct search_growth *growth_of(struct worker *worker) {
    return worker->search->growth;
}

static void lock(struct worker *worker) {
    pthread_mutex_lock(&worker->search->lock);
}

static void unlock(struct worker *worker) {
    pthread_mutex_unlock(&worker->search->lock);
}

/* Books the runs of the worker so far; true when it is time to end. */
static bool is_over(struct worker *worker) {
    lock(worker);
    struct search_counters counters = {.runs = worker->runner.runs};
    worker->runner.runs = 0;
    search_book(worker->search, &counters);
    bool over = search_must_stop(worker->search) || worker->runner.failed;
    unlock(worker);
    return over;
}

static void limit_runs(struct worker *worker, double seconds) {
    const struct search_programs *programs = worker->runner.programs;
    if (programs->limit)
        programs->limit(programs->self, seconds);
}

/* ---- what is superlinear ---- */

static struct patterns_reach final_reach(const struct search *search) {
    const struct search_options *options = &search->options;
    double seconds = options->seconds > 0 ? FINAL_SHARE * options->seconds : 1;
    seconds = seconds < 0.2 ? 0.2 : seconds;
    if (options->run_seconds > 0 && seconds > options->run_seconds / 2)
        seconds = options->run_seconds / 2;
    return (struct patterns_reach){options->grow_size ? options->grow_size : options->input_size,
                                   seconds * PER_SECOND};
}

static struct patterns_reach quick_reach(const struct search *search) {
    struct patterns_reach reach = final_reach(search);
    reach.size = reach.size < QUICK_SIZE ? reach.size : QUICK_SIZE;
    reach.cost = reach.cost < QUICK_COST ? reach.cost : QUICK_COST;
    return reach;
}

static struct found *find_by_function(struct state *state, uint32_t function) {
    for (size_t i = 0; i < state->found.count; i++)
        if (state->found.data[i].function == function)
            return &state->found.data[i];
    return NULL;
}

static void tell_found(const struct search_recipe *law, const char *function) {
    struct base_buffer text = {0}, class = {0};
    search_pattern_print(&law->pattern, &text);
    measure_growth_class(&law->growth, &class);
    base_detail("patterns: %s in %s: %s", class.data, function, text.data);
    base_buffer_done(&text);
    base_buffer_done(&class);
}

/* With the lock held: takes the law over if it is the strongest of its function. */
static void keep_found(struct worker *worker, struct search_recipe *law, uint32_t function) {
    struct state *state = worker->state;
    const struct ir_facts *facts = worker->search->options.facts;
    struct found *old = find_by_function(state, function);
    double strength = patterns_strength(law);
    if (old && old->strength >= strength)
        return;
    if (!old) {
        base_push(&state->found, (struct found){.function = function});
        old = &state->found.data[state->found.count - 1];
    }
    struct search_recipe before = old->law;
    old->law = *law;
    old->strength = strength;
    law->series = before.series; /* the caller frees it */
    tell_found(&old->law, function == IR_NONE ? "library functions"
                                              : facts->strings + facts->functions[function].name);
}

static uint32_t function_of(const struct search *search, uint32_t block) {
    return block == IR_NONE ? IR_NONE : search->options.facts->blocks[block].function;
}

static bool is_weaker(struct worker *worker, const struct search_recipe *law, uint32_t function) {
    lock(worker);
    const struct found *old = find_by_function(worker->state, function);
    bool weaker = old && old->strength * BETTER > patterns_strength(law);
    unlock(worker);
    return weaker;
}

/* With the lock held: what is not superlinear, or not for long, may be the costliest all the same.
 */
static void keep_steepest(struct worker *worker, struct search_recipe *law) {
    struct search_growth *growth = growth_of(worker);
    const struct measure_point *last = &law->series.data[law->series.count - 1];
    if (!last->size || last->cost / (double)last->size <= growth->rate)
        return;
    growth->rate = last->cost / (double)last->size;
    struct search_recipe before = worker->state->steepest;
    worker->state->steepest = *law;
    law->series = before.series;
}

/* A law over QUICK_SIZE becomes a test: simpler, larger, with its place. */
static void settle(struct worker *worker, struct search_recipe *law) {
    struct patterns_reach quick = quick_reach(worker->search), reach = final_reach(worker->search);
    uint32_t function = function_of(worker->search, patterns_hottest(&worker->runner, law));
    struct patterns_run last;
    if (is_weaker(worker, law, function))
        return;
    struct search_recipe shrunk = *law;
    patterns_shrink(&worker->runner, &worker->state->alphabet, &quick, &shrunk);
    struct search_recipe final = {.has_relative = shrunk.has_relative, .relative = shrunk.relative};
    patterns_grow(&worker->runner, &shrunk.pattern, &reach, &final, &last);
    if (measure_is_superlinear(&final.growth)) {
        final.hottest = patterns_hottest(&worker->runner, &final);
        lock(worker);
        keep_found(worker, &final, function_of(worker->search, final.hottest));
        unlock(worker);
    } else if (final.series.count) {
        lock(worker);
        keep_steepest(worker, &final);
        unlock(worker);
    }
    base_vector_done(&final.series);
    law->series.data = shrunk.series.data; /* shrinking may have moved it */
    law->series.capacity = shrunk.series.capacity;
    law->series.count = 0;
}

static void examine(struct worker *worker, const struct search_pattern *pattern) {
    struct patterns_reach reach = quick_reach(worker->search);
    struct search_recipe law = {0};
    struct patterns_run last;
    patterns_grow(&worker->runner, pattern, &reach, &law, &last);
    bool is_open = law.growth.kind == MEASURE_GROWTH_UNCLEAR && law.growth.slope > 1.02;
    if (is_open) {
        reach = final_reach(worker->search);
        reach.cost /= 4;
        patterns_grow(&worker->runner, pattern, &reach, &law, &last);
    }
    bool is_steep = measure_is_superlinear(&law.growth);
    lock(worker);
    growth_of(worker)->grown++;
    if (!is_steep && law.series.count)
        keep_steepest(worker, &law);
    unlock(worker);
    if (is_steep)
        settle(worker, &law);
    base_vector_done(&law.series);
}

/* ---- what is worth a closer look ---- */

static double slope(uint64_t count, uint64_t more, double doublings) {
    return count ? log2((double)more / (double)count) / doublings : 0;
}

/* The slot whose count grows fastest in proportion to what it was examined at; 0: none is steep. */
static uint32_t find_steep(struct worker *worker, const struct patterns_run runs[3],
                           const uint64_t *last) {
    struct state *state = worker->state;
    double first = log2((double)runs[1].size / (double)runs[0].size);
    double second = log2((double)runs[2].size / (double)runs[1].size);
    const struct ir_facts *facts = worker->search->options.facts;
    double most = 0;
    uint32_t best = UINT32_MAX;
    for (uint32_t slot = 0; first > 0.3 && second > 0.3 && slot < state->slots; slot++) {
        const uint64_t *one = worker->counts[0], *two = worker->counts[1];
        if (last[slot] < STEEP_COUNT || slope(two[slot], last[slot], second) < STEEP ||
            slope(one[slot], two[slot], first) < STEEP - 0.2 ||
            (double)last[slot] < BETTER * (double)state->examined[slot])
            continue;
        double weight = slot && facts ? facts->blocks[slot - 1].instructions : 1;
        if ((double)last[slot] * weight > most) {
            most = (double)last[slot] * weight;
            best = slot;
        }
    }
    return best;
}

/* With the lock held: counts at a larger size say which slots have been looked at. */
static void mark_examined(struct worker *worker, const uint64_t *counts) {
    for (uint32_t slot = 0; slot < worker->state->slots; slot++)
        if (counts[slot] > worker->state->examined[slot])
            worker->state->examined[slot] = counts[slot];
}

/* Runs at twice and four times the size; is some block's count growing faster than the size? */
static bool is_suspect(struct worker *worker, const struct search_pattern *pattern,
                       struct patterns_run *runs) {
    uint64_t probe = worker->state->probe;
    size_t bytes = worker->state->slots * sizeof(uint64_t);
    for (int i = 1; i < 3; i++) {
        uint64_t k = search_pattern_fit(pattern, probe << i);
        if (!patterns_run(&worker->runner, pattern, k, true, &runs[i]))
            return runs[i].result.status == ABI_STATUS_TIMEOUT;
        if (i == 1)
            memcpy(worker->counts[1], runs[1].counts, bytes);
    }
    lock(worker);
    bool steep = find_steep(worker, runs, runs[2].counts) != UINT32_MAX;
    if (steep)
        mark_examined(worker, runs[2].counts);
    unlock(worker);
    return steep || runs[2].cost > runs[1].cost * 2.8;
}

/* ---- the pool ---- */

static bool is_hot(const struct state *state, uint32_t champion) {
    for (size_t i = 0; i < state->hot_count; i++)
        if (state->champion[state->hot[i]] == champion)
            return true;
    return false;
}

/* The slots with the largest counts, each with another champion. */
static void find_hot(struct state *state) {
    state->hot_count = 0;
    while (state->hot_count < BASE_COUNT(state->hot)) {
        uint32_t best = UINT32_MAX;
        for (size_t i = 0; i < state->touched.count; i++) {
            uint32_t slot = state->touched.data[i];
            if ((best == UINT32_MAX || state->most[slot] > state->most[best]) &&
                !is_hot(state, state->champion[slot]))
                best = slot;
        }
        if (best == UINT32_MAX)
            return;
        state->hot[state->hot_count++] = best;
    }
}

static void add_unit(struct state *state, uint32_t number) {
    const struct search_piece *unit = &state->pool.data[number].unit;
    if (!unit->size || unit->size > SHORT_UNIT)
        return;
    for (size_t i = 0; i < state->units.count; i++) {
        const struct search_piece *other = &state->pool.data[state->units.data[i]].unit;
        if (other->size == unit->size && memcmp(other->bytes, unit->bytes, unit->size) == 0)
            return;
    }
    base_push(&state->units, number);
}

/* With the lock held: the pattern stays, and is the champion of the slots that it raised. */
static bool enter_pool(struct worker *worker, const struct search_pattern *pattern,
                       const uint64_t *counts) {
    struct state *state = worker->state;
    uint32_t wins = 0;
    for (uint32_t slot = 0; slot < state->slots; slot++) {
        if (counts[slot] <= state->most[slot])
            continue;
        if (!state->most[slot])
            base_push(&state->touched, slot);
        else
            state->wins.data[state->champion[slot]]--;
        state->most[slot] = counts[slot];
        state->champion[slot] = (uint32_t)state->pool.count;
        wins++;
    }
    if (!wins)
        return false;
    base_push(&state->pool, *pattern);
    base_push(&state->wins, wins);
    add_unit(state, (uint32_t)state->pool.count - 1);
    find_hot(state);
    return true;
}

/* ---- trimming: what is kept holds nothing that its counts do not need ---- */

struct trimming {
    struct worker *worker;
    struct search_pattern *pattern;
    struct patterns_run run; /* of the pattern; its counts are in worker->counts[0] */
};

/* Is the variant as good in every slot that the pattern is the best in? Then it takes its place. */
static void try_trimmed(struct trimming *trimming, const struct search_pattern *variant) {
    struct worker *worker = trimming->worker;
    const struct state *state = worker->state;
    struct patterns_run run;
    uint64_t k = search_pattern_fit(variant, state->probe);
    if (memcmp(variant, trimming->pattern, sizeof *variant) == 0 ||
        !patterns_run(&worker->runner, variant, k, true, &run))
        return;
    const uint64_t *counts = worker->counts[0];
    for (uint32_t slot = 0; slot < state->slots; slot++)
        if (counts[slot] > state->most[slot] && run.counts[slot] < counts[slot])
            return;
    *trimming->pattern = *variant;
    trimming->run = run;
    memcpy(worker->counts[0], run.counts, state->slots * sizeof(uint64_t));
}

static void trim_bytes(struct trimming *trimming, size_t offset) {
    for (unsigned at = 0;;) {
        struct search_pattern variant = *trimming->pattern;
        struct search_piece *piece = (struct search_piece *)((char *)&variant + offset);
        unsigned before = piece->size;
        if (at >= before)
            return;
        patterns_piece_erase(piece, at, 1);
        try_trimmed(trimming, &variant);
        piece = (struct search_piece *)((char *)trimming->pattern + offset);
        at += piece->size == before;
    }
}

static void trim(struct trimming *trimming) {
    const struct search_pattern empty = search_pattern_empty(SEARCH_PATTERN_REPEAT);
    struct search_pattern variant;
#define TRY(change)                                                                                \
    variant = *trimming->pattern;                                                                  \
    change;                                                                                        \
    try_trimmed(trimming, &variant);
    TRY(variant.kind = SEARCH_PATTERN_REPEAT; variant.other = variant.middle = empty.other)
    TRY(variant.prefix = empty.prefix)
    TRY(variant.suffix = empty.suffix)
    TRY(variant.middle = empty.middle)
    TRY(variant.copies = 1)
    TRY(variant.unit.hole = SEARCH_NO_HOLE)
    TRY(variant.letters = 0)
#undef TRY
#define PIECE(id) trim_bytes(trimming, offsetof(struct search_pattern, id));
    SEARCH_PATTERN_PIECES(PIECE)
#undef PIECE
}

static bool count_at_probe(struct worker *worker, const struct search_pattern *pattern,
                           struct patterns_run *run) {
    uint64_t k = search_pattern_fit(pattern, worker->state->probe);
    if (!patterns_run(&worker->runner, pattern, k, true, run) || !run->counts)
        return false;
    memcpy(worker->counts[0], run->counts, worker->state->slots * sizeof(uint64_t));
    return true;
}

/* The pattern that one copy of this one, at the probing size, is an instance of. */
static bool fold(struct worker *worker, struct search_pattern *pattern) {
    struct search_pattern one = *pattern, folded;
    struct base_buffer *bytes = &worker->inputs;
    one.copies = 1;
    size_t before = bytes->count;
    uint64_t probe = worker->state->probe / pattern->copies;
    search_pattern_write(&one, search_pattern_fit(&one, probe), bytes);
    bool found = bytes->count > before && patterns_fold((const uint8_t *)bytes->data + before,
                                                        bytes->count - before, &folded);
    bytes->count = before;
    folded.copies = pattern->copies;
    if (found)
        *pattern = folded;
    return found;
}

/* Takes too long, or very long, even at the probing size. */
static void look_at_exploding(struct worker *worker, const struct search_pattern *pattern) {
    lock(worker);
    bool is_wanted = worker->state->exploding++ < MOST_EXPLODING;
    growth_of(worker)->exploding++;
    unlock(worker);
    if (!is_wanted)
        return;
    struct search_pattern folded = *pattern;
    limit_runs(worker, 0);
    examine(worker, pattern);
    if (fold(worker, &folded) && memcmp(&folded, pattern, sizeof folded) != 0)
        examine(worker, &folded);
    limit_runs(worker, worker->state->probe_seconds);
}

static void adopt(struct worker *worker, const struct search_pattern *candidate) {
    struct patterns_run runs[3];
    struct search_pattern pattern = *candidate;
    if (!count_at_probe(worker, &pattern, &runs[0]))
        return;
    if (runs[0].cost > worker->state->probe_cost) { /* as a parent it would slow everything down */
        look_at_exploding(worker, &pattern);
        return;
    }
    struct trimming trimming = {worker, &pattern, runs[0]};
    trim(&trimming);
    runs[0] = trimming.run;
    lock(worker);
    bool stays = enter_pool(worker, &pattern, worker->counts[0]);
    unlock(worker);
    if (stays && is_suspect(worker, &pattern, runs)) {
        limit_runs(worker, 0);
        examine(worker, &pattern);
        limit_runs(worker, worker->state->probe_seconds);
    }
}

/* ---- batches ---- */

/* With the lock held. */
static const struct search_pattern *draw_parent(struct worker *worker) {
    struct state *state = worker->state;
    uint64_t draw = search_random(&worker->random);
    uint64_t index = draw >> 8;
    if (!state->pool.count)
        return NULL;
    switch (draw % 4) {
    case 0:
    case 1:
        return &state->pool
                    .data[state->champion[state->touched.data[index % state->touched.count]]];
    case 2: {
        size_t recent = state->pool.count < 32 ? state->pool.count : 32;
        return &state->pool.data[state->pool.count - 1 - index % recent];
    }
    default:
        return &state->pool.data[state->champion[state->hot[index % state->hot_count]]];
    }
}

static void next_pair(struct state *state) {
    state->is_turned = !state->is_turned;
    if (!state->is_turned && state->second++ == state->first) {
        state->second = 0;
        state->first++;
    }
}

/* Any two units behind one another, the oldest first, each pair once. What only two pieces together
 * can do leaves no trace in either of them, so chance would take long to join the right ones. False
 * when there is no new pair. */
static bool draw_pair(struct state *state, struct search_pattern *pattern) {
    for (; state->first < state->units.count; next_pair(state)) {
        uint32_t one = state->units.data[state->first], two = state->units.data[state->second];
        if (!state->wins.data[one] || !state->wins.data[two])
            continue; /* another one does all that it did, and more of it */
        *pattern = state->pool.data[state->is_turned ? two : one];
        const struct search_piece *more = &state->pool.data[state->is_turned ? one : two].unit;
        patterns_piece_insert(&pattern->unit, pattern->unit.size, more->bytes, more->size);
        next_pair(state);
        return true;
    }
    return false;
}

static void draw_batch(struct worker *worker) {
    struct state *state = worker->state;
    lock(worker);
    for (size_t i = 0; i < BATCH; i++) {
        struct search_pattern *pattern = &worker->batch[i];
        const struct search_pattern *parent = draw_parent(worker), *mate = draw_parent(worker);
        const struct search_pattern empty = search_pattern_empty(SEARCH_PATTERN_REPEAT);
        if (i % PAIRS == 0 && draw_pair(state, pattern))
            continue;
        if (search_random(&worker->random) % 16 == 0 &&
            patterns_mine(&state->alphabet, &worker->random, pattern))
            continue;
        *pattern = parent ? *parent : empty;
        patterns_mutate(&state->alphabet, mate ? mate : &empty, &worker->random, pattern);
        if (search_random(&worker->random) % 16 == 0)
            fold(worker, pattern);
    }
    unlock(worker);
}

/* The target's bars are those of all workers, at the probing size. */
static void set_bars(struct worker *worker) {
    lock(worker);
    if (worker->bars)
        memcpy(worker->bars, worker->state->bars, worker->state->slots * sizeof(uint64_t));
    unlock(worker);
}

static void get_bars(struct worker *worker) {
    struct state *state = worker->state;
    lock(worker);
    for (uint32_t slot = 0; worker->bars && slot < state->slots; slot++)
        if (worker->bars[slot] > state->bars[slot])
            state->bars[slot] = worker->bars[slot];
    unlock(worker);
}

/* With the lock held: too many patterns take too long at this size. */
static void lower_probe(struct state *state) {
    if (state->probe <= LEAST_PROBE)
        return;
    state->probe /= 2;
    memset(state->bars, 0, state->slots * sizeof *state->bars);
    memset(state->most, 0, state->slots * sizeof *state->most);
    memset(state->examined, 0, state->slots * sizeof *state->examined);
    state->touched.count = state->pool.count = state->hot_count = 0;
    state->wins.count = state->units.count = state->first = state->second = 0;
    base_detail("patterns: compared at %llu bytes from now on", (unsigned long long)state->probe);
}

struct outcome {
    struct abi_result results[BATCH];
    double costs[BATCH];
};

static bool run_batch(struct worker *worker, size_t count, struct outcome *outcome) {
    struct target_input inputs[BATCH];
    size_t starts[BATCH];
    worker->inputs.count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct search_pattern *pattern = &worker->batch[i];
        starts[i] = worker->inputs.count;
        search_pattern_write(pattern, search_pattern_fit(pattern, worker->state->probe),
                             &worker->inputs);
        inputs[i].size = worker->inputs.count - starts[i];
    }
    for (size_t i = 0; i < count; i++)
        inputs[i].data = worker->inputs.data ? worker->inputs.data + starts[i] : "";
    struct patterns_runner *runner = &worker->runner;
    set_bars(worker);
    runner->failed = !runner->programs->measure(runner->programs->self, inputs, count,
                                                outcome->results, outcome->costs, runner->error);
    runner->runs += count;
    get_bars(worker);
    return !runner->failed;
}

static bool is_new(struct worker *worker, const struct outcome *outcome, size_t index) {
    const struct abi_result *result = &outcome->results[index];
    if (result->status != ABI_STATUS_OK || result->rejected)
        return false;
    if (worker->bars)
        return result->raised > 0;
    lock(worker);
    bool more = outcome->costs[index] > worker->state->best_cost;
    if (more)
        worker->state->best_cost = outcome->costs[index];
    unlock(worker);
    return more;
}

static void book_faults(struct worker *worker, const struct outcome *outcome, size_t count,
                        unsigned *late) {
    struct search_counters counters = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t status = outcome->results[i].status;
        *late += status == ABI_STATUS_TIMEOUT;
        counters.crashes += status == ABI_STATUS_CRASH;
        counters.timeouts += status == ABI_STATUS_MEMORY || status == ABI_STATUS_TIMEOUT;
        counters.rejected += outcome->results[i].rejected != 0;
    }
    lock(worker);
    growth_of(worker)->patterns += count;
    search_book(worker->search, &counters);
    unlock(worker);
}

/* Runs the first COUNT patterns of the batch and looks at what is new. */
static void try_batch(struct worker *worker, size_t count, struct outcome *outcome) {
    unsigned late = 0;
    limit_runs(worker, worker->state->probe_seconds);
    if (!run_batch(worker, count, outcome))
        return;
    book_faults(worker, outcome, count, &late);
    size_t first_late = count;
    for (size_t i = 0; i < count && !is_over(worker); i++) {
        if (is_new(worker, outcome, i))
            adopt(worker, &worker->batch[i]);
        if (outcome->results[i].status == ABI_STATUS_TIMEOUT && first_late == count)
            first_late = i;
    }
    if (first_late < count && !is_over(worker))
        look_at_exploding(worker, &worker->batch[first_late]);
    lock(worker);
    if (late > count / 16)
        lower_probe(worker->state);
    unlock(worker);
}

/* ---- the first patterns: every byte, every token ---- */

/* With the lock held: bytes that do not do what most do are worth more than others. */
static void learn_bytes(struct state *state, const uint64_t *hashes) {
    size_t most = 0;
    uint64_t usual = 0;
    for (size_t i = 0; i < 256; i++) {
        size_t same = 0;
        for (size_t j = 0; j < 256; j++)
            same += hashes[j] == hashes[i];
        if (same > most) {
            most = same;
            usual = hashes[i];
        }
    }
    for (size_t i = 0; i < 256; i++)
        if (hashes[i] != usual)
            patterns_alphabet_add(&state->alphabet, (uint8_t)i);
}

static struct search_pattern byte_pattern(uint8_t byte) {
    struct search_pattern pattern = search_pattern_empty(SEARCH_PATTERN_REPEAT);
    pattern.unit.bytes[0] = byte;
    pattern.unit.size = 1;
    return pattern;
}

static void try_bytes(struct worker *worker, struct outcome *outcome) {
    uint64_t hashes[256] = {0};
    for (unsigned first = 0; first < 256 && !is_over(worker); first += BATCH) {
        for (unsigned i = 0; i < BATCH; i++)
            worker->batch[i] = byte_pattern((uint8_t)(first + i));
        try_batch(worker, BATCH, outcome);
        for (unsigned i = 0; i < BATCH; i++)
            hashes[first + i] = outcome->results[i].counts_hash;
    }
    lock(worker);
    learn_bytes(worker->state, hashes);
    unlock(worker);
}

static void try_tokens(struct worker *worker, struct outcome *outcome) {
    const struct patterns_alphabet *alphabet = &worker->state->alphabet;
    size_t count = 0;
    for (size_t i = 0; i < alphabet->tokens.count && !is_over(worker); i++) {
        worker->batch[count] = search_pattern_empty(SEARCH_PATTERN_REPEAT);
        worker->batch[count++].unit = alphabet->tokens.data[i];
        if (count == BATCH || i + 1 == alphabet->tokens.count) {
            try_batch(worker, count, outcome);
            count = 0;
        }
    }
}

/* How long does a run take that does nothing? Probes may take much longer than that. */
static void time_probe(struct worker *worker) {
    struct search_pattern pattern = byte_pattern(' ');
    struct patterns_run run;
    double least = INFINITY, most = 0;
    for (int i = 0; i < 4; i++) {
        double began = base_seconds();
        patterns_run(&worker->runner, &pattern, PROBE_BYTES, false, &run);
        least = fmin(least, base_seconds() - began);
        most = fmax(most, run.cost);
    }
    worker->state->probe_cost = PROBE_COST + 16 * most;
    worker->state->probe_seconds = 0.025 + 20 * least;
}

/* The costliest patterns that no block made suspects may be steep all the same; and they show the
 * rate when nothing is. */
static void examine_champions(struct worker *worker) {
    struct state *state = worker->state;
    for (size_t i = 0; i < state->hot_count && !worker->runner.failed; i++) {
        struct search_pattern pattern = state->pool.data[state->champion[state->hot[i]]];
        examine(worker, &pattern);
    }
}

/* ---- the strategy ---- */

static bool work(struct search *search, size_t number, struct base_error *error) {
    struct state *state = search->state;
    struct worker worker = {.search = search, .state = state};
    worker.runner = (struct patterns_runner){
        .search = search, .programs = &search->programs[number], .error = error};
    worker.random = search_seed(search, number);
    for (int i = 0; i < 2; i++)
        worker.counts[i] = base_alloc(state->slots * sizeof(uint64_t));
    size_t bar_count = 0;
    if (worker.runner.programs->bars)
        worker.bars = worker.runner.programs->bars(worker.runner.programs->self, &bar_count);
    struct outcome *outcome = base_alloc(sizeof *outcome);
    if (number == 0) {
        time_probe(&worker);
        try_bytes(&worker, outcome);
        try_tokens(&worker, outcome);
    }
    while (!is_over(&worker)) {
        draw_batch(&worker);
        try_batch(&worker, BATCH, outcome);
    }
    limit_runs(&worker, 0);
    if (number == 0)
        examine_champions(&worker);
    free(outcome);
    base_buffer_done(&worker.inputs);
    base_buffer_done(&worker.runner.bytes);
    for (int i = 0; i < 2; i++)
        free(worker.counts[i]);
    return !worker.runner.failed;
}

static struct state *new_state(struct search *search) {
    const struct ir_facts *facts = search->options.facts;
    struct state *state = base_alloc(sizeof *state);
    state->slots = (facts ? facts->block_count : 0) + 1;
    state->bars = base_alloc(state->slots * sizeof *state->bars);
    state->most = base_alloc(state->slots * sizeof *state->most);
    state->examined = base_alloc(state->slots * sizeof *state->examined);
    state->champion = base_alloc(state->slots * sizeof *state->champion);
    size_t largest = final_reach(search).size;
    state->probe = largest / 4 < PROBE_BYTES ? largest / 4 : PROBE_BYTES;
    state->probe_seconds = 0.1;
    patterns_alphabet_init(&state->alphabet, &search->options);
    return state;
}

/* Runs the law's test and its relative once more, and hands the test over. */
static void offer(struct patterns_runner *runner, struct search_recipe *law) {
    struct patterns_run run, beside;
    if (law->has_relative) {
        uint64_t size = search_pattern_size(&law->pattern, law->repetitions);
        uint64_t k = search_pattern_fit(&law->relative, size);
        law->has_relative = patterns_run(runner, &law->relative, k, false, &beside);
        law->beside = (struct measure_point){(int64_t)beside.size, beside.cost};
    }
    if (!patterns_run(runner, &law->pattern, law->repetitions, false, &run))
        return;
    struct search *search = runner->search;
    pthread_mutex_lock(&search->lock);
    struct search_test test = {.input = (uint8_t *)runner->bytes.data,
                               .size = runner->bytes.count,
                               .cost = run.cost,
                               .path = {run.result.counts_hash, run.result.status},
                               .result = run.result,
                               .recipe = search_keep_recipe(search, law)};
    search_found(search, &test);
    pthread_mutex_unlock(&search->lock);
    law->series = (typeof(law->series)){0};
}

static void tell_pool(const struct state *state) {
    base_detail("patterns: %zu kept, %zu blocks reached; those with the largest counts:",
                state->pool.count, state->touched.count);
    for (size_t i = 0; i < state->hot_count; i++) {
        struct base_buffer text = {0};
        search_pattern_print(&state->pool.data[state->champion[state->hot[i]]], &text);
        base_detail("patterns: %12llu %s", (unsigned long long)state->most[state->hot[i]],
                    text.data);
        base_buffer_done(&text);
    }
}

static void finish(struct search *search, struct base_error *error) {
    struct state *state = search->state;
    struct patterns_runner runner = {
        .search = search, .programs = &search->programs[0], .error = error};
    search->growth->superlinear = state->found.count;
    for (size_t i = 0; i < state->found.count; i++)
        offer(&runner, &state->found.data[i].law);
    if (!state->found.count && state->steepest.series.count) {
        struct patterns_runner *one = &runner;
        state->steepest.hottest = patterns_hottest(one, &state->steepest);
        offer(one, &state->steepest);
        search->growth->steepest = search->recipes.count ? search->recipes.data[0] : NULL;
    }
    search->counters.runs += runner.runs;
    base_buffer_done(&runner.bytes);
}

static bool run(struct search *search, struct base_error *error) {
    search->state = new_state(search);
    search->growth = base_alloc(sizeof *search->growth);
    bool good = search_run_workers(search, work, error);
    tell_pool(search->state);
    if (good)
        finish(search, error);
    return good;
}

static void done(struct search *search) {
    struct state *state = search->state;
    if (!state)
        return;
    for (size_t i = 0; i < state->found.count; i++)
        base_vector_done(&state->found.data[i].law.series);
    base_vector_done(&state->found);
    base_vector_done(&state->steepest.series);
    base_vector_done(&state->pool);
    base_vector_done(&state->wins);
    base_vector_done(&state->units);
    base_vector_done(&state->touched);
    patterns_alphabet_done(&state->alphabet);
    free(state->bars);
    free(state->most);
    free(state->examined);
    free(state->champion);
    free(state);
}

const struct search_strategy search_strategy_patterns = {
    .name = "patterns",
    .summary = "short pieces, repeated and grown, whose cost is superlinear",
    .varies_size = true,
    .needs_bytes = true,
    .run = run,
    .done = done};
