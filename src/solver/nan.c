/* SPDX-License-Identifier: Apache-2.0
 *
 * What about NaN among numbers that are ordered? A comparison that holds says that both sides are
 * numbers, and orders them. One that does not hold says the opposite order, or that a side is NaN:
 * a choice. Between two variables known to be numbers no choice is left, and the difference is an
 * ordinary edge. If one of them is not known to be a number, no comparison that holds mentions it,
 * so NaN satisfies all of its choices. So the graph alone decides the numbers. A variable that may
 * be NaN is moved along with them if possible, and otherwise becomes NaN.
 */
#include "solver/order.h"

static bool is_number(const struct order *order, uint32_t number) {
    const struct order_variable *variable = &order->variables.data[number];
    wide infinity = expr_float_infinity(variable->width);
    return variable->low >= -infinity && variable->high <= infinity;
}

static bool both_numbers(const struct order *order, const struct difference *difference) {
    return is_number(order, difference->x) && is_number(order, difference->y);
}

/* ---- lists ---- */

static void add_choice(struct order *order, const struct difference *difference) {
    uint32_t choice = (uint32_t)order->choices.count;
    order_touch(order, difference->x);
    order_touch(order, difference->y);
    struct order_variable *x = &order->variables.data[difference->x];
    struct order_variable *y = &order->variables.data[difference->y];
    base_push(&order->choices, (struct order_choice){*difference, x->choices, y->choices});
    x->choices = y->choices = choice;
}

void order_drop_last_choice(struct order *order) {
    const struct order_choice *choice = &order->choices.data[--order->choices.count];
    order->variables.data[choice->difference.x].choices = choice->next_x;
    order->variables.data[choice->difference.y].choices = choice->next_y;
}

static uint32_t next_choice(const struct order *order, uint32_t number, uint32_t at) {
    const struct order_choice *choice = &order->choices.data[at];
    return choice->difference.x == number ? choice->next_x : choice->next_y;
}

/* ---- assertions ---- */

/* Restricts a variable to numbers; false if no value is left. */
static bool narrow(struct order *order, uint32_t number) {
    struct order_variable *variable = &order->variables.data[number];
    wide infinity = expr_float_infinity(variable->width);
    uint32_t start = (uint32_t)order->spans.count;
    for (uint32_t i = 0; i < variable->span_count; i++) {
        struct span span = order->spans.data[variable->spans + i];
        span.low = span.low < -infinity ? -infinity : span.low;
        span.high = span.high > infinity ? infinity : span.high;
        if (span.low <= span.high)
            base_push(&order->spans, span);
    }
    order_use_spans(order, number, start, (uint32_t)order->spans.count - start);
    return order->spans.count > start;
}

void order_promote(struct order *order, uint32_t number) {
    if (order->variables.data[number].mode != MODE_FLOAT || !is_number(order, number))
        return;
    for (uint32_t at = order->variables.data[number].choices; at != NONE;
         at = next_choice(order, number, at)) {
        struct difference difference = order->choices.data[at].difference;
        if (both_numbers(order, &difference))
            order_assert_difference(order, &difference);
    }
}

static void assert_number(struct order *order, uint32_t number) {
    if (is_number(order, number))
        return;
    narrow(order, number);
    order_promote(order, number);
}

void order_assert_numbers(struct order *order, const struct difference *difference) {
    order_assert_difference(order, difference);
    assert_number(order, difference->x);
    assert_number(order, difference->y);
}

void order_assert_choice(struct order *order, const struct difference *difference) {
    order_bind(order, difference);
    if (both_numbers(order, difference))
        order_assert_difference(order, difference);
    else
        add_choice(order, difference);
}

/* ---- questions ---- */

static enum solver_answer require_number(struct order *order, uint32_t number) {
    const struct order_variable *variable = &order->variables.data[number];
    enum solver_answer answer = SOLVER_SAT;
    if (is_number(order, number))
        return answer;
    order_save(order, number);
    if (!narrow(order, number) ||
        !order_require_bounds(order, number, variable->low, variable->high))
        return SOLVER_UNSAT;
    for (uint32_t at = variable->choices; at != NONE && answer == SOLVER_SAT;
         at = next_choice(order, number, at)) {
        struct difference difference = order->choices.data[at].difference;
        if (both_numbers(order, &difference))
            answer = order_require(order, &difference);
    }
    return answer;
}

enum solver_answer order_require_numbers(struct order *order, const struct difference *difference) {
    enum solver_answer answer = require_number(order, difference->x);
    if (answer == SOLVER_SAT)
        answer = require_number(order, difference->y);
    return answer == SOLVER_SAT ? order_require(order, difference) : answer;
}

enum solver_answer order_require_choice(struct order *order, const struct difference *difference) {
    if (both_numbers(order, difference))
        return order_require(order, difference);
    add_choice(order, difference);
    order_save(order, difference->x); /* to have it checked */
    return SOLVER_SAT;
}

/* ---- making choices ---- */

static bool is_nan(const struct order_variable *variable) {
    wide infinity = expr_float_infinity(variable->width);
    return variable->value < -infinity || variable->value > infinity;
}

static bool is_violated(const struct order *order, const struct difference *difference) {
    const struct order_variable *x = &order->variables.data[difference->x];
    const struct order_variable *y = &order->variables.data[difference->y];
    wide distance = x->value - y->value;
    bool is_inside = distance >= difference->low && distance <= difference->high;
    return !is_nan(x) && !is_nan(y) && is_inside != difference->inside;
}

/* The first violated choice of a variable moved since FIRST on the trail. */
static uint32_t violated_choice(const struct order *order, size_t first) {
    for (size_t i = first; i < order->trail.count; i++) {
        uint32_t number = order->trail.data[i].variable;
        uint32_t at = order->variables.data[number].choices;
        while (at != NONE && !is_violated(order, &order->choices.data[at].difference))
            at = next_choice(order, number, at);
        if (at != NONE)
            return at;
    }
    return NONE;
}

/* Sets the quiet NaN, if the variable may have it. */
static bool make_nan(struct order *order, uint32_t number) {
    struct order_variable *variable = &order->variables.data[number];
    wide nan = (wide)expr_float_bits(variable->width, __builtin_nan(""));
    if (is_number(order, number) || nan > variable->high || !span_has(order, variable, nan))
        return false;
    order_save(order, number);
    variable->value = nan;
    return true;
}

static bool move_along(struct order *order, const struct difference *difference, size_t first) {
    return order_require(order, difference) == SOLVER_SAT &&
           order_settle(order, first) == SOLVER_SAT;
}

/* Satisfies choices violated by variables moved since FIRST, by moving others or by NaN. */
static enum solver_answer choose(struct order *order, size_t first, bool by_nan) {
    for (uint32_t at; (at = violated_choice(order, first)) != NONE; order->splits--) {
        struct difference difference = order->choices.data[at].difference;
        bool good = by_nan ? make_nan(order, difference.x) || make_nan(order, difference.y)
                           : move_along(order, &difference, first);
        if (!good || !order->splits)
            return SOLVER_UNKNOWN;
    }
    return SOLVER_SAT;
}

enum solver_answer order_settle_choices(struct order *order, size_t first) {
    struct order_mark mark = order_mark_now(order);
    if (!order->choices.count || choose(order, first, false) == SOLVER_SAT)
        return SOLVER_SAT;
    order_back_to(order, mark);
    return choose(order, first, true);
}
