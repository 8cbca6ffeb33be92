/* SPDX-License-Identifier: Apache-2.0
 *
 * base: what every other room stands on. Memory that cannot fail, growable strings and vectors,
 * a string map, files, child processes, content hashes, errors and log lines.
 *
 * Ownership: `new/free` own, `init/done` work in place, borrowed pointers are const. Allocation
 * never returns NULL: the process stops with a message when memory is exhausted.
 */
#ifndef SLOWPATH_BASE_H
#define SLOWPATH_BASE_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BASE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define BASE_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- errors: the user's or the target's fault, carried up to the command line ---- */

/* The exit codes users rely on. */
enum base_exit {
    BASE_OK = 0,
    BASE_GATE = 1,   /* a gate failed: replay, compare, policy not met */
    BASE_USAGE = 2,  /* wrong option or bad file */
    BASE_TARGET = 3, /* the target does not build or has no entry */
    BASE_BROKEN = 4, /* the target misbehaves */
    BASE_UNTOLD = 5, /* a gate cannot tell: there is nothing to compare */
    BASE_STOPPED = 6 /* it was told to end: never what a program ends with */
};

struct base_error {
    enum base_exit code;
    char message[4096];
};

/* Fills ERROR and returns false, so that a caller can write `return base_fail(...)`. */
bool base_fail(struct base_error *error, enum base_exit code, const char *format, ...)
    BASE_PRINTF(3, 4);

/* ---- log: lines on stderr, read as a commentary ---- */

void base_log_level(int level); /* 0 quiet, 1 normal, 2 verbose */
void base_warn(const char *format, ...) BASE_PRINTF(1, 2);
void base_note(const char *format, ...) BASE_PRINTF(1, 2);
void base_detail(const char *format, ...) BASE_PRINTF(1, 2);
/* A bug: prints and aborts. */
_Noreturn void base_panic(const char *format, ...) BASE_PRINTF(1, 2);
/* The machine has no more of something (memory, processes): prints and ends with BASE_BROKEN. What
 * is on disk is whole at every moment, so there is nothing to tidy up first. */
_Noreturn void base_give_up(const char *format, ...) BASE_PRINTF(1, 2);

/* ---- faults on purpose, for tests of the engine: the rows of BASE_FAULTS ---- */

/* FAULT(name, what happens) */
#define BASE_FAULTS(FAULT)                                                                         \
    FAULT("alloc", "memory is exhausted")                                                          \
    FAULT("open", "a file cannot be opened")                                                       \
    FAULT("read", "a file cannot be read")                                                         \
    FAULT("write", "the disk is full")                                                             \
    FAULT("short", "a write takes half of the bytes")                                              \
    FAULT("rename", "a file cannot be renamed")                                                    \
    FAULT("mkdir", "a folder cannot be made")                                                      \
    FAULT("stall", "a shared folder does not answer")                                              \
    FAULT("pipe", "there is no further pipe")                                                      \
    FAULT("fork", "a compiler cannot be started")                                                  \
    FAULT("exec", "... or ends at once")                                                           \
    FAULT("clock", "the clock jumps by a quarter of an hour")                                      \
    FAULT("memory", "there is no memory to share with a target")                                   \
    FAULT("server", "a target cannot be started")                                                  \
    FAULT("landlock", "the kernel has no landlock")                                                \
    FAULT("gone-before", "the server dies before a hand-over")                                     \
    FAULT("gone-after", "... and in it")                                                           \
    FAULT("control", "the shared control record is damaged")                                       \
    FAULT("result", "a result is damaged")                                                         \
    FAULT("trace", "a byte of a trace is another")

extern unsigned base_faults; /* how many SLOWPATH_FAULT names */
bool base_fault_due(const char *name);
/* As if SLOWPATH_FAULT were TEXT from now on, which stays the caller's; "": no faults. */
void base_fault_set(const char *text);
/* How many calls there are until the first of them is due; 0: it has happened. */
unsigned long base_fault_left(void);
/* Changes one byte; which one differs from call to call. */
void base_fault_damage(void *bytes, size_t count);
/* Is the place of this name to fail now? */
static inline bool base_fault(const char *name) {
    return base_faults && base_fault_due(name);
}

/* ---- memory ---- */

void *base_alloc(size_t size); /* zeroed */
void *base_realloc(void *memory, size_t size);
char *base_strdup(const char *text);
char *base_format(const char *format, ...) BASE_PRINTF(1, 2); /* the caller frees */

/* An arena owns everything allocated from it; base_arena_done releases all at once. */
struct base_arena {
    struct base_arena_chunk *chunks;
    size_t used, size;
};
void *base_arena_alloc(struct base_arena *arena, size_t size); /* zeroed, 16-byte aligned */
char *base_arena_strdup(struct base_arena *arena, const char *text);
char *base_arena_format(struct base_arena *arena, const char *format, ...) BASE_PRINTF(2, 3);
void base_arena_done(struct base_arena *arena);

/* A vector is any struct made by BASE_VECTOR; zero-initialised is empty. */
#define BASE_VECTOR(type)                                                                          \
    struct {                                                                                       \
        type *data;                                                                                \
        size_t count, capacity;                                                                    \
    }
#define base_push(vector, ...)                                                                     \
    (((vector)->count == (vector)->capacity                                                        \
          ? (void)((vector)->data =                                                                \
                       base_grow((vector)->data, &(vector)->capacity, sizeof(*(vector)->data)))    \
          : (void)0),                                                                              \
     (vector)->data[(vector)->count++] = (__VA_ARGS__))
#define base_vector_done(vector)                                                                   \
    (free((vector)->data), (vector)->data = NULL, (vector)->count = (vector)->capacity = 0)
void *base_grow(void *data, size_t *capacity, size_t element);

struct base_strings { /* a vector of owned strings */
    char **data;
    size_t count, capacity;
};
void base_strings_add(struct base_strings *strings, const char *text);
void base_strings_done(struct base_strings *strings);

/* A growable byte string, always followed by a NUL byte. */
struct base_buffer {
    char *data;
    size_t count, capacity;
};
/* Room for COUNT more bytes and a NUL. */
void base_buffer_reserve(struct base_buffer *buffer, size_t count);
void base_buffer_add(struct base_buffer *buffer, const void *bytes, size_t count);
void base_buffer_print(struct base_buffer *buffer, const char *format, ...) BASE_PRINTF(2, 3);
void base_buffer_done(struct base_buffer *buffer);

/* A map from strings (copied) to 32-bit numbers. */
struct base_map {
    struct base_map_slot *slots;
    size_t count, capacity;
};
#define BASE_MAP_NONE UINT32_MAX
uint32_t base_map_get(const struct base_map *map, const char *key); /* BASE_MAP_NONE if absent */
void base_map_set(struct base_map *map, const char *key, uint32_t value);
void base_map_done(struct base_map *map);

/* Levenshtein distance, for "did you mean". */
size_t base_edit_distance(const char *a, const char *b);
/* How far from a word a suggestion may be, which is about a third of its letters. */
size_t base_near_distance(const char *word);

/* ---- files ---- */

/* Reads a whole file (or stdin for "-"); the caller frees *DATA, which is NUL-terminated. */
bool base_read_file(const char *path, char **data, size_t *size, struct base_error *error);
/* Writes to a temporary neighbour, then renames: a reader never sees half a file. A device or a
 * pipe is written to as it is, and a link is followed. */
bool base_write_file(const char *path, const void *data, size_t size, struct base_error *error);
/* Could it be written? Leaves no trace. */
bool base_try_file(const char *path, struct base_error *error);
bool base_rename(const char *from, const char *to); /* as rename(2); errno says why not */
bool base_make_dirs(const char *path, struct base_error *error);
bool base_is_directory(const char *path);
bool base_remove_tree(const char *path);
const char *base_basename(const char *path); /* borrowed from PATH */
/* PATH as seen from FOLDER, which may be yet to be made; the caller frees it. */
char *base_relative_path(const char *folder, const char *path);
/* A fresh private folder under $TMPDIR; the caller frees the name and removes the tree. */
char *base_temp_dir(void);
/* The same in PARENT, if it is one that can be written to. */
char *base_temp_dir_in(const char *parent);
/* PREFIX/bin/slowpath -> PREFIX, found once from the running executable; borrowed. */
const char *base_install_prefix(void);

/* ---- child processes ---- */

struct base_process {
    const char *const *argv; /* NULL-terminated, argv[0] searched in PATH */
    const char *input_path;  /* stdin, or NULL to inherit */
    struct base_buffer *out; /* captured stdout, or NULL to inherit */
    struct base_buffer *err; /* captured stderr, or NULL to inherit; may equal OUT */
    bool discard_err;        /* stderr goes nowhere */
};
/* Runs to the end. Returns the exit status, 128 + signal when killed, 127 when not startable. */
int base_run(const struct base_process *process);
/* For a signal's handler: children that run are told to end, as soon as waiting is interrupted. */
void base_stop_children(int signal);
int base_stopped_by(void); /* that signal, or 0 */

/* ---- long work ---- */

/* How far is it, and is it still wanted? */
struct base_watch {
    _Atomic unsigned done, all; /* all is 0 before that is known */
    atomic_bool is_unwanted;    /* set by others: it ends with BASE_STOPPED */
    bool is_aside;              /* something else deserves more of the machine */
};
/* Set by those who have a line to show it on: called now and then while the user waits. */
extern void (*base_show_progress)(const char *what, unsigned done, unsigned all);

/* ---- content hashes ---- */

struct base_hash {
    void *state;
};
void base_hash_init(struct base_hash *hash);
void base_hash_add(struct base_hash *hash, const void *bytes, size_t count);
void base_hash_add_text(struct base_hash *hash, const char *text); /* with its length */
/* Writes 32 hex digits and a NUL, and releases the state. */
void base_hash_done(struct base_hash *hash, char text[33]);

/* ---- time ---- */

double base_seconds(void); /* monotonic */
/* The same, some milliseconds late: cheap enough to be asked for every few hundred instructions. */
double base_seconds_roughly(void);

#endif
