/* SPDX-License-Identifier: Apache-2.0
 *
 * What do all methods of making a large worst case share? Learning, verifying, and reporting.
 *
 * Small sizes are explored completely, one after another. As soon as a curve fits their worst
 * costs, the methods propose inputs of the wanted size in turn. The measuring build says what they
 * cost, and only an input that costs exactly what the curve predicts ends the search. Until then,
 * further sizes are learned from while there is time. A miss is reported with both numbers, and the
 * best input that was measured is kept as a test with its measured cost.
 */
#include "search/scale/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRAINING_SHARE 0.6  /* of the time */
#define DEFAULT_SECONDS 60  /* when there is no limit */
#define FIRST_ATTEMPT 5     /* sizes trained before the first proposal, if that is quick */
#define EARLY_ATTEMPT 4     /* the same if the next size is slow */
#define DEAR 0.3            /* seconds: a slow size */
#define RUNS_PER_SECOND 3e8 /* instructions of the measuring build, a low estimate */

/* ---- reporting ---- */

void scale_add_row(struct scale_scaling *scaling, int64_t size, double measured, const char *how) {
    double predicted = scaling->has_curve && size >= scaling->curve.first
                           ? measure_curve_at(&scaling->curve, size)
                           : NAN;
    base_push(&scaling->model->rows, (struct search_row){size, measured, predicted, how});
}

static void tell_curve(struct scale_scaling *scaling) {
    struct base_buffer text = {0};
    measure_curve_print(&scaling->curve, scaling->name, &text);
    free(scaling->model->cost);
    scaling->model->cost = base_strdup(text.data);
    text.count = 0;
    measure_curve_class(&scaling->curve, scaling->name, &text);
    free(scaling->model->growth);
    scaling->model->growth = base_strdup(text.data);
    base_buffer_done(&text);
}

static void tell_training(struct scale_scaling *scaling) {
    struct search_model *model = scaling->model;
    model->trained.count = model->rows.count = 0;
    for (size_t i = 0; i < scaling->training.sizes.count; i++) {
        const struct scale_trained *trained = &scaling->training.sizes.data[i];
        base_push(&model->trained, trained->size);
        scale_add_row(scaling, trained->size, trained->worst,
                      trained->how ? trained->how : "trained");
    }
}

size_t scale_trained_points(const struct scale_scaling *scaling, struct measure_point *points) {
    size_t count = 0;
    for (size_t i = 0; i < scaling->training.sizes.count && count < MEASURE_POINTS; i++)
        points[count++] = (struct measure_point){scaling->training.sizes.data[i].size,
                                                 scaling->training.sizes.data[i].worst};
    return count;
}

/* ---- proposals ---- */

bool scale_is_out_of_reach(const struct scale_scaling *scaling, double cost) {
    return cost > scaling->search->subject.run_seconds * RUNS_PER_SECOND;
}

/* For a step on the way to another size: only verified inputs are kept. */
static void keep_step(struct scale_scaling *scaling, const uint8_t *input, size_t bytes,
                      double cost) {
    free(scaling->kept);
    scaling->kept = base_alloc(bytes + 1);
    memcpy(scaling->kept, input, bytes);
    scaling->kept_bytes = bytes;
    scaling->kept_cost = cost;
}

/* All tests are of the wanted size, so the latest curve replaces the prediction of earlier ones,
 * too. */
static void renew_predictions(struct scale_scaling *scaling) {
    struct search_archive *archive = &scaling->search->archive;
    double predicted = scaling->has_curve ? measure_curve_at(&scaling->curve, scaling->size) : NAN;
    for (size_t i = 0; i < archive->count; i++) {
        archive->tests[i].predicted = predicted;
        archive->tests[i].is_predicted = !isnan(predicted);
    }
}

static void offer(struct scale_scaling *scaling, const uint8_t *input, size_t bytes, double cost,
                  const struct abi_result *result, bool unmeasured) {
    struct search *search = scaling->search;
    struct search_test test = {.input = (uint8_t *)input,
                               .size = bytes,
                               .cost = cost,
                               .path = {result->counts_hash, 1},
                               .result = *result,
                               .is_unmeasured = unmeasured};
    pthread_mutex_lock(&search->lock);
    search_found(search, &test);
    renew_predictions(scaling);
    pthread_mutex_unlock(&search->lock);
}

/* Measures an input of the wanted size and compares its cost with the curve. */
bool scale_verify(struct scale_scaling *scaling, const uint8_t *input, size_t bytes,
                  const char *how, struct base_error *error) {
    double predicted = scaling->has_curve ? measure_curve_at(&scaling->curve, scaling->size) : NAN;
    double cost;
    struct abi_result result = {.status = ABI_STATUS_OK};
    if (scale_is_out_of_reach(scaling, predicted) &&
        !scaling->is_refuted) { /* then the curve alone decides */
        if (scaling->is_step) {
            search_note(scaling->model, "%s: a run would take too long", how);
            return true;
        }
        search_note(scaling->model,
                    "%s: a run of size %" PRId64 " would take too long; its cost is the curve's",
                    how, scaling->size);
        offer(scaling, input, bytes, predicted, &result, true);
        scaling->is_verified = true;
        scale_add_row(scaling, scaling->size, NAN, how);
        return true;
    }
    if (!scale_measure(scaling->search, input, bytes, &cost, &result, error))
        return false;
    if (isnan(cost)) {
        search_note(scaling->model, "%s: the run of size %" PRId64 " failed", how, scaling->size);
        return true;
    }
    scaling->is_verified = cost == predicted;
    if (!scaling->is_step)
        offer(scaling, input, bytes, cost, &result, false);
    else if (scaling->is_verified)
        keep_step(scaling, input, bytes, cost);
    scale_add_row(scaling, scaling->size, cost, how);
    if (!scaling->is_verified && scaling->has_curve)
        search_note(scaling->model,
                    "%s: a miss at size %" PRId64 ": measured %.15g, predicted %.15g", how,
                    scaling->size, cost, predicted);
    return true;
}

/* ---- the curve ---- */

bool scale_fit(struct scale_scaling *scaling, const struct measure_point *points, size_t count) {
    scaling->has_curve = measure_curve_fit(points, count, &scaling->curve);
    if (scaling->has_curve)
        tell_curve(scaling);
    tell_training(scaling);
    return scaling->has_curve;
}

/* ---- the loop over sizes ---- */

static double left(const struct scale_scaling *scaling) {
    return scaling->began + scaling->budget - base_seconds();
}

/* Expected seconds for the next size, if the time grows by the same factor again. */
static double expect_next(const struct scale_scaling *scaling) {
    size_t count = scaling->training.sizes.count;
    if (count < 2)
        return 0;
    double last = scaling->training.sizes.data[count - 1].seconds;
    double before = scaling->training.sizes.data[count - 2].seconds;
    double growth = before > 0.001 ? last / before : 2;
    return last * (growth < 2 ? 2 : growth);
}

/* If every size has a single path, there is nothing to search for, and the user should know. */
static void tell_independence(struct scale_scaling *scaling) {
    const struct scale_training *training = &scaling->training;
    for (size_t i = 0; i < training->sizes.count; i++)
        if (training->sizes.data[i].paths != 1)
            return;
    search_note(scaling->model, "the cost does not depend on the values of the input, only on its "
                                "size: every size that was explored has a single path");
}

bool scale_attempt(struct scale_scaling *scaling, scale_propose *const *methods, size_t count,
                   bool is_last, struct base_error *error) {
    struct measure_point points[MEASURE_POINTS];
    scaling->is_refuted = false;
    scaling->is_patient = !is_last && expect_next(scaling) < DEAR;
    base_strings_done(&scaling->model->notes);
    if (!scale_fit(scaling, points, scale_trained_points(scaling, points)))
        search_note(scaling->model, "no formula goes through the costs of the trained sizes alone");
    tell_independence(scaling);
    if (scaling->training.sizes.count < FIRST_ATTEMPT && !is_last && count > 1)
        count = 1; /* learn more before the expensive methods run */
    double predicted = scaling->has_curve ? measure_curve_at(&scaling->curve, scaling->size) : NAN;
    for (size_t i = 0; i < count && !scaling->is_verified; i++) {
        if (scaling->is_refuted && scale_is_out_of_reach(scaling, predicted))
            break; /* no other input could be verified either */
        if (!search_must_stop(scaling->search) && !methods[i](scaling, error))
            return false;
    }
    return true;
}

/* Is it time to propose? Sizes that are quick to explore are learned from first. */
static bool is_ready(const struct scale_scaling *scaling, bool is_last) {
    size_t sizes = scaling->training.sizes.count;
    if (is_last || scaling->search->options.scale.last)
        return is_last && sizes >= 3;
    return sizes >= FIRST_ATTEMPT || (sizes >= EARLY_ATTEMPT && expect_next(scaling) > DEAR);
}

bool scale_learn(struct scale_scaling *scaling, scale_propose *const *methods, size_t count,
                 struct base_error *error) {
    const struct search_options *options = &scaling->search->options;
    int64_t first = options->scale.first ? options->scale.first : 1;
    int64_t last = options->scale.last ? options->scale.last : scaling->size;
    bool is_last = false;
    for (int64_t size = first; size <= last && !is_last && !scaling->is_verified; size++) {
        bool complete;
        if (!scale_train(&scaling->training, size, left(scaling), &complete, error))
            return false;
        if (search_must_stop(scaling->search))
            break;
        size_t sizes = scaling->training.sizes.count;
        is_last = size == last || (sizes && !complete) || expect_next(scaling) > left(scaling);
        if (is_ready(scaling, is_last) && !scale_attempt(scaling, methods, count, is_last, error))
            return false;
        if (sizes && !complete)
            search_note(scaling->model, "size %" PRId64 " could not be explored completely", size);
    }
    return true;
}

/* If the wanted size is so small that it was explored, its worst input is the result. */
static bool propose_explored(struct scale_scaling *scaling, struct base_error *error) {
    for (size_t i = 0; i < scaling->training.sizes.count; i++) {
        const struct scale_trained *trained = &scaling->training.sizes.data[i];
        if (trained->size == scaling->size &&
            !scale_verify(scaling, trained->inputs.data[0], trained->layout.bytes,
                          "explored completely", error))
            return false;
    }
    return true;
}

/* If nothing was proposed: plain values, so that there is a test at all. */
static bool propose_plain(struct scale_scaling *scaling, struct base_error *error) {
    struct search *search = scaling->search;
    size_t bytes = search->subject.layout.bytes;
    uint8_t *input = base_alloc(bytes + 1);
    uint64_t runs = search->counters.runs, left = search_runs_left(search), share = search->share;
    if (!left)
        search->share = runs + 1; /* it does not count, like runs that run tests again */
    search_clamp(&search->subject.layout, input, bytes);
    bool good = scale_verify(scaling, input, bytes, "plain values", error);
    if (!left)
        search->counters.runs = runs;
    search->share = share;
    free(input);
    return good;
}

bool scale_scaling_run(struct search *search, scale_propose *const *methods, size_t count,
                       struct base_error *error) {
    double seconds =
        search->options.limits.seconds > 0 ? search->options.limits.seconds : DEFAULT_SECONDS;
    search->model = base_alloc(sizeof *search->model);
    struct scale_scaling scaling = {.search = search,
                                    .name = search->subject.sizes->names[0],
                                    .size = search->subject.sizes->wanted[0],
                                    .model = search->model,
                                    .training = {.search = search},
                                    .began = base_seconds(),
                                    .budget = seconds * TRAINING_SHARE};
    scaling.model->name = scaling.name;
    bool good = search->subject.sizes->count > 1 ? scale_grow(&scaling, methods, count, error)
                                                 : scale_learn(&scaling, methods, count, error) &&
                                                       propose_explored(&scaling, error);
    if (good && !search->archive.count)
        good = propose_plain(&scaling, error);
    scale_training_done(&scaling.training);
    return good;
}
