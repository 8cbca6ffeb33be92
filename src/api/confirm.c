/* SPDX-License-Identifier: Apache-2.0
 *
 * Is the law true? It is fitted to doubling sizes, and powers of two are special: tables are full,
 * trees are complete. So each law is checked at sizes half-way between those, the last of them
 * beyond all others. Both must give the same law; otherwise it is reported as not confirmed.
 *
 * Costs of containers are uneven: comparing running numbers takes longer the more digits they
 * share, and a balanced tree rebalances now and then. If both series agree, an exponent near an
 * integer is that integer. If slopes never settle, what counts is whether the cost, or the cost per
 * n, stays constant or grows by less and less.
 */
#include "api/growth.h"

#include <math.h>

#define SAME_SLOPE 0.2  /* slopes that differ by less confirm each other */
#define SAME_COST 1.1   /* ... and costs that do not grow */
#define NEAR_WHOLE 0.2  /* exponents this close to an integer are that integer */
#define LEAST_POINTS 6  /* needed for rates */
#define RATE_STAYS 0.15 /* maximum change of a constant rate from end to end */
#define RATE_SLOPE 0.4  /* maximum exponent of a logarithm, over these sizes */
#define RATE_FALLS 0.99 /* a rising rate is at least this times the one before */
#define RATE_BENDS 1.5  /* the second half may add this times what the first half adds */

/* A cost that stays the same may be a little lower or higher at other sizes. */
static bool stays_within(const struct api_series *series, const struct measure_point *others,
                         size_t count) {
    double most = 0;
    for (size_t i = 0; i < series->count; i++)
        most = fmax(most, series->points[i].cost);
    for (size_t i = 0; i < count; i++)
        if (others[i].cost > SAME_COST * most)
            return false;
    return true;
}

static bool tells_the_same(const struct api_series *series, const struct measure_point *others,
                           size_t count) {
    const struct measure_growth *law = &series->growth;
    struct measure_growth other;
    measure_growth_fit(others, count, &other);
    switch (law->kind) {
    case MEASURE_GROWTH_UNCLEAR:
        return false;
    case MEASURE_GROWTH_BOUNDED:
        return stays_within(series, others, count);
    case MEASURE_GROWTH_EXPONENTIAL:
        return other.kind == law->kind;
    default:
        return fabs(other.slope - law->slope) <= SAME_SLOPE ||
               (other.kind == law->kind && fabs(other.exponent - law->exponent) <= SAME_SLOPE);
    }
}

static void round_exponent(struct measure_growth *growth) {
    double whole = round(growth->exponent);
    if (!(fabs(growth->exponent - whole) <= NEAR_WHOLE))
        return;
    if (growth->kind == MEASURE_GROWTH_SUBLINEAR && whole == 1)
        growth->kind = MEASURE_GROWTH_LINEAR;
    if (growth->kind >= MEASURE_GROWTH_LINEAR && growth->kind != MEASURE_GROWTH_EXPONENTIAL)
        growth->exponent = whole;
}

/* ---- rates ---- */

enum rate { RISING, LOGARITHMIC, STAYING };

/* The mean of two consecutive sizes. */
static double rate_at(const struct measure_point *points, size_t at, unsigned power) {
    double sum = 0;
    for (size_t i = at; i < at + 2; i++)
        sum += points[i].cost / pow((double)points[i].size, power);
    return sum / 2;
}

/* Tables that double now and then have rates that go up and down: that is not a logarithm. */
static bool never_falls(const struct measure_point *points, size_t count, unsigned power) {
    for (size_t i = 1; i + 1 < count; i++)
        if (rate_at(points, i, power) < RATE_FALLS * rate_at(points, i - 1, power))
            return false;
    return rate_at(points, count - 2, power) > rate_at(points, 0, power);
}

/* Rates at the first sizes, in the middle, and at the last. */
struct rates {
    double first, middle, last, doublings;
};

static bool read_rates(const struct measure_point *points, size_t count, unsigned power,
                       struct rates *rates) {
    if (count < LEAST_POINTS)
        return false;
    *rates = (struct rates){rate_at(points, 0, power), rate_at(points, (count - 2) / 2, power),
                            rate_at(points, count - 2, power),
                            log2((double)points[count - 2].size / (double)points[0].size)};
    return rates->first > 0 && rates->middle > 0 && rates->last > 0;
}

static bool bends(const struct rates *rates) {
    return rates->last > rates->first &&
           log2(rates->last / rates->first) <= RATE_SLOPE * rates->doublings &&
           rates->last - rates->middle <= RATE_BENDS * (rates->middle - rates->first);
}

static enum rate rate_of(const struct measure_point *points, size_t count, unsigned power) {
    struct rates rates;
    if (!read_rates(points, count, power, &rates))
        return RISING;
    if (fabs(rates.last / rates.middle - 1) <= RATE_STAYS / 2 &&
        fabs(rates.last / rates.first - 1) <= RATE_STAYS)
        return STAYING;
    return bends(&rates) && never_falls(points, count, power) ? LOGARITHMIC : RISING;
}

/* A small power that grows by less and less is a logarithm. */
static void round_logarithm(struct api_series *series, const struct measure_point *others,
                            size_t count) {
    struct rates a, b;
    if (series->growth.kind == MEASURE_GROWTH_SUBLINEAR && series->growth.exponent < RATE_SLOPE &&
        read_rates(series->points, series->count, 0, &a) && read_rates(others, count, 0, &b) &&
        bends(&a) && bends(&b))
        series->growth.exponent = 0;
}

static bool judge_rates(struct api_series *series, const struct measure_point *others,
                        size_t count) {
    static const enum measure_growth_kind kinds[2][3] = {
        {MEASURE_GROWTH_UNCLEAR, MEASURE_GROWTH_SUBLINEAR, MEASURE_GROWTH_BOUNDED},
        {MEASURE_GROWTH_UNCLEAR, MEASURE_GROWTH_LINEAR_LOG, MEASURE_GROWTH_LINEAR}};
    for (unsigned power = 0; power < 2; power++) {
        enum rate rate = rate_of(series->points, series->count, power);
        if (rate == RISING || rate_of(others, count, power) != rate)
            continue;
        series->growth.kind = kinds[power][rate];
        series->growth.exponent = power;
        series->growth.reason = NULL;
        return true;
    }
    return false;
}

void api_confirm_with(struct api_series *series, const struct measure_point *others, size_t count) {
    bool is_unclear = series->growth.kind == MEASURE_GROWTH_UNCLEAR;
    series->is_confirmed =
        count + 1 >= series->count && count &&
        (is_unclear ? judge_rates(series, others, count) : tells_the_same(series, others, count));
    if (!series->is_confirmed)
        return;
    round_exponent(&series->growth);
    round_logarithm(series, others, count);
    if (series->growth.kind == MEASURE_GROWTH_LINEAR_LOG &&
        !(never_falls(series->points, series->count, 1) && never_falls(others, count, 1)))
        series->growth.kind = MEASURE_GROWTH_LINEAR;
}

bool api_confirm(struct api_runner *runner, const struct api_sequence *sequence,
                 struct api_series *series, struct base_error *error) {
    struct measure_point others[API_POINTS] = {0};
    size_t count = 0;
    for (; count < series->count; count++) {
        uint32_t n = (uint32_t)series->points[count].size;
        struct api_outcome outcome;
        if (!api_run_at(runner, sequence, n + n / 2, &outcome, error))
            return false;
        if (!outcome.is_good || outcome.last <= 0)
            break;
        others[count] = (struct measure_point){n + n / 2, outcome.last};
    }
    api_confirm_with(series, others, count);
    return true;
}
