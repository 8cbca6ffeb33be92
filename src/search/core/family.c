/* SPDX-License-Identifier: Apache-2.0
 *
 * Which inputs take a path, and which of them costs most? The conditions of the path are gathered
 * from its trace. To find the extreme of a value, the integers that it depends on are first moved
 * to the ends of their ranges as far as the conditions hold, which needs no solver. Unless all of
 * them reach their ends, the solver is then asked for something better, until there is nothing.
 * That one integer cannot move proves nothing: others may have to move along with it.
 */
#include "search/core/family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_QUESTIONS 200 /* about one extreme */
#define MOST_STEPS 2000    /* tries after the solver has given up */
#define LARGEST_SCALE 1000.0

/* ---- reading ---- */

static void note_condition(struct search_family *family, const struct search_step *step) {
    uint32_t condition = search_condition(family->walk, step);
    if (!condition || step->kind == SEARCH_REFUSAL)
        return;
    base_push(&family->conditions, condition);
    if (step->kind != SEARCH_VALUE)
        base_push(&family->choices, condition);
}

void search_family_read(struct search_family *family, struct search_walk *walk) {
    struct search_step step;
    *family =
        (struct search_family){.walk = walk, .recount = {.trail = {.facts = walk->sites->facts}}};
    while (search_walk_next(walk, &step)) {
        note_condition(family, &step);
        search_formulas_step(&family->formulas, walk, &step);
        search_recount_step(&family->recount, &step);
    }
    search_formulas_end(&family->formulas, walk);
}

void search_family_done(struct search_family *family) {
    base_vector_done(&family->conditions);
    base_vector_done(&family->choices);
    search_formulas_done(&family->formulas);
    search_recount_done(&family->recount);
}

/* ---- the measure ---- */

struct search_prices search_find_prices(const struct search_subject *subject,
                                        const struct search_program *program) {
    struct search_prices prices = subject->prices;
    struct search_counter counter;
    for (uint32_t i = 0; program->counter && i < ABI_MAX_COUNTERS; i++)
        if (program->counter(program->self, i, &counter))
            prices.of[ABI_COST_USER + i] = counter.price;
    return prices;
}

/* The power of ten that makes all prices integers; 0: none up to LARGEST_SCALE. */
static double find_scale(const struct search_prices *prices) {
    for (double scale = 1; scale <= LARGEST_SCALE; scale *= 10) {
        bool fits = true;
        for (int i = 0; i < ABI_COST_COUNT; i++)
            fits &= fabs(prices->of[i] * scale - nearbyint(prices->of[i] * scale)) < 1e-9;
        if (fits)
            return scale;
    }
    return 0;
}

uint32_t search_family_measure(struct search_family *family, const struct search_prices *prices,
                               double *scale) {
    struct expr_pool *pool = family->walk->trace.pool;
    bool is_open = false;
    uint32_t sum = expr_make_constant(pool, 64, 0);
    *scale = find_scale(prices);
    for (int i = 0; *scale > 0 && i < ABI_COST_COUNT; i++) {
        const struct search_formula *formula = &family->formulas.of[i];
        int64_t factor = (int64_t)nearbyint(prices->of[i] * *scale);
        if (!factor)
            continue;
        if (formula->is_unknown)
            return 0;
        is_open |= search_formula_is_open(formula);
        uint32_t product = expr_make(pool, ABI_OP_MUL, 64, 0, search_formula_expr(pool, formula),
                                     expr_make_constant(pool, 64, (uint64_t)factor), 0);
        sum = expr_make(pool, ABI_OP_ADD, 64, 0, product, sum, 0);
    }
    return is_open && !search_is_constant(pool, sum) ? sum : 0;
}

uint32_t search_family_within(struct search_family *family, uint64_t most) {
    struct expr_pool *pool = family->walk->trace.pool;
    uint32_t limit = expr_make_constant(pool, 64, most), all = 0;
    for (size_t i = 0; i < family->formulas.moments.count; i++) {
        const struct search_moment *moment = &family->formulas.moments.data[i];
        const struct search_formula sum = {.constant = moment->constant, .terms = moment->sizes};
        uint32_t fits =
            expr_make(pool, ABI_OP_ULE, 1, 0, search_formula_expr(pool, &sum), limit, 0);
        all = all ? expr_make(pool, ABI_OP_AND, 1, 0, all, fits, 0) : fits;
    }
    return all && !search_is_constant(pool, all) ? all : 0;
}

/* ---- extremes ---- */

/* An integer of the input and its range. */
struct variable {
    uint32_t offset, bytes;
    int64_t low, high;
};

struct hunt {
    const struct search_extreme *in;
    struct expr_pool *pool;
    uint32_t expr;
    bool greatest;
    int64_t best;
    uint8_t *trial; /* an input to try */
    BASE_VECTOR(struct variable) variables;
    unsigned questions, steps;
};

static bool is_better(const struct hunt *hunt, int64_t value) {
    return hunt->greatest ? value > hunt->best : value < hunt->best;
}

static bool meets_all(const struct hunt *hunt) {
    const struct search_ids *conditions = &hunt->in->family->conditions;
    expr_eval_begin(hunt->pool, hunt->trial, hunt->in->size);
    if (hunt->in->also && !expr_eval(hunt->pool, hunt->in->also))
        return false;
    for (size_t i = conditions->count; i-- > 0;) /* the last ones fail most often */
        if (!expr_eval(hunt->pool, conditions->data[i]))
            return false;
    return true;
}

/* Does the trial belong to the family? If so and it is better, it becomes the best. */
static bool take_trial(struct hunt *hunt) {
    if (!meets_all(hunt))
        return false;
    int64_t value = (int64_t)expr_eval(hunt->pool, hunt->expr);
    if (is_better(hunt, value)) {
        hunt->best = value;
        memcpy(hunt->in->input, hunt->trial, hunt->in->size);
    }
    return true;
}

static int64_t read_variable(const struct variable *variable, const uint8_t *input) {
    uint64_t value = 0;
    memcpy(&value, input + variable->offset, variable->bytes);
    unsigned unused = 64 - variable->bytes * 8;
    return variable->low < 0 ? (int64_t)(value << unused) >> unused : (int64_t)value;
}

bool search_is_signed(const struct search_layout *layout, uint32_t offset, unsigned bytes) {
    for (size_t i = 0; i < layout->fields.count; i++) {
        const struct target_field *field = &layout->fields.data[i];
        if (offset >= field->offset && offset - field->offset < field->count * field->element_size)
            return field->is_signed && field->element_size == bytes;
    }
    return false;
}

static struct variable find_variable(const struct search_layout *layout,
                                     const struct abi_node *node) {
    unsigned width = node->width;
    struct variable variable = {node->a, width / 8, 0, 0};
    bool is_signed = search_is_signed(layout, node->a, width / 8);
    uint64_t ones = width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
    variable.high = width == 64 ? INT64_MAX : (int64_t)(is_signed ? ones >> 1 : ones);
    variable.low = is_signed ? -variable.high - 1 : 0;
    for (size_t i = 0; i < layout->ranges.count; i++) {
        const struct solver_range *range = &layout->ranges.data[i];
        if (range->offset != variable.offset || range->width != width)
            continue;
        variable.low = range->low > variable.low ? range->low : variable.low;
        variable.high = range->high < variable.high ? range->high : variable.high;
    }
    return variable;
}

static bool try_value(struct hunt *hunt, const struct variable *variable, int64_t value) {
    memcpy(hunt->trial, hunt->in->input, hunt->in->size);
    memcpy(hunt->trial + variable->offset, &value, variable->bytes);
    return take_trial(hunt);
}

/* Moves it as far towards END as the conditions hold, assuming that they then hold in between. */
static void move_variable(struct hunt *hunt, const struct variable *variable, int64_t end) {
    int64_t good = read_variable(variable, hunt->in->input);
    int64_t first = good;
    if (try_value(hunt, variable, end))
        return;
    while ((end > good ? (uint64_t)end - (uint64_t)good : (uint64_t)good - (uint64_t)end) > 1) {
        int64_t middle = good + (end - good) / 2;
        if (try_value(hunt, variable, middle))
            good = middle;
        else
            end = middle;
    }
    if (good != first)
        try_value(hunt, variable, good);
}

/* Does the expression never decrease when an integer of the input grows? Only if the integer is
 * extended according to its sign and nothing wraps around: 64-bit operations on narrower integers
 * are assumed not to. */
static bool is_rising(const struct hunt *hunt, uint32_t id) {
    const struct abi_node *node = expr_node(hunt->pool, id);
    bool is_wide = node->width == 64;
    switch (node->op) {
    case ABI_OP_CONST:
        return true;
    case ABI_OP_ZEXT:
    case ABI_OP_SEXT: {
        const struct abi_node *from = expr_node(hunt->pool, node->a);
        return from->op == ABI_OP_INPUT &&
               search_is_signed(hunt->in->layout, from->a, from->width / 8) ==
                   (node->op == ABI_OP_SEXT);
    }
    case ABI_OP_ADD:
        return is_wide && is_rising(hunt, node->a) && is_rising(hunt, node->b);
    case ABI_OP_MUL:
    case ABI_OP_SHL:
        return is_wide && is_rising(hunt, node->a) && search_is_constant(hunt->pool, node->b) &&
               expr_constant(hunt->pool, node->b) <= INT32_MAX;
    default:
        return false;
    }
}

/* Can the integer go no further? It is at its end, or the next value violates `also`, a limit that
 * grows with it. */
static bool is_last(struct hunt *hunt, const struct variable *variable) {
    int64_t value = read_variable(variable, hunt->in->input);
    if (value == (hunt->greatest ? variable->high : variable->low))
        return true;
    if (!hunt->greatest || !hunt->in->also || !is_rising(hunt, hunt->expr))
        return false;
    value++;
    memcpy(hunt->trial, hunt->in->input, hunt->in->size);
    memcpy(hunt->trial + variable->offset, &value, variable->bytes);
    expr_eval_begin(hunt->pool, hunt->trial, hunt->in->size);
    return !expr_eval(hunt->pool, hunt->in->also);
}

/* False when the expression depends on something outside the input. */
static bool list_variables(struct hunt *hunt) {
    struct expr_variables variables = expr_variables(hunt->pool, hunt->expr);
    for (uint32_t i = 0; i < variables.count; i++) {
        const struct abi_node *node =
            expr_node(hunt->pool, expr_variable_node(hunt->pool, variables.numbers[i]));
        if (node->a + node->width / 8u <= hunt->in->size)
            base_push(&hunt->variables, find_variable(hunt->in->layout, node));
    }
    return hunt->variables.count == variables.count;
}

/* Moves all integers; true: the result is the extreme, without asking the solver. */
static bool move_all(struct hunt *hunt) {
    bool is_certain = list_variables(hunt) && is_rising(hunt, hunt->expr) &&
                      (hunt->variables.count == 1 || !hunt->in->also);
    for (size_t i = 0; i < hunt->variables.count; i++) {
        const struct variable *variable = &hunt->variables.data[i];
        move_variable(hunt, variable, variable->high);
        move_variable(hunt, variable, variable->low);
    }
    for (size_t i = 0; is_certain && i < hunt->variables.count; i++)
        is_certain = is_last(hunt, &hunt->variables.data[i]);
    return is_certain;
}

/* Tries steps of all powers of two in both directions. */
static void step_variable(struct hunt *hunt, const struct variable *variable) {
    for (unsigned bit = 0; bit < variable->bytes * 8 - 1 && hunt->steps < MOST_STEPS; bit++) {
        int64_t value = read_variable(variable, hunt->in->input), step = (int64_t)1 << bit;
        if (variable->high - step >= value)
            try_value(hunt, variable, value + step);
        if (variable->low + step <= value)
            try_value(hunt, variable, value - step);
        hunt->steps++;
    }
}

/* The solver has given up: steps without it as long as that improves the value. */
static void step_all(struct hunt *hunt) {
    int64_t before;
    do {
        before = hunt->best;
        for (size_t i = 0; i < hunt->variables.count; i++)
            step_variable(hunt, &hunt->variables.data[i]);
    } while (hunt->best != before && hunt->steps < MOST_STEPS);
}

/* Is there an input whose value is at least (at most) LIMIT? If so, it becomes the best. */
static enum solver_answer ask(struct hunt *hunt, int64_t limit) {
    uint32_t bound = expr_make_constant(hunt->pool, 64, (uint64_t)limit);
    uint32_t reaches = hunt->greatest
                           ? expr_make(hunt->pool, ABI_OP_SLE, 1, 0, bound, hunt->expr, 0)
                           : expr_make(hunt->pool, ABI_OP_SLE, 1, 0, hunt->expr, bound, 0);
    if (hunt->questions++ >= MOST_QUESTIONS)
        return SOLVER_UNKNOWN;
    if (search_is_constant(hunt->pool, reaches))
        return expr_constant(hunt->pool, reaches) ? SOLVER_SAT : SOLVER_UNSAT;
    enum solver_answer answer = solver_ask(hunt->in->solver, reaches, hunt->trial);
    if (answer == SOLVER_SAT && !take_trial(hunt))
        return SOLVER_UNKNOWN;
    return answer;
}

static int64_t beyond(const struct hunt *hunt, uint64_t step) {
    int64_t limit;
    if (hunt->greatest)
        return __builtin_add_overflow(hunt->best, (int64_t)step, &limit) ? INT64_MAX : limit;
    return __builtin_sub_overflow(hunt->best, (int64_t)step, &limit) ? INT64_MIN : limit;
}

/* Doubles the step as long as an input is found, then halves it. */
static bool ask_for_more(struct hunt *hunt) {
    uint64_t step = 1;
    enum solver_answer answer = SOLVER_SAT;
    for (; answer == SOLVER_SAT; step = step < (uint64_t)1 << 58 ? step * 16 : step)
        answer = ask(hunt, beyond(hunt, step));
    for (step /= 32; answer != SOLVER_UNKNOWN && step; step /= 2) /* twice the step is too far */
        answer = ask(hunt, beyond(hunt, step));
    return answer != SOLVER_UNKNOWN;
}

static void assert_all(const struct search_extreme *extreme) {
    const struct search_ids *conditions = &extreme->family->conditions;
    solver_begin(extreme->solver, extreme->family->walk->trace.pool, extreme->input, extreme->size);
    for (size_t i = 0; i < conditions->count; i++)
        solver_assert(extreme->solver, conditions->data[i]);
    if (extreme->also)
        solver_assert(extreme->solver, extreme->also);
}

bool search_family_holds(const struct search_extreme *extreme, uint32_t condition) {
    struct expr_pool *pool = extreme->family->walk->trace.pool;
    expr_eval_begin(pool, extreme->input, extreme->size);
    return expr_eval(pool, condition) != 0;
}

enum solver_answer search_family_ask(const struct search_extreme *extreme, uint32_t condition,
                                     uint8_t *model) {
    const struct expr_pool *pool = extreme->family->walk->trace.pool;
    if (search_is_constant(pool, condition))
        return expr_constant(pool, condition) ? SOLVER_SAT : SOLVER_UNSAT;
    assert_all(extreme);
    return solver_ask(extreme->solver, condition, model);
}

/* The solver keeps a pointer to its input, so it gets a copy that does not change. */
static bool ask_solver(struct hunt *hunt) {
    struct search_extreme from = *hunt->in;
    from.input = base_alloc(from.size + 1);
    memcpy(from.input, hunt->in->input, from.size);
    assert_all(&from);
    bool is_proven = ask_for_more(hunt);
    free(from.input);
    return is_proven;
}

bool search_find_extreme(const struct search_extreme *extreme, uint32_t expr, bool greatest,
                         int64_t *value) {
    struct hunt hunt = {.in = extreme,
                        .pool = extreme->family->walk->trace.pool,
                        .expr = expr,
                        .greatest = greatest,
                        .trial = base_alloc(extreme->size + 1)};
    expr_eval_begin(hunt.pool, extreme->input, extreme->size);
    hunt.best = (int64_t)expr_eval(hunt.pool, expr);
    bool is_proven = move_all(&hunt) || ask_solver(&hunt);
    if (!is_proven && !solver_is_over(extreme->solver))
        step_all(&hunt);
    *value = hunt.best;
    base_vector_done(&hunt.variables);
    free(hunt.trial);
    return is_proven;
}
