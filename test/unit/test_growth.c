/* SPDX-License-Identifier: Apache-2.0
 *
 * Growth laws of series whose law is known: the class must be right, an exponent to within 0.1, and
 * what has not settled must not be claimed.
 */
#include "measure/growth.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>

static struct measure_growth fit(double (*cost)(double), int64_t first, unsigned doublings) {
    struct measure_point points[32];
    for (unsigned i = 0; i <= doublings; i++) {
        int64_t size = first << i;
        points[i] = (struct measure_point){size, floor(cost((double)size))};
    }
    struct measure_growth growth;
    measure_growth_fit(points, doublings + 1, &growth);
    return growth;
}

static void expect(struct measure_growth growth, enum measure_growth_kind kind, double exponent) {
    if (growth.kind != kind)
        fail_msg("%s (slope %g, %s)", measure_growth_name(&growth), growth.slope,
                 growth.reason ? growth.reason : "settled");
    if (!isnan(exponent) && fabs(growth.exponent - exponent) > 0.1)
        fail_msg("exponent %g instead of %g", growth.exponent, exponent);
}

static double linear(double n) {
    return 12 * n + 5000;
}
static double with_steps(double n) {
    return 12 * n + 700 * floor(log2(n)) + fmod(n, 7);
}
static double buffers(double n) {
    return 10 * n + pow(2, ceil(log2(n + 1)));
}
static double logarithmic(double n) {
    return 100 + 5 * log2(n);
}
static double n_log_n(double n) {
    return 4 * n * log2(n) + 20 * n;
}
static double n_log_n_pure(double n) {
    return n * log2(n);
}
static double square(double n) {
    return n * n / 2 + 7 * n + 1000;
}
static double hidden_square(double n) {
    return n * n / 8 + 3000 * n + 100000;
}
static double three_halves(double n) {
    return n * sqrt(n) + 30 * n;
}
static double cube(double n) {
    return n * n * n / 6 + 9 * n * n + n;
}
static double late_square(double n) {
    return 9 * n + (n > 2000 ? (n - 2000) * (n - 2000) / 10 : 0);
}
static double ended_square(double n) {
    return n < 4096 ? n * n : 4096 * n;
}
static double just_ended(double n) {
    return n < 16384 ? n * n : 16384 * n;
}
static double bounded(double n) {
    return n < 500 ? 7 * n : 3500;
}
static double root(double n) {
    return 100 * sqrt(n);
}
static double doubling(double n) {
    return 50 + 3 * pow(2, n);
}

static void test_tame(void **state) {
    (void)state;
    expect(fit(linear, 64, 8), MEASURE_GROWTH_LINEAR, 1);
    expect(fit(with_steps, 64, 9), MEASURE_GROWTH_LINEAR, 1);
    expect(fit(buffers, 64, 8), MEASURE_GROWTH_LINEAR, 1);
    expect(fit(n_log_n, 64, 8), MEASURE_GROWTH_LINEAR_LOG, 1);
    expect(fit(n_log_n_pure, 64, 8), MEASURE_GROWTH_LINEAR_LOG, 1);
    expect(fit(bounded, 64, 8), MEASURE_GROWTH_BOUNDED, 0);
    expect(fit(logarithmic, 64, 20), MEASURE_GROWTH_SUBLINEAR, 0);
    expect(fit(root, 64, 8), MEASURE_GROWTH_SUBLINEAR, 0.5);
    expect(fit(ended_square, 64, 10), MEASURE_GROWTH_LINEAR, 1);
}

static void test_powers(void **state) {
    (void)state;
    expect(fit(square, 64, 5), MEASURE_GROWTH_POWER, 2);
    expect(fit(hidden_square, 1024, 6), MEASURE_GROWTH_POWER, 2);
    expect(fit(three_halves, 64, 8), MEASURE_GROWTH_POWER, 1.5);
    expect(fit(cube, 64, 6), MEASURE_GROWTH_POWER, 3);
    expect(fit(late_square, 64, 9), MEASURE_GROWTH_POWER, 2);
}

/* Every other doubling costs a little more than its share. */
static double uneven(double n) {
    return pow(n, 1.8) * (fmod(round(log2(n)), 2) > 0 ? 1.15 : 1);
}

static double uneven_log(double n) {
    return n * log2(n) * (fmod(round(log2(n)), 2) > 0 ? 1.15 : 1);
}

static void test_uneven(void **state) {
    (void)state;
    expect(fit(uneven, 64, 7), MEASURE_GROWTH_POWER, 1.84);
    expect(fit(uneven, 64, 6), MEASURE_GROWTH_UNCLEAR, NAN); /* the last doubling falls behind */
    assert_false(measure_is_superlinear(&(struct measure_growth[]){fit(uneven_log, 64, 9)}[0]));
}

/* What small sizes cannot show, and what has just ended, is no claim. */
static void test_unclear(void **state) {
    (void)state;
    expect(fit(hidden_square, 64, 5), MEASURE_GROWTH_UNCLEAR, NAN);
    expect(fit(square, 64, 4), MEASURE_GROWTH_UNCLEAR, NAN);
    expect(fit(just_ended, 64, 9), MEASURE_GROWTH_UNCLEAR, NAN);
    expect(fit(square, 64, 2), MEASURE_GROWTH_UNCLEAR, NAN);
}

/* Doublings, and single bytes more. */
static void test_exponential(void **state) {
    (void)state;
    expect(fit(doubling, 2, 4), MEASURE_GROWTH_EXPONENTIAL, NAN);
    struct measure_point points[16];
    struct measure_growth growth;
    for (int i = 0; i < 13; i++)
        points[i] = (struct measure_point){8 + i, doubling(8 + i)};
    measure_growth_fit(points, 13, &growth);
    expect(growth, MEASURE_GROWTH_EXPONENTIAL, NAN);
    assert_true(fabs(growth.factor - 2) < 0.05);
    for (int i = 0; i < 13; i++)
        points[i] = (struct measure_point){8 + i, cube(8 + i)};
    measure_growth_fit(points, 13, &growth);
    assert_int_not_equal(growth.kind, MEASURE_GROWTH_EXPONENTIAL);
}

static void expect_class(struct measure_growth growth, const char *class, const char *name) {
    struct base_buffer text = {0};
    measure_growth_class(&growth, &text);
    assert_string_equal(text.data, class);
    assert_string_equal(measure_growth_name(&growth), name);
    base_buffer_done(&text);
}

static void test_names(void **state) {
    (void)state;
    expect_class(fit(square, 64, 5), "O(n^2)", "quadratic");
    expect_class(fit(cube, 64, 6), "O(n^3)", "cubic");
    expect_class(fit(three_halves, 64, 8), "O(n^1.5)", "power");
    expect_class(fit(n_log_n, 64, 8), "O(n log n)", "linear times logarithm");
    expect_class(fit(linear, 64, 8), "O(n)", "linear");
    expect_class(fit(square, 64, 2), "unclear", "unclear");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tame),        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_uneven),      cmocka_unit_test(test_unclear),
        cmocka_unit_test(test_exponential), cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
