/* SPDX-License-Identifier: Apache-2.0
 *
 * A chart of cost by size, as SVG: measured points, the law through the last of them, the linear
 * relative, and a line of slope 1 for comparison. Title and description say in words what it shows,
 * and a table below has the numbers.
 */
#include "report/html.h"

#include <math.h>
#include <string.h>

#define WIDTH 640.0
#define HEIGHT 340.0
#define LEFT 78.0
#define RIGHT 20.0
#define TOP 16.0
#define BOTTOM 46.0
#define STEPS 24 /* segments of a line that may be curved */

struct frame { /* logarithms of the ends of the axes */
    double x0, x1, y0, y1;
};

static double at_x(const struct frame *frame, double size) {
    double share = (log10(size) - frame->x0) / (frame->x1 - frame->x0);
    return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct frame *frame, double cost) {
    double share = (log10(cost) - frame->y0) / (frame->y1 - frame->y0);
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
}

static void widen(struct frame *frame, const struct html_point *point) {
    if (!(point->size > 0) || !(point->cost > 0))
        return;
    frame->x0 = fmin(frame->x0, log10(point->size));
    frame->x1 = fmax(frame->x1, log10(point->size));
    frame->y0 = fmin(frame->y0, log10(point->cost));
    frame->y1 = fmax(frame->y1, log10(point->cost));
}

static struct frame find_frame(const struct html_chart *chart) {
    struct frame frame = {1e9, -1e9, 1e9, -1e9};
    for (size_t i = 0; i < chart->count; i++)
        widen(&frame, &chart->points[i]);
    for (size_t i = 0; i < chart->predicted_count; i++)
        widen(&frame, &chart->predicted[i]);
    widen(&frame, &chart->relative);
    frame.x0 = floor(frame.x0);
    frame.y0 = floor(frame.y0);
    frame.x1 = fmax(ceil(frame.x1), frame.x0 + 1);
    frame.y1 = fmax(ceil(frame.y1), frame.y0 + 1);
    return frame;
}

/* ---- axes ---- */

static void add_power(double power, struct base_buffer *out) {
    static const char *const small[] = {"1", "10", "100", "1,000", "10,000"};
    if (power >= 0 && power < 5)
        base_buffer_print(out, "%s", small[(int)power]);
    else
        base_buffer_print(out, "1e%.0f", power);
}

static void add_axes(const struct frame *frame, struct base_buffer *out) {
    double bottom = HEIGHT - BOTTOM, step = frame->y1 - frame->y0 > 8 ? 2 : 1;
    base_buffer_print(out, "<g aria-hidden=\"true\">\n");
    for (double x = frame->x0; x <= frame->x1; x++) {
        double at = at_x(frame, pow(10, x));
        base_buffer_print(out,
                          "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                          "text-anchor=\"middle\">",
                          at, TOP, bottom, at, bottom + 16);
        add_power(x, out);
        base_buffer_print(out, "</text>\n");
    }
    for (double y = frame->y0; y <= frame->y1; y += step) {
        double at = at_y(frame, pow(10, y));
        base_buffer_print(out,
                          "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                          "text-anchor=\"end\">",
                          LEFT, at, WIDTH - RIGHT, LEFT - 6, at + 4);
        add_power(y, out);
        base_buffer_print(out, "</text>\n");
    }
    base_buffer_print(out,
                      "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n"
                      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">size</text>\n"
                      "<text x=\"14\" y=\"%.1f\" transform=\"rotate(-90 14 %.1f)\" "
                      "text-anchor=\"middle\">cost</text>\n</g>\n",
                      LEFT, TOP, bottom, WIDTH - RIGHT, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8,
                      (TOP + bottom) / 2, (TOP + bottom) / 2);
}

/* ---- lines ---- */

/* A law through AT: an exponent, or a factor per byte. */
struct law {
    struct html_point at;
    double exponent, factor;
};

static double cost_at(const struct law *law, double size) {
    return law->factor > 0 ? law->at.cost * pow(law->factor, size - law->at.size)
                           : law->at.cost * pow(size / law->at.size, law->exponent);
}

/* The logarithm of the size with that cost; all laws rise. */
static double size_at(const struct law *law, double cost) {
    double ratio = cost / law->at.cost;
    return log10(law->factor > 0 ? fmax(1e-9, law->at.size + log(ratio) / log(law->factor))
                                 : law->at.size * pow(ratio, 1 / law->exponent));
}

/* From where the line enters the frame to where it leaves it. */
static void add_line(const struct frame *frame, const char *class, struct law law,
                     struct base_buffer *out) {
    double low = fmax(frame->x0, size_at(&law, pow(10, frame->y0)));
    double high = fmin(frame->x1, size_at(&law, pow(10, frame->y1)));
    if (!(low < high))
        return;
    base_buffer_print(out, "<path class=\"%s\" d=\"", class);
    for (int i = 0; i <= STEPS; i++) {
        double size = pow(10, low + (high - low) * i / STEPS);
        base_buffer_print(out, "%s%.1f %.1f", i ? "L" : "M", at_x(frame, size),
                          at_y(frame, cost_at(&law, size)));
    }
    base_buffer_print(out, "\"/>\n");
}

static void add_points(const struct frame *frame, const char *class,
                       const struct html_point *points, size_t count, struct base_buffer *out) {
    for (size_t i = 0; i < count; i++)
        if (points[i].size > 0 && points[i].cost > 0)
            base_buffer_print(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n",
                              class, at_x(frame, points[i].size), at_y(frame, points[i].cost));
}

/* ---- in words ---- */

static void add_words(const struct html_chart *chart, struct base_buffer *out) {
    base_buffer_print(out, "<title id=\"%s-title\">", chart->id);
    report_xml(chart->title, out);
    base_buffer_print(out,
                      "</title>\n<desc id=\"%s-desc\">Cost against size, both on logarithmic "
                      "axes. %zu measured points",
                      chart->id, chart->count);
    if (chart->count) {
        base_buffer_print(out, ", from ");
        html_number(chart->points[0].cost, out);
        base_buffer_print(out, " at %.0f to ", chart->points[0].size);
        html_number(chart->points[chart->count - 1].cost, out);
        base_buffer_print(out, " at %.0f", chart->points[chart->count - 1].size);
    }
    if (chart->law) {
        base_buffer_print(out, "; the dashed line is the law ");
        report_xml(chart->law, out);
    }
    if (chart->relative.size > 0)
        base_buffer_print(out, "; the solid line is the linear relative");
    base_buffer_print(out, "; the dotted line is linear growth from the first point.</desc>\n");
}

static void add_key(const struct html_chart *chart, struct base_buffer *out) {
    base_buffer_print(out, "<p class=\"quiet\">Dots: measured.");
    if (chart->law)
        base_buffer_print(out, " Dashed: the law.");
    if (chart->predicted_count)
        base_buffer_print(out, " Rings: predicted.");
    if (chart->relative.size > 0)
        base_buffer_print(out, " Solid: the linear relative.");
    base_buffer_print(out, " Dotted: what linear growth from the first point would be.</p>\n");
}

static void add_table(const struct html_chart *chart, struct base_buffer *out) {
    base_buffer_print(out, "<details><summary>The numbers</summary>\n<table><caption>");
    report_xml(chart->title, out);
    base_buffer_print(out, "</caption><thead><tr><th class=\"n\" scope=\"col\">size</th>"
                           "<th class=\"n\" scope=\"col\">cost</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < chart->count; i++) {
        base_buffer_print(out, "<tr>");
        html_cell(chart->points[i].size, out);
        html_cell(chart->points[i].cost, out);
        base_buffer_print(out, "</tr>\n");
    }
    base_buffer_print(out, "</tbody></table></details>\n");
}

void html_chart(const struct html_chart *chart, struct base_buffer *out) {
    if (!chart->count && !chart->predicted_count)
        return;
    struct frame frame = find_frame(chart);
    if (!(frame.x1 - frame.x0 < 40) || !(frame.y1 - frame.y0 < 400))
        return; /* nothing to draw */
    struct html_point first = chart->count ? chart->points[0] : chart->predicted[0];
    base_buffer_print(out,
                      "<svg role=\"img\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
                      "aria-labelledby=\"%s-title %s-desc\">\n",
                      WIDTH, HEIGHT, WIDTH, HEIGHT, chart->id, chart->id);
    add_words(chart, out);
    add_axes(&frame, out);
    base_buffer_print(out, "<g aria-hidden=\"true\">\n");
    if (first.size > 0)
        add_line(&frame, "guide", (struct law){first, 1, 0}, out);
    if (chart->relative.size > 0)
        add_line(&frame, "tame", (struct law){chart->relative, 1, 0}, out);
    if (chart->law && chart->count)
        add_line(&frame, "fit",
                 (struct law){chart->points[chart->count - 1], chart->exponent, chart->factor},
                 out);
    add_points(&frame, "point", chart->points, chart->count, out);
    add_points(&frame, "predicted", chart->predicted, chart->predicted_count, out);
    if (chart->relative.size > 0)
        add_points(&frame, "tamepoint", &chart->relative, 1, out);
    base_buffer_print(out, "</g>\n</svg>\n");
    add_key(chart, out);
    add_table(chart, out);
}
