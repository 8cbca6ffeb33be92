/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside ir: a map from LLVM's handles (functions, blocks, types, metadata) to our numbers.
 */
#ifndef SLOWPATH_IR_POINTERS_H
#define SLOWPATH_IR_POINTERS_H

#include "base/base.h"

#define IR_POINTERS_NONE UINT32_MAX

/* Zero-initialised is empty. Keys are compared by address and never NULL. */
struct ir_pointers {
    struct ir_pointers_slot {
        const void *key;
        uint32_t value;
    } *slots;
    size_t count, capacity;
};

uint32_t ir_pointers_get(const struct ir_pointers *map, const void *key); /* or ..._NONE */
void ir_pointers_set(struct ir_pointers *map, const void *key, uint32_t value);
void ir_pointers_done(struct ir_pointers *map);

#endif
