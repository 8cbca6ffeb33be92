/* SPDX-License-Identifier: Apache-2.0
 *
 * The strategies against targets that are simulated: see fake.h.
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

/* ---- programs ---- */

/* Two bytes, each through a switch of three ways. */
static void two_switches(struct fake_run *run, const uint8_t *input, size_t size) {
    for (uint32_t i = 0; i < size; i++)
        fake_event(run, ABI_EVENT_SWITCH, 2, fake_node(run, ABI_OP_INPUT, 8, i, 0), input[i]);
}

/* The lower bits of a byte are an address, then the byte is compared. */
static void address(struct fake_run *run, const uint8_t *input, size_t size) {
    uint32_t byte = fake_node(run, ABI_OP_INPUT, 8, 0, 0),
             seven = fake_node(run, ABI_OP_CONST, 8, 0, 7);
    uint32_t limit = fake_node(run, ABI_OP_CONST, 8, 0, 128);
    (void)size;
    fake_event(run, ABI_EVENT_ADDRESS, 1, fake_node(run, ABI_OP_AND, 8, byte, seven), input[0] & 7);
    fake_event(run, ABI_EVENT_BRANCH, 1, fake_node(run, ABI_OP_ULT, 1, byte, limit),
               input[0] < 128);
}

static void assumption(struct fake_run *run, const uint8_t *input, size_t size) {
    uint32_t byte = fake_node(run, ABI_OP_INPUT, 8, 0, 0),
             ten = fake_node(run, ABI_OP_CONST, 8, 0, 10);
    uint32_t twenty = fake_node(run, ABI_OP_CONST, 8, 0, 20);
    (void)size;
    fake_event(run, ABI_EVENT_ASSUME, 1, fake_node(run, ABI_OP_ULT, 1, ten, byte), input[0] > 10);
    run->is_rejected = input[0] <= 10;
    if (!run->is_rejected)
        fake_event(run, ABI_EVENT_BRANCH, 1, fake_node(run, ABI_OP_ULT, 1, twenty, byte),
                   input[0] > 20);
}

/* The trace says that a byte decides, but something else does. */
static void liar(struct fake_run *run, const uint8_t *input, size_t size) {
    (void)input, (void)size;
    uint32_t byte = fake_node(run, ABI_OP_INPUT, 8, 0, 0),
             ten = fake_node(run, ABI_OP_CONST, 8, 0, 10);
    fake_event(run, ABI_EVENT_BRANCH, 1, fake_node(run, ABI_OP_ULT, 1, byte, ten), 1);
}

static void overflow(struct fake_run *run, const uint8_t *input, size_t size) {
    fake_insertion_sort(run, input, size);
    run->flags = ABI_TRACE_TRUNCATED;
}

static void crash(struct fake_run *run, const uint8_t *input, size_t size) {
    fake_insertion_sort(run, input, size);
    if (run->events.data[0].value)
        run->status = ABI_STATUS_CRASH;
}

/* ---- searching them ---- */

static void prepare(struct fake_search *search, const char *strategy, fake_program *program,
                    size_t size, size_t jobs) {
    search->abilities = FAKE_TRACED;
    fake_prepare(search, strategy, program, size, jobs);
}

static void go(struct fake_search *search) {
    assert_true(fake_go(search));
}

static uint64_t factorial(uint64_t n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}

static void test_insertion_sort(void **state) {
    (void)state;
    for (size_t n = 1; n <= 5; n++) {
        struct fake_search s = {0};
        prepare(&s, "exhaustive", fake_insertion_sort, 4 * n, 1);
        go(&s);
        assert_int_equal(s.now.counters.paths, factorial(n));
        assert_int_equal(s.now.counters.runs, factorial(n));
        assert_int_equal(s.now.counters.mismatches, 0);
        assert_int_equal(s.now.counters.infeasible, 0);
        assert_true(s.now.complete);
        assert_int_equal(s.now.frontier, 0);
        const struct search_test *tests;
        size_t count = search_tests(s.search, &tests);
        assert_int_equal(count, factorial(n) < 10 ? factorial(n) : 10);
        assert_int_equal((int)tests[0].cost, n * (n - 1) / 2);
        assert_int_equal(tests[0].decisions, n * (n - 1) / 2);
        for (size_t i = 1; i < count; i++)
            assert_true(tests[i].cost <= tests[i - 1].cost);
        fake_finish(&s);
    }
}

static void test_workers(void **state) {
    (void)state;
    struct fake_search s = {0};
    prepare(&s, "exhaustive", fake_insertion_sort, 20, 3);
    go(&s);
    assert_int_equal(s.now.counters.paths, 120);
    assert_int_equal(s.now.counters.runs, 120);
    assert_true(s.now.complete);
    fake_finish(&s);
}

/* Memory grows before every other decision. */
static void growing_sort(struct fake_run *run, const uint8_t *input, size_t size) {
    fake_insertion_sort(run, input, size);
    size_t count = run->events.count;
    BASE_VECTOR(struct abi_event) all = {0};
    for (size_t i = 0; i < count; i++) {
        if (i % 2)
            base_push(&all, (struct abi_event){.kind = ABI_EVENT_COST,
                                               .site = ABI_COST_MEMORY,
                                               .value = i,
                                               .cost = run->events.data[i].cost});
        base_push(&all, run->events.data[i]);
    }
    run->events.count = 0;
    for (size_t i = 0; i < all.count; i++)
        base_push(&run->events, all.data[i]);
    base_vector_done(&all);
}

/* Traces are read on from where they differ, also between a cost and its decision. */
static void test_costs_between(void **state) {
    (void)state;
    for (size_t jobs = 1; jobs <= 2; jobs++) {
        struct fake_search s = {0};
        prepare(&s, "exhaustive", growing_sort, 24, jobs);
        go(&s);
        assert_int_equal(s.now.counters.paths, 720);
        assert_int_equal(s.now.counters.infeasible, 0);
        assert_true(s.now.complete);
        fake_finish(&s);
    }
}

/* What only the measuring build counts is at its most where the traces tell least. */
static void secretive(struct fake_run *run, const uint8_t *input, size_t size) {
    fake_insertion_sort(run, input, size);
    run->untold = 100 - 2 * run->cost;
}

static void go_sorting(struct fake_search *s, fake_program *program, double price) {
    s->subject.prices.of[ABI_COST_INSTRUCTIONS] = price;
    prepare(s, "exhaustive", program, 28, 1);
    go(s);
    assert_int_equal(s->now.counters.paths, 5040);
}

static void assert_same_tests(const struct fake_search *a, const struct fake_search *b) {
    const struct search_test *one, *other;
    assert_int_equal(search_tests(a->search, &one), 10);
    assert_int_equal(search_tests(b->search, &other), 10);
    for (size_t i = 0; i < 10; i++) {
        assert_memory_equal(one[i].input, other[i].input, 28);
        assert_true(one[i].cost == other[i].cost);
    }
}

/* Where traces tell the cost, only what may be kept is measured; where they do not, all is. */
static void test_measures_what_counts(void **state) {
    (void)state;
    struct fake_search told = {0}, untold = {0}, wrong = {0}, right = {0};
    go_sorting(&told, fake_insertion_sort, 1);
    go_sorting(&untold, fake_insertion_sort, 0);
    assert_same_tests(&told, &untold);
    assert_true(told.fakes[0].measured < 2000);
    assert_int_equal(untold.fakes[0].measured, 5040);
    go_sorting(&wrong, secretive, 1);
    go_sorting(&right, secretive, 0);
    assert_same_tests(&wrong, &right);
    assert_int_equal(wrong.fakes[0].measured, 5040);
    fake_finish(&told);
    fake_finish(&untold);
    fake_finish(&wrong);
    fake_finish(&right);
}

static void test_switch(void **state) {
    (void)state;
    struct fake_search s = {0};
    prepare(&s, "exhaustive", two_switches, 2, 1);
    go(&s);
    assert_int_equal(s.now.counters.paths, 9);
    assert_int_equal(s.now.counters.runs, 9);
    assert_true(s.now.complete);
    fake_finish(&s);
}

/* All eight addresses, each with both ways of the branch. */
static void test_fixed_values(void **state) {
    (void)state;
    struct fake_search s = {0};
    prepare(&s, "exhaustive", address, 1, 1);
    go(&s);
    assert_int_equal(s.now.counters.runs, 16);
    assert_int_equal(s.now.counters.paths, 16);
    assert_int_equal(s.now.counters.infeasible, 1); /* no ninth address */
    assert_int_equal(s.now.counters.mismatches, 0);
    assert_true(s.now.complete);
    fake_finish(&s);
    s = (struct fake_search){.options.path.values = 3}; /* what is left out is counted */
    prepare(&s, "exhaustive", address, 1, 1);
    go(&s);
    assert_int_equal(s.now.counters.runs, 6);
    assert_int_equal(s.now.counters.concretised, 1);
    assert_false(s.now.complete);
    fake_finish(&s);
}

/* The first input is rejected, and mended. */
static void test_assumption(void **state) {
    (void)state;
    struct fake_search s = {0};
    prepare(&s, "exhaustive", assumption, 1, 1);
    go(&s);
    assert_int_equal(s.now.counters.rejected, 1);
    assert_int_equal(s.now.counters.paths, 2);
    assert_int_equal(s.now.counters.runs, 3);
    assert_true(s.now.complete);
    fake_finish(&s);
}

static void test_gaps_are_counted(void **state) {
    (void)state;
    struct fake_search s = {0};
    prepare(&s, "exhaustive", liar, 1, 1);
    go(&s);
    assert_int_equal(s.now.counters.mismatches, 1);
    assert_int_equal(s.now.counters.paths, 1);
    assert_false(s.now.complete);
    fake_finish(&s);
    s = (struct fake_search){0};
    prepare(&s, "exhaustive", overflow, 12, 1);
    go(&s);
    assert_int_equal(s.now.counters.truncated, 6);
    assert_false(s.now.complete);
    fake_finish(&s);
    s = (struct fake_search){0};
    prepare(&s, "exhaustive", crash, 12, 1);
    go(&s);
    assert_int_equal(s.now.counters.crashes, 3);
    assert_int_equal(s.now.counters.paths, 6);
    assert_false(s.now.complete);
    const struct search_test *tests;
    assert_int_equal(search_tests(s.search, &tests), 3); /* those that end well */
    fake_finish(&s);
}

/* The first decision both ways; what follows is cut. */
static void test_longest_path(void **state) {
    (void)state;
    struct fake_search s = {.options.path.longest = 1};
    prepare(&s, "exhaustive", fake_insertion_sort, 12, 1);
    go(&s);
    assert_int_equal(s.now.counters.paths, 2);
    assert_int_equal(s.now.counters.cut, 2);
    assert_false(s.now.complete);
    assert_true(s.now.within_bounds);
    fake_finish(&s);
}

/* Ended again and again, and resumed from what was saved: every path comes up once. */
static void test_resume(void **state) {
    (void)state;
    struct base_buffer saved = {0};
    struct base_error error;
    uint64_t paths = 0;
    for (unsigned session = 1; session <= 40; session++) {
        struct fake_search s = {.options.limits.runs = (uint64_t)session * 30};
        prepare(&s, "exhaustive", fake_insertion_sort, 20, 1);
        if (saved.count)
            assert_true(search_load(s.search, saved.data, saved.count, &error));
        go(&s);
        saved.count = 0;
        search_save(s.search, &saved);
        paths = s.now.counters.paths;
        bool complete = s.now.complete;
        assert_int_equal(s.now.counters.runs, paths);
        fake_finish(&s);
        if (complete)
            break;
        assert_true(session < 40);
    }
    assert_int_equal(paths, 120);
    for (size_t cut = 0; cut + 1 < saved.count; cut += 7) {
        struct fake_search s = {0};
        prepare(&s, "exhaustive", fake_insertion_sort, 20, 1);
        search_load(s.search, saved.data, cut, &error); /* must not crash */
        fake_finish(&s);
    }
    base_buffer_done(&saved);
}

static void test_resume_refuses(void **state) {
    (void)state;
    struct base_buffer saved = {0};
    struct base_error error;
    struct fake_search s = {.options.limits.runs = 1}, other = {0};
    prepare(&s, "exhaustive", address, 1, 1);
    go(&s);
    search_save(s.search, &saved);
    fake_finish(&s);
    prepare(&other, "exhaustive", fake_insertion_sort, 8, 1);
    assert_false(search_load(other.search, saved.data, saved.count, &error));
    assert_non_null(strstr(error.message, "bytes"));
    fake_finish(&other);
    other = (struct fake_search){0};
    prepare(&other, "random", fake_insertion_sort, 1, 1);
    assert_false(search_load(other.search, saved.data, saved.count, &error));
    assert_non_null(strstr(error.message, "exhaustive"));
    fake_finish(&other);
    /* what was left with its tried values goes on where it was */
    other = (struct fake_search){0};
    prepare(&other, "exhaustive", address, 1, 1);
    assert_true(search_load(other.search, saved.data, saved.count, &error));
    go(&other);
    assert_int_equal(other.now.counters.runs, 16);
    assert_true(other.now.complete);
    fake_finish(&other);
    base_buffer_done(&saved);
}

/* A state of another version, or whose records have another size, is refused in words. */
static void test_resume_checks_version(void **state) {
    (void)state;
    struct base_buffer saved = {0};
    struct base_error error;
    struct fake_search s = {.options.limits.runs = 1};
    prepare(&s, "exhaustive", fake_insertion_sort, 8, 1);
    go(&s);
    search_save(s.search, &saved);
    fake_finish(&s);
    for (size_t at = 0; at < 40; at++) { /* the head */
        s = (struct fake_search){0};
        prepare(&s, "exhaustive", fake_insertion_sort, 8, 1);
        saved.data[at] ^= 0x15;
        assert_false(search_load(s.search, saved.data, saved.count, &error));
        assert_non_null(strstr(error.message, at < 8 ? "not the state" : "another version"));
        saved.data[at] ^= 0x15;
        fake_finish(&s);
    }
    base_buffer_done(&saved);
}

static void test_solver_sums(void **state) {
    (void)state;
    struct solver_statistics sum = {0}, part = {.unknown = 2, .wrong_models = 3, .seconds = 0.5};
    search_add_solver(&sum, &part);
    search_add_solver(&sum, &part);
    assert_int_equal(sum.unknown, 4);
    assert_int_equal(sum.wrong_models, 6);
    assert_true(sum.seconds == 1);
}

static void test_random(void **state) {
    (void)state;
    static const struct solver_range range = {
        .offset = 0, .width = 32, .low = -5, .high = 5, .is_signed = true};
    uint8_t first[2][40];
    for (int round = 0; round < 2; round++) {
        struct fake_search s = {.options = {.limits = {.runs = 1000}, .tests = 5}};
        base_push(&s.subject.layout.ranges, range);
        prepare(&s, "random", fake_insertion_sort, 20, 1);
        go(&s);
        const struct search_test *tests;
        assert_int_equal(search_tests(s.search, &tests), 1); /* one path: counts do not differ */
        assert_int_equal((int)tests[0].cost, 10);
        int32_t value;
        memcpy(&value, tests[0].input, 4);
        assert_in_range(value + 5, 0, 10);
        memcpy(first[round], tests[0].input, 20);
        assert_false(s.now.complete);
        assert_int_equal(s.now.end, SEARCH_RUNS);
        fake_finish(&s);
    }
    assert_memory_equal(first[0], first[1], 20);
    struct fake_search s = {.options.limits.runs = 5000};
    prepare(&s, "random", fake_insertion_sort, 20, 3);
    go(&s);
    assert_true(s.now.counters.runs >= 5000);
    fake_finish(&s);
}

/* ---- parts ---- */

static void test_archive(void **state) {
    (void)state;
    struct search_archive archive;
    search_archive_init(&archive, 3);
    for (unsigned i = 0; i < 100; i++) {
        uint8_t input = (uint8_t)(i * 37);
        struct search_test test = {
            .input = &input, .size = 1, .cost = i * 37 % 50, .path = {i % 60, 0}};
        search_archive_offer(&archive, &test);
    }
    assert_int_equal(archive.count, 3);
    for (unsigned i = 1; i < 3; i++) {
        assert_true(archive.tests[i].cost <= archive.tests[i - 1].cost);
        assert_true(archive.tests[i].path.a != archive.tests[i - 1].path.a);
    }
    assert_int_equal((int)archive.tests[0].cost, 49);
    search_archive_done(&archive);
}

/* Equal costs: the shorter input is the better test; what was saved comes back with its size. */
static void test_archive_sizes(void **state) {
    (void)state;
    struct search_archive archive, copy;
    search_archive_init(&archive, 4);
    search_archive_init(&copy, 4);
    uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (unsigned i = 0; i < 5; i++) {
        struct search_test test = {.input = bytes, .size = 8 - 2 * i, .cost = 7, .path = {i, 0}};
        search_archive_offer(&archive, &test);
    }
    struct base_buffer saved = {0};
    search_archive_save(&archive, &saved);
    const char *at = saved.data;
    assert_true(search_archive_load(&copy, &at, saved.data + saved.count));
    assert_int_equal(copy.count, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(copy.tests[i].size, 2 * i);
        assert_memory_equal(copy.tests[i].input, bytes, 2 * i);
    }
    at = saved.data;
    assert_false(search_archive_load(&copy, &at, saved.data + saved.count - 1));
    base_buffer_done(&saved);
    search_archive_done(&archive);
    search_archive_done(&copy);
}

/* The same input, found twice: that with a law stays, whichever came first. */
static void test_archive_laws(void **state) {
    (void)state;
    uint8_t bytes[2] = {1, 2};
    struct search_growth_law law = {0};
    struct search_test plain = {.input = bytes, .size = 2, .cost = 7, .path = {1, 0}}, told = plain;
    told.law = &law;
    for (int is_first = 0; is_first < 2; is_first++) {
        struct search_archive archive;
        search_archive_init(&archive, 4);
        search_archive_offer(&archive, is_first ? &told : &plain);
        assert_true(search_archive_has(&archive, &told) == (is_first == 1));
        assert_true(search_archive_has(&archive, &plain));
        search_archive_offer(&archive, is_first ? &plain : &told);
        assert_int_equal(archive.count, 1);
        assert_ptr_equal(archive.tests[0].law, &law);
        search_archive_done(&archive);
    }
}

static void test_paths(void **state) {
    (void)state;
    struct search_paths paths = {0};
    uint64_t random = 7;
    for (int i = 0; i < 5000; i++) {
        struct search_path path = {search_random(&random), (uint64_t)i};
        assert_true(search_paths_add(&paths, path));
        assert_false(search_paths_add(&paths, path));
    }
    assert_true(search_paths_add(&paths, (struct search_path){0, 0}));
    assert_false(search_paths_add(&paths, (struct search_path){0, 0}));
    search_paths_done(&paths);
}

/* What a search found is no start of it, though a part of it may begin there. */
static void test_starts(void **state) {
    (void)state;
    struct search outer = {.start = NAN, .random = NAN}, given = outer, later = outer;
    given.outer = later.outer = &outer;
    later.begins_with_finds = true;
    search_note_start(&given, 5, true);
    search_note_start(&given, 7, false);
    search_note_start(&later, 100, false);
    assert_true(outer.start == 7 && outer.random == 5);
    assert_true(later.start == 100);
}

/* Without profiles: of inputs that say the same only the costliest has a place. */
static void test_near_copies(void **state) {
    (void)state;
    static const char *const inputs[] = {"aaaaaaaaaa", "aaaaaaaaxy", "zzzzzaaaaz", "zzzzzzaaaz"};
    struct search_program program = {0};
    struct search search = {.options.tests = 3, .subject = {.programs = &program}};
    search_archive_init(&search.archive, 24);
    for (unsigned i = 0; i < BASE_COUNT(inputs); i++) {
        struct search_test test = {
            .input = (uint8_t *)inputs[i],
            .size = strlen(inputs[i]),
            .cost = 100 - i,
            .path = {i + 1, 0},
            .result.weighted = {[MEASURE_INSTRUCTIONS] = 100 - i, [MEASURE_CALLS] = 10 * i}};
        search_archive_offer(&search.archive, &test);
    }
    search_choose_tests(&search);
    assert_int_equal(search.archive.count, 2);
    assert_memory_equal(search.archive.tests[0].input, inputs[0], 10);
    assert_memory_equal(search.archive.tests[1].input, inputs[2], 10);
    search_archive_done(&search.archive);
}

/* The costliest fill the archive, but one of another kind has its place, if it costs enough. */
static void test_kinds(void **state) {
    (void)state;
    static const struct {
        const char *input;
        unsigned cost, calls;
    } runs[] = {{"aaaaaaaa", 1000, 1}, {"aaaaaaab", 999, 1}, {"aaaaaaac", 998, 1},
                {"zyxwvuts", 90, 80},  {"zyxwvutt", 80, 70}, {"01234567", 40, 9}};
    struct search_program program = {0};
    struct search search = {.options.tests = 3, .subject = {.programs = &program}};
    search_archive_init(&search.archive, 2);
    search_archive_init(&search.kinds, 8);
    for (unsigned i = 0; i < BASE_COUNT(runs); i++) {
        struct search_test test = {
            .input = (uint8_t *)runs[i].input,
            .size = 8,
            .cost = runs[i].cost,
            .path = {i + 1, 0},
            .result = {
                .counts_hash = i + 1,
                .weighted = {
                    [MEASURE_INSTRUCTIONS] = runs[i].cost, [MEASURE_CALLS] = runs[i].calls}}};
        assert_int_equal(search_wants_kind(&search, &test.result, test.cost),
                         i == 0 || i == 3 || i == 5);
        search_archive_offer(&search.archive, &test);
        search_offer_kind(&search, &test);
    }
    search_choose_tests(&search);
    assert_int_equal(search.archive.count, 2);
    assert_memory_equal(search.archive.tests[0].input, runs[0].input, 8);
    assert_memory_equal(search.archive.tests[1].input, runs[3].input, 8);
    search_archive_done(&search.archive);
    search_archive_done(&search.kinds);
}

/* A run of 50 million instructions that the first byte shares out to two blocks. */
static bool count_shares(void *self, const struct target_input *input, struct abi_result *result,
                         double *cost, const uint64_t **counts, struct base_error *error) {
    static uint64_t counters[3];
    (void)self, (void)result, (void)error;
    *cost = 5e7;
    counters[1] = 500000u * *(const uint8_t *)input->data;
    counters[2] = 50000000 - counters[1];
    *counts = counters;
    return true;
}

/* Neither what they say nor their rates are alike, but where the cost goes is. */
static void check_copies(double cost) {
    static const char *const inputs[] = {"\x0a-abcdefgh", "\x10+ijklmnop", "\x50*qrstuvwx"};
    struct search_program program = {.count = count_shares};
    struct ir_block blocks[] = {{.instructions = 1}, {.instructions = 1}};
    struct ir_facts facts = {.blocks = blocks, .block_count = 2};
    struct search search = {.options.tests = 3,
                            .subject = {.programs = &program, .facts = &facts, .sizes_vary = true}};
    search_archive_init(&search.archive, 8);
    for (unsigned i = 0; i < BASE_COUNT(inputs); i++) {
        struct search_test test = {
            .input = (uint8_t *)inputs[i],
            .size = 10,
            .cost = cost - i,
            .path = {i + 1, 0},
            .result.weighted = {
                [MEASURE_INSTRUCTIONS] = 50000000, [MEASURE_CALLS] = 1000000u * (i + 1)}};
        search_archive_offer(&search.archive, &test);
    }
    search_choose_tests(&search);
    assert_int_equal(search.archive.count, 2);
    assert_memory_equal(search.archive.tests[0].input, inputs[0], 10);
    assert_memory_equal(search.archive.tests[1].input, inputs[2], 10);
    search_archive_done(&search.archive);
}

/* Of those that are too costly for a profile a part is run. */
static void test_costly_copies(void **state) {
    (void)state;
    check_copies(5e7);
    check_copies(5e10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_insertion_sort),
        cmocka_unit_test(test_workers),
        cmocka_unit_test(test_archive_laws),
        cmocka_unit_test(test_switch),
        cmocka_unit_test(test_fixed_values),
        cmocka_unit_test(test_assumption),
        cmocka_unit_test(test_gaps_are_counted),
        cmocka_unit_test(test_longest_path),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resume_refuses),
        cmocka_unit_test(test_resume_checks_version),
        cmocka_unit_test(test_solver_sums),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_archive),
        cmocka_unit_test(test_archive_sizes),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_measures_what_counts),
        cmocka_unit_test(test_costs_between),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_near_copies),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_costly_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
