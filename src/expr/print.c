/* SPDX-License-Identifier: Apache-2.0
 *
 * How would a person write this expression? As C with exactly the same meaning: each node becomes a
 * piece of text (piece.h) that knows its C type and its bounds, so that there are casts and
 * parentheses only where C would otherwise compute something else. Operations that C leaves
 * undefined (a shift by the width or more, a division by zero, a look-up beyond the table) are
 * printed as a choice, unless the bounds exclude the case. Very deep or long expressions end in
 * "...".
 */
#include "expr/piece.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct c_type plain_int = {32, true};

/* ---- leaves ---- */

bool expr_name_bytes(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out) {
    (void)context;
    if (bytes & EXPR_FLOAT)
        base_buffer_print(out, "*(%s *)&in[%u]", bytes == (4 | EXPR_FLOAT) ? "float" : "double",
                          offset);
    else if (bytes == 1)
        base_buffer_print(out, "in[%u]", offset);
    else
        base_buffer_print(out, "*(int%u_t *)&in[%u]", bytes * 8, offset);
    return bytes > 1;
}

static struct piece name_input(struct printer *to, uint32_t offset, unsigned bytes) {
    struct base_buffer name = {0};
    expr_name *names = to->names ? to->names : expr_name_bytes;
    bool is_signed = names(offset, bytes, to->context, &name);
    struct c_type type = {(uint8_t)(bytes * 8), is_signed};
    struct piece piece = piece_new(to, PREC_UNARY, type, piece_all_of(type), "%s", name.data);
    to->left -= name.count < to->left ? name.count : to->left;
    base_buffer_done(&name);
    return piece;
}

static struct piece join_bits(struct printer *to, struct piece high, unsigned high_width,
                              struct piece low, unsigned low_width) {
    unsigned width = high_width + low_width;
    high = piece_shifted_left(to, width, high, low_width);
    low = piece_zero_extended(to, low, low_width);
    return piece_arithmetic(to, ABI_OP_OR, width, high, low);
}

/* C has no integers of 3, 5, 6 or 7 bytes: these are assembled. */
static struct piece print_input(struct printer *to, uint32_t offset, unsigned bytes) {
    unsigned low = 1;
    while (low * 2 <= bytes)
        low *= 2;
    if (low == bytes)
        return name_input(to, offset, bytes);
    struct piece high = print_input(to, offset + low, bytes - low);
    return join_bits(to, high, (bytes - low) * 8, name_input(to, offset, low), low * 8);
}

/* ---- comparisons ---- */

/* A one-bit piece that is zero if the bit is. */
static struct piece as_condition(struct printer *to, struct piece piece) {
    return piece_settled(to, piece, 1);
}

static void spell_beside(struct printer *to, struct piece *constant, const struct piece *other) {
    if (!constant->text && !piece_promoted(other->type).is_signed)
        *constant = piece_number(to, constant->constant, NUMBER_UNSIGNED);
}

/* The values of a < b (STRICT) or a <= b. */
static struct bounds order_bounds(struct bounds a, struct bounds b, bool strict) {
    bool always = strict ? a.high < b.low : a.high <= b.low;
    bool never = strict ? a.low >= b.high : a.low > b.high;
    return (struct bounds){always, !never};
}

static struct piece print_order(struct printer *to, const struct abi_node *node) {
    bool is_signed = node->op == ABI_OP_SLT || node->op == ABI_OP_SLE;
    bool strict = node->op == ABI_OP_SLT || node->op == ABI_OP_ULT;
    bool turn = is_constant(to->pool, node->a);
    unsigned width = to->pool->nodes[node->a].width;
    struct piece a = piece_of(to, turn ? node->b : node->a);
    struct piece b = piece_of(to, turn ? node->a : node->b);
    if (is_signed) {
        a = piece_sign_extended(to, a, width);
        b = piece_sign_extended(to, b, width);
        if (b.is_literal && b.bounds.low == -1 &&
            strict == turn) { /* x >= 0, as compilers write it */
            b = piece_number(to, 0, NUMBER_PLAIN);
            strict = !strict;
        }
        piece_unify(to, &a, &b);
    } else {
        a = piece_zero_extended(to, a, width);
        spell_beside(to, &b, &a);
        b = piece_zero_extended(to, b, width);
    }
    const char *text = turn ? strict ? ">" : ">=" : strict ? "<" : "<=";
    struct piece truth = piece_truth(to, PREC_LESS, &a, text, &b);
    truth.bounds =
        turn ? order_bounds(b.bounds, a.bounds, strict) : order_bounds(a.bounds, b.bounds, strict);
    return truth;
}

/* Numbers are equal if both are extended in the same way, or if C compares the same number of
 * bits. */
static void make_comparable(struct printer *to, unsigned width, struct piece *a, struct piece *b) {
    bool a_zero = piece_is_zero_extended(a, width), b_zero = piece_is_zero_extended(b, width);
    if ((a_zero && b_zero) || piece_common(a->type, b->type).bits == width)
        return;
    bool as_signed = piece_is_sign_extended(a, width) && piece_is_sign_extended(b, width);
    if (as_signed || (!a_zero && !b_zero && width > 8)) {
        *a = piece_sign_extended(to, *a, width);
        *b = piece_sign_extended(to, *b, width);
        piece_unify(to, a, b);
    } else {
        *a = piece_zero_extended(to, *a, width);
        *b = piece_zero_extended(to, *b, width);
    }
}

/* The values of a == b (or a != b) for numbers that were extended in the same way. */
static struct bounds equality_bounds(struct bounds a, struct bounds b, bool is_equal) {
    bool always = a.low == b.high && a.high == b.low;
    bool never = a.high < b.low || b.high < a.low;
    return is_equal ? (struct bounds){always, !never} : (struct bounds){never, !always};
}

static bool is_extended_alike(const struct piece *a, const struct piece *b, unsigned width) {
    return (piece_is_zero_extended(a, width) && piece_is_zero_extended(b, width)) ||
           (piece_is_sign_extended(a, width) && piece_is_sign_extended(b, width));
}

static struct piece print_equality(struct printer *to, const struct abi_node *node, bool is_equal) {
    unsigned width = to->pool->nodes[node->a].width;
    struct piece a = piece_of(to, node->a), b = piece_of(to, node->b);
    if (b.text) {
        make_comparable(to, width, &a, &b);
    } else {
        a = piece_settled(to, a, width);
        b = piece_is_zero_extended(&a, width) ? piece_zero_extended(to, b, width)
                                              : piece_sign_extended(to, b, width);
    }
    struct piece truth = piece_truth(to, PREC_EQUAL, &a, is_equal ? "==" : "!=", &b);
    if (is_extended_alike(&a, &b, width))
        truth.bounds = equality_bounds(a.bounds, b.bounds, is_equal);
    return truth;
}

static struct piece print_logical(struct printer *to, const struct abi_node *node) {
    bool both = node->op == ABI_OP_AND;
    struct piece a = as_condition(to, piece_of(to, node->a));
    struct piece b = as_condition(to, piece_of(to, node->b));
    return piece_truth(to, both ? PREC_AND_ALSO : PREC_OR_ELSE, &a, both ? "&&" : "||", &b);
}

static struct piece print_not(struct printer *to, const struct abi_node *node) {
    const struct abi_node inner = to->pool->nodes[node->a];
    if (inner.op == ABI_OP_EQ)
        return print_equality(to, &inner, false);
    if (inner.op == ABI_OP_FEQ)
        return float_different(to, &inner);
    struct piece a = piece_of(to, node->a);
    if (node->width == 1) {
        a = as_condition(to, a);
        return piece_new(to, PREC_UNARY, plain_int, (struct bounds){0, 1}, "!%s",
                         piece_within(to, &a, PREC_UNARY));
    }
    if (!piece_promoted(a.type).is_signed && a.type.bits < node->width)
        a = piece_widened(to, a);
    struct c_type type = piece_promoted(a.type);
    struct bounds bounds = {-a.bounds.high - 1, -a.bounds.low - 1};
    return piece_new(to, PREC_UNARY, type, piece_fits(type, bounds) ? bounds : piece_all_of(type),
                     "~%s", piece_within(to, &a, PREC_UNARY));
}

/* ---- the rest ---- */

static struct piece print_extract(struct printer *to, const struct abi_node *node) {
    struct piece a = piece_of(to, node->a);
    return node->extra ? piece_shifted_right(to, a, piece_number(to, node->extra, NUMBER_PLAIN))
                       : a;
}

static struct piece print_choice(struct printer *to, const struct abi_node *node) {
    struct piece condition = as_condition(to, piece_of(to, node->a));
    struct piece a = piece_of(to, node->b), b = piece_of(to, node->c);
    return piece_choice(to, node->width, condition, a, b);
}

static struct piece print_concat(struct printer *to, const struct abi_node *node) {
    return join_bits(to, piece_of(to, node->a), to->pool->nodes[node->a].width,
                     piece_of(to, node->b), to->pool->nodes[node->b].width);
}

static struct piece print_node(struct printer *to, const struct abi_node *node) {
    switch (node->op) {
    case ABI_OP_INPUT:
        return print_input(to, node->a, node->width / 8);
    case ABI_OP_EQ:
        return print_equality(to, node, true);
    case ABI_OP_ULT:
    case ABI_OP_ULE:
    case ABI_OP_SLT:
    case ABI_OP_SLE:
        return print_order(to, node);
    case ABI_OP_NOT:
        return print_not(to, node);
    case ABI_OP_SHL:
        return guard_shift_left(to, node);
    case ABI_OP_LSHR:
    case ABI_OP_ASHR:
        return guard_shift_right(to, node);
    case ABI_OP_UDIV:
    case ABI_OP_UREM:
        return guard_unsigned_division(to, node);
    case ABI_OP_SDIV:
    case ABI_OP_SREM:
        return guard_signed_division(to, node);
    case ABI_OP_ZEXT:
        return piece_zero_extended(to, piece_of(to, node->a), to->pool->nodes[node->a].width);
    case ABI_OP_SEXT:
        return piece_sign_extended(to, piece_of(to, node->a), to->pool->nodes[node->a].width);
    case ABI_OP_EXTRACT:
        return print_extract(to, node);
    case ABI_OP_CONCAT:
        return print_concat(to, node);
    case ABI_OP_ITE:
        return print_choice(to, node);
    case ABI_OP_TABLE:
        return guard_table(to, node);
    default:
        if (node->width == 1 && (node->op == ABI_OP_AND || node->op == ABI_OP_OR))
            return print_logical(to, node);
        return piece_arithmetic(to, node->op, node->width, piece_of(to, node->a),
                                piece_of(to, node->b));
    }
}

/* Any value of that width, of a type that needs no cast. */
static struct piece omitted(struct printer *to, unsigned width) {
    bool is_signed = width > 8;
    return piece_new(to, PREC_PRIMARY, (struct c_type){64, is_signed}, piece_bits(is_signed, width),
                     "...");
}

struct piece piece_of(struct printer *to, uint32_t id) {
    struct abi_node node = to->pool->nodes[id];
    if (node.op == ABI_OP_CONST)
        return piece_constant(node.width, constant_of(to->pool, id));
    if (to->depth == PIECE_MAX_DEPTH || !to->left)
        return omitted(to, node.width);
    to->depth++;
    struct piece piece = abi_op_is_float(node.op) ? float_piece(to, id) : print_node(to, &node);
    facts_narrow(to, id, &piece);
    to->depth--;
    return piece;
}

/* ---- interface ---- */

static struct piece whole(struct printer *to, uint32_t id) {
    unsigned width = to->pool->nodes[id].width;
    to->left = PIECE_MAX_LENGTH;
    return piece_settled(to, piece_of(to, id), width);
}

void expr_print(struct expr_pool *pool, uint32_t id, expr_name *names, void *context,
                struct base_buffer *out) {
    struct printer to = {.pool = pool, .names = names, .context = context};
    base_buffer_print(out, "%s", whole(&to, id).text);
    base_arena_done(&to.arena);
}

void expr_print_all(struct expr_pool *pool, const uint32_t *conditions, size_t count,
                    expr_name *names, void *context, size_t limit, struct base_buffer *out) {
    struct printer to = {.pool = pool, .names = names, .context = context};
    uint32_t *tight = tighten(pool, conditions, count);
    size_t start = out->count;
    for (size_t i = 0; i < count; i++) {
        if (out->count - start >= limit) {
            base_buffer_print(out, " && …");
            break;
        }
        struct piece piece = whole(&to, tight[i]);
        facts_learn(&to, tight[i]);
        facts_repeat(&to, tight[i]);
        bool is_news = piece.bounds.low <= 0; /* otherwise it follows from earlier conditions */
        enum precedence around = count > 1 ? PREC_AND_ALSO : PREC_CHOICE;
        if (is_news)
            base_buffer_print(out, "%s%s", out->count > start ? " && " : "",
                              piece_within(&to, &piece, around));
        base_arena_done(&to.arena);
    }
    facts_forget(&to);
    free(tight);
}

/* ---- tables ---- */

static void print_definition(const struct expr_pool *pool, uint32_t table,
                             struct base_buffer *out) {
    uint32_t count = expr_table_count(pool, table);
    base_buffer_print(out, "static const uint%u_t table%u[%u] = {", pool->tables.data[table].width,
                      table, count);
    for (uint32_t i = 0; i < count; i++)
        base_buffer_print(out, "%s%" PRIu64 "%s", i ? ", " : "", table_read(pool, table, i),
                          table_read(pool, table, i) > INT64_MAX ? "u" : "");
    base_buffer_print(out, "};\n");
}

static void visit(struct expr_pool *pool, uint32_t id) {
    if (pool->marks[id] == pool->mark)
        return;
    pool->marks[id] = pool->mark;
    base_push(&pool->stack, id);
}

void expr_print_tables(struct expr_pool *pool, const uint32_t *ids, size_t count,
                       struct base_buffer *out) {
    bool *is_read = base_alloc(pool->tables.count + 1);
    pool_start_marks(pool);
    pool->stack.count = 0;
    for (size_t i = 0; i < count; i++)
        visit(pool, ids[i]);
    while (pool->stack.count) {
        struct abi_node node = pool->nodes[pool->stack.data[--pool->stack.count]];
        const uint32_t operands[3] = {node.a, node.b, node.c};
        for (unsigned i = 0; i < 3 && i < operand_count(node.op); i++)
            visit(pool, operands[i]);
        if (node.op == ABI_OP_TABLE)
            is_read[node.b] = true;
    }
    for (uint32_t table = 0; table < pool->tables.count; table++)
        if (is_read[table])
            print_definition(pool, table, out);
    free(is_read);
}
