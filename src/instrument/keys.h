/* SPDX-License-Identifier: Apache-2.0
 *
 * The key of a part, made from the whole module.
 */
#ifndef SLOWPATH_INSTRUMENT_KEYS_H
#define SLOWPATH_INSTRUMENT_KEYS_H

#include "instrument/parts.h"

struct instrument_keys;
/* Nothing of the module may change until they are freed. HOMES: see struct instrument_whole; it
 * stays the caller's. */
struct instrument_keys *instrument_keys_new(LLVMModuleRef module, const struct base_map *homes);
void instrument_keys_free(struct instrument_keys *keys);

/* Of the part that has these functions, in this order, and that is not the one of the variables.
 * False: it has something of which only the bitcode tells all. */
bool instrument_key_of_part(struct instrument_keys *keys, unsigned part,
                            const LLVMValueRef *functions, size_t count, char key[33]);

#endif
