/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the worst path require of its input, at any size?
 *
 * Every condition of a worst path is filed by its place (site and direction) and its form, the
 * expression without its leaves. The leaves (which input, which constant) of all conditions with
 * the same place and form are a sequence of vectors, which nest.c describes by a few parameters;
 * these follow curves over the sizes. At the wanted size the sequences are expanded and filled into
 * the forms, and the solver makes an input from the result, without running the program. The inputs
 * made in this way for the largest trained sizes must cost the worst there.
 *
 * Path-condition extrapolation of "XSTRESSOR: Automatic Generation of Large-Scale Worst-Case Test
 * Inputs by Inferring Path Conditions", with conditions grouped by program point and form instead
 * of by form alone.
 */
#include "search/scale/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LEAVES (MEASURE_NEST_WIDTH - MEASURE_NEST_DEPTH - 1) /* of one condition */
#define MOST_CONDITIONS ((size_t)4 << 20)                         /* of a path, as expressions */
#define MOST_RUNS ((size_t)4 << 20) /* of a path, as runs of orders; these may have any length */
#define TIED 16

struct place {
    uint32_t site, kind;
    uint64_t direction;
};

struct group { /* conditions with the same place and form */
    struct place place;
    struct expr_skeleton form;
    BASE_VECTOR(int64_t) values;            /* of the size being read */
    BASE_VECTOR(struct measure_nest) nests; /* by size */
    BASE_VECTOR(int64_t) sizes;
};

struct synthesis {
    struct scale_scaling *scaling;
    struct scale_follower follower;
    BASE_VECTOR(struct group) groups;
    const char *reason; /* why it failed */
};

/* ---- reading paths ---- */

static struct group *group_of(struct synthesis *synthesis, const struct place *place,
                              const struct expr_skeleton *form) {
    for (size_t i = 0; i < synthesis->groups.count; i++) {
        struct group *group = &synthesis->groups.data[i];
        if (group->place.site == place->site && group->place.kind == place->kind &&
            group->place.direction == place->direction &&
            memcmp(&group->form, form, sizeof *form) == 0)
            return group;
    }
    base_push(&synthesis->groups, (struct group){.place = *place});
    struct group *group = &synthesis->groups.data[synthesis->groups.count - 1];
    memcpy(&group->form, form, sizeof *form);
    return group;
}

static bool add_condition(struct synthesis *synthesis, const struct search_step *step) {
    struct expr_skeleton form;
    int64_t leaves[MEASURE_NEST_WIDTH];
    const struct expr_pool *pool = synthesis->follower.walk.trace.pool;
    uint32_t condition = search_condition(&synthesis->follower.walk, step);
    if (!condition)
        return true;
    struct place place = {step->site, step->kind, step->kind == SEARCH_BRANCH ? step->outcome : 0};
    if (!expr_skeleton_read(pool, condition, MOST_LEAVES, &form, leaves)) {
        synthesis->reason = "a condition grows with the path";
        return false;
    }
    struct group *group = group_of(synthesis, &place, &form);
    for (uint32_t i = 0; i < form.leaves; i++)
        base_push(&group->values, leaves[i]);
    return true;
}

/* Reads the worst path of one size: infers a nest for every group that occurs on it. */
static bool read_size(struct synthesis *synthesis, const struct scale_trained *trained, size_t tied,
                      bool *good, struct base_error *error) {
    const uint8_t *input = trained->inputs.data[tied % trained->inputs.count];
    if (!scale_follow(&synthesis->follower, input, trained->layout.bytes, error))
        return false;
    *good = synthesis->follower.has_trace;
    struct search_step step;
    while (*good && search_walk_next(&synthesis->follower.walk, &step) &&
           step.kind != SEARCH_REFUSAL)
        *good = add_condition(synthesis, &step);
    for (size_t i = 0; *good && i < synthesis->groups.count; i++) {
        struct group *group = &synthesis->groups.data[i];
        struct measure_nest nest;
        uint32_t width = group->form.leaves;
        if (!group->values.count)
            continue;
        *good = measure_nest_infer(group->values.data, group->values.count / width, width, &nest);
        if (!*good)
            synthesis->reason = "the conditions of a place are no nested sequence";
        base_push(&group->nests, nest);
        base_push(&group->sizes, trained->size);
        group->values.count = 0;
    }
    return true;
}

/* ---- making inputs ---- */

typedef BASE_VECTOR(uint32_t) condition_list;

/* Predicts the conditions of the group at SIZE; *NONE: the group only occurs at smaller sizes. */
static bool predict_group(struct synthesis *synthesis, struct group *group, int64_t size,
                          struct measure_nest *nest, bool *none) {
    const struct scale_training *training = &synthesis->scaling->training;
    *none = group->sizes.data[group->sizes.count - 1] <
            training->sizes.data[training->sizes.count - 1].size;
    return *none || measure_nest_predict(group->nests.data, group->sizes.data, group->nests.count,
                                         size, nest);
}

/* Adds the conditions as orders, if all of them are orders: then any number is possible. */
static bool order_group(struct synthesis *synthesis, struct group *group, int64_t size,
                        struct scale_orders *orders) {
    struct measure_nest nest;
    int64_t *runs;
    size_t count, width = group->form.leaves;
    bool none;
    if (!predict_group(synthesis, group, size, &nest, &none))
        return false;
    if (none)
        return true;
    if (!measure_nest_runs(&nest, MOST_RUNS, &runs, &count))
        return false;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        const int64_t *run = runs + i * (width + 1);
        good = run[width] < 1 ||
               scale_orders_add(orders, &group->form, run, nest.strides[0], (uint64_t)run[width]);
    }
    free(runs);
    return good;
}

static bool expand_group(struct synthesis *synthesis, struct group *group, int64_t size,
                         size_t bytes, condition_list *conditions) {
    struct measure_nest nest;
    int64_t *values;
    size_t count, width = group->form.leaves;
    bool none;
    if (!predict_group(synthesis, group, size, &nest, &none))
        return false;
    if (none)
        return true;
    if (!measure_nest_expand(&nest, MOST_CONDITIONS, &values, &count))
        return false;
    bool good = conditions->count + count <= MOST_CONDITIONS;
    for (size_t i = 0; good && i < count; i++) {
        uint32_t condition = expr_skeleton_fill(&group->form, synthesis->follower.walk.trace.pool,
                                                values + i * width, bytes);
        good = condition != 0;
        if (good)
            base_push(conditions, condition);
    }
    free(values);
    return good;
}

static bool solve_orders(struct synthesis *synthesis, int64_t size, uint8_t *model, size_t bytes) {
    struct scale_orders orders = {0};
    bool good = true;
    for (size_t i = 0; good && i < synthesis->groups.count; i++)
        good = order_group(synthesis, &synthesis->groups.data[i], size, &orders);
    good = good && orders.bytes &&
           solver_solve_runs(synthesis->follower.solver, orders.runs.data, orders.runs.count,
                             orders.bytes, !orders.is_unsigned, model, bytes) == SOLVER_SAT;
    base_vector_done(&orders.runs);
    return good;
}

static bool solve_conditions(struct synthesis *synthesis, int64_t size, uint8_t *model,
                             size_t bytes) {
    condition_list conditions = {0};
    struct expr_pool *pool = synthesis->follower.walk.trace.pool;
    bool good = true;
    expr_pool_clear(pool);
    for (size_t i = 0; good && i < synthesis->groups.count; i++)
        good = expand_group(synthesis, &synthesis->groups.data[i], size, bytes, &conditions);
    synthesis->reason = good ? "the solver found no input" : "a parameter follows no curve";
    good = good && solver_solve(synthesis->follower.solver, pool, conditions.data, conditions.count,
                                model, bytes, NULL) == SOLVER_SAT;
    base_vector_done(&conditions);
    return good;
}

/* The input of SIZE; NULL when there is none. */
static uint8_t *synthesize(struct synthesis *synthesis, int64_t size, size_t *bytes) {
    struct search_layout layout = {0};
    bool good = scale_layout(synthesis->scaling->search, size, &layout);
    uint8_t *model = base_alloc(layout.bytes + 1);
    *bytes = layout.bytes;
    solver_set_ranges(synthesis->follower.solver, layout.ranges.data, layout.ranges.count);
    good = good && (solve_orders(synthesis, size, model, layout.bytes) ||
                    solve_conditions(synthesis, size, model, layout.bytes));
    search_layout_done(&layout);
    if (good)
        return model;
    free(model);
    return NULL;
}

/* ---- checking at trained sizes ---- */

static bool check(struct synthesis *synthesis, bool *agrees, struct base_error *error) {
    struct scale_scaling *scaling = synthesis->scaling;
    *agrees = true;
    for (size_t i = scaling->training.sizes.count; *agrees && i-- > 0;) {
        const struct scale_trained *trained = &scaling->training.sizes.data[i];
        if (i + 3 < scaling->training.sizes.count)
            break; /* smaller sizes may lack a loop */
        struct abi_result result;
        size_t bytes;
        double cost = NAN;
        uint8_t *input = synthesize(synthesis, trained->size, &bytes);
        bool good = !input || scale_measure(scaling->search, input, bytes, &cost, &result, error);
        free(input);
        if (!good)
            return false;
        *agrees = cost == trained->worst;
        if (input && !*agrees)
            synthesis->reason = "the inputs of trained sizes do not cost their worst";
    }
    return true;
}

static void forget_groups(struct synthesis *synthesis) {
    for (size_t i = 0; i < synthesis->groups.count; i++) {
        struct group *group = &synthesis->groups.data[i];
        base_vector_done(&group->values);
        base_vector_done(&group->nests);
        base_vector_done(&group->sizes);
    }
    synthesis->groups.count = 0;
}

static bool learn(struct synthesis *synthesis, size_t tied, bool *found, struct base_error *error) {
    const struct scale_training *training = &synthesis->scaling->training;
    bool good = true;
    forget_groups(synthesis);
    for (size_t i = 0; good && i < training->sizes.count; i++)
        if (!read_size(synthesis, &training->sizes.data[i], tied, &good, error))
            return false;
    *found = good;
    return !good || check(synthesis, found, error);
}

/* ---- the method ---- */

static bool use(struct synthesis *synthesis, struct base_error *error) {
    struct scale_scaling *scaling = synthesis->scaling;
    size_t bytes;
    uint8_t *input = synthesize(synthesis, scaling->size, &bytes);
    bool good = true;
    if (input)
        good = scale_verify(scaling, input, bytes, "path-condition extrapolation", error);
    else
        search_note(scaling->model, "path-condition extrapolation: at size %" PRId64 ": %s",
                    scaling->size, synthesis->reason);
    free(input);
    return good;
}

bool scale_propose_conditions(struct scale_scaling *scaling, struct base_error *error) {
    struct synthesis synthesis = {.scaling = scaling, .reason = "a run left no whole trace"};
    const struct scale_training *training = &scaling->training;
    size_t ties = training->sizes.data[training->sizes.count - 1].inputs.count;
    bool good = true, found = false;
    scale_follower_init(&synthesis.follower, scaling->search);
    for (size_t i = 0; good && !found && i < ties && i < TIED; i++)
        if (!search_must_stop(scaling->search))
            good = learn(&synthesis, i, &found, error);
    if (good && found)
        good = use(&synthesis, error);
    else if (good)
        search_note(scaling->model, "path-condition extrapolation: %s", synthesis.reason);
    forget_groups(&synthesis);
    base_vector_done(&synthesis.groups);
    scale_follower_done(&synthesis.follower);
    return good;
}
