/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of the symbolic runtime (sym_*.c).
 */
#ifndef SLOWPATH_RUNTIME_SYMBOLIC_H
#define SLOWPATH_RUNTIME_SYMBOLIC_H

#include "abi/shadow.h"
#include "runtime/hooks.h"
#include "runtime/runtime.h"
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

void *runtime_sym_reserve(void *at, size_t bytes); /* address space; aborts if there is none */
void runtime_sym_open_expr(void);
void runtime_sym_begin_expr(void);
void runtime_sym_open_memory(void);
void runtime_sym_open_path(void);

/* sym_expr.c: input integers read recently, so that most loads need no look-up. */
#define RUNTIME_NEAR_INPUTS 256u
struct runtime_near_input {
    uint32_t offset, width, node, epoch;
};
extern struct runtime_near {
    uint32_t epoch; /* of the table of nodes: entries with another one are stale */
    struct runtime_near_input inputs[RUNTIME_NEAR_INPUTS];
} runtime_near;
/* Its node; 0: call runtime_sym_input. */
static inline uint32_t runtime_sym_near_input(uint32_t offset, unsigned width) {
    const struct runtime_near_input *near = &runtime_near.inputs[offset % RUNTIME_NEAR_INPUTS];
    bool is_it = near->offset == offset && near->width == width;
    return is_it && near->epoch == runtime_near.epoch ? near->node : 0;
}

/* Instructions, entered functions and calls of functions without bitcode so far; see
 * sym_trace.c. */
extern uint64_t __slowpath_sym_cost, __slowpath_sym_frames, __slowpath_sym_calls;

/* sym_force.c: the direction of a branch in a forced run. */
void runtime_sym_open_force(void);
void runtime_sym_begin_force(void);
/* Decisions at a site: bits, newest lowest, below a 1. */
struct runtime_site {
    uint64_t all, in_frame;
    uint64_t frame; /* the last call that reached it */
    uint64_t epoch;
};
#define RUNTIME_SITES (1u << 20)
extern struct runtime_sites {
    struct runtime_site *at;
    uint64_t epoch;
} runtime_sites;
/* A branch is reached in the call of that number: is this the first time? */
static inline bool runtime_sym_reach(uint32_t number, uint64_t frame) {
    struct runtime_site *site = &runtime_sites.at[number & (RUNTIME_SITES - 1)];
    if (site->epoch != runtime_sites.epoch)
        *site = (struct runtime_site){.all = 1, .frame = UINT64_MAX, .epoch = runtime_sites.epoch};
    if (site->frame == frame)
        return false;
    site->frame = frame;
    site->in_frame = 1;
    return true;
}
bool runtime_sym_decide(bool condition, uint32_t branch, uint32_t site);

/* sym_loops.c: records active calls and loops that are not in the trace yet. */
void runtime_sym_open_loops(void);
void runtime_sym_begin_loops(void);
void runtime_sym_tell_loops(void);
extern uint32_t runtime_activations; /* number of active calls and loops */
/* sym_trace.c: writes an event, after the costs that have changed; false when the trace is full.
 * MARK is stored behind its kind. */
void runtime_sym_begin_trace(void);
bool runtime_sym_write(enum abi_event_kind kind, uint16_t mark, uint32_t site, uint32_t expr,
                       uint64_t value);
/* The same for an event that changes later; NULL when the trace is full. */
struct abi_event *runtime_sym_write_open(enum abi_event_kind kind, uint32_t site, uint32_t expr,
                                         uint64_t value);
/* A run, or a copy of one, continues from a saved state. */
void runtime_sym_take_kept(void);

/* Something symbolic becomes concrete without a decision: counted by name. */
void runtime_sym_lose(const char *name);
#define RUNTIME_LOST_INSIDE "the memory of a stream"

/* sym_variadic.c: arguments behind `...`, and the layout of a va_list. */
struct variadic_call {   /* SYMBOLIC_VARIADIC_WORDS words in the frame of the callee */
    uint32_t first, end; /* of the arguments; none if the caller has no bitcode */
    uint64_t floating;   /* one bit each */
    uint32_t shadows[64];
};
struct variadic_list {
    uint32_t integers, floats; /* next offsets in SAVED */
    char *rest, *saved;
};
struct variadic_given { /* for one of our functions that gets them */
    struct variadic_call call;
    struct variadic_list list;
};
#define RUNTIME_SAVED_BYTES 176u        /* of registers, behind `saved` */
void runtime_sym_forget_variadic(void); /* the next callee gets none */
/* Writes the shadows of this call beneath the arguments of a fresh LIST, and removes them again. */
void runtime_sym_lay_variadic(struct variadic_given *given, const struct variadic_list *list);
void runtime_sym_lift_variadic(struct variadic_given *given);
char *runtime_sym_next_variadic(struct variadic_list *list, bool floating);

/* sym_memory.c: sets the shadow of some bytes; the expression of one, or 0. */
void runtime_sym_put(void *memory, uint32_t value, uint32_t bytes);
uint32_t runtime_sym_byte(const void *memory);
uint32_t runtime_sym_bytes(const void *memory, unsigned bytes); /* the same for up to 8 */
bool runtime_sym_is_symbolic(const void *memory, uint64_t bytes);
/* True if nothing there is symbolic. */
bool runtime_sym_is_plain(const void *memory, uint64_t bytes);
void runtime_sym_clear(void *memory, uint64_t bytes);
void runtime_sym_copy(void *to, const void *from, uint64_t bytes);
void runtime_sym_spread(void *to, uint32_t byte, uint64_t bytes);
bool runtime_sym_is_any(void); /* is any memory symbolic? */

/* sym_files.c: descriptors and streams that lead to the input. For all others the offset of the
 * next byte is -1. */
void runtime_sym_begin_files(void);
void runtime_sym_forget_descriptors(void); /* a number may mean another file now */
bool runtime_sym_is_input(int fd);
bool runtime_sym_is_self(int fd);           /* a file of /proc about this process */
void runtime_sym_note_stream(FILE *stream); /* after it was opened */
bool runtime_sym_is_input_stream(const void *stream);
off_t runtime_sym_input_offset(int fd);
off_t runtime_sym_stream_offset(FILE *stream);
int runtime_sym_descriptor(FILE *stream); /* -1: the stream is memory */
bool runtime_sym_is_kept(int fd);         /* may data written there matter again? */
extern const char runtime_sym_asks_position
    __attribute__((weak)); /* defined if the program has such calls: sym_position.c */
/* Symbolic bytes were written there, or a symbolic number of bytes. Could they come back from a
 * descriptor (-1: from any)? Does the length of a file depend on the input? */
void runtime_sym_note_written(int fd, bool is_open_ended);
/* Buffers that the program gives a stream, and closed streams. Code that reads the memory of a
 * stream with data of the input directly, past the library, loses that data. */
void runtime_sym_hide_stream(FILE *stream); /* the stream carries data of the input */
void runtime_sym_note_buffer(FILE *stream, void *buffer, size_t bytes);
void runtime_sym_forget_stream(FILE *stream);
bool runtime_sym_may_read_back(int fd);
bool runtime_sym_is_open_ended(const struct stat *file);

void runtime_sym_begin_input(void); /* sym_stdio.c */

/* sym_objects.c: memory that accesses are meant to stay within. */
struct runtime_object {
    uintptr_t start;
    uint64_t size;
    const char *name; /* for messages */
    bool is_static;   /* exists all the time, so its content may be looked up */
    /* For an object whose size depends on the input; the size above is that of this run. */
    uint32_t size_shadow; /* 0: it does not depend on it */
    uint64_t room;        /* bytes up to the next object */
    uint64_t proven;      /* minimum size on this path */
};
void runtime_sym_open_objects(void);
void runtime_sym_begin_objects(void);
bool runtime_sym_find_object(uintptr_t address, struct runtime_object *object);
/* The object that a pointer was derived from, though it may point behind its end. */
bool runtime_sym_find_origin(uintptr_t pointer, struct runtime_object *object);

/* sym_sizes.c: objects whose size the path leaves open. */
void runtime_sym_forget_sizes(void);
bool runtime_sym_find_sized(uintptr_t address, struct runtime_object *object);
/* Is the object large enough for this access? Decides that if it depends on the input; ends the run
 * if not. */
void runtime_sym_check_size(const void *memory, uint64_t bytes, uint32_t kind);
static inline void runtime_sym_note_access(const void *memory, uint64_t bytes, uint32_t kind) {
    uint8_t mark = bytes ? *abi_shadow_mark(memory) : 0;
    if (mark & ABI_MARK_SIZED)
        runtime_sym_check_size(memory, bytes, kind);
    if (mark & ABI_MARK_STREAM && !(kind & ABI_ACCESS_WRITE))
        runtime_sym_lose(RUNTIME_LOST_INSIDE);
}
#define RUNTIME_NO_SITE (ABI_ACCESS_MAX_SITE << ABI_ACCESS_SITE) /* an access by the library */

/* sym_address.c: an access through a symbolic address, as passed to the hooks. */
struct runtime_access {
    const void *memory;
    uint32_t address; /* its shadow */
    uint32_t kind;    /* ABI_ACCESS_... */
    const void *base; /* the pointer from which the address was computed */
    uint32_t base_shadow;
    uint64_t size; /* of the variable at BASE; 0: an ordinary pointer */
};
/* Fixes the address, in this object or an unknown one. */
void runtime_sym_fix_access(const struct runtime_access *access,
                            const struct runtime_object *object);
/* Decides which object the access is meant for, and whether it stays within; ends the run if not.
 * False: the object is unknown. */
bool runtime_sym_reach_object(const struct runtime_access *access, struct runtime_object *object);
/* Ends the run, because the access leaves its object. */
_Noreturn void runtime_sym_leave(const struct runtime_access *access,
                                 const struct runtime_object *object, uint64_t bytes);
/* sym_lookup.c: the value loaded from the object, for any address within; 0: fix the address. */
uint32_t runtime_sym_look_up(const struct runtime_object *object, uint32_t address, unsigned bytes);

/* sym_facts.c: facts from the form of an expression, for all inputs. */
struct runtime_bounds {
    uint64_t low, high; /* inclusive */
};
struct runtime_bounds runtime_sym_bounds(uint32_t expr);
unsigned runtime_sym_low_zeros(uint32_t expr); /* trailing zero bits */
/* The same, including what the path has decided about single input integers. */
struct runtime_bounds runtime_sym_bounds_here(uint32_t expr);
/* A comparison was decided. */
void runtime_sym_learn(uint32_t condition, bool holds);
void runtime_sym_open_facts(void);
void runtime_sym_begin_facts(void);
/* VALUE is its only possible value within the bounds. */
bool runtime_sym_has_only(uint32_t expr, struct runtime_bounds in, uint64_t value);
bool runtime_sym_is_constant(uint32_t expr, uint64_t *value);
unsigned runtime_sym_operands(enum abi_op op);

/* sym_path.c: decisions on addresses. WITHIN: the condition that the address is in the object. */
void runtime_sym_decide_object(uint32_t address, const struct runtime_object *object,
                               uint32_t within);
void runtime_sym_decide_bounds(uint32_t condition, uint32_t site, bool inside);
/* Has it only one value on this path, after earlier decisions? */
bool runtime_sym_is_settled(uint32_t expr);

/* sym_links.c: pointers of the input that are not resolved yet. */
struct runtime_pool {
    void **objects; /* from 1; 0 is null */
    uint64_t count;
    bool is_fixed;              /* functions, which always exist */
    int64_t table;              /* their addresses in the trace; -1: no table */
    uint32_t *order;            /* objects that exist on this path, in order of appearance */
    uint32_t existing, highest; /* how many exist, and the largest number */
    uint64_t next;              /* none before it is free */
    bool *exists;
};
struct runtime_link {
    void *at;
    uint32_t value;         /* the object in this run */
    uint32_t pool;          /* the pool of these objects */
    uint32_t owner, object; /* contained in this object of that pool; object 0: an argument */
    uint32_t choice;        /* expression of the number */
    uint32_t plain;         /* in a union: expression of the bytes if they are not a pointer */
    uint32_t link;          /* ... and of the pointer */
    bool is_seen, is_followed;
};
/* The range of nodes that are expressions of link addresses. */
extern struct runtime_link_nodes {
    uint32_t first, span;
} runtime_link_nodes;
void runtime_sym_begin_links(struct runtime_pool *pools, unsigned form);
void runtime_sym_forget_links(void);
void runtime_sym_open_link(const struct runtime_link *link, uint64_t offset);
/* PLAIN: the expression of the content if it is not a pointer; 0: concrete. */
void runtime_sym_open_union(const struct runtime_link *link, uint64_t offset, uint32_t plain);
/* Memory that may be part of a union is about to be read, as a pointer or not, which settles it. */
void runtime_sym_settle_union(const void *memory, bool is_pointer);
static inline bool runtime_sym_has_links(void) {
    return __builtin_expect(runtime_link_nodes.span != 0, 0);
}
/* Resolves a pointer. Afterwards it is concrete, or not a link: then the shadow stays. */
uint32_t runtime_sym_look(uint32_t shadow);
bool runtime_sym_was_seen(uint32_t shadow);
/* Is this link null? 0: it is resolved, or not a link. */
uint32_t runtime_sym_ask_null(uint32_t shadow);
void runtime_sym_decide_link(uint32_t condition, uint32_t site, bool leads);
void runtime_sym_settle(uint32_t expr); /* it has only one value from here on */
/* sym_lookup.c: a table of addresses in the trace, or -1. */
int64_t runtime_sym_make_table(void *const *addresses, uint64_t count);

/* sym_output.c, sym_format.c: output of the run. */
#define RUNTIME_LOST_STREAM "a stream in memory"
#define RUNTIME_LOST_REST "output of great length"
void runtime_sym_begin_output(void);
void runtime_sym_open_format(void);
void runtime_sym_tell_byte(int fd, unsigned char byte, uint32_t expr);
void runtime_sym_tell_text(int fd, const char *format, va_list args);
void runtime_sym_lay_text(char *to, size_t bytes, const char *format, va_list args);
bool runtime_sym_look_at_text(const char *format, va_list args, bool length_matters);

/* sym_path.c: could the string end at another of these bytes? Not if the path has asked. */
bool runtime_sym_may_end_elsewhere(const char *text, size_t bytes);
/* Makes its length a decision of the path. */
void runtime_sym_decide_length(const char *text, size_t bytes);

/* A decision of the runtime itself; ignores conditions that could not be created. */
void runtime_sym_ask(uint32_t condition, bool holds);

/* sym_digits.c: a number as text. */
struct runtime_number {
    uint32_t expr;
    uint64_t value; /* in this run; no wider than the expression */
    unsigned base;  /* 8, 10 or 16 */
    bool is_signed, is_upper;
    unsigned digits; /* count on this path */
};
/* Decides the sign and the digits; then the number is its magnitude. */
void runtime_sym_decide_digits(struct runtime_number *number);
void runtime_sym_decide_zero(const struct runtime_number *number); /* is it zero? */
/* The expression of a digit, counted from the right, and its value in this run. */
uint32_t runtime_sym_digit(const struct runtime_number *number, unsigned index, char *letter);

/* sym_float.c: compares bits as floating-point numbers, by LLVM's predicate. */
uint32_t runtime_sym_compare_floats(unsigned predicate, uint32_t a, uint32_t b);
uint32_t runtime_sym_extract(uint32_t a, unsigned low, unsigned width);
struct abi_table *runtime_sym_tables(void);
char *runtime_sym_table_bytes(void);

#endif
