/* SPDX-License-Identifier: Apache-2.0
 *
 * How the cost grows with the size of the input, as JSON and as a table with a small plot.
 */
#include "cli/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- output ---- */

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
