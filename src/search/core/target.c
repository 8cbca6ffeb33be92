/* SPDX-License-Identifier: Apache-2.0
 *
 * A target as something to search: its builds for every worker, and its policy. Its input is left
 * to input.c, and whether its runs are repeatable to tries.c.
 *
 * The measuring build comes first, because it answers all questions about the input. The symbolic
 * build is made at once if the strategy needs it; otherwise the first worker that traces a run
 * makes it while the others go on. For a large program that takes long: it is built in the
 * background, and the search traces no runs until it is ready.
 */
#include "search/core/core.h"
#include "search/core/opened.h"
#include "target/pipeline.h"

#include <stdlib.h>
#include <string.h>

#define FOLLOWED_BYTES 65536 /* of a pipeline's input, symbolic in parts ... */
#define SHORT_BYTES 512      /* ... and as a whole */
#define LARGE_PROGRAM 2000   /* blocks: its symbolic build takes seconds */

/* ---- the builds as programs ---- */

static bool open_symbolic(struct opened *self, size_t worker, struct base_error *error) {
    struct target_options options = self->options;
    options.kind = INSTRUMENT_SYMBOLIC;
    struct target *target = target_open(&options, error);
    self->builds[worker].symbolic = target;
    if (target && (!worker || !target_was_cached(target)))
        self->target.build_seconds += target_build_seconds(target);
    return target != NULL;
}

/* Called while the search runs, by the worker that owns the build. */
static bool is_open(struct build *build, struct base_error *error) {
    struct opened *self = build->owner;
    if (build->symbolic)
        return true;
    pthread_mutex_lock(&self->opening);
    bool good = (!self->aside || search_builder_wait(self->aside, error)) &&
                open_symbolic(self, (size_t)(build - self->builds), error);
    if (good && self->target.subject.sizes && opened_has_entry(self))
        target_vary_size(build->symbolic, self->varying);
    pthread_mutex_unlock(&self->opening);
    return good;
}

static bool run_traced(void *self, const struct target_input *inputs, size_t count,
                       target_visit *visit, void *context, struct base_error *error) {
    struct build *build = self;
    return is_open(build, error) &&
           target_run_traced(build->symbolic, inputs, count, visit, context, error);
}

static bool can_trace(void *self) {
    const struct build *build = self;
    const struct search_builder *aside = build->owner->aside;
    return build->symbolic || !aside || search_builder_is_over(aside);
}

static bool find_loss(void *self, uint32_t number, struct abi_loss *loss) {
    const struct build *build = self;
    return build->symbolic && target_loss(build->symbolic, number, loss);
}

static double price_of(const struct measure *measure, const char *name) {
    double price = 0;
    for (size_t i = 0; i < measure->term_count; i++)
        if (measure->terms[i].kind == MEASURE_BY_USER &&
            strcmp(measure->terms[i].name + strlen("count:"), name) == 0)
            price += measure->terms[i].factor;
    return price;
}

/* Each build numbers the counters in the order in which its runs reach them. */
static bool find_counter(void *self, uint32_t number, struct search_counter *counter) {
    const struct build *build = self;
    char name[ABI_NAME_SIZE];
    if (!build->symbolic || !target_counter_name(build->symbolic, number, counter->name))
        return false;
    counter->price = price_of(&build->owner->target.measure, counter->name);
    counter->measured = UINT32_MAX;
    for (uint32_t i = 0; target_counter_name(build->measuring, i, name); i++)
        if (strcmp(name, counter->name) == 0)
            counter->measured = i;
    return true;
}

/* Estimates the time of each run of a batch from its instructions, where the target has not
 * measured it. */
static void share_time(struct abi_result *results, size_t count, double seconds) {
    double all = 1;
    for (size_t i = 0; i < count; i++)
        all += (double)results[i].weighted[MEASURE_INSTRUCTIONS];
    for (size_t i = 0; i < count; i++)
        if (!results[i].wall_ns)
            results[i].wall_ns =
                (uint64_t)(seconds * 1e9 * (double)results[i].weighted[MEASURE_INSTRUCTIONS] / all);
}

static bool run_measured(void *self, const struct target_input *inputs, size_t count,
                         struct abi_result *results, double *costs, struct base_error *error) {
    const struct build *build = self;
    double began = base_seconds();
    if (!target_run(build->measuring, inputs, count, results, error))
        return false;
    share_time(results, count, base_seconds() - began);
    for (size_t i = 0; i < count; i++)
        costs[i] = measure_value(&build->owner->target.measure, build->measuring, &results[i]);
    return true;
}

/* If the build cannot be opened, the next trace reports it. */
static void aim(void *self, const struct target_aim *aim) {
    struct build *build = self;
    struct base_error error;
    if (is_open(build, &error))
        target_set_aim(build->symbolic, aim);
}

static void force(void *self, const struct target_force *force) {
    struct build *build = self;
    struct base_error error;
    if (is_open(build, &error))
        target_set_force(build->symbolic, force);
}

static uint64_t *records(void *self, size_t *count) {
    const struct build *build = self;
    return target_set_records(build->measuring, count);
}

static bool count_blocks(void *self, const struct target_input *input, struct abi_result *result,
                         double *cost, const uint64_t **counts, struct base_error *error) {
    const struct build *build = self;
    *counts = target_run_counted(build->measuring, input, result, error);
    *cost = *counts ? measure_value(&build->owner->target.measure, build->measuring, result) : 0;
    return *counts != NULL;
}

static void limit(void *self, double seconds) {
    const struct build *build = self;
    target_limit_run(build->measuring, seconds);
}

static struct search_program program_of(struct build *build, bool traces) {
    return (struct search_program){.self = build,
                                   .measure = run_measured,
                                   .records = records,
                                   .count = count_blocks,
                                   .limit = limit,
                                   .trace = traces ? run_traced : NULL,
                                   .can_trace = can_trace,
                                   .loss = find_loss,
                                   .counter = find_counter,
                                   .aim = traces ? aim : NULL,
                                   .force = traces ? force : NULL};
}

/* ---- the policy ---- */

static double limit_value(void *self, size_t limit, const struct abi_result *result) {
    const struct opened *opened = self;
    return measure_value(&opened->policy.limits.data[limit].measure, opened->target.measuring,
                         result);
}

/* There is only one place to count calls of one function or runs of one block, so the measure and a
 * limit share it. */
static bool share_chosen(struct opened *self, struct search_limit *limit,
                         struct base_error *error) {
    struct measure *main = &self->target.measure;
    if (!limit->measure.chosen || strcmp(main->text, limit->text) == 0)
        return true;
    if (main->chosen)
        return base_fail(error, BASE_USAGE,
                         "--policy %s: only one of calls:FUNCTION and block:FILE:LINE can be "
                         "counted at a time, and the measure is %s",
                         limit->text, main->text);
    main->chosen = limit->measure.chosen;
    limit->measure.chosen = NULL;
    return true;
}

static bool open_policy(struct opened *self, struct base_error *error) {
    const struct ir_facts *facts = target_facts(self->target.measuring);
    if (!self->request->policy)
        return true;
    if (!search_policy_parse(self->request->policy, &self->policy, error))
        return false;
    for (size_t i = 0; i < self->policy.limits.count; i++) {
        struct search_limit *limit = &self->policy.limits.data[i];
        if (!measure_parse(limit->text, facts, &limit->measure, error) ||
            !share_chosen(self, limit, error))
            return false;
        limit->prices.is_partial = !measure_so_far(&limit->measure, limit->prices.of);
    }
    self->policy.value = limit_value;
    self->policy.self = self;
    self->target.subject.policy = &self->policy;
    return true;
}

static bool open_measuring(struct opened *self, size_t worker, struct base_error *error) {
    struct build *build = &self->builds[worker];
    struct target_options options = self->options;
    options.kind = INSTRUMENT_MEASURE;
    options.tells_loops = false;
    build->owner = self;
    build->measuring = target_open(&options, error);
    if (!build->measuring)
        return false;
    if (!worker) {
        self->target.measuring = build->measuring;
        struct search_prices *prices = &self->target.subject.prices;
        if (!measure_parse(self->request->measure, target_facts(build->measuring),
                           &self->target.measure, error))
            return false;
        prices->is_partial = !measure_so_far(&self->target.measure, prices->of);
        if (!open_policy(self, error))
            return false;
        self->target.build_seconds += target_build_seconds(build->measuring);
    }
    measure_apply(&self->target.measure, self->request->weights, build->measuring);
    return true;
}

/* ---- templates: vectors of choices in place of inputs ---- */

static bool fit_template(struct opened *self, struct base_error *error) {
    const struct target_template *form = self->request->form;
    if (self->target.strategy->is_scheduler)
        self->target.strategy = search_form_strategy(form);
    if (self->target.strategy->varies_size || self->target.strategy->needs_bytes ||
        self->target.strategy->is_scaled)
        return base_fail(error, BASE_USAGE,
                         "--strategy %s does not work with --template: leave it out, or take "
                         "exhaustive, beam, climb or random",
                         self->target.strategy->name);
    search_form_layout(form, &self->target.subject.layout);
    size_t count = search_form_starts(form);
    uint64_t random = self->request->seed + 1;
    for (size_t i = 0; i < count; i++) {
        uint8_t *vector = base_alloc(form->bytes + 1);
        search_form_start(form, i, &random, vector);
        base_push(&self->starts, (struct target_input){vector, form->bytes});
    }
    self->forms = base_alloc(self->target.subject.jobs * sizeof *self->forms);
    self->target.subject.prices.is_partial = true; /* nothing is known about a part of a text */
    return true;
}

static void enter_template(struct opened *self, size_t worker) {
    uint32_t sites = target_facts(self->target.measuring)->block_count;
    self->forms[worker] = search_form_new(self->request->form, &self->programs[worker], sites);
    self->programs[worker] = search_form_program(self->forms[worker]);
}

/* ---- putting it together ---- */

static bool find_input(struct opened *self, struct base_error *error) {
    if (self->request->form)
        return fit_template(self, error) && opened_check_repeats(self, error);
    if (!opened_find_layout(self, error) || !opened_find_sizes(self, error) ||
        !opened_find_sweep(self, error) || !opened_check_repeats(self, error))
        return false;
    if (self->target.strategy->needs_bytes && opened_has_entry(self))
        return base_fail(error, BASE_USAGE,
                         "--strategy %s: it is for harnesses and programs, not for --entry",
                         self->target.strategy->name);
    return true;
}

/* ---- for strategies that look at the code ---- */

static bool find_sizes(void *context, uint64_t bytes, int64_t *values) {
    const struct opened *self = context;
    struct base_error error;
    return target_sizes_of(self->target.measuring, bytes, values, &error);
}

static void describe_entry(struct opened *self) {
    struct search_entry *entry = &self->target.subject.entry;
    *entry = (struct search_entry){
        .form = target_entry(self->target.measuring), .sizes = find_sizes, .self = self};
    if (self->forms)
        return;
    self->prices = measure_block_prices(&self->target.measure, self->request->weights,
                                        target_facts(self->target.measuring), &entry->is_whole);
    entry->prices = self->prices;
}

/* Is tracing worth it? Every stage of a pipeline has a trace. */
static bool may_follow(const struct opened *self) {
    return self->target.strategy->may_trace &&
           (!self->options.pipeline || self->target.subject.layout.bytes <= FOLLOWED_BYTES);
}

/* Stages that run once per line cannot be traced through. */
static bool can_follow(const struct opened *self) {
    const struct target_pipeline *pipeline = self->options.pipeline;
    for (size_t i = 0; pipeline && i < pipeline->stages.count; i++)
        if (pipeline->stages.data[i].is_per_line)
            return false;
    return true;
}

static bool check_pipeline(const struct opened *self, struct base_error *error) {
    const struct search_strategy *strategy = self->target.strategy;
    if (self->options.pipeline && (strategy->is_scaled || strategy->proves_worst))
        return base_fail(error, BASE_USAGE,
                         "--strategy %s learns from one program; a pipeline is searched with auto, "
                         "random, evolve, patterns, climb, beam or exhaustive",
                         strategy->name);
    return !strategy->is_symbolic || can_follow(self) ||
           base_fail(error, BASE_USAGE,
                     "--strategy %s follows paths, and those through xargs are not followed: take "
                     "auto, random, evolve, patterns or climb",
                     strategy->name);
}

static bool open_worker(struct opened *self, size_t worker, struct base_error *error) {
    bool needs_trace = self->target.strategy->is_symbolic && !self->forms;
    if (worker && !open_measuring(self, worker, error))
        return false;
    if (needs_trace && !open_symbolic(self, worker, error))
        return false;
    self->programs[worker] =
        program_of(&self->builds[worker], can_follow(self) && (needs_trace || may_follow(self)));
    if (self->options.pipeline)
        self->programs[worker].force = NULL;
    if (self->forms)
        enter_template(self, worker);
    return true;
}

/* A template needs no symbolic build at all. */
static bool starts_early(const struct opened *self) {
    return self->request->may_start_early && !self->builds[0].symbolic && self->programs[0].trace &&
           !self->forms && target_facts(self->target.measuring)->block_count >= LARGE_PROGRAM;
}

static bool open_all(struct opened *self, struct base_error *error) {
    struct search_subject *subject = &self->target.subject;
    if (!check_pipeline(self, error))
        return false;
    self->builds = base_alloc(subject->jobs * sizeof *self->builds);
    self->programs = base_alloc(subject->jobs * sizeof *self->programs);
    if (!open_measuring(self, 0, error) || !find_input(self, error))
        return false;
    for (size_t i = 0; i < subject->jobs; i++)
        if (!open_worker(self, i, error))
            return false;
    if (starts_early(self)) {
        self->aside = search_builder_start(&self->options);
        search_builder_pause(self->aside);
    }
    if (subject->sizes)
        self->sizes.select(self, 0, self->sizes.wanted);
    const struct build *first = &self->builds[0];
    subject->facts = target_facts(first->symbolic ? first->symbolic : first->measuring);
    describe_entry(self);
    subject->sizes_vary = !self->forms && !opened_has_entry(self) && !self->options.tree.objects;
    subject->is_long = self->options.pipeline && subject->layout.bytes > SHORT_BYTES;
    subject->programs = self->programs;
    subject->starts = self->starts.data;
    subject->start_count = self->starts.count;
    return true;
}

struct search_target *search_target_open(const struct search_request *request,
                                         struct base_error *error) {
    struct opened *self = base_alloc(sizeof *self);
    self->request = request;
    self->target.strategy = request->strategy;
    self->options = request->target;
    self->target.subject.jobs = request->jobs;
    self->target.subject.run_seconds = request->target.limits.seconds;
    self->target.subject.run_memory = request->target.limits.memory;
    pthread_mutex_init(&self->opening, NULL);
    for (size_t i = 0; i < request->ranges->count; i++)
        base_strings_add(&self->ranges, request->ranges->data[i]);
    if (open_all(self, error))
        return &self->target;
    search_target_close(&self->target);
    return NULL;
}

void search_target_close(struct search_target *target) {
    struct opened *self = (struct opened *)target;
    if (self->aside)
        search_builder_free(self->aside);
    for (size_t i = 0; self->builds && i < self->target.subject.jobs; i++) {
        if (self->builds[i].measuring)
            target_close(self->builds[i].measuring);
        if (self->builds[i].symbolic)
            target_close(self->builds[i].symbolic);
    }
    for (size_t i = 0; i < self->sweep.count; i++)
        search_layout_done(&self->sweep.layouts[i]);
    free(self->sweep.layouts);
    search_policy_done(&self->policy);
    free(self->prices);
    for (size_t i = 0; self->forms && i < self->target.subject.jobs; i++)
        if (self->forms[i])
            search_form_free(self->forms[i]);
    for (size_t i = 0; i < self->starts.count; i++)
        free((void *)self->starts.data[i].data);
    free((void *)self->tried.input.data);
    free(self->forms);
    free(self->builds);
    free(self->programs);
    measure_done(&self->target.measure);
    search_layout_done(&self->target.subject.layout);
    base_strings_done(&self->ranges);
    base_vector_done(&self->starts);
    pthread_mutex_destroy(&self->opening);
    free(self);
}

bool search_target_has_symbolic(const struct search_target *target) {
    const struct opened *self = (const struct opened *)target;
    return self->builds[0].symbolic != NULL;
}

bool search_target_aside(const struct search_target *target, struct search_aside *aside) {
    const struct opened *self = (const struct opened *)target;
    if (self->aside)
        search_builder_look(self->aside, aside);
    return self->aside != NULL;
}

double search_target_waited(const struct search_target *target) {
    const struct opened *self = (const struct opened *)target;
    double sum = 0;
    for (size_t i = 0; i < self->target.subject.jobs; i++) {
        sum += target_waited(self->builds[i].measuring);
        sum += self->builds[i].symbolic ? target_waited(self->builds[i].symbolic) : 0;
    }
    return sum;
}
