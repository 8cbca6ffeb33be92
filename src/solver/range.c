/* SPDX-License-Identifier: Apache-2.0
 *
 * Can a condition hold at all, given the range of each variable? Every variable has a least and a
 * greatest value, narrowed by assertions on it alone. From these, the range of any expression is
 * computed operation by operation (unsigned; the full width where an operation may wrap around). A
 * condition whose range is just 0 is a "no"; this stage never says "yes". It answers overflow
 * checks, for which a bit-vector solver would multiply circuits.
 */
#include "solver/internal.h"

#include <stdlib.h>

#define DEPTH_LIMIT 128
#define TABLE_LIMIT 1024
#define ASSERTION_LIMIT 128

struct range_state {
    BASE_VECTOR(struct interval) bounds; /* by variable */
    BASE_VECTOR(struct interval) memo;   /* by node */
    BASE_VECTOR(uint32_t) stamps;        /* of the memo */
    uint32_t stamp;
    BASE_VECTOR(struct change) undo; /* two per narrowed variable: low, then high */
    id_list assertions, variables;
};

static void *create(struct solver *solver) {
    (void)solver;
    return base_alloc(sizeof(struct range_state));
}

static void destroy(void *state) {
    struct range_state *range = state;
    base_vector_done(&range->bounds);
    base_vector_done(&range->memo);
    base_vector_done(&range->stamps);
    base_vector_done(&range->undo);
    base_vector_done(&range->assertions);
    base_vector_done(&range->variables);
    free(range);
}

static struct range_state *state_of(struct solver *solver) {
    return solver->states[SOLVER_STAGE_RANGE];
}

static void begin(struct solver *solver) {
    state_of(solver)->bounds.count = 0;
}

static uint64_t greatest(unsigned width) {
    return width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
}

static struct interval full(unsigned width) {
    return (struct interval){0, greatest(width)};
}

static void know_variables(struct solver *solver, struct range_state *range) {
    while (range->bounds.count < expr_variable_count(solver->pool)) {
        unsigned width = solver_width(solver, (uint32_t)range->bounds.count);
        base_push(&range->bounds, full(width));
    }
}

/* ---- operations ---- */

/* Exact if all sums wrap around or none does; the former when a negative constant is added. */
static struct interval add(struct interval a, struct interval b, unsigned width) {
    struct interval sum;
    bool low = __builtin_add_overflow(a.low, b.low, &sum.low) || sum.low > greatest(width);
    bool high = __builtin_add_overflow(a.high, b.high, &sum.high) || sum.high > greatest(width);
    if (low != high)
        return full(width);
    return (struct interval){sum.low & greatest(width), sum.high & greatest(width)};
}

static struct interval multiply(struct interval a, struct interval b, unsigned width) {
    struct interval product;
    if (__builtin_mul_overflow(a.high, b.high, &product.high) || product.high > greatest(width))
        return full(width);
    product.low = a.low * b.low;
    return product;
}

static struct interval divide(struct interval a, struct interval b, unsigned width) {
    return b.low ? (struct interval){a.low / b.high, a.high / b.low} : full(width);
}

static struct interval remainder_of(struct interval a, struct interval b, unsigned width) {
    if (!b.low)
        return full(width);
    if (a.high < b.low)
        return a;
    return (struct interval){0, a.high < b.high - 1 ? a.high : b.high - 1};
}

/* All bits up to the highest one that can be set. */
static uint64_t spread(uint64_t value) {
    return value ? UINT64_MAX >> __builtin_clzll(value) : 0;
}

static struct interval shift(enum abi_op op, struct interval a, struct interval b, unsigned width) {
    if (b.low != b.high || b.low >= width)
        return op == ABI_OP_SHL ? full(width) : (struct interval){0, a.high};
    if (op != ABI_OP_SHL)
        return (struct interval){a.low >> b.low, a.high >> b.low};
    return a.high <= greatest(width) >> b.low ? (struct interval){a.low << b.low, a.high << b.low}
                                              : full(width);
}

static struct interval truth(bool yes, bool no) {
    return (struct interval){yes, !no};
}

static struct interval compare(enum abi_op op, struct interval a, struct interval b,
                               unsigned width) {
    /* Flipping the sign bit turns signed order into unsigned. */
    if (op == ABI_OP_SLT || op == ABI_OP_SLE) {
        uint64_t sign = (uint64_t)1 << (width - 1);
        if ((a.low ^ a.high) & sign || (b.low ^ b.high) & sign)
            return truth(false, false);
        a = (struct interval){a.low ^ sign, a.high ^ sign};
        b = (struct interval){b.low ^ sign, b.high ^ sign};
        op = op == ABI_OP_SLT ? ABI_OP_ULT : ABI_OP_ULE;
    }
    if (op == ABI_OP_EQ)
        return truth(a.low == a.high && b.low == b.high && a.low == b.low,
                     a.high < b.low || b.high < a.low);
    if (op == ABI_OP_ULT)
        return truth(a.high < b.low, a.low >= b.high);
    return truth(a.high <= b.low, a.low > b.high);
}

static struct interval extend_sign(struct interval a, unsigned from, unsigned width) {
    uint64_t sign = (uint64_t)1 << (from - 1), fill = greatest(width) & ~greatest(from);
    if (a.high < sign)
        return a;
    return a.low >= sign ? (struct interval){a.low | fill, a.high | fill} : full(width);
}

static struct interval look_up(const struct expr_pool *pool, const struct abi_node *node,
                               struct interval index) {
    uint32_t count = expr_table_count(pool, node->b);
    if (index.high >= count || index.high - index.low > TABLE_LIMIT)
        return full(node->width);
    struct interval result = {UINT64_MAX, 0};
    for (uint64_t i = index.low; i <= index.high; i++) {
        uint64_t value = expr_table_read(pool, node->b, i);
        result.low = value < result.low ? value : result.low;
        result.high = value > result.high ? value : result.high;
    }
    return result;
}

static struct interval two_operands(const struct abi_node *node, struct interval a,
                                    struct interval b, unsigned from) {
    unsigned width = node->width;
    bool positive = !((a.high | b.high) >> (from - 1) & 1);
    switch (node->op) {
    case ABI_OP_ADD:
        return add(a, b, width);
    case ABI_OP_SUB:
        return a.low >= b.high ? (struct interval){a.low - b.high, a.high - b.low} : full(width);
    case ABI_OP_MUL:
        return multiply(a, b, width);
    case ABI_OP_UDIV:
        return divide(a, b, width);
    case ABI_OP_SDIV:
        return positive ? divide(a, b, width) : full(width);
    case ABI_OP_UREM:
        return remainder_of(a, b, width);
    case ABI_OP_SREM:
        return positive ? remainder_of(a, b, width) : full(width);
    case ABI_OP_SHL:
    case ABI_OP_LSHR:
        return shift((enum abi_op)node->op, a, b, width);
    case ABI_OP_ASHR:
        return a.high >> (width - 1) & 1 ? full(width) : shift(ABI_OP_LSHR, a, b, width);
    case ABI_OP_AND:
        return (struct interval){width == 1 ? a.low & b.low : 0, a.high < b.high ? a.high : b.high};
    case ABI_OP_OR:
        return (struct interval){a.low > b.low ? a.low : b.low, spread(a.high | b.high)};
    case ABI_OP_XOR:
        return (struct interval){0, spread(a.high | b.high)};
    case ABI_OP_EQ:
    case ABI_OP_ULT:
    case ABI_OP_ULE:
    case ABI_OP_SLT:
    case ABI_OP_SLE:
        return compare((enum abi_op)node->op, a, b, from);
    default:
        return full(width);
    }
}

static struct interval evaluate(struct solver *solver, struct range_state *range, uint32_t id,
                                unsigned depth);

static struct interval compute(struct solver *solver, struct range_state *range, uint32_t id,
                               unsigned depth) {
    const struct abi_node node = *expr_node(solver->pool, id);
    struct interval a, b, c;
    if (node.op == ABI_OP_CONST)
        return (struct interval){expr_constant(solver->pool, id), expr_constant(solver->pool, id)};
    if (node.op == ABI_OP_INPUT)
        return range->bounds.data[expr_variable_number(solver->pool, id)];
    unsigned operands = expr_operands((enum abi_op)node.op);
    unsigned from = expr_node(solver->pool, node.a)->width;
    a = evaluate(solver, range, node.a, depth);
    switch (node.op) {
    case ABI_OP_NOT:
        return (struct interval){greatest(node.width) - a.high, greatest(node.width) - a.low};
    case ABI_OP_ZEXT:
        return a;
    case ABI_OP_SEXT:
        return extend_sign(a, from, node.width);
    case ABI_OP_EXTRACT:
        return a.high >> node.extra <= greatest(node.width)
                   ? (struct interval){a.low >> node.extra, a.high >> node.extra}
                   : full(node.width);
    case ABI_OP_TABLE:
        return look_up(solver->pool, &node, a);
    default:
        break;
    }
    if (operands < 2)
        return full(node.width);
    b = evaluate(solver, range, node.b, depth);
    if (node.op == ABI_OP_CONCAT) {
        unsigned low = expr_node(solver->pool, node.b)->width;
        return (struct interval){a.low << low | b.low, a.high << low | b.high};
    }
    if (node.op != ABI_OP_ITE)
        return two_operands(&node, a, b, from);
    c = evaluate(solver, range, node.c, depth);
    if (a.low == a.high)
        return a.low ? b : c;
    return (struct interval){b.low < c.low ? b.low : c.low, b.high > c.high ? b.high : c.high};
}

static struct interval evaluate(struct solver *solver, struct range_state *range, uint32_t id,
                                unsigned depth) {
    if (depth == 0)
        return full(expr_node(solver->pool, id)->width);
    while (range->memo.count <= id) {
        base_push(&range->memo, (struct interval){0, 0});
        base_push(&range->stamps, 0);
    }
    if (range->stamps.data[id] == range->stamp)
        return range->memo.data[id];
    struct interval result = compute(solver, range, id, depth - 1);
    range->memo.data[id] = result;
    range->stamps.data[id] = range->stamp;
    return result;
}

/* ---- bounds ---- */

/* The least and greatest solution of a condition on one variable; false if they are not found. */
static bool bounds_of(struct solver *solver, uint32_t condition, uint32_t variable,
                      struct interval *bounds) {
    struct interval_set set;
    struct byte_set bytes;
    if (set_of_condition(solver->pool, condition, &set)) {
        *bounds = set.count ? (struct interval){set.at[0].low, set.at[set.count - 1].high}
                            : (struct interval){1, 0};
        return true;
    }
    if (solver_width(solver, variable) != 8 || !domain_of_condition(solver, condition, &bytes))
        return false;
    *bounds = (struct interval){1, 0};
    for (unsigned value = 256; value-- > 0;)
        if (byte_set_has(&bytes, value))
            *bounds = (struct interval){value, bounds->low > bounds->high ? value : bounds->high};
    return true;
}

/* Narrows the variable of a condition that has only one. False: no value is left. */
static bool narrow(struct solver *solver, struct range_state *range, uint32_t condition,
                   bool keep) {
    struct expr_variables list = expr_variables(solver->pool, condition);
    struct interval bounds;
    if (list.count != 1)
        return true;
    uint32_t variable = list.numbers[0];
    if (!bounds_of(solver, condition, variable, &bounds))
        return true;
    struct interval *at = &range->bounds.data[variable];
    if (!keep) {
        base_push(&range->undo, (struct change){variable, at->low});
        base_push(&range->undo, (struct change){variable, at->high});
    }
    if (bounds.low > at->low)
        at->low = bounds.low;
    if (bounds.high < at->high)
        at->high = bounds.high;
    return bounds.low <= bounds.high && at->low <= at->high;
}

static void restore(struct range_state *range) {
    for (size_t i = range->undo.count; i >= 2; i -= 2)
        range->bounds.data[range->undo.data[i - 1].variable] =
            (struct interval){range->undo.data[i - 2].value, range->undo.data[i - 1].value};
    range->undo.count = 0;
}

/* ---- the stage ---- */

static bool add_condition(struct solver *solver, uint32_t condition) {
    struct range_state *range = state_of(solver);
    know_variables(solver, range);
    narrow(solver, range, condition, true);
    return false; /* bounds never express a whole condition */
}

static bool is_impossible(struct solver *solver, struct range_state *range,
                          const uint32_t *conditions, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (evaluate(solver, range, conditions[i], DEPTH_LIMIT).high == 0)
            return true;
    return false;
}

static enum solver_answer ask(struct solver *solver, struct question *question) {
    struct range_state *range = state_of(solver);
    bool possible = true;
    know_variables(solver, range);
    for (size_t i = 0; possible && i < question->count; i++)
        possible = narrow(solver, range, question->conditions[i], false);
    if (!++range->stamp) {
        range->memo.count = range->stamps.count = 0;
        range->stamp = 1;
    }
    possible = possible && !is_impossible(solver, range, question->conditions, question->count);
    if (possible) {
        range->assertions.count = range->variables.count = 0;
        slice_gather(solver, question->conditions, question->count, &range->assertions,
                     &range->variables);
        possible = range->assertions.count > ASSERTION_LIMIT ||
                   !is_impossible(solver, range, range->assertions.data, range->assertions.count);
    }
    restore(range);
    return possible ? SOLVER_UNKNOWN : SOLVER_UNSAT;
}

const struct stage range_stage = {
    .create = create, .destroy = destroy, .begin = begin, .add = add_condition, .ask = ask};
