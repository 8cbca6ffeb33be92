/* SPDX-License-Identifier: Apache-2.0
 *
 * Causes: the way from the entry to the hottest block, its factors, and which causes are the same,
 * on a small program whose facts are written down here:
 *
 *   main:  loop 0 calls feed        blocks 0, 1 (in the loop)
 *   feed:  calls one or two         block 2
 *   one:   loop 1                   blocks 3, 4 (in the loop)
 *   two:   loop 2, calls itself     blocks 5, 6 (in the loop)
 */
#include "measure/cause.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

enum { MAIN, FEED, ONE, TWO, STRLEN };
enum { SLOTS = 8 };

static char strings[] = "\0main\0feed\0one\0two\0strlen\0a.c";
enum { NAME_MAIN = 1, NAME_FEED = 6, NAME_ONE = 11, NAME_TWO = 15, NAME_STRLEN = 19, FILE_A = 26 };

static struct ir_function functions[] = {
    [MAIN] = {.name = NAME_MAIN, .file = FILE_A, .line = 1, .first_block = 0, .block_count = 2},
    [FEED] = {.name = NAME_FEED, .file = FILE_A, .line = 10, .first_block = 2, .block_count = 1},
    [ONE] = {.name = NAME_ONE, .file = FILE_A, .line = 20, .first_block = 3, .block_count = 2},
    [TWO] = {.name = NAME_TWO, .file = FILE_A, .line = 30, .first_block = 5, .block_count = 2},
    [STRLEN] = {.name = NAME_STRLEN}};
static struct ir_call calls[] = {{.callee = FEED, .line = 3},
                                 {.callee = ONE, .line = 11},
                                 {.callee = TWO, .line = 12},
                                 {.callee = TWO, .line = 33},
                                 {.callee = STRLEN, .line = 22}};
static struct ir_loop loops[] = {
    {.function = MAIN, .header = 1, .parent = IR_NONE, .file = FILE_A, .line = 2},
    {.function = ONE, .header = 4, .parent = IR_NONE, .file = FILE_A, .line = 21},
    {.function = TWO, .header = 6, .parent = IR_NONE, .file = FILE_A, .line = 31}};
static struct ir_block blocks[] = {
    {.function = MAIN, .loop = IR_NONE, .instructions = 1},
    {.function = MAIN, .loop = 0, .instructions = 1, .first_call = 0, .call_count = 1},
    {.function = FEED, .loop = IR_NONE, .instructions = 1, .first_call = 1, .call_count = 2},
    {.function = ONE, .loop = IR_NONE, .instructions = 1},
    {.function = ONE, .loop = 1, .instructions = 1, .first_call = 4, .call_count = 1},
    {.function = TWO, .loop = IR_NONE, .instructions = 1},
    {.function = TWO, .loop = 2, .instructions = 1, .first_call = 3, .call_count = 1}};
static const struct ir_facts facts = {.functions = functions,
                                      .blocks = blocks,
                                      .calls = calls,
                                      .loops = loops,
                                      .strings = strings,
                                      .function_count = 5,
                                      .block_count = 7,
                                      .loop_count = 3};

/* Counts of the blocks at 100 and 200 bytes. */
static struct measure_cause find(const uint64_t less[SLOTS], const uint64_t more[SLOTS],
                                 uint32_t hottest) {
    struct measure_cause cause;
    struct measure_pair pair = {&facts, less, more, 100, 200};
    measure_cause_find(&pair, hottest, &cause);
    return cause;
}

static struct measure_cause in_one(void) {
    return find((uint64_t[SLOTS]){0, 1, 100, 100, 100, 10000, 0, 0},
                (uint64_t[SLOTS]){0, 1, 200, 200, 200, 40000, 0, 0}, 4);
}

/* The way is main, its loop, feed, one, its loop; the factors are the loops. */
static void test_way(void **state) {
    (void)state;
    struct measure_cause cause = in_one();
    static const enum measure_step_kind kinds[] = {MEASURE_STEP_CALL, MEASURE_STEP_LOOP,
                                                   MEASURE_STEP_CALL, MEASURE_STEP_CALL,
                                                   MEASURE_STEP_LOOP};
    static const uint32_t lines[] = {1, 2, 3, 11, 21};
    static const double adds[] = {0, 1, 0, 0, 1};
    assert_int_equal(cause.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(cause.steps[i].kind, kinds[i]);
        assert_int_equal(cause.steps[i].line, lines[i]);
        assert_float_equal(cause.steps[i].adds, adds[i], 0.01);
    }
    assert_int_equal(measure_cause_outer(&cause)->function, MAIN);
    assert_int_equal(measure_cause_inner(&cause)->function, ONE);
}

/* Calls that come from the function itself are a recursion, and no way out. */
static void test_recursion(void **state) {
    (void)state;
    struct measure_cause cause = find((uint64_t[SLOTS]){0, 1, 1, 1, 0, 0, 1000, 1000},
                                      (uint64_t[SLOTS]){0, 1, 1, 1, 0, 0, 8000, 8000}, 6);
    const struct measure_step *outer = measure_cause_outer(&cause);
    assert_non_null(outer);
    assert_int_equal(outer->kind, MEASURE_STEP_RECURSION);
    assert_int_equal(outer->function, TWO);
    assert_float_equal(outer->adds, 3, 0.01);
    assert_int_equal(cause.steps[0].function, MAIN);
}

/* Bytes that library functions touch belong to the block that calls them. */
static void test_library(void **state) {
    (void)state;
    struct measure_cause cause = find((uint64_t[SLOTS]){10000, 1, 1, 1, 1, 100, 0, 0},
                                      (uint64_t[SLOTS]){40000, 1, 1, 1, 1, 200, 0, 0}, IR_NONE);
    const struct measure_step *inner = measure_cause_inner(&cause);
    assert_non_null(inner);
    assert_int_equal(inner->kind, MEASURE_STEP_LIBRARY);
    assert_string_equal(inner->library, "strlen");
    assert_int_equal(inner->line, 22);
    assert_float_equal(inner->adds, 1, 0.01);
}

/* Fed at one rate, two functions have one cause; at rates that depend on what is fed, two. */
static void test_same(void **state) {
    (void)state;
    struct measure_cause one = in_one();
    struct measure_cause fed = find((uint64_t[SLOTS]){0, 1, 100, 100, 0, 0, 100, 30000},
                                    (uint64_t[SLOTS]){0, 1, 200, 200, 0, 0, 200, 120000}, 6);
    struct measure_cause items = find((uint64_t[SLOTS]){0, 1, 25, 25, 0, 0, 25, 30000},
                                      (uint64_t[SLOTS]){0, 1, 50, 50, 0, 0, 50, 120000}, 6);
    struct measure_cause none = {0};
    assert_true(measure_cause_is_same(&one, &one));
    assert_true(measure_cause_is_same(&one, &fed));
    assert_false(measure_cause_is_same(&one, &items));
    assert_true(measure_cause_is_same(&fed, &items)); /* both of them in two */
    assert_false(measure_cause_is_same(&none, &one));
    assert_false(measure_cause_is_same(&none, &none));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_way), cmocka_unit_test(test_recursion),
                                       cmocka_unit_test(test_library), cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
