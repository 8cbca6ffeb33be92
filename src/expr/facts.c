/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known about an expression at the place where it is printed? In a && b, b is evaluated
 * only if a holds, and the cost of a path is printed for inputs that take the path. Comparisons
 * with constants that hold bound the other side; a piece with narrower bounds needs fewer casts and
 * guards.
 */
#include "expr/piece.h"

#include <stdlib.h>

static struct bounds intersection(struct bounds a, struct bounds b) {
    struct bounds both = {a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
    return both.low <= both.high ? both : a; /* ignore a contradiction */
}

static struct fact *fact_of(struct printer *to, uint32_t id) {
    if (!to->fact_of)
        to->fact_of = base_alloc(to->pool->count * sizeof *to->fact_of);
    if (!to->fact_of[id]) {
        unsigned width = to->pool->nodes[id].width;
        base_push(&to->facts,
                  (struct fact){piece_bits(false, width), piece_bits(true, width), false});
        to->fact_of[id] = (uint32_t)to->facts.count;
    }
    return &to->facts.data[to->fact_of[id] - 1];
}

/* For a non-negative number, the signed and unsigned readings are equal. */
static void agree(struct fact *fact, unsigned width) {
    if (fact->as_unsigned.high <= piece_bits(true, width).high)
        fact->as_signed = intersection(fact->as_signed, fact->as_unsigned);
    if (fact->as_signed.low >= 0)
        fact->as_unsigned = intersection(fact->as_unsigned, fact->as_signed);
}

wide constant_as(const struct expr_pool *pool, uint32_t id, bool is_signed) {
    unsigned unused = 64 - pool->nodes[id].width;
    return is_signed ? (wide)((int64_t)(constant_of(pool, id) << unused) >> unused)
                     : (wide)constant_of(pool, id);
}

static void learn_order(struct printer *to, const struct abi_node *node) {
    bool is_signed = node->op == ABI_OP_SLT || node->op == ABI_OP_SLE;
    bool strict = node->op == ABI_OP_SLT || node->op == ABI_OP_ULT;
    bool is_below = is_constant(to->pool, node->b);
    if (!is_below && !is_constant(to->pool, node->a))
        return;
    struct fact *fact = fact_of(to, is_below ? node->a : node->b);
    struct bounds *known = is_signed ? &fact->as_signed : &fact->as_unsigned, news = *known;
    wide limit = constant_as(to->pool, is_below ? node->b : node->a, is_signed);
    if (is_below)
        news.high = limit - strict;
    else
        news.low = limit + strict;
    *known = intersection(*known, news);
    agree(fact, to->pool->nodes[node->a].width);
}

static void learn_equal(struct printer *to, const struct abi_node *node) {
    if (!is_constant(to->pool, node->b))
        return;
    struct fact *fact = fact_of(to, node->a);
    wide value = constant_as(to->pool, node->b, false),
         number = constant_as(to->pool, node->b, true);
    fact->as_unsigned = intersection(fact->as_unsigned, (struct bounds){value, value});
    fact->as_signed = intersection(fact->as_signed, (struct bounds){number, number});
    fact->is_nonzero |= value != 0;
}

static void learn_different(struct printer *to, const struct abi_node *node) {
    if (is_constant(to->pool, node->b) && constant_of(to->pool, node->b) == 0)
        fact_of(to, node->a)->is_nonzero = true;
}

void facts_learn(struct printer *to, uint32_t condition) {
    struct abi_node node = to->pool->nodes[condition];
    switch (node.op) {
    case ABI_OP_ULT:
    case ABI_OP_ULE:
    case ABI_OP_SLT:
    case ABI_OP_SLE:
        learn_order(to, &node);
        return;
    case ABI_OP_EQ:
        learn_equal(to, &node);
        return;
    case ABI_OP_NOT:
        if (to->pool->nodes[node.a].op == ABI_OP_EQ)
            learn_different(to, &to->pool->nodes[node.a]);
        return;
    default:
        return;
    }
}

void facts_repeat(struct printer *to, uint32_t condition) {
    fact_of(to, condition)->as_unsigned.low = 1;
}

bool facts_is_nonzero(const struct printer *to, uint32_t id) {
    return to->fact_of && to->fact_of[id] && to->facts.data[to->fact_of[id] - 1].is_nonzero;
}

void facts_narrow(const struct printer *to, uint32_t id, struct piece *piece) {
    if (!to->fact_of || !to->fact_of[id])
        return;
    const struct fact *fact = &to->facts.data[to->fact_of[id] - 1];
    unsigned width = to->pool->nodes[id].width;
    if (piece_is_zero_extended(piece, width))
        piece->bounds = intersection(piece->bounds, fact->as_unsigned);
    if (piece_is_sign_extended(piece, width))
        piece->bounds = intersection(piece->bounds, fact->as_signed);
}

void facts_forget(struct printer *to) {
    free(to->fact_of);
    base_vector_done(&to->facts);
}
