/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the symbolic runtime (sym_*.c) share among themselves.
 */
#ifndef SLOWPATH_RUNTIME_SYMBOLIC_H
#define SLOWPATH_RUNTIME_SYMBOLIC_H

#include "runtime/hooks.h"
#include "runtime/runtime.h"

void *runtime_sym_reserve(void *at, size_t bytes); /* address space; aborts if there is none */
void runtime_sym_open_expr(void);
void runtime_sym_begin_expr(void);
void runtime_sym_open_memory(void);
void runtime_sym_open_path(void);

/* sym_force.c: how does a branch go that a script or a policy decides? */
void runtime_sym_open_force(void);
void runtime_sym_begin_force(void);
/* A branch is reached in the call of that number: is it the first time? */
bool runtime_sym_reach(uint32_t site, uint64_t frame);
bool runtime_sym_decide(bool condition, uint32_t branch, uint32_t site);

/* sym_loops.c: writes down the calls and loops that the run is in, as far as the trace does not
 * know of them. */
void runtime_sym_open_loops(void);
void runtime_sym_begin_loops(void);
void runtime_sym_tell_loops(void);
/* An event and nothing else. */
void runtime_sym_write(enum abi_event_kind kind, uint32_t site, uint32_t expr, uint64_t value);

void runtime_sym_forget_variadic(void); /* sym_variadic.c: the next callee gets none */
/* sym_memory.c: the shadow of so many bytes. */
void runtime_sym_put(void *memory, uint32_t value, uint32_t bytes);

uint32_t runtime_sym_extract(uint32_t a, unsigned low, unsigned width);
struct abi_table *runtime_sym_tables(void);
char *runtime_sym_table_bytes(void);

#endif
