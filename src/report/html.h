/* SPDX-License-Identifier: Apache-2.0
 *
 * One HTML file that needs nothing else: what its parts share.
 */
#ifndef SLOWPATH_REPORT_HTML_H
#define SLOWPATH_REPORT_HTML_H

#include "measure/cause.h"
#include "report/issues.h"

/* Where the cost of one test goes, at its size and, if it has a recipe, at half of it. */
struct report_profile {
    const char *name; /* "F1", or the test's file */
    struct measure_pair pair;
    uint64_t *less, *more; /* owned; LESS may be NULL */
};

struct report_page {
    const struct report *report;
    const char *link;                      /* from the page to the suite's folder: a path */
    const struct report_profile *profiles; /* of findings, in their order, or of the first test */
    size_t profile_count;
    const char *note;          /* why there are none; NULL: there are */
    const char *const *inputs; /* of each test, the first bytes */
    const size_t *shown;       /* ... how many */
    const size_t *sizes;       /* ... of so many */
};
void report_html(const struct report_page *page, struct base_buffer *out);

/* html.c */
void html_number(double number, struct base_buffer *out); /* 1,234,567 or 1.2e+15 */
/* A cell with a number that sorts as one. */
void html_cell(double number, struct base_buffer *out);

/* html_chart.c: cost against size; both axes are logarithmic. */
struct html_point {
    double size, cost;
};
struct html_chart {
    const char *id, *title, *law;
    const struct html_point *points; /* measured, by ascending size */
    size_t count;
    double exponent, factor;            /* of the law; FACTOR > 0: exponential */
    struct html_point relative;         /* that stays linear; size 0: none */
    const struct html_point *predicted; /* without a law: dots beside the points; NULL: none */
    size_t predicted_count;
};
void html_chart(const struct html_chart *chart, struct base_buffer *out);

/* html_source.c: the lines of the functions that matter, and the loops and calls. */
void html_source(const struct report_profile *profile, const json_t *finding, size_t *lines_left,
                 struct base_buffer *out);
void html_loops(const struct report_profile *profile, struct base_buffer *out);
/* html_icicle.c */
void html_icicle(const struct report_profile *profile, struct base_buffer *out);
/* html_finding.c */
void html_finding(const struct report_page *page, const json_t *finding, size_t index,
                  size_t *lines_left, struct base_buffer *out);
/* html_rest.c: the recipe of an input, its first bytes, model, settings. */
void html_recipe(const char *recipe, double repetitions, struct base_buffer *out);
void html_bytes(const char *bytes, size_t shown, size_t size, struct base_buffer *out);
void html_tests(const struct report_page *page, struct base_buffer *out);
void html_model(const json_t *root, struct base_buffer *out);
void html_settings(const struct report_page *page, struct base_buffer *out);

#endif
