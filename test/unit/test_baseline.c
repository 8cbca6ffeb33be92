/* SPDX-License-Identifier: Apache-2.0
 *
 * Baselines as text: what is written is read back, what is damaged is refused with its line, and
 * differences are told; laws in order. Set SEED to repeat the random damage.
 */
#include "suite/baseline.h"

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
#include <time.h>

static const char good[] = "# slowpath baseline 1; 'slowpath accept' writes it\n"
                           "key compiler=clang-19 counters=1 weights=call=10 flags=-O2 -g\n"
                           "test tests/0001.input instructions=550 memory=0 law=O(n_log_n) "
                           "exponent=1.00 input=00ff\n"
                           "test tests/0002.input count:a=b=7 input=11\n"
                           "finding 4bdf law=O(n^2) in=scan name\n";

static void test_read_and_write(void **state) {
    (void)state;
    struct suite_baseline baseline;
    struct base_error error;
    struct base_buffer text = {0};
    assert_true(suite_baseline_parse(good, "b", &baseline, &error));
    const struct suite_line *line = suite_baseline_find(&baseline, "tests/0001.input");
    assert_non_null(line);
    assert_string_equal(line->law, "O(n log n)");
    assert_float_equal(line->prices.data[0].cost, 550, 0);
    line = suite_baseline_find(&baseline, "tests/0002.input");
    assert_string_equal(line->prices.data[0].name, "count:a=b");
    assert_null(line->law);
    assert_true(suite_baseline_knows(&baseline, "4bdf"));
    assert_false(suite_baseline_knows(&baseline, "4bd"));
    suite_baseline_print(&baseline, &text);
    assert_string_equal(text.data, good);
    suite_baseline_done(&baseline);
    base_buffer_done(&text);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "no key"},
        {"key a\nnonsense\n", "line 2: neither"},
        {"key a\ntest\n", "line 2: neither"},
        {"key a\ntest \n", "line 2: a test without file"},
        {"key a\ntest /etc/passwd x=1 input=0\n", "line 2: a test outside"},
        {"key a\ntest a/../b x=1 input=0\n", "line 2: a test outside"},
        {"key a\ntest t x=1 input=0\ntest t x=1 input=0\n",
         "line 3: a test outside of the suite, or twice"},
        {"key a\ntest t x=1\n", "input is missing"},
        {"key a\ntest t input=0\n", "cost or the input"},
        {"key a\ntest t x=much input=0\n", "a number is wanted"},
        {"key a\ntest t x=inf input=0\n", "a number is wanted"},
        {"key a\ntest t =1 input=0\n", "NAME=VALUE"},
        {"key a\nfinding f\n", "line 2: 'finding NAME"},
        {"<<<<<<< HEAD\nkey a\n", "line 1: neither"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        struct suite_baseline baseline;
        struct base_error error;
        assert_false(suite_baseline_parse(rows[i].text, "b", &baseline, &error));
        if (!strstr(error.message, rows[i].says))
            print_message("'%s' is not in '%s'\n", rows[i].says, error.message);
        assert_non_null(strstr(error.message, rows[i].says));
        assert_int_equal(error.code, BASE_USAGE);
    }
}

static void test_difference(void **state) {
    (void)state;
    struct suite_baseline before, after, none = {0};
    struct base_error error;
    struct base_buffer text = {0};
    assert_true(suite_baseline_parse(good, "b", &before, &error));
    assert_int_equal(suite_baseline_compare(&before, &before, &text), 0);
    assert_true(suite_baseline_parse("key k\ntest tests/0001.input instructions=551 input=0\n", "b",
                                     &after, &error));
    assert_int_equal(suite_baseline_compare(&none, &after, &text), 2);
    assert_string_equal(text.data, "+ key k\n+ test tests/0001.input instructions=551 input=0\n");
    assert_int_equal(suite_baseline_compare(&before, &after, &text), 6);
    suite_baseline_done(&before);
    suite_baseline_done(&after);
    base_buffer_done(&text);
}

static void test_laws(void **state) {
    (void)state;
    static const struct {
        const char *law;
        double exponent;
        enum measure_growth_kind kind;
        double now;
        bool is_worse;
    } rows[] = {{"O(n)", 1, MEASURE_GROWTH_LINEAR, 1, false},
                {"O(n)", 1, MEASURE_GROWTH_LINEAR_LOG, 1, false},
                {"O(n)", 1, MEASURE_GROWTH_POWER, 2, true},
                {"O(n log n)", 1, MEASURE_GROWTH_POWER, 1.5, true},
                {"O(n^2)", 2.04, MEASURE_GROWTH_POWER, 2.1, false},
                {"O(n^2)", 2, MEASURE_GROWTH_POWER, 2.5, true},
                {"O(n^2)", NAN, MEASURE_GROWTH_POWER, 3, true},
                {"O(n^2)", 2, MEASURE_GROWTH_EXPONENTIAL, NAN, true},
                {"O(1.41^n)", NAN, MEASURE_GROWTH_EXPONENTIAL, NAN, false},
                {"O(n^2)", 2, MEASURE_GROWTH_LINEAR, 1, false},
                {"O(n)", 1, MEASURE_GROWTH_UNCLEAR, NAN, false},
                {"unclear", NAN, MEASURE_GROWTH_POWER, 2, true},
                {"unclear", NAN, MEASURE_GROWTH_LINEAR, 1, false},
                {"O(1)", 0, MEASURE_GROWTH_LINEAR, 1, true}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        struct measure_growth now = {.kind = rows[i].kind, .exponent = rows[i].now};
        assert_int_equal(suite_is_worse(rows[i].law, rows[i].exponent, &now), rows[i].is_worse);
    }
}

/* Whatever the file has become: no crash, and a line that says why. */
static void test_damage(void **state) {
    (void)state;
    const char *given = getenv("SEED");
    unsigned seed = given ? (unsigned)atoi(given) : (unsigned)time(NULL);
    print_message("SEED=%u\n", seed);
    srand(seed);
    for (int round = 0; round < 500; round++) {
        char text[sizeof good];
        struct suite_baseline baseline;
        struct base_error error = {0};
        memcpy(text, good, sizeof good);
        for (int i = rand() % 8; i >= 0; i--)
            text[(size_t)rand() % (sizeof good - 1)] = (char)(rand() % 255 + 1);
        text[(size_t)rand() % sizeof good] = rand() % 4 ? text[0] : 0;
        text[sizeof good - 1] = 0;
        if (suite_baseline_parse(text, "b", &baseline, &error))
            suite_baseline_done(&baseline);
        else
            assert_true(*error.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read_and_write),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_difference),
                                       cmocka_unit_test(test_laws), cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
