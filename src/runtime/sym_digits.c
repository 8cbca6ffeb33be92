/* SPDX-License-Identifier: Apache-2.0
 *
 * What are the digits of a printed number? The path decides their count and the sign, just like a
 * loop that divides by ten; then each digit is an expression.
 */
#include "runtime/symbolic.h"

static uint64_t greatest(unsigned width) {
    return width < 64 ? (1ull << width) - 1 : UINT64_MAX;
}

static uint32_t with_constant(enum abi_op op, unsigned width, uint32_t a, uint64_t constant) {
    uint32_t b = runtime_sym_constant(runtime_sym_at(a)->width, constant);
    return b ? runtime_sym_node(op, width, 0, a, b, 0) : 0;
}

/* Drops a widening: the value is the same, and narrower questions are cheaper. */
static void take_narrow(struct runtime_number *number) {
    for (const struct abi_node *node;
         node = runtime_sym_at(number->expr),
         node->op == ABI_OP_ZEXT || (node->op == ABI_OP_SEXT && number->is_signed);) {
        number->is_signed &= node->op == ABI_OP_SEXT;
        number->expr = node->a;
        number->value &= greatest(runtime_sym_at(node->a)->width);
    }
    if (runtime_sym_at(number->expr)->width < 8) {
        enum abi_op widen = number->is_signed ? ABI_OP_SEXT : ABI_OP_ZEXT;
        uint64_t sign = 1ull << (runtime_sym_at(number->expr)->width - 1);
        number->expr = runtime_sym_node(widen, 8, 0, number->expr, 0, 0);
        if (number->is_signed)
            number->value = ((number->value ^ sign) - sign) & 255;
    }
}

/* Decides the sign, and replaces the number by its magnitude. */
static void take_sign(struct runtime_number *number) {
    unsigned width = runtime_sym_at(number->expr)->width;
    uint64_t most = greatest(width) >> 1;
    if (!number->is_signed || runtime_sym_bounds_here(number->expr).high <= most)
        return;
    uint32_t zero = runtime_sym_constant(width, 0);
    bool is_negative = number->value > most;
    if (!zero)
        return;
    runtime_sym_ask(runtime_sym_node(ABI_OP_SLT, 1, 0, number->expr, zero, 0), is_negative);
    if (is_negative) {
        number->expr = runtime_sym_node(ABI_OP_SUB, width, 0, zero, number->expr, 0);
        number->value = (0 - number->value) & greatest(width);
    }
}

void runtime_sym_decide_digits(struct runtime_number *number) {
    take_narrow(number);
    take_sign(number);
    uint64_t most = greatest(runtime_sym_at(number->expr)->width), limit = number->base;
    for (number->digits = 1; number->expr && limit <= most; limit *= number->base) {
        if (runtime_sym_bounds_here(number->expr).high < limit)
            break;
        runtime_sym_ask(with_constant(ABI_OP_ULT, 1, number->expr, limit), number->value < limit);
        if (number->value < limit)
            break;
        number->digits++;
        if (limit > most / number->base)
            break;
    }
}

void runtime_sym_decide_zero(const struct runtime_number *number) {
    if (number->expr)
        runtime_sym_ask(with_constant(ABI_OP_EQ, 1, number->expr, 0), number->value == 0);
}

/* The character of a digit up to 15. */
static uint32_t letter_of(uint32_t digit, bool is_upper) {
    uint32_t figure = with_constant(ABI_OP_ADD, 8, digit, '0');
    uint32_t letter = with_constant(ABI_OP_ADD, 8, digit, (is_upper ? 'A' : 'a') - 10u);
    uint32_t is_figure = with_constant(ABI_OP_ULT, 1, digit, 10);
    return figure && letter && is_figure
               ? runtime_sym_node(ABI_OP_ITE, 8, 0, is_figure, figure, letter)
               : 0;
}

uint32_t runtime_sym_digit(const struct runtime_number *number, unsigned index, char *letter) {
    unsigned width = number->expr ? runtime_sym_at(number->expr)->width : 0;
    uint64_t divisor = 1, figure;
    for (unsigned i = 0; i < index; i++)
        divisor *= number->base;
    figure = number->value / divisor % number->base;
    *letter = (char)(figure < 10 ? '0' + figure : (number->is_upper ? 'A' : 'a') + figure - 10);
    uint32_t digit = number->expr;
    if (digit && index)
        digit = with_constant(ABI_OP_UDIV, width, digit, divisor);
    if (digit && index + 1 < number->digits)
        digit = with_constant(ABI_OP_UREM, width, digit, number->base);
    digit = digit ? runtime_sym_extract(digit, 0, 8) : 0;
    if (digit && number->base == 16)
        return letter_of(digit, number->is_upper);
    return digit ? with_constant(ABI_OP_ADD, 8, digit, '0') : 0;
}
