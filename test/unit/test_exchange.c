/* SPDX-License-Identifier: Apache-2.0
 *
 * Where inputs of others enter a search, by a messenger that is simulated: every strategy keeps
 * what is better, whatever it does itself; what is taken costs no run of its own; a strategy gives
 * what is the costliest so far; the stream decides the random numbers.
 */
#include "search/auto/auto.h"

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

/* After 10 of 20 seconds it has had 2, and made all the gains: it may have 1.6 seconds, and 2.5 for
 * the gains, of which each turn in vain takes three quarters. */
static void test_guest_that_gains_no_more(void **state) {
    static const struct search_strategy strategy = {.name = "guest", .run = bring_falling};
    static const struct auto_row row = {.strategy = NULL};
    static int other;
    struct search_guest guest = {.strategy = &strategy,
                                 .self = &guest_turns,
                                 .is_ready = is_ready,
                                 .share = 0.08,
                                 .has_hope = hopes};
    struct fake_search fake = {.abilities = FAKE_COUNTED};
    (void)state;
    fake.options.guest = &guest;
    fake.options.limits.runs = 10;
    fake_prepare(&fake, "random", fake_inversions, SIZE, 1);
    assert_true(fake_go(&fake));
    fake.search->began = base_seconds() - 10;
    struct auto_part part = {
        .row = &row, .search = fake.search, .spent = 2, .first_best = 1, .gained = 100};
    assert_true(auto_guest_is_ready(fake.search, &part, 20, false));
    auto_guest_gained(&part, 8, 8);
    assert_true(auto_guest_is_ready(fake.search, &part, 20, false));
    auto_guest_gained(&part, 8, 8);
    assert_false(auto_guest_is_ready(fake.search, &part, 20, false));
    auto_guest_gained(&part, 8, 16);
    assert_true(auto_guest_is_ready(fake.search, &part, 20, false));
    /* The others have left it behind. */
    fake.search->archive.tests[0].cost /= 2;
    part.search = fake.search;
    struct search outer = *fake.search;
    struct search_test best = {.cost = 4 * fake.search->archive.tests[0].cost};
    outer.archive = (struct search_archive){.tests = &best, .count = 1, .limit = 1};
    assert_false(auto_guest_is_ready(&outer, &part, 20, false));
    fake.search->archive.tests[0].cost *= 2;
    /* Nobody has gained anything: then hope decides. */
    part.first_best = fake.search->archive.tests[0].cost;
    part.in_vain = 2;
    part.spent = 6;
    assert_true(auto_guest_is_ready(fake.search, &part, 20, false));
    guest.self = &other;
    assert_false(auto_guest_is_ready(fake.search, &part, 20, false));
    fake_finish(&fake);
}

/* Tests of one byte, which cost FIRST and less. */
static void offer_tests(struct search_archive *archive, uint8_t first, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint8_t byte = (uint8_t)(first - i);
        search_archive_offer(
            archive,
            &(struct search_test){.input = &byte, .size = 1, .cost = byte, .path = {byte, 0}});
    }
}

static size_t count_starts(const struct auto_part *part, uint8_t least, uint8_t most) {
    size_t count = 0;
    for (size_t i = 0; i < part->subject.start_count; i++) {
        const uint8_t *byte = part->starts[i].data;
        count += *byte >= least && *byte <= most;
    }
    return count;
}

/* What a guest found comes in addition to what a part starts from without it, if it costs FIRST and
 * that is far more than what the others found; also if another part has taken it. */
static void check_starts(uint8_t first, size_t of_guest) {
    static const struct auto_row row = {.strategy = NULL};
    static const struct auto_row other = {.strategy = &search_strategy_evolve};
    struct search_guest guest = {.self = &guest_turns};
    struct fake_search outer = {0}, own = {0}, theirs = {0};
    struct auto_part part = {.row = &other};
    outer.options = (struct search_options){.guest = &guest, .tests = 5};
    fake_prepare(&outer, "auto", fake_inversions, SIZE, 1);
    fake_prepare(&own, "evolve", fake_inversions, SIZE, 1);
    fake_prepare(&theirs, "evolve", fake_inversions, SIZE, 1);
    struct auto_state parts = {
        .parts = {{.row = &other, .search = own.search}, {.row = &row, .search = theirs.search}},
        .count = 2};
    outer.search->state = &parts;
    offer_tests(&own.search->archive, 100, 10);
    offer_tests(&own.search->archive, first, 10);
    offer_tests(&theirs.search->archive, first, 10);
    auto_start_from_all(&part, outer.search);
    outer.search->state = NULL;
    assert_int_equal(count_starts(&part, 96, 100), 5);
    assert_int_equal(count_starts(&part, first - 9, first), of_guest);
    assert_int_equal(part.subject.start_count, 5 + of_guest);
    for (size_t i = 0; i < part.subject.start_count; i++)
        free((void *)part.starts[i].data);
    free(part.starts);
    fake_finish(&outer);
    fake_finish(&own);
    fake_finish(&theirs);
}

static void test_starts_beside_a_guest(void **state) {
    (void)state;
    check_starts(200, 4);
    check_starts(150, 0);
}

/* ---- others that grow no patterns ---- */

static uint64_t hash_of_runs; /* of all inputs, in their order */

static void note_run(struct fake_run *run, const uint8_t *input, size_t size) {
    fake_inversions(run, input, size);
    for (size_t i = 0; i < size; i++)
        hash_of_runs = hash_of_runs * 31 + input[i];
    hash_of_runs = hash_of_runs * 31 + size;
}

static uint64_t grow_patterns(struct search_exchange *exchange) {
    struct fake_search fake = {.abilities = FAKE_COUNTED, .subject = {.sizes_vary = true}};
    hash_of_runs = 0;
    fake.options.exchange = exchange;
    fake.options.grow_size = 1024;
    fake.options.limits.runs = 3000;
    fake_prepare(&fake, "patterns", note_run, 1024, 1);
    assert_true(fake_go(&fake));
    assert_true(fake.now.counters.runs > 0);
    fake_finish(&fake);
    return hash_of_runs;
}

/* Nobody else can claim a pattern, so the runs are those of a search alone. */
static void test_others_without_patterns(void **state) {
    struct messenger messenger;
    (void)state;
    messenger_init(&messenger, NULL, 0);
    messenger.exchange.has_inputs_only = true;
    assert_true(grow_patterns(NULL) == grow_patterns(&messenger.exchange));
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
                                       cmocka_unit_test(test_guest_that_gains_no_more),
                                       cmocka_unit_test(test_starts_beside_a_guest),
                                       cmocka_unit_test(test_others_without_patterns),
                                       cmocka_unit_test(test_paths_are_counted_as_without),
                                       cmocka_unit_test(test_streams_differ_and_repeat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
