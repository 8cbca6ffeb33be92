/* SPDX-License-Identifier: Apache-2.0
 *
 * The base room: memory, maps, strings, distances, files, child processes, hashes.
 */
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- memory ---- */

static void test_alloc_is_zeroed(void **state) {
    (void)state;
    char *memory = base_alloc(1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(memory[i], 0);
    free(memory);
    free(base_alloc(0)); /* not NULL, can be freed */
    char *text = base_format("%s-%d", "a", 7);
    assert_string_equal(text, "a-7");
    free(text);
}

static void test_arena(void **state) {
    (void)state;
    struct base_arena arena = {0};
    char *blocks[2000];
    for (size_t i = 0; i < BASE_COUNT(blocks); i++) {
        size_t size = i % 500;
        blocks[i] = base_arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        for (size_t j = 0; j < size; j++)
            assert_int_equal(blocks[i][j], 0);
        memset(blocks[i], (int)(i % 100) + 1, size);
    }
    for (size_t i = 0; i < BASE_COUNT(blocks); i++) /* none overlaps with another */
        for (size_t j = 0; j < i % 500; j++)
            assert_int_equal(blocks[i][j], (int)(i % 100) + 1);
    char *large = base_arena_alloc(&arena, 1 << 20);
    memset(large, 1, 1 << 20);
    assert_string_equal(base_arena_strdup(&arena, "copy"), "copy");
    assert_string_equal(base_arena_format(&arena, "%05d", 42), "00042");
    base_arena_done(&arena);
    base_arena_done(&arena); /* an empty one is fine */
}

static void test_vector(void **state) {
    (void)state;
    BASE_VECTOR(int) numbers = {0};
    for (int i = 0; i < 1000; i++)
        base_push(&numbers, i * i);
    assert_int_equal(numbers.count, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers.data[i], i * i);
    base_vector_done(&numbers);
    assert_int_equal(numbers.count, 0);
}

static void test_buffer(void **state) {
    (void)state;
    struct base_buffer buffer = {0};
    base_buffer_add(&buffer, "", 0);
    assert_string_equal(buffer.data, "");
    for (int i = 0; i < 3000; i++)
        base_buffer_add(&buffer, "\0ab", 3);
    assert_int_equal(buffer.count, 9000);
    assert_memory_equal(buffer.data + 8997, "\0ab", 4); /* with the NUL after the end */
    buffer.count = 0;
    base_buffer_print(&buffer, "%d%%", 50);
    assert_string_equal(buffer.data, "50%");
    base_buffer_done(&buffer);
}

static void test_strings(void **state) {
    (void)state;
    struct base_strings strings = {0};
    char text[] = "one";
    base_strings_add(&strings, text);
    text[0] = 'x';
    assert_string_equal(strings.data[0], "one"); /* copied */
    base_strings_done(&strings);
}

/* ---- maps ---- */

static void test_map(void **state) {
    (void)state;
    struct base_map map = {0};
    char key[32];
    assert_int_equal(base_map_get(&map, "nothing"), BASE_MAP_NONE);
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key %u", i);
        base_map_set(&map, key, i);
    }
    base_map_set(&map, "", 77);
    base_map_set(&map, "key 3", 33); /* replaces */
    assert_int_equal(map.count, 5001);
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key %u", i);
        assert_int_equal(base_map_get(&map, key), i == 3 ? 33 : i);
    }
    assert_int_equal(base_map_get(&map, ""), 77);
    assert_int_equal(base_map_get(&map, "key 5000"), BASE_MAP_NONE);
    base_map_done(&map);
    assert_int_equal(base_map_get(&map, "key 1"), BASE_MAP_NONE);
}

static void test_edit_distance(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } rows[] = {{"", "", 0},           {"a", "", 1},         {"", "abc", 3},
                {"isort", "isort", 0}, {"isort", "isrt", 1}, {"kitten", "sitting", 3},
                {"ab", "ba", 2},       {"flaw", "lawn", 2}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        assert_int_equal(base_edit_distance(rows[i].a, rows[i].b), rows[i].distance);
        assert_int_equal(base_edit_distance(rows[i].b, rows[i].a), rows[i].distance);
    }
}

/* ---- files ---- */

static char *folder;

static int make_folder(void **state) {
    (void)state;
    folder = base_temp_dir();
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    bool gone = base_remove_tree(folder);
    gone = gone && access(folder, F_OK) != 0;
    free(folder);
    return gone ? 0 : 1;
}

static void check_round_trip(const char *path, const char *bytes, size_t size) {
    struct base_error error = {0};
    char *data;
    size_t got;
    assert_true(base_write_file(path, bytes, size, &error));
    assert_true(base_read_file(path, &data, &got, &error));
    assert_int_equal(got, size);
    assert_memory_equal(data, bytes, size);
    assert_int_equal(data[got], 0);
    free(data);
}

static void test_files(void **state) {
    (void)state;
    char *path = base_format("%s/file", folder), *large = base_alloc(300001);
    memset(large, 'x', 300001);
    large[5] = 0;
    check_round_trip(path, "", 0);
    check_round_trip(path, "a\0b", 3);
    check_round_trip(path, large, 300001);
    check_round_trip(path, "short again", 11);
    free(large);
    free(path);
}

static void test_file_without_a_size(void **state) {
    (void)state;
    struct base_error error = {0};
    char *data;
    size_t size;
    assert_true(base_read_file("/proc/self/status", &data, &size, &error));
    assert_true(size > 0 && strstr(data, "Name:"));
    free(data);
}

static void test_file_errors(void **state) {
    (void)state;
    struct base_error error = {0};
    char *data;
    size_t size;
    assert_false(base_read_file("/nonexistent/file", &data, &size, &error));
    assert_int_equal(error.code, BASE_USAGE);
    assert_string_equal(error.message,
                        "cannot read '/nonexistent/file': No such file or directory");
    assert_false(base_read_file(folder, &data, &size, &error));
    assert_non_null(strstr(error.message, "Is a directory"));
    assert_false(base_write_file("/nonexistent/file", "x", 1, &error));
    assert_string_equal(error.message,
                        "cannot write '/nonexistent/file': No such file or directory");
    char *path = base_format("%s/taken", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_false(base_write_file(path, "x", 1, &error)); /* a folder is in the way */
    free(path);
    struct stat status;
    char *neighbour = base_format("%s/taken.tmp.%d", folder, (int)getpid());
    assert_int_not_equal(stat(neighbour, &status), 0); /* nothing is left beside it */
    free(neighbour);
}

static void test_folders(void **state) {
    (void)state;
    struct base_error error = {0};
    char *deep = base_format("%s/a/b/c", folder), *file = base_format("%s/a/file", folder),
         *below = base_format("%s/a/file/d", folder);
    assert_true(base_make_dirs(deep, &error));
    assert_true(base_make_dirs(deep, &error)); /* once more does no harm */
    assert_true(base_is_directory(deep));
    assert_true(base_write_file(file, "x", 1, &error));
    assert_false(base_is_directory(file));
    assert_false(base_make_dirs(file, &error));
    assert_non_null(strstr(error.message, "is in the way: it is not a folder"));
    assert_false(base_make_dirs(below, &error));
    assert_string_equal(base_basename("/a/b.c"), "b.c");
    assert_string_equal(base_basename("b.c"), "b.c");
    assert_string_equal(base_basename("a/"), "");
    free(deep);
    free(file);
    free(below);
}

/* ---- child processes ---- */

static void test_run_captures(void **state) {
    (void)state;
    struct base_buffer out = {0}, err = {0};
    const char *const argv[] = {"sh", "-c", "echo to out; echo to err >&2; exit 7", NULL};
    struct base_process process = {.argv = argv, .out = &out, .err = &err};
    assert_int_equal(base_run(&process), 7);
    assert_string_equal(out.data, "to out\n");
    assert_string_equal(err.data, "to err\n");
    out.count = 0;
    process.err = &out; /* both in one */
    assert_int_equal(base_run(&process), 7);
    assert_string_equal(out.data, "to out\nto err\n");
    out.count = 0;
    process.err = NULL;
    process.discard_err = true;
    assert_int_equal(base_run(&process), 7);
    assert_string_equal(out.data, "to out\n");
    base_buffer_done(&out);
    base_buffer_done(&err);
}

static void test_run_much_output(void **state) {
    (void)state;
    struct base_buffer out = {0}, err = {0};
    const char *const argv[] = {
        "sh", "-c", "head -c 1000000 /dev/zero >&2; head -c 2000000 /dev/zero; cat", NULL};
    struct base_process process = {
        .argv = argv, .input_path = "/dev/null", .out = &out, .err = &err};
    assert_int_equal(base_run(&process), 0);
    assert_int_equal(out.count, 2000000);
    assert_int_equal(err.count, 1000000);
    base_buffer_done(&out);
    base_buffer_done(&err);
}

static void test_run_failures(void **state) {
    (void)state;
    const char *const missing[] = {"no-such-program-anywhere", NULL};
    const char *const killed[] = {"sh", "-c", "kill -9 $$", NULL};
    assert_int_equal(base_run(&(struct base_process){.argv = missing}), 127);
    assert_int_equal(base_run(&(struct base_process){.argv = killed}), 128 + 9);
}

/* ---- hashes, errors ---- */

static void hash_texts(const char *a, const char *b, char text[33]) {
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add_text(&hash, a);
    base_hash_add_text(&hash, b);
    base_hash_done(&hash, text);
}

static void test_hash(void **state) {
    (void)state;
    char first[33], second[33];
    hash_texts("ab", "c", first);
    hash_texts("ab", "c", second);
    assert_string_equal(first, second);
    assert_int_equal(strlen(first), 32);
    assert_int_equal(strspn(first, "0123456789abcdef"), 32);
    hash_texts("a", "bc", second); /* where a text ends matters */
    assert_string_not_equal(first, second);
}

static void test_errors(void **state) {
    (void)state;
    struct base_error error = {0};
    assert_false(base_fail(&error, BASE_TARGET, "%d problems", 3));
    assert_int_equal(error.code, BASE_TARGET);
    assert_string_equal(error.message, "3 problems");
    char *endless = base_alloc(10000);
    memset(endless, 'x', 9999);
    assert_false(base_fail(&error, BASE_USAGE, "%s", endless)); /* cut, not overrun */
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    free(endless);
    assert_true(base_seconds() <= base_seconds());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_is_zeroed),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_vector),
        cmocka_unit_test(test_buffer),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_edit_distance),
        cmocka_unit_test_setup_teardown(test_files, make_folder, remove_folder),
        cmocka_unit_test(test_file_without_a_size),
        cmocka_unit_test_setup_teardown(test_file_errors, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_folders, make_folder, remove_folder),
        cmocka_unit_test(test_run_captures),
        cmocka_unit_test(test_run_much_output),
        cmocka_unit_test(test_run_failures),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
