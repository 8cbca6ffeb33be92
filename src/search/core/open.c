/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a path leave open about the integers that its costs depend on? Each has a least and a
 * greatest value. An integer with a single value is substituted into the formulas, which may make a
 * formula constant. For the others the range is printed or, if they depend on each other or their
 * range has gaps, the conditions of the path that involve them.
 */
#include "search/core/family.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VARIABLES 16

struct opened {
    uint32_t node;
    bool is_signed;
    int64_t low, high;
};

struct opening {
    const struct search_extreme *in;
    struct expr_pool *pool;
    struct opened variables[MOST_VARIABLES];
    size_t count;
    uint8_t *input; /* scratch copy */
};

/* ---- variables ---- */

static bool is_listed(const struct opening *opening, uint32_t node) {
    for (size_t i = 0; i < opening->count; i++)
        if (opening->variables[i].node == node)
            return true;
    return false;
}

static bool list_variables(struct opening *opening, uint32_t expr) {
    struct expr_variables variables = expr_variables(opening->pool, expr);
    for (uint32_t i = 0; i < variables.count; i++) {
        uint32_t node = expr_variable_node(opening->pool, variables.numbers[i]);
        if (is_listed(opening, node))
            continue;
        if (opening->count == MOST_VARIABLES)
            return false;
        opening->variables[opening->count++].node = node;
    }
    return true;
}

static bool list_all(struct opening *opening) {
    const struct search_formulas *formulas = &opening->in->family->formulas;
    for (int i = 0; i < ABI_COST_COUNT; i++)
        for (size_t k = 0; k < formulas->of[i].terms.count; k++)
            if (!list_variables(opening, formulas->of[i].terms.data[k]))
                return false;
    return true;
}

/* The integer as a signed number of 64 bits. */
static uint32_t widened(struct opening *opening, const struct opened *variable) {
    if (expr_node(opening->pool, variable->node)->width == 64)
        return variable->node;
    return expr_make(opening->pool, variable->is_signed ? ABI_OP_SEXT : ABI_OP_ZEXT, 64, 0,
                     variable->node, 0, 0);
}

static bool find_range(struct opening *opening, struct opened *variable) {
    struct search_extreme from = *opening->in;
    const struct abi_node *node = expr_node(opening->pool, variable->node);
    variable->is_signed = search_is_signed(from.layout, node->a, node->width / 8);
    uint32_t wide = widened(opening, variable);
    from.input = opening->input;
    memcpy(from.input, opening->in->input, from.size);
    if (!search_find_extreme(&from, wide, false, &variable->low))
        return false;
    memcpy(from.input, opening->in->input, from.size);
    return search_find_extreme(&from, wide, true, &variable->high);
}

/* ---- putting values in ---- */

struct exchange {
    struct expr_pool *pool;
    uint32_t node, by;
    uint32_t *known; /* by id: its replacement, or 0 */
    uint32_t count;
};

static uint32_t exchanged(struct exchange *in, uint32_t id) {
    struct abi_node node = *expr_node(in->pool, id);
    uint32_t parts[3] = {node.a, node.b, node.c};
    unsigned operands = expr_operands((enum abi_op)node.op);
    if (id == in->node)
        return in->by;
    if (!operands)
        return id;
    if (id < in->count && in->known[id])
        return in->known[id];
    for (unsigned i = 0; i < 3 && i < operands; i++)
        parts[i] = exchanged(in, parts[i]);
    uint32_t made = expr_make(in->pool, (enum abi_op)node.op, node.width, node.extra, parts[0],
                              parts[1], parts[2]);
    if (id < in->count)
        in->known[id] = made;
    return made;
}

static void put_into(struct exchange *in, struct search_formula *formula) {
    size_t kept = 0;
    for (size_t i = 0; i < formula->terms.count; i++) {
        uint32_t term = exchanged(in, formula->terms.data[i]);
        if (search_is_constant(in->pool, term))
            formula->constant += expr_constant(in->pool, term);
        else
            formula->terms.data[kept++] = term;
    }
    formula->terms.count = kept;
}

static void put_value(struct opening *opening, const struct opened *variable) {
    unsigned width = expr_node(opening->pool, variable->node)->width;
    struct exchange in = {.pool = opening->pool,
                          .node = variable->node,
                          .by = expr_make_constant(opening->pool, width, (uint64_t)variable->low),
                          .count = expr_count(opening->pool)};
    in.known = base_alloc((in.count + 1) * sizeof *in.known);
    for (int i = 0; i < ABI_COST_COUNT; i++)
        put_into(&in, &opening->in->family->formulas.of[i]);
    free(in.known);
}

/* Drops integers with a single value, and those that no longer occur in any formula. */
static void settle_variables(struct opening *opening) {
    struct opened all[MOST_VARIABLES];
    size_t count = opening->count;
    memcpy(all, opening->variables, sizeof all);
    for (size_t i = 0; i < count; i++)
        if (all[i].low == all[i].high)
            put_value(opening, &all[i]);
    opening->count = 0;
    list_all(opening);
    for (size_t i = 0; i < opening->count; i++)
        for (size_t k = 0; k < count; k++)
            if (all[k].node == opening->variables[i].node)
                opening->variables[i] = all[k];
}

/* ---- telling ---- */

static bool speaks_of(struct opening *opening, uint32_t condition, bool *of_others) {
    struct expr_variables variables = expr_variables(opening->pool, condition);
    bool speaks = false;
    for (uint32_t i = 0; i < variables.count; i++) {
        bool is_open = is_listed(opening, expr_variable_node(opening->pool, variables.numbers[i]));
        speaks |= is_open;
        *of_others |= !is_open;
    }
    return speaks;
}

static uint32_t bound(struct opening *opening, const struct opened *variable, bool is_low) {
    uint32_t wide = widened(opening, variable);
    uint32_t end =
        expr_make_constant(opening->pool, 64, (uint64_t)(is_low ? variable->low : variable->high));
    return is_low ? expr_make(opening->pool, ABI_OP_SLE, 1, 0, end, wide, 0)
                  : expr_make(opening->pool, ABI_OP_SLE, 1, 0, wide, end, 0);
}

/* Does every value in the range meet the path's conditions on this integer alone? */
static bool is_whole(struct opening *opening, const struct search_ids *conditions) {
    const struct opened *variable = &opening->variables[0];
    uint32_t all = 0;
    for (size_t i = 0; i < conditions->count; i++)
        all = all ? expr_make(opening->pool, ABI_OP_AND, 1, 0, all, conditions->data[i], 0)
                  : conditions->data[i];
    if (!all)
        return true;
    uint32_t questions[] = {bound(opening, variable, true), bound(opening, variable, false),
                            expr_make_not(opening->pool, all)};
    for (size_t i = 0; i < BASE_COUNT(questions); i++)
        if (search_is_constant(opening->pool, questions[i]))
            questions[i] = expr_constant(opening->pool, questions[i]) ? 0 : UINT32_MAX;
    size_t count = 0;
    for (size_t i = 0; i < BASE_COUNT(questions); i++) {
        if (questions[i] == UINT32_MAX)
            return true;
        if (questions[i])
            questions[count++] = questions[i];
    }
    return solver_solve(opening->in->solver, opening->pool, questions, count, opening->input,
                        opening->in->size, NULL) == SOLVER_UNSAT;
}

static void tell_range(struct opening *opening, expr_name *names, void *context,
                       struct base_buffer *out) {
    const struct opened *variable = &opening->variables[0];
    const struct abi_node *node = expr_node(opening->pool, variable->node);
    unsigned width = node->width;
    int64_t most = width == 64           ? INT64_MAX
                   : variable->is_signed ? ((int64_t)1 << (width - 1)) - 1
                                         : ((int64_t)1 << width) - 1;
    int64_t least = variable->is_signed ? -most - 1 : 0;
    bool has_low = variable->low > least, has_high = variable->high < most;
    struct base_buffer name = {0};
    names(node->a, width / 8, context, &name);
    if (has_low || !has_high)
        base_buffer_print(out, "%s >= %" PRId64, name.data, variable->low);
    if (has_high)
        base_buffer_print(out, "%s%s <= %" PRId64, has_low ? " && " : "", name.data,
                          variable->high);
    base_buffer_done(&name);
}

static void tell(struct opening *opening, expr_name *names, void *context, size_t limit,
                 struct base_buffer *out) {
    const struct search_ids *all = &opening->in->family->conditions;
    struct search_ids own = {0};
    bool of_others = false;
    for (size_t i = 0; i < all->count; i++)
        if (speaks_of(opening, all->data[i], &(bool){false})) {
            speaks_of(opening, all->data[i], &of_others);
            base_push(&own, all->data[i]);
        }
    if (opening->in->also)
        base_push(&own, opening->in->also);
    base_buffer_add(out, "", 0);
    if (opening->count == 1 && !of_others && is_whole(opening, &own))
        tell_range(opening, names ? names : expr_name_bytes, context, out);
    else
        search_print_conditions(opening->in->family->walk, own.data, own.count,
                                &(struct search_printing){names, context, limit}, out);
    base_vector_done(&own);
}

bool search_family_settle(const struct search_extreme *extreme, expr_name *names, void *context,
                          size_t limit, struct base_buffer *out) {
    struct opening opening = {.in = extreme,
                              .pool = extreme->family->walk->trace.pool,
                              .input = base_alloc(extreme->size + 1)};
    bool good = list_all(&opening);
    for (size_t i = 0; good && i < opening.count; i++)
        good = find_range(&opening, &opening.variables[i]);
    if (good)
        settle_variables(&opening);
    bool is_open = opening.count > 0;
    if (is_open && good)
        tell(&opening, names, context, limit, out);
    free(opening.input);
    return is_open;
}
