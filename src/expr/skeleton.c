/* SPDX-License-Identifier: Apache-2.0
 *
 * What remains of an expression without its leaves, and how is an expression built from that again?
 */
#include "expr/skeleton.h"

#include <string.h>

/* Appends the tree of an expression; returns its number, or UINT32_MAX if it is too large. */
static uint32_t read_tree(const struct expr_pool *pool, uint32_t id, size_t most,
                          struct expr_skeleton *skeleton, int64_t *leaves) {
    const struct abi_node *node = expr_node(pool, id);
    struct expr_joint made = {.op = node->op, .width = node->width, .extra = node->extra};
    const uint32_t operands[3] = {node->a, node->b, node->c};
    unsigned count = expr_operands((enum abi_op)node->op);
    if (node->op == ABI_OP_TABLE)
        return UINT32_MAX;
    for (unsigned i = 0; i < count && i < 3; i++) {
        uint32_t operand = read_tree(pool, operands[i], most, skeleton, leaves);
        if (operand == UINT32_MAX)
            return UINT32_MAX;
        made.operands[i] = (uint8_t)operand;
    }
    if (skeleton->count == EXPR_SKELETON_NODES || skeleton->leaves >= most)
        return UINT32_MAX;
    if (node->op == ABI_OP_INPUT || node->op == ABI_OP_CONST) {
        made.leaf = (uint8_t)skeleton->leaves;
        leaves[skeleton->leaves++] =
            node->op == ABI_OP_INPUT ? (int64_t)node->a : (int64_t)expr_constant(pool, id);
    }
    skeleton->joints[skeleton->count] = made;
    return skeleton->count++;
}

bool expr_skeleton_read(const struct expr_pool *pool, uint32_t id, size_t most,
                        struct expr_skeleton *skeleton, int64_t *leaves) {
    memset(skeleton, 0, sizeof *skeleton); /* skeletons are compared byte by byte */
    return read_tree(pool, id, most, skeleton, leaves) != UINT32_MAX;
}

uint32_t expr_skeleton_fill(const struct expr_skeleton *skeleton, struct expr_pool *pool,
                            const int64_t *leaves, size_t input_bytes) {
    uint32_t made[EXPR_SKELETON_NODES] = {0};
    for (uint32_t i = 0; i < skeleton->count; i++) {
        const struct expr_joint *joint = &skeleton->joints[i];
        int64_t leaf = leaves[joint->leaf];
        if (joint->op == ABI_OP_INPUT) {
            if (leaf < 0 || (uint64_t)leaf + joint->width / 8 > input_bytes)
                return 0;
            made[i] = expr_make_input(pool, joint->width, (uint32_t)leaf);
        } else if (joint->op == ABI_OP_CONST)
            made[i] = expr_make_constant(pool, joint->width, (uint64_t)leaf);
        else
            made[i] = expr_make(pool, (enum abi_op)joint->op, joint->width, joint->extra,
                                made[joint->operands[0]], made[joint->operands[1]],
                                made[joint->operands[2]]);
    }
    return made[skeleton->count - 1];
}
