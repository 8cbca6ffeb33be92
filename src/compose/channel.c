/* SPDX-License-Identifier: Apache-2.0
 *
 * How do the conditions of a path become conditions on the input of the whole pipeline?
 *
 * A channelling constraint says that byte k of a stage's input is an expression over the input of
 * the previous stage. There is one for each byte, so it can be substituted: no variable of the
 * later stage remains, and the solver sees relations between bytes of the first input where the
 * program compared bytes of its own. Nodes are copied from the pool of the path to that of the
 * pipeline, operands first, without recursion, as a path may have deep expressions.
 */
#include "compose/channel.h"

#include <stdlib.h>
#include <string.h>

#define NO_TABLE UINT32_MAX

struct compose_carrier {
    struct expr_pool *from, *to;
    struct compose_channel channel;
    uint32_t *known; /* by node of FROM: its copy in TO, or 0 */
    uint32_t known_count;
    BASE_VECTOR(uint32_t) tables; /* by table of FROM */
    BASE_VECTOR(uint32_t) stack;
};

struct compose_carrier *compose_carrier_new(struct expr_pool *from, struct expr_pool *to,
                                            const struct compose_channel *channel) {
    struct compose_carrier *carrier = base_alloc(sizeof *carrier);
    *carrier = (struct compose_carrier){.from = from, .to = to, .channel = *channel};
    return carrier;
}

void compose_carrier_free(struct compose_carrier *carrier) {
    free(carrier->known);
    base_vector_done(&carrier->tables);
    base_vector_done(&carrier->stack);
    free(carrier);
}

/* More nodes may have been made since, together with conditions. */
static void make_room(struct compose_carrier *carrier) {
    uint32_t count = expr_count(carrier->from);
    if (count <= carrier->known_count)
        return;
    carrier->known = base_realloc(carrier->known, count * sizeof *carrier->known);
    memset(carrier->known + carrier->known_count, 0,
           (count - carrier->known_count) * sizeof *carrier->known);
    carrier->known_count = count;
}

/* ---- copying single nodes ---- */

/* Bytes beyond the end of what was written read as zero; as the sizes of both paths agree, this
 * does not occur. */
static uint32_t byte_at(const struct compose_carrier *carrier, uint32_t offset) {
    return offset < carrier->channel.count ? carrier->channel.bytes[offset]
                                           : expr_make_constant(carrier->to, 8, 0);
}

static uint32_t carry_input(const struct compose_carrier *carrier, const struct abi_node *node) {
    if (!carrier->channel.bytes)
        return expr_make_input(carrier->to, node->width, node->a);
    uint32_t whole = byte_at(carrier, node->a);
    for (uint32_t i = 1; i < node->width / 8u; i++)
        whole = expr_make(carrier->to, ABI_OP_CONCAT, 8 * (i + 1), 0, byte_at(carrier, node->a + i),
                          whole, 0);
    return whole;
}

static uint32_t copy_table(const struct compose_carrier *carrier, uint32_t table, unsigned width) {
    uint32_t count = expr_table_count(carrier->from, table);
    unsigned bytes = width / 8;
    uint8_t *data = base_alloc((size_t)count * bytes + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = expr_table_read(carrier->from, table, i);
        memcpy(data + (size_t)i * bytes, &value, bytes);
    }
    uint32_t copy = expr_make_table(carrier->to, width, count, data);
    free(data);
    return copy;
}

static uint32_t carry_table(struct compose_carrier *carrier, uint32_t table, unsigned width) {
    while (carrier->tables.count <= table)
        base_push(&carrier->tables, NO_TABLE);
    if (carrier->tables.data[table] == NO_TABLE)
        carrier->tables.data[table] = copy_table(carrier, table, width);
    return carrier->tables.data[table];
}

static uint32_t carry_node(struct compose_carrier *carrier, const struct abi_node *node) {
    enum abi_op op = (enum abi_op)node->op;
    uint32_t parts[3] = {node->a, node->b, node->c};
    if (op == ABI_OP_INPUT)
        return carry_input(carrier, node);
    for (unsigned i = 0; i < 3 && i < expr_operands(op); i++)
        parts[i] = carrier->known[parts[i]];
    if (op == ABI_OP_TABLE)
        parts[1] = carry_table(carrier, node->b, node->width);
    return expr_make(carrier->to, op, node->width, node->extra, parts[0], parts[1], parts[2]);
}

/* ---- copying expressions ---- */

/* Pushes the operands that have not been copied yet; true when there are none. */
static bool is_ready(struct compose_carrier *carrier, const struct abi_node *node) {
    const uint32_t parts[3] = {node->a, node->b, node->c};
    bool is_ready = true;
    for (unsigned i = 0; i < 3 && i < expr_operands((enum abi_op)node->op); i++)
        if (!carrier->known[parts[i]]) {
            base_push(&carrier->stack, parts[i]);
            is_ready = false;
        }
    return is_ready;
}

uint32_t compose_carry(struct compose_carrier *carrier, uint32_t id) {
    make_room(carrier);
    base_push(&carrier->stack, id);
    while (carrier->stack.count) {
        uint32_t next = carrier->stack.data[carrier->stack.count - 1];
        struct abi_node node = *expr_node(carrier->from, next);
        if (carrier->known[next] || !is_ready(carrier, &node)) {
            carrier->stack.count -= carrier->known[next] != 0;
            continue;
        }
        carrier->known[next] =
            node.op == ABI_OP_CONST
                ? expr_make_constant(carrier->to, node.width, expr_constant(carrier->from, next))
                : carry_node(carrier, &node);
        carrier->stack.count--;
    }
    return carrier->known[id];
}
