/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search of a pipeline begins with: inputs that are composed from costly paths of its
 * stages. They are small; for larger inputs they are also repeated up to the size that is wanted.
 * The search then goes on from them, so that it ends with something better or the same.
 */
#include "cli/run.h"
#include "compose/compose.h"
#include "compose/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARE 0.25       /* of --time, as long as others search, too */
#define SECONDS 60.0     /* where there is no limit */
#define LAST_SECONDS 0.2 /* to run what was composed when somebody stopped that */
#define LAST_SHARE 0.05  /* of --time, for the same when nobody did */
#define REPEATED 3       /* inputs that are also repeated where larger ones are searched */
#define LOG_LINES 2000   /* that are stored */

/* ---- before the search ---- */

static bool is_wanted(const struct cli_run *run) {
    return run->description.pipeline.text && !run->values->given[CLI_RESUME] &&
           (run->strategy == &compose_strategy || run->strategy->is_scheduler);
}

/* The size at which stages are explored. */
static bool choose_bytes(const struct cli_run *run, uint64_t *bytes, struct base_error *error) {
    double given;
    if (!cli_number(run->values, CLI_COMPOSE, 0, 1 << 17, &given, error))
        return false;
    *bytes = (uint64_t)given;
    if (run->description.input_bytes >= 0 && (uint64_t)run->description.input_bytes < *bytes)
        *bytes = (uint64_t)run->description.input_bytes;
    return true;
}

static void add_input(struct cli_run *run, const void *data, size_t size) {
    struct cli_input input = {.data = base_alloc(size + 1), .size = size};
    memcpy(input.data, data, size);
    base_push(&run->composed, input);
}

static bool is_small(const struct cli_run *run, const struct compose_test *test) {
    int64_t wanted = run->description.input_bytes;
    return wanted >= 0 && test->size && (size_t)wanted >= 2 * test->size;
}

static void add_repeated(struct cli_run *run, const struct compose_test *test) {
    size_t wanted = (size_t)run->description.input_bytes;
    char *bytes = base_alloc(wanted + 1);
    for (size_t i = 0; i < wanted; i++)
        bytes[i] = (char)test->input[i % test->size];
    add_input(run, bytes, wanted);
    free(bytes);
}

/* Of those that are far smaller than what is searched a few are enough: the search has to grow each
 * of them. */
static void take_tests(struct cli_run *run, const struct compose_test *tests, size_t count) {
    int64_t most = run->strategy->is_scheduler ? -1 : run->description.input_bytes;
    for (size_t i = 0; i < count; i++) {
        if (most >= 0 && tests[i].size > (size_t)most)
            continue; /* what a later stage reads may be larger */
        bool is_grown = is_small(run, &tests[i]) && run->strategy->is_scheduler;
        if (is_grown && i >= REPEATED)
            break;
        add_input(run, tests[i].input, tests[i].size);
        if (is_small(run, &tests[i]) && i < REPEATED)
            add_repeated(run, &tests[i]);
    }
}

static void take_outcome(struct cli_run *run) {
    const struct compose_outcome *outcome = run->composition;
    bool is_better = outcome->alone.count && outcome->tests.count &&
                     outcome->alone.data[0].cost > outcome->tests.data[0].cost;
    take_tests(run, outcome->tests.data, outcome->tests.count);
    if (is_better || !outcome->tests.count || !is_small(run, &outcome->tests.data[0]))
        take_tests(run, outcome->alone.data, outcome->alone.count);
}

static void add_seeds(struct cli_run *run) {
    size_t own = run->seed_files.count;
    run->seeds = base_realloc(run->seeds, (own + run->composed.count + 1) * sizeof *run->seeds);
    for (size_t i = 0; i < run->composed.count; i++)
        run->seeds[own + i] =
            (struct target_input){run->composed.data[i].data, run->composed.data[i].size};
}

/* Rank 0 composes; the others make summaries for it. */
static bool compose(struct cli_run *run, const struct compose_request *request,
                    struct base_error *error) {
    if (!request->bytes)
        return true;
    return cli_ranks_own(run->ranks) ? compose_help(request, error)
                                     : compose_run(request, run->composition, error);
}

bool cli_pipe_compose(struct cli_run *run, struct base_error *error) {
    uint64_t bytes;
    if (run->description.options.tree.objects && run->strategy == &compose_strategy)
        return base_fail(error, BASE_USAGE,
                         "--strategy compose: inputs are composed of bytes, and with --files the "
                         "input is a folder; take auto, evolve, climb, patterns, beam or random");
    if (run->description.options.tree.objects) {
        if (strcmp(run->strategy->name, "random") != 0)
            cli_pipe_plain_trees(run);
        add_seeds(run);
        return true;
    }
    if (!is_wanted(run))
        return true;
    if (!choose_bytes(run, &bytes, error))
        return false;
    const char *library = run->values->given[CLI_LIBRARY];
    char *folder = library && strcmp(library, "off") == 0 ? NULL : compose_library_folder();
    double *limit = &run->options.limits.seconds, given = *limit > 0 ? *limit : SECONDS;
    struct compose_request request = {
        .target = run->description.options,
        .measure = run->measure_text,
        .weights = &run->weights,
        .weights_text = run->values->given[CLI_WEIGHTS],
        .options = &run->options,
        .jobs = run->jobs,
        .tests = run->options.tests,
        .bytes = bytes,
        .seconds = given * (run->strategy == &compose_strategy ? 1 - 2 * LAST_SHARE : SHARE),
        .library = folder,
        .cluster = cli_ranks_cluster(run->ranks)};
    run->composition = base_alloc(sizeof *run->composition);
    double began = base_seconds();
    request.target.halt = cli_stop_halt();
    request.is_over = cli_stop_was_asked;
    request.until = cli_stop_until;
    cli_stop_listen();
    bool good = compose(run, &request, error);
    bool was_stopped = cli_stop_heard();
    if (request.cluster && cluster_farm_count(request.cluster))
        base_note("%llu summaries were made by other ranks",
                  (unsigned long long)cluster_farm_count(request.cluster));
    free(folder);
    take_outcome(run);
    add_seeds(run);
    if (was_stopped) {
        run->options.limits.reserve = 0;
        *limit = LAST_SECONDS;
    } else if (*limit > 0)
        *limit = fmax(*limit - (base_seconds() - began - run->composition->build_seconds),
                      *limit * LAST_SHARE);
    return good || was_stopped;
}

void cli_pipe_done(struct cli_run *run) {
    cli_inputs_done(&run->composed);
    if (run->composition)
        compose_outcome_done(run->composition);
    free(run->composition);
}

/* ---- what is told ---- */

json_t *cli_pipe_json(const struct cli_run *run) {
    const struct compose_outcome *outcome = run->composition;
    if (!outcome)
        return NULL;
    json_t *log = json_array(), *tests = json_array();
    for (size_t i = 0; i < outcome->log.count && i < LOG_LINES; i++)
        json_array_append_new(log, json_string(outcome->log.data[i]));
    for (size_t i = 0; i < outcome->tests.count; i++) {
        const struct compose_test *test = &outcome->tests.data[i];
        json_array_append_new(tests, json_pack("{s:I, s:f, s:f, s:I, s:I, s:b}", "bytes",
                                               (json_int_t)test->size, "cost", test->cost, "aim",
                                               test->aim, "conjuncts", (json_int_t)test->conjuncts,
                                               "dropped", (json_int_t)test->dropped, "polished",
                                               test->is_polished));
    }
    return json_pack("{s:o, s:f, s:f, s:f, s:I, s:I, s:f, s:f, s:f, s:o}", "tests", tests, "mean",
                     outcome->mean, "alone", outcome->worst_alone, "bound", outcome->bound,
                     "summaries_made", (json_int_t)outcome->made, "summaries_found",
                     (json_int_t)outcome->found, "summary_seconds", outcome->summary_seconds,
                     "compose_seconds", outcome->compose_seconds, "polish_seconds",
                     outcome->polish_seconds, "log", log);
}

void cli_pipe_print_composition(FILE *out, const struct cli_run *run) {
    const struct compose_outcome *outcome = run->composition;
    size_t conjuncts = 0, dropped = 0, polished = 0;
    if (!outcome)
        return;
    if (!outcome->tests.count) {
        fprintf(out, "nothing was composed%s%s\n", outcome->log.count ? ": " : "",
                outcome->log.count ? outcome->log.data[outcome->log.count - 1] : "");
        return;
    }
    for (size_t i = 0; i < outcome->tests.count; i++) {
        conjuncts += outcome->tests.data[i].conjuncts;
        dropped += outcome->tests.data[i].dropped;
        polished += outcome->tests.data[i].is_polished;
    }
    fprintf(
        out,
        "composed: %zu inputs of %zu bytes from %zu summaries (%zu from the library, the others "
        "made in %.1f s), %.2f s\n",
        outcome->tests.count - polished, outcome->tests.data[0].size,
        outcome->made + outcome->found, outcome->found, outcome->summary_seconds,
        outcome->compose_seconds);
    if (polished)
        fprintf(out, "  %15zu more that cost more, by following the whole pipeline from them\n",
                polished);
    fprintf(out, "  %15.15g the costliest of them; %.15g the worst input of a single stage\n",
            outcome->tests.data[0].cost, outcome->worst_alone);
    fprintf(out,
            "  %15.15g what the worst paths of all stages add up to: no input need cost that\n",
            outcome->bound);
    fprintf(out, "  %15zu of %zu conjuncts were dropped so that an input meets the others\n",
            dropped, conjuncts);
}

/* ---- --library ---- */

bool cli_pipe_library(const struct cli_values *values, struct base_error *error) {
    const char *what = values->given[CLI_LIBRARY];
    const char *key = values->before.count ? values->before.data[0] : NULL;
    char *folder = compose_library_folder();
    size_t dropped;
    bool good = true;
    if (strcmp(what, "list") == 0)
        compose_library_list(folder, stdout);
    else if (strcmp(what, "show") == 0)
        good = key ? compose_library_show(folder, key, stdout, error)
                   : base_fail(error, BASE_USAGE,
                               "--library show KEY: which summary? --library "
                               "list names them");
    else {
        good = compose_library_drop(folder, key, &dropped, error);
        if (good)
            printf("%zu summaries dropped\n", dropped);
    }
    free(folder);
    return good;
}
