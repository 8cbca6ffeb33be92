/* SPDX-License-Identifier: Apache-2.0
 *
 * Shadow memory: which bytes of the target hold which part of which expression. Input bytes have
 * entries of their own kind, so that adjacent ones read together become one integer. Marked
 * granules are listed, so that forgetting a run costs only what it touched.
 *
 * A load from a symbolic address within a small static object becomes a table look-up
 * (sym_lookup.c); any other symbolic address is fixed to its value.
 */
#include "abi/shadow.h"
#include "runtime/symbolic.h"

#include <emmintrin.h>
#include <string.h>

#define MAX_DIRTY ((size_t)1 << 28)
#define EIGHT_ENTRIES (ABI_MARK_ENTRIES * 0x0101010101010101u) /* compares eight marks at once */

static RUNTIME_STATE uint8_t **dirty; /* marks that were set */
static RUNTIME_STATE size_t dirty_count;
static RUNTIME_STATE const void *by_value_of[64];

void runtime_sym_open_memory(void) {
    runtime_sym_reserve((void *)ABI_SHADOW_ENTRIES, ABI_SHADOW_WINDOW * 4);
    runtime_sym_reserve((void *)ABI_SHADOW_MARKS, ABI_SHADOW_ADDRESSES / ABI_SHADOW_GRANULE);
    dirty = runtime_sym_reserve(NULL, MAX_DIRTY * sizeof *dirty);
}

/* ---- entries and marks ---- */

static void set_mark(uint8_t *mark) {
    if (!(*mark & ABI_MARK_ENTRIES) && dirty_count < MAX_DIRTY) {
        dirty[dirty_count++] = mark;
        *mark |= ABI_MARK_ENTRIES;
    }
}

/* Entries were cleared: clears the granule's mark if nothing is left. It stays listed, which is
 * harmless. */
static void refresh_mark(const void *memory) {
    const uint32_t *entries =
        abi_shadow_entry((const void *)((uintptr_t)memory & ~(uintptr_t)(ABI_SHADOW_GRANULE - 1)));
    for (unsigned i = 0; i < ABI_SHADOW_GRANULE; i++)
        if (entries[i])
            return;
    *abi_shadow_mark(memory) &= (uint8_t)~ABI_MARK_ENTRIES;
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
        uintptr_t address = ((uintptr_t)dirty[i] - ABI_SHADOW_MARKS) * ABI_SHADOW_GRANULE;
        memset(abi_shadow_entry((const void *)address), 0, ABI_SHADOW_GRANULE * sizeof(uint32_t));
        *dirty[i] = 0;
    }
    dirty_count = 0;
    runtime_sym_forget_sizes();
    runtime_sym_forget_links();
}

/* True outside the window, or if the engine wants to keep this input byte. */
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

static void mark_all(void *memory, uint32_t place, size_t bytes) {
    uint32_t *at = abi_shadow_entry(memory);
    for (size_t i = 0; i < bytes; i++)
        at[i] = ABI_ENTRY_INPUT | (uint32_t)(place + i);
    uint8_t *last = abi_shadow_mark((char *)memory + bytes - 1);
    for (uint8_t *mark = abi_shadow_mark(memory); mark <= last; mark++)
        set_mark(mark);
}

/* Skips everything outside the window at once: inputs may be much larger. */
void runtime_sym_mark_input(void *memory, uint64_t offset, size_t bytes) {
    const struct abi_control *control = runtime.control;
    uint64_t first = control->window_first, end = offset + bytes;
    uint32_t place;
    if (!control->symbolic || control->concrete || !bytes)
        return;
    if (!control->window_bytes && !first && end <= ABI_ENTRY_INPUT) {
        mark_all(memory, (uint32_t)offset, bytes);
        return;
    }
    if (control->window_bytes && end > first + control->window_bytes)
        end = first + control->window_bytes;
    for (uint64_t at = offset > first ? offset : first; at < end; at++)
        if (!runtime_sym_is_fixed(at, &place))
            set_entry((char *)memory + (at - offset), ABI_ENTRY_INPUT | place);
}

static void replace_granule(unsigned char *memory, const unsigned char *input, size_t size) {
    const uint32_t *entries = abi_shadow_entry(memory);
    for (unsigned i = 0; i < ABI_SHADOW_GRANULE; i++) {
        uint64_t at = runtime.control->window_first + (entries[i] & ~ABI_ENTRY_INPUT);
        if (entries[i] & ABI_ENTRY_INPUT && at < size && memory[i] != input[at])
            memory[i] = input[at];
    }
}

void runtime_sym_replace(const unsigned char *input, size_t size) {
    for (size_t i = 0; i < dirty_count; i++)
        if (*dirty[i] & ABI_MARK_ENTRIES)
            replace_granule(
                (unsigned char *)(((uintptr_t)dirty[i] - ABI_SHADOW_MARKS) * ABI_SHADOW_GRANULE),
                input, size);
}

/* Bytes from here to the end of the window. */
static uint64_t window_left(const void *memory) {
    return ABI_SHADOW_WINDOW - ((uintptr_t)memory & (ABI_SHADOW_WINDOW - 1));
}

static bool is_any_dirty(const uint8_t *first, const uint8_t *last) {
    for (size_t i = 0; i < dirty_count; i++)
        if (dirty[i] >= first && dirty[i] <= last && *dirty[i] & ABI_MARK_ENTRIES)
            return true;
    return false;
}

/* Does any granule of the range have a mark? The range is cut at the end of the window. For a long
 * one it is cheaper to go through the list of marks. */
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
        if (eight & EIGHT_ENTRIES)
            return true;
    }
    for (; first <= last; first++)
        if (*first & ABI_MARK_ENTRIES)
            return true;
    return false;
}

bool runtime_sym_is_plain(const void *memory, uint64_t bytes) {
    return !is_marked(memory, bytes);
}

/* Called by a library function about the bytes it has looked at. */
bool __slowpath_sym_is_plain(const void *memory, uint64_t bytes) {
    runtime_sym_note_access(memory, bytes, RUNTIME_NO_SITE);
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
    return is_any_dirty((const uint8_t *)ABI_SHADOW_MARKS, (const uint8_t *)UINTPTR_MAX);
}

/* ---- loads ---- */

/* How many of the bytes from I on are consecutive parts of one expression? */
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
        return runtime_sym_input(entry & ~ABI_ENTRY_INPUT, length * 8);
    return runtime_sym_extract(entry & ABI_ENTRY_NODE, (entry >> ABI_ENTRY_POSITION) * 8,
                               length * 8);
}

/* Are all bytes consecutive parts of one expression? */
static inline __attribute__((always_inline)) bool is_one(const uint32_t *entries, unsigned bytes) {
    uint32_t first = entries[0], differs = (entries[bytes - 1] ^ first) & ABI_ENTRY_INPUT;
    uint32_t step = first & ABI_ENTRY_INPUT ? 1 : 1u << ABI_ENTRY_POSITION;
    for (unsigned i = 1; i < bytes; i++)
        differs |= entries[i] ^ (first + i * step);
    return first && !differs;
}

static uint32_t assemble_parts(const void *memory, unsigned bytes) {
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

static uint32_t assemble(const void *memory, unsigned bytes) {
    const uint32_t *entries = abi_shadow_entry(memory);
    bool is_whole = (bytes == 4 && is_one(entries, 4)) || (bytes == 8 && is_one(entries, 8)) ||
                    (bytes == 1 && entries[0]);
    return is_whole ? part(entries, bytes, 0) : assemble_parts(memory, bytes);
}

uint32_t runtime_sym_byte(const void *memory) {
    return *abi_shadow_entry(memory) ? assemble(memory, 1) : 0;
}

uint32_t runtime_sym_bytes(const void *memory, unsigned bytes) {
    return runtime.control->symbolic && is_marked(memory, bytes) ? assemble(memory, bytes) : 0;
}

/* Fixes the address, unless the load can become a table look-up: then that is FOUND. */
static bool fix_address(const struct runtime_access *access, uint32_t *found) {
    struct runtime_object object;
    bool is_known = runtime_sym_reach_object(access, &object);
    bool is_write = access->kind & ABI_ACCESS_WRITE;
    if (runtime_sym_is_settled(access->address))
        return false;
    *found = is_known && !is_write
                 ? runtime_sym_look_up(&object, access->address, access->kind & ABI_ACCESS_BYTES)
                 : 0;
    if (!*found)
        runtime_sym_fix_access(access, is_known ? &object : NULL);
    return *found;
}

/* Computing with pointers of the input resolves them. */
static void see_address(struct runtime_access *access) {
    if (!access->address || !runtime_sym_has_links())
        return;
    access->base_shadow = runtime_sym_look(access->base_shadow);
    access->address = runtime_sym_look(access->address);
}

/* The entries of a four-byte input integer. */
static inline __m128i entries_of_input(uint32_t first) {
    return _mm_add_epi32(_mm_set1_epi32((int)first), _mm_set_epi32(3, 2, 1, 0));
}

/* The functions below preserve all registers, so the common cases use few and call nothing; the
 * rest is out of line. */
#define ELSEWHERE __attribute__((preserve_most, noinline))

static ELSEWHERE uint32_t load_any(const void *memory, uint32_t address, uint32_t kind,
                                   const void *base, uint32_t base_shadow, uint64_t size) {
    struct runtime_access access = {memory, address, kind, base, base_shadow, size};
    uint32_t found;
    see_address(&access);
    if (!access.address)
        runtime_sym_note_access(memory, kind & ABI_ACCESS_BYTES, kind);
    else if (fix_address(&access, &found))
        return found;
    if (runtime_sym_has_links())
        runtime_sym_settle_union(memory, kind & ABI_ACCESS_POINTER);
    found = assemble(memory, kind & ABI_ACCESS_BYTES);
    return runtime_sym_has_links() && runtime_sym_was_seen(found) ? 0 : found;
}

static ELSEWHERE uint32_t load_input(const void *memory, uint32_t address, uint32_t kind,
                                     const void *base, uint32_t base_shadow, uint64_t size) {
    (void)address, (void)kind, (void)base, (void)base_shadow, (void)size;
    return runtime_sym_input(*abi_shadow_entry(memory) & ~ABI_ENTRY_INPUT, 32);
}

/* Usually an input integer, mostly read before, from an object of concrete size. */
uint32_t __slowpath_sym_load(const void *memory, uint32_t address, uint32_t kind, const void *base,
                             uint32_t base_shadow, uint64_t size) {
    const uint32_t *entries = abi_shadow_entry(memory);
    if (!address && (kind & ABI_ACCESS_BYTES) == 4 && !runtime_sym_has_links() &&
        !runtime.may_stop && *abi_shadow_mark(memory) == ABI_MARK_ENTRIES &&
        entries[0] & ABI_ENTRY_INPUT) {
        __m128i same = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i_u *)entries),
                                       entries_of_input(entries[0]));
        uint32_t near = runtime_sym_near_input(entries[0] & ~ABI_ENTRY_INPUT, 32);
        if (_mm_movemask_epi8(same) == 0xffff) {
            if (near)
                return near;
            __attribute__((musttail)) return load_input(memory, address, kind, base, base_shadow,
                                                        size);
        }
    }
    __attribute__((musttail)) return load_any(memory, address, kind, base, base_shadow, size);
}

/* ---- stores ---- */

/* For the bytes of one access, which lie in at most two granules. */
static inline __attribute__((always_inline)) void set_entries(void *memory, uint32_t entry,
                                                              uint32_t step, unsigned bytes) {
    uint32_t *at = abi_shadow_entry(memory);
    for (unsigned i = 0; i < bytes; i++)
        at[i] = entry + i * step;
    set_mark(abi_shadow_mark(memory));
    set_mark(abi_shadow_mark((char *)memory + bytes - 1));
}

static void clear_entries(void *memory, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        set_entry((char *)memory + i, 0);
}

void runtime_sym_put(void *memory, uint32_t value, unsigned bytes) {
    uint32_t entry = value, step = 1u << ABI_ENTRY_POSITION;
    if (!value) {
        clear_entries(memory, bytes);
        return;
    }
    if (runtime_sym_at(value)->op == ABI_OP_INPUT) {
        entry = ABI_ENTRY_INPUT | runtime_sym_at(value)->a;
        step = 1;
    }
    if (bytes == 4)
        set_entries(memory, entry, step, 4);
    else if (bytes)
        set_entries(memory, entry, step, bytes);
}

static ELSEWHERE void store_any(void *memory, uint32_t address, uint32_t value, uint32_t kind,
                                const void *base, uint32_t base_shadow, uint64_t size) {
    struct runtime_access access = {memory, address, kind, base, base_shadow, size};
    uint32_t found;
    see_address(&access);
    if (access.address)
        fix_address(&access, &found);
    else
        runtime_sym_note_access(memory, kind & ABI_ACCESS_BYTES, kind);
    runtime_sym_put(memory, value, kind & ABI_ACCESS_BYTES);
}

/* Usually stores four bytes of an input integer over symbolic ones. */
void __slowpath_sym_store(void *memory, uint32_t address, uint32_t value, uint32_t kind,
                          const void *base, uint32_t base_shadow, uint64_t size) {
    const struct abi_node *node = runtime_sym_at(value);
    if (!address && (kind & ABI_ACCESS_BYTES) == 4 && node->op == ABI_OP_INPUT &&
        *abi_shadow_mark(memory) == ABI_MARK_ENTRIES &&
        *abi_shadow_mark((char *)memory + 3) == ABI_MARK_ENTRIES)
        _mm_storeu_si128((__m128i_u *)abi_shadow_entry(memory),
                         entries_of_input(ABI_ENTRY_INPUT | node->a));
    else
        store_any(memory, address, value, kind, base, base_shadow, size);
}

/* Nothing is larger than the rest of the window: such an access is about to crash. */
static bool is_too_large(const void *memory, uint64_t bytes) {
    return bytes > window_left(memory);
}

void runtime_sym_clear(void *memory, uint64_t bytes) {
    if (!is_too_large(memory, bytes) && is_marked(memory, bytes))
        for (uint64_t i = 0; i < bytes; i++)
            set_entry((char *)memory + i, 0);
}

void __slowpath_sym_clear(void *memory, uint64_t bytes) {
    runtime_sym_note_access(memory, bytes, RUNTIME_NO_SITE | ABI_ACCESS_WRITE);
    runtime_sym_clear(memory, bytes);
}

/* Symbolic bytes are about to be used as something that has no expressions. */
void __slowpath_sym_fix_memory(const void *memory, uint64_t bytes) {
    runtime_sym_note_access(memory, bytes, RUNTIME_NO_SITE);
    for (uint64_t i = 0; i < bytes; i++) {
        const uint8_t *at = (const uint8_t *)memory + i;
        uint32_t expr = runtime_sym_byte(at);
        if (expr)
            runtime_sym_fix(ABI_EVENT_CONCRETE, expr, *at);
    }
    runtime_sym_clear((void *)memory, bytes);
}

void runtime_sym_copy(void *to, const void *from, uint64_t bytes) {
    if (is_too_large(to, bytes) || is_too_large(from, bytes))
        return;
    if (!is_marked(from, bytes)) {
        runtime_sym_clear(to, bytes);
        return;
    }
    if ((uintptr_t)to <= (uintptr_t)from)
        for (uint64_t i = 0; i < bytes; i++)
            set_entry((char *)to + i, *abi_shadow_entry((const char *)from + i));
    else
        for (uint64_t i = bytes; i-- > 0;)
            set_entry((char *)to + i, *abi_shadow_entry((const char *)from + i));
}

void runtime_sym_spread(void *to, uint32_t byte, uint64_t bytes) {
    if (!byte || is_too_large(to, bytes)) {
        runtime_sym_clear(to, bytes);
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
    runtime_sym_copy(copy, by_value_of[index], bytes);
    by_value_of[index] = NULL;
}
