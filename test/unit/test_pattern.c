/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns are written as they say, at the sizes they say; their text is read back as the same
 * pattern, and a shell that is given the one-liner writes the same bytes. Set SEED to repeat the
 * random part.
 */
#include "measure/growth.h"
#include "search/core/core.h"
#include "search/patterns/patterns.h"
#include "target/pattern.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>

static struct target_pattern parse(const char *text) {
    struct target_pattern pattern;
    if (!target_pattern_parse(text, &pattern))
        fail_msg("not a pattern: %s", text);
    return pattern;
}

static void expect_bytes(const char *text, uint64_t k, const char *bytes) {
    struct target_pattern pattern = parse(text);
    struct base_buffer out = {0};
    target_pattern_write(&pattern, k, &out);
    assert_string_equal(out.data ? out.data : "", bytes);
    assert_int_equal(target_pattern_size(&pattern, k), out.count);
    base_buffer_done(&out);
}

static void test_kinds(void **state) {
    (void)state;
    expect_bytes("repeat prefix=\"<\" unit=\"ab\" suffix=\">\"", 3, "<ababab>");
    expect_bytes("nest unit=\"(\" other=\"))\" suffix=\"!\"", 2, "(())))!");
    expect_bytes("nest unit=\"(\" middle=\"0\" other=\")\"", 2, "((0))");
    expect_bytes("blocks unit=\"ab\" other=\"c\"", 2, "ababcccc");
    expect_bytes("grid prefix=\"x\" unit=\"-\" other=\"o\"", 2, "x-oo-oo");
    expect_bytes("repeat unit=\"k\\#,\"", 12, "k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,k10,k11,");
    expect_bytes("repeat letters twice unit=\"\\#.\"", 3, "a.b.c.a.b.c.");
    expect_bytes("grid unit=\"\\#:\" other=\"\\#\"", 3, "0:0121:0122:012");
}

static void test_sizes(void **state) {
    (void)state;
    struct target_pattern pattern = parse("repeat prefix=\"[\" unit=\"\\#,\" suffix=\"]\"");
    assert_int_equal(target_pattern_size(&pattern, 1000), 2 + 1000 + 10 + 180 + 2700);
    for (uint64_t size = 0; size < 3000; size += 7) {
        uint64_t k = target_pattern_fit(&pattern, size);
        assert_true(k == 0 || target_pattern_size(&pattern, k) <= size);
        assert_true(target_pattern_size(&pattern, k + 1) > size);
    }
    struct target_pattern fixed = parse("repeat prefix=\"abc\"");
    assert_int_equal(target_pattern_fit(&fixed, 100), 0);
}

static void test_even_sizes(void **state) {
    (void)state;
    struct target_pattern plain = parse("repeat unit=\"a,\""),
                          pattern = parse("repeat prefix=\"[\" unit=\"\\#,\" suffix=\"]\"");
    assert_true(target_pattern_even(&plain, 3001) == 3001 &&
                target_pattern_uneven(&plain, 3001) == 3001);
    for (uint64_t k = 1; k < 5000; k += 37) {
        double size = (double)target_pattern_size(&pattern, k), even = (double)(2 + 2 * k);
        assert_true(target_pattern_even(&pattern, size) == even);
        assert_true(target_pattern_uneven(&pattern, even) == size);
    }
    assert_true(target_pattern_uneven(&pattern, 1e300) == 1e300);
}

/* Each number is compared with all before it: that is a square of how many there are, though their
 * bytes grow faster. */
static void test_law_of_numbers(void **state) {
    (void)state;
    struct target_pattern pattern = parse("repeat unit=\"=\\n\\#\"");
    struct measure_point points[12];
    struct measure_growth growth;
    for (int i = 0; i < 12; i++) {
        uint64_t k = target_pattern_fit(&pattern, 8u << i);
        points[i] = (struct measure_point){(int64_t)target_pattern_size(&pattern, k),
                                           5.0 * (double)(k * k)};
    }
    measure_growth_fit_pattern(&pattern, points, 12, &growth);
    assert_int_equal(growth.kind, MEASURE_GROWTH_POWER);
    assert_true(growth.exponent > 1.99 && growth.exponent < 2.01);
}

/* All bytes are read again for each piece of the input: that is a square of the bytes. */
static void test_law_of_bytes(void **state) {
    (void)state;
    struct target_pattern pattern = parse("repeat letters unit=\"=\\#\"");
    struct measure_point points[12];
    struct measure_growth growth;
    for (int i = 0; i < 12; i++) {
        double size = (double)target_pattern_size(&pattern, target_pattern_fit(&pattern, 8u << i));
        points[i] = (struct measure_point){(int64_t)size, 5 * size * size + 100};
    }
    measure_growth_fit_pattern(&pattern, points, 12, &growth);
    assert_true(growth.in_bytes);
    assert_true(growth.exponent > 1.99 && growth.exponent < 2.01);
}

static void expect_no_pattern(const char *text) {
    struct target_pattern pattern;
    if (target_pattern_parse(text, &pattern))
        fail_msg("this is no pattern: %s", text);
}

static void test_wrong_texts(void **state) {
    (void)state;
    expect_no_pattern("");
    expect_no_pattern("again unit=\"a\"");
    expect_no_pattern("repeat unit=\"a");
    expect_no_pattern("repeat unit=a");
    expect_no_pattern("repeat unit=\"a\" prefix=\"b\"");
    expect_no_pattern("repeat unit=\"\\q\"");
    expect_no_pattern("repeat unit=\"\\x4\"");
    expect_no_pattern("repeat unit=\"\\#\\#\"");
    expect_no_pattern("repeat prefix=\"\\#\" unit=\"a\"");
    expect_no_pattern("repeat unit=\"a\" x");
    expect_no_pattern("repeat unit=\"1234567890123456789012345678901234567890123456789\"");
}

static void expect_fold(const char *bytes, const char *text) {
    struct target_pattern pattern;
    struct base_buffer out = {0};
    assert_true(patterns_fold((const uint8_t *)bytes, strlen(bytes), &pattern));
    target_pattern_print(&pattern, &out);
    assert_string_equal(out.data, text);
    base_buffer_done(&out);
}

static void test_fold(void **state) {
    (void)state;
    struct target_pattern pattern;
    expect_fold("<abababab>", "repeat prefix=\"<\" unit=\"ab\" suffix=\">\"");
    expect_fold("[[[[0]]]]", "nest unit=\"[\" middle=\"0\" other=\"]\"");
    expect_fold("xa(a(a(a(y))))z",
                "nest prefix=\"x\" unit=\"a(\" middle=\"y\" other=\")\" suffix=\"z\"");
    assert_false(patterns_fold((const uint8_t *)"abcabd", 6, &pattern));
    assert_false(patterns_fold((const uint8_t *)"", 0, &pattern));
}

/* ---- random patterns ---- */

static void random_piece(uint64_t *random, bool may_count, struct target_piece *piece) {
    piece->size = (uint8_t)(search_random(random) % 6);
    for (unsigned i = 0; i < piece->size; i++) {
        static const char odd[] = "%-\\'\"`$# \n\t09a!";
        uint64_t draw = search_random(random);
        piece->bytes[i] =
            draw & 1 ? (uint8_t)odd[draw / 2 % (sizeof odd - 1)] : (uint8_t)(draw >> 8);
    }
    if (may_count && search_random(random) % 2)
        piece->hole = (uint8_t)(search_random(random) % (piece->size + 1u));
}

static struct target_pattern random_pattern(uint64_t *random) {
    struct target_pattern pattern = target_pattern_empty(
        (enum target_pattern_kind)(search_random(random) % TARGET_PATTERN_KIND_COUNT));
    random_piece(random, false, &pattern.prefix);
    random_piece(random, true, &pattern.unit);
    if (target_pattern_has_other(&pattern))
        random_piece(random, true, &pattern.other);
    if (target_pattern_has_other(&pattern))
        random_piece(random, false, &pattern.middle);
    random_piece(random, false, &pattern.suffix);
    pattern.letters = search_random(random) % 2;
    pattern.copies = (uint8_t)(1 + search_random(random) % 2);
    return pattern;
}

static void expect_same_from_shell(const struct target_pattern *pattern, uint64_t k) {
    struct base_buffer line = {0}, bytes = {0}, out = {0}, text = {0};
    target_pattern_shell(pattern, k, &line);
    target_pattern_write(pattern, k, &bytes);
    target_pattern_print(pattern, &text);
    const char *argv[] = {"sh", "-c", line.data ? line.data : "", NULL};
    assert_int_equal(base_run(&(struct base_process){.argv = argv, .out = &out}), 0);
    if (out.count != bytes.count || (out.count && memcmp(out.data, bytes.data, out.count) != 0))
        fail_msg("%s, %llu times: the shell writes something else: %s", text.data,
                 (unsigned long long)k, line.data);
    base_buffer_done(&line);
    base_buffer_done(&bytes);
    base_buffer_done(&out);
    base_buffer_done(&text);
}

static void test_random(void **state) {
    (void)state;
    uint64_t random = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : 1;
    print_message("SEED=%llu\n", (unsigned long long)random);
    for (int round = 0; round < 200; round++) {
        struct target_pattern pattern = random_pattern(&random), again;
        struct base_buffer text = {0}, bytes = {0};
        target_pattern_print(&pattern, &text);
        assert_true(target_pattern_parse(text.data, &again));
        assert_memory_equal(&pattern, &again, sizeof pattern);
        uint64_t k = search_random(&random) % 14;
        target_pattern_write(&pattern, k, &bytes);
        assert_int_equal(target_pattern_size(&pattern, k), bytes.count);
        if (round < 60) /* a shell takes a while to start */
            expect_same_from_shell(&pattern, k);
        base_buffer_done(&text);
        base_buffer_done(&bytes);
    }
}

/* What NUMBER makes of a pattern; NULL: it does not fit. */
static void expect_record(const char *text, size_t number, const char *record) {
    struct target_pattern pattern = parse(text), renewed;
    struct base_buffer printed = {0};
    if (!patterns_renew(&pattern, number, &renewed)) {
        assert_null(record);
        return;
    }
    target_pattern_print(&renewed, &printed);
    assert_string_equal(printed.data, record);
    base_buffer_done(&printed);
}

static void test_records(void **state) {
    (void)state;
    const char *mark = "repeat letters prefix=\",4\" unit=\"\\#:\" suffix=\"z\"";
    expect_record(mark, 0, "repeat letters unit=\",4\\#:z\\n\"");
    expect_record(mark, 1, "repeat letters unit=\",4\\#:\\n\"");
    expect_record(mark, 2, "repeat letters unit=\",4\\#:z\\x00\"");
    expect_record(mark, PATTERNS_RECORDS, NULL);
    expect_record("blocks prefix=\"p\" unit=\"u\" middle=\"m\" other=\"o\\#\" suffix=\"s\"", 0,
                  "repeat unit=\"pumo\\#s\\n\"");
    expect_record("grid unit=\"a\\#b\" other=\"\\#\"", 4, "repeat unit=\"a\\#b;\"");
    const char *large =
        "repeat prefix=\"123456789 123456789 123456789 123456789 12345678\" unit=\"u\"";
    expect_record(large, 0, NULL);
}

static bool is_held_up(const double *costs, size_t count) {
    struct search_growth_law law = {0};
    for (size_t i = 0; i < count; i++)
        base_push(&law.series, (struct measure_point){(int64_t)8 << i, costs[i]});
    bool held = patterns_is_held_up(&law);
    base_vector_done(&law.series);
    return held;
}

static void test_held_up(void **state) {
    (void)state;
    assert_true(is_held_up((const double[]){100, 180, 700, 2600, 2700}, 5));
    assert_false(is_held_up((const double[]){100, 180, 700, 2600, 9000}, 5)); /* it still grows */
    assert_false(is_held_up((const double[]){100, 200, 400, 800, 810}, 5));   /* was never steep */
    assert_false(
        is_held_up((const double[]){100, 180, 700, 2600, 5300}, 5)); /* linear from then on */
    assert_false(is_held_up((const double[]){100}, 1));
    assert_false(is_held_up(NULL, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),          cmocka_unit_test(test_even_sizes),
        cmocka_unit_test(test_law_of_numbers), cmocka_unit_test(test_law_of_bytes),
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_wrong_texts),
        cmocka_unit_test(test_fold),           cmocka_unit_test(test_records),
        cmocka_unit_test(test_held_up),        cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
