/* SPDX-License-Identifier: Apache-2.0
 *
 * What is kept of an existing suite?
 *
 * A run into the folder of an earlier suite of the same target, inputs and measure keeps the better
 * tests of both. Each earlier test is run again and must have the same cost. Then it competes with
 * the new ones, and the costliest stay. Any other suite is set aside. --force ignores what exists.
 */
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FAULTS 10

/* ---- the suite's identity ---- */

json_t *cli_options_json(const struct cli_run *run) {
    const struct target_options *options = &run->description.options;
    json_t *json = json_object();
    json_object_set_new(json, "cflags", cli_words_json(&run->description.cflags));
    json_object_set_new(json, "args", cli_words_json(&run->description.args));
    json_object_set_new(json, "arg", json_integer(options->arg_index));
    if (!run->template)
        json_object_set_new(json, "bytes", json_integer((json_int_t)run->subject->layout.bytes));
    json_object_set_new(json, "ranges", cli_words_json(&run->values->ranges));
    json_object_set_new(json, "limit_time", json_real(options->limits.seconds));
    json_object_set_new(json, "limit_memory",
                        json_integer((json_int_t)(options->limits.memory >> 20)));
    json_object_set_new(json, "limit_file",
                        json_integer((json_int_t)(options->limits.file_bytes >> 20)));
    if (run->description.pipeline.text)
        json_object_set_new(json, "pipeline", json_string(run->description.pipeline.text));
    if (options->tree.objects) {
        json_object_set_new(json, "files", json_integer(options->tree.objects));
        json_object_set_new(json, "file_bytes", json_integer((json_int_t)options->tree.bytes));
    }
    if (run->values->given[CLI_WEIGHTS])
        json_object_set_new(json, "weights", json_string(run->values->given[CLI_WEIGHTS]));
    if (run->options.path.loop_bound != SEARCH_NO_BOUND)
        json_object_set_new(json, "loop_bound", json_integer(run->options.path.loop_bound));
    return json;
}

json_t *cli_sizes_json(const struct cli_run *run) {
    const struct target *target = run->measuring;
    const char *const *names;
    int64_t values[ABI_MAX_SIZES];
    struct base_error error;
    size_t count = target_size_names(target, &names);
    json_t *sizes = json_object();
    if (run->template || !target_sizes_of(target, run->subject->layout.bytes, values, &error))
        return sizes;
    for (size_t i = 0; i < count; i++) /* a varying size follows from each input's length */
        if (!run->description.swept || strcmp(names[i], run->description.swept) != 0)
            json_object_set_new(sizes, names[i], json_integer(values[i]));
    return sizes;
}

static struct suite_head head_of(const struct cli_run *run) {
    return (struct suite_head){.targets = run->description.options.paths,
                               .target_count = run->description.options.path_count,
                               .entry = run->description.options.entry,
                               .strategy = run->strategy->name,
                               .measure = run->measure_text,
                               .sizes = cli_sizes_json(run),
                               .options = cli_options_json(run),
                               .baseline = cli_template_json(run)};
}

/* ---- before the search ---- */

static bool set_aside(struct cli_run *run, enum suite_kinship kinship, struct base_error *error) {
    char *place;
    if (!suite_set_aside(run->out, &place, error))
        return false;
    base_note("the suite of %s that was in '%s' is now in '%s' (--force replaces it)",
              kinship == SUITE_FOREIGN ? "another target" : "other inputs or another measure",
              run->out, place);
    free(place);
    return true;
}

bool cli_keep_begin(struct cli_run *run, struct base_error *error) {
    struct base_error reason;
    if (run->values->given[CLI_FORCE])
        return true;
    struct suite_head head = head_of(run);
    json_t *fresh = suite_describe(&head, NULL, 0);
    enum suite_kinship kinship = suite_look_around(run->out, &head, fresh);
    json_decref(fresh);
    if (kinship == SUITE_ALONE)
        return true;
    run->earlier_is_same_program = suite_state_is_of(run->out, run->key);
    if (kinship == SUITE_ALIKE && suite_load(run->out, &run->earlier, &reason))
        return true;
    return set_aside(run, kinship, error);
}

/* ---- one test ---- */

enum outcome { HOLDS, FAILS, UNTRIED, STOPS };

/* Does it still cost the same? */
static enum outcome run_again(struct cli_run *run, const struct suite_item *item,
                              struct abi_result *result, struct base_error *error) {
    struct target_input input = {item->input, item->size};
    if (!cli_has_time_for(json_number_value(json_object_get(item->all, "instructions"))))
        return UNTRIED;
    if (!target_run(run->measuring, &input, 1, result, error))
        return error->code == BASE_STOPPED ? UNTRIED : STOPS;
    double cost = measure_value(run->measure, run->measuring, result);
    bool holds = result->status == ABI_STATUS_OK && !result->rejected &&
                 (cost == item->cost || cli_is_timed(run));
    return holds ? HOLDS : FAILS;
}

static bool has_input(const struct suite_test *test, const void *input, size_t size) {
    return test->size == size && memcmp(test->input, input, size) == 0;
}

/* Is there an equally good test with the same path? Counts do not distinguish all paths, so each
 * test matches at most one of the earlier ones. */
static bool is_covered(struct cli_result *result, const struct suite_item *item,
                       const struct abi_result *again) {
    for (size_t i = 0; i < result->count; i++) {
        struct cli_row *row = &result->rows[i];
        bool same_path = again && !row->earlier && row->found.cost >= item->cost &&
                         row->found.result.counts_hash == again->counts_hash;
        if (same_path || has_input(&result->tests[i], item->input, item->size)) {
            row->earlier = item->file;
            return true;
        }
    }
    return false;
}

/* ---- keeping the costliest ---- */

static bool has_law(const struct cli_result *result, size_t index) {
    return json_object_get(result->tests[index].more, "growth") != NULL;
}

/* The test to replace: the cheapest, but a test with known growth is worth more than its cost. */
static size_t find_least(const struct cli_result *result) {
    for (size_t i = result->count; i-- > 0;)
        if (!has_law(result, i))
            return i;
    return result->count - 1;
}

static void remove_row(struct cli_result *result, size_t at) {
    json_decref(result->tests[at].cost);
    json_decref(result->tests[at].symbolic);
    json_decref(result->tests[at].more);
    search_description_done(&result->rows[at].described);
    base_buffer_done(&result->rows[at].program);
    json_decref(result->rows[at].stages);
    size_t rest = --result->count - at;
    memmove(&result->rows[at], &result->rows[at + 1], rest * sizeof *result->rows);
    memmove(&result->tests[at], &result->tests[at + 1], rest * sizeof *result->tests);
}

static struct cli_row *open_row(struct cli_result *result, size_t at) {
    size_t rest = result->count++ - at;
    memmove(&result->rows[at + 1], &result->rows[at], rest * sizeof *result->rows);
    memmove(&result->tests[at + 1], &result->tests[at], rest * sizeof *result->tests);
    result->rows[at] = (struct cli_row){.is_kept = true};
    return &result->rows[at];
}

/* Its earlier description is valid as long as the program is unchanged. */
static void tell_more(const struct cli_run *run, const json_t *said, struct suite_test *test) {
    const json_t *predicted = json_object_get(said, "predicted");
    json_t *symbolic = json_object_get(said, "symbolic_cost");
    test->decisions = (uint32_t)json_integer_value(json_object_get(said, "decisions"));
    test->is_predicted = json_is_number(predicted);
    test->predicted = json_number_value(predicted);
    test->more = json_object();
    if (run->earlier_is_same_program) {
        test->condition = json_string_value(json_object_get(said, "condition"));
        test->tables = json_string_value(json_object_get(said, "tables"));
        test->symbolic = json_incref(symbolic);
        json_object_update(test->more, (json_t *)said);
    }
    json_object_set_new(test->more, "kept", json_true());
}

static void write_row(struct cli_result *result, size_t at, const struct suite_item *item,
                      const json_t *said, const struct abi_result *again) {
    struct cli_run *run = result->run;
    struct target_input input = {item->input, item->size};
    struct cli_row *row = open_row(result, at);
    struct suite_test *test = &result->tests[at];
    char *folder = base_format("%s/tests", run->out);
    row->found = (struct search_test){
        .input = (uint8_t *)item->input, .size = item->size, .cost = item->cost};
    if (again)
        row->found.result = *again;
    if (again)
        cli_pipe_note(result, at, &input); /* it was the last run */
    row->is_skipped = !again;
    row->earlier = item->file;
    *test = (struct suite_test){.input = item->input, .size = item->size, .verified = again};
    test->cost = again ? cli_cost_json(run, again) : json_deep_copy(item->all);
    tell_more(run, said, test);
    if (target_test_program(run->measuring, &input, folder, &row->program))
        test->program = row->program.data;
    free(folder);
}

/* AGAIN is NULL if there was no time. */
static void offer(struct cli_result *result, const struct suite_item *item, const json_t *said,
                  const struct abi_result *again) {
    size_t at = 0;
    if (is_covered(result, item, again))
        return;
    if (result->count >= result->run->options.tests) {
        size_t least = find_least(result);
        bool all_grow = has_law(result, least) && !json_object_get(said, "growth");
        if (item->cost <= result->rows[all_grow ? 0 : least].found.cost)
            return;
        remove_row(result, least);
    }
    while (at < result->count && result->rows[at].found.cost >= item->cost)
        at++;
    write_row(result, at, item, said, again);
}

/* ---- inputs that crashed or were stopped ---- */

static bool is_known(const struct cli_result *result, const struct suite_fault *fault) {
    for (size_t i = 0; i < result->fault_count; i++)
        if (strcmp(result->faults[i].status, fault->status) == 0 &&
            strcmp(result->faults[i].reason, fault->reason) == 0)
            return true;
    return false;
}

static void keep_faults(struct cli_result *result) {
    const struct suite *earlier = &result->run->earlier;
    size_t room = result->fault_count + earlier->fault_count + 1;
    result->faults = base_realloc(result->faults, room * sizeof *result->faults);
    for (size_t i = 0; i < earlier->fault_count && result->fault_count < MOST_FAULTS; i++) {
        struct suite_fault fault = earlier->faults[i];
        if (is_known(result, &fault))
            continue;
        fault.reason = base_strdup(fault.reason);
        result->faults[result->fault_count++] = fault;
    }
}

bool cli_keep_tests(struct cli_result *result, struct base_error *error) {
    struct cli_run *run = result->run;
    const json_t *tests = json_object_get(run->earlier.root, "tests");
    size_t dropped = 0;
    for (size_t i = 0; i < run->earlier.count; i++) {
        const struct suite_item *item = &run->earlier.items[i];
        struct abi_result again;
        enum outcome outcome = run_again(run, item, &again, error);
        if (outcome == STOPS)
            return false;
        dropped += outcome == FAILS;
        if (outcome != FAILS)
            offer(result, item, json_array_get(tests, i), outcome == HOLDS ? &again : NULL);
    }
    if (dropped)
        base_note("%zu of the %zu tests that were in '%s' are dropped: they no longer cost what "
                  "they did",
                  dropped, run->earlier.count, run->out);
    if (run->earlier_is_same_program)
        keep_faults(result);
    return true;
}

/* ---- findings ---- */

/* The tests of an earlier finding, with their new names. */
static json_t *rename_tests(const struct cli_result *result, const json_t *finding) {
    const json_t *tests = json_object_get(finding, "tests"), *test;
    json_t *names = json_array();
    size_t index;
    json_array_foreach((json_t *)tests, index, test) {
        for (size_t i = 0; i < result->count; i++) {
            const char *earlier = result->rows[i].earlier, *name = json_string_value(test);
            if (!earlier || !name || strcmp(earlier, name) != 0)
                continue;
            char *file = base_format("tests/%04zu.input", i + 1);
            json_array_append_new(names, json_string(file));
            free(file);
        }
    }
    return names;
}

static bool is_found_again(const json_t *findings, const json_t *finding) {
    const json_t *other;
    size_t index;
    json_array_foreach((json_t *)findings, index, other) {
        if (json_equal(json_object_get(other, "recipe"), json_object_get(finding, "recipe")) ||
            json_equal(json_object_get(other, "cause"), json_object_get(finding, "cause")))
            return true;
    }
    return false;
}

void cli_keep_findings(struct cli_result *result) {
    const json_t *findings = json_object_get(result->run->earlier.root, "findings"), *finding;
    size_t index;
    if (!result->findings || !result->run->earlier_is_same_program)
        return;
    json_array_foreach((json_t *)findings, index, finding) {
        json_t *names = rename_tests(result, finding);
        if (json_array_size(names) && !is_found_again(result->findings, finding)) {
            json_t *kept = json_deep_copy(finding);
            char *id = base_format("F%zu", json_array_size(result->findings) + 1);
            json_object_set_new(kept, "id", json_string(id));
            json_object_set(kept, "tests", names);
            json_array_append_new(result->findings, kept);
            free(id);
        }
        json_decref(names);
    }
}
