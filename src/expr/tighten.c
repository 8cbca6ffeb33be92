/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of many conditions are enough? A path asks n > 0, n > 1, n > 2; a person writes n > 2. Of
 * the comparisons of one expression with constants, the tightest replaces the first: from there on
 * all others are implied. An expression evaluated only if an earlier condition holds still is.
 */
#include "expr/piece.h"

#include <stdlib.h>

enum side { EQUAL, LOW, HIGH, SIGNED_LOW, SIGNED_HIGH, SIDES, DIFFERENT };

struct atom {      /* a comparison of an expression with a constant */
    uint32_t expr; /* 0: something else */
    enum side side;
    wide limit; /* the first allowed value, or the last; for DIFFERENT the excluded one */
};

struct tightest {
    uint32_t condition[SIDES]; /* 0: none */
    wide limit[SIDES];
};

static struct atom read_order(const struct expr_pool *pool, const struct abi_node *node) {
    bool is_signed = node->op == ABI_OP_SLT || node->op == ABI_OP_SLE;
    bool strict = node->op == ABI_OP_SLT || node->op == ABI_OP_ULT;
    if (is_constant(pool, node->b))
        return (struct atom){node->a, is_signed ? SIGNED_HIGH : HIGH,
                             constant_as(pool, node->b, is_signed) - strict};
    if (is_constant(pool, node->a))
        return (struct atom){node->b, is_signed ? SIGNED_LOW : LOW,
                             constant_as(pool, node->a, is_signed) + strict};
    return (struct atom){0};
}

static struct atom read_atom(const struct expr_pool *pool, uint32_t condition) {
    struct abi_node node = pool->nodes[condition];
    bool is_not = node.op == ABI_OP_NOT;
    if (is_not)
        node = pool->nodes[node.a];
    if (node.op == ABI_OP_EQ && is_constant(pool, node.b))
        return (struct atom){node.a, is_not ? DIFFERENT : EQUAL, constant_as(pool, node.b, false)};
    bool is_order = node.op == ABI_OP_ULT || node.op == ABI_OP_ULE || node.op == ABI_OP_SLT ||
                    node.op == ABI_OP_SLE;
    return is_order && !is_not ? read_order(pool, &node) : (struct atom){0};
}

static void note(struct tightest *of, const struct atom *atom, uint32_t condition) {
    bool is_low = atom->side == LOW || atom->side == SIGNED_LOW;
    wide *limit = &of->limit[atom->side];
    if (of->condition[atom->side] && (is_low ? atom->limit <= *limit : atom->limit >= *limit))
        return;
    *limit = atom->limit;
    of->condition[atom->side] = condition;
}

/* Does the comparison hold for the value that the expression must equal? Conditions may contradict
 * each other. */
static bool holds(const struct expr_pool *pool, const struct tightest *of,
                  const struct atom *atom) {
    wide value = of->limit[EQUAL];
    if (atom->side == SIGNED_LOW || atom->side == SIGNED_HIGH)
        value = constant_as(pool, pool->nodes[of->condition[EQUAL]].b, true);
    switch (atom->side) {
    case EQUAL:
        return value == atom->limit;
    case DIFFERENT:
        return value != atom->limit;
    case LOW:
    case SIGNED_LOW:
        return value >= atom->limit;
    default:
        return value <= atom->limit;
    }
}

/* The condition that implies the others. */
static uint32_t choose(const struct expr_pool *pool, const struct tightest *of,
                       const struct atom *atom, uint32_t condition) {
    if (of->condition[EQUAL])
        return holds(pool, of, atom) ? of->condition[EQUAL] : condition;
    if (atom->side != DIFFERENT)
        return of->condition[atom->side];
    if (of->condition[LOW] && of->limit[LOW] > atom->limit)
        return of->condition[LOW];
    if (of->condition[HIGH] && of->limit[HIGH] < atom->limit)
        return of->condition[HIGH];
    return condition;
}

uint32_t *tighten(const struct expr_pool *pool, const uint32_t *conditions, size_t count) {
    uint32_t *tight = base_alloc((count + 1) * sizeof *tight);
    uint32_t *number = base_alloc(pool->count * sizeof *number); /* by expression, from 1 */
    BASE_VECTOR(struct tightest) all = {0};
    for (size_t i = 0; i < count; i++) {
        struct atom atom = read_atom(pool, conditions[i]);
        if (!atom.expr)
            continue;
        if (!number[atom.expr]) {
            base_push(&all, (struct tightest){0});
            number[atom.expr] = (uint32_t)all.count;
        }
        if (atom.side != DIFFERENT)
            note(&all.data[number[atom.expr] - 1], &atom, conditions[i]);
    }
    for (size_t i = 0; i < count; i++) {
        struct atom atom = read_atom(pool, conditions[i]);
        tight[i] = atom.expr ? choose(pool, &all.data[number[atom.expr] - 1], &atom, conditions[i])
                             : conditions[i];
    }
    base_vector_done(&all);
    free(number);
    return tight;
}
