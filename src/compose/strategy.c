/* SPDX-License-Identifier: Apache-2.0
 *
 * Composition as a strategy: takes one step after another while there is time. Composed inputs are
 * small; if larger ones are wanted, they are also grown (grow.c). Stages are explored from what
 * they read when the whole runs on the best inputs so far, whoever found them. If there is nothing
 * to compose, only the starting inputs are measured.
 */
#include "compose/compose.h"
#include "compose/grow.h"
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

#define LEARNED 4 /* finds of others from which stages are explored */
#define LATE 0.25 /* of a turn, to run what was composed as it ended */

struct taken { /* numbers of an outcome's tests that have been taken */
    size_t tests, alone;
    struct compose_growing growing;
    bool has_begun;
};

static struct composing *composing_of(const struct search *search) {
    return search->options.guest ? search->options.guest->self : NULL;
}

static bool measure_starts(struct search *search, struct base_error *error) {
    const struct search_subject *subject = &search->subject;
    bool good = true;
    double cost;
    for (size_t i = 0; good && i < subject->start_count && !search_is_over(search); i++)
        good = compose_measure(search, &subject->starts[i], &cost, error);
    return good;
}

/* The input of a later stage may be larger than one of the whole. */
static bool take_test(struct search *search, const struct compose_test *test,
                      struct base_error *error) {
    struct taken *taken = search->state;
    const struct compose_request *request = compose_request_of(composing_of(search));
    int64_t wanted = request->wanted;
    struct target_input input = {test->input, test->size};
    if (request->whole.objects)
        return compose_grow_tree(search, &request->target.tree, &request->whole, &input, error);
    if (wanted >= 0 && input.size > (size_t)wanted)
        input.size = (size_t)wanted;
    return compose_grow_timed(search, &taken->growing, &input, wanted < 0 ? 0 : (size_t)wanted,
                              error);
}

/* What a turn has no time for is left to the next one. */
static bool take_all(struct search *search, struct base_error *error) {
    const struct compose_outcome *outcome = compose_outcome_of(composing_of(search));
    struct taken *taken = search->state;
    bool good = true;
    while (good && taken->tests < outcome->tests.count && !search_is_over(search))
        good = take_test(search, &outcome->tests.data[taken->tests++], error);
    while (good && taken->alone < outcome->alone.count && !search_is_over(search))
        good = take_test(search, &outcome->alone.data[taken->alone++], error);
    return good;
}

static bool has_new(const struct search *search) {
    const struct compose_outcome *outcome = compose_outcome_of(composing_of(search));
    const struct taken *taken = search->state;
    return taken->tests < outcome->tests.count;
}

/* A step may outlast the turn. What it composed is run all the same: the next turn depends on what
 * it costs. */
static bool take_late(struct search *search, struct base_error *error) {
    const struct search *outer = search->outer;
    if (!outer || !search_is_late(search) || search_is_ending(outer) || !has_new(search))
        return true;
    search->options.limits.seconds =
        base_seconds() - search->began + LATE * search->options.limits.seconds;
    atomic_store(&search->end, SEARCH_FINISHED);
    atomic_store(&search->stop, false);
    bool good = take_all(search, error);
    search_end_turn(search);
    return good;
}

static bool take_step(struct search *search, struct base_error *error) {
    const struct search *outer = search->outer ? search->outer : search;
    size_t known = outer->archive.count;
    compose_learn(composing_of(search), outer->archive.tests, known < LEARNED ? known : LEARNED);
    return compose_step(composing_of(search), compose_end_of(search), compose_end_of(outer),
                        error) &&
           take_late(search, error) && take_all(search, error);
}

static bool compose(struct search *search, struct composing *composing, struct base_error *error) {
    bool good = take_all(search, error); /* composing may already be over */
    while (good && !compose_is_over(composing) && !search_is_over(search))
        good = take_step(search, error);
    return good;
}

/* Before the symbolic builds are ready, and after composing, large inputs are made from finds of
 * others. */
static bool run(struct search *search, struct base_error *error) {
    struct composing *composing = composing_of(search);
    struct taken *taken = search->state ? search->state : base_alloc(sizeof *taken);
    search->state = taken;
    /* As a part of another search it leaves the starting inputs to the other strategies. */
    bool good = taken->has_begun || search->outer || measure_starts(search, error);
    taken->has_begun = true;
    if (good && composing && compose_is_ready(composing))
        good = compose(search, composing, error);
    if (good && search->outer && compose_is_large(search))
        good = compose_enlarge(search, &taken->growing, error);
    return good;
}

static void done(struct search *search) {
    struct taken *taken = search->state;
    if (taken)
        compose_growing_done(&taken->growing);
    free(taken);
    search->state = NULL;
}

const struct search_strategy compose_strategy = {
    .name = "compose",
    .summary = "inputs composed from costly paths of the stages, and nothing else",
    .varies_size = true,
    .run = run,
    .done = done};
