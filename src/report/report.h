/* SPDX-License-Identifier: Apache-2.0
 *
 * report: a suite in the formats that other tools and people read. All are made from suite.json
 * and, after a replay, from the results of its tests. Text from files is quoted as each format
 * requires.
 */
#ifndef SLOWPATH_REPORT_H
#define SLOWPATH_REPORT_H

#include "base/base.h"
#include <jansson.h>

struct report_test { /* after a replay */
    const char *file;
    double recorded, now;
    bool holds;
    const char *verdict;              /* in words */
    const char *law_before, *law_now; /* set only if the law got worse */
};

struct report {
    const json_t *root; /* suite.json */
    const char *folder; /* the suite's, as shown to readers */
    const struct report_test *tests;
    size_t test_count;
    bool is_replayed;
    /* After a replay: for each finding, whether it is missing in the baseline. */
    const bool *is_new;
};

/* FORMAT(identifier, "name", "file of --report-to", "what it is"). Each has report_NAME(). */
#define REPORT_FORMATS(FORMAT)                                                                     \
    FORMAT(sarif, "findings.sarif", "SARIF 2.1.0, for code scanning")                              \
    FORMAT(junit, "junit.xml", "JUnit XML, for Jenkins and GitLab")                                \
    FORMAT(gitlab, "gl-code-quality-report.json", "GitLab's code quality")                         \
    FORMAT(markdown, "summary.md", "a summary for step summaries and comments")                    \
    FORMAT(csv, "tests.csv", "a row for each test")

#define FORMAT(id, file, text)                                                                     \
    void report_##id(const struct report *report, struct base_buffer *out);
REPORT_FORMATS(FORMAT)
#undef FORMAT
/* Lines that GitHub's runners show as annotations; at most MOST. */
void report_github(const struct report *report, unsigned most, struct base_buffer *out);

/* ---- stacks.c ---- */

struct measure_tree;
void report_speedscope(const struct measure_tree *tree, const char *name, struct base_buffer *out);

#endif
