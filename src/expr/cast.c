/* SPDX-License-Identifier: Apache-2.0
 *
 * Simplification of casts: extensions, extraction of bits, concatenation. C code widens and narrows
 * all the time (a char is compared as an int); what remains after these rules is what the program
 * means, at the width in which the input holds it.
 */
#include "expr/build.h"

uint32_t build_extension(struct expr_pool *pool, enum abi_op op, unsigned width, uint32_t a) {
    struct abi_node node = pool->nodes[a];
    if (node.width == width)
        return a;
    if (node.op == op || node.op == ABI_OP_ZEXT) /* sign extension of a zero extension, too */
        return build_plain(pool, node.op, width, 0, node.a, 0, 0);
    return build_plain(pool, op, width, 0, a, 0, 0);
}

static uint32_t extract_of_extension(struct expr_pool *pool, unsigned width, unsigned low,
                                     struct abi_node node, uint32_t whole) {
    unsigned inner = pool->nodes[node.a].width;
    if (low + width <= inner)
        return expr_make(pool, ABI_OP_EXTRACT, width, low, node.a, 0, 0);
    if (low == 0)
        return expr_make(pool, node.op, width, 0, node.a, 0, 0);
    if (low >= inner && node.op == ABI_OP_ZEXT)
        return expr_make_constant(pool, width, 0);
    if (low < inner && node.op == ABI_OP_ZEXT) {
        uint32_t part = expr_make(pool, ABI_OP_EXTRACT, inner - low, low, node.a, 0, 0);
        return expr_make(pool, ABI_OP_ZEXT, width, 0, part, 0, 0);
    }
    return build_plain(pool, ABI_OP_EXTRACT, width, low, whole, 0, 0);
}

static uint32_t extract_of_concat(struct expr_pool *pool, unsigned width, unsigned low,
                                  struct abi_node node) {
    unsigned border = pool->nodes[node.b].width;
    if (low + width <= border)
        return expr_make(pool, ABI_OP_EXTRACT, width, low, node.b, 0, 0);
    if (low >= border)
        return expr_make(pool, ABI_OP_EXTRACT, width, low - border, node.a, 0, 0);
    uint32_t lower = expr_make(pool, ABI_OP_EXTRACT, border - low, low, node.b, 0, 0);
    uint32_t upper = expr_make(pool, ABI_OP_EXTRACT, low + width - border, 0, node.a, 0, 0);
    return expr_make(pool, ABI_OP_CONCAT, width, 0, upper, lower, 0);
}

/* Do the low WIDTH bits of ID have a form that is no larger than ID? */
static bool narrows(const struct expr_pool *pool, uint32_t id, unsigned width) {
    struct abi_node node = pool->nodes[id];
    if (node.op == ABI_OP_ZEXT || node.op == ABI_OP_SEXT)
        return pool->nodes[node.a].width <= width;
    return node.op == ABI_OP_CONST;
}

/* The low bits of sums, products and bitwise operations depend only on the operands' low bits. */
static bool narrows_through(const struct expr_pool *pool, struct abi_node node, unsigned width) {
    switch (node.op) {
    case ABI_OP_ADD:
    case ABI_OP_SUB:
    case ABI_OP_MUL:
    case ABI_OP_AND:
    case ABI_OP_OR:
    case ABI_OP_XOR:
        return narrows(pool, node.a, width) && narrows(pool, node.b, width);
    default:
        return false;
    }
}

uint32_t build_extract(struct expr_pool *pool, unsigned width, unsigned low, uint32_t a) {
    struct abi_node node = pool->nodes[a];
    if (node.width == width)
        return a;
    if (node.op == ABI_OP_EXTRACT)
        return build_extract(pool, width, low + node.extra, node.a);
    if (node.op == ABI_OP_ZEXT || node.op == ABI_OP_SEXT)
        return extract_of_extension(pool, width, low, node, a);
    if (node.op == ABI_OP_CONCAT)
        return extract_of_concat(pool, width, low, node);
    if (low == 0 && narrows_through(pool, node, width)) {
        uint32_t left = expr_make(pool, ABI_OP_EXTRACT, width, 0, node.a, 0, 0);
        uint32_t right = expr_make(pool, ABI_OP_EXTRACT, width, 0, node.b, 0, 0);
        return expr_make(pool, node.op, width, 0, left, right, 0);
    }
    return build_plain(pool, ABI_OP_EXTRACT, width, low, a, 0, 0);
}

/* Two neighbouring parts of one expression. */
static bool adjacent(const struct expr_pool *pool, uint32_t high, uint32_t low) {
    struct abi_node upper = pool->nodes[high], lower = pool->nodes[low];
    return upper.op == ABI_OP_EXTRACT && lower.op == ABI_OP_EXTRACT && upper.a == lower.a &&
           upper.extra == lower.extra + lower.width;
}

uint32_t build_concat(struct expr_pool *pool, unsigned width, uint32_t a, uint32_t b) {
    if (is_constant(pool, a) && constant_of(pool, a) == 0)
        return expr_make(pool, ABI_OP_ZEXT, width, 0, b, 0, 0);
    if (adjacent(pool, a, b)) {
        struct abi_node lower = pool->nodes[b];
        return build_extract(pool, width, lower.extra, lower.a);
    }
    struct abi_node low = pool->nodes[b];
    if (low.op == ABI_OP_CONCAT && adjacent(pool, a, low.a)) { /* parts that meet in the middle */
        unsigned upper = width - pool->nodes[low.b].width;
        uint32_t joined =
            build_extract(pool, upper, pool->nodes[low.a].extra, pool->nodes[low.a].a);
        return expr_make(pool, ABI_OP_CONCAT, width, 0, joined, low.b, 0);
    }
    return build_plain(pool, ABI_OP_CONCAT, width, 0, a, b, 0);
}
