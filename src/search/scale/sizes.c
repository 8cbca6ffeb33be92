/* SPDX-License-Identifier: Apache-2.0
 *
 * What if an entry has two or more sizes that grow?
 *
 * They grow one after another. The first grows to its wanted value while the others are small, as
 * if it were alone: small sizes are explored, a formula is found, and an input has the predicted
 * cost. This is repeated with the second size at 1, 2, 3, ..., and the second size learns from the
 * results: for its formulas, a verified input at n = 500, m = 3 is as good as an explored one. A
 * third size is handled likewise. Only verified inputs are learned from, and the final input is
 * measured like any other.
 */
#include "search/scale/scale.h"

#include <inttypes.h>
#include <stdlib.h>

#define MOST_STEPS 24    /* values of a size that are learned from */
#define FIRST_PROPOSAL 4 /* values needed before something is proposed */

struct growth {
    struct search *search;
    const struct search_sizes *sizes;
    scale_propose *const *methods;
    size_t method_count;
    double began, budget;
    int64_t values[ABI_MAX_SIZES]; /* current values of all sizes */
    struct base_strings told;
};

static bool is_over(const struct growth *growth) {
    return search_must_stop(growth->search) || base_seconds() > growth->began + growth->budget;
}

/* "n = 500, m = 3", without the size at LEVEL */
static void print_values(const struct growth *growth, size_t level, struct base_buffer *out) {
    for (size_t i = 0; i < growth->sizes->count; i++)
        if (i != level)
            base_buffer_print(out, "%s%s = %" PRId64, out->count ? ", " : "",
                              growth->sizes->names[i], growth->values[i]);
}

static void tell_step(struct growth *growth, size_t level, const struct search_model *model) {
    struct base_buffer where = {0};
    print_values(growth, level, &where);
    char *text = base_format("with %s: cost %s, verified at %s = %" PRId64, where.data,
                             model->cost ? model->cost : "unknown", growth->sizes->names[level],
                             growth->sizes->wanted[level]);
    base_detail("%s", text);
    base_strings_add(&growth->told, text);
    free(text);
    base_buffer_done(&where);
}

/* Makes a verified input one more size to learn from. */
static void add_trained(struct scale_scaling *scaling, int64_t size,
                        struct scale_scaling *verified) {
    struct scale_trained trained = {
        .size = size, .worst = verified->kept_cost, .how = "grown and verified"};
    if (!scale_layout(scaling->search, size, &trained.layout) ||
        trained.layout.bytes != verified->kept_bytes) {
        search_layout_done(&trained.layout);
        return;
    }
    scale_table_init(&trained.table, &trained.layout);
    int64_t *values = base_alloc((trained.table.elements + 1) * sizeof *values);
    scale_table_read(&trained.table, verified->kept, values);
    base_push(&trained.inputs, verified->kept);
    base_push(&trained.canonical, values);
    trained.has_canonical = true;
    verified->kept = NULL;
    base_push(&scaling->training.sizes, trained);
}

static bool grow(struct growth *growth, size_t level, struct scale_scaling *scaling,
                 struct base_error *error);

/* Grows the sizes below LEVEL again, with the size at LEVEL set to SIZE. */
static bool learn_step(struct growth *growth, size_t level, int64_t size,
                       struct scale_scaling *scaling, struct base_error *error) {
    struct search_model model = {0};
    const struct search_sizes *sizes = growth->sizes;
    struct scale_scaling below = {.search = growth->search,
                                  .name = sizes->names[level - 1],
                                  .size = sizes->wanted[level - 1],
                                  .model = &model,
                                  .training = {.search = growth->search},
                                  .began = growth->began,
                                  .budget = growth->budget,
                                  .is_step = true};
    growth->values[level] = size;
    model.name = below.name;
    bool good = grow(growth, level - 1, &below, error);
    scale_select(growth->search, level, growth->values);
    if (good && below.is_verified && below.kept) {
        tell_step(growth, level - 1, &model);
        add_trained(scaling, size, &below);
    }
    free(below.kept);
    scale_training_done(&below.training);
    search_model_done(&model);
    return good;
}

/* Grows the size at LEVEL, and all below it, to the wanted values; those above stay. */
static bool grow(struct growth *growth, size_t level, struct scale_scaling *scaling,
                 struct base_error *error) {
    int64_t wanted = scaling->size;
    growth->values[level] = wanted;
    scale_select(growth->search, level, growth->values);
    if (!level)
        return scale_learn(scaling, growth->methods, growth->method_count, error);
    for (int64_t size = 1; size <= wanted && size <= MOST_STEPS; size++) {
        if (!learn_step(growth, level, size, scaling, error))
            return false;
        growth->values[level] = wanted;
        size_t learned = scaling->training.sizes.count;
        if (learned >= FIRST_PROPOSAL &&
            !scale_attempt(scaling, growth->methods, growth->method_count, size == MOST_STEPS,
                           error))
            return false;
        if (scaling->is_verified || is_over(growth))
            break;
    }
    return true;
}

bool scale_grow(struct scale_scaling *scaling, scale_propose *const *methods, size_t count,
                struct base_error *error) {
    const struct search_sizes *sizes = scaling->search->subject.sizes;
    struct growth growth = {.search = scaling->search,
                            .sizes = sizes,
                            .methods = methods,
                            .method_count = count,
                            .began = scaling->began,
                            .budget = scaling->budget};
    size_t last = sizes->count - 1;
    scaling->name = scaling->model->name = sizes->names[last];
    scaling->size = sizes->wanted[last];
    for (size_t i = 0; i < sizes->count; i++)
        growth.values[i] = sizes->wanted[i];
    bool good = grow(&growth, last, scaling, error);
    struct base_buffer where = {0};
    print_values(&growth, last, &where);
    search_note(scaling->model,
                "sizes grow one after the other: all that is said here about %s is "
                "with %s",
                scaling->name, where.data);
    for (size_t i = 0; i < growth.told.count; i++)
        search_note(scaling->model, "%s", growth.told.data[i]);
    base_buffer_done(&where);
    base_strings_done(&growth.told);
    scale_select(scaling->search, last, sizes->wanted);
    return good;
}
