/* SPDX-License-Identifier: Apache-2.0
 *
 * Which input of one path costs most? Where the path leaves the size of an allocation or the length
 * of a copy open, its inputs differ in cost, and some may meet the policy while others violate it.
 * The solver finds the costliest one that meets it and fits into the memory of a run.
 */
#include "search/core/worst.h"

#include "search/core/family.h"

#include <stdlib.h>
#include <string.h>

static bool is_priced(const struct search_prices *prices, uint32_t costs) {
    for (unsigned i = 0; i < ABI_COST_COUNT; i++)
        if (costs >> i & 1 && prices->of[i] != 0)
            return true;
    return false;
}

static bool matters(const struct search_subject *subject, const struct search_prices *prices,
                    uint32_t open) {
    bool does = is_priced(prices, open);
    for (size_t i = 0; subject->policy && i < subject->policy->limits.count; i++)
        does |= is_priced(&subject->policy->limits.data[i].prices, open);
    return does;
}

/* Moves the input to where the policy holds, if that depends on the input; true: it does. */
static bool adhere(struct search_extreme *extreme, uint32_t condition) {
    struct expr_pool *pool = extreme->family->walk->trace.pool;
    uint8_t *model = base_alloc(extreme->size + 1);
    if (!search_family_holds(extreme, condition) &&
        search_family_ask(extreme, condition, model) == SOLVER_SAT)
        memcpy(extreme->input, model, extreme->size);
    bool holds = search_family_holds(extreme, condition);
    bool depends =
        holds && search_family_ask(extreme, expr_make_not(pool, condition), model) != SOLVER_UNSAT;
    if (holds)
        extreme->also = extreme->also
                            ? expr_make(pool, ABI_OP_AND, 1, 0, extreme->also, condition, 0)
                            : condition;
    free(model);
    return depends;
}

/* Only where it is asked for: is there one that costs less? */
static bool is_open(const struct search_extreme *extreme, uint32_t measure, int64_t most) {
    struct search_extreme from = *extreme;
    int64_t least;
    from.input = base_alloc(from.size + 1);
    memcpy(from.input, extreme->input, from.size);
    search_find_extreme(&from, measure, false, &least);
    free(from.input);
    return least < most;
}

/* Does the formula of the measure cover everything in which inputs of the path may differ? */
static bool is_told(const struct search_family *family, const struct search_prices *prices,
                    double scale) {
    for (int i = 0; i < ABI_COST_COUNT; i++) {
        const struct search_formula *formula = &family->formulas.of[i];
        if (prices->of[i] != 0 &&
            (formula->is_unknown || (scale <= 0 && search_formula_is_open(formula))))
            return false;
    }
    return true;
}

struct search_worst search_find_worst(const struct search *search,
                                      const struct search_program *program, struct solver *solver,
                                      struct search_walk *walk, uint32_t open, uint8_t *input) {
    const struct search_subject *subject = &search->subject;
    const struct search_prices prices = search_find_prices(subject, program);
    struct search_worst about = {0};
    struct search_family family;
    double scale;
    int64_t cost;
    if (!matters(subject, &prices, open))
        return about;
    if (!search_walk_import(walk))
        return (struct search_worst){.is_unproven = true};
    search_family_read(&family, walk);
    struct search_extreme extreme = {.family = &family,
                                     .solver = solver,
                                     .layout = &subject->layout,
                                     .input = input,
                                     .size = subject->layout.bytes};
    if (subject->run_memory)
        extreme.also = search_family_within(&family, subject->run_memory);
    uint32_t condition = subject->policy ? search_policy_condition(subject->policy, &family) : 0;
    uint32_t measure = search_family_measure(&family, &prices, &scale);
    if (condition && !search_is_constant(walk->trace.pool, condition))
        about.is_conditional = adhere(&extreme, condition);
    about.is_unproven = measure ? !search_find_extreme(&extreme, measure, true, &cost)
                                : !is_told(&family, &prices, scale);
    if (measure && subject->policy && subject->policy->top)
        about.is_open = is_open(&extreme, measure, cost);
    search_family_done(&family);
    return about;
}
