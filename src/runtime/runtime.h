/* SPDX-License-Identifier: Apache-2.0
 *
 * runtime: the part of slowpath that is linked into a target. It has no dependency beyond libc,
 * never prints to the target's streams and never uses the target's heap.
 *
 * All of its own state lives in one section, which the reset between runs leaves alone; every
 * variable of this room is declared with RUNTIME_STATE.
 */
#ifndef SLOWPATH_RUNTIME_H
#define SLOWPATH_RUNTIME_H

#include "abi/abi.h"
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#define RUNTIME_STATE __attribute__((section("slowpath_state")))
extern char __start_slowpath_state[], __stop_slowpath_state[];

extern uint64_t __slowpath_counters[];
extern const uint32_t __slowpath_slot_count;

struct runtime {
    struct abi_control *control; /* NULL before the memory file is mapped */
    struct abi_costs *costs;     /* never NULL */
    const unsigned char *input;
    size_t input_size, input_taken;
    jmp_buf run_end;   /* where exit() in mid-run goes */
    bool persistent;   /* a run is under way in a persistent process: exit() ends the run */
    bool used_random;
    int worker; /* process id of the worker, to notice a forked copy of it */
};
extern struct runtime runtime;

/* heap.c: two heaps at fixed addresses, one for the target's own calls (emptied between runs), one
 * for what the C library allocates for itself (which must survive). */
void runtime_heap_mark(char **start, char **end); /* what is there before the first run */
void runtime_heap_begin(void);                    /* a run begins */
void runtime_heap_reset(void);                    /* a run is forgotten */
size_t runtime_heap_library_bytes(void); /* how far the library's heap has grown */

/* reset.c: the target's writable globals, thread-locals and open files between runs. */
void runtime_reset_prepare(void);
void runtime_reset(void);
void runtime_note_open(int fd);
void runtime_note_close(int fd);

/* api.c: what targets and drivers take from the input. */
void runtime_input_set(const unsigned char *input, size_t size);

/* Ends the run at once, with this status. */
_Noreturn void runtime_stop(enum abi_status status);
/* exit() was called: ends the run, or the process when it is the run's own. */
_Noreturn void runtime_exit(int code, void (*really)(int));

#endif
