/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the last call of a sequence cost? Runs are repeatable, so it is the cost of the whole
 * minus that without the call. The harness itself has no weight.
 */
#include "api/runner.h"

#include "ir/facts.h"

#include <stdlib.h>
#include <string.h>

static bool is_file(const struct ir_facts *facts, uint32_t function, const char *file) {
    const char *name = facts->strings + facts->functions[function].file;
    return strcmp(base_basename(name), base_basename(file)) == 0;
}

void api_runner_init(struct api_runner *runner, const struct api_model *model,
                     struct target *target, const char *harness) {
    const struct ir_facts *facts = target_facts(target);
    uint32_t count = facts->block_count + 1;
    *runner =
        (struct api_runner){.model = model, .target = target, .facts = facts, .slot_count = count};
    runner->weights = base_alloc(count * sizeof *runner->weights);
    runner->all = base_alloc(count * sizeof *runner->all);
    runner->last = base_alloc(count * sizeof *runner->last);
    runner->weights[0] = 1;
    for (uint32_t i = 0; i < facts->block_count; i++)
        if (!is_file(facts, facts->blocks[i].function, harness))
            runner->weights[i + 1] = facts->blocks[i].instructions;
}

static bool run(struct api_runner *runner, const struct api_sequence *sequence, uint32_t count,
                uint64_t *counts, struct abi_result *result, struct base_error *error) {
    struct base_buffer bytes = {0};
    api_sequence_encode(runner->model, sequence, count, &bytes);
    struct target_input input = {bytes.data, bytes.count};
    const uint64_t *seen = target_run_counted(runner->target, &input, result, error);
    if (seen)
        memcpy(counts, seen, runner->slot_count * sizeof *counts);
    base_buffer_done(&bytes);
    runner->runs++;
    return seen != NULL;
}

static double weigh(const struct api_runner *runner, const uint64_t *counts) {
    double sum = 0;
    for (uint32_t i = 0; i < runner->slot_count; i++)
        sum += (double)counts[i] * runner->weights[i];
    return sum;
}

static bool is_limited(const struct abi_result *result) {
    return result->status == ABI_STATUS_TIMEOUT || result->status == ABI_STATUS_MEMORY;
}

bool api_runner_is_over(const struct api_runner *runner) {
    return runner->end > 0 && base_seconds() >= runner->end;
}

bool api_runner_run(struct api_runner *runner, const struct api_sequence *sequence,
                    struct api_outcome *outcome, struct base_error *error) {
    struct abi_result before;
    *outcome = (struct api_outcome){0};
    if (api_runner_is_over(runner))
        return true;
    if (!run(runner, sequence, sequence->count, runner->all, &outcome->result, error) ||
        !run(runner, sequence, sequence->count - 1, runner->last, &before, error))
        return false;
    outcome->is_good = outcome->result.status == ABI_STATUS_OK && before.status == ABI_STATUS_OK &&
                       !outcome->result.exited;
    outcome->is_limited_before = is_limited(&before);
    outcome->is_limited = is_limited(&outcome->result) || outcome->is_limited_before;
    for (uint32_t i = 0; i < runner->slot_count; i++) {
        uint64_t less = runner->last[i], more = runner->all[i];
        runner->last[i] = more > less ? more - less : 0;
    }
    outcome->all = weigh(runner, runner->all);
    outcome->last = weigh(runner, runner->last);
    outcome->live = outcome->result.costs.live;
    outcome->peak = before.costs.peak;
    return true;
}

void api_runner_done(struct api_runner *runner) {
    free(runner->weights);
    free(runner->all);
    free(runner->last);
}
