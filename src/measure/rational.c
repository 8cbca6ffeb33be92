/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic on fractions of 128-bit integers that detects overflow and never wraps around.
 */
#include "measure/rational.h"

#include <math.h>

static const struct measure_rational none = {0, 0};

static measure_wide magnitude(measure_wide a) {
    return a < 0 ? -a : a;
}

static measure_wide common_factor(measure_wide a, measure_wide b) {
    a = magnitude(a);
    b = magnitude(b);
    while (b) {
        measure_wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct measure_rational measure_rational(measure_wide above, measure_wide below) {
    if (!below)
        return none;
    measure_wide factor = common_factor(above, below);
    if (below < 0)
        factor = -factor;
    return (struct measure_rational){above / factor, below / factor};
}

struct measure_rational measure_rational_of(double value) {
    const double scale = 1 << 20;
    double scaled = value * scale;
    if (!(fabs(value) < 0x1p60) || scaled != floor(scaled))
        return none;
    return measure_rational((measure_wide)scaled, (measure_wide)scale);
}

struct measure_rational measure_add(struct measure_rational a, struct measure_rational b) {
    if (measure_is_none(a) || measure_is_none(b))
        return none;
    measure_wide factor = common_factor(a.below, b.below), left, right, sum, below;
    if (__builtin_mul_overflow(a.above, b.below / factor, &left) ||
        __builtin_mul_overflow(b.above, a.below / factor, &right) ||
        __builtin_add_overflow(left, right, &sum) ||
        __builtin_mul_overflow(a.below, b.below / factor, &below))
        return none;
    return measure_rational(sum, below);
}

struct measure_rational measure_subtract(struct measure_rational a, struct measure_rational b) {
    b.above = -b.above;
    return measure_add(a, b);
}

struct measure_rational measure_multiply(struct measure_rational a, struct measure_rational b) {
    if (measure_is_none(a) || measure_is_none(b))
        return none;
    struct measure_rational first = measure_rational(a.above, b.below);
    struct measure_rational second = measure_rational(b.above, a.below);
    measure_wide above, below;
    if (__builtin_mul_overflow(first.above, second.above, &above) ||
        __builtin_mul_overflow(first.below, second.below, &below))
        return none;
    return measure_rational(above, below);
}

struct measure_rational measure_divide(struct measure_rational a, struct measure_rational b) {
    if (measure_is_none(b) || b.above == 0)
        return none;
    return measure_multiply(a, measure_rational(b.below, b.above));
}

bool measure_rational_equal(struct measure_rational a, struct measure_rational b) {
    return !measure_is_none(a) && a.above == b.above && a.below == b.below;
}

double measure_rational_value(struct measure_rational a) {
    return measure_is_none(a) ? NAN : (double)((long double)a.above / (long double)a.below);
}

void measure_rational_print(struct measure_rational a, struct base_buffer *out) {
    if (a.below && 1000000 % a.below == 0)
        base_buffer_print(out, "%.15g", measure_rational_value(a));
    else
        base_buffer_print(out, "%.0f/%.0f", (double)a.above, (double)a.below);
}
