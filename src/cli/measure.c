/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath measure: exact costs of given inputs, no search.
 */
#include "cli/cli.h"
#include "measure/json.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define CHECKED_INPUTS 3 /* run twice to check that the target is repeatable */

struct input {
    char *name, *data;
    size_t size;
    struct abi_result result;
    int64_t sizes[ABI_MAX_SIZES];
};
struct inputs {
    struct input *data;
    size_t count, capacity;
};

struct session {
    const struct cli_values *values;
    struct cli_target description;
    struct base_strings target_paths, input_paths;
    struct inputs inputs;
    struct target *target;
    struct measure measure;
    struct measure_weights weights;
    struct measure_profile profile;
    bool wants_profile, unsteady;
    double repeat, seconds;
};

/* ---- words of the command line ---- */

static bool is_target_name(const char *word) {
    static const char *const endings[] = {".c", ".o", ".a", ".so"};
    size_t length = strlen(word);
    for (size_t i = 0; i < BASE_COUNT(endings); i++) {
        size_t tail = strlen(endings[i]);
        if (length > tail && strcmp(word + length - tail, endings[i]) == 0)
            return true;
    }
    return false;
}

/* Without "--": the first word is a target, and so are following ones with the same suffix. */
static void sort_words(struct session *session) {
    const struct base_strings *before = &session->values->before;
    size_t targets = before->count;
    if (!session->values->has_separator) {
        targets = before->count ? 1 : 0;
        while (targets < before->count && is_target_name(before->data[targets]))
            targets++;
    }
    for (size_t i = 0; i < before->count; i++)
        base_strings_add(i < targets ? &session->target_paths : &session->input_paths,
                         before->data[i]);
    for (size_t i = 0; i < session->values->after.count; i++)
        base_strings_add(&session->input_paths, session->values->after.data[i]);
}

static int not_hidden(const struct dirent *item) {
    return item->d_name[0] != '.';
}

static bool add_input(struct inputs *inputs, const char *path, struct base_error *error) {
    struct input input = {.name = base_strdup(path)};
    bool good = base_read_file(path, &input.data, &input.size, error);
    base_push(inputs, input);
    return good;
}

static bool add_folder(struct inputs *inputs, const char *path, struct base_error *error) {
    struct dirent **items;
    int count = scandir(path, &items, not_hidden, alphasort);
    bool good = count >= 0 || base_fail(error, BASE_USAGE, "cannot read the folder '%s'", path);
    for (int i = 0; i < count; i++) {
        char *file = base_format("%s/%s", path, items[i]->d_name);
        if (good && !base_is_directory(file))
            good = add_input(inputs, file, error);
        free(file);
        free(items[i]);
    }
    if (count >= 0)
        free(items);
    return good;
}

static bool read_inputs(struct session *session, struct base_error *error) {
    for (size_t i = 0; i < session->input_paths.count; i++) {
        const char *path = session->input_paths.data[i];
        if (!(base_is_directory(path) ? add_folder(&session->inputs, path, error)
                                      : add_input(&session->inputs, path, error)))
            return false;
    }
    if (session->input_paths.count && !session->inputs.count)
        return base_fail(error, BASE_USAGE, "'%s' holds no inputs", session->input_paths.data[0]);
    if (!session->inputs.count)
        base_push(&session->inputs,
                  (struct input){.name = base_strdup("(empty)"), .data = base_strdup("")});
    return true;
}

/* ---- running ---- */

static struct target_input bytes_of(const struct input *input) {
    return (struct target_input){input->data, input->size};
}

static bool check_repeats(struct session *session, struct base_error *error) {
    for (size_t i = 0; i < session->inputs.count && i < CHECKED_INPUTS; i++) {
        struct target_input bytes = bytes_of(&session->inputs.data[i]);
        enum target_verdict verdict;
        struct abi_result first;
        if (!target_check_repeats(session->target, &bytes, 0, &first, &verdict, error))
            return false;
        if (verdict == TARGET_FRESH)
            base_warn("%s: every input now gets a fresh process",
                      target_fresh_reason(session->target));
        if (verdict == TARGET_DIFFERS) {
            base_warn("the target is not deterministic: '%s' costs something else each time",
                      session->inputs.data[i].name);
            session->unsteady = true;
            return true;
        }
    }
    return true;
}

static bool run_all(struct session *session, struct base_error *error) {
    size_t count = session->inputs.count;
    struct target_input *bytes = base_alloc(count * sizeof *bytes);
    struct abi_result *results = base_alloc(count * sizeof *results);
    for (size_t i = 0; i < count; i++)
        bytes[i] = bytes_of(&session->inputs.data[i]);
    bool good = true;
    for (int round = 0; good && round < (int)session->repeat; round++) {
        good = target_run(session->target, bytes, count, results, error);
        for (size_t i = 0; good && i < count; i++) {
            struct abi_result *kept = &session->inputs.data[i].result;
            if (round == 0)
                *kept = results[i];
            if (results[i].counts_hash != kept->counts_hash)
                session->unsteady = true;
            if (results[i].wall_ns < kept->wall_ns)
                kept->wall_ns = results[i].wall_ns;
            if (results[i].cpu_ns < kept->cpu_ns)
                kept->cpu_ns = results[i].cpu_ns;
        }
    }
    free(bytes);
    free(results);
    return good;
}

static bool run_profiled(struct session *session, struct base_error *error) {
    for (size_t i = 0; i < session->inputs.count; i++) {
        struct target_input bytes = bytes_of(&session->inputs.data[i]);
        const uint64_t *counts =
            target_run_counted(session->target, &bytes, &session->inputs.data[i].result, error);
        if (!counts)
            return false;
        measure_profile_add(&session->profile, counts);
    }
    return true;
}

static bool run_inputs(struct session *session, struct base_error *error) {
    for (size_t i = 0; i < session->inputs.count; i++)
        if (!target_sizes_of(session->target, session->inputs.data[i].size,
                             session->inputs.data[i].sizes, error)) {
            char *reason = base_strdup(error->message);
            base_fail(error, error->code, "%s: %s", session->inputs.data[i].name, reason);
            free(reason);
            return false;
        }
    double began = base_seconds();
    bool good = check_repeats(session, error) &&
                (session->wants_profile ? run_profiled(session, error) : run_all(session, error));
    session->seconds = base_seconds() - began;
    return good;
}

/* ---- results ---- */

/* 1234567 -> 1,234,567 */
static char *grouped(uint64_t value) {
    char digits[32], *text = base_alloc(48);
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    return text;
}

static void print_cell(FILE *out, uint64_t value, int width) {
    char *text = grouped(value);
    fprintf(out, "  %*s", width, text);
    free(text);
}

static void describe_ending(const struct session *session, const struct input *input,
                            struct base_buffer *text) {
    const struct abi_result *result = &input->result;
    const char *place;
    if (result->status == ABI_STATUS_CRASH) {
        base_buffer_print(text, "%s", target_crash_name(result));
        if (target_locate(session->target, result, &place))
            base_buffer_print(text, " in %s", place);
    } else if (result->status == ABI_STATUS_TIMEOUT)
        base_buffer_print(text, "over %s s", cli_value(session->values, CLI_LIMIT_TIME));
    else if (result->status == ABI_STATUS_MEMORY)
        base_buffer_print(text, "over %s MiB", cli_value(session->values, CLI_LIMIT_MEMORY));
    else if (result->rejected)
        base_buffer_print(text, "slowpath_assume was false");
    else if (result->exited && result->exit_code)
        base_buffer_print(text, "exit %d", result->exit_code);
}

static void print_row(FILE *out, const struct session *session, const struct input *input,
                      int name_width) {
    const struct abi_result *result = &input->result;
    fprintf(out, "%-*s", name_width, input->name);
    const char *const *names;
    size_t sizes = target_size_names(session->target, &names);
    for (size_t i = 0; i < sizes; i++)
        fprintf(out, "  %8lld", (long long)input->sizes[i]);
    fprintf(out, "  %-7s", measure_status_name(result->status));
    print_cell(out, result->weighted[MEASURE_INSTRUCTIONS], 15);
    print_cell(out, result->weighted[MEASURE_CALLS], 12);
    print_cell(out, result->costs.peak, 13);
    print_cell(out, result->costs.allocated, 13);
    if (strcmp(session->measure.text, "instructions") != 0)
        fprintf(out, "  %15.15g", measure_value(&session->measure, session->target, result));
    fprintf(out, "  %9.3f ms", (double)result->wall_ns / 1e6);
    struct base_buffer ending = {0};
    describe_ending(session, input, &ending);
    if (ending.count)
        fprintf(out, "  (%s)", ending.data);
    base_buffer_done(&ending);
    fputc('\n', out);
}

static void print_table(FILE *out, const struct session *session) {
    int width = 5;
    for (size_t i = 0; i < session->inputs.count; i++)
        if ((int)strlen(session->inputs.data[i].name) > width)
            width = (int)strlen(session->inputs.data[i].name);
    fprintf(out, "%-*s", width, "input");
    const char *const *names;
    size_t sizes = target_size_names(session->target, &names);
    for (size_t i = 0; i < sizes; i++)
        fprintf(out, "  %8s", names[i]);
    fprintf(out, "  %-7s  %15s  %12s  %13s  %13s", "status", "instructions", "calls", "memory",
            "allocated");
    if (strcmp(session->measure.text, "instructions") != 0)
        fprintf(out, "  %15s", session->measure.text);
    fprintf(out, "  %12s\n", "time");
    for (size_t i = 0; i < session->inputs.count; i++)
        print_row(out, session, &session->inputs.data[i], width);
}

static json_t *test_json(const struct session *session, const struct input *input) {
    const struct abi_result *result = &input->result;
    json_t *test = json_pack("{s:s, s:s, s:o, s:i, s:I}", "file", input->name, "status",
                             measure_status_name(result->status), "cost",
                             measure_cost_json(&session->measure, session->target, result),
                             "exit_code", (int)result->exit_code, "size", (json_int_t)input->size);
    if (!test)
        return json_object();
    struct base_buffer ending = {0};
    describe_ending(session, input, &ending);
    if (ending.count)
        json_object_set_new(test, "reason", json_string(ending.data));
    base_buffer_done(&ending);
    if (result->rejected)
        json_object_set_new(test, "rejected", json_true());
    const char *const *names;
    size_t count = target_size_names(session->target, &names);
    json_t *sizes = json_object();
    for (size_t i = 0; i < count; i++)
        json_object_set_new(sizes, names[i], json_integer(input->sizes[i]));
    json_object_set_new(test, "sizes", sizes);
    return test;
}

static json_t *session_json(const struct session *session) {
    json_t *tests = json_array();
    for (size_t i = 0; i < session->inputs.count; i++)
        json_array_append_new(tests, test_json(session, &session->inputs.data[i]));
    json_t *paths = json_array();
    for (size_t i = 0; i < session->target_paths.count; i++)
        json_array_append_new(paths, json_string(session->target_paths.data[i]));
    const char *entry = session->values->given[CLI_ENTRY];
    json_t *root = json_pack(
        "{s:s, s:o, s:o, s:s, s:o, s:{s:f, s:f, s:b, s:i, s:b}}", "slowpath", SLOWPATH_VERSION,
        "target", paths, "entry", entry ? json_string(entry) : json_null(), "measure",
        session->measure.text, "tests", tests, "stats", "seconds", session->seconds,
        "build_seconds", target_build_seconds(session->target), "cached",
        target_was_cached(session->target), "restarts", (int)target_restarts(session->target),
        "deterministic", !session->unsteady);
    if (session->wants_profile)
        json_object_set_new(root, "profile", measure_profile_json(&session->profile, 100));
    return root;
}

static bool write_json(const struct session *session, const char *path, struct base_error *error) {
    json_t *root = session_json(session);
    bool good = cli_write_json(root, path, error);
    json_decref(root);
    return good;
}

static bool show_results(struct session *session, struct base_error *error) {
    const char *json = session->values->given[CLI_JSON];
    FILE *out = json && strcmp(json, "-") == 0 ? stderr : stdout;
    double rows;
    if (!cli_number(session->values, CLI_ROWS, 1, 1e6, &rows, error))
        return false;
    print_table(out, session);
    if (session->values->given[CLI_PROFILE])
        measure_profile_print(&session->profile, out, (unsigned)rows);
    measure_check_counters(&session->measure, session->target);
    uint32_t lost = target_counts_lost(session->target), threads = target_threads(session->target);
    if (lost)
        base_warn("%u counts were lost: slowpath_count has room for %d names", lost,
                  ABI_MAX_COUNTERS);
    if (threads)
        base_warn("the target started %u threads: counts of threads that run at the same time are "
                  "not exact",
                  threads);
    const char *callgrind = session->values->given[CLI_CALLGRIND];
    return (!callgrind ||
            measure_profile_callgrind(&session->profile, session->target_paths.data[0], callgrind,
                                      error)) &&
           (!json || write_json(session, json, error));
}

/* ---- the command ---- */

static bool is_counted(const struct cli_values *values) {
    return !values->given[CLI_UNCOUNTED] && !values->given[CLI_SHADOWED] &&
           !values->given[CLI_RECORDED];
}

static bool prepare(struct session *session, struct base_error *error) {
    const char *weights = session->values->given[CLI_WEIGHTS];
    measure_weights_init(&session->weights);
    sort_words(session);
    if (!cli_target_init(&session->description, session->values, &session->target_paths, error) ||
        !cli_number(session->values, CLI_REPEAT, 1, 1e6, &session->repeat, error) ||
        !read_inputs(session, error) || !cli_try_json(session->values->given[CLI_JSON], error) ||
        !cli_try_json(session->values->given[CLI_CALLGRIND], error) ||
        (weights && !measure_weights_parse(&session->weights, weights, error)))
        return false;
    session->description.options.timed = true;
    session->target = target_open(&session->description.options, error);
    if (!session->target)
        return false;
    const struct ir_facts *facts = target_facts(session->target);
    if (!measure_parse(cli_value(session->values, CLI_MEASURE), facts, &session->measure, error))
        return false;
    session->wants_profile =
        session->values->given[CLI_PROFILE] || session->values->given[CLI_CALLGRIND];
    if (session->wants_profile)
        measure_profile_init(&session->profile, facts);
    if (is_counted(session->values))
        measure_apply(&session->measure, &session->weights, session->target);
    return true;
}

static void session_done(struct session *session) {
    if (session->wants_profile)
        measure_profile_done(&session->profile);
    measure_done(&session->measure);
    measure_weights_done(&session->weights);
    if (session->target)
        target_close(session->target);
    for (size_t i = 0; i < session->inputs.count; i++) {
        free(session->inputs.data[i].name);
        free(session->inputs.data[i].data);
    }
    base_vector_done(&session->inputs);
    cli_target_done(&session->description);
    base_strings_done(&session->target_paths);
    base_strings_done(&session->input_paths);
}

int cli_measure(const struct cli_values *values, struct base_error *error) {
    struct session session = {.values = values};
    bool good =
        prepare(&session, error) && run_inputs(&session, error) && show_results(&session, error);
    int code = !good ? (int)error->code : BASE_OK;
    if (good && session.unsteady) {
        base_fail(error, BASE_BROKEN, "the target is not deterministic: its counts are not exact");
        code = BASE_BROKEN;
    }
    session_done(&session);
    return code;
}
