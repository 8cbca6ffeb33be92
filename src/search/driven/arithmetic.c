/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the result of an operation on partly known values? A multiple of one symbol where
 * possible, else a fresh symbol with the interval that follows.
 */
#include "search/driven/driven.h"

typedef driven_wide wide;

struct operation {
    struct driven_symbols *symbols;
    unsigned width;
    const struct driven_value *a, *b;
    struct driven_range left, right;
    enum driven_depends depends;
};

static struct driven_value result_within(const struct operation *op, wide low, wide high) {
    return driven_fresh(op->symbols, op->width, driven_range_within(low, high, op->width),
                        op->depends);
}

static struct driven_value add(const struct operation *op, int sign) {
    const struct driven_value *a = op->a, *b = op->b;
    wide offset = (wide)a->offset + (wide)sign * b->offset;
    if (!b->symbol)
        return driven_linear(op->symbols, op->width, a->symbol, a->scale, offset, op->depends);
    if (!a->symbol)
        return driven_linear(op->symbols, op->width, b->symbol, (wide)sign * b->scale, offset,
                             op->depends);
    if (a->symbol == b->symbol)
        return driven_linear(op->symbols, op->width, a->symbol,
                             (wide)a->scale + (wide)sign * b->scale, offset, op->depends);
    wide low = (wide)op->left.low + (sign > 0 ? op->right.low : -(wide)op->right.high);
    wide high = (wide)op->left.high + (sign > 0 ? op->right.high : -(wide)op->right.low);
    return result_within(op, low, high);
}

static struct driven_value scale_by(const struct operation *op, const struct driven_value *value,
                                    int64_t factor) {
    return driven_linear(op->symbols, op->width, value->symbol, (wide)value->scale * factor,
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
        return driven_linear(op->symbols, op->width, op->a->symbol, op->a->scale, op->a->offset,
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

/* Upper bound of a bitwise and: at most either operand that is not negative; if one is a constant,
 * only those of its bits that the other can have. */
static int64_t most_in_common(const struct operation *op) {
    struct driven_range a = op->left, b = op->right;
    if (a.low < 0)
        return b.high;
    if (b.low < 0)
        return a.high;
    if (!op->a->symbol)
        return a.high & (int64_t)all_ones(b.high);
    if (!op->b->symbol)
        return b.high & (int64_t)all_ones(a.high);
    return a.high < b.high ? a.high : b.high;
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
    if (operation == IR_OP_AND && (op->left.low >= 0 || op->right.low >= 0))
        return result_within(op, 0, most_in_common(op));
    if (operation != IR_OP_AND && op->left.low >= 0 && op->right.low >= 0) {
        int64_t most = op->left.high > op->right.high ? op->left.high : op->right.high;
        return result_within(op, 0, all_ones(most));
    }
    return result_within(op, full.low, full.high);
}

/* Pointers into one object differ by a number of bytes. */
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
                                  (struct driven_range){driven_is_not_zero(symbols, value),
                                                        (int64_t)(((wide)1 << from) - 1)},
                                  (enum driven_depends)value->depends);
    } else if (operation == IR_OP_SEXT && from == 1)
        return driven_linear(symbols, width, value->symbol, -(wide)value->scale,
                             -(wide)value->offset, (enum driven_depends)value->depends);
    result.width = (uint8_t)width;
    if (operation != IR_OP_TRUNC)
        return result;
    return driven_linear(symbols, width, value->symbol, value->scale, value->offset,
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
