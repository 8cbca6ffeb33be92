/* SPDX-License-Identifier: Apache-2.0
 *
 * Suites and states on disk: what is stored comes back, folders are replaced as a whole, and files
 * with any damage are refused without harm. Set SEED to repeat the random damage.
 */
#include "suite/suite.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char *folder;

static int make_folder(void **state) {
    (void)state;
    folder = base_temp_dir();
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    base_remove_tree(folder);
    free(folder);
    return 0;
}

static const char *const targets[] = {"a.c", "b.c"};

/* COUNT tests whose inputs are SIZE bytes of their own number. */
static bool store(const char *path, size_t count, size_t size, const struct base_buffer *state,
                  struct base_error *error) {
    struct suite_test tests[20] = {0};
    char input[64];
    for (size_t i = 0; i < count; i++) {
        memset(input, (int)i + 1, sizeof input);
        tests[i] = (struct suite_test){.input = input,
                                       .size = size,
                                       .cost = json_pack("{s:i}", "instructions", 100 - (int)i),
                                       .verified = true,
                                       .decisions = 3,
                                       .condition = "a[0] < a[1]",
                                       .program = i ? NULL : "int main(void) {}\n"};
    }
    const struct suite_fault faults[] = {{"long", 4, "timeout", "over 2 s", true, 2},
                                         {"bang", 4, "crash", "Segmentation fault", false, 0},
                                         {"long!", 5, "memory", "over 64 MiB", true, 64}};
    struct suite_head head = {.targets = targets,
                              .target_count = 2,
                              .entry = "f(a[n], n)",
                              .strategy = "random",
                              .measure = "instructions",
                              .sizes = json_pack("{s:i}", "n", 4),
                              .faults = faults,
                              .fault_count = count > 2 ? BASE_COUNT(faults) : 0,
                              .options = json_pack("{s:[s], s:i}", "cflags", "-DX", "arg", 2)};
    json_t *root = suite_describe(&head, tests, count);
    bool good = suite_store(path, root, &head, tests, count, state, error);
    json_decref(root);
    return good;
}

static bool exists(const char *path, const char *name) {
    char *file = base_format("%s/%s", path, name);
    bool found = access(file, F_OK) == 0;
    free(file);
    return found;
}

static void test_round_trip(void **state) {
    (void)state;
    struct base_error error;
    struct suite suite;
    char *path = base_format("%s/deep/er/suite/", folder);
    assert_true(store(path, 3, 8, NULL, &error));
    assert_true(suite_load(path, &suite, &error));
    assert_int_equal(suite.count, 3);
    assert_int_equal(suite.targets.count, 2);
    assert_string_equal(suite.targets.data[1], "b.c");
    assert_string_equal(suite.entry, "f(a[n], n)");
    assert_string_equal(suite.measure, "instructions");
    assert_string_equal(suite.cflags.data[0], "-DX");
    assert_int_equal(suite.arg_index, 2);
    assert_int_equal(suite.size_count, 1);
    assert_string_equal(suite.sizes[0].name, "n");
    assert_int_equal(suite.sizes[0].value, 4);
    assert_string_equal(suite.items[2].file, "tests/0003.input");
    assert_int_equal((int)suite.items[2].cost, 98);
    assert_int_equal(suite.items[2].size, 8);
    assert_true(exists(path, "tests/0001.c"));
    assert_false(exists(path, "tests/0002.c"));
    assert_false(exists(path, "state"));
    assert_int_equal(suite.fault_count, 3); /* those at a limit come first, in a folder of theirs */
    assert_true(suite.faults[1].is_slow && suite.faults[1].limit == 64);
    assert_memory_equal(suite.faults[1].input, "long!", 5);
    assert_string_equal(suite.faults[2].reason, "Segmentation fault");
    assert_true(exists(path, "slow/0002.input") && exists(path, "faults/0001.input"));
    suite_done(&suite);
    free(path);
}

/* A smaller suite leaves nothing of a larger one, and no other folder behind. */
static void test_replacing(void **state) {
    (void)state;
    struct base_error error;
    struct base_buffer bytes = {0};
    char *path = base_format("%s/replaced", folder);
    base_buffer_print(&bytes, "state");
    assert_true(store(path, 12, 8, &bytes, &error));
    assert_true(exists(path, "tests/0012.input"));
    assert_true(exists(path, "faults/0001.input"));
    assert_true(exists(path, "state"));
    assert_true(store(path, 2, 4, NULL, &error));
    assert_true(exists(path, "tests/0002.input"));
    assert_false(exists(path, "tests/0003.input"));
    assert_false(exists(path, "faults") || exists(path, "slow"));
    assert_false(exists(path, "state"));
    char *neighbour = base_format("%s.tmp.%d", path, (int)getpid());
    assert_int_not_equal(access(neighbour, F_OK), 0);
    free(neighbour);
    free(path);
    base_buffer_done(&bytes);
}

static void test_other_things_are_safe(void **state) {
    (void)state;
    struct base_error error;
    char *path = base_format("%s/precious", folder), *file = base_format("%s/diary", path);
    assert_true(base_make_dirs(path, &error));
    assert_true(suite_check_place(path, &error)); /* empty */
    assert_true(base_write_file(file, "dear", 4, &error));
    assert_false(suite_check_place(path, &error));
    assert_int_equal(error.code, BASE_USAGE);
    assert_false(store(path, 1, 4, NULL, &error));
    assert_true(exists(path, "diary"));
    assert_false(suite_check_place(file, &error));
    assert_false(suite_check_place("", &error));
    free(file);
    free(path);
}

static void start_random(void) {
    const char *text = getenv("SEED");
    unsigned seed = text ? (unsigned)strtoul(text, NULL, 10) : (unsigned)time(NULL);
    print_message("SEED=%u\n", seed);
    srand(seed);
}

/* Any byte of suite.json may be anything. */
static void test_damaged_suite(void **state) {
    (void)state;
    struct base_error error;
    char *path = base_format("%s/damaged", folder), *file = base_format("%s/suite.json", path);
    char *text;
    size_t size, refused = 0;
    assert_true(store(path, 3, 8, NULL, &error));
    assert_true(base_read_file(file, &text, &size, &error));
    start_random();
    for (int round = 0; round < 2000; round++) {
        struct suite suite;
        size_t at = (size_t)rand() % size;
        char saved = text[at];
        text[at] = (char)rand();
        assert_true(base_write_file(file, text, rand() % 4 ? size : at, &error));
        if (suite_load(path, &suite, &error))
            suite_done(&suite);
        else {
            assert_int_equal(error.code, BASE_USAGE);
            assert_null(strchr(error.message, '\n'));
            refused++;
        }
        text[at] = saved;
    }
    assert_true(refused > 1000);
    free(text);
    free(file);
    free(path);
}

static void test_state(void **state) {
    (void)state;
    struct base_error error;
    struct base_buffer bytes = {0}, sealed = {0};
    char *path = base_format("%s/stated", folder), *file = base_format("%s/state", path);
    char *loaded;
    size_t size;
    assert_false(suite_load_state(path, "key", &loaded, &size, &error));
    base_buffer_print(&bytes, "what is left to do");
    suite_seal_state("key", &bytes, &sealed);
    assert_true(suite_save_state(path, &sealed, &error));
    assert_true(suite_load_state(path, "key", &loaded, &size, &error));
    assert_int_equal(size, bytes.count);
    assert_memory_equal(loaded, bytes.data, size);
    free(loaded);
    assert_false(suite_load_state(path, "kex", &loaded, &size, &error));
    assert_non_null(strstr(error.message, "other options"));
    for (size_t at = 0; at < sealed.count; at++) {
        bool unused = at >= 41 && at < 48; /* behind the hash */
        sealed.data[at] ^= 0x10;
        assert_true(suite_save_state(path, &sealed, &error));
        if (!unused)
            assert_false(suite_load_state(path, "key", &loaded, &size, &error));
        sealed.data[at] ^= 0x10;
        assert_true(base_write_file(file, sealed.data, at, &error));
        assert_false(suite_load_state(path, "key", &loaded, &size, &error));
    }
    base_buffer_done(&bytes);
    base_buffer_done(&sealed);
    free(file);
    free(path);
}

/* Ranks that were killed before or in a moment leave files that count for nothing. */
static void test_unfinished_moments(void **state) {
    (void)state;
    struct base_error error;
    struct base_buffer bytes = {0};
    char *path = base_format("%s/ranked", folder), *other = base_format("%s/ranks/notes", path);
    char *first = base_format("%s/ranks/1.0", path), *late = base_format("%s/ranks/2.0.1", path);
    base_buffer_print(&bytes, "what is left to do");
    for (uint32_t moment = 1; moment <= 2; moment++) {
        struct suite_rank_file file = {moment, 0, moment - 1};
        assert_true(suite_save_rank(path, "key", &file, &bytes, &error));
        assert_true(suite_check_place(path, &error)); /* nothing is whole, and a search may begin */
        if (moment == 1)
            assert_true(suite_commit_ranks(path, 1, 1, 0, &error));
    }
    suite_forget_unfinished(path);
    assert_int_equal(access(first, F_OK), 0);
    assert_int_not_equal(access(late, F_OK), 0);
    assert_true(base_write_file(other, "mine", 4, &error));
    suite_drop_ranks(path);
    assert_int_equal(access(first, F_OK), 0); /* who knows whose they are */
    unlink(other);
    suite_drop_ranks(path);
    assert_int_not_equal(access(first, F_OK), 0);
    base_buffer_done(&bytes);
    free(late);
    free(first);
    free(other);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_replacing),
        cmocka_unit_test(test_other_things_are_safe),
        cmocka_unit_test(test_damaged_suite),
        cmocka_unit_test(test_state),
        cmocka_unit_test(test_unfinished_moments),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
