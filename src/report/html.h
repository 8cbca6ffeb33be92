/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the parts of the HTML report.
 */
#ifndef SLOWPATH_REPORT_HTML_H
#define SLOWPATH_REPORT_HTML_H

#include "measure/cause.h"
#include "report/issues.h"

/* The profile of one test, at its size and, if it has a recipe, at half of it. */
struct report_profile {
    const char *name; /* "F1", or the test's file */
    struct measure_pair pair;
    uint64_t *less, *more; /* owned; LESS may be NULL */
};

struct report_page {
    const struct report *report;
    const char *link; /* relative path from the page to the suite's folder */
    /* Of the findings, in their order, or of the first test. */
    const struct report_profile *profiles;
    size_t profile_count;
    const char *note;          /* the reason if there are none; otherwise NULL */
    const char *const *inputs; /* the first bytes of each test */
    const size_t *shown;       /* ... their number */
    const size_t *sizes;       /* ... and the test's size */
};
void report_html(const struct report_page *page, struct base_buffer *out);

/* html.c */
void html_number(double number, struct base_buffer *out); /* 1,234,567 or 1.2e+15 */
/* A table cell with a number, sorted as such. */
void html_cell(double number, struct base_buffer *out);

/* html_chart.c: cost by size; both axes are logarithmic. */
struct html_point {
    double size, cost;
};
struct html_chart {
    const char *id, *title, *law;
    const struct html_point *points; /* measured, by ascending size */
    size_t count;
    double exponent, factor;            /* of the law; FACTOR > 0: exponential */
    struct html_point relative;         /* of the linear relative; size 0: none */
    const struct html_point *predicted; /* if there is no law: predicted points; or NULL */
    size_t predicted_count;
};
void html_chart(const struct html_chart *chart, struct base_buffer *out);

/* html_source.c: source lines of the important functions, and the loops and calls. */
void html_source(const struct report_profile *profile, const json_t *finding, size_t *lines_left,
                 struct base_buffer *out);
void html_loops(const struct report_profile *profile, struct base_buffer *out);
/* html_icicle.c */
void html_icicle(const struct report_profile *profile, struct base_buffer *out);
/* html_finding.c */
void html_finding(const struct report_page *page, const json_t *finding, size_t index,
                  size_t *lines_left, struct base_buffer *out);
/* html_rest.c: the recipe of an input, its first bytes, the model, the settings. */
void html_recipe(const char *recipe, double repetitions, struct base_buffer *out);
void html_bytes(const char *bytes, size_t shown, size_t size, struct base_buffer *out);
void html_tests(const struct report_page *page, struct base_buffer *out);
void html_model(const json_t *root, struct base_buffer *out);
void html_settings(const struct report_page *page, struct base_buffer *out);

#endif
