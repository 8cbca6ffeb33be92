/* SPDX-License-Identifier: Apache-2.0
 *
 * Where did the cost go, by call path?
 *
 * Block counts say how often each call was made, but not what it cost. A function's cost is divided
 * among its callers by their numbers of calls. An indirect call is assumed to reach the functions
 * of its type, by the numbers of their calls that no direct call explains. A recursive function is
 * a single node, with all of its cost in the first call. Everything else, such as signal handlers
 * and constructors, gets nodes next to the entry.
 */
#include "measure/tree.h"

#include "ir/facts.h"
#include "measure/weights.h"

#include <stdlib.h>
#include <string.h>

#define DEEPEST 60
#define MOST_NODES 20000

struct edge {
    uint32_t from, to;
    double calls;
};

struct growing {
    const struct measure_profile *profile;
    struct measure_tree *tree;
    BASE_VECTOR(struct edge) edges;
    double *own;     /* cost by function */
    double *entered; /* calls by function, except recursive ones */
    double *placed;  /* cost that has a node already */
    bool *active;    /* on the path from the root */
    double least;
};

static double calls_of(const struct growing *growing, uint32_t function) {
    const struct ir_function *at = &growing->profile->facts->functions[function];
    return at->block_count ? (double)growing->profile->counts[at->first_block + 1] : 0;
}

/* ---- the call graph ---- */

static void add_edge(struct growing *growing, uint32_t from, uint32_t to, double calls) {
    for (size_t i = growing->edges.count; i > 0; i--) {
        struct edge *edge = &growing->edges.data[i - 1];
        if (edge->from != from)
            break; /* the edges of a caller are adjacent */
        if (edge->to == to) {
            edge->calls += calls;
            return;
        }
    }
    base_push(&growing->edges, (struct edge){from, to, calls});
}

static void add_direct(struct growing *growing, double *explained) {
    const struct ir_facts *facts = growing->profile->facts;
    for (uint32_t i = 0; i < facts->block_count; i++) {
        const struct ir_block *block = &facts->blocks[i];
        double times = (double)growing->profile->counts[i + 1];
        for (uint32_t j = 0; times > 0 && j < block->call_count; j++) {
            uint32_t callee = facts->calls[block->first_call + j].callee;
            if (callee == IR_NONE || !facts->functions[callee].block_count)
                continue;
            add_edge(growing, block->function, callee, times);
            explained[callee] += times;
        }
    }
}

struct reached {
    struct growing *growing;
    const double *explained;
    double sum, times;
    uint32_t from;
};

static double unexplained(const struct reached *reached, uint32_t function) {
    double left = calls_of(reached->growing, function) - reached->explained[function];
    return left > 0 ? left : 0;
}

static void sum_reached(uint32_t function, void *context) {
    struct reached *reached = context;
    reached->sum += unexplained(reached, function);
}

static void add_reached(uint32_t function, void *context) {
    struct reached *reached = context;
    double share = unexplained(reached, function);
    if (share > 0)
        add_edge(reached->growing, reached->from, function, reached->times * share / reached->sum);
}

static void add_indirect(struct growing *growing, const double *explained) {
    const struct ir_facts *facts = growing->profile->facts;
    for (uint32_t i = 0; i < facts->block_count; i++) {
        const struct ir_block *block = &facts->blocks[i];
        double times = (double)growing->profile->counts[i + 1];
        for (uint32_t j = 0; times > 0 && j < block->call_count; j++) {
            const struct ir_call *call = &facts->calls[block->first_call + j];
            struct reached reached = {growing, explained, 0, times, block->function};
            if (call->callee != IR_NONE)
                continue;
            ir_call_targets(facts, call, sum_reached, &reached);
            if (reached.sum > 0)
                ir_call_targets(facts, call, add_reached, &reached);
        }
    }
}

static int by_callers(const void *a, const void *b) {
    const struct edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void find_edges(struct growing *growing) {
    double *explained = base_alloc((growing->profile->facts->function_count + 1) * sizeof(double));
    add_direct(growing, explained);
    add_indirect(growing, explained);
    if (growing->edges.count)
        qsort(growing->edges.data, growing->edges.count, sizeof(struct edge), by_callers);
    for (size_t i = 0; i < growing->edges.count; i++)
        if (growing->edges.data[i].from != growing->edges.data[i].to)
            growing->entered[growing->edges.data[i].to] += growing->edges.data[i].calls;
    free(explained);
}

/* ---- the tree ---- */

static uint32_t add_node(struct growing *growing, uint32_t function, const char *name,
                         uint32_t parent, double own) {
    struct measure_tree *tree = growing->tree;
    uint32_t depth = parent == IR_NONE ? 0 : tree->nodes.data[parent].depth + 1;
    base_push(&tree->nodes, (struct measure_node){function, name, parent, depth, own, 0});
    return (uint32_t)tree->nodes.count - 1;
}

static const char *name_of(const struct growing *growing, uint32_t function) {
    const struct ir_facts *facts = growing->profile->facts;
    return facts->strings + facts->functions[function].name;
}

/* Adds the functions reached by SHARE of FUNCTION's calls. */
static void add_function(struct growing *growing, uint32_t function, uint32_t parent,
                         double share) {
    uint32_t node = add_node(growing, function, name_of(growing, function), parent,
                             growing->own[function] * share);
    growing->placed[function] += growing->own[function] * share;
    if (growing->tree->nodes.data[node].depth >= DEEPEST || node >= MOST_NODES)
        return;
    growing->active[function] = true;
    for (size_t i = 0; i < growing->edges.count; i++) {
        const struct edge *edge = &growing->edges.data[i];
        if (edge->from != function || growing->active[edge->to])
            continue;
        double part = edge->calls * share / growing->entered[edge->to];
        if (part > growing->least)
            add_function(growing, edge->to, node, part < 1 ? part : 1);
    }
    growing->active[function] = false;
}

/* Nothing calls the entry; other functions without a caller become its siblings. */
static void add_rest(struct growing *growing, double total) {
    const struct ir_facts *facts = growing->profile->facts;
    double rest = 0;
    for (uint32_t f = 0; f < facts->function_count; f++) {
        double left = growing->own[f] - growing->placed[f];
        rest += left > 0 ? left : 0;
    }
    if (growing->profile->counts[0])
        add_node(growing, IR_NONE, measure_bytes_name, 0, (double)growing->profile->counts[0]);
    if (rest > total * growing->least)
        add_node(growing, IR_NONE, "(by other ways)", 0, rest);
}

/* Children follow their parents: going backwards, every sum is complete when it is added. */
static void sum_up(struct measure_tree *tree) {
    for (size_t i = tree->nodes.count; i-- > 0;) {
        struct measure_node *node = &tree->nodes.data[i];
        node->all += node->own;
        if (node->parent != IR_NONE)
            tree->nodes.data[node->parent].all += node->all;
    }
}

static void sum_functions(struct growing *growing) {
    const struct ir_facts *facts = growing->profile->facts;
    for (uint32_t i = 0; i < facts->block_count; i++)
        growing->own[facts->blocks[i].function] +=
            (double)growing->profile->counts[i + 1] * facts->blocks[i].instructions;
}

/* Removes nodes below LEAST with everything below them. */
static void prune(struct measure_tree *tree, double least) {
    uint32_t *moved = base_alloc((tree->nodes.count + 1) * sizeof *moved), kept = 0;
    for (size_t i = 0; i < tree->nodes.count; i++) {
        struct measure_node node = tree->nodes.data[i];
        bool stays = node.parent == IR_NONE ||
                     (moved[node.parent] != IR_NONE && node.all >= least * tree->nodes.data[0].all);
        moved[i] = stays ? kept : IR_NONE;
        if (!stays)
            continue;
        node.parent = node.parent == IR_NONE ? IR_NONE : moved[node.parent];
        tree->nodes.data[kept++] = node;
    }
    tree->nodes.count = kept;
    free(moved);
}

void measure_tree_make(const struct measure_profile *profile, double least,
                       struct measure_tree *tree) {
    size_t functions = profile->facts->function_count + 1;
    struct growing growing = {.profile = profile,
                              .tree = tree,
                              .own = base_alloc(functions * sizeof(double)),
                              .entered = base_alloc(functions * sizeof(double)),
                              .placed = base_alloc(functions * sizeof(double)),
                              .active = base_alloc(functions),
                              .least = least};
    *tree = (struct measure_tree){0};
    sum_functions(&growing);
    find_edges(&growing);
    add_node(&growing, IR_NONE, "all", IR_NONE, 0);
    for (uint32_t f = 0; f < profile->facts->function_count; f++)
        if (calls_of(&growing, f) > 0 && growing.entered[f] <= 0)
            add_function(&growing, f, 0, 1);
    add_rest(&growing, (double)measure_total(profile));
    sum_up(tree);
    prune(tree, least);
    base_vector_done(&growing.edges);
    free(growing.own);
    free(growing.entered);
    free(growing.placed);
    free(growing.active);
}

void measure_tree_done(struct measure_tree *tree) {
    base_vector_done(&tree->nodes);
}

static void print_way(const struct measure_tree *tree, uint32_t node, struct base_buffer *out) {
    if (tree->nodes.data[node].parent == IR_NONE)
        return;
    print_way(tree, tree->nodes.data[node].parent, out);
    base_buffer_print(out, "%s%s", tree->nodes.data[node].depth > 1 ? ";" : "",
                      tree->nodes.data[node].name);
}

void measure_tree_folded(const struct measure_tree *tree, struct base_buffer *out) {
    for (uint32_t i = 1; i < tree->nodes.count; i++) {
        if (tree->nodes.data[i].own < 0.5)
            continue;
        print_way(tree, i, out);
        base_buffer_print(out, " %.0f\n", tree->nodes.data[i].own);
    }
}
