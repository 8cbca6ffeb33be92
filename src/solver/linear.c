/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a condition an order of integers? Comparisons of x + k and y + k are read as constraints on
 * the difference x - y of mathematical integers. A machine integer behaves like one only if nothing
 * wraps around and it is always read with the same signedness. So a sum is accepted only if the
 * asserted bounds of its variables keep it within its type, and a variable that is compared both
 * signed and unsigned only if its bounds keep it where both readings agree. Floating-point numbers
 * are read as their rank among all of them.
 */
#include "solver/order.h"

static wide least(unsigned width, bool is_signed) {
    return is_signed ? -((wide)1 << (width - 1)) : 0;
}

static wide greatest(unsigned width, bool is_signed) {
    return is_signed ? ((wide)1 << (width - 1)) - 1 : ((wide)1 << width) - 1;
}

static wide integer_of(unsigned width, bool is_signed, uint64_t bits) {
    wide value = bits;
    return is_signed && value > greatest(width, true) ? value - ((wide)1 << width) : value;
}

/* ---- variables ---- */

void order_read_value(struct solver *solver, struct order *order, uint32_t number) {
    struct order_variable *variable = &order->variables.data[number];
    uint64_t bits = solver_current(solver, number);
    variable->value = variable->mode == MODE_FLOAT
                          ? (wide)expr_float_key(variable->width, bits)
                          : integer_of(variable->width, variable->mode == MODE_SIGNED, bits);
}

static void set_mode(struct solver *solver, struct order *order, uint32_t number,
                     enum order_mode mode) {
    order->variables.data[number].mode = mode;
    order_read_value(solver, order, number);
}

void order_know_variables(struct solver *solver, struct order *order) {
    for (uint32_t i = (uint32_t)order->variables.count; i < expr_variable_count(solver->pool);
         i++) {
        struct order_variable variable = {.width = (uint8_t)solver_width(solver, i),
                                          .group = i,
                                          .members = 1,
                                          .ally = i,
                                          .left = NONE,
                                          .right = NONE,
                                          .gaps = NONE,
                                          .choices = NONE,
                                          .spans = (uint32_t)order->spans.count,
                                          .span_count = 1};
        variable.low = least(variable.width, true);
        variable.high = greatest(variable.width, true);
        base_push(&order->spans, (struct span){variable.low, variable.high});
        base_push(&order->variables, variable);
        set_mode(solver, order, i, MODE_SIGNED);
    }
}

/* Appends spans that start after the last of them. */
static void append_span(struct order *order, uint32_t first, wide low, wide high) {
    if (order->spans.count > first && order->spans.data[order->spans.count - 1].high + 1 == low)
        order->spans.data[order->spans.count - 1].high = high;
    else
        base_push(&order->spans, (struct span){low, high});
}

/* Converts a variable's values to the other signedness: the upper half of the bit patterns moves
 * from behind the lower half to before it, or back. */
static void turn(struct solver *solver, struct order *order, uint32_t number,
                 enum order_mode mode) {
    uint32_t start = (uint32_t)order->spans.count;
    struct order_variable *variable = &order->variables.data[number];
    order_touch(order, number);
    wide size = (wide)1 << variable->width;
    wide cut = mode == MODE_UNSIGNED ? 0 : size / 2; /* values from here on come first */
    for (int below = 0; below < 2; below++)
        for (uint32_t i = 0; i < variable->span_count; i++) {
            struct span span = order->spans.data[variable->spans + i];
            if (below && span.high >= cut)
                span.high = cut - 1;
            if (!below && span.low < cut)
                span.low = cut;
            wide shift = mode == MODE_UNSIGNED ? (below ? size : 0) : (below ? 0 : -size);
            if (span.low <= span.high)
                append_span(order, start, span.low + shift, span.high + shift);
        }
    variable->spans = start;
    variable->span_count = (uint32_t)order->spans.count - start;
    if (variable->span_count) {
        variable->low = order->spans.data[start].low;
        variable->high = order->spans.data[order->spans.count - 1].high;
    }
    set_mode(solver, order, number, mode);
}

/* Do both readings of the variable agree, or is this the one in use? */
static bool agrees(const struct order_variable *variable, bool is_signed) {
    if (variable->mode == MODE_FLOAT)
        return false;
    return (variable->mode != MODE_UNSIGNED) == is_signed ||
           (variable->low >= 0 && variable->high <= greatest(variable->width, true));
}

/* ---- groups: variables only known to be equal or different ---- */

/* Paths to the root stay short, as the larger group absorbs the smaller one. */
static uint32_t group_of(const struct order *order, uint32_t number) {
    const struct order_variable *data = order->variables.data;
    while (data[number].group != number)
        number = data[number].group;
    return number;
}

static void turn_group(struct solver *solver, struct order *order, uint32_t number,
                       enum order_mode mode) {
    uint32_t at = number;
    do {
        turn(solver, order, at, mode);
        at = order->variables.data[at].ally;
    } while (at != number);
}

static void join_groups(struct order *order, uint32_t x, uint32_t y) {
    struct order_variable *data = order->variables.data;
    x = group_of(order, x);
    y = group_of(order, y);
    if (x == y)
        return;
    order_touch(order, x);
    order_touch(order, y);
    if (data[x].members < data[y].members) {
        uint32_t larger = y;
        y = x;
        x = larger;
    }
    data[x].members += data[y].members;
    uint32_t ally = data[x].ally;
    data[x].ally = data[y].ally;
    data[y].ally = ally;
    data[y].group = x;
    data[x].bound |= data[y].bound;
}

static void bind_group(struct order *order, uint32_t number) {
    uint32_t root = group_of(order, number);
    if (order->variables.data[root].bound)
        return;
    order_touch(order, root);
    order->variables.data[root].bound = true;
}

void order_bind(struct order *order, const struct difference *difference) {
    const struct order_variable *data = order->variables.data;
    uint32_t x = difference->x, y = difference->y;
    if (difference->neutral && data[x].mode == data[y].mode)
        join_groups(order, x, y);
    else
        bind_group(order, x), bind_group(order, y);
}

/* Can the variable be read with this signedness? A group that nothing depends on can be converted,
 * except during a question. */
static bool want_mode(struct solver *solver, struct order *order, uint32_t number, bool is_signed) {
    const struct order_variable *variable = &order->variables.data[number];
    if (!agrees(variable, is_signed) && !order->frozen && variable->mode != MODE_FLOAT &&
        !order->variables.data[group_of(order, number)].bound)
        turn_group(solver, order, number, is_signed ? MODE_SIGNED : MODE_UNSIGNED);
    return agrees(variable, is_signed);
}

/* ---- sums ---- */

/* plus - minus + constant, and its bounds. */
struct term {
    uint32_t plus, minus;
    wide constant, low, high;
};

struct linear {
    struct solver *solver;
    struct order *order;
    unsigned depth;
    unsigned reads; /* signedness assumed for variables */
    struct {
        uint32_t variable;
        bool is_signed;
    } read[4];
};

static bool read_term(struct linear *to, uint32_t id, bool is_signed, struct term *term);

static bool read_input(struct linear *to, uint32_t id, bool is_signed, struct term *term) {
    uint32_t number = expr_variable_number(to->solver->pool, id);
    if (!want_mode(to->solver, to->order, number, is_signed))
        return false;
    if (to->reads == BASE_COUNT(to->read))
        return false;
    to->read[to->reads].variable = number;
    to->read[to->reads++].is_signed = is_signed;
    const struct order_variable *variable = &to->order->variables.data[number];
    *term = (struct term){number, NONE, 0, variable->low, variable->high};
    return true;
}

static bool read_sum(struct linear *to, const struct abi_node *node, bool is_signed,
                     struct term *term) {
    if (expr_node(to->solver->pool, node->b)->op != ABI_OP_CONST ||
        !read_term(to, node->a, is_signed, term))
        return false;
    wide amount = expr_constant(to->solver->pool, node->b);
    for (int turn = 0; turn < 2; turn++, amount -= (wide)1 << node->width) {
        if (term->low + amount < least(node->width, is_signed) ||
            term->high + amount > greatest(node->width, is_signed))
            continue;
        term->constant += amount;
        term->low += amount;
        term->high += amount;
        return true;
    }
    return false;
}

static bool read_minus(struct linear *to, const struct abi_node *node, bool is_signed,
                       struct term *term) {
    struct term other;
    if (!read_term(to, node->a, is_signed, term) || !read_term(to, node->b, is_signed, &other) ||
        term->minus != NONE || other.minus != NONE)
        return false;
    term->minus = other.plus;
    term->constant -= other.constant;
    term->low -= other.high;
    term->high -= other.low;
    return term->low >= least(node->width, is_signed) &&
           term->high <= greatest(node->width, is_signed);
}

static bool read_term(struct linear *to, uint32_t id, bool is_signed, struct term *term) {
    const struct abi_node *node = expr_node(to->solver->pool, id);
    if (to->depth++ > 32)
        return false;
    switch (node->op) {
    case ABI_OP_CONST: {
        wide value = integer_of(node->width, is_signed, expr_constant(to->solver->pool, id));
        *term = (struct term){NONE, NONE, value, value, value};
        return true;
    }
    case ABI_OP_INPUT:
        return read_input(to, id, is_signed, term);
    case ABI_OP_ZEXT:
        return read_term(to, node->a, false, term);
    case ABI_OP_SEXT: /* a negative value becomes another unsigned number */
        return read_term(to, node->a, true, term) && (is_signed || term->low >= 0);
    case ABI_OP_ADD:
        return read_sum(to, node, is_signed, term);
    case ABI_OP_SUB:
        return read_minus(to, node, is_signed, term);
    default:
        return false;
    }
}

/* Turns LEFT - RIGHT into x - y + constant. */
static bool subtract(struct term *left, const struct term *right) {
    uint32_t plus[2] = {left->plus, right->minus}, minus[2] = {left->minus, right->plus};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 2; k++)
            if (plus[i] != NONE && plus[i] == minus[k])
                plus[i] = minus[k] = NONE;
    if ((plus[0] != NONE && plus[1] != NONE) || (minus[0] != NONE && minus[1] != NONE))
        return false;
    left->plus = plus[0] != NONE ? plus[0] : plus[1];
    left->minus = minus[0] != NONE ? minus[0] : minus[1];
    left->constant -= right->constant;
    return left->plus != NONE && left->minus != NONE;
}

/* An equation may be read either way: use the mode of a variable that is fixed already. */
static bool equation_sign(struct linear *to, uint32_t condition) {
    struct expr_variables list = expr_variables(to->solver->pool, condition);
    const struct order_variable *variables = to->order->variables.data;
    for (uint32_t i = 0; i < list.count; i++)
        if (variables[group_of(to->order, list.numbers[i])].bound)
            return variables[list.numbers[i]].mode != MODE_UNSIGNED;
    return !list.count || variables[list.numbers[0]].mode != MODE_UNSIGNED;
}

static bool is_input(const struct linear *to, uint32_t id) {
    return expr_node(to->solver->pool, id)->op == ABI_OP_INPUT;
}

/* Reading one variable may have converted another: check that all still agree. */
static bool reads_agree(const struct linear *to) {
    for (unsigned i = 0; i < to->reads; i++)
        if (!agrees(&to->order->variables.data[to->read[i].variable], to->read[i].is_signed))
            return false;
    return true;
}

/* ---- floating-point numbers ---- */

#define FAR ((wide)1 << 70) /* larger than any difference */

static void append_set(struct order *order, const struct order_variable *variable,
                       const struct interval_set *set);

static bool holds(const struct interval_set *set, uint64_t bits) {
    for (unsigned i = 0; i < set->count; i++)
        if (set->at[i].low <= bits && bits <= set->at[i].high)
            return true;
    return false;
}

/* Both zeros have the same rank: a set with only one of them has no spans. */
static bool is_set_of_numbers(unsigned width, const struct interval_set *set) {
    return holds(set, 0) == holds(set, (uint64_t)1 << (width - 1));
}

/* The bit patterns that an integer variable may have; false: too many spans. */
static bool set_of_spans(const struct order *order, const struct order_variable *variable,
                         struct interval_set *set) {
    uint64_t top = (uint64_t)greatest(variable->width, false);
    set->count = 0;
    for (int negative = 0; negative < 2; negative++)
        for (uint32_t i = 0; i < variable->span_count; i++) {
            struct span span = order->spans.data[variable->spans + i];
            if (negative && span.high > -1)
                span.high = -1;
            if (!negative && span.low < 0)
                span.low = 0;
            if (span.low > span.high)
                continue;
            if (set->count == SET_LIMIT)
                return false;
            set->at[set->count++] =
                (struct interval){(uint64_t)span.low & top, (uint64_t)span.high & top};
        }
    return true;
}

/* Reads a variable as a floating-point number, if nothing depends on another reading. */
static bool want_float(struct solver *solver, struct order *order, uint32_t number) {
    struct order_variable *variable = &order->variables.data[number];
    struct interval_set set;
    if (variable->mode == MODE_FLOAT)
        return true;
    if (order->frozen || variable->bound || variable->group != number || variable->ally != number ||
        !set_of_spans(order, variable, &set) || !is_set_of_numbers(variable->width, &set))
        return false;
    uint32_t start = (uint32_t)order->spans.count;
    order_touch(order, number);
    set_mode(solver, order, number, MODE_FLOAT);
    append_set(order, variable, &set);
    variable->spans = start;
    variable->span_count = (uint32_t)order->spans.count - start;
    if (variable->span_count) {
        variable->low = order->spans.data[start].low;
        variable->high = order->spans.data[order->spans.count - 1].high;
    }
    return true;
}

/* A comparison that holds is between numbers; its negation also holds for NaN. */
static bool read_floats(struct linear *to, const struct abi_node *node, bool is_negated,
                        struct difference *difference) {
    if (!is_input(to, node->a) || !is_input(to, node->b) || node->a == node->b)
        return false;
    uint32_t a = expr_variable_number(to->solver->pool, node->a);
    uint32_t b = expr_variable_number(to->solver->pool, node->b);
    if (!want_float(to->solver, to->order, a) || !want_float(to->solver, to->order, b))
        return false;
    bool is_equal = node->op == ABI_OP_FEQ, strict = (node->op == ABI_OP_FLT) != is_negated;
    *difference = (struct difference){.x = is_negated && !is_equal ? b : a,
                                      .y = is_negated && !is_equal ? a : b,
                                      .low = is_equal ? 0 : -FAR,
                                      .high = is_equal ? 0 : -(wide)strict,
                                      .inside = !is_equal || !is_negated,
                                      .are_numbers = !is_negated,
                                      .or_nan = is_negated};
    return true;
}

/* Compares two plain variables: the most frequent case in programs that sort. */
static bool read_inputs(struct linear *to, const struct abi_node *node, bool is_signed,
                        struct difference *difference) {
    bool is_equal = node->op == ABI_OP_EQ;
    bool strict = node->op == ABI_OP_ULT || node->op == ABI_OP_SLT;
    difference->x = expr_variable_number(to->solver->pool, node->a);
    difference->y = expr_variable_number(to->solver->pool, node->b);
    difference->neutral = is_equal;
    difference->low = is_equal ? 0 : -FAR;
    difference->high = -(wide)strict;
    return want_mode(to->solver, to->order, difference->x, is_signed) &&
           want_mode(to->solver, to->order, difference->y, is_signed) &&
           agrees(&to->order->variables.data[difference->x], is_signed);
}

bool order_read_difference(struct solver *solver, struct order *order, uint32_t condition,
                           struct difference *difference) {
    struct linear to = {.solver = solver, .order = order};
    const struct abi_node *node = expr_node(solver->pool, condition);
    difference->inside = node->op != ABI_OP_NOT;
    if (node->op == ABI_OP_NOT)
        node = expr_node(solver->pool, node->a);
    if (abi_op_compares_floats(node->op)) {
        order_know_variables(solver, order);
        return read_floats(&to, node, !difference->inside, difference);
    }
    difference->are_numbers = difference->or_nan = false;
    bool is_equal = node->op == ABI_OP_EQ;
    if (!is_equal && (!difference->inside || node->op < ABI_OP_ULT || node->op > ABI_OP_SLE))
        return false;
    order_know_variables(solver, order);
    bool is_signed =
        is_equal ? equation_sign(&to, condition) : node->op == ABI_OP_SLT || node->op == ABI_OP_SLE;
    bool strict = node->op == ABI_OP_ULT || node->op == ABI_OP_SLT;
    if (is_input(&to, node->a) && is_input(&to, node->b) && node->a != node->b)
        return read_inputs(&to, node, is_signed, difference);
    struct term left, right;
    if (!read_term(&to, node->a, is_signed, &left) || !read_term(&to, node->b, is_signed, &right) ||
        !subtract(&left, &right) || !reads_agree(&to))
        return false;
    difference->neutral = false;
    difference->x = left.plus;
    difference->y = left.minus;
    difference->low = is_equal ? -left.constant : -FAR;
    difference->high = -left.constant - strict;
    return true;
}

/* ---- one variable ---- */

static void append_interval(struct order *order, uint32_t first, struct interval interval,
                            wide from, wide to, wide turn) {
    wide low = interval.low, high = interval.high;
    low = low < from ? from : low;
    high = high > to ? to : high;
    if (low <= high)
        append_span(order, first, low + turn, high + turn);
}

/* The negative numbers in reverse, then the others; they meet at zero. */
static void append_floats(struct order *order, uint32_t first, wide middle,
                          const struct interval_set *set) {
    for (unsigned i = set->count; i-- > 0;) {
        wide low = set->at[i].low, high = set->at[i].high;
        low = low > middle ? low : middle + 1;
        if (low <= high)
            append_span(order, first, middle + 1 - high, middle + 1 - low);
    }
    bool meets_zero =
        order->spans.count > first && order->spans.data[order->spans.count - 1].high == 0;
    for (unsigned i = 0; i < set->count; i++)
        append_interval(order, first, set->at[i], meets_zero ? 1 : 0, middle, 0);
}

/* Converts the set to spans in the order of the variable's mode. */
static void append_set(struct order *order, const struct order_variable *variable,
                       const struct interval_set *set) {
    uint32_t first = (uint32_t)order->spans.count;
    wide middle = greatest(variable->width, true), top = greatest(variable->width, false);
    if (variable->mode == MODE_FLOAT) {
        append_floats(order, first, middle, set);
        return;
    }
    if (variable->mode == MODE_UNSIGNED) {
        for (unsigned i = 0; i < set->count; i++)
            append_interval(order, first, set->at[i], 0, top, 0);
        return;
    }
    for (unsigned i = 0; i < set->count; i++)
        append_interval(order, first, set->at[i], middle + 1, top, -top - 1);
    for (unsigned i = 0; i < set->count; i++)
        append_interval(order, first, set->at[i], 0, middle, 0);
}

bool order_read_spans(struct solver *solver, struct order *order, uint32_t condition,
                      uint32_t *number, uint32_t *count) {
    struct interval_set set;
    if (!set_of_condition(solver->pool, condition, &set))
        return false;
    order_know_variables(solver, order);
    *number = expr_variables(solver->pool, condition).numbers[0];
    const struct order_variable *variable = &order->variables.data[*number];
    if (variable->mode == MODE_FLOAT && !is_set_of_numbers(variable->width, &set))
        return false;
    uint32_t fresh = (uint32_t)order->spans.count;
    append_set(order, variable, &set);
    uint32_t middle = (uint32_t)order->spans.count, i = variable->spans, j = fresh;
    uint32_t end = i + variable->span_count;
    while (i < end && j < middle) { /* intersect with the variable's values */
        struct span a = order->spans.data[i], b = order->spans.data[j];
        struct span both = {a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
        if (both.low <= both.high)
            base_push(&order->spans, both);
        a.high < b.high ? i++ : j++;
    }
    *count = (uint32_t)order->spans.count - middle;
    for (uint32_t k = 0; k < *count; k++) /* drop the set itself */
        order->spans.data[fresh + k] = order->spans.data[middle + k];
    order->spans.count = fresh + *count;
    return true;
}
