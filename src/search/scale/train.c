/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the worst case at this small size?
 *
 * The exhaustive strategy runs as a search of its own on inputs of that size. A size counts only if
 * every path was covered, because a wrong worst case would mislead the formulas. All tied inputs
 * are kept, one per path (up to a limit), so that the methods can choose those that show a pattern.
 *
 * If there are other ranks, all of them explore a size together: rank 0 calls them, and has all
 * results when the search ends.
 */
#include "search/scale/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIES 256
#define KEPT_RUNS 8 /* one in so many of the runs left, for larger sizes and the wanted one */

bool scale_layout(const struct search *search, int64_t size, struct search_layout *layout) {
    const struct search_sizes *sizes = search->subject.sizes;
    return sizes->layout(sizes->self, size, layout);
}

/* ---- inputs as lists of numbers ---- */

static bool is_number(const struct target_field *field) {
    return !field->is_link && !field->is_float &&
           (field->element_size == 1 || field->element_size == 2 || field->element_size == 4 ||
            field->element_size == 8);
}

static struct scale_column column_of(const struct target_field *field) {
    struct scale_column column = {.name = field->name,
                                  .offset = field->offset,
                                  .count = field->count,
                                  .bytes = (unsigned)field->element_size,
                                  .is_signed = field->is_signed,
                                  .is_array = field->is_array,
                                  .is_char = field->is_char};
    if (!is_number(field)) {
        column.count = field->count * field->element_size;
        column.bytes = 1;
        column.is_signed = false;
    }
    unsigned bits = column.bytes * 8 - (column.is_signed || column.bytes == 8);
    column.high = (int64_t)(((uint64_t)1 << bits) - 1);
    column.low = column.is_signed ? -column.high - 1 : 0;
    return column;
}

void scale_table_init(struct scale_table *table, const struct search_layout *layout) {
    *table = (struct scale_table){0};
    for (size_t i = 0; i < layout->fields.count; i++) {
        struct scale_column column = column_of(&layout->fields.data[i]);
        for (size_t k = 0; k < layout->ranges.count; k++)
            if (layout->ranges.data[k].offset == column.offset) {
                column.low = layout->ranges.data[k].low;
                column.high = layout->ranges.data[k].high;
            }
        table->elements += column.count;
        base_push(&table->columns, column);
    }
}

void scale_table_done(struct scale_table *table) {
    base_vector_done(&table->columns);
}

void scale_table_read(const struct scale_table *table, const uint8_t *input, int64_t *values) {
    for (size_t c = 0; c < table->columns.count; c++) {
        const struct scale_column *column = &table->columns.data[c];
        unsigned unused = 64 - column->bytes * 8;
        for (uint64_t i = 0; i < column->count; i++) {
            uint64_t bits = 0;
            memcpy(&bits, input + column->offset + i * column->bytes, column->bytes);
            *values++ = column->is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
        }
    }
}

bool scale_table_write(const struct scale_table *table, const int64_t *values, uint8_t *input) {
    for (size_t c = 0; c < table->columns.count; c++) {
        const struct scale_column *column = &table->columns.data[c];
        for (uint64_t i = 0; i < column->count; i++, values++) {
            if (*values < column->low || *values > column->high)
                return false;
            memcpy(input + column->offset + i * column->bytes, values, column->bytes);
        }
    }
    return true;
}

/* ---- measuring ---- */

bool scale_measure_all(struct search *search, const struct target_input *inputs, size_t count,
                       double *costs, struct base_error *error) {
    struct abi_result *results = base_alloc((count + 1) * sizeof *results);
    bool good = search_measure(search, inputs, count, results, costs, error);
    free(results);
    return good;
}

bool scale_measure(struct search *search, const uint8_t *input, size_t size, double *cost,
                   struct abi_result *result, struct base_error *error) {
    struct target_input one = {input, size};
    return search_measure(search, &one, 1, result, cost, error);
}

/* ---- exploring ---- */

static void keep_worst(struct scale_trained *trained, const struct search *inner) {
    const struct search_test *tests;
    size_t count = search_tests(inner, &tests);
    trained->worst = count ? tests[0].cost : NAN;
    for (size_t i = 0; i < count && tests[i].cost == trained->worst; i++) {
        uint8_t *input = base_alloc(trained->layout.bytes + 1);
        memcpy(input, tests[i].input, trained->layout.bytes);
        base_push(&trained->inputs, input);
    }
}

static void trained_done(struct scale_trained *trained) {
    for (size_t i = 0; i < trained->inputs.count; i++)
        free(trained->inputs.data[i]);
    for (size_t i = 0; i < trained->canonical.count; i++)
        free(trained->canonical.data[i]);
    base_vector_done(&trained->inputs);
    base_vector_done(&trained->canonical);
    scale_table_done(&trained->table);
    search_layout_done(&trained->layout);
}

struct call { /* asks other ranks to join a search */
    int64_t size;
    double seconds;
    uint64_t runs; /* limit for each rank; 0: none */
    struct scale_selection selection;
};

/* A part of `auto` is searched on one rank: the others are busy with other parts. */
static bool is_joint(const struct search *outer) {
    return outer->options.cluster && !outer->outer;
}

static uint64_t share_runs(const struct search *outer, uint64_t left) {
    if (left == UINT64_MAX)
        return 0;
    return is_joint(outer) ? left / cluster_size(outer->options.cluster) + 1 : left;
}

static void call_others(struct search *outer, int64_t size, double seconds, uint64_t runs) {
    struct call call = {.size = size, .seconds = seconds, .runs = runs};
    if (!is_joint(outer) || search_rank(outer))
        return;
    if (outer->state)
        call.selection = *(struct scale_selection *)outer->state;
    pthread_mutex_lock(&outer->lock);
    cluster_call(outer->options.cluster, &call, sizeof call);
    pthread_mutex_unlock(&outer->lock);
}

static bool explore(struct search *outer, struct scale_trained *trained, double seconds,
                    uint64_t runs, bool *complete, struct base_error *error) {
    struct search_options options = outer->options;
    struct search_subject subject = outer->subject;
    subject.layout = trained->layout;
    subject.start_count = 0;
    options.tests = TIES;
    options.limits.seconds = seconds;
    options.limits.reserve = 0;
    options.limits.runs = 0;
    struct search *inner = search_new_part(outer, &search_strategy_exhaustive, &options, &subject);
    inner->is_joint = is_joint(outer);
    inner->is_own = !inner->is_joint;
    inner->share = runs;
    struct search_relay relay = {outer, outer->counters};
    search_set_watch(inner, search_relay_watch, &relay);
    bool good = search_run(inner, error);
    struct search_statistics now;
    search_statistics(inner, &now);
    outer->counters = relay.before;
    search_add_counters(&outer->counters, &now.counters);
    search_add_solver(&outer->solver, &now.solver);
    keep_worst(trained, inner);
    for (size_t i = 0; i < inner->faults.count; i++)
        search_archive_offer(&outer->faults, &inner->faults.tests[i]);
    trained->seconds = now.seconds;
    trained->paths = now.counters.paths;
    *complete = now.complete && trained->inputs.count > 0;
    search_free(inner);
    return good;
}

bool scale_train(struct scale_training *training, int64_t size, double seconds, bool *complete,
                 struct base_error *error) {
    struct scale_trained trained = {.size = size};
    *complete = false;
    bool good = true;
    uint64_t left = search_runs_left(training->search);
    if (left && scale_layout(training->search, size, &trained.layout)) {
        uint64_t most = left == UINT64_MAX ? left : left - left / KEPT_RUNS;
        uint64_t runs = share_runs(training->search, most);
        scale_table_init(&trained.table, &trained.layout);
        call_others(training->search, size, seconds, runs);
        good = explore(training->search, &trained, seconds, runs, complete, error);
    }
    if (good && *complete)
        base_push(&training->sizes, trained);
    else
        trained_done(&trained);
    return good;
}

void scale_select(struct search *search, size_t level, const int64_t *values) {
    const struct search_sizes *sizes = search->subject.sizes;
    if (!search->state)
        search->state = base_alloc(sizeof(struct scale_selection));
    struct scale_selection *selection = search->state;
    *selection = (struct scale_selection){.is_given = true, .level = level};
    memcpy(selection->values, values, sizes->count * sizeof *values);
    sizes->select(sizes->self, level, values);
}

void scale_done(struct search *search) {
    free(search->state);
    search->state = NULL;
}

bool scale_serve(struct search *search, size_t worker, const char *piece, size_t size,
                 struct base_buffer *answer, struct base_error *error) {
    struct scale_trained trained = {0};
    const struct search_sizes *sizes = search->subject.sizes;
    struct call call;
    bool complete, good = true;
    (void)worker;
    (void)answer;
    if (!search_get(&piece, piece + size, &call, sizeof call) ||
        call.selection.level >= sizes->count)
        return base_fail(error, BASE_BROKEN, "a message between ranks was damaged on its way");
    if (call.selection.is_given)
        scale_select(search, call.selection.level, call.selection.values);
    trained.size = call.size;
    struct search_counters counters = search->counters; /* rank 0 receives them with the part */
    struct solver_statistics solver = search->solver;
    if (scale_layout(search, call.size, &trained.layout))
        good = explore(search, &trained, call.seconds, call.runs, &complete, error);
    search->counters = counters;
    search->solver = solver;
    trained_done(&trained);
    return good;
}

void scale_training_done(struct scale_training *training) {
    for (size_t i = 0; i < training->sizes.count; i++)
        trained_done(&training->sizes.data[i]);
    base_vector_done(&training->sizes);
}
