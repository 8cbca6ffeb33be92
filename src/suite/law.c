/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a recipe still grow as it did? Its pattern is run again at doubling sizes, up to the size of
 * its test, and the new law is compared with the old one by class.
 */
#include "suite/baseline.h"

#include "target/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 4   /* bytes */
#define STEEPER 0.15 /* difference between exponents that counts */
#define MOST_POINTS 64

static bool measure_one(struct target *target, const struct measure *measure,
                        const struct base_buffer *bytes, struct measure_point *point,
                        struct base_error *error) {
    struct target_input input = {bytes->data, bytes->count};
    struct abi_result result;
    if (!target_run(target, &input, 1, &result, error))
        return false;
    bool good = result.status == ABI_STATUS_OK && !result.rejected;
    *point = (struct measure_point){(int64_t)bytes->count,
                                    good ? measure_value(measure, target, &result) : NAN};
    return true;
}

bool suite_measure_law(struct target *target, const struct measure *measure, const char *recipe,
                       uint64_t size, struct measure_growth *growth, struct base_error *error) {
    struct target_pattern pattern;
    struct measure_point points[MOST_POINTS];
    size_t count = 0;
    uint64_t last = 0;
    struct base_buffer bytes = {0};
    if (!target_pattern_parse(recipe, &pattern))
        return base_fail(error, BASE_USAGE, "a recipe of the suite is damaged: %s", recipe);
    bool good = true;
    for (uint64_t at = SMALLEST; good && at / 2 < size && count < MOST_POINTS; at *= 2) {
        uint64_t k = target_pattern_fit(&pattern, at < size ? at : size);
        if (!k || k == last)
            continue;
        last = k;
        bytes.count = 0;
        target_pattern_write(&pattern, k, &bytes);
        good = measure_one(target, measure, &bytes, &points[count], error);
        if (good && isnan(points[count].cost))
            break;
        count += good;
    }
    base_buffer_done(&bytes);
    measure_growth_fit_pattern(&pattern, points, count, growth);
    return good;
}

/* The order of classes; powers by exponent. */
static double rank(enum measure_growth_kind kind, double exponent) {
    switch (kind) {
    case MEASURE_GROWTH_EXPONENTIAL:
        return INFINITY;
    case MEASURE_GROWTH_POWER:
        return exponent;
    case MEASURE_GROWTH_LINEAR_LOG:
        return 1.1;
    case MEASURE_GROWTH_LINEAR:
        return 1;
    case MEASURE_GROWTH_SUBLINEAR:
        return 0.5;
    case MEASURE_GROWTH_BOUNDED:
    case MEASURE_GROWTH_UNCLEAR:
        break;
    }
    return 0;
}

static double rank_of_text(const char *law, double exponent) {
    if (strcmp(law, "O(n)") == 0)
        return 1;
    if (strcmp(law, "O(n log n)") == 0)
        return 1.1;
    if (strncmp(law, "O(n^", 4) == 0)
        return isfinite(exponent) ? exponent : strtod(law + 4, NULL);
    return strstr(law, "^n)") ? INFINITY : 0;
}

bool suite_is_worse(const char *law, double exponent, const struct measure_growth *now) {
    double before = rank_of_text(law, exponent), after = rank(now->kind, now->exponent);
    bool was_unclear = strcmp(law, "unclear") == 0;
    if (now->kind == MEASURE_GROWTH_UNCLEAR || isinf(before))
        return false; /* it makes no claim */
    if (was_unclear)
        return measure_is_superlinear(now);
    return after > before + STEEPER;
}
