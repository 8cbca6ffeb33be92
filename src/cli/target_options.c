/* SPDX-License-Identifier: Apache-2.0
 *
 * From options to the description of a target, for every command that runs one.
 */
#include "cli/cli.h"
#include "suite/suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (1ll << 30)

#define MIB ((uint64_t)1 << 20)

/* Splits as a shell would: blanks, single and double quotes, backslashes. */
static bool split_words(const char *text, const char *option, struct base_strings *words,
                        struct base_error *error) {
    struct base_buffer word = {0};
    bool inside = false;
    char quote = 0;
    for (; *text; text++) {
        if (!quote && strchr(" \t\n", *text)) {
            if (inside)
                base_strings_add(words, word.data);
            inside = false;
            word.count = 0;
            continue;
        }
        if (!inside)
            base_buffer_add(&word, "", 0);
        inside = true;
        if (*text == quote)
            quote = 0;
        else if (!quote && (*text == '\'' || *text == '"'))
            quote = *text;
        else {
            if (*text == '\\' && quote != '\'' && text[1])
                text++;
            base_buffer_add(&word, text, 1);
        }
    }
    if (inside && !quote)
        base_strings_add(words, word.data);
    base_buffer_done(&word);
    return !quote || base_fail(error, BASE_USAGE, "--%s: a quote is not closed", option);
}

/* VALUE, or FIRST..LAST; *END points behind it. */
static bool parse_values(const char *text, char **end, long long *first, long long *last) {
    errno = 0;
    *first = *last = strtoll(text, end, 0);
    bool is_range = *end != text && strncmp(*end, "..", 2) == 0;
    const char *rest = *end + 2;
    if (is_range)
        *last = strtoll(rest, end, 0);
    return *end != (is_range ? rest : text) && !errno && *first >= 0 && *last >= *first;
}

/* For a range, the size is LAST, and all values from FIRST on are searched. */
static bool parse_size(struct cli_target *target, const char *text, struct base_error *error) {
    const char *equals = strchr(text, '=');
    char *end;
    long long first, last;
    if (!equals || equals == text || !parse_values(equals + 1, &end, &first, &last) || *end)
        return base_fail(error, BASE_USAGE,
                         "--size %s: write NAME=VALUE, such as n=8, NAME=FIRST..LAST, or bytes, at "
                         "most %lld",
                         text, MOST_BYTES);
    char *name = base_strdup(text);
    name[equals - text] = 0;
    target->sizes[target->options.size_count++] = (struct target_given){name, last};
    if (!strstr(equals, ".."))
        return true;
    if (target->swept)
        return base_fail(error, BASE_USAGE, "--size %s: only one size may have a range", text);
    target->swept = name;
    target->first = first;
    return true;
}

/* A reasonable whole number of bytes, with nothing behind it. */
static bool parse_bytes(const char *text, int64_t *bytes) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 0);
    if (end == text || *end || errno || value < 0 || value > MOST_BYTES)
        return false;
    *bytes = value;
    return true;
}

static bool parse_sizes(struct cli_target *target, const struct cli_values *values,
                        struct base_error *error) {
    const struct base_strings *texts = &values->sizes;
    target->sizes = base_alloc(texts->count * sizeof *target->sizes);
    target->options.sizes = target->sizes;
    for (size_t i = 0; i < texts->count; i++) {
        if (parse_bytes(texts->data[i], &target->input_bytes))
            continue;
        if (!parse_size(target, texts->data[i], error))
            return false;
    }
    if (target->swept && strcmp(values->command, "run") != 0)
        return base_fail(error, BASE_USAGE, "--size %s=...: only run searches a range of sizes",
                         target->swept);
    return true;
}

static bool has_mark(const struct base_strings *args) {
    for (size_t i = 0; i < args->count; i++)
        if (strstr(args->data[i], "@@"))
            return true;
    return false;
}

static bool parse_channel(struct cli_target *target, const struct cli_values *values,
                          struct base_error *error) {
    const char *arg = values->given[CLI_ARG];
    if ((values->given[CLI_STDIN] != NULL) + (values->given[CLI_FILE] != NULL) + (arg != NULL) > 1)
        return base_fail(error, BASE_USAGE, "only one of --stdin, --file and --arg");
    bool is_marked = target->pipeline.text ? has_mark(&target->pipeline.stages.data[0].words)
                                           : has_mark(&target->args);
    if (values->given[CLI_FILE] && !is_marked)
        return base_fail(error, BASE_USAGE,
                         "--file needs @@ among the program's arguments: --args '@@'");
    const char *bytes =
        values->given[CLI_STDIN] ? values->given[CLI_STDIN] : values->given[CLI_FILE];
    if (bytes && !parse_bytes(bytes, &target->input_bytes))
        return base_fail(error, BASE_USAGE, "--%s %s: a number of bytes is wanted, at most %lld",
                         values->given[CLI_STDIN] ? "stdin" : "file", bytes, MOST_BYTES);
    if (!arg)
        return true;
    char *end;
    unsigned long index = strtoul(arg, &end, 10);
    if (end == arg || (*end && *end != ':') || index == 0 || index > ABI_MAX_ARGS - 2)
        return base_fail(error, BASE_USAGE, "--arg %s: write K or K:BYTES, K from 1", arg);
    if (*end && !parse_bytes(end + 1, &target->input_bytes))
        return base_fail(error, BASE_USAGE, "--arg %s: write K or K:BYTES, K from 1", arg);
    target->options.arg_index = (uint32_t)index;
    return true;
}

static bool parse_limits(struct target_limits *limits, const struct cli_values *values,
                         struct base_error *error) {
    double seconds, memory, file;
    if (!cli_number(values, CLI_LIMIT_TIME, 0.001, 1e6, &seconds, error) ||
        !cli_number(values, CLI_LIMIT_MEMORY, 1, 1e6, &memory, error) ||
        !cli_number(values, CLI_LIMIT_FILE, 0, 1e6, &file, error))
        return false;
    *limits = (struct target_limits){seconds, (uint64_t)(memory * MIB), (uint64_t)(file * MIB)};
    return true;
}

/* Options about pointers of the entry. */
static bool parse_heap(struct target_options *options, const struct cli_values *values,
                       struct base_error *error) {
    static const char *const forms[] = {"any", "acyclic", "tree"};
    static const struct {
        enum cli_option option;
        const char *name;
    } about[] = {{CLI_HEAP, "heap"}, {CLI_OBJECTS, "objects"}};
    const char *form = cli_value(values, CLI_HEAP);
    double objects;
    while (options->form < 3 && strcmp(form, forms[options->form]) != 0)
        options->form++;
    if (options->form == 3)
        return base_fail(error, BASE_USAGE, "--heap %s: any, acyclic or tree", form);
    if (!cli_number(values, CLI_OBJECTS, 0, 65535, &objects, error))
        return false;
    const char *entry = values->given[CLI_ENTRY];
    if (entry && !strchr(entry, '&'))
        for (size_t i = 0; i < BASE_COUNT(about); i++)
            if (values->given[about[i].option])
                return base_fail(error, BASE_USAGE,
                                 "--%s: the entry has no pointer on the heap, such as &list",
                                 about[i].name);
    options->objects = values->given[CLI_OBJECTS] ? (int64_t)objects : -1;
    options->invariant = values->given[CLI_INVARIANT];
    return true;
}

static bool check_assumptions(const struct cli_values *values, struct base_error *error) {
    bool may_come = strcmp(values->command, "run") != 0 && strcmp(values->command, "measure") != 0;
    return !values->assumptions.count || values->given[CLI_ENTRY] || may_come ||
           base_fail(error, BASE_USAGE,
                     "--assume is for --entry; in a program, slowpath_assume says the same");
}

/* With an entry, its sizes determine the bytes of an input. */
static bool check_bytes(const struct cli_target *target, const char *entry,
                        struct base_error *error) {
    if (!entry || target->input_bytes < 0)
        return true;
    return base_fail(error, BASE_USAGE,
                     "the entry tells the bytes of its input: write --size NAME=VALUE");
}

/* After "--" come a program's arguments; for measure and redundant, the inputs. */
static void add_arguments(struct cli_target *target, const struct cli_values *values) {
    if (strcmp(values->command, "measure") == 0 || strcmp(values->command, "redundant") == 0)
        return;
    for (size_t i = 0; i < values->after.count; i++)
        base_strings_add(&target->args, values->after.data[i]);
}

bool cli_target_init(struct cli_target *target, const struct cli_values *values,
                     const struct base_strings *paths, struct base_error *error) {
    *target = (struct cli_target){.input_bytes = -1};
    const char *cflags = values->given[CLI_CFLAGS], *args = values->given[CLI_ARGS];
    if (!paths->count)
        return base_fail(error, BASE_USAGE,
                         "no target: name .c files or an executable built with slowpath-cc "
                         "('slowpath %s --help' says more)",
                         values->command);
    if (strcmp(values->command, "pipe") == 0) {
        if (!cli_pipe_find(target, values, paths->data[0], error))
            return false;
    } else
        for (size_t i = 0; i < paths->count; i++)
            base_strings_add(&target->paths, paths->data[i]);
    if ((cflags && !split_words(cflags, "cflags", &target->cflags, error)) ||
        (args && !split_words(args, "args", &target->args, error)))
        return false;
    add_arguments(target, values);
    if (!parse_sizes(target, values, error) || !parse_channel(target, values, error) ||
        !cli_pipe_files(target, values, error) ||
        !check_bytes(target, values->given[CLI_ENTRY], error) ||
        !check_assumptions(values, error) || !parse_heap(&target->options, values, error) ||
        !parse_limits(&target->options.limits, values, error))
        return false;
    struct target_options *options = &target->options;
    options->paths = (const char *const *)target->paths.data;
    options->path_count = target->paths.count;
    options->pipeline = target->pipeline.text ? &target->pipeline : NULL;
    options->cflags = (const char *const *)target->cflags.data;
    options->cflag_count = target->cflags.count;
    options->args = (const char *const *)target->args.data;
    options->arg_count = target->args.count;
    options->entry = values->given[CLI_ENTRY];
    options->assumptions = (const char *const *)values->assumptions.data;
    options->assumption_count = values->assumptions.count;
    options->kind = values->given[CLI_UNCOUNTED] ? INSTRUMENT_PLAIN : INSTRUMENT_MEASURE;
    if (values->given[CLI_SHADOWED])
        options->kind = INSTRUMENT_SYMBOLIC;
    if (strcmp(values->command, "redundant") == 0 || values->given[CLI_RECORDED]) {
        options->kind = INSTRUMENT_RECORD;
        options->iterations = (uint32_t)strtoul(cli_value(values, CLI_ITERATIONS), NULL, 10);
    }
    options->concrete = values->given[CLI_SHADOWED] != NULL;
    options->fresh = values->given[CLI_FRESH] != NULL;
    options->timed = strstr(cli_value(values, CLI_MEASURE), "time") != NULL;
    options->unconfined = values->given[CLI_UNCONFINED] != NULL;
    options->show_output = values->given[CLI_SHOW_OUTPUT] != NULL;
    return true;
}

void cli_target_done(struct cli_target *target) {
    for (size_t i = 0; i < target->options.size_count; i++)
        free((char *)target->sizes[i].name);
    free(target->sizes);
    target_pipeline_done(&target->pipeline);
    base_strings_done(&target->paths);
    base_strings_done(&target->cflags);
    base_strings_done(&target->args);
}

/* ---- the description in a suite ---- */

static bool is_recorded(const struct cli_values *values, enum cli_option option, double limit) {
    return limit > 0 && !values->given[option];
}

static void take_limits(struct target_limits *limits, const struct cli_values *values,
                        const struct suite *suite) {
    if (is_recorded(values, CLI_LIMIT_TIME, suite->limit_time))
        limits->seconds = suite->limit_time;
    if (is_recorded(values, CLI_LIMIT_MEMORY, suite->limit_memory))
        limits->memory = (uint64_t)(suite->limit_memory * MIB);
    if (is_recorded(values, CLI_LIMIT_FILE, suite->limit_file))
        limits->file_bytes = (uint64_t)(suite->limit_file * MIB);
}

/* The programs are those named in the suite, or one that the user gives instead. */
static bool take_pipeline(struct cli_target *target, struct target_options *options,
                          const struct suite *suite, struct base_error *error) {
    if (!target_pipeline_parse(suite->pipeline, &target->pipeline, error))
        return false;
    options->pipeline = &target->pipeline;
    return options->path_count == target->pipeline.stages.count ||
           base_fail(error, BASE_USAGE,
                     "the suite is of a pipeline of %zu programs, and there are %zu: a pipeline "
                     "cannot be run against one other target",
                     target->pipeline.stages.count, options->path_count);
}

bool cli_target_from_suite(struct cli_target *target, struct target_options *options,
                           const struct cli_values *values, const struct suite *suite,
                           struct base_error *error) {
    if (suite->pipeline && !target->pipeline.text && !take_pipeline(target, options, suite, error))
        return false;
    if (suite->pipeline)
        options->pipeline = &target->pipeline;
    if (suite->pipeline && !values->given[CLI_FILES])
        options->tree = suite->tree;
    if (!values->given[CLI_CFLAGS]) {
        options->cflags = (const char *const *)suite->cflags.data;
        options->cflag_count = suite->cflags.count;
    }
    if (!values->given[CLI_ARGS] && !values->after.count) {
        options->args = (const char *const *)suite->args.data;
        options->arg_count = suite->args.count;
    }
    if (!values->given[CLI_ARG])
        options->arg_index = suite->arg_index;
    if (!values->given[CLI_ENTRY])
        options->entry = suite->entry;
    if (!options->size_count) {
        options->sizes = suite->sizes;
        options->size_count = suite->size_count;
    }
    if (!values->given[CLI_MEASURE])
        options->timed = strstr(suite->measure, "time") != NULL;
    take_limits(&options->limits, values, suite);
    return check_bytes(target, options->entry, error);
}
