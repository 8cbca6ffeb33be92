/* SPDX-License-Identifier: Apache-2.0
 *
 * Do the comparisons of a path contradict each other whatever their sides mean? Each side, be it a
 * variable or a sum of many, is a point of a graph; a <= b is an edge, a < b a strict one. What the
 * question asks is impossible when it closes a cycle with a strict edge in it. Signed and unsigned
 * comparisons have a graph each; equations are edges of both.
 *
 * This stage only ever says "no". It sees at once what sums of path lengths in a graph program
 * contradict, where the order stage has no variables to compare.
 */
#include "solver/internal.h"

#include <stdlib.h>
#include <string.h>

#define VISIT_LIMIT 2000

enum graph { UNSIGNED, SIGNED, GRAPHS };

struct edge {
    uint32_t to, next;
    bool strict;
};

struct point {
    uint32_t stamp;
    uint32_t edges[GRAPHS]; /* heads of lists, 0 = none */
    uint32_t seen[2];       /* visit in which it was reached: without and with a strict edge */
};

/* a comparison in the form a <= b or a < b */
struct relation {
    uint32_t a, b;
    bool strict, equal, different;
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

/* Reads a comparison, negated or not; false if the condition is something else. */
static bool read_relation(const struct expr_pool *pool, uint32_t condition,
                          struct relation *relation) {
    struct abi_node node = *expr_node(pool, condition);
    bool negated = node.op == ABI_OP_NOT;
    if (negated)
        node = *expr_node(pool, node.a);
    if (node.op < ABI_OP_EQ || node.op > ABI_OP_SLE)
        return false;
    bool equal = node.op == ABI_OP_EQ;
    *relation = (struct relation){.a = negated ? node.b : node.a,
                                  .b = negated ? node.a : node.b,
                                  .equal = equal && !negated,
                                  .different = equal && negated};
    relation->strict = (node.op == ABI_OP_ULT || node.op == ABI_OP_SLT) != negated;
    relation->in[UNSIGNED] = equal || node.op == ABI_OP_ULT || node.op == ABI_OP_ULE;
    relation->in[SIGNED] = equal || node.op == ABI_OP_SLT || node.op == ABI_OP_SLE;
    return true;
}

static void add_edge(struct cycle *cycle, enum graph graph, uint32_t from, uint32_t to,
                     bool strict) {
    uint32_t *head = &point_of(cycle, from)->edges[graph];
    base_push(&cycle->edges, (struct edge){to, *head, strict});
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
        add_edge(cycle, graph, relation.a, relation.b, relation.strict && !relation.equal);
        if (relation.equal)
            add_edge(cycle, graph, relation.b, relation.a, false);
    }
    return false;
}

static void reach(struct cycle *cycle, uint32_t node, bool strict) {
    struct point *point = point_of(cycle, node);
    if (point->seen[strict] == cycle->visit)
        return;
    point->seen[strict] = cycle->visit;
    base_push(&cycle->stack, node * 2 + strict);
}

/* Is there a way from FROM to TO, with a strict edge if NEED_STRICT? "No" also when it is far. */
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
        for (uint32_t at = point_of(cycle, node)->edges[graph]; at; at = cycle->edges.data[at].next)
            reach(cycle, cycle->edges.data[at].to, strict || cycle->edges.data[at].strict);
    }
    return false;
}

static bool is_impossible(struct cycle *cycle, const struct relation *relation, enum graph graph) {
    if (relation->different)
        return leads_to(cycle, graph, relation->a, relation->b, false) &&
               leads_to(cycle, graph, relation->b, relation->a, false);
    if (relation->equal)
        return leads_to(cycle, graph, relation->a, relation->b, true) ||
               leads_to(cycle, graph, relation->b, relation->a, true);
    return leads_to(cycle, graph, relation->b, relation->a, !relation->strict);
}

static enum solver_answer ask(struct solver *solver, struct question *question) {
    struct cycle *cycle = solver->states[SOLVER_STAGE_CYCLE];
    struct relation relation;
    for (size_t i = 0; i < question->count; i++)
        if (read_relation(solver->pool, question->conditions[i], &relation))
            for (unsigned graph = 0; graph < GRAPHS; graph++)
                if (relation.in[graph] && is_impossible(cycle, &relation, graph))
                    return SOLVER_UNSAT;
    return SOLVER_UNKNOWN;
}

const struct stage cycle_stage = {create, destroy, begin, add_condition, ask, NULL};
