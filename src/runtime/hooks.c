/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of the measuring runtime that is compiled to bitcode, linked into the module being
 * instrumented and inlined there: the hooks of the measuring build, and our versions of the
 * library's memory and string functions, which charge for the bytes they touch (slot 0).
 */
#include "runtime/hooks.h"

#define SHORT __attribute__((always_inline))

extern uint64_t __slowpath_counters[];

SHORT void __slowpath_hook_bytes(uint64_t bytes) {
    __slowpath_counters[0] += bytes;
}

/* ---- the library: nothing is symbolic in this build ---- */

#define charge(bytes) (__slowpath_counters[0] += (bytes))
#define plain_arguments(count) true
static inline bool is_plain(const void *memory, uint64_t bytes) {
    (void)memory, (void)bytes;
    return true;
}
#define lower(character) ((int)__slowpath_native_lower((uint32_t)(character)))
#define lower_wide(character) __slowpath_native_lower_wide(character)
#define fix_bytes(memory, bytes) ((void)(memory))
#include "runtime/library_counted.h"
#include "runtime/library_texts.h"
#include "runtime/library_wide.h"
