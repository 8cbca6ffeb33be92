/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes from the command line's side: which one varies, what inputs of another size look like, and
 * how the cost grows, as JSON and as a table with a small plot.
 */
#include "cli/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs of other sizes ---- */

static bool shape_of_bytes(const struct cli_run *run, int64_t size, struct search_shape *shape) {
    shape->bytes = (uint64_t)size;
    struct target_field field = run->fields.data[0];
    field.count = (uint64_t)size;
    base_push(&shape->fields, field);
    return size >= 0;
}

static bool add_ranges(const struct cli_run *run, struct search_shape *shape) {
    struct cli_ranges ranges = {0};
    struct base_error error;
    bool good = true;
    for (size_t i = 0; good && i < run->values->ranges.count; i++)
        good = cli_parse_range(run->values->ranges.data[i], &shape->fields, &ranges, &error);
    shape->ranges.data = ranges.data;
    shape->ranges.count = ranges.count;
    shape->ranges.capacity = ranges.capacity;
    return good;
}

static bool make_shape(void *self, int64_t size, struct search_shape *shape) {
    const struct cli_run *run = self;
    const struct target *target = run->builds[0].measuring;
    bool good = target_entry_kind(target) == ABI_ENTRY_DRIVER
                    ? target_bytes_at(target, run->scaled, size, &shape->bytes) &&
                          target_layout(target, shape->bytes, &shape->fields)
                    : shape_of_bytes(run, size, shape);
    return good && add_ranges(run, shape);
}

/* ---- which sizes ---- */

#define SMALL_SIZE 8 /* sizes up to this one are explored as they are, beside a larger one */

static void each_build(struct cli_run *run, void (*change)(struct target *, size_t, int64_t),
                       size_t size, int64_t value) {
    for (size_t i = 0; i < run->jobs; i++) {
        if (run->builds[i].measuring)
            change(run->builds[i].measuring, size, value);
        if (run->builds[i].symbolic)
            change(run->builds[i].symbolic, size, value);
    }
}

static void vary(struct target *target, size_t size, int64_t value) {
    (void)value;
    target_vary_size(target, size);
}

static void select_size(void *self, size_t which, const int64_t *values) {
    struct cli_run *run = self;
    for (size_t i = 0; i < run->scale.growing; i++)
        each_build(run, target_fix_size, run->grows[i], values[i]);
    run->scaled = run->grows[which];
    each_build(run, vary, run->scaled, 0);
}

/* All large sizes, the largest first, and at least that one. */
static void choose_growing(struct cli_run *run, const char *const *names, const int64_t *values,
                           size_t count) {
    struct search_scale *scale = &run->scale;
    bool chosen[ABI_MAX_SIZES] = {false};
    for (;;) {
        size_t best = count;
        for (size_t i = 0; i < count; i++)
            if (!chosen[i] && (best == count || values[i] > values[best]))
                best = i;
        if (best == count || (scale->growing && values[best] <= SMALL_SIZE))
            break;
        chosen[best] = true;
        run->grows[scale->growing] = best;
        scale->names[scale->growing] = names[best];
        scale->wanted[scale->growing++] = values[best];
    }
    run->scaled = run->grows[0];
    scale->name = scale->names[0];
    scale->size = scale->wanted[0];
}

/* An input without entry has one size, its bytes. */
static bool choose_sizes(struct cli_run *run, struct base_error *error) {
    const struct target *target = run->builds[0].measuring;
    const char *const *names;
    int64_t values[ABI_MAX_SIZES];
    run->scale.select = select_size;
    if (target_entry_kind(target) != ABI_ENTRY_DRIVER) {
        run->scale.name = "n";
        run->scale.size = (int64_t)run->input_size;
        return true;
    }
    size_t count = target_size_names(target, &names);
    if (!count)
        return base_fail(error, BASE_USAGE,
                         "--strategy %s: the entry has no size to learn about, such as arr[n]",
                         run->strategy->name);
    if (!target_sizes_of(target, run->input_size, values, error))
        return false;
    choose_growing(run, names, values, count);
    return true;
}

static bool read_training(struct cli_run *run, struct base_error *error) {
    const char *text = run->values->given[CLI_TRAIN];
    int length = 0;
    if (!text)
        return true;
    if (sscanf(text, "%" SCNd64 "..%" SCNd64 "%n", &run->scale.first, &run->scale.last, &length) !=
            2 ||
        text[length] || run->scale.first < 1 || run->scale.last < run->scale.first)
        return base_fail(error, BASE_USAGE, "--train %s: write A..B, such as 2..6", text);
    return true;
}

bool cli_scale_prepare(struct cli_run *run, struct base_error *error) {
    if (!choose_sizes(run, error) || !read_training(run, error))
        return false;
    run->scale.run_seconds = run->description.options.limits.seconds;
    run->scale.way = run->values->given[CLI_WAY];
    run->scale.shape = make_shape;
    run->scale.self = run;
    run->options.scale = &run->scale;
    return true;
}

void cli_scale_start(struct cli_run *run) {
    if (run->scale.growing)
        select_size(run, 0, run->scale.wanted);
}

uint64_t cli_scale_sample(struct cli_run *run) {
    struct search_shape shape = {0};
    cli_scale_start(run);
    int64_t size = run->scale.size < SMALL_SIZE ? run->scale.size : SMALL_SIZE;
    uint64_t bytes = make_shape(run, size, &shape) ? shape.bytes : run->input_size;
    base_vector_done(&shape.fields);
    base_vector_done(&shape.ranges);
    return bytes;
}

/* ---- JSON ---- */

static json_t *number_or_null(double value) {
    if (isnan(value))
        return json_null();
    bool is_whole = fabs(value) < 0x1p60 && value == floor(value);
    return is_whole ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
}

static json_t *list_texts(const struct base_strings *texts) {
    json_t *list = json_array();
    for (size_t i = 0; i < texts->count; i++)
        json_array_append_new(list, json_string(texts->data[i]));
    return list;
}

json_t *cli_scale_json(const struct search_model *model) {
    if (!model)
        return NULL;
    json_t *trained = json_array(), *rows = json_array(), *json = json_object();
    for (size_t i = 0; i < model->trained.count; i++)
        json_array_append_new(trained, json_integer(model->trained.data[i]));
    for (size_t i = 0; i < model->rows.count; i++) {
        const struct search_row *row = &model->rows.data[i];
        json_array_append_new(rows,
                              json_pack("{s:I, s:o, s:o, s:s}", model->name, (json_int_t)row->size,
                                        "measured", number_or_null(row->measured), "predicted",
                                        number_or_null(row->predicted), "how", row->how));
    }
    json_object_set_new(json, "cost", text_or_null(model->cost));
    json_object_set_new(json, "class", text_or_null(model->growth));
    json_object_set_new(json, "size", json_string(model->name));
    json_object_set_new(json, "trained", trained);
    json_object_set_new(json, "generators", list_texts(&model->generators));
    json_object_set_new(json, "costs", rows);
    json_object_set_new(json, "notes", list_texts(&model->notes));
    return json;
}

/* ---- for a person ---- */

#define PLOT_WIDTH 60
#define PLOT_HEIGHT 12

static double row_cost(const struct search_row *row) {
    return isnan(row->measured) ? row->predicted : row->measured;
}

static bool is_plotted(const struct search_row *row) {
    return row->size > 0 && row_cost(row) > 0;
}

struct frame { /* of the plot, in logarithms */
    double left, right, bottom, top;
};

static struct frame find_frame(const struct search_model *model) {
    struct frame frame = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < model->rows.count; i++) {
        const struct search_row *row = &model->rows.data[i];
        if (!is_plotted(row))
            continue;
        double x = log10((double)row->size), y = log10(row_cost(row));
        frame.left = fmin(frame.left, x);
        frame.right = fmax(frame.right, x);
        frame.bottom = fmin(frame.bottom, y);
        frame.top = fmax(frame.top, y);
    }
    return frame;
}

/* Cost over size, both logarithmic: the slope is the degree. */
static void print_plot(FILE *out, const struct search_model *model) {
    struct frame frame = find_frame(model);
    if (!(frame.right > frame.left) || !(frame.top > frame.bottom))
        return;
    char cells[PLOT_HEIGHT][PLOT_WIDTH + 1];
    for (int i = 0; i < PLOT_HEIGHT; i++)
        snprintf(cells[i], sizeof cells[i], "%*s", PLOT_WIDTH, "");
    for (size_t i = 0; i < model->rows.count; i++) {
        const struct search_row *row = &model->rows.data[i];
        if (!is_plotted(row))
            continue;
        double x = (log10((double)row->size) - frame.left) / (frame.right - frame.left);
        double y = (log10(row_cost(row)) - frame.bottom) / (frame.top - frame.bottom);
        cells[(int)lround((1 - y) * (PLOT_HEIGHT - 1))][(int)lround(x * (PLOT_WIDTH - 1))] =
            isnan(row->measured) ? 'o' : '*';
    }
    for (int i = 0; i < PLOT_HEIGHT; i++) {
        double y = frame.top - (frame.top - frame.bottom) * i / (PLOT_HEIGHT - 1);
        fprintf(out, "%10.2g |%s\n", pow(10, y), cells[i]);
    }
    fprintf(out, "%10s +%.*s\n%10s  %-.6g%*.6g  %s, both axes logarithmic%s\n", "", PLOT_WIDTH,
            "------------------------------------------------------------", "", pow(10, frame.left),
            PLOT_WIDTH - 1, pow(10, frame.right), model->name, " (o: by the curve)");
}

static void print_cell(FILE *out, double value) {
    if (isnan(value))
        fprintf(out, "  %20s", "-");
    else
        fprintf(out, "  %20.15g", value);
}

void cli_scale_print(FILE *out, const struct search_model *model, const char *measure) {
    if (!model)
        return;
    fprintf(out, "\n%10s  %20s  %20s  %s\n", model->name, measure, "predicted", "");
    for (size_t i = 0; i < model->rows.count; i++) {
        const struct search_row *row = &model->rows.data[i];
        fprintf(out, "%10" PRId64, row->size);
        print_cell(out, row->measured);
        print_cell(out, row->predicted);
        fprintf(out, "  %s%s\n", row->how,
                isnan(row->measured) || isnan(row->predicted) || row->measured == row->predicted
                    ? ""
                    : ": MISS");
    }
    fprintf(out, "\n");
    print_plot(out, model);
    if (model->cost)
        fprintf(out, "\ncost: %s, %s\n", model->cost, model->growth);
    for (size_t i = 0; i < model->generators.count; i++)
        fprintf(out, "input: %s\n", model->generators.data[i]);
    for (size_t i = 0; i < model->notes.count; i++)
        fprintf(out, "note: %s\n", model->notes.data[i]);
    fprintf(out, "\n");
}
