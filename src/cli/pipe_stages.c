/* SPDX-License-Identifier: Apache-2.0
 *
 * How much does each stage of a pipeline contribute to the cost of a test? The costs of the stages
 * are recorded when a test is run again; the user sees the costliest stage, and which one
 * dominates.
 */
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

#define DOMINATES 0.5 /* share of the whole cost */

/* "grep-sort.slowpath" */
char *cli_pipe_folder(const struct cli_target *target) {
    struct base_buffer name = {0};
    for (size_t i = 0; i < target->paths.count; i++)
        base_buffer_print(&name, "%s%s", i ? "-" : "", base_basename(target->paths.data[i]));
    base_buffer_print(&name, ".slowpath");
    return name.data;
}

static json_t *stage_json(const struct cli_run *run, size_t stage, const struct target_input *input,
                          const struct abi_result *result) {
    const struct target_pipeline *pipeline = &run->description.pipeline;
    struct target_input own = target_stage_input(run->measuring, input, stage);
    return json_pack("{s:s, s:o, s:I, s:I}", "command", pipeline->stages.data[stage].text, "cost",
                     cli_cost_json(run, result), "input_bytes", (json_int_t)own.size,
                     "output_bytes", (json_int_t)result->output_bytes);
}

void cli_pipe_note(struct cli_result *result, size_t index, const struct target_input *input) {
    const struct cli_run *run = result->run;
    size_t count = run->description.pipeline.stages.count;
    if (!run->description.pipeline.text)
        return;
    struct abi_result *by_stage = base_alloc(count * sizeof *by_stage);
    target_last_stages(run->measuring, by_stage);
    json_t *stages = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(stages, stage_json(run, i, input, &by_stage[i]));
    result->rows[index].stages = stages;
    free(by_stage);
}

/* A test of an earlier suite keeps what that suite says. */
void cli_pipe_tell(struct cli_result *result) {
    if (!result->run->description.pipeline.text)
        return;
    for (size_t i = 0; i < result->count; i++) {
        struct suite_test *test = &result->tests[i];
        if (!result->rows[i].stages)
            continue;
        if (!test->more)
            test->more = json_object();
        json_object_set(test->more, "stages", result->rows[i].stages);
    }
    result->stage_growth = cli_pipe_growth(result);
}

/* ---- output ---- */

static double cost_of(const struct cli_run *run, const json_t *stage) {
    return json_number_value(json_object_get(json_object_get(stage, "cost"), run->measure->text));
}

static void print_verdict(FILE *out, const struct cli_run *run, const json_t *stages, double sum) {
    size_t best = 0;
    for (size_t i = 1; i < json_array_size(stages); i++)
        if (cost_of(run, json_array_get(stages, i)) > cost_of(run, json_array_get(stages, best)))
            best = i;
    double share = cost_of(run, json_array_get(stages, best)) / sum;
    const char *command =
        json_string_value(json_object_get(json_array_get(stages, best), "command"));
    if (share >= DOMINATES)
        fprintf(out, "stage %zu (%s) dominates: %.0f%% of the cost\n", best + 1, command,
                share * 100);
    else
        fprintf(out, "no stage dominates; stage %zu (%s) has the most: %.0f%%\n", best + 1, command,
                share * 100);
}

void cli_pipe_print(FILE *out, const struct cli_result *result) {
    const struct cli_run *run = result->run;
    const json_t *stages = result->count ? result->rows[0].stages : NULL, *stage;
    size_t index;
    double sum = 0;
    if (!json_array_size(stages))
        return;
    json_array_foreach((json_t *)stages, index, stage) sum += cost_of(run, stage);
    fprintf(out, "\nstages of tests/0001.input   %15s  %6s  %10s  %10s\n", run->measure_text,
            "share", "read", "written");
    json_array_foreach((json_t *)stages, index, stage) {
        fprintf(out, "  %zu  %-22.22s  %15.15g  %5.1f%%  %10lld  %10lld\n", index + 1,
                json_string_value(json_object_get(stage, "command")), cost_of(run, stage),
                sum > 0 ? cost_of(run, stage) * 100 / sum : 0,
                (long long)json_integer_value(json_object_get(stage, "input_bytes")),
                (long long)json_integer_value(json_object_get(stage, "output_bytes")));
    }
    if (sum > 0)
        print_verdict(out, run, stages, sum);
    cli_pipe_print_growth(out, result->stage_growth);
    cli_pipe_print_composition(out, run);
}
