/* SPDX-License-Identifier: Apache-2.0
 *
 * Do the workers of a search keep out of each other's way? Every strategy runs with two and with
 * four workers against simulated targets (see fake.h), with a watcher that looks at what there is.
 * What is found is checked here; that nobody touches what another one is at is checked by
 * ThreadSanitizer, under which this test runs as well (preset `thread`).
 */
#include "search/core/core.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <string.h>

#include "fake.h"

#define SMALL 20   /* bytes: five integers, 120 paths */
#define LARGE 80   /* bytes: more than auto explores completely */
#define RUNS 5000  /* of one search */
#define SECONDS 20 /* should it hang */

/* ---- programs ---- */

/* Each path has its own block counts. */
static void sort(struct fake_run *run, const uint8_t *input, size_t size) {
    fake_insertion_sort(run, input, size);
    run->counts_hash = 1;
    for (size_t i = 0; i < run->events.count; i++)
        run->counts_hash = run->counts_hash * 31 + run->events.data[i].value + 1;
}

/* Quadratic in the length of a run of 'a'; a long run of a large byte takes too long. */
static void grow(struct fake_run *run, const uint8_t *input, size_t size) {
    size_t length = 0, longest = 0;
    for (size_t i = 0; i < size; i++) {
        length = i && input[i] == input[i - 1] ? length + 1 : 1;
        run->cost += input[i] == 'a' ? length : 1;
        if (input[i] >= 0xc0 && length > longest)
            longest = length;
    }
    run->counts_hash = run->cost + 1;
    if (longest > 40)
        run->status = ABI_STATUS_TIMEOUT;
}

/* Sizes of an array of integers. */
static bool layout(void *self, int64_t size, struct search_layout *layout) {
    struct target_field field = {.name = "a",
                                 .element_size = 4,
                                 .count = (uint64_t)size,
                                 .is_array = true,
                                 .is_signed = true};
    (void)self;
    layout->bytes = (uint64_t)size * 4;
    layout->is_typed = true;
    base_push(&layout->fields, field);
    return size > 0 && size <= FAKE_INTS;
}

/* ---- searching them ---- */

struct watched {
    unsigned times;
    bool ends; /* the search ends when it is watched for the first time */
};

static void watch(struct search *search, void *context) {
    struct watched *watched = context;
    struct search_statistics now;
    const struct search_test *tests;
    search_statistics(search, &now);
    for (size_t i = search_tests(search, &tests); i-- > 0;)
        assert_true(isnan(tests[i].cost) || tests[i].cost <= now.best);
    watched->times++;
    if (watched->ends)
        search_stop(search);
}

static void start(struct fake_search *fake, const char *strategy, fake_program *program,
                  size_t size, size_t jobs) {
    static const struct search_sizes sizes = {
        .count = 1, .names = {"n"}, .wanted = {12}, .layout = layout};
    bool is_scaled = search_find_strategy(strategy)->is_scaled;
    fake->abilities = FAKE_TRACED | FAKE_COUNTED;
    fake->options.limits.seconds = SECONDS;
    fake->options.beam.lookahead = fake->options.beam.max_constraints = 50;
    fake->options.beam.max_frontier = 100;
    fake->options.grow_size = 2048;
    fake->subject.prices.of[ABI_COST_INSTRUCTIONS] = 1;
    fake->subject.sizes = is_scaled ? &sizes : NULL;
    fake->subject.sizes_vary = !is_scaled;
    fake->subject.run_seconds = 1;
    fake_prepare(fake, strategy, program, size, jobs);
}

static void check(const char *strategy, fake_program *program, size_t size, size_t jobs) {
    struct fake_search fake = {.options.limits.runs = RUNS};
    struct watched watched = {0};
    const struct search_test *tests;
    start(&fake, strategy, program, size, jobs);
    search_set_watch(fake.search, watch, &watched);
    assert_true(fake_go(&fake));
    assert_true(fake.now.counters.runs > 0);
    size_t count = search_tests(fake.search, &tests);
    assert_in_range(count, 1, 10);
    for (size_t i = 1; i < count; i++)
        assert_true(tests[i].cost <= tests[i - 1].cost);
    if (program == sort && size == SMALL && strcmp(strategy, "exhaustive") == 0) {
        assert_true(fake.now.complete);
        assert_int_equal(fake.now.counters.paths, 120);
        assert_int_equal(fake.now.counters.runs, 120);
    }
    fake_finish(&fake);
}

static void check_strategy(const char *strategy) {
    for (size_t jobs = 2; jobs <= FAKE_JOBS; jobs += 2) {
        check(strategy, sort, SMALL, jobs);
        check(strategy, sort, LARGE, jobs);
        check(strategy, grow, LARGE, jobs);
    }
}

#define STRATEGY(id)                                                                               \
    static void test_##id(void **state) {                                                          \
        (void)state;                                                                               \
        check_strategy(#id);                                                                       \
    }
#include "search/strategies.def"
#undef STRATEGY

/* Stopped from outside, as Ctrl-C does: each worker may be in the middle of something. */
static void test_stopped(void **state) {
    (void)state;
    struct fake_search fake = {0};
    struct watched watched = {.ends = true};
    start(&fake, "random", sort, LARGE, FAKE_JOBS);
    search_set_watch(fake.search, watch, &watched);
    assert_true(fake_go(&fake));
    assert_int_equal(fake.now.end, SEARCH_STOPPED);
    assert_in_range(watched.times, 1, 1 + FAKE_JOBS);
    fake_finish(&fake);
}

/* ---- a symbolic build that comes late ---- */

static atomic_uint times_asked;

static bool is_there_later(void *self) {
    (void)self;
    return atomic_fetch_add(&times_asked, 1) >= 8;
}

static bool trace_later(void *self, const struct target_input *inputs, size_t count,
                        target_visit *visit, void *context, struct base_error *error) {
    assert_true(atomic_load(&times_asked) > 8);
    return fake_trace(self, inputs, count, visit, context, error);
}

/* auto measures meanwhile, and covers all paths in the end. */
static void test_late_build(void **state) {
    struct fake_search fake = {.abilities = FAKE_TRACED | FAKE_COUNTED,
                               .options = {.tests = 3, .limits = {.seconds = 30}}};
    (void)state;
    atomic_store(&times_asked, 0);
    fake_prepare(&fake, "auto", fake_insertion_sort, 16, 1);
    fake.programs[0].can_trace = is_there_later;
    fake.programs[0].trace = trace_later;
    assert_true(fake_go(&fake));
    assert_true(fake.now.within_bounds);
    assert_true(fake.now.counters.runs > 24); /* more than the paths: it did not just wait */
    fake_finish(&fake);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define STRATEGY(id) cmocka_unit_test(test_##id),
#include "search/strategies.def"
#undef STRATEGY
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_late_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
