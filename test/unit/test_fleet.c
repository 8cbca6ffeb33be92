/* SPDX-License-Identifier: Apache-2.0
 *
 * A fleet's folder: what one instance writes all others read, once; files that are torn, foreign,
 * half copied or no files at all are left alone; names; an instance goes on behind its own files; a
 * folder that is full or does not answer harms nobody. What is torn is drawn with SEED (printed).
 */
#include "fleet/fleet.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define KEY "0123456789abcdef0123456789abcdef"
#define OTHER_KEY "0123456789abcdef0123456789abcdee"
#define ALL ((size_t)1 << 20)

static char *folder_path;

static int make_folder(void **state) {
    (void)state;
    folder_path = base_temp_dir();
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    base_remove_tree(folder_path);
    free(folder_path);
    return 0;
}

/* ---- bundles ---- */

static void pack_two(struct base_buffer *out, char hash[33]) {
    struct fleet_messages messages = {0};
    fleet_messages_add(&messages, 0, "first", 5);
    fleet_messages_add(&messages, 2, "", 0);
    fleet_pack(KEY, messages.data, messages.count, out, hash);
    fleet_messages_done(&messages);
}

static void test_bundles_come_back(void **state) {
    struct base_buffer bytes = {0};
    struct fleet_messages messages = {0};
    char hash[33];
    (void)state;
    pack_two(&bytes, hash);
    assert_int_equal(strlen(hash), 32);
    assert_int_equal(fleet_unpack(KEY, bytes.data, bytes.count, &messages), FLEET_GOOD);
    assert_int_equal(messages.count, 2);
    assert_memory_equal(messages.data[0].data, "first", 5);
    assert_int_equal(messages.data[1].kind, 2);
    assert_int_equal(messages.data[1].size, 0);
    assert_int_equal(fleet_unpack(OTHER_KEY, bytes.data, bytes.count, &messages), FLEET_FOREIGN);
    assert_int_equal(messages.count, 2);
    fleet_messages_done(&messages);
    base_buffer_done(&bytes);
}

/* Cut at each length, and with any byte changed: never good, and nothing is taken. */
static void test_torn_bundles_are_noticed(void **state) {
    struct base_buffer bytes = {0};
    struct fleet_messages messages = {0};
    char hash[33];
    (void)state;
    pack_two(&bytes, hash);
    for (size_t size = 0; size < bytes.count; size++)
        assert_int_equal(fleet_unpack(KEY, bytes.data, size, &messages), FLEET_TORN);
    for (size_t i = 0; i < bytes.count; i++) {
        bytes.data[i] ^= 0x10;
        assert_int_not_equal(fleet_unpack(KEY, bytes.data, bytes.count, &messages), FLEET_GOOD);
        bytes.data[i] ^= 0x10;
    }
    assert_int_equal(messages.count, 0);
    base_buffer_done(&bytes);
}

/* Numbers that a right hash covers and that do not add up. */
static void test_impossible_sizes(void **state) {
    struct fleet_messages messages = {0};
    struct base_buffer bytes = {0};
    char hash[33];
    (void)state;
    struct fleet_message huge = {FLEET_KINDS, 3, (uint8_t *)"abc"};
    fleet_pack(KEY, &huge, 1, &bytes, hash);
    assert_int_equal(fleet_unpack(KEY, bytes.data, bytes.count, &messages), FLEET_TORN);
    assert_int_equal(messages.count, 0);
    base_buffer_done(&bytes);
}

/* ---- names ---- */

static void test_names(void **state) {
    static const char *const good[] = {"a", "host-12.example", "A_b-9"};
    static const char *const bad[] = {
        "",    ".",
        "..",  ".hidden",
        "a/b", "a b",
        "a\n", "0123456789012345678901234567890123456789012345678901234567890123456789"};
    struct base_error error;
    (void)state;
    for (size_t i = 0; i < BASE_COUNT(good); i++)
        assert_true(fleet_check_name(good[i], &error));
    for (size_t i = 0; i < BASE_COUNT(bad); i++)
        assert_false(fleet_check_name(bad[i], &error));
}

/* ---- folders ---- */

static void open_folder(struct fleet_folder *folder, const char *name, const char *key) {
    struct base_error error;
    fleet_folder_init(folder, folder_path, name, key);
    assert_true(fleet_folder_open(folder, &error));
}

static void write_text(struct fleet_folder *folder, const char *text) {
    struct fleet_messages messages = {0};
    struct base_error error;
    fleet_messages_add(&messages, 1, text, strlen(text));
    assert_true(fleet_folder_write(folder, &messages, &error));
    fleet_messages_done(&messages);
}

/* The texts of all that is new, with a space behind each. */
static char *read_texts(struct fleet_folder *folder, size_t most) {
    struct fleet_messages messages = {0};
    struct base_buffer texts = {0};
    base_buffer_print(&texts, "%s", "");
    fleet_folder_read(folder, most, &messages);
    for (size_t i = 0; i < messages.count; i++)
        base_buffer_print(&texts, "%s ", (char *)messages.data[i].data);
    fleet_messages_done(&messages);
    return texts.data;
}

static void expect_texts(struct fleet_folder *folder, size_t most, const char *expected) {
    char *texts = read_texts(folder, most);
    assert_string_equal(texts, expected);
    free(texts);
}

static void test_each_file_is_read_once(void **state) {
    struct fleet_folder a, b;
    (void)state;
    open_folder(&a, "a", KEY);
    open_folder(&b, "b", KEY);
    write_text(&a, "one");
    expect_texts(&b, ALL, "one ");
    expect_texts(&b, ALL, "");
    write_text(&a, "two");
    write_text(&b, "own");
    expect_texts(&b, ALL, "two ");
    expect_texts(&a, ALL, "own ");
    fleet_folder_done(&a);
    fleet_folder_done(&b);
}

/* An instance that comes back goes on behind its files, and reads them: its state may be older. */
static void test_an_instance_comes_back(void **state) {
    struct fleet_folder a, again;
    (void)state;
    open_folder(&a, "a", KEY);
    write_text(&a, "before");
    fleet_folder_done(&a);
    open_folder(&again, "a", KEY);
    assert_int_equal(again.next, 2);
    write_text(&again, "now");
    expect_texts(&again, ALL, "before ");
    fleet_folder_done(&again);
}

static void test_a_name_is_taken_once(void **state) {
    struct fleet_folder a, same;
    struct base_error error;
    (void)state;
    open_folder(&a, "a", KEY);
    fleet_folder_init(&same, folder_path, "a", KEY);
    assert_false(fleet_folder_open(&same, &error));
    assert_non_null(strstr(error.message, "--fleet-name"));
    fleet_folder_done(&same);
    fleet_folder_done(&a);
}

static void test_other_keys_are_left_alone(void **state) {
    struct fleet_folder a, b;
    (void)state;
    open_folder(&a, "a", OTHER_KEY);
    open_folder(&b, "b", KEY);
    write_text(&a, "foreign");
    expect_texts(&b, ALL, "");
    assert_int_equal(b.foreign, 1);
    fleet_folder_done(&a);
    fleet_folder_done(&b);
}

/* Not more than there is room for; the rest is still there at the next look. */
static void test_reading_is_bounded(void **state) {
    struct fleet_folder a, b;
    (void)state;
    open_folder(&a, "a", KEY);
    open_folder(&b, "b", KEY);
    write_text(&a, "one");
    write_text(&a, "two");
    expect_texts(&b, 1, "one ");
    expect_texts(&b, 1, "two ");
    expect_texts(&b, 1, "");
    fleet_folder_done(&a);
    fleet_folder_done(&b);
}

static void put_file(const char *name, const void *data, size_t size) {
    char *path = base_format("%s/%s", folder_path, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
    free(path);
}

static void put_bundle(const char *folder, size_t size) {
    struct base_buffer bytes = {0};
    char hash[33];
    pack_two(&bytes, hash);
    char *name = base_format("%s/00000001-%s.bundle", folder, hash);
    put_file(name, bytes.data, size < bytes.count ? size : bytes.count);
    free(name);
    base_buffer_done(&bytes);
}

/* A file that is copied without care is there in part before it is whole. */
static void test_half_a_file_becomes_whole(void **state) {
    struct fleet_folder b;
    char *a = base_format("%s/a", folder_path);
    (void)state;
    mkdir(a, 0777);
    open_folder(&b, "b", KEY);
    put_bundle("a", 50);
    expect_texts(&b, ALL, "");
    assert_int_equal(b.torn, 1);
    put_bundle("a", SIZE_MAX);
    expect_texts(&b, ALL, "first  ");
    expect_texts(&b, ALL, "");
    fleet_folder_done(&b);
    free(a);
}

/* Whatever lies in the folder: nothing is believed, nothing waits, nothing crashes. */
static void test_other_things_are_left_alone(void **state) {
    static const char file[] = "00000007-0123456789abcdef0123456789abcdef.bundle";
    struct fleet_folder b;
    char *a = base_format("%s/a", folder_path), *pipe = base_format("%s/a/%s", folder_path, file);
    char *inner = base_format("%s/c/%s", folder_path, file), *c = base_format("%s/c", folder_path);
    (void)state;
    mkdir(a, 0777);
    mkdir(c, 0777);
    mkdir(inner, 0777);
    mkfifo(pipe, 0666);
    put_file("plain", "text", 4);
    put_file("a/notes.txt", "text", 4);
    put_file("a/00000008-0123456789abcdef0123456789abcdef.bundle.tmp.77", "SLOWFLT1", 8);
    open_folder(&b, "b", KEY);
    expect_texts(&b, ALL, "");
    assert_int_equal(b.torn, 0);
    fleet_folder_done(&b);
    free(a);
    free(c);
    free(pipe);
    free(inner);
}

/* Files with random damage. */
static void test_random_damage(void **state) {
    const char *given = getenv("SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)time(NULL);
    struct fleet_folder b;
    char *a = base_format("%s/a", folder_path);
    (void)state;
    print_message("SEED=%u\n", seed);
    srand(seed);
    mkdir(a, 0777);
    open_folder(&b, "b", KEY);
    for (int i = 0; i < 100; i++) {
        struct base_buffer bytes = {0};
        char hash[33], name[80];
        pack_two(&bytes, hash);
        bytes.data[(size_t)rand() % bytes.count] ^= (char)(rand() % 255 + 1);
        snprintf(name, sizeof name, "a/%08d-%s.bundle", i + 1, hash);
        put_file(name, bytes.data, bytes.count - (size_t)(rand() % 20));
        base_buffer_done(&bytes);
    }
    expect_texts(&b, ALL, "");
    assert_int_equal(b.torn + b.foreign, 100);
    fleet_folder_done(&b);
    free(a);
}

/* ---- the thread ---- */

static struct fleet *join(const char *name, _Atomic size_t *waiting) {
    struct base_error error;
    struct fleet *fleet = fleet_join(folder_path, name, KEY, waiting, &error);
    assert_non_null(fleet);
    return fleet;
}

static void expect_message(struct fleet *fleet, const char *text) {
    uint8_t *data;
    size_t size;
    assert_true(fleet_await(fleet, 1, 10));
    assert_true(fleet_take(fleet, 1, &data, &size));
    assert_string_equal((char *)data, text);
    free(data);
}

/* What was taken is not given on, so it does not come back. */
static void test_two_instances(void **state) {
    _Atomic size_t waiting[2][FLEET_KINDS] = {0};
    struct fleet_statistics now;
    (void)state;
    struct fleet *a = join("a", waiting[0]), *b = join("b", waiting[1]);
    fleet_give(a, 1, "hello", 5);
    fleet_give(a, 1, "hello", 5);
    fleet_await(a, 1, 10);
    expect_message(b, "hello");
    fleet_give(b, 1, "hello", 5);
    fleet_give(b, 1, "world", 5);
    fleet_await(b, 1, 10);
    expect_message(a, "world");
    assert_false(fleet_await(a, 1, 10));
    assert_int_equal(waiting[0][1], 0);
    fleet_leave(a, 10, &now);
    assert_int_equal(now.given, 1);
    assert_int_equal(now.taken[1], 1);
    assert_int_equal(now.others, 1);
    fleet_leave(b, 10, &now);
    assert_int_equal(now.given, 1);
}

/* What is given last is written before the end. */
static void test_leaving_writes(void **state) {
    _Atomic size_t waiting[FLEET_KINDS] = {0};
    struct fleet_statistics now;
    (void)state;
    struct fleet *a = join("a", waiting);
    fleet_give(a, 1, "late", 4);
    fleet_leave(a, 10, &now);
    assert_int_equal(now.given, 1);
    struct fleet *b = join("b", waiting);
    expect_message(b, "late");
    fleet_leave(b, 10, &now);
}

/* A full disk is told and waits; what could not be written is, later. */
static void test_a_full_disk(void **state) {
    _Atomic size_t waiting[FLEET_KINDS] = {0};
    struct fleet_statistics now;
    (void)state;
    base_fault_set("write:1");
    struct fleet *a = join("a", waiting);
    fleet_give(a, 1, "kept", 4);
    fleet_await(a, 1, 10);
    fleet_statistics(a, &now);
    assert_true(now.is_full);
    fleet_await(a, 1, 10);
    fleet_leave(a, 10, &now);
    base_fault_set("");
    assert_false(now.is_full);
    assert_int_equal(now.given, 1);
}

/* More than there is room for: the oldest go. */
static void test_what_waits_is_bounded(void **state) {
    _Atomic size_t waiting[FLEET_KINDS] = {0};
    struct fleet_statistics now;
    (void)state;
    base_fault_set("write:1+");
    struct fleet *a = join("a", waiting);
    for (uint32_t i = 0; i < 20000; i++)
        fleet_give(a, 1, &i, sizeof i);
    fleet_leave(a, 10, &now);
    base_fault_set("");
    assert_int_equal(now.given, 0);
    assert_true(now.lost >= 20000 - 2 * 4096);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bundles_come_back),
        cmocka_unit_test(test_torn_bundles_are_noticed),
        cmocka_unit_test(test_impossible_sizes),
        cmocka_unit_test(test_names),
        TEST(test_each_file_is_read_once),
        TEST(test_an_instance_comes_back),
        TEST(test_a_name_is_taken_once),
        TEST(test_other_keys_are_left_alone),
        TEST(test_reading_is_bounded),
        TEST(test_half_a_file_becomes_whole),
        TEST(test_other_things_are_left_alone),
        TEST(test_random_damage),
        TEST(test_two_instances),
        TEST(test_leaving_writes),
        TEST(test_a_full_disk),
        TEST(test_what_waits_is_bounded),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
