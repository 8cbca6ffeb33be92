/* SPDX-License-Identifier: Apache-2.0
 *
 * Which law do these costs follow?
 *
 * Counts have no noise, but constants, linear parts and thresholds mislead a straight line fitted
 * to logarithms. Instead, this uses two quantities, and gives the largest sizes the last word:
 *
 *   marginal cost  (c' - c) / (n' - n) has no constant part; its slope over n, plus 1, is the local
 *                  slope of the cost
 *   curvature      the same for the marginal cost: free of linear parts as well, and for a power
 * law its exponent is the law's minus 2, whatever linear part is added
 *
 * A law is called superlinear only if the local slope is well above 1 and does not fall over the
 * last doublings, or if the curvature gives the same exponent twice. For n log n the slope falls
 * towards 1, and the curvature is proportional to 1/n. Whatever contradicts itself is called
 * unclear.
 */
#include "measure/growth.h"
#include "target/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLAIM 1.3       /* local slope from which a law counts as superlinear */
#define AGREE 0.15      /* exponents that differ by less are equal */
#define STILL 0.01      /* a bounded cost grows by less than this share per doubling */
#define RATE_SPREAD 1.3 /* maximum ratio of rates per byte that count as equal */
#define UNEVEN_CLAIM 1.4
#define UNEVEN_SPAN 31.0 /* ratio of sizes: five doublings, minus rounding */
#define MOST_POINTS 64
#define STEADY 3 /* number of slope changes to look at */

struct series {
    const struct measure_point *points;
    size_t count;
    double marginal[MOST_POINTS];  /* between point i and i + 1 */
    double slope[MOST_POINTS];     /* between marginal i and i + 1, plus 1 */
    double curvature[MOST_POINTS]; /* of points i to i + 2 */
    double power[MOST_POINTS];     /* exponent, from curvature i and i + 1; NAN: none */
};

static double size_at(const struct series *series, size_t index) {
    return (double)series->points[index].size;
}

static double middle(const struct series *series, size_t index) {
    return sqrt(size_at(series, index) * size_at(series, index + 1));
}

static double log_ratio(double a, double b) {
    return a > 0 && b > 0 ? log(b / a) : NAN;
}

static void differentiate(struct series *series) {
    size_t count = series->count;
    for (size_t i = 0; i + 1 < count; i++)
        series->marginal[i] = (series->points[i + 1].cost - series->points[i].cost) /
                              (size_at(series, i + 1) - size_at(series, i));
    for (size_t i = 0; i + 2 < count; i++) {
        double step = log(middle(series, i + 1) / middle(series, i));
        series->slope[i] = 1 + log_ratio(series->marginal[i], series->marginal[i + 1]) / step;
        series->curvature[i] = (series->marginal[i + 1] - series->marginal[i]) /
                               (size_at(series, i + 2) - size_at(series, i));
    }
    for (size_t i = 0; i + 3 < count; i++)
        series->power[i] = 2 + log_ratio(series->curvature[i], series->curvature[i + 1]) /
                                   log(size_at(series, i + 2) / size_at(series, i + 1));
}

/* The last but BACK of the slopes (there are count - 2) and powers (count - 3). */
static double slope_back(const struct series *series, size_t back) {
    return series->count >= back + 3 ? series->slope[series->count - 3 - back] : NAN;
}

static double power_back(const struct series *series, size_t back) {
    return series->count >= back + 4 ? series->power[series->count - 4 - back] : NAN;
}

static bool agree(double a, double b) {
    return fabs(a - b) <= AGREE; /* false for NAN */
}

static void set(struct measure_growth *growth, enum measure_growth_kind kind, double exponent) {
    growth->kind = kind;
    growth->exponent = exponent;
}

/* ---- exponential: one rate per byte over at least a doubling of the size ---- */

static double rate_at(const struct series *series, size_t index) {
    return log_ratio(series->marginal[index], series->marginal[index + 1]) /
           (size_at(series, index + 2) - size_at(series, index + 1));
}

static bool is_exponential(const struct series *series, struct measure_growth *growth) {
    double least = INFINITY, most = 0, last = NAN;
    size_t steps = 0, count = series->count;
    for (size_t i = count - 2; i-- > 0; steps++) {
        double rate = rate_at(series, i);
        if (!(rate > 0))
            break;
        least = fmin(least, rate);
        most = fmax(most, rate);
        if (most > least * RATE_SPREAD)
            break;
        last = isnan(last) ? rate : last;
        double span = size_at(series, count - 1) / size_at(series, i + 1);
        bool is_much = series->marginal[count - 2] > 16 * series->marginal[i];
        if (steps >= 2 && span >= 2 && is_much && slope_back(series, 0) > 3) {
            set(growth, MEASURE_GROWTH_EXPONENTIAL, NAN);
            growth->factor = exp(last);
            return true;
        }
    }
    return false;
}

/* ---- power laws ---- */

static bool is_bounded(const struct series *series) {
    const struct measure_point *last = &series->points[series->count - 1];
    for (int back = 0; back < 2; back++, last--) {
        double steps = log2((double)last->size / (double)last[-1].size);
        if (fabs(last->cost - last[-1].cost) > STILL * steps * fabs(last->cost))
            return false;
    }
    return true;
}

static double mean_slope(const struct series *series) {
    size_t first = series->count - 4, last = series->count - 2;
    return 1 + log_ratio(series->marginal[first], series->marginal[last]) /
                   log(middle(series, last) / middle(series, first));
}

/* The exponent on which the largest sizes agree; NAN: none. */
static double steady_exponent(const struct series *series) {
    double slope = slope_back(series, 0), before = slope_back(series, 1);
    double power = power_back(series, 0);
    if (agree(power, power_back(series, 1)) && power > slope - AGREE)
        return power;
    if (agree(slope, before))
        return slope;
    return NAN;
}

static void judge_steep(const struct series *series, struct measure_growth *growth) {
    double exponent = steady_exponent(series);
    double slope = slope_back(series, 0), before = slope_back(series, 1);
    bool is_falling = slope < before - AGREE || !(before >= 1.2);
    bool is_proven = agree(power_back(series, 0), power_back(series, 1));
    if (isnan(exponent) || (is_falling && !is_proven))
        growth->reason =
            slope < before ? "the slope falls: it may end" : "the slope has not settled";
    else if (growth->doublings < MEASURE_GROWTH_DOUBLINGS - 0.1)
        growth->reason = "too few doublings";
    else
        set(growth, MEASURE_GROWTH_POWER, exponent);
}

static void judge_gentle(const struct series *series, struct measure_growth *growth) {
    double slope = slope_back(series, 0), mean = mean_slope(series);
    double power = power_back(series, 0);
    bool is_settled = agree(slope, slope_back(series, 1));
    if (!is_settled && isnan(power) && fabs(mean - 1) > 0.05)
        growth->reason = "the slopes disagree";
    else if (mean < 0.9)
        set(growth, MEASURE_GROWTH_SUBLINEAR, mean);
    else if (mean < 1.02)
        set(growth, MEASURE_GROWTH_LINEAR, 1);
    else if (power >= CLAIM && agree(power, power_back(series, 1)))
        growth->reason = "a steeper part may take over at larger sizes";
    else if (slope <= slope_back(series, 1) + 0.02)
        set(growth, MEASURE_GROWTH_LINEAR_LOG, 1);
    else
        growth->reason = "the slope rises: larger sizes will tell";
}

/* Running numbers get longer, tables are resized: the slope goes up and down and never settles. If
 * it is far above 1 for each pair of sizes over the last five doublings, and not falling in the
 * last one, the mean is the exponent. */
static void judge_uneven(const struct series *series, struct measure_growth *growth) {
    size_t last = series->count - 1, first = last;
    double least = INFINITY, slope = NAN;
    for (; first > 0 && size_at(series, last) < UNEVEN_SPAN * size_at(series, first); first--) {
        slope = log_ratio(series->points[first - 1].cost, series->points[first].cost) /
                log(size_at(series, first) / size_at(series, first - 1));
        least = fmin(least, slope);
    }
    double mean = log_ratio(series->points[first].cost, series->points[last].cost) /
                  log(size_at(series, last) / size_at(series, first));
    slope = log_ratio(series->points[last - 1].cost, series->points[last].cost) /
            log(size_at(series, last) / size_at(series, last - 1));
    bool is_long = size_at(series, last) >= UNEVEN_SPAN * size_at(series, first);
    if (is_long && least >= UNEVEN_CLAIM && slope >= mean - AGREE) {
        set(growth, MEASURE_GROWTH_POWER, mean);
        growth->reason = NULL;
    }
}

void measure_growth_fit(const struct measure_point *points, size_t count,
                        struct measure_growth *growth) {
    struct series series = {.points = points, .count = count};
    *growth = (struct measure_growth){.exponent = NAN, .slope = NAN, .reason = "too few sizes"};
    if (count > MOST_POINTS) { /* keep the largest sizes */
        series.points += count - MOST_POINTS;
        series.count = MOST_POINTS;
    }
    if (count < 4)
        return;
    growth->reason = NULL;
    growth->doublings = log2(size_at(&series, series.count - 1) / size_at(&series, 0));
    differentiate(&series);
    growth->slope = slope_back(&series, 0);
    if (is_bounded(&series))
        set(growth, MEASURE_GROWTH_BOUNDED, 0);
    else if (isnan(growth->slope))
        growth->reason = "the cost falls as the size grows";
    else if (count >= 5 && is_exponential(&series, growth))
        return;
    else if (growth->slope >= CLAIM)
        judge_steep(&series, growth);
    else
        judge_gentle(&series, growth);
    if (growth->kind == MEASURE_GROWTH_UNCLEAR)
        judge_uneven(&series, growth);
}

/* How much the slope still changes at the largest sizes. */
static double unsteadiness(const struct measure_point *points, size_t count) {
    struct series series = {.points = points, .count = count};
    double most = 0;
    if (count < STEADY + 3)
        return INFINITY;
    differentiate(&series);
    for (size_t back = 0; back < STEADY; back++) {
        double change = fabs(slope_back(&series, back) - slope_back(&series, back + 1));
        most = change <= most ? most : isnan(change) ? INFINITY : change;
    }
    return most;
}

void measure_growth_fit_pattern(const struct target_pattern *pattern,
                                const struct measure_point *points, size_t count,
                                struct measure_growth *growth) {
    struct measure_point even[MOST_POINTS] = {0};
    size_t left_out = count > MOST_POINTS ? count - MOST_POINTS : 0;
    for (size_t i = left_out; i < count; i++)
        even[i - left_out] = (struct measure_point){
            (int64_t)target_pattern_even(pattern, (double)points[i].size), points[i].cost};
    if (left_out)
        points += left_out;
    count -= left_out;
    measure_growth_fit(even, count, growth);
    if (unsteadiness(points, count) < unsteadiness(even, count) / 2) {
        measure_growth_fit(points, count, growth);
        growth->in_bytes = true;
    }
}

/* ---- telling ---- */

bool measure_is_superlinear(const struct measure_growth *growth) {
    return growth->kind == MEASURE_GROWTH_EXPONENTIAL ||
           (growth->kind == MEASURE_GROWTH_POWER && growth->exponent >= CLAIM);
}

static void print_power(double exponent, struct base_buffer *out) {
    double whole = round(exponent);
    if (agree(exponent, whole))
        base_buffer_print(out, "O(n^%.0f)", whole);
    else
        base_buffer_print(out, "O(n^%.1f)", exponent);
}

void measure_growth_class(const struct measure_growth *growth, struct base_buffer *out) {
    switch (growth->kind) {
    case MEASURE_GROWTH_BOUNDED:
        base_buffer_print(out, "O(1)");
        return;
    case MEASURE_GROWTH_SUBLINEAR: /* too slow to tell from a logarithm */
        if (growth->exponent < 0.15)
            base_buffer_print(out, "O(log n)");
        else
            base_buffer_print(out, "O(n^%.1f)", growth->exponent);
        return;
    case MEASURE_GROWTH_LINEAR:
        base_buffer_print(out, "O(n)");
        return;
    case MEASURE_GROWTH_LINEAR_LOG:
        base_buffer_print(out, "O(n log n)");
        return;
    case MEASURE_GROWTH_POWER:
        print_power(growth->exponent, out);
        return;
    case MEASURE_GROWTH_EXPONENTIAL:
        base_buffer_print(out, "O(%.2f^n)", growth->factor);
        return;
    case MEASURE_GROWTH_UNCLEAR:
        break;
    }
    base_buffer_print(out, "unclear");
}

const char *measure_growth_name(const struct measure_growth *growth) {
    static const char *const names[] = {
#define GROWTH(id, name) name,
        MEASURE_GROWTHS(GROWTH)
#undef GROWTH
    };
    if (growth->kind == MEASURE_GROWTH_POWER && agree(growth->exponent, 2))
        return "quadratic";
    if (growth->kind == MEASURE_GROWTH_POWER && agree(growth->exponent, 3))
        return "cubic";
    return names[growth->kind];
}
