/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the engine do when the world fails, at every single place? Each of these does one piece
 * of work again and again, and lets the first call of a place fail, then the second, and so on
 * until there is none left: each allocation, each write, each rename. The work is done in a process
 * of its own (those of a target are born by a thread, which no fork has), which may say that it
 * failed but must not die of a signal, and what was there before must be there afterwards, or what
 * was to come, whole. bench/faults does the same with whole commands.
 */
#include "cc/cache.h"
#include "expr/expr.h"
#include "suite/suite.h"
#include "target/target.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MOST_CALLS 2000u /* of one place in one piece of work */

static char *folder;
static unsigned injected; /* faults so far */

enum { DONE, REFUSED, NOT_REACHED = 77 };

/* ---- the sweep ---- */

struct work {
    bool (*run)(struct base_error *error);
    void (*prepare)(void); /* before each */
    void (*check)(bool is_done);
};

/* In the child. */
static _Noreturn void work_with(const struct work *work, const char *fault) {
    struct base_error error;
    signal(SIGPIPE, SIG_IGN); /* as the programs do */
    base_log_level(0);
    if (!freopen("/dev/null", "w", stderr))
        _exit(1);
    base_fault_set(fault);
    bool good = work->run(&error);
    bool was_reached = base_fault_left() == 0;
    base_fault_set("");
    _exit(!was_reached ? NOT_REACHED : good ? DONE : REFUSED);
}

/* False when the place is passed less often. */
static bool inject(const struct work *work, const char *place, unsigned number) {
    char *fault = base_format("%s:%u", place, number);
    int status;
    work->prepare();
    pid_t child = fork();
    if (child == 0)
        work_with(work, fault);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("%s: signal %d", fault, WTERMSIG(status));
    work->check(WEXITSTATUS(status) == DONE || WEXITSTATUS(status) == NOT_REACHED);
    free(fault);
    injected += WEXITSTATUS(status) != NOT_REACHED;
    return WEXITSTATUS(status) != NOT_REACHED;
}

/* The more often a place is passed, the larger are the steps. */
static void sweep(const struct work *work, const char *const *places) {
    for (; *places; places++)
        for (unsigned number = 1; number < MOST_CALLS; number += 1 + number / 8)
            if (!inject(work, *places, number))
                break;
}

static const char *const disk[] = {"alloc", "open",   "read",  "write",
                                   "short", "rename", "mkdir", NULL};

/* ---- suites ---- */

static char *suite_folder;
static const char *const targets[] = {"a.c"};

/* COUNT tests whose bytes are their number. */
static bool store(size_t count, struct base_error *error) {
    struct suite_test tests[8] = {0};
    char input[8][16];
    struct base_buffer state = {0}, sealed = {0};
    for (size_t i = 0; i < count; i++) {
        memset(input[i], (int)count, sizeof input[i]);
        tests[i] = (struct suite_test){.input = input[i],
                                       .size = sizeof input[i],
                                       .cost = json_pack("{s:i}", "instructions", (int)count),
                                       .program = "int main(void) {}\n"};
    }
    struct suite_fault fault = {"bang", 4, "crash", "Segmentation fault", false, 0};
    struct suite_head head = {.targets = targets,
                              .target_count = 1,
                              .strategy = "random",
                              .measure = "instructions",
                              .faults = &fault,
                              .fault_count = 1};
    base_buffer_print(&state, "%zu", count);
    suite_seal_state("program\noptions\n", &state, &sealed);
    json_t *root = suite_describe(&head, tests, count);
    bool good = suite_store(suite_folder, root, &head, tests, count, &sealed, error);
    json_decref(root);
    base_buffer_done(&state);
    base_buffer_done(&sealed);
    return good;
}

static bool store_five(struct base_error *error) {
    return store(5, error);
}

static void store_three(void) {
    struct base_error error;
    base_remove_tree(suite_folder);
    assert_true(store(3, &error));
    char *diary = base_format("%s/diary", suite_folder);
    assert_true(base_write_file(diary, "dear", 4, &error));
    free(diary);
}

static void expect_suite(const char *path, size_t count) {
    struct suite suite;
    struct base_error error;
    if (!suite_load(path, &suite, &error))
        fail_msg("%s", error.message);
    assert_int_equal(suite.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal((size_t)suite.items[i].cost, count);
        assert_int_equal(suite.items[i].size, 16);
        assert_int_equal(suite.items[i].input[15], count);
    }
    assert_int_equal(suite.fault_count, 1);
    suite_done(&suite);
}

static size_t count_tests(void) {
    struct suite suite;
    struct base_error error;
    assert_true(suite_load(suite_folder, &suite, &error));
    size_t count = suite.count;
    suite_done(&suite);
    return count;
}

/* The old one or the new one, whole, with its state; what is beside it stays. */
static void check_stored(bool is_done) {
    char *state = NULL, *diary = base_format("%s/diary", suite_folder);
    size_t size, count = count_tests();
    struct base_error error;
    assert_true(count == 5 || (count == 3 && !is_done));
    expect_suite(suite_folder, count);
    assert_true(suite_load_state(suite_folder, "program\noptions\n", &state, &size, &error));
    assert_int_equal(state[0] - '0', count);
    assert_int_equal(access(diary, F_OK), 0);
    free(state);
    free(diary);
}

static void test_storing(void **state) {
    (void)state;
    sweep(&(struct work){store_five, store_three, check_stored}, disk);
}

static bool set_aside(struct base_error *error) {
    char *place;
    bool good = suite_set_aside(suite_folder, &place, error);
    if (good)
        free(place);
    return good;
}

/* It is where it was, and, if that was said, in the other place as well. */
static void check_aside(bool is_done) {
    char *place = base_format("%s/earlier-1", suite_folder);
    expect_suite(suite_folder, 3);
    if (is_done || access(place, F_OK) == 0)
        expect_suite(place, 3);
    free(place);
}

static void test_setting_aside(void **state) {
    (void)state;
    sweep(&(struct work){set_aside, store_three, check_aside}, disk);
}

static bool save_state(struct base_error *error) {
    struct base_buffer state = {0}, sealed = {0};
    base_buffer_print(&state, "3 and more");
    suite_seal_state("program\noptions\n", &state, &sealed);
    bool good = suite_save_state(suite_folder, &sealed, error);
    base_buffer_done(&state);
    base_buffer_done(&sealed);
    return good;
}

static void check_state(bool is_done) {
    char *state;
    size_t size;
    struct base_error error;
    assert_true(suite_load_state(suite_folder, "program\noptions\n", &state, &size, &error));
    assert_true(size == 10 || (size == 1 && !is_done));
    free(state);
    expect_suite(suite_folder, 3);
}

static void test_saving_states(void **state) {
    (void)state;
    sweep(&(struct work){save_state, store_three, check_state}, disk);
}

static bool load_suite(struct base_error *error) {
    struct suite suite;
    bool good = suite_load(suite_folder, &suite, error);
    if (good)
        suite_done(&suite);
    return good;
}

static void check_loaded(bool is_done) {
    (void)is_done;
    expect_suite(suite_folder, 3);
}

static void test_loading(void **state) {
    (void)state;
    sweep(&(struct work){load_suite, store_three, check_loaded}, disk);
}

/* ---- targets ---- */

static struct target *open_target(enum instrument_kind kind, struct base_error *error) {
    const char *paths[] = {TEST_SOURCES "/test/unit/events_target.c"};
    struct target_options options = {.paths = paths,
                                     .path_count = 1,
                                     .entry = "costs(a)",
                                     .kind = kind,
                                     .limits = {10, 1u << 30, 1u << 20}};
    return target_open(&options, error);
}

static uint64_t *known_counts; /* of the run without faults; all processes see it */

static void nothing(void) {
}

/* A failure is said, or the results are those of a world without faults. */
static bool run_target(struct base_error *error) {
    struct target *target = open_target(INSTRUMENT_MEASURE, error);
    struct target_input inputs[6];
    struct abi_result results[6];
    bool good = target != NULL;
    for (size_t i = 0; i < BASE_COUNT(inputs); i++)
        inputs[i] = (struct target_input){"\5", 1};
    for (int i = 0; good && i < 3; i++)
        good = target_run(target, inputs, BASE_COUNT(inputs), results, error);
    for (size_t i = 0; good && *known_counts && i < BASE_COUNT(inputs); i++)
        if (results[i].status == ABI_STATUS_OK && results[i].counts_hash != *known_counts)
            abort();
    if (good && !*known_counts)
        *known_counts = results[0].counts_hash;
    if (target)
        target_close(target);
    return good;
}

static void check_target(bool is_done) {
    (void)is_done;
}

static void test_running(void **state) {
    (void)state;
    static const char *const places[] = {
        "alloc",   "open",   "read",   "write",    "rename",      "mkdir",
        "pipe",    "clock",  "fork",   "landlock", "gone-before", "gone-after",
        "control", "result", "memory", "server",   NULL};
    const struct work work = {run_target, nothing, check_target};
    known_counts =
        mmap(NULL, sizeof *known_counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_false(inject(&work, "alloc", MOST_CALLS * 1000)); /* without a fault */
    assert_int_not_equal(*known_counts, 0);
    sweep(&work, places);
}

/* ---- traces ---- */

static void copy_trace(size_t index, const struct abi_result *result, const void *trace,
                       size_t size, void *context) {
    (void)index;
    (void)result;
    base_buffer_add(context, trace, size);
}

/* A trace with any byte changed is refused, or it is one that can be walked and evaluated. */
static void try_trace(struct expr_trace *trace, const struct base_buffer *bytes) {
    static const uint8_t zeros[1];
    struct base_error error;
    size_t next;
    injected++;
    if (!expr_trace_read(trace, bytes->data, bytes->count, &next, &error))
        return;
    expr_eval_begin(trace->pool, zeros, sizeof zeros);
    for (size_t i = 0; i < trace->count; i++)
        if (trace->events[i].expr)
            expr_eval(trace->pool, trace->events[i].expr);
}

static void test_traces(void **state) {
    (void)state;
    static const uint8_t changes[] = {1, 0x80, 0xff};
    struct target_input input = {"\5", 1};
    struct base_buffer bytes = {0};
    struct expr_trace trace = {0};
    struct base_error error;
    struct target *target = open_target(INSTRUMENT_SYMBOLIC, &error);
    assert_non_null(target);
    assert_true(target_run_traced(target, &input, 1, copy_trace, &bytes, &error));
    target_close(target);
    for (size_t i = 0; i < bytes.count; i++)
        for (size_t k = 0; k < BASE_COUNT(changes); k++) {
            bytes.data[i] = (char)(bytes.data[i] ^ changes[k]);
            try_trace(&trace, &bytes);
            bytes.data[i] = (char)(bytes.data[i] ^ changes[k]);
        }
    expr_trace_done(&trace);
    base_buffer_done(&bytes);
}

/* ---- the cache ---- */

static bool fill_cache(struct base_error *error) {
    char *built = cc_cache_begin(error);
    char *file = built ? base_format("%s/data", built) : NULL;
    bool good = built && base_write_file(file, "content", 7, error);
    struct cc_entry entry;
    free(file);
    if (!good && built)
        cc_cache_abandon(built);
    good = good && cc_cache_commit(built, "key", &entry, error);
    if (good)
        cc_entry_done(&entry);
    return good;
}

static void empty_cache(void) {
    base_remove_tree(getenv("SLOWPATH_CACHE"));
}

/* An entry that is there is whole. */
static void check_cache(bool is_done) {
    char *file = base_format("%s/key/data", getenv("SLOWPATH_CACHE")), *data = NULL;
    struct base_error error;
    size_t size;
    bool is_there = access(file, F_OK) == 0;
    assert_true(is_there || !is_done);
    if (is_there) {
        assert_true(base_read_file(file, &data, &size, &error));
        assert_string_equal(data, "content");
    }
    free(data);
    free(file);
}

static void test_cache(void **state) {
    (void)state;
    char *usual = base_strdup(getenv("SLOWPATH_CACHE") ? getenv("SLOWPATH_CACHE") : "");
    char *own = base_format("%s/cache", folder);
    setenv("SLOWPATH_CACHE", own, 1);
    sweep(&(struct work){fill_cache, empty_cache, check_cache}, disk);
    setenv("SLOWPATH_CACHE", usual, 1);
    free(usual);
    free(own);
}

static int begin(void **state) {
    (void)state;
    folder = base_temp_dir();
    suite_folder = base_format("%s/suite", folder);
    return 0;
}

static int end(void **state) {
    (void)state;
    printf("%u faults\n", injected);
    base_remove_tree(folder);
    free(suite_folder);
    free(folder);
    return injected < 300;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storing),       cmocka_unit_test(test_setting_aside),
        cmocka_unit_test(test_saving_states), cmocka_unit_test(test_loading),
        cmocka_unit_test(test_cache),         cmocka_unit_test(test_running),
        cmocka_unit_test(test_traces),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
