/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known about an expression from its form alone, for all inputs: bounds of its value,
 * trailing zero bits, possible values. On request, this includes bounds of single input integers
 * that the path has decided. Uses of addresses ask here first, so that nothing is decided that
 * needs no solver.
 */
#include "runtime/symbolic.h"

#define MAX_DEPTH 12

static uint64_t greatest(unsigned width) {
    return width < 64 ? (1ull << width) - 1 : UINT64_MAX;
}

unsigned runtime_sym_operands(enum abi_op op) {
    static const uint8_t counts[] = {
#define NODE(id, text, operands) operands,
        ABI_NODES(NODE)
#undef NODE
    };
    return counts[op];
}

bool runtime_sym_is_constant(uint32_t expr, uint64_t *value) {
    const struct abi_node *node = runtime_sym_at(expr);
    *value = node->b | (uint64_t)node->c << 32;
    return node->op == ABI_OP_CONST;
}

/* ---- elements of tables ---- */

static uint64_t element_of(uint32_t table, uint32_t index) {
    const struct abi_table *at = &runtime_sym_tables()[table];
    const uint8_t *bytes =
        (const uint8_t *)runtime_sym_table_bytes() + at->offset + (size_t)index * (at->width / 8);
    uint64_t value = 0;
    for (unsigned i = 0; i < at->width / 8; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* ---- bounds ---- */

struct learned {
    struct runtime_bounds bounds;
    uint64_t epoch;
};
static RUNTIME_STATE struct learned *learned; /* indexed by node */
static RUNTIME_STATE uint64_t facts_epoch;
static RUNTIME_STATE bool is_asked_here; /* include bounds that hold only on this path */

static struct runtime_bounds bounds_of_input(uint32_t input) {
    if (learned[input].epoch == facts_epoch)
        return learned[input].bounds;
    return (struct runtime_bounds){0, greatest(runtime_sym_at(input)->width)};
}

static struct runtime_bounds bounds_of(uint32_t expr, unsigned depth);

static struct runtime_bounds bounds_of_table(const struct abi_node *node, unsigned depth) {
    uint32_t count = runtime_sym_tables()[node->b].count;
    struct runtime_bounds index = bounds_of(node->a, depth), all = {UINT64_MAX, 0};
    for (uint64_t i = index.low; i < count && i <= index.high; i++) {
        uint64_t value = element_of(node->b, (uint32_t)i);
        all.low = value < all.low ? value : all.low;
        all.high = value > all.high ? value : all.high;
    }
    if (index.high >= count) /* an index beyond the table reads 0 */
        all.low = 0;
    return all;
}

static struct runtime_bounds bounds_of_two(const struct abi_node *node, struct runtime_bounds a,
                                           struct runtime_bounds b) {
    struct runtime_bounds full = {0, greatest(node->width)}, sum;
    bool is_shift = b.low == b.high && b.high < node->width;
    switch (node->op) {
    case ABI_OP_ADD:
        if (!__builtin_add_overflow(a.low, b.low, &sum.low) &&
            !__builtin_add_overflow(a.high, b.high, &sum.high) && sum.high <= full.high)
            return sum;
        return full;
    case ABI_OP_MUL:
        if (!__builtin_mul_overflow(a.low, b.low, &sum.low) &&
            !__builtin_mul_overflow(a.high, b.high, &sum.high) && sum.high <= full.high)
            return sum;
        return full;
    case ABI_OP_SUB:
        return a.low >= b.high ? (struct runtime_bounds){a.low - b.high, a.high - b.low} : full;
    case ABI_OP_AND:
        return (struct runtime_bounds){0, a.high < b.high ? a.high : b.high};
    case ABI_OP_SHL:
        if (is_shift && a.high <= full.high >> b.high)
            return (struct runtime_bounds){a.low << b.high, a.high << b.high};
        return full;
    case ABI_OP_LSHR:
        return is_shift ? (struct runtime_bounds){a.low >> b.high, a.high >> b.high}
                        : (struct runtime_bounds){0, a.high};
    case ABI_OP_UREM:
        return b.low ? (struct runtime_bounds){0, b.high - 1 < a.high ? b.high - 1 : a.high} : full;
    case ABI_OP_UDIV:
        return b.low ? (struct runtime_bounds){a.low / b.high, a.high / b.low} : full;
    default:
        return full;
    }
}

static struct runtime_bounds bounds_of_one(const struct abi_node *node, struct runtime_bounds a) {
    unsigned from = runtime_sym_at(node->a)->width;
    if (node->op == ABI_OP_ZEXT ||
        (node->op == ABI_OP_SEXT && a.high <= greatest(from - 1u) && from > 1) ||
        (node->op == ABI_OP_EXTRACT && !node->extra && a.high <= greatest(node->width)))
        return a;
    return (struct runtime_bounds){0, greatest(node->width)};
}

static struct runtime_bounds bounds_of_choice(const struct abi_node *node, unsigned depth) {
    struct runtime_bounds a = bounds_of(node->b, depth), b = bounds_of(node->c, depth);
    return (struct runtime_bounds){a.low < b.low ? a.low : b.low,
                                   a.high > b.high ? a.high : b.high};
}

static struct runtime_bounds bounds_of(uint32_t expr, unsigned depth) {
    const struct abi_node *node = runtime_sym_at(expr);
    uint64_t value;
    if (node->op == ABI_OP_INPUT && is_asked_here)
        return bounds_of_input(expr);
    if (runtime_sym_is_constant(expr, &value))
        return (struct runtime_bounds){value, value};
    unsigned operands = depth ? runtime_sym_operands((enum abi_op)node->op) : 0;
    if (!operands || node->op == ABI_OP_CONCAT)
        return (struct runtime_bounds){0, greatest(node->width)};
    if (node->op == ABI_OP_TABLE)
        return bounds_of_table(node, depth - 1);
    if (node->op == ABI_OP_ITE)
        return bounds_of_choice(node, depth - 1);
    struct runtime_bounds a = bounds_of(node->a, depth - 1);
    return operands == 1 ? bounds_of_one(node, a)
                         : bounds_of_two(node, a, bounds_of(node->b, depth - 1));
}

struct runtime_bounds runtime_sym_bounds(uint32_t expr) {
    return bounds_of(expr, MAX_DEPTH);
}

struct runtime_bounds runtime_sym_bounds_here(uint32_t expr) {
    is_asked_here = true;
    struct runtime_bounds bounds = bounds_of(expr, MAX_DEPTH);
    is_asked_here = false;
    return bounds;
}

/* ---- what the path decides ---- */

void runtime_sym_open_facts(void) {
    learned = runtime_sym_reserve(NULL, ABI_TRACE_MAX_NODES * sizeof *learned);
}

void runtime_sym_begin_facts(void) {
    facts_epoch++;
}

/* LOW <= the integer, or the integer <= HIGH, unsigned. */
static void narrow(uint32_t input, uint64_t low, uint64_t high) {
    struct runtime_bounds now = bounds_of_input(input);
    now.low = low > now.low ? low : now.low;
    now.high = high < now.high ? high : now.high;
    learned[input] = (struct learned){now, facts_epoch};
}

/* Bounds of a signed comparison hold for the unsigned number if it is known to be non-negative. */
static void learn_above(uint32_t input, uint64_t low, bool is_signed) {
    uint64_t half = greatest(runtime_sym_at(input)->width) >> 1;
    if (!is_signed || low <= half)
        narrow(input, low, is_signed ? half : UINT64_MAX);
}

static void learn_below(uint32_t input, uint64_t high, bool is_signed) {
    uint64_t half = greatest(runtime_sym_at(input)->width) >> 1;
    if (!is_signed || (high <= half && bounds_of_input(input).high <= half))
        narrow(input, 0, high);
}

/* A < B or A <= B, where one is a constant and the other an input integer. */
static void learn_order(bool is_strict, bool is_signed, uint32_t a, uint32_t b) {
    uint64_t value, top = greatest(runtime_sym_at(a)->width);
    if (runtime_sym_at(b)->op == ABI_OP_INPUT && runtime_sym_is_constant(a, &value) &&
        (!is_strict || value < (is_signed ? top >> 1 : top)))
        learn_above(b, value + is_strict, is_signed);
    else if (runtime_sym_at(a)->op == ABI_OP_INPUT && runtime_sym_is_constant(b, &value) &&
             (!is_strict || value > 0))
        learn_below(a, value - is_strict, is_signed);
}

void runtime_sym_learn(uint32_t condition, bool holds) {
    const struct abi_node *node = runtime_sym_at(condition);
    if (node->op == ABI_OP_NOT) {
        holds = !holds;
        node = runtime_sym_at(node->a);
    }
    bool is_strict = node->op == ABI_OP_ULT || node->op == ABI_OP_SLT;
    bool is_signed = node->op == ABI_OP_SLT || node->op == ABI_OP_SLE;
    if (!is_strict && !is_signed && node->op != ABI_OP_ULE)
        return;
    if (holds)
        learn_order(is_strict, is_signed, node->a, node->b);
    else
        learn_order(!is_strict, is_signed, node->b, node->a);
}

/* ---- alignment ---- */

static unsigned zeros_in(uint64_t value) {
    return value ? (unsigned)__builtin_ctzll(value) : 64;
}

static unsigned smaller(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static unsigned zeros_of_table(uint32_t table) {
    uint64_t any = 0;
    for (uint32_t i = 0; i < runtime_sym_tables()[table].count; i++)
        any |= element_of(table, i);
    return zeros_in(any);
}

static unsigned zeros_of(uint32_t expr, unsigned depth) {
    const struct abi_node *node = runtime_sym_at(expr);
    uint64_t value;
    if (runtime_sym_is_constant(expr, &value))
        return zeros_in(value);
    if (!depth--)
        return 0;
    switch (node->op) {
    case ABI_OP_ADD:
    case ABI_OP_SUB:
    case ABI_OP_OR:
    case ABI_OP_XOR:
        return smaller(zeros_of(node->a, depth), zeros_of(node->b, depth));
    case ABI_OP_MUL:
        return zeros_of(node->a, depth) + zeros_of(node->b, depth);
    case ABI_OP_AND: {
        unsigned a = zeros_of(node->a, depth), b = zeros_of(node->b, depth);
        return a > b ? a : b;
    }
    case ABI_OP_SHL:
        return zeros_of(node->a, depth) +
               (runtime_sym_is_constant(node->b, &value) && value < 64 ? (unsigned)value : 0);
    case ABI_OP_ZEXT:
    case ABI_OP_SEXT:
        return zeros_of(node->a, depth);
    case ABI_OP_ITE:
        return smaller(zeros_of(node->b, depth), zeros_of(node->c, depth));
    case ABI_OP_TABLE:
        return zeros_of_table(node->b);
    default:
        return 0;
    }
}

unsigned runtime_sym_low_zeros(uint32_t expr) {
    return zeros_of(expr, MAX_DEPTH);
}

/* ---- values ---- */

/* Is VALUE the only value that EXPR can have within the bounds? SHIFT is added to each value. */
static bool has_only(uint32_t expr, uint64_t shift, struct runtime_bounds in, uint64_t value,
                     unsigned depth) {
    const struct abi_node *node = runtime_sym_at(expr);
    uint64_t constant;
    if (runtime_sym_is_constant(expr, &constant)) {
        constant += shift;
        return constant == value || constant < in.low || constant > in.high;
    }
    if (!depth--)
        return false;
    if (node->op == ABI_OP_ADD && runtime_sym_is_constant(node->b, &constant))
        return has_only(node->a, shift + constant, in, value, depth);
    if (node->op == ABI_OP_ITE)
        return has_only(node->b, shift, in, value, depth) &&
               has_only(node->c, shift, in, value, depth);
    if (node->op != ABI_OP_TABLE)
        return false;
    for (uint32_t i = 0; i < runtime_sym_tables()[node->b].count; i++) {
        uint64_t element = element_of(node->b, i) + shift;
        if (element != value && element >= in.low && element <= in.high)
            return false;
    }
    return true;
}

bool runtime_sym_has_only(uint32_t expr, struct runtime_bounds in, uint64_t value) {
    return has_only(expr, 0, in, value, MAX_DEPTH);
}
