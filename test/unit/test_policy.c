/* SPDX-License-Identifier: Apache-2.0
 *
 * What do the texts of policies say, and which runs and paths keep them?
 */
#include "search/core/core.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on

static double memory_of(void *self, size_t limit, const struct abi_result *result) {
    (void)self;
    (void)limit;
    return (double)result->costs.peak;
}

static struct search_policy parse(const char *text) {
    struct search_policy policy = {.value = memory_of};
    struct base_error error;
    assert_true(search_policy_parse(text, &policy, &error));
    return policy;
}

static bool holds(const char *text, uint64_t peak) {
    struct search_policy policy = parse(text);
    bool kept = search_policy_holds(&policy, &(struct abi_result){.costs = {.peak = peak}});
    search_policy_done(&policy);
    return kept;
}

static void reads_limits(void **state) {
    (void)state;
    struct search_policy policy = parse(" memory >= 48&& instructions+0.5*memory<1e3 ");
    assert_int_equal(policy.limits.count, 2);
    assert_string_equal(policy.limits.data[0].text, "memory");
    assert_false(policy.limits.data[0].at_most);
    assert_string_equal(policy.limits.data[1].text, "instructions+0.5*memory");
    assert_true(policy.limits.data[1].is_strict && policy.limits.data[1].at_most);
    assert_true(policy.limits.data[1].bound == 1000);
    search_policy_done(&policy);
    policy = parse("worst");
    assert_int_equal(policy.top, 1);
    search_policy_done(&policy);
    policy = parse("top:5 && memory<=9");
    assert_int_equal(policy.top, 5);
    search_policy_done(&policy);
}

static void refuses_others(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",      "memory", "memory=3", ">=3",      "memory>=",   "memory>=3x",
        "top:0", "top:",   "top:2x",   "worst &&", "memory<=inf"};
    for (size_t i = 0; i < BASE_COUNT(texts); i++) {
        struct search_policy policy = {0};
        struct base_error error;
        assert_false(search_policy_parse(texts[i], &policy, &error));
        assert_int_equal(error.code, BASE_USAGE);
        search_policy_done(&policy);
    }
}

static void judges_runs(void **state) {
    (void)state;
    assert_true(holds("memory>=48", 48));
    assert_false(holds("memory>48", 48));
    assert_false(holds("memory<48", 48));
    assert_true(holds("memory<=48 && memory>=48", 48));
    assert_false(holds("memory<=48", 49));
    assert_true(holds("worst", 49));
}

/* What is open may be less for other inputs, and what is counted besides is not known yet. */
static void gives_up_paths(void **state) {
    (void)state;
    struct search_policy policy = parse("instructions<=10");
    uint64_t costs[ABI_COST_COUNT] = {[ABI_COST_INSTRUCTIONS] = 11, [ABI_COST_MEMORY] = 99};
    struct search_limit *limit = &policy.limits.data[0];
    limit->prices.of[ABI_COST_INSTRUCTIONS] = 1;
    assert_true(search_policy_exceeded(&policy, costs, 1u << ABI_COST_MEMORY));
    assert_false(search_policy_exceeded(&policy, costs, 1u << ABI_COST_INSTRUCTIONS));
    limit->prices.is_partial = true;
    assert_false(search_policy_exceeded(&policy, costs, 0));
    limit->prices.is_partial = false;
    costs[ABI_COST_INSTRUCTIONS] = 10;
    assert_false(search_policy_exceeded(&policy, costs, 0));
    limit->is_strict = true;
    assert_true(search_policy_exceeded(&policy, costs, 0));
    limit->at_most = false;
    assert_false(search_policy_exceeded(&policy, costs, 0));
    search_policy_done(&policy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_limits),
        cmocka_unit_test(refuses_others),
        cmocka_unit_test(judges_runs),
        cmocka_unit_test(gives_up_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
