/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating-point expressions as Z3 terms. Comparisons of numbers that are not results of arithmetic
 * become formulas over their bits: integers of sign and magnitude, which Z3 handles like any
 * others. Arithmetic and conversions use Z3's floating-point theory; results are kept in both
 * forms, as numbers for further arithmetic and as bits for everything else.
 */
#include "solver/smt.h"

static Z3_ast bits(Z3_context z3, unsigned width, uint64_t value) {
    return Z3_mk_unsigned_int64(z3, value, Z3_mk_bv_sort(z3, width));
}

static Z3_sort sort_of(Z3_context z3, unsigned width) {
    return width == 32 ? Z3_mk_fpa_sort_32(z3) : Z3_mk_fpa_sort_64(z3);
}

static Z3_ast both(Z3_context z3, Z3_ast a, Z3_ast b) {
    return Z3_mk_and(z3, 2, (Z3_ast[]){a, b});
}

static Z3_ast either(Z3_context z3, Z3_ast a, Z3_ast b) {
    return Z3_mk_or(z3, 2, (Z3_ast[]){a, b});
}

/* ---- comparisons ---- */

static Z3_ast magnitude(Z3_context z3, unsigned width, Z3_ast a) {
    return Z3_mk_bvand(z3, a, bits(z3, width, ((uint64_t)1 << (width - 1)) - 1));
}

static Z3_ast is_number(Z3_context z3, unsigned width, Z3_ast a) {
    uint64_t infinity = (uint64_t)expr_float_infinity(width);
    return Z3_mk_bvule(z3, magnitude(z3, width, a), bits(z3, width, infinity));
}

static Z3_ast key(Z3_context z3, unsigned width, Z3_ast a) {
    Z3_ast is_negative = Z3_mk_bvslt(z3, a, bits(z3, width, 0));
    return Z3_mk_ite(z3, is_negative, Z3_mk_bvneg(z3, magnitude(z3, width, a)), a);
}

static Z3_ast compare_bits(Z3_context z3, enum abi_op op, unsigned width, Z3_ast a, Z3_ast b) {
    Z3_ast numbers = both(z3, is_number(z3, width, a), is_number(z3, width, b));
    if (op == ABI_OP_FEQ) {
        Z3_ast zeros = Z3_mk_eq(z3, magnitude(z3, width, Z3_mk_bvor(z3, a, b)), bits(z3, width, 0));
        return both(z3, numbers, either(z3, Z3_mk_eq(z3, a, b), zeros));
    }
    Z3_ast x = key(z3, width, a), y = key(z3, width, b);
    return both(z3, numbers, op == ABI_OP_FLT ? Z3_mk_bvslt(z3, x, y) : Z3_mk_bvsle(z3, x, y));
}

static Z3_ast compare_numbers(Z3_context z3, enum abi_op op, Z3_ast a, Z3_ast b) {
    switch (op) {
    case ABI_OP_FEQ:
        return Z3_mk_fpa_eq(z3, a, b);
    case ABI_OP_FLT:
        return Z3_mk_fpa_lt(z3, a, b);
    default:
        return Z3_mk_fpa_leq(z3, a, b);
    }
}

/* ---- arithmetic ---- */

/* The term of a node as a floating-point number. */
static Z3_ast number_of(const struct solver *solver, const struct smt *smt, uint32_t node) {
    if (smt->terms[node].number)
        return smt->terms[node].number;
    unsigned width = expr_node(solver->pool, node)->width;
    return Z3_mk_fpa_to_fp_bv(smt->context, smt->terms[node].ast, sort_of(smt->context, width));
}

static Z3_ast number_term(const struct solver *solver, const struct smt *smt,
                          const struct abi_node *node) {
    Z3_context z3 = smt->context;
    Z3_ast nearest = Z3_mk_fpa_rne(z3), bits_a = smt->terms[node->a].ast;
    Z3_sort sort = sort_of(z3, node->width);
    bool has_two = expr_operands(node->op) > 1;
    if (node->op == ABI_OP_STOF)
        return Z3_mk_fpa_to_fp_signed(z3, nearest, bits_a, sort);
    if (node->op == ABI_OP_UTOF)
        return Z3_mk_fpa_to_fp_unsigned(z3, nearest, bits_a, sort);
    Z3_ast a = number_of(solver, smt, node->a);
    Z3_ast b = has_two ? number_of(solver, smt, node->b) : NULL;
    switch (node->op) {
    case ABI_OP_FADD:
        return Z3_mk_fpa_add(z3, nearest, a, b);
    case ABI_OP_FSUB:
        return Z3_mk_fpa_sub(z3, nearest, a, b);
    case ABI_OP_FMUL:
        return Z3_mk_fpa_mul(z3, nearest, a, b);
    case ABI_OP_FDIV:
        return Z3_mk_fpa_div(z3, nearest, a, b);
    case ABI_OP_FSQRT:
        return Z3_mk_fpa_sqrt(z3, nearest, a);
    case ABI_OP_FLOOR:
        return Z3_mk_fpa_round_to_integral(z3, Z3_mk_fpa_rtn(z3), a);
    case ABI_OP_FCEIL:
        return Z3_mk_fpa_round_to_integral(z3, Z3_mk_fpa_rtp(z3), a);
    case ABI_OP_FTRUNC:
        return Z3_mk_fpa_round_to_integral(z3, Z3_mk_fpa_rtz(z3), a);
    case ABI_OP_FROUND:
        return Z3_mk_fpa_round_to_integral(z3, Z3_mk_fpa_rna(z3), a);
    case ABI_OP_FRINT:
        return Z3_mk_fpa_round_to_integral(z3, nearest, a);
    default:
        return Z3_mk_fpa_to_fp_float(z3, nearest, a, sort);
    }
}

/* ---- integers ---- */

/* Is a whole number in [low, high), which are powers of two? */
static Z3_ast lies_within(Z3_context z3, Z3_ast whole, unsigned width, double low, double high) {
    Z3_sort sort = sort_of(z3, width);
    return both(z3, Z3_mk_fpa_geq(z3, whole, Z3_mk_fpa_numeral_double(z3, low, sort)),
                Z3_mk_fpa_lt(z3, whole, Z3_mk_fpa_numeral_double(z3, high, sort)));
}

static Z3_ast integer_term(const struct solver *solver, const struct smt *smt,
                           const struct abi_node *node) {
    Z3_context z3 = smt->context;
    unsigned from = expr_node(solver->pool, node->a)->width;
    Z3_ast zero = Z3_mk_fpa_rtz(z3), a = number_of(solver, smt, node->a);
    Z3_ast whole = Z3_mk_fpa_round_to_integral(z3, zero, a);
    double limit = node->width == 32 ? 0x1p31 : 0x1p63;
    Z3_ast result = Z3_mk_ite(z3, lies_within(z3, whole, from, -limit, limit),
                              Z3_mk_fpa_to_sbv(z3, zero, a, node->width),
                              bits(z3, node->width, (uint64_t)1 << (node->width - 1)));
    if (node->op == ABI_OP_FTOS)
        return result;
    return Z3_mk_ite(z3, lies_within(z3, whole, from, 0x1p63, 0x1p64),
                     Z3_mk_fpa_to_ubv(z3, zero, a, 64), result);
}

Z3_ast terms_of_float(const struct solver *solver, struct smt *smt, uint32_t id) {
    const struct abi_node *node = expr_node(solver->pool, id);
    Z3_context z3 = smt->context;
    if (node->op == ABI_OP_FTOS || node->op == ABI_OP_FTOU)
        return integer_term(solver, smt, node);
    if (abi_op_compares_floats(node->op)) {
        if (smt->terms[node->a].number || smt->terms[node->b].number)
            return compare_numbers(z3, node->op, number_of(solver, smt, node->a),
                                   number_of(solver, smt, node->b));
        return compare_bits(z3, node->op, expr_node(solver->pool, node->a)->width,
                            smt->terms[node->a].ast, smt->terms[node->b].ast);
    }
    Z3_ast number = number_term(solver, smt, node);
    if (!number)
        return NULL;
    smt->terms[id].number = number;
    return Z3_mk_ite(z3, Z3_mk_fpa_is_nan(z3, number),
                     bits(z3, node->width, expr_float_bits(node->width, __builtin_nan(""))),
                     Z3_mk_fpa_to_ieee_bv(z3, number));
}
