/* SPDX-License-Identifier: Apache-2.0
 *
 * random: how far does chance get with the same budget?
 *
 * The starting inputs are run first; then every byte is drawn uniformly (within --range if given).
 * There is nothing to learn and nothing to save: the search ends with its budget. Decisions are not
 * seen, so a path is identified by its block counts.
 */
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 1024u
#define BATCH_BYTES ((size_t)64 << 20)
#define BATCH_SECONDS 0.2 /* longer batches are halved, so that the search ends on time */

/* No worker may take all of --runs for itself. */
static size_t room_of_batch(const struct search *search, size_t most) {
    uint64_t runs = search->options.limits.runs, fair = runs / search->subject.jobs + 1;
    return runs && fair < most ? (size_t)fair : most;
}

/* The inputs of a worker's next batch: its share of the seeds, then random ones. */
static size_t next_batch(const struct search *search, size_t *seed, uint64_t *random,
                         uint8_t *bytes, size_t most) {
    const struct search_subject *subject = &search->subject;
    size_t count = 0, size = subject->layout.bytes;
    for (; count < most; count++) {
        uint8_t *input = bytes + count * size;
        if (*seed < subject->start_count) {
            memcpy(input, subject->starts[*seed].data, size);
            *seed += subject->jobs;
        } else
            search_draw_input(&subject->layout, random, input);
    }
    return count;
}

static size_t largest_batch(size_t size) {
    size_t most = BATCH_BYTES / (size + 1);
    return most < 1 ? 1 : most > BATCH ? BATCH : most;
}

/* The size of the next batch, given how long the last one took. */
static size_t adapt(size_t most, double seconds, size_t largest) {
    if (seconds > BATCH_SECONDS)
        return most > 1 ? most / 2 : 1;
    return seconds < BATCH_SECONDS / 4 && most * 2 <= largest ? most * 2 : most;
}

static bool work(struct search *search, size_t worker, struct base_error *error) {
    const struct search_program *program = &search->subject.programs[worker];
    uint64_t random = search_seed(search, worker);
    size_t seed = worker, size = search->subject.layout.bytes;
    size_t largest = largest_batch(size), most = 1;
    uint8_t *bytes = base_alloc(largest * size + 1);
    struct target_input *inputs = base_alloc(BATCH * sizeof *inputs);
    struct abi_result *results = base_alloc(BATCH * sizeof *results);
    double *costs = base_alloc(BATCH * sizeof *costs);
    bool good = true;
    double last = 0; /* seconds of a run, where a single one takes long */
    while (good && !search_is_over(search) && search_has_time(search, last) &&
           (good = search_take_inputs(search, worker, NULL, error))) {
        size_t granted = search_grant_locked(search, room_of_batch(search, most));
        if (!granted)
            break; /* other workers make the remaining runs */
        size_t count = next_batch(search, &seed, &random, bytes, granted);
        double began = base_seconds();
        for (size_t i = 0; i < count; i++)
            inputs[i] = (struct target_input){bytes + i * size, size};
        good = program->measure(program->self, inputs, count, results, costs, error);
        last = most == 1 && base_seconds() - began > BATCH_SECONDS ? base_seconds() - began : 0;
        most = adapt(most, base_seconds() - began, largest);
        if (good)
            search_book_measured(search, inputs, count, results, costs);
    }
    free(bytes);
    free(inputs);
    free(results);
    free(costs);
    return good;
}

static bool run(struct search *search, struct base_error *error) {
    search_shorten_runs(search, search_ring_seconds(&search->subject.layout));
    bool good = search_run_workers(search, work, error);
    search_shorten_runs(search, 0);
    return good;
}

const struct search_strategy search_strategy_random = {
    .name = "random",
    .summary = "random inputs, the best of which are kept",
    .has_islands = true,
    .run = run};
