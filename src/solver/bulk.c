/* SPDX-License-Identifier: Apache-2.0
 *
 * Millions of orders at once: which integers satisfy all of them? Every constraint x - y <= w means
 * y >= x - w: an edge that pushes y up. Starting from the least values, pushing until nothing moves
 * gives the least solution. A variable pushed beyond its upper bound, or a cycle of pushes, proves
 * that there is none, and the pushes that led there are the unsatisfiable core. Edges are processed
 * in the reverse postorder of a depth-first search, so that an acyclic graph needs one pass (the
 * Bellman-Ford algorithm with Yen's ordering). The first attempt starts from zeros instead of least
 * values, which gives nicer models.
 */
#include "solver/order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct push {
    uint32_t x, y;
    int64_t weight;
};

struct bulk {
    struct solver *solver;
    struct order *order;
    const struct conjunct *conjuncts;
    size_t conjunct_count;
    uint32_t count; /* variables */
    BASE_VECTOR(struct push) edges;
    id_list origins; /* of each edge: its conjunct */
    BASE_VECTOR(struct difference) gaps;
    uint32_t *first, *sorted;   /* edges by x: sorted[first[x]] ... */
    uint32_t *sequence, *place; /* variables in processing order, and the inverse */
    uint32_t *parent;           /* of a variable: the last edge that pushed it, or NONE */
    wide *values;
};

/* ---- reading ---- */

static bool read_unary(struct bulk *bulk) {
    for (size_t i = 0; i < bulk->conjunct_count; i++) {
        uint32_t condition = bulk->conjuncts[i].condition, number, count;
        if (expr_variables(bulk->solver->pool, condition).count != 1)
            continue;
        uint32_t start = (uint32_t)bulk->order->spans.count;
        if (!order_read_spans(bulk->solver, bulk->order, condition, &number, &count))
            return false;
        order_use_spans(bulk->order, number, start, count);
    }
    return true;
}

static bool add_edge(struct bulk *bulk, uint32_t x, uint32_t y, wide weight, uint32_t conjunct) {
    wide limit = (wide)1 << 62;
    if (weight > limit * 16 || weight < -limit * 16) /* no constraint on this side */
        return true;
    if (weight >= limit || weight <= -limit)
        return false;
    base_push(&bulk->edges, (struct push){x, y, (int64_t)weight});
    base_push(&bulk->origins, conjunct);
    return true;
}

/* Reads comparisons of variables. The first use of a variable fixes its mode. */
static bool read_differences(struct bulk *bulk) {
    for (size_t i = 0; i < bulk->conjunct_count; i++) {
        uint32_t condition = bulk->conjuncts[i].condition;
        struct difference difference;
        if (expr_variables(bulk->solver->pool, condition).count == 1)
            continue;
        if (!order_read_difference(bulk->solver, bulk->order, condition, &difference) ||
            difference.are_numbers || difference.or_nan) /* a graph cannot express NaN */
            return false;
        uint32_t x = difference.x, y = difference.y;
        order_bind(bulk->order, &difference);
        if (!difference.inside)
            base_push(&bulk->gaps, difference);
        else if (!add_edge(bulk, x, y, difference.high, (uint32_t)i) ||
                 !add_edge(bulk, y, x, -difference.low, (uint32_t)i))
            return false;
    }
    return true;
}

/* ---- the graph ---- */

static void sort_edges(struct bulk *bulk) {
    size_t count = bulk->edges.count;
    bulk->first = base_alloc(((size_t)bulk->count + 1) * sizeof *bulk->first);
    bulk->sorted = base_alloc(count * sizeof *bulk->sorted);
    for (size_t i = 0; i < count; i++)
        bulk->first[bulk->edges.data[i].x + 1]++;
    for (uint32_t i = 0; i < bulk->count; i++)
        bulk->first[i + 1] += bulk->first[i];
    uint32_t *next = base_alloc(((size_t)bulk->count + 1) * sizeof *next);
    memcpy(next, bulk->first, bulk->count * sizeof *next);
    for (size_t i = 0; i < count; i++)
        bulk->sorted[next[bulk->edges.data[i].x]++] = (uint32_t)i;
    free(next);
}

/* Depth-first from each variable; the sequence is filled from its end. */
static void find_sequence(struct bulk *bulk) {
    uint32_t *next = base_alloc(bulk->count * sizeof *next); /* 0: not visited; else edge + 1 */
    uint32_t end = bulk->count;
    id_list stack = {0};
    bulk->sequence = base_alloc(bulk->count * sizeof *bulk->sequence);
    bulk->place = base_alloc(bulk->count * sizeof *bulk->place);
    for (uint32_t root = 0; root < bulk->count; root++) {
        if (next[root])
            continue;
        next[root] = bulk->first[root] + 1;
        base_push(&stack, root);
        while (stack.count) {
            uint32_t at = stack.data[stack.count - 1];
            if (next[at] - 1 == bulk->first[at + 1]) {
                bulk->sequence[--end] = at;
                bulk->place[at] = end;
                stack.count--;
                continue;
            }
            uint32_t to = bulk->edges.data[bulk->sorted[next[at]++ - 1]].y;
            if (!next[to]) {
                next[to] = bulk->first[to] + 1;
                base_push(&stack, to);
            }
        }
    }
    base_vector_done(&stack);
    free(next);
}

/* ---- pushing ---- */

enum push_result { PUSH_DONE, PUSH_TOO_HIGH, PUSH_CYCLE };

/* One pass. *AGAIN: a variable earlier in the sequence was pushed. */
static enum push_result pass(struct bulk *bulk, bool *again, uint32_t *culprit) {
    const struct order_variable *variables = bulk->order->variables.data;
    wide *values = bulk->values;
    for (uint32_t i = 0; i < bulk->count; i++) {
        uint32_t x = bulk->sequence[i];
        wide value = values[x];
        for (uint32_t k = bulk->first[x]; k < bulk->first[x + 1]; k++) {
            const struct push *edge = &bulk->edges.data[bulk->sorted[k]];
            if (values[edge->y] >= value - edge->weight)
                continue;
            values[edge->y] = value - edge->weight;
            bulk->parent[edge->y] = bulk->sorted[k];
            *again |= bulk->place[edge->y] <= i;
            if (values[edge->y] > variables[edge->y].high) {
                *culprit = edge->y;
                return PUSH_TOO_HIGH;
            }
        }
    }
    return PUSH_DONE;
}

/* A variable on a cycle of the last pushes, or NONE. */
static uint32_t find_cycle(const struct bulk *bulk) {
    uint32_t *seen = base_alloc(bulk->count * sizeof *seen), found = NONE;
    for (uint32_t root = 0; root < bulk->count && found == NONE; root++) {
        uint32_t at = root;
        while (!seen[at] && bulk->parent[at] != NONE) {
            seen[at] = root + 1;
            at = bulk->edges.data[bulk->parent[at]].x;
        }
        if (seen[at] == root + 1 && bulk->parent[at] != NONE)
            found = at;
        else if (!seen[at])
            seen[at] = root + 1;
    }
    free(seen);
    return found;
}

static wide start_value(const struct order_variable *variable, bool from_zero) {
    if (!from_zero || variable->low > 0)
        return variable->low;
    return variable->high < 0 ? variable->high : 0;
}

static enum push_result push_all(struct bulk *bulk, bool from_zero, uint32_t *culprit) {
    for (uint32_t i = 0; i < bulk->count; i++) {
        bulk->values[i] = start_value(&bulk->order->variables.data[i], from_zero);
        bulk->parent[i] = NONE;
    }
    for (bool again = true; again;) {
        again = false;
        enum push_result result = pass(bulk, &again, culprit);
        uint32_t cycle = again || result != PUSH_DONE ? find_cycle(bulk) : NONE;
        if (cycle != NONE) {
            *culprit = cycle;
            return PUSH_CYCLE;
        }
        if (result != PUSH_DONE)
            return result;
    }
    return PUSH_DONE;
}

/* ---- cores ---- */

static void add_origin(const struct bulk *bulk, uint32_t conjunct, bool *core) {
    if (bulk->conjuncts[conjunct].origin != NONE)
        core[bulk->conjuncts[conjunct].origin] = true;
}

/* Adds all conditions on a single variable in CHOSEN. */
static void add_bounds(const struct bulk *bulk, uint32_t one, uint32_t other, bool *core) {
    for (size_t i = 0; i < bulk->conjunct_count; i++) {
        struct expr_variables list =
            expr_variables(bulk->solver->pool, bulk->conjuncts[i].condition);
        if (list.count == 1 && (list.numbers[0] == one || list.numbers[0] == other))
            add_origin(bulk, (uint32_t)i, core);
    }
}

static void explain_cycle(const struct bulk *bulk, uint32_t start, bool *core) {
    uint32_t at = start;
    do {
        add_origin(bulk, bulk->origins.data[bulk->parent[at]], core);
        at = bulk->edges.data[bulk->parent[at]].x;
    } while (at != start);
}

/* Adds the pushes from a lower bound to a variable that is too high. */
static void explain_path(const struct bulk *bulk, uint32_t top, bool *core) {
    uint32_t at = top;
    assert(bulk->edges.data && bulk->origins.data);
    while (bulk->parent[at] != NONE) {
        add_origin(bulk, bulk->origins.data[bulk->parent[at]], core);
        at = bulk->edges.data[bulk->parent[at]].x;
    }
    add_bounds(bulk, top, at, core);
}

/* Reading a sum or a mode may rely on bounds: the conditions on the variables of the core belong to
 * it, too. */
static void add_assumptions(const struct bulk *bulk, bool *core) {
    bool *chosen = base_alloc(bulk->count);
    for (size_t i = 0; i < bulk->conjunct_count; i++) {
        uint32_t origin = bulk->conjuncts[i].origin;
        struct expr_variables list =
            expr_variables(bulk->solver->pool, bulk->conjuncts[i].condition);
        for (uint32_t k = 0; origin != NONE && core[origin] && k < list.count; k++)
            chosen[list.numbers[k]] = true;
    }
    for (size_t i = 0; i < bulk->conjunct_count; i++) {
        struct expr_variables list =
            expr_variables(bulk->solver->pool, bulk->conjuncts[i].condition);
        if (list.count == 1 && chosen[list.numbers[0]])
            add_origin(bulk, (uint32_t)i, core);
    }
    free(chosen);
}

/* ---- holes and gaps ---- */

static bool in_hole_or_gap(const struct bulk *bulk) {
    for (uint32_t i = 0; i < bulk->count; i++)
        if (!span_has(bulk->order, &bulk->order->variables.data[i], bulk->values[i]))
            return true;
    for (size_t i = 0; i < bulk->gaps.count; i++) {
        const struct difference *gap = &bulk->gaps.data[i];
        wide distance = bulk->values[gap->x] - bulk->values[gap->y];
        if (distance >= gap->low && distance <= gap->high)
            return true;
    }
    return false;
}

/* Passes the solution to the order stage, which can move out of holes step by step. A "no" of its
 * search has no known core. */
static enum solver_answer settle(struct bulk *bulk) {
    for (uint32_t i = 0; i < bulk->count; i++)
        bulk->order->variables.data[i].value = bulk->values[i];
    for (size_t i = 0; i < bulk->edges.count; i++) {
        const struct push *edge = &bulk->edges.data[i];
        struct difference difference = {.x = edge->x,
                                        .y = edge->y,
                                        .low = -((wide)1 << 70),
                                        .high = edge->weight,
                                        .inside = true};
        order_assert_difference(bulk->order, &difference);
    }
    for (size_t i = 0; i < bulk->gaps.count; i++)
        order_assert_difference(bulk->order, &bulk->gaps.data[i]);
    enum solver_answer answer = order_settle_all(bulk->order);
    for (uint32_t i = 0; i < bulk->count; i++)
        bulk->values[i] = bulk->order->variables.data[i].value;
    return answer == SOLVER_SAT ? SOLVER_SAT : SOLVER_UNKNOWN;
}

/* ---- all together ---- */

static uint32_t empty_variable(const struct bulk *bulk) {
    for (uint32_t i = 0; i < bulk->count; i++)
        if (!bulk->order->variables.data[i].span_count)
            return i;
    return NONE;
}

static enum solver_answer decide(struct bulk *bulk, bool *core) {
    uint32_t culprit = empty_variable(bulk);
    if (culprit != NONE) {
        if (core)
            add_bounds(bulk, culprit, culprit, core);
        return SOLVER_UNSAT;
    }
    enum push_result result = push_all(bulk, true, &culprit);
    if (result == PUSH_TOO_HIGH)
        result = push_all(bulk, false, &culprit);
    if (result == PUSH_DONE)
        return in_hole_or_gap(bulk) ? settle(bulk) : SOLVER_SAT;
    if (core && result == PUSH_CYCLE)
        explain_cycle(bulk, culprit, core);
    else if (core)
        explain_path(bulk, culprit, core);
    if (core)
        add_assumptions(bulk, core);
    return SOLVER_UNSAT;
}

static void report_values(struct bulk *bulk, struct question *question) {
    for (uint32_t i = 0; i < bulk->count; i++) {
        uint64_t bits = order_bits(&bulk->order->variables.data[i], bulk->values[i]);
        if (bits != solver_current(bulk->solver, i))
            base_push(&question->changes, (struct change){i, bits});
    }
}

static void done(struct bulk *bulk) {
    base_vector_done(&bulk->edges);
    base_vector_done(&bulk->origins);
    base_vector_done(&bulk->gaps);
    free(bulk->first);
    free(bulk->sorted);
    free(bulk->sequence);
    free(bulk->place);
    free(bulk->parent);
    free(bulk->values);
}

void bulk_begin(struct solver *solver) {
    order_stage.begin(solver);
    order_know_variables(solver, order_state(solver));
}

bool bulk_understands(struct solver *solver, const struct conjunct *conjuncts, size_t count) {
    struct bulk bulk = {.solver = solver,
                        .order = order_state(solver),
                        .conjuncts = conjuncts,
                        .conjunct_count = count};
    bool good = read_unary(&bulk) && read_differences(&bulk);
    done(&bulk);
    return good;
}

enum solver_answer bulk_solve(struct solver *solver, const struct conjunct *conjuncts, size_t count,
                              struct question *question, bool *core) {
    struct bulk bulk = {.solver = solver,
                        .order = order_state(solver),
                        .conjuncts = conjuncts,
                        .conjunct_count = count};
    bulk_begin(solver);
    bulk.count = (uint32_t)bulk.order->variables.count;
    enum solver_answer answer = SOLVER_UNKNOWN;
    if (read_unary(&bulk) && read_differences(&bulk)) {
        bulk.values = base_alloc(bulk.count * sizeof *bulk.values);
        bulk.parent = base_alloc(bulk.count * sizeof *bulk.parent);
        sort_edges(&bulk);
        find_sequence(&bulk);
        answer = decide(&bulk, core);
    }
    if (answer == SOLVER_SAT)
        report_values(&bulk, question);
    done(&bulk);
    return answer;
}
