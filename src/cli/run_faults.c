/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports inputs that crashed or were stopped: why a run crashed, which object an access left, and
 * which limit ended a run. A run ended by a limit may be the costliest of all, so it is listed with
 * the tests.
 */
#include "cli/run.h"
#include "measure/json.h"

#include <stdlib.h>
#include <string.h>

#define SEEMED_SLOW 4 /* a run that ends in this fraction of the limit did not hit it */

/* "writes 4 bytes outside of table (40 bytes), at offset 44, in find (a.c:12)" */
static char *explain_outside(const struct ir_facts *facts, const struct abi_outside *outside) {
    char *access =
        base_format("%s %llu byte%s outside of %.*s (%llu bytes), at offset %lld",
                    outside->is_write ? "writes" : "reads", (unsigned long long)outside->bytes,
                    outside->bytes == 1 ? "" : "s", ABI_NAME_SIZE, outside->object,
                    (unsigned long long)outside->size, (long long)outside->offset);
    if (outside->site >= facts->block_count) /* in a library function */
        return access;
    const struct ir_block *block = &facts->blocks[outside->site];
    char *text =
        base_format("%s, in %s", access, facts->strings + facts->functions[block->function].name);
    free(access);
    if (!block->line)
        return text;
    char *placed = base_format("%s (%s:%u)", text, facts->strings + block->file, block->line);
    free(text);
    return placed;
}

static bool is_told(const struct cli_result *result, const char *reason) {
    for (size_t i = 0; i < result->fault_count; i++)
        if (strcmp(result->faults[i].reason, reason) == 0)
            return true;
    return false;
}

/* A test that leaves an object is a fault as well; each place is reported once. */
void cli_faults_note_outside(struct cli_result *result, size_t index) {
    const struct search_description *told = &result->rows[index].described;
    struct suite_fault fault = {.input = result->tests[index].input,
                                .size = result->tests[index].size,
                                .status = measure_status_name(ABI_STATUS_BOUNDS)};
    if (!told->is_outside)
        return;
    fault.reason = explain_outside(result->run->subject->facts, &told->outside);
    if (is_told(result, fault.reason)) {
        free((char *)fault.reason);
        return;
    }
    size_t room = result->fault_count + 1;
    result->faults = base_realloc(result->faults, room * sizeof *result->faults);
    result->faults[result->fault_count++] = fault;
}

/* Some strategies use a shorter time limit than the user's. */
static char *explain_slow(const struct cli_run *run, const struct search_test *bad, double *limit) {
    double seconds = (double)bad->result.wall_ns / 1e9;
    double given = run->description.options.limits.seconds;
    *limit = given;
    if (seconds <= 0 || seconds >= *limit)
        return base_format("over %g s: input of %zu bytes", given, bad->size);
    *limit = seconds;
    return base_format("over %.3g s: input of %zu bytes (the search gives a run no longer; "
                       "--limit-time is %g s)",
                       seconds, bad->size, given);
}

static char *explain_large(const struct cli_run *run, const struct search_test *bad,
                           double *limit) {
    *limit = (double)run->description.options.limits.memory / (1 << 20);
    return base_format("over %s MiB: input of %zu bytes (--limit-memory)",
                       cli_value(run->values, CLI_LIMIT_MEMORY), bad->size);
}

/* Also returns which limit it hit, if any. */
static char *explain(const struct cli_run *run, const struct search_test *bad, double *limit) {
    const struct abi_result *result = &bad->result;
    const char *place;
    if (result->status == ABI_STATUS_BOUNDS)
        return explain_outside(run->subject->facts, &result->outside);
    if (result->status == ABI_STATUS_ENDLESS)
        return base_strdup("a loop that never ends");
    if (result->status == ABI_STATUS_TIMEOUT)
        return explain_slow(run, bad, limit);
    if (result->status == ABI_STATUS_MEMORY)
        return explain_large(run, bad, limit);
    bool known = target_locate(run->measuring, result, &place);
    return base_format("%s%s%s", target_crash_name(result), known ? " in " : "",
                       known ? place : "");
}

/* "stage 2 (sort): ..." */
static char *name_stage(const struct cli_run *run, const struct abi_result *result, char *reason) {
    const struct target_pipeline *pipeline = &run->description.pipeline;
    if (!pipeline->text)
        return reason;
    char *named = base_format("stage %llu (%s): %s", (unsigned long long)result->stage + 1,
                              pipeline->stages.data[result->stage].text, reason);
    free(reason);
    return named;
}

/* On a busy machine a short run may take long. If there is time, a run that hit the search's own
 * limit is repeated: does it end well within a fraction of the limit? */
static bool only_seemed_slow(const struct cli_run *run, const struct search_test *bad) {
    struct target_input input = {bad->input, bad->size};
    struct abi_result again = {0};
    struct base_error error;
    double seconds = (double)bad->result.wall_ns / 1e9;
    if (bad->result.status != ABI_STATUS_TIMEOUT || seconds <= 0 ||
        seconds >= run->description.options.limits.seconds || cli_stop_seconds_left() < seconds)
        return false;
    target_limit_run(run->measuring, seconds);
    double began = base_seconds();
    bool good = target_run(run->measuring, &input, 1, &again, &error);
    double took = base_seconds() - began;
    target_limit_run(run->measuring, 0);
    return good && again.status == ABI_STATUS_OK && took < seconds / SEEMED_SLOW;
}

/* Crashes at the same place are reported once. */
void cli_faults_explain(struct cli_result *result) {
    const struct search_test *bad;
    size_t count = search_faults(result->run->search, &bad);
    result->faults = base_alloc((count + 1) * sizeof *result->faults);
    for (size_t i = 0; i < count; i++) {
        if (only_seemed_slow(result->run, &bad[i]))
            continue;
        struct suite_fault fault = {
            bad[i].input, bad[i].size, measure_status_name(bad[i].result.status), NULL, false, 0};
        fault.reason =
            name_stage(result->run, &bad[i].result, explain(result->run, &bad[i], &fault.limit));
        fault.is_slow = fault.limit > 0;
        bool has_place = strstr(fault.reason, " in ") != NULL;
        if (!fault.is_slow && has_place && is_told(result, fault.reason)) {
            free((char *)fault.reason);
            continue;
        }
        if (result->run->template)
            cli_template_fault(result->run, &fault);
        result->faults[result->fault_count++] = fault;
    }
}

/* Prints those ended by a limit, or all others. */
void cli_faults_print(FILE *out, const struct cli_result *result, bool slow) {
    char name[SUITE_NAME_BYTES];
    for (size_t i = 0; i < result->fault_count; i++) {
        const struct suite_fault *fault = &result->faults[i];
        suite_name_fault(result->faults, i, name);
        if (slow && fault->is_slow)
            fprintf(out, "%-17s  %s\n", name, fault->reason);
        else if (!slow && !fault->is_slow)
            fprintf(out, "%s  %s: %s\n", name, fault->status, fault->reason);
    }
}
