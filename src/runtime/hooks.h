/* SPDX-License-Identifier: Apache-2.0
 *
 * Prototypes of the hooks, generated from abi/hooks.def: a definition that differs does not
 * compile.
 */
#ifndef SLOWPATH_RUNTIME_HOOKS_H
#define SLOWPATH_RUNTIME_HOOKS_H

#include "abi/shadow.h"

#include <stdbool.h>
#include <stdint.h>

#define NOTHING void
#define I1 bool
#define I32 uint32_t
#define I64 uint64_t
#define POINTER void *
#define CONST_POINTER const void *
#define HERE const struct abi_here *
#define HOOK(id, symbol, result, ...) result __slowpath_##symbol(__VA_ARGS__);
#define SLOW(symbol, result, ...)                                                                  \
    __attribute__((preserve_most)) result __slowpath_##symbol(__VA_ARGS__);
#include "abi/hooks.def"
#undef NOTHING
#undef I1
#undef I32
#undef I64
#undef POINTER
#undef CONST_POINTER
#undef HERE

/* For explored functions: the size of the buffer at __slowpath_sym_scratch. */
#define RUNTIME_SCRATCH_BYTES (1u << 22)

#endif
