/* SPDX-License-Identifier: Apache-2.0
 *
 * Where inputs of others enter a search, by a messenger that is simulated: every strategy keeps
 * what is better, whatever it does itself; what is taken costs no run of its own; a strategy gives
 * what is the costliest so far; the stream decides the random numbers.
 */
#include "search/core/core.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define SIZE 16

struct messenger {
    struct search_exchange exchange;
    pthread_mutex_t lock;
    struct target_input inputs[8]; /* to be taken; borrowed */
    size_t count, next, records, given;
    uint64_t last; /* hash of the input that was given last */
};

static void give(void *self, enum search_message kind, const void *data, size_t size) {
    struct messenger *messenger = self;
    assert_int_equal(kind, SEARCH_INPUT);
    pthread_mutex_lock(&messenger->lock);
    messenger->given++;
    messenger->last = 0;
    for (size_t i = 0; i < size; i++)
        messenger->last = messenger->last * 31 + ((const uint8_t *)data)[i];
    pthread_mutex_unlock(&messenger->lock);
}

static bool take(void *self, enum search_message kind, uint8_t **data, size_t *size) {
    struct messenger *messenger = self;
    pthread_mutex_lock(&messenger->lock);
    bool has_one = kind == SEARCH_INPUT && messenger->next < messenger->count;
    if (has_one) {
        const struct target_input *input = &messenger->inputs[messenger->next++];
        *data = base_alloc(input->size + 1);
        memcpy(*data, input->data, input->size);
        *size = input->size;
        messenger->exchange.waiting[kind]--;
    }
    pthread_mutex_unlock(&messenger->lock);
    return has_one;
}

static void note(void *self, enum search_message kind, bool is_record) {
    struct messenger *messenger = self;
    (void)kind;
    pthread_mutex_lock(&messenger->lock);
    messenger->records += is_record;
    pthread_mutex_unlock(&messenger->lock);
}

static bool ask(void *self, enum search_message kind) {
    const struct messenger *messenger = self;
    return messenger->exchange.waiting[kind] > 0;
}

static void messenger_init(struct messenger *messenger, const struct target_input *inputs,
                           size_t count) {
    *messenger = (struct messenger){.count = count};
    pthread_mutex_init(&messenger->lock, NULL);
    messenger->exchange.self = messenger;
    messenger->exchange.give = give;
    messenger->exchange.take = take;
    messenger->exchange.note = note;
    messenger->exchange.ask = ask;
    messenger->exchange.waiting[SEARCH_INPUT] = count;
    for (size_t i = 0; i < count; i++)
        messenger->inputs[i] = inputs[i];
}

/* All pairs are inversions: 120 of them. */
static const uint8_t falling[SIZE] = {16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};

static void search(struct fake_search *fake, const char *strategy, struct messenger *messenger,
                   uint64_t runs, size_t jobs) {
    fake->options.exchange = &messenger->exchange;
    fake->options.limits.runs = runs;
    fake->options.tests = 3;
    fake_prepare(fake, strategy, fake_inversions, SIZE, jobs);
    assert_true(fake_go(fake));
}

static void check_strategy(const char *strategy, size_t jobs) {
    struct target_input inputs[] = {{falling, SIZE}, {falling, SIZE - 1}};
    struct messenger messenger;
    struct fake_search fake = {.abilities = FAKE_COUNTED};
    const struct search_test *tests;
    messenger_init(&messenger, inputs, 2);
    search(&fake, strategy, &messenger, 40, jobs);
    assert_true(search_tests(fake.search, &tests) > 0);
    assert_int_equal(tests[0].cost, 121);
    assert_int_equal(messenger.next, 2);
    assert_true(messenger.records > 0);
    assert_true(fake.now.counters.runs <= 40);
    fake_finish(&fake);
}

static void test_strategies_keep_what_is_better(void **state) {
    (void)state;
    check_strategy("random", 1);
    check_strategy("climb", 1);
    check_strategy("evolve", 1);
    check_strategy("auto", 1);
}

static void test_several_workers(void **state) {
    (void)state;
    check_strategy("random", FAKE_JOBS);
    check_strategy("climb", FAKE_JOBS);
    check_strategy("evolve", FAKE_JOBS);
}

/* ---- a guest of auto ---- */

static size_t guest_turns;

static bool bring_falling(struct search *search, struct base_error *error) {
    const struct search_program *program = &search->subject.programs[0];
    struct target_input input = {falling, SIZE};
    struct abi_result result;
    double cost;
    assert_true(search_grant_locked(search, 1) == 1);
    assert_true(program->measure(program->self, &input, 1, &result, &cost, error));
    search_book_measured(search, &input, 1, &result, &cost);
    guest_turns++;
    return true;
}

static bool is_ready(void *self) {
    return self != NULL;
}

static bool hopes(void *self, const struct search_test *best) {
    return self == &guest_turns && best;
}

/* It has one turn behind the first of the others, and what it brings is a test and a start. A
 * search without a limit takes a minute, of which it may have 4.8 seconds. */
static void check_guest(void *self, double needs, size_t turns) {
    static const struct search_strategy strategy = {
        .name = "guest", .varies_size = true, .run = bring_falling};
    struct search_guest guest = {.strategy = &strategy,
                                 .self = self,
                                 .is_ready = is_ready,
                                 .share = 0.08,
                                 .needs = needs,
                                 .has_hope = hopes};
    struct fake_search fake = {.abilities = FAKE_COUNTED};
    const struct search_test *tests;
    guest_turns = 0;
    fake.options.guest = &guest;
    fake.options.limits.runs = 120000; /* one turn of evolution, and some more */
    fake.options.tests = 3;
    fake_prepare(&fake, "auto", fake_inversions, SIZE, 1);
    assert_true(fake_go(&fake));
    assert_int_equal(guest_turns, turns);
    assert_true(search_tests(fake.search, &tests) > 0);
    assert_true(!turns || tests[0].cost == 121);
    assert_int_equal(fake.now.counters.runs, 120000);
    fake_finish(&fake);
}

static void test_guest_has_turns(void **state) {
    (void)state;
    check_guest(&guest_turns, 0, 1);
}

/* A share that is too small to bring anything is not spent, but if there is hope. */
static void test_guest_without_hope(void **state) {
    static int other;
    (void)state;
    check_guest(&guest_turns, 5, 1);
    check_guest(&other, 5, 0);
    check_guest(&other, 4, 1);
}

static void test_guest_that_is_not_ready(void **state) {
    (void)state;
    check_guest(NULL, 0, 0);
}

/* A search that explores all paths has them, and nothing of others adds to their number. */
static void test_paths_are_counted_as_without(void **state) {
    int32_t values[4] = {4, 3, 2, 1};
    struct target_input input = {values, sizeof values};
    struct messenger messenger;
    struct fake_search fake = {.abilities = FAKE_TRACED};
    (void)state;
    messenger_init(&messenger, &input, 1);
    fake.options.exchange = &messenger.exchange;
    fake_prepare(&fake, "exhaustive", fake_insertion_sort, sizeof values, 1);
    assert_true(fake_go(&fake));
    assert_int_equal(fake.now.counters.paths, 24);
    assert_true(fake.now.complete);
    assert_int_equal(messenger.next, 1);
    assert_true(messenger.given > 0);
    fake_finish(&fake);
}

static uint64_t last_given(uint64_t stream) {
    struct messenger messenger;
    struct fake_search fake = {.options = {.stream = stream}};
    messenger_init(&messenger, NULL, 0);
    search(&fake, "random", &messenger, 500, 1);
    fake_finish(&fake);
    return messenger.last;
}

static void test_streams_differ_and_repeat(void **state) {
    (void)state;
    assert_int_equal(last_given(1), last_given(1));
    assert_int_not_equal(last_given(1), last_given(2));
    assert_int_not_equal(last_given(0), last_given(2));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_strategies_keep_what_is_better),
                                       cmocka_unit_test(test_several_workers),
                                       cmocka_unit_test(test_guest_has_turns),
                                       cmocka_unit_test(test_guest_without_hope),
                                       cmocka_unit_test(test_guest_that_is_not_ready),
                                       cmocka_unit_test(test_paths_are_counted_as_without),
                                       cmocka_unit_test(test_streams_differ_and_repeat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
