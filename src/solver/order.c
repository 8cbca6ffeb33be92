/* SPDX-License-Identifier: Apache-2.0
 *
 * Can integers be ordered like this? Differences x - y <= c are edges of a graph; the current input
 * satisfies all asserted ones. A question adds an edge that this solution violates and repairs it:
 * y is raised, or x lowered, and variables violated by that are moved in turn, by the greatest
 * amount first, so that each moves only once. A repair that returns to the other end of the new
 * edge has found a cycle that no assignment satisfies. This is the incremental algorithm of Cotton
 * and Maler, "Fast and Flexible Difference Constraint Propagation for DPLL(T)". Bounds of variables
 * are kept separately, not as edges to a node for zero, so that a repair stays local: if a bound
 * stops the movement of one side, the other side moves the rest, which is exact.
 *
 * Holes in the values of a variable and forbidden differences are split into two cases when the
 * repaired solution violates them; the number of splits is bounded, and beyond it the stage gives
 * up. All changes by a question are on a trail and undone after it.
 */
#include "solver/order.h"

#include <stdlib.h>
#include <string.h>

#define SPLITS 300
#define FIRST_PAIRS 256u

struct order *order_state(struct solver *solver) {
    return solver->states[SOLVER_STAGE_ORDER];
}

static void *create(struct solver *solver) {
    (void)solver;
    struct order *order = base_alloc(sizeof *order);
    order->pairs = base_alloc(FIRST_PAIRS * sizeof *order->pairs);
    order->pair_mask = FIRST_PAIRS - 1;
    return order;
}

static void destroy(void *state) {
    struct order *order = state;
    base_vector_done(&order->variables);
    base_vector_done(&order->spans);
    base_vector_done(&order->edges);
    base_vector_done(&order->gaps);
    base_vector_done(&order->choices);
    base_vector_done(&order->trail);
    base_vector_done(&order->changes);
    base_vector_done(&order->heads_changes);
    base_vector_done(&order->edge_changes);
    base_vector_done(&order->added);
    base_vector_done(&order->heap);
    free(order->pairs);
    free(order);
}

static void begin(struct solver *solver) {
    struct order *order = order_state(solver);
    order->variables.count = 0;
    order->spans.count = 0;
    order->edges.count = 0;
    order->gaps.count = 0;
    order->choices.count = 0;
    order->trail.count = 0;
    order->changes.count = order->heads_changes.count = 0;
    order->edge_changes.count = order->added.count = 0;
    order->repair = 0;
    if (!++order->stamp) {
        memset(order->pairs, 0, (order->pair_mask + 1) * sizeof *order->pairs);
        order->stamp = 1;
    }
}

void order_use_spans(struct order *order, uint32_t number, uint32_t start, uint32_t count) {
    struct order_variable *variable = &order->variables.data[number];
    order_touch(order, number);
    variable->spans = start;
    variable->span_count = count;
    if (!count)
        return;
    wide low = order->spans.data[start].low, high = order->spans.data[start + count - 1].high;
    variable->low = low > variable->low ? low : variable->low;
    variable->high = high < variable->high ? high : variable->high;
}

static bool take_in(struct solver *solver, uint32_t condition) {
    struct order *order = order_state(solver);
    struct difference difference;
    uint32_t variable, count, start = (uint32_t)order->spans.count;
    if (expr_variables(solver->pool, condition).count == 1) {
        order_know_variables(solver, order);
        start = (uint32_t)order->spans.count;
        if (!order_read_spans(solver, order, condition, &variable, &count))
            return false;
        order_use_spans(order, variable, start, count);
        order_promote(order, variable);
        return true;
    }
    if (!order_read_difference(solver, order, condition, &difference))
        return false;
    if (difference.are_numbers)
        order_assert_numbers(order, &difference);
    else if (difference.or_nan)
        order_assert_choice(order, &difference);
    else
        order_assert_difference(order, &difference);
    return true;
}

static bool add(struct solver *solver, uint32_t condition) {
    struct order *order = order_state(solver);
    base_push(&order->added, order_begin_noting(order));
    bool is_known = take_in(solver, condition);
    order_end_noting(order);
    return is_known;
}

/* ---- the trail ---- */

void order_save(struct order *order, uint32_t number) {
    const struct order_variable *variable = &order->variables.data[number];
    base_push(&order->trail, (struct order_undo){number, variable->spans, variable->span_count,
                                                 variable->value, variable->low, variable->high});
}

static void undo_to(struct order *order, size_t mark) {
    while (order->trail.count > mark) {
        const struct order_undo *undo = &order->trail.data[--order->trail.count];
        struct order_variable *variable = &order->variables.data[undo->variable];
        variable->spans = undo->spans;
        variable->span_count = undo->span_count;
        variable->value = undo->value;
        variable->low = undo->low;
        variable->high = undo->high;
    }
}

struct order_mark order_mark_now(const struct order *order) {
    return (struct order_mark){order->trail.count, order->edges.count, order->gaps.count,
                               order->choices.count, order->spans.count};
}

void order_back_to(struct order *order, struct order_mark mark) {
    undo_to(order, mark.trail);
    while (order->edges.count > mark.edges)
        order_drop_last_edge(order);
    while (order->gaps.count > mark.gaps)
        order_drop_last_gap(order);
    while (order->choices.count > mark.choices)
        order_drop_last_choice(order);
    order->spans.count = mark.spans;
}

/* ---- repair ---- */

static void heap_push(struct order *order, struct heap_entry entry) {
    base_push(&order->heap, entry);
    struct heap_entry *heap = order->heap.data;
    size_t at = order->heap.count - 1;
    for (; at > 0 && heap[(at - 1) / 2].amount < entry.amount; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = entry;
}

static struct heap_entry heap_pop(struct order *order) {
    struct heap_entry *heap = order->heap.data, top = heap[0];
    struct heap_entry last = heap[--order->heap.count];
    size_t at = 0, count = order->heap.count;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child + 1].amount > heap[child].amount)
            child++;
        if (heap[child].amount <= last.amount)
            break;
        heap[at] = heap[child];
        at = child;
    }
    if (count)
        heap[at] = last;
    return top;
}

static void want_move(struct order *order, uint32_t number, wide amount) {
    struct order_variable *variable = &order->variables.data[number];
    if (amount <= 0 || variable->moved == order->repair || variable->pending >= amount)
        return;
    variable->pending = amount;
    heap_push(order, (struct heap_entry){amount, number});
}

/* Moves the neighbours of a variable that has moved up (or down). With s = 1 for up and -1 for
 * down: s * other >= s * variable - weight. */
static void move_neighbours(struct order *order, uint32_t number, bool up) {
    wide value = order->variables.data[number].value;
    uint32_t at = up ? order->variables.data[number].left : order->variables.data[number].right;
    while (at != NONE) {
        const struct order_edge *edge = &order->edges.data[at];
        uint32_t other = up ? edge->y : edge->x;
        wide distance = value - order->variables.data[other].value;
        want_move(order, other, (up ? distance : -distance) - edge->weight);
        at = up ? edge->next_left : edge->next_right;
    }
}

static void clear_pending(struct order *order) {
    for (size_t i = 0; i < order->heap.count; i++)
        order->variables.data[order->heap.data[i].variable].pending = 0;
    order->heap.count = 0;
}

/* Moves a variable up or down by AMOUNT, and all others that have to follow. False: STOP would have
 * to move, too. OVERSHOOT: how far the worst one exceeded its bounds. */
static bool move(struct order *order, uint32_t number, wide amount, bool up, uint32_t stop,
                 wide *overshoot) {
    order->repair++;
    *overshoot = 0;
    want_move(order, number, amount);
    while (order->heap.count) {
        struct heap_entry entry = heap_pop(order);
        struct order_variable *variable = &order->variables.data[entry.variable];
        if (variable->moved == order->repair || entry.amount != variable->pending)
            continue;
        if (entry.variable == stop) {
            variable->pending = 0;
            clear_pending(order);
            return false;
        }
        order_save(order, entry.variable);
        variable->moved = order->repair;
        variable->pending = 0;
        variable->value += up ? entry.amount : -entry.amount;
        wide over = up ? variable->value - variable->high : variable->low - variable->value;
        if (over > *overshoot)
            *overshoot = over;
        move_neighbours(order, entry.variable, up);
    }
    return true;
}

/* Adds x - y <= weight and repairs it; false if that is impossible. */
static bool require_edge(struct order *order, uint32_t x, uint32_t y, wide weight) {
    wide excess = order->variables.data[x].value - order->variables.data[y].value - weight, over;
    size_t mark = order->trail.count;
    if (excess > 0) {
        if (!move(order, y, excess, true, x, &over))
            return false;
        if (over > 0) { /* y reached its bound: x moves the rest */
            wide rest = over;
            undo_to(order, mark);
            if (rest > excess || !move(order, y, excess - rest, true, x, &over) || over > 0)
                return false;
            if (!move(order, x, rest, false, y, &over) || over > 0)
                return false;
        }
    }
    order_add_edge(order, x, y, weight);
    return true;
}

/* Tightens the bounds of a variable and moves it into them; false if that is impossible. */
bool order_require_bounds(struct order *order, uint32_t number, wide low, wide high) {
    struct order_variable *variable = &order->variables.data[number];
    wide over = 0;
    order_save(order, number);
    variable->low = low > variable->low ? low : variable->low;
    variable->high = high < variable->high ? high : variable->high;
    if (variable->low > variable->high)
        return false;
    if (variable->value < variable->low)
        return move(order, number, variable->low - variable->value, true, NONE, &over) && over <= 0;
    if (variable->value > variable->high)
        return move(order, number, variable->value - variable->high, false, NONE, &over) &&
               over <= 0;
    return true;
}

/* ---- holes and gaps ---- */

/* The nearest spans below and above a value outside of all spans. */
static void around(const struct order *order, const struct order_variable *variable, wide *below,
                   wide *above, bool *has_below, bool *has_above) {
    const struct span *spans = order->spans.data + variable->spans;
    uint32_t i = 0;
    while (i < variable->span_count && spans[i].high < variable->value)
        i++;
    *has_below = i > 0;
    *has_above = i < variable->span_count;
    *below = i > 0 ? spans[i - 1].high : 0;
    *above = i < variable->span_count ? spans[i].low : 0;
}

static bool gap_violated(const struct order *order, const struct order_gap *gap) {
    wide distance = order->variables.data[gap->x].value - order->variables.data[gap->y].value;
    return distance >= gap->low && distance <= gap->high;
}

static uint32_t violated_gap(const struct order *order, uint32_t number) {
    uint32_t at = order->variables.data[number].gaps;
    while (at != NONE && !gap_violated(order, &order->gaps.data[at]))
        at = order->gaps.data[at].x == number ? order->gaps.data[at].next_x
                                              : order->gaps.data[at].next_y;
    return at;
}

/* One side of a split; SAT keeps its solution. */
static enum solver_answer try_bounds(struct order *order, uint32_t number, wide low, wide high,
                                     size_t first) {
    struct order_mark mark = order_mark_now(order);
    enum solver_answer answer = SOLVER_UNSAT;
    if (order_require_bounds(order, number, low, high))
        answer = order_settle(order, first);
    if (answer != SOLVER_SAT)
        order_back_to(order, mark);
    return answer;
}

static enum solver_answer try_edge(struct order *order, uint32_t x, uint32_t y, wide weight,
                                   size_t first) {
    struct order_mark mark = order_mark_now(order);
    enum solver_answer answer = SOLVER_UNSAT;
    if (require_edge(order, x, y, weight))
        answer = order_settle(order, first);
    if (answer != SOLVER_SAT)
        order_back_to(order, mark);
    return answer;
}

/* Combines the answers of a split: no only if both are no. */
static enum solver_answer both(enum solver_answer one, enum solver_answer other) {
    if (one == SOLVER_SAT || other == SOLVER_SAT)
        return SOLVER_SAT;
    return one == SOLVER_UNSAT ? other : SOLVER_UNKNOWN;
}

static enum solver_answer split_hole(struct order *order, uint32_t number, size_t first) {
    const struct order_variable *variable = &order->variables.data[number];
    wide below, above, low = variable->low, high = variable->high, value = variable->value;
    bool has_below, has_above;
    around(order, variable, &below, &above, &has_below, &has_above);
    bool up_first = has_above && (!has_below || above - value <= value - below);
    enum solver_answer answer = SOLVER_UNSAT;
    for (int turn = 0; turn < 2 && answer != SOLVER_SAT; turn++) {
        bool up = (turn == 0) == up_first;
        if (up && has_above)
            answer = both(answer, try_bounds(order, number, above, high, first));
        else if (!up && has_below)
            answer = both(answer, try_bounds(order, number, low, below, first));
    }
    return answer;
}

static enum solver_answer split_gap(struct order *order, uint32_t index, size_t first) {
    struct order_gap gap = order->gaps.data[index];
    enum solver_answer answer = try_edge(order, gap.x, gap.y, gap.low - 1, first);
    if (answer == SOLVER_SAT)
        return answer;
    return both(answer, try_edge(order, gap.y, gap.x, -(gap.high + 1), first));
}

/* Are the variables moved since FIRST outside of holes and gaps? If not, splits. */
enum solver_answer order_settle(struct order *order, size_t first) {
    for (size_t i = first; i < order->trail.count; i++) {
        uint32_t number = order->trail.data[i].variable;
        const struct order_variable *variable = &order->variables.data[number];
        bool in_hole = variable->span_count > 1 && !span_has(order, variable, variable->value);
        uint32_t gap = in_hole ? NONE : violated_gap(order, number);
        if (!in_hole && gap == NONE)
            continue;
        if (!order->splits)
            return SOLVER_UNKNOWN;
        order->splits--;
        return in_hole ? split_hole(order, number, first) : split_gap(order, gap, first);
    }
    return SOLVER_SAT;
}

enum solver_answer order_settle_all(struct order *order) {
    order->trail.count = 0;
    order->splits = SPLITS;
    for (uint32_t i = 0; i < order->variables.count; i++)
        order_save(order, i);
    return order_settle(order, 0);
}

/* ---- questions ---- */

enum solver_answer order_require(struct order *order, const struct difference *difference) {
    uint32_t x = difference->x, y = difference->y;
    if (!difference->inside) {
        order_add_gap(order, difference);
        order_save(order, x);
        return SOLVER_SAT;
    }
    if (!order_is_far(difference->high) && !require_edge(order, x, y, difference->high))
        return SOLVER_UNSAT;
    if (!order_is_far(difference->low) && !require_edge(order, y, x, -difference->low))
        return SOLVER_UNSAT;
    return SOLVER_SAT;
}

static enum solver_answer require_spans(struct solver *solver, struct order *order,
                                        uint32_t condition) {
    uint32_t number, count, start = (uint32_t)order->spans.count;
    if (!order_read_spans(solver, order, condition, &number, &count))
        return SOLVER_UNKNOWN;
    if (!count)
        return SOLVER_UNSAT;
    order_save(order, number);
    order_use_spans(order, number, start, count);
    const struct order_variable *variable = &order->variables.data[number];
    return order_require_bounds(order, number, variable->low, variable->high) ? SOLVER_SAT
                                                                              : SOLVER_UNSAT;
}

/* Adds one condition of a question; READ: its difference, or NULL. SAT: satisfied so far. */
static enum solver_answer require(struct solver *solver, struct order *order, uint32_t condition,
                                  const struct difference *read) {
    struct difference difference;
    if (expr_variables(solver->pool, condition).count == 1)
        return require_spans(solver, order, condition);
    if (read)
        difference = *read;
    else if (!order_read_difference(solver, order, condition, &difference))
        return SOLVER_UNKNOWN;
    if (difference.are_numbers)
        return order_require_numbers(order, &difference);
    return difference.or_nan ? order_require_choice(order, &difference)
                             : order_require(order, &difference);
}

/* Collects the variables that differ from the current input. */
static void collect_changes(struct solver *solver, struct order *order, size_t first,
                            struct question *question) {
    order->repair++;
    for (size_t i = first; i < order->trail.count; i++) {
        uint32_t number = order->trail.data[i].variable;
        struct order_variable *variable = &order->variables.data[number];
        uint64_t bits = order_bits(variable, variable->value);
        if (variable->moved == order->repair || bits == solver_current(solver, number))
            continue;
        variable->moved = order->repair;
        base_push(&question->changes, (struct change){number, bits});
    }
}

/* Fixes modes before adding anything, as fixing one rewrites its variable. LAST gets the last
 * condition, if it is about two variables. */
static bool understands(struct solver *solver, struct order *order, const struct question *question,
                        struct difference *last) {
    order_know_variables(solver, order);
    for (size_t i = 0; i < question->count; i++)
        if (expr_variables(solver->pool, question->conditions[i]).count != 1 &&
            !order_read_difference(solver, order, question->conditions[i], last))
            return false;
    return true;
}

static enum solver_answer ask(struct solver *solver, struct question *question) {
    struct order *order = order_state(solver);
    struct order_stage_mark before = order_begin_noting(order);
    struct difference last;
    bool is_known = understands(solver, order, question, &last);
    order_end_noting(order);
    if (!is_known) {
        order_undo_to(order, before);
        return SOLVER_UNKNOWN;
    }
    struct order_mark mark = order_mark_now(order);
    enum solver_answer answer = SOLVER_SAT;
    order->splits = SPLITS;
    order->frozen = true;
    for (size_t i = 0; i < question->count && answer == SOLVER_SAT; i++)
        answer =
            require(solver, order, question->conditions[i], question->count == 1 ? &last : NULL);
    if (answer == SOLVER_SAT)
        answer = order_settle(order, mark.trail);
    if (answer == SOLVER_SAT)
        answer = order_settle_choices(order, mark.trail);
    if (answer == SOLVER_SAT)
        collect_changes(solver, order, mark.trail, question);
    order_back_to(order, mark);
    order->frozen = false;
    if (order->changes.count > before.changes ||
        order->heads_changes.count > before.heads_changes ||
        order->edge_changes.count > before.edge_changes)
        /* undoes what was read only for this question */
        order_undo_to(order, before);
    return answer;
}

const struct stage order_stage = {.create = create,
                                  .destroy = destroy,
                                  .begin = begin,
                                  .add = add,
                                  .ask = ask,
                                  .go_on = order_go_on};
