/* SPDX-License-Identifier: Apache-2.0
 *
 * Which blocks always run equally often? Then one counter serves them all.
 *
 * Each block becomes an edge, from where it begins to where it ends, and an outside is added that
 * leads to the entry and follows the blocks that end the graph. A run is then a closed walk, which
 * is a sum of cycles, so two blocks run equally often if every cycle has both or neither. In a
 * strongly connected graph these are the pairs of edges whose removal separates it, directions
 * ignored (Johnson, Pearson, Pingali, "The Program Structure Tree", 1994). They are found by
 * labels: each edge outside of a spanning tree gets a random number, each edge of the tree the
 * exclusive or of those whose cycles it closes; edges are such a pair if their labels are equal (a
 * bridge has 0). Numbers come from a hash of the edge, so the same graph always has the same
 * result.
 */
#include "ir/graph.h"

#include <stdlib.h>
#include <string.h>

/* Node 0 is the outside, 1 + 2 * B where block B begins, 2 + 2 * B where it ends. */
static uint32_t begin_of(uint32_t block) {
    return 1 + 2 * block;
}

static uint32_t end_of(uint32_t block) {
    return 2 + 2 * block;
}

struct edge {
    uint32_t from, to;
};

struct web {
    BASE_VECTOR(struct edge) edges; /* the first of all: one per block */
    uint32_t nodes;
    uint32_t *first, *ends; /* edges at each node */
    uint32_t *above;        /* the edge of the tree that leads to a node, + 1; 0: not reached */
    uint32_t *order;        /* nodes, parents first */
    uint32_t reached;
    uint64_t *labels; /* of edges */
    uint64_t
        *crossing; /* of nodes: exclusive or of the labels of the other edges at it and below */
};

/* ---- the graph ---- */

/* Blocks that reach the outside: the others run for ever, or end the program. */
static bool *find_ending(const struct ir_graph *graph, const bool *leaves) {
    bool *ends = base_alloc(graph->count + 1), changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = graph->count; i-- > 0;) {
            bool now = leaves[i] || graph->first[i] == graph->first[i + 1];
            for (uint32_t s = graph->first[i]; s < graph->first[i + 1] && !now; s++)
                now = ends[graph->successors[s]];
            changed |= now && !ends[i];
            ends[i] |= now;
        }
    }
    return ends;
}

static void add_edges(struct web *web, const struct ir_graph *graph, const bool *leaves) {
    bool *ends = find_ending(graph, leaves);
    for (uint32_t i = 0; i < graph->count; i++)
        base_push(&web->edges, (struct edge){begin_of(i), end_of(i)});
    base_push(&web->edges, (struct edge){0, begin_of(0)});
    for (uint32_t i = 0; i < graph->count; i++) {
        if (leaves[i] || !ends[i] || graph->first[i] == graph->first[i + 1])
            base_push(&web->edges, (struct edge){end_of(i), 0});
        for (uint32_t s = graph->first[i]; s < graph->first[i + 1]; s++)
            base_push(&web->edges, (struct edge){end_of(i), begin_of(graph->successors[s])});
    }
    free(ends);
}

static void index_edges(struct web *web) {
    web->first = base_alloc((web->nodes + 1) * sizeof *web->first);
    web->ends = base_alloc(2 * web->edges.count * sizeof *web->ends);
    for (size_t i = 0; i < web->edges.count; i++) {
        web->first[web->edges.data[i].from]++;
        web->first[web->edges.data[i].to]++;
    }
    for (uint32_t i = 0; i < web->nodes; i++)
        web->first[i + 1] += web->first[i];
    for (size_t i = web->edges.count; i-- > 0;) {
        web->ends[--web->first[web->edges.data[i].from]] = (uint32_t)i;
        web->ends[--web->first[web->edges.data[i].to]] = (uint32_t)i;
    }
}

/* ---- labels ---- */

static void span_tree(struct web *web) {
    web->above = base_alloc(web->nodes * sizeof *web->above);
    web->order = base_alloc(web->nodes * sizeof *web->order);
    web->above[0] = UINT32_MAX;
    web->order[web->reached++] = 0;
    for (uint32_t next = 0; next < web->reached; next++) {
        uint32_t node = web->order[next];
        for (uint32_t i = web->first[node]; i < web->first[node + 1]; i++) {
            const struct edge *edge = &web->edges.data[web->ends[i]];
            uint32_t other = edge->from == node ? edge->to : edge->from;
            if (web->above[other])
                continue;
            web->above[other] = web->ends[i] + 1;
            web->order[web->reached++] = other;
        }
    }
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t random_of(uint64_t number) {
    number = (number + 1) * 0x9e3779b97f4a7c15u;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

static bool is_in_tree(const struct web *web, uint32_t edge) {
    const struct edge *at = &web->edges.data[edge];
    return web->above[at->from] == edge + 1 || web->above[at->to] == edge + 1;
}

static void label(struct web *web) {
    web->labels = base_alloc(web->edges.count * sizeof *web->labels);
    web->crossing = base_alloc(web->nodes * sizeof *web->crossing);
    for (uint32_t i = 0; i < web->edges.count; i++) {
        const struct edge *edge = &web->edges.data[i];
        if (!web->above[edge->from] || !web->above[edge->to] || is_in_tree(web, i))
            continue;
        web->labels[i] = random_of(i);
        web->crossing[edge->from] ^= web->labels[i];
        web->crossing[edge->to] ^= web->labels[i];
    }
    for (uint32_t i = web->reached; i-- > 1;) {
        uint32_t node = web->order[i], edge = web->above[node] - 1;
        const struct edge *above = &web->edges.data[edge];
        web->labels[edge] = web->crossing[node];
        web->crossing[above->from == node ? above->to : above->from] ^= web->crossing[node];
    }
}

/* ---- the answer ---- */

struct labelled {
    uint64_t label;
    uint32_t block;
};

static int by_label(const void *left, const void *right) {
    const struct labelled *a = left, *b = right;
    if (a->label != b->label)
        return a->label < b->label ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

static void group(const struct web *web, uint32_t count, uint32_t *first) {
    struct labelled *all = base_alloc((count + 1) * sizeof *all);
    for (uint32_t i = 0; i < count; i++)
        all[i] = (struct labelled){web->labels[i], i};
    qsort(all, count, sizeof *all, by_label);
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = !i || !all[i].label || all[i].label != all[i - 1].label;
        first[all[i].block] = is_new ? all[i].block : first[all[i - 1].block];
    }
    free(all);
}

void ir_graph_together(const struct ir_graph *graph, const bool *leaves, uint32_t *first) {
    if (!graph->count)
        return;
    struct web web = {.nodes = 1 + 2 * graph->count};
    add_edges(&web, graph, leaves);
    index_edges(&web);
    span_tree(&web);
    label(&web);
    group(&web, graph->count, first);
    base_vector_done(&web.edges);
    free(web.first);
    free(web.ends);
    free(web.above);
    free(web.order);
    free(web.labels);
    free(web.crossing);
}
