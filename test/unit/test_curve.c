/* SPDX-License-Identifier: Apache-2.0
 *
 * Curves go through every point, hold one point back, and refuse what does not fit.
 */
#include "measure/curve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct measure_curve curve;

static bool fit(double (*cost)(int64_t), int64_t first, int64_t last) {
    struct measure_point points[32];
    size_t count = 0;
    for (int64_t n = first; n <= last; n++)
        points[count++] = (struct measure_point){n, cost(n)};
    return measure_curve_fit(points, count, &curve);
}

static void expect_text(const char *formula, const char *class) {
    struct base_buffer text = {0};
    measure_curve_print(&curve, "n", &text);
    assert_string_equal(text.data, formula);
    text.count = 0;
    measure_curve_class(&curve, "n", &text);
    assert_string_equal(text.data, class);
    base_buffer_done(&text);
}

static double pairs(int64_t n) {
    return (double)(n * (n - 1) / 2);
}

static double cubic(int64_t n) {
    return (double)(n * (n - 1) * (n - 2) / 6 + 7);
}

static double halves(int64_t n) {
    return (double)(3 * (n / 2) + 1);
}

static double rounds(int64_t n) { /* comparisons of merge sort */
    int64_t log = 0;
    while ((int64_t)1 << log < n)
        log++;
    return (double)(n * log - ((int64_t)1 << log) + 1);
}

static double towers(int64_t n) {
    return (double)(((int64_t)1 << n) - 1);
}

static double special_start(int64_t n) {
    return n < 3 ? 100 : (double)(4 * n + 2);
}

static double late_cutoff(int64_t n) {
    return n < 6 ? (double)n : (double)(n * n);
}

static double fractions(int64_t n) {
    return 0.5 * (double)n + 0.25;
}

static double noise(int64_t n) {
    return (double)((uint64_t)n * 0x9e3779b97f4a7c15u >> 50);
}

static void test_polynomials(void **state) {
    (void)state;
    assert_true(fit(pairs, 1, 5));
    expect_text("0.5*n^2 - 0.5*n", "O(n^2)");
    assert_true(measure_curve_at(&curve, 1000000) == 499999500000.0);
    assert_true(fit(cubic, 1, 6));
    expect_text("1/6*n^3 - 0.5*n^2 + 1/3*n + 7", "O(n^3)");
    assert_true(measure_curve_at(&curve, 500) == cubic(500));
    assert_true(fit(fractions, 1, 4));
    expect_text("0.5*n + 0.25", "O(n)");
}

static void test_too_few_points(void **state) {
    (void)state;
    assert_false(fit(pairs, 2, 4)); /* three points determine it, none confirms */
    assert_true(fit(pairs, 2, 5));
}

static void test_residues(void **state) {
    (void)state;
    assert_true(fit(halves, 1, 6));
    assert_int_equal(curve.modulus, 2);
    expect_text("1.5*n + 1 if n%2 == 0; 1.5*n - 0.5 if n%2 == 1", "O(n)");
    assert_true(measure_curve_at(&curve, 501) == halves(501));
}

static void test_logarithms_and_powers(void **state) {
    (void)state;
    assert_true(fit(rounds, 1, 8));
    assert_true(measure_curve_at(&curve, 1000) == rounds(1000));
    assert_true(fit(towers, 1, 6));
    expect_text("2^n - 1", "O(2^n)");
    assert_true(isnan(measure_curve_at(&curve, 500)));
}

static void test_small_sizes_may_differ(void **state) {
    (void)state;
    assert_true(fit(special_start, 1, 7));
    expect_text("4*n + 2", "O(n)");
    assert_int_equal(curve.first, 3);
}

static void test_refusals(void **state) {
    (void)state;
    assert_false(fit(noise, 1, 9));
    assert_false(fit(late_cutoff, 1, 9));
    assert_false(fit(pairs, 3, 3));
    assert_false(measure_curve_fit(NULL, 0, &curve));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polynomials),
        cmocka_unit_test(test_too_few_points),
        cmocka_unit_test(test_residues),
        cmocka_unit_test(test_logarithms_and_powers),
        cmocka_unit_test(test_small_sizes_may_differ),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
