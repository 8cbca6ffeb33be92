/* SPDX-License-Identifier: Apache-2.0
 *
 * One self-contained HTML file: no network, no inline style, and a content-security policy that
 * allows only its own style sheet and script, by their hashes. CI servers that forbid both still
 * show everything. The same suite gives the same bytes.
 */
#include "report/html.h"

#include "report/page.h"
#include "suite/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FINDINGS 50
#define MOST_LINES 4000 /* of source lines on the whole page */
#define MOST_TARGETS 8u

/* ---- numbers ---- */

void html_number(double number, struct base_buffer *out) {
    char digits[64];
    if (!isfinite(number)) {
        base_buffer_print(out, "beyond all numbers");
        return;
    }
    if (fabs(number) >= 100)
        number = round(number); /* a fraction of a count */
    if (fabs(number) >= 1e15 || number != floor(number)) {
        base_buffer_print(out, "%.4g", number);
        return;
    }
    int length = snprintf(digits, sizeof digits, "%.0f", number);
    for (int i = 0; i < length; i++)
        base_buffer_print(out, "%c%s", digits[i],
                          i + 1 < length && (length - 1 - i) % 3 == 0 && digits[i] != '-' ? ","
                                                                                          : "");
}

void html_cell(double number, struct base_buffer *out) {
    base_buffer_print(out, "<td class=\"n\" data-value=\"%.17g\">", number);
    html_number(number, out);
    base_buffer_print(out, "</td>");
}

/* ---- head ---- */

/* Policies have hashes in base64; the build has them in hex. */
static void add_hash(const char *hex, struct base_buffer *out) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0, count = 0, written = 0;
    base_buffer_print(out, "'sha256-");
    for (; *hex; hex++) {
        unsigned digit = (unsigned)(strchr("0123456789abcdef", *hex) - "0123456789abcdef");
        bits = bits << 4 | digit;
        count += 4;
        for (; count >= 6; count -= 6, written++)
            base_buffer_print(out, "%c", letters[bits >> (count - 6) & 63]);
        bits &= (1u << count) - 1;
    }
    if (count) {
        base_buffer_print(out, "%c", letters[bits << (6 - count) & 63]);
        written++;
    }
    for (; written % 4; written++)
        base_buffer_print(out, "=");
    base_buffer_print(out, "'");
}

static void add_head(const struct report_page *page, struct base_buffer *out) {
    base_buffer_print(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                           "'none'; style-src ");
    add_hash(PAGE_CSS_HASH, out);
    base_buffer_print(out, "; script-src ");
    add_hash(PAGE_JS_HASH, out);
    base_buffer_print(out, "; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" "
                           "content=\"width=device-width, initial-scale=1\">\n<title>slowpath: ");
    report_xml(page->report->folder, out);
    base_buffer_print(out, "</title>\n<style>");
    base_buffer_add(out, page_css, sizeof page_css);
    base_buffer_print(out, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the "
                           "findings</a>\n");
}

/* File names only; the commands at the end of the page have full paths. */
static void add_targets(const json_t *targets, struct base_buffer *out) {
    const json_t *name;
    size_t index;
    if (json_is_string(targets)) /* a single target is not a list */
        report_xml(json_string_value(targets), out);
    json_array_foreach((json_t *)targets, index, name) {
        const char *path = json_string_value(name) ? json_string_value(name) : "";
        const char *slash = strrchr(path, '/');
        if (index == MOST_TARGETS) {
            base_buffer_print(out, " and %zu more", json_array_size(targets) - index);
            return;
        }
        base_buffer_print(out, "%s", index ? ", " : "");
        report_xml(slash ? slash + 1 : path, out);
    }
}

static void add_title(const struct report_page *page, struct base_buffer *out) {
    const json_t *root = page->report->root;
    base_buffer_print(out, "<header><h1>slowpath: ");
    report_xml(page->report->folder, out);
    base_buffer_print(out, "</h1>\n<p class=\"quiet\">");
    add_targets(json_object_get(root, "target"), out);
    if (suite_text(root, "entry", NULL)) {
        base_buffer_print(out, "; entry <code>");
        report_xml(suite_text(root, "entry", ""), out);
        base_buffer_print(out, "</code>");
    }
    base_buffer_print(out, "; strategy ");
    report_xml(suite_text(root, "strategy", ""), out);
    base_buffer_print(out, ", measured by ");
    report_xml(suite_text(root, "measure", ""), out);
    base_buffer_print(out, "</p></header>\n");
}

/* ---- the table of findings ---- */

static void add_row(const json_t *finding, struct base_buffer *out) {
    struct base_buffer size = {0};
    const char *function;
    int line;
    const char *file = suite_finding_place(finding, &line, &function);
    double second = suite_number(json_object_get(finding, "one_second"), "size", 1e300);
    suite_tell_size(finding, second, &size);
    base_buffer_print(out, "<tr><td><a href=\"#");
    report_xml(suite_text(finding, "id", ""), out);
    base_buffer_print(out, "\">");
    report_xml(suite_text(finding, "id", "?"), out);
    base_buffer_print(out, "</a></td><td class=\"law\">");
    report_xml(suite_text(finding, "law", "?"), out);
    base_buffer_print(out, "</td><td class=\"where\"><code>");
    report_xml(function, out);
    base_buffer_print(out, "</code> ");
    report_xml(report_relative(file), out);
    base_buffer_print(out, "%s", *file ? ":" : "");
    if (*file)
        base_buffer_print(out, "%d", line);
    base_buffer_print(
        out, "</td><td class=\"n\" data-value=\"%.17g\">%s</td><td class=\"recipe\"><code>", second,
        size.data);
    report_xml(suite_text(finding, "recipe", ""), out);
    base_buffer_print(out, "</code></td>");
    html_cell(suite_number(finding, "variants", 0), out);
    base_buffer_print(out, "</tr>\n");
    base_buffer_done(&size);
}

static void add_findings(const struct report_page *page, struct base_buffer *out) {
    const json_t *list = json_object_get(page->report->root, "findings"), *finding;
    size_t index, left = MOST_LINES;
    base_buffer_print(out, "<h2 id=\"findings\">Findings</h2>\n");
    if (!json_array_size(list)) {
        base_buffer_print(out, "<p>No superlinear cost was found.</p>\n");
        return;
    }
    base_buffer_print(out,
                      "<div class=\"wide\"><table class=\"sortable\"><thead><tr><th "
                      "scope=\"col\">finding</th><th scope=\"col\">law</th><th scope=\"col\">where"
                      "</th><th class=\"n\" scope=\"col\">one second at</th><th scope=\"col\">"
                      "recipe</th><th class=\"n\" scope=\"col\">variants</th></tr></thead>"
                      "<tbody>\n");
    json_array_foreach((json_t *)list, index, finding) if (index < MOST_FINDINGS)
        add_row(finding, out);
    base_buffer_print(out, "</tbody></table></div>\n");
    if (json_array_size(list) > MOST_FINDINGS)
        base_buffer_print(out, "<p class=\"quiet\">%zu more are in suite.json.</p>\n",
                          json_array_size(list) - MOST_FINDINGS);
    if (page->note) {
        base_buffer_print(out, "<p class=\"quiet\">Without sources and stacks: ");
        report_xml(page->note, out);
        base_buffer_print(out, "</p>\n");
    }
    json_array_foreach((json_t *)list, index, finding) if (index < MOST_FINDINGS)
        html_finding(page, finding, index, &left, out);
}

/* ---- after a replay ---- */

static void add_failures(const struct report *report, struct base_buffer *out) {
    size_t failed = 0;
    for (size_t i = 0; i < report->test_count; i++)
        failed += !report->tests[i].holds;
    if (!report->is_replayed)
        return;
    base_buffer_print(out, "<p>%zu of %zu tests hold.</p>\n", report->test_count - failed,
                      report->test_count);
    if (!failed)
        return;
    base_buffer_print(out, "<table><thead><tr><th scope=\"col\">test</th><th class=\"n\" "
                           "scope=\"col\">recorded</th><th class=\"n\" scope=\"col\">now</th><th "
                           "scope=\"col\">verdict</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < report->test_count; i++) {
        const struct report_test *test = &report->tests[i];
        if (test->holds)
            continue;
        base_buffer_print(out, "<tr><td>");
        report_xml(test->file, out);
        base_buffer_print(out, "</td>");
        html_cell(test->recorded, out);
        html_cell(test->now, out);
        base_buffer_print(out, "<td>%s</td></tr>\n", test->law_now ? "a worse law" : test->verdict);
    }
    base_buffer_print(out, "</tbody></table>\n");
}

static void add_place(const json_t *loop, struct base_buffer *out) {
    base_buffer_print(out, "<td><code>");
    report_xml(suite_text(loop, "function", ""), out);
    base_buffer_print(out, " ");
    report_xml(report_relative(suite_text(loop, "file", "")), out);
    base_buffer_print(out, ":%.0f</code></td>", suite_number(loop, "line", 0));
}

/* Nested loops that read the same data again. */
static void add_redundant(const struct report_page *page, struct base_buffer *out) {
    const json_t *list = json_object_get(page->report->root, "redundant"), *finding;
    size_t index;
    if (!json_array_size(list))
        return;
    base_buffer_print(out, "<h2 id=\"redundant\">Read again and again</h2>\n"
                           "<div class=\"wide\"><table><thead><tr><th scope=\"col\">nest</th>"
                           "<th scope=\"col\">outer loop</th><th scope=\"col\">inner loop</th>"
                           "<th scope=\"col\">what</th><th scope=\"col\">fix</th></tr></thead>"
                           "<tbody>\n");
    json_array_foreach((json_t *)list, index, finding) {
        if (index == MOST_FINDINGS)
            break;
        base_buffer_print(out, "<tr><td>");
        report_xml(suite_text(finding, "id", ""), out);
        base_buffer_print(out, "</td>");
        add_place(json_object_get(finding, "outer"), out);
        add_place(json_object_get(finding, "inner"), out);
        base_buffer_print(out, "<td>");
        report_xml(suite_text(finding, "text", ""), out);
        base_buffer_print(out, "</td><td>");
        report_xml(suite_text(finding, "mend", ""), out);
        base_buffer_print(out, "</td></tr>\n");
    }
    base_buffer_print(out, "</tbody></table></div>\n");
}

/* If a suite has no findings, the page shows its costliest test. */
static void add_first_test(const struct report_page *page, struct base_buffer *out) {
    size_t left = MOST_LINES;
    if (json_array_size(json_object_get(page->report->root, "findings")) || !page->profile_count ||
        !page->profiles[0].more)
        return;
    base_buffer_print(out, "<h2 id=\"source\">The source, by the costliest test</h2>\n");
    html_source(&page->profiles[0], NULL, &left, out);
    html_loops(&page->profiles[0], out);
}

void report_html(const struct report_page *page, struct base_buffer *out) {
    add_head(page, out);
    add_title(page, out);
    base_buffer_print(out, "<main id=\"main\">\n");
    add_failures(page->report, out);
    add_findings(page, out);
    add_redundant(page, out);
    add_first_test(page, out);
    if (page->profile_count && page->profiles[0].more)
        html_icicle(&page->profiles[0], out);
    html_model(page->report->root, out);
    html_tests(page, out);
    html_settings(page, out);
    base_buffer_print(out, "</main>\n<script>");
    base_buffer_add(out, page_js, sizeof page_js);
    base_buffer_print(out, "</script>\n</body>\n</html>\n");
}
