/* SPDX-License-Identifier: Apache-2.0
 *
 * How does the order stage return to an earlier assertion? Consecutive traces start alike, and
 * asserting the same orders again would cost more than all questions about them. So everything that
 * an assertion changes is saved first and restored in reverse; what it added is on top of a stack
 * and cut off. Questions do not need this: they drop what they add and undo their moves with their
 * own trail.
 */
#include "solver/order.h"

static struct order_stage_mark state_now(const struct order *order) {
    return (struct order_stage_mark){order->changes.count,      order->heads_changes.count,
                                     order->edge_changes.count, order->variables.count,
                                     order->spans.count,        order->edges.count,
                                     order->gaps.count,         order->choices.count};
}

/* Entries beyond this mark need not be saved one by one. */
struct order_stage_mark order_begin_noting(struct order *order) {
    order->is_noting = true;
    order->noted_edges = (uint32_t)order->edges.count;
    return state_now(order);
}

void order_end_noting(struct order *order) {
    order->is_noting = false;
}

static void undo_variables(struct order *order, struct order_stage_mark mark) {
    while (order->changes.count > mark.changes) {
        const struct order_change *last = &order->changes.data[--order->changes.count];
        struct order_variable *variable = &order->variables.data[last->number];
        uint32_t left = variable->left, right = variable->right;
        *variable = last->variable;
        variable->left = left;
        variable->right = right;
    }
    while (order->heads_changes.count > mark.heads_changes) {
        const struct order_heads_change *last =
            &order->heads_changes.data[--order->heads_changes.count];
        order->variables.data[last->number].left = last->left;
        order->variables.data[last->number].right = last->right;
    }
}

void order_undo_to(struct order *order, struct order_stage_mark mark) {
    while (order->edges.count > mark.edges) {
        order_drop_pair(order, (uint32_t)order->edges.count - 1);
        order->edges.count--;
    }
    undo_variables(order, mark);
    while (order->edge_changes.count > mark.edge_changes) {
        const struct order_edge_change *last =
            &order->edge_changes.data[--order->edge_changes.count];
        order->edges.data[last->number] = last->edge;
    }
    order->variables.count = mark.variables;
    order->spans.count = mark.spans;
    order->gaps.count = mark.gaps;
    order->choices.count = mark.choices;
}

void order_go_on(struct solver *solver, size_t kept) {
    struct order *order = order_state(solver);
    if (order->added.count > kept) {
        order_undo_to(order, order->added.data[kept]);
        order->added.count = kept;
    }
    if (order->variables.count > expr_variable_count(solver->pool))
        order->variables.count = expr_variable_count(solver->pool);
    for (uint32_t i = 0; i < order->variables.count; i++)
        order_read_value(solver, order, i);
}
