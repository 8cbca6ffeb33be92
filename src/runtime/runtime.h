/* SPDX-License-Identifier: Apache-2.0
 *
 * runtime: the part of slowpath that is linked into a target. It needs nothing but libc, never
 * prints to the target's streams and never uses the target's heap.
 *
 * All its own state lives in one section, which the reset between runs leaves alone: declare every
 * variable of this folder with RUNTIME_STATE.
 */
#ifndef SLOWPATH_RUNTIME_H
#define SLOWPATH_RUNTIME_H

#include "abi/abi.h"
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#define RUNTIME_STATE __attribute__((section("slowpath_state")))
extern char __start_slowpath_state[], __stop_slowpath_state[];
/* Inaccessible pages around the state. */
extern char __slowpath_state_first[ABI_PAGE], __slowpath_state_last[ABI_PAGE];

extern char __slowpath_guard[];        /* the page before the counters */
extern uint64_t __slowpath_counters[]; /* whole pages, then a guard page */
extern const uint32_t __slowpath_slot_count;
extern const uint32_t __slowpath_reach; /* ABI_REACHES_... */

struct runtime {
    struct abi_control *control; /* NULL until the memory file is mapped */
    struct abi_costs *costs;     /* never NULL */
    const unsigned char *input;
    size_t input_size, input_taken;
    size_t input_asked; /* bytes the run asked for, available or not */
    jmp_buf run_end;    /* where exit() during a run jumps to */
    bool persistent;    /* a run in a persistent process: exit() ends the run, not the process */
    bool is_program;    /* ... and it is a program's, so more is undone */
    int worker;         /* pid of the worker, not of its forks */
    bool used_random;
    bool has_children, has_threads; /* started by the current run */
    bool made_file;                 /* ... which may have left files, too */
    bool is_input_kept;             /* no run has changed the input file */
    bool costs_changed;             /* since the last cost in the trace */
    bool is_uncounted;              /* costs do not count right now */
    /* No symbolic value was read yet: a snapshot can be taken here. */
    bool may_stop;
    bool goes_on; /* this is a copy of a stopped run and ends with its run */
};
extern struct runtime runtime;

/* heap.c: two heaps at fixed addresses, one for the target's own calls (emptied between runs), one
 * for what the C library allocates for itself (which must survive). */
struct runtime_area {
    char *start, *end;
};
/* What was allocated before the first run; for a program, in the library's heap, too. */
void runtime_heap_mark(struct runtime_area *run, struct runtime_area *library);
void runtime_heap_begin(void);           /* a run begins */
void *runtime_heap_input(size_t size);   /* zeroed and free of cost; NULL: out of memory */
void runtime_heap_reset(void);           /* after a run */
size_t runtime_heap_library_bytes(void); /* how far the library's heap has grown */
/* The symbolic build: the block of the target's heap that contains ADDRESS. */
bool runtime_heap_find(uintptr_t address, uintptr_t *start, uint64_t *size);
/* The trace number of the block that contains the address, or has it in the slack behind it; 0: the
 * block has no number. */
uint32_t runtime_heap_number(uintptr_t address);

/* reset.c: restores the target's writable globals, thread-locals and open files between runs. */
void runtime_reset_prepare(char **argv); /* in the server; may clear runtime.is_program */
void runtime_reset_begin(void);          /* in a program's worker, before its first run */
void runtime_reset(void);
/* Has a program's process the same memory and kernel state as before the first run? Checked only
 * after runs 1, 2, 4, 8 and so on. */
bool runtime_is_restored(void);
uint64_t runtime_hash(uint64_t hash, const void *bytes, size_t count);
void runtime_note_open(int fd);
void runtime_note_close(int fd);
bool runtime_has_open_files(void); /* opened by the current run */
void runtime_close_files(void);    /* closes those that were noted */

/* leave.c: what a run leaves behind in its process. */
#define RUNTIME_LEFT_OTHER 1   /* cannot be undone */
#define RUNTIME_LEFT_LIBRARY 2 /* only in the library's memory */
#define RUNTIME_LEFT_TIMERS 4
#define RUNTIME_LEFT_SIGNALS 8
#define RUNTIME_LEFT_UMASK 16
#define RUNTIME_LEFT_FOLDER 32
#define RUNTIME_LEFT_LIMITS 64
#define RUNTIME_LEFT_CHILDREN 128
#define RUNTIME_LEFT_FILES 256
#define RUNTIME_LEFT_MAPS 512
#define RUNTIME_LEFT_STREAMS 1024 /* standard streams were closed or replaced */
/* Flags of streams may have changed; the function is allowed all the same. */
#define RUNTIME_LEFT_FLAGS 2048
extern uint32_t __slowpath_left;         /* by the current run */
extern uint64_t __slowpath_left_signals; /* signals whose handlers may have changed, as bits */
extern const char *__slowpath_left_by;   /* the function that set RUNTIME_LEFT_OTHER */
void runtime_leave_begin(void);
bool runtime_left_anything(void);
/* Undoes a program's run; false: the process must be replaced. */
bool runtime_put_back(void);
bool runtime_is_worker(void); /* false in its forks */
void runtime_tell_left(const char *what);
void runtime_adopt_orphans(void); /* the server adopts the children of dead workers */
void runtime_end_orphans(void);

/* lines.c: clears and restores memory of which a run has changed little. */
void runtime_lines_open(void);
/* BYTES is a multiple of the page size. False: the pages were zero already. */
bool runtime_lines_clear(char *start, size_t bytes);
void runtime_lines_restore(char *to, const char *from, size_t bytes);
/* Clears downwards, as far as the stack was used. Needs 256 bytes above TOP for itself. */
void runtime_lines_clear_below(char *top);

/* stack.c: zeroes the stack below the caller's frame. The second function clears what the first one
 * used; call nothing after it except code that needs a zeroed stack. */
#define RUNTIME_STACK_MARGIN ((size_t)512)
void runtime_stack_clear(void);
__attribute__((always_inline)) static inline void runtime_stack_clear_margin(void) {
    __asm__ volatile("leaq -2 * %c0(%%rsp), %%rdi\n\txorl %%eax, %%eax\n\tmovl $%c0 / 4, %%ecx\n\t"
                     "rep stosq"
                     :
                     : "i"(RUNTIME_STACK_MARGIN)
                     : "rdi", "rax", "rcx", "memory", "cc");
}

/* guard.c: pages that no run has written to yet. */
#define RUNTIME_MOST_RANGES 128u
struct runtime_range { /* memory that is restored after each run */
    char *start;
    size_t size;
    char *original; /* copy to restore from, or NULL: drop the pages */
};
void runtime_guard_begin(const struct runtime_range *ranges, unsigned count);
bool runtime_guard_open(const void *address); /* a write fault: was it a page we closed? */
void runtime_guard_open_all(void);
void runtime_guard_put_back(void); /* restores the open pages */

/* snapshot.c: runs with the same beginning share it. */
void runtime_snapshot_begin(void); /* a run starts in a persistent process */
void runtime_snapshot_reach(void); /* a symbolic value is about to be read */

/* maps.c: the mappings of a program's process. */
typedef void runtime_visit_memory(char *start, char *end);
void runtime_note_own(const void *start, size_t size); /* memory that no run may write to */
bool runtime_maps_each_writable(runtime_visit_memory *visit);
char *runtime_maps_stack_end(void); /* valid after runtime_maps_each_writable */
bool runtime_maps_begin(void);
bool runtime_maps_put_back(bool look_closely);

/* settings.c: the kernel state of a program's process. */
void runtime_settings_keep(void);      /* reserves room for what a worker saves */
bool runtime_settings_has_files(void); /* constructors have opened files */
bool runtime_settings_begin(void);
const char *runtime_settings_put_back(uint32_t left); /* NULL, or what could not be restored */
void runtime_stop_timers(void);
uint64_t runtime_settings_hash(uint64_t hash);

/* program.c: a program's run, from its input to its exit. */
void runtime_program_open(int argc, char **argv, char **envp);
bool runtime_program_begin(void); /* in a persistent worker */
_Noreturn void runtime_program_run(void);
bool runtime_comes_back(void); /* can the run end without ending its process? */
_Noreturn void runtime_program_exit(int code, void (*really)(int));

/* folder.c: the folder that a run may write to. */
#define RUNTIME_PATH 1024
bool runtime_folder_is_used(void);
void runtime_folder_empty(void);
/* The real path of the file that the target calls PATH; PLACE is a buffer for the answer. */
const char *runtime_place(const char *path, char place[RUNTIME_PATH]);
void runtime_note_writing(bool is_good); /* after an open for writing, successful or not */

/* tree.c: files that are part of the input. */
void runtime_tree_open(void);
void runtime_tree_forget(void); /* the files on disk no longer match the tree */
/* Takes the tree from the end of the input and creates its files; false on failure. */
bool runtime_tree_begin(void);

/* share.c: the memory shared with the engine. */
bool runtime_map_shared(void);
bool runtime_is_whole(void); /* is the control record intact? */
/* ... and all else the server needs of it, as far as that can be checked? */
bool runtime_is_sound(void);

/* api.c: what targets and drivers take from the input. */
void runtime_scratch_open(void);
/* For the input of this run, at the same address in every run. */
void *runtime_scratch(size_t bytes);
/* Reads the next bytes of the input, zeros beyond its end. Returns how many existed. */
size_t runtime_input_read(void *to, size_t bytes);
_Noreturn void runtime_reject(void); /* rejects the input: ends the run */
void runtime_input_set(const unsigned char *input, size_t size);

/* ---- the symbolic build ---- */

/* sym_expr.c */
uint32_t runtime_sym_node(enum abi_op op, unsigned width, unsigned extra, uint32_t a, uint32_t b,
                          uint32_t c);
uint32_t runtime_sym_constant(unsigned width, uint64_t value);
uint32_t runtime_sym_input(uint32_t offset, unsigned width);
static inline const struct abi_node *runtime_sym_at(uint32_t node) {
    return (const struct abi_node *)(ABI_SHARED_ADDRESS + ABI_OFFSET_NODES) + node;
}
/* The 64-bit product a * b; SA and SB are the operands' shadows. */
uint32_t runtime_sym_product(uint64_t a, uint32_t sa, uint64_t b, uint32_t sb);

/* sym_memory.c */
void runtime_sym_mark_input(void *memory, uint64_t offset, size_t bytes);
/* Is this byte of the input concrete? If not, *PLACE is the offset that its expression uses. */
bool runtime_sym_is_fixed(uint64_t offset, uint32_t *place);
void runtime_sym_forget(void); /* drops all shadows of the run */
/* Updates every byte of memory that is an unchanged symbolic byte of the input to its value in
 * INPUT. */
void runtime_sym_replace(const unsigned char *input, size_t size);

/* sym_path.c */
void runtime_sym_open(void);         /* maps shadow memory and tables */
void runtime_sym_forget_costs(void); /* the costs so far do not count */
void runtime_sym_begin(void);        /* a run starts with an empty trace */
void runtime_sym_event(enum abi_event_kind kind, uint32_t site, uint32_t expr, uint64_t value);
/* From now on the path fixes EXPR to VALUE; KIND is the reason. */
void runtime_sym_fix(enum abi_event_kind kind, uint32_t expr, uint64_t value);
void runtime_sym_assume(uint32_t condition, bool holds);

/* sym_sizes.c: heap blocks whose size depends on the input. NUMBER is the block's trace number. */
bool runtime_sym_may_open(uint32_t shadow); /* may a size with this shadow stay symbolic? */
/* Decides whether a size with this shadow is at most MOST. */
bool runtime_sym_decide_size(uint32_t shadow, uint64_t size, uint64_t most);
uint64_t runtime_sym_room(uint64_t size); /* bytes to reserve for such a block */
void runtime_sym_open_block(uint32_t number, const void *start, uint64_t room, uint64_t size,
                            uint32_t shadow);
void runtime_sym_close_block(uint32_t number); /* ignores 0 */
bool runtime_sym_has_sized(void);              /* did this run have such a block? */

/* sym_objects.c: registers an argument that was built from the input. */
void runtime_sym_note_argument(const void *memory, uint64_t bytes, const char *name);

/* sym_trace.c */
/* Records an allocation if its size has a SHADOW, or that of an earlier one had. Returns the
 * object's number, or 0. */
uint32_t runtime_sym_note_alloc(uint32_t shadow, uint64_t size);
void runtime_sym_note_free(uint32_t object); /* ignores 0 */
/* A cost grows by AMOUNT, whose expression is SHADOW. */
void runtime_sym_note_amount(uint32_t cost, uint64_t amount, uint32_t shadow);
void runtime_sym_finish(void); /* appends the run's trace to the batch */
/* Saves the run's cost so far, in case its process dies and the server has to finish the trace. */
void runtime_sym_note_cost(void);

/* Shadows of the arguments and the result of one of our library functions. */
extern uint32_t __slowpath_sym_args[64], __slowpath_sym_results[8], __slowpath_sym_given;

/* ---- the recording build: record.c ---- */

void runtime_record_open(void);
void runtime_record_begin(void);  /* a run starts */
void runtime_record_end(void);    /* ... and ends normally */
void runtime_record_finish(void); /* the run's record becomes its trace */

/* book.c: the result of a run. */
struct abi_result *runtime_result_of(uint32_t run);
uint64_t runtime_output_size(void);      /* bytes of output kept so far; 0: output is not kept */
struct abi_result *runtime_result(void); /* of the current run */
void runtime_book_run(enum abi_status status);

/* server.c */
struct rusage;
uint64_t runtime_now_ns(int clock);
bool runtime_has_work(void); /* is there an input left, and room for its result? */
/* Reports the batch as done and waits for the next; exits when there is none. */
void runtime_await_batch(void);
void runtime_book_ended(int status, const struct rusage *usage, uint64_t started);
_Noreturn void runtime_leave_run(void); /* returns to the worker without booking the run */
const unsigned char *runtime_input_of(uint32_t run, size_t *size);
/* The program has exited; its worker goes on. */
_Noreturn void runtime_end_run(int code);
/* Ends the run immediately with this status. */
_Noreturn void runtime_stop(enum abi_status status);
/* Implements exit(): ends the run, or the process if it belongs to the run. */
_Noreturn void runtime_exit(int code, void (*really)(int));

#endif
