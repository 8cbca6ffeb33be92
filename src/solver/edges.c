/* SPDX-License-Identifier: Apache-2.0
 *
 * The graph of the order stage: edges x - y <= weight, one per pair of variables, found by a hash
 * of the pair. Programs that sort compare each element with many others, but a chain of neighbours
 * implies all that: an edge implied by two others is remembered but not linked, so that a repair
 * follows few edges. The linked edges always imply everything asserted. Questions push edges and
 * gaps on top and drop them in reverse.
 */
#include "solver/order.h"

#include <assert.h>
#include <stdlib.h>

/* ---- edges ---- */

static struct pair_slot *find_pair(struct order *order, uint32_t x, uint32_t y) {
    uint64_t hash = ((uint64_t)x << 32 | y) * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(hash >> 32) & order->pair_mask;
    while (order->pairs[at].stamp == order->stamp) {
        const struct order_edge *edge = &order->edges.data[order->pairs[at].edge];
        if (edge->x == x && edge->y == y)
            break;
        at = (at + 1) & order->pair_mask;
    }
    return &order->pairs[at];
}

static void grow_pairs(struct order *order) {
    uint32_t count = (order->pair_mask + 1) * 2;
    free(order->pairs);
    order->pairs = base_alloc(count * sizeof *order->pairs);
    order->pair_mask = count - 1;
    for (uint32_t i = 0; i < order->edges.count; i++)
        *find_pair(order, order->edges.data[i].x, order->edges.data[i].y) =
            (struct pair_slot){i, order->stamp};
}

/* Saves an edge and its neighbours in both lists. */
static void touch_around(struct order *order, uint32_t index, uint32_t before, uint32_t after,
                         uint32_t variable) {
    if (before != NONE)
        order_touch_edge(order, before);
    else
        order_touch_heads(order, variable);
    if (after != NONE)
        order_touch_edge(order, after);
    order_touch_edge(order, index);
}

/* Puts an edge at the head of both its lists. */
static void link_edge(struct order *order, uint32_t index) {
    struct order_edge *edges = order->edges.data, *edge = &edges[index];
    struct order_variable *x = &order->variables.data[edge->x];
    struct order_variable *y = &order->variables.data[edge->y];
    touch_around(order, index, NONE, x->left, edge->x);
    touch_around(order, index, NONE, y->right, edge->y);
    edge->last_left = edge->last_right = NONE;
    edge->next_left = x->left;
    edge->next_right = y->right;
    if (x->left != NONE)
        edges[x->left].last_left = index;
    if (y->right != NONE)
        edges[y->right].last_right = index;
    x->left = y->right = index;
    edge->linked = true;
}

static void unlink_edge(struct order *order, uint32_t index) {
    struct order_edge *edges = order->edges.data, *edge = &edges[index];
    touch_around(order, index, edge->last_left, edge->next_left, edge->x);
    touch_around(order, index, edge->last_right, edge->next_right, edge->y);
    if (edge->last_left == NONE)
        order->variables.data[edge->x].left = edge->next_left;
    else
        edges[edge->last_left].next_left = edge->next_left;
    if (edge->next_left != NONE)
        edges[edge->next_left].last_left = edge->last_left;
    if (edge->last_right == NONE)
        order->variables.data[edge->y].right = edge->next_right;
    else
        edges[edge->last_right].next_right = edge->next_right;
    if (edge->next_right != NONE)
        edges[edge->next_right].last_right = edge->last_right;
    edge->linked = false;
}

static uint32_t new_edge(struct order *order, uint32_t x, uint32_t y, wide weight) {
    base_push(&order->edges, (struct order_edge){.x = x, .y = y, .weight = weight});
    return (uint32_t)order->edges.count - 1;
}

void order_add_edge(struct order *order, uint32_t x, uint32_t y, wide weight) {
    link_edge(order, new_edge(order, x, y, weight));
}

/* The edge is the head of both its lists. */
void order_drop_last_edge(struct order *order) {
    const struct order_edge *edge = &order->edges.data[--order->edges.count];
    assert(!order->is_noting && edge->last_left == NONE && edge->last_right == NONE);
    order->variables.data[edge->x].left = edge->next_left;
    order->variables.data[edge->y].right = edge->next_right;
    if (edge->next_left != NONE)
        order->edges.data[edge->next_left].last_left = NONE;
    if (edge->next_right != NONE)
        order->edges.data[edge->next_right].last_right = NONE;
}

static const struct order_edge *known_edge(struct order *order, uint32_t x, uint32_t y) {
    const struct pair_slot *slot = find_pair(order, x, y);
    return slot->stamp == order->stamp ? &order->edges.data[slot->edge] : NULL;
}

/* ---- transitivity: sorting compares all pairs, but a chain implies them ---- */

#define LOOK 8 /* edges per variable to look at */

/* Is x - y <= weight implied by two known constraints? */
static bool is_implied(struct order *order, uint32_t x, uint32_t y, wide weight) {
    uint32_t at = order->variables.data[x].left;
    const struct order_edge *edges = order->edges.data;
    assert(edges);
    for (unsigned i = 0; i < LOOK && at != NONE; i++) {
        const struct order_edge *first = &edges[at];
        const struct order_edge *second = known_edge(order, first->y, y);
        if (second && first->weight + second->weight <= weight)
            return true;
        at = first->next_left;
    }
    return false;
}

/* Unlinks edges that the new one implies together with another linked edge: the linked edges
 * together never imply less than before. */
static void unlink_implied(struct order *order, uint32_t index) {
    const struct order_edge *edges = order->edges.data;
    assert(edges);
    struct order_edge edge = edges[index];
    uint32_t at = order->variables.data[edge.x].left;
    for (unsigned i = 0; i < LOOK && at != NONE; i++) { /* x - z, by x - y and y - z */
        struct order_edge other = edges[at];
        const struct order_edge *link = at == index ? NULL : known_edge(order, edge.y, other.y);
        if (link && link->linked && edge.weight + link->weight <= other.weight)
            unlink_edge(order, at);
        at = other.next_left;
    }
    at = order->variables.data[edge.y].right;
    for (unsigned i = 0; i < LOOK && at != NONE; i++) { /* z - y, by z - x and x - y */
        struct order_edge other = edges[at];
        const struct order_edge *link = at == index ? NULL : known_edge(order, other.x, edge.x);
        if (link && link->linked && link->weight + edge.weight <= other.weight)
            unlink_edge(order, at);
        at = other.next_right;
    }
}

/* An assertion: one edge per pair of variables, the tightest. */
static void assert_edge(struct order *order, uint32_t x, uint32_t y, wide weight) {
    struct pair_slot *slot = find_pair(order, x, y);
    uint32_t index = slot->edge;
    if (slot->stamp == order->stamp) {
        if (weight >= order->edges.data[index].weight)
            return;
        order_touch_edge(order, index);
        order->edges.data[index].weight = weight;
        if (order->edges.data[index].linked)
            return;
    } else {
        index = (uint32_t)order->edges.count;
        *slot = (struct pair_slot){index, order->stamp};
        new_edge(order, x, y, weight);
        if (order->edges.count * 2 > order->pair_mask)
            grow_pairs(order);
        if (is_implied(order, x, y, weight))
            return;
    }
    link_edge(order, index);
    unlink_implied(order, index);
}

/* Edges of questions are not in the table of pairs. */
void order_drop_pair(struct order *order, uint32_t index) {
    const struct order_edge *edge = &order->edges.data[index];
    struct pair_slot *slot = find_pair(order, edge->x, edge->y);
    if (slot->stamp == order->stamp && slot->edge == index)
        slot->stamp = order->stamp - 1;
}

void order_add_gap(struct order *order, const struct difference *difference) {
    uint32_t gap = (uint32_t)order->gaps.count;
    order_touch(order, difference->x);
    order_touch(order, difference->y);
    struct order_variable *x = &order->variables.data[difference->x];
    struct order_variable *y = &order->variables.data[difference->y];
    base_push(&order->gaps, (struct order_gap){difference->x, difference->y, x->gaps, y->gaps,
                                               difference->low, difference->high});
    x->gaps = gap;
    y->gaps = gap;
}

void order_drop_last_gap(struct order *order) {
    const struct order_gap *gap = &order->gaps.data[--order->gaps.count];
    order->variables.data[gap->x].gaps = gap->next_x;
    order->variables.data[gap->y].gaps = gap->next_y;
}

bool order_is_far(wide value) {
    return value > ((wide)1 << 66) || value < -((wide)1 << 66);
}

void order_assert_difference(struct order *order, const struct difference *difference) {
    order_bind(order, difference);
    if (!difference->inside) {
        order_add_gap(order, difference);
        return;
    }
    if (!order_is_far(difference->high))
        assert_edge(order, difference->x, difference->y, difference->high);
    if (!order_is_far(difference->low))
        assert_edge(order, difference->y, difference->x, -difference->low);
}
