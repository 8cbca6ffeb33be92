/* SPDX-License-Identifier: Apache-2.0
 *
 * A load from a symbolic address within a small static object becomes a table look-up: the object's
 * content goes into the trace as a table. If the form of the address proves that it is a multiple
 * of the element size, the table holds the elements in a row; otherwise it has an element for each
 * byte at which an access can start, and they overlap.
 */
#include "runtime/symbolic.h"

#include <string.h>

#define MAX_ELEMENTS 1024

/* The content of a table: elements of BYTES, STEP bytes apart. */
struct content {
    const uint8_t *start;
    uint64_t count;
    unsigned bytes, step;
};

static bool same_table(const struct abi_table *table, const struct content *content) {
    const char *held = runtime_sym_table_bytes() + table->offset;
    if (table->address != (uintptr_t)content->start || table->width != content->bytes * 8 ||
        table->count != content->count || table->step != content->step)
        return false;
    for (uint64_t i = 0; i < content->count; i++)
        if (memcmp(held + i * content->bytes, content->start + i * content->step, content->bytes) !=
            0)
            return false;
    return true;
}

/* The number of the table with this content, or -1 if it does not fit. */
static int64_t find_table(const struct content *content) {
    struct abi_trace *live = &runtime.control->live;
    struct abi_table *tables = runtime_sym_tables();
    for (uint32_t i = 0; i < live->table_count; i++)
        if (same_table(&tables[i], content))
            return i;
    if (live->table_count == ABI_TRACE_MAX_TABLES ||
        content->count * content->bytes > ABI_TRACE_MAX_TABLE_BYTES - live->table_bytes)
        return -1;
    for (uint64_t i = 0; i < content->count; i++)
        memcpy(runtime_sym_table_bytes() + live->table_bytes + i * content->bytes,
               content->start + i * content->step, content->bytes);
    tables[live->table_count] = (struct abi_table){.address = (uintptr_t)content->start,
                                                   .count = (uint32_t)content->count,
                                                   .width = content->bytes * 8,
                                                   .offset = live->table_bytes,
                                                   .step = content->step};
    live->table_bytes += (uint32_t)(content->count * content->bytes);
    return live->table_count++;
}

int64_t runtime_sym_make_table(void *const *addresses, uint64_t count) {
    return find_table(&(struct content){(const uint8_t *)addresses, count, 8, 8});
}

uint32_t runtime_sym_look_up(const struct runtime_object *object, uint32_t address,
                             unsigned bytes) {
    if (!object->is_static || object->size < bytes || (bytes & (bytes - 1)) || bytes > 8)
        return 0;
    uint32_t base = runtime_sym_constant(64, object->start);
    uint32_t index = base ? runtime_sym_node(ABI_OP_SUB, 64, 0, address, base, 0) : 0;
    unsigned shift = (unsigned)__builtin_ctz(bytes);
    if (!index || runtime_sym_low_zeros(index) < shift)
        shift = 0;
    struct content content = {(const uint8_t *)object->start, ((object->size - bytes) >> shift) + 1,
                              bytes, 1u << shift};
    if (!index || content.count > MAX_ELEMENTS ||
        runtime_sym_is_symbolic((const void *)object->start, object->size))
        return 0;
    int64_t table = find_table(&content);
    uint32_t by = shift ? runtime_sym_constant(64, shift) : 0;
    if (shift)
        index = by ? runtime_sym_node(ABI_OP_LSHR, 64, 0, index, by, 0) : 0;
    if (table < 0 || !index)
        return 0;
    return runtime_sym_node(ABI_OP_TABLE, bytes * 8, 0, index, (uint32_t)table, 0);
}
