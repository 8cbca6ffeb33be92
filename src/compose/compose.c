/* SPDX-License-Identifier: Apache-2.0
 *
 * Which paths are joined to a test? For the first stage the one that makes the whole pipeline
 * costliest, for each further one the heaviest that reads as many bytes as the stage before it
 * writes; a summary of that size is made if there is none. No path is used twice as long as there
 * are others, so that the tests differ. A stage that is run for each line takes part once for each
 * line. What a stage is not followed for (it reads nothing, its output is not known) is only run.
 */
#include "compose/compose.h"

#include "compose/explore.h"
#include "compose/library.h"
#include "compose/spread.h"
#include "compose/unify.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPLORING 0.6 /* of the time is for summaries */
#define POLISHING 0.2 /* ... and for following the whole in the end */
#define LEAST_SECONDS 0.3
#define MOST_BYTES (1 << 17) /* that a stage may read to be summarised */
#define SMALL 48             /* a size that larger ones begin from ... */
#define GROWN 256            /* ... from here on */
#define MOST_LINES 64

struct summary_of {
    size_t stage;
    struct compose_summary summary;
};

struct composing {
    const struct compose_request *request;
    struct compose_outcome *outcome;
    const struct target_pipeline *pipeline;
    struct target *target; /* the whole */
    struct measure measure;
    struct compose_settings settings;
    struct compose_program programs[TARGET_MOST_STAGES];
    struct search_sites sites[TARGET_MOST_STAGES];
    BASE_VECTOR(struct summary_of *) summaries;
    double began, end, share; /* seconds for one summary */
};

static void note(struct composing *self, const char *format, ...) BASE_PRINTF(2, 3);
static void note(struct composing *self, const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    base_strings_add(&self->outcome->log, text);
    base_detail("%s", text);
}

static bool is_over(const struct composing *self) {
    return base_seconds() > self->end || (self->request->is_over && self->request->is_over());
}

/* ---- summaries ---- */

static const char *name_of(const struct composing *self, size_t stage) {
    return self->pipeline->stages.data[stage].text;
}

static void note_made(struct composing *self, const struct compose_summary *summary) {
    self->outcome->made++;
    if (self->request->library && summary->paths.count)
        compose_library_keep(self->request->library, summary);
}

/* In the library, or made now. False: the stage cannot be summarised. */
static struct compose_summary *find_summary(struct composing *self, size_t stage, uint64_t bytes);

static bool make_summary(struct composing *self, size_t stage, uint64_t bytes,
                         struct compose_summary *summary) {
    const char *library = self->request->library;
    struct base_error error;
    char key[33];
    compose_name(&self->programs[stage], &self->settings, bytes, key);
    if (library && compose_library_find(library, key, summary)) {
        self->outcome->found++;
        return true;
    }
    const struct compose_summary *small = bytes >= GROWN ? find_summary(self, stage, SMALL) : NULL;
    double left = self->end - base_seconds();
    double seconds = left < self->share ? left : self->share;
    *summary = (struct compose_summary){0};
    if (is_over(self) || !compose_explore(&self->programs[stage], &self->settings, bytes, small,
                                          fmax(seconds, LEAST_SECONDS), summary, &error)) {
        if (!is_over(self))
            note(self, "stage %zu (%s) has no summary: %s", stage + 1, name_of(self, stage),
                 error.message);
        return false;
    }
    self->end += summary->build_seconds;
    self->began += summary->build_seconds;
    self->outcome->summary_seconds += summary->seconds;
    note_made(self, summary);
    return true;
}

static struct compose_summary *known_summary(const struct composing *self, size_t stage,
                                             uint64_t bytes) {
    for (size_t i = 0; i < self->summaries.count; i++) {
        struct summary_of *known = self->summaries.data[i];
        if (known->stage == stage && known->summary.bytes == bytes)
            return &known->summary;
    }
    return NULL;
}

static struct compose_summary *add_summary(struct composing *self, struct summary_of *fresh) {
    const struct compose_summary *summary = &fresh->summary;
    base_push(&self->summaries, fresh);
    note(self, "stage %zu (%s), %" PRIu64 " bytes: %zu paths%s, the heaviest %.15g",
         fresh->stage + 1, name_of(self, fresh->stage), summary->bytes, summary->paths.count,
         summary->is_found ? " (from the library)" : "",
         summary->paths.count ? summary->paths.data[0].weight : 0);
    return &fresh->summary;
}

static struct compose_summary *find_summary(struct composing *self, size_t stage, uint64_t bytes) {
    struct compose_summary *known = known_summary(self, stage, bytes);
    if (known)
        return known;
    struct summary_of *fresh = base_alloc(sizeof *fresh);
    fresh->stage = stage;
    if (make_summary(self, stage, bytes, &fresh->summary))
        return add_summary(self, fresh);
    free(fresh);
    return NULL;
}

/* ---- by several ranks: what will probably be wanted, before it is ---- */

struct wishes {
    struct compose_wish *data;
    size_t count, capacity;
};

static bool is_over_for(void *context) {
    return is_over(context);
}

static struct compose_spreading spreading_of(struct composing *self) {
    return (struct compose_spreading){.cluster = self->request->cluster,
                                      .programs = self->programs,
                                      .stages = self->pipeline->stages.count,
                                      .settings = &self->settings,
                                      .is_over = is_over_for,
                                      .context = self};
}

/* One for each rank at most, so that a row of them takes as long as one does. */
static void wish(struct composing *self, struct wishes *wishes, size_t stage, uint64_t bytes) {
    const char *library = self->request->library;
    struct summary_of *fresh = base_alloc(sizeof *fresh);
    char key[33];
    fresh->stage = stage;
    compose_name(&self->programs[stage], &self->settings, bytes, key);
    bool is_known = !bytes || bytes > MOST_BYTES || known_summary(self, stage, bytes) ||
                    wishes->count == cluster_size(self->request->cluster);
    for (size_t i = 0; i < wishes->count; i++)
        is_known |= wishes->data[i].stage == stage && wishes->data[i].bytes == bytes;
    if (!is_known && library && compose_library_find(library, key, &fresh->summary)) {
        self->outcome->found++;
        add_summary(self, fresh);
        return;
    }
    free(fresh);
    if (!is_known)
        base_push(wishes, ((struct compose_wish){.stage = stage, .bytes = bytes}));
}

static void grant(struct composing *self, struct wishes *wishes) {
    const struct compose_spreading spreading = spreading_of(self);
    double began = base_seconds(), left = self->end - began, building = 0;
    for (size_t i = 0; i < wishes->count; i++) {
        struct compose_wish *one = &wishes->data[i];
        one->seconds = fmax(left < self->share ? left : self->share, LEAST_SECONDS);
        one->small = one->bytes >= GROWN ? known_summary(self, one->stage, SMALL) : NULL;
    }
    if (wishes->count && !is_over(self))
        compose_spread(&spreading, wishes->data, wishes->count);
    for (size_t i = 0; i < wishes->count; i++) {
        struct compose_wish *one = &wishes->data[i];
        struct summary_of *fresh = one->is_made ? base_alloc(sizeof *fresh) : NULL;
        if (!fresh)
            continue;
        *fresh = (struct summary_of){one->stage, one->summary};
        building = fmax(building, one->summary.build_seconds);
        note_made(self, &fresh->summary);
        add_summary(self, fresh);
    }
    self->end += building; /* builds are not searching */
    self->began += building;
    self->outcome->summary_seconds += base_seconds() - began - building;
    base_vector_done(wishes);
}

/* What the paths of the stage before it write is what a stage reads. */
static void wish_behind(struct composing *self, struct wishes *wishes, size_t stage) {
    const struct target_stage *what = &self->pipeline->stages.data[stage];
    if (what->from == TARGET_FIRST)
        wish(self, wishes, stage, self->request->bytes);
    for (size_t i = 0; i < self->summaries.count && !what->is_per_line; i++) {
        struct summary_of *before = self->summaries.data[i];
        for (size_t k = 0; before->stage == what->from && k < before->summary.paths.count; k++)
            wish(self, wishes, stage, before->summary.paths.data[k].output_bytes);
    }
}

/* First all stages at the size of the input, since many write about as much as they read; where
 * that is large, at the size that larger ones begin from. Then by what is written. */
static void look_ahead(struct composing *self) {
    struct wishes wishes = {0};
    uint64_t first = self->request->bytes < GROWN ? self->request->bytes : SMALL;
    if (!self->request->cluster)
        return;
    for (size_t stage = 0; stage < self->pipeline->stages.count; stage++)
        if (!self->pipeline->stages.data[stage].is_per_line)
            wish(self, &wishes, stage, first);
    grant(self, &wishes);
    wish(self, &wishes, 0, self->request->bytes);
    grant(self, &wishes);
    for (size_t stage = 1; stage < self->pipeline->stages.count && !is_over(self); stage++) {
        wish_behind(self, &wishes, stage);
        grant(self, &wishes);
    }
}

/* The heaviest that no test has used, else the heaviest; NULL: there is none. */
static struct compose_path *choose_path(struct compose_summary *summary) {
    for (size_t i = 0; summary && i < summary->paths.count; i++)
        if (!summary->paths.data[i].is_used)
            return &summary->paths.data[i];
    return summary && summary->paths.count ? &summary->paths.data[0] : NULL;
}

/* ---- running the whole ---- */

static bool measure_whole(struct composing *self, const uint8_t *input, size_t size, double *cost,
                          struct base_error *error) {
    struct target_input one = {input, size};
    struct abi_result result;
    if (!target_run(self->target, &one, 1, &result, error))
        return false;
    bool is_good = result.status == ABI_STATUS_OK && !result.rejected;
    *cost = is_good ? measure_value(&self->measure, self->target, &result) : NAN;
    return true;
}

static struct compose_test new_test(const uint8_t *input, size_t size, double cost) {
    struct compose_test test = {.input = base_alloc(size + 1), .size = size, .cost = cost};
    memcpy(test.input, input, size);
    return test;
}

/* ---- one test ---- */

static bool add_instance(struct composing *self, struct compose_unity *unity, size_t stage,
                         const uint32_t *bytes, size_t count) {
    struct compose_summary *summary =
        count && count <= MOST_BYTES ? find_summary(self, stage, count) : NULL;
    struct compose_path *path = choose_path(summary);
    struct compose_channel channel = {bytes, count};
    if (!path || !compose_unity_add(unity, &self->sites[stage], stage, path, &channel))
        return false;
    path->is_used = true;
    return true;
}

static bool add_lines(struct composing *self, struct compose_unity *unity, size_t stage) {
    const struct target_stage *what = &self->pipeline->stages.data[stage];
    struct compose_lines lines = {0};
    bool good = what->hole && compose_unity_lines(unity, stage, what, MOST_LINES, &lines);
    for (size_t i = 0; good && i < lines.count; i++)
        good = add_instance(self, unity, stage, lines.bytes.data + lines.starts.data[i],
                            lines.starts.data[i + 1] - lines.starts.data[i]);
    base_vector_done(&lines.bytes);
    base_vector_done(&lines.starts);
    return good && lines.count;
}

/* Is the stage part of the unified set? */
static bool add_stage(struct composing *self, struct compose_unity *unity, size_t stage) {
    const struct target_stage *what = &self->pipeline->stages.data[stage];
    if (what->from == TARGET_FIRST)
        return add_instance(self, unity, stage, NULL, self->request->bytes);
    if (!compose_unity_has(unity, what->from))
        return false;
    if (what->is_per_line)
        return add_lines(self, unity, stage);
    const uint32_t *bytes;
    size_t count = compose_unity_output(unity, what->from, &bytes);
    return add_instance(self, unity, stage, bytes, count);
}

static void log_step(struct composing *self, const struct compose_relaxing *relaxing,
                     const struct compose_step *step) {
    const struct compose_conjunct *conjunct = &relaxing->conjuncts[step->conjunct];
    size_t stage = conjunct->path;
    struct base_buffer text = {0};
    expr_print_all(relaxing->pool, &conjunct->condition, 1, NULL, NULL, 200, &text);
    if (step->core)
        note(
            self,
            "  drop from stage %zu (%s): conjunct %u, %s: one of %zu in a core, costs %.6g; weight "
            "%.1f%% -> %.1f%%",
            stage + 1, name_of(self, stage), conjunct->number + 1, text.data, step->core,
            conjunct->loss, step->before, step->behind);
    else
        note(self, "  drop from stage %zu (%s): conjunct %u: no input of the pipeline meets it",
             stage + 1, name_of(self, stage), conjunct->number + 1);
    base_buffer_done(&text);
}

static bool solve_unity(struct composing *self, struct compose_unity *unity, enum compose_rule rule,
                        struct compose_test *test, struct base_error *error) {
    struct solver *solver = solver_new(&self->request->options->solver);
    struct compose_relaxing relaxing;
    solver_set_deadline(solver, self->end);
    compose_unity_relaxing(unity, solver, test->input, test->size, &relaxing);
    relaxing.rule = rule;
    bool good = compose_relax(&relaxing);
    test->aim = compose_unity_weight(unity);
    test->conjuncts = relaxing.count;
    test->dropped = relaxing.steps.count;
    for (size_t i = 0; i < relaxing.steps.count; i++)
        log_step(self, &relaxing, &relaxing.steps.data[i]);
    if (!good)
        note(self, "  the solver's time was up");
    compose_relaxing_done(&relaxing);
    solver_free(solver);
    return measure_whole(self, test->input, test->size, &test->cost, error);
}

/* By either rule, and the costlier result stays. */
static bool solve_both(struct composing *self, struct compose_unity *unity,
                       struct compose_test *test, struct base_error *error) {
    static const char *const names[] = {
        [COMPOSE_BALANCED] = "from the lightest stage", [COMPOSE_UPSTREAM] = "from the last stage"};
    struct compose_test best = new_test(test->input, test->size, NAN);
    bool good = true;
    for (int rule = COMPOSE_BALANCED; good && rule <= COMPOSE_UPSTREAM; rule++) {
        struct compose_test next = new_test(test->input, test->size, NAN);
        good = solve_unity(self, unity, (enum compose_rule)rule, &next, error);
        note(self, "  %s: %zu of %zu conjuncts dropped; the pipeline costs %.15g",
             names[next.conjuncts > COMPOSE_MANY ? COMPOSE_UPSTREAM : rule], next.dropped,
             next.conjuncts, next.cost);
        bool is_better = good && (isnan(best.cost) || next.cost > best.cost);
        free(is_better ? best.input : next.input);
        if (is_better)
            best = next;
        if (!next.dropped || next.conjuncts > COMPOSE_MANY)
            break; /* the other rule would drop none either, or the same */
    }
    free(test->input);
    *test = best;
    return good;
}

/* Joins paths of all stages to a test, beginning with FIRST of the first one. */
static bool compose_one(struct composing *self, struct compose_path *first,
                        struct base_error *error) {
    struct compose_unity *unity = compose_unity_new(self->pipeline->stages.count);
    struct compose_channel channel = {NULL, self->request->bytes};
    struct compose_test test = new_test(first->input, self->request->bytes, NAN);
    bool good = true;
    first->is_used = true;
    if (compose_unity_add(unity, &self->sites[0], 0, first, &channel)) {
        size_t joined = 1;
        for (size_t i = 1; i < self->pipeline->stages.count; i++)
            joined += add_stage(self, unity, i);
        note(self, "test %zu: %zu of %zu stages joined, %.15g by their summaries",
             self->outcome->tests.count + 1, joined, self->pipeline->stages.count,
             compose_unity_weight(unity));
        good = solve_both(self, unity, &test, error);
    }
    if (good && !isnan(test.cost))
        base_push(&self->outcome->tests, test);
    else
        free(test.input);
    compose_unity_free(unity);
    return good;
}

/* ---- all tests ---- */

/* What the worst inputs of single stages cost as inputs of the whole. */
static bool feed_alone(struct composing *self, struct base_error *error) {
    for (size_t i = 0; i < self->summaries.count; i++) {
        const struct compose_summary *summary = &self->summaries.data[i]->summary;
        double cost;
        if (!summary->paths.count)
            continue;
        const uint8_t *input = summary->paths.data[0].input;
        if (!measure_whole(self, input, summary->bytes, &cost, error))
            return false;
        if (!isnan(cost))
            base_push(&self->outcome->alone, new_test(input, summary->bytes, cost));
    }
    return true;
}

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
        if (!measure_whole(self, first->paths.data[i].input, first->bytes, &ranked[i].cost,
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
            const struct summary_of *known = self->summaries.data[i];
            if (known->stage == stage && known->summary.paths.count)
                most = fmax(most, known->summary.paths.data[0].weight);
        }
        self->outcome->bound += most;
    }
}

/* ---- polishing ---- */

static bool can_polish(const struct composing *self) {
    for (size_t i = 0; i < self->pipeline->stages.count; i++)
        if (self->pipeline->stages.data[i].is_per_line)
            return false;
    return self->outcome->tests.count > 0 && self->pipeline->stages.count > 1;
}

/* What was composed, and worst inputs of single stages, cut where they are longer. */
static size_t list_starts(const struct composing *self, const uint8_t **inputs) {
    size_t count = 0;
    for (size_t i = 0; i < self->outcome->tests.count; i++)
        inputs[count++] = self->outcome->tests.data[i].input;
    for (size_t i = 0; i < self->outcome->alone.count; i++)
        if (self->outcome->alone.data[i].size >= self->request->bytes)
            inputs[count++] = self->outcome->alone.data[i].input;
    return count;
}

static void take_polished(struct composing *self, const struct compose_found *found, double best) {
    for (size_t i = 0; i < found->count; i++) {
        struct compose_test test = {.input = found->data[i].input,
                                    .size = self->request->bytes,
                                    .cost = found->data[i].cost,
                                    .is_polished = true};
        if (test.cost > best)
            base_push(&self->outcome->tests, test);
        else
            free(test.input);
    }
}

/* What relaxing has taken away can be mended where the pipeline itself is followed: decisions of
 * all stages are changed one at a time, and each change keeps the paths of the stages before it. */
static bool polish(struct composing *self, struct base_error *error) {
    struct compose_outcome *outcome = self->outcome;
    double began = base_seconds(), best = 0;
    double left = fmin(self->end - began, 2 * POLISHING * self->request->seconds);
    bool was_stopped = self->request->is_over && self->request->is_over();
    if (was_stopped || !can_polish(self) || left < LEAST_SECONDS)
        return true;
    for (size_t i = 0; i < outcome->tests.count; i++)
        best = fmax(best, outcome->tests.data[i].cost);
    struct compose_program whole = {.target = self->request->target,
                                    .command = self->pipeline->text,
                                    .key = target_key(self->target),
                                    .facts = target_facts(self->target)};
    const uint8_t **inputs =
        base_alloc((outcome->tests.count + outcome->alone.count) * sizeof *inputs);
    size_t count = list_starts(self, inputs);
    struct compose_found found = {.most = self->request->tests};
    found.data = base_alloc(found.most * sizeof *found.data);
    bool good = compose_polish(&whole, &self->settings, self->request->bytes, inputs, count, left,
                               &found, error);
    if (good && found.count)
        note(self, "followed through all stages: the pipeline costs %.15g, before %.15g",
             found.data[0].cost, best);
    take_polished(self, &found, best);
    outcome->polish_seconds = base_seconds() - began - found.build_seconds;
    self->began += found.build_seconds;
    free(inputs);
    free(found.data);
    return good;
}

static int costliest_first(const void *a, const void *b) {
    const struct compose_test *x = a, *y = b;
    return x->cost != y->cost ? (x->cost > y->cost ? -1 : 1) : 0;
}

static double mean_cost(const struct compose_outcome *outcome) {
    double sum = 0;
    for (size_t i = 0; i < outcome->tests.count; i++)
        sum += outcome->tests.data[i].cost;
    return outcome->tests.count ? sum / (double)outcome->tests.count : 0;
}

static bool compose_all(struct composing *self, struct base_error *error) {
    struct compose_outcome *outcome = self->outcome;
    look_ahead(self);
    struct compose_summary *first = find_summary(self, 0, self->request->bytes);
    if (!first || !first->paths.count) {
        note(self, "stage 1 (%s) has no path whose output is known: nothing can be composed",
             name_of(self, 0));
        return true;
    }
    struct ranked *ranked = rank(self, first, error);
    bool good = ranked != NULL;
    for (size_t i = 0; good && i < self->request->tests && !is_over(self); i++)
        good = compose_one(self, ranked[i % first->paths.count].path, error);
    free(ranked);
    good = good && feed_alone(self, error);
    outcome->mean = mean_cost(outcome);
    self->end += POLISHING * self->request->seconds;
    good = good && polish(self, error);
    add_bound(self);
    if (outcome->tests.count)
        qsort(outcome->tests.data, outcome->tests.count, sizeof *outcome->tests.data,
              costliest_first);
    return good;
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

static void composing_done(struct composing *self) {
    for (size_t i = 0; i < self->summaries.count; i++) {
        compose_summary_done(&self->summaries.data[i]->summary);
        free(self->summaries.data[i]);
    }
    base_vector_done(&self->summaries);
    for (size_t i = 0; self->target && i < self->pipeline->stages.count; i++)
        search_sites_done(&self->sites[i]);
    measure_done(&self->measure);
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
                               .began = base_seconds()};
    self->target = target_open(&request->target, error);
    if (!self->target ||
        !measure_parse(request->measure, target_facts(self->target), &self->measure, error))
        return false;
    measure_apply(&self->measure, request->weights, self->target);
    describe_stages(self);
    self->began = base_seconds(); /* builds are not searching */
    self->end = self->began + request->seconds * (1 - POLISHING);
    self->share = request->seconds * EXPLORING / (double)(2 * self->pipeline->stages.count);
    return true;
}

bool compose_run(const struct compose_request *request, struct compose_outcome *outcome,
                 struct base_error *error) {
    struct composing self;
    *outcome = (struct compose_outcome){0};
    bool good = composing_init(&self, request, outcome, error) && compose_all(&self, error);
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
    struct compose_spreading spreading = spreading_of(&self);
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
