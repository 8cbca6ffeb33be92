/* SPDX-License-Identifier: Apache-2.0
 *
 * Which values satisfy linear inequalities? The general simplex method with bounds, after Dutertre
 * and de Moura, "A Fast Linear-Arithmetic Solver for DPLL(T)", section 3: each inequality is a
 * bound of a sum; a sum owns a row that expresses it by free variables. Free variables are always
 * within their bounds. An owner outside its bounds is exchanged with a free variable that can
 * compensate; if there is none, the bounds of the row contradict each other, and they are the
 * reason. Always taking the first candidate guarantees termination (Bland's rule).
 */
#include "solver/simplex.h"

/* ---- bounds ---- */

static void blame_reason(struct simplex *simplex, uint32_t reason) {
    if (reason >= SIMPLEX_BRANCH)
        simplex->blame |= (uint64_t)1 << (reason - SIMPLEX_BRANCH);
    else if (simplex->core)
        simplex->core[reason] = true;
}

static bool bounds_meet(struct simplex *simplex, const struct simplex_variable *variable) {
    if (variable->low.value <= variable->high.value)
        return true;
    simplex->blame = 0;
    blame_reason(simplex, variable->low.reason);
    blame_reason(simplex, variable->high.reason);
    return false;
}

bool simplex_bound_low(struct simplex *simplex, uint32_t number, wide low, uint32_t reason) {
    struct simplex_variable *variable = &simplex->variables.data[number];
    if (low <= variable->low.value)
        return true;
    base_push(&simplex->trail, (struct simplex_undo){number, false, variable->low});
    variable->low = (struct simplex_bound){low, reason};
    simplex_look_at(simplex, number);
    if (!bounds_meet(simplex, variable))
        return false;
    if (variable->row == NONE && variable->value < low)
        simplex_move(simplex, number, low);
    return true;
}

bool simplex_bound_high(struct simplex *simplex, uint32_t number, wide high, uint32_t reason) {
    struct simplex_variable *variable = &simplex->variables.data[number];
    if (high >= variable->high.value)
        return true;
    base_push(&simplex->trail, (struct simplex_undo){number, true, variable->high});
    variable->high = (struct simplex_bound){high, reason};
    simplex_look_at(simplex, number);
    if (!bounds_meet(simplex, variable))
        return false;
    if (variable->row == NONE && variable->value > high)
        simplex_move(simplex, number, high);
    return true;
}

void simplex_undo(struct simplex *simplex, size_t mark) {
    while (simplex->trail.count > mark) {
        const struct simplex_undo *undo = &simplex->trail.data[--simplex->trail.count];
        struct simplex_variable *variable = &simplex->variables.data[undo->variable];
        *(undo->is_high ? &variable->high : &variable->low) = undo->before;
    }
}

/* ---- questions ---- */

void simplex_ask(struct simplex *simplex, unsigned pivots) {
    simplex->stamp++;
    simplex->moved.count = 0;
    simplex->trail.count = 0;
    simplex->pivots = pivots;
}

void simplex_settle(struct simplex *simplex) {
    simplex_undo(simplex, 0);
    if (simplex->is_too_large) {
        simplex_start_over(simplex);
        return;
    }
    for (size_t i = 0; i < simplex->moved.count; i++) {
        struct simplex_variable *variable = &simplex->variables.data[simplex->moved.data[i]];
        variable->value = variable->now;
        if (variable->row != NONE)
            variable->value *= simplex->rows.data[variable->row].scale;
    }
}

static bool is_below(const struct simplex *simplex, const struct simplex_variable *variable) {
    return variable->low.value > -SIMPLEX_FAR &&
           variable->value < variable->low.value * simplex->rows.data[variable->row].scale;
}

static bool is_above(const struct simplex *simplex, const struct simplex_variable *variable) {
    return variable->high.value < SIMPLEX_FAR &&
           variable->value > variable->high.value * simplex->rows.data[variable->row].scale;
}

/* The first owner outside its bounds. */
static uint32_t first_outside(const struct simplex *simplex) {
    uint32_t first = NONE;
    for (size_t i = 0; i < simplex->moved.count; i++) {
        uint32_t number = simplex->moved.data[i];
        const struct simplex_variable *variable = &simplex->variables.data[number];
        if (number < first && variable->row != NONE &&
            (is_below(simplex, variable) || is_above(simplex, variable)))
            first = number;
    }
    return first;
}

/* The first variable of the row that can still move in the direction that raises (or lowers) the
 * owner. */
static size_t first_helper(const struct simplex *simplex, const struct simplex_row *row, bool up) {
    size_t first = row->parts.count;
    for (size_t i = 0; i < row->parts.count; i++) {
        const struct simplex_part *part = &row->parts.data[i];
        const struct simplex_variable *variable = &simplex->variables.data[part->variable];
        bool can = (part->factor > 0) == up ? variable->value < variable->high.value
                                            : variable->value > variable->low.value;
        if (can && (first == row->parts.count || part->variable < row->parts.data[first].variable))
            first = i;
    }
    return first;
}

/* No variable of the row can help: these bounds contradict each other. */
static void blame_row(struct simplex *simplex, const struct simplex_row *row, bool up) {
    const struct simplex_variable *owner = &simplex->variables.data[row->owner];
    simplex->blame = 0;
    blame_reason(simplex, up ? owner->low.reason : owner->high.reason);
    for (size_t i = 0; i < row->parts.count; i++) {
        const struct simplex_part *part = &row->parts.data[i];
        const struct simplex_variable *variable = &simplex->variables.data[part->variable];
        blame_reason(simplex,
                     (part->factor > 0) == up ? variable->high.reason : variable->low.reason);
    }
}

enum solver_answer simplex_check(struct simplex *simplex) {
    for (;;) {
        uint32_t number = simplex->is_too_large ? NONE : first_outside(simplex);
        if (number == NONE)
            return simplex->is_too_large ? SOLVER_UNKNOWN : SOLVER_SAT;
        const struct simplex_variable *variable = &simplex->variables.data[number];
        const struct simplex_row *row = &simplex->rows.data[variable->row];
        bool up = is_below(simplex, variable);
        size_t part = first_helper(simplex, row, up);
        if (part == row->parts.count) {
            blame_row(simplex, row, up);
            return SOLVER_UNSAT;
        }
        if (!simplex->pivots)
            return SOLVER_UNKNOWN;
        simplex->pivots--;
        simplex_pivot(simplex, variable->row, part,
                      up ? variable->low.value : variable->high.value);
    }
}

/* ---- fractions ---- */

#define PATCH_STEPS 8

static bool is_whole(const struct simplex_variable *variable, wide value, int64_t scale) {
    return variable->parts || value % scale == 0;
}

static bool is_within(const struct simplex_variable *variable, wide value, int64_t scale) {
    return (variable->low.value <= -SIMPLEX_FAR || value >= variable->low.value * scale) &&
           (variable->high.value >= SIMPLEX_FAR || value <= variable->high.value * scale);
}

/* Can the free variable move that far? Without violating a bound or turning an integer into a
 * fraction. */
static bool can_move(struct simplex *simplex, uint32_t number, int64_t distance) {
    const struct simplex_variable *variable = &simplex->variables.data[number];
    size_t at = 0, part;
    uint32_t index;
    bool can = is_within(variable, variable->value + distance, 1);
    simplex->visit++;
    while (can && simplex_next_row(simplex, number, &at, &index, &part)) {
        const struct simplex_row *row = &simplex->rows.data[index];
        const struct simplex_variable *owner = &simplex->variables.data[row->owner];
        wide value = owner->value + (wide)row->parts.data[part].factor * distance;
        can = is_within(owner, value, row->scale) &&
              (is_whole(owner, value, row->scale) || !is_whole(owner, owner->value, row->scale));
    }
    return can;
}

static void patch_row(struct simplex *simplex, const struct simplex_row *row) {
    wide value = simplex->variables.data[row->owner].value;
    for (size_t i = 0; i < row->parts.count; i++)
        for (int64_t step = 1; step < row->scale && step <= PATCH_STEPS; step++)
            for (int64_t distance = step; distance >= -step; distance -= 2 * step) {
                const struct simplex_part *part = &row->parts.data[i];
                if ((value + (wide)part->factor * distance) % row->scale == 0 &&
                    can_move(simplex, part->variable, distance)) {
                    simplex_move(simplex, part->variable,
                                 simplex->variables.data[part->variable].value + distance);
                    return;
                }
            }
}

void simplex_patch(struct simplex *simplex) {
    for (size_t i = 0; i < simplex->moved.count; i++) {
        const struct simplex_variable *variable = &simplex->variables.data[simplex->moved.data[i]];
        if (variable->row == NONE)
            continue;
        const struct simplex_row *row = &simplex->rows.data[variable->row];
        if (!is_whole(variable, variable->value, row->scale))
            patch_row(simplex, row);
    }
}
