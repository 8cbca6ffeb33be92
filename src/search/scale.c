/* SPDX-License-Identifier: Apache-2.0
 *
 * scale: the worst case at a size that is far too large to explore.
 *
 * Small sizes are explored completely, one after the other. As soon as a curve goes through their
 * worst costs, inputs of the wanted size are proposed, by each way in turn; the measuring build
 * says what they cost, and only an input that costs exactly what the curve predicts ends the
 * search. As long as none does, further sizes are learned from while there is time. A miss is told
 * with both numbers, and the best input that was measured is handed over as what it is.
 */
#include "search/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRAINING_SHARE 0.6  /* of the time */
#define DEFAULT_SECONDS 60  /* when there is no limit */
#define FIRST_ATTEMPT 5     /* sizes that are trained before the first proposal if that is cheap */
#define RUNS_PER_SECOND 3e8 /* instructions of the measuring build, a low guess */
#define MOST_POINTS 64
#define GENERATED 6 /* sizes whose costs are taken from made inputs, if they must be */

struct state {
    struct search *search;
    const struct search_scale *scale;
    struct search_model *model;
    struct search_training training;
    struct measure_curve curve;
    bool has_curve, is_verified;
    double began, budget;
};

/* ---- what is told ---- */

static void add_row(struct state *state, int64_t size, double measured, const char *how) {
    double predicted = state->has_curve && size >= state->curve.first
                           ? measure_curve_at(&state->curve, size)
                           : NAN;
    base_push(&state->model->rows, (struct search_row){size, measured, predicted, how});
}

static void tell_curve(struct state *state) {
    struct base_buffer text = {0};
    measure_curve_print(&state->curve, state->scale->name, &text);
    free(state->model->cost);
    state->model->cost = base_strdup(text.data);
    text.count = 0;
    measure_curve_class(&state->curve, state->scale->name, &text);
    free(state->model->growth);
    state->model->growth = base_strdup(text.data);
    base_buffer_done(&text);
}

static void tell_generator(struct state *state, const struct search_generator *generator) {
    const struct search_table *table = &state->training.sizes.data[0].table;
    base_strings_done(&state->model->generators);
    for (size_t i = 0; i < generator->fields.count; i++) {
        const struct search_column *column = &table->columns.data[i];
        struct base_buffer text = {0};
        search_sequence_print(&generator->fields.data[i], column->name, state->scale->name,
                              column->is_array, column->is_char, &text);
        base_strings_add(&state->model->generators, text.data);
        base_buffer_done(&text);
    }
}

static void tell_training(struct state *state) {
    struct search_model *model = state->model;
    model->trained.count = model->rows.count = 0;
    for (size_t i = 0; i < state->training.sizes.count; i++) {
        const struct search_trained *trained = &state->training.sizes.data[i];
        base_push(&model->trained, trained->size);
        add_row(state, trained->size, trained->worst, "trained");
    }
}

static size_t trained_points(const struct state *state, struct measure_point *points) {
    size_t count = 0;
    for (size_t i = 0; i < state->training.sizes.count && count < MOST_POINTS; i++)
        points[count++] = (struct measure_point){state->training.sizes.data[i].size,
                                                 state->training.sizes.data[i].worst};
    return count;
}

/* ---- proposals ---- */

/* A run would take longer than it may: the curve has the last word. */
static bool is_out_of_reach(const struct state *state, double predicted) {
    return predicted > state->scale->run_seconds * RUNS_PER_SECOND;
}

static void offer(struct state *state, const uint8_t *input, double cost,
                  const struct abi_result *result, bool unmeasured) {
    struct search *search = state->search;
    struct search_test test = {.input = (uint8_t *)input,
                               .cost = cost,
                               .path = {result->counts_hash, 1},
                               .result = *result,
                               .is_unmeasured = unmeasured};
    if (state->has_curve) {
        test.predicted = measure_curve_at(&state->curve, state->scale->size);
        test.is_predicted = !isnan(test.predicted);
    }
    pthread_mutex_lock(&search->lock);
    search_found(search, &test);
    pthread_mutex_unlock(&search->lock);
}

/* Measures an input of the wanted size and compares. */
static bool judge(struct state *state, const uint8_t *input, size_t bytes, const char *how,
                  struct base_error *error) {
    double predicted = state->has_curve ? measure_curve_at(&state->curve, state->scale->size) : NAN;
    double cost;
    struct abi_result result = {.status = ABI_STATUS_OK};
    if (is_out_of_reach(state, predicted)) {
        search_note(state->model,
                    "%s: a run of size %" PRId64 " would take too long; its cost is the curve's",
                    how, state->scale->size);
        offer(state, input, predicted, &result, true);
        state->is_verified = true;
        add_row(state, state->scale->size, NAN, how);
        return true;
    }
    if (!search_measure(state->search, input, bytes, &cost, &result, error))
        return false;
    if (isnan(cost)) {
        search_note(state->model, "%s: the run of size %" PRId64 " did not come to a good end", how,
                    state->scale->size);
        return true;
    }
    offer(state, input, cost, &result, false);
    state->is_verified = cost == predicted;
    add_row(state, state->scale->size, cost, how);
    if (!state->is_verified && state->has_curve)
        search_note(state->model, "%s: a miss at size %" PRId64 ": measured %.15g, predicted %.15g",
                    how, state->scale->size, cost, predicted);
    return true;
}

/* Too few sizes could be explored for a curve. The costs of the inputs that the formula makes for
 * the next sizes stand in for their worst costs: said to the user, because nobody has looked
 * whether something worse exists there. */
static bool fit_generated(struct state *state, const struct search_generator *generator,
                          struct base_error *error) {
    struct measure_point points[MOST_POINTS];
    size_t count = trained_points(state, points);
    int64_t last = points[count - 1].size;
    for (int64_t size = last + 1; count < MOST_POINTS && size <= last + GENERATED; size++) {
        struct abi_result result;
        size_t bytes;
        double cost = NAN;
        uint8_t *input = search_generate(state->search, generator, size, &bytes);
        bool good = !input || search_measure(state->search, input, bytes, &cost, &result, error);
        free(input);
        if (!good)
            return false;
        if (!isnan(cost))
            points[count++] = (struct measure_point){size, cost};
    }
    state->has_curve = measure_curve_fit(points, count, &state->curve);
    if (!state->has_curve)
        return true;
    tell_curve(state);
    tell_training(state);
    for (size_t i = state->training.sizes.count; i < count; i++)
        add_row(state, points[i].size, points[i].cost, "not explored: made by the formula");
    search_note(state->model,
                "sizes above %" PRId64 " could not be explored: there the curve goes through the "
                "costs of the inputs below, and worse ones may exist",
                last);
    return true;
}

static bool propose_input(struct state *state, struct base_error *error) {
    struct search_generator generator = {0};
    const struct measure_curve *curve = state->has_curve ? &state->curve : NULL;
    bool found, good = search_extrapolate(&state->training, curve, &generator, &found, error);
    if (good && found && !curve)
        good = fit_generated(state, &generator, error);
    if (good && found) {
        size_t bytes;
        uint8_t *input = search_generate(state->search, &generator, state->scale->size, &bytes);
        tell_generator(state, &generator);
        if (input)
            good = judge(state, input, bytes, "input extrapolation", error);
        else
            search_note(state->model, "input extrapolation: its values do not fit at size %" PRId64,
                        state->scale->size);
        free(input);
    } else if (good)
        search_note(state->model,
                    "input extrapolation: no formula gives the worst inputs of sizes "
                    "up to %" PRId64,
                    state->training.sizes.data[state->training.sizes.count - 1].size);
    search_generator_done(&generator);
    return good;
}

/* ---- the curve ---- */

static void fit(struct state *state) {
    struct measure_point points[MOST_POINTS];
    size_t count = trained_points(state, points);
    state->has_curve = measure_curve_fit(points, count, &state->curve);
    if (state->has_curve)
        tell_curve(state);
}

static bool attempt(struct state *state, struct base_error *error) {
    state->search->model->notes.count = 0;
    fit(state);
    tell_training(state);
    if (!state->has_curve)
        search_note(state->model, "no formula goes through the costs of the trained sizes alone");
    return propose_input(state, error);
}

/* ---- the whole ---- */

static double left(const struct state *state) {
    return state->began + state->budget - base_seconds();
}

/* Would the next size end in time, if it is as much harder as the last one was? */
static bool is_affordable(const struct state *state) {
    size_t count = state->training.sizes.count;
    if (count < 2)
        return left(state) > 0;
    double last = state->training.sizes.data[count - 1].seconds;
    double before = state->training.sizes.data[count - 2].seconds;
    double growth = before > 0.001 ? last / before : 2;
    return last * (growth < 2 ? 2 : growth) < left(state);
}

static bool learn(struct state *state, struct base_error *error) {
    int64_t first = state->scale->first ? state->scale->first : 1;
    int64_t last = state->scale->last ? state->scale->last : state->scale->size;
    for (int64_t size = first; size <= last && !state->is_verified; size++) {
        bool complete;
        if (!search_train(&state->training, size, left(state), &complete, error))
            return false;
        if (search_must_stop(state->search))
            break;
        size_t count = state->training.sizes.count;
        bool is_last = size == last || !is_affordable(state);
        if (!complete && count) {
            search_note(state->model, "size %" PRId64 " was not explored completely", size);
            is_last = true;
        }
        if (count >= 3 && (is_last || (count >= FIRST_ATTEMPT && !state->scale->last)) &&
            !attempt(state, error))
            return false;
        if (is_last)
            break;
    }
    return true;
}

/* Nothing was proposed: plain inputs, so that there is something to hand over. */
static bool propose_plain(struct state *state, struct base_error *error) {
    size_t bytes = state->search->options.input_size;
    uint8_t *input = base_alloc(bytes + 1);
    bool good = judge(state, input, bytes, "zeros", error);
    free(input);
    return good;
}

static bool run(struct search *search, struct base_error *error) {
    double seconds = search->options.seconds > 0 ? search->options.seconds : DEFAULT_SECONDS;
    search->model = base_alloc(sizeof *search->model);
    struct state state = {.search = search,
                          .scale = search->options.scale,
                          .model = search->model,
                          .training = {.search = search},
                          .began = base_seconds(),
                          .budget = seconds * TRAINING_SHARE};
    state.model->name = state.scale->name;
    bool good = learn(&state, error);
    if (good && !search->archive.count)
        good = propose_plain(&state, error);
    search_training_done(&state.training);
    return good;
}

const struct search_strategy search_strategy_scale = {
    .name = "scale",
    .summary = "large worst cases from a formula that fits all worst cases of small sizes",
    .is_symbolic = true,
    .is_scaled = true,
    .run = run};
