/* SPDX-License-Identifier: Apache-2.0
 *
 * What does floating-point arithmetic give, as bits? The host computes like the target: SSE,
 * rounding to nearest. Sums, products, quotients and roots of floats are computed as doubles and
 * rounded again, which is the same, as a double has more than twice a float's digits. A result of
 * NaN is always the same NaN: which one a processor makes depends on the order of operands, and
 * that is up to the compiler.
 */
#include "expr/internal.h"

#include <math.h>
#include <string.h>

#define TWO_31 2147483648.0
#define TWO_63 9223372036854775808.0
#define TWO_64 18446744073709551616.0

double expr_float_value(unsigned width, uint64_t bits) {
    double value;
    float single;
    uint32_t low = (uint32_t)bits;
    memcpy(&value, &bits, sizeof value);
    memcpy(&single, &low, sizeof single);
    return width == 32 ? (double)single : value;
}

static uint64_t bits_of_single(float single) {
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return isnan(single) ? 0x7fc00000 : bits;
}

uint64_t expr_float_bits(unsigned width, double value) {
    uint64_t bits;
    if (width == 32)
        return bits_of_single((float)value);
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? 0x7ff8000000000000 : bits;
}

/* As the processor does: a value out of range becomes the least integer. */
static uint64_t to_signed(unsigned width, double value) {
    bool fits =
        width == 32 ? value > -TWO_31 - 1 && value < TWO_31 : value >= -TWO_63 && value < TWO_63;
    return fits ? (uint64_t)(int64_t)value : (uint64_t)1 << (width - 1);
}

static uint64_t from_integer(enum abi_op op, unsigned width, unsigned from, uint64_t a) {
    int64_t number = from == 32 ? (int32_t)(uint32_t)a : (int64_t)a;
    if (width == 32) /* rounded once, not through a double */
        return bits_of_single(op == ABI_OP_UTOF ? (float)a : (float)number);
    return expr_float_bits(64, op == ABI_OP_UTOF ? (double)a : (double)number);
}

uint64_t float_apply(enum abi_op op, unsigned width, unsigned from, uint64_t a, uint64_t b) {
    double x = expr_float_value(from, a), y = expr_float_value(from, b);
    switch (op) {
    case ABI_OP_FEQ:
        return x == y;
    case ABI_OP_FLT:
        return x < y;
    case ABI_OP_FLE:
        return x <= y;
    case ABI_OP_FADD:
        return expr_float_bits(width, x + y);
    case ABI_OP_FSUB:
        return expr_float_bits(width, x - y);
    case ABI_OP_FMUL:
        return expr_float_bits(width, x * y);
    case ABI_OP_FDIV:
        return expr_float_bits(width, x / y);
    case ABI_OP_FSQRT:
        return expr_float_bits(width, sqrt(x));
    case ABI_OP_FLOOR:
        return expr_float_bits(width, floor(x));
    case ABI_OP_FCEIL:
        return expr_float_bits(width, ceil(x));
    case ABI_OP_FTRUNC:
        return expr_float_bits(width, trunc(x));
    case ABI_OP_FROUND:
        return expr_float_bits(width, round(x));
    case ABI_OP_FRINT:
        return expr_float_bits(width, rint(x));
    case ABI_OP_FCVT:
        return expr_float_bits(width, x);
    case ABI_OP_STOF:
    case ABI_OP_UTOF:
        return from_integer(op, width, from, a);
    case ABI_OP_FTOU:
        if (x >= TWO_63 && x < TWO_64)
            return (uint64_t)x;
        return to_signed(width, x);
    case ABI_OP_FTOS:
        return to_signed(width, x);
    default:
        base_panic("no value for operation %d", op);
    }
}
