/* SPDX-License-Identifier: Apache-2.0
 *
 * Shadow memory: which bytes of the target hold what part of which expression. Bytes of the input
 * are entries of their own kind, so that adjacent ones that are read as a whole become one
 * integer. Granules that were marked are listed, so that forgetting a run costs what it touched.
 *
 * A load from a symbolic address within a small constant object becomes a table lookup; any other
 * symbolic address is fixed to what it is.
 */
#include "abi/shadow.h"
#include "runtime/symbolic.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIRTY ((size_t)1 << 28)
#define MAX_OBJECTS 65536
#define MAX_TABLE_ELEMENTS 1024

struct object {
    uintptr_t start;
    uint64_t size;
};

/* Made by the instrumenter: the target's global variables. */
extern const struct object __slowpath_sym_globals[] __attribute__((weak));
extern const uint64_t __slowpath_sym_global_count __attribute__((weak));

static RUNTIME_STATE uint8_t **dirty; /* marks that were set */
static RUNTIME_STATE size_t dirty_count;
static RUNTIME_STATE struct object *objects;
static RUNTIME_STATE size_t object_count;
static RUNTIME_STATE const void *by_value_of[64];

/* ---- objects that may be looked up in ---- */

static int by_start(const void *a, const void *b) {
    const struct object *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static void add_object(const void *start, uint64_t size) {
    if (object_count < MAX_OBJECTS)
        objects[object_count++] = (struct object){(uintptr_t)start, size};
}

void runtime_sym_open_memory(void) {
    runtime_sym_reserve((void *)ABI_SHADOW_ENTRIES, ABI_SHADOW_WINDOW * 4);
    runtime_sym_reserve((void *)ABI_SHADOW_MARKS, ABI_SHADOW_WINDOW / ABI_SHADOW_GRANULE);
    dirty = runtime_sym_reserve(NULL, MAX_DIRTY * sizeof *dirty);
    objects = runtime_sym_reserve(NULL, MAX_OBJECTS * sizeof *objects);
    if (__slowpath_sym_globals)
        for (uint64_t i = 0; i < __slowpath_sym_global_count; i++)
            add_object((const void *)__slowpath_sym_globals[i].start,
                       __slowpath_sym_globals[i].size);
    /* The C library's character classes, which the macros of <ctype.h> read. */
    add_object(*__ctype_b_loc() - 128, 384 * sizeof(**__ctype_b_loc()));
    add_object(*__ctype_tolower_loc() - 128, 384 * sizeof(**__ctype_tolower_loc()));
    add_object(*__ctype_toupper_loc() - 128, 384 * sizeof(**__ctype_toupper_loc()));
    qsort(objects, object_count, sizeof *objects, by_start);
}

static const struct object *find_object(uintptr_t address) {
    size_t low = 0, high = object_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (objects[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address - objects[low - 1].start >= objects[low - 1].size)
        return NULL;
    return &objects[low - 1];
}

uint64_t runtime_sym_global_left(const void *memory) {
    const struct object *object = find_object((uintptr_t)memory);
    return object ? object->size - ((uintptr_t)memory - object->start) : 0;
}

/* ---- entries and marks ---- */

static void set_mark(uint8_t *mark) {
    if (!*mark && dirty_count < MAX_DIRTY) {
        dirty[dirty_count++] = mark;
        *mark = 1;
    }
}

/* After entries were cleared: is the granule clean again? It stays listed, which does no harm. */
static void refresh_mark(const void *memory) {
    const uint32_t *entries =
        abi_shadow_entry((const void *)((uintptr_t)memory & ~(uintptr_t)(ABI_SHADOW_GRANULE - 1)));
    for (unsigned i = 0; i < ABI_SHADOW_GRANULE; i++)
        if (entries[i])
            return;
    *abi_shadow_mark(memory) = 0;
}

static void set_entry(void *memory, uint32_t entry) {
    uint32_t *at = abi_shadow_entry(memory);
    if (*at == entry)
        return;
    *at = entry;
    if (entry)
        set_mark(abi_shadow_mark(memory));
    else
        refresh_mark(memory);
}

void runtime_sym_forget(void) {
    for (size_t i = 0; i < dirty_count; i++) {
        uintptr_t granule = (uintptr_t)dirty[i] - ABI_SHADOW_MARKS;
        memset((uint32_t *)ABI_SHADOW_ENTRIES + granule * ABI_SHADOW_GRANULE, 0,
               ABI_SHADOW_GRANULE * sizeof(uint32_t));
        *dirty[i] = 0;
    }
    dirty_count = 0;
}

/* Outside the window, or the engine wants this byte of the input to stay what it is. */
bool runtime_sym_is_fixed(uint64_t offset, uint32_t *place) {
    const struct abi_control *control = runtime.control;
    const uint8_t *bits = (const uint8_t *)control + ABI_OFFSET_FIXED;
    uint64_t at = offset - control->window_first;
    uint64_t end = control->window_bytes ? control->window_bytes : ABI_ENTRY_INPUT;
    if (offset < control->window_first || at >= end)
        return true;
    *place = (uint32_t)at;
    return control->window_bytes && (bits[at / 8] >> (at % 8) & 1);
}

/* What lies outside the window is passed over at once: inputs may be much larger. */
void runtime_sym_mark_input(void *memory, uint64_t offset, size_t bytes) {
    const struct abi_control *control = runtime.control;
    uint64_t first = control->window_first, end = offset + bytes;
    uint32_t place;
    if (!control->symbolic || control->concrete)
        return;
    if (control->window_bytes && end > first + control->window_bytes)
        end = first + control->window_bytes;
    for (uint64_t at = offset > first ? offset : first; at < end; at++)
        if (!runtime_sym_is_fixed(at, &place))
            set_entry((char *)memory + (at - offset), ABI_ENTRY_INPUT | place);
}

/* How many bytes there are from here to the end of the window. */
static uint64_t window_left(const void *memory) {
    return ABI_SHADOW_WINDOW - ((uintptr_t)memory & (ABI_SHADOW_WINDOW - 1));
}

static bool is_any_dirty(const uint8_t *first, const uint8_t *last) {
    for (size_t i = 0; i < dirty_count; i++)
        if (dirty[i] >= first && dirty[i] <= last && *dirty[i])
            return true;
    return false;
}

/* Does any granule of the range carry a mark? A range that leaves the window ends with it; a long
 * one is asked for by the list of marks, which is shorter. */
static bool is_marked(const void *memory, uint64_t bytes) {
    if (!bytes)
        return false;
    if (bytes > window_left(memory))
        bytes = window_left(memory);
    const uint8_t *first = abi_shadow_mark(memory);
    const uint8_t *last = abi_shadow_mark((const char *)memory + bytes - 1);
    if ((size_t)(last - first) / 8 > dirty_count)
        return is_any_dirty(first, last);
    for (; first + 8 <= last; first += 8) {
        uint64_t eight;
        memcpy(&eight, first, sizeof eight);
        if (eight)
            return true;
    }
    for (; first <= last; first++)
        if (*first)
            return true;
    return false;
}

bool __slowpath_sym_is_plain(const void *memory, uint64_t bytes) {
    return !is_marked(memory, bytes);
}

bool runtime_sym_is_symbolic(const void *memory, uint64_t bytes) {
    if (!is_marked(memory, bytes))
        return false;
    for (uint64_t i = 0; i < bytes; i++)
        if (*abi_shadow_entry((const char *)memory + i))
            return true;
    return false;
}

bool runtime_sym_is_any(void) {
    return is_marked(NULL, ABI_SHADOW_WINDOW);
}

/* ---- loads ---- */

/* Up to how many bytes from I on are consecutive parts of one thing? */
static unsigned run_length(const uint32_t *entries, unsigned bytes) {
    unsigned length = 1;
    uint32_t step = entries[0] & ABI_ENTRY_INPUT ? 1 : 1u << ABI_ENTRY_POSITION;
    if (!entries[0])
        return 1;
    while (length < bytes && entries[length] == entries[0] + length * step &&
           (entries[length] & ABI_ENTRY_INPUT) == (entries[0] & ABI_ENTRY_INPUT))
        length++;
    return length;
}

static uint32_t part(const uint32_t *entries, unsigned length, uint8_t concrete) {
    uint32_t entry = entries[0];
    if (!entry)
        return runtime_sym_constant(8, concrete);
    if (entry & ABI_ENTRY_INPUT)
        return runtime_sym_node(ABI_OP_INPUT, length * 8, 0, entry & ~ABI_ENTRY_INPUT, 0, 0);
    return runtime_sym_extract(entry & ABI_ENTRY_NODE, (entry >> ABI_ENTRY_POSITION) * 8,
                               length * 8);
}

static uint32_t assemble(const void *memory, unsigned bytes) {
    const uint32_t *entries = abi_shadow_entry(memory);
    const uint8_t *values = memory;
    uint32_t result = 0, any = 0;
    unsigned done = 0;
    for (unsigned i = 0; i < bytes; i++)
        any |= entries[i];
    while (any && done < bytes) {
        unsigned length = run_length(entries + done, bytes - done);
        uint32_t next = part(entries + done, length, values[done]);
        if (!next)
            return 0;
        result =
            done ? runtime_sym_node(ABI_OP_CONCAT, (done + length) * 8, 0, next, result, 0) : next;
        if (!result)
            return 0;
        done += length;
    }
    return result;
}

uint32_t runtime_sym_byte(const void *memory) {
    return *abi_shadow_entry(memory) ? assemble(memory, 1) : 0;
}

static bool same_table(const struct abi_table *table, const struct object *object, unsigned width) {
    const char *bytes = runtime_sym_table_bytes() + table->offset;
    return table->address == object->start && table->width == width &&
           table->count == object->size * 8 / width &&
           memcmp(bytes, (const void *)object->start, object->size) == 0;
}

/* The number of a table with this object's content, or -1 when it does not fit. */
static int64_t find_table(const struct object *object, unsigned width) {
    struct abi_trace *live = &runtime.control->live;
    struct abi_table *tables = runtime_sym_tables();
    for (uint32_t i = 0; i < live->table_count; i++)
        if (same_table(&tables[i], object, width))
            return i;
    if (live->table_count == ABI_TRACE_MAX_TABLES ||
        object->size > ABI_TRACE_MAX_TABLE_BYTES - live->table_bytes)
        return -1;
    memcpy(runtime_sym_table_bytes() + live->table_bytes, (const void *)object->start,
           object->size);
    tables[live->table_count] = (struct abi_table){.address = object->start,
                                                   .count = (uint32_t)(object->size * 8 / width),
                                                   .width = width,
                                                   .offset = live->table_bytes};
    live->table_bytes += (uint32_t)object->size;
    return live->table_count++;
}

/* A lookup in a small object without symbolic content, or 0. */
static uint32_t look_up(const void *memory, uint32_t address, unsigned bytes) {
    const struct object *object = find_object((uintptr_t)memory);
    if (!object || object->size / bytes > MAX_TABLE_ELEMENTS || object->size % bytes ||
        ((uintptr_t)memory - object->start) % bytes || (bytes & (bytes - 1)) ||
        runtime_sym_is_symbolic((const void *)object->start, object->size))
        return 0;
    int64_t table = find_table(object, bytes * 8);
    uint32_t base = runtime_sym_constant(64, object->start);
    uint32_t index = base ? runtime_sym_node(ABI_OP_SUB, 64, 0, address, base, 0) : 0;
    uint32_t size = runtime_sym_constant(64, object->size);
    if (table < 0 || !index || !size)
        return 0;
    uint32_t inside = runtime_sym_node(ABI_OP_ULT, 1, 0, index, size, 0);
    uint32_t shift = runtime_sym_constant(64, (unsigned)__builtin_ctz(bytes));
    if (bytes > 1)
        index = shift ? runtime_sym_node(ABI_OP_LSHR, 64, 0, index, shift, 0) : 0;
    if (!inside || !index)
        return 0;
    runtime_sym_assume(inside, true);
    return runtime_sym_node(ABI_OP_TABLE, bytes * 8, 0, index, (uint32_t)table, 0);
}

uint32_t __slowpath_sym_load(const void *memory, uint32_t address, uint32_t bytes) {
    if (address) {
        uint32_t found = look_up(memory, address, bytes);
        if (found)
            return found;
        runtime_sym_fix(ABI_EVENT_ADDRESS, address, (uintptr_t)memory);
    }
    return assemble(memory, bytes);
}

/* ---- stores ---- */

void runtime_sym_put(void *memory, uint32_t value, unsigned bytes) {
    uint32_t entry = value, step = 1u << ABI_ENTRY_POSITION;
    if (value && runtime_sym_at(value)->op == ABI_OP_INPUT) {
        entry = ABI_ENTRY_INPUT | runtime_sym_at(value)->a;
        step = 1;
    }
    for (unsigned i = 0; i < bytes; i++)
        set_entry((char *)memory + i, value ? entry + i * step : 0);
}

void __slowpath_sym_store(void *memory, uint32_t address, uint32_t value, uint32_t bytes) {
    if (address)
        runtime_sym_fix(ABI_EVENT_ADDRESS, address, (uintptr_t)memory);
    runtime_sym_put(memory, value, bytes);
}

/* Nothing is as large as what is left of the window: an access to that much is about to crash. */
static bool is_too_large(const void *memory, uint64_t bytes) {
    return bytes > window_left(memory);
}

void __slowpath_sym_clear(void *memory, uint64_t bytes) {
    if (!is_too_large(memory, bytes) && is_marked(memory, bytes))
        for (uint64_t i = 0; i < bytes; i++)
            set_entry((char *)memory + i, 0);
}

/* Symbolic bytes that are about to be used as something without expressions. */
void __slowpath_sym_fix_memory(const void *memory, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; i++) {
        const uint8_t *at = (const uint8_t *)memory + i;
        uint32_t expr = runtime_sym_byte(at);
        if (expr)
            runtime_sym_fix(ABI_EVENT_CONCRETE, expr, *at);
    }
    __slowpath_sym_clear((void *)memory, bytes);
}

void __slowpath_sym_memcpy(void *to, const void *from, uint64_t bytes) {
    if (is_too_large(to, bytes) || is_too_large(from, bytes))
        return;
    if (!is_marked(from, bytes)) {
        __slowpath_sym_clear(to, bytes);
        return;
    }
    if ((uintptr_t)to <= (uintptr_t)from)
        for (uint64_t i = 0; i < bytes; i++)
            set_entry((char *)to + i, *abi_shadow_entry((const char *)from + i));
    else
        for (uint64_t i = bytes; i-- > 0;)
            set_entry((char *)to + i, *abi_shadow_entry((const char *)from + i));
}

void __slowpath_sym_memset(void *to, uint32_t shadow, uint64_t bytes) {
    uint32_t byte = shadow ? runtime_sym_extract(shadow, 0, 8) : 0;
    if (!byte || is_too_large(to, bytes)) {
        __slowpath_sym_clear(to, bytes);
        return;
    }
    for (uint64_t i = 0; i < bytes; i++)
        runtime_sym_put((char *)to + i, byte, 1);
}

/* ---- structs passed by value ---- */

void __slowpath_sym_give_by_value(const void *original, uint32_t index) {
    if (index < 64)
        by_value_of[index] = original;
}

void __slowpath_sym_by_value(void *copy, uint32_t index, uint64_t bytes) {
    if (index >= 64 || !by_value_of[index]) {
        __slowpath_sym_clear(copy, bytes);
        return;
    }
    __slowpath_sym_memcpy(copy, by_value_of[index], bytes);
    by_value_of[index] = NULL;
}
