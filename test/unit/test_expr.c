/* SPDX-License-Identifier: Apache-2.0
 *
 * Are expressions built, simplified, evaluated and printed right? Simplification is checked by
 * building random expressions twice: through the builder, and as a tree that is computed step by
 * step.
 */
#include "expr/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formula.h"

/* An expression and its value for the current input, computed without the builder. */
struct pair {
    uint32_t id;
    uint64_t value;
    unsigned width;
};

static uint64_t mask_of(unsigned width) {
    return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static struct pair leaf(struct formula *f, unsigned width) {
    if (width % 8 == 0 && formula_pick(f, 3)) {
        unsigned offset = formula_pick(f, 17 - width / 8);
        uint64_t value = 0;
        memcpy(&value, f->input + offset, width / 8);
        return (struct pair){expr_make_input(f->pool, width, offset), value, width};
    }
    uint64_t value = formula_value(f, width);
    return (struct pair){expr_make_constant(f->pool, width, value), value, width};
}

static struct pair apply(struct formula *f, enum abi_op op, unsigned width, unsigned extra,
                         struct pair a, struct pair b, struct pair c) {
    return (struct pair){expr_make(f->pool, op, width, extra, a.id, b.id, c.id),
                         expr_apply(op, width, a.width, extra, a.value, b.value, c.value), width};
}

static struct pair random_pair(struct formula *f, unsigned width, unsigned depth);

static struct pair random_cast(struct formula *f, unsigned width, unsigned depth) {
    struct pair none = {0};
    unsigned other = 1 + formula_pick(f, 64);
    if (width >= 2 && formula_pick(f, 3) == 0) {
        unsigned low = 1 + formula_pick(f, width - 1);
        struct pair a = random_pair(f, width - low, depth), b = random_pair(f, low, depth);
        return (struct pair){expr_make(f->pool, ABI_OP_CONCAT, width, 0, a.id, b.id, 0),
                             a.value << low | b.value, width};
    }
    struct pair a = random_pair(f, other, depth);
    if (other <= width)
        return apply(f, formula_pick(f, 2) ? ABI_OP_ZEXT : ABI_OP_SEXT, width, 0, a, none, none);
    return apply(f, ABI_OP_EXTRACT, width, formula_pick(f, other - width + 1), a, none, none);
}

static struct pair random_pair(struct formula *f, unsigned width, unsigned depth) {
    struct pair none = {0};
    if (!depth)
        return leaf(f, width);
    depth--;
    unsigned pick = formula_pick(f, 12);
    if (pick < 3)
        return random_cast(f, width, depth);
    if (pick == 3)
        return apply(f, ABI_OP_ITE, width, 0, random_pair(f, 1, depth),
                     random_pair(f, width, depth), random_pair(f, width, depth));
    if (pick == 4)
        return apply(f, ABI_OP_NOT, width, 0, random_pair(f, width, depth), none, none);
    if (width == 1 && pick < 9) {
        unsigned inner = formula_pick(f, 2) ? 8u << formula_pick(f, 4) : 1 + formula_pick(f, 64);
        struct pair a = random_pair(f, inner, depth), b = random_pair(f, inner, depth);
        return apply(f, ABI_OP_EQ + formula_pick(f, 5), 1, 0, a, b, none);
    }
    struct pair a = random_pair(f, width, depth), b = random_pair(f, width, depth);
    return apply(f, ABI_OP_ADD + formula_pick(f, 13), width, 0, a, b, none);
}

static void test_simplification(void **state) {
    (void)state;
    struct formula f = {.pool = expr_pool_new(), .random = formula_seed("simplification")};
    for (unsigned round = 0; round < 200000; round++) {
        formula_begin(&f, 8, 16);
        struct pair pair = random_pair(&f, 1 + formula_pick(&f, 64), 1 + formula_pick(&f, 5));
        assert_int_equal(expr_node(f.pool, pair.id)->width, pair.width);
        expr_eval_begin(f.pool, f.input, f.size);
        assert_int_equal(expr_eval(f.pool, pair.id), pair.value);
        assert_int_equal(pair.value & ~mask_of(pair.width), 0);
        if (pair.width == 1) {
            uint32_t other = expr_make_not(f.pool, pair.id);
            assert_int_equal(expr_eval(f.pool, other), !pair.value);
        }
    }
    expr_pool_free(f.pool);
}

/* Support is what the value depends on, at most. */
static void test_support(void **state) {
    (void)state;
    struct formula f = {.pool = expr_pool_new(), .random = formula_seed("support")};
    for (unsigned round = 0; round < 3000; round++) {
        formula_begin(&f, 8, 16);
        struct pair pair = random_pair(&f, 32, 6);
        struct expr_support support = expr_support(f.pool, pair.id);
        for (uint32_t i = 0; i + 1 < support.count; i++)
            assert_true(support.offsets[i] < support.offsets[i + 1]);
        uint8_t changed[16];
        for (unsigned i = 0; i < sizeof changed; i++)
            changed[i] = (uint8_t)formula_random(&f);
        for (uint32_t i = 0; i < support.count; i++)
            changed[support.offsets[i]] = f.input[support.offsets[i]];
        expr_eval_begin(f.pool, changed, sizeof changed);
        assert_int_equal(expr_eval(f.pool, pair.id), pair.value);
    }
    expr_pool_free(f.pool);
}

/* A sum over 100,000 bytes: deep, with a wide support. */
static void test_deep(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    enum { COUNT = 100000 };
    uint8_t *input = base_alloc(COUNT);
    uint32_t sum = expr_make_constant(pool, 32, 0), expected = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t byte = expr_make_input(pool, 8, i);
        sum = expr_make(pool, ABI_OP_ADD, 32, 0, sum,
                        expr_make(pool, ABI_OP_ZEXT, 32, 0, byte, 0, 0), 0);
        sum = expr_make(pool, ABI_OP_MUL, 32, 0, sum, expr_make_constant(pool, 32, 31), 0);
        input[i] = (uint8_t)(i * 7);
        expected = (expected + input[i]) * 31;
    }
    expr_eval_begin(pool, input, COUNT);
    assert_int_equal(expr_eval(pool, sum), expected);
    assert_int_equal(expr_support(pool, sum).count, COUNT);
    struct base_buffer text = {0};
    expr_print(pool, sum, NULL, NULL, &text);
    assert_non_null(strstr(text.data, "..."));
    base_buffer_done(&text);
    free(input);
    expr_pool_free(pool);
}

static bool name_element(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out) {
    base_buffer_print(out, "%s[%u]", (const char *)context, offset / bytes);
    return bytes > 1;
}

static void expect_text(struct expr_pool *pool, uint32_t id, const char *expected) {
    struct base_buffer text = {0};
    char name[] = "arr";
    expr_print(pool, id, name_element, name, &text);
    assert_string_equal(text.data, expected);
    base_buffer_done(&text);
}

static void test_printing(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    uint32_t x = expr_make_input(pool, 32, 12), y = expr_make_input(pool, 32, 16);
    uint32_t one = expr_make_constant(pool, 32, 1), ten = expr_make_constant(pool, 32, 10);
    uint32_t sum = expr_make(pool, ABI_OP_ADD, 32, 0, y, one, 0);
    uint32_t less = expr_make(pool, ABI_OP_SLT, 1, 0, x, sum, 0);
    expect_text(pool, less, "arr[3] < arr[4] + 1");
    expect_text(pool, expr_make_not(pool, less), "arr[4] + 1 <= arr[3]");
    expect_text(pool, expr_make(pool, ABI_OP_SLT, 1, 0, ten, x, 0), "arr[3] > 10");
    expect_text(pool, expr_make(pool, ABI_OP_ULT, 1, 0, x, ten, 0), "(uint32_t)arr[3] < 10u");
    expect_text(pool, expr_make(pool, ABI_OP_MUL, 32, 0, sum, x, 0), "arr[3] * (arr[4] + 1)");
    expect_text(pool, expr_make(pool, ABI_OP_SUB, 32, 0, x, one, 0), "arr[3] - 1");
    uint32_t same = expr_make(pool, ABI_OP_EQ, 1, 0, x, y, 0);
    expect_text(pool, expr_make_not(pool, same), "arr[3] != arr[4]");
    expect_text(pool, expr_make(pool, ABI_OP_AND, 1, 0, same, less, 0),
                "arr[3] < arr[4] + 1 && arr[3] == arr[4]");
    expect_text(pool,
                expr_make(pool, ABI_OP_AND, 1, 0, same,
                          expr_make(pool, ABI_OP_OR, 1, 0, less, expr_make_not(pool, same), 0), 0),
                "arr[3] == arr[4] && (arr[3] < arr[4] + 1 || arr[3] != arr[4])");
    uint32_t byte = expr_make_input(pool, 8, 1);
    uint32_t wide = expr_make(pool, ABI_OP_ZEXT, 32, 0, byte, 0, 0);
    expect_text(pool, expr_make(pool, ABI_OP_SLT, 1, 0, wide, x, 0), "arr[1] < arr[3]");
    expr_pool_free(pool);
}

/* Integers that overlap are parts of one another. */
static void test_overlap(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    uint8_t input[12];
    for (unsigned i = 0; i < sizeof input; i++)
        input[i] = (uint8_t)(i * 17 + 3);
    uint32_t word = expr_make_input(pool, 32, 2);
    assert_int_equal(expr_make_input(pool, 32, 2), word);
    uint32_t parts[] = {expr_make_input(pool, 8, 3), expr_make_input(pool, 64, 0),
                        expr_make_input(pool, 32, 4)};
    const unsigned offsets[] = {3, 0, 4}, bytes[] = {1, 8, 4};
    expr_eval_begin(pool, input, sizeof input);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t value = 0;
        memcpy(&value, input + offsets[i], bytes[i]);
        assert_int_equal(expr_eval(pool, parts[i]), value);
        assert_int_equal(expr_support(pool, parts[i]).count, i == 0   ? 4
                                                             : i == 1 ? 8
                                                                      : 6); /* whole variables */
    }
    expr_pool_free(pool);
}

static void test_switch(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    const uint64_t values[] = {1, 2, 3, 9};
    const uint32_t outcomes[] = {1, 2, 1, 0};
    struct expr_cases cases = {values, outcomes, 4, 0};
    uint32_t x = expr_make_input(pool, 8, 0);
    for (unsigned value = 0; value < 12; value++) {
        uint8_t input = (uint8_t)value;
        struct expr_event event = {.kind = ABI_EVENT_SWITCH, .expr = x, .value = value};
        uint32_t outcome = expr_event_outcome(&event, &cases);
        assert_int_equal(outcome, value == 1 || value == 3 ? 1 : value == 2 ? 2 : 0);
        for (uint32_t other = 0; other < 3; other++) {
            uint32_t condition = expr_switch_condition(pool, x, other, &cases);
            expr_eval_begin(pool, &input, 1);
            assert_int_equal(expr_eval(pool, condition), other == outcome);
        }
    }
    expr_pool_free(pool);
}

/* Also in a pool that has seen no variable yet. */
static void test_no_variables(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    uint32_t seven = expr_make_constant(pool, 8, 7);
    assert_int_equal(expr_variables(pool, seven).count, 0);
    assert_int_equal(expr_support(pool, seven).count, 0);
    expr_pool_free(pool);
}

/* A pool that is full says so and goes on: widths stay right, and emptied it is as before. */
static void test_full(void **state) {
    (void)state;
    struct expr_pool *pool = expr_pool_new();
    expr_pool_set_limit(pool, 1000);
    uint32_t sum = expr_make_input(pool, 64, 0);
    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t next = expr_make_input(pool, 16, 16 + 2 * i);
        next = expr_make(pool, ABI_OP_ZEXT, 64, 0, next, 0, 0);
        sum = expr_make(pool, ABI_OP_MUL, 64, 0, expr_make(pool, ABI_OP_ADD, 64, 0, sum, next, 0),
                        expr_make_constant(pool, 64, 3 + i), 0);
        assert_int_equal(expr_node(pool, sum)->width, 64);
        if (i < 190 || i > 210) /* five nodes each */
            assert_int_equal(expr_pool_is_full(pool), i > 200);
    }
    assert_true(expr_count(pool) < 1000 + 5000 + 8); /* inputs, and some zeros */
    expr_pool_clear(pool);
    assert_false(expr_pool_is_full(pool));
    expr_pool_free(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simplification), cmocka_unit_test(test_support),
        cmocka_unit_test(test_deep),           cmocka_unit_test(test_printing),
        cmocka_unit_test(test_overlap),        cmocka_unit_test(test_switch),
        cmocka_unit_test(test_no_variables),   cmocka_unit_test(test_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
