/* SPDX-License-Identifier: Apache-2.0
 *
 * The inline part of the recording build, compiled to bitcode. A load stamps what it reads. If it
 * finds the stamp of an earlier loop it is counted, and if the stamp is even older than the outer
 * loop, record.c handles the rest. Our versions of the library's memory and string functions report
 * what they read and write.
 */
#include "abi/record.h"
#include "abi/shadow.h"
#include "runtime/hooks.h"

#define SHORT __attribute__((always_inline))
#define SELDOM(condition) if (__builtin_expect((condition), 0))

/* Calls that are rarely needed are kept out of line. */
#define SLOW(symbol, ...) __attribute__((cold)) __typeof__(__slowpath_##symbol) __slowpath_##symbol;
#include "abi/hooks.def"

#define NEAR __attribute__((visibility("hidden")))
extern NEAR struct abi_recorder __slowpath_recorder;
#define recorder __slowpath_recorder

extern uint64_t __slowpath_counters[];

/* ---- calls and loops ---- */

SHORT uint64_t __slowpath_hook_record_enter(void) {
    return recorder.calls;
}

SHORT void __slowpath_hook_record_call(uint64_t calls, uint32_t site) {
    uint32_t hash = ((uint32_t)(calls >> 32) ^ site) * 0x9e3779b1u;
    recorder.sites[calls % ABI_RECORD_CALLS] = site;
    recorder.reads = 0;
    recorder.calls = (uint64_t)(hash ^ hash >> 15) << 32 | (uint32_t)(calls + 1);
}

SHORT void __slowpath_hook_record_back(uint64_t calls) {
    recorder.calls = calls;
}

SHORT uint32_t __slowpath_hook_record_depth(void) {
    return recorder.depth;
}

SHORT void __slowpath_hook_record_turn(uint32_t base, uint32_t depth, uint32_t loop) {
    struct abi_frame *frame = &recorder.frames[base + depth];
    SELDOM(recorder.depth != base + depth || frame->loop != loop) {
        __slowpath_record_turn(base + depth, loop);
        return;
    }
    frame->turns++;
}

SHORT void __slowpath_hook_record_leave(uint32_t base, uint32_t depth, uint32_t in_turn) {
    if (recorder.depth > base + depth)
        __slowpath_record_leave(base + depth, in_turn);
}

/* ---- memory ---- */

SHORT void __slowpath_hook_record_block(uint32_t loads, uint32_t stores) {
    struct abi_frame *frame = &recorder.frames[recorder.depth];
    if (loads)
        frame->loads += loads;
    if (stores)
        frame->stores += stores;
}

SHORT void __slowpath_hook_record_load(const void *memory, uint64_t value, uint32_t site) {
    uint32_t *stamp = abi_shadow_entry(memory), before = *stamp;
    *stamp = recorder.now;
    if (before >= recorder.inner)
        return;
    if (before < recorder.run) {
        recorder.distinct++;
        return;
    }
    recorder.frames[recorder.depth].first++;
    SELDOM(before < recorder.outer)
    __slowpath_record_load(before, value, site);
}

SHORT void __slowpath_hook_record_store(void *memory, uint64_t bytes) {
    __builtin_memset(abi_shadow_entry(memory), 0, bytes * sizeof(uint32_t));
}

/* ---- the library ---- */

#define charge(bytes) (__slowpath_counters[0] += (bytes))
#define plain_arguments(count) true
/* The functions below ask this about memory they have just looked at, so it is recorded here. */
static inline bool is_plain(const void *memory, uint64_t bytes) {
    __slowpath_record_read(memory, bytes);
    return true;
}
#define lower(character) ((int)__slowpath_native_lower((uint32_t)(character)))
#define lower_wide(character) __slowpath_native_lower_wide(character)
#define fix_bytes(memory, bytes) ((void)(memory))

static inline void *copy_told(void *to, const void *from, uint64_t bytes) {
    __slowpath_record_copy(to, from, bytes, 0);
    return __builtin_memcpy(to, from, bytes);
}

static inline void *move_told(void *to, const void *from, uint64_t bytes) {
    __slowpath_record_copy(to, from, bytes, 0);
    return __builtin_memmove(to, from, bytes);
}

static inline void *fill_told(void *to, int byte, uint64_t bytes) {
    __slowpath_record_fill(to, bytes);
    return __builtin_memset(to, byte, bytes);
}

#define __builtin_memcpy copy_told
#define __builtin_memmove move_told
#define __builtin_memset fill_told
#include "runtime/library_counted.h"
#include "runtime/library_texts.h"
#include "runtime/library_wide.h"
