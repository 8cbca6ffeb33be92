/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of the order stage: variables as mathematical integers, and constraints of
 * the form low <= x - y <= high. Within a trace, a variable is always read with the same
 * signedness; integers are wide enough that nothing here overflows.
 */
#ifndef SLOWPATH_SOLVER_ORDER_H
#define SLOWPATH_SOLVER_ORDER_H

#include "solver/internal.h"

struct span {
    wide low, high; /* inclusive */
};

/* How the bits of a variable are read; a floating-point number as its rank among all of them. */
enum order_mode { MODE_SIGNED, MODE_UNSIGNED, MODE_FLOAT };

struct order_variable {
    wide value;                 /* in the current model */
    wide low, high;             /* its bounds: the ends of its spans, or tighter */
    wide pending;               /* during a repair: how far it still has to move */
    uint32_t spans, span_count; /* its possible values */
    uint32_t left, right;       /* edges with it on this side */
    uint32_t gaps;              /* forbidden differences */
    uint32_t choices;           /* differences that hold unless a side is NaN */
    uint32_t moved;             /* the repair that last moved it */
    uint8_t mode, width;
    uint32_t group, ally; /* variables that change their mode together: union-find, ring */
    uint32_t members;     /* of the group's root */
    bool bound;           /* of the group's root: something depends on the mode */
};

/* x - y <= weight. All asserted edges are kept; only those not implied by others are linked. */
struct order_edge {
    uint32_t x, y;
    uint32_t next_left, last_left, next_right, last_right;
    bool linked;
    wide weight;
};

/* x - y not in [low, high] */
struct order_gap {
    uint32_t x, y;
    uint32_t next_x, next_y;
    wide low, high;
};

/* A condition over two variables. INSIDE: x - y in [low, high]; else: not in it. */
struct difference {
    uint32_t x, y;
    wide low, high;
    bool inside;
    bool neutral;     /* the same for signed and unsigned variables: x == y, x != y */
    bool are_numbers; /* of floating-point numbers, neither of which is NaN */
    bool or_nan;      /* ... or one of which is NaN */
};

struct order_choice {
    struct difference difference;
    uint32_t next_x, next_y;
};

struct order_undo {
    uint32_t variable;
    uint32_t spans, span_count;
    wide value, low, high;
};

/* The state of a variable or an edge before an assertion changed it. List heads change most often
 * and are saved separately. */
struct order_change {
    uint32_t number;
    struct order_variable variable; /* except its edges */
};
struct order_heads_change {
    uint32_t number, left, right;
};
struct order_edge_change {
    uint32_t number;
    struct order_edge edge;
};

/* The sizes of everything before an assertion. */
struct order_stage_mark {
    size_t changes, heads_changes, edge_changes, variables, spans, edges, gaps, choices;
};

struct pair_slot {
    uint32_t edge, stamp;
};

struct heap_entry {
    wide amount;
    uint32_t variable;
};

struct order {
    BASE_VECTOR(struct order_variable) variables;
    BASE_VECTOR(struct span) spans;
    BASE_VECTOR(struct order_edge) edges;
    BASE_VECTOR(struct order_gap) gaps;
    BASE_VECTOR(struct order_choice) choices;
    BASE_VECTOR(struct order_undo) trail;
    BASE_VECTOR(struct order_change) changes; /* made by assertions, oldest first */
    BASE_VECTOR(struct order_heads_change) heads_changes;
    BASE_VECTOR(struct order_edge_change) edge_changes;
    BASE_VECTOR(struct order_stage_mark) added; /* one for each assertion */
    BASE_VECTOR(struct heap_entry) heap;
    struct pair_slot *pairs; /* (x, y) -> edge */
    uint32_t pair_mask, stamp;
    uint32_t repair; /* number of the last repair */
    unsigned splits; /* left for this question */
    bool frozen;     /* during a question: no variable may change its mode */
    bool is_noting;  /* changes are saved; of edges, only below noted_edges */
    uint32_t noted_edges;
};

void order_know_variables(struct solver *solver, struct order *order);
/* Saves a variable before any change outside of questions; see order_undo.c. */
static inline void order_touch(struct order *order, uint32_t variable) {
    if (order->is_noting)
        base_push(&order->changes,
                  (struct order_change){variable, order->variables.data[variable]});
}
static inline void order_touch_heads(struct order *order, uint32_t number) {
    const struct order_variable *variable = &order->variables.data[number];
    if (order->is_noting)
        base_push(&order->heads_changes,
                  (struct order_heads_change){number, variable->left, variable->right});
}
/* Edges added by the last assertion need no saving, as they are removed as a whole. */
static inline void order_touch_edge(struct order *order, uint32_t edge) {
    if (order->is_noting && edge < order->noted_edges)
        base_push(&order->edge_changes, (struct order_edge_change){edge, order->edges.data[edge]});
}
struct order_stage_mark order_begin_noting(struct order *order);
void order_end_noting(struct order *order);
void order_undo_to(struct order *order, struct order_stage_mark mark);
void order_go_on(struct solver *solver, size_t kept);
void order_drop_pair(struct order *order, uint32_t edge); /* must be the last one */
/* Updates the variable's value from the current input. */
void order_read_value(struct solver *solver, struct order *order, uint32_t number);
/* Reads a condition; false if it has another form. May fix the mode of its variables. */
bool order_read_difference(struct solver *solver, struct order *order, uint32_t condition,
                           struct difference *difference);
/* The difference is asserted: from now on its variables keep their modes, or change them
 * together. */
void order_bind(struct order *order, const struct difference *difference);
/* Appends the spans that a condition on one variable allows to order->spans; false if it is not
 * understood. */
bool order_read_spans(struct solver *solver, struct order *order, uint32_t condition,
                      uint32_t *variable, uint32_t *count);
static inline bool span_has(const struct order *order, const struct order_variable *variable,
                            wide value) {
    const struct span *span = order->spans.data + variable->spans;
    for (uint32_t i = 0; i < variable->span_count && span[i].low <= value; i++)
        if (value <= span[i].high)
            return true;
    return false;
}
/* The bit pattern of an integer. */
static inline uint64_t order_bits(const struct order_variable *variable, wide value) {
    if (variable->mode == MODE_FLOAT)
        return expr_float_of_key(variable->width, (int64_t)value);
    uint64_t mask = variable->width == 64 ? UINT64_MAX : ((uint64_t)1 << variable->width) - 1;
    return (uint64_t)value & mask;
}
/* Heights of the stacks that questions and splits push on. */
struct order_mark {
    size_t trail, edges, gaps, choices, spans;
};
struct order_mark order_mark_now(const struct order *order);
void order_back_to(struct order *order, struct order_mark mark);
void order_save(struct order *order, uint32_t number); /* call before a question changes it */
/* Makes the difference hold by moving variables; the second, between bounds. */
enum solver_answer order_require(struct order *order, const struct difference *difference);
bool order_require_bounds(struct order *order, uint32_t number, wide low, wide high);
/* Moves variables moved since FIRST on the trail out of holes and gaps. */
enum solver_answer order_settle(struct order *order, size_t first);

/* nan.c: floating-point numbers. For an assertion: */
void order_assert_numbers(struct order *order, const struct difference *difference);
void order_assert_choice(struct order *order, const struct difference *difference);
void order_promote(struct order *order, uint32_t number); /* it may be known to be a number now */
/* For a question: */
enum solver_answer order_require_numbers(struct order *order, const struct difference *difference);
enum solver_answer order_require_choice(struct order *order, const struct difference *difference);
enum solver_answer order_settle_choices(struct order *order, size_t first);
void order_drop_last_choice(struct order *order);

struct order *order_state(struct solver *solver);
/* For the duration of a question; dropped in reverse. */
void order_add_edge(struct order *order, uint32_t x, uint32_t y, wide weight);
void order_drop_last_edge(struct order *order);
void order_add_gap(struct order *order, const struct difference *difference);
void order_drop_last_gap(struct order *order);
bool order_is_far(wide value); /* no real bound */
void order_assert_difference(struct order *order, const struct difference *difference);
void order_use_spans(struct order *order, uint32_t number, uint32_t start, uint32_t count);
/* All edges and bounds hold: moves the variables out of holes and gaps. */
enum solver_answer order_settle_all(struct order *order);

#endif
