/* SPDX-License-Identifier: Apache-2.0
 *
 * Which parts of the input can code without bitcode see? Its arguments are fixed by the caller:
 * each is a decision, and the other values are tried. So are texts that an argument points to, up
 * to their NUL. Everything else it might read is lost: symbolic bytes behind the NUL, in the same
 * object or in one it points to, and the input itself.
 *
 * abi/library.def lists the functions known to read only texts, or nothing.
 */
#include "abi/shadow.h"
#include "runtime/symbolic.h"
#include "runtime/tree.h"

#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096u
#define LONGEST_TEXT ((uint64_t)1 << 16)
#define MOST_OBJECTS 256u                /* limit; if there are more, one counts as symbolic */
#define MOST_SCANNED ((uint64_t)1 << 16) /* bytes of an object searched for pointers */
#define DEEPEST 2u                       /* levels of pointers that are followed */
#define MOST_DESCRIPTORS 1024u

void __slowpath_sym_lose(const void *name) {
    runtime_sym_lose(name);
}

/* ---- objects ---- */

/* The page may not exist: the value need not be a pointer. */
static bool is_readable(const void *memory) {
    char byte;
    struct iovec to = {&byte, 1}, from = {(void *)memory, 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

/* How many bytes from here on may belong to the same object: known for heap blocks and global
 * variables, one page for others. */
static uint64_t extent_of(const void *memory) {
    struct runtime_object object;
    return runtime_sym_find_object((uintptr_t)memory, &object)
               ? object.start + object.size - (uintptr_t)memory
               : PAGE;
}

/* ---- texts ---- */

/* Fixes the symbolic bytes of a text; returns its size with the NUL. */
static uint64_t fix_text(const unsigned char *text, uint64_t most) {
    uint64_t count = 0;
    for (bool ends = false; !ends && count < most; count++) {
        const unsigned char *at = text + count;
        if ((count == 0 || (uintptr_t)at % PAGE == 0) && !is_readable(at))
            break;
        if (*abi_shadow_entry(at))
            __slowpath_sym_fix_memory(at, 1);
        ends = !*at;
    }
    return count;
}

void __slowpath_sym_give_text(const void *name, const void *text) {
    if (runtime_sym_is_plain(text, LONGEST_TEXT) || runtime_tree_is_path(text))
        return;
    if (fix_text(text, LONGEST_TEXT) == LONGEST_TEXT)
        __slowpath_sym_lose(name);
}

/* ---- anything ---- */

/* Is anything symbolic in the object, or in one it points to? */
static bool reaches_symbolic(const void *memory, uint64_t bytes, unsigned depth, unsigned *seen) {
    if (runtime_sym_is_symbolic(memory, bytes))
        return true;
    const char *first = (const char *)(((uintptr_t)memory + 7) & ~(uintptr_t)7);
    const char *end = (const char *)memory + (bytes < MOST_SCANNED ? bytes : MOST_SCANNED);
    for (const char *at = first; depth && at + sizeof(void *) <= end; at += sizeof(void *)) {
        const void *next;
        struct runtime_object object;
        if ((at == first || (uintptr_t)at % PAGE == 0) && !is_readable(at))
            break;
        memcpy(&next, at, sizeof next);
        if ((uintptr_t)next < PAGE || (uintptr_t)next >> 47)
            continue;
        bool is_known = runtime_sym_find_object((uintptr_t)next, &object);
        *seen += is_known;
        if (*seen > MOST_OBJECTS ||
            reaches_symbolic(next, extent_of(next), is_known ? depth - 1 : 0, seen))
            return true;
    }
    return false;
}

/* Is this the name of the input file? */
static bool is_input_path(const void *memory) {
    const struct abi_control *control = runtime.control;
    char path[sizeof control->file_path];
    struct iovec to = {path, sizeof path}, from = {(void *)memory, sizeof path};
    if (!control || control->channel != ABI_CHANNEL_FILE)
        return false;
    to.iov_len = from.iov_len = strlen(control->file_path) + 1;
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)to.iov_len &&
           memcmp(path, control->file_path, to.iov_len) == 0;
}

void __slowpath_sym_give_away(const void *name, const void *memory, const void *end) {
    unsigned seen = 0;
    if (runtime_sym_is_input_stream(memory) || is_input_path(memory) ||
        *abi_shadow_mark(memory) & ABI_MARK_STREAM)
        __slowpath_sym_lose(name);
    if ((uintptr_t)memory < PAGE || !runtime_sym_is_any())
        return;
    uint64_t bytes = end ? (uint64_t)((const char *)end - (const char *)memory) : extent_of(memory);
    if (!runtime_sym_is_plain(memory, bytes))
        fix_text(memory, bytes);
    if (reaches_symbolic(memory, bytes, DEEPEST, &seen))
        __slowpath_sym_lose(name);
}

/* Their addresses are unknown: an unknown function may reach anything through them. */
void __slowpath_sym_give_rest(const void *name, const void *frame, bool is_unknown) {
    const struct variadic_call *call = frame;
    bool any = is_unknown && runtime_sym_is_any();
    for (uint32_t i = call->first; i < call->end && i < 64; i++)
        any |= call->shadows[i] != 0;
    if (any)
        __slowpath_sym_lose(name);
}

void __slowpath_sym_filled(void *memory, uint64_t bytes, uint64_t result) {
    if (memory && (int32_t)result != -1)
        __slowpath_sym_clear(memory, bytes);
}

void __slowpath_sym_looks(const void *memory, uint64_t bytes) {
    if (memory && !runtime_sym_is_plain(memory, bytes))
        __slowpath_sym_fix_memory(memory, bytes);
}

/* The number may be a descriptor. */
void __slowpath_sym_give_number(const void *name, uint64_t number) {
    if (number > STDERR_FILENO && number < MOST_DESCRIPTORS && runtime_sym_is_input((int)number))
        __slowpath_sym_lose(name);
}

/* How far standard input was read, by descriptor and by stream. */
static RUNTIME_STATE struct position {
    long descriptor, stream;
} before;

static struct position find_position(void) {
    return (struct position){lseek(STDIN_FILENO, 0, SEEK_CUR), ftell(stdin)};
}

static bool has_input_stream(void) {
    return runtime.control && runtime.control->channel == ABI_CHANNEL_STDIN;
}

void __slowpath_sym_before_unknown(void) {
    if (has_input_stream())
        before = find_position();
}

/* Has the function read the input, or could it have read back what was written? It may have read
 * files of the input unnoticed. */
void __slowpath_sym_after_unknown(const void *name) {
    runtime_sym_forget_descriptors();
    struct position now = has_input_stream() ? find_position() : before;
    if (memcmp(&now, &before, sizeof now) != 0 || runtime_sym_may_read_back(-1) ||
        runtime_tree_is_there())
        __slowpath_sym_lose(name);
}
