/* SPDX-License-Identifier: Apache-2.0
 *
 * What is left of a condition when its leaves are taken away, and how does one make a condition
 * from it again? Most conditions of sorting and searching are plain orders, a[i] < a[j]: these
 * become runs of triples for the solver's graph instead of expressions, whatever their number.
 */
#include "search/scale/skeleton.h"

#include <string.h>

/* Appends the tree of an expression; its number, or UINT32_MAX when it is too large. */
static uint32_t read_tree(const struct expr_pool *pool, uint32_t id, size_t most,
                          struct scale_skeleton *skeleton, int64_t *leaves) {
    const struct abi_node *node = expr_node(pool, id);
    struct search_joint made = {.op = node->op, .width = node->width, .extra = node->extra};
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
    if (skeleton->count == SEARCH_SKELETON_NODES || skeleton->leaves >= most)
        return UINT32_MAX;
    if (node->op == ABI_OP_INPUT || node->op == ABI_OP_CONST) {
        made.leaf = (uint8_t)skeleton->leaves;
        leaves[skeleton->leaves++] =
            node->op == ABI_OP_INPUT ? (int64_t)node->a : (int64_t)expr_constant(pool, id);
    }
    skeleton->joints[skeleton->count] = made;
    return skeleton->count++;
}

bool scale_skeleton_read(const struct expr_pool *pool, uint32_t id, size_t most,
                         struct scale_skeleton *skeleton, int64_t *leaves) {
    memset(skeleton, 0, sizeof *skeleton); /* skeletons are compared byte by byte */
    return read_tree(pool, id, most, skeleton, leaves) != UINT32_MAX;
}

uint32_t scale_skeleton_fill(const struct scale_skeleton *skeleton, struct expr_pool *pool,
                             const int64_t *leaves, size_t input_bytes) {
    uint32_t made[SEARCH_SKELETON_NODES] = {0};
    for (uint32_t i = 0; i < skeleton->count; i++) {
        const struct search_joint *joint = &skeleton->joints[i];
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

/* ---- orders ---- */

struct comparison { /* a OP b, or the contrary */
    enum abi_op op;
    bool is_negated;
    const struct search_joint *a, *b;
};

static bool is_leaf(const struct search_joint *joint) {
    return joint->op == ABI_OP_INPUT || joint->op == ABI_OP_CONST;
}

static bool read_comparison(const struct scale_skeleton *skeleton, struct comparison *found) {
    const struct search_joint *top = &skeleton->joints[skeleton->count - 1];
    *found = (struct comparison){.is_negated = top->op == ABI_OP_NOT};
    if (found->is_negated)
        top = &skeleton->joints[top->operands[0]];
    if (top->op != ABI_OP_EQ && top->op != ABI_OP_SLT && top->op != ABI_OP_SLE &&
        top->op != ABI_OP_ULT && top->op != ABI_OP_ULE)
        return false;
    found->op = (enum abi_op)top->op;
    found->a = &skeleton->joints[top->operands[0]];
    found->b = &skeleton->joints[top->operands[1]];
    return is_leaf(found->a) && is_leaf(found->b) &&
           (found->a->op == ABI_OP_INPUT || found->b->op == ABI_OP_INPUT);
}

/* The integers of all orders are of one kind. */
static bool is_of_kind(struct scale_orders *orders, const struct comparison *comparison) {
    unsigned bytes = comparison->a->width / 8;
    orders->is_signed |= comparison->op == ABI_OP_SLT || comparison->op == ABI_OP_SLE;
    orders->is_unsigned |= comparison->op == ABI_OP_ULT || comparison->op == ABI_OP_ULE;
    if (!orders->bytes)
        orders->bytes = bytes;
    bool has_constant = comparison->a->op == ABI_OP_CONST || comparison->b->op == ABI_OP_CONST;
    return (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && bytes == orders->bytes &&
           !(orders->is_signed && orders->is_unsigned) &&
           !(has_constant && comparison->op == ABI_OP_EQ);
}

static int64_t constant_at(const struct search_joint *joint, const int64_t *leaves,
                           bool is_signed) {
    unsigned unused = 64u - joint->width;
    uint64_t bits = (uint64_t)leaves[joint->leaf] << unused;
    return is_signed ? (int64_t)bits >> unused : (int64_t)(bits >> unused);
}

/* a - b <= weight */
static void add_run(struct scale_orders *orders, const struct search_joint *a,
                    const struct search_joint *b, int64_t weight, const int64_t *leaves,
                    const int64_t *stride, uint64_t count) {
    struct solver_run run = {.x = SOLVER_ZERO, .y = SOLVER_ZERO, .weight = weight, .count = count};
    if (a->op == ABI_OP_INPUT) {
        run.x = leaves[a->leaf];
        run.dx = stride[a->leaf];
    } else {
        run.weight -= constant_at(a, leaves, orders->is_signed);
        run.dweight = -stride[a->leaf];
    }
    if (b->op == ABI_OP_INPUT) {
        run.y = leaves[b->leaf];
        run.dy = stride[b->leaf];
    } else {
        run.weight += constant_at(b, leaves, orders->is_signed);
        run.dweight = stride[b->leaf];
    }
    base_push(&orders->runs, run);
}

bool scale_orders_add(struct scale_orders *orders, const struct scale_skeleton *skeleton,
                      const int64_t *leaves, const int64_t *stride, uint64_t count) {
    struct comparison found;
    if (!read_comparison(skeleton, &found) || !is_of_kind(orders, &found))
        return false;
    bool is_strict = found.op == ABI_OP_SLT || found.op == ABI_OP_ULT;
    if (found.op == ABI_OP_EQ && found.is_negated) {
        add_run(orders, found.a, found.b, 0, leaves, stride, count);
        orders->runs.data[orders->runs.count - 1].differ = true;
    } else if (found.op == ABI_OP_EQ) {
        add_run(orders, found.a, found.b, 0, leaves, stride, count);
        add_run(orders, found.b, found.a, 0, leaves, stride, count);
    } else if (found.is_negated)
        add_run(orders, found.b, found.a, is_strict ? 0 : -1, leaves, stride, count);
    else
        add_run(orders, found.a, found.b, is_strict ? -1 : 0, leaves, stride, count);
    return true;
}
