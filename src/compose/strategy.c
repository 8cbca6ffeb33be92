/* SPDX-License-Identifier: Apache-2.0
 *
 * Composition as a strategy: one step after the other, as long as there is time. Composed inputs
 * are small; where larger ones are wanted they are also repeated, byte by byte and by whole lines,
 * with their words as they are and numbered. Stages are explored from what they read when the whole
 * runs on the best inputs so far, whoever found them. Without anything to compose, only the inputs
 * that it starts from are measured.
 */
#include "compose/compose.h"
#include "compose/number.h"
#include "search/core/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEARNED 4 /* inputs that others found, which stages are explored from */

struct taken { /* of an outcome */
    size_t tests, alone;
    bool has_begun;
};

static struct composing *composing_of(const struct search *search) {
    return search->options.guest ? search->options.guest->self : NULL;
}

static bool measure_one(struct search *search, const struct target_input *input,
                        struct base_error *error) {
    const struct search_program *program = &search->subject.programs[0];
    struct abi_result result;
    double cost;
    if (!search_grant_locked(search, 1))
        return true;
    if (!program->measure(program->self, input, 1, &result, &cost, error))
        return false;
    search_book_measured(search, input, 1, &result, &cost);
    return true;
}

static bool measure_starts(struct search *search, struct base_error *error) {
    const struct search_subject *subject = &search->subject;
    bool good = true;
    for (size_t i = 0; good && i < subject->start_count && !search_is_over(search); i++)
        good = measure_one(search, &subject->starts[i], error);
    return good;
}

static size_t length_of_lines(const struct compose_test *test) {
    const uint8_t *last = memrchr(test->input, '\n', test->size);
    return last ? (size_t)(last - test->input) + 1 : test->size;
}

/* As it is, and with its words numbered. */
static bool measure_grown(struct search *search, const struct compose_test *test, size_t unit,
                          size_t wanted, struct base_error *error) {
    static const struct compose_numbering ways[] = {{0, false}, {1, false}, {-1, false}, {1, true}};
    bool good = true;
    for (size_t i = 0; good && i < BASE_COUNT(ways) && !search_is_over(search); i++) {
        struct base_buffer bytes = {0};
        compose_number(test->input, unit, wanted, ways[i], &bytes);
        good = measure_one(search, &(struct target_input){bytes.data, bytes.count}, error);
        base_buffer_done(&bytes);
    }
    return good;
}

/* What a later stage reads may be larger than an input of the whole. */
static bool take_test(struct search *search, const struct compose_test *test,
                      struct base_error *error) {
    int64_t wanted = compose_wanted(composing_of(search));
    size_t size = test->size, lines = length_of_lines(test);
    if (wanted >= 0 && size > (size_t)wanted)
        size = (size_t)wanted;
    bool good = measure_one(search, &(struct target_input){test->input, size}, error);
    if (!good || !size || wanted < 0 || (size_t)wanted < 2 * size)
        return good;
    return measure_grown(search, test, size, (size_t)wanted, error) &&
           (lines == size || measure_grown(search, test, lines, (size_t)wanted, error));
}

static bool take_all(struct search *search, struct base_error *error) {
    const struct compose_outcome *outcome = compose_outcome_of(composing_of(search));
    struct taken *taken = search->state;
    bool good = true;
    while (good && taken->tests < outcome->tests.count)
        good = take_test(search, &outcome->tests.data[taken->tests++], error);
    while (good && taken->alone < outcome->alone.count)
        good = take_test(search, &outcome->alone.data[taken->alone++], error);
    return good;
}

static double end_of(const struct search *search) {
    double seconds = search->options.limits.seconds;
    return seconds > 0 ? search->began + seconds - search->options.limits.reserve : HUGE_VAL;
}

static bool take_step(struct search *search, struct base_error *error) {
    const struct search *outer = search->outer ? search->outer : search;
    size_t known = outer->archive.count;
    compose_learn(composing_of(search), outer->archive.tests, known < LEARNED ? known : LEARNED);
    return compose_step(composing_of(search), end_of(search), end_of(outer), error) &&
           take_all(search, error);
}

static bool run(struct search *search, struct base_error *error) {
    struct composing *composing = composing_of(search);
    struct taken *taken = search->state ? search->state : base_alloc(sizeof *taken);
    search->state = taken;
    bool good = taken->has_begun || measure_starts(search, error);
    taken->has_begun = true;
    good = good && (!composing || take_all(search, error)); /* it may be over already */
    while (good && composing && !compose_is_over(composing) && !search_is_over(search))
        good = take_step(search, error);
    return good;
}

static void done(struct search *search) {
    free(search->state);
    search->state = NULL;
}

const struct search_strategy compose_strategy = {
    .name = "compose",
    .summary = "inputs composed from costly paths of the stages, and nothing else",
    .varies_size = true,
    .run = run,
    .done = done};
