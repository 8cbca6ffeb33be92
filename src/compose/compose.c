/* SPDX-License-Identifier: Apache-2.0
 *
 * Which tests are composed? Each begins with a path of the first stage, in the order of what their
 * inputs make the whole pipeline cost. No path is used twice as long as there are others, so that
 * the tests differ. Builds come first: from then on one clock runs, and what was found when it ends
 * is kept.
 */
#include "compose/composing.h"
#include "compose/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPLORING 0.6 /* of the time is for summaries */

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

const char *composing_name(const struct composing *self, size_t stage) {
    return self->pipeline->stages.data[stage].text;
}

/* From here on nothing goes on for longer than SECONDS. */
static void set_end(struct composing *self, double seconds) {
    self->settings.end = self->began + seconds;
    if (self->request->until)
        self->request->until(self->settings.end);
}

/* ---- in which order ---- */

struct ranked {
    struct compose_path *path;
    double cost;
};

static int by_cost(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    return x->cost != y->cost ? (x->cost > y->cost ? -1 : 1)
                              : (x->path > y->path) - (x->path < y->path);
}

/* Every second one is the next of those that write the most: what is cheap as it is may become the
 * costliest by what the stages behind it make of it. */
static void alternate(struct ranked *ranked, size_t count) {
    for (size_t i = 0; i < count; i += 2) {
        size_t best = i;
        for (size_t k = i + 1; k < count; k++)
            if (ranked[k].path->output_bytes > ranked[best].path->output_bytes)
                best = k;
        struct ranked moved = ranked[best];
        memmove(&ranked[i + 1], &ranked[i], (best - i) * sizeof moved);
        ranked[i] = moved;
    }
}

/* The paths of the first stage, by what their inputs make the whole pipeline cost. */
static struct ranked *rank(struct composing *self, struct compose_summary *first,
                           struct base_error *error) {
    struct ranked *ranked = base_alloc((first->paths.count + 1) * sizeof *ranked);
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
        self->outcome->bound += most;
    }
}

static double mean_cost(const struct compose_outcome *outcome) {
    double sum = 0;
    for (size_t i = 0; i < outcome->tests.count; i++)
        sum += outcome->tests.data[i].cost;
    return outcome->tests.count ? sum / (double)outcome->tests.count : 0;
}

/* False with BASE_STOPPED: the time was up, which is no reason to stop. */
static bool is_ended(bool good, const struct base_error *error) {
    return !good && error->code != BASE_STOPPED;
}

/* Can all that read from the first stage go on from that path? */
static bool is_readable(const struct composing *self, const struct compose_path *path) {
    for (size_t i = 1; i < self->pipeline->stages.count; i++) {
        const struct target_stage *stage = &self->pipeline->stages.data[i];
        if (stage->from == 0 && !stage->is_per_line &&
            !composing_can_read(self, i, path->output_bytes))
            return false;
    }
    return path->output_bytes || self->pipeline->stages.count == 1;
}

/* Paths that cannot be read are left out, but if none can. */
static bool join_all(struct composing *self, struct compose_summary *first,
                     struct base_error *error) {
    struct ranked *ranked = rank(self, first, error);
    size_t count = first->paths.count, tried = 0;
    bool good = ranked != NULL, was_readable = false;
    self->to_join = self->request->tests;
    for (size_t i = 0; good && self->to_join && !composing_is_over(self); i++) {
        struct compose_path *path = ranked[i % count].path;
        bool can_be_read = is_readable(self, path);
        was_readable |= can_be_read;
        if (!can_be_read && (was_readable || i < count)) {
            if (++tried > count)
                break;
            continue;
        }
        tried = 0;
        good = composing_join(self, path, error);
        self->to_join--;
    }
    free(ranked);
    return good;
}

static bool compose_all(struct composing *self, struct base_error *error) {
    struct compose_outcome *outcome = self->outcome;
    composing_look_ahead(self);
    struct compose_summary *first = composing_find_summary(self, 0, self->request->bytes);
    if (!first || !first->paths.count) {
        composing_note(self,
                       "stage 1 (%s) has no path whose output is known: nothing can be composed",
                       composing_name(self, 0));
        return true;
    }
    bool good = join_all(self, first, error);
    set_end(self, self->request->seconds);
    if (is_ended(good, error))
        return false;
    outcome->mean = mean_cost(outcome);
    add_bound(self);
    return composing_feed_alone(self, error) && composing_polish(self, error);
}

/* ---- beginning and end ---- */

static void describe_stages(struct composing *self) {
    for (size_t i = 0; i < self->pipeline->stages.count; i++) {
        const struct target_stage *stage = &self->pipeline->stages.data[i];
        struct compose_program *program = &self->programs[i];
        program->target = self->request->target;
        program->target.pipeline = NULL;
        program->target.paths = &self->request->target.paths[i];
        program->target.path_count = 1;
        program->target.args = (const char *const *)stage->words.data + 1;
        program->target.arg_count = stage->words.count - 1;
        program->target.arg_index = (uint32_t)stage->hole;
        program->command = stage->text;
        program->key = target_key(target_stage(self->target, i));
        program->facts = target_facts(target_stage(self->target, i));
        search_sites_init(&self->sites[i], program->facts);
    }
}

/* What cannot be built is told when it is wanted. */
static void build_ahead(struct composing *self) {
    struct base_error error;
    for (size_t i = 0; i < self->pipeline->stages.count; i++) {
        struct target_options options = self->programs[i].target;
        options.kind = INSTRUMENT_SYMBOLIC;
        struct target *built = target_open(&options, &error);
        if (built)
            target_close(built);
    }
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
    if (self->target)
        target_close(self->target);
}

/* The whole, opened and measured; SELF can be done either way. */
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
    build_ahead(self);
    outcome->build_seconds = base_seconds() - self->began;
    self->began = base_seconds(); /* builds are not searching */
    set_end(self, request->seconds * (1 - COMPOSING_POLISHING));
    self->share = request->seconds * EXPLORING / (double)(2 * self->pipeline->stages.count);
    return true;
}

bool compose_run(const struct compose_request *request, struct compose_outcome *outcome,
                 struct base_error *error) {
    struct composing self;
    *outcome = (struct compose_outcome){0};
    bool good = composing_init(&self, request, outcome, error) && compose_all(&self, error);
    if (!good && error->code == BASE_STOPPED)
        good = true; /* the time was up */
    composing_sort(outcome->tests.data, outcome->tests.count);
    if (good)
        outcome->compose_seconds =
            base_seconds() - self.began - outcome->summary_seconds - outcome->polish_seconds;
    if (request->cluster)
        compose_spread_end(&(struct compose_spreading){.cluster = request->cluster});
    composing_done(&self);
    return good;
}

/* Rank 0 says when it is over: it waits for nobody who cannot open the pipeline. */
bool compose_help(const struct compose_request *request, struct base_error *error) {
    struct compose_outcome outcome = {0};
    struct composing self;
    bool good = composing_init(&self, request, &outcome, error);
    struct compose_spreading spreading = composing_spread(&self);
    spreading.stages = good ? spreading.stages : 0; /* then nothing can be made here */
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
    *outcome = (struct compose_outcome){0};
}
