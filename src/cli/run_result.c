/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a search: every test is run again and compared with the search's result, its path is
 * described, the suite is written, and a summary printed.
 */
#include "cli/reports.h"
#include "cli/run.h"
#include "measure/json.h"
#include "suite/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONDITION_BYTES 2000
#define RATE 3e8           /* assumed instructions per second, to estimate the time of a run */
#define DESCRIBED_COST 1e8 /* costlier paths are not traced just to describe them */

/* ---- running again ---- */

bool cli_is_timed(const struct cli_run *run) {
    for (size_t i = 0; i < run->measure->term_count; i++)
        if (run->measure->terms[i].kind == MEASURE_BY_TIME)
            return true;
    return false;
}

static bool agrees(const struct cli_run *run, const struct search_test *found,
                   const struct abi_result *again, double cost) {
    return again->status == found->result.status && !again->rejected &&
           again->counts_hash == found->result.counts_hash &&
           (cost == found->cost || cli_is_timed(run)) &&
           (!found->is_predicted || cost == found->predicted);
}

bool cli_has_time_for(double instructions) {
    return instructions / RATE < cli_stop_seconds_left();
}

/* Based on its time in the search, or the assumed rate. */
static bool has_time_again(const struct abi_result *result) {
    return result->wall_ns ? (double)result->wall_ns / 1e9 < cli_stop_seconds_left()
                           : cli_has_time_for((double)result->weighted[MEASURE_INSTRUCTIONS]);
}

/* A cost that is not a count has no place in a suite that must be reproducible. */
json_t *cli_cost_json(const struct cli_run *run, const struct abi_result *result) {
    json_t *cost = measure_cost_json(run->measure, run->measuring, result);
    if (!cli_is_timed(run)) {
        json_object_del(cost, "time");
        json_object_del(cost, "cpu");
    }
    return cost;
}

/* Runs one test; if there is no time for it, the search's result stands, and cheaper tests may
 * still get their turn. */
static bool measure_one(struct cli_result *result, size_t index, const struct target_input *input,
                        struct abi_result *again, double *cost, struct base_error *error) {
    const struct search_program *program = &result->run->subject->programs[0];
    bool is_tried = has_time_again(&result->rows[index].found.result);
    if (is_tried && program->measure(program->self, input, 1, again, cost, error)) {
        cli_pipe_note(result, index, input);
        return true;
    }
    if (is_tried && error->code != BASE_STOPPED)
        return false;
    *again = result->rows[index].found.result;
    *cost = result->rows[index].found.cost;
    result->rows[index].is_skipped = true;
    return true;
}

/* Runs all tests again except those that would take too long: these have no results. */
static bool measure_again(struct cli_result *result, const struct target_input *inputs,
                          struct abi_result *again, double *costs, struct base_error *error) {
    for (size_t i = 0; i < result->count; i++)
        if (!result->rows[i].found.is_unmeasured &&
            !measure_one(result, i, &inputs[i], &again[i], &costs[i], error))
            return false;
    return true;
}

static bool verify(struct cli_result *result, struct base_error *error) {
    struct cli_run *run = result->run;
    struct abi_result *again = base_alloc((result->count + 1) * sizeof *again);
    double *costs = base_alloc((result->count + 1) * sizeof *costs);
    struct target_input *inputs = base_alloc((result->count + 1) * sizeof *inputs);
    for (size_t i = 0; i < result->count; i++)
        inputs[i] = (struct target_input){result->rows[i].found.input, result->rows[i].found.size};
    bool good = measure_again(result, inputs, again, costs, error);
    for (size_t i = 0; good && i < result->count; i++) {
        struct suite_test *test = &result->tests[i];
        *test = (struct suite_test){.input = inputs[i].data,
                                    .size = inputs[i].size,
                                    .decisions = result->rows[i].found.decisions,
                                    .is_predicted = result->rows[i].found.is_predicted,
                                    .predicted = result->rows[i].found.predicted,
                                    .verified =
                                        !result->rows[i].is_skipped &&
                                        agrees(run, &result->rows[i].found, &again[i], costs[i])};
        test->cost =
            result->rows[i].found.is_unmeasured ? json_object() : cli_cost_json(run, &again[i]);
    }
    if (good && run->template)
        for (size_t i = 0; i < result->count; i++)
            cli_template_test(run, &result->rows[i].found, &result->tests[i]);
    free(again);
    free(costs);
    free(inputs);
    return good;
}

/* ---- descriptions of paths ---- */

/* Paths are not described if there is no time for it. */
static bool describe_path(const struct cli_result *result, size_t index, struct base_error *error) {
    const struct cli_run *run = result->run;
    const struct search_test *found = &result->rows[index].found;
    struct target_input input = {found->input + (found->has_first ? found->size : 0), found->size};
    bool has_entry = target_entry_kind(run->measuring) == ABI_ENTRY_DRIVER;
    double instructions = (double)found->result.weighted[MEASURE_INSTRUCTIONS];
    if ((found->is_unmeasured ? found->cost : instructions) >= DESCRIBED_COST ||
        !search_target_has_symbolic(run->target) || run->template || cli_stop_seconds_left() <= 0)
        return true;
    const struct search_layout *layout = search_layout_for(run->subject, input.size);
    int64_t sizes[ABI_MAX_SIZES];
    struct target_shape shape;
    bool has_shape = target_shape_of(run->measuring, &input, sizes, &shape);
    struct cli_names names = {&layout->fields, has_shape ? &shape : NULL};
    const struct search_question question = {.input = &input,
                                             .names = has_entry ? cli_field_name : NULL,
                                             .links = has_shape ? cli_link_name : NULL,
                                             .context = &names,
                                             .limit = CONDITION_BYTES,
                                             .until = base_seconds() + cli_stop_seconds_left(),
                                             .rival = found->is_open ? cli_policy_rival(run) : NAN};
    bool good = search_describe(run->subject, &run->options, &question,
                                &result->rows[index].described, error) ||
                error->code == BASE_STOPPED;
    if (has_shape)
        target_shape_done(&shape);
    return good;
}

static bool describe(struct cli_result *result, struct base_error *error) {
    struct cli_run *run = result->run;
    char *folder = base_format("%s/tests", run->out);
    bool good = true;
    for (size_t i = 0; good && i < result->count; i++) {
        struct suite_test *test = &result->tests[i];
        struct target_input input = {test->input, test->size};
        const struct search_description *told = &result->rows[i].described;
        good = describe_path(result, i, error);
        cli_faults_note_outside(result, i);
        test->condition = told->condition;
        test->tables = told->tables;
        test->trace = told->trace;
        if (!run->template)
            test->more = cli_growth_json(result->rows[i].found.law, run->subject->facts);
        cli_family_tell(run, told, test);
        if (target_test_program(run->measuring, &input, folder, &result->rows[i].program))
            test->program = result->rows[i].program.data;
    }
    free(folder);
    return good;
}

/* ---- all of it ---- */

static void seal(struct cli_run *run, struct base_buffer *sealed) {
    struct base_buffer state = {0};
    search_save(run->search, &state);
    suite_seal_state(run->key, &state, sealed);
    base_buffer_done(&state);
}

static bool write_reports(const struct cli_run *run, const json_t *root, struct base_error *error) {
    const char *folder = run->values->given[CLI_REPORT_TO];
    struct report report = {.root = root, .folder = run->out};
    cli_report_annotate(&report);
    return !folder || cli_report_write(folder, &report, run->out, run->measuring, error);
}

static bool write_slow_units(const struct cli_result *result, struct base_error *error) {
    const char *folder = result->run->values->given[CLI_SLOW_UNITS];
    bool good = !folder || base_make_dirs(folder, error);
    for (size_t i = 0; folder && good && i < result->count; i++)
        good = cli_write_slow_unit(folder, result->tests[i].input, result->tests[i].size, error);
    return good;
}

static bool write_results(struct cli_result *result, struct base_error *error) {
    struct cli_run *run = result->run;
    const char *json = run->values->given[CLI_JSON];
    char *folder = suite_way_back(run->out);
    struct cli_extras extras = {0};
    cli_pipe_extras(result, &extras);
    struct suite_head head = {.targets = run->description.options.paths,
                              .target_count = run->description.options.path_count,
                              .folder = folder,
                              .entry = run->description.options.entry,
                              .strategy = run->strategy->name,
                              .measure = run->measure_text,
                              .sizes = cli_sizes_json(run),
                              .options = cli_options_json(run),
                              .faults = result->faults,
                              .fault_count = result->fault_count,
                              .extras = extras.data,
                              .extra_count = extras.count,
                              .stats = cli_stats_json(result),
                              .model = cli_scale_json(search_model(run->search)),
                              .baseline = cli_template_json(run),
                              .findings = json_incref(result->findings)};
    json_t *root = suite_describe(&head, result->tests, result->count);
    json_t *policy = cli_policy_json(result);
    if (policy)
        json_object_set_new(root, "policy", policy);
    if (result->stage_growth)
        json_object_set(root, "stage_growth", result->stage_growth);
    json_t *composition = cli_pipe_json(run);
    if (composition)
        json_object_set_new(root, "composition", composition);
    struct base_buffer sealed = {0};
    seal(run, &sealed);
    bool good = suite_store(run->out, root, &head, result->tests, result->count, &sealed, error) &&
                (!json || cli_write_json(root, json, error)) && write_reports(run, root, error) &&
                write_slow_units(result, error);
    if (good && !search_lacks_ranks(run->search))
        suite_drop_ranks(run->out); /* everything in them is in the suite now */
    base_buffer_done(&sealed);
    cli_extras_done(&extras);
    json_decref(root);
    free(folder);
    return good;
}

/* A program gets zeros beyond the end of an input, and these were not explored. */
static void check_for_short_inputs(struct cli_run *run) {
    const struct target *target = run->measuring;
    uint64_t asked = target_bytes_asked(target);
    if (target_entry_kind(target) != ABI_ENTRY_PROGRAM || asked <= run->subject->layout.bytes)
        return;
    run->statistics.complete = run->statistics.within_bounds = false;
    run->has_short_inputs = true;
    base_warn("the program asked for %llu bytes of input, but inputs had %llu: the rest was zero "
              "(--stdin %llu gives all of them)",
              (unsigned long long)asked, (unsigned long long)run->subject->layout.bytes,
              (unsigned long long)asked);
}

/* Did every run fail, for all inputs? */
static bool is_broken(const struct search_counters *counters, struct base_error *error) {
    uint64_t bad = counters->crashes + counters->timeouts;
    if (!bad || bad * 10 < counters->runs * 9)
        return false;
    const char *what =
        counters->crashes >= counters->timeouts ? "crashes" : "takes too long, or too much memory,";
    base_fail(error, BASE_BROKEN, "the target %s in every one of %llu runs: no input is at fault",
              what, (unsigned long long)counters->runs);
    return true;
}

/* With room for the tests of an earlier suite. */
static void result_init(struct cli_result *result, struct cli_run *run) {
    const struct search_test *found;
    size_t count = search_tests(run->search, &found), room = count + run->earlier.count + 1;
    *result = (struct cli_result){.run = run,
                                  .rows = base_alloc(room * sizeof *result->rows),
                                  .tests = base_alloc(room * sizeof *result->tests),
                                  .count = count};
    for (size_t i = 0; i < count; i++)
        result->rows[i].found = found[i];
}

static void result_done(struct cli_result *result) {
    for (size_t i = 0; i < result->count; i++) {
        search_description_done(&result->rows[i].described);
        base_buffer_done(&result->rows[i].program);
        json_decref(result->rows[i].stages);
    }
    for (size_t i = 0; i < result->fault_count; i++)
        free((char *)result->faults[i].reason);
    json_decref(result->findings);
    json_decref(result->stage_growth);
    free(result->faults);
    free(result->rows);
    free(result->tests);
}

bool cli_run_finish(struct cli_run *run, struct base_error *error) {
    struct cli_result result;
    check_for_short_inputs(run);
    measure_check_counters(run->measure, run->measuring);
    result_init(&result, run);
    const char *json = run->values->given[CLI_JSON];
    bool good = verify(&result, error);
    cli_faults_explain(&result);
    good = good && describe(&result, error) && cli_keep_tests(&result, error);
    if (good)
        cli_pipe_tell(&result);
    result.findings = good ? cli_findings_json(&result) : NULL;
    cli_keep_findings(&result);
    good = good && write_results(&result, error);
    if (good)
        cli_found_end(run);
    bool broken = good && !result.count && is_broken(&run->statistics.counters, error);
    if (good)
        cli_print_result(json && strcmp(json, "-") == 0 ? stderr : stdout, &result);
    result_done(&result);
    return good && !broken;
}
