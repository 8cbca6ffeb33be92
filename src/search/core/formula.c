/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a path cost, as a function of its input? Amounts that depend on the input are gathered
 * along the path: sizes of blocks, lengths of copies, what the user counts. Their expressions are
 * the terms; the constant is what the run cost minus these amounts.
 *
 * The peak of the heap is the maximum of several sums, one for each allocation after the first
 * block of open size. A sum that has all blocks of another and no smaller constant dominates it;
 * the maximum of the remaining ones is built with select expressions.
 */
#include "search/core/family.h"

#include <stdlib.h>

#define MOST_MOMENTS 32 /* not dominated by another */

/* ---- the heap over time ---- */

/* Sizes are in order of allocation in all moments, so both are sorted alike. */
static bool has_all(const struct search_ids *of, const struct search_ids *in) {
    size_t k = 0;
    for (size_t i = 0; i < of->count; i++, k++) {
        while (k < in->count && in->data[k] != of->data[i])
            k++;
        if (k == in->count)
            return false;
    }
    return true;
}

static bool outdoes(const struct search_moment *a, const struct search_moment *b) {
    return a->constant >= b->constant && has_all(&b->sizes, &a->sizes);
}

static void add_moment(struct search_formulas *formulas, struct search_moment *moment) {
    size_t kept = 0;
    for (size_t i = 0; i < formulas->moments.count; i++)
        if (outdoes(&formulas->moments.data[i], moment)) {
            base_vector_done(&moment->sizes);
            return;
        }
    for (size_t i = 0; i < formulas->moments.count; i++)
        if (outdoes(moment, &formulas->moments.data[i]))
            base_vector_done(&formulas->moments.data[i].sizes);
        else
            formulas->moments.data[kept++] = formulas->moments.data[i];
    formulas->moments.count = kept;
    base_push(&formulas->moments, *moment);
}

/* What is live now: blocks of open size, and the remaining bytes as a constant. */
static struct search_moment live_now(const struct search_formulas *formulas, uint64_t live) {
    struct search_moment now = {.constant = live};
    for (size_t i = 0; i < formulas->open.count; i++) {
        const struct search_block *block = &formulas->blocks.data[formulas->open.data[i] - 1];
        now.constant -= block->value;
        base_push(&now.sizes, block->size);
    }
    return now;
}

static void release(struct search_formulas *formulas, uint32_t number) {
    size_t kept = 0;
    for (size_t i = 0; i < formulas->open.count; i++)
        if (formulas->open.data[i] != number)
            formulas->open.data[kept++] = formulas->open.data[i];
    formulas->open.count = kept;
}

static uint32_t widen(struct expr_pool *pool, uint32_t expr) {
    bool is_wide = expr_node(pool, expr)->width == 64;
    return is_wide ? expr : expr_make(pool, ABI_OP_ZEXT, 64, 0, expr, 0, 0);
}

static void add_term(struct search_formula *formula, struct expr_pool *pool,
                     const struct search_step *step) {
    base_push(&formula->terms, widen(pool, step->expr));
    formula->constant -= step->value;
}

/* The walk's costs are those before the allocation. */
static void allocate(struct search_formulas *formulas, const struct search_walk *walk,
                     const struct search_step *step) {
    bool is_open = !search_is_constant(walk->trace.pool, step->expr);
    if (!formulas->blocks.count && !formulas->moments.count)
        base_push(&formulas->moments,
                  ((struct search_moment){.constant = walk->costs[ABI_COST_MEMORY]}));
    base_push(&formulas->blocks, ((struct search_block){step->expr, step->value}));
    if (is_open) {
        base_push(&formulas->open, (uint32_t)formulas->blocks.count);
        add_term(&formulas->of[ABI_COST_ALLOCATED], walk->trace.pool, step);
    }
    struct search_moment now = live_now(formulas, walk->costs[ABI_COST_LIVE] + step->value);
    if (formulas->moments.count < MOST_MOMENTS)
        add_moment(formulas, &now);
    else {
        formulas->of[ABI_COST_MEMORY].is_unknown = true;
        base_vector_done(&now.sizes);
    }
}

void search_formulas_step(struct search_formulas *formulas, const struct search_walk *walk,
                          const struct search_step *step) {
    if (step->kind == SEARCH_ALLOCATION) {
        allocate(formulas, walk, step);
    } else if (step->kind == SEARCH_FREE) {
        release(formulas, step->object);
    } else if (step->kind == SEARCH_AMOUNT && !search_is_constant(walk->trace.pool, step->expr)) {
        add_term(&formulas->of[step->site], walk->trace.pool, step);
    }
}

/* ---- sums ---- */

static uint32_t add(struct expr_pool *pool, uint32_t a, uint32_t b) {
    return expr_make(pool, ABI_OP_ADD, 64, 0, a, b, 0);
}

static uint32_t sum_of(struct expr_pool *pool, uint64_t constant, const struct search_ids *terms) {
    uint32_t sum = expr_make_constant(pool, 64, constant);
    for (size_t i = 0; i < terms->count; i++)
        sum = add(pool, terms->data[i], sum);
    return sum;
}

uint32_t search_formula_expr(struct expr_pool *pool, const struct search_formula *formula) {
    return sum_of(pool, formula->constant, &formula->terms);
}

/* The maximum of all moments. A single sum stays a sum, so that it is printed as one. */
static void find_peak(struct search_formulas *formulas, struct expr_pool *pool) {
    struct search_formula *peak = &formulas->of[ABI_COST_MEMORY];
    if (peak->is_unknown || !formulas->moments.count)
        return;
    if (formulas->moments.count == 1) {
        peak->constant = formulas->moments.data[0].constant;
        for (size_t i = 0; i < formulas->moments.data[0].sizes.count; i++)
            base_push(&peak->terms, formulas->moments.data[0].sizes.data[i]);
        return;
    }
    uint32_t most = 0;
    for (size_t i = 0; i < formulas->moments.count; i++) {
        const struct search_moment *moment = &formulas->moments.data[i];
        uint32_t sum = sum_of(pool, moment->constant, &moment->sizes);
        uint32_t is_less = most ? expr_make(pool, ABI_OP_ULT, 1, 0, most, sum, 0) : 0;
        most = most ? expr_make(pool, ABI_OP_ITE, 64, 0, is_less, sum, most) : sum;
    }
    if (search_is_constant(pool, most)) {
        peak->constant = expr_constant(pool, most);
        return;
    }
    peak->constant = 0;
    base_push(&peak->terms, most);
}

void search_formulas_end(struct search_formulas *formulas, const struct search_walk *walk) {
    struct search_moment left = live_now(formulas, walk->costs[ABI_COST_LIVE]);
    for (int i = 0; i < ABI_COST_COUNT; i++)
        formulas->of[i].constant += walk->costs[i];
    formulas->of[ABI_COST_INSTRUCTIONS].constant +=
        walk->trace.cost - walk->costs[ABI_COST_INSTRUCTIONS];
    formulas->of[ABI_COST_CALLS].constant += walk->trace.calls - walk->costs[ABI_COST_CALLS];
    formulas->of[ABI_COST_LIVE].constant = left.constant;
    formulas->of[ABI_COST_LIVE].terms = left.sizes;
    find_peak(formulas, walk->trace.pool);
}

void search_formulas_done(struct search_formulas *formulas) {
    for (int i = 0; i < ABI_COST_COUNT; i++)
        base_vector_done(&formulas->of[i].terms);
    for (size_t i = 0; i < formulas->moments.count; i++)
        base_vector_done(&formulas->moments.data[i].sizes);
    base_vector_done(&formulas->moments);
    base_vector_done(&formulas->blocks);
    base_vector_done(&formulas->open);
}
