/* SPDX-License-Identifier: Apache-2.0
 *
 * A search over several ranks without a target: the balancing code of src/cluster over the
 * simulated transport, on trees whose nodes are known beforehand. A node is an item: running it
 * takes time and brings its children. For tests, and for test/cluster/simulate.c.
 */
#ifndef TEST_TREES_H
#define TEST_TREES_H

#include "cluster/cluster.h"
#include "cluster/sim.h"

#include <stdlib.h>
#include <string.h>

struct trees_node {
    uint64_t key;
    uint32_t depth, kind;
};

struct trees_stack {
    struct trees_node *data;
    size_t count, capacity;
};

/* Appends the children of NODE. */
typedef void trees_shape(const struct trees_node *node, struct trees_stack *children);

struct trees_costs {
    double run;                  /* seconds, of one item */
    double batch;                /* and of each hand-over to the target */
    double slack;                /* an idle rank rests so much longer than it wants to */
    size_t most, most_if_wanted; /* items of a batch */
};

struct trees_rank {
    struct cluster *cluster;
    struct trees_stack waiting, batch, children;
    struct trees_stack visited; /* if anybody wants to know */
    bool keeps_visited, is_over;
    uint64_t runs;
};

static inline uint64_t trees_hash(uint64_t a, uint64_t b) {
    uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 0x632be59bd9b4e019u);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline void trees_add(struct trees_stack *to, const struct trees_node *parent,
                             uint32_t number, uint32_t depth, uint32_t kind) {
    base_push(to, ((struct trees_node){trees_hash(parent->key, number), depth, kind}));
}

/* ---- what a rank shows the others ---- */

static inline size_t trees_spare(void *self) {
    const struct trees_rank *rank = self;
    return rank->waiting.count;
}

static inline bool trees_is_idle(void *self) {
    const struct trees_rank *rank = self;
    return !rank->waiting.count && !rank->batch.count;
}

static inline bool trees_wants(void *self) {
    (void)self;
    return true;
}

static inline void trees_give(void *self, struct base_buffer *out) {
    struct trees_rank *rank = self;
    struct cluster_packer packer = {.out = out};
    size_t count = rank->waiting.count / 2;
    for (size_t i = 0; i < count; i++)
        cluster_pack(&packer, &rank->waiting.data[i], sizeof *rank->waiting.data);
    rank->waiting.count -= count;
    memmove(rank->waiting.data, rank->waiting.data + count,
            rank->waiting.count * sizeof *rank->waiting.data);
    cluster_packer_done(&packer);
}

static inline bool trees_unpack(struct trees_stack *to, const char *data, size_t size) {
    struct cluster_unpacker unpacker = {.data = data, .end = data + size};
    struct trees_node node;
    while (cluster_unpack(&unpacker) && unpacker.string.count == sizeof node) {
        memcpy(&node, unpacker.string.data, sizeof node);
        base_push(to, node);
    }
    bool good = unpacker.data == unpacker.end;
    cluster_unpacker_done(&unpacker);
    return good;
}

static inline bool trees_take(void *self, const char *data, size_t size) {
    struct trees_rank *rank = self;
    return trees_unpack(&rank->waiting, data, size);
}

static inline bool trees_has_gaps(void *self) {
    (void)self;
    return false;
}

static inline void trees_share(struct trees_rank *rank) {
    const struct cluster_work work = {.self = rank,
                                      .spare = trees_spare,
                                      .is_idle = trees_is_idle,
                                      .wants = trees_wants,
                                      .give = trees_give,
                                      .take = trees_take,
                                      .has_gaps = trees_has_gaps};
    cluster_share(rank->cluster, &work);
}

/* ---- one rank ---- */

static inline void trees_move(struct trees_stack *to, struct trees_stack *from, size_t count) {
    for (size_t i = from->count - count; i < from->count; i++)
        base_push(to, from->data[i]);
    from->count -= count;
}

/* Takes a batch; returns how many items. */
static inline size_t trees_begin(struct trees_rank *rank, const struct trees_costs *costs) {
    bool wanted = cluster_is_wanted(rank->cluster);
    size_t count = rank->waiting.count / (1 + wanted) + 1;
    if (count > rank->waiting.count)
        count = rank->waiting.count;
    size_t most = wanted ? costs->most_if_wanted : costs->most;
    if (count > most)
        count = most;
    trees_move(&rank->batch, &rank->waiting, count);
    return count;
}

static inline void trees_finish(struct trees_rank *rank, trees_shape *shape) {
    for (size_t i = 0; i < rank->batch.count; i++) {
        rank->runs++;
        shape(&rank->batch.data[i], &rank->waiting);
        if (rank->keeps_visited)
            base_push(&rank->visited, rank->batch.data[i]);
    }
    rank->batch.count = 0;
}

/* ---- all of them ---- */

struct trees {
    struct cluster_sim *sim;
    struct trees_rank *ranks;
    uint32_t size, over;
    struct trees_costs costs;
    trees_shape *shape;
};

static inline void trees_init(struct trees *trees, uint32_t size, uint64_t seed,
                              const struct cluster_sim_costs *messages,
                              const struct trees_costs *costs, trees_shape *shape) {
    *trees = (struct trees){.size = size, .costs = *costs, .shape = shape};
    trees->sim = cluster_sim_new(size, messages, seed);
    trees->ranks = base_alloc(size * sizeof *trees->ranks);
    for (uint32_t i = 0; i < size; i++) {
        trees->ranks[i].cluster = cluster_new(cluster_sim_transport(trees->sim, i), seed);
        trees_share(&trees->ranks[i]);
    }
}

static inline void trees_done(struct trees *trees) {
    for (uint32_t i = 0; i < trees->size; i++) {
        cluster_free(trees->ranks[i].cluster);
        free(trees->ranks[i].waiting.data);
        free(trees->ranks[i].batch.data);
        free(trees->ranks[i].children.data);
        free(trees->ranks[i].visited.data);
    }
    free(trees->ranks);
    cluster_sim_free(trees->sim);
}

/* One action of the rank whose turn it is: the end of its batch, messages, the next batch. */
static inline void trees_act(struct trees *trees) {
    uint32_t number = cluster_sim_next(trees->sim);
    struct trees_rank *rank = &trees->ranks[number];
    trees_finish(rank, trees->shape);
    cluster_step(rank->cluster);
    if (cluster_is_over(rank->cluster)) {
        trees->over += !rank->is_over;
        rank->is_over = true;
    }
    size_t count = rank->is_over ? 0 : trees_begin(rank, &trees->costs);
    if (count)
        cluster_sim_spend(trees->sim, number,
                          trees->costs.batch + (double)count * trees->costs.run);
    else
        cluster_sim_sleep(trees->sim, number, cluster_rest(rank->cluster) + trees->costs.slack,
                          cluster_next_step(rank->cluster));
}

#define TREES_LONGEST 1e4 /* seconds: by then something is wrong */

/* False: nobody has anything to do, though not all know that it is over. */
static inline bool trees_run(struct trees *trees) {
    while (trees->over < trees->size) {
        if (cluster_sim_is_still(trees->sim) || cluster_sim_time(trees->sim, 0) > TREES_LONGEST)
            return false;
        trees_act(trees);
    }
    return true;
}

static inline double trees_makespan(const struct trees *trees) {
    double last = 0;
    for (uint32_t i = 0; i < trees->size; i++)
        if (cluster_sim_time(trees->sim, i) > last)
            last = cluster_sim_time(trees->sim, i);
    return last;
}

#endif
