/* SPDX-License-Identifier: Apache-2.0
 *
 * Cost as a function of size: a formula that goes exactly through all measured points, with at
 * least one more point than it takes to determine it. Points without such a formula are rejected.
 */
#ifndef SLOWPATH_MEASURE_CURVE_H
#define SLOWPATH_MEASURE_CURVE_H

#include "measure/rational.h"

#define MEASURE_CURVE_TERMS 5
#define MEASURE_CURVE_CLASSES 4
#define MEASURE_POINTS 64 /* maximum number of points of a curve */

struct measure_point {
    int64_t size;
    double cost;
};

struct measure_curve {
    unsigned family;  /* its terms: a row of curve.c's table */
    unsigned modulus; /* number of residue classes of sizes, each with its own coefficients */
    struct measure_rational coefficients[MEASURE_CURVE_CLASSES][MEASURE_CURVE_TERMS];
    int64_t first;      /* valid from this size on */
    unsigned confirmed; /* points beyond those that determine it */
};

/* POINTS by ascending size. The smallest sizes may be left out if more of the other points
 * confirm. */
bool measure_curve_fit(const struct measure_point *points, size_t count,
                       struct measure_curve *curve);
/* Exact as long as a double is; NAN if the number is too large. */
double measure_curve_at(const struct measure_curve *curve, int64_t size);
/* "0.5*n^2 - 0.5*n", with NAME in place of n. */
void measure_curve_print(const struct measure_curve *curve, const char *name,
                         struct base_buffer *out);
/* "O(n^2)" */
void measure_curve_class(const struct measure_curve *curve, const char *name,
                         struct base_buffer *out);

#endif
