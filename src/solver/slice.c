/* SPDX-License-Identifier: Apache-2.0
 *
 * Which assertions matter for a question? Those that share variables with it, directly or through
 * others: all other variables keep the values of the current input, which satisfies the rest.
 * Assertions come one by one, so a union-find over variables maintains the slices. Each variable
 * has a list of the assertions it occurs in, so that a changed model is checked only where it
 * changed. Assertions with very many variables are listed once per slice.
 */
#include "solver/internal.h"

#include <string.h>

#define WIDE 16u /* more variables than this: listed with the slice */

static void know_variables(struct solver *solver) {
    struct slices *slices = &solver->slices;
    uint32_t count = expr_variable_count(solver->pool);
    for (uint32_t i = (uint32_t)slices->variables.count; i < count; i++)
        base_push(&slices->variables, (struct slice_variable){.parent = i,
                                                              .size = 1,
                                                              .next = i,
                                                              .occurrences = NONE,
                                                              .wide = NONE,
                                                              .wide_last = NONE});
}

uint32_t slice_find(struct slices *slices, uint32_t variable) {
    struct slice_variable *data = slices->variables.data;
    /* Paths are short: small slices are attached to large ones. */
    while (data[variable].parent != variable)
        variable = data[variable].parent;
    return variable;
}

static uint32_t unite(struct slices *slices, uint32_t a, uint32_t b) {
    struct slice_variable *data = slices->variables.data;
    a = slice_find(slices, a);
    b = slice_find(slices, b);
    if (a == b)
        return a;
    if (data[a].size < data[b].size) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    base_push(&slices->unions, (struct slice_union){a, b});
    data[b].parent = a;
    data[a].size += data[b].size;
    data[a].incomplete |= data[b].incomplete;
    uint32_t next = data[a].next; /* joins the two rings */
    data[a].next = data[b].next;
    data[b].next = next;
    if (data[a].wide == NONE) {
        data[a].wide = data[b].wide;
        data[a].wide_last = data[b].wide_last;
    } else if (data[b].wide != NONE) {
        slices->links.data[data[a].wide_last].next = data[b].wide;
        data[a].wide_last = data[b].wide_last;
    }
    return a;
}

static void add_wide(struct slices *slices, uint32_t root, uint32_t condition) {
    struct slice_variable *slice = &slices->variables.data[root];
    uint32_t link = (uint32_t)slices->links.count;
    slices->has_wide = true;
    base_push(&slices->links, (struct occurrence){condition, slice->wide, NONE});
    if (slice->wide == NONE)
        slice->wide_last = link;
    slice->wide = link;
}

void slice_add(struct solver *solver, uint32_t condition, uint32_t incomplete) {
    struct slices *slices = &solver->slices;
    struct expr_variables list = expr_variables(solver->pool, condition);
    know_variables(solver);
    if (!list.count)
        return;
    uint32_t root = slice_find(slices, list.numbers[0]);
    for (uint32_t i = 1; i < list.count; i++)
        root = unite(slices, root, list.numbers[i]);
    slices->variables.data[root].incomplete |= incomplete;
    if (list.count > WIDE) {
        add_wide(slices, root, condition);
        return;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        struct slice_variable *variable = &slices->variables.data[list.numbers[i]];
        uint32_t link = (uint32_t)slices->links.count;
        base_push(&slices->links,
                  (struct occurrence){condition, variable->occurrences, list.numbers[i]});
        variable->occurrences = link;
    }
}

/* Splits a ring where two were joined; the later union first. */
static void undo_union(struct slices *slices) {
    struct slice_union last = slices->unions.data[--slices->unions.count];
    struct slice_variable *into = &slices->variables.data[last.into];
    struct slice_variable *from = &slices->variables.data[last.from];
    uint32_t next = into->next;
    into->next = from->next;
    from->next = next;
    into->size -= from->size;
    from->parent = last.from;
}

void slice_back_to(struct solver *solver, size_t links, size_t unions) {
    struct slices *slices = &solver->slices;
    while (slices->links.count > links) {
        const struct occurrence *last = &slices->links.data[--slices->links.count];
        slices->variables.data[last->variable].occurrences = last->next;
    }
    while (slices->unions.count > unions)
        undo_union(slices);
    if (slices->variables.count > expr_variable_count(solver->pool))
        slices->variables.count = expr_variable_count(solver->pool);
    for (size_t i = 0; i < slices->variables.count; i++)
        slices->variables.data[i].incomplete = 0;
}

void slice_mark(struct solver *solver, uint32_t condition, uint32_t incomplete) {
    struct expr_variables list = expr_variables(solver->pool, condition);
    if (list.count)
        solver->slices.variables.data[slice_find(&solver->slices, list.numbers[0])].incomplete |=
            incomplete;
}

uint32_t slice_incomplete(struct solver *solver, const uint32_t *conditions, size_t count) {
    struct slices *slices = &solver->slices;
    uint32_t incomplete = 0;
    know_variables(solver);
    for (size_t i = 0; i < count; i++) {
        struct expr_variables list = expr_variables(solver->pool, conditions[i]);
        for (uint32_t k = 0; k < list.count; k++)
            incomplete |= slices->variables.data[slice_find(slices, list.numbers[k])].incomplete;
    }
    return incomplete;
}

/* ---- gathering ---- */

static void start_marks(struct solver *solver) {
    struct slices *slices = &solver->slices;
    uint32_t count = expr_count(solver->pool);
    if (slices->mark_capacity < count) {
        uint32_t capacity = count * 2;
        slices->marks = base_realloc(slices->marks, capacity * sizeof *slices->marks);
        memset(slices->marks + slices->mark_capacity, 0,
               (capacity - slices->mark_capacity) * sizeof *slices->marks);
        slices->mark_capacity = capacity;
    }
    if (!++slices->mark) {
        memset(slices->marks, 0, slices->mark_capacity * sizeof *slices->marks);
        slices->mark = 1;
    }
}

static bool mark_node(struct slices *slices, uint32_t node) {
    bool fresh = slices->marks[node] != slices->mark;
    slices->marks[node] = slices->mark;
    return fresh;
}

static void gather_list(struct slices *slices, uint32_t link, id_list *assertions) {
    for (; link != NONE; link = slices->links.data[link].next)
        if (mark_node(slices, slices->links.data[link].condition))
            base_push(assertions, slices->links.data[link].condition);
}

/* The whole slice of a variable, unless it was gathered already. */
static void gather_slice(struct solver *solver, uint32_t variable, id_list *assertions,
                         id_list *variables) {
    struct slices *slices = &solver->slices;
    if (!mark_node(slices, expr_variable_node(solver->pool, variable)))
        return;
    uint32_t root = slice_find(slices, variable), at = variable;
    gather_list(slices, slices->variables.data[root].wide, assertions);
    do {
        mark_node(slices, expr_variable_node(solver->pool, at));
        base_push(variables, at);
        gather_list(slices, slices->variables.data[at].occurrences, assertions);
        at = slices->variables.data[at].next;
    } while (at != variable);
}

void slice_gather(struct solver *solver, const uint32_t *conditions, size_t count,
                  id_list *assertions, id_list *variables) {
    know_variables(solver);
    start_marks(solver);
    assertions->count = 0;
    variables->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct expr_variables list = expr_variables(solver->pool, conditions[i]);
        for (uint32_t k = 0; k < list.count; k++)
            gather_slice(solver, list.numbers[k], assertions, variables);
    }
}

/* ---- verification ---- */

static bool list_holds(struct solver *solver, uint32_t link) {
    const struct occurrence *links = solver->slices.links.data;
    for (; link != NONE; link = links[link].next)
        if (!expr_bank_eval(solver->pool, BANK_TRIAL, links[link].condition))
            return false;
    return true;
}

bool slice_verify(struct solver *solver, const struct question *question, const uint8_t *model) {
    struct slices *slices = &solver->slices;
    know_variables(solver);
    expr_bank_begin(solver->pool, BANK_TRIAL, model, solver->size);
    for (size_t i = 0; i < question->count; i++)
        if (!expr_bank_eval(solver->pool, BANK_TRIAL, question->conditions[i]))
            return false;
    for (size_t i = 0; i < question->changes.count; i++) {
        uint32_t variable = question->changes.data[i].variable;
        uint32_t root = slice_find(slices, variable);
        if (!list_holds(solver, slices->variables.data[variable].occurrences) ||
            !list_holds(solver, slices->variables.data[root].wide))
            return false;
    }
    return true;
}
