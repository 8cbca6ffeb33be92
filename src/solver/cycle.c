/* SPDX-License-Identifier: Apache-2.0
 *
 * Do the comparisons of a path contradict each other, whatever their sides mean? Each side, whether
 * a variable or a sum of many, is a node of a graph; a <= b is an edge, a < b a strict one. The
 * question is impossible if it closes a cycle with a strict edge. Signed, unsigned and
 * floating-point comparisons have a graph each; equations are edges of the first two. A
 * floating-point comparison that is false gives an edge only if neither side can be NaN.
 *
 * This stage only ever says "no". It finds contradictions between sums of path lengths in a graph
 * program at once, where the order stage has no variables to compare.
 */
#include "solver/internal.h"

#include <stdlib.h>
#include <string.h>

#define VISIT_LIMIT 2000

enum graph { UNSIGNED, SIGNED, FLOATS, GRAPHS };

struct edge {
    uint32_t to, next;
    bool strict;
    bool or_nan; /* unless one end is NaN */
};

struct point {
    uint32_t stamp;
    uint32_t edges[GRAPHS]; /* heads of lists, 0 = none */
    bool is_number;         /* not NaN: it occurs in a comparison that holds */
    /* Number of the visit that reached it, without and with a strict edge. */
    uint32_t seen[2];
};

/* a comparison in the form a <= b or a < b */
struct relation {
    uint32_t a, b;
    bool strict, equal, different, or_nan;
    bool in[GRAPHS];
};

struct cycle {
    BASE_VECTOR(struct point) points; /* by node */
    BASE_VECTOR(struct edge) edges;
    BASE_VECTOR(uint32_t) stack; /* node * 2 + strict */
    uint32_t stamp, visit;
};

static void *create(struct solver *solver) {
    (void)solver;
    return base_alloc(sizeof(struct cycle));
}

static void destroy(void *state) {
    struct cycle *cycle = state;
    base_vector_done(&cycle->points);
    base_vector_done(&cycle->edges);
    base_vector_done(&cycle->stack);
    free(cycle);
}

static void begin(struct solver *solver) {
    struct cycle *cycle = solver->states[SOLVER_STAGE_CYCLE];
    cycle->edges.count = 0;
    base_push(&cycle->edges, (struct edge){0}); /* 0 ends a list */
    cycle->stamp++;
}

static struct point *point_of(struct cycle *cycle, uint32_t node) {
    while (cycle->points.count <= node)
        base_push(&cycle->points, (struct point){0});
    struct point *point = &cycle->points.data[node];
    if (point->stamp != cycle->stamp)
        *point = (struct point){.stamp = cycle->stamp};
    return point;
}

/* Reads a comparison, negated or not; false for any other condition. */
static bool read_relation(const struct expr_pool *pool, uint32_t condition,
                          struct relation *relation) {
    struct abi_node node = *expr_node(pool, condition);
    bool negated = node.op == ABI_OP_NOT;
    if (negated)
        node = *expr_node(pool, node.a);
    bool floats = abi_op_compares_floats(node.op);
    if (!floats && (node.op < ABI_OP_EQ || node.op > ABI_OP_SLE))
        return false;
    bool equal = node.op == ABI_OP_EQ || node.op == ABI_OP_FEQ;
    *relation = (struct relation){.a = negated ? node.b : node.a,
                                  .b = negated ? node.a : node.b,
                                  .equal = equal && !negated,
                                  .different = equal && negated,
                                  .or_nan = floats && negated};
    relation->strict =
        (node.op == ABI_OP_ULT || node.op == ABI_OP_SLT || node.op == ABI_OP_FLT) != negated;
    relation->in[UNSIGNED] = node.op == ABI_OP_EQ || node.op == ABI_OP_ULT || node.op == ABI_OP_ULE;
    relation->in[SIGNED] = node.op == ABI_OP_EQ || node.op == ABI_OP_SLT || node.op == ABI_OP_SLE;
    relation->in[FLOATS] = floats;
    return true;
}

static void add_edge(struct cycle *cycle, enum graph graph, uint32_t from, uint32_t to, bool strict,
                     bool or_nan) {
    uint32_t *head = &point_of(cycle, from)->edges[graph];
    base_push(&cycle->edges, (struct edge){to, *head, strict, or_nan});
    *head = (uint32_t)cycle->edges.count - 1;
}

static bool add_condition(struct solver *solver, uint32_t condition) {
    struct cycle *cycle = solver->states[SOLVER_STAGE_CYCLE];
    struct relation relation;
    if (!read_relation(solver->pool, condition, &relation) || relation.different)
        return false;
    for (unsigned graph = 0; graph < GRAPHS; graph++) {
        if (!relation.in[graph])
            continue;
        add_edge(cycle, graph, relation.a, relation.b, relation.strict && !relation.equal,
                 relation.or_nan);
        if (relation.equal)
            add_edge(cycle, graph, relation.b, relation.a, false, false);
    }
    if (relation.in[FLOATS] && !relation.or_nan) {
        point_of(cycle, relation.a)->is_number = true;
        point_of(cycle, relation.b)->is_number = true;
    }
    return false;
}

static bool holds(struct cycle *cycle, uint32_t from, const struct edge *edge) {
    return !edge->or_nan ||
           (point_of(cycle, from)->is_number && point_of(cycle, edge->to)->is_number);
}

static void reach(struct cycle *cycle, uint32_t node, bool strict) {
    struct point *point = point_of(cycle, node);
    if (point->seen[strict] == cycle->visit)
        return;
    point->seen[strict] = cycle->visit;
    base_push(&cycle->stack, node * 2 + strict);
}

/* Is there a path from FROM to TO, with a strict edge if NEED_STRICT? "No" also if it is too
 * long. */
static bool leads_to(struct cycle *cycle, enum graph graph, uint32_t from, uint32_t to,
                     bool need_strict) {
    cycle->visit++;
    cycle->stack.count = 0;
    reach(cycle, from, false);
    for (unsigned visits = 0; cycle->stack.count && visits < VISIT_LIMIT; visits++) {
        uint32_t top = cycle->stack.data[--cycle->stack.count];
        uint32_t node = top / 2;
        bool strict = top & 1;
        if (node == to && (strict || !need_strict))
            return true;
        for (uint32_t at = point_of(cycle, node)->edges[graph]; at;) {
            struct edge edge = cycle->edges.data[at];
            if (holds(cycle, node, &edge))
                reach(cycle, edge.to, strict || edge.strict);
            at = edge.next;
        }
    }
    return false;
}

/* A relation that NaN violates is impossible only between numbers. */
static bool may_be_nan(struct cycle *cycle, const struct relation *relation) {
    return relation->or_nan &&
           !(point_of(cycle, relation->a)->is_number && point_of(cycle, relation->b)->is_number);
}

static bool is_impossible(struct cycle *cycle, const struct relation *relation, enum graph graph) {
    if (may_be_nan(cycle, relation))
        return false;
    if (relation->different)
        return leads_to(cycle, graph, relation->a, relation->b, false) &&
               leads_to(cycle, graph, relation->b, relation->a, false);
    if (relation->equal)
        return leads_to(cycle, graph, relation->a, relation->b, true) ||
               leads_to(cycle, graph, relation->b, relation->a, true);
    return leads_to(cycle, graph, relation->b, relation->a, !relation->strict);
}

static bool is_impossible_anywhere(struct cycle *cycle, const struct relation *relation) {
    for (unsigned graph = 0; graph < GRAPHS; graph++)
        if (relation->in[graph] && is_impossible(cycle, relation, graph))
            return true;
    return false;
}

/* A comparison that must hold makes numbers of both sides for the duration of the question. */
static bool is_impossible_for_numbers(struct cycle *cycle, const struct relation *relation) {
    bool a = point_of(cycle, relation->a)->is_number, b = point_of(cycle, relation->b)->is_number;
    bool known = relation->in[FLOATS] && !relation->or_nan;
    point_of(cycle, relation->a)->is_number |= known;
    point_of(cycle, relation->b)->is_number |= known;
    bool impossible = is_impossible_anywhere(cycle, relation);
    point_of(cycle, relation->b)->is_number = b;
    point_of(cycle, relation->a)->is_number = a;
    return impossible;
}

static enum solver_answer ask(struct solver *solver, struct question *question) {
    struct cycle *cycle = solver->states[SOLVER_STAGE_CYCLE];
    struct relation relation;
    for (size_t i = 0; i < question->count; i++)
        if (read_relation(solver->pool, question->conditions[i], &relation) &&
            is_impossible_for_numbers(cycle, &relation))
            return SOLVER_UNSAT;
    return SOLVER_UNKNOWN;
}

const struct stage cycle_stage = {
    .create = create, .destroy = destroy, .begin = begin, .add = add_condition, .ask = ask};
