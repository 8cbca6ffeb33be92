/* SPDX-License-Identifier: Apache-2.0
 *
 * How well do many ranks share a tree? The balancing code of src/cluster on simulated ranks, with
 * costs of runs and messages as they were measured: simulate RUN BATCH LATENCY HANDLING, all in
 * microseconds, DEPTH [SHAPE RANKS...]. Prints a row for each shape and number of ranks. No number
 * of ranks is faster than the longest row of paths each of which is known only when the one before
 * it has been run.
 *
 *   bushy    each path has another one behind each of its decisions
 *   narrow   32 chains: never more than 32 paths are known at a time
 *   spine    one long chain, with a small bushy tree at each of its nodes
 */
#include "unit/trees.h"

#include <math.h>
#include <stdio.h>

#define SLACK 5e-5 /* seconds that Linux lets a process sleep longer than it asked for */
#define MOST 256   /* items of a batch */
#define MOST_IF_WANTED 8
#define CHAINS 32u /* of `narrow` */

enum kind { NODE, CHAIN };

static uint32_t bushy_depth, chain_length, tooth_depth;

/* A path of that many decisions, of which those behind `depth` are open. */
static void bushy(const struct trees_node *node, struct trees_stack *children) {
    for (uint32_t depth = node->depth; depth < bushy_depth; depth++)
        trees_add(children, node, depth, depth + 1, NODE);
}

static void narrow(const struct trees_node *node, struct trees_stack *children) {
    if (node->depth == 0)
        for (uint32_t i = 0; i < CHAINS; i++)
            trees_add(children, node, i, 1, CHAIN);
    else if (node->depth < chain_length)
        trees_add(children, node, 0, node->depth + 1, CHAIN);
}

static void spine(const struct trees_node *node, struct trees_stack *children) {
    if (node->kind == NODE && node->depth > 0) {
        for (uint32_t depth = node->depth; depth < tooth_depth; depth++)
            trees_add(children, node, depth, depth + 1, NODE);
        return;
    }
    trees_add(children, node, 0, 1, NODE);
    if (node->depth < chain_length)
        trees_add(children, node, 1, node->depth + 1, CHAIN);
}

/* How many paths is the longest row of those that wait for each other? */
static uint32_t longest_bushy(void) {
    return bushy_depth + 1;
}

static uint32_t longest_narrow(void) {
    return chain_length + 1;
}

static uint32_t longest_spine(void) {
    return chain_length + 1 + tooth_depth;
}

struct shape {
    const char *name;
    trees_shape *children;
    uint32_t (*longest)(void);
};

static const struct shape shapes[] = {{"bushy", bushy, longest_bushy},
                                      {"narrow", narrow, longest_narrow},
                                      {"spine", spine, longest_spine}};
static const uint32_t sizes[] = {1, 16, 64, 256, 1024};

struct outcome {
    double seconds;
    uint64_t runs, handed, messages, bytes;
    uint32_t idle; /* ranks that have not done anything */
};

static struct outcome simulate(const struct shape *shape, uint32_t size,
                               const struct cluster_sim_costs *messages,
                               const struct trees_costs *costs) {
    struct trees trees;
    struct outcome outcome = {0};
    trees_init(&trees, size, 1, messages, costs, shape->children);
    base_push(&trees.ranks[0].waiting, ((struct trees_node){1, 0, NODE}));
    if (!trees_run(&trees))
        base_panic("%s on %u ranks does not end", shape->name, size);
    outcome.seconds = trees_makespan(&trees);
    for (uint32_t i = 0; i < size; i++) {
        const struct cluster_traffic *traffic = cluster_traffic(trees.ranks[i].cluster);
        outcome.runs += trees.ranks[i].runs;
        outcome.handed += traffic->sent;
        outcome.bytes += traffic->bytes;
        outcome.idle += trees.ranks[i].runs == 0;
    }
    trees_done(&trees);
    return outcome;
}

/* One rank is what the others are compared with. */
static bool is_wanted(const char *const *wanted, uint32_t size) {
    if (!*wanted)
        return true;
    for (; *wanted; wanted++)
        if ((uint32_t)atoi(*wanted) == size)
            return true;
    return false;
}

static void print_shape(const struct shape *shape, const struct cluster_sim_costs *messages,
                        const struct trees_costs *costs, const char *const *wanted) {
    double alone = 0, row = shape->longest() * (costs->batch + costs->run);
    for (size_t i = 0; i < BASE_COUNT(sizes); i++) {
        if (i && !is_wanted(wanted, sizes[i]))
            continue;
        struct outcome outcome = simulate(shape, sizes[i], messages, costs);
        if (sizes[i] == 1)
            alone = outcome.seconds;
        double faster = alone / outcome.seconds, possible = fmin(sizes[i], alone / row);
        printf("| %s | %u | %llu | %.3f | %.1f | %.1f | %.0f%% | %.0f%% | %llu | %u |\n",
               shape->name, sizes[i], (unsigned long long)outcome.runs, outcome.seconds, faster,
               possible, 100 * faster / sizes[i], 100 * faster / possible,
               (unsigned long long)outcome.handed, outcome.idle);
    }
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: simulate RUN BATCH LATENCY HANDLING (microseconds) DEPTH [SHAPE "
                        "[RANKS...]]\n");
        return 2;
    }
    const char *only = argv[6]; /* or NULL */
    const char *const *wanted = (const char *const *)argv + (only ? 7 : 6);
    const struct trees_costs costs = {.run = atof(argv[1]) * 1e-6,
                                      .batch = atof(argv[2]) * 1e-6,
                                      .slack = SLACK,
                                      .most = MOST,
                                      .most_if_wanted = MOST_IF_WANTED};
    const struct cluster_sim_costs messages = {.latency = atof(argv[3]) * 1e-6,
                                               .jitter = atof(argv[3]) * 1e-6,
                                               .per_byte = 1e-9,
                                               .handling = atof(argv[4]) * 1e-6};
    bushy_depth = (uint32_t)atoi(argv[5]);
    chain_length = (1u << bushy_depth) / CHAINS;
    tooth_depth = 9;
    printf("| tree | ranks | runs | seconds | times faster | at most | efficiency | of what is "
           "possible | hand-overs | ranks without work |\n"
           "|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < BASE_COUNT(shapes); i++) {
        if (shapes[i].children == spine)
            chain_length = (1u << bushy_depth) >> tooth_depth;
        if (!only || strcmp(only, shapes[i].name) == 0)
            print_shape(&shapes[i], &messages, &costs, wanted);
    }
    return 0;
}
