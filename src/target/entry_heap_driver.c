/* SPDX-License-Identifier: Apache-2.0
 *
 * What C code makes the objects that pointers of an entry lead to? `make_objects` allocates them
 * before the arguments are made. `fill_objects` fills their parts from the input, which follow the
 * arguments. Members are accessed by offset; the printed structs assert those offsets.
 */
#include "abi/driver.h"
#include "target/entry.h"

#include <stdlib.h>

static void write_sizes(const struct target_entry *entry, struct base_buffer *out) {
    base_buffer_print(out, "    long size, objects = 0;\n");
    for (size_t i = 0; i < entry->items.count; i++)
        if (entry->items.data[i].kind == TARGET_SHAPE)
            base_buffer_print(out,
                              "    size = __slowpath_size(\"%s\");\n"
                              "    objects = size > objects ? size : objects;\n",
                              entry->items.data[i].name);
    if (entry->heap.elements != UINT32_MAX)
        base_buffer_print(out, "    long elements = __slowpath_size(\"elements\");\n"
                               "    elements = elements < 0 ? 0 : elements;\n");
}

/* ---- making ---- */

static void write_functions(const struct target_pool *pool, size_t number,
                            struct base_buffer *out) {
    base_buffer_print(out, "    static void *const functions_%zu[%zu] = {", number,
                      pool->functions.count + 1);
    for (size_t i = 0; i < pool->functions.count; i++)
        base_buffer_print(out, "%s(void *)function_%zu_%zu", i ? ", " : "", number, i);
    base_buffer_print(out, "};\n    __slowpath_functions(functions_%zu, %zu);\n", number,
                      pool->functions.count);
}

static void write_pool(const struct target_pool *pool, size_t number, struct base_buffer *out) {
    base_buffer_print(out, "    pool_%zu = (unsigned char **)__slowpath_pool(objects, %llu", number,
                      (unsigned long long)pool->size);
    if (pool->more)
        base_buffer_print(out, " + elements * %llu", (unsigned long long)pool->more);
    base_buffer_print(out, ");\n");
}

static void write_declarations(const struct target_entry *entry, struct base_buffer *out) {
    base_buffer_print(out, "void __slowpath_take_into(void *to, unsigned long bytes);\n"
                           "void __slowpath_heap(unsigned form);\n"
                           "void **__slowpath_pool(unsigned long count, unsigned long bytes);\n"
                           "void __slowpath_functions(void *const *, unsigned long count);\n"
                           "void __slowpath_link(void *, unsigned, unsigned, unsigned);\n"
                           "void __slowpath_link_or_not(void *, unsigned, unsigned, unsigned);\n");
    for (size_t i = 0; i < entry->heap.pools.count; i++) {
        const struct target_pool *pool = &entry->heap.pools.data[i];
        if (!target_pool_is_code(pool))
            base_buffer_print(out, "static unsigned char **pool_%zu;\n", i);
        for (size_t j = 0; j < pool->functions.count; j++)
            base_buffer_print(out, "extern void function_%zu_%zu(void) __asm__(\"%s\");\n", i, j,
                              pool->functions.data[j]);
    }
}

static void write_making(const struct target_entry *entry, struct base_buffer *out) {
    static const unsigned forms[] = {[TARGET_HEAP_ANY] = ABI_HEAP_ANY,
                                     [TARGET_HEAP_ACYCLIC] = ABI_HEAP_ACYCLIC,
                                     [TARGET_HEAP_TREE] = ABI_HEAP_TREE};
    base_buffer_print(out, "static void make_objects(void) {\n");
    write_sizes(entry, out);
    base_buffer_print(out, "    __slowpath_heap(%u);\n", forms[entry->form]);
    for (size_t i = 0; i < entry->heap.pools.count; i++) {
        const struct target_pool *pool = &entry->heap.pools.data[i];
        if (target_pool_is_code(pool))
            write_functions(pool, i, out);
        else
            write_pool(pool, i, out);
    }
    base_buffer_print(out, "}\n\n");
}

/* ---- filling ---- */

static char *spell_pointer(const struct ir_type *type) {
    struct base_buffer text = {0};
    ir_print_declaration(type, "*", &text);
    return text.data;
}

static void write_bits(const struct target_column *part, struct base_buffer *out) {
    bool is_bool = part->type->kind == IR_TYPE_BOOL; /* must be 0 or 1 in the object */
    char *cast = is_bool ? base_strdup("unsigned char *") : spell_pointer(part->type);
    base_buffer_print(
        out,
        "((struct %s *)(object + %llu + e * %llu))->%s = *(%s)__slowpath_take(%llu, \"\")%s;\n",
        part->owner->name, (unsigned long long)part->owner_at, (unsigned long long)part->stride,
        part->bits->name, cast, (unsigned long long)part->type->size, is_bool ? " & 1" : "");
    free(cast);
}

static void write_element(const struct target_column *part, size_t pool, struct base_buffer *out) {
    unsigned long long offset = part->offset, stride = part->stride, size = part->type->size;
    switch (part->kind) {
    case TARGET_LINK:
        base_buffer_print(out, "__slowpath_%s(object + %llu + e * %llu, %u, %zu, o);\n",
                          part->is_in_union ? "link_or_not" : "link", offset, stride, part->pool,
                          pool);
        break;
    case TARGET_BITS:
        write_bits(part, out);
        break;
    case TARGET_TRUTH:
        base_buffer_print(out,
                          "{ __slowpath_take_into(object + %llu + e * %llu, 1); "
                          "object[%llu + e * %llu] &= 1; }\n",
                          offset, stride, offset, stride);
        break;
    case TARGET_RAW:
        base_buffer_print(out, "__slowpath_take_into(object + %llu + e * %llu, %llu);\n", offset,
                          stride, size);
    }
}

static void write_part(const struct target_column *part, size_t pool, struct base_buffer *out) {
    bool is_whole = part->kind == TARGET_RAW && part->stride == part->type->size;
    char *count = part->count ? base_format("%llu", (unsigned long long)part->count)
                              : base_strdup("elements");
    base_buffer_print(out,
                      "    for (long o = 1; o <= objects; o++) {\n"
                      "        unsigned char *object = pool_%zu[o];\n",
                      pool);
    if (is_whole) {
        base_buffer_print(out, "        __slowpath_take_into(object + %llu, %s * %llu);\n",
                          (unsigned long long)part->offset, count,
                          (unsigned long long)part->type->size);
    } else {
        base_buffer_print(out,
                          "        for (long e = 0; e < %s; e++)\n"
                          "            ",
                          count);
        write_element(part, pool, out);
    }
    base_buffer_print(out, "    }\n");
    free(count);
}

void target_heap_driver(const struct target_entry *entry, struct base_buffer *out) {
    if (!entry->heap.pools.count)
        return;
    write_declarations(entry, out);
    write_making(entry, out);
    base_buffer_print(out, "static void fill_objects(void) {\n");
    write_sizes(entry, out);
    for (size_t i = 0; i < entry->heap.pools.count; i++) {
        const struct target_pool *pool = &entry->heap.pools.data[i];
        for (size_t j = 0; j < pool->parts.count; j++)
            write_part(&pool->parts.data[j], i, out);
    }
    base_buffer_print(out, "}\n\n");
}
