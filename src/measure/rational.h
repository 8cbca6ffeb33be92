/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact fractions for fitting: a curve either goes through every point or it is no curve. A result
 * that does not fit into 128 bits is "none" (below is 0), and so is everything computed from it.
 */
#ifndef SLOWPATH_MEASURE_RATIONAL_H
#define SLOWPATH_MEASURE_RATIONAL_H

#include "base/base.h"

typedef __int128 measure_wide;

struct measure_rational {
    measure_wide above, below; /* in lowest terms; below > 0, or 0: none */
};

struct measure_rational measure_rational(measure_wide above, measure_wide below);
/* None if the value is not a multiple of 2^-20 or exceeds 2^60. */
struct measure_rational measure_rational_of(double value);
struct measure_rational measure_add(struct measure_rational a, struct measure_rational b);
struct measure_rational measure_subtract(struct measure_rational a, struct measure_rational b);
struct measure_rational measure_multiply(struct measure_rational a, struct measure_rational b);
struct measure_rational measure_divide(struct measure_rational a, struct measure_rational b);
bool measure_rational_equal(struct measure_rational a, struct measure_rational b);
double measure_rational_value(struct measure_rational a);
/* A decimal number if it has few digits, otherwise a fraction. */
void measure_rational_print(struct measure_rational a, struct base_buffer *out);

static inline bool measure_is_none(struct measure_rational a) {
    return a.below == 0;
}

#endif
