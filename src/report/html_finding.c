/* SPDX-License-Identifier: Apache-2.0
 *
 * One finding on the page: the law as a chart, the factors, the recipe, the input, the source.
 */
#include "report/html.h"

#include "suite/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_POINTS 64

static void add_heading(const json_t *finding, struct base_buffer *out) {
    const char *function;
    int line;
    const char *file = suite_finding_place(finding, &line, &function);
    base_buffer_print(out, "<h2 id=\"");
    report_xml(suite_text(finding, "id", "F"), out);
    base_buffer_print(out, "\">");
    report_xml(suite_text(finding, "id", "F"), out);
    base_buffer_print(out, ": <span class=\"law\">");
    report_xml(suite_text(finding, "law", "?"), out);
    base_buffer_print(out, "</span> in <code>");
    report_xml(function, out);
    base_buffer_print(out, "</code></h2>\n");
    if (*file) {
        base_buffer_print(out, "<p class=\"quiet\">");
        report_xml(report_relative(file), out);
        base_buffer_print(out, ":%d</p>\n", line);
    }
}

static void add_steps(const json_t *steps, const char *title, const char *grows,
                      struct base_buffer *out) {
    size_t index;
    const json_t *step;
    base_buffer_print(out,
                      "<table><caption>%s</caption><thead><tr><th scope=\"col\">step</th><th "
                      "class=\"n\" scope=\"col\">times</th><th class=\"n\" scope=\"col\">%s</th>"
                      "</tr></thead><tbody>\n",
                      title, grows);
    json_array_foreach((json_t *)steps, index, step) {
        struct base_buffer text = {0};
        suite_tell_step(step, &text);
        base_buffer_print(out, "<tr><td>");
        report_xml(text.data, out);
        base_buffer_print(out, "</td>");
        html_cell(suite_number(step, "count", 0), out);
        base_buffer_print(out, "<td class=\"n\">n^%.2g</td></tr>\n",
                          suite_number(step, "grows", 0));
        base_buffer_done(&text);
    }
    base_buffer_print(out, "</tbody></table>\n");
}

static void add_cause(const json_t *finding, struct base_buffer *out) {
    const json_t *cause = json_object_get(finding, "cause"),
                 *chain = json_object_get(finding, "chain");
    if (json_array_size(cause)) {
        base_buffer_print(out, "<h3>Why</h3>\n");
        add_steps(cause, "The cost is the product of these factors", "adds", out);
    }
    if (json_array_size(chain)) {
        base_buffer_print(out, "<details><summary>The way from the entry</summary>\n");
        add_steps(chain, "From the outside to the inside", "grows", out);
        base_buffer_print(out, "</details>\n");
    }
}

static void add_chart(const json_t *finding, size_t number, struct base_buffer *out) {
    struct html_point points[MOST_POINTS];
    const json_t *series = json_object_get(finding, "series"), *point;
    const json_t *relative = json_object_get(finding, "linear_relative");
    size_t index, count = 0;
    char id[32], *title = base_format("Cost of %s against the size of the input",
                                      suite_text(finding, "id", "the finding"));
    json_array_foreach((json_t *)series, index, point) {
        struct html_point at = {json_number_value(json_array_get(point, 0)),
                                json_number_value(json_array_get(point, 1))};
        if (count < MOST_POINTS && at.size > 0 && at.cost > 0)
            points[count++] = at;
    }
    snprintf(id, sizeof id, "chart%zu", number);
    double factor = suite_number(finding, "factor", 0);
    struct html_chart chart = {
        .id = id,
        .title = title,
        .law = suite_text(finding, "law", "?"),
        .points = points,
        .count = count,
        .exponent = suite_number(finding, "exponent", 1),
        .factor = factor > 1 ? factor : 0,
        .relative = {suite_number(relative, "size", 0), suite_number(relative, "cost", 0)}};
    html_chart(&chart, out);
    free(title);
}

static void add_pair(const char *name, const char *text, struct base_buffer *out) {
    base_buffer_print(out, "<dt>%s</dt><dd>", name);
    report_xml(text, out);
    base_buffer_print(out, "</dd>\n");
}

static void add_costs(const json_t *finding, struct base_buffer *out) {
    size_t index;
    const json_t *at, *second = json_object_get(finding, "one_second"),
                      *seconds = json_object_get(finding, "seconds");
    json_array_foreach(json_object_get(finding, "cost_at"), index, at) {
        struct base_buffer size = {0}, text = {0};
        bool measured = json_is_true(json_object_get(at, "measured"));
        suite_tell_size(finding, suite_number(at, "size", 0), &size);
        html_number(suite_number(at, "cost", INFINITY), &text);
        base_buffer_print(&text, "%s", measured ? ", measured" : ", by the law");
        char *name = base_format("cost at %s", size.data);
        add_pair(name, text.data, out);
        free(name);
        base_buffer_done(&size);
        base_buffer_done(&text);
    }
    struct base_buffer text = {0};
    suite_tell_size(finding, suite_number(second, "size", INFINITY), &text);
    base_buffer_print(&text, "%s",
                      json_is_true(json_object_get(second, "timed"))
                          ? ", by the time of a plain build"
                          : ", at a billion instructions a second");
    add_pair("one second at", text.data, out);
    base_buffer_done(&text);
    if (seconds) {
        char *taken = base_format("%.3g s for %.0f bytes", suite_number(seconds, "seconds", 0),
                                  suite_number(seconds, "size", 0));
        add_pair("a plain build takes", taken, out);
        free(taken);
    }
}

static void add_relative(const json_t *finding, struct base_buffer *out) {
    const json_t *relative = json_object_get(finding, "linear_relative"),
                 *smallest = json_object_get(finding, "smallest"),
                 *two = json_object_get(finding, "parameters");
    if (json_is_object(smallest)) {
        char *text = base_format("%.0f bytes, %.0f repetitions", suite_number(smallest, "size", 0),
                                 suite_number(smallest, "repetitions", 0));
        add_pair("smallest that shows it", text, out);
        free(text);
    }
    if (json_is_object(relative)) {
        add_pair("linear relative", suite_text(relative, "recipe", ""), out);
        add_pair("what differs", suite_text(relative, "differs", ""), out);
    }
    if (json_is_object(two)) {
        char *text = base_format("%s: a is %s, b %s", suite_text(two, "law", ""),
                                 suite_text(two, "a", ""), suite_text(two, "b", ""));
        add_pair("in two parameters", text, out);
        free(text);
    }
}

static void add_variants(const json_t *finding, struct base_buffer *out) {
    const json_t *list = json_object_get(finding, "variant_list"), *variant;
    size_t index;
    if (!json_array_size(list))
        return;
    base_buffer_print(out,
                      "<details><summary>%zu variant%s with the same cause</summary>\n<table>"
                      "<thead><tr><th scope=\"col\">law</th><th scope=\"col\">where</th><th "
                      "scope=\"col\">recipe</th></tr></thead><tbody>\n",
                      json_array_size(list), json_array_size(list) == 1 ? "" : "s");
    json_array_foreach((json_t *)list, index, variant) {
        const json_t *place = json_object_get(variant, "hottest");
        base_buffer_print(out, "<tr><td>");
        report_xml(suite_text(variant, "law", "?"), out);
        base_buffer_print(out, "</td><td><code>");
        report_xml(suite_text(place, "function", "library functions"), out);
        base_buffer_print(out, "</code> ");
        report_xml(report_relative(suite_text(place, "file", "")), out);
        base_buffer_print(out, ":%.0f</td><td><code>", suite_number(place, "line", 0));
        report_xml(suite_text(variant, "recipe", ""), out);
        base_buffer_print(out, "</code></td></tr>\n");
    }
    base_buffer_print(out, "</tbody></table></details>\n");
}

void html_finding(const struct report_page *page, const json_t *finding, size_t index,
                  size_t *lines_left, struct base_buffer *out) {
    const struct report_profile *profile =
        index < page->profile_count && page->profiles[index].more ? &page->profiles[index] : NULL;
    base_buffer_print(out, "<section>\n");
    add_heading(finding, out);
    add_chart(finding, index + 1, out);
    add_cause(finding, out);
    base_buffer_print(out, "<h3>The input</h3>\n");
    html_recipe(suite_text(finding, "recipe", ""), suite_number(finding, "repetitions", 0), out);
    base_buffer_print(out, "<pre class=\"copy\">");
    report_xml(suite_text(finding, "shell", ""), out);
    base_buffer_print(out, "</pre>\n<dl>\n");
    add_costs(finding, out);
    add_relative(finding, out);
    base_buffer_print(out, "</dl>\n");
    add_variants(finding, out);
    if (profile) {
        base_buffer_print(out, "<h3>The source</h3>\n");
        html_source(profile, finding, lines_left, out);
        html_loops(profile, out);
    }
    base_buffer_print(out, "</section>\n");
}
