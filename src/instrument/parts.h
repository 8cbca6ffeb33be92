/* SPDX-License-Identifier: Apache-2.0
 *
 * What emit.c and parts.c know of each other: one module compiled whole, a large one in parts.
 */
#ifndef SLOWPATH_INSTRUMENT_PARTS_H
#define SLOWPATH_INSTRUMENT_PARTS_H

#include "instrument/internal.h"

/* emit.c */
bool instrument_compile(LLVMModuleRef module, const char *object_path, struct base_error *error);
void instrument_run_passes(LLVMModuleRef module, const char *passes);

/* parts.c */
bool instrument_is_large(LLVMModuleRef module);
bool instrument_compile_parts(LLVMModuleRef module, const struct instrument_store *store,
                              const char *object_path, struct base_error *error);

/* publish.c: names that the linker sees, and it alone. */
bool instrument_is_local(LLVMValueRef value);
void instrument_publish(LLVMValueRef value, const char *name);
void instrument_publish_variables(LLVMModuleRef module);

/* slots.c: the counters of a function. */
#define INSTRUMENT_COUNTS "__slowpath_counts." /* of which function */
/* The number of the counter that a load or store names, or 0. */
uint64_t instrument_slot_of(LLVMValueRef instruction, LLVMValueRef counters);
uint64_t instrument_first_slot(LLVMValueRef function, LLVMValueRef counters);
void instrument_renumber(LLVMModuleRef module, LLVMValueRef function, LLVMValueRef counters);

/* drop.c: what another part has becomes a declaration. */
void instrument_drop_body(LLVMModuleRef module, LLVMValueRef function);
void instrument_drop_variables(LLVMModuleRef module);
/* Stays the value of this variable known? */
bool instrument_keeps_value(LLVMModuleRef module, LLVMValueRef variable);
void instrument_drop_aliases(LLVMModuleRef module);
/* Has it a second name, which is defined where it is? */
bool instrument_has_alias(LLVMValueRef value);

#endif
