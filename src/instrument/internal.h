/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share.
 */
#ifndef SLOWPATH_INSTRUMENT_INTERNAL_H
#define SLOWPATH_INSTRUMENT_INTERNAL_H

#include "instrument/instrument.h"

/* library.c: sends calls of library functions to our versions. */
void instrument_redirect_library(LLVMModuleRef module, enum instrument_kind kind);
/* Instrumented functions have effects, whatever their attributes say. */
void instrument_drop_promises(LLVMModuleRef module);

/* reach.c: tells the runtime what the program can change besides its memory. Before the inline
 * runtime is linked. */
void instrument_tell_reach(LLVMModuleRef module, bool has_native);

/* alias.c: tells LLVM that counters never overlap with the program's memory, so that a counter in
 * a loop can live in a register. */
void instrument_separate_counters(LLVMModuleRef module);
/* The metadata of such an access. */
LLVMValueRef instrument_counter_tag(LLVMContextRef context);

/* constructors.c: puts constructors and destructors where start-up code looks for them. */
void instrument_place_constructors(LLVMModuleRef module);

/* lines.c: leaves source lines of the debug information, relative to their functions. */
void instrument_shorten_lines(LLVMModuleRef module);

/* hooks.c: is this the name of a hook? */
bool instrument_is_hook(const char *name);
/* Calls of the hooks that abi/hooks.def lists, with the arguments that it says. */
enum instrument_hook {
#define HOOK(id, ...) HOOK_##id,
#include "abi/hooks.def"
};
bool instrument_is_inline(enum instrument_hook which);
bool instrument_takes_here(enum instrument_hook which); /* as its last argument */
LLVMValueRef instrument_call_hook(LLVMModuleRef module, LLVMBuilderRef builder,
                                  enum instrument_hook which, LLVMValueRef *arguments);
#define instrument_hook(module, builder, which, ...)                                               \
    instrument_call_hook(module, builder, which, (LLVMValueRef[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

struct instrument_map; /* from LLVM's handles to handles or numbers */
struct instrument_map *instrument_map_new(void);
void instrument_map_free(struct instrument_map *map);
void instrument_map_clear(struct instrument_map *map);
void instrument_map_set(struct instrument_map *map, const void *key, uintptr_t value);
bool instrument_map_get(const struct instrument_map *map, const void *key, uintptr_t *value);

/* measure.c: counts blocks, each in the slot that SITES has for it, and bytes. */
void instrument_count_blocks(LLVMModuleRef module, const struct instrument_map *sites,
                             uint32_t slots, const struct ir_facts *facts);
/* The counters themselves, as the runtime expects them. */
void instrument_add_counters(LLVMModuleRef module, uint32_t slots);

/* symbolic.c: numbers the blocks that have none yet, from NEXT on, in the order of the facts;
 * gives every value its shadow. LOOPS: see struct instrument_options. */
uint32_t instrument_number_sites(LLVMModuleRef module, struct instrument_map *sites, uint32_t next);
void instrument_shadow_all(LLVMModuleRef module, struct instrument_map *sites,
                           uint32_t program_sites, const struct ir_facts *loops);

/* record.c: tells of loops, calls, loads and stores; blocks have the numbers of the facts. */
void instrument_record(LLVMModuleRef module, const struct instrument_map *sites,
                       const struct ir_facts *facts);

/* symbolic_outside.c: functions without bitcode whose address is taken are called through ours. */
void instrument_stand_in(LLVMModuleRef module);

/* The next instruction or block is taken before the visit, which may insert or erase. */
typedef void instrument_visit(LLVMValueRef instruction, void *context);
void instrument_each_instruction(LLVMModuleRef module, instrument_visit *visit, void *context);

#endif
