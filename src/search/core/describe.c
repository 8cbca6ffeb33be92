/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the path of a test require of its input, and what do all inputs that take it cost? The
 * test is traced once more. The conditions of its decisions are printed as C, and so are the costs
 * that the path leaves open, each as a formula. The formulas are confirmed by running three inputs
 * of the family in the measuring build: the cheapest, the costliest that fits into the memory of a
 * run, and one in between.
 */
#include "search/core/family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct telling {
    const struct search_subject *subject;
    const struct target_input *input;
    const struct search_layout *layout;
    struct search_walk walk;
    struct search_family family;
    const struct search_question *question;
    struct search_description *to;
    struct solver *solver;
};

static char *tell_condition(const struct telling *telling) {
    struct base_buffer text = {0};
    struct search_conditions rest = {0};
    base_buffer_add(&text, "", 0);
    search_tell_links(telling->question, telling->walk.trace.pool, telling->family.conditions.data,
                      telling->family.conditions.count, &text, &rest);
    if (text.count && rest.count)
        base_buffer_print(&text, " && ");
    const struct search_printing as = {telling->question->names, telling->question->context,
                                       telling->question->limit};
    if (rest.count || !text.count)
        search_print_conditions(&telling->walk, rest.data, rest.count, &as, &text);
    base_vector_done(&rest);
    return text.data;
}

static char *tell_tables(const struct telling *telling) {
    struct base_buffer text = {0};
    struct expr_pool *pool = telling->walk.trace.pool;
    struct search_ids plain = {0};
    search_plain_conditions(&telling->walk, telling->family.conditions.data,
                            telling->family.conditions.count, &plain);
    expr_print_tables(pool, plain.data, plain.count, &text);
    base_vector_done(&plain);
    return text.data;
}

static char *tell_trace(const struct telling *telling) {
    struct base_buffer text = {0};
    search_recount_print(&telling->family.recount, telling->question->limit, &text);
    return text.data;
}

/* Prints the sum under the path's conditions, except those that fix a value to what it was in this
 * run: the formula should be more general than that. */
static char *tell_formula(const struct telling *telling, const struct search_formula *formula) {
    struct base_buffer text = {0};
    struct expr_given given = {telling->family.choices.data, telling->family.choices.count};
    expr_print_sum(telling->walk.trace.pool, formula->constant, formula->terms.data,
                   formula->terms.count, &given, telling->question->names,
                   telling->question->context, telling->question->limit, &text);
    return text.data;
}

/* ---- confirming ---- */

/* The cost by which the three inputs are chosen: the measure if it is open, else any open cost. */
static uint32_t leading_cost(struct telling *telling) {
    double scale;
    const struct search_prices prices =
        search_find_prices(telling->subject, &telling->subject->programs[0]);
    uint32_t measure = search_family_measure(&telling->family, &prices, &scale);
    for (int i = 0; !measure && i < ABI_COST_COUNT; i++)
        if (search_formula_is_open(&telling->family.formulas.of[i]))
            measure =
                search_formula_expr(telling->walk.trace.pool, &telling->family.formulas.of[i]);
    return measure;
}

static uint64_t measured_count(const struct search_program *program,
                               const struct abi_result *result, uint32_t number) {
    struct search_counter counter;
    bool is_there = program->counter && program->counter(program->self, number, &counter) &&
                    counter.measured < ABI_MAX_COUNTERS;
    return is_there ? (uint64_t)result->costs.user[counter.measured] : 0;
}

static uint64_t measured_cost(const struct search_program *program, const struct abi_result *result,
                              int cost) {
    switch (cost) {
#define CARRIED(id, name)
#define TOLD(id, name, field)                                                                      \
    case ABI_COST_##id:                                                                            \
        return result->costs.field;
        ABI_COSTS(CARRIED, TOLD)
#undef CARRIED
#undef TOLD
    case ABI_COST_INSTRUCTIONS:
        return result->weighted[MEASURE_INSTRUCTIONS];
    case ABI_COST_CALLS:
        return result->weighted[MEASURE_CALLS];
    default:
        return measured_count(program, result, (uint32_t)cost - ABI_COST_USER);
    }
}

static void run_point(struct telling *telling, struct search_extreme *at,
                      struct base_error *error) {
    const struct search_program *program = &telling->subject->programs[0];
    struct search_point *point = &telling->to->points[telling->to->point_count];
    struct target_input input = {at->input, at->size};
    struct abi_result result;
    double cost;
    if (!program->measure(program->self, &input, 1, &result, &cost, error))
        return;
    point->is_confirmed = result.status == ABI_STATUS_OK && !result.rejected;
    expr_eval_begin(telling->walk.trace.pool, at->input, at->size);
    for (int i = 0; i < ABI_COST_COUNT; i++) {
        const struct search_formula *formula = &telling->family.formulas.of[i];
        if (!telling->to->costs[i])
            continue;
        point->costs[i] = expr_eval(telling->walk.trace.pool,
                                    search_formula_expr(telling->walk.trace.pool, formula));
        point->is_confirmed &= measured_cost(program, &result, i) == point->costs[i];
    }
    telling->to->point_count++;
}

static void reset_point(const struct telling *telling, struct search_extreme *at) {
    memcpy(at->input, telling->input->data, at->size);
}

/* The ends come from the solver; the middle one is the cheapest that costs at least half way
 * between. */
static void run_points(struct telling *telling, struct search_extreme *at,
                       struct base_error *error) {
    struct expr_pool *pool = telling->walk.trace.pool;
    uint32_t cost = leading_cost(telling), within = at->also;
    int64_t least, most, middle;
    reset_point(telling, at);
    search_find_extreme(at, cost, false, &least);
    run_point(telling, at, error);
    reset_point(telling, at);
    search_find_extreme(at, cost, true, &most);
    uint32_t half = expr_make_constant(pool, 64, (uint64_t)(least + (most - least) / 2));
    uint32_t is_above = expr_make(pool, ABI_OP_SLE, 1, 0, half, cost, 0);
    uint8_t *top = base_alloc(at->size + 1);
    memcpy(top, at->input, at->size);
    if (most > least + 1 && !search_is_constant(pool, is_above)) {
        at->also = within ? expr_make(pool, ABI_OP_AND, 1, 0, within, is_above, 0) : is_above;
        search_find_extreme(at, cost, false, &middle);
        at->also = within;
        if (middle > least && middle < most)
            run_point(telling, at, error);
    }
    memcpy(at->input, top, at->size);
    free(top);
    if (most > least)
        run_point(telling, at, error);
}

/* ---- the policy and the rival ---- */

/* Describes the part of the family that also meets CONDITION; NULL: all of it, or nothing. */
static char *tell_part(struct telling *telling, struct search_extreme *at, uint32_t condition) {
    struct expr_pool *pool = telling->walk.trace.pool;
    struct base_buffer text = {0};
    if (!condition || search_is_constant(pool, condition) ||
        search_family_ask(at, expr_make_not(pool, condition), at->input) == SOLVER_UNSAT)
        return NULL;
    reset_point(telling, at);
    if (!search_family_holds(at, condition)) {
        uint8_t *model = base_alloc(at->size + 1);
        bool found = search_family_ask(at, condition, model) == SOLVER_SAT;
        memcpy(at->input, model, found ? at->size : 0);
        free(model);
        if (!found)
            return NULL;
    }
    struct search_extreme part = *at;
    part.also = condition;
    search_family_settle(&part, telling->question->names, telling->question->context,
                         telling->question->limit, &text);
    return text.data;
}

static uint32_t beats_rival(struct telling *telling, uint32_t measure, double scale) {
    struct expr_pool *pool = telling->walk.trace.pool;
    double rival = telling->question->rival;
    if (!measure || isnan(rival) || fabs(rival * scale) > 0x1p60)
        return 0;
    uint32_t bound = expr_make_constant(pool, 64, (uint64_t)(int64_t)(rival * scale));
    return expr_make(pool, ABI_OP_SLT, 1, 0, bound, measure, 0);
}

static uint32_t make_both(struct expr_pool *pool, uint32_t a, uint32_t b) {
    return a && b ? expr_make(pool, ABI_OP_AND, 1, 0, a, b, 0) : a ? a : b;
}

/* Do any members meet the condition? */
static bool has_some(struct telling *telling, struct search_extreme *at, uint32_t condition) {
    if (search_is_constant(telling->walk.trace.pool, condition))
        return search_family_holds(at, condition);
    uint8_t *model = base_alloc(at->size + 1);
    bool found = search_family_ask(at, condition, model) != SOLVER_UNSAT;
    free(model);
    return found;
}

/* When do members that ADHERE to the policy (0: all do) cost more than the rival? */
static void tell_wins(struct telling *telling, struct search_extreme *at, uint32_t beats,
                      uint32_t adhere) {
    struct expr_pool *pool = telling->walk.trace.pool;
    if (!beats)
        return;
    uint32_t wins = make_both(pool, beats, adhere);
    uint32_t loses = make_both(pool, expr_make_not(pool, beats), adhere);
    if (!has_some(telling, at, wins))
        return;
    telling->to->always_wins = !has_some(telling, at, loses);
    if (!telling->to->always_wins)
        telling->to->wins = tell_part(telling, at, wins);
}

static void tell_parts(struct telling *telling, struct search_extreme *at) {
    const struct search_subject *subject = telling->subject;
    const struct search_prices prices = search_find_prices(subject, &subject->programs[0]);
    double scale;
    uint32_t measure = search_family_measure(&telling->family, &prices, &scale);
    uint32_t adhere =
        subject->policy ? search_policy_condition(subject->policy, &telling->family) : 0;
    at->also = 0;
    reset_point(telling, at);
    telling->to->adheres = tell_part(telling, at, adhere);
    reset_point(telling, at);
    if (measure && scale == 1) {
        struct search_formula whole = {0};
        base_push(&whole.terms, measure);
        telling->to->measure = tell_formula(telling, &whole);
        base_vector_done(&whole.terms);
    }
    tell_wins(telling, at, beats_rival(telling, measure, scale), adhere);
}

/* ---- costs ---- */

static void tell_costs(struct telling *telling, struct base_error *error) {
    struct search_family *family = &telling->family;
    struct search_extreme at = {.family = family,
                                .solver = telling->solver,
                                .layout = telling->layout,
                                .input = base_alloc(telling->input->size + 1),
                                .size = telling->input->size};
    struct base_buffer left = {0};
    reset_point(telling, &at);
    bool is_open = search_family_settle(&at, telling->question->names, telling->question->context,
                                        telling->question->limit, &left);
    for (int i = 0; is_open && i < ABI_COST_COUNT; i++)
        if (search_formula_is_open(&family->formulas.of[i]) && !family->formulas.of[i].is_unknown)
            telling->to->costs[i] = tell_formula(telling, &family->formulas.of[i]);
    telling->to->family = left.data;
    if (telling->subject->run_memory)
        at.also = search_family_within(family, telling->subject->run_memory);
    if (is_open) {
        run_points(telling, &at, error);
        tell_parts(telling, &at);
    }
    free(at.input);
}

static bool has_open_cost(const struct search_family *family) {
    for (int i = 0; i < ABI_COST_COUNT; i++)
        if (search_formula_is_open(&family->formulas.of[i]))
            return true;
    return false;
}

static void tell(struct telling *telling, const struct search_options *options,
                 struct base_error *error) {
    struct search_description *to = telling->to;
    search_family_read(&telling->family, &telling->walk);
    to->condition = tell_condition(telling);
    to->tables = tell_tables(telling);
    to->trace = tell_trace(telling);
    to->decisions = telling->walk.depth;
    if (has_open_cost(&telling->family)) {
        telling->solver = search_new_solver(options, telling->layout);
        tell_costs(telling, error);
        solver_free(telling->solver);
    }
    search_family_done(&telling->family);
}

bool search_describe(const struct search_subject *subject, const struct search_options *options,
                     const struct search_question *question, struct search_description *description,
                     struct base_error *error) {
    struct telling telling = {.subject = subject,
                              .input = question->input,
                              .layout = search_layout_for(subject, question->input->size),
                              .question = question,
                              .to = description};
    struct search_sites sites;
    bool has_trace;
    *description = (struct search_description){0};
    search_sites_init(&sites, subject->facts);
    search_walk_init(&telling.walk, &sites);
    telling.walk.until = question->until;
    struct abi_result result;
    bool good = search_follow(&subject->programs[0], &telling.walk, question->input, &has_trace,
                              &result, error);
    if (has_trace)
        tell(&telling, options, error);
    if (has_trace && expr_pool_is_full(telling.walk.trace.pool)) {
        search_description_done(description);
        *description = (struct search_description){.decisions = telling.walk.depth};
    }
    description->is_outside = result.status == ABI_STATUS_BOUNDS;
    description->outside = result.outside;
    search_walk_done(&telling.walk);
    search_sites_done(&sites);
    return good;
}

void search_description_done(struct search_description *description) {
    free(description->condition);
    free(description->tables);
    free(description->trace);
    free(description->family);
    free(description->measure);
    free(description->adheres);
    free(description->wins);
    for (int i = 0; i < ABI_COST_COUNT; i++)
        free(description->costs[i]);
}
