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
extern const uint32_t __slowpath_reach; /* ABI_REACHES_... */

struct runtime {
    struct abi_control *control; /* NULL before the memory file is mapped */
    struct abi_costs *costs;     /* never NULL */
    const unsigned char *input;
    size_t input_size, input_taken;
    size_t input_asked; /* what was taken, had there been enough */
    jmp_buf run_end;    /* where exit() in mid-run goes */
    bool persistent;    /* a run is under way in a persistent process: exit() ends the run */
    bool is_program;    /* ... of a program, which undoes more */
    int worker;         /* its process, before copies of it */
    bool used_random;
    bool has_children, has_threads; /* the run under way has started some */
    bool made_file;                 /* ... and may have left files */
    bool is_input_kept;             /* no run has changed the file that is the input */
    bool costs_changed;             /* since the trace told of them */
    bool is_uncounted;              /* what happens now costs nothing */
    bool may_stop;                  /* nothing symbolic was looked at: others could go on here */
    bool goes_on;                   /* a copy of a stopped run, which ends with its own */
};
extern struct runtime runtime;

/* heap.c: two heaps at fixed addresses, one for the target's own calls (emptied between runs), one
 * for what the C library allocates for itself (which must survive). */
struct runtime_area {
    char *start, *end;
};
/* What is there before the first run; of a program, in the library's heap as well. */
void runtime_heap_mark(struct runtime_area *run, struct runtime_area *library);
void runtime_heap_begin(void);           /* a run begins */
void *runtime_heap_input(size_t size);   /* zeros that cost nothing; NULL: no memory */
void runtime_heap_reset(void);           /* a run is forgotten */
size_t runtime_heap_library_bytes(void); /* how far the library's heap has grown */
/* The symbolic build: which block of the target's lies the address in? */
bool runtime_heap_find(uintptr_t address, uintptr_t *start, uint64_t *size);
/* The number in the trace of the block that the address lies in, or in the room behind it; 0: it
 * has none. */
uint32_t runtime_heap_number(uintptr_t address);

/* reset.c: the target's writable globals, thread-locals and open files between runs. */
void runtime_reset_prepare(char **argv); /* the server; ends runtime.is_program if it must */
void runtime_reset_begin(void);          /* the worker of a program, before its first run */
void runtime_reset(void);
/* Is all memory of a program, and what the kernel knows of it, as it was before the first run?
 * Looks after the first run, the second, the fourth and so on. */
bool runtime_is_restored(void);
uint64_t runtime_hash(uint64_t hash, const void *bytes, size_t count);
void runtime_note_open(int fd);
void runtime_note_close(int fd);
bool runtime_has_open_files(void); /* that the run under way has opened */
void runtime_close_files(void);    /* those of them that were noted */

/* leave.c: what a run leaves behind in its process. */
#define RUNTIME_LEFT_OTHER 1   /* what nobody puts back */
#define RUNTIME_LEFT_LIBRARY 2 /* in the library's memory alone */
#define RUNTIME_LEFT_TIMERS 4
#define RUNTIME_LEFT_SIGNALS 8
#define RUNTIME_LEFT_UMASK 16
#define RUNTIME_LEFT_FOLDER 32
#define RUNTIME_LEFT_LIMITS 64
#define RUNTIME_LEFT_CHILDREN 128
#define RUNTIME_LEFT_FILES 256
#define RUNTIME_LEFT_MAPS 512
#define RUNTIME_LEFT_STREAMS 1024 /* the standard ones were closed or replaced */
#define RUNTIME_LEFT_FLAGS 2048   /* those of streams may have changed; a function is let go on */
extern uint32_t __slowpath_left;  /* by the run under way */
extern uint64_t __slowpath_left_signals; /* bits of those whose handlers may have changed */
extern const char *__slowpath_left_by;   /* the function, where it is RUNTIME_LEFT_OTHER */
void runtime_leave_begin(void);
bool runtime_left_anything(void);
/* After the run of a program; false: its process has to be replaced. */
bool runtime_put_back(void);
bool runtime_is_worker(void); /* and no copy of it */
void runtime_tell_left(const char *what);
void runtime_adopt_orphans(void); /* the server: children of a worker that is gone become its own */
void runtime_end_orphans(void);

/* lines.c: memory of which a run has changed little. */
void runtime_lines_open(void);
/* BYTES: of whole pages, false: they were zero. */
bool runtime_lines_clear(char *start, size_t bytes);
void runtime_lines_restore(char *to, const char *from, size_t bytes);
/* Downwards, as far as anybody has been there. Needs 256 bytes above for itself. */
void runtime_lines_clear_below(char *top);

/* stack.c: zeros below the caller's frame, but for what clearing itself needs, which the second of
 * the two clears: nothing may be called from there on but what is to find zeros. */
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
struct runtime_range { /* of memory that is put back after each run */
    char *start;
    size_t size;
    char *original; /* copy to restore from, or NULL: drop the pages */
};
void runtime_guard_begin(const struct runtime_range *ranges, unsigned count);
bool runtime_guard_open(const void *address); /* a run writes there: was it closed? */
void runtime_guard_open_all(void);
void runtime_guard_put_back(void); /* copies what is open */

/* snapshot.c: runs that begin alike share their beginning. */
void runtime_snapshot_begin(void); /* a run begins in a persistent process */
void runtime_snapshot_reach(void); /* something symbolic is about to be looked at */

/* maps.c: the memory that a program's process has mapped. */
typedef void runtime_visit_memory(char *start, char *end);
void runtime_note_own(const void *start, size_t size); /* no run's to write to */
bool runtime_maps_each_writable(runtime_visit_memory *visit);
char *runtime_maps_stack_end(void); /* after runtime_maps_each_writable */
bool runtime_maps_begin(void);
bool runtime_maps_put_back(bool look_closely);

/* settings.c: what the kernel knows of a program's process. */
void runtime_settings_keep(void);      /* makes room for what a worker keeps */
bool runtime_settings_has_files(void); /* constructors have opened some */
bool runtime_settings_begin(void);
const char *runtime_settings_put_back(uint32_t left); /* NULL, or what stays changed */
void runtime_stop_timers(void);
uint64_t runtime_settings_hash(uint64_t hash);

/* program.c: a run of a program, from its input to its end. */
void runtime_program_open(int argc, char **argv, char **envp);
bool runtime_program_begin(void); /* a persistent worker */
_Noreturn void runtime_program_run(void);
bool runtime_comes_back(void); /* the run can end without its process */
_Noreturn void runtime_program_exit(int code, void (*really)(int));

/* folder.c: the folder that a run may write to. */
#define RUNTIME_PATH 1024
bool runtime_folder_is_used(void);
void runtime_folder_empty(void);
/* Where the file of that name lies for the target; PLACE is room for the answer. */
const char *runtime_place(const char *path, char place[RUNTIME_PATH]);
void runtime_note_writing(bool is_good); /* a file was opened for writing, or could not be */

/* tree.c: files that are a part of the input. */
void runtime_tree_open(void);
void runtime_tree_forget(void); /* what lies there is not what was laid out */
/* Takes the tree from the end of the input and lays it out; false: it cannot be. */
bool runtime_tree_begin(void);

/* share.c: the memory that the engine sees, too. */
bool runtime_map_shared(void);
bool runtime_is_whole(void); /* nothing has written over the control record */
bool runtime_is_sound(void); /* ... nor over what the server needs of it, as far as one can tell */

/* api.c: what targets and drivers take from the input. */
void runtime_scratch_open(void);
void *runtime_scratch(size_t bytes); /* for the input of this run, at the same place in each */
/* The next bytes of the input; beyond its end there are zeros. Tells how many were there. */
size_t runtime_input_read(void *to, size_t bytes);
_Noreturn void runtime_reject(void); /* no input of interest: ends the run */
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
/* a times b, 64 bits each; SA and SB are their shadows. */
uint32_t runtime_sym_product(uint64_t a, uint32_t sa, uint64_t b, uint32_t sb);

/* sym_memory.c */
void runtime_sym_mark_input(void *memory, uint64_t offset, size_t bytes);
/* Is this byte of the input concrete? If not, *PLACE is its offset as expressions have it. */
bool runtime_sym_is_fixed(uint64_t offset, uint32_t *place);
void runtime_sym_forget(void); /* all shadows of the run */
/* Wherever memory holds a symbolic byte of the input as it is, it holds that of INPUT now. */
void runtime_sym_replace(const unsigned char *input, size_t size);

/* sym_path.c */
void runtime_sym_open(void);         /* maps shadow memory and tables */
void runtime_sym_forget_costs(void); /* of what came before */
void runtime_sym_begin(void);        /* a run begins: an empty trace */
void runtime_sym_event(enum abi_event_kind kind, uint32_t site, uint32_t expr, uint64_t value);
/* A value is what it is from now on; KIND says why. */
void runtime_sym_fix(enum abi_event_kind kind, uint32_t expr, uint64_t value);
void runtime_sym_assume(uint32_t condition, bool holds);

/* sym_sizes.c: blocks of the heap whose size depends on the input. NUMBER is that of the trace. */
bool runtime_sym_may_open(uint32_t shadow); /* a size of that shadow need not be fixed */
/* Is a size of that shadow at most MOST? A decision. */
bool runtime_sym_decide_size(uint32_t shadow, uint64_t size, uint64_t most);
uint64_t runtime_sym_room(uint64_t size); /* bytes to set aside for such a block */
void runtime_sym_open_block(uint32_t number, const void *start, uint64_t room, uint64_t size,
                            uint32_t shadow);
void runtime_sym_close_block(uint32_t number); /* 0 is fine */
bool runtime_sym_has_sized(void);              /* there was such an object in this run */

/* sym_objects.c: an argument that was made from the input. */
void runtime_sym_note_argument(const void *memory, uint64_t bytes, const char *name);

/* sym_trace.c */
/* The path tells of an object if its size has a SHADOW, or that of another had; its number, or
 * 0. */
uint32_t runtime_sym_note_alloc(uint32_t shadow, uint64_t size);
void runtime_sym_note_free(uint32_t object); /* 0 is fine */
/* A cost grows by an amount that depends on the input. */
void runtime_sym_note_amount(uint32_t cost, uint64_t amount, uint32_t shadow);
void runtime_sym_finish(void); /* appends the trace of the run to the batch's */
/* What the run cost so far; for the server, should it end with its process. */
void runtime_sym_note_cost(void);

/* Shadows of the arguments of a function of ours, and of its result. */
extern uint32_t __slowpath_sym_args[64], __slowpath_sym_results[8], __slowpath_sym_given;

/* ---- the recording build: record.c ---- */

void runtime_record_open(void);
void runtime_record_begin(void);  /* a run begins */
void runtime_record_end(void);    /* ... and ends by itself */
void runtime_record_finish(void); /* what is known of it becomes its trace */

/* book.c: what a run has cost. */
struct abi_result *runtime_result_of(uint32_t run);
uint64_t runtime_output_size(void);      /* bytes of output that are kept so far; 0: none are */
struct abi_result *runtime_result(void); /* of the run under way */
void runtime_book_run(enum abi_status status);

/* server.c */
struct rusage;
uint64_t runtime_now_ns(int clock);
bool runtime_has_work(void);    /* is there an input to run, and room for what it tells? */
void runtime_await_batch(void); /* reports the end of this one; ends when there is no other */
void runtime_book_ended(int status, const struct rusage *usage, uint64_t started);
_Noreturn void runtime_leave_run(void); /* back to the worker, which books nothing */
const unsigned char *runtime_input_of(uint32_t run, size_t *size);
/* The program has ended itself: its worker goes on. */
_Noreturn void runtime_end_run(int code);
/* Ends the run at once, with this status. */
_Noreturn void runtime_stop(enum abi_status status);
/* exit() was called: ends the run, or the process when it is the run's own. */
_Noreturn void runtime_exit(int code, void (*really)(int));

#endif
