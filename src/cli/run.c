/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath run: from options to a search. The options become a request, src/search makes a subject
 * from it, and the strategy runs.
 */
#include "cli/run.h"
#include "cli/reports.h"
#include "compose/compose.h"
#include "suite/suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERIFY_SHARE 0.04   /* share of --time for running the tests again ... */
#define VERIFY_SECONDS 5.0  /* ... limited to this */
#define RING_BOUND 0        /* for loops over pointers of the input: see ABI_ENDLESS_TURNS */
#define RING_SECONDS 1.0    /* default limit for a run on those */
#define GROW_SIZE (1 << 20) /* default size of the largest pattern, in bytes */

/* ---- options ---- */

/* NAMES are the valid values of WHAT; frees them. */
static bool refuse(const char *option, const char *value, const char *what,
                   struct base_buffer *names, struct base_error *error) {
    base_fail(error, BASE_USAGE, "--%s %s: there is no such %s (there are %s)", option, value, what,
              names->data);
    base_buffer_done(names);
    return false;
}

static bool choose_strategy(struct cli_run *run, struct base_error *error) {
    const char *name = cli_value(run->values, CLI_STRATEGY);
    run->strategy = search_find_strategy(name);
    if (run->description.pipeline.text && strcmp(name, compose_strategy.name) == 0)
        run->strategy = &compose_strategy;
    if (run->strategy)
        return true;
    struct base_buffer names = {0};
    search_list_strategies(&names);
    return refuse("strategy", name, "strategy", &names, error);
}

static bool choose_jobs(struct cli_run *run, struct base_error *error) {
    /* The user decides the number of processes by starting ranks. */
    double jobs = run->ranks ? 1 : (double)sysconf(_SC_NPROCESSORS_ONLN);
    if (run->values->given[CLI_JOBS] && !cli_number(run->values, CLI_JOBS, 1, 256, &jobs, error))
        return false;
    run->jobs = jobs < 1 ? 1 : (size_t)jobs;
    return true;
}

static bool choose_stages(struct cli_run *run, struct base_error *error) {
    for (size_t i = 0; i < run->values->stages.count; i++) {
        enum solver_stage stage;
        struct base_buffer names = {0};
        if (!solver_stage_by_name(run->values->stages.data[i], &stage)) {
            solver_list_stages(&names);
            return refuse("no-stage", run->values->stages.data[i], "stage", &names, error);
        }
        run->options.solver.off[stage] = true;
    }
    return true;
}

static bool choose_prospect(struct cli_run *run, struct base_error *error) {
    static const char *const prospects[] = {
        [SEARCH_SO_FAR] = "so-far", [SEARCH_RATE] = "rate", [SEARCH_WHOLE] = "whole"};
    const char *name = cli_value(run->values, CLI_PROSPECT);
    struct base_buffer names = {0};
    for (size_t i = 0; i < BASE_COUNT(prospects); i++) {
        if (strcmp(name, prospects[i]) == 0) {
            run->options.beam.prospect = (enum search_prospect)i;
            base_buffer_done(&names);
            return true;
        }
        base_buffer_print(&names, "%s%s", i ? ", " : "", prospects[i]);
    }
    return refuse("prospect", name, "prospect", &names, error);
}

static bool choose_beam(struct cli_run *run, struct base_error *error) {
    const struct cli_values *values = run->values;
    double lookahead, constraints, frontier;
    if (!cli_number(values, CLI_LOOKAHEAD, 1, 1e9, &lookahead, error) ||
        !cli_number(values, CLI_MAX_CONSTRAINTS, 1, 1e9, &constraints, error) ||
        !cli_number(values, CLI_MAX_FRONTIER, 1, 1e9, &frontier, error))
        return false;
    run->options.beam.lookahead = (uint32_t)lookahead;
    run->options.beam.max_constraints = (uint32_t)constraints;
    run->options.beam.max_frontier = (uint32_t)frontier;
    return true;
}

/* Pointers of the input may form rings, which a loop never leaves. */
static bool has_pointers(const char *entry) {
    return entry && strchr(entry, '&');
}

static bool choose_bounds(struct cli_run *run, struct base_error *error) {
    const struct cli_values *values = run->values;
    double longest, fixed, bound = SEARCH_NO_BOUND;
    if (!cli_number(values, CLI_MAX_PATH, 1, 1e9, &longest, error) ||
        !cli_number(values, CLI_VALUES, 1, 1e6, &fixed, error) ||
        (values->given[CLI_LOOP_BOUND] &&
         !cli_number(values, CLI_LOOP_BOUND, 0, 1e9, &bound, error)))
        return false;
    run->options.path.longest = (uint32_t)longest;
    run->options.path.values = (uint32_t)fixed;
    run->options.path.loop_bound = (uint32_t)bound;
    run->description.options.tells_loops =
        run->options.path.loop_bound != SEARCH_NO_BOUND || values->given[CLI_TRACE];
    run->description.options.loop_bound = run->options.path.loop_bound;
    if (has_pointers(values->given[CLI_ENTRY]) && !run->description.options.tells_loops) {
        run->description.options.tells_loops = true;
        run->description.options.loop_bound = RING_BOUND;
    }
    if (has_pointers(values->given[CLI_ENTRY]) && !values->given[CLI_LIMIT_TIME])
        run->description.options.limits.seconds = RING_SECONDS;
    return true;
}

static bool choose_deadline(const struct cli_values *values, struct base_error *error) {
    double seconds;
    if (!values->given[CLI_DEADLINE])
        return true;
    if (!cli_number(values, CLI_DEADLINE, 1, 1e9, &seconds, error))
        return false;
    cli_stop_within(seconds);
    return true;
}

static bool choose_limits(struct cli_run *run, struct base_error *error) {
    const struct cli_values *values = run->values;
    double tests, seconds, seed, runs = 0;
    if (!cli_number(values, CLI_TESTS, 1, 1e6, &tests, error) ||
        !cli_number(values, CLI_TIME, 0, 1e9, &seconds, error) ||
        !cli_number(values, CLI_SEED, 0, 1e15, &seed, error) ||
        (values->given[CLI_RUNS] && !cli_number(values, CLI_RUNS, 1, 1e15, &runs, error)))
        return false;
    run->options.tests = (size_t)tests;
    run->options.limits.seconds = seconds;
    run->options.limits.reserve = fmin(VERIFY_SHARE * seconds, VERIFY_SECONDS);
    run->options.limits.runs = (uint64_t)runs;
    run->options.seed = (uint64_t)seed;
    run->options.solver.timeout_ms = 10000;
    return true;
}

/* For strategies that learn from small sizes. */
static bool choose_training(struct cli_run *run, struct base_error *error) {
    const char *text = run->values->given[CLI_TRAIN];
    int64_t *first = &run->options.scale.first, *last = &run->options.scale.last;
    int length = 0;
    run->options.scale.method = run->values->given[CLI_METHOD];
    if (text && (sscanf(text, "%" SCNd64 "..%" SCNd64 "%n", first, last, &length) != 2 ||
                 text[length] || *first < 1 || *last < *first))
        return base_fail(error, BASE_USAGE, "--train %s: write A..B, such as 2..6", text);
    return true;
}

static bool choose_oracle(struct cli_run *run, struct base_error *error) {
    const char *name = cli_value(run->values, CLI_ORACLE);
    run->options.driven.is_naive = strcmp(name, "naive") == 0;
    run->options.driven.tells = run->values->given[CLI_SHOW_TRACES] != NULL;
    return run->options.driven.is_naive || strcmp(name, "enhanced") == 0 ||
           base_fail(error, BASE_USAGE, "--oracle %s: it is 'naive' or 'enhanced'", name);
}

static bool choose_options(struct cli_run *run, struct base_error *error) {
    return choose_deadline(run->values, error) && choose_limits(run, error) &&
           choose_bounds(run, error) && choose_stages(run, error) && choose_prospect(run, error) &&
           choose_beam(run, error) && choose_training(run, error) && choose_oracle(run, error);
}

static struct target_input *list_inputs(const struct cli_inputs *files) {
    struct target_input *inputs = base_alloc((files->count + 1) * sizeof *inputs);
    for (size_t i = 0; i < files->count; i++)
        inputs[i] = (struct target_input){files->data[i].data, files->data[i].size};
    return inputs;
}

static bool read_files(struct cli_run *run, struct base_error *error) {
    const char *seeds = run->values->given[CLI_SEEDS], *dictionary = run->values->given[CLI_DICT];
    const char *redirected = run->description.pipeline.file; /* `<file`: an initial input */
    if ((seeds && !cli_seeds_read(&run->seed_files, seeds, error)) ||
        (redirected && !cli_inputs_read(&run->seed_files, redirected, error)) ||
        (dictionary && !cli_dictionary_read(dictionary, &run->dictionary, error)))
        return false;
    if (seeds && !run->seed_files.count)
        return base_fail(error, BASE_USAGE, "--seeds %s: it holds no inputs", seeds);
    cli_pipe_words(&run->description.pipeline, &run->dictionary);
    run->seeds = list_inputs(&run->seed_files);
    run->words = list_inputs(&run->dictionary);
    run->options.dictionary = run->words;
    run->options.dictionary_count = run->dictionary.count;
    return true;
}

static bool choose_place(struct cli_run *run, struct base_error *error) {
    const struct cli_values *values = run->values;
    const char *json = values->given[CLI_JSON];
    run->out = values->given[CLI_OUT]     ? base_strdup(values->given[CLI_OUT])
               : values->given[CLI_FLEET] ? cli_fleet_out(run)
               : run->description.pipeline.text
                   ? cli_pipe_folder(&run->description)
                   : base_format("%s.slowpath", values->before.data[0]);
    const char *reports = values->given[CLI_REPORT_TO];
    if (cli_ranks_own(run->ranks))
        return true; /* rank 0 writes */
    if (reports && !cli_report_prepare(reports, error))
        return false;
    bool is_inside = json && strncmp(json, run->out, strlen(run->out)) == 0;
    return suite_check_place(run->out, error) && (is_inside || cli_try_json(json, error));
}

static bool read_options(struct cli_run *run, struct base_error *error) {
    const struct cli_values *values = run->values;
    const char *weights = values->given[CLI_WEIGHTS];
    run->measure_text = cli_value(values, CLI_MEASURE);
    measure_weights_init(&run->weights);
    return cli_target_init(&run->description, values, &values->before, error) &&
           choose_strategy(run, error) && choose_jobs(run, error) && choose_options(run, error) &&
           cli_policy_read(run, error) &&
           (!weights || measure_weights_parse(&run->weights, weights, error)) &&
           cli_template_read(run, error) && read_files(run, error) && cli_fleet_read(run, error) &&
           choose_place(run, error);
}

/* ---- the target ---- */

static bool open_target(struct cli_run *run, struct base_error *error) {
    double largest;
    if (!cli_number(run->values, CLI_MAX_SIZE, 1, 1 << 30, &largest, error))
        return false;
    run->description.options.halt = cli_stop_halt();
    struct search_request request = {.target = run->description.options,
                                     .measure = run->measure_text,
                                     .weights = &run->weights,
                                     .strategy = run->strategy,
                                     .jobs = run->jobs,
                                     .seconds = run->options.limits.seconds,
                                     .may_start_early = run->options.limits.seconds > 0 &&
                                                        !run->options.limits.runs,
                                     .seed = run->options.seed,
                                     .policy = run->values->given[CLI_POLICY],
                                     .swept = run->description.swept,
                                     .first = run->description.first,
                                     .input_bytes = run->description.input_bytes,
                                     .most_bytes = (uint64_t)largest,
                                     .ranges = &run->values->ranges,
                                     .seeds = run->seeds,
                                     .seed_count = run->seed_files.count + run->composed.count,
                                     .form = cli_template_form(run)};
    run->target = search_target_open(&request, error);
    if (!run->target)
        return false;
    run->subject = &run->target->subject;
    run->strategy = run->target->strategy;
    run->measuring = run->target->measuring;
    run->measure = &run->target->measure;
    return !run->template || cli_template_measure(run, error);
}

static bool read_trace(struct cli_run *run, struct base_error *error) {
    const char *path = run->values->given[CLI_TRACE];
    if (run->values->given[CLI_SHOW_TRACES] && strcmp(run->strategy->name, "driven") != 0)
        return base_fail(error, BASE_USAGE, "--show-traces: it is for --strategy driven");
    if (!path)
        return true;
    if (strcmp(run->strategy->name, "exhaustive") != 0 &&
        strcmp(run->strategy->name, "driven") != 0)
        return base_fail(error, BASE_USAGE, "--trace: it is for --strategy exhaustive or driven");
    run->options.trail = run->trail = search_trail_read(path, run->subject->facts, error);
    return run->trail != NULL;
}

/* ---- resuming ---- */

static void add_words(struct base_buffer *key, const char *name, char *const *words, size_t count) {
    base_buffer_print(key, "%s", name);
    for (size_t i = 0; i < count; i++)
        base_buffer_print(key, " '%s'", words[i]);
    base_buffer_print(key, "\n");
}

/* May a resumed search get a new value for this option? */
static bool may_change(enum cli_option option) {
    switch (option) {
    case CLI_TIME:
    case CLI_DEADLINE:
    case CLI_RUNS:
    case CLI_JOBS:
    case CLI_TESTS:
    case CLI_NO_STAGE:
    case CLI_OUT:
    case CLI_JSON:
    case CLI_GATE:
    case CLI_RESUME:
    case CLI_FORCE:
    case CLI_SHOW_OUTPUT:
    case CLI_SHOW_TRACES:
    case CLI_QUIET:
    case CLI_VERBOSE:
    case CLI_FLEET:
    case CLI_FLEET_NAME:
    case CLI_TIME_IT:
    case CLI_REPORT_TO:
    case CLI_SHELL_SCRIPT:
    case CLI_SLOW_UNITS:
    case CLI_SEEDS: /* the contents of seeds matter */
    case CLI_DICT:
    case CLI_TRACE:
    case CLI_TEMPLATE:
        return true;
    default:
        return false;
    }
}

static void hash_inputs(struct base_hash *hash, const struct cli_inputs *inputs) {
    base_hash_add(hash, &inputs->count, sizeof inputs->count);
    for (size_t i = 0; i < inputs->count; i++) {
        base_hash_add(hash, &inputs->data[i].size, sizeof inputs->data[i].size);
        base_hash_add(hash, inputs->data[i].data, inputs->data[i].size);
    }
}

static void hash_file(struct base_hash *hash, const char *path) {
    struct cli_inputs file = {0};
    struct base_error error;
    if (cli_inputs_read(&file, path, &error))
        hash_inputs(hash, &file);
    cli_inputs_done(&file);
}

static void add_contents(struct base_buffer *key, const struct cli_run *run) {
    struct base_hash hash;
    char contents[33];
    base_hash_init(&hash);
    hash_inputs(&hash, &run->seed_files);
    hash_inputs(&hash, &run->dictionary);
    if (run->values->given[CLI_WEIGHTS] && *run->values->given[CLI_WEIGHTS] == '@')
        hash_file(&hash, run->values->given[CLI_WEIGHTS] + 1);
    if (run->values->given[CLI_TRACE])
        hash_file(&hash, run->values->given[CLI_TRACE]);
    base_hash_done(&hash, contents);
    base_buffer_print(key, "contents %s template %s\n", contents, cli_template_key(run));
}

/* Everything that makes it a different search. The first line identifies the whole program, with
 * its tables and constants, and slowpath itself. */
static char *make_key(const struct cli_run *run) {
    struct base_buffer key = {0};
    base_buffer_print(&key, "%s " SLOWPATH_VERSION "\n", target_key(run->measuring));
    base_buffer_print(&key, "%s %llu\n", run->strategy->name,
                      (unsigned long long)run->subject->layout.bytes);
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        const char *value = cli_value(run->values, (enum cli_option)i);
        if (value && !may_change((enum cli_option)i))
            base_buffer_print(&key, "%d %s\n", i, value);
    }
    const struct cli_target *target = &run->description;
    add_words(&key, "paths", target->paths.data, target->paths.count);
    add_words(&key, "args", target->args.data, target->args.count);
    add_words(&key, "sizes", run->values->sizes.data, run->values->sizes.count);
    add_words(&key, "assumptions", run->values->assumptions.data, run->values->assumptions.count);
    add_words(&key, "ranges", run->values->ranges.data, run->values->ranges.count);
    add_contents(&key, run);
    return key.data;
}

struct resuming {
    struct cli_run *run;
    bool has_begun;
};

/* Loads the state of a rank, or work that was under way between two. */
static bool take_rank(void *context, const char *state, size_t size, bool is_rest,
                      struct base_error *error) {
    struct resuming *resuming = context;
    struct search *search = resuming->run->search;
    struct base_error reason = {.message = "it is cut short"};
    bool good = is_rest               ? search_take_rest(search, state, size)
                : resuming->has_begun ? search_merge(search, state, size, &reason)
                                      : search_load(search, state, size, &reason);
    resuming->has_begun = true;
    return good ||
           base_fail(error, BASE_USAGE, "--resume: what ranks have left in '%s' cannot be used: %s",
                     resuming->run->out, reason.message);
}

static bool resume(struct cli_run *run, struct base_error *error) {
    char *state;
    size_t size;
    struct base_error reason;
    if (suite_has_ranks(run->out)) {
        struct resuming resuming = {.run = run};
        const struct suite_rank_reader reader = {take_rank, &resuming};
        if (run->description.swept)
            return base_fail(error, BASE_USAGE,
                             "--resume does not work with a range of sizes that ranks have begun");
        return suite_load_ranks(run->out, run->key, &reader, error);
    }
    if (!suite_load_state(run->out, run->key, &state, &size, error))
        return false;
    bool good = search_load(run->search, state, size, &reason);
    free(state);
    return good || base_fail(error, BASE_USAGE, "--resume: the state in '%s' cannot be used: %s",
                             run->out, reason.message);
}

/* ---- the command ---- */

/* Patterns grow beyond the sizes that are enough for a byte-wise search. */
static size_t choose_grow_size(const struct cli_run *run) {
    uint64_t bytes = run->subject->layout.bytes;
    if (run->description.input_bytes >= 0)
        return (size_t)run->description.input_bytes;
    return run->values->given[CLI_MAX_SIZE] || bytes > GROW_SIZE ? bytes : GROW_SIZE;
}

/* Shortens them to what the deadline leaves. */
static void shorten(struct search_options *options) {
    double given = options->limits.seconds, seconds = cli_stop_shorten(given);
    options->limits.seconds = seconds;
    if (seconds != given)
        options->limits.reserve = fmin(options->limits.reserve, VERIFY_SHARE * seconds);
}

/* The place of the new suite: loads an existing suite, or sets it aside. */
static bool prepare_place(struct cli_run *run, struct base_error *error) {
    struct search_statistics now;
    if (run->values->given[CLI_RESUME] && !resume(run, error))
        return false;
    search_statistics(run->search, &now);
    cli_ranks_note_runs(run->ranks, now.counters.runs);
    if (!cli_keep_begin(run, error))
        return false;
    cli_ranks_mark(run->ranks, run->search, run->out, run->key, run->values->given[CLI_RESUME]);
    return true;
}

static void talk_to_ranks(struct cli_run *run) {
    run->options.cluster = cli_ranks_cluster(run->ranks);
    if (!run->options.cluster)
        return;
    run->ranks_exchange = cli_ranks_exchange_new(run->options.cluster);
    run->options.exchange = cli_ranks_exchange_of(run->ranks_exchange);
}

static void tell_of_idle_ranks(const struct cli_run *run) {
    uint32_t others = cli_ranks_count(run->ranks) - 1;
    bool has_pieces = run->strategy->serve && !run->subject->sweep;
    if (others && !run->composition && !run->strategy->shares_work && !run->strategy->has_islands &&
        !has_pieces)
        base_note("%s%s runs on one rank: the other %u end at once", run->strategy->name,
                  run->subject->sweep ? " over a range of sizes" : "", others);
}

/* The repeatability check has used part of --time. */
static void count_tries(struct cli_run *run) {
    double *seconds = &run->options.limits.seconds;
    if (*seconds > 0)
        *seconds = fmax(*seconds - search_target_waited(run->target), *seconds / 2);
}

/* If rank 0 searches and others serve, it distributes all runs. */
static void limit_runs(struct cli_run *run) {
    uint64_t runs = run->options.limits.runs;
    bool is_shared = run->strategy->shares_work || run->strategy->has_islands;
    search_limit_runs(run->search, is_shared                   ? cli_ranks_share(run->ranks, runs)
                                   : cli_ranks_own(run->ranks) ? 0
                                                               : runs);
}

static bool search_now(struct cli_run *run, struct base_error *error) {
    count_tries(run);
    shorten(&run->options);
    run->options.grow_size = choose_grow_size(run);
    talk_to_ranks(run);
    run->key = make_key(run);
    cli_found_begin(run);
    cli_ranks_compare(run->ranks, run->key);
    if (!cli_ranks_agree(run->ranks, cli_fleet_begin(run, error), error))
        return false;
    run->search = search_new(run->strategy, &run->options, run->subject);
    cli_ranks_look(run->ranks, run->out);
    bool good = cli_ranks_own(run->ranks) || prepare_place(run, error);
    if (!cli_ranks_agree(run->ranks, good, error) ||
        !cli_ranks_check_place(run->ranks, run->out, error))
        return false;
    limit_runs(run);
    struct cli_progress progress;
    cli_progress_begin(&progress, run->search, run->target, run->values->given[CLI_QUIET] != NULL,
                       run->out, run->key, run->ranks);
    progress.is_verbose = run->values->given[CLI_VERBOSE] != NULL;
    progress.fleet = run->fleet.joined;
    tell_of_idle_ranks(run);
    if (run->ranks)
        cli_ranks_begin(run->ranks, run->search, run->out, run->key);
    double before = search_target_waited(run->target), began = base_seconds();
    cli_stop_begin(run->search, run->options.limits.seconds, run->options.limits.reserve);
    good = search_run(run->search, error);
    cli_stop_finish();
    run->target_seconds = search_target_waited(run->target) - before;
    run->session_seconds = base_seconds() - began;
    cli_progress_end(&progress);
    cli_pipe_composed(run);
    cli_fleet_end(run);
    search_statistics(run->search, &run->statistics);
    return good;
}

static void run_done(struct cli_run *run) {
    cli_fleet_end(run);
    if (run->search)
        search_free(run->search);
    cli_ranks_exchange_free(run->ranks_exchange);
    if (run->target)
        search_target_close(run->target);
    cli_template_free(run);
    cli_pipe_done(run);
    measure_weights_done(&run->weights);
    cli_inputs_done(&run->seed_files);
    cli_inputs_done(&run->dictionary);
    free(run->seeds);
    free(run->words);
    suite_done(&run->earlier);
    free(run->key);
    free(run->out);
    search_policy_done(&run->policy);
    search_trail_free(run->trail);
    cli_target_done(&run->description);
}

static bool check_fleet(const struct cli_run *run, struct base_error *error) {
    return !cli_ranks_cluster(run->ranks) || !run->values->given[CLI_FLEET] ||
           base_fail(error, BASE_USAGE,
                     "--fleet: the ranks of one search tell each other what they find; give the "
                     "folder to searches of their own");
}

static bool open_all(struct cli_run *run, struct base_error *error) {
    bool good = read_options(run, error) && check_fleet(run, error);
    if (!cli_ranks_agree(run->ranks, good, error)) /* so that all ranks reach the next step */
        return false;
    good = cli_pipe_compose(run, error) && open_target(run, error) && read_trace(run, error);
    return cli_ranks_agree(run->ranks, good, error);
}

int cli_run(const struct cli_values *values, struct base_error *error) {
    struct cli_run run = {.values = values};
    bool good =
        cli_ranks_open(&run.ranks, error) && open_all(&run, error) && search_now(&run, error) &&
        (cli_ranks_own(run.ranks) || (cli_run_finish(&run, error) && cli_policy_gate(&run, error)));
    cli_stop_end();
    run_done(&run);
    /* Rank 0 reports it, and a launcher kills all if one fails. */
    good = good || cli_ranks_own(run.ranks);
    cli_ranks_close(run.ranks);
    return good ? BASE_OK : (int)error->code;
}
