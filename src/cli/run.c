/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath run: from options to a search. The two builds are made and started, once for each
 * worker; the size and the fields of the input are found; then the strategy has the word.
 */
#include "cli/run.h"
#include "suite/suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROW_SIZE (1 << 20) /* bytes of the largest pattern, unless the user says otherwise */

/* ---- options ---- */

static bool choose_strategy(struct cli_run *run, struct base_error *error) {
    const char *name = cli_value(run->values, CLI_STRATEGY);
    run->strategy = search_find_strategy(name);
    if (run->strategy)
        return true;
    struct base_buffer names = {0};
    search_list_strategies(&names);
    base_fail(error, BASE_USAGE, "--strategy %s: there is no such strategy (there are %s)", name,
              names.data);
    base_buffer_done(&names);
    return false;
}

static bool choose_jobs(struct cli_run *run, struct base_error *error) {
    double jobs = (double)sysconf(_SC_NPROCESSORS_ONLN);
    if (run->values->given[CLI_JOBS] && !cli_number(run->values, CLI_JOBS, 1, 256, &jobs, error))
        return false;
    run->jobs = jobs < 1 ? 1 : (size_t)jobs;
    return true;
}

static bool choose_stages(struct cli_run *run, struct base_error *error) {
    for (size_t i = 0; i < run->values->stages.count; i++) {
        enum solver_stage stage;
        if (!solver_stage_by_name(run->values->stages.data[i], &stage))
            return base_fail(error, BASE_USAGE,
                             "--no-stage %s: there is no such stage (there are model, domain, "
                             "order, equal, cycle, range, repair, enumerate, smt)",
                             run->values->stages.data[i]);
        run->options.solver.off[stage] = true;
    }
    return true;
}

static bool choose_judge(struct cli_run *run, struct base_error *error) {
    static const char *const names[] = {"so-far", "rate", "whole"};
    const char *name = cli_value(run->values, CLI_JUDGE);
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0) {
            run->options.worth.judge = (enum search_judge)i;
            return true;
        }
    return base_fail(error, BASE_USAGE, "--judge %s: there are so-far, rate and whole", name);
}

static bool choose_beam(struct cli_run *run, struct base_error *error) {
    const struct cli_values *values = run->values;
    double lookahead, constraints, frontier;
    if (!cli_number(values, CLI_LOOKAHEAD, 1, 1e9, &lookahead, error) ||
        !cli_number(values, CLI_MAX_CONSTRAINTS, 1, 1e9, &constraints, error) ||
        !cli_number(values, CLI_MAX_FRONTIER, 1, 1e9, &frontier, error))
        return false;
    run->options.lookahead = (uint32_t)lookahead;
    run->options.max_constraints = (uint32_t)constraints;
    run->options.max_frontier = (uint32_t)frontier;
    return true;
}

static bool choose_limits(struct cli_run *run, struct base_error *error) {
    const struct cli_values *values = run->values;
    double tests, seconds, seed, longest, largest, fixed, bound = SEARCH_NO_BOUND, runs = 0;
    if (!cli_number(values, CLI_TESTS, 1, 1e6, &tests, error) ||
        !cli_number(values, CLI_TIME, 0, 1e9, &seconds, error) ||
        !cli_number(values, CLI_SEED, 0, 1e15, &seed, error) ||
        !cli_number(values, CLI_MAX_PATH, 1, 1e9, &longest, error) ||
        !cli_number(values, CLI_VALUES, 1, 1e6, &fixed, error) ||
        !cli_number(values, CLI_MAX_SIZE, 1, 1 << 30, &largest, error) ||
        (values->given[CLI_LOOP_BOUND] &&
         !cli_number(values, CLI_LOOP_BOUND, 0, 1e9, &bound, error)) ||
        (values->given[CLI_RUNS] && !cli_number(values, CLI_RUNS, 1, 1e15, &runs, error)))
        return false;
    run->options.tests = (size_t)tests;
    run->options.seconds = seconds;
    run->options.seed = (uint64_t)seed;
    run->options.max_path = (uint32_t)longest;
    run->options.max_values = (uint32_t)fixed;
    run->max_size = (uint64_t)largest;
    run->options.loop_bound = (uint32_t)bound;
    run->options.runs = (uint64_t)runs;
    run->options.solver.timeout_ms = 10000;
    return choose_stages(run, error) && choose_judge(run, error) && choose_beam(run, error);
}

static bool read_dictionary(struct cli_run *run, struct base_error *error) {
    const char *path = run->values->given[CLI_DICT];
    if (!path)
        return true;
    if (!cli_dictionary_read(path, &run->dictionary, error))
        return false;
    run->words = base_alloc(run->dictionary.count * sizeof *run->words);
    for (size_t i = 0; i < run->dictionary.count; i++)
        run->words[i] =
            (struct target_input){run->dictionary.data[i].data, run->dictionary.data[i].size};
    run->options.dictionary = run->words;
    run->options.dictionary_count = run->dictionary.count;
    return true;
}

static bool read_options(struct cli_run *run, struct base_error *error) {
    const struct cli_values *values = run->values;
    const char *weights = values->given[CLI_WEIGHTS], *seeds = values->given[CLI_SEEDS];
    run->measure_text = cli_value(values, CLI_MEASURE);
    measure_weights_init(&run->weights);
    if (!cli_target_init(&run->description, values, &values->before, error) ||
        !choose_strategy(run, error) || !choose_jobs(run, error) || !choose_limits(run, error) ||
        (weights && !measure_weights_parse(&run->weights, weights, error)) ||
        !cli_template_read(run, error) ||
        (seeds && !cli_seeds_read(&run->seed_files, seeds, error)) || !read_dictionary(run, error))
        return false;
    run->out = values->given[CLI_OUT] ? base_strdup(values->given[CLI_OUT])
                                      : base_format("%s.slowpath", values->before.data[0]);
    if (seeds && !run->seed_files.count)
        return base_fail(error, BASE_USAGE, "--seeds %s: it holds no inputs", seeds);
    return suite_check_place(run->out, error);
}

/* ---- the input ---- */

/* A program that names its inputs (slowpath_symbolic, klee_make_symbolic) says how large they are.
 * Some may be named only after an assumption about others, so several inputs are tried. */
static bool ask_program(struct cli_run *run, struct base_error *error) {
    static const uint8_t fillings[] = {0, 1, 2, 0x10, 0x41, 0x7f, 0x80, 0xff};
    struct target *target = run->builds[0].measuring;
    uint8_t bytes[256];
    struct target_input input = {bytes, sizeof bytes};
    struct abi_result result;
    if (target_entry_kind(target) != ABI_ENTRY_PROGRAM || run->description.input_bytes >= 0)
        return true;
    for (size_t i = 0; i < BASE_COUNT(fillings); i++) {
        memset(bytes, fillings[i], sizeof bytes);
        if (!target_run(target, &input, 1, &result, error))
            return false;
        if (!target_control(target)->asked)
            return true; /* it reads its input in some other way */
    }
    if (target_control(target)->asked)
        run->description.input_bytes = (int64_t)target_control(target)->asked;
    return true;
}

static bool find_input_size(struct cli_run *run, struct base_error *error) {
    const struct target *target = run->builds[0].measuring;
    if (!ask_program(run, error))
        return false;
    int64_t given = run->description.input_bytes;
    if (target_entry_kind(target) == ABI_ENTRY_DRIVER) {
        if (given >= 0)
            return base_fail(error, BASE_USAGE,
                             "the entry tells the bytes of its input: write --size NAME=VALUE");
        return target_input_bytes(target, &run->input_size, error);
    }
    for (size_t i = 0; given < 0 && i < run->seed_files.count; i++)
        if (run->seed_files.data[i].size > run->input_size)
            run->input_size = run->seed_files.data[i].size;
    if (given >= 0)
        run->input_size = (uint64_t)given;
    else if (run->strategy->varies_size)
        run->input_size = run->max_size > run->input_size ? run->max_size : run->input_size;
    else if (!run->seed_files.count)
        return base_fail(error, BASE_USAGE,
                         target_entry_kind(target) == ABI_ENTRY_HARNESS
                             ? "how large is the input? --size BYTES"
                             : "how large is the input? --stdin BYTES, --file BYTES or --arg "
                               "K:BYTES");
    return true;
}

static void find_fields(struct cli_run *run) {
    if (target_layout(run->builds[0].measuring, run->input_size, &run->fields)) {
        run->options.fields = &run->fields;
        return;
    }
    run->byte_type = (struct ir_type){.kind = IR_TYPE_UNSIGNED, .name = "unsigned char", .size = 1};
    base_push(&run->fields, (struct target_field){.name = "in",
                                                  .type = &run->byte_type,
                                                  .element_size = 1,
                                                  .count = run->input_size,
                                                  .is_array = true});
}

static bool find_ranges(struct cli_run *run, struct base_error *error) {
    for (size_t i = 0; i < run->values->ranges.count; i++)
        if (!cli_parse_range(run->values->ranges.data[i], &run->fields, &run->ranges, error))
            return false;
    run->options.ranges = run->ranges.data;
    run->options.range_count = run->ranges.count;
    return true;
}

/* A seed as long as all inputs: it ends in zeros, or is cut. */
static void fit_seed(const struct cli_run *run, struct cli_input *seed) {
    bool is_short = seed->size < run->input_size;
    if (is_short && run->strategy->varies_size)
        return;
    if (is_short) {
        seed->data = base_realloc(seed->data, run->input_size + 1);
        memset(seed->data + seed->size, 0, run->input_size - seed->size);
    }
    seed->size = run->input_size;
}

static void fit_seeds(struct cli_run *run) {
    size_t changed = 0;
    run->seeds = base_alloc(run->seed_files.count * sizeof *run->seeds);
    for (size_t i = 0; i < run->seed_files.count; i++) {
        struct cli_input *seed = &run->seed_files.data[i];
        size_t before = seed->size;
        fit_seed(run, seed);
        changed += seed->size != before;
        run->seeds[i] = (struct target_input){seed->data, seed->size};
    }
    if (changed)
        base_note("%zu of %zu seeds were filled up or cut to %llu bytes", changed,
                  run->seed_files.count, (unsigned long long)run->input_size);
    run->options.seeds = run->seeds;
    run->options.seed_count = run->seed_files.count;
}

/* How large is it, what do its bytes mean, what does the search start from? */
static bool find_input(struct cli_run *run, struct base_error *error) {
    if (run->template) {
        cli_template_prepare(run);
        return true;
    }
    if (!find_input_size(run, error))
        return false;
    find_fields(run);
    fit_seeds(run);
    return find_ranges(run, error);
}

/* ---- the builds ---- */

static bool open_measuring(struct cli_run *run, size_t worker, struct base_error *error) {
    run->description.options.kind = INSTRUMENT_MEASURE;
    struct target *target = target_open(&run->description.options, error);
    run->builds[worker].measuring = target;
    run->builds[worker].measure = &run->measure;
    if (!target)
        return false;
    if (!run->measure.text &&
        !measure_parse(run->measure_text, target_facts(target), &run->measure, error))
        return false;
    measure_apply(&run->measure, &run->weights, target);
    struct search_worth *worth = &run->options.worth;
    if (!measure_so_far(&run->measure, &worth->instructions, &worth->memory))
        worth->judge = SEARCH_WHOLE; /* no part of a run tells */
    run->build_seconds += worker ? 0 : target_build_seconds(target);
    return true;
}

static bool open_symbolic(struct cli_run *run, size_t worker, struct base_error *error) {
    run->description.options.kind = INSTRUMENT_SYMBOLIC;
    run->description.options.tells_loops = run->options.loop_bound != SEARCH_NO_BOUND;
    run->description.options.loop_bound = run->options.loop_bound;
    struct target *target = target_open(&run->description.options, error);
    run->builds[worker].symbolic = target;
    run->build_seconds += target && !worker ? target_build_seconds(target) : 0;
    return target != NULL;
}

/* While the search runs, by the worker whose build it is. */
static bool open_later(struct search_builds *builds, void *self, struct base_error *error) {
    struct cli_run *run = self;
    pthread_mutex_lock(&run->opening);
    bool good = open_symbolic(run, (size_t)(builds - run->builds), error);
    if (good && run->options.scale && target_entry_kind(builds->measuring) == ABI_ENTRY_DRIVER)
        target_vary_size(builds->symbolic, run->scaled);
    pthread_mutex_unlock(&run->opening);
    return good;
}

/* Does the first input cost the same twice? If only in a fresh process: all runs get one. */
static bool check_repeats(struct cli_run *run, struct base_error *error) {
    bool is_scaled = run->strategy->is_scaled;
    uint64_t bytes = is_scaled ? cli_scale_sample(run) : run->input_size;
    uint8_t *zeros = base_alloc(bytes + 1);
    struct target_input input = {zeros, bytes};
    enum target_verdict verdict;
    if (run->template)
        input = cli_template_baseline(run);
    else if (run->options.seed_count && !is_scaled)
        input = run->options.seeds[0];
    bool good = target_check_repeats(run->builds[0].measuring, &input, &verdict, error);
    free(zeros);
    if (good && verdict == TARGET_FRESH) {
        base_warn("a second run in the same process differs from the first: every input now gets "
                  "a fresh process");
        run->description.options.fresh = true;
    }
    if (good && verdict == TARGET_DIFFERS)
        return base_fail(error, BASE_BROKEN,
                         "the target is not deterministic: one input costs something else each "
                         "time");
    return good;
}

/* auto may use the strategies that learn from small sizes where there is a size to vary. */
static bool can_scale(const struct cli_run *run) {
    const struct target *target = run->builds[0].measuring;
    const char *const *names;
    return strcmp(run->strategy->name, "auto") == 0 &&
           target_entry_kind(target) == ABI_ENTRY_DRIVER && target_size_names(target, &names) == 1;
}

/* A filling has a fixed number of choices, and the target is only measured. */
static bool fit_strategy_to_template(struct cli_run *run, struct base_error *error) {
    if (strcmp(run->strategy->name, "auto") == 0)
        cli_template_choose(run);
    if (run->strategy->varies_size || run->strategy->needs_bytes || run->strategy->is_scaled)
        return base_fail(error, BASE_USAGE,
                         "--strategy %s does not work with --template: leave it out, or take "
                         "exhaustive, beam, climb or random",
                         run->strategy->name);
    return true;
}

static bool open_builds(struct cli_run *run, struct base_error *error) {
    run->builds = base_alloc(run->jobs * sizeof *run->builds);
    run->programs = base_alloc(run->jobs * sizeof *run->programs);
    if (!open_measuring(run, 0, error) || !find_input(run, error))
        return false;
    bool scales = run->strategy->is_scaled || can_scale(run);
    if ((scales && !cli_scale_prepare(run, error)) || !check_repeats(run, error))
        return false;
    if (run->template && !fit_strategy_to_template(run, error))
        return false;
    if (run->strategy->needs_bytes &&
        target_entry_kind(run->builds[0].measuring) == ABI_ENTRY_DRIVER)
        return base_fail(error, BASE_USAGE,
                         "--strategy %s: it is for harnesses and programs, not for --entry",
                         run->strategy->name);
    for (size_t i = 0; i < run->jobs; i++) {
        if ((i && !open_measuring(run, i, error)) ||
            (run->strategy->is_symbolic && !run->template && !open_symbolic(run, i, error)))
            return false;
        if (run->strategy->may_trace && !run->builds[i].symbolic) {
            run->builds[i].open = open_later;
            run->builds[i].self = run;
        }
        run->programs[i] = search_programs_of(&run->builds[i]);
        if (run->template)
            cli_template_enter(run, i);
    }
    if (run->options.scale)
        cli_scale_start(run);
    return !run->template || cli_template_measure(run, error);
}

/* ---- resuming ---- */

static void add_words(struct base_buffer *key, const char *name, char *const *words, size_t count) {
    base_buffer_print(key, "%s", name);
    for (size_t i = 0; i < count; i++)
        base_buffer_print(key, " '%s'", words[i]);
    base_buffer_print(key, "\n");
}

/* Everything that makes the search another one, the program's shape included. */
static char *make_key(const struct cli_run *run) {
    const struct ir_facts *facts = run->options.facts;
    struct base_buffer key = {0};
    struct base_hash hash;
    char shape[33];
    base_hash_init(&hash);
    base_hash_add(&hash, facts->blocks, facts->block_count * sizeof *facts->blocks);
    base_hash_add(&hash, facts->successors, facts->successor_count * sizeof *facts->successors);
    base_hash_done(&hash, shape);
    const char *entry = run->description.options.entry;
    base_buffer_print(&key, "%s\n%s %s %s %llu %llu %u %u %u\n", shape, entry ? entry : "",
                      run->strategy->name, run->measure_text, (unsigned long long)run->input_size,
                      (unsigned long long)run->options.seed, run->options.max_path,
                      run->options.loop_bound, run->options.max_values);
    const struct cli_target *target = &run->description;
    add_words(&key, "paths", target->paths.data, target->paths.count);
    add_words(&key, "args", target->args.data, target->args.count);
    add_words(&key, "sizes", run->values->sizes.data, run->values->sizes.count);
    add_words(&key, "ranges", run->values->ranges.data, run->values->ranges.count);
    base_buffer_print(&key, "template %s\n", cli_template_key(run));
    return key.data;
}

static bool resume(struct cli_run *run, struct base_error *error) {
    char *state;
    size_t size;
    struct base_error reason;
    if (!suite_load_state(run->out, run->key, &state, &size, error))
        return false;
    bool good = search_load(run->search, state, size, &reason);
    free(state);
    return good || base_fail(error, BASE_USAGE, "--resume: the state in '%s' cannot be used: %s",
                             run->out, reason.message);
}

/* ---- the command ---- */

/* Patterns grow beyond the size that is enough for a search byte by byte. */
static size_t choose_grow_size(const struct cli_run *run) {
    if (run->description.input_bytes >= 0)
        return (size_t)run->description.input_bytes;
    bool is_given = run->values->given[CLI_MAX_SIZE] || run->input_size > GROW_SIZE;
    return is_given ? run->input_size : GROW_SIZE;
}

static double waited(const struct cli_run *run) {
    double sum = 0;
    for (size_t i = 0; i < run->jobs; i++) {
        sum += target_waited(run->builds[i].measuring);
        sum += run->builds[i].symbolic ? target_waited(run->builds[i].symbolic) : 0;
    }
    return sum;
}

static bool search_now(struct cli_run *run, struct base_error *error) {
    const struct search_builds *builds = &run->builds[0];
    run->options.facts = target_facts(builds->symbolic ? builds->symbolic : builds->measuring);
    run->options.run_seconds = run->description.options.limits.seconds;
    run->options.grow_size = choose_grow_size(run);
    run->options.input_size = run->input_size;
    run->options.sizes_vary =
        !run->template && target_entry_kind(run->builds[0].measuring) != ABI_ENTRY_DRIVER;
    run->key = make_key(run);
    run->search = search_new(run->strategy, &run->options, run->programs, run->jobs);
    if (run->values->given[CLI_RESUME] && !resume(run, error))
        return false;
    struct cli_progress progress;
    cli_progress_begin(&progress, run->search, run->values->given[CLI_QUIET] != NULL, run->out,
                       run->key);
    double before = waited(run), began = base_seconds();
    bool good = search_run(run->search, error);
    run->target_seconds = waited(run) - before;
    run->session_seconds = base_seconds() - began;
    cli_progress_end(&progress);
    search_statistics(run->search, &run->statistics);
    return good;
}

static void run_done(struct cli_run *run) {
    if (run->search)
        search_free(run->search);
    for (size_t i = 0; run->builds && i < run->jobs; i++) {
        if (run->builds[i].measuring)
            target_close(run->builds[i].measuring);
        if (run->builds[i].symbolic)
            target_close(run->builds[i].symbolic);
    }
    cli_template_free(run);
    free(run->builds);
    free(run->programs);
    measure_done(&run->measure);
    measure_weights_done(&run->weights);
    base_vector_done(&run->fields);
    base_vector_done(&run->ranges);
    cli_inputs_done(&run->seed_files);
    cli_inputs_done(&run->dictionary);
    free(run->seeds);
    free(run->words);
    free(run->key);
    free(run->out);
    cli_target_done(&run->description);
}

int cli_run(const struct cli_values *values, struct base_error *error) {
    struct cli_run run = {.values = values, .opening = PTHREAD_MUTEX_INITIALIZER};
    bool good = read_options(&run, error) && open_builds(&run, error) && search_now(&run, error) &&
                cli_run_finish(&run, error);
    run_done(&run);
    return good ? BASE_OK : (int)error->code;
}
