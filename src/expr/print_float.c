/* SPDX-License-Identifier: Apache-2.0
 *
 * How is floating point written in C? An expression is bits; where an operation takes them as a
 * number, they are printed as one: an input that is a float or double by its name, arithmetic with
 * C's operators, a constant as the shortest decimal number with exactly that value. Other bits are
 * read as a number through a compound literal, *(double *)&(int64_t){x}, and numbers as bits the
 * same way, which needs
 * -fno-strict-aliasing. Infinities, NaN, roots and absolute values are builtins of gcc and clang.
 */
#include "expr/piece.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct piece number_of(struct printer *to, uint32_t id);

static const char *type_name(unsigned width) {
    return width == 32 ? "float" : "double";
}

static struct piece text(struct printer *to, enum precedence precedence, const char *words) {
    struct c_type type = {64, true};
    return piece_new(to, precedence, type, piece_all_of(type), "%s", words);
}

/* ---- leaves ---- */

static struct piece print_finite(struct printer *to, unsigned width, double value) {
    char words[48];
    int digits = 1;
    do
        snprintf(words, sizeof words - 4, "%.*g", digits, value);
    while (++digits <= 17 &&
           expr_float_bits(width, strtod(words, NULL)) != expr_float_bits(width, value));
    if (!strpbrk(words, ".e"))
        strcat(words, ".0");
    if (width == 32)
        strcat(words, "f");
    return text(to, words[0] == '-' ? PREC_UNARY : PREC_PRIMARY, words);
}

static struct piece print_constant(struct printer *to, unsigned width, uint64_t bits) {
    double value = expr_float_value(width, bits);
    if (isnan(value))
        return text(to, PREC_PRIMARY, "__builtin_nan(\"\")");
    if (isinf(value))
        return text(to, value < 0 ? PREC_UNARY : PREC_PRIMARY,
                    value < 0 ? "-__builtin_inf()" : "__builtin_inf()");
    return print_finite(to, width, value);
}

static struct piece print_name(struct printer *to, const struct abi_node *node) {
    struct base_buffer name = {0};
    expr_name *names = to->names ? to->names : expr_name_bytes;
    names(node->a, node->width / 8u | EXPR_FLOAT, to->context, &name);
    struct piece piece = text(to, PREC_UNARY, name.data);
    to->left -= name.count < to->left ? name.count : to->left;
    base_buffer_done(&name);
    return piece;
}

/* ---- numbers ---- */

static struct piece join(struct printer *to, const struct abi_node *node,
                         enum precedence precedence, char sign) {
    struct piece a = number_of(to, node->a), b = number_of(to, node->b);
    struct c_type type = {64, true};
    return piece_new(to, precedence, type, piece_all_of(type), "%s %c %s",
                     piece_within(to, &a, precedence), sign, piece_within(to, &b, precedence + 1));
}

/* BEFORE followed by the operand, as an operand of a unary operator or in parentheses. */
static struct piece unary(struct printer *to, const char *before, struct piece a) {
    bool is_call = before[0] == '_';
    enum precedence around = is_call || a.text[0] == '-' ? PREC_PRIMARY : PREC_UNARY;
    struct c_type type = {64, true};
    return piece_new(to, is_call ? PREC_PRIMARY : PREC_UNARY, type, piece_all_of(type),
                     is_call ? "%s(%s)" : "%s%s", before,
                     is_call ? a.text : piece_within(to, &a, around));
}

static struct piece cast(struct printer *to, unsigned width, struct piece a) {
    return unary(to, width == 32 ? "(float)" : "(double)", a);
}

static struct piece print_bits(struct printer *to, uint32_t id, unsigned width) {
    struct piece bits = piece_settled(to, piece_of(to, id), width);
    struct c_type type = {64, true};
    return piece_new(to, PREC_UNARY, type, piece_all_of(type), "*(%s *)&(int%u_t){%s}",
                     type_name(width), width, bits.text);
}

static struct piece print_choice(struct printer *to, const struct abi_node *node) {
    struct piece condition = piece_settled(to, piece_of(to, node->a), 1);
    struct piece a = number_of(to, node->b), b = number_of(to, node->c);
    struct c_type type = {64, true};
    return piece_new(to, PREC_CHOICE, type, piece_all_of(type), "%s ? %s : %s",
                     piece_within(to, &condition, PREC_OR_ELSE), piece_within(to, &a, PREC_OR_ELSE),
                     piece_within(to, &b, PREC_CHOICE));
}

static bool has_constant(const struct expr_pool *pool, const struct abi_node *node,
                         uint64_t value) {
    return is_constant(pool, node->b) && constant_of(pool, node->b) == value;
}

static struct piece print_number(struct printer *to, uint32_t id) {
    const struct abi_node node = to->pool->nodes[id];
    uint64_t sign = (uint64_t)1 << (node.width - 1);
    bool is_single = node.width == 32;
    switch (node.op) {
    case ABI_OP_INPUT:
        return print_name(to, &node);
    case ABI_OP_FADD:
        return join(to, &node, PREC_SUM, '+');
    case ABI_OP_FSUB:
        return join(to, &node, PREC_SUM, '-');
    case ABI_OP_FMUL:
        return join(to, &node, PREC_PRODUCT, '*');
    case ABI_OP_FDIV:
        return join(to, &node, PREC_PRODUCT, '/');
    case ABI_OP_FSQRT:
        return unary(to, is_single ? "__builtin_sqrtf" : "__builtin_sqrt", number_of(to, node.a));
    case ABI_OP_FLOOR:
        return unary(to, is_single ? "__builtin_floorf" : "__builtin_floor", number_of(to, node.a));
    case ABI_OP_FCEIL:
        return unary(to, is_single ? "__builtin_ceilf" : "__builtin_ceil", number_of(to, node.a));
    case ABI_OP_FTRUNC:
        return unary(to, is_single ? "__builtin_truncf" : "__builtin_trunc", number_of(to, node.a));
    case ABI_OP_FROUND:
        return unary(to, is_single ? "__builtin_roundf" : "__builtin_round", number_of(to, node.a));
    case ABI_OP_FRINT:
        return unary(to, is_single ? "__builtin_rintf" : "__builtin_rint", number_of(to, node.a));
    case ABI_OP_FCVT:
        return cast(to, node.width, number_of(to, node.a));
    case ABI_OP_STOF:
    case ABI_OP_UTOF: {
        unsigned from = to->pool->nodes[node.a].width;
        struct piece a = piece_of(to, node.a);
        return cast(to, node.width,
                    node.op == ABI_OP_STOF ? piece_sign_extended(to, a, from)
                                           : piece_zero_extended(to, a, from));
    }
    case ABI_OP_XOR:
        return has_constant(to->pool, &node, sign) ? unary(to, "-", number_of(to, node.a))
                                                   : print_bits(to, id, node.width);
    case ABI_OP_AND:
        return has_constant(to->pool, &node, sign - 1)
                   ? unary(to, is_single ? "__builtin_fabsf" : "__builtin_fabs",
                           number_of(to, node.a))
                   : print_bits(to, id, node.width);
    case ABI_OP_ITE:
        return print_choice(to, &node);
    default:
        return print_bits(to, id, node.width);
    }
}

static struct piece number_of(struct printer *to, uint32_t id) {
    const struct abi_node *node = &to->pool->nodes[id];
    if (node->op == ABI_OP_CONST)
        return print_constant(to, node->width, constant_of(to->pool, id));
    if (to->depth >= PIECE_MAX_DEPTH || !to->left)
        return text(to, PREC_PRIMARY, "...");
    to->depth++;
    struct piece piece = print_number(to, id);
    to->depth--;
    return piece;
}

/* ---- interface ---- */

static struct piece compare(struct printer *to, const struct abi_node *node, bool is_negated) {
    bool turn = is_constant(to->pool, node->a);
    struct piece a = number_of(to, turn ? node->b : node->a);
    struct piece b = number_of(to, turn ? node->a : node->b);
    if (node->op == ABI_OP_FEQ)
        return piece_truth(to, PREC_EQUAL, &a, is_negated ? "!=" : "==", &b);
    bool strict = node->op == ABI_OP_FLT;
    return piece_truth(to, PREC_LESS, &a, turn ? strict ? ">" : ">=" : strict ? "<" : "<=", &b);
}

struct piece float_different(struct printer *to, const struct abi_node *node) {
    return compare(to, node, true);
}

struct piece float_piece(struct printer *to, uint32_t id) {
    const struct abi_node node = to->pool->nodes[id];
    struct c_type type = {node.width, node.op != ABI_OP_FTOU};
    if (abi_op_compares_floats(node.op))
        return compare(to, &node, false);
    if (node.op == ABI_OP_FTOS || node.op == ABI_OP_FTOU) {
        struct piece a = number_of(to, node.a);
        return piece_new(to, PREC_UNARY, type, piece_all_of(type), "(%sint%u_t)%s",
                         type.is_signed ? "" : "u", type.bits, piece_within(to, &a, PREC_UNARY));
    }
    return piece_new(to, PREC_UNARY, type, piece_all_of(type), "*(int%u_t *)&(%s){%s}", node.width,
                     type_name(node.width), print_number(to, id).text);
}
