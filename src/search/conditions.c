/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the worst path demand of its input, at any size?
 *
 * Every condition of a worst path is kept by the place it comes from (site and direction) and its
 * form, the expression without its leaves. The leaves (which input, which constant) of all
 * conditions of one place and form are a sequence of vectors, which nest.c describes by a few
 * parameters; these follow curves over the sizes. At the wanted size the sequences are expanded,
 * the forms are filled in, and the solver makes an input from the result: the program did not run.
 * The largest trained size takes no part in the curves' solving, and the input of every trained
 * size that is made this way must cost the worst there.
 *
 * Path-condition extrapolation of "XSTRESSOR: Automatic Generation of Large-Scale Worst-Case Test
 * Inputs by Inferring Path Conditions", keyed by program point instead of by form alone.
 */
#include "search/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 40
#define MOST_CONDITIONS ((size_t)4 << 20) /* of a path that is put together */
#define TIED 16

struct form_node { /* of an expression as a tree, operands before their users */
    uint8_t op, width;
    uint16_t extra;
    uint8_t operands[3];
    uint8_t leaf; /* of an input or constant: its place in the vector */
};

struct form {
    uint32_t site, kind;
    uint64_t way;
    struct form_node nodes[MOST_NODES];
    uint32_t count, leaves;
};

struct group { /* conditions of one place and form */
    struct form form;
    BASE_VECTOR(int64_t) values;           /* of the size that is being read */
    BASE_VECTOR(struct search_nest) nests; /* by size */
    BASE_VECTOR(int64_t) sizes;
};

struct synthesis {
    struct search_scaling *scaling;
    struct search_follower follower;
    BASE_VECTOR(struct group) groups;
    const char *reason; /* why there is nothing */
};

/* ---- reading ---- */

/* Appends the tree of an expression; its number, or UINT32_MAX when it is too large. */
static uint32_t read_form(const struct expr_pool *pool, uint32_t id, struct form *form,
                          int64_t *leaves) {
    const struct abi_node *node = expr_node(pool, id);
    struct form_node made = {.op = node->op, .width = node->width, .extra = node->extra};
    const uint32_t operands[3] = {node->a, node->b, node->c};
    unsigned count = expr_operands((enum abi_op)node->op);
    if (node->op == ABI_OP_TABLE)
        return UINT32_MAX;
    for (unsigned i = 0; i < count && i < 3; i++) {
        uint32_t operand = read_form(pool, operands[i], form, leaves);
        if (operand == UINT32_MAX)
            return UINT32_MAX;
        made.operands[i] = (uint8_t)operand;
    }
    if (form->count == MOST_NODES || form->leaves + SEARCH_NEST_DEPTH + 1 >= SEARCH_NEST_WIDTH)
        return UINT32_MAX;
    if (node->op == ABI_OP_INPUT || node->op == ABI_OP_CONST) {
        made.leaf = (uint8_t)form->leaves;
        leaves[form->leaves++] =
            node->op == ABI_OP_INPUT ? (int64_t)node->a : (int64_t)expr_constant(pool, id);
    }
    form->nodes[form->count] = made;
    return form->count++;
}

static struct group *group_of(struct synthesis *synthesis, const struct form *form) {
    for (size_t i = 0; i < synthesis->groups.count; i++)
        if (memcmp(&synthesis->groups.data[i].form, form, sizeof *form) == 0)
            return &synthesis->groups.data[i];
    base_push(&synthesis->groups, (struct group){.form = *form});
    return &synthesis->groups.data[synthesis->groups.count - 1];
}

static bool add_condition(struct synthesis *synthesis, const struct expr_event *event) {
    struct form form;
    int64_t leaves[SEARCH_NEST_WIDTH];
    uint32_t condition = search_condition(&synthesis->follower, event);
    if (!condition || expr_node(synthesis->follower.trace.pool, condition)->op == ABI_OP_CONST)
        return true;
    memset(&form, 0, sizeof form);
    form.site = event->site;
    form.kind = event->kind;
    form.way = event->kind == ABI_EVENT_BRANCH ? event->value : 0;
    if (read_form(synthesis->follower.trace.pool, condition, &form, leaves) == UINT32_MAX) {
        synthesis->reason = "a condition grows with the path";
        return false;
    }
    struct group *group = group_of(synthesis, &form);
    for (uint32_t i = 0; i < form.leaves; i++)
        base_push(&group->values, leaves[i]);
    return true;
}

/* One size's worst path: a nest for every group that has conditions in it. */
static bool read_size(struct synthesis *synthesis, const struct search_trained *trained,
                      size_t tied, bool *good, struct base_error *error) {
    const uint8_t *input = trained->inputs.data[tied % trained->inputs.count];
    if (!search_follow(&synthesis->follower, input, trained->shape.bytes, error))
        return false;
    *good = synthesis->follower.has_trace;
    for (size_t i = 0; *good && i < synthesis->follower.trace.count; i++)
        *good = add_condition(synthesis, &synthesis->follower.trace.events[i]);
    for (size_t i = 0; *good && i < synthesis->groups.count; i++) {
        struct group *group = &synthesis->groups.data[i];
        struct search_nest nest;
        uint32_t width = group->form.leaves;
        if (!group->values.count)
            continue;
        *good = search_nest_infer(group->values.data, group->values.count / width, width, &nest);
        if (!*good)
            synthesis->reason = "the conditions of a place are no nested sequence";
        base_push(&group->nests, nest);
        base_push(&group->sizes, trained->size);
        group->values.count = 0;
    }
    return true;
}

/* ---- putting together ---- */

static uint32_t fill_form(struct expr_pool *pool, const struct form *form, const int64_t *leaves) {
    uint32_t made[MOST_NODES] = {0};
    for (uint32_t i = 0; i < form->count; i++) {
        const struct form_node *node = &form->nodes[i];
        if (node->op == ABI_OP_INPUT)
            made[i] = expr_make_input(pool, node->width, (uint32_t)leaves[node->leaf]);
        else if (node->op == ABI_OP_CONST)
            made[i] = expr_make_constant(pool, node->width, (uint64_t)leaves[node->leaf]);
        else
            made[i] = expr_make(pool, (enum abi_op)node->op, node->width, node->extra,
                                made[node->operands[0]], made[node->operands[1]],
                                made[node->operands[2]]);
    }
    return made[form->count - 1];
}

typedef BASE_VECTOR(uint32_t) condition_list;

static bool expand_group(struct synthesis *synthesis, struct group *group, int64_t size,
                         size_t bytes, condition_list *conditions) {
    struct search_nest nest;
    int64_t *values;
    size_t count, width = group->form.leaves;
    const struct search_training *training = &synthesis->scaling->training;
    if (group->sizes.data[group->sizes.count - 1] <
        training->sizes.data[training->sizes.count - 1].size)
        return true; /* only small sizes have it */
    if (!search_nest_predict(group->nests.data, group->sizes.data, group->nests.count, size,
                             &nest) ||
        !search_nest_expand(&nest, MOST_CONDITIONS, &values, &count))
        return false;
    bool good = conditions->count + count <= MOST_CONDITIONS;
    for (size_t i = 0; good && i < count; i++) {
        for (uint32_t k = 0; good && k < group->form.count; k++) {
            const struct form_node *node = &group->form.nodes[k];
            int64_t leaf = values[i * width + node->leaf];
            good = node->op != ABI_OP_INPUT ||
                   (leaf >= 0 && (uint64_t)leaf + node->width / 8 <= bytes);
        }
        if (good)
            base_push(conditions,
                      fill_form(synthesis->follower.trace.pool, &group->form, values + i * width));
    }
    free(values);
    return good;
}

/* The input of SIZE; NULL when there is none. */
static uint8_t *synthesize(struct synthesis *synthesis, int64_t size, size_t *bytes) {
    const struct search_scale *scale = synthesis->scaling->scale;
    struct search_shape shape = {0};
    condition_list conditions = {0};
    uint8_t *model = NULL;
    bool good = scale->shape(scale->self, size, &shape);
    *bytes = shape.bytes;
    expr_pool_clear(synthesis->follower.trace.pool);
    for (size_t i = 0; good && i < synthesis->groups.count; i++)
        good = expand_group(synthesis, &synthesis->groups.data[i], size, shape.bytes, &conditions);
    synthesis->reason = good ? "the solver found no input" : "a parameter follows no curve";
    if (good) {
        model = base_alloc(shape.bytes + 1);
        solver_set_ranges(synthesis->follower.solver, shape.ranges.data, shape.ranges.count);
        good =
            solver_solve(synthesis->follower.solver, synthesis->follower.trace.pool,
                         conditions.data, conditions.count, model, shape.bytes, NULL) == SOLVER_SAT;
    }
    base_vector_done(&conditions);
    search_shape_done(&shape);
    if (good)
        return model;
    free(model);
    return NULL;
}

/* ---- does it hold at the trained sizes? ---- */

static bool check(struct synthesis *synthesis, bool *agrees, struct base_error *error) {
    struct search_scaling *scaling = synthesis->scaling;
    *agrees = true;
    for (size_t i = scaling->training.sizes.count; *agrees && i-- > 0;) {
        const struct search_trained *trained = &scaling->training.sizes.data[i];
        if (i + 3 < scaling->training.sizes.count)
            break; /* smaller ones may lack a loop */
        struct abi_result result;
        size_t bytes;
        double cost = NAN;
        uint8_t *input = synthesize(synthesis, trained->size, &bytes);
        bool good = !input || search_measure(scaling->search, input, bytes, &cost, &result, error);
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
    const struct search_training *training = &synthesis->scaling->training;
    bool good = true;
    forget_groups(synthesis);
    for (size_t i = 0; good && i < training->sizes.count; i++)
        if (!read_size(synthesis, &training->sizes.data[i], tied, &good, error))
            return false;
    *found = good;
    return !good || check(synthesis, found, error);
}

/* ---- the whole ---- */

static bool use(struct synthesis *synthesis, struct base_error *error) {
    struct search_scaling *scaling = synthesis->scaling;
    size_t bytes;
    uint8_t *input = synthesize(synthesis, scaling->scale->size, &bytes);
    bool good = true;
    if (input)
        good = search_judge(scaling, input, bytes, "path-condition extrapolation", error);
    else
        search_note(scaling->model, "path-condition extrapolation: at size %" PRId64 ": %s",
                    scaling->scale->size, synthesis->reason);
    free(input);
    return good;
}

bool search_propose_conditions(struct search_scaling *scaling, struct base_error *error) {
    struct synthesis synthesis = {.scaling = scaling, .reason = "a run left no whole trace"};
    const struct search_training *training = &scaling->training;
    size_t ties = training->sizes.data[training->sizes.count - 1].inputs.count;
    bool good = true, found = false;
    search_follower_init(&synthesis.follower, scaling->search);
    for (size_t i = 0; good && !found && i < ties && i < TIED; i++)
        if (!search_must_stop(scaling->search))
            good = learn(&synthesis, i, &found, error);
    if (good && found)
        good = use(&synthesis, error);
    else if (good)
        search_note(scaling->model, "path-condition extrapolation: %s", synthesis.reason);
    forget_groups(&synthesis);
    base_vector_done(&synthesis.groups);
    search_follower_done(&synthesis.follower);
    return good;
}
