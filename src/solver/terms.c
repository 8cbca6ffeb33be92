/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions as Z3 terms, each node once per pool. Nodes wait for their operands on an explicit
 * stack, since expressions can be deep. One-bit expressions become Booleans, which suits Z3; the
 * few operations that mix them with numbers convert.
 */
#include "solver/smt.h"

#include <string.h>

void terms_clear(struct smt *smt) {
    for (size_t i = 0; i < smt->used.count; i++)
        smt->terms[smt->used.data[i]] = (struct term){0};
    smt->used.count = 0;
    smt->stamp = 0;
}

static void grow(struct solver *solver, struct smt *smt) {
    uint32_t count = expr_count(solver->pool);
    if (count <= smt->capacity)
        return;
    smt->terms = base_realloc(smt->terms, (size_t)count * 2 * sizeof *smt->terms);
    memset(smt->terms + smt->capacity, 0, ((size_t)count * 2 - smt->capacity) * sizeof *smt->terms);
    smt->capacity = count * 2;
}

static Z3_ast number(Z3_context z3, unsigned width, uint64_t value) {
    return Z3_mk_unsigned_int64(z3, value, Z3_mk_bv_sort(z3, width));
}

/* A Boolean as a bit-vector: value YES or 0. */
static Z3_ast choose(Z3_context z3, Z3_ast boolean, unsigned width, uint64_t yes) {
    return Z3_mk_ite(z3, boolean, number(z3, width, yes), number(z3, width, 0));
}

/* The term of an operand as a bit-vector of its width. */
static Z3_ast vector_of(const struct solver *solver, const struct smt *smt, uint32_t node) {
    Z3_ast term = smt->terms[node].ast;
    return expr_node(solver->pool, node)->width == 1 ? choose(smt->context, term, 1, 1) : term;
}

static Z3_ast to_boolean(Z3_context z3, Z3_ast vector) {
    return Z3_mk_eq(z3, vector, number(z3, 1, 1));
}

static Z3_ast input_term(Z3_context z3, const struct abi_node *node) {
    char name[48];
    snprintf(name, sizeof name, "in_%u_%u", node->a, node->width);
    return Z3_mk_const(z3, Z3_mk_string_symbol(z3, name), Z3_mk_bv_sort(z3, node->width));
}

static Z3_ast extension_term(Z3_context z3, const struct abi_node *node, unsigned from,
                             Z3_ast operand) {
    bool is_signed = node->op == ABI_OP_SEXT;
    if (from == 1)
        return node->width == 1 ? operand
                                : choose(z3, operand, node->width, is_signed ? UINT64_MAX : 1);
    return is_signed ? Z3_mk_sign_ext(z3, node->width - from, operand)
                     : Z3_mk_zero_ext(z3, node->width - from, operand);
}

/* A balanced tree of choices over the elements [first, end), by the bits of the index. */
static Z3_ast table_part(const struct solver *solver, Z3_context z3, const struct abi_node *node,
                         Z3_ast index, unsigned width, uint64_t first, uint64_t end) {
    if (end - first == 1)
        return number(z3, node->width, expr_table_read(solver->pool, node->b, first));
    uint64_t middle = first + (end - first) / 2;
    Z3_ast low = table_part(solver, z3, node, index, width, first, middle);
    Z3_ast high = table_part(solver, z3, node, index, width, middle, end);
    return Z3_mk_ite(z3, Z3_mk_bvult(z3, index, number(z3, width, middle)), low, high);
}

static Z3_ast table_term(const struct solver *solver, const struct smt *smt,
                         const struct abi_node *node) {
    Z3_context z3 = smt->context;
    unsigned width = expr_node(solver->pool, node->a)->width;
    Z3_ast index = vector_of(solver, smt, node->a), zero = number(z3, node->width, 0);
    uint64_t count = expr_table_count(solver->pool, node->b);
    bool covers = width < 64 && count >= (uint64_t)1 << width;
    if (covers)
        count = (uint64_t)1 << width;
    if (!count)
        return zero;
    Z3_ast inside = table_part(solver, z3, node, index, width, 0, count);
    if (covers)
        return inside;
    return Z3_mk_ite(z3, Z3_mk_bvult(z3, index, number(z3, width, count)), inside, zero);
}

static Z3_ast arithmetic_term(Z3_context z3, enum abi_op op, Z3_ast a, Z3_ast b) {
    switch (op) {
    case ABI_OP_ADD:
        return Z3_mk_bvadd(z3, a, b);
    case ABI_OP_SUB:
        return Z3_mk_bvsub(z3, a, b);
    case ABI_OP_MUL:
        return Z3_mk_bvmul(z3, a, b);
    case ABI_OP_UDIV:
        return Z3_mk_bvudiv(z3, a, b);
    case ABI_OP_SDIV:
        return Z3_mk_bvsdiv(z3, a, b);
    case ABI_OP_UREM:
        return Z3_mk_bvurem(z3, a, b);
    case ABI_OP_SREM:
        return Z3_mk_bvsrem(z3, a, b);
    case ABI_OP_SHL:
        return Z3_mk_bvshl(z3, a, b);
    case ABI_OP_LSHR:
        return Z3_mk_bvlshr(z3, a, b);
    case ABI_OP_ASHR:
        return Z3_mk_bvashr(z3, a, b);
    case ABI_OP_AND:
        return Z3_mk_bvand(z3, a, b);
    case ABI_OP_OR:
        return Z3_mk_bvor(z3, a, b);
    case ABI_OP_XOR:
        return Z3_mk_bvxor(z3, a, b);
    default:
        return NULL;
    }
}

static Z3_ast comparison_term(Z3_context z3, enum abi_op op, Z3_ast a, Z3_ast b) {
    switch (op) {
    case ABI_OP_ULT:
        return Z3_mk_bvult(z3, a, b);
    case ABI_OP_ULE:
        return Z3_mk_bvule(z3, a, b);
    case ABI_OP_SLT:
        return Z3_mk_bvslt(z3, a, b);
    case ABI_OP_SLE:
        return Z3_mk_bvsle(z3, a, b);
    default:
        return NULL;
    }
}

static Z3_ast binary_term(const struct solver *solver, const struct smt *smt,
                          const struct abi_node *node) {
    Z3_context z3 = smt->context;
    Z3_ast a = smt->terms[node->a].ast, b = smt->terms[node->b].ast;
    if (node->op == ABI_OP_EQ)
        return Z3_mk_eq(z3, a, b);
    if (node->width == 1 && (node->op == ABI_OP_AND || node->op == ABI_OP_OR))
        return node->op == ABI_OP_AND ? Z3_mk_and(z3, 2, (Z3_ast[]){a, b})
                                      : Z3_mk_or(z3, 2, (Z3_ast[]){a, b});
    if (node->width == 1 && node->op == ABI_OP_XOR)
        return Z3_mk_xor(z3, a, b);
    a = vector_of(solver, smt, node->a);
    b = vector_of(solver, smt, node->b);
    if (node->op >= ABI_OP_ULT && node->op <= ABI_OP_SLE)
        return comparison_term(z3, node->op, a, b);
    if (node->op == ABI_OP_CONCAT)
        return Z3_mk_concat(z3, a, b);
    Z3_ast result = arithmetic_term(z3, node->op, a, b);
    return node->width == 1 ? to_boolean(z3, result) : result;
}

/* The term of a node whose operands have terms. */
static Z3_ast make_term(const struct solver *solver, struct smt *smt, uint32_t id) {
    const struct abi_node *node = expr_node(solver->pool, id);
    Z3_context z3 = smt->context;
    Z3_ast a = expr_operands(node->op) ? smt->terms[node->a].ast : NULL;
    switch (node->op) {
    case ABI_OP_CONST:
        if (node->width == 1)
            return expr_constant(solver->pool, id) ? Z3_mk_true(z3) : Z3_mk_false(z3);
        return number(z3, node->width, expr_constant(solver->pool, id));
    case ABI_OP_INPUT:
        return input_term(z3, node);
    case ABI_OP_NOT:
        return node->width == 1 ? Z3_mk_not(z3, a) : Z3_mk_bvnot(z3, a);
    case ABI_OP_ZEXT:
    case ABI_OP_SEXT:
        return extension_term(z3, node, expr_node(solver->pool, node->a)->width, a);
    case ABI_OP_EXTRACT: {
        Z3_ast part = Z3_mk_extract(z3, node->extra + node->width - 1u, node->extra,
                                    vector_of(solver, smt, node->a));
        return node->width == 1 ? to_boolean(z3, part) : part;
    }
    case ABI_OP_ITE:
        return Z3_mk_ite(z3, a, smt->terms[node->b].ast, smt->terms[node->c].ast);
    case ABI_OP_TABLE:
        return table_term(solver, smt, node);
    default:
        return abi_op_is_float(node->op) ? terms_of_float(solver, smt, id)
                                         : binary_term(solver, smt, node);
    }
}

static bool push_operands(const struct solver *solver, struct smt *smt, uint32_t id) {
    const struct abi_node *node = expr_node(solver->pool, id);
    const uint32_t operands[3] = {node->a, node->b, node->c};
    size_t before = smt->stack.count;
    for (unsigned i = 0; i < 3 && i < expr_operands(node->op); i++)
        if (!smt->terms[operands[i]].ast)
            base_push(&smt->stack, operands[i]);
    return smt->stack.count != before;
}

static void judge(const struct solver *solver, const struct smt *smt, uint32_t id) {
    const struct abi_node *node = expr_node(solver->pool, id);
    const uint32_t operands[3] = {node->a, node->b, node->c};
    struct term *term = &smt->terms[id];
    term->has_floats = abi_op_is_float(node->op) && !abi_op_compares_floats(node->op);
    term->is_hard = (node->op >= ABI_OP_MUL && node->op <= ABI_OP_SREM) ||
                    node->op == ABI_OP_TABLE || term->has_floats;
    for (unsigned i = 0; i < 3 && i < expr_operands(node->op); i++) {
        term->is_hard |= smt->terms[operands[i]].is_hard;
        term->has_floats |= smt->terms[operands[i]].has_floats;
    }
}

Z3_ast terms_of_node(struct solver *solver, struct smt *smt, uint32_t node) {
    grow(solver, smt);
    if (smt->terms[node].ast)
        return smt->terms[node].ast;
    smt->stack.count = 0;
    base_push(&smt->stack, node);
    while (smt->stack.count) {
        uint32_t top = smt->stack.data[smt->stack.count - 1];
        if (!smt->terms[top].ast) {
            if (push_operands(solver, smt, top))
                continue;
            Z3_ast ast = make_term(solver, smt, top);
            if (!ast)
                return NULL;
            smt->terms[top].ast = ast;
            judge(solver, smt, top);
            smt->made++;
            base_push(&smt->used, top);
        }
        smt->stack.count--;
    }
    return smt->terms[node].ast;
}
