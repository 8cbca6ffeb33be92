/* SPDX-License-Identifier: Apache-2.0
 *
 * Which formula goes through these points?
 *
 * A family is a short list of terms (1, n, n^2, ...; with logarithms; with powers of two) whose
 * coefficients are found by elimination in exact fractions. Families are tried from simple to rich:
 * polynomials, polynomials per residue class of n, then the rest. The largest size of a class is
 * never used to solve the equations: it must confirm the result, or the family is rejected. Small
 * sizes are often special (a loop that is not entered yet), so they may be left out, but then two
 * points must confirm.
 *
 * This is the polynomial fit of "XSTRESSOR: Automatic Generation of Large-Scale Worst-Case Test
 * Inputs by Inferring Path Conditions" (Saumya, Koo, Kulkarni, Bagchi, section IV-C), but with all
 * coefficients exact, and not only for polynomials.
 */
#include "measure/curve.h"

#include <math.h>
#include <string.h>

/* ---- terms: TERM(identifier, formula, class) in order of growth; N stands for the size ---- */

#define TERMS(TERM)                                                                                \
    TERM(ONE, "", "1")                                                                             \
    TERM(LOG, "floor(log2(N))", "log N")                                                           \
    TERM(LOG_UP, "ceil(log2(N))", "log N")                                                         \
    TERM(POWER_DOWN, "2^floor(log2(N))", "N")                                                      \
    TERM(POWER_UP, "2^ceil(log2(N))", "N")                                                         \
    TERM(N, "N", "N")                                                                              \
    TERM(N_LOG, "N*floor(log2(N))", "N log N")                                                     \
    TERM(N_LOG_UP, "N*ceil(log2(N))", "N log N")                                                   \
    TERM(N2, "N^2", "N^2")                                                                         \
    TERM(N3, "N^3", "N^3")                                                                         \
    TERM(N4, "N^4", "N^4")                                                                         \
    TERM(TWO_N, "2^N", "2^N")                                                                      \
    TERM(N_TWO_N, "N*2^N", "N 2^N")

enum term {
#define TERM(id, text, growth) TERM_##id,
    TERMS(TERM)
#undef TERM
        TERM_COUNT
};

static const char *const formulas[] = {
#define TERM(id, text, growth) text,
    TERMS(TERM)
#undef TERM
};
static const char *const growths[] = {
#define TERM(id, text, growth) growth,
    TERMS(TERM)
#undef TERM
};

struct family {
    unsigned count;
    enum term terms[MEASURE_CURVE_TERMS]; /* in order of growth */
};

#define POLYNOMIALS 5
static const struct family families[] = {
    {1, {TERM_ONE}},
    {2, {TERM_ONE, TERM_N}},
    {3, {TERM_ONE, TERM_N, TERM_N2}},
    {4, {TERM_ONE, TERM_N, TERM_N2, TERM_N3}},
    {5, {TERM_ONE, TERM_N, TERM_N2, TERM_N3, TERM_N4}},
    {2, {TERM_ONE, TERM_LOG}},
    {2, {TERM_ONE, TERM_LOG_UP}},
    {3, {TERM_ONE, TERM_LOG, TERM_N}},
    {3, {TERM_ONE, TERM_LOG_UP, TERM_N}},
    {3, {TERM_ONE, TERM_N, TERM_N_LOG}},
    {3, {TERM_ONE, TERM_N, TERM_N_LOG_UP}},
    {2, {TERM_ONE, TERM_TWO_N}},
    {3, {TERM_ONE, TERM_N, TERM_TWO_N}},
    {4, {TERM_ONE, TERM_POWER_DOWN, TERM_N, TERM_N_LOG}},
    {4, {TERM_ONE, TERM_POWER_UP, TERM_N, TERM_N_LOG_UP}},
    {4, {TERM_ONE, TERM_N, TERM_TWO_N, TERM_N_TWO_N}},
    {5, {TERM_ONE, TERM_LOG, TERM_POWER_DOWN, TERM_N, TERM_N_LOG}},
};

static int64_t log_down(int64_t size) {
    return size > 0 ? 63 - __builtin_clzll((unsigned long long)size) : 0;
}

static int64_t log_up(int64_t size) {
    return size > 1 ? log_down(size - 1) + 1 : 0;
}

static struct measure_rational power_of_two(int64_t exponent) {
    bool reached = exponent < 120;
    return (struct measure_rational){reached ? (measure_wide)1 << exponent : 0, reached};
}

static struct measure_rational whole(measure_wide value) {
    return (struct measure_rational){value, 1};
}

static struct measure_rational term_at(enum term term, int64_t size) {
    struct measure_rational n = whole(size), square = measure_multiply(n, n);
    switch (term) {
    case TERM_ONE:
        return whole(1);
    case TERM_LOG:
        return whole(log_down(size));
    case TERM_LOG_UP:
        return whole(log_up(size));
    case TERM_POWER_DOWN:
        return power_of_two(log_down(size));
    case TERM_POWER_UP:
        return power_of_two(log_up(size));
    case TERM_N:
        return n;
    case TERM_N_LOG:
        return measure_multiply(n, whole(log_down(size)));
    case TERM_N_LOG_UP:
        return measure_multiply(n, whole(log_up(size)));
    case TERM_N2:
        return square;
    case TERM_N3:
        return measure_multiply(square, n);
    case TERM_N4:
        return measure_multiply(square, square);
    case TERM_TWO_N:
        return power_of_two(size);
    case TERM_N_TWO_N:
        return measure_multiply(n, power_of_two(size));
    case TERM_COUNT:
        break;
    }
    return (struct measure_rational){0, 0};
}

#define FAMILIES BASE_COUNT(families)

/* ---- solving ---- */

/* The equations of the coefficients in upper triangular form; the last column is the cost. */
struct system {
    unsigned terms;
    bool has_row[MEASURE_CURVE_TERMS];
    struct measure_rational rows[MEASURE_CURVE_TERMS][MEASURE_CURVE_TERMS + 1];
};

static void make_row(const struct family *family, const struct measure_point *point,
                     struct measure_rational *row) {
    for (unsigned i = 0; i < family->count; i++)
        row[i] = term_at(family->terms[i], point->size);
    row[family->count] = measure_rational_of(point->cost);
}

/* Subtracts a multiple of the pivot's row. */
static void eliminate(struct measure_rational *row, const struct measure_rational *pivot,
                      unsigned column, unsigned terms) {
    struct measure_rational factor = measure_divide(row[column], pivot[column]);
    for (unsigned i = column; i <= terms; i++)
        row[i] = measure_subtract(row[i], measure_multiply(factor, pivot[i]));
}

/* Adds an equation; false if it contradicts the others (or numbers got too large). */
static bool add_equation(struct system *system, struct measure_rational *row) {
    for (unsigned column = 0; column < system->terms; column++) {
        if (measure_is_none(row[column]))
            return false;
        if (row[column].above == 0)
            continue;
        if (!system->has_row[column]) {
            memcpy(system->rows[column], row, sizeof system->rows[column]);
            system->has_row[column] = true;
            return true;
        }
        eliminate(row, system->rows[column], column, system->terms);
    }
    return !measure_is_none(row[system->terms]) && row[system->terms].above == 0;
}

static bool solve(const struct system *system, struct measure_rational *coefficients) {
    for (unsigned column = system->terms; column-- > 0;) {
        if (!system->has_row[column])
            return false;
        const struct measure_rational *row = system->rows[column];
        struct measure_rational rest = row[system->terms];
        for (unsigned i = column + 1; i < system->terms; i++)
            rest = measure_subtract(rest, measure_multiply(row[i], coefficients[i]));
        coefficients[column] = measure_divide(rest, row[column]);
        if (measure_is_none(coefficients[column]))
            return false;
    }
    return true;
}

static struct measure_rational sum_at(const struct family *family,
                                      const struct measure_rational *coefficients, int64_t size) {
    struct measure_rational sum = whole(0);
    for (unsigned i = 0; i < family->count; i++)
        if (coefficients[i].above)
            sum = measure_add(sum,
                              measure_multiply(coefficients[i], term_at(family->terms[i], size)));
    return sum;
}

/* ---- fitting ---- */

/* Fits the points of one residue class; the last one confirms. Returns how many points confirm, 0
 * if it does not fit. */
static unsigned fit_class(const struct family *family, const struct measure_point *points,
                          size_t count, unsigned modulus, unsigned residue,
                          struct measure_rational *coefficients) {
    struct system system = {.terms = family->count};
    const struct measure_point *last = NULL;
    unsigned used = 0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].size % modulus != residue)
            continue;
        struct measure_rational row[MEASURE_CURVE_TERMS + 1];
        if (last) {
            make_row(family, last, row);
            if (!add_equation(&system, row))
                return 0;
        }
        last = &points[i];
        used++;
    }
    if (used <= family->count || !solve(&system, coefficients) ||
        !measure_rational_equal(sum_at(family, coefficients, last->size),
                                measure_rational_of(last->cost)))
        return 0;
    return used - family->count;
}

static bool fit_family(unsigned number, const struct measure_point *points, size_t count,
                       unsigned modulus, unsigned least, struct measure_curve *curve) {
    *curve = (struct measure_curve){
        .family = number, .modulus = modulus, .first = points[0].size, .confirmed = UINT32_MAX};
    for (unsigned residue = 0; residue < modulus; residue++) {
        unsigned confirmed = fit_class(&families[number], points, count, modulus, residue,
                                       curve->coefficients[residue]);
        if (confirmed < least)
            return false;
        if (confirmed < curve->confirmed)
            curve->confirmed = confirmed;
    }
    return true;
}

/* What is tried, in this order: families [first, last), a class per residue or not, how many of the
 * smallest sizes may be left out, and how many points must confirm. Steps of logarithms fit almost
 * anything at small sizes, so they need more confirmation. */
static const struct attempt {
    unsigned first, last, modulus, left_out, least;
} attempts[] = {
    {0, POLYNOMIALS, 1, 0, 1},        {0, POLYNOMIALS, 1, 1, 2}, {0, POLYNOMIALS, 2, 0, 1},
    {POLYNOMIALS, FAMILIES, 1, 0, 3}, {0, POLYNOMIALS, 1, 3, 2}, {0, POLYNOMIALS, 2, 2, 2},
    {0, POLYNOMIALS, 3, 0, 1},        {0, POLYNOMIALS, 4, 0, 1},
};

static bool try_attempt(const struct attempt *attempt, const struct measure_point *points,
                        size_t count, struct measure_curve *curve) {
    for (size_t out = 0; out <= attempt->left_out && out < count; out++)
        for (unsigned i = attempt->first; i < attempt->last; i++)
            if (fit_family(i, points + out, count - out, attempt->modulus, attempt->least, curve))
                return true;
    return false;
}

bool measure_curve_fit(const struct measure_point *points, size_t count,
                       struct measure_curve *curve) {
    for (size_t i = 0; i < BASE_COUNT(attempts); i++)
        if (try_attempt(&attempts[i], points, count, curve))
            return true;
    return false;
}

double measure_curve_at(const struct measure_curve *curve, int64_t size) {
    return measure_rational_value(
        sum_at(&families[curve->family], curve->coefficients[size % curve->modulus], size));
}

/* ---- in words ---- */

static void print_name(const char *text, const char *name, struct base_buffer *out) {
    for (; *text; text++)
        if (*text == 'N')
            base_buffer_print(out, "%s", name);
        else
            base_buffer_add(out, text, 1);
}

static void print_sum(const struct family *family, const struct measure_rational *coefficients,
                      const char *name, struct base_buffer *out) {
    bool is_first = true;
    for (unsigned i = family->count; i-- > 0;) {
        struct measure_rational factor = coefficients[i];
        if (!factor.above)
            continue;
        bool negative = factor.above < 0;
        factor.above = negative ? -factor.above : factor.above;
        base_buffer_print(out, "%s", is_first ? (negative ? "-" : "") : negative ? " - " : " + ");
        const char *formula = formulas[family->terms[i]];
        bool is_one = factor.above == 1 && factor.below == 1;
        if (!is_one || !*formula)
            measure_rational_print(factor, out);
        if (!is_one && *formula)
            base_buffer_print(out, "*");
        print_name(formula, name, out);
        is_first = false;
    }
    if (is_first)
        base_buffer_print(out, "0");
}

void measure_curve_print(const struct measure_curve *curve, const char *name,
                         struct base_buffer *out) {
    for (unsigned residue = 0; residue < curve->modulus; residue++) {
        print_sum(&families[curve->family], curve->coefficients[residue], name, out);
        if (curve->modulus > 1)
            base_buffer_print(out, " if %s%%%u == %u%s", name, curve->modulus, residue,
                              residue + 1 < curve->modulus ? "; " : "");
    }
}

void measure_curve_class(const struct measure_curve *curve, const char *name,
                         struct base_buffer *out) {
    const struct family *family = &families[curve->family];
    enum term most = TERM_ONE;
    for (unsigned residue = 0; residue < curve->modulus; residue++)
        for (unsigned i = 0; i < family->count; i++)
            if (curve->coefficients[residue][i].above && family->terms[i] > most)
                most = family->terms[i];
    base_buffer_print(out, "O(");
    print_name(growths[most], name, out);
    base_buffer_print(out, ")");
}
