/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath api: from a library to tests that call it. It analyses the interface, learns which calls
 * crash, builds a harness whose input is a sequence of calls, searches for sequences that get deep
 * into loops and cost much, measures how they grow, and writes a suite.
 */
#include "cli/api.h"

#include "api/harness.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEARCHED_SECONDS 0.1 /* limit per sequence, while n is small */
/* So that a sequence that doubles something in each call ends soon. */
#define MEMORY ((uint64_t)128 << 20)
#define SEARCHED_TURNS 16 /* larger n gives more iterations, longer search does not */
#define FIRST_SLICE 0.1   /* share of the search before the first laws */
#define FIRST_LAWS 0.4    /* share of the search for laws of the usual sequences */
#define LAWS_BETWEEN 0.4  /* share of each later slice for laws of what it has found */
#define SOLVING 0.15      /* ... and for solving guards */
#define SOLVING_LEAST 0.5 /* seconds */
/* Maximum share of the rest for counting iterations at larger n. */
#define COVERING 0.5
#define FIRST_MOST 3.0 /* ... in seconds; each further one is three times as long */

/* ---- the interface ---- */

/* --function may be a pattern, and there may be several. */
static bool choose_functions(struct cli_api *api, struct base_error *error) {
    const struct base_strings *names = &api->values->functions;
    for (size_t k = 0; k < names->count; k++) {
        bool found = false;
        for (size_t i = 0; i < api->model.functions.count; i++)
            found |= fnmatch(names->data[k], api->model.functions.data[i].signature->name, 0) == 0;
        if (!found)
            return base_fail(error, BASE_TARGET, "--function %s: the library has no such function",
                             names->data[k]);
    }
    for (size_t i = 0; names->count && i < api->model.functions.count; i++) {
        struct api_function *function = &api->model.functions.data[i];
        bool is_named = false;
        for (size_t k = 0; k < names->count; k++)
            is_named |= fnmatch(names->data[k], function->signature->name, 0) == 0;
        function->is_goal &= is_named;
    }
    return true;
}

static bool read_corrections(struct cli_api *api, struct base_error *error) {
    const char *path = api->values->given[CLI_API];
    char *text;
    size_t size;
    if (!path)
        return true;
    if (!base_read_file(path, &text, &size, error))
        return false;
    bool good = api_model_correct(&api->model, text, path, error);
    free(text);
    return good;
}

static bool understand(struct cli_api *api, struct base_error *error) {
    const struct target_options *options = &api->description.options;
    if (!target_describe(options->paths, options->path_count, options->cflags, options->cflag_count,
                         &api->library, error) ||
        !api_model_init(&api->model, &api->library, &api->values->headers, &api->description.cflags,
                        error))
        return false;
    cli_api_search_headers(api);
    return read_corrections(api, error) && choose_functions(api, error) &&
           (api->model.called.count ||
            base_fail(error, BASE_TARGET, "none of the %zu functions can be called: see --show-api",
                      api->model.functions.count));
}

static bool learn(struct cli_api *api, struct base_error *error) {
    const struct target_options *options = &api->description.options;
    struct api_library library = {options->paths, options->path_count, options->cflags,
                                  options->cflag_count};
    api_checker_init(&api->checker, &library);
    api->teacher = (struct api_teacher){.checker = &api->checker,
                                        .random = &api->for_learning,
                                        .goes_on = cli_api_watch_learning,
                                        .context = api,
                                        .seconds = cli_api_learning_seconds(api),
                                        .more = cli_api_more_learning(api)};
    bool good = api_learn(&api->model, &api->teacher, error);
    cli_api_clear_line(api);
    if (good && api->teacher.told.count)
        base_detail("learnt by running:\n%s", api->teacher.told.data);
    if (good && api->is_stopped)
        good = base_fail(error, BASE_TARGET, "stopped before the search began: nothing was found");
    return good;
}

static void show(const struct api_model *model) {
    struct base_buffer text = {0};
    api_model_print(model, &text);
    fputs(text.data ? text.data : "", stdout);
    base_buffer_done(&text);
}

/* ---- the harness ---- */

static bool write_text(const char *path, struct base_buffer *text, struct base_error *error) {
    bool good = base_write_file(path, text->data, text->count, error);
    base_buffer_done(text);
    return good;
}

static bool write_harness(const struct cli_api *api, const char *path, struct base_error *error) {
    struct base_buffer harness = {0};
    api_harness_print(&api->model, &harness);
    return write_text(path, &harness, error);
}

/* For libFuzzer; its first line says how to build it. */
static bool emit_harness(const struct cli_api *api, const char *path, struct base_error *error) {
    struct base_buffer harness = {0};
    char *command =
        cli_api_command(api, "clang -g -O1 -fsanitize=fuzzer,address,undefined", path, "fuzz");
    base_buffer_print(&harness, "/* %s */\n", command);
    free(command);
    api_harness_print(&api->model, &harness);
    return write_text(path, &harness, error);
}

/* Writes next to the suite, once it exists, the harness that its tests run with, and the model. */
static bool write_beside(const struct cli_api *api, struct base_error *error) {
    char *path = base_format("%s/api.txt", api->out);
    struct base_buffer model = {0};
    api_model_print(&api->model, &model);
    bool good = write_text(path, &model, error) && write_harness(api, api->harness, error);
    free(path);
    return good;
}

static void name_files(struct cli_api *api) {
    struct target_options *options = &api->options;
    *options = api->description.options;
    api->built = base_format("%s/%s", api->checker.folder, base_basename(api->harness));
    api->paths = base_alloc((options->path_count + 1) * sizeof *api->paths);
    memcpy(api->paths, options->paths, options->path_count * sizeof *api->paths);
    api->paths[options->path_count++] = api->built;
    options->paths = api->paths;
    options->kind = INSTRUMENT_MEASURE;
    if (!api->values->given[CLI_LIMIT_MEMORY])
        options->limits.memory = MEMORY;
}

static bool open_target(struct cli_api *api, struct base_error *error) {
    const char *wanted = api->values->given[CLI_EMIT_HARNESS];
    name_files(api);
    bool good =
        write_harness(api, api->built, error) && (!wanted || emit_harness(api, wanted, error));
    api->target = good ? target_open(&api->options, error) : NULL;
    if (!api->target ||
        !measure_parse("instructions", target_facts(api->target), &api->measure, error))
        return false;
    measure_apply(&api->measure, &api->weights, api->target);
    api_runner_init(&api->runner, &api->model, api->target, api->harness);
    return true;
}

/* ---- the search ---- */

static bool choose_method(struct cli_api *api, struct base_error *error) {
    static const char *const names[] = {
#define METHOD(id, name, text) name,
        API_METHODS(METHOD)
#undef METHOD
    };
    const char *wanted = cli_value(api->values, CLI_SEARCH);
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (strcmp(wanted, names[i]) == 0) {
            api->search.method = (enum api_method)i;
            return true;
        }
    return base_fail(error, BASE_USAGE, "--search %s: mio, mosa, suite or single", wanted);
}

static bool read_options(struct cli_api *api, struct base_error *error) {
    const struct cli_values *values = api->values;
    double seconds, seed, runs = 0;
    if (!cli_number(values, CLI_TIME, 0.1, 1e6, &seconds, error) ||
        !cli_number(values, CLI_SEED, 0, 1e18, &seed, error) ||
        !cli_number(values, CLI_TESTS, 1, 1e6, &api->tests, error) ||
        !cli_number(values, CLI_TURNS, 1, 1e5, &api->turns, error) ||
        !cli_number(values, CLI_DEPTH, 1, API_DEPTH, &api->depth, error) ||
        (values->given[CLI_RUNS] && !cli_number(values, CLI_RUNS, 1, 1e15, &runs, error)))
        return false;
    api->all_seconds = seconds;
    api->search.runs = (uint64_t)runs;
    api->random.state = (uint64_t)seed; /* the same learning for all seeds */
    return choose_method(api, error);
}

static void prepare_search(struct cli_api *api) {
    struct api_search *search = &api->search;
    search->model = &api->model;
    search->runner = &api->runner;
    search->goals = &api->goals;
    search->random = api->random;
    search->turns = api->turns < SEARCHED_TURNS ? api->turns : SEARCHED_TURNS;
    search->size = 2 * (uint32_t)search->turns;
    search->seconds = cli_api_search_seconds(api);
    search->goes_on = cli_api_watch_search;
    search->context = api;
    double left = cli_api_seconds_left(api);
    api->runner.end =
        search->runs ? 0 : base_seconds() + (left > search->seconds ? left : search->seconds);
    api_search_begin(search);
    api_guards_init(&api->guards, search, &api->options);
    api_picked_init(&api->picked, search, &api->checker);
    api->picked.goes_on = cli_api_watch_laws;
    api->picked.context = api;
}

static double solving_seconds(const struct api_search *search, double slice) {
    double seconds = SOLVING * slice > SOLVING_LEAST ? SOLVING * slice : SOLVING_LEAST;
    return search->runs ? 0 : seconds;
}

/* Laws of the usual sequences come first: they take only a few seconds, and do not depend on the
 * seed. */
static bool search_usual(struct cli_api *api, struct base_error *error) {
    struct api_search *search = &api->search;
    if (search->runs || search->method != API_METHOD_MIO)
        return true;
    search->pause = base_seconds(); /* no other sequences */
    return api_search_run(search, error) &&
           (api_search_is_done(search) ||
            api_pick(&api->picked, FIRST_LAWS * search->seconds, error));
}

/* Alternates between searching and determining laws. */
static bool search(struct cli_api *api, struct base_error *error) {
    struct api_search *search = &api->search;
    api_goals_init(&api->goals, &api->model, target_facts(api->target), api->harness,
                   (uint32_t)api->depth);
    prepare_search(api);
    target_limit_run(api->target, SEARCHED_SECONDS);
    double slice = FIRST_SLICE * search->seconds;
    slice = slice < FIRST_MOST ? slice : FIRST_MOST;
    bool good = search_usual(api, error);
    while (good && !api_search_is_done(search)) {
        search->pause = search->runs ? 0 : base_seconds() + slice;
        good = api_search_run(search, error) &&
               api_guards_solve(&api->guards, solving_seconds(search, slice), error);
        if (good && !api_search_is_done(search))
            good = api_pick(&api->picked, LAWS_BETWEEN * slice, error);
        slice *= 3;
    }
    good = good &&
           api_cover(&api->picked, api->turns, COVERING * cli_api_seconds_left(api), error) &&
           api_pick(&api->picked, cli_api_seconds_left(api), error);
    api_pick_sort(&api->picked);
    cli_api_clear_line(api);
    return good;
}

/* ---- all of it ---- */

static void name_places(struct cli_api *api) {
    const char *out = api->values->given[CLI_OUT];
    api->out = out ? base_strdup(out) : base_format("%s.slowpath", api->values->before.data[0]);
    api->harness = base_format("%s/harness.c", api->out);
}

static bool work(struct cli_api *api, struct base_error *error) {
    if (!read_options(api, error) ||
        !cli_target_init(&api->description, api->values, &api->values->before, error))
        return false;
    name_places(api);
    bool shows = api->values->given[CLI_SHOW_API];
    if ((!shows && !suite_check_place(api->out, error)) || !understand(api, error))
        return false;
    if (shows && api->values->given[CLI_NO_LEARN]) {
        show(&api->model);
        return true;
    }
    if (!learn(api, error))
        return false;
    if (shows) {
        show(&api->model);
        return true;
    }
    return open_target(api, error) && search(api, error) && cli_api_finish(api, error) &&
           write_beside(api, error);
}

static void done(struct cli_api *api) {
    api_picked_done(&api->picked);
    api_guards_done(&api->guards);
    api_search_done(&api->search);
    if (api->goals.facts)
        api_goals_done(&api->goals);
    api_runner_done(&api->runner);
    if (api->target)
        target_close(api->target);
    measure_done(&api->measure);
    measure_weights_done(&api->weights);
    api_checker_done(&api->checker);
    base_buffer_done(&api->teacher.told);
    api_model_done(&api->model);
    target_description_done(&api->library);
    cli_target_done(&api->description);
    free(api->paths);
    free(api->built);
    free(api->out);
    free(api->harness);
}

int cli_api(const struct cli_values *values, struct base_error *error) {
    struct cli_api api = {.values = values};
    if (!values->before.count) {
        base_fail(error, BASE_USAGE, "which library? slowpath api LIBRARY.a --header FILE");
        return (int)error->code;
    }
    if (values->after.count) {
        base_fail(error, BASE_USAGE, "a library takes no arguments: '%s'", values->after.data[0]);
        return (int)error->code;
    }
    measure_weights_init(&api.weights);
    cli_api_watch_begin(&api);
    bool good = work(&api, error);
    done(&api);
    return good ? BASE_OK : (int)error->code;
}
