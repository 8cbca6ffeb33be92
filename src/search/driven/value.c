/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of a value? A constant, an interval, or a linear relation to another value.
 *
 * Symbols stand for unknown values; each has an interval. If a branch narrows a value, it narrows
 * the interval of its symbol, and with it every other value with the same symbol: a field and its
 * copy in a register, a capacity and its double. What cannot be expressed in this form becomes a
 * fresh symbol with the interval that follows, so every answer holds for all values that a run can
 * have.
 */
#include "search/driven/driven.h"

#include <stdlib.h>

enum { EQ = 32, NE, UGT, UGE, ULT, ULE, SGT, SGE, SLT, SLE }; /* LLVMIntPredicate */

typedef driven_wide wide;

static const struct driven_range empty = {1, 0};

struct driven_range driven_full_range(unsigned width) {
    if (width == 1)
        return (struct driven_range){0, 1};
    if (width >= 64 || !width)
        return (struct driven_range){INT64_MIN, INT64_MAX};
    int64_t half = (int64_t)1 << (width - 1);
    return (struct driven_range){-half, half - 1};
}

static bool is_within(wide low, wide high, struct driven_range range) {
    return low >= range.low && high <= range.high;
}

struct driven_range driven_range_within(wide low, wide high, unsigned width) {
    struct driven_range full = driven_full_range(width);
    return is_within(low, high, full) ? (struct driven_range){(int64_t)low, (int64_t)high} : full;
}

bool driven_is_constant(const struct driven_value *value) {
    return value->kind == DRIVEN_INTEGER && !value->symbol;
}

/* The number wrapped to this width. */
static int64_t wrap(wide value, unsigned width) {
    uint64_t bits = (uint64_t)value;
    if (width == 1)
        return (int64_t)(bits & 1);
    unsigned spare = width && width < 64 ? 64 - width : 0;
    return (int64_t)(bits << spare) >> spare;
}

struct driven_value driven_number(unsigned width, int64_t value) {
    return (struct driven_value){
        .kind = DRIVEN_INTEGER, .width = (uint8_t)width, .offset = wrap(value, width)};
}

struct driven_value driven_fit(struct driven_value value, unsigned width) {
    value.offset = wrap(value.offset, width);
    value.width = (uint8_t)width;
    return value;
}

struct driven_value driven_settle(const struct driven_symbols *symbols, struct driven_value value) {
    if (!value.symbol)
        return value;
    const struct driven_range *range = &symbols->data[value.symbol].range;
    if (range->low != range->high)
        return value;
    value.offset += value.scale * range->low;
    value.symbol = 0;
    value.scale = 0;
    return value;
}

struct driven_value driven_unknown(enum driven_depends depends) {
    return (struct driven_value){.kind = DRIVEN_UNKNOWN, .depends = (uint8_t)depends};
}

struct driven_value driven_fresh(struct driven_symbols *symbols, unsigned width,
                                 struct driven_range range, enum driven_depends depends) {
    struct driven_value value = {
        .kind = DRIVEN_INTEGER, .width = (uint8_t)width, .depends = (uint8_t)depends};
    if (range.low == range.high) {
        value.offset = range.low;
        return value;
    }
    if (!symbols->count)
        base_push(symbols, ((struct driven_symbol){.range = empty}));
    value.symbol = (uint32_t)symbols->count;
    value.scale = 1;
    base_push(symbols,
              ((struct driven_symbol){
                  .range = range, .was_asked = 1, .is_untraced = depends != DRIVEN_PLAIN}));
    return value;
}

static void range_wide(const struct driven_symbols *symbols, uint32_t symbol, wide scale,
                       wide offset, wide *low, wide *high) {
    *low = *high = offset;
    if (!symbol)
        return;
    const struct driven_range *range = &symbols->data[symbol].range;
    wide a = scale * range->low + offset, b = scale * range->high + offset;
    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

struct driven_range driven_range_of(const struct driven_symbols *symbols,
                                    const struct driven_value *value) {
    wide low, high;
    if (value->kind != DRIVEN_INTEGER && value->kind != DRIVEN_POINTER)
        return driven_full_range(value->width);
    range_wide(symbols, value->symbol, value->scale, value->offset, &low, &high);
    return (struct driven_range){(int64_t)low, (int64_t)high};
}

static bool fits(wide value) {
    return value >= INT64_MIN && value <= INT64_MAX;
}

struct driven_value driven_linear(struct driven_symbols *symbols, unsigned width, uint32_t symbol,
                                  wide scale, wide offset, enum driven_depends depends) {
    wide low, high;
    struct driven_value value = {
        .kind = DRIVEN_INTEGER, .width = (uint8_t)width, .depends = (uint8_t)depends};
    if (!symbol || !scale) {
        value.offset = wrap(offset, width);
        return value;
    }
    range_wide(symbols, symbol, scale, offset, &low, &high);
    struct driven_range full = driven_full_range(width);
    if (!fits(scale) || !fits(offset) || !is_within(low, high, full))
        return driven_fresh(symbols, width, full, depends);
    value.symbol = symbol;
    value.scale = (int64_t)scale;
    value.offset = (int64_t)offset;
    return value;
}

enum driven_depends driven_depends_of(const struct driven_value *a, const struct driven_value *b) {
    return (enum driven_depends)(a->depends > b->depends ? a->depends : b->depends);
}

/* ---- comparisons ---- */

static bool is_unsigned(unsigned predicate) {
    return predicate >= UGT && predicate <= ULE;
}

/* The signed comparison that is equivalent if both sides are not negative. */
static unsigned as_signed(unsigned predicate) {
    return is_unsigned(predicate) ? predicate + (SGT - UGT) : predicate;
}

static unsigned negate(unsigned predicate) {
    static const unsigned other[] = {NE, EQ, ULE, ULT, UGE, UGT, SLE, SLT, SGE, SGT};
    return other[predicate - EQ];
}

static unsigned mirror(unsigned predicate) {
    static const unsigned other[] = {EQ, NE, ULT, ULE, UGT, UGE, SLT, SLE, SGT, SGE};
    return other[predicate - EQ];
}

static int compare_ranges(unsigned predicate, struct driven_range a, struct driven_range b) {
    switch (predicate) {
    case EQ:
        return a.low == a.high && b.low == b.high && a.low == b.low ? 1
               : a.high < b.low || b.high < a.low                   ? 0
                                                                    : -1;
    case SLT:
        return a.high < b.low ? 1 : a.low >= b.high ? 0 : -1;
    case SLE:
        return a.high <= b.low ? 1 : a.low > b.high ? 0 : -1;
    default:
        break;
    }
    int other = compare_ranges(predicate == NE ? EQ : mirror(predicate), predicate == NE ? a : b,
                               predicate == NE ? b : a);
    return other < 0 || predicate != NE ? other : !other;
}

/* For -1 and 1, the unsigned order differs from the signed one. */
static int compare_unsigned(unsigned predicate, struct driven_range a, struct driven_range b) {
    if ((a.low >= 0 && b.low >= 0) || (a.high < 0 && b.high < 0))
        return compare_ranges(as_signed(predicate), a, b);
    if (a.high < 0 && b.low >= 0)
        return predicate == UGT || predicate == UGE;
    if (b.high < 0 && a.low >= 0)
        return predicate == ULT || predicate == ULE;
    return -1;
}

static int compare_pointers(unsigned predicate, const struct driven_symbols *symbols,
                            const struct driven_value *a, const struct driven_value *b) {
    if (a->kind == DRIVEN_POINTER && b->kind == DRIVEN_POINTER && a->object == b->object) {
        if (a->symbol == b->symbol && a->scale == b->scale)
            return compare_ranges(as_signed(predicate), (struct driven_range){a->offset, a->offset},
                                  (struct driven_range){b->offset, b->offset});
        return compare_ranges(as_signed(predicate), driven_range_of(symbols, a),
                              driven_range_of(symbols, b));
    }
    if (predicate != EQ && predicate != NE)
        return -1;
    if (a->kind == DRIVEN_FUNCTION && b->kind == DRIVEN_FUNCTION)
        return (a->object == b->object) == (predicate == EQ);
    bool has_null = (driven_is_constant(a) && !a->offset) || (driven_is_constant(b) && !b->offset);
    bool both = a->kind == DRIVEN_POINTER && b->kind == DRIVEN_POINTER;
    bool known = a->kind != DRIVEN_UNKNOWN && b->kind != DRIVEN_UNKNOWN;
    return known && (has_null || both) ? predicate == NE : -1;
}

bool driven_is_not_zero(const struct driven_symbols *symbols, const struct driven_value *value) {
    return value->kind == DRIVEN_INTEGER && value->symbol && !value->offset &&
           symbols->data[value->symbol].is_not_zero;
}

/* Would the two only be equal if a symbol were zero that is known not to be? */
static bool are_different(const struct driven_symbols *symbols, const struct driven_value *a,
                          const struct driven_value *b) {
    return !b->symbol && a->symbol && a->offset == b->offset &&
           symbols->data[a->symbol].is_not_zero;
}

int driven_compare(const struct driven_symbols *symbols, unsigned predicate,
                   const struct driven_value *a, const struct driven_value *b) {
    if (predicate < EQ || predicate > SLE)
        return -1;
    if (a->kind != DRIVEN_INTEGER || b->kind != DRIVEN_INTEGER)
        return compare_pointers(predicate, symbols, a, b);
    struct driven_range left = driven_range_of(symbols, a), right = driven_range_of(symbols, b);
    if (a->symbol && a->symbol == b->symbol && a->scale == b->scale) {
        if (is_unsigned(predicate) && (left.low < 0 || right.low < 0))
            return -1;
        return compare_ranges(as_signed(predicate), (struct driven_range){a->offset, a->offset},
                              (struct driven_range){b->offset, b->offset});
    }
    if ((predicate == EQ || predicate == NE) &&
        (are_different(symbols, a, b) || are_different(symbols, b, a)))
        return predicate == NE;
    return is_unsigned(predicate) ? compare_unsigned(predicate, left, right)
                                  : compare_ranges(predicate, left, right);
}

/* ---- conclusions from a comparison ---- */

static wide divide_down(wide a, wide b) {
    return a / b - (a % b && (a < 0) != (b < 0));
}

static wide divide_up(wide a, wide b) {
    return a / b + (a % b && (a < 0) == (b < 0));
}

/* Narrows the symbol so that the value is within LOW and HIGH. False when that is impossible. */
static bool bound(struct driven_symbols *symbols, const struct driven_value *value, wide low,
                  wide high) {
    if (!value->symbol)
        return value->offset >= low && value->offset <= high;
    struct driven_symbol *symbol = &symbols->data[value->symbol];
    struct driven_range *range = &symbol->range;
    wide scale = value->scale, from = low - value->offset, to = high - value->offset;
    wide least = scale > 0 ? divide_up(from, scale) : divide_up(to, scale);
    wide most = scale > 0 ? divide_down(to, scale) : divide_down(from, scale);
    if (least > range->low)
        range->low = least > INT64_MAX ? INT64_MAX : (int64_t)least;
    if (most < range->high)
        range->high = most < INT64_MIN ? INT64_MIN : (int64_t)most;
    bool good = least <= INT64_MAX && most >= INT64_MIN;
    range->low += symbol->is_not_zero && !range->low;
    range->high -= symbol->is_not_zero && !range->high;
    return good && range->low <= range->high;
}

static bool exclude(struct driven_symbols *symbols, const struct driven_value *value,
                    int64_t number) {
    struct driven_range range = driven_range_of(symbols, value);
    if (range.low == number)
        return bound(symbols, value, (wide)number + 1, range.high);
    if (range.high == number)
        return bound(symbols, value, range.low, (wide)number - 1);
    if (value->symbol && value->offset == number)
        symbols->data[value->symbol].is_not_zero = 1;
    return true;
}

static bool assume_different(struct driven_symbols *symbols, const struct driven_value *a,
                             const struct driven_value *b) {
    struct driven_range x = driven_range_of(symbols, a), y = driven_range_of(symbols, b);
    if (y.low == y.high && !exclude(symbols, a, y.low))
        return false;
    return x.low != x.high || exclude(symbols, b, x.low);
}

/* a < b, or a <= b. */
static bool assume_less(struct driven_symbols *symbols, const struct driven_value *a,
                        const struct driven_value *b, int gap) {
    struct driven_range y = driven_range_of(symbols, b);
    if (!bound(symbols, a, INT64_MIN, (wide)y.high - gap))
        return false;
    struct driven_range x = driven_range_of(symbols, a);
    return bound(symbols, b, (wide)x.low + gap, INT64_MAX);
}

static bool assume_equal(struct driven_symbols *symbols, const struct driven_value *a,
                         const struct driven_value *b) {
    return assume_less(symbols, a, b, 0) && assume_less(symbols, b, a, 0);
}

/* Unsigned: a number below one that is not negative is not negative either. */
static bool assume_unsigned(struct driven_symbols *symbols, unsigned predicate,
                            const struct driven_value *a, const struct driven_value *b) {
    if (predicate == UGT || predicate == UGE)
        return assume_unsigned(symbols, mirror(predicate), b, a);
    struct driven_range x = driven_range_of(symbols, a), y = driven_range_of(symbols, b);
    int gap = predicate == ULT;
    if (y.low >= 0)
        return bound(symbols, a, 0, INT64_MAX) && assume_less(symbols, a, b, gap);
    if (x.high < 0)
        return bound(symbols, b, INT64_MIN, -1) && assume_less(symbols, a, b, gap);
    return true;
}

bool driven_assume(struct driven_symbols *symbols, unsigned predicate, bool holds,
                   const struct driven_value *a, const struct driven_value *b) {
    if (a->kind != DRIVEN_INTEGER || b->kind != DRIVEN_INTEGER || predicate < EQ ||
        predicate > SLE || (a->symbol && a->symbol == b->symbol))
        return true;
    if (!holds)
        predicate = negate(predicate);
    switch (predicate) {
    case EQ:
        return assume_equal(symbols, a, b);
    case NE:
        return assume_different(symbols, a, b);
    case SLT:
    case SLE:
        return assume_less(symbols, a, b, predicate == SLT);
    case SGT:
    case SGE:
        return assume_less(symbols, b, a, predicate == SGT);
    default:
        return assume_unsigned(symbols, predicate, a, b);
    }
}
