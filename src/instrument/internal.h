/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share.
 */
#ifndef SLOWPATH_INSTRUMENT_INTERNAL_H
#define SLOWPATH_INSTRUMENT_INTERNAL_H

#include "instrument/instrument.h"

/* library.c: sends calls of library functions to our versions; their effects (a count) must not be
 * optimised away because a header calls the function pure. */
void instrument_redirect_library(LLVMModuleRef module);

/* alias.c: tells LLVM that counters never overlap with the program's memory, so that a counter in
 * a loop can live in a register. */
void instrument_separate_counters(LLVMModuleRef module);

/* measure.c: the counting hooks. */
void instrument_count_blocks(LLVMModuleRef module);
/* The counters themselves, as the runtime expects them. */
void instrument_add_counters(LLVMModuleRef module, uint32_t slots);

/* The next instruction or block is taken before the visit, which may insert or erase. */
typedef void instrument_visit(LLVMValueRef instruction, void *context);
void instrument_each_instruction(LLVMModuleRef module, instrument_visit *visit, void *context);

#endif
