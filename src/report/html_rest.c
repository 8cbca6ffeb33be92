/* SPDX-License-Identifier: Apache-2.0
 *
 * The other parts of the page: how an input is made and its first bytes, the tests, the model of
 * cost by size, families of costs, stages of a pipeline, and how to reproduce the results.
 */
#include "report/html.h"

#include "suite/finding.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_UNITS 3
#define MOST_TESTS 200
#define MOST_ROWS 64

/* ---- inputs ---- */

static void add_piece(const char *class, const struct target_piece *piece, unsigned times,
                      struct base_buffer *out) {
    struct base_buffer text = {0};
    if (!piece->size && piece->hole == TARGET_NO_HOLE)
        return;
    target_piece_print(piece, &text);
    for (unsigned i = 0; i < times; i++) {
        base_buffer_print(out, "<mark class=\"%s\" title=\"%s\">", class, class);
        text.data[text.count - 1] = 0; /* without the quotes */
        report_xml(text.data + 1, out);
        base_buffer_print(out, "</mark>");
    }
    base_buffer_done(&text);
}

static void add_run(const char *class, const struct target_piece *piece, double times,
                    struct base_buffer *out) {
    if (!piece->size && piece->hole == TARGET_NO_HOLE)
        return;
    add_piece(class, piece, times < SHOWN_UNITS ? (unsigned)times : SHOWN_UNITS, out);
    if (times > SHOWN_UNITS) {
        base_buffer_print(out, " … ");
        html_number(times, out);
        base_buffer_print(out, " times ");
    }
}

static void add_pieces(const struct target_pattern *pattern, double times,
                       struct base_buffer *out) {
    double others = (double)target_pattern_others(pattern, (uint64_t)times);
    add_piece("prefix", &pattern->prefix, 1, out);
    if (pattern->kind == TARGET_PATTERN_GRID) {
        base_buffer_print(out, "( ");
        add_piece("unit", &pattern->unit, 1, out);
        add_run("other", &pattern->other, others, out);
        base_buffer_print(out, ") ");
        html_number(times, out);
        base_buffer_print(out, " times ");
    } else {
        add_run("unit", &pattern->unit, times, out);
        add_piece("middle", &pattern->middle, 1, out);
        if (target_pattern_has_other(pattern))
            add_run("other", &pattern->other, others, out);
    }
    add_piece("suffix", &pattern->suffix, 1, out);
}

void html_recipe(const char *recipe, double repetitions, struct base_buffer *out) {
    struct target_pattern pattern;
    double times = repetitions >= 1 && repetitions < 1e15 ? repetitions : 1;
    base_buffer_print(out, "<p><code>");
    if (!target_pattern_parse(recipe, &pattern))
        report_xml(recipe, out);
    else {
        base_buffer_print(out, pattern.copies == 2 ? "twice: " : "");
        add_pieces(&pattern, times, out);
    }
    base_buffer_print(out, "</code></p>\n");
}

static bool is_text(const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isprint((unsigned char)bytes[i]) && !isspace((unsigned char)bytes[i]))
            return false;
    return true;
}

void html_bytes(const char *bytes, size_t shown, size_t size, struct base_buffer *out) {
    base_buffer_print(out, "<code>");
    if (is_text(bytes, shown))
        for (size_t i = 0; i < shown; i++) {
            char text[] = {bytes[i], 0};
            report_xml(bytes[i] == '\n'   ? "\\n"
                       : bytes[i] == '\t' ? "\\t"
                       : bytes[i] == '\r' ? "\\r"
                                          : text,
                       out);
        }
    else
        for (size_t i = 0; i < shown; i++)
            base_buffer_print(out, "%s%02x", i ? " " : "", (unsigned char)bytes[i]);
    base_buffer_print(out, "%s</code>", shown < size ? " …" : "");
}

/* ---- tests ---- */

static void add_href(const struct report_page *page, const char *file, struct base_buffer *out) {
    base_buffer_print(out, "<a href=\"");
    report_uri(page->link, out);
    base_buffer_print(out, "/");
    report_uri(file, out);
    base_buffer_print(out, "\">");
    report_xml(file, out);
    base_buffer_print(out, "</a>");
}

static const char *formula_of(const json_t *test) {
    const json_t *costs = json_object_get(test, "symbolic_cost");
    void *first = json_object_iter((json_t *)costs);
    return first ? json_string_value(json_object_iter_value(first)) : NULL;
}

static void add_test(const struct report_page *page, const json_t *test, size_t index,
                     const char *measure, struct base_buffer *out) {
    const char *formula = formula_of(test), *condition = suite_text(test, "condition", NULL);
    base_buffer_print(out, "<tr><td>");
    add_href(page, suite_text(test, "file", ""), out);
    base_buffer_print(out, "</td>");
    html_cell(suite_number(json_object_get(test, "cost"), measure, 0), out);
    html_cell(page->inputs ? (double)page->sizes[index] : 0, out);
    base_buffer_print(out, "<td>%s</td><td>",
                      json_is_true(json_object_get(test, "verified")) ? "yes" : "no");
    report_xml(suite_text(json_object_get(test, "growth"), "class", ""), out);
    if (formula) {
        base_buffer_print(out, "<code>");
        report_xml(formula, out);
        base_buffer_print(out, "</code>");
    }
    if (formula && condition) {
        base_buffer_print(out, " where <code>");
        report_xml(condition, out);
        base_buffer_print(out, "</code>");
    }
    base_buffer_print(out, "</td><td>");
    if (page->inputs)
        html_bytes(page->inputs[index], page->shown[index], page->sizes[index], out);
    base_buffer_print(out, "</td></tr>\n");
}

static void add_stages(const json_t *test, struct base_buffer *out) {
    const json_t *stages = json_object_get(test, "stages"), *stage;
    size_t index;
    double sum = 0;
    json_array_foreach((json_t *)stages, index, stage) sum +=
        suite_number(json_object_get(stage, "cost"), "instructions", 0);
    if (!json_array_size(stages))
        return;
    base_buffer_print(out, "<table><caption>Stages of ");
    report_xml(suite_text(test, "file", ""), out);
    base_buffer_print(out,
                      "</caption><thead><tr><th scope=\"col\">command</th><th class=\"n\" "
                      "scope=\"col\">instructions</th><th class=\"n\" scope=\"col\">share</th>"
                      "<th class=\"n\" scope=\"col\">bytes written</th></tr></thead><tbody>\n");
    json_array_foreach((json_t *)stages, index, stage) {
        double cost = suite_number(json_object_get(stage, "cost"), "instructions", 0);
        base_buffer_print(out, "<tr><td><code>");
        report_xml(suite_text(stage, "command", ""), out);
        base_buffer_print(out, "</code></td>");
        html_cell(cost, out);
        base_buffer_print(out, "<td class=\"n\">%.1f%%</td>", sum > 0 ? cost * 100 / sum : 0);
        html_cell(suite_number(stage, "output_bytes", 0), out);
        base_buffer_print(out, "</tr>\n");
    }
    base_buffer_print(out, "</tbody></table>\n");
}

void html_tests(const struct report_page *page, struct base_buffer *out) {
    const json_t *tests = json_object_get(page->report->root, "tests"), *test;
    const char *measure = suite_text(page->report->root, "measure", "instructions");
    size_t index, count = json_array_size(tests);
    base_buffer_print(out,
                      "<h2 id=\"tests\">Tests</h2>\n<div class=\"wide\"><table "
                      "class=\"sortable\"><thead><tr><th scope=\"col\">test</th><th class=\"n\" "
                      "scope=\"col\">");
    report_xml(measure, out);
    base_buffer_print(out,
                      "</th><th class=\"n\" scope=\"col\">bytes</th><th scope=\"col\">verified"
                      "</th><th scope=\"col\">growth</th><th scope=\"col\">begins with</th></tr>"
                      "</thead><tbody>\n");
    json_array_foreach((json_t *)tests, index, test) {
        if (index == MOST_TESTS)
            break;
        add_test(page, test, index, measure, out);
    }
    base_buffer_print(out, "</tbody></table></div>\n");
    if (count > MOST_TESTS)
        base_buffer_print(out, "<p class=\"quiet\">%zu more are in suite.json.</p>\n",
                          count - MOST_TESTS);
    json_array_foreach((json_t *)tests, index, test) {
        if (index == MOST_TESTS)
            break;
        add_stages(test, out);
    }
}

/* ---- cost by size ---- */

void html_model(const json_t *root, struct base_buffer *out) {
    const json_t *model = json_object_get(root, "model"), *row;
    const json_t *rows = json_object_get(model, "costs");
    struct html_point measured[MOST_ROWS], predicted[MOST_ROWS];
    size_t index, count = 0, others = 0;
    if (!json_is_object(model))
        return;
    base_buffer_print(out, "<h2 id=\"model\">Cost as a function of size</h2>\n<p><code>");
    report_xml(suite_text(model, "cost", "no formula fits"), out);
    base_buffer_print(out, "</code> ");
    report_xml(suite_text(model, "class", ""), out);
    base_buffer_print(out, "</p>\n");
    json_array_foreach((json_t *)rows, index, row) {
        double size = suite_number(row, suite_text(model, "size", "n"), 0);
        struct html_point now = {size, suite_number(row, "measured", 0)},
                          then = {size, suite_number(row, "predicted", 0)};
        if (count < MOST_ROWS && now.cost > 0 && size > 0)
            measured[count++] = now;
        if (others < MOST_ROWS && then.cost > 0 && size > 0)
            predicted[others++] = then;
    }
    struct html_chart chart = {.id = "model-chart",
                               .title = "Cost at each size, measured and predicted",
                               .points = measured,
                               .count = count,
                               .predicted = predicted,
                               .predicted_count = others};
    html_chart(&chart, out);
}

/* ---- reproducing ---- */

static void add_word(const char *word, struct base_buffer *out) {
    bool is_plain = *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_./=:,+-@%") == strlen(word);
    struct base_buffer quoted = {0};
    for (const char *at = word; *at; at++)
        base_buffer_print(&quoted, *at == '\'' ? "'\\''" : "%c", *at);
    base_buffer_print(out, " %s", is_plain ? "" : "'");
    report_xml(quoted.data ? quoted.data : "", out);
    base_buffer_print(out, "%s", is_plain ? "" : "'");
    base_buffer_done(&quoted);
}

static void add_words(const json_t *list, const char *option, struct base_buffer *out) {
    struct base_buffer joined = {0};
    size_t index;
    const json_t *word;
    json_array_foreach((json_t *)list, index, word)
        base_buffer_print(&joined, "%s%s", index ? " " : "", json_string_value(word));
    if (joined.count) {
        base_buffer_print(out, " %s", option);
        add_word(joined.data, out);
    }
    base_buffer_done(&joined);
}

static void add_commands(const struct report_page *page, struct base_buffer *out) {
    const json_t *root = page->report->root, *targets = json_object_get(root, "target"), *name;
    const json_t *options = json_object_get(root, "options");
    const char *entry = suite_text(root, "entry", NULL), *size;
    size_t index;
    json_t *value;
    base_buffer_print(out, "<pre class=\"copy\">slowpath run");
    if (json_is_string(targets)) /* a single target is not a list */
        add_word(json_string_value(targets), out);
    json_array_foreach((json_t *)targets, index, name)
        add_word(json_string_value(name) ? json_string_value(name) : "", out);
    add_words(json_object_get(options, "cflags"), "--cflags", out);
    if (entry) {
        base_buffer_print(out, " --entry");
        add_word(entry, out);
    }
    json_object_foreach(json_object_get(root, "sizes"), size, value) {
        char *given = base_format("%s=%.0f", size, json_number_value(value));
        base_buffer_print(out, " --size");
        add_word(given, out);
        free(given);
    }
    base_buffer_print(out, " --strategy");
    add_word(suite_text(root, "strategy", "auto"), out);
    base_buffer_print(out, " --measure");
    add_word(suite_text(root, "measure", "instructions"), out);
    base_buffer_print(out, " --seed %.0f", suite_number(json_object_get(root, "stats"), "seed", 0));
    add_words(json_object_get(options, "args"), "--args", out);
    base_buffer_print(out, "</pre>\n<pre class=\"copy\">slowpath replay");
    add_word(page->report->folder, out);
    base_buffer_print(out, "</pre>\n");
}

void html_settings(const struct report_page *page, struct base_buffer *out) {
    static const char *const shown[] = {"seconds", "build_seconds", "runs", "paths", "jobs", "end"};
    const json_t *stats = json_object_get(page->report->root, "stats");
    base_buffer_print(out, "<h2 id=\"settings\">How to do it again</h2>\n");
    add_commands(page, out);
    base_buffer_print(out, "<dl><dt>slowpath</dt><dd>");
    report_xml(suite_text(page->report->root, "slowpath", "?"), out);
    base_buffer_print(out, "</dd>\n");
    for (size_t i = 0; i < BASE_COUNT(shown); i++) {
        const json_t *value = json_object_get(stats, shown[i]);
        if (!value)
            continue;
        base_buffer_print(out, "<dt>%s</dt><dd>", shown[i]);
        if (json_is_number(value))
            html_number(json_number_value(value), out);
        else
            report_xml(json_string_value(value) ? json_string_value(value) : "", out);
        base_buffer_print(out, "</dd>\n");
    }
    base_buffer_print(out, "</dl>\n");
}
