/* SPDX-License-Identifier: Apache-2.0
 *
 * The strategies against targets that are simulated here: each writes the trace that a symbolic
 * build would, so that the number of paths is known beforehand and every way in which a target can
 * misbehave can be had. Set SEED to repeat the random parts.
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

/* ---- a trace as a target writes it ---- */

struct writer {
    BASE_VECTOR(struct abi_node) nodes;
    BASE_VECTOR(struct abi_event) events;
    uint32_t flags, concretised;
    uint64_t cost;
    bool is_rejected;
    uint32_t status;
};

static void writer_reset(struct writer *writer) {
    writer->nodes.count = writer->events.count = 0;
    writer->flags = writer->concretised = 0;
    writer->cost = 0;
    writer->is_rejected = false;
    writer->status = ABI_STATUS_OK;
    base_push(&writer->nodes, (struct abi_node){0});
}

static uint32_t node(struct writer *writer, enum abi_op op, unsigned width, uint32_t a,
                     uint32_t b) {
    base_push(&writer->nodes,
              (struct abi_node){.op = (uint8_t)op, .width = (uint8_t)width, .a = a, .b = b});
    return (uint32_t)writer->nodes.count - 1;
}

static void event(struct writer *writer, enum abi_event_kind kind, uint32_t site, uint32_t expr,
                  uint64_t value) {
    base_push(
        &writer->events,
        (struct abi_event){
            .kind = kind, .site = site, .expr = expr, .value = value, .cost = ++writer->cost});
}

static void writer_finish(const struct writer *writer, struct base_buffer *out) {
    struct abi_trace header = {.magic = ABI_TRACE_MAGIC,
                               .flags = writer->flags,
                               .node_count = (uint32_t)writer->nodes.count,
                               .event_count = (uint32_t)writer->events.count,
                               .concretised = writer->concretised,
                               .cost = writer->cost};
    size_t nodes = writer->nodes.count * sizeof(struct abi_node);
    size_t events = writer->events.count * sizeof(struct abi_event);
    header.size = sizeof header + nodes + events;
    out->count = 0;
    base_buffer_add(out, &header, sizeof header);
    base_buffer_add(out, writer->nodes.data, nodes);
    base_buffer_add(out, writer->events.data, events);
}

/* ---- simulated targets ---- */

struct fake {
    void (*run)(struct writer *writer, const uint8_t *input, size_t size);
    struct writer writer;
    struct base_buffer bytes;
};

static bool fake_trace(void *self, const struct target_input *inputs, size_t count,
                       target_visit *visit, void *context, struct base_error *error) {
    struct fake *fake = self;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        writer_reset(&fake->writer);
        fake->run(&fake->writer, inputs[i].data, inputs[i].size);
        writer_finish(&fake->writer, &fake->bytes);
        struct abi_result result = {.status = fake->writer.status,
                                    .rejected = fake->writer.is_rejected};
        visit(i, &result, fake->bytes.data, fake->bytes.count, context);
    }
    return true;
}

/* Costs are the decisions; block counts are taken from the values that were fixed. */
static bool fake_measure(void *self, const struct target_input *inputs, size_t count,
                         struct abi_result *results, double *costs, struct base_error *error) {
    struct fake *fake = self;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        writer_reset(&fake->writer);
        fake->run(&fake->writer, inputs[i].data, inputs[i].size);
        results[i] = (struct abi_result){
            .status = fake->writer.status, .rejected = fake->writer.is_rejected, .counts_hash = 1};
        for (size_t e = 0; e < fake->writer.events.count; e++)
            if (fake->writer.events.data[e].kind == ABI_EVENT_ADDRESS)
                results[i].counts_hash =
                    results[i].counts_hash * 31 + fake->writer.events.data[e].value;
        costs[i] = (double)fake->writer.events.count;
    }
    return true;
}

static void insertion_sort(struct writer *writer, const uint8_t *input, size_t size) {
    int32_t values[16];
    uint32_t exprs[16], count = (uint32_t)(size / 4);
    memcpy(values, input, size);
    for (uint32_t i = 0; i < count; i++)
        exprs[i] = node(writer, ABI_OP_INPUT, 32, 4 * i, 0);
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j > 0; j--) {
            bool swap = values[j] < values[j - 1];
            event(writer, ABI_EVENT_BRANCH, 1, node(writer, ABI_OP_SLT, 1, exprs[j], exprs[j - 1]),
                  swap);
            if (!swap)
                break;
            int32_t value = values[j];
            uint32_t expr = exprs[j];
            values[j] = values[j - 1];
            exprs[j] = exprs[j - 1];
            values[j - 1] = value;
            exprs[j - 1] = expr;
        }
}

/* Two bytes, each through a switch of three ways. */
static void two_switches(struct writer *writer, const uint8_t *input, size_t size) {
    for (uint32_t i = 0; i < size; i++)
        event(writer, ABI_EVENT_SWITCH, 2, node(writer, ABI_OP_INPUT, 8, i, 0), input[i]);
}

/* The lower bits of a byte are an address, then the byte is compared. */
static void address(struct writer *writer, const uint8_t *input, size_t size) {
    uint32_t byte = node(writer, ABI_OP_INPUT, 8, 0, 0),
             seven = node(writer, ABI_OP_CONST, 8, 0, 7);
    uint32_t limit = node(writer, ABI_OP_CONST, 8, 0, 128);
    (void)size;
    event(writer, ABI_EVENT_ADDRESS, 1, node(writer, ABI_OP_AND, 8, byte, seven), input[0] & 7);
    event(writer, ABI_EVENT_BRANCH, 1, node(writer, ABI_OP_ULT, 1, byte, limit), input[0] < 128);
}

static void assumption(struct writer *writer, const uint8_t *input, size_t size) {
    uint32_t byte = node(writer, ABI_OP_INPUT, 8, 0, 0), ten = node(writer, ABI_OP_CONST, 8, 0, 10);
    uint32_t twenty = node(writer, ABI_OP_CONST, 8, 0, 20);
    (void)size;
    event(writer, ABI_EVENT_ASSUME, 1, node(writer, ABI_OP_ULT, 1, ten, byte), input[0] > 10);
    writer->is_rejected = input[0] <= 10;
    if (!writer->is_rejected)
        event(writer, ABI_EVENT_BRANCH, 1, node(writer, ABI_OP_ULT, 1, twenty, byte),
              input[0] > 20);
}

/* The trace says that a byte decides, but something else does. */
static void liar(struct writer *writer, const uint8_t *input, size_t size) {
    (void)input, (void)size;
    uint32_t byte = node(writer, ABI_OP_INPUT, 8, 0, 0), ten = node(writer, ABI_OP_CONST, 8, 0, 10);
    event(writer, ABI_EVENT_BRANCH, 1, node(writer, ABI_OP_ULT, 1, byte, ten), 1);
}

static void overflow(struct writer *writer, const uint8_t *input, size_t size) {
    insertion_sort(writer, input, size);
    writer->flags = ABI_TRACE_TRUNCATED;
}

static void crash(struct writer *writer, const uint8_t *input, size_t size) {
    insertion_sort(writer, input, size);
    if (writer->events.data[0].value)
        writer->status = ABI_STATUS_CRASH;
}

/* ---- searching them ---- */

/* Blocks 0 to 3 in one function; block 2 ends in a switch: 'a' and 'b' go one way, 'c' another. */
static struct ir_block blocks[4];
static uint32_t successors[8] = {0, 3, 3, 1};
static struct ir_function functions[1] = {{.block_count = 4}};
static struct ir_switch switches[1] = {{.block = 2, .case_count = 3}};
static struct ir_case cases[3] = {{'a', 1, 0}, {'b', 1, 0}, {'c', 2, 0}};
static struct ir_facts facts = {.functions = functions,
                                .blocks = blocks,
                                .successors = successors,
                                .switches = switches,
                                .cases = cases,
                                .function_count = 1,
                                .block_count = 4,
                                .successor_count = 8,
                                .switch_count = 1,
                                .case_count = 3};

struct setting {
    struct fake fakes[4];
    struct search_program programs[4];
    struct search_subject subject;
    struct search_options options;
    struct search *search;
    struct search_statistics now;
};

static void prepare(struct setting *setting, const char *strategy,
                    void (*run)(struct writer *, const uint8_t *, size_t), size_t size,
                    size_t jobs) {
    for (uint32_t i = 0; i < 4; i++)
        blocks[i] = (struct ir_block){.loop = IR_NONE, .dominator = IR_NONE};
    for (size_t i = 0; i < jobs; i++) {
        setting->fakes[i].run = run;
        setting->programs[i] = (struct search_program){
            .trace = fake_trace, .measure = fake_measure, .self = &setting->fakes[i]};
    }
    setting->subject.programs = setting->programs;
    setting->subject.jobs = jobs;
    setting->subject.layout.bytes = size;
    setting->subject.facts = &facts;
    if (!setting->options.tests)
        setting->options.tests = 10;
    if (!setting->options.path.longest)
        setting->options.path.longest = 30000;
    if (!setting->options.path.values)
        setting->options.path.values = 1024;
    setting->options.path.loop_bound = SEARCH_NO_BOUND;
    setting->options.solver.timeout_ms = 1000;
    setting->search =
        search_new(search_find_strategy(strategy), &setting->options, &setting->subject);
}

static void go(struct setting *setting) {
    struct base_error error;
    assert_true(search_run(setting->search, &error));
    search_statistics(setting->search, &setting->now);
}

static void finish(struct setting *setting) {
    search_free(setting->search);
    search_layout_done(&setting->subject.layout);
    for (size_t i = 0; i < 4; i++) {
        base_vector_done(&setting->fakes[i].writer.nodes);
        base_vector_done(&setting->fakes[i].writer.events);
        base_buffer_done(&setting->fakes[i].bytes);
    }
}

static uint64_t factorial(uint64_t n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}

static void test_insertion_sort(void **state) {
    (void)state;
    for (size_t n = 1; n <= 5; n++) {
        struct setting s = {0};
        prepare(&s, "exhaustive", insertion_sort, 4 * n, 1);
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
        finish(&s);
    }
}

static void test_workers(void **state) {
    (void)state;
    struct setting s = {0};
    prepare(&s, "exhaustive", insertion_sort, 20, 3);
    go(&s);
    assert_int_equal(s.now.counters.paths, 120);
    assert_int_equal(s.now.counters.runs, 120);
    assert_true(s.now.complete);
    finish(&s);
}

static void test_switch(void **state) {
    (void)state;
    struct setting s = {0};
    prepare(&s, "exhaustive", two_switches, 2, 1);
    go(&s);
    assert_int_equal(s.now.counters.paths, 9);
    assert_int_equal(s.now.counters.runs, 9);
    assert_true(s.now.complete);
    finish(&s);
}

/* All eight addresses, each with both ways of the branch. */
static void test_fixed_values(void **state) {
    (void)state;
    struct setting s = {0};
    prepare(&s, "exhaustive", address, 1, 1);
    go(&s);
    assert_int_equal(s.now.counters.runs, 16);
    assert_int_equal(s.now.counters.paths, 16);
    assert_int_equal(s.now.counters.infeasible, 1); /* no ninth address */
    assert_int_equal(s.now.counters.mismatches, 0);
    assert_true(s.now.complete);
    finish(&s);
    s = (struct setting){.options.path.values = 3}; /* what is left out is counted */
    prepare(&s, "exhaustive", address, 1, 1);
    go(&s);
    assert_int_equal(s.now.counters.runs, 6);
    assert_int_equal(s.now.counters.concretised, 1);
    assert_false(s.now.complete);
    finish(&s);
}

/* The first input is rejected, and mended. */
static void test_assumption(void **state) {
    (void)state;
    struct setting s = {0};
    prepare(&s, "exhaustive", assumption, 1, 1);
    go(&s);
    assert_int_equal(s.now.counters.rejected, 1);
    assert_int_equal(s.now.counters.paths, 2);
    assert_int_equal(s.now.counters.runs, 3);
    assert_true(s.now.complete);
    finish(&s);
}

static void test_gaps_are_counted(void **state) {
    (void)state;
    struct setting s = {0};
    prepare(&s, "exhaustive", liar, 1, 1);
    go(&s);
    assert_int_equal(s.now.counters.mismatches, 1);
    assert_int_equal(s.now.counters.paths, 1);
    assert_false(s.now.complete);
    finish(&s);
    s = (struct setting){0};
    prepare(&s, "exhaustive", overflow, 12, 1);
    go(&s);
    assert_int_equal(s.now.counters.truncated, 6);
    assert_false(s.now.complete);
    finish(&s);
    s = (struct setting){0};
    prepare(&s, "exhaustive", crash, 12, 1);
    go(&s);
    assert_int_equal(s.now.counters.crashes, 3);
    assert_int_equal(s.now.counters.paths, 6);
    assert_false(s.now.complete);
    const struct search_test *tests;
    assert_int_equal(search_tests(s.search, &tests), 3); /* those that end well */
    finish(&s);
}

/* The first decision both ways; what follows is cut. */
static void test_longest_path(void **state) {
    (void)state;
    struct setting s = {.options.path.longest = 1};
    prepare(&s, "exhaustive", insertion_sort, 12, 1);
    go(&s);
    assert_int_equal(s.now.counters.paths, 2);
    assert_int_equal(s.now.counters.cut, 2);
    assert_false(s.now.complete);
    assert_true(s.now.within_bounds);
    finish(&s);
}

/* Ended again and again, and resumed from what was saved: every path comes up once. */
static void test_resume(void **state) {
    (void)state;
    struct base_buffer saved = {0};
    struct base_error error;
    uint64_t paths = 0;
    for (unsigned session = 1; session <= 40; session++) {
        struct setting s = {.options.limits.runs = (uint64_t)session * 30};
        prepare(&s, "exhaustive", insertion_sort, 20, 1);
        if (saved.count)
            assert_true(search_load(s.search, saved.data, saved.count, &error));
        go(&s);
        saved.count = 0;
        search_save(s.search, &saved);
        paths = s.now.counters.paths;
        bool complete = s.now.complete;
        assert_int_equal(s.now.counters.runs, paths);
        finish(&s);
        if (complete)
            break;
        assert_true(session < 40);
    }
    assert_int_equal(paths, 120);
    for (size_t cut = 0; cut + 1 < saved.count; cut += 7) {
        struct setting s = {0};
        prepare(&s, "exhaustive", insertion_sort, 20, 1);
        search_load(s.search, saved.data, cut, &error); /* must not crash */
        finish(&s);
    }
    base_buffer_done(&saved);
}

static void test_resume_refuses(void **state) {
    (void)state;
    struct base_buffer saved = {0};
    struct base_error error;
    struct setting s = {.options.limits.runs = 1}, other = {0};
    prepare(&s, "exhaustive", address, 1, 1);
    go(&s);
    search_save(s.search, &saved);
    finish(&s);
    prepare(&other, "exhaustive", insertion_sort, 8, 1);
    assert_false(search_load(other.search, saved.data, saved.count, &error));
    assert_non_null(strstr(error.message, "bytes"));
    finish(&other);
    other = (struct setting){0};
    prepare(&other, "random", insertion_sort, 1, 1);
    assert_false(search_load(other.search, saved.data, saved.count, &error));
    assert_non_null(strstr(error.message, "exhaustive"));
    finish(&other);
    /* what was left with its tried values goes on where it was */
    other = (struct setting){0};
    prepare(&other, "exhaustive", address, 1, 1);
    assert_true(search_load(other.search, saved.data, saved.count, &error));
    go(&other);
    assert_int_equal(other.now.counters.runs, 16);
    assert_true(other.now.complete);
    finish(&other);
    base_buffer_done(&saved);
}

/* A state of another version, or whose records have another size, is refused in words. */
static void test_resume_checks_version(void **state) {
    (void)state;
    struct base_buffer saved = {0};
    struct base_error error;
    struct setting s = {.options.limits.runs = 1};
    prepare(&s, "exhaustive", insertion_sort, 8, 1);
    go(&s);
    search_save(s.search, &saved);
    finish(&s);
    for (size_t at = 0; at < 40; at++) { /* the head */
        s = (struct setting){0};
        prepare(&s, "exhaustive", insertion_sort, 8, 1);
        saved.data[at] ^= 0x15;
        assert_false(search_load(s.search, saved.data, saved.count, &error));
        assert_non_null(strstr(error.message, at < 8 ? "not the state" : "another version"));
        saved.data[at] ^= 0x15;
        finish(&s);
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
        struct setting s = {.options = {.limits = {.runs = 1000}, .tests = 5}};
        base_push(&s.subject.layout.ranges, range);
        prepare(&s, "random", insertion_sort, 20, 1);
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
        finish(&s);
    }
    assert_memory_equal(first[0], first[1], 20);
    struct setting s = {.options.limits.runs = 5000};
    prepare(&s, "random", insertion_sort, 20, 3);
    go(&s);
    assert_true(s.now.counters.runs >= 5000);
    finish(&s);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_insertion_sort), cmocka_unit_test(test_workers),
        cmocka_unit_test(test_switch),         cmocka_unit_test(test_fixed_values),
        cmocka_unit_test(test_assumption),     cmocka_unit_test(test_gaps_are_counted),
        cmocka_unit_test(test_longest_path),   cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resume_refuses), cmocka_unit_test(test_resume_checks_version),
        cmocka_unit_test(test_solver_sums),    cmocka_unit_test(test_random),
        cmocka_unit_test(test_archive),        cmocka_unit_test(test_archive_sizes),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
