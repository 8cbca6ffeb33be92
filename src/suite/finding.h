/* SPDX-License-Identifier: Apache-2.0
 *
 * A finding: a cause of superlinear cost, as a suite tells of it. What is filled in comes from a
 * search; all of it is borrowed.
 */
#ifndef SLOWPATH_SUITE_FINDING_H
#define SLOWPATH_SUITE_FINDING_H

#include "measure/cause.h"
#include "measure/growth.h"
#include "target/pattern.h"
#include <jansson.h>

struct suite_law {                        /* one pattern and how its cost grows */
    const struct target_pattern *pattern; /* NULL: calls, told by `recipe` */
    const char *recipe;                   /* a loop of calls as C, where there is no pattern */
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
    const struct target_pattern *relative; /* that stays linear; NULL: none is known */
    struct measure_point beside;           /* ... as large as the test */
    const struct suite_law *variants;      /* others with this cause */
    size_t variant_count;
    struct base_strings tests; /* their files */
    double seconds;            /* that a plain build takes for the first test; NAN: not asked */
};

/* An object as `findings` in suite.json has it. */
json_t *suite_finding_json(const struct suite_finding *finding);

/* ---- what a law says ---- */

/* The cost of an input of SIZE bytes; *POINT is the measured one, if there is one of about that
 * size, and else the law's. May be infinite. */
bool suite_cost_at(const struct suite_law *law, int64_t size, struct measure_point *point);
/* The size at which the cost is COST. */
double suite_size_for(const struct suite_law *law, double cost);
/* The smallest size from which on the series follows its law: an index. */
size_t suite_find_smallest(const struct suite_law *law);
/* In which pieces two patterns differ: unit "A%A", not "%A". */
void suite_tell_difference(const struct target_pattern *pattern,
                           const struct target_pattern *relative, struct base_buffer *out);

/* ---- findings of a suite that was loaded: they may come from anywhere ---- */

#define SUITE_RATE 1e9 /* instructions in a second, where no time was taken: a guess */

/* Borrowed; NULL: there is no such finding. NAME is "F2", "f2" or "2". */
const json_t *suite_find_finding(const json_t *root, const char *name);
/* A member's text, or what stands for none. */
const char *suite_text(const json_t *object, const char *name, const char *otherwise);
double suite_number(const json_t *object, const char *name, double otherwise);
/* "loop at a.c:12 in f", "recursion of f (a.c:3)", "memmove at a.c:25 in f" */
void suite_tell_step(const json_t *step, struct base_buffer *out);
/* Where it is: the inner factor's file and line, or those of the hottest block; "" and 0. */
const char *suite_finding_place(const json_t *finding, int *line, const char **function);
/* "1023 bytes", "64 KB", "1.2 MB"; "n = 13107" of a finding whose size is a number n. */
void suite_tell_size(const json_t *finding, double size, struct base_buffer *out);

#endif
