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
extern char __slowpath_state_first[ABI_PAGE], __slowpath_state_last[ABI_PAGE]; /* closed pages */

extern char __slowpath_guard[];        /* the page before the counters */
extern uint64_t __slowpath_counters[]; /* whole pages, and a last one that guards */
extern const uint32_t __slowpath_slot_count;

struct runtime {
    struct abi_control *control; /* NULL before the memory file is mapped */
    struct abi_costs *costs;     /* never NULL */
    const unsigned char *input;
    size_t input_size, input_taken;
    size_t input_asked; /* what was taken, had there been enough */
    jmp_buf run_end;    /* where exit() in mid-run goes */
    bool persistent;    /* a run is under way in a persistent process: exit() ends the run */
    bool used_random;
    bool has_children, has_threads; /* the run under way has started some */
    bool made_file;                 /* ... and may have left files */
    bool costs_changed;             /* since the trace told of them */
};
extern struct runtime runtime;

/* heap.c: two heaps at fixed addresses, one for the target's own calls (emptied between runs), one
 * for what the C library allocates for itself (which must survive). */
void runtime_heap_mark(char **start, char **end); /* what is there before the first run */
void runtime_heap_begin(void);                    /* a run begins */
void runtime_heap_reset(void);                    /* a run is forgotten */
size_t runtime_heap_library_bytes(void);          /* how far the library's heap has grown */
/* The symbolic build: which block of the target's lies the address in? */
bool runtime_heap_find(uintptr_t address, uintptr_t *start, uint64_t *size);

/* reset.c: the target's writable globals, thread-locals and open files between runs. */
void runtime_reset_prepare(void);
void runtime_reset(void);
void runtime_note_open(int fd);
void runtime_note_close(int fd);

/* leave.c: what a run leaves behind in its process. */
extern char __slowpath_left; /* something that no reset puts back */
void runtime_leave_begin(void);
bool runtime_left_anything(void);
void runtime_adopt_orphans(void); /* the server: children of a worker that is gone become its own */
void runtime_end_orphans(void);

/* folder.c: the folder that a run may write to. */
#define RUNTIME_PATH 1024
bool runtime_folder_is_used(void);
void runtime_folder_empty(void);
/* Where the file of that name lies for the target; PLACE is room for the answer. */
const char *runtime_place(const char *path, char place[RUNTIME_PATH]);
void runtime_note_writing(bool is_good); /* a file was opened for writing, or could not be */

/* share.c: the memory that the engine sees, too. */
bool runtime_map_shared(void);
bool runtime_is_whole(void); /* nothing has written over the control record */
bool runtime_is_sound(void); /* ... nor over what the server needs of it, as far as one can tell */

/* api.c: what targets and drivers take from the input. */
void runtime_input_set(const unsigned char *input, size_t size);

/* ---- the symbolic build ---- */

/* sym_expr.c */
uint32_t runtime_sym_node(enum abi_op op, unsigned width, unsigned extra, uint32_t a, uint32_t b,
                          uint32_t c);
uint32_t runtime_sym_constant(unsigned width, uint64_t value);
const struct abi_node *runtime_sym_at(uint32_t node);
/* a times b, 64 bits each; SA and SB are their shadows. */
uint32_t runtime_sym_product(uint64_t a, uint32_t sa, uint64_t b, uint32_t sb);

/* sym_memory.c */
void runtime_sym_mark_input(void *memory, uint64_t offset, size_t bytes);
/* Is this byte of the input concrete? If not, *PLACE is its offset as expressions have it. */
bool runtime_sym_is_fixed(uint64_t offset, uint32_t *place);
void runtime_sym_forget(void); /* all shadows of the run */

/* sym_path.c */
void runtime_sym_open(void);  /* maps shadow memory and tables */
void runtime_sym_begin(void); /* a run begins: an empty trace */
void runtime_sym_event(enum abi_event_kind kind, uint32_t site, uint32_t expr, uint64_t value);
/* A value is what it is from now on; KIND says why. */
void runtime_sym_fix(enum abi_event_kind kind, uint32_t expr, uint64_t value);
void runtime_sym_assume(uint32_t condition, bool holds);

/* sym_objects.c: an argument that was made from the input. */
void runtime_sym_note_argument(const void *memory, uint64_t bytes, const char *name);

/* sym_trace.c */
/* The path tells of an object if its size has a SHADOW; its number, or 0. */
uint32_t runtime_sym_note_alloc(uint32_t shadow, uint64_t size);
void runtime_sym_note_free(uint32_t object); /* 0 is fine */
void runtime_sym_finish(void);               /* appends the trace of the run to the batch's */
/* What the run cost so far; for the server, should it end with its process. */
void runtime_sym_note_cost(void);

/* Shadows of the arguments of a function of ours, and of its result. */
extern uint32_t __slowpath_sym_args[64], __slowpath_sym_results[8];

/* Ends the run at once, with this status. */
_Noreturn void runtime_stop(enum abi_status status);
/* exit() was called: ends the run, or the process when it is the run's own. */
_Noreturn void runtime_exit(int code, void (*really)(int));

#endif
