/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a cost that a path leaves open ever wrong? The path of a test is followed once more; for every
 * input of the domain that meets its conditions, each formula must give what the measuring build
 * counted.
 */
#include "exact/check.h"

#include "search/core/family.h"

static uint64_t measured(const struct abi_result *result, int cost) {
    if (cost >= ABI_COST_USER)
        return (uint64_t)result->costs.user[cost - ABI_COST_USER];
    switch (cost) {
#define CARRIED(id, name)
#define TOLD(id, name, field)                                                                      \
    case ABI_COST_##id:                                                                            \
        return result->costs.field;
        ABI_COSTS(CARRIED, TOLD)
#undef CARRIED
#undef TOLD
    default:
        return result->weighted[cost == ABI_COST_CALLS ? MEASURE_CALLS : MEASURE_INSTRUCTIONS];
    }
}

static bool is_member(struct search_family *family, const struct target_input *input) {
    struct expr_pool *pool = family->walk->trace.pool;
    expr_eval_begin(pool, input->data, input->size);
    for (size_t i = 0; i < family->conditions.count; i++)
        if (!expr_eval(pool, family->conditions.data[i]))
            return false;
    return true;
}

/* Of an input that is a member. */
static bool agrees(struct search_family *family, const uint32_t *sums,
                   const struct abi_result *result) {
    for (int i = 0; i < ABI_COST_COUNT; i++)
        if (sums[i] && expr_eval(family->walk->trace.pool, sums[i]) != measured(result, i))
            return false;
    return true;
}

static bool check_family(struct search_family *family, const struct target_input *inputs,
                         const struct abi_result *results, size_t count, size_t *wrong) {
    uint32_t sums[ABI_COST_COUNT] = {0};
    for (int i = 0; i < ABI_COST_COUNT; i++)
        if (search_formula_is_open(&family->formulas.of[i]) && !family->formulas.of[i].is_unknown)
            sums[i] = search_formula_expr(family->walk->trace.pool, &family->formulas.of[i]);
    for (*wrong = 0; *wrong < count; ++*wrong)
        if (is_member(family, &inputs[*wrong]) && !agrees(family, sums, &results[*wrong]))
            return false;
    return true;
}

static bool has_formula(const struct search_family *family) {
    for (int i = 0; i < ABI_COST_COUNT; i++)
        if (search_formula_is_open(&family->formulas.of[i]))
            return true;
    return false;
}

bool exact_formulas_hold(const struct search_subject *subject, const struct search_test *test,
                         const struct target_input *inputs, const struct abi_result *results,
                         size_t count, size_t *wrong) {
    struct search_sites sites;
    struct search_walk walk;
    struct search_family family;
    struct base_error error;
    struct target_input input = {test->input, test->size};
    bool has_trace, good = true;
    search_sites_init(&sites, subject->facts);
    search_walk_init(&walk, &sites);
    struct abi_result result;
    if (search_follow(&subject->programs[0], &walk, &input, &has_trace, &result, &error) &&
        has_trace) {
        search_family_read(&family, &walk);
        good = !has_formula(&family) || check_family(&family, inputs, results, count, wrong);
        search_family_done(&family);
    }
    search_walk_done(&walk);
    search_sites_done(&sites);
    return good;
}
