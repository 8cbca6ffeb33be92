/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of a value? Constants, intervals, and that one value is a multiple of another plus
 * a number.
 *
 * Symbols stand for what is not known; each has an interval. Where a branch tells something about a
 * value, it narrows the interval of its symbol, and with it every other value that hangs on the
 * same one: a field and its copy in a register, a capacity and the double of it. What cannot be
 * said in this form becomes a fresh symbol with the interval that follows, so every answer holds
 * for all values that a run can have.
 */
#include "search/driven/driven.h"

#include <stdlib.h>

enum { EQ = 32, NE, UGT, UGE, ULT, ULE, SGT, SGE, SLT, SLE }; /* LLVMIntPredicate */

typedef __int128 wide;

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

static struct driven_range range_or_full(wide low, wide high, unsigned width) {
    struct driven_range full = driven_full_range(width);
    return is_within(low, high, full) ? (struct driven_range){(int64_t)low, (int64_t)high} : full;
}

bool driven_is_constant(const struct driven_value *value) {
    return value->kind == DRIVEN_INTEGER && !value->symbol;
}

/* The number as one of this width. */
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
        base_push(symbols, empty);
    value.symbol = (uint32_t)symbols->count;
    value.scale = 1;
    base_push(symbols, range);
    return value;
}

static void range_wide(const struct driven_symbols *symbols, uint32_t symbol, wide scale,
                       wide offset, wide *low, wide *high) {
    *low = *high = offset;
    if (!symbol)
        return;
    const struct driven_range *range = &symbols->data[symbol];
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

static struct driven_value linear(struct driven_symbols *symbols, unsigned width, uint32_t symbol,
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

struct driven_value driven_linear(struct driven_symbols *symbols, unsigned width, uint32_t symbol,
                                  int64_t scale, int64_t offset, enum driven_depends depends) {
    return linear(symbols, width, symbol, scale, offset, depends);
}

enum driven_depends driven_depends_of(const struct driven_value *a, const struct driven_value *b) {
    return (enum driven_depends)(a->depends > b->depends ? a->depends : b->depends);
}

/* ---- arithmetic ---- */

struct operation {
    struct driven_symbols *symbols;
    unsigned width;
    const struct driven_value *a, *b;
    struct driven_range left, right;
    enum driven_depends depends;
};

static struct driven_value result_within(const struct operation *op, wide low, wide high) {
    return driven_fresh(op->symbols, op->width, range_or_full(low, high, op->width), op->depends);
}

static struct driven_value add(const struct operation *op, int sign) {
    const struct driven_value *a = op->a, *b = op->b;
    wide offset = (wide)a->offset + (wide)sign * b->offset;
    if (!b->symbol)
        return linear(op->symbols, op->width, a->symbol, a->scale, offset, op->depends);
    if (!a->symbol)
        return linear(op->symbols, op->width, b->symbol, (wide)sign * b->scale, offset,
                      op->depends);
    if (a->symbol == b->symbol)
        return linear(op->symbols, op->width, a->symbol, (wide)a->scale + (wide)sign * b->scale,
                      offset, op->depends);
    wide low = (wide)op->left.low + (sign > 0 ? op->right.low : -(wide)op->right.high);
    wide high = (wide)op->left.high + (sign > 0 ? op->right.high : -(wide)op->right.low);
    return result_within(op, low, high);
}

static struct driven_value scale_by(const struct operation *op, const struct driven_value *value,
                                    int64_t factor) {
    return linear(op->symbols, op->width, value->symbol, (wide)value->scale * factor,
                  (wide)value->offset * factor, op->depends);
}

static struct driven_value multiply(const struct operation *op) {
    if (!op->b->symbol)
        return scale_by(op, op->a, op->b->offset);
    if (!op->a->symbol)
        return scale_by(op, op->b, op->a->offset);
    wide corners[4] = {(wide)op->left.low * op->right.low, (wide)op->left.low * op->right.high,
                       (wide)op->left.high * op->right.low, (wide)op->left.high * op->right.high};
    wide low = corners[0], high = corners[0];
    for (size_t i = 1; i < 4; i++) {
        low = corners[i] < low ? corners[i] : low;
        high = corners[i] > high ? corners[i] : high;
    }
    return result_within(op, low, high);
}

static bool is_positive(const struct operation *op) {
    return op->left.low >= 0 && op->right.low > 0;
}

static struct driven_value divide(const struct operation *op) {
    if (is_positive(op))
        return result_within(op, op->left.low / op->right.high, op->left.high / op->right.low);
    return result_within(op, driven_full_range(op->width).low, driven_full_range(op->width).high);
}

static struct driven_value remain(const struct operation *op, bool is_signed) {
    struct driven_range full = driven_full_range(op->width);
    if (!op->a->symbol && !op->b->symbol && is_positive(op)) {
        int64_t rest = op->a->offset % op->b->offset;
        return result_within(op, rest, rest);
    }
    if (is_positive(op) && op->left.high < op->right.low)
        return linear(op->symbols, op->width, op->a->symbol, op->a->scale, op->a->offset,
                      op->depends);
    if (is_positive(op) || (!is_signed && op->right.low > 0))
        return result_within(
            op, 0,
            is_positive(op) && op->left.high < op->right.high ? op->left.high : op->right.high - 1);
    if (is_signed && op->right.low > 0)
        return result_within(op, op->left.low >= 0 ? 0 : -(wide)(op->right.high - 1),
                             op->right.high - 1);
    return result_within(op, is_signed && op->left.low >= 0 ? 0 : full.low, full.high);
}

static struct driven_value shift(const struct operation *op, enum ir_operation operation) {
    struct driven_range full = driven_full_range(op->width);
    int64_t by = op->b->offset;
    if (op->b->symbol || by < 0 || by >= (int64_t)op->width || by > 62)
        return result_within(op, full.low, full.high);
    if (operation == IR_OP_SHL)
        return scale_by(op, op->a, (int64_t)1 << by);
    if (operation == IR_OP_ASHR || op->left.low >= 0)
        return result_within(op, op->left.low >> by, op->left.high >> by);
    if (!by)
        return result_within(op, full.low, full.high);
    return result_within(op, 0, ((wide)1 << (op->width - (unsigned)by)) - 1);
}

static wide all_ones(int64_t value) {
    wide ones = 1;
    while (ones <= value)
        ones *= 2;
    return ones - 1;
}

static struct driven_value combine(const struct operation *op, enum ir_operation operation) {
    struct driven_range full = driven_full_range(op->width);
    if (!op->a->symbol && !op->b->symbol) {
        int64_t a = op->a->offset, b = op->b->offset;
        struct driven_value value = driven_number(op->width, operation == IR_OP_AND  ? (a & b)
                                                             : operation == IR_OP_OR ? (a | b)
                                                                                     : (a ^ b));
        value.depends = (uint8_t)op->depends;
        return value;
    }
    if (operation == IR_OP_AND && (op->left.low >= 0 || op->right.low >= 0)) {
        int64_t high = op->left.low < 0                 ? op->right.high
                       : op->right.low < 0              ? op->left.high
                       : op->left.high < op->right.high ? op->left.high
                                                        : op->right.high;
        return result_within(op, 0, high);
    }
    if (operation != IR_OP_AND && op->left.low >= 0 && op->right.low >= 0) {
        int64_t most = op->left.high > op->right.high ? op->left.high : op->right.high;
        return result_within(op, 0, all_ones(most));
    }
    return result_within(op, full.low, full.high);
}

/* Pointers of one object are a number of bytes apart. */
static struct driven_value subtract_pointers(const struct operation *op) {
    if (op->a->object != op->b->object)
        return driven_unknown(op->depends);
    return add(op, -1);
}

static struct driven_value operate(const struct operation *op, enum ir_operation operation) {
    switch (operation) {
    case IR_OP_ADD:
        return add(op, 1);
    case IR_OP_SUB:
        return add(op, -1);
    case IR_OP_MUL:
        return multiply(op);
    case IR_OP_SDIV:
    case IR_OP_UDIV:
        return divide(op);
    case IR_OP_SREM:
    case IR_OP_UREM:
        return remain(op, operation == IR_OP_SREM);
    case IR_OP_SHL:
    case IR_OP_LSHR:
    case IR_OP_ASHR:
        return shift(op, operation);
    case IR_OP_AND:
    case IR_OP_OR:
    case IR_OP_XOR:
        return combine(op, operation);
    default:
        return driven_unknown(op->depends);
    }
}

struct driven_value driven_binary(struct driven_symbols *symbols, enum ir_operation operation,
                                  unsigned width, const struct driven_value *a,
                                  const struct driven_value *b) {
    struct operation op = {
        .symbols = symbols, .width = width, .a = a, .b = b, .depends = driven_depends_of(a, b)};
    if (!width)
        return driven_unknown(op.depends);
    if (a->kind == DRIVEN_POINTER && b->kind == DRIVEN_POINTER && operation == IR_OP_SUB)
        return subtract_pointers(&op);
    op.left = driven_range_of(symbols, a);
    op.right = driven_range_of(symbols, b);
    if (a->kind == DRIVEN_INTEGER && b->kind == DRIVEN_INTEGER)
        return operate(&op, operation);
    if (a->kind == DRIVEN_POINTER || b->kind == DRIVEN_POINTER || width == 64)
        return driven_unknown(op.depends);
    return driven_fresh(symbols, width, driven_full_range(width), op.depends);
}

struct driven_value driven_cast(struct driven_symbols *symbols, enum ir_operation operation,
                                unsigned width, const struct driven_value *value) {
    struct driven_value result = *value;
    unsigned from = value->width;
    if (value->kind != DRIVEN_INTEGER) {
        bool keeps = operation == IR_OP_PTRTOINT || operation == IR_OP_INTTOPTR ||
                     operation == IR_OP_BITCAST || operation == IR_OP_FREEZE;
        if (keeps)
            return *value;
        return width && width < 64 ? driven_fresh(symbols, width, driven_full_range(width),
                                                  (enum driven_depends)value->depends)
                                   : driven_unknown((enum driven_depends)value->depends);
    }
    struct driven_range range = driven_range_of(symbols, value);
    if (operation == IR_OP_ZEXT && range.low < 0) {
        if (!value->symbol) {
            uint64_t mask = from < 64 ? ((uint64_t)1 << from) - 1 : UINT64_MAX;
            result.offset = (int64_t)((uint64_t)value->offset & mask);
        } else
            result = driven_fresh(symbols, width,
                                  (struct driven_range){0, (int64_t)(((wide)1 << from) - 1)},
                                  (enum driven_depends)value->depends);
    } else if (operation == IR_OP_SEXT && from == 1)
        return linear(symbols, width, value->symbol, -(wide)value->scale, -(wide)value->offset,
                      (enum driven_depends)value->depends);
    result.width = (uint8_t)width;
    if (operation != IR_OP_TRUNC)
        return result;
    return linear(symbols, width, value->symbol, value->scale, value->offset,
                  (enum driven_depends)value->depends);
}

static bool is_same(const struct driven_value *a, const struct driven_value *b) {
    return a->kind == b->kind && a->width == b->width && a->object == b->object &&
           a->symbol == b->symbol && a->scale == b->scale && a->offset == b->offset;
}

struct driven_value driven_join(struct driven_symbols *symbols, const struct driven_value *a,
                                const struct driven_value *b, enum driven_depends depends) {
    if (is_same(a, b)) {
        struct driven_value same = *a;
        same.depends = (uint8_t)depends;
        return same;
    }
    if (a->kind != DRIVEN_INTEGER || b->kind != DRIVEN_INTEGER || a->width != b->width)
        return driven_unknown(depends);
    struct driven_range x = driven_range_of(symbols, a), y = driven_range_of(symbols, b);
    return driven_fresh(
        symbols, a->width,
        (struct driven_range){x.low < y.low ? x.low : y.low, x.high > y.high ? x.high : y.high},
        depends);
}

/* ---- comparisons ---- */

static bool is_unsigned(unsigned predicate) {
    return predicate >= UGT && predicate <= ULE;
}

/* The signed comparison that is the same where both sides are not negative. */
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

/* Of -1 and 1, the unsigned order is not the signed one. */
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
    return is_unsigned(predicate) ? compare_unsigned(predicate, left, right)
                                  : compare_ranges(predicate, left, right);
}

/* ---- what follows from a comparison ---- */

static wide divide_down(wide a, wide b) {
    return a / b - (a % b && (a < 0) != (b < 0));
}

static wide divide_up(wide a, wide b) {
    return a / b + (a % b && (a < 0) == (b < 0));
}

/* The value lies within LOW and HIGH: so does its symbol. False when there is none such. */
static bool bound(struct driven_symbols *symbols, const struct driven_value *value, wide low,
                  wide high) {
    if (!value->symbol)
        return value->offset >= low && value->offset <= high;
    struct driven_range *range = &symbols->data[value->symbol];
    wide scale = value->scale, from = low - value->offset, to = high - value->offset;
    wide least = scale > 0 ? divide_up(from, scale) : divide_up(to, scale);
    wide most = scale > 0 ? divide_down(to, scale) : divide_down(from, scale);
    if (least > range->low)
        range->low = least > INT64_MAX ? INT64_MAX : (int64_t)least;
    if (most < range->high)
        range->high = most < INT64_MIN ? INT64_MIN : (int64_t)most;
    return range->low <= range->high && least <= INT64_MAX && most >= INT64_MIN;
}

static bool exclude(struct driven_symbols *symbols, const struct driven_value *value,
                    int64_t number) {
    struct driven_range range = driven_range_of(symbols, value);
    if (range.low == number)
        return bound(symbols, value, (wide)number + 1, range.high);
    if (range.high == number)
        return bound(symbols, value, range.low, (wide)number - 1);
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

/* Unsigned: what is below a number that is not negative is not negative either. */
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
