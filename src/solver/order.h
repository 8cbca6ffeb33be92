/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the order stage share: variables as mathematical integers, and constraints of
 * the form low <= x - y <= high. A variable is read as signed or as unsigned, once and for all of a
 * trace; integers are wide enough that nothing here overflows.
 */
#ifndef SLOWPATH_SOLVER_ORDER_H
#define SLOWPATH_SOLVER_ORDER_H

#include "solver/internal.h"

struct span {
    wide low, high; /* inclusive */
};

/* How the bits of a variable are read; as a floating-point number, by its place among all. */
enum order_mode { MODE_SIGNED, MODE_UNSIGNED, MODE_FLOAT };

struct order_variable {
    wide value;                 /* of the current model */
    wide low, high;             /* its bounds: the ends of its spans, or tighter */
    wide pending;               /* of a repair: how far it has to move */
    uint32_t spans, span_count; /* the values it may have */
    uint32_t left, right;       /* edges that have it on this side */
    uint32_t gaps;              /* forbidden differences */
    uint32_t choices;           /* differences that hold unless one side is NaN */
    uint32_t moved;             /* stamp of the repair that moved it */
    uint8_t mode, width;
    uint32_t group, ally; /* variables that change their mode together: union-find, ring */
    uint32_t members;     /* of the group's root */
    bool bound;           /* of the group's root: something depends on its mode */
};

/* x - y <= weight. All that was asserted is kept; only what others do not imply is linked. */
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
    bool neutral;     /* means the same for signed and unsigned variables: x == y, x != y */
    bool are_numbers; /* of floating-point numbers: and neither is NaN */
    bool or_nan;      /* or one of them is NaN */
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

/* What a variable or an edge was before an assertion changed it. Which edges come first changes
 * most often, and is noted apart. */
struct order_change {
    uint32_t number;
    struct order_variable variable; /* but for its edges */
};
struct order_heads_change {
    uint32_t number, left, right;
};
struct order_edge_change {
    uint32_t number;
    struct order_edge edge;
};

/* Before an assertion: so many of each. */
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
    BASE_VECTOR(struct order_change) changes; /* by assertions, oldest first */
    BASE_VECTOR(struct order_heads_change) heads_changes;
    BASE_VECTOR(struct order_edge_change) edge_changes;
    BASE_VECTOR(struct order_stage_mark) added; /* one for each assertion */
    BASE_VECTOR(struct heap_entry) heap;
    struct pair_slot *pairs; /* (x, y) -> edge */
    uint32_t pair_mask, stamp;
    uint32_t repair; /* stamp of the last repair */
    unsigned splits; /* left for this question */
    bool frozen;     /* a question is being answered: no variable changes its mode */
    bool is_noting;  /* what changes, from this number of edges on */
    uint32_t noted_edges;
};

void order_know_variables(struct solver *solver, struct order *order);
/* All changes outside of questions are noted before they are made; see order_undo.c. */
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
/* Those that the last assertion has added are cut off as a whole. */
static inline void order_touch_edge(struct order *order, uint32_t edge) {
    if (order->is_noting && edge < order->noted_edges)
        base_push(&order->edge_changes, (struct order_edge_change){edge, order->edges.data[edge]});
}
struct order_stage_mark order_begin_noting(struct order *order);
void order_end_noting(struct order *order);
void order_undo_to(struct order *order, struct order_stage_mark mark);
void order_go_on(struct solver *solver, size_t kept);
void order_drop_pair(struct order *order, uint32_t edge); /* it is the last one */
/* Reads the value of a variable anew. */
void order_read_value(struct solver *solver, struct order *order, uint32_t number);
/* Reads a condition; false if it is not of this form. May fix the mode of its variables. */
bool order_read_difference(struct solver *solver, struct order *order, uint32_t condition,
                           struct difference *difference);
/* The difference is asserted: its variables keep their modes, or change them together only. */
void order_bind(struct order *order, const struct difference *difference);
/* The spans that a condition on one variable leaves of it are appended to order->spans; false
 * if it is not understood. */
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
/* What a question or a split adds lies on top of these stacks. */
struct order_mark {
    size_t trail, edges, gaps, choices, spans;
};
struct order_mark order_mark_now(const struct order *order);
void order_back_to(struct order *order, struct order_mark mark);
void order_save(struct order *order, uint32_t number); /* before a question changes it */
/* Makes the difference hold by moving variables; and between bounds. */
enum solver_answer order_require(struct order *order, const struct difference *difference);
bool order_require_bounds(struct order *order, uint32_t number, wide low, wide high);
/* Moves what was moved since FIRST on the trail out of holes and gaps. */
enum solver_answer order_settle(struct order *order, size_t first);

/* nan.c: floating-point numbers. For an assertion: */
void order_assert_numbers(struct order *order, const struct difference *difference);
void order_assert_choice(struct order *order, const struct difference *difference);
void order_promote(struct order *order, uint32_t number); /* it may have become a number */
/* For a question: */
enum solver_answer order_require_numbers(struct order *order, const struct difference *difference);
enum solver_answer order_require_choice(struct order *order, const struct difference *difference);
enum solver_answer order_settle_choices(struct order *order, size_t first);
void order_drop_last_choice(struct order *order);

struct order *order_state(struct solver *solver);
/* For the time of a question; dropped in reverse. */
void order_add_edge(struct order *order, uint32_t x, uint32_t y, wide weight);
void order_drop_last_edge(struct order *order);
void order_add_gap(struct order *order, const struct difference *difference);
void order_drop_last_gap(struct order *order);
bool order_is_far(wide value); /* no bound at all */
void order_assert_difference(struct order *order, const struct difference *difference);
void order_use_spans(struct order *order, uint32_t number, uint32_t start, uint32_t count);
/* The variables have values that satisfy all edges and bounds: moves them out of holes and gaps. */
enum solver_answer order_settle_all(struct order *order);

#endif
