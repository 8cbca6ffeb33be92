/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a cost grow with the size of the input? The law and its evidence, from exact counts at
 * doubling sizes. curve.h finds a formula through all points; this is for programs without one.
 */
#ifndef SLOWPATH_MEASURE_GROWTH_H
#define SLOWPATH_MEASURE_GROWTH_H

#include "base/base.h"
#include "measure/curve.h"

#define MEASURE_GROWTH_DOUBLINGS 5 /* needed to claim a superlinear power law */

/* GROWTH(identifier, "name") in order of growth */
#define MEASURE_GROWTHS(GROWTH)                                                                    \
    GROWTH(UNCLEAR, "unclear")                                                                     \
    GROWTH(BOUNDED, "bounded")                                                                     \
    GROWTH(SUBLINEAR, "sublinear")                                                                 \
    GROWTH(LINEAR, "linear")                                                                       \
    GROWTH(LINEAR_LOG, "linear times logarithm")                                                   \
    GROWTH(POWER, "power")                                                                         \
    GROWTH(EXPONENTIAL, "exponential")

enum measure_growth_kind {
#define GROWTH(id, name) MEASURE_GROWTH_##id,
    MEASURE_GROWTHS(GROWTH)
#undef GROWTH
};

struct measure_growth {
    enum measure_growth_kind kind;
    double exponent; /* of a power of the size; 1 for n log n; NAN when exponential */
    double slope;    /* local slope at the largest sizes, constants removed; NAN: unknown */
    double factor;   /* exponential: the factor per additional byte; else 0 */
    double doublings;
    bool in_bytes;      /* for a pattern with running numbers: n is bytes, not the even size */
    const char *reason; /* why it is unclear, or NULL */
};

/* POINTS by ascending size. */
struct target_pattern;
/* The same for sizes of a pattern: the law is in terms of the even size (target/pattern.h), or of
 * bytes if that law is steadier: data that is rescanned byte by byte costs by bytes. */
void measure_growth_fit_pattern(const struct target_pattern *pattern,
                                const struct measure_point *points, size_t count,
                                struct measure_growth *growth);
void measure_growth_fit(const struct measure_point *points, size_t count,
                        struct measure_growth *growth);
/* Does it grow faster than n log n, according to the evidence? */
bool measure_is_superlinear(const struct measure_growth *growth);
/* "O(n^2)", "O(n^1.5)", "O(1.41^n)", "unclear" */
void measure_growth_class(const struct measure_growth *growth, struct base_buffer *out);
const char *measure_growth_name(const struct measure_growth *growth);

#endif
