/* SPDX-License-Identifier: Apache-2.0
 *
 * Which conditions of a path can be shown to the user? Not those that contain addresses: where the
 * heap, the stack and the variables lie holds only for one run of one build. A comparison with an
 * element of a table of addresses is rewritten as a condition on the index. A condition that still
 * contains addresses after that is left out, and a comment says so.
 */
#include "search/core/family.h"

#include "abi/shadow.h"

#include <stdlib.h>

#define HEAPS_END (ABI_HEAP_INPUT + (ABI_HEAP_INPUT - ABI_HEAP_LIBRARY))
#define STACK_FIRST 0x7f0000000000ull /* the stack and mmap */
#define STACK_END 0x7ffffffff000ull
#define MOST_INDICES 4 /* of equal elements */

struct place {
    uint64_t start, size;
};

struct addresses {
    const struct search_walk *walk;
    struct place places[3]; /* where objects lie */
    size_t count;
    bool *has; /* by node: does it contain an address? */
};

static bool is_address(const struct addresses *addresses, uint64_t value) {
    for (size_t i = 0; i < addresses->count; i++)
        if (value - addresses->places[i].start <= addresses->places[i].size)
            return true;
    return false;
}

static void add_place(struct addresses *addresses, uint64_t start, uint64_t size) {
    addresses->places[addresses->count++] = (struct place){start, size};
}

/* Where the heaps and the stack lie is known; the trace says where the program's own variables lie.
 */
static void list_places(struct addresses *addresses) {
    const struct expr_trace *trace = &addresses->walk->trace;
    add_place(addresses, ABI_HEAP_RUN, HEAPS_END - ABI_HEAP_RUN);
    add_place(addresses, STACK_FIRST, STACK_END - STACK_FIRST);
    if (trace->image_first < trace->image_end)
        add_place(addresses, trace->image_first, trace->image_end - trace->image_first);
}

static bool is_in_table(const struct addresses *addresses, uint32_t table) {
    const struct expr_pool *pool = addresses->walk->trace.pool;
    for (uint32_t i = 0; i < expr_table_count(pool, table); i++)
        if (is_address(addresses, expr_table_read(pool, table, i)))
            return true;
    return false;
}

static bool has_own(const struct addresses *addresses, uint32_t id) {
    const struct expr_pool *pool = addresses->walk->trace.pool;
    const struct abi_node *node = expr_node(pool, id);
    if (node->width != 64)
        return false;
    return node->op == ABI_OP_CONST   ? is_address(addresses, expr_constant(pool, id))
           : node->op == ABI_OP_TABLE ? is_in_table(addresses, node->b)
                                      : false;
}

/* Operands have smaller ids than the nodes made of them. */
static void find_addresses(struct addresses *addresses, uint32_t last) {
    addresses->has = base_alloc((last + 1) * sizeof *addresses->has);
    for (uint32_t id = 1; id <= last; id++) {
        const struct abi_node *node = expr_node(addresses->walk->trace.pool, id);
        const uint32_t operands[3] = {node->a, node->b, node->c};
        addresses->has[id] = has_own(addresses, id);
        for (unsigned i = 0; i < 3 && i < expr_operands(node->op); i++)
            addresses->has[id] |= addresses->has[operands[i]];
    }
}

/* ---- elements of tables ---- */

/* The condition that INDEX selects an element with this value; 0 when there are too many or none.
 */
static uint32_t is_at(struct expr_pool *pool, uint32_t table, uint32_t index, uint64_t value) {
    uint32_t any = 0, found = 0;
    unsigned width = expr_node(pool, index)->width;
    for (uint32_t i = 0; value && i < expr_table_count(pool, table); i++) {
        if (expr_table_read(pool, table, i) != value)
            continue;
        uint32_t equal =
            expr_make(pool, ABI_OP_EQ, 1, 0, index, expr_make_constant(pool, width, i), 0);
        any = any ? expr_make(pool, ABI_OP_OR, 1, 0, any, equal, 0) : equal;
        if (++found > MOST_INDICES)
            return 0;
    }
    return any;
}

/* The condition on the index that is equivalent to a condition on an element, or 0. */
static uint32_t condition_on_index(const struct addresses *addresses, uint32_t condition) {
    struct expr_pool *pool = addresses->walk->trace.pool;
    struct abi_node node = *expr_node(pool, condition);
    if (node.op == ABI_OP_NOT) {
        uint32_t inner = condition_on_index(addresses, node.a);
        return inner ? expr_make_not(pool, inner) : 0;
    }
    if (node.op != ABI_OP_EQ)
        return 0;
    bool is_first = expr_node(pool, node.a)->op == ABI_OP_TABLE;
    uint32_t element = is_first ? node.a : node.b, value = is_first ? node.b : node.a;
    struct abi_node table = *expr_node(pool, element);
    if (table.op != ABI_OP_TABLE || table.width != 64 || !search_is_constant(pool, value) ||
        addresses->has[table.a])
        return 0;
    return is_at(pool, table.b, table.a, expr_constant(pool, value));
}

/* ---- all of them ---- */

bool search_plain_conditions(const struct search_walk *walk, const uint32_t *conditions,
                             size_t count, struct search_ids *plain) {
    struct addresses addresses = {.walk = walk};
    uint32_t last = 0;
    bool is_all = true;
    for (size_t i = 0; i < count; i++)
        last = conditions[i] > last ? conditions[i] : last;
    list_places(&addresses);
    find_addresses(&addresses, last);
    for (size_t i = 0; i < count; i++) {
        uint32_t told = condition_on_index(&addresses, conditions[i]);
        if (!told && !addresses.has[conditions[i]])
            told = conditions[i];
        if (told)
            base_push(plain, told);
        else
            is_all = false;
    }
    free(addresses.has);
    return is_all;
}

void search_print_conditions(const struct search_walk *walk, const uint32_t *conditions,
                             size_t count, const struct search_printing *as,
                             struct base_buffer *out) {
    struct search_ids plain = {0};
    size_t before = out->count;
    bool is_all = search_plain_conditions(walk, conditions, count, &plain);
    if (plain.count || is_all)
        expr_print_all(walk->trace.pool, plain.data, plain.count, as->names, as->context, as->limit,
                       out);
    if (!is_all)
        base_buffer_print(out, "%s1 /* and pointers are what they are here */",
                          out->count > before ? " && " : "");
    base_vector_done(&plain);
}
