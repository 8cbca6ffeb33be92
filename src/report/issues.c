/* SPDX-License-Identifier: Apache-2.0
 *
 * What issues are there? All findings; after a replay, also the tests that failed, at the place
 * where their cost is spent if that is known.
 */
#include "report/issues.h"

#include "suite/finding.h"

#include <stdlib.h>
#include <string.h>

static const char *const rule_names[] = {
#define RULE(id, name, title, text, help) name,
    REPORT_RULES(RULE)
#undef RULE
};

const char *report_rule_name(enum report_rule rule) {
    return rule_names[rule];
}

static void add(struct report_issues *issues, const struct report_issue *issue) {
    base_push(issues, *issue);
}

/* "F1: O(n^2) in scan: loop in main (a.c:3) x loop in scan (a.c:12); repeat unit="a"; 1 s at 39 KB"
 */
static char *describe_finding(const json_t *finding) {
    struct base_buffer text = {0};
    const char *function;
    int line;
    size_t index;
    const json_t *step, *second = json_object_get(finding, "one_second");
    suite_finding_place(finding, &line, &function);
    base_buffer_print(&text, "%s in %s", suite_text(finding, "law", "?"), function);
    json_array_foreach(json_object_get(finding, "cause"), index, step) {
        base_buffer_print(&text, "%s", index ? " x " : ": ");
        suite_tell_step(step, &text);
    }
    base_buffer_print(&text, "; recipe: %s", suite_text(finding, "recipe", "?"));
    if (json_is_number(json_object_get(second, "size"))) {
        base_buffer_print(&text, "; about 1 s at ");
        suite_tell_size(finding, suite_number(second, "size", 0), &text);
    }
    int variants = (int)suite_number(finding, "variants", 0);
    if (variants > 0)
        base_buffer_print(&text, "; %d variant%s", variants, variants == 1 ? "" : "s");
    return text.data;
}

static void add_finding(const struct report *report, const json_t *finding, size_t index,
                        struct report_issues *issues) {
    const char *function;
    bool is_exponential = strcmp(suite_text(finding, "name", ""), "exponential") == 0;
    struct report_issue issue = {.rule = is_exponential ? REPORT_EXPONENTIAL : REPORT_SUPERLINEAR,
                                 .fails = !report->is_replayed ||
                                          (report->is_new && report->is_new[index]),
                                 .message = describe_finding(finding),
                                 .finding = finding};
    issue.file = report_relative(suite_finding_place(finding, &issue.line, &function));
    snprintf(issue.fingerprint, sizeof issue.fingerprint, "%s",
             suite_text(finding, "fingerprint", ""));
    add(issues, &issue);
}

/* ---- failed tests ---- */

static const json_t *find_test(const struct report *report, const char *file) {
    const json_t *test;
    size_t index;
    json_array_foreach(json_object_get(report->root, "tests"), index,
                       test) if (strcmp(suite_text(test, "file", ""), file) == 0) return test;
    return NULL;
}

/* The place where a test's cost is spent, or the first file of the target. */
static const char *place_of(const struct report *report, const char *file, int *line) {
    const json_t *place = json_object_get(find_test(report, file), "hottest");
    const json_t *targets = json_object_get(report->root, "target");
    const char *first =
        json_string_value(json_is_array(targets) ? json_array_get(targets, 0) : targets);
    const char *found = suite_text(place, "file", "");
    *line = (int)suite_number(place, "line", 1);
    return *found ? found : first ? first : "";
}

static void name_test(const struct report_test *test, enum report_rule rule, char text[33]) {
    struct base_hash hash;
    base_hash_init(&hash);
    base_hash_add_text(&hash, test->file);
    base_hash_add_text(&hash, rule_names[rule]);
    base_hash_done(&hash, text);
    text[16] = 0;
}

static void add_test(const struct report *report, const struct report_test *test,
                     struct report_issues *issues) {
    bool is_law = test->law_now != NULL;
    struct report_issue issue = {.rule = is_law ? REPORT_LAW : REPORT_COST, .fails = true};
    issue.message = is_law ? base_format("%s grew as %s, now as %s", test->file, test->law_before,
                                         test->law_now)
                           : base_format("%s: %s (%.15g recorded, %.15g now)", test->file,
                                         test->verdict, test->recorded, test->now);
    issue.file = report_relative(place_of(report, test->file, &issue.line));
    name_test(test, issue.rule, issue.fingerprint);
    add(issues, &issue);
}

void report_list_issues(const struct report *report, struct report_issues *issues) {
    const json_t *finding;
    size_t index;
    *issues = (struct report_issues){0};
    for (size_t i = 0; i < report->test_count; i++)
        if (!report->tests[i].holds)
            add_test(report, &report->tests[i], issues);
    json_array_foreach(json_object_get(report->root, "findings"), index, finding)
        add_finding(report, finding, index, issues);
}

void report_issues_done(struct report_issues *issues) {
    for (size_t i = 0; i < issues->count; i++)
        free(issues->data[i].message);
    base_vector_done(issues);
}
