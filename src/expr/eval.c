/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the value of an expression for an input? Values are cached per node and input: each node
 * has the epoch in which it was computed, and a new input starts a new epoch. Expressions can be as
 * deep as a loop is long, so operands wait on an explicit stack.
 */
#include "expr/internal.h"

#include <assert.h>
#include <string.h>

static int64_t signed_value(unsigned width, uint64_t value) {
    unsigned unused = 64 - width;
    return (int64_t)(value << unused) >> unused;
}

/* Division as in SMT-LIB: by zero gives all ones (unsigned), or 1 or -1 (signed). */
static uint64_t divide(enum abi_op op, unsigned width, uint64_t a, uint64_t b) {
    if (op == ABI_OP_UDIV)
        return b ? a / b : UINT64_MAX;
    if (op == ABI_OP_UREM)
        return b ? a % b : a;
    int64_t x = signed_value(width, a), y = signed_value(width, b);
    if (op == ABI_OP_SDIV) {
        if (y == 0)
            return x < 0 ? 1 : UINT64_MAX;
        return y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y);
    }
    if (y == 0)
        return a;
    return y == -1 ? 0 : (uint64_t)(x % y);
}

static uint64_t shift(enum abi_op op, unsigned width, uint64_t a, uint64_t b) {
    if (op == ABI_OP_ASHR)
        return (uint64_t)(signed_value(width, a) >> (b < width ? b : width - 1));
    if (b >= width)
        return 0;
    return op == ABI_OP_SHL ? a << b : a >> b;
}

static uint64_t compute(enum abi_op op, unsigned width, unsigned from, unsigned extra, uint64_t a,
                        uint64_t b, uint64_t c) {
    switch (op) {
    case ABI_OP_ADD:
        return a + b;
    case ABI_OP_SUB:
        return a - b;
    case ABI_OP_MUL:
        return a * b;
    case ABI_OP_UDIV:
    case ABI_OP_SDIV:
    case ABI_OP_UREM:
    case ABI_OP_SREM:
        return divide(op, width, a, b);
    case ABI_OP_SHL:
    case ABI_OP_LSHR:
    case ABI_OP_ASHR:
        return shift(op, width, a, b);
    case ABI_OP_AND:
        return a & b;
    case ABI_OP_OR:
        return a | b;
    case ABI_OP_XOR:
        return a ^ b;
    case ABI_OP_EQ:
        return a == b;
    case ABI_OP_ULT:
        return a < b;
    case ABI_OP_ULE:
        return a <= b;
    case ABI_OP_SLT:
        return signed_value(from, a) < signed_value(from, b);
    case ABI_OP_SLE:
        return signed_value(from, a) <= signed_value(from, b);
    case ABI_OP_NOT:
        return ~a;
    case ABI_OP_ZEXT:
        return a;
    case ABI_OP_SEXT:
        return (uint64_t)signed_value(from, a);
    case ABI_OP_EXTRACT:
        return a >> extra;
    case ABI_OP_ITE:
        return a ? b : c;
    default:
        return float_apply(op, width, from, a, b);
    }
}

uint64_t expr_apply(enum abi_op op, unsigned width, unsigned from, unsigned extra, uint64_t a,
                    uint64_t b, uint64_t c) {
    return compute(op, width, from, extra, a, b, c) & width_mask(width);
}

/* ---- banks ---- */

void expr_bank_begin(struct expr_pool *pool, unsigned bank, const uint8_t *input, size_t size) {
    struct value_bank *values = &pool->banks[bank];
    values->input = input;
    values->size = size;
    if (!++values->epoch) {
        memset(values->epochs, 0, values->capacity * sizeof *values->epochs);
        values->epoch = 1;
    }
}

static void grow_bank(struct expr_pool *pool, struct value_bank *bank) {
    bank->values = base_realloc(bank->values, pool->capacity * sizeof *bank->values);
    bank->epochs = base_realloc(bank->epochs, pool->capacity * sizeof *bank->epochs);
    memset(bank->epochs + bank->capacity, 0,
           (pool->capacity - bank->capacity) * sizeof *bank->epochs);
    bank->capacity = pool->capacity;
}

static uint64_t read_input(const struct value_bank *bank, const struct abi_node *node) {
    uint64_t value = 0;
    size_t bytes = node->width / 8;
    bool is_whole = node->a < bank->size && bank->size - node->a >= bytes;
    if (is_whole && bytes == 4) { /* the common ones without a loop */
        uint32_t four;
        memcpy(&four, bank->input + node->a, sizeof four);
        return four;
    }
    if (is_whole && bytes == 1)
        return bank->input[node->a];
    if (is_whole)
        memcpy(&value, bank->input + node->a, bytes);
    else if (node->a < bank->size)
        memcpy(&value, bank->input + node->a, bank->size - node->a);
    return value;
}

/* The value of a node whose operands have values. */
static uint64_t value_of(const struct expr_pool *pool, const struct value_bank *bank,
                         const struct abi_node *node) {
    const uint64_t *values = bank->values;
    switch (node->op) {
    case ABI_OP_CONST:
        return node->b | (uint64_t)node->c << 32;
    case ABI_OP_INPUT:
        return read_input(bank, node);
    case ABI_OP_TABLE:
        return table_read(pool, node->b, values[node->a]);
    case ABI_OP_CONCAT:
        return values[node->a] << pool->nodes[node->b].width | values[node->b];
    default:
        break;
    }
    unsigned count = operand_count(node->op);
    return expr_apply(node->op, node->width, pool->nodes[node->a].width, node->extra,
                      values[node->a], count > 1 ? values[node->b] : 0,
                      count > 2 ? values[node->c] : 0);
}

static inline uint64_t remember(const struct expr_pool *pool, struct value_bank *bank,
                                uint32_t id) {
    bank->epochs[id] = bank->epoch;
    return bank->values[id] = value_of(pool, bank, &pool->nodes[id]);
}

/* Pushes an operand without a value on the stack, unless it can be computed at once. */
static inline void await_operand(struct expr_pool *pool, struct value_bank *bank, uint32_t id) {
    const struct abi_node *node = &pool->nodes[id];
    if (bank->epochs[id] == bank->epoch)
        return;
    if (operand_count(node->op)) {
        base_push(&pool->stack, id);
        return;
    }
    bank->epochs[id] = bank->epoch;
    bank->values[id] =
        node->op == ABI_OP_INPUT ? read_input(bank, node) : node->b | (uint64_t)node->c << 32;
}

/* Pushes the operands of a node that have no value yet; false if there are none. */
static bool push_operands(struct expr_pool *pool, struct value_bank *bank,
                          const struct abi_node *node) {
    unsigned count = operand_count(node->op);
    size_t before = pool->stack.count;
    if (count > 0)
        await_operand(pool, bank, node->a);
    if (count > 1)
        await_operand(pool, bank, node->b);
    if (count > 2)
        await_operand(pool, bank, node->c);
    return pool->stack.count != before;
}

static inline bool is_at_hand(const struct expr_pool *pool, struct value_bank *bank, uint32_t id,
                              uint64_t *value) {
    const struct abi_node *node = &pool->nodes[id];
    if (bank->epochs[id] == bank->epoch) {
        *value = bank->values[id];
        return true;
    }
    if (node->op != ABI_OP_INPUT && node->op != ABI_OP_CONST)
        return false;
    *value = node->op == ABI_OP_INPUT ? read_input(bank, node) : node->b | (uint64_t)node->c << 32;
    bank->epochs[id] = bank->epoch;
    bank->values[id] = *value;
    return true;
}

/* Most conditions compare two integers of the input. */
static inline bool compare_at_once(const struct expr_pool *pool, struct value_bank *bank,
                                   uint32_t id) {
    const struct abi_node *node = &pool->nodes[id];
    uint64_t a, b;
    if (node->op < ABI_OP_EQ || node->op > ABI_OP_SLE || !is_at_hand(pool, bank, node->a, &a) ||
        !is_at_hand(pool, bank, node->b, &b))
        return false;
    if (node->op >= ABI_OP_SLT) { /* flipping the sign bit turns signed order into unsigned */
        uint64_t sign = (uint64_t)1 << (pool->nodes[node->a].width - 1);
        a ^= sign;
        b ^= sign;
    }
    bool is_strict = node->op == ABI_OP_ULT || node->op == ABI_OP_SLT;
    bank->epochs[id] = bank->epoch;
    bank->values[id] = node->op == ABI_OP_EQ ? a == b : is_strict ? a < b : a <= b;
    return true;
}

static __attribute__((noinline)) uint64_t eval_any(struct expr_pool *pool, struct value_bank *bank,
                                                   uint32_t id) {
    pool->stack.count = 0;
    if (!push_operands(pool, bank, &pool->nodes[id]))
        return remember(pool, bank, id);
    while (pool->stack.count) {
        uint32_t top = pool->stack.data[pool->stack.count - 1];
        if (push_operands(pool, bank, &pool->nodes[top]))
            continue;
        remember(pool, bank, top);
        pool->stack.count--;
    }
    return remember(pool, bank, id);
}

uint64_t expr_bank_eval(struct expr_pool *pool, unsigned number, uint32_t id) {
    struct value_bank *bank = &pool->banks[number];
    assert(id < pool->count);
    if (bank->capacity < pool->count)
        grow_bank(pool, bank);
    if (bank->epochs[id] == bank->epoch || compare_at_once(pool, bank, id))
        return bank->values[id];
    return eval_any(pool, bank, id);
}

void expr_eval_begin(struct expr_pool *pool, const uint8_t *input, size_t size) {
    expr_bank_begin(pool, 0, input, size);
}

uint64_t expr_eval(struct expr_pool *pool, uint32_t id) {
    return expr_bank_eval(pool, 0, id);
}
