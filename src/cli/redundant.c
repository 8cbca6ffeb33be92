/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath redundant: which nested loops compute the same thing over and over?
 */
#include "redundant/redundant.h"
#include "cli/session.h"
#include "target/pattern.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMALLER_SIZES 3 /* sizes per recipe: that of its test, a half, a quarter, an eighth */

struct session {
    const struct cli_values *values;
    struct cli_session suite; /* if a suite was given */
    struct cli_target description;
    struct base_strings target_paths;
    struct cli_inputs inputs;
    struct target *target; /* the suite's, or one of our own */
    bool is_suite;
    struct redundant_options options;
    struct redundant_report report;
    double seconds;
};

/* ---- words of the command line ---- */

static bool is_suite(const char *path) {
    char *file = base_format("%s/suite.json", path);
    bool is_there = access(file, F_OK) == 0;
    free(file);
    return is_there;
}

static bool has_ending(const char *word) {
    static const char *const endings[] = {".c", ".o", ".a", ".so"};
    size_t length = strlen(word);
    for (size_t i = 0; i < BASE_COUNT(endings); i++) {
        size_t tail = strlen(endings[i]);
        if (length > tail && strcmp(word + length - tail, endings[i]) == 0)
            return true;
    }
    return false;
}

/* As in measure: the first word is a target, and so are following ones with the same suffix. */
static bool read_words(struct session *session, struct base_error *error) {
    const struct base_strings *before = &session->values->before;
    const struct base_strings *after = &session->values->after;
    size_t targets = session->values->has_separator ? before->count : before->count ? 1 : 0;
    while (targets < before->count && has_ending(before->data[targets]))
        targets++;
    for (size_t i = 0; i < targets; i++)
        base_strings_add(&session->target_paths, before->data[i]);
    for (size_t i = targets; i < before->count; i++)
        if (!cli_inputs_read(&session->inputs, before->data[i], error))
            return false;
    for (size_t i = 0; i < after->count; i++)
        if (!cli_inputs_read(&session->inputs, after->data[i], error))
            return false;
    if (targets < before->count + after->count && !session->inputs.count)
        return base_fail(error, BASE_USAGE, "there are no inputs: the folder is empty");
    if (!session->inputs.count)
        base_push(&session->inputs,
                  (struct cli_input){.name = base_strdup("(empty)"), .data = base_strdup("")});
    return true;
}

/* ---- the tests of a suite ---- */

static void add_input(struct session *session, char *name, const char *data, size_t size) {
    struct cli_input input = {.name = name, .data = base_alloc(size + 1), .size = size};
    memcpy(input.data, data, size);
    base_push(&session->inputs, input);
}

/* A test with a recipe has smaller relatives, which show how its reads grow. */
static void add_family(struct session *session, const struct suite_item *item,
                       const struct target_pattern *pattern) {
    size_t last = item->size;
    for (int i = 1; i <= SMALLER_SIZES; i++) {
        struct base_buffer bytes = {0};
        uint64_t k = target_pattern_fit(pattern, item->size >> i);
        if (k)
            target_pattern_write(pattern, k, &bytes);
        if (bytes.count && bytes.count < last)
            add_input(session, base_format("%s at %zu bytes", item->file, bytes.count), bytes.data,
                      last = bytes.count);
        base_buffer_done(&bytes);
    }
}

static void add_tests(struct session *session) {
    const struct suite *suite = &session->suite.suite;
    const json_t *tests = json_object_get(suite->root, "tests");
    for (size_t i = 0; i < suite->count; i++) {
        const struct suite_item *item = &suite->items[i];
        const char *recipe = json_string_value(json_object_get(json_array_get(tests, i), "recipe"));
        struct target_pattern pattern;
        add_input(session, base_strdup(item->file), item->input, item->size);
        if (recipe && target_pattern_parse(recipe, &pattern))
            add_family(session, item, &pattern);
    }
}

/* ---- running ---- */

static bool open_suite(struct session *session, struct base_error *error) {
    const char *path = session->values->before.data[0];
    session->is_suite = true;
    if (session->values->before.count > 1 || session->values->after.count)
        return base_fail(error, BASE_USAGE, "a suite brings its own inputs: name it alone");
    if (!cli_session_open(&session->suite, session->values, path, error))
        return false;
    session->target = session->suite.target;
    add_tests(session);
    return session->inputs.count ||
           base_fail(error, BASE_UNTOLD, "the suite has no tests: there is nothing to run");
}

static bool open_target(struct session *session, struct base_error *error) {
    if (!read_words(session, error) ||
        !cli_target_init(&session->description, session->values, &session->target_paths, error))
        return false;
    session->target = target_open(&session->description.options, error);
    return session->target != NULL;
}

static bool prepare(struct session *session, struct base_error *error) {
    const struct cli_values *values = session->values;
    const char *by = cli_value(values, CLI_BY);
    double iterations;
    if (!cli_number(values, CLI_ITERATIONS, 2, 1e6, &iterations, error) ||
        !cli_try_json(values->given[CLI_JSON], error))
        return false;
    if (strcmp(by, "memory") != 0 && strcmp(by, "values") != 0)
        return base_fail(error, BASE_USAGE, "--by %s: it is 'memory' or 'values'", by);
    session->options.iterations = (uint32_t)iterations;
    session->options.by_values = strcmp(by, "values") == 0;
    bool has_suite = values->before.count && is_suite(values->before.data[0]);
    return has_suite ? open_suite(session, error) : open_target(session, error);
}

/* An entry with a single size grows with that, anything else with its bytes. */
static bool find_sizes(struct session *session, int64_t *sizes, struct base_error *error) {
    const char *const *names;
    size_t count = target_size_names(session->target, &names);
    bool has_size = count == 1 && target_entry_kind(session->target) == ABI_ENTRY_DRIVER;
    for (size_t i = 0; i < session->inputs.count; i++) {
        int64_t values[ABI_MAX_SIZES] = {0};
        if (!target_sizes_of(session->target, session->inputs.data[i].size, values, error)) {
            char *reason = base_strdup(error->message);
            base_fail(error, error->code, "%s: %s", session->inputs.data[i].name, reason);
            free(reason);
            return false;
        }
        sizes[i] = has_size ? values[0] : (int64_t)session->inputs.data[i].size;
    }
    return true;
}

/* A program that cannot be restored gets a fresh process for each run. */
static bool check_program(struct session *session, const struct target_input *first,
                          struct base_error *error) {
    enum target_verdict verdict = TARGET_REPEATS;
    struct abi_result result;
    if (target_entry_kind(session->target) == ABI_ENTRY_PROGRAM &&
        !target_check_repeats(session->target, first, 0, &result, &verdict, error))
        return false;
    if (verdict == TARGET_FRESH)
        base_warn("%s: every input now gets a fresh process", target_fresh_reason(session->target));
    return true;
}

/* In a suite of call sequences, the loops of the harness make the calls and are not reported. */
static void leave_out_harness(struct session *session) {
    const json_t *root = session->is_suite ? session->suite.suite.root : NULL;
    if (!json_object_get(root, "functions") || !session->suite.paths.count)
        return;
    const char *harness = base_basename(session->suite.paths.data[session->suite.paths.count - 1]);
    size_t kept = 0, count = session->report.findings.count;
    struct redundant_finding *findings = session->report.findings.data;
    for (size_t i = 0; i < count; i++)
        if (strcmp(base_basename(findings[i].outer.file), harness) != 0 &&
            strcmp(base_basename(findings[i].inner.file), harness) != 0)
            findings[kept++] = findings[i];
    session->report.findings.count = kept;
}

static bool run_inputs(struct session *session, struct base_error *error) {
    size_t count = session->inputs.count;
    struct target_input *inputs = base_alloc(count * sizeof *inputs);
    int64_t *sizes = base_alloc(count * sizeof *sizes);
    for (size_t i = 0; i < count; i++)
        inputs[i] =
            (struct target_input){session->inputs.data[i].data, session->inputs.data[i].size};
    session->options.sizes = sizes;
    double began = base_seconds();
    bool good =
        find_sizes(session, sizes, error) && check_program(session, inputs, error) &&
        redundant_find(session->target, inputs, count, &session->options, &session->report, error);
    session->seconds = base_seconds() - began;
    if (good)
        leave_out_harness(session);
    free(inputs);
    free(sizes);
    return good;
}

/* ---- results ---- */

static const char *status_name(const struct redundant_run *run) {
    return measure_status_name(run->result.status);
}

static void describe_cut(const struct redundant_run *run, struct base_buffer *out) {
    if (!run->is_recorded)
        base_buffer_print(out, ", nothing was recorded");
    else if (run->result.status != ABI_STATUS_OK)
        base_buffer_print(out, ", recorded up to its end");
    if (run->entries_lost)
        base_buffer_print(out, ", %llu loops were not looked at (too deep, or too many)",
                          (unsigned long long)run->entries_lost);
    if (run->log_lost)
        base_buffer_print(out, ", %llu loads were not compared (the log was full)",
                          (unsigned long long)run->log_lost);
    if (run->stamps_ended)
        base_buffer_print(out, ", its end was not recorded (too many iterations)");
}

/* Sums exist only for a run that ends normally. */
static void print_count(FILE *out, const struct redundant_run *run, uint64_t count) {
    if (run->result.status == ABI_STATUS_OK)
        fprintf(out, "  %14llu", (unsigned long long)count);
    else
        fprintf(out, "  %14s", "-");
}

static void print_runs(FILE *out, const struct session *session) {
    fprintf(out, "%-7s  %14s  %14s  input\n", "status", "loads", "distinct");
    for (size_t i = 0; i < session->report.run_count; i++) {
        const struct redundant_run *run = &session->report.runs[i];
        struct base_buffer cut = {0};
        describe_cut(run, &cut);
        fprintf(out, "%-7s", status_name(run));
        print_count(out, run, run->loads);
        print_count(out, run, run->distinct);
        fprintf(out, "  %s%s\n", session->inputs.data[i].name, cut.count ? cut.data : "");
        base_buffer_done(&cut);
    }
}

static void print_finding(FILE *out, const struct session *session, size_t index) {
    const struct redundant_finding *finding = &session->report.findings.data[index];
    struct base_buffer text = {0};
    fprintf(out, "\nR%zu  ", index + 1);
    redundant_name_place(&finding->outer, &text);
    base_buffer_print(&text, "  >  ");
    redundant_name_place(&finding->inner, &text);
    base_buffer_print(&text, "\n    ");
    redundant_explain(finding, &text);
    for (size_t i = 0; i < finding->call_count && !finding->calls[i].library; i++) {
        base_buffer_print(&text, i ? ", then " : "\n    called at ");
        redundant_name_place(&finding->calls[i], &text);
    }
    if (finding->compared)
        base_buffer_print(&text,
                          "\n    similar: %zu of %zu iterations are like the one before (%.0f%%)",
                          finding->similar, finding->compared,
                          100.0 * (double)finding->similar / (double)finding->compared);
    base_buffer_print(&text, "\n    shown by: %s", session->inputs.data[finding->input].name);
    base_buffer_print(&text, "\n    fix: %s: %s", redundant_mend_name(finding->mend),
                      redundant_mend_text(finding->mend));
    fprintf(out, "%s\n", text.data);
    base_buffer_done(&text);
}

static void print_results(FILE *out, const struct session *session) {
    size_t count = session->report.findings.count;
    print_runs(out, session);
    for (size_t i = 0; i < count; i++)
        print_finding(out, session, i);
    if (count)
        fprintf(out, "\n%zu loop nest%s read%s the same data again\n", count, count == 1 ? "" : "s",
                count == 1 ? "s" : "");
    else
        fprintf(out, "no loop nest reads the same data again (%zu checked)\n",
                session->report.nests);
}

static json_t *place_json(const struct redundant_place *place) {
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:i}", "kind",
                  place->library        ? "library"
                  : place->is_recursion ? "recursion"
                                        : "loop",
                  "function", place->function, "file", place->file, "line", (int)place->line);
    if (place->library)
        json_object_set_new(root, "library", json_string(place->library));
    return root;
}

static json_t *finding_json(const struct session *session, size_t index) {
    const struct redundant_finding *finding = &session->report.findings.data[index];
    struct base_buffer text = {0};
    json_t *calls = json_array();
    redundant_explain(finding, &text);
    for (size_t i = 0; i < finding->call_count; i++)
        json_array_append_new(
            calls, json_pack("{s:s, s:s, s:i}", "function", finding->calls[i].function, "file",
                             finding->calls[i].file, "line", (int)finding->calls[i].line));
    char id[32];
    snprintf(id, sizeof id, "R%zu", index + 1);
    json_t *root = json_pack(
        "{s:s, s:o, s:o, s:o, s:s, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:b, s:b, s:s, s:s}", "id",
        id, "outer", place_json(&finding->outer), "inner", place_json(&finding->inner), "calls",
        calls, "test", session->inputs.data[finding->input].name, "entries",
        (json_int_t)finding->entries, "turns_outer", (json_int_t)finding->most, "turns_inner",
        finding->turns, "loads", (json_int_t)finding->loads, "fresh", (json_int_t)finding->fresh,
        "compared", (json_int_t)finding->compared, "similar", (json_int_t)finding->similar,
        "repeats", finding->repeats, "grows", finding->grows, "mend",
        redundant_mend_name(finding->mend), "text", text.data);
    if (finding->growth.is_known)
        json_object_set_new(root, "growth",
                            json_pack("{s:f, s:f, s:[I, I]}", "loads", finding->growth.loads,
                                      "fresh", finding->growth.fresh, "sizes",
                                      (json_int_t)finding->growth.first,
                                      (json_int_t)finding->growth.last));
    base_buffer_done(&text);
    return root;
}

static json_t *count_json(const struct redundant_run *run, uint64_t count) {
    return run->result.status == ABI_STATUS_OK ? json_integer((json_int_t)count) : json_null();
}

static json_t *run_json(const struct session *session, size_t index) {
    const struct redundant_run *run = &session->report.runs[index];
    return json_pack("{s:s, s:s, s:o, s:o, s:b, s:{s:I, s:I, s:b}}", "file",
                     session->inputs.data[index].name, "status", status_name(run), "loads",
                     count_json(run, run->loads), "distinct", count_json(run, run->distinct),
                     "recorded", run->is_recorded, "cut", "loops", (json_int_t)run->entries_lost,
                     "loads", (json_int_t)run->log_lost, "turns", run->stamps_ended);
}

static json_t *results_json(const struct session *session) {
    json_t *tests = json_array(), *findings = json_array();
    for (size_t i = 0; i < session->report.run_count; i++)
        json_array_append_new(tests, run_json(session, i));
    for (size_t i = 0; i < session->report.findings.count; i++)
        json_array_append_new(findings, finding_json(session, i));
    const struct base_strings *paths =
        session->is_suite ? &session->suite.paths : &session->target_paths;
    const char *entry =
        session->is_suite ? session->suite.suite.entry : session->values->given[CLI_ENTRY];
    json_t *targets = json_array();
    for (size_t i = 0; i < paths->count; i++)
        json_array_append_new(targets, json_string(paths->data[i]));
    return json_pack(
        "{s:s, s:o, s:o, s:I, s:s, s:o, s:o, s:{s:f, s:f, s:I}}", "slowpath", SLOWPATH_VERSION,
        "target", targets, "entry", entry ? json_string(entry) : json_null(), "iterations",
        (json_int_t)session->options.iterations, "by",
        session->options.by_values ? "values" : "memory", "redundant", findings, "tests", tests,
        "stats", "seconds", session->seconds, "build_seconds",
        target_build_seconds(session->target), "nests", (json_int_t)session->report.nests);
}

/* Adds the results to the suite, for 'show' and 'report'. Not for another target than the
 * suite's. */
static bool keep_results(const struct session *session, struct base_error *error) {
    json_t *root = session->is_suite ? session->suite.suite.root : NULL;
    if (!root || session->values->given[CLI_TARGET])
        return true;
    json_t *findings = json_array();
    for (size_t i = 0; i < session->report.findings.count; i++)
        json_array_append_new(findings, finding_json(session, i));
    if (json_equal(json_object_get(root, "redundant"), findings)) {
        json_decref(findings);
        return true;
    }
    json_object_set_new(root, "redundant", findings);
    char *path = base_format("%s/suite.json", session->suite.path);
    bool good = cli_write_json(root, path, error);
    free(path);
    return good;
}

static bool show_results(const struct session *session, struct base_error *error) {
    const char *json = session->values->given[CLI_JSON];
    print_results(json && strcmp(json, "-") == 0 ? stderr : stdout, session);
    if (!keep_results(session, error))
        return false;
    if (target_threads(session->target))
        base_warn("the target started %u threads: what threads read at the same time is mixed up",
                  target_threads(session->target));
    if (!json)
        return true;
    json_t *root = results_json(session);
    char *path = session->is_suite ? cli_session_path(&session->suite, json) : base_strdup(json);
    bool good = cli_write_json(root, path, error);
    free(path);
    json_decref(root);
    return good;
}

/* ---- the command ---- */

static bool is_any_recorded(const struct session *session) {
    for (size_t i = 0; i < session->report.run_count; i++)
        if (session->report.runs[i].is_recorded)
            return true;
    return false;
}

static int judge(const struct session *session, struct base_error *error) {
    size_t count = session->report.findings.count;
    if (!is_any_recorded(session))
        base_fail(error, BASE_BROKEN, "no run could be recorded");
    else if (count && session->values->given[CLI_GATE])
        base_fail(error, BASE_GATE, "%zu loop nest%s read%s the same data again", count,
                  count == 1 ? "" : "s", count == 1 ? "s" : "");
    else
        return BASE_OK;
    return (int)error->code;
}

static void session_done(struct session *session) {
    redundant_report_done(&session->report);
    if (session->is_suite)
        cli_session_done(&session->suite);
    else if (session->target)
        target_close(session->target);
    cli_target_done(&session->description);
    cli_inputs_done(&session->inputs);
    base_strings_done(&session->target_paths);
}

int cli_redundant(const struct cli_values *values, struct base_error *error) {
    struct session session = {.values = values};
    bool good =
        prepare(&session, error) && run_inputs(&session, error) && show_results(&session, error);
    int code = good ? judge(&session, error) : (int)error->code;
    session_done(&session);
    return code;
}
