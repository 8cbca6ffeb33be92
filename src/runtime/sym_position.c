/* SPDX-License-Identifier: Apache-2.0
 *
 * How long is a file, and where is a stream positioned? Both may depend on the input: a program
 * writes a text of the input to a file, then asks. Shadows do not pass through files, so the answer
 * is lost if a symbolic number of bytes was written there.
 */
#include "runtime/symbolic.h"

#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIB(name) __slowpath_lib_##name

const char runtime_sym_asks_position = 1;

/* The answer depends on this argument. */
static void fix(unsigned index, uint64_t value) {
    if (__slowpath_sym_args[index])
        runtime_sym_fix(ABI_EVENT_CONCRETE, __slowpath_sym_args[index], value);
}

/* Data written to a stream in memory was lost already when it was written. */
static void ask(const char *name, int fd) {
    struct stat file;
    if (fd >= 0 && fstat(fd, &file) == 0 && runtime_sym_is_open_ended(&file))
        runtime_sym_lose(name);
}

/* ---- streams ---- */

long LIB(ftell)(FILE *stream) {
    fix(0, (uintptr_t)stream);
    ask("ftell", runtime_sym_descriptor(stream));
    return ftell(stream);
}

off_t LIB(ftello)(FILE *stream) {
    fix(0, (uintptr_t)stream);
    ask("ftello", runtime_sym_descriptor(stream));
    return ftello(stream);
}

int LIB(fgetpos)(FILE *stream, fpos_t *to) {
    fix(0, (uintptr_t)stream);
    fix(1, (uintptr_t)to);
    ask("fgetpos", runtime_sym_descriptor(stream));
    __slowpath_sym_clear(to, sizeof *to);
    return fgetpos(stream, to);
}

/* Bytes waiting in the stream's buffer. */
size_t LIB(__fpending)(FILE *stream) {
    fix(0, (uintptr_t)stream);
    ask("__fpending", runtime_sym_descriptor(stream));
    return __fpending(stream);
}

/* ---- files ---- */

off_t LIB(lseek)(int fd, off_t offset, int from) {
    fix(0, (uint32_t)fd);
    fix(1, (uint64_t)offset);
    fix(2, (uint32_t)from);
    ask("lseek", fd);
    return lseek(fd, offset, from); /* NOLINT(clang-analyzer-unix.*): the program's own call */
}
