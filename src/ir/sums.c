/* SPDX-License-Identifier: Apache-2.0
 *
 * Which blocks need no counter, because their count is a sum of others? That of a block is the sum
 * of its successors' if nothing else leads to them, and of its predecessors' if they lead nowhere
 * else (Knuth and Stevenson, "Optimal Measurement Points for Program Frequency Counts", 1973, have
 * the fewest counters; sums without differences are nearly as few and need no signs). Nothing may
 * leave in between, so a block that calls something is not counted by what follows it.
 *
 * Blocks that run together (together.c) are one: what holds of one holds of all. A sum may contain
 * sums, but not itself; they are listed in an order in which each contains only earlier ones.
 */
#include "ir/graph.h"

#include <stdlib.h>
#include <string.h>

#define MOST_STEPS 2000u /* of a look for a sum that would contain itself */

enum state { COUNTED, SUMMED, LISTED };

struct terms {
    uint32_t first, count; /* in `all` */
};

struct search {
    const struct ir_graph *graph;
    const bool *leaves;
    uint32_t *leader; /* of each block */
    uint32_t *first_predecessor, *predecessors;
    unsigned char *states; /* enum state, of leaders */
    struct terms *terms;   /* of leaders */
    BASE_VECTOR(uint32_t) all;
    uint32_t *seen, walk; /* by which walk a block was seen last */
    BASE_VECTOR(uint32_t) stack;
};

static void find_predecessors(struct search *search) {
    const struct ir_graph *graph = search->graph;
    uint32_t *first = base_alloc((graph->count + 2) * sizeof *first);
    uint32_t *list = base_alloc((graph->first[graph->count] + 1) * sizeof *list);
    for (uint32_t i = 0; i < graph->first[graph->count]; i++)
        first[graph->successors[i] + 1]++;
    for (uint32_t i = 0; i < graph->count; i++)
        first[i + 1] += first[i];
    uint32_t *next = base_alloc((graph->count + 1) * sizeof *next);
    memcpy(next, first, graph->count * sizeof *next);
    for (uint32_t i = 0; i < graph->count; i++)
        for (uint32_t s = graph->first[i]; s < graph->first[i + 1]; s++)
            list[next[graph->successors[s]]++] = i;
    free(next);
    search->first_predecessor = first;
    search->predecessors = list;
}

/* ---- may a block be a sum? ---- */

static bool all_are(const uint32_t *from, const uint32_t *to, uint32_t block) {
    for (; from < to; from++)
        if (*from != block)
            return false;
    return true;
}

static bool is_sum_of_successors(const struct search *search, uint32_t block) {
    const struct ir_graph *graph = search->graph;
    uint32_t first = graph->first[block], end = graph->first[block + 1];
    if (search->leaves[block] || first == end)
        return false;
    for (uint32_t s = first; s < end; s++) {
        uint32_t to = graph->successors[s];
        if (to == 0 || to == block ||
            !all_are(search->predecessors + search->first_predecessor[to],
                     search->predecessors + search->first_predecessor[to + 1], block))
            return false;
    }
    return true;
}

static bool is_sum_of_predecessors(const struct search *search, uint32_t block) {
    const struct ir_graph *graph = search->graph;
    uint32_t first = search->first_predecessor[block], end = search->first_predecessor[block + 1];
    if (block == 0 || first == end)
        return false;
    for (uint32_t p = first; p < end; p++) {
        uint32_t from = search->predecessors[p];
        if (search->leaves[from] || from == block ||
            !all_are(graph->successors + graph->first[from],
                     graph->successors + graph->first[from + 1], block))
            return false;
    }
    return true;
}

/* ---- making it one ---- */

/* Neighbours as terms: a switch may lead to one block several times. */
static struct terms collect(struct search *search, const uint32_t *from, const uint32_t *to) {
    struct terms terms = {(uint32_t)search->all.count, 0};
    search->walk++;
    for (; from < to; from++)
        if (search->seen[*from] != search->walk) {
            search->seen[*from] = search->walk;
            base_push(&search->all, search->leader[*from]);
            terms.count++;
        }
    return terms;
}

static void see(struct search *search, uint32_t leader) {
    if (search->seen[leader] == search->walk)
        return;
    search->seen[leader] = search->walk;
    base_push(&search->stack, leader);
}

/* Do the terms contain it, directly or in sums? */
static bool contains(struct search *search, struct terms terms, uint32_t leader) {
    search->walk++;
    search->stack.count = 0;
    unsigned steps = 0;
    for (uint32_t i = 0; i < terms.count; i++)
        see(search, search->all.data[terms.first + i]);
    while (search->stack.count) {
        uint32_t at = search->stack.data[--search->stack.count];
        if (at == leader || ++steps > MOST_STEPS)
            return true;
        for (uint32_t i = 0; search->states[at] != COUNTED && i < search->terms[at].count; i++)
            see(search, search->all.data[search->terms[at].first + i]);
    }
    return false;
}

static void try_sum(struct search *search, uint32_t block, const uint32_t *from,
                    const uint32_t *to) {
    uint32_t leader = search->leader[block];
    if (search->states[leader] != COUNTED)
        return;
    struct terms terms = collect(search, from, to);
    if (contains(search, terms, leader)) {
        search->all.count = terms.first;
        return;
    }
    search->terms[leader] = terms;
    search->states[leader] = SUMMED;
}

static void find_sums(struct search *search) {
    const struct ir_graph *graph = search->graph;
    for (uint32_t i = 0; i < graph->count; i++)
        if (is_sum_of_successors(search, i))
            try_sum(search, i, graph->successors + graph->first[i],
                    graph->successors + graph->first[i + 1]);
    for (uint32_t i = 0; i < graph->count; i++)
        if (is_sum_of_predecessors(search, i))
            try_sum(search, i, search->predecessors + search->first_predecessor[i],
                    search->predecessors + search->first_predecessor[i + 1]);
}

/* ---- the list ---- */

/* Is every sum among its terms listed? Otherwise these go first. */
static bool list_terms_first(struct search *search, uint32_t leader) {
    bool are_listed = true;
    for (uint32_t i = 0; i < search->terms[leader].count; i++) {
        uint32_t term = search->all.data[search->terms[leader].first + i];
        if (search->states[term] == SUMMED) {
            base_push(&search->stack, term);
            are_listed = false;
        }
    }
    return are_listed;
}

static void list_sum(struct search *search, uint32_t leader, struct ir_graph_counting *counting) {
    search->states[leader] = LISTED;
    struct terms terms = search->terms[leader];
    base_push(&counting->sums,
              (struct ir_graph_sum){leader, (uint32_t)counting->terms.count, terms.count});
    for (uint32_t i = 0; i < terms.count; i++)
        base_push(&counting->terms, search->all.data[terms.first + i]);
}

static void list_sums(struct search *search, struct ir_graph_counting *counting) {
    for (uint32_t i = 0; i < search->graph->count; i++) {
        search->stack.count = 0;
        if (search->states[i] == SUMMED)
            base_push(&search->stack, i);
        while (search->stack.count) {
            uint32_t leader = search->stack.data[search->stack.count - 1];
            if (search->states[leader] == SUMMED && !list_terms_first(search, leader))
                continue;
            search->stack.count--;
            if (search->states[leader] == SUMMED)
                list_sum(search, leader, counting);
        }
    }
}

void ir_graph_count(const struct ir_graph *graph, const bool *leaves,
                    struct ir_graph_counting *counting) {
    *counting = (struct ir_graph_counting){0};
    size_t count = graph->count + 1;
    counting->leader = base_alloc(count * sizeof *counting->leader);
    ir_graph_together(graph, leaves, counting->leader);
    struct search search = {.graph = graph,
                            .leaves = leaves,
                            .leader = counting->leader,
                            .states = base_alloc(count),
                            .terms = base_alloc(count * sizeof *search.terms),
                            .seen = base_alloc(count * sizeof *search.seen)};
    find_predecessors(&search);
    find_sums(&search);
    list_sums(&search, counting);
    free(search.first_predecessor);
    free(search.predecessors);
    free(search.states);
    free(search.terms);
    free(search.seen);
    base_vector_done(&search.all);
    base_vector_done(&search.stack);
}

void ir_graph_counting_done(struct ir_graph_counting *counting) {
    free(counting->leader);
    base_vector_done(&counting->sums);
    base_vector_done(&counting->terms);
}
