/* SPDX-License-Identifier: Apache-2.0
 *
 * The cache of built things: entries appear whole, once, whoever is faster; what is over the limit
 * goes, oldest first, but never what is in use; what is damaged or foreign does no harm.
 */
#include "cc/cache.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char *cache;

static int make_cache(void **state) {
    (void)state;
    cache = base_temp_dir();
    setenv("SLOWPATH_CACHE", cache, 1);
    unsetenv("SLOWPATH_CACHE_SIZE");
    return 0;
}

static int remove_cache(void **state) {
    (void)state;
    base_remove_tree(cache);
    free(cache);
    return 0;
}

static char *in_cache(const char *name) {
    return base_format("%s/%s", cache, name);
}

static bool is_there(const char *name) {
    char *path = in_cache(name);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

static char *begin_with(const char *content, size_t size) {
    struct base_error error = {0};
    char *built = cc_cache_begin(&error);
    assert_non_null(built);
    char *file = base_format("%s/data", built);
    assert_true(base_write_file(file, content, size, &error));
    free(file);
    return built;
}

/* Makes an entry of SIZE bytes that was last used AGE seconds ago. */
static void add_entry(const char *key, size_t size, int age) {
    struct base_error error = {0};
    struct cc_entry entry = {.lock = -1};
    char *content = base_alloc(size), *path = in_cache(key);
    assert_true(cc_cache_commit(begin_with(content, size), key, &entry, &error));
    cc_entry_done(&entry);
    struct timespec times[2] = {{.tv_sec = time(NULL) - age}, {.tv_sec = time(NULL) - age}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    free(content);
    free(path);
}

static void test_find_and_commit(void **state) {
    (void)state;
    struct base_error error = {0};
    struct cc_entry entry = {.lock = -1}, again = {.lock = -1};
    assert_false(cc_cache_find("key", &entry));
    assert_true(cc_cache_commit(begin_with("abc", 3), "key", &entry, &error));
    assert_true(cc_cache_find("key", &again));
    assert_string_equal(entry.folder, again.folder);
    char *file = base_format("%s/data", again.folder), *data;
    size_t size;
    assert_true(base_read_file(file, &data, &size, &error));
    assert_string_equal(data, "abc");
    free(data);
    free(file);
    cc_entry_done(&entry);
    cc_entry_done(&again);
    cc_entry_done(&again); /* done twice is done */
}

static void test_abandon(void **state) {
    (void)state;
    char *built = begin_with("abc", 3), *name = base_strdup(base_basename(built));
    assert_true(is_there(name));
    cc_cache_abandon(built);
    assert_false(is_there(name));
    free(name);
}

/* ---- several processes ---- */

static int commit_in_child(int number) {
    struct base_error error = {0};
    struct cc_entry entry = {.lock = -1};
    char content[16];
    snprintf(content, sizeof content, "by %d", number);
    if (!cc_cache_commit(begin_with(content, strlen(content)), "same", &entry, &error))
        return 1;
    char *file = base_format("%s/data", entry.folder), *data;
    size_t size;
    if (!base_read_file(file, &data, &size, &error) || strncmp(data, "by ", 3) != 0)
        return 2;
    free(data);
    free(file);
    cc_entry_done(&entry);
    return 0;
}

static void test_two_at_once(void **state) {
    (void)state;
    for (int round = 0; round < 30; round++) {
        pid_t children[4];
        for (int i = 0; i < 4; i++) {
            children[i] = fork();
            if (children[i] == 0)
                _exit(commit_in_child(i));
        }
        for (int i = 0; i < 4; i++) {
            int status = -1;
            waitpid(children[i], &status, 0);
            assert_int_equal(status, 0);
        }
        assert_true(is_there("same"));
        char *path = in_cache("same");
        base_remove_tree(path);
        free(path);
    }
    struct base_buffer left = {0}; /* the slower ones took their folders away */
    const char *const argv[] = {"ls", cache, NULL};
    assert_int_equal(base_run(&(struct base_process){.argv = argv, .out = &left}), 0);
    assert_int_equal(left.count, 0);
    base_buffer_done(&left);
}

/* ---- the limit ---- */

#define MIB (((size_t)1 << 20) - 4096) /* with room for the manifest */

static void test_oldest_go_first(void **state) {
    (void)state;
    setenv("SLOWPATH_CACHE_SIZE", "3", 1);
    add_entry("old", MIB, 300);
    add_entry("older", MIB, 400);
    add_entry("young", MIB, 100);
    assert_true(is_there("old") && is_there("older") && is_there("young"));
    add_entry("new", MIB, 0);
    assert_false(is_there("older"));
    assert_true(is_there("old") && is_there("young") && is_there("new"));
}

static void test_use_makes_young(void **state) {
    (void)state;
    struct cc_entry entry = {.lock = -1};
    setenv("SLOWPATH_CACHE_SIZE", "3", 1);
    add_entry("a", MIB, 400);
    add_entry("b", MIB, 300);
    add_entry("c", MIB, 200);
    assert_true(cc_cache_find("a", &entry)); /* used just now */
    cc_entry_done(&entry);
    add_entry("d", MIB, 0);
    assert_true(is_there("a") && is_there("c") && is_there("d"));
    assert_false(is_there("b"));
}

static void test_in_use_stays(void **state) {
    (void)state;
    struct cc_entry entry = {.lock = -1};
    setenv("SLOWPATH_CACHE_SIZE", "2", 1);
    add_entry("held", MIB, 400);
    assert_true(cc_cache_find("held", &entry));
    char *path = in_cache("held");
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0); /* the oldest by far */
    free(path);
    add_entry("b", MIB, 300);
    add_entry("c", MIB, 0);
    assert_true(is_there("held") && is_there("c"));
    assert_false(is_there("b"));
    cc_entry_done(&entry);
}

/* The sum is kept: what appears without a commit is only seen when all entries are counted. */
static void test_counted_seldom(void **state) {
    (void)state;
    char *foreign = in_cache("begun-abcdef"), *sum = in_cache(".sum");
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct base_error error = {0};
    setenv("SLOWPATH_CACHE_SIZE", "3", 1);
    add_entry("a", MIB, 300);
    mkdir(foreign, 0777);
    utimensat(AT_FDCWD, foreign, times, 0);
    add_entry("b", MIB, 200);
    assert_true(is_there("begun-abcdef")); /* nobody looked */
    assert_true(base_write_file(sum, "strange", 7, &error));
    add_entry("c", 10, 100);
    assert_false(is_there("begun-abcdef"));
    assert_true(base_write_file(sum, "9 1000\n", 7, &error)); /* too old to be believed */
    add_entry("d", MIB, 50);
    add_entry("e", MIB, 0);
    assert_false(is_there("a"));
    assert_true(is_there("b") && is_there("c") && is_there("d") && is_there("e"));
    free(foreign);
    free(sum);
}

/* ---- what others left ---- */

static void test_left_behind(void **state) {
    (void)state;
    char *begun = in_cache("begun-abcdef"), *fresh = in_cache("begun-ghijkl"),
         *hidden = in_cache(".hidden"), *file = in_cache("file");
    struct base_error error = {0};
    struct timespec times[2] = {{.tv_sec = time(NULL) - 7200}, {.tv_sec = time(NULL) - 7200}};
    mkdir(begun, 0777);
    mkdir(fresh, 0777);
    mkdir(hidden, 0777);
    assert_true(base_write_file(file, "x", 1, &error));
    utimensat(AT_FDCWD, begun, times, 0);
    add_entry("new", 10, 0);
    assert_false(is_there("begun-abcdef")); /* its process died two hours ago */
    assert_true(is_there("begun-ghijkl"));  /* someone is building */
    assert_true(is_there(".hidden") && is_there("file"));
    free(begun);
    free(fresh);
    free(hidden);
    free(file);
}

static void damage(const char *name, const char *with) {
    char *path = in_cache(name);
    struct base_error error = {0};
    if (with)
        assert_true(base_write_file(path, with, strlen(with), &error));
    else
        assert_int_equal(unlink(path), 0);
    free(path);
}

static void test_damaged(void **state) {
    (void)state;
    struct cc_entry entry = {.lock = -1};
    add_entry("gone", 100, 0);
    damage("gone/data", NULL);
    assert_false(cc_cache_find("gone", &entry));
    add_entry("cut", 100, 0);
    damage("cut/data", "");
    assert_false(cc_cache_find("cut", &entry));
    add_entry("strange", 100, 0);
    damage("strange/manifest", "not a manifest");
    assert_false(cc_cache_find("strange", &entry));
    add_entry("empty", 100, 0);
    damage("empty/manifest", "");
    assert_false(cc_cache_find("empty", &entry));
    add_entry("unlisted", 100, 0);
    damage("unlisted/manifest", NULL);
    assert_false(cc_cache_find("unlisted", &entry));
    assert_false(is_there("gone") || is_there("cut") || is_there("strange") ||
                 is_there("unlisted"));
    add_entry("gone", 100, 0); /* and can be made again */
    assert_true(cc_cache_find("gone", &entry));
    cc_entry_done(&entry);
}

static void test_file_in_the_way(void **state) {
    (void)state;
    struct base_error error = {0};
    struct cc_entry entry = {.lock = -1};
    char *path = in_cache("key");
    assert_true(base_write_file(path, "x", 1, &error));
    assert_false(cc_cache_find("key", &entry));
    assert_false(cc_cache_commit(begin_with("abc", 3), "key", &entry, &error));
    assert_non_null(strstr(error.message, "cannot keep"));
    free(path);
}

static void test_unusable_folder(void **state) {
    (void)state;
    struct base_error error = {0};
    char *file = in_cache("file"), *below = in_cache("file/cache");
    assert_true(base_write_file(file, "x", 1, &error));
    setenv("SLOWPATH_CACHE", below, 1);
    assert_null(cc_cache_begin(&error));
    assert_int_equal(error.code, BASE_USAGE);
    free(file);
    free(below);
}

#define CACHE_TEST(name) cmocka_unit_test_setup_teardown(name, make_cache, remove_cache)

int main(void) {
    const struct CMUnitTest tests[] = {
        CACHE_TEST(test_find_and_commit), CACHE_TEST(test_abandon),
        CACHE_TEST(test_two_at_once),     CACHE_TEST(test_oldest_go_first),
        CACHE_TEST(test_use_makes_young), CACHE_TEST(test_in_use_stays),
        CACHE_TEST(test_counted_seldom),  CACHE_TEST(test_left_behind),
        CACHE_TEST(test_damaged),         CACHE_TEST(test_file_in_the_way),
        CACHE_TEST(test_unusable_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
