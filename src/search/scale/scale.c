/* SPDX-License-Identifier: Apache-2.0
 *
 * scale: the worst case at a size that is far too large to explore. The program does not run at
 * that size until the input is made: first by a formula for the input itself, then by one for the
 * conditions of its path, and if both fail by a policy for its branches.
 */
#include "search/scale/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GENERATED 6  /* sizes whose costs are taken from generated inputs, if necessary */
#define FAR_STEP 4   /* factor between sizes at which the formula is checked ... */
#define FAR_COST 3e7 /* ... while a run costs at most this much */
#define RESIDUES 12  /* sizes that differ by this share all residue classes tried */

static void tell_generator(struct scale_scaling *scaling, const struct scale_generator *generator) {
    const struct scale_table *table = &scaling->training.sizes.data[0].table;
    base_strings_done(&scaling->model->generators);
    for (size_t i = 0; i < generator->fields.count; i++) {
        const struct scale_column *column = &table->columns.data[i];
        struct base_buffer text = {0};
        measure_sequence_print(&generator->fields.data[i], column->name, scaling->name,
                               column->is_array, column->is_char, &text);
        base_strings_add(&scaling->model->generators, text.data);
        base_buffer_done(&text);
    }
}

/* Too few sizes were explored for a curve. The costs of generated inputs of the next sizes stand in
 * for their worst costs; the user is told, because worse inputs may exist there. */
static bool fit_generated(struct scale_scaling *scaling, const struct scale_generator *generator,
                          struct base_error *error) {
    struct measure_point points[MEASURE_POINTS];
    size_t count = scale_trained_points(scaling, points);
    int64_t last = points[count - 1].size;
    for (int64_t size = last + 1; count < MEASURE_POINTS && size <= last + GENERATED; size++) {
        struct abi_result result;
        size_t bytes;
        double cost = NAN;
        uint8_t *input = scale_generate(scaling->search, generator, size, &bytes);
        bool good = !input || scale_measure(scaling->search, input, bytes, &cost, &result, error);
        free(input);
        if (!good)
            return false;
        if (!isnan(cost))
            points[count++] = (struct measure_point){size, cost};
    }
    if (!scale_fit(scaling, points, count))
        return true;
    for (size_t i = scaling->training.sizes.count; i < count; i++)
        scale_add_row(scaling, points[i].size, points[i].cost, "not explored: made by the formula");
    search_note(scaling->model,
                "sizes above %" PRId64 " were not explored: there the curve goes through the "
                "costs of the inputs below, and worse ones may exist",
                last);
    return true;
}

/* If the wanted size cannot be run, the formula must hold up to the largest sizes that run quickly.
 */
static bool check_far(struct scale_scaling *scaling, struct scale_generator *generator,
                      struct base_error *error) {
    const struct scale_training *training = &scaling->training;
    int64_t wanted = scaling->size;
    int64_t size = training->sizes.data[training->sizes.count - 1].size;
    bool agrees = scaling->has_curve && !generator->missed;
    if (!agrees || !scale_is_out_of_reach(scaling, measure_curve_at(&scaling->curve, wanted)))
        return true;
    while (agrees && size < wanted / FAR_STEP) {
        size *= FAR_STEP;
        size += (wanted - size) % RESIDUES; /* halves look different at odd sizes */
        double predicted = measure_curve_at(&scaling->curve, size);
        if (predicted > FAR_COST)
            break;
        if (!scale_generator_costs(scaling->search, generator, size, predicted, &agrees, error))
            return false;
    }
    if (agrees && generator->confirmed.count)
        search_note(scaling->model,
                    "input extrapolation: measured and confirmed at sizes up to %" PRId64,
                    generator->confirmed.data[generator->confirmed.count - 1]);
    return true;
}

/* For a formula that fits every trained size but not larger ones: small and large inputs behave
 * differently. */
static void tell_missed(struct scale_scaling *scaling, const struct scale_generator *generator) {
    search_note(scaling->model,
                "input extrapolation: its input of size %" PRId64 " costs %.15g where the curve "
                "says %.15g: larger sizes behave in another way than those explored",
                generator->missed, generator->missed_cost,
                measure_curve_at(&scaling->curve, generator->missed));
}

static bool use_generator(struct scale_scaling *scaling, struct scale_generator *generator,
                          struct base_error *error) {
    if (!check_far(scaling, generator, error))
        return false;
    if (generator->missed) {
        scaling->is_refuted = true;
        tell_missed(scaling, generator);
    }
    size_t bytes;
    uint8_t *input = scale_generate(scaling->search, generator, scaling->size, &bytes);
    tell_generator(scaling, generator);
    bool good = true;
    if (input)
        good = scale_verify(scaling, input, bytes, "input extrapolation", error);
    else
        search_note(scaling->model, "input extrapolation: its values do not fit at size %" PRId64,
                    scaling->size);
    free(input);
    return good;
}

static bool propose_input(struct scale_scaling *scaling, struct base_error *error) {
    struct scale_generator generator = {0};
    const struct measure_curve *curve = scaling->has_curve ? &scaling->curve : NULL;
    if (!curve && scaling->is_patient)
        return true;
    bool found, good = scale_extrapolate(&scaling->training, scaling->size, curve, &generator,
                                         &found, error);
    if (good && found && !curve)
        good = fit_generated(scaling, &generator, error);
    if (good && found)
        good = use_generator(scaling, &generator, error);
    else if (good)
        search_note(scaling->model,
                    "input extrapolation: no formula gives the worst inputs of sizes "
                    "up to %" PRId64,
                    scaling->training.sizes.data[scaling->training.sizes.count - 1].size);
    scale_generator_done(&generator);
    return good;
}

static const struct {
    const char *name;
    scale_propose *propose;
} all_methods[] = {{"input", propose_input},
                   {"conditions", scale_propose_conditions},
                   {"policy", scale_propose_policy}};

static bool run(struct search *search, struct base_error *error) {
    scale_propose *methods[BASE_COUNT(all_methods)];
    const char *only = search->options.scale.method;
    size_t count = 0;
    for (size_t i = 0; i < BASE_COUNT(all_methods); i++)
        if (!only || strcmp(only, all_methods[i].name) == 0)
            methods[count++] = all_methods[i].propose;
    if (!count)
        return base_fail(
            error, BASE_USAGE,
            "--method %s: there is no such method (there are input, conditions, policy)", only);
    return scale_scaling_run(search, methods, count, error);
}

const struct search_strategy search_strategy_scale = {
    .name = "scale",
    .summary = "large worst cases from a formula that fits all worst cases of small sizes",
    .is_symbolic = true,
    .is_scaled = true,
    .run = run,
    .serve = scale_serve,
    .joins = true,
    .done = scale_done};
