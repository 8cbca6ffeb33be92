/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bits of an expression matter? A mask is pushed down through shifts and bitwise operations,
 * where it meets other masks and shrinks.
 *
 * This is what bounds a rolling hash, h = ((h << 5) ^ c) & 0x7fff: written as computed, each value
 * mentions every byte before it, although a byte is shifted out after three steps. With the mask
 * pushed down, what was shifted out is masked by zero and vanishes.
 */
#include "expr/build.h"

#define DEEPEST 8 /* operations that one mask passes through */

static uint32_t push_mask(struct expr_pool *pool, uint32_t id, uint64_t mask, unsigned depth);

static uint32_t plain_mask(struct expr_pool *pool, uint32_t id, uint64_t mask) {
    unsigned width = pool->nodes[id].width;
    return build_plain(pool, ABI_OP_AND, width, 0, id, expr_make_constant(pool, width, mask), 0);
}

static uint32_t mask_shift(struct expr_pool *pool, struct abi_node node, uint64_t mask,
                           unsigned depth) {
    uint64_t by = constant_of(pool, node.b);
    bool left = node.op == ABI_OP_SHL;
    uint64_t inner = left ? mask >> by : mask << by & width_mask(node.width);
    uint32_t shifted = push_mask(pool, node.a, inner, depth);
    return expr_make(pool, node.op, node.width, 0, shifted, node.b, 0);
}

static uint32_t mask_both(struct expr_pool *pool, struct abi_node node, uint64_t mask,
                          unsigned depth) {
    uint32_t a = push_mask(pool, node.a, mask, depth), b = push_mask(pool, node.b, mask, depth);
    return expr_make(pool, node.op, node.width, 0, a, b, 0);
}

static uint32_t mask_extended(struct expr_pool *pool, uint32_t id, uint64_t mask, unsigned depth) {
    struct abi_node node = pool->nodes[id];
    uint64_t all = width_mask(pool->nodes[node.a].width);
    if ((mask & all) == all)
        return id;
    uint32_t inner = push_mask(pool, node.a, mask & all, depth);
    return expr_make(pool, ABI_OP_ZEXT, node.width, 0, inner, 0, 0);
}

/* ID & MASK. */
static uint32_t push_mask(struct expr_pool *pool, uint32_t id, uint64_t mask, unsigned depth) {
    struct abi_node node = pool->nodes[id];
    if (!mask || is_constant(pool, id))
        return expr_make_constant(pool, node.width, mask ? constant_of(pool, id) & mask : 0);
    if (mask == width_mask(node.width))
        return id;
    if (!depth)
        return plain_mask(pool, id, mask);
    switch (node.op) {
    case ABI_OP_AND:
        if (is_constant(pool, node.b))
            return push_mask(pool, node.a, mask & constant_of(pool, node.b), depth - 1);
        return plain_mask(pool, id, mask);
    case ABI_OP_XOR:
    case ABI_OP_OR:
        return mask_both(pool, node, mask, depth - 1);
    case ABI_OP_SHL:
    case ABI_OP_LSHR:
        return is_constant(pool, node.b) && constant_of(pool, node.b) < node.width
                   ? mask_shift(pool, node, mask, depth - 1)
                   : plain_mask(pool, id, mask);
    case ABI_OP_ZEXT:
        return mask_extended(pool, id, mask, depth - 1);
    default:
        return plain_mask(pool, id, mask);
    }
}

uint32_t build_masked(struct expr_pool *pool, uint32_t id, uint64_t mask) {
    return push_mask(pool, id, mask, DEEPEST);
}
