/* SPDX-License-Identifier: Apache-2.0
 *
 * The short formats: GitLab's code quality, annotations of GitHub's runners, a summary in Markdown,
 * and a table of tests.
 */
#include "report/issues.h"

#include "suite/finding.h"

#include <stdlib.h>
#include <string.h>

#define SUMMARY_BYTES 60000 /* a comment may have 64 KB */
#define SUMMARY_ROWS 50
#define CELL 300

/* ---- GitLab ---- */

static const char *severity(const struct report_issue *issue) {
    if (!issue->fails)
        return "info";
    return issue->rule == REPORT_EXPONENTIAL ? "critical"
           : issue->rule == REPORT_COST      ? "minor"
                                             : "major";
}

/* GitLab merges results with equal fingerprints. */
static char *unique_print(const struct report_issues *issues, size_t index) {
    const struct report_issue *issue = &issues->data[index];
    size_t same = 0;
    for (size_t i = 0; i < index; i++)
        same += strcmp(issues->data[i].fingerprint, issue->fingerprint) == 0;
    return same ? base_format("%s-%zu", issue->fingerprint, same) : base_strdup(issue->fingerprint);
}

void report_gitlab(const struct report *report, struct base_buffer *out) {
    struct report_issues issues;
    json_t *list = json_array();
    report_list_issues(report, &issues);
    for (size_t i = 0; i < issues.count; i++) {
        const struct report_issue *issue = &issues.data[i];
        char *print = unique_print(&issues, i);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s, s:{s:s, s:{s:i}}}", "description",
                                        issue->message, "check_name", report_rule_name(issue->rule),
                                        "fingerprint", print, "severity", severity(issue),
                                        "location", "path", *issue->file ? issue->file : "unknown",
                                        "lines", "begin", issue->line < 1 ? 1 : issue->line));
        free(print);
    }
    char *text = json_dumps(list, JSON_INDENT(2));
    base_buffer_print(out, "%s\n", text ? text : "[]");
    free(text);
    json_decref(list);
    report_issues_done(&issues);
}

/* ---- GitHub ---- */

/* Escapes percent signs, line ends and, in properties, colons and commas. */
static void quote_command(const char *text, bool is_property, struct base_buffer *out) {
    for (; *text; text++)
        if (*text == '%' || *text == '\r' || *text == '\n' ||
            (is_property && (*text == ':' || *text == ',')))
            base_buffer_print(out, "%%%02X", (unsigned char)*text);
        else
            base_buffer_add(out, text, 1);
}

void report_github(const struct report *report, unsigned most, struct base_buffer *out) {
    struct report_issues issues;
    report_list_issues(report, &issues);
    for (size_t i = 0; i < issues.count && most; i++) {
        const struct report_issue *issue = &issues.data[i];
        if (!issue->fails)
            continue;
        base_buffer_print(out, "::%s file=", report->is_replayed ? "error" : "warning");
        quote_command(issue->file, true, out);
        base_buffer_print(out, ",line=%d,title=", issue->line < 1 ? 1 : issue->line);
        quote_command(report_rule_name(issue->rule), true, out);
        base_buffer_print(out, "::");
        quote_command(issue->message, false, out);
        base_buffer_print(out, "\n");
        most--;
    }
    report_issues_done(&issues);
}

/* ---- Markdown ---- */

/* A table cell, as code; long text is cut. */
static void add_cell(const char *text, struct base_buffer *out) {
    size_t left = CELL;
    base_buffer_print(out, " <code>");
    for (; *text && left; text++, left--)
        if (*text == '|' || *text == '<' || *text == '>' || *text == '&' || *text == '`' ||
            *text == '*' || *text == '_' || *text == '[' || *text == '\\' || *text == '~')
            base_buffer_print(out, "&#%d;", *text);
        else
            base_buffer_add(out, (unsigned char)*text < ' ' ? " " : text, 1);
    base_buffer_print(out, "%s</code> |", *text ? "…" : "");
}

static void add_findings(const json_t *root, struct base_buffer *out) {
    const json_t *list = json_object_get(root, "findings"), *finding;
    size_t index;
    if (!json_array_size(list)) {
        base_buffer_print(out, "No superlinear cost was found.\n");
        return;
    }
    base_buffer_print(out, "| | law | where | about 1 s at | recipe |\n|---|---|---|---|---|\n");
    json_array_foreach((json_t *)list, index, finding) {
        struct base_buffer size = {0}, place = {0};
        const char *function;
        int line;
        if (index == SUMMARY_ROWS || out->count > SUMMARY_BYTES) {
            base_buffer_print(out, "\n%zu more are in `suite.json`.\n",
                              json_array_size(list) - index);
            return;
        }
        const char *file = report_relative(suite_finding_place(finding, &line, &function));
        base_buffer_print(&place, "%s %s:%d", function, file, line);
        suite_tell_size(finding, suite_number(json_object_get(finding, "one_second"), "size", 1e30),
                        &size);
        base_buffer_print(out, "| %s |", suite_text(finding, "id", ""));
        add_cell(suite_text(finding, "law", ""), out);
        add_cell(place.data, out);
        add_cell(size.data, out);
        add_cell(suite_text(finding, "recipe", ""), out);
        base_buffer_print(out, "\n");
        base_buffer_done(&size);
        base_buffer_done(&place);
    }
}

/* Nested loops that read the same data again. */
static void add_redundant(const json_t *root, struct base_buffer *out) {
    const json_t *list = json_object_get(root, "redundant"), *finding;
    size_t index;
    if (!json_array_size(list))
        return;
    base_buffer_print(out, "\n| | outer loop | inner loop | fix |\n|---|---|---|---|\n");
    json_array_foreach((json_t *)list, index, finding) {
        if (index == SUMMARY_ROWS || out->count > SUMMARY_BYTES)
            return;
        base_buffer_print(out, "| %s |", suite_text(finding, "id", ""));
        for (unsigned i = 0; i < 2; i++) {
            const json_t *loop = json_object_get(finding, i ? "inner" : "outer");
            struct base_buffer place = {0};
            base_buffer_print(&place, "%s %s:%.0f", suite_text(loop, "function", ""),
                              report_relative(suite_text(loop, "file", "")),
                              suite_number(loop, "line", 0));
            add_cell(place.data, out);
            base_buffer_done(&place);
        }
        add_cell(suite_text(finding, "mend", ""), out);
        base_buffer_print(out, "\n");
    }
}

static void add_failures(const struct report *report, struct base_buffer *out) {
    size_t failed = 0;
    for (size_t i = 0; i < report->test_count; i++)
        failed += !report->tests[i].holds;
    base_buffer_print(out, "%zu of %zu tests hold.\n\n", report->test_count - failed,
                      report->test_count);
    if (!failed)
        return;
    base_buffer_print(out, "| test | recorded | now | |\n|---|---|---|---|\n");
    for (size_t i = 0, rows = 0; i < report->test_count; i++) {
        const struct report_test *test = &report->tests[i];
        if (test->holds)
            continue;
        if (rows++ == SUMMARY_ROWS) {
            base_buffer_print(out, "\n%zu more do not hold.\n", failed - SUMMARY_ROWS);
            break;
        }
        base_buffer_print(out, "|");
        add_cell(test->file, out);
        base_buffer_print(out, " %.15g | %.15g |", test->recorded, test->now);
        add_cell(test->law_now ? "a worse law" : test->verdict, out);
        base_buffer_print(out, "\n");
    }
    base_buffer_print(out, "\n");
}

void report_markdown(const struct report *report, struct base_buffer *out) {
    base_buffer_print(out, "## slowpath:");
    struct base_buffer name = {0};
    add_cell(report->folder, &name);
    base_buffer_print(out, "%.*s\n\n", (int)(name.count - 2), name.data);
    base_buffer_done(&name);
    if (report->is_replayed)
        add_failures(report, out);
    add_findings(report->root, out);
    add_redundant(report->root, out);
}

/* ---- a table ---- */

static void add_quoted(const char *text, struct base_buffer *out) {
    base_buffer_add(out, "\"", 1);
    for (; *text; text++)
        base_buffer_print(out, *text == '"' ? "\"\"" : "%c", *text);
    base_buffer_add(out, "\"", 1);
}

void report_csv(const struct report *report, struct base_buffer *out) {
    static const char *const costs[] = {"instructions", "weighted", "calls", "memory", "allocated"};
    const json_t *test;
    size_t index;
    base_buffer_print(out, "file");
    for (size_t i = 0; i < BASE_COUNT(costs); i++)
        base_buffer_print(out, ",%s", costs[i]);
    base_buffer_print(out, ",verified,law,recipe\r\n");
    json_array_foreach(json_object_get(report->root, "tests"), index, test) {
        add_quoted(suite_text(test, "file", ""), out);
        for (size_t i = 0; i < BASE_COUNT(costs); i++)
            base_buffer_print(out, ",%.15g",
                              suite_number(json_object_get(test, "cost"), costs[i], 0));
        base_buffer_print(out, ",%s,",
                          json_is_true(json_object_get(test, "verified")) ? "true" : "false");
        add_quoted(suite_text(json_object_get(test, "growth"), "class", ""), out);
        base_buffer_add(out, ",", 1);
        add_quoted(suite_text(test, "recipe", ""), out);
        base_buffer_print(out, "\r\n");
    }
}
