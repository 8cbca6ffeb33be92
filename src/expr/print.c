/* SPDX-License-Identifier: Apache-2.0
 *
 * How would a person write this expression? As C, with the parentheses that precedence asks for and
 * no more. Expressions have no types, so a convention replaces them: input bytes are unsigned,
 * wider input integers are signed, as most programs have them. A cast or a suffix u is printed
 * where an operation goes against that. Very deep or long expressions end in "...".
 */
#include "expr/internal.h"

#include <inttypes.h>

#define MAX_DEPTH 200
#define MAX_LENGTH 65536

enum precedence {
    PREC_CHOICE = 3,
    PREC_OR_ELSE,
    PREC_AND_ALSO,
    PREC_OR,
    PREC_XOR,
    PREC_AND,
    PREC_EQUAL,
    PREC_LESS,
    PREC_SHIFT,
    PREC_SUM,
    PREC_PRODUCT,
    PREC_UNARY,
    PREC_PRIMARY
};

struct printer {
    struct expr_pool *pool;
    expr_name *names;
    void *context;
    struct base_buffer *out;
    unsigned depth;
};

static void print(struct printer *to, uint32_t id, enum precedence around);

static int64_t signed_constant(const struct expr_pool *pool, uint32_t id) {
    unsigned unused = 64 - pool->nodes[id].width;
    return (int64_t)(constant_of(pool, id) << unused) >> unused;
}

static void print_signed(struct printer *to, uint32_t id) {
    base_buffer_print(to->out, "%" PRId64, signed_constant(to->pool, id));
}

static void print_constant(struct printer *to, uint32_t id) {
    if (to->pool->nodes[id].width <= 8)
        base_buffer_print(to->out, "%" PRIu64, constant_of(to->pool, id));
    else
        print_signed(to, id);
}

static void print_input(struct printer *to, const struct abi_node *node) {
    if (to->names)
        to->names(node->a, node->width / 8, to->context, to->out);
    else if (node->width == 8)
        base_buffer_print(to->out, "in[%u]", node->a);
    else
        base_buffer_print(to->out, "in[%u:%u]", node->a, node->width / 8);
}

/* ---- signedness: what C would take the printed operand for ---- */

static bool prints_signed(const struct expr_pool *pool, uint32_t id) {
    const struct abi_node *node = &pool->nodes[id];
    switch (node->op) {
    case ABI_OP_INPUT:
    case ABI_OP_EXTRACT:
    case ABI_OP_TABLE:
        return node->width > 8;
    case ABI_OP_ZEXT:
        return false;
    case ABI_OP_CONST:
        return signed_constant(pool, id) < 0;
    default:
        return node->width > 1;
    }
}

static void print_cast(struct printer *to, bool is_signed, unsigned width, uint32_t id) {
    base_buffer_print(to->out, "(%sint%u_t)", is_signed ? "" : "u", width);
    print(to, id, PREC_UNARY);
}

static bool has_type(unsigned width) {
    return width == 8 || width == 16 || width == 32 || width == 64;
}

/* An operand of an operation that takes it as unsigned (or signed). */
static void print_as(struct printer *to, uint32_t id, bool is_signed, enum precedence around) {
    const struct abi_node *node = &to->pool->nodes[id];
    if (node->op == ABI_OP_CONST && !is_signed)
        base_buffer_print(to->out, "%" PRIu64 "%s", constant_of(to->pool, id),
                          node->width > 8 ? "u" : "");
    else if (node->op == ABI_OP_CONST)
        print_signed(to, id);
    else if (has_type(node->width) && is_signed != prints_signed(to->pool, id) &&
             !(is_signed && node->op == ABI_OP_ZEXT))
        print_cast(to, is_signed, node->width, id);
    else
        print(to, id, around);
}

/* ---- operations ---- */

static const char *operator_text(enum abi_op op) {
    switch (op) {
    case ABI_OP_UDIV:
        return "/";
    case ABI_OP_UREM:
        return "%";
    case ABI_OP_LSHR:
        return ">>";
    default:
        break;
    }
    static const char *const texts[] = {
#define NODE(id, text, operands) text,
        ABI_NODES(NODE)
#undef NODE
    };
    return texts[op];
}

static enum precedence precedence_of(enum abi_op op) {
    switch (op) {
    case ABI_OP_ADD:
    case ABI_OP_SUB:
        return PREC_SUM;
    case ABI_OP_SHL:
    case ABI_OP_LSHR:
    case ABI_OP_ASHR:
        return PREC_SHIFT;
    case ABI_OP_AND:
        return PREC_AND;
    case ABI_OP_OR:
        return PREC_OR;
    case ABI_OP_XOR:
        return PREC_XOR;
    default:
        return PREC_PRODUCT;
    }
}

static void open(struct printer *to, enum precedence around, enum precedence own) {
    if (own < around)
        base_buffer_print(to->out, "(");
}

static void close(struct printer *to, enum precedence around, enum precedence own) {
    if (own < around)
        base_buffer_print(to->out, ")");
}

/* a < b; with a constant on the left, b > a. */
static void print_comparison(struct printer *to, const struct abi_node *node,
                             enum precedence around) {
    bool is_signed = node->op == ABI_OP_SLT || node->op == ABI_OP_SLE;
    bool strict = node->op == ABI_OP_SLT || node->op == ABI_OP_ULT;
    bool turn = is_constant(to->pool, node->a);
    open(to, around, PREC_LESS);
    print_as(to, turn ? node->b : node->a, is_signed, PREC_LESS);
    base_buffer_print(to->out, " %s%s ", turn ? ">" : "<", strict ? "" : "=");
    print_as(to, turn ? node->a : node->b, is_signed, PREC_SHIFT);
    close(to, around, PREC_LESS);
}

static void print_equality(struct printer *to, const struct abi_node *node, const char *text,
                           enum precedence around) {
    open(to, around, PREC_EQUAL);
    print(to, node->a, PREC_EQUAL);
    base_buffer_print(to->out, " %s ", text);
    print(to, node->b, PREC_LESS);
    close(to, around, PREC_EQUAL);
}

static void print_logical(struct printer *to, const struct abi_node *node, enum precedence around) {
    enum precedence own = node->op == ABI_OP_AND ? PREC_AND_ALSO : PREC_OR_ELSE;
    open(to, around, own);
    print(to, node->a, own);
    base_buffer_print(to->out, node->op == ABI_OP_AND ? " && " : " || ");
    print(to, node->b, own + 1);
    close(to, around, own);
}

static void print_binary(struct printer *to, const struct abi_node *node, enum precedence around) {
    enum precedence own = precedence_of(node->op);
    bool makes_unsigned =
        node->op == ABI_OP_UDIV || node->op == ABI_OP_UREM || node->op == ABI_OP_LSHR;
    open(to, around, own);
    if (makes_unsigned)
        print_as(to, node->a, false, own);
    else
        print(to, node->a, own);
    if (node->op == ABI_OP_ADD && is_constant(to->pool, node->b) &&
        signed_constant(to->pool, node->b) < 0) {
        base_buffer_print(to->out, " - %" PRIu64, 0 - (uint64_t)signed_constant(to->pool, node->b));
    } else {
        base_buffer_print(to->out, " %s ", operator_text(node->op));
        print(to, node->b, own + 1);
    }
    close(to, around, own);
}

static void print_not(struct printer *to, const struct abi_node *node, enum precedence around) {
    const struct abi_node *inner = &to->pool->nodes[node->a];
    if (inner->op == ABI_OP_EQ) {
        print_equality(to, inner, "!=", around);
        return;
    }
    base_buffer_print(to->out, node->width == 1 ? "!" : "~");
    print(to, node->a, PREC_UNARY);
}

/* Extensions are silent when C's own conversion does the same. */
static void print_extension(struct printer *to, const struct abi_node *node,
                            enum precedence around) {
    const struct abi_node *inner = &to->pool->nodes[node->a];
    bool is_signed = node->op == ABI_OP_SEXT;
    if (has_type(inner->width) && prints_signed(to->pool, node->a) != is_signed)
        print_cast(to, is_signed, inner->width, node->a);
    else if (is_signed && inner->width == 1)
        base_buffer_print(to->out, "-"), print(to, node->a, PREC_UNARY);
    else
        print(to, node->a, around);
}

static void print_extract(struct printer *to, const struct abi_node *node, enum precedence around) {
    bool cast = has_type(node->width);
    enum precedence own = cast ? PREC_UNARY : PREC_AND;
    open(to, around, own);
    if (cast)
        base_buffer_print(to->out, "(%sint%u_t)", node->width == 8 ? "u" : "", node->width);
    if (node->extra) {
        open(to, own, PREC_SHIFT);
        print(to, node->a, PREC_SHIFT);
        base_buffer_print(to->out, " >> %u", node->extra);
        close(to, own, PREC_SHIFT);
    } else {
        print(to, node->a, cast ? PREC_UNARY : PREC_AND);
    }
    if (!cast)
        base_buffer_print(to->out, " & 0x%" PRIx64, width_mask(node->width));
    close(to, around, own);
}

static void print_concat(struct printer *to, const struct abi_node *node, enum precedence around) {
    open(to, around, PREC_OR);
    print(to, node->a, PREC_SHIFT);
    base_buffer_print(to->out, " << %u | ", to->pool->nodes[node->b].width);
    print(to, node->b, PREC_XOR);
    close(to, around, PREC_OR);
}

static void print_choice(struct printer *to, const struct abi_node *node, enum precedence around) {
    open(to, around, PREC_CHOICE);
    print(to, node->a, PREC_OR_ELSE);
    base_buffer_print(to->out, " ? ");
    print(to, node->b, PREC_OR_ELSE);
    base_buffer_print(to->out, " : ");
    print(to, node->c, PREC_CHOICE);
    close(to, around, PREC_CHOICE);
}

static void print_table(struct printer *to, const struct abi_node *node) {
    base_buffer_print(to->out, "table%u[", node->b);
    print(to, node->a, PREC_CHOICE);
    base_buffer_print(to->out, "]");
}

static void print_node(struct printer *to, uint32_t id, enum precedence around) {
    struct abi_node node = to->pool->nodes[id];
    switch (node.op) {
    case ABI_OP_CONST:
        print_constant(to, id);
        return;
    case ABI_OP_INPUT:
        print_input(to, &node);
        return;
    case ABI_OP_EQ:
        print_equality(to, &node, "==", around);
        return;
    case ABI_OP_ULT:
    case ABI_OP_ULE:
    case ABI_OP_SLT:
    case ABI_OP_SLE:
        print_comparison(to, &node, around);
        return;
    case ABI_OP_NOT:
        print_not(to, &node, around);
        return;
    case ABI_OP_ZEXT:
    case ABI_OP_SEXT:
        print_extension(to, &node, around);
        return;
    case ABI_OP_EXTRACT:
        print_extract(to, &node, around);
        return;
    case ABI_OP_CONCAT:
        print_concat(to, &node, around);
        return;
    case ABI_OP_ITE:
        print_choice(to, &node, around);
        return;
    case ABI_OP_TABLE:
        print_table(to, &node);
        return;
    default:
        if (node.width == 1 && (node.op == ABI_OP_AND || node.op == ABI_OP_OR))
            print_logical(to, &node, around);
        else
            print_binary(to, &node, around);
    }
}

static void print(struct printer *to, uint32_t id, enum precedence around) {
    if (to->depth == MAX_DEPTH || to->out->count > MAX_LENGTH) {
        base_buffer_print(to->out, "...");
        return;
    }
    to->depth++;
    print_node(to, id, around);
    to->depth--;
}

void expr_print(struct expr_pool *pool, uint32_t id, expr_name *names, void *context,
                struct base_buffer *out) {
    struct printer to = {pool, names, context, out, 0};
    print(&to, id, PREC_CHOICE);
}
