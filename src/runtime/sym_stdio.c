/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the input through the C library in the symbolic build: the library reads, and bytes that
 * came from the input (standard input, or the file that holds it) are marked with their offsets.
 * Functions that make decisions on what they read, such as fgets, are explored: they are in
 * library_input.h, and read byte by byte from here.
 */
#include "runtime/symbolic.h"
#include "runtime/tree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define LIB(name) __slowpath_lib_##name
#define MOST_PUSHED 8u

/* A byte that was pushed back and differs from the input's byte there. */
struct pushed {
    const FILE *stream;
    off_t offset;
    uint32_t expr; /* 0: concrete */
};
static RUNTIME_STATE struct pushed pushed[MOST_PUSHED];
static RUNTIME_STATE unsigned pushed_count;

void runtime_sym_begin_input(void) {
    pushed_count = 0;
}

/* Bytes of files of the input come from pieces of it, as contents repeat. */
static void mark_pieces(int fd, char *memory, off_t offset, size_t bytes) {
    uint64_t place = (uint64_t)offset, slice = runtime.control->tree.slice;
    if (!runtime_tree_place(fd, offset, &place) || !slice) {
        runtime_sym_mark_input(memory, place, bytes);
        return;
    }
    for (size_t done = 0, piece; done < bytes; done += piece) {
        uint64_t left = slice - ((uint64_t)offset + done) % slice;
        piece = bytes - done < left ? bytes - done : left;
        if (runtime_tree_place(fd, offset + (off_t)done, &place))
            runtime_sym_mark_input(memory + done, place, piece);
    }
}

/* OFFSET is the position in the input, or -1: not from the input. FD -1: from memory. An empty read
 * may depend on what was written, too. */
static void mark(int fd, void *memory, off_t offset, size_t bytes) {
    if (bytes)
        __slowpath_sym_clear(memory, bytes);
    if (offset >= 0)
        mark_pieces(fd, memory, offset, bytes);
    else if (fd < 0 && runtime_sym_is_any())
        runtime_sym_lose(RUNTIME_LOST_STREAM);
    else if (fd >= 0 && runtime_sym_may_read_back(fd))
        runtime_sym_lose("what was written and read back");
    else if (runtime_sym_is_self(fd) && runtime_sym_is_any())
        runtime_sym_lose("what /proc tells of the process");
}

/* Fixes from where, to where and how much is read: what follows depends on it. */
static void fix(unsigned index, uint64_t value) {
    if (__slowpath_sym_args[index])
        runtime_sym_fix(ABI_EVENT_CONCRETE, __slowpath_sym_args[index], value);
}

/* ---- descriptors ---- */

ssize_t LIB(read)(int fd, void *memory, size_t bytes) {
    fix(0, (uint32_t)fd);
    fix(1, (uintptr_t)memory);
    fix(2, bytes);
    off_t offset = runtime_sym_input_offset(fd);
    ssize_t got = read(fd, memory, bytes);
    mark(fd, memory, offset, got > 0 ? (size_t)got : 0);
    if (got < (ssize_t)bytes)
        runtime_tree_note_end(fd);
    return got;
}

ssize_t LIB(pread)(int fd, void *memory, size_t bytes, off_t offset) {
    fix(0, (uint32_t)fd);
    fix(1, (uintptr_t)memory);
    fix(2, bytes);
    fix(3, (uint64_t)offset);
    ssize_t got = pread(fd, memory, bytes, offset);
    mark(fd, memory, runtime_sym_is_input(fd) ? offset : -1, got > 0 ? (size_t)got : 0);
    if (got < (ssize_t)bytes)
        runtime_tree_note_end(fd);
    return got;
}

ssize_t LIB(readv)(int fd, const struct iovec *parts, int count) {
    fix(0, (uint32_t)fd);
    fix(1, (uintptr_t)parts);
    fix(2, (uint32_t)count);
    __slowpath_sym_fix_memory(parts, count > 0 ? (size_t)count * sizeof *parts : 0);
    off_t offset = runtime_sym_input_offset(fd);
    ssize_t got = readv(fd, parts, count);
    size_t left = got > 0 ? (size_t)got : 0;
    if (!left)
        mark(fd, NULL, offset, 0);
    for (int i = 0; left && i < count; i++) {
        size_t bytes = parts[i].iov_len < left ? parts[i].iov_len : left;
        mark(fd, parts[i].iov_base, offset, bytes);
        offset += offset >= 0 ? (off_t)bytes : 0;
        left -= bytes;
    }
    runtime_tree_note_end(fd);
    return got;
}

/* A shared mapping of a file changes unnoticed by shadows. */
void *LIB(mmap)(void *at, size_t bytes, int protection, int flags, int fd, off_t offset) {
    fix(0, (uintptr_t)at);
    fix(1, bytes);
    fix(2, (uint32_t)protection);
    fix(3, (uint32_t)flags);
    fix(4, (uint32_t)fd);
    fix(5, (uint64_t)offset);
    void *memory = mmap(at, bytes, protection, flags, fd, offset);
    struct stat file;
    if (memory == MAP_FAILED)
        return memory;
    __slowpath_sym_clear(memory, bytes);
    if (flags & MAP_ANONYMOUS || fstat(fd, &file) != 0)
        return memory;
    size_t left = offset < file.st_size ? (size_t)(file.st_size - offset) : 0;
    mark(fd, memory, runtime_sym_is_input(fd) ? offset : -1, bytes < left ? bytes : left);
    runtime_tree_note_end(fd);
    if (flags & MAP_SHARED && protection & PROT_WRITE)
        runtime_sym_lose("shared memory (mmap)");
    return memory;
}

/* ---- streams ---- */

static void mark_pushed(const FILE *stream, char *memory, off_t offset, size_t bytes) {
    for (unsigned i = 0; i < pushed_count; i++) {
        off_t at = pushed[i].offset - offset;
        if (pushed[i].stream != stream || at < 0 || (size_t)at >= bytes)
            continue;
        runtime_sym_put(memory + at, pushed[i].expr, 1);
        pushed[i] = pushed[--pushed_count];
        i--;
    }
}

static void mark_from(FILE *stream, void *memory, off_t offset, size_t bytes) {
    mark(runtime_sym_descriptor(stream), memory, offset, bytes);
    mark_pushed(stream, memory, offset, bytes);
}

size_t LIB(fread)(void *memory, size_t size, size_t count, FILE *stream) {
    fix(0, (uintptr_t)memory);
    fix(1, size);
    fix(2, count);
    fix(3, (uintptr_t)stream);
    off_t offset = runtime_sym_stream_offset(stream);
    size_t wanted;
    if (__builtin_mul_overflow(size, count, &wanted))
        wanted = SIZE_MAX;
    size_t got = fread(memory, 1, wanted, stream); /* bytes of a partial last item count, too */
    mark_from(stream, memory, offset, got);
    if (got < wanted)
        runtime_tree_note_end(runtime_sym_descriptor(stream));
    return got == wanted ? count : size ? got / size : 0;
}

size_t LIB(fread_unlocked)(void *memory, size_t size, size_t count, FILE *stream) {
    return LIB(fread)(memory, size, count, stream);
}

bool __slowpath_sym_next_byte(void *stream, void *to) {
    off_t offset = runtime_sym_stream_offset(stream);
    int byte = getc(stream);
    bool is_end = byte == EOF;
    if (!is_end)
        *(char *)to = (char)byte;
    else
        runtime_tree_note_end(runtime_sym_descriptor(stream));
    mark_from(stream, to, offset, !is_end);
    return !is_end;
}

static int get(FILE *stream) {
    char byte;
    if (!__slowpath_sym_next_byte(stream, &byte))
        return EOF;
    uint32_t expr = runtime_sym_byte(&byte);
    __slowpath_sym_clear(&byte, 1);
    if (expr)
        __slowpath_sym_results[0] = runtime_sym_node(ABI_OP_ZEXT, 32, 0, expr, 0, 0);
    return (unsigned char)byte;
}

#define GETC(name)                                                                                 \
    int LIB(name)(FILE * stream) {                                                                 \
        fix(0, (uintptr_t)stream);                                                                 \
        return get(stream);                                                                        \
    }
GETC(fgetc)
GETC(getc)
GETC(fgetc_unlocked)
GETC(getc_unlocked)

int LIB(getchar)(void) {
    return get(stdin);
}

int LIB(getchar_unlocked)(void) {
    return get(stdin);
}

/* When read again, the byte is marked as the input byte that it is, or as what was pushed. */
static int push_back(FILE *stream, int byte, uint32_t expr) {
    uint32_t place;
    bool is_input = runtime_sym_is_input(runtime_sym_descriptor(stream));
    int result = ungetc(byte, stream);
    off_t offset = is_input ? ftello(stream) : -1;
    uint64_t from = (uint64_t)offset;
    if (result == EOF || (!is_input && !expr))
        return result;
    runtime_tree_place(runtime_sym_descriptor(stream), offset, &from);
    if (offset >= 0 && !runtime_sym_is_fixed(from, &place) && expr &&
        expr == runtime_sym_node(ABI_OP_INPUT, 8, 0, place, 0, 0))
        return result;
    if (offset < 0 || pushed_count == MOST_PUSHED)
        runtime_sym_lose("ungetc");
    else
        pushed[pushed_count++] = (struct pushed){stream, offset, expr};
    return result;
}

/* The byte read last becomes the next one again. */
void __slowpath_sym_unread_byte(void *stream, const void *byte) {
    push_back(stream, *(const unsigned char *)byte, runtime_sym_byte(byte));
}

int LIB(ungetc)(int byte, FILE *stream) {
    uint32_t shadow = __slowpath_sym_args[0];
    fix(1, (uintptr_t)stream);
    uint32_t expr = shadow ? runtime_sym_extract(shadow, 0, 8) : 0;
    int result = push_back(stream, byte, expr);
    if (expr && result != EOF)
        __slowpath_sym_results[0] = runtime_sym_node(ABI_OP_ZEXT, 32, 0, expr, 0, 0);
    return result;
}

/* ---- lines ---- */

#define FIRST_LINE 120u /* as in the C library */

/* Makes room for BYTES in a line as the library would, including its own allocations. */
bool __slowpath_sym_grow_line(void *line, void *size, uint64_t bytes) {
    char **at = line;
    size_t *room = size;
    if (!*at || !*room) {
        *room = FIRST_LINE;
        *at = malloc(*room); /* the old content is lost, as in the library */
    }
    if (*at && bytes > *room) {
        size_t wanted = bytes < 2 * *room ? 2 * *room : bytes;
        char *grown = realloc(*at, wanted);
        if (!grown)
            return false;
        *at = grown;
        *room = wanted;
    }
    __slowpath_sym_clear(at, sizeof *at);
    __slowpath_sym_clear(room, sizeof *room);
    return *at != NULL;
}

static RUNTIME_STATE char *scratch;

/* Buffer for a growing line whose length is not known yet. */
void *__slowpath_sym_scratch(void) {
    if (!scratch)
        scratch = runtime_sym_reserve(NULL, RUNTIME_SCRATCH_BYTES);
    return scratch;
}
