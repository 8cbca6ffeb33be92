/* SPDX-License-Identifier: Apache-2.0
 *
 * For which values of its only variable does a condition hold? A comparison with a constant holds
 * for an interval of its operand (in signed comparisons, for one that may go around the end);
 * additions, casts, complements and right shifts pull such a set back to the variable; not, and, or
 * combine sets. Machine arithmetic is exact here: sets are of bit patterns, and what wraps around
 * is cut in two.
 */
#include "solver/internal.h"

#include <string.h>

#define MAX_DEPTH 64

static uint64_t mask_of(unsigned width) {
    return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

/* Appends an interval that begins after all others, joined with the last if they touch. */
static bool append(struct interval_set *set, uint64_t low, uint64_t high) {
    if (set->count && set->at[set->count - 1].high + 1 >= low) {
        if (high > set->at[set->count - 1].high)
            set->at[set->count - 1].high = high;
        return true;
    }
    if (set->count == SET_LIMIT)
        return false;
    set->at[set->count++] = (struct interval){low, high};
    return true;
}

/* Sets are large and mostly empty: copies only the used part. */
static void copy(struct interval_set *to, const struct interval_set *from) {
    to->count = from->count;
    memcpy(to->at, from->at, from->count * sizeof *from->at);
}

static bool complement(struct interval_set *set, unsigned width) {
    struct interval_set result;
    result.count = 0;
    uint64_t next = 0;
    bool open = true; /* is there anything left above? */
    for (unsigned i = 0; i < set->count && open; i++) {
        if (set->at[i].low > next && !append(&result, next, set->at[i].low - 1))
            return false;
        open = set->at[i].high < mask_of(width);
        next = set->at[i].high + 1;
    }
    if (open && !append(&result, next, mask_of(width)))
        return false;
    copy(set, &result);
    return true;
}

static bool intersect(struct interval_set *a, const struct interval_set *b) {
    struct interval_set result;
    result.count = 0;
    unsigned i = 0, j = 0;
    while (i < a->count && j < b->count) {
        struct interval x = a->at[i], y = b->at[j];
        uint64_t low = x.low > y.low ? x.low : y.low, high = x.high < y.high ? x.high : y.high;
        if (low <= high && !append(&result, low, high))
            return false;
        x.high < y.high ? i++ : j++;
    }
    copy(a, &result);
    return true;
}

static int by_low(const struct interval *a, const struct interval *b) {
    return a->low < b->low ? -1 : a->low > b->low;
}

/* Sorts and joins up to 2 * SET_LIMIT intervals. */
static bool from_list(struct interval_set *set, struct interval *list, unsigned count) {
    for (unsigned i = 1; i < count; i++)
        for (unsigned k = i; k > 0 && by_low(&list[k], &list[k - 1]) < 0; k--) {
            struct interval swap = list[k];
            list[k] = list[k - 1];
            list[k - 1] = swap;
        }
    set->count = 0;
    for (unsigned i = 0; i < count; i++) {
        if (set->count && set->at[set->count - 1].high == UINT64_MAX)
            break;
        if (!append(set, list[i].low, list[i].high))
            return false;
    }
    return true;
}

static bool unite(struct interval_set *a, const struct interval_set *b) {
    struct interval list[2 * SET_LIMIT];
    memcpy(list, a->at, a->count * sizeof *list);
    memcpy(list + a->count, b->at, b->count * sizeof *list);
    return from_list(a, list, a->count + b->count);
}

/* ---- through one operation, back to its operand ---- */

/* { x : x + amount in set } */
static bool shift_back(struct interval_set *set, unsigned width, uint64_t amount) {
    struct interval list[2 * SET_LIMIT];
    unsigned count = 0;
    for (unsigned i = 0; i < set->count; i++) {
        uint64_t low = (set->at[i].low - amount) & mask_of(width);
        uint64_t high = (set->at[i].high - amount) & mask_of(width);
        if (low <= high) {
            list[count++] = (struct interval){low, high};
        } else {
            list[count++] = (struct interval){0, high};
            list[count++] = (struct interval){low, mask_of(width)};
        }
    }
    return from_list(set, list, count);
}

/* { x : ~x in set } */
static bool mirror(struct interval_set *set, unsigned width) {
    struct interval_set result;
    result.count = set->count;
    for (unsigned i = 0; i < set->count; i++)
        result.at[set->count - 1 - i] =
            (struct interval){mask_of(width) & ~set->at[i].high, mask_of(width) & ~set->at[i].low};
    copy(set, &result);
    return true;
}

static bool extend_back(struct interval_set *set, unsigned width, unsigned inner, bool is_signed) {
    uint64_t top = mask_of(inner), half = top >> 1;
    struct interval_set image;
    image.count = 0;
    append(&image, 0, is_signed ? half : top);
    if (is_signed)
        append(&image, mask_of(width) - half, mask_of(width));
    if (!intersect(set, &image))
        return false;
    struct interval list[2 * SET_LIMIT];
    for (unsigned i = 0; i < set->count; i++)
        list[i] = (struct interval){set->at[i].low & top, set->at[i].high & top};
    return from_list(set, list, set->count);
}

/* { x : x / divisor in set } */
static bool divide_back(struct interval_set *set, unsigned width, uint64_t divisor) {
    uint64_t greatest = mask_of(width) / divisor;
    struct interval_set image;
    image.count = 0;
    append(&image, 0, greatest);
    if (!intersect(set, &image))
        return false;
    for (unsigned i = 0; i < set->count; i++) {
        set->at[i].low *= divisor;
        set->at[i].high =
            set->at[i].high == greatest ? mask_of(width) : (set->at[i].high + 1) * divisor - 1;
    }
    return true;
}

/* { x : x & greatest / 2 in set }, of absolute values */
static bool absolute_back(struct interval_set *set, unsigned width) {
    uint64_t half = mask_of(width) >> 1;
    struct interval list[2 * SET_LIMIT];
    unsigned count = 0;
    for (unsigned i = 0; i < set->count && set->at[i].low <= half; i++) {
        uint64_t low = set->at[i].low, high = set->at[i].high < half ? set->at[i].high : half;
        list[count++] = (struct interval){low, high};
        list[count++] = (struct interval){low + half + 1, high + half + 1};
    }
    return from_list(set, list, count);
}

static bool operand_back(struct expr_pool *pool, const struct abi_node *node,
                         struct interval_set *set, uint32_t *operand) {
    bool right = expr_operands(node->op) > 1 && expr_node(pool, node->b)->op == ABI_OP_CONST;
    bool left = expr_operands(node->op) > 1 && expr_node(pool, node->a)->op == ABI_OP_CONST;
    uint64_t value = right ? expr_constant(pool, node->b) : left ? expr_constant(pool, node->a) : 0;
    *operand = node->a;
    switch (node->op) {
    case ABI_OP_ADD:
        return right && shift_back(set, node->width, value);
    case ABI_OP_SUB: /* k - x = ~(x + ~k) */
        *operand = node->b;
        return left && mirror(set, node->width) && shift_back(set, node->width, ~value);
    case ABI_OP_NOT:
        return mirror(set, node->width);
    case ABI_OP_XOR: /* of the highest bit: the negative of a floating-point number */
        return right && value == mask_of(node->width) / 2 + 1 &&
               shift_back(set, node->width, value);
    case ABI_OP_AND:
        return right && value == mask_of(node->width) / 2 && absolute_back(set, node->width);
    case ABI_OP_ZEXT:
    case ABI_OP_SEXT:
        return extend_back(set, node->width, expr_node(pool, node->a)->width,
                           node->op == ABI_OP_SEXT);
    case ABI_OP_UDIV:
        return right && value != 0 && divide_back(set, node->width, value);
    case ABI_OP_LSHR:
        return right && value < node->width && divide_back(set, node->width, (uint64_t)1 << value);
    default:
        return false;
    }
}

/* ---- conditions ---- */

/* The values of the operand for which "operand OP value" holds ("value OP operand" if LEFT). */
static bool set_of_comparison(enum abi_op op, unsigned width, uint64_t value, bool left,
                              struct interval_set *set) {
    uint64_t top = mask_of(width), half = op == ABI_OP_SLT || op == ABI_OP_SLE ? top / 2 + 1 : 0;
    if (width == 64 && half)
        half = (uint64_t)1 << 63;
    uint64_t at = (value + half) & top; /* signed order is unsigned order, rotated by half */
    bool strict = op == ABI_OP_ULT || op == ABI_OP_SLT;
    set->count = 0;
    if (op == ABI_OP_EQ)
        append(set, value, value);
    else if (!left && !(strict && at == 0))
        append(set, 0, strict ? at - 1 : at);
    else if (left && !(strict && at == top))
        append(set, strict ? at + 1 : at, top);
    return half ? shift_back(set, width, half) : true;
}

/* Maps the values of an operand back to those of the variable. */
static bool back_to_variable(struct expr_pool *pool, uint32_t operand, struct interval_set *set) {
    for (const struct abi_node *at = expr_node(pool, operand); at->op != ABI_OP_INPUT;
         at = expr_node(pool, operand))
        if (!operand_back(pool, at, set, &operand))
            return false;
    return true;
}

static bool solve_comparison(struct expr_pool *pool, const struct abi_node *node,
                             struct interval_set *set) {
    bool left = expr_node(pool, node->a)->op == ABI_OP_CONST;
    bool right = expr_node(pool, node->b)->op == ABI_OP_CONST;
    if (left == right)
        return false;
    uint64_t value = expr_constant(pool, left ? node->a : node->b);
    uint32_t operand = left ? node->b : node->a;
    if (!set_of_comparison(node->op, expr_node(pool, operand)->width, value, left, set))
        return false;
    return back_to_variable(pool, operand, set);
}

/* Compares a floating-point number with a constant or, to test for NaN, with itself. In numeric
 * order the result is an interval; in the order of bits, negative numbers form another one. */
static bool solve_floats(struct expr_pool *pool, const struct abi_node *node,
                         struct interval_set *set) {
    bool left = expr_node(pool, node->a)->op == ABI_OP_CONST;
    bool right = expr_node(pool, node->b)->op == ABI_OP_CONST;
    uint32_t operand = left ? node->b : node->a;
    unsigned width = expr_node(pool, operand)->width;
    if (left == right && node->a != node->b)
        return false;
    int64_t high = expr_float_infinity(width), low = -high;
    if (left != right) {
        uint64_t bits = expr_constant(pool, left ? node->a : node->b);
        int64_t key = expr_float_key(width, bits), strict = node->op == ABI_OP_FLT;
        if (key < low || key > high)
            return false;
        low = left ? key + strict : node->op == ABI_OP_FEQ ? key : low;
        high = !left ? key - strict : node->op == ABI_OP_FEQ ? key : high;
    }
    uint64_t sign = (uint64_t)1 << (width - 1);
    set->count = 0;
    if (low <= high && high >= 0)
        append(set, low > 0 ? (uint64_t)low : 0, (uint64_t)high);
    if (low <= high && low <= 0)
        append(set, sign + (high < 0 ? (uint64_t)-high : 0), sign + (uint64_t)-low);
    return back_to_variable(pool, operand, set);
}

/* WIDTH is that of the variable. */
static bool solve_condition(struct expr_pool *pool, uint32_t condition, unsigned width,
                            struct interval_set *set, unsigned depth) {
    const struct abi_node *node = expr_node(pool, condition);
    struct interval_set other;
    if (depth == MAX_DEPTH)
        return false;
    switch (node->op) {
    case ABI_OP_NOT:
        return solve_condition(pool, node->a, width, set, depth + 1) && complement(set, width);
    case ABI_OP_AND:
        return solve_condition(pool, node->a, width, set, depth + 1) &&
               solve_condition(pool, node->b, width, &other, depth + 1) && intersect(set, &other);
    case ABI_OP_OR:
        return solve_condition(pool, node->a, width, set, depth + 1) &&
               solve_condition(pool, node->b, width, &other, depth + 1) && unite(set, &other);
    case ABI_OP_EQ:
    case ABI_OP_ULT:
    case ABI_OP_ULE:
    case ABI_OP_SLT:
    case ABI_OP_SLE:
        return solve_comparison(pool, node, set);
    case ABI_OP_FEQ:
    case ABI_OP_FLT:
    case ABI_OP_FLE:
        return solve_floats(pool, node, set);
    default:
        return false;
    }
}

bool set_of_condition(struct expr_pool *pool, uint32_t condition, struct interval_set *set) {
    struct expr_variables list = expr_variables(pool, condition);
    if (list.count != 1)
        return false;
    unsigned width = expr_node(pool, expr_variable_node(pool, list.numbers[0]))->width;
    return solve_condition(pool, condition, width, set, 0);
}
