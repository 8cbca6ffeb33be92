/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the search over patterns deliver? One test for each superlinear law that was kept,
 * together with a similar pattern that stays linear; if there is no such law, the pattern with the
 * steepest cost.
 */
#include "search/patterns/patterns.h"

#include <stdlib.h>

/* Runs the linear relative at the size of the test. If there is no time, its size and cost from
 * when it was found stay. */
static void look_beside(struct patterns_runner *runner, struct search_growth_law *law) {
    struct patterns_run beside;
    if (!law->has_relative)
        return;
    uint64_t size = target_pattern_size(&law->pattern, law->repetitions);
    uint64_t k = target_pattern_fit(&law->relative, size);
    if (patterns_run(runner, &law->relative, k, false, &beside))
        law->beside = (struct measure_point){(int64_t)beside.size, beside.cost};
}

/* The search owns the law from now on. */
static struct search_growth_law *keep(struct patterns_runner *runner,
                                      struct search_growth_law *law) {
    look_beside(runner, law);
    patterns_separate(runner, law);
    law->strength = patterns_strength(law);
    struct search_growth_law *kept = search_keep_law(runner->search, law);
    law->series = (typeof(law->series)){0};
    return kept;
}

/* Writes the law's test, whose run was RUN, and offers it. */
static void offer(struct patterns_runner *runner, const struct search_growth_law *law,
                  const struct patterns_run *run) {
    runner->bytes.count = 0;
    target_pattern_write(&law->pattern, run->repetitions, &runner->bytes);
    struct search *search = runner->search;
    pthread_mutex_lock(&search->lock);
    struct search_test test = {.input = (uint8_t *)runner->bytes.data,
                               .size = runner->bytes.count,
                               .cost = run->cost,
                               .path = {run->result.counts_hash, run->result.status},
                               .result = run->result,
                               .law = law};
    search_found(search, &test);
    pthread_mutex_unlock(&search->lock);
}

/* Groups all laws by their causes before the first test is offered. A law found as the search ended
 * has no cause yet. */
static void offer_found(struct patterns_runner *runner, struct patterns_state *state) {
    struct search_growth_law **kept = base_alloc((state->found.count + 1) * sizeof(void *));
    for (size_t i = 0; i < state->found.count; i++) {
        if (state->found.data[i].function == IR_NONE)
            patterns_explain(runner, &state->found.data[i].law);
        kept[i] = keep(runner, &state->found.data[i].law);
        search_add_finding(runner->search->growth, kept[i]);
    }
    patterns_raise(runner, state, kept);
    for (size_t i = 0; i < state->found.count; i++)
        offer(runner, kept[i], &state->found.data[i].run);
    free(kept);
}

/* Nothing was grown before the end: offers a plain pattern, so that there is a test at all. */
static void offer_plain(struct patterns_runner *runner) {
    struct target_pattern pattern = patterns_of_byte(' ');
    uint64_t size = ((struct patterns_state *)runner->search->state)->probe.size;
    struct patterns_run run;
    if (!patterns_run(runner, &pattern, target_pattern_fit(&pattern, size), false, &run))
        return;
    struct search_test test = {.input = (uint8_t *)runner->bytes.data,
                               .size = runner->bytes.count,
                               .cost = run.cost,
                               .path = {run.result.counts_hash, run.result.status},
                               .result = run.result};
    search_found(runner->search, &test);
}

/* What is unclear at small sizes may be superlinear at larger ones. */
static void clear_up(struct patterns_runner *runner, struct patterns_state *state) {
    struct search_growth_law *law = &state->steepest;
    patterns_clear_up(runner, law, &state->steepest_run);
    if (!measure_is_superlinear(&law->growth))
        return;
    base_push(&state->found, (struct patterns_found){.law = *law,
                                                     .run = state->steepest_run,
                                                     .function = IR_NONE,
                                                     .strength = patterns_strength(law)});
    *law = (struct search_growth_law){0};
}

/* These runs do not count, like those that run tests again. */
void patterns_finish(struct search *search, struct base_error *error) {
    struct patterns_state *state = search->state;
    struct patterns_runner runner = {
        .search = search, .program = &search->subject.programs[0], .error = error, .is_free = true};
    if (!state->found.count && state->steepest.series.count)
        clear_up(&runner, state);
    search->growth->superlinear = state->found.count;
    offer_found(&runner, state);
    if (!state->found.count && state->steepest.series.count) {
        patterns_explain(&runner, &state->steepest);
        struct search_growth_law *steepest = keep(&runner, &state->steepest);
        search->growth->steepest = steepest;
        patterns_raise_one(&runner, steepest, &state->steepest_run);
        offer(&runner, steepest, &state->steepest_run);
    }
    if (!search->archive.count && !search->only_takes)
        offer_plain(&runner);
    base_buffer_done(&runner.bytes);
}
