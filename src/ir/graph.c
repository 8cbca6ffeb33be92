/* SPDX-License-Identifier: Apache-2.0
 *
 * Which blocks dominate which, and which blocks repeat together?
 *
 * Dominators: Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", the
 * simple variant with path compression, O(edges log blocks).
 *
 * Loops: the strongly connected regions of the graph; inside each, without its header, the regions
 * that remain, and so on inwards. A region with one entry is a natural loop (all back edges to one
 * header are one loop); one with several entries is irreducible. Each level of nesting costs one
 * linear pass over the blocks of that level, so the whole is linear for the nesting people write.
 *
 * Invariant: the header of a region is the first of its entries in the order of the blocks, and
 * belongs to no inner region. Loops are in the order of their headers, but parents come first.
 */
#include "ir/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    const struct ir_graph *graph;
    struct base_arena scratch;
    uint32_t reached;                           /* blocks found from the entry */
    uint32_t *found;                            /* found[i]: the i-th block found, in preorder */
    uint32_t *number;                           /* its inverse; IR_GRAPH_NONE if not reached */
    uint32_t *parent;                           /* of the i-th found block, as a number */
    uint32_t *first_predecessor, *predecessors; /* reached ones only */
};

static uint32_t *numbers_new(struct base_arena *arena, size_t count, uint32_t value) {
    uint32_t *numbers = base_arena_alloc(arena, count * sizeof *numbers);
    if (value)
        for (size_t i = 0; i < count; i++)
            numbers[i] = value;
    return numbers;
}

/* ---- the walk both analyses start from ---- */

static void discover(struct walk *walk, uint32_t block, uint32_t parent) {
    walk->number[block] = walk->reached;
    walk->parent[walk->reached] = parent;
    walk->found[walk->reached++] = block;
}

static void search_depth_first(struct walk *walk) {
    const struct ir_graph *graph = walk->graph;
    uint32_t *stack = numbers_new(&walk->scratch, graph->count, 0);
    uint32_t *next = numbers_new(&walk->scratch, graph->count, 0);
    memcpy(next, graph->first, graph->count * sizeof *next);
    uint32_t depth = 0;
    discover(walk, 0, 0);
    stack[depth++] = 0;
    while (depth) {
        uint32_t block = stack[depth - 1];
        if (next[block] == graph->first[block + 1]) {
            depth--;
            continue;
        }
        uint32_t target = graph->successors[next[block]++];
        assert(target < graph->count);
        if (walk->number[target] == IR_GRAPH_NONE) {
            discover(walk, target, walk->number[block]);
            stack[depth++] = target;
        }
    }
}

static void collect_predecessors(struct walk *walk) {
    const struct ir_graph *graph = walk->graph;
    uint32_t *first = numbers_new(&walk->scratch, (size_t)graph->count + 2, 0);
    for (uint32_t i = 0; i < walk->reached; i++) {
        uint32_t block = walk->found[i];
        for (uint32_t e = graph->first[block]; e < graph->first[block + 1]; e++)
            first[graph->successors[e] + 2]++;
    }
    for (uint32_t b = 0; b < graph->count; b++)
        first[b + 2] += first[b + 1];
    walk->predecessors = numbers_new(&walk->scratch, first[graph->count + 1], 0);
    for (uint32_t i = 0; i < walk->reached; i++) {
        uint32_t block = walk->found[i];
        for (uint32_t e = graph->first[block]; e < graph->first[block + 1]; e++)
            walk->predecessors[first[graph->successors[e] + 1]++] = block;
    }
    walk->first_predecessor = first; /* filling moved each start to its place */
}

static void walk_init(struct walk *walk, const struct ir_graph *graph) {
    *walk = (struct walk){.graph = graph};
    walk->found = numbers_new(&walk->scratch, graph->count, 0);
    walk->number = numbers_new(&walk->scratch, graph->count, IR_GRAPH_NONE);
    walk->parent = numbers_new(&walk->scratch, graph->count, 0);
    search_depth_first(walk);
    collect_predecessors(walk);
}

/* ---- dominators; all blocks below are preorder numbers ---- */

struct forest {
    uint32_t *ancestor; /* IR_GRAPH_NONE: a root */
    uint32_t *label;    /* the block with the least semidominator on the way up */
    uint32_t *semi;
    uint32_t *path; /* scratch of find_label */
};

/* The paper's EVAL, with its recursive COMPRESS unrolled: deep graphs must not use up the stack. */
static uint32_t find_label(struct forest *forest, uint32_t block) {
    if (forest->ancestor[block] == IR_GRAPH_NONE)
        return block;
    uint32_t length = 0;
    for (uint32_t b = block; forest->ancestor[forest->ancestor[b]] != IR_GRAPH_NONE;
         b = forest->ancestor[b])
        forest->path[length++] = b;
    while (length) {
        uint32_t b = forest->path[--length], up = forest->ancestor[b];
        if (forest->semi[forest->label[up]] < forest->semi[forest->label[b]])
            forest->label[b] = forest->label[up];
        forest->ancestor[b] = forest->ancestor[up];
    }
    return forest->label[block];
}

static void forest_init(struct forest *forest, struct walk *walk) {
    forest->ancestor = numbers_new(&walk->scratch, walk->reached, IR_GRAPH_NONE);
    forest->label = numbers_new(&walk->scratch, walk->reached, 0);
    forest->semi = numbers_new(&walk->scratch, walk->reached, 0);
    forest->path = numbers_new(&walk->scratch, walk->reached, 0);
    for (uint32_t i = 0; i < walk->reached; i++)
        forest->label[i] = forest->semi[i] = i;
}

static uint32_t find_semidominator(struct walk *walk, struct forest *forest, uint32_t block) {
    uint32_t best = forest->semi[block], at = walk->found[block];
    for (uint32_t e = walk->first_predecessor[at]; e < walk->first_predecessor[at + 1]; e++) {
        uint32_t label = find_label(forest, walk->number[walk->predecessors[e]]);
        if (forest->semi[label] < best)
            best = forest->semi[label];
    }
    return best;
}

static void find_dominators(struct walk *walk, struct ir_graph_shape *shape) {
    struct forest forest;
    forest_init(&forest, walk);
    uint32_t *dominator = numbers_new(&walk->scratch, walk->reached, 0);
    uint32_t *bucket = numbers_new(&walk->scratch, walk->reached, IR_GRAPH_NONE); /* list heads */
    uint32_t *chain = numbers_new(&walk->scratch, walk->reached, IR_GRAPH_NONE);
    for (uint32_t block = walk->reached; block-- > 1;) {
        uint32_t semi = find_semidominator(walk, &forest, block), parent = walk->parent[block];
        forest.semi[block] = semi;
        chain[block] = bucket[semi];
        bucket[semi] = block;
        forest.ancestor[block] = parent;
        for (uint32_t b = bucket[parent]; b != IR_GRAPH_NONE; b = chain[b]) {
            uint32_t label = find_label(&forest, b);
            dominator[b] = forest.semi[label] < forest.semi[b] ? label : parent;
        }
        bucket[parent] = IR_GRAPH_NONE;
    }
    for (uint32_t block = 1; block < walk->reached; block++) {
        if (dominator[block] != forest.semi[block])
            dominator[block] = dominator[dominator[block]];
        shape->dominator[walk->found[block]] = walk->found[dominator[block]];
    }
}

/* ---- loops; blocks are block numbers again ---- */

/* A set of blocks, blocks[first] and on, whose strongly connected regions are to be found. */
struct region {
    uint32_t first, count, parent;
};

struct search {
    struct walk *walk;
    struct ir_graph_shape *shape;
    uint32_t *blocks;    /* of all regions, each a range */
    uint32_t *sorted;    /* the same ranges, one component after the other */
    uint32_t *member;    /* the region that a block was last part of */
    uint32_t *component; /* the component that a block was last found in, 0 while open */
    uint32_t *index, *low, *next, *calls, *open;
    uint32_t region_serial, component_serial, filled, counter, depth, open_count;
    BASE_VECTOR(struct region) pending;
    BASE_VECTOR(struct ir_graph_loop) loops;
};

static bool is_cycle(const struct search *search, const uint32_t *blocks, uint32_t count) {
    const struct ir_graph *graph = search->walk->graph;
    if (count > 1)
        return true;
    for (uint32_t e = graph->first[blocks[0]]; e < graph->first[blocks[0] + 1]; e++)
        if (graph->successors[e] == blocks[0])
            return true;
    return false;
}

static bool is_entered(const struct search *search, uint32_t block) {
    const struct walk *walk = search->walk;
    uint32_t component = search->component[block];
    for (uint32_t e = walk->first_predecessor[block]; e < walk->first_predecessor[block + 1]; e++)
        if (search->component[walk->predecessors[e]] != component)
            return true;
    return block == 0;
}

/* Moves the first of the entries to the front; returns how many there are. */
static uint32_t move_header_first(const struct search *search, uint32_t *blocks, uint32_t count) {
    uint32_t best = 0, entries = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_entered(search, blocks[i]) && (!entries++ || blocks[i] < blocks[best]))
            best = i;
    uint32_t header = blocks[best];
    blocks[best] = blocks[0];
    blocks[0] = header;
    return entries;
}

static void add_loop(struct search *search, uint32_t first, uint32_t count, uint32_t parent) {
    uint32_t *blocks = search->sorted + first, loop = (uint32_t)search->loops.count;
    uint32_t entries = move_header_first(search, blocks, count);
    for (uint32_t i = 0; i < count; i++)
        search->shape->loop[blocks[i]] = loop;
    base_push(&search->loops, (struct ir_graph_loop){.header = blocks[0],
                                                     .parent = parent,
                                                     .block_count = count,
                                                     .irreducible = entries > 1});
    if (count > 1)
        base_push(&search->pending, (struct region){first + 1, count - 1, loop});
}

static void open_block(struct search *search, uint32_t block) {
    search->index[block] = search->low[block] = ++search->counter;
    search->next[block] = search->walk->graph->first[block];
    search->open[search->open_count++] = block;
    search->calls[search->depth++] = block;
}

static void close_component(struct search *search, uint32_t root, uint32_t parent) {
    uint32_t first = search->filled, block;
    search->component_serial++;
    do {
        block = search->open[--search->open_count];
        search->component[block] = search->component_serial;
        search->sorted[search->filled++] = block;
    } while (block != root);
    if (is_cycle(search, search->sorted + first, search->filled - first))
        add_loop(search, first, search->filled - first, parent);
}

static void lower(uint32_t *value, uint32_t to) {
    if (to < *value)
        *value = to;
}

/* Tarjan's strongly connected components from ROOT, inside one region. */
static void find_components(struct search *search, uint32_t root, uint32_t parent) {
    const struct ir_graph *graph = search->walk->graph;
    open_block(search, root);
    while (search->depth) {
        uint32_t block = search->calls[search->depth - 1];
        if (search->next[block] < graph->first[block + 1]) {
            uint32_t target = graph->successors[search->next[block]++];
            if (search->member[target] != search->region_serial)
                continue;
            if (!search->index[target])
                open_block(search, target);
            else if (!search->component[target])
                lower(&search->low[block], search->index[target]);
            continue;
        }
        if (--search->depth)
            lower(&search->low[search->calls[search->depth - 1]], search->low[block]);
        if (search->low[block] == search->index[block])
            close_component(search, block, parent);
    }
}

static void split_region(struct search *search, struct region region) {
    uint32_t *blocks = search->blocks + region.first;
    search->region_serial++;
    for (uint32_t i = 0; i < region.count; i++) {
        search->member[blocks[i]] = search->region_serial;
        search->component[blocks[i]] = search->index[blocks[i]] = 0;
    }
    search->filled = region.first;
    for (uint32_t i = 0; i < region.count; i++)
        if (!search->index[blocks[i]])
            find_components(search, blocks[i], region.parent);
    memcpy(blocks, search->sorted + region.first, region.count * sizeof *blocks);
}

/* Gives LOOP its final number, after those of its ancestors that have none yet. */
static void place_loop(struct search *search, uint32_t loop, uint32_t *renamed, uint32_t *chain) {
    struct ir_graph_shape *shape = search->shape;
    uint32_t length = 0;
    for (; loop != IR_GRAPH_NONE && renamed[loop] == IR_GRAPH_NONE;
         loop = search->loops.data[loop].parent)
        chain[length++] = loop;
    while (length) {
        struct ir_graph_loop *copy = &shape->loops[shape->loop_count];
        *copy = search->loops.data[chain[--length]];
        if (copy->parent != IR_GRAPH_NONE)
            copy->parent = renamed[copy->parent];
        copy->depth = copy->parent == IR_GRAPH_NONE ? 1 : shape->loops[copy->parent].depth + 1;
        renamed[chain[length]] = shape->loop_count++;
    }
}

static void order_loops(struct search *search) {
    struct ir_graph_shape *shape = search->shape;
    struct base_arena *scratch = &search->walk->scratch;
    uint32_t count = (uint32_t)search->loops.count, blocks = search->walk->graph->count;
    uint32_t *renamed = numbers_new(scratch, count, IR_GRAPH_NONE);
    uint32_t *chain = numbers_new(scratch, count, 0);
    shape->loops = base_arena_alloc(&shape->memory, count * sizeof *shape->loops);
    /* A header is in no inner loop, so its innermost loop is the one it heads. */
    for (uint32_t b = 0; b < blocks; b++)
        if (shape->loop[b] != IR_GRAPH_NONE && search->loops.data[shape->loop[b]].header == b)
            place_loop(search, shape->loop[b], renamed, chain);
    for (uint32_t b = 0; b < blocks; b++)
        if (shape->loop[b] != IR_GRAPH_NONE)
            shape->loop[b] = renamed[shape->loop[b]];
}

static void find_loops(struct walk *walk, struct ir_graph_shape *shape) {
    uint32_t count = walk->graph->count;
    struct search search = {.walk = walk, .shape = shape};
    uint32_t **arrays[] = {&search.sorted, &search.member, &search.component, &search.index,
                           &search.low,    &search.next,   &search.calls,     &search.open};
    for (size_t i = 0; i < BASE_COUNT(arrays); i++)
        *arrays[i] = numbers_new(&walk->scratch, count, 0);
    search.blocks = numbers_new(&walk->scratch, count, 0);
    memcpy(search.blocks, walk->found, walk->reached * sizeof *search.blocks);
    base_push(&search.pending, (struct region){0, walk->reached, IR_GRAPH_NONE});
    while (search.pending.count)
        split_region(&search, search.pending.data[--search.pending.count]);
    order_loops(&search);
    base_vector_done(&search.pending);
    base_vector_done(&search.loops);
}

void ir_graph_analyse(const struct ir_graph *graph, struct ir_graph_shape *shape) {
    *shape = (struct ir_graph_shape){0};
    shape->dominator = numbers_new(&shape->memory, graph->count, IR_GRAPH_NONE);
    shape->loop = numbers_new(&shape->memory, graph->count, IR_GRAPH_NONE);
    if (!graph->count)
        return;
    struct walk walk;
    walk_init(&walk, graph);
    find_dominators(&walk, shape);
    find_loops(&walk, shape);
    base_arena_done(&walk.scratch);
}

void ir_graph_done(struct ir_graph_shape *shape) {
    base_arena_done(&shape->memory);
    *shape = (struct ir_graph_shape){0};
}
