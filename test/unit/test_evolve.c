/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the evolving search: operators stay within their bounds and do what they say, the
 * corpus keeps what it must, and the whole finds a maximum of a target that is a few lines here.
 * The operators are drawn with the seed SEED (printed).
 */
#include "search/evolve/evolve.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* ---- operators ---- */

#define ROOM 96
#define GUARD 0xa5

static void check_operator(enum evolve_operator operator, uint64_t seed) {
    struct evolve_tokens tokens = {0};
    struct evolve_lanes lanes = {0};
    struct search_options options = {0};
    const struct target_input words[] = {{"key", 3}, {"[", 1}, {"\0\1\2\3\4\5\6\7\10\11", 10}};
    options.dictionary = words;
    options.dictionary_count = 3;
    evolve_tokens_init(&tokens, NULL, &options);
    uint64_t random = seed;
    unsigned applied = 0;
    for (int i = 0; i < 3000; i++) {
        uint8_t bytes[ROOM + 16], mate[ROOM];
        memset(bytes, GUARD, sizeof bytes);
        size_t limit = evolve_below(&random, ROOM + 1), size = evolve_below(&random, limit + 1);
        for (size_t b = 0; b < size; b++)
            bytes[b] = (uint8_t)("ab01[]{}"[search_random(&random) % 8]);
        memset(mate, 'm', sizeof mate);
        struct evolve_draft draft = {
            bytes, size, limit, &random, &tokens, &lanes, {mate, evolve_below(&random, limit + 1)}};
        applied += evolve_apply(&draft, operator);
        assert_true(draft.size <= limit);
        assert_true(!evolve_is_typed(operator) || draft.size == size);
        for (size_t b = limit; b < sizeof bytes; b++)
            assert_int_equal(bytes[b], GUARD);
    }
    if (!applied)
        fail_msg("%s never applied", evolve_operator_name(operator));
    evolve_tokens_done(&tokens);
}

static void test_operators_stay_within(void **state) {
    (void)state;
    const char *given = getenv("SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
    print_message("SEED=%llu\n", (unsigned long long)seed);
    for (int i = 0; i < EVOLVE_OPERATOR_COUNT; i++)
        check_operator((enum evolve_operator)i, seed);
}

/* Sorting a row of four 16-bit integers: signed, in either order, and nothing else changes. */
static void test_sort_is_typed(void **state) {
    (void)state;
    struct evolve_lane lane = {.offset = 2, .count = 4, .width = 2, .is_signed = true};
    struct evolve_lanes lanes = {&lane, 1, 1};
    struct evolve_tokens tokens = {0};
    uint64_t random = 5;
    bool rose = false, fell = false;
    for (int i = 0; i < 200; i++) {
        int16_t values[6] = {77, 5, -3, 1000, -1000, 88};
        struct evolve_draft draft = {
            (uint8_t *)values, sizeof values, sizeof values, &random, &tokens, &lanes, {0}};
        assert_true(evolve_apply(&draft, EVOLVE_OPERATOR_sort));
        assert_int_equal(values[0], 77);
        assert_int_equal(values[5], 88);
        rose |= values[1] == -1000 && values[2] == -3 && values[3] == 5 && values[4] == 1000;
        fell |= values[1] == 1000 && values[2] == 5 && values[3] == -3 && values[4] == -1000;
        assert_false(evolve_apply(&draft, EVOLVE_OPERATOR_repeat));
    }
    assert_true(rose && fell);
}

static void test_tokens_by_group(void **state) {
    (void)state;
    struct ir_token list[] = {
        {0, 1, IR_TOKEN_NUMBER, 0}, {1, 4, IR_TOKEN_CASE, 0}, {5, 4, IR_TOKEN_TEXT, 0}};
    struct ir_facts facts = {.tokens = list, .token_count = 3, .token_bytes = (char *)"[1234true"};
    struct search_options options = {0};
    struct evolve_tokens tokens;
    evolve_tokens_init(&tokens, &facts, &options);
    assert_int_equal(tokens.groups[EVOLVE_BYTES].count, 1);
    assert_int_equal(tokens.groups[EVOLVE_WORDS].count, 2); /* in both byte orders */
    assert_memory_equal(tokens.groups[EVOLVE_WORDS].data[1].data, "4321", 4);
    assert_int_equal(tokens.groups[EVOLVE_TEXTS].count, 1);
    evolve_tokens_done(&tokens);
}

/* ---- the corpus ---- */

static uint32_t offer(struct evolve_corpus *corpus, size_t size, double cost, uint32_t raised) {
    uint8_t bytes[64] = {0};
    struct search_test test = {.input = bytes, .size = size, .cost = cost};
    test.result.raised = raised;
    return evolve_corpus_offer(corpus, &test, false);
}

static void test_corpus_rules(void **state) {
    (void)state;
    struct evolve_corpus corpus;
    evolve_corpus_init(&corpus, 8);
    assert_int_equal(evolve_bucket_of(64), 6);
    assert_int_equal(evolve_bucket_of(65), 7);
    assert_int_not_equal(offer(&corpus, 64, 100, 0), UINT32_MAX); /* the first of its size */
    assert_int_equal(offer(&corpus, 64, 100, 0), UINT32_MAX);     /* no better */
    assert_int_equal(offer(&corpus, 60, 90, 0), UINT32_MAX);      /* nor for each byte */
    assert_int_not_equal(offer(&corpus, 40, 90, 0), UINT32_MAX);  /* for each byte it is */
    assert_int_not_equal(offer(&corpus, 64, 1, 3), UINT32_MAX);   /* it raises bars */
    assert_int_not_equal(offer(&corpus, 2, 1, 0), UINT32_MAX);    /* another bucket */
    assert_true(evolve_champion(&corpus, 6, EVOLVE_BY_COST)->cost == 100);
    assert_true(evolve_champion(&corpus, 6, EVOLVE_BY_RATE)->size == 40);
    for (int i = 0; i < 1000; i++) /* champions come and go, and memory does not grow */
        offer(&corpus, 64, 101 + i, 0);
    assert_true(corpus.count <= 8);
    assert_true(evolve_champion(&corpus, 6, EVOLVE_BY_COST)->cost == 1100);
    struct base_buffer saved = {0};
    evolve_corpus_save(&corpus, &saved);
    struct evolve_corpus copy;
    evolve_corpus_init(&copy, 8);
    const char *at = saved.data;
    assert_true(evolve_corpus_load(&copy, &at, saved.data + saved.count));
    assert_true(evolve_champion(&copy, 6, EVOLVE_BY_COST)->cost == 1100);
    base_buffer_done(&saved);
    evolve_corpus_done(&copy);
    evolve_corpus_done(&corpus);
}

/* ---- the whole, on a simulated target: inversions of up to 24 bytes ---- */

static double evolve_inversions(uint64_t seed, uint8_t best[24]) {
    struct fake_search fake = {.options = {.tests = 3, .limits = {.runs = 60000}, .seed = seed}};
    const struct search_test *tests;
    fake_prepare(&fake, "evolve", fake_inversions, 24, 1);
    assert_true(fake_go(&fake));
    assert_true(search_tests(fake.search, &tests) > 0);
    double cost = tests[0].cost;
    memset(best, 0, 24);
    memcpy(best, tests[0].input, tests[0].size);
    fake_finish(&fake);
    return cost;
}

static void test_finds_the_worst(void **state) {
    (void)state;
    uint8_t first[24], second[24];
    assert_true(evolve_inversions(1, first) == 24 * 23 / 2 + 1);
    assert_true(evolve_inversions(1, second) == 24 * 23 / 2 + 1);
    assert_memory_equal(first, second, 24); /* the same seed, the same input */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators_stay_within), cmocka_unit_test(test_sort_is_typed),
        cmocka_unit_test(test_tokens_by_group),       cmocka_unit_test(test_corpus_rules),
        cmocka_unit_test(test_finds_the_worst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
