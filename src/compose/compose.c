/* SPDX-License-Identifier: Apache-2.0
 *
 * Which tests are composed? Each starts from a path of the first stage; paths are tried in the
 * order of the whole pipeline's cost on their inputs. No path is used twice while there are unused
 * ones, so that the tests differ.
 *
 * Composing proceeds in steps, so that other strategies can search in between: the first summary,
 * one test after another, the worst inputs of single stages, and finally polishing. Only the time
 * of steps counts. Builds are made before, or in the background while other strategies run.
 */
#include "compose/composing.h"
#include "compose/spread.h"
#include "search/core/aside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPLORING 0.6     /* of the time, for summaries */
#define LEAST_SHARE 0.25  /* seconds for one summary */
#define BUILD_SECONDS 5.0 /* maximum wait for builds; then the search starts without them */
#define MOST_FORMS 2      /* of trees: each needs its own summaries of later stages */
#define PAUSE 5000000     /* nanoseconds between checks of a build */

void composing_note(struct composing *self, const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    base_strings_add(&self->outcome->log, text);
    base_detail("%.1f s: %s", base_seconds() - self->began, text);
}

bool composing_is_over(const struct composing *self) {
    return base_seconds() > self->settings.end ||
           (self->request->is_over && self->request->is_over());
}

bool composing_has_tree(const struct composing *self) {
    return self->request->whole.objects > 0;
}

const char *composing_name(const struct composing *self, size_t stage) {
    return self->pipeline->stages.data[stage].text;
}

/* Limits everything from here on: until SECONDS of all steps are used up, or until END. */
static void set_end(struct composing *self, double seconds, double end) {
    self->settings.end = fmin(base_seconds() + seconds - self->used, end);
    if (self->request->until)
        self->request->until(self->settings.end);
}

/* ---- order of paths ---- */

static int by_cost(const void *a, const void *b) {
    const struct composing_rank *x = a, *y = b;
    return x->cost != y->cost ? (x->cost > y->cost ? -1 : 1)
                              : (x->path > y->path) - (x->path < y->path);
}

/* Every second one is taken from those with the longest output: a cheap input may become the
 * costliest through what later stages do with its output. */
static void alternate(struct composing_rank *ranked, size_t count) {
    for (size_t i = 0; i < count; i += 2) {
        size_t best = i;
        for (size_t k = i + 1; k < count; k++)
            if (ranked[k].path->output_bytes > ranked[best].path->output_bytes)
                best = k;
        struct composing_rank moved = ranked[best];
        memmove(&ranked[i + 1], &ranked[i], (best - i) * sizeof moved);
        ranked[i] = moved;
    }
}

/* The paths of the first stage, ranked by the whole pipeline's cost on their inputs. */
static struct composing_rank *rank(struct composing *self, struct compose_summary *first,
                                   struct base_error *error) {
    struct composing_rank *ranked = base_alloc((first->paths.count + 1) * sizeof *ranked);
    for (size_t i = 0; i < first->paths.count; i++) {
        ranked[i].path = &first->paths.data[i];
        if (!composing_measure(self, first->paths.data[i].input, first->bytes, &ranked[i].cost,
                               error)) {
            free(ranked);
            return NULL;
        }
        ranked[i].cost = isnan(ranked[i].cost) ? -1 : ranked[i].cost;
    }
    if (first->paths.count)
        qsort(ranked, first->paths.count, sizeof *ranked, by_cost);
    alternate(ranked, first->paths.count);
    return ranked;
}

static void add_bound(struct composing *self) {
    for (size_t stage = 0; stage < self->pipeline->stages.count; stage++) {
        double most = 0;
        for (size_t i = 0; i < self->summaries.count; i++) {
            const struct composing_summary *known = self->summaries.data[i];
            if (known->stage == stage && known->summary.paths.count)
                most = fmax(most, known->summary.paths.data[0].weight);
        }
        self->outcome->bound += fmax(most, self->files[stage].heaviest);
    }
}

static double mean_cost(const struct compose_outcome *outcome) {
    double sum = 0;
    for (size_t i = 0; i < outcome->tests.count; i++)
        sum += outcome->tests.data[i].cost;
    return outcome->tests.count ? sum / (double)outcome->tests.count : 0;
}

/* Can all stages that read from the first one process the output of that path? */
static bool is_readable(const struct composing *self, const struct compose_path *path) {
    if (composing_has_tree(self))
        return path->output_bytes > 0;
    for (size_t i = 1; i < self->pipeline->stages.count; i++) {
        const struct target_stage *stage = &self->pipeline->stages.data[i];
        if (stage->from == 0 && !stage->is_per_line && !self->files[i].reads &&
            !composing_can_read(self, i, path->output_bytes))
            return false;
    }
    return path->output_bytes || self->pipeline->stages.count == 1;
}

/* ---- steps ---- */

static bool begin(struct composing *self, struct base_error *error) {
    composing_look_ahead(self);
    for (size_t i = 1; i < self->pipeline->stages.count; i++)
        self->files[i].reads = composing_reads_files(self, i);
    struct compose_summary *first = composing_find_summary(self, 0, self->request->bytes);
    if (first && first->paths.count) {
        self->ranked = rank(self, first, error);
        self->rank_count = first->paths.count;
        if (composing_has_tree(self) && self->rank_count > MOST_FORMS)
            self->rank_count = MOST_FORMS;
        self->to_join = self->request->tests;
        self->phase = COMPOSING_JOINS;
        return self->ranked != NULL;
    }
    composing_note(self, "stage 1 (%s) has no path whose output is known: nothing can be composed",
                   composing_name(self, 0));
    self->phase = COMPOSING_IS_OVER;
    return true;
}

/* The next path of the first stage; paths with unreadable output are skipped, unless all are
 * unreadable. NULL: there is none. */
static struct compose_path *next_path(struct composing *self) {
    for (size_t tried = 0; tried <= self->rank_count; tried++) {
        size_t number = self->next_rank++;
        struct compose_path *path = self->ranked[number % self->rank_count].path;
        bool can_be_read = is_readable(self, path);
        self->was_readable |= can_be_read;
        if (can_be_read || (!self->was_readable && number >= self->rank_count))
            return path;
    }
    return NULL;
}

static void list_left_out(struct composing *self) {
    for (size_t i = 0; i < self->pipeline->stages.count; i++) {
        if (self->is_joined[i] || !self->reason[i])
            continue;
        char *text = base_format("stage %zu (%s) took no part: %s", i + 1, composing_name(self, i),
                                 self->reason[i]);
        base_strings_add(&self->outcome->left_out, text);
        composing_note(self, "%s", text);
        free(text);
    }
}

/* All tests have been joined: completes the outcome. */
static void sum_up(struct composing *self) {
    list_left_out(self);
    self->outcome->mean = mean_cost(self->outcome);
    add_bound(self);
}

static bool join_next(struct composing *self, struct base_error *error) {
    bool is_over = !self->to_join || composing_is_over(self);
    struct compose_path *path = is_over ? NULL : next_path(self);
    if (!path) {
        self->phase = COMPOSING_FEEDS;
        sum_up(self);
        return true;
    }
    bool good = composing_join(self, path, error);
    self->to_join--;
    return good;
}

static bool feed(struct composing *self, struct base_error *error) {
    self->phase = COMPOSING_POLISHES;
    return composing_feed_alone(self, error);
}

static bool polish(struct composing *self, struct base_error *error) {
    self->phase = COMPOSING_IS_OVER;
    return composing_polish(self, error);
}

static bool take_step(struct composing *self, struct base_error *error) {
    switch (self->phase) {
    case COMPOSING_BEGINS:
        return begin(self, error);
    case COMPOSING_JOINS:
        return join_next(self, error);
    case COMPOSING_FEEDS:
        return feed(self, error);
    case COMPOSING_POLISHES:
        return polish(self, error);
    case COMPOSING_IS_OVER:
        break;
    }
    return true;
}

/* The other ranks have been waiting for summaries to make. */
static void release_ranks(const struct composing *self) {
    if (self->request->cluster)
        compose_spread_end(&(struct compose_spreading){.cluster = self->request->cluster});
}

bool compose_step(struct composing *self, double turn, double end, struct base_error *error) {
    double began = base_seconds(), seconds = self->request->seconds;
    bool is_late = self->phase > COMPOSING_JOINS;
    set_end(self, is_late ? seconds : seconds * (1 - COMPOSING_POLISHING),
            is_late ? fmin(turn, end) : end);
    bool good = take_step(self, error);
    if (!good && error->code == BASE_STOPPED)
        good = true; /* the time was up, which is not a failure */
    self->used += base_seconds() - began;
    if (compose_is_over(self))
        release_ranks(self);
    return good;
}

bool compose_is_over(const struct composing *self) {
    return self->phase == COMPOSING_IS_OVER;
}

const struct compose_outcome *compose_outcome_of(const struct composing *self) {
    return self->outcome;
}

const struct compose_request *compose_request_of(const struct composing *self) {
    return self->request;
}

/* ---- opening and closing ---- */

/* With files, the first stage is opened as a pipeline of its own, since the tree is its whole
 * input. The others are explored without files; those that use files are not explored at all. */
static void give_files(struct composing *self) {
    if (!composing_has_tree(self))
        return;
    base_push(&self->first.stages, self->pipeline->stages.data[0]);
    self->first.text = self->pipeline->stages.data[0].text;
    self->programs[0].target.pipeline = &self->first;
    self->programs[0].target.tree = self->request->target.tree;
}

static void describe_stages(struct composing *self) {
    for (size_t i = 0; i < self->pipeline->stages.count; i++) {
        const struct target_stage *stage = &self->pipeline->stages.data[i];
        struct compose_program *program = &self->programs[i];
        program->target = self->request->target;
        program->target.pipeline = NULL;
        program->target.tree = (struct abi_tree){0};
        program->target.paths = &self->request->target.paths[i];
        program->target.path_count = 1;
        program->target.args = (const char *const *)stage->words.data + 1;
        program->target.arg_count = stage->words.count - 1;
        program->target.arg_index = (uint32_t)stage->hole;
        program->command = stage->text;
        program->is_line = stage->is_per_line;
        program->key = target_key(target_stage(self->target, i));
        program->facts = target_facts(target_stage(self->target, i));
        search_sites_init(&self->sites[i], program->facts);
        if (stage->from != TARGET_FIRST)
            self->programs[stage->from].is_read = true;
    }
    give_files(self);
}

static void wait_a_moment(void) {
    struct timespec moment = {.tv_nsec = PAUSE};
    nanosleep(&moment, NULL);
}

/* Builds that fail are reported when they are needed. Large programs are built in the background.
 */
static void build_ahead(struct composing *self) {
    double began = base_seconds();
    self->builder = search_builder_start(&self->request->target);
    while (!search_builder_is_over(self->builder) &&
           !(self->request->is_over && self->request->is_over()) &&
           (!self->request->may_wait || base_seconds() - began < BUILD_SECONDS))
        wait_a_moment();
}

bool compose_is_ready(const struct composing *self) {
    return self->builder && search_builder_is_over(self->builder);
}

void compose_leave(struct composing *self) {
    if (!self->builder || search_builder_is_over(self->builder))
        return;
    search_builder_free(self->builder);
    self->builder = NULL;
}

static void composing_done(struct composing *self) {
    for (size_t i = 0; i < self->summaries.count; i++) {
        compose_summary_done(&self->summaries.data[i]->summary);
        free(self->summaries.data[i]);
    }
    base_vector_done(&self->summaries);
    for (size_t i = 0; self->target && i < self->pipeline->stages.count; i++)
        search_sites_done(&self->sites[i]);
    measure_done(&self->measure);
    solver_free(self->solver);
    if (self->builder)
        search_builder_free(self->builder);
    if (self->target)
        target_close(self->target);
    for (size_t i = 0; i < self->known.count; i++)
        free(self->known.data[i].input);
    base_vector_done(&self->known);
    composing_files_done(self);
    base_vector_done(&self->first.stages);
    free(self->ranked);
}

/* Opens and measures the pipeline; on failure, too, SELF can be passed to composing_done. */
static bool composing_init(struct composing *self, const struct compose_request *request,
                           struct compose_outcome *outcome, struct base_error *error) {
    *self = (struct composing){.request = request,
                               .outcome = outcome,
                               .pipeline = request->target.pipeline,
                               .settings = {.measure = request->measure,
                                            .weights = request->weights,
                                            .weights_text = request->weights_text,
                                            .search = request->options,
                                            .jobs = request->jobs},
                               .solver = solver_new(&request->options->solver),
                               .began = base_seconds()};
    self->target = target_open(&request->target, error);
    if (!self->target ||
        !measure_parse(request->measure, target_facts(self->target), &self->measure, error))
        return false;
    measure_apply(&self->measure, request->weights, self->target);
    describe_stages(self);
    compose_learn(self, NULL, 0);
    build_ahead(self);
    outcome->build_seconds = base_seconds() - self->began;
    self->began = base_seconds(); /* the time of builds does not count */
    set_end(self, request->seconds * (1 - COMPOSING_POLISHING), HUGE_VAL);
    self->share = fmax(request->seconds * EXPLORING / (double)(2 * self->pipeline->stages.count),
                       LEAST_SHARE);
    return true;
}

struct composing *compose_open(const struct compose_request *request,
                               struct compose_outcome *outcome, struct base_error *error) {
    struct composing *self = base_alloc(sizeof *self);
    *outcome = (struct compose_outcome){0};
    if (composing_init(self, request, outcome, error))
        return self;
    release_ranks(self);
    composing_done(self);
    free(self);
    return NULL;
}

static const char *why_nothing(const struct composing *self) {
    if (self->builder && !compose_is_ready(self))
        return "the search was over before the symbolic builds were made";
    return self->used > 0 ? "the search was over before the first stage was explored"
                          : "no stage is held back, and the time is short: the other strategies "
                            "had all of it";
}

void compose_close(struct composing *self) {
    struct compose_outcome *outcome = self->outcome;
    if (self->phase == COMPOSING_BEGINS)
        composing_note(self, "%s", why_nothing(self));
    if (self->phase == COMPOSING_JOINS)
        sum_up(self); /* the search ended before that */
    composing_sort(outcome->tests.data, outcome->tests.count);
    outcome->compose_seconds =
        fmax(self->used - outcome->summary_seconds - outcome->polish_seconds, 0);
    composing_done(self);
    free(self);
}

/* Rank 0 decides when it is over; it does not wait for ranks that cannot open the pipeline. */
bool compose_help(const struct compose_request *request, struct base_error *error) {
    struct compose_outcome outcome = {0};
    struct composing self;
    bool good = composing_init(&self, request, &outcome, error);
    struct compose_spreading spreading = composing_spread(&self);
    spreading.stages = good ? spreading.stages : 0; /* with no stages it serves nothing */
    compose_serve(&spreading);
    composing_done(&self);
    return good;
}

void compose_outcome_done(struct compose_outcome *outcome) {
    for (size_t i = 0; i < outcome->tests.count; i++)
        free(outcome->tests.data[i].input);
    for (size_t i = 0; i < outcome->alone.count; i++)
        free(outcome->alone.data[i].input);
    base_vector_done(&outcome->tests);
    base_vector_done(&outcome->alone);
    base_strings_done(&outcome->log);
    base_strings_done(&outcome->left_out);
    *outcome = (struct compose_outcome){0};
}
