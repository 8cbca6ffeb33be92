/* SPDX-License-Identifier: Apache-2.0
 *
 * What a finding says beyond what was measured: costs at other sizes, the smallest input, what
 * differs from the relative; and inputs that get smaller while what matters stays.
 */
#include "suite/finding.h"
#include "suite/minimize.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct measure_point square[] = {{8, 1000},     {16, 1010},     {32, 1100},
                                              {64, 4096},    {128, 16384},   {256, 65536},
                                              {512, 262144}, {1024, 1048576}};

static struct suite_law law_of(const struct measure_growth *growth) {
    return (struct suite_law){.growth = growth, .series = square, .count = BASE_COUNT(square)};
}

static void test_costs(void **state) {
    (void)state;
    struct measure_growth growth = {.kind = MEASURE_GROWTH_POWER, .exponent = 2};
    struct suite_law law = law_of(&growth);
    struct measure_point point;
    assert_true(suite_cost_at(&law, 1024, &point));
    assert_float_equal(point.cost, 1048576, 0);
    assert_true(suite_cost_at(&law, 1500, &point)); /* about that size */
    assert_int_equal(point.size, 1024);
    assert_false(suite_cost_at(&law, 1 << 20, &point));
    assert_float_equal(point.cost, 0x1p40, 1);
    assert_float_equal(suite_size_for(&law, 0x1p30), 32768, 0.01);
    growth = (struct measure_growth){.kind = MEASURE_GROWTH_EXPONENTIAL, .factor = 2};
    assert_float_equal(suite_size_for(&law, 0x1p30), 1034, 0.01);
    assert_false(suite_cost_at(&law, 1 << 20, &point));
    assert_true(isinf(point.cost));
}

static void test_smallest(void **state) {
    (void)state;
    struct measure_growth growth = {.kind = MEASURE_GROWTH_POWER, .exponent = 2};
    struct suite_law law = law_of(&growth);
    assert_int_equal(square[suite_find_smallest(&law)].size, 32);
}

static void test_difference(void **state) {
    (void)state;
    struct target_pattern a, b;
    struct base_buffer text = {0};
    assert_true(target_pattern_parse("repeat unit=\"A%A\"", &a));
    assert_true(target_pattern_parse("repeat twice unit=\"%A\" suffix=\"x\"", &b));
    suite_tell_difference(&a, &b, &text);
    assert_string_equal(
        text.data, "unit \"A%A\", not \"%A\", suffix \"\", not \"x\", written once, not twice");
    base_buffer_done(&text);
}

static void test_sizes(void **state) {
    (void)state;
    static const struct {
        double bytes;
        const char *text;
    } rows[] = {{100, "100 bytes"},  {1023, "1023 bytes"}, {1024, "1.0 KB"},   {65536, "64 KB"},
                {1 << 20, "1.0 MB"}, {54321, "53 KB"},     {INFINITY, "never"}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        struct base_buffer text = {0};
        suite_tell_size(NULL, rows[i].bytes, &text);
        assert_string_equal(text.data, rows[i].text);
        base_buffer_done(&text);
    }
}

/* What comes from a damaged file is empty, never a crash. */
static void test_damaged(void **state) {
    (void)state;
    json_t *root = json_loads(
        "{\"findings\": [7, {\"id\": 3, \"cause\": [null, 4]}, {\"id\": \"F2\"}]}", 0, NULL);
    struct base_buffer text = {0};
    const char *function;
    int line;
    const json_t *odd = json_array_get(json_object_get(root, "findings"), 1);
    assert_null(suite_find_finding(root, "F9"));
    assert_null(suite_find_finding(root, ""));
    assert_non_null(suite_find_finding(root, "2"));
    assert_string_equal(suite_finding_place(odd, &line, &function), "");
    suite_tell_step(json_array_get(json_object_get(odd, "cause"), 0), &text);
    assert_string_equal(text.data, "step in ?");
    base_buffer_done(&text);
    json_decref(root);
}

/* ---- smaller inputs ---- */

static bool has_both(void *context, const uint8_t *bytes, size_t size) {
    ++*(size_t *)context;
    return memchr(bytes, 'a', size) && memchr(bytes, 'b', size);
}

static void test_minimize(void **state) {
    (void)state;
    uint8_t bytes[1000];
    size_t runs = 0;
    memset(bytes, '.', sizeof bytes);
    bytes[333] = 'a';
    bytes[777] = 'b';
    struct suite_shrinking shrinking = {has_both, &runs, 100000};
    assert_int_equal(suite_minimize(&shrinking, bytes, sizeof bytes), 2);
    assert_memory_equal(bytes, "ab", 2);
    assert_true(runs < 200);
    shrinking.tries = 0;
    assert_int_equal(suite_minimize(&shrinking, bytes, 2), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),      cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_difference), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_damaged),    cmocka_unit_test(test_minimize)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
