/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a run write? When the engine asks, bytes that go out through the C library are events
 * of the trace: up to eight concrete ones at a time, a symbolic one with its expression. The
 * library writes as ever; what it has written is told afterwards, in the order of the program's
 * calls. Formatted text is taken apart in sym_format.c.
 *
 * What is written need not be fixed: it goes out, and nothing comes back that a path depends on.
 * Where that hides something (a length, a number as text), a loss is noted.
 */
#include "runtime/symbolic.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define LIB(name) __slowpath_lib_##name
#define MAX_TOLD (1u << 18) /* events of one run: decisions must find room, too */

static RUNTIME_STATE uint32_t told;           /* events in this run */
static RUNTIME_STATE struct abi_event *plain; /* the last one, if it has concrete bytes */

void runtime_sym_begin_output(void) {
    told = 0;
    plain = NULL;
}

static bool is_told(void) {
    return runtime.control && runtime.control->tell_output;
}

/* ---- events ---- */

/* Is it the last event, with room for one more byte to the same descriptor? */
static bool takes_more(const struct abi_event *event, int fd) {
    const struct abi_control *control = runtime.control;
    const struct abi_event *end =
        (const struct abi_event *)((const char *)control + ABI_OFFSET_EVENTS) +
        control->live.event_count;
    return event && event + 1 == end && event->kind == ABI_EVENT_OUTPUT_PLAIN &&
           event->site == (uint32_t)fd && event->count < 8;
}

static struct abi_event *next_event(enum abi_event_kind kind, int fd, uint32_t expr,
                                    uint64_t value) {
    if (told == MAX_TOLD) {
        runtime_sym_lose(RUNTIME_LOST_REST);
        return NULL;
    }
    told++;
    return runtime_sym_write(kind, (uint32_t)fd, expr, value);
}

static void tell_plain(int fd, unsigned char byte) {
    if (!takes_more(plain, fd)) {
        plain = next_event(ABI_EVENT_OUTPUT_PLAIN, fd, 0, 0);
        if (!plain)
            return;
        plain->count = 0;
    }
    plain->value |= (uint64_t)byte << (8 * plain->count++);
}

void runtime_sym_tell_byte(int fd, unsigned char byte, uint32_t expr) {
    if (expr)
        next_event(ABI_EVENT_OUTPUT, fd, expr, byte);
    else
        tell_plain(fd, byte);
}

static void tell_bytes(int fd, const void *memory, size_t count) {
    const unsigned char *bytes = memory;
    bool is_plain = __slowpath_sym_is_plain(memory, count);
    for (size_t i = 0; fd >= 0 && i < count; i++)
        runtime_sym_tell_byte(fd, bytes[i], is_plain ? 0 : runtime_sym_byte(bytes + i));
}

/* ---- calls ---- */

/* Which bytes go out depends on more than the bytes: on arguments FIRST to LAST. */
static void lose_arguments(unsigned first, unsigned last) {
    for (unsigned i = first; is_told() && i <= last; i++)
        if (__slowpath_sym_args[i])
            runtime_sym_lose("address or size of output");
}

/* The library is called from here on; it knows no shadows. */
static void leave(unsigned first, unsigned last) {
    lose_arguments(first, last);
    __slowpath_sym_outside();
}

/* -1: the stream is memory. */
static int descriptor_of(FILE *stream) {
    int saved = errno, fd = fileno(stream);
    errno = saved;
    return fd;
}

ssize_t LIB(write)(int fd, const void *memory, size_t bytes) {
    leave(0, 2);
    ssize_t wrote = write(fd, memory, bytes);
    if (is_told() && wrote > 0)
        tell_bytes(fd, memory, (size_t)wrote);
    return wrote;
}

ssize_t LIB(pwrite)(int fd, const void *memory, size_t bytes, off_t offset) {
    leave(0, 3);
    ssize_t wrote = pwrite(fd, memory, bytes, offset);
    if (is_told() && wrote > 0)
        tell_bytes(fd, memory, (size_t)wrote);
    return wrote;
}

ssize_t LIB(writev)(int fd, const struct iovec *parts, int count) {
    leave(0, 2);
    ssize_t wrote = writev(fd, parts, count);
    size_t left = is_told() && wrote > 0 ? (size_t)wrote : 0;
    for (int i = 0; left && i < count; i++) {
        size_t bytes = parts[i].iov_len < left ? parts[i].iov_len : left;
        tell_bytes(fd, parts[i].iov_base, bytes);
        left -= bytes;
    }
    return wrote;
}

#define FWRITE(name)                                                                               \
    size_t LIB(name)(const void *memory, size_t size, size_t count, FILE *stream) {                \
        leave(0, 3);                                                                               \
        size_t wrote = name(memory, size, count, stream);                                          \
        if (is_told())                                                                             \
            tell_bytes(descriptor_of(stream), memory, wrote *size);                                \
        return wrote;                                                                              \
    }
FWRITE(fwrite)
FWRITE(fwrite_unlocked)

/* ---- strings ---- */

static void tell_string(int fd, const char *text) {
    size_t length = strlen(text);
    if (fd >= 0 && runtime_sym_may_end_elsewhere(text, length + 1))
        runtime_sym_lose(RUNTIME_LOST_LENGTH);
    tell_bytes(fd, text, length);
}

#define FPUTS(name)                                                                                \
    int LIB(name)(const char *text, FILE *stream) {                                                \
        leave(0, 1);                                                                               \
        int result = name(text, stream);                                                           \
        if (is_told() && result != EOF)                                                            \
            tell_string(descriptor_of(stream), text);                                              \
        return result;                                                                             \
    }
FPUTS(fputs)
FPUTS(fputs_unlocked)

int LIB(puts)(const char *text) {
    leave(0, 0);
    int result = puts(text);
    if (is_told() && result != EOF) {
        tell_string(descriptor_of(stdout), text);
        tell_bytes(descriptor_of(stdout), "\n", 1);
    }
    return result;
}

/* ---- single bytes ---- */

/* SHADOW is that of the int whose lowest byte goes out. */
static void tell_int(int fd, int byte, uint32_t shadow) {
    if (fd >= 0)
        runtime_sym_tell_byte(fd, (unsigned char)byte, runtime_sym_extract(shadow, 0, 8));
}

#define PUTC(name)                                                                                 \
    int LIB(name)(int byte, FILE *stream) {                                                        \
        uint32_t shadow = __slowpath_sym_args[0];                                                  \
        leave(1, 1);                                                                               \
        int result = name(byte, stream);                                                           \
        if (is_told() && result != EOF)                                                            \
            tell_int(descriptor_of(stream), byte, shadow);                                         \
        return result;                                                                             \
    }
PUTC(fputc)
PUTC(putc)
PUTC(fputc_unlocked)
PUTC(putc_unlocked)

#define PUTCHAR(name)                                                                              \
    int LIB(name)(int byte) {                                                                      \
        uint32_t shadow = __slowpath_sym_args[0];                                                  \
        __slowpath_sym_outside();                                                                  \
        int result = name(byte);                                                                   \
        if (is_told() && result != EOF)                                                            \
            tell_int(descriptor_of(stdout), byte, shadow);                                         \
        return result;                                                                             \
    }
PUTCHAR(putchar)
PUTCHAR(putchar_unlocked)

/* ---- formatted text ---- */

/* To the stream, or to the descriptor if there is none. What errno was may be printed ("%m"). */
static int print_list(FILE *stream, int fd, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int before = errno;
    int result = stream ? vfprintf(stream, format, args) : vdprintf(fd, format, args);
    if (is_told() && result >= 0) {
        int after = errno;
        errno = before;
        runtime_sym_tell_text(stream ? descriptor_of(stream) : fd, format, again);
        errno = after;
    }
    va_end(again);
    return result;
}

int LIB(vfprintf)(FILE *stream, const char *format, va_list args) {
    leave(0, 1);
    return print_list(stream, -1, format, args);
}

int LIB(vprintf)(const char *format, va_list args) {
    leave(0, 0);
    return print_list(stdout, -1, format, args);
}

int LIB(vdprintf)(int fd, const char *format, va_list args) {
    leave(0, 1);
    return print_list(NULL, fd, format, args);
}

/* While arguments behind `...` are printed, the shadows that came with them lie beneath. */
static int print_given(FILE *stream, int fd, const char *format, va_list args, unsigned named) {
    struct variadic_given given;
    bool lies = is_told();
    lose_arguments(0, named - 1);
    if (lies)
        runtime_sym_lay_variadic(&given, (const struct variadic_list *)args);
    __slowpath_sym_outside();
    int result = print_list(stream, fd, format, args);
    if (lies)
        runtime_sym_lift_variadic(&given);
    return result;
}

int LIB(printf)(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int result = print_given(stdout, -1, format, args, 1);
    va_end(args);
    return result;
}

int LIB(fprintf)(FILE *stream, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int result = print_given(stream, -1, format, args, 2);
    va_end(args);
    return result;
}

int LIB(dprintf)(int fd, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int result = print_given(NULL, fd, format, args, 2);
    va_end(args);
    return result;
}
