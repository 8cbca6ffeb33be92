/* SPDX-License-Identifier: Apache-2.0
 *
 * Bookkeeping of a search: counts every run by its outcome, and offers what was found to the
 * archives.
 */
#include "search/core/core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WATCH_SECONDS 0.1
#define AGAIN 1.1 /* times the measured duration, in case a rerun is slower */

void search_count_run(struct search_counters *counters, const struct abi_result *result,
                      const struct search_walk *walk) {
    counters->runs++;
    counters->crashes += result->status == ABI_STATUS_CRASH || result->status == ABI_STATUS_BOUNDS;
    counters->signals += result->status == ABI_STATUS_CRASH;
    counters->outside += result->status == ABI_STATUS_BOUNDS;
    counters->timeouts += result->status == ABI_STATUS_TIMEOUT ||
                          result->status == ABI_STATUS_MEMORY ||
                          result->status == ABI_STATUS_ENDLESS;
    counters->rejected += result->rejected != 0;
    counters->continued += result->continued != 0;
    counters->lost += walk && walk->is_broken;
    counters->truncated += walk && !walk->is_broken && search_walk_is_truncated(walk);
}

/* When the table is full, the last entry counts all others. */
static void add_loss(struct search_counters *counters, const char *name, uint64_t runs) {
    struct search_loss *loss = counters->losses, *last = loss + ABI_MAX_LOSSES - 1;
    while (loss < last && *loss->name && strcmp(loss->name, name) != 0)
        loss++;
    if (!*loss->name)
        snprintf(loss->name, sizeof loss->name, "%s", loss < last ? name : "others");
    loss->runs += runs;
}

void search_count_losses(struct search_counters *counters, const struct search_program *program,
                         const struct search_walk *walk) {
    struct abi_loss loss;
    if (!walk->losses)
        return;
    counters->unfollowed++;
    for (uint32_t i = 0; i < ABI_MAX_LOSSES; i++)
        if (walk->losses >> i & 1 && program->loss && program->loss(program->self, i, &loss))
            add_loss(counters, loss.name, 1);
}

void search_add_counters(struct search_counters *sum, const struct search_counters *part) {
#define COUNTER(id, blocks, text) sum->id += part->id;
    SEARCH_COUNTERS(COUNTER)
#undef COUNTER
    for (size_t i = 0; i < ABI_MAX_LOSSES && *part->losses[i].name; i++)
        add_loss(sum, part->losses[i].name, part->losses[i].runs);
}

void search_take_back(struct search_counters *sum, const struct search_counters *part) {
#define COUNTER(id, blocks, text) sum->id -= part->id < sum->id ? part->id : sum->id;
    SEARCH_COUNTERS(COUNTER)
#undef COUNTER
}

void search_book(struct search *search, const struct search_counters *counters) {
    search_add_counters(&search->counters, counters);
    search->granted -= counters->runs < search->granted ? counters->runs : search->granted;
    search_give_best(search);
    if (search->options.cluster)
        cluster_step(search->options.cluster);
    double now = base_seconds();
    if (search->watch && now - search->watched >= WATCH_SECONDS) {
        search->seconds = now - search->began;
        search->watched = now;
        search->watch(search, search->watch_context);
    }
}

void search_book_locked(struct search *search, const struct search_counters *counters) {
    pthread_mutex_lock(&search->lock);
    search_book(search, counters);
    pthread_mutex_unlock(&search->lock);
}

void search_note_start(struct search *search, double cost, bool is_random) {
    if (!(cost <= search->start))
        search->start = cost;
    if (is_random && !(cost <= search->random))
        search->random = cost;
    if (search->outer && !search->begins_with_finds)
        search_note_start(search->outer, cost, is_random);
}

void search_count_path(struct search *search, struct search_path path) {
    search->counters.paths += search_paths_add(&search->paths, path);
}

bool search_is_dull(const struct search *search, const struct abi_result *result, double cost) {
    return !search->subject.policy && search_ended_well(result) &&
           !search_archive_wants(&search->archive, cost) &&
           !search_archive_wants(&search->plain, cost) && !search_wants_kind(search, result, cost);
}

void search_note_tests(struct search *search) {
    double sum = 0;
    for (size_t i = 0; i < search->archive.count && i < search->options.tests; i++)
        sum += (double)search->archive.tests[i].result.wall_ns / 1e9;
    search_note_again(search, sum * AGAIN);
}

void search_found(struct search *search, const struct search_test *test) {
    if (test->result.rejected)
        return;
    bool is_new = search_paths_add(&search->paths, test->path);
    bool is_good = test->result.status == ABI_STATUS_OK;
    const struct search_policy *policy = search->subject.policy;
    search->counters.paths += is_new;
    if (policy && is_good && !search_policy_holds(policy, &test->result)) {
        search->counters.violating += is_new;
        return;
    }
    if (is_good && !test->is_open)
        search_archive_offer(&search->plain, test);
    if (is_good)
        search_offer_kind(search, test);
    search_archive_offer(is_good ? &search->archive : &search->faults, test);
    if (is_good && test->result.wall_ns && search->options.limits.seconds > 0)
        search_note_tests(search);
}

void search_note_outside(struct search *search, const struct target_input *input,
                         const struct abi_result *result) {
    if (result->status != ABI_STATUS_BOUNDS)
        return;
    struct search_test test = {.input = (uint8_t *)input->data,
                               .size = input->size,
                               .path = {result->outside.start, result->outside.site},
                               .result = {.status = result->status, .outside = result->outside}};
    pthread_mutex_lock(&search->lock);
    search_archive_offer(&search->faults, &test);
    pthread_mutex_unlock(&search->lock);
}

void search_book_measured(struct search *search, const struct target_input *inputs, size_t count,
                          const struct abi_result *results, const double *costs) {
    struct search_counters counters = {0};
    pthread_mutex_lock(&search->lock);
    for (size_t i = 0; i < count; i++) {
        struct search_path path = {results[i].counts_hash, results[i].status};
        search_count_run(&counters, &results[i], NULL);
        if (search_is_dull(search, &results[i], costs[i]))
            search_count_path(search, path);
        else
            search_found(search, &(struct search_test){.input = (uint8_t *)inputs[i].data,
                                                       .size = inputs[i].size,
                                                       .cost = costs[i],
                                                       .path = path,
                                                       .result = results[i]});
    }
    search_book(search, &counters);
    pthread_mutex_unlock(&search->lock);
}

bool search_measure(struct search *search, const struct target_input *inputs, size_t count,
                    struct abi_result *results, double *costs, struct base_error *error) {
    const struct search_program *program = &search->subject.programs[0];
    uint64_t left = search_runs_left(search);
    size_t run = left < count ? (size_t)left : count;
    if (run && !program->measure(program->self, inputs, run, results, costs, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (i < run)
            search_count_run(&search->counters, &results[i], NULL);
        else
            results[i] = (struct abi_result){.status = ABI_STATUS_TIMEOUT};
        if (!search_ended_well(&results[i]))
            costs[i] = NAN;
    }
    return true;
}
