/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences: two inputs of different sizes give the third, or nothing.
 */
#include "search/scale/scale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 4096

typedef int64_t formula(int64_t n, int64_t count, int64_t i);
typedef int64_t length(int64_t n);

static struct measure_sequence found;

static int64_t same(int64_t n) {
    return n;
}

static int64_t square(int64_t n) {
    return n * n;
}

static void fill(formula *value, length *count, int64_t n, int64_t *values) {
    for (int64_t i = 0; i < count(n); i++)
        values[i] = value(n, count(n), i);
}

/* The simplest sequence through sizes A and B that also gives CHECK, as extrapolate.c looks for it
 * with the measuring build in place of the comparison. */
static bool infer(formula *value, length *count, int64_t a, int64_t b, int64_t check) {
    static int64_t left[MOST], right[MOST], third[MOST], made[MOST];
    struct measure_schemes schemes;
    bool good = false;
    fill(value, count, a, left);
    fill(value, count, b, right);
    fill(value, count, check, third);
    measure_schemes_init(&schemes);
    for (size_t i = 0; i < schemes.count && !good; i++) {
        struct measure_form first, second;
        size_t size = (size_t)count(check) * sizeof *made;
        good = measure_form_describe(&schemes.data[i], left, (size_t)count(a), &first) &&
               measure_form_describe(&schemes.data[i], right, (size_t)count(b), &second) &&
               measure_sequence_through(&first, a, &second, b, &found) &&
               measure_sequence_write(&found, check, (size_t)count(check), made) &&
               memcmp(made, third, size) == 0;
    }
    base_vector_done(&schemes);
    return good;
}

static bool gives(formula *value, length *count, int64_t n) {
    int64_t *made = base_alloc((size_t)count(n) * sizeof *made);
    int64_t *wanted = base_alloc((size_t)count(n) * sizeof *wanted);
    fill(value, count, n, wanted);
    bool good = measure_sequence_write(&found, n, (size_t)count(n), made) &&
                memcmp(made, wanted, (size_t)count(n) * sizeof *made) == 0;
    free(made);
    free(wanted);
    return good;
}

static void expect_text(const char *text) {
    struct base_buffer out = {0};
    measure_sequence_print(&found, "a", "n", true, true, &out);
    assert_string_equal(out.data, text);
    base_buffer_done(&out);
}

static int64_t descending(int64_t n, int64_t count, int64_t i) {
    (void)count;
    return n - 1 - i;
}

static int64_t strided(int64_t n, int64_t count, int64_t i) {
    (void)count;
    return 3 * i - 2 * n + 7;
}

static int64_t alternating(int64_t n, int64_t count, int64_t i) {
    (void)count;
    return i % 2 ? n : 5 * i;
}

static int64_t halves(int64_t n, int64_t count, int64_t i) {
    (void)n;
    return i < count / 2 ? i : 100 - i + count / 2;
}

static int64_t doubling(int64_t n, int64_t count, int64_t i) {
    (void)n;
    (void)count;
    return (int64_t)1 << i;
}

static int64_t text(int64_t n, int64_t count, int64_t i) {
    (void)n;
    return i == 0 ? '(' : i == count - 1 ? ')' : i % 2 ? 'a' : 'b';
}

static int64_t triangle(int64_t n, int64_t count, int64_t i) {
    (void)count;
    int64_t row = i / n, column = i % n;
    return column > row ? 2 * (column - row) - 1 : 0;
}

static int64_t quadratic(int64_t n, int64_t count, int64_t i) {
    (void)n;
    (void)count;
    return i * i;
}

static int64_t noise(int64_t n, int64_t count, int64_t i) {
    (void)count;
    return (int64_t)((uint64_t)(i * 31 + n) * 0x9e3779b97f4a7c15u >> 54);
}

static void test_lines(void **state) {
    (void)state;
    assert_true(infer(descending, same, 6, 5, 4));
    expect_text("a[i] = n - 1 - i");
    assert_true(gives(descending, same, 1000000));
    assert_true(infer(strided, same, 6, 5, 4));
    expect_text("a[i] = -2*n + 7 + 3*i");
    assert_true(gives(strided, same, 501));
}

static void test_alternation_and_halves(void **state) {
    (void)state;
    assert_true(infer(alternating, same, 8, 7, 6));
    assert_true(gives(alternating, same, 1001));
    assert_true(infer(halves, same, 8, 7, 6));
    assert_true(gives(halves, same, 777));
}

static void test_doubling(void **state) {
    (void)state;
    assert_true(infer(doubling, same, 7, 6, 5));
    assert_true(gives(doubling, same, 40));
}

static void test_texts(void **state) {
    (void)state;
    assert_true(infer(text, same, 8, 6, 10));
    expect_text("a[0] = '('; a[last] = ')'; a[x*2+0 of the rest] = 'a'; a[x*2+1 of the rest] = "
                "'b'");
    assert_true(gives(text, same, 500));
}

static void test_squares(void **state) {
    (void)state;
    assert_true(infer(triangle, square, 5, 4, 3));
    assert_true(gives(triangle, square, 60));
}

/* Indices that insertion sort compares on its worst path: (j, i), j downwards, i upwards. */
static size_t compared(int64_t n, int64_t *values) {
    size_t count = 0;
    for (int64_t i = 1; i < n; i++)
        for (int64_t j = i - 1; j >= 0; j--) {
            values[count++] = j;
            values[count++] = i;
        }
    return count / 2;
}

static void test_nests(void **state) {
    (void)state;
    static int64_t values[MOST];
    struct measure_nest nests[4], nest;
    const int64_t sizes[4] = {3, 4, 5, 6};
    for (size_t i = 0; i < 4; i++) {
        size_t count = compared(sizes[i], values);
        assert_true(measure_nest_infer(values, count, 2, &nests[i]));
        assert_int_equal(nests[i].depth, 2);
    }
    assert_true(measure_nest_predict(nests, sizes, 4, 40, &nest));
    int64_t *made;
    size_t count, wanted = compared(40, values);
    assert_true(measure_nest_expand(&nest, 1000, &made, &count));
    assert_int_equal(count, wanted);
    assert_memory_equal(made, values, count * 2 * sizeof *made);
    free(made);
    assert_false(measure_nest_expand(&nest, 100, &made, &count));
    int64_t *runs, turns = 0;
    assert_true(measure_nest_runs(&nest, 100, &runs, &count));
    for (size_t k = 0; k < count; k++)
        turns += runs[k * 3 + 2];
    assert_int_equal(turns, wanted);
    free(runs);
    assert_false(measure_nest_predict(nests, sizes, 2, 40, &nest)); /* nothing confirms */
}

static void test_no_nest(void **state) {
    (void)state;
    const int64_t squares[] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81};
    const int64_t other[] = {0, 1, 5, 9, 17, 25, 36, 50, 64, 82};
    struct measure_nest nests[3], nest;
    const int64_t sizes[3] = {8, 9, 10};
    bool good = true;
    for (size_t i = 0; good && i < 3; i++)
        good = measure_nest_infer(i == 1 ? other : squares, (size_t)sizes[i], 1, &nests[i]);
    assert_false(good && measure_nest_predict(nests, sizes, 3, 20, &nest));
}

static void test_refusals(void **state) {
    (void)state;
    assert_false(infer(quadratic, same, 8, 7, 9));
    assert_false(infer(noise, same, 9, 8, 10));
    assert_true(infer(descending, same, 6, 5, 4));
    assert_false(gives(strided, same, 9));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),    cmocka_unit_test(test_alternation_and_halves),
        cmocka_unit_test(test_doubling), cmocka_unit_test(test_texts),
        cmocka_unit_test(test_squares),  cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_nests),    cmocka_unit_test(test_no_nest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
