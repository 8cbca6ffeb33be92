/* SPDX-License-Identifier: Apache-2.0
 *
 * The inline part of the symbolic runtime, compiled to bitcode: each hook checks whether anything
 * symbolic is involved and otherwise does nothing. The slow cases are in sym_*.c.
 */
#include "abi/shadow.h"
#include "runtime/hooks.h"

#define INLINED __attribute__((always_inline))
#define IF_SYMBOLIC(what) if (__builtin_expect((what) != 0, 0))

/* Defined in the same executable, so no lookup of its address. */
#define NEAR __attribute__((visibility("hidden")))
extern NEAR uint64_t __slowpath_sym_cost, __slowpath_sym_frame, __slowpath_sym_frames;
extern NEAR uint64_t __slowpath_sym_calls;

/* Calls that are rarely needed are kept out of line. */
#define SLOW(symbol, ...) __attribute__((cold)) __typeof__(__slowpath_##symbol) __slowpath_##symbol;
#include "abi/hooks.def"

INLINED void __slowpath_hook_cost(uint64_t instructions) {
    __slowpath_sym_cost += instructions;
}

INLINED void __slowpath_hook_calls(uint64_t count) {
    __slowpath_sym_calls += count;
}

/* Updates the costs so far, before something that may need them. */
static INLINED inline void tell(const struct abi_here *here) {
    if (!here)
        return;
    __slowpath_sym_cost = here->cost;
    __slowpath_sym_frame = here->frame;
}

INLINED void __slowpath_hook_amount(uint64_t amount, uint32_t shadow, const struct abi_here *here) {
    IF_SYMBOLIC(shadow) tell(here), __slowpath_sym_amount(amount, shadow);
}

INLINED uint64_t __slowpath_hook_enter(void) {
    return __slowpath_sym_frame = ++__slowpath_sym_frames;
}

static INLINED inline uint32_t marks(const void *memory, uint32_t kind) {
    uint32_t mark = *abi_shadow_mark(memory);
    if (kind & ABI_ACCESS_TWO)
        mark |= *abi_shadow_mark((const char *)memory + (kind & ABI_ACCESS_BYTES) - 1);
    return mark;
}

INLINED uint32_t __slowpath_hook_marks(const void *memory, uint32_t kind) {
    return marks(memory, kind);
}

INLINED uint32_t __slowpath_hook_load(const void *memory, uint32_t address, uint32_t kind,
                                      const void *base, uint32_t base_shadow, uint64_t size,
                                      const struct abi_here *here) {
    IF_SYMBOLIC(address | marks(memory, kind))
    return tell(here), __slowpath_sym_load(memory, address, kind, base, base_shadow, size);
    return 0;
}

INLINED uint32_t __slowpath_hook_load_constant(const void *memory, uint32_t address, uint32_t kind,
                                               const void *base, uint32_t base_shadow,
                                               uint64_t size, const struct abi_here *here) {
    IF_SYMBOLIC(address)
    return tell(here), __slowpath_sym_load(memory, address, kind, base, base_shadow, size);
    return 0;
}

INLINED void __slowpath_hook_store(void *memory, uint32_t address, uint32_t value, uint32_t kind,
                                   const void *base, uint32_t base_shadow, uint64_t size,
                                   const struct abi_here *here) {
    IF_SYMBOLIC(address | value | marks(memory, kind))
    tell(here), __slowpath_sym_store(memory, address, value, kind, base, base_shadow, size);
}

INLINED void __slowpath_hook_access(const void *memory, uint32_t address, uint32_t kind,
                                    const void *base, uint32_t base_shadow, uint64_t size,
                                    const struct abi_here *here) {
    IF_SYMBOLIC(address)
    tell(here), __slowpath_sym_access(memory, address, kind, base, base_shadow, size);
}

INLINED uint64_t __slowpath_hook_extent(const void *memory, uint32_t address, uint32_t kind,
                                        const void *base, uint32_t base_shadow, uint64_t size,
                                        uint64_t bytes, uint32_t bytes_shadow,
                                        const struct abi_here *here) {
    IF_SYMBOLIC(address | bytes_shadow)
    return tell(here), __slowpath_sym_extent(memory, address, kind, base, base_shadow, size, bytes,
                                             bytes_shadow);
    return 0;
}

INLINED uint64_t __slowpath_hook_stack_room(uint64_t count, uint32_t shadow, uint64_t element,
                                            const struct abi_here *here) {
    IF_SYMBOLIC(shadow) return tell(here), __slowpath_sym_stack_room(count, shadow, element);
    return count;
}

INLINED void __slowpath_hook_open_stack(const void *start, uint64_t count, uint32_t shadow,
                                        uint64_t element, uint64_t room,
                                        const struct abi_here *here) {
    IF_SYMBOLIC(shadow) tell(here), __slowpath_sym_open_stack(start, count, shadow, element, room);
}

/* ---- the stack ---- */

extern ABI_OF_THREAD struct abi_on_stack *__slowpath_sym_stack;
extern ABI_OF_THREAD uint64_t __slowpath_sym_stack_count, __slowpath_sym_stack_places;

INLINED uint64_t __slowpath_hook_stack_enter(void) {
    return __slowpath_sym_stack_count;
}

INLINED uint64_t __slowpath_hook_stack_object(uint64_t count, const void *start, uint64_t size) {
    if (count < __slowpath_sym_stack_places)
        __slowpath_sym_stack[count] = (struct abi_on_stack){start, size};
    return __slowpath_sym_stack_count = count + 1;
}

INLINED void __slowpath_hook_stack_leave(uint64_t count) {
    __slowpath_sym_stack_count = count;
}

/* ---- computations ---- */

#define TWO_OPERANDS(name)                                                                         \
    INLINED uint32_t __slowpath_hook_##name(uint32_t kind, uint64_t a, uint32_t sa, uint64_t b,    \
                                            uint32_t sb, const struct abi_here *here) {            \
        IF_SYMBOLIC(sa | sb) return tell(here), __slowpath_sym_##name(kind, a, sa, b, sb);         \
        return 0;                                                                                  \
    }
TWO_OPERANDS(binary)
TWO_OPERANDS(compare)
TWO_OPERANDS(intrinsic)
TWO_OPERANDS(funnel)

INLINED uint64_t __slowpath_hook_overflow(uint32_t kind, uint64_t a, uint32_t sa, uint64_t b,
                                          uint32_t sb, const struct abi_here *here) {
    IF_SYMBOLIC(sa | sb) return tell(here), __slowpath_sym_overflow(kind, a, sa, b, sb);
    return 0;
}

INLINED uint32_t __slowpath_hook_cast(uint32_t kind, uint32_t shadow, const struct abi_here *here) {
    IF_SYMBOLIC(shadow) return tell(here), __slowpath_sym_cast(kind, shadow);
    return 0;
}

INLINED uint32_t __slowpath_hook_select(bool condition, uint32_t choice, uint64_t a, uint32_t sa,
                                        uint64_t b, uint32_t sb, uint32_t width,
                                        const struct abi_here *here) {
    IF_SYMBOLIC(choice) return tell(here), __slowpath_sym_select(choice, a, sa, b, sb, width);
    return condition ? sa : sb;
}

INLINED bool __slowpath_hook_branch(bool condition, uint32_t shadow, uint32_t site,
                                    const struct abi_here *here) {
    IF_SYMBOLIC(shadow) return tell(here), __slowpath_sym_branch(condition, shadow, site);
    return condition;
}

INLINED uint64_t __slowpath_hook_switch(uint64_t value, uint32_t shadow, uint32_t site,
                                        const struct abi_here *here) {
    IF_SYMBOLIC(shadow) return tell(here), __slowpath_sym_switch(value, shadow, site);
    return value;
}

INLINED void __slowpath_hook_fix(uint64_t value, uint32_t shadow, const struct abi_here *here) {
    IF_SYMBOLIC(shadow) tell(here), __slowpath_sym_fix(value, shadow);
}

/* Up to 17 bytes lie in at most two granules. */
INLINED void __slowpath_hook_fix_memory(const void *memory, uint64_t bytes,
                                        const struct abi_here *here) {
    IF_SYMBOLIC((bytes > ABI_SHADOW_GRANULE + 1) | *abi_shadow_mark(memory) |
                *abi_shadow_mark((const char *)memory + bytes - 1))
    tell(here), __slowpath_sym_fix_memory(memory, bytes);
}

/* ---- our versions of library functions ---- */

extern NEAR uint32_t __slowpath_sym_args[];

/* To be called first in a function: are its first COUNT arguments concrete? */
INLINED bool __slowpath_hook_plain_arguments(uint32_t count) {
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++)
        any |= __slowpath_sym_args[i];
    return !any;
}
