/* SPDX-License-Identifier: Apache-2.0
 *
 * Which conditions need no expressions? Most conditions in sorting and searching are plain orders,
 * a[i] < a[j]. They become runs of triples for the solver's graph, so any number of them is
 * possible.
 */
#include "search/scale/scale.h"

struct comparison { /* a OP b, or its negation */
    enum abi_op op;
    bool is_negated;
    const struct expr_joint *a, *b;
};

static bool is_leaf(const struct expr_joint *joint) {
    return joint->op == ABI_OP_INPUT || joint->op == ABI_OP_CONST;
}

static bool read_comparison(const struct expr_skeleton *skeleton, struct comparison *found) {
    const struct expr_joint *top = &skeleton->joints[skeleton->count - 1];
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

/* All orders must compare integers of one kind. */
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

static int64_t constant_at(const struct expr_joint *joint, const int64_t *leaves, bool is_signed) {
    unsigned unused = 64u - joint->width;
    uint64_t bits = (uint64_t)leaves[joint->leaf] << unused;
    return is_signed ? (int64_t)bits >> unused : (int64_t)(bits >> unused);
}

/* a - b <= weight */
static void add_run(struct scale_orders *orders, const struct expr_joint *a,
                    const struct expr_joint *b, int64_t weight, const int64_t *leaves,
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

bool scale_orders_add(struct scale_orders *orders, const struct expr_skeleton *skeleton,
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
