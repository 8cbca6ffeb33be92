/* SPDX-License-Identifier: Apache-2.0
 *
 * JUnit XML that both Jenkins and GitLab can read: only attributes known to both schemas, unique
 * names, locations in the text of a failure.
 */
#include "report/issues.h"

#include "suite/finding.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Without time zone, as the schemas require; SOURCE_DATE_EPOCH makes it reproducible. */
static void print_time(struct base_buffer *out) {
    const char *given = getenv("SOURCE_DATE_EPOCH");
    time_t now = given ? (time_t)strtoll(given, NULL, 10) : time(NULL);
    struct tm parts;
    char text[32] = "1970-01-01T00:00:00";
    if (gmtime_r(&now, &parts))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    base_buffer_print(out, "%s", text);
}

static void open_case(const char *class, const char *name, struct base_buffer *out) {
    base_buffer_print(out, "    <testcase classname=\"");
    report_xml(class, out);
    base_buffer_print(out, "\" name=\"");
    report_xml(name, out);
    base_buffer_print(out, "\" time=\"0\"");
}

static void add_failure(const struct report_issue *issue, struct base_buffer *out) {
    base_buffer_print(out, ">\n      <failure type=\"%s\" message=\"",
                      report_rule_name(issue->rule));
    report_xml(issue->message, out);
    base_buffer_print(out, "\">");
    report_xml(issue->file, out);
    base_buffer_print(out, ":%d: ", issue->line);
    report_xml(issue->message, out);
    base_buffer_print(out, "</failure>\n    </testcase>\n");
}

static const struct report_issue *issue_of_finding(const struct report_issues *issues,
                                                   const json_t *finding) {
    for (size_t i = 0; i < issues->count; i++)
        if (issues->data[i].finding == finding)
            return &issues->data[i];
    return NULL;
}

/* A test's message starts with its file name. */
static const struct report_issue *issue_of_test(const struct report_issues *issues,
                                                const char *file) {
    for (size_t i = 0; i < issues->count; i++)
        if (!issues->data[i].finding && strncmp(issues->data[i].message, file, strlen(file)) == 0)
            return &issues->data[i];
    return NULL;
}

static void add_case(const char *class, const char *name, const struct report_issue *issue,
                     struct base_buffer *out) {
    open_case(class, name, out);
    if (issue && issue->fails)
        add_failure(issue, out);
    else
        base_buffer_print(out, "/>\n");
}

static size_t add_tests(const struct report *report, const struct report_issues *issues,
                        struct base_buffer *out) {
    const json_t *test;
    size_t index;
    json_array_foreach(json_object_get(report->root, "tests"), index, test) {
        const char *file = suite_text(test, "file", "?");
        add_case(report->folder, file, issue_of_test(issues, file), out);
    }
    return json_array_size(json_object_get(report->root, "tests"));
}

static size_t add_findings(const struct report *report, const struct report_issues *issues,
                           struct base_buffer *out) {
    const json_t *finding;
    size_t index;
    json_array_foreach(json_object_get(report->root, "findings"), index, finding) {
        const char *function;
        int line;
        suite_finding_place(finding, &line, &function);
        char *name = base_format("finding %zu: %s in %s", index + 1,
                                 suite_text(finding, "law", "?"), function);
        add_case(report->folder, name, issue_of_finding(issues, finding), out);
        free(name);
    }
    return json_array_size(json_object_get(report->root, "findings"));
}

void report_junit(const struct report *report, struct base_buffer *out) {
    struct report_issues issues;
    struct base_buffer cases = {0};
    size_t failures = 0;
    report_list_issues(report, &issues);
    for (size_t i = 0; i < issues.count; i++)
        failures += issues.data[i].fails;
    size_t tests = add_tests(report, &issues, &cases) + add_findings(report, &issues, &cases);
    base_buffer_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                           "  <testsuite id=\"0\" package=\"slowpath\" name=\"");
    report_xml(report->folder, out);
    base_buffer_print(out, "\" hostname=\"localhost\" timestamp=\"");
    print_time(out);
    base_buffer_print(out,
                      "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\" time=\"0\">\n"
                      "    <properties/>\n%s    <system-out/>\n    <system-err/>\n"
                      "  </testsuite>\n</testsuites>\n",
                      tests, failures, cases.data ? cases.data : "");
    base_buffer_done(&cases);
    report_issues_done(&issues);
}
