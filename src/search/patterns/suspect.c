/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the kept patterns are superlinear?
 *
 * A suspect is a pattern for which some block's count grows faster than the size, even if it is far
 * from dominating the total yet. Suspects are grown over many doublings; only the law of the total
 * cost counts. Superlinear patterns are shrunk, grown as far as the limits allow, and kept as the
 * strongest of the function in which the growing cost is spent.
 */
#include "search/patterns/patterns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEEP 1.4        /* slope of a block's count that makes a suspect */
#define STEEP_COUNT 128  /* at four times the size, at least */
#define BETTER 1.3       /* factor by which a new suspect's count must exceed the examined one */
#define QUICK_SIZE 16384 /* bytes, for a first look at a suspect */
#define QUICK_COST 2e7
#define PER_SECOND 3e8   /* instructions of the measuring build, a low estimate */
#define FINAL_SHARE 0.02 /* of the search's time, for the largest run of a test */

/* ---- what is superlinear ---- */

struct patterns_reach patterns_final_reach(const struct search *search) {
    const struct search_options *options = &search->options;
    double seconds = options->limits.seconds > 0 ? FINAL_SHARE * options->limits.seconds : 1;
    double longest = search->subject.run_seconds;
    seconds = seconds < 0.2 ? 0.2 : seconds;
    if (longest > 0 && seconds > longest / 2)
        seconds = longest / 2;
    return (struct patterns_reach){options->grow_size ? options->grow_size
                                                      : search->subject.layout.bytes,
                                   seconds * PER_SECOND};
}

static struct patterns_reach quick_reach(const struct search *search) {
    struct patterns_reach reach = patterns_final_reach(search);
    reach.size = reach.size < QUICK_SIZE ? reach.size : QUICK_SIZE;
    reach.cost = reach.cost < QUICK_COST ? reach.cost : QUICK_COST;
    return reach;
}

static struct patterns_found *find_by_function(struct patterns_state *state, uint32_t function) {
    for (size_t i = 0; i < state->found.count; i++)
        if (state->found.data[i].function == function)
            return &state->found.data[i];
    return NULL;
}

static void tell_found(const struct search_growth_law *law, const char *function) {
    struct base_buffer text = {0}, class = {0};
    target_pattern_print(&law->pattern, &text);
    measure_growth_class(&law->growth, &class);
    base_detail("patterns: %s in %s: %s", class.data, function, text.data);
    base_buffer_done(&text);
    base_buffer_done(&class);
}

/* With the lock held: for the status line. */
static void spread_news(struct search *search, const struct search_growth_law *law,
                        const char *function) {
    struct base_buffer class = {0};
    struct search_news *news = &search->news;
    measure_growth_class(&law->growth, &class);
    news->count++;
    news->seconds = base_seconds() - search->began;
    snprintf(news->text, sizeof news->text, "%s in %s", class.data, function);
    base_buffer_done(&class);
}

/* With the lock held: keeps the law if it is the strongest of its function; is it? */
static bool keep_found(struct patterns_worker *worker, struct search_growth_law *law,
                       const struct patterns_run *run, uint32_t function) {
    struct patterns_state *state = worker->state;
    const struct ir_facts *facts = worker->search->subject.facts;
    struct patterns_found *old = find_by_function(state, function);
    double strength = patterns_strength(law);
    if (old && old->strength >= strength)
        return false;
    const char *name = function == IR_NONE ? "a place that is looked for later"
                                           : facts->strings + facts->functions[function].name;
    if (!old) {
        spread_news(worker->search, law, name);
        base_push(&state->found, (struct patterns_found){.function = function});
        old = &state->found.data[state->found.count - 1];
    }
    struct search_growth_law before = old->law;
    old->law = *law;
    old->run = *run;
    old->strength = strength;
    law->series = before.series; /* the caller frees it */
    tell_found(&old->law, name);
    patterns_give(worker, SEARCH_LAW, &old->law.pattern);
    const struct search_options *options = &worker->search->options;
    if (options->announce)
        options->announce(options->announce_context, &old->law, name);
    return true;
}

/* The cost of library functions is attributed to the function that calls them. */
static uint32_t function_of(const struct search *search, const struct search_growth_law *law) {
    const struct measure_cause *cause = &law->cause;
    if (law->hottest != IR_NONE)
        return search->subject.facts->blocks[law->hottest].function;
    return cause->count ? cause->steps[cause->count - 1].function : IR_NONE;
}

static bool is_weaker(struct patterns_worker *worker, const struct search_growth_law *law,
                      uint32_t function) {
    patterns_lock(worker);
    const struct patterns_found *old = find_by_function(worker->state, function);
    bool weaker = old && old->strength * BETTER > patterns_strength(law);
    patterns_unlock(worker);
    return weaker;
}

/* With the lock held: keeps the costliest per byte of those that are not superlinear. */
static void keep_steepest(struct patterns_worker *worker, struct search_growth_law *law,
                          const struct patterns_run *run) {
    struct search_growth *growth = worker->search->growth;
    const struct measure_point *last = &law->series.data[law->series.count - 1];
    if (!last->size || last->cost / (double)last->size <= growth->rate)
        return;
    growth->rate = last->cost / (double)last->size;
    struct search_growth_law before = worker->state->steepest;
    worker->state->steepest = *law;
    worker->state->steepest_run = *run;
    law->series = before.series;
}

/* The search is ending: keeps the law as it is; where its cost is spent is looked up afterwards. */
static void keep_as_it_is(struct patterns_worker *worker, struct search_growth_law *law,
                          const struct patterns_run *run) {
    law->hottest = IR_NONE;
    patterns_lock(worker);
    keep_found(worker, law, run, IR_NONE);
    patterns_unlock(worker);
}

/* Grows as far as the limits allow. FINAL has no series yet. True: it is kept as a law. */
static bool grow_finally(struct patterns_worker *worker, const struct target_pattern *pattern,
                         struct search_growth_law *final) {
    struct patterns_reach reach = patterns_final_reach(worker->search);
    struct patterns_run last;
    patterns_grow(&worker->runner, pattern, &reach, final, &last);
    bool is_steep = measure_is_superlinear(&final->growth), is_kept = false;
    if (is_steep)
        patterns_explain(&worker->runner, final);
    patterns_lock(worker);
    if (is_steep)
        is_kept = keep_found(worker, final, &last, function_of(worker->search, final));
    else if (final->series.count)
        keep_steepest(worker, final, &last);
    patterns_unlock(worker);
    return is_kept;
}

bool patterns_grow_known(struct patterns_worker *worker, const struct target_pattern *pattern) {
    struct search_growth_law law = {0};
    bool is_kept = grow_finally(worker, pattern, &law);
    base_vector_done(&law.series);
    return is_kept;
}

/* Turns a law found over QUICK_SIZE into a test: shrinks its pattern, grows it, and explains its
 * cost. */
static void settle(struct patterns_worker *worker, struct search_growth_law *law) {
    struct patterns_reach quick = quick_reach(worker->search);
    patterns_explain(&worker->runner, law);
    uint32_t function = function_of(worker->search, law);
    if (is_weaker(worker, law, function))
        return;
    patterns_lock(worker); /* the first worker may still be adding bytes */
    struct patterns_alphabet alphabet = worker->state->alphabet;
    patterns_unlock(worker);
    struct search_growth_law shrunk = *law;
    patterns_shrink(&worker->runner, &alphabet, &quick, &shrunk);
    struct search_growth_law final = {
        .has_relative = shrunk.has_relative, .relative = shrunk.relative, .beside = shrunk.beside};
    grow_finally(worker, &shrunk.pattern, &final);
    base_vector_done(&final.series);
    law->series.data = shrunk.series.data; /* shrinking may have moved it */
    law->series.capacity = shrunk.series.capacity;
    law->series.count = 0;
}

/* The cost levels off, probably at the end of one record: grows repeated records instead. */
static void examine_records(struct patterns_worker *worker, const struct target_pattern *pattern) {
    struct patterns_reach reach = quick_reach(worker->search);
    struct target_pattern renewed;
    struct search_growth_law law = {0};
    struct patterns_run last;
    bool is_steep = false;
    for (size_t i = 0; !is_steep && i < PATTERNS_RECORDS; i++) {
        if (!patterns_renew(pattern, i, &renewed))
            continue;
        patterns_grow(&worker->runner, &renewed, &reach, &law, &last);
        is_steep = measure_is_superlinear(&law.growth);
        patterns_lock(worker);
        worker->search->growth->grown++;
        patterns_unlock(worker);
    }
    if (is_steep)
        settle(worker, &law);
    base_vector_done(&law.series);
}

void patterns_examine(struct patterns_worker *worker, const struct target_pattern *pattern) {
    struct patterns_reach reach = quick_reach(worker->search);
    struct search_growth_law law = {0};
    struct patterns_run last;
    patterns_grow(&worker->runner, pattern, &reach, &law, &last);
    bool is_open = law.growth.kind == MEASURE_GROWTH_UNCLEAR && law.growth.slope > 1.02;
    if (is_open) {
        reach = patterns_final_reach(worker->search);
        reach.cost /= 4;
        patterns_grow(&worker->runner, pattern, &reach, &law, &last);
    }
    bool is_steep = measure_is_superlinear(&law.growth);
    patterns_lock(worker);
    worker->search->growth->grown++;
    if (!is_steep && law.series.count)
        keep_steepest(worker, &law, &last);
    patterns_unlock(worker);
    bool is_ending = search_is_ending(worker->search);
    if (is_steep && is_ending)
        keep_as_it_is(worker, &law, &last);
    else if (is_steep)
        settle(worker, &law);
    else if (!is_ending && patterns_is_held_up(&law))
        examine_records(worker, pattern);
    base_vector_done(&law.series);
}

/* ---- which patterns are suspects ---- */

static double slope(uint64_t count, uint64_t more, double doublings) {
    return count ? log2((double)more / (double)count) / doublings : 0;
}

/* The steep slot with the highest cost, unless its count hardly exceeds the one it was examined at;
 * UINT32_MAX: no slot is steep. */
static uint32_t find_steep(struct patterns_worker *worker, const struct patterns_run runs[3],
                           const uint64_t *last) {
    struct patterns_state *state = worker->state;
    double first = log2((double)runs[1].size / (double)runs[0].size);
    double second = log2((double)runs[2].size / (double)runs[1].size);
    const struct ir_facts *facts = worker->search->subject.facts;
    double most = 0;
    uint32_t best = UINT32_MAX;
    for (uint32_t slot = 0; first > 0.3 && second > 0.3 && slot < state->pool.slots; slot++) {
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

/* With the lock held: raises the examined counts to these, of a run at a larger size. */
static void mark_examined(struct patterns_worker *worker, const uint64_t *counts) {
    for (uint32_t slot = 0; slot < worker->state->pool.slots; slot++)
        if (counts[slot] > worker->state->examined[slot])
            worker->state->examined[slot] = counts[slot];
}

bool patterns_is_suspect(struct patterns_worker *worker, const struct target_pattern *pattern,
                         struct patterns_run runs[3]) {
    uint64_t probe = worker->probe.size;
    size_t bytes = worker->state->pool.slots * sizeof(uint64_t);
    for (int i = 1; i < 3; i++) {
        uint64_t k = target_pattern_fit(pattern, probe << i);
        if (!patterns_run(&worker->runner, pattern, k, true, &runs[i]))
            return runs[i].result.status == ABI_STATUS_TIMEOUT;
        if (i == 1)
            memcpy(worker->counts[1], runs[1].counts, bytes);
    }
    patterns_lock(worker);
    bool steep = find_steep(worker, runs, runs[2].counts) != UINT32_MAX;
    if (steep)
        mark_examined(worker, runs[2].counts);
    patterns_unlock(worker);
    return steep || runs[2].cost > runs[1].cost * 2.8;
}
