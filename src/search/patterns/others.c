/* SPDX-License-Identifier: Apache-2.0
 *
 * How do searches of the same subject share patterns?
 *
 * A search that begins to grow a suspect claims it, so that no two grow the same pattern. Here, a
 * pattern claimed elsewhere joins the pool, and its block counts are marked as examined, so that
 * only something steeper is looked at. If it is superlinear, its law arrives later and is grown
 * here once more before it becomes a finding. If the claiming search dies, its patterns are not
 * lost: as champions they are examined in the end.
 */
#include "search/patterns/patterns.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST_FOLDED 16384u /* bytes; larger inputs are not folded into patterns */
#define MOST_OFFERED 256u
#define MOST_CLAIMS 65536u

static bool has_others(const struct search *search) {
    const struct search_exchange *exchange = search->options.exchange;
    return exchange && !exchange->has_inputs_only;
}

void patterns_give(const struct patterns_worker *worker, enum search_message kind,
                   const struct target_pattern *pattern) {
    struct base_buffer text = {0};
    if (!has_others(worker->search))
        return;
    target_pattern_print(pattern, &text);
    search_give(worker->search, kind, text.data, text.count);
    base_buffer_done(&text);
}

/* ---- claims ---- */

/* With the lock held: is it new? */
static bool note_claim(struct patterns_state *state, const struct target_pattern *pattern) {
    struct base_buffer text = {0};
    target_pattern_print(pattern, &text);
    bool is_new = base_map_get(&state->claims, text.data) == BASE_MAP_NONE;
    if (is_new && state->claims.count < MOST_CLAIMS)
        base_map_set(&state->claims, text.data, 1);
    base_buffer_done(&text);
    return is_new;
}

bool patterns_claim(struct patterns_worker *worker, const struct target_pattern *pattern) {
    if (!has_others(worker->search))
        return true;
    patterns_lock(worker);
    bool is_new = note_claim(worker->state, pattern);
    patterns_unlock(worker);
    if (is_new)
        patterns_give(worker, SEARCH_CLAIM, pattern);
    return is_new;
}

void patterns_settle(struct patterns_worker *worker, const struct target_pattern *pattern) {
    struct search *search = worker->search;
    if (!has_others(search) || worker->runner.failed || search_is_ending(search))
        return;
    patterns_lock(worker);
    bool goes_on = search_runs_left(search) > 0;
    patterns_unlock(worker);
    if (goes_on)
        patterns_give(worker, SEARCH_SETTLED, pattern);
}

/* ---- receiving ---- */

static bool next_pattern(struct patterns_worker *worker, enum search_message kind,
                         struct target_pattern *pattern) {
    uint8_t *data;
    size_t size;
    while (search_take(worker->search, kind, &data, &size)) {
        char *text = base_format("%.*s", (int)(size < 4096 ? size : 4096), (char *)data);
        bool good = target_pattern_parse(text, pattern) && pattern->unit.size;
        free(text);
        free(data);
        if (good)
            return true;
    }
    return false;
}

static void take_claim(struct patterns_worker *worker, const struct target_pattern *pattern) {
    struct patterns_run runs[3];
    patterns_lock(worker);
    bool is_new = note_claim(worker->state, pattern);
    patterns_unlock(worker);
    if (!is_new || !patterns_count_at_probe(worker, pattern, &runs[0]) ||
        runs[0].cost > worker->probe.cost)
        return;
    patterns_lock(worker);
    bool is_record = patterns_pool_enter(&worker->state->pool, pattern, worker->counts[0]);
    patterns_unlock(worker);
    patterns_is_suspect(worker, pattern, runs); /* marks its counts as examined */
    search_note_taken(worker->search, SEARCH_CLAIM, is_record);
}

void patterns_take_laws(struct patterns_worker *worker) {
    struct target_pattern pattern;
    while (!worker->runner.failed && next_pattern(worker, SEARCH_LAW, &pattern)) {
        patterns_lock(worker);
        note_claim(worker->state, &pattern);
        patterns_unlock(worker);
        search_note_taken(worker->search, SEARCH_LAW, patterns_grow_known(worker, &pattern));
    }
}

/* With the lock held: a pattern that an input repeats may be worth growing. */
static bool offer_folded(struct search *search, size_t number, const struct search_test *test) {
    struct patterns_state *state = search->state;
    struct target_pattern pattern;
    (void)number;
    if (test->size <= LARGEST_FOLDED && state->offered.count < MOST_OFFERED &&
        patterns_fold(test->input, test->size, &pattern))
        base_push(&state->offered, pattern);
    return false;
}

static void take_all(struct patterns_worker *worker) {
    struct search *search = worker->search;
    struct target_pattern pattern;
    size_t number = (size_t)(worker->runner.program - search->subject.programs);
    while (!search_is_ending(search) && (next_pattern(worker, SEARCH_CLAIM, &pattern) ||
                                         next_pattern(worker, SEARCH_SETTLED, &pattern)))
        take_claim(worker, &pattern);
    bool has_more =
        search_has_waiting(search, SEARCH_LAW) || search_has_waiting(search, SEARCH_INPUT);
    if (!has_more || search_is_ending(search))
        return;
    patterns_limit_examined(worker);
    patterns_take_laws(worker);
    worker->runner.failed |=
        !search_take_inputs(search, number, offer_folded, worker->runner.error);
}

void patterns_take(struct patterns_worker *worker) {
    struct patterns_runner *runner = &worker->runner;
    uint64_t runs = runner->runs;
    if (!worker->search->options.exchange || runner->failed)
        return;
    runner->is_free = true; /* like all runs of what others found */
    take_all(worker);
    runner->is_free = false;
    runner->runs = runs;
}
