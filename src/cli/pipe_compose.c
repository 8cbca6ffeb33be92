/* SPDX-License-Identifier: Apache-2.0
 *
 * The special part of searching a pipeline: inputs are composed from costly paths of its stages.
 * This is one of the strategies that take turns, so it costs little where it gains nothing.
 */
#include "cli/run.h"
#include "compose/cells.h"
#include "compose/compose.h"
#include "compose/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARE 0.25         /* maximum share of --time, if others search, too ... */
#define LEAST_SHARE 0.08   /* ... and the minimum */
#define STAGE_SECONDS 0.75 /* per stage: in less time hardly anything is composed */
#define TREE_SHARE 0.4     /* minimum share if the input is a large tree */
#define LINES_SHARE 0.4 /* maximum share if a stage runs once per line: others cannot follow it */
/* Bytes: inputs of other strategies grow to this size before composing. */
#define LARGE 65536
#define SECONDS 60.0     /* without a time limit */
#define LAST_SECONDS 0.2 /* to run what was found if the user stops before the search */
#define LAST_SHARE 0.08  /* share of --time for the same if not stopped */
#define LOG_LINES 2000   /* limit for stored lines */

/* ---- before the search ---- */

static bool is_wanted(const struct cli_run *run) {
    return run->description.pipeline.text && !run->values->given[CLI_RESUME] &&
           (run->strategy == &compose_strategy || run->strategy->is_scheduler);
}

/* The size at which stages are explored; for files, the size of their contents in a cell. */
static bool choose_bytes(const struct cli_run *run, uint64_t *bytes, struct base_error *error) {
    double given;
    if (!cli_number(run->values, CLI_COMPOSE, 0, 1 << 17, &given, error))
        return false;
    *bytes = (uint64_t)given;
    if (run->description.options.tree.objects)
        return true;
    if (run->description.input_bytes >= 0 && (uint64_t)run->description.input_bytes < *bytes)
        *bytes = (uint64_t)run->description.input_bytes;
    return true;
}

static void add_seeds(struct cli_run *run) {
    size_t own = run->seed_files.count;
    run->seeds = base_realloc(run->seeds, (own + run->composed.count + 1) * sizeof *run->seeds);
    for (size_t i = 0; i < run->composed.count; i++)
        run->seeds[own + i] =
            (struct target_input){run->composed.data[i].data, run->composed.data[i].size};
}

static bool is_large(const struct composing *self) {
    return compose_request_of(self)->wanted >= LARGE;
}

static bool is_ready(void *self) {
    return compose_is_ready(self) || is_large(self);
}

static bool has_hope(void *self, const struct search_test *best) {
    return is_large(self) || compose_has_hope(self, best);
}

/* The same if its share is too small to gain anything: then building would only waste time. */
static bool has_hope_or_leaves(void *self, const struct search_test *best) {
    bool hopes = has_hope(self, best);
    if (!hopes)
        compose_leave(self);
    return hopes;
}

static void invite(struct cli_run *run) {
    bool has_tree = run->description.options.tree.objects > 0;
    double share = has_tree && is_large(run->composing) ? TREE_SHARE : LEAST_SHARE;
    double needs = STAGE_SECONDS * (double)run->description.pipeline.stages.count;
    double limit = run->options.limits.seconds;
    bool is_short = limit > 0 && share * limit < needs;
    run->guest = (struct search_guest){.strategy = &compose_strategy,
                                       .self = run->composing,
                                       .is_ready = is_ready,
                                       .share = share,
                                       .needs = needs,
                                       .has_hope = is_short ? has_hope_or_leaves : has_hope};
    run->options.guest = &run->guest;
}

/* Rank 0 composes before the search; the others make summaries for it. */
static bool compose_with_ranks(struct cli_run *run, const struct compose_request *request,
                               struct base_error *error) {
    double *limit = &run->options.limits.seconds, began = base_seconds();
    bool good = true;
    if (cli_ranks_own(run->ranks))
        return compose_help(request, error);
    run->composing = compose_open(request, run->composition, error);
    while (good && run->composing && !compose_is_over(run->composing))
        good = compose_step(run->composing, HUGE_VAL, HUGE_VAL, error);
    double took = base_seconds() - began - run->composition->build_seconds;
    if (*limit > 0)
        *limit = fmax(*limit - took, *limit * LAST_SHARE);
    if (cluster_farm_count(request->cluster))
        base_note("%llu summaries were made by other ranks",
                  (unsigned long long)cluster_farm_count(request->cluster));
    return run->composing && good;
}

/* A single process composes during the search. */
static bool compose(struct cli_run *run, const struct compose_request *request,
                    struct base_error *error) {
    if (request->cluster)
        return compose_with_ranks(run, request, error);
    run->composing = compose_open(request, run->composition, error);
    return run->composing != NULL;
}

static double most_share(const struct target_pipeline *pipeline) {
    bool is_per_line = false;
    for (size_t i = 0; i < pipeline->stages.count; i++)
        is_per_line |= pipeline->stages.data[i].is_per_line;
    return is_per_line ? LINES_SHARE : SHARE;
}

static bool begin_composing(struct cli_run *run, uint64_t bytes, struct base_error *error) {
    const char *library = run->values->given[CLI_LIBRARY];
    bool is_off = library && strcmp(library, "off") == 0;
    bool is_alone = run->strategy == &compose_strategy;
    double limit = run->options.limits.seconds > 0 ? run->options.limits.seconds : SECONDS;
    double share = is_alone ? 1 - LAST_SHARE : most_share(&run->description.pipeline);
    struct compose_request *request = run->compose_request = base_alloc(sizeof *request);
    *request = (struct compose_request){.target = run->description.options,
                                        .measure = run->measure_text,
                                        .weights = &run->weights,
                                        .weights_text = run->values->given[CLI_WEIGHTS],
                                        .options = &run->options,
                                        .jobs = run->jobs,
                                        .tests = run->options.tests,
                                        .bytes = bytes,
                                        .seconds = limit * share,
                                        .may_wait = !is_alone && !run->options.limits.runs,
                                        .wanted = run->description.input_bytes,
                                        .library = is_off ? NULL : compose_library_folder(),
                                        .is_over = cli_stop_was_asked,
                                        .cluster = cli_ranks_cluster(run->ranks)};
    request->target.halt = cli_stop_halt();
    if (request->target.tree.objects) {
        request->whole = request->target.tree;
        request->target.tree = compose_small_tree(&request->whole, bytes);
        request->bytes = abi_tree_input(&request->target.tree);
    }
    run->composition = base_alloc(sizeof *run->composition);
    cli_stop_listen();
    bool good = compose(run, request, error);
    bool was_stopped = cli_stop_heard();
    if (was_stopped) {
        run->options.limits.reserve = 0;
        run->options.limits.seconds = LAST_SECONDS;
    }
    if (run->composing)
        invite(run);
    return good || was_stopped;
}

bool cli_pipe_compose(struct cli_run *run, struct base_error *error) {
    uint64_t bytes;
    bool has_tree = run->description.options.tree.objects > 0;
    if (!choose_bytes(run, &bytes, error))
        return false;
    if (has_tree && strcmp(run->strategy->name, "random") != 0 &&
        run->strategy != &compose_strategy) /* that strategy only runs what it is given */
        cli_pipe_plain_trees(run);
    add_seeds(run);
    if (!is_wanted(run) || (has_tree && cli_ranks_cluster(run->ranks)))
        return true;
    return !bytes || begin_composing(run, bytes, error);
}

void cli_pipe_composed(struct cli_run *run) {
    if (run->composing)
        compose_close(run->composing);
    run->composing = NULL;
}

void cli_pipe_done(struct cli_run *run) {
    cli_pipe_composed(run);
    cli_inputs_done(&run->composed);
    if (run->composition)
        compose_outcome_done(run->composition);
    free(run->composition);
    if (run->compose_request)
        free((void *)run->compose_request->library);
    free(run->compose_request);
}

/* ---- output ---- */

json_t *cli_pipe_json(const struct cli_run *run) {
    const struct compose_outcome *outcome = run->composition;
    if (!outcome)
        return NULL;
    json_t *log = json_array(), *tests = json_array(), *left_out = json_array();
    for (size_t i = 0; i < outcome->log.count && i < LOG_LINES; i++)
        json_array_append_new(log, json_string(outcome->log.data[i]));
    for (size_t i = 0; i < outcome->left_out.count; i++)
        json_array_append_new(left_out, json_string(outcome->left_out.data[i]));
    for (size_t i = 0; i < outcome->tests.count; i++) {
        const struct compose_test *test = &outcome->tests.data[i];
        json_array_append_new(tests, json_pack("{s:I, s:f, s:f, s:I, s:I, s:b}", "bytes",
                                               (json_int_t)test->size, "cost", test->cost, "aim",
                                               test->aim, "conjuncts", (json_int_t)test->conjuncts,
                                               "dropped", (json_int_t)test->dropped, "polished",
                                               test->is_polished));
    }
    return json_pack("{s:o, s:f, s:f, s:f, s:I, s:I, s:f, s:f, s:f, s:o, s:o}", "tests", tests,
                     "mean", outcome->mean, "alone", outcome->worst_alone, "bound", outcome->bound,
                     "summaries_made", (json_int_t)outcome->made, "summaries_found",
                     (json_int_t)outcome->found, "summary_seconds", outcome->summary_seconds,
                     "compose_seconds", outcome->compose_seconds, "polish_seconds",
                     outcome->polish_seconds, "left_out", left_out, "log", log);
}

/* "48 bytes"; the caller frees. */
static char *outcome_size(const struct cli_run *run) {
    const struct abi_tree *tree = &run->compose_request->target.tree;
    if (!tree->objects)
        return base_format("%zu bytes", run->composition->tests.data[0].size);
    return base_format("%u files, with %u bytes of content each that repeat,", tree->objects,
                       tree->slice);
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
    char *size = outcome_size(run);
    fprintf(out,
            "composed: %zu inputs of %s from %zu summaries (%zu from the library, the others "
            "made in %.1f s), %.2f s\n",
            outcome->tests.count - polished, size, outcome->made + outcome->found, outcome->found,
            outcome->summary_seconds, outcome->compose_seconds);
    free(size);
    if (polished)
        fprintf(out, "  %15zu more that cost more, by following the whole pipeline from them\n",
                polished);
    double best = outcome->tests.data[0].cost;
    fprintf(out, "  %15.15g the costliest of them\n", best);
    if (outcome->worst_alone > 0)
        fprintf(out, "  %15.15g the worst input of a single stage, given to the whole\n",
                outcome->worst_alone);
    if (outcome->bound > best)
        fprintf(out,
                "  %15.15g what the worst known paths of all stages add up to: no input need cost "
                "that\n",
                outcome->bound);
    fprintf(out, "  %15zu of %zu conjuncts were dropped so that an input meets the others\n",
            dropped, conjuncts);
    for (size_t i = 0; i < outcome->left_out.count; i++)
        fprintf(out, "  %s\n", outcome->left_out.data[i]);
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
