/* SPDX-License-Identifier: Apache-2.0
 *
 * A finding: a cause of superlinear cost, as stored in a suite. A search fills it in; everything is
 * borrowed.
 */
#ifndef SLOWPATH_SUITE_FINDING_H
#define SLOWPATH_SUITE_FINDING_H

#include "measure/cause.h"
#include "measure/growth.h"
#include "target/pattern.h"
#include <jansson.h>

struct suite_law {                        /* one pattern and how its cost grows */
    const struct target_pattern *pattern; /* NULL: calls, described by `recipe` */
    const char *recipe;                   /* a loop of calls in C, if there is no pattern */
    uint64_t repetitions;                 /* of its test */
    const struct measure_growth *growth;
    const struct measure_point *series;
    size_t count;
    const struct measure_cause *cause;
    uint32_t hottest; /* block, or IR_NONE */
    double by_unit, by_other;
};

struct suite_finding {
    size_t number; /* from 1 */
    const struct ir_facts *facts;
    struct suite_law law;
    const struct target_pattern *relative; /* a similar pattern that stays linear; or NULL */
    struct measure_point beside;           /* ... of the test's size */
    const struct suite_law *variants;      /* other patterns with the same cause */
    size_t variant_count;
    struct base_strings tests; /* their file names */
    double seconds;            /* time of the first test in a plain build; NAN: not measured */
};

/* The finding as an object in `findings` of suite.json. */
json_t *suite_finding_json(const struct suite_finding *finding);

/* ---- predictions of a law ---- */

/* The cost of an input of SIZE bytes; *POINT is a measured point of about that size if there is
 * one, and otherwise comes from the law. May be infinite. */
bool suite_cost_at(const struct suite_law *law, int64_t size, struct measure_point *point);
/* The size at which the cost is COST. */
double suite_size_for(const struct suite_law *law, double cost);
/* Index of the smallest size from which on the series follows its law. */
size_t suite_find_smallest(const struct suite_law *law);
/* The pieces in which two patterns differ: unit "A%A", not "%A". */
void suite_tell_difference(const struct target_pattern *pattern,
                           const struct target_pattern *relative, struct base_buffer *out);

/* ---- findings of a loaded suite, which is not trusted ---- */

#define SUITE_RATE 1e9 /* assumed instructions per second if no time was measured */

/* Borrowed; NULL: no such finding. NAME is "F2", "f2" or "2". */
const json_t *suite_find_finding(const json_t *root, const char *name);
/* A member's text, or OTHERWISE if there is none. */
const char *suite_text(const json_t *object, const char *name, const char *otherwise);
double suite_number(const json_t *object, const char *name, double otherwise);
/* "loop at a.c:12 in f", "recursion of f (a.c:3)", "memmove at a.c:25 in f" */
void suite_tell_step(const json_t *step, struct base_buffer *out);
/* Its location: the inner factor's file and line, or the hottest block's; or "" and 0. */
const char *suite_finding_place(const json_t *finding, int *line, const char **function);
/* "1023 bytes", "64 KB", "1.2 MB"; "n = 13107" if the finding's size is a number n. */
void suite_tell_size(const json_t *finding, double size, struct base_buffer *out);

#endif
