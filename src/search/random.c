/* SPDX-License-Identifier: Apache-2.0
 *
 * random: how far does luck get with the same budget?
 *
 * Every byte is drawn evenly (within --range where there is one); the starting inputs are run
 * first. There is nothing to learn from and nothing to save: it ends with the budget. Runs see no
 * decisions, so a path is known by its block counts.
 */
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 1024u
#define BATCH_BYTES ((size_t)64 << 20)
#define BATCH_SECONDS 0.2 /* longer ones are halved, so that a search ends when it is to */

static void fill(const struct search_options *options, uint64_t *random, uint8_t *input) {
    for (size_t i = 0; i < options->input_size; i += 8) {
        uint64_t bits = search_random(random);
        size_t left = options->input_size - i;
        memcpy(input + i, &bits, left < 8 ? left : 8);
    }
    for (size_t i = 0; i < options->range_count; i++) {
        const struct solver_range *range = &options->ranges[i];
        size_t bytes = range->width / 8;
        if (range->offset + bytes > options->input_size)
            continue;
        uint64_t span = (uint64_t)range->high - (uint64_t)range->low + 1, bits;
        bits = search_random(random);
        bits = (uint64_t)range->low + (span ? bits % span : bits);
        memcpy(input + range->offset, &bits, bytes);
    }
}

/* The inputs of a worker's next batch: its share of the seeds, then random ones. */
static size_t next_batch(const struct search *search, size_t *seed, uint64_t *random,
                         uint8_t *bytes, size_t most) {
    const struct search_options *options = &search->options;
    size_t count = 0;
    if (options->runs && options->runs / search->jobs + 1 < most)
        most = (size_t)(options->runs / search->jobs + 1);
    for (; count < most; count++) {
        uint8_t *input = bytes + count * options->input_size;
        if (*seed < options->seed_count) {
            memcpy(input, options->seeds[*seed].data, options->input_size);
            *seed += search->jobs;
        } else
            fill(options, random, input);
    }
    return count;
}

static void book_batch(struct search *search, const struct target_input *inputs, size_t count,
                       const struct abi_result *results, const double *costs) {
    struct search_counters counters = {.runs = count};
    pthread_mutex_lock(&search->lock);
    for (size_t i = 0; i < count; i++) {
        const struct abi_result *result = &results[i];
        counters.crashes += result->status == ABI_STATUS_CRASH;
        counters.timeouts +=
            result->status == ABI_STATUS_TIMEOUT || result->status == ABI_STATUS_MEMORY;
        counters.rejected += result->rejected != 0;
        struct search_test test = {.input = (uint8_t *)inputs[i].data,
                                   .size = inputs[i].size,
                                   .cost = costs[i],
                                   .path = {result->counts_hash, result->status},
                                   .result = *result};
        search_found(search, &test);
    }
    search_book(search, &counters);
    pthread_mutex_unlock(&search->lock);
}

static bool is_over(struct search *search) {
    pthread_mutex_lock(&search->lock);
    bool over = search_must_stop(search);
    pthread_mutex_unlock(&search->lock);
    return over;
}

static size_t largest_batch(size_t size) {
    size_t most = BATCH_BYTES / (size + 1);
    return most < 1 ? 1 : most > BATCH ? BATCH : most;
}

/* How many inputs next, after so many took so long? */
static size_t adapt(size_t most, double seconds, size_t largest) {
    if (seconds > BATCH_SECONDS)
        return most > 1 ? most / 2 : 1;
    return seconds < BATCH_SECONDS / 4 && most * 2 <= largest ? most * 2 : most;
}

static bool work(struct search *search, size_t worker, struct base_error *error) {
    const struct search_programs *programs = &search->programs[worker];
    uint64_t random = search_seed(search, worker);
    size_t seed = worker, size = search->options.input_size;
    size_t largest = largest_batch(size), most = 1;
    uint8_t *bytes = base_alloc(largest * size + 1);
    struct target_input *inputs = base_alloc(BATCH * sizeof *inputs);
    struct abi_result *results = base_alloc(BATCH * sizeof *results);
    double *costs = base_alloc(BATCH * sizeof *costs);
    bool good = true;
    while (good && !is_over(search)) {
        size_t count = next_batch(search, &seed, &random, bytes, most);
        double began = base_seconds();
        for (size_t i = 0; i < count; i++)
            inputs[i] = (struct target_input){bytes + i * size, size};
        good = programs->measure(programs->self, inputs, count, results, costs, error);
        most = adapt(most, base_seconds() - began, largest);
        if (good)
            book_batch(search, inputs, count, results, costs);
    }
    free(bytes);
    free(inputs);
    free(results);
    free(costs);
    return good;
}

static bool run(struct search *search, struct base_error *error) {
    return search_run_workers(search, work, error);
}

const struct search_strategy search_strategy_random = {
    .name = "random", .summary = "random inputs, the best of which are kept", .run = run};
