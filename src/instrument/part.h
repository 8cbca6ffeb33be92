/* SPDX-License-Identifier: Apache-2.0
 *
 * One part of a large module, read from the bitcode of the whole.
 */
#ifndef SLOWPATH_INSTRUMENT_PART_H
#define SLOWPATH_INSTRUMENT_PART_H

#include "instrument/parts.h"

/* All of it stays the caller's, and there as long as a part is open. */
struct instrument_whole {
    const char *bitcode;
    size_t size;
    const struct base_map *homes; /* function -> 2 * its part, and 1 more if others have a copy */
};

/* The module has a context of its own. Part 0 has all variables. */
LLVMModuleRef instrument_read_part(const struct instrument_whole *whole, unsigned part);
void instrument_close_part(LLVMModuleRef module);

#endif
