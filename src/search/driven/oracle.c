/* SPDX-License-Identifier: Apache-2.0
 *
 * Which path costs most, and which comes next?
 *
 * The nodes of a graph are states of the abstract run in which a branch may go either way. An edge
 * is one outcome of that branch with everything up to the next node. States that behave alike are
 * one node, so the graph is small even if it has many paths. It has no cycles, because a state
 * contains the iteration counts of its loops. The highest cost from each node to an end is computed
 * once, backwards from the ends.
 *
 * With these bounds the paths are listed in order of their cost by a best-first search over the
 * tree of prefixes: what was spent plus what can still be spent (which is exact in the graph, so
 * the first path is found without backtracking). A prefix that the guide has found to be infeasible
 * is cut off from the tree, and nothing below it is proposed again.
 *
 * This is the oracle of "Resource-driven CLP-based Test Case Generation" (Albert, Gomez-Zamalloa,
 * Rojas), section 4: naive without values, enhanced with them. The original lists all traces and
 * sorts them.
 */
#include "search/driven/driven.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STATES 500000u
#define MOST_BYTES ((size_t)768 << 20)
#define END UINT32_MAX

struct edge {
    uint32_t child; /* or END */
    uint32_t first_mark, mark_count;
    uint32_t instructions;
    struct driven_cost cost;
    bool is_open, is_inexact;
};

enum status { FRESH, UNDER_WAY, READY };

struct node {
    uint64_t hash;
    size_t key;
    uint32_t key_size;
    uint32_t first_edge, edge_count;
    enum status status;
    double best; /* the highest cost from here to an end */
};

struct leaf { /* end of a prefix in the tree of prefixes */
    uint32_t parent, edge;
    uint32_t node; /* or END: the path is complete */
    uint32_t depth;
    struct driven_cost spent;
    double bound;
    bool is_dead;
};

struct driven_oracle {
    struct search *search;
    struct driven_machine machine;
    struct driven_doubts doubts;
    struct base_buffer keys, scratch;
    BASE_VECTOR(struct node) nodes;
    BASE_VECTOR(struct edge) edges;
    BASE_VECTOR(struct driven_mark) marks;
    uint32_t *slots; /* node number + 1, by hash */
    size_t slot_count;
    struct edge root;
    BASE_VECTOR(struct leaf) leaves;
    BASE_VECTOR(uint32_t) heap; /* leaves, best first */
    double end;                 /* time limit of the preparation */
    bool has_path;
};

/* ---- nodes ---- */

static uint64_t hash_bytes(const char *data, size_t size) {
    uint64_t hash = 0x9e3779b97f4a7c15u ^ size, word;
    for (; size >= 8; size -= 8, data += 8) {
        memcpy(&word, data, 8);
        hash = (hash ^ word) * 0xbf58476d1ce4e5b9u;
        hash ^= hash >> 29;
    }
    for (; size; size--, data++)
        hash = (hash ^ (uint8_t)*data) * 0x100000001b3u;
    return hash ^ (hash >> 32);
}

static void grow_slots(struct driven_oracle *oracle) {
    free(oracle->slots);
    oracle->slot_count = oracle->slot_count ? oracle->slot_count * 4 : 1024;
    oracle->slots = base_alloc(oracle->slot_count * sizeof *oracle->slots);
    for (uint32_t i = 0; i < oracle->nodes.count; i++) {
        size_t at = oracle->nodes.data[i].hash & (oracle->slot_count - 1);
        while (oracle->slots[at])
            at = (at + 1) & (oracle->slot_count - 1);
        oracle->slots[at] = i + 1;
    }
}

/* Finds or adds the node for the machine's current state. */
static uint32_t find_node(struct driven_oracle *oracle) {
    struct base_buffer *key = &oracle->scratch;
    key->count = 0;
    driven_save_state(&oracle->machine.code, &oracle->machine.state, oracle->machine.trail != NULL,
                      key);
    if (2 * oracle->nodes.count >= oracle->slot_count)
        grow_slots(oracle);
    uint64_t hash = hash_bytes(key->data, key->count);
    size_t at = hash & (oracle->slot_count - 1);
    for (; oracle->slots[at]; at = (at + 1) & (oracle->slot_count - 1)) {
        const struct node *node = &oracle->nodes.data[oracle->slots[at] - 1];
        if (node->hash == hash && node->key_size == key->count &&
            memcmp(oracle->keys.data + node->key, key->data, key->count) == 0)
            return oracle->slots[at] - 1;
    }
    struct node node = {.hash = hash,
                        .key = oracle->keys.count,
                        .key_size = (uint32_t)key->count,
                        .best = -INFINITY};
    base_buffer_add(&oracle->keys, key->data, key->count);
    base_push(&oracle->nodes, node);
    oracle->slots[at] = (uint32_t)oracle->nodes.count;
    return (uint32_t)oracle->nodes.count - 1;
}

/* ---- edges ---- */

/* Forgets array elements. What the current branch is about to ask counts as not yet asked. */
static void forget(struct driven_machine *machine) {
    struct driven_state *state = &machine->state;
    uint32_t roots[2 * DRIVEN_ROOTS];
    struct driven_value a, b;
    if (machine->precision != DRIVEN_COARSE)
        return;
    driven_find_asked(machine, &a, &b);
    uint32_t count = driven_find_roots(&state->symbols, &a, roots);
    count += driven_find_roots(&state->symbols, &b, roots + count);
    for (size_t i = 0; i < state->object_count; i++)
        state->objects[i].is_array = 1;
    driven_forget_elements(state);
    while (count)
        state->symbols.data[roots[--count]].was_asked = 0;
}

/* Runs the machine to the next choice. False: the path is impossible. */
static bool make_edge(struct driven_oracle *oracle, struct edge *edge) {
    struct driven_machine *machine = &oracle->machine;
    enum driven_stop stop = driven_run(machine);
    if (stop == DRIVEN_NO_PATH)
        return false;
    machine->doubts->unknown += stop == DRIVEN_GIVE_UP;
    *edge = (struct edge){.child = END,
                          .first_mark = (uint32_t)oracle->marks.count,
                          .mark_count = (uint32_t)machine->marks.count,
                          .instructions = (uint32_t)machine->instructions,
                          .cost = machine->cost,
                          .is_open = machine->is_open || stop == DRIVEN_GIVE_UP,
                          .is_inexact = machine->is_inexact};
    for (size_t i = 0; i < machine->marks.count; i++)
        base_push(&oracle->marks, machine->marks.data[i]);
    if (stop == DRIVEN_CHOICE) {
        forget(machine);
        edge->child = find_node(oracle);
    }
    return true;
}

static void load_node(struct driven_oracle *oracle, uint32_t number) {
    driven_load_state(&oracle->machine.code, oracle->keys.data + oracle->nodes.data[number].key,
                      oracle->machine.trail != NULL, &oracle->machine.state);
}

static void expand(struct driven_oracle *oracle, uint32_t number) {
    struct edge edges[2], *edge = edges;
    uint32_t count = 0;
    load_node(oracle, number);
    uint32_t choices = driven_choices(&oracle->machine);
    if (choices > 2)
        edge = base_alloc(choices * sizeof *edge);
    for (uint32_t i = 0; i < choices; i++) {
        if (i)
            load_node(oracle, number);
        if (driven_choose(&oracle->machine, i) && make_edge(oracle, &edge[count]))
            count++;
    }
    oracle->nodes.data[number].first_edge = (uint32_t)oracle->edges.count;
    oracle->nodes.data[number].edge_count = count;
    for (uint32_t i = 0; i < count; i++)
        base_push(&oracle->edges, edge[i]);
    if (edge != edges)
        free(edge);
}

/* ---- the highest cost from each node on ---- */

static double best_after(const struct driven_oracle *oracle, const struct edge *edge) {
    double rest = edge->child == END ? 0 : oracle->nodes.data[edge->child].best;
    double sum = edge->cost.change + rest;
    return rest == -INFINITY ? -INFINITY : sum > edge->cost.most ? sum : edge->cost.most;
}

static void finish(struct driven_oracle *oracle, uint32_t number) {
    struct node *node = &oracle->nodes.data[number];
    node->status = READY;
    for (uint32_t i = 0; i < node->edge_count; i++) {
        double best = best_after(oracle, &oracle->edges.data[node->first_edge + i]);
        if (best > node->best)
            node->best = best;
    }
}

static bool is_too_much(const struct driven_oracle *oracle) {
    return oracle->nodes.count > MOST_STATES || oracle->keys.count > MOST_BYTES ||
           (oracle->nodes.count % 64 == 0 && base_seconds_roughly() > oracle->end) ||
           search_is_ending(oracle->search);
}

struct visit {
    uint32_t node, next; /* edge */
};

/* Depth first, children before parents. False: it takes too long, or there is a cycle. */
static bool explore(struct driven_oracle *oracle, uint32_t root) {
    BASE_VECTOR(struct visit) stack = {0};
    bool good = true;
    base_push(&stack, ((struct visit){root, 0}));
    while (good && stack.count) {
        struct visit *at = &stack.data[stack.count - 1];
        if (oracle->nodes.data[at->node].status == FRESH) {
            oracle->nodes.data[at->node].status = UNDER_WAY;
            expand(oracle, at->node);
            good = !is_too_much(oracle);
        }
        const struct node *node = &oracle->nodes.data[at->node];
        if (at->next == node->edge_count) {
            finish(oracle, at->node);
            stack.count--;
            continue;
        }
        uint32_t child = oracle->edges.data[node->first_edge + at->next++].child;
        if (child == END || oracle->nodes.data[child].status == READY)
            continue;
        good &= oracle->nodes.data[child].status != UNDER_WAY;
        base_push(&stack, ((struct visit){child, 0}));
    }
    base_vector_done(&stack);
    return good;
}

/* ---- the tree of prefixes ---- */

static bool is_better(const struct driven_oracle *oracle, uint32_t a, uint32_t b) {
    const struct leaf *x = &oracle->leaves.data[a], *y = &oracle->leaves.data[b];
    if (x->bound != y->bound)
        return x->bound > y->bound;
    return x->depth != y->depth ? x->depth > y->depth : a < b;
}

static void push_leaf(struct driven_oracle *oracle, uint32_t leaf) {
    base_push(&oracle->heap, leaf);
    uint32_t *heap = oracle->heap.data;
    for (size_t at = oracle->heap.count - 1; at && is_better(oracle, heap[at], heap[(at - 1) / 2]);
         at = (at - 1) / 2) {
        uint32_t other = heap[at];
        heap[at] = heap[(at - 1) / 2];
        heap[(at - 1) / 2] = other;
    }
}

static void pop_leaf(struct driven_oracle *oracle) {
    uint32_t *heap = oracle->heap.data;
    size_t count = --oracle->heap.count;
    heap[0] = heap[count];
    for (size_t at = 0;;) {
        size_t best = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (is_better(oracle, heap[child], heap[best]))
                best = child;
        if (best == at)
            return;
        uint32_t other = heap[at];
        heap[at] = heap[best];
        heap[best] = other;
        at = best;
    }
}

static void add_leaf(struct driven_oracle *oracle, uint32_t parent, uint32_t number,
                     const struct edge *edge) {
    struct leaf leaf = {.parent = parent, .edge = number, .node = edge->child};
    if (parent != END) {
        leaf.spent = oracle->leaves.data[parent].spent;
        leaf.depth = oracle->leaves.data[parent].depth + 1;
    }
    double most = leaf.spent.change + edge->cost.most;
    double rest = edge->child == END ? 0 : oracle->nodes.data[edge->child].best;
    if (rest == -INFINITY)
        return;
    leaf.spent.change += edge->cost.change;
    if (most > leaf.spent.most)
        leaf.spent.most = most;
    leaf.bound = leaf.spent.change + rest;
    if (leaf.spent.most > leaf.bound)
        leaf.bound = leaf.spent.most;
    base_push(&oracle->leaves, leaf);
    push_leaf(oracle, (uint32_t)oracle->leaves.count - 1);
}

static bool is_dead(const struct driven_oracle *oracle, uint32_t leaf) {
    for (; leaf != END; leaf = oracle->leaves.data[leaf].parent)
        if (oracle->leaves.data[leaf].is_dead)
            return true;
    return false;
}

static void drop_dead(struct driven_oracle *oracle) {
    while (oracle->heap.count && is_dead(oracle, oracle->heap.data[0]))
        pop_leaf(oracle);
}

double driven_oracle_bound(struct driven_oracle *oracle) {
    drop_dead(oracle);
    return oracle->heap.count ? oracle->leaves.data[oracle->heap.data[0]].bound : -INFINITY;
}

/* ---- proposals ---- */

static const struct edge *edge_of(const struct driven_oracle *oracle, const struct leaf *leaf) {
    return leaf->edge == END ? &oracle->root : &oracle->edges.data[leaf->edge];
}

static void tell(const struct driven_oracle *oracle, uint32_t number, struct driven_trace *trace) {
    BASE_VECTOR(uint32_t) way = {0};
    uint32_t before = 0;
    trace->marks.count = trace->nodes.count = 0;
    trace->bound = oracle->leaves.data[number].bound;
    trace->is_open = trace->is_inexact = false;
    for (uint32_t at = number; at != END; at = oracle->leaves.data[at].parent)
        base_push(&way, at);
    while (way.count) {
        uint32_t at = way.data[--way.count];
        const struct edge *edge = edge_of(oracle, &oracle->leaves.data[at]);
        for (uint32_t i = 0; i < edge->mark_count; i++) {
            struct driven_mark mark = oracle->marks.data[edge->first_mark + i];
            mark.instructions += before;
            base_push(&trace->marks, mark);
            base_push(&trace->nodes, at);
        }
        before += edge->instructions;
        trace->is_open |= edge->is_open;
        trace->is_inexact |= edge->is_inexact;
    }
    trace->instructions = before;
    base_vector_done(&way);
}

bool driven_oracle_next(struct driven_oracle *oracle, struct driven_trace *trace) {
    for (;;) {
        drop_dead(oracle);
        if (!oracle->heap.count)
            return false;
        uint32_t leaf = oracle->heap.data[0], node = oracle->leaves.data[leaf].node;
        pop_leaf(oracle);
        if (node == END) {
            tell(oracle, leaf, trace);
            return true;
        }
        const struct node *at = &oracle->nodes.data[node];
        for (uint32_t i = 0; i < at->edge_count; i++)
            add_leaf(oracle, leaf, at->first_edge + i, &oracle->edges.data[at->first_edge + i]);
    }
}

void driven_oracle_learn(struct driven_oracle *oracle, const struct driven_trace *trace,
                         size_t at) {
    if (at < trace->nodes.count)
        oracle->leaves.data[trace->nodes.data[at]].is_dead = true;
}

bool driven_oracle_knows(const struct driven_oracle *oracle, const struct driven_trace *trace) {
    return trace->nodes.count && is_dead(oracle, trace->nodes.data[trace->nodes.count - 1]);
}

void driven_trace_done(struct driven_trace *trace) {
    base_vector_done(&trace->marks);
    base_vector_done(&trace->nodes);
}

/* ---- setting up ---- */

static void set_prices(struct driven_oracle *oracle) {
    const struct search_subject *subject = &oracle->search->subject;
    struct driven_prices *prices = &oracle->machine.prices;
    const double *of = subject->prices.of;
    *prices = (struct driven_prices){.blocks = subject->entry.prices,
                                     .allocated = of[ABI_COST_ALLOCATED],
                                     .allocation = of[ABI_COST_ALLOCATIONS],
                                     .live = of[ABI_COST_MEMORY] + of[ABI_COST_LIVE],
                                     .is_whole = subject->entry.is_whole};
    bool is_mixed = prices->allocated != 0 || prices->allocation != 0;
    for (uint32_t b = 0; b <= subject->facts->block_count; b++)
        is_mixed |= prices->blocks && prices->blocks[b] != 0;
    if (is_mixed) { /* the heap may peak elsewhere than the other costs: bound the peak by all
                       allocations */
        prices->allocated += prices->live;
        prices->live = 0;
    }
}

struct driven_oracle *driven_oracle_new(struct search *search, enum driven_precision precision) {
    struct driven_oracle *oracle = base_alloc(sizeof *oracle);
    struct driven_machine *machine = &oracle->machine;
    oracle->search = search;
    machine->facts = search->subject.facts;
    machine->subject = &search->subject;
    machine->precision = precision;
    machine->loop_bound = search->options.path.loop_bound == SEARCH_NO_BOUND
                              ? UINT64_MAX
                              : search->options.path.loop_bound;
    machine->trail = search->options.trail;
    machine->doubts = &oracle->doubts;
    set_prices(oracle);
    driven_state_init(&machine->state);
    driven_code_init(&machine->code, machine->facts);
    return oracle;
}

void driven_oracle_free(struct driven_oracle *oracle) {
    if (!oracle)
        return;
    driven_state_done(&oracle->machine.state);
    driven_code_done(&oracle->machine.code);
    base_vector_done(&oracle->machine.marks);
    base_buffer_done(&oracle->keys);
    base_buffer_done(&oracle->scratch);
    base_vector_done(&oracle->nodes);
    base_vector_done(&oracle->edges);
    base_vector_done(&oracle->marks);
    base_vector_done(&oracle->leaves);
    base_vector_done(&oracle->heap);
    free(oracle->slots);
    free(oracle);
}

bool driven_oracle_prepare(struct driven_oracle *oracle, double seconds) {
    oracle->end = base_seconds() + seconds;
    if (!oracle->machine.prices.blocks || !driven_start(&oracle->machine))
        return false;
    oracle->has_path = make_edge(oracle, &oracle->root);
    if (!oracle->has_path)
        return true;
    if (oracle->root.child != END && !explore(oracle, oracle->root.child))
        return false;
    add_leaf(oracle, END, END, &oracle->root);
    return true;
}

const struct driven_doubts *driven_oracle_doubts(const struct driven_oracle *oracle) {
    return &oracle->doubts;
}

uint64_t driven_oracle_cut(const struct driven_oracle *oracle) {
    return oracle->machine.cut;
}

bool driven_oracle_has_forked(const struct driven_oracle *oracle) {
    return oracle->machine.has_forked;
}

size_t driven_oracle_size(const struct driven_oracle *oracle) {
    return oracle->nodes.count;
}

size_t driven_oracle_waiting(const struct driven_oracle *oracle) {
    return oracle->heap.count;
}
