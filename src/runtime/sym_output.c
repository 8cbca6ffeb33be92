/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a run write? On request of the engine, bytes written through the C library become
 * events of the trace: up to eight concrete bytes each, or one symbolic byte with its expression.
 * The library writes as usual; the events follow afterwards, in the order of the program's calls.
 * sym_format.c handles formatted text.
 *
 * Written bytes need not be fixed: nothing that a path depends on comes back. Where that hides
 * something (a length, a number as text), a loss is recorded.
 */
#include "runtime/library_own.h"
#include "runtime/symbolic.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

#define LIB(name) __slowpath_lib_##name
#define MAX_TOLD (1u << 18) /* events per run: decisions need room, too */

static RUNTIME_STATE uint32_t told;           /* output events of this run */
static RUNTIME_STATE struct abi_event *plain; /* the last event, if its bytes are concrete */
static RUNTIME_STATE bool result_matters;     /* is the result of the next or current call used? */

void runtime_sym_begin_output(void) {
    told = 0;
    plain = NULL;
    result_matters = false;
}

void __slowpath_sym_result_matters(void) {
    result_matters = true;
}

/* Functions whose result may be used are in one section, so that calls through a pointer are
 * recognised. */
#define WRITER __attribute__((section("slowpath_writers")))
extern const char __start_slowpath_writers[], __stop_slowpath_writers[];

void __slowpath_sym_result_of(const void *function) {
    const char *at = function;
    result_matters = at >= __start_slowpath_writers && at < __stop_slowpath_writers;
}

static bool is_told(void) {
    return runtime.control && runtime.control->tell_output;
}

/* ---- events ---- */

/* Is this the last event, with room for another byte to the same descriptor? */
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
    return runtime_sym_write_open(kind, (uint32_t)fd, expr, value);
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
    bool is_plain = runtime_sym_is_plain(memory, count);
    for (size_t i = 0; fd >= 0 && i < count; i++)
        runtime_sym_tell_byte(fd, bytes[i], is_plain ? 0 : runtime_sym_byte(bytes + i));
}

/* ---- calls ---- */

/* Symbolic bytes are written, or a number of bytes that depends on the input. If they go to memory
 * they lose their shadows. */
static void let_go(int fd, bool is_open_ended) {
    if (fd < 0)
        runtime_sym_lose(RUNTIME_LOST_STREAM);
    else
        runtime_sym_note_written(fd, is_open_ended);
}

/* The library is called from here on, and knows no shadows. Which bytes it writes may also depend
 * on arguments FIRST to LAST. */
static void leave(int fd, unsigned first, unsigned last) {
    bool is_open = false;
    for (unsigned i = first; i <= last; i++)
        is_open |= __slowpath_sym_args[i] && !runtime_sym_is_settled(__slowpath_sym_args[i]);
    if (is_open && is_told())
        runtime_sym_lose("address or size of output");
    if (is_open)
        let_go(fd, true);
    __slowpath_sym_outside();
    result_matters = false;
}

static void let_bytes_go(int fd, const void *memory, size_t count) {
    if (runtime_sym_is_symbolic(memory, count))
        let_go(fd, false);
}

/* The end of the text may depend on the input, too. */
static void let_text_go(int fd, const char *text) {
    size_t length = strlen(text);
    let_bytes_go(fd, text, length);
    if (runtime_sym_may_end_elsewhere(text, length + 1))
        let_go(fd, true);
}

/* The result, or memory after the call, depends on argument INDEX. */
static void fix_named(unsigned index, uint64_t value) {
    if (__slowpath_sym_args[index])
        runtime_sym_fix(ABI_EVENT_CONCRETE, __slowpath_sym_args[index], value);
}

/* The size written is also the result. */
static void fix_size(unsigned index, size_t value) {
    if (result_matters)
        fix_named(index, value);
}

WRITER ssize_t LIB(write)(int fd, const void *memory, size_t bytes) {
    fix_size(2, bytes);
    leave(fd, 0, 2);
    ssize_t wrote = write(fd, memory, bytes);
    if (wrote > 0)
        let_bytes_go(fd, memory, (size_t)wrote);
    if (is_told() && wrote > 0)
        tell_bytes(fd, memory, (size_t)wrote);
    return wrote;
}

WRITER ssize_t LIB(pwrite)(int fd, const void *memory, size_t bytes, off_t offset) {
    fix_size(2, bytes);
    leave(fd, 0, 3);
    ssize_t wrote = pwrite(fd, memory, bytes, offset);
    if (wrote > 0)
        let_bytes_go(fd, memory, (size_t)wrote);
    if (is_told() && wrote > 0)
        tell_bytes(fd, memory, (size_t)wrote);
    return wrote;
}

static void fix_parts(const struct iovec *parts, int count) {
    for (int i = 0; result_matters && i < count; i++)
        __slowpath_sym_fix_memory(&parts[i].iov_len, sizeof parts[i].iov_len);
}

static void let_parts_go(int fd, const struct iovec *parts, int count) {
    for (int i = 0; i < count; i++) {
        let_bytes_go(fd, parts[i].iov_base, parts[i].iov_len);
        if (runtime_sym_is_symbolic(&parts[i], sizeof parts[i]))
            let_go(fd, true);
    }
}

WRITER ssize_t LIB(writev)(int fd, const struct iovec *parts, int count) {
    fix_parts(parts, count);
    leave(fd, 0, 2);
    ssize_t wrote = writev(fd, parts, count);
    let_parts_go(fd, parts, count);
    size_t left = is_told() && wrote > 0 ? (size_t)wrote : 0;
    for (int i = 0; left && i < count; i++) {
        size_t bytes = parts[i].iov_len < left ? parts[i].iov_len : left;
        tell_bytes(fd, parts[i].iov_base, bytes);
        left -= bytes;
    }
    return wrote;
}

#define FWRITE(name)                                                                               \
    WRITER size_t LIB(name)(const void *memory, size_t size, size_t count, FILE *stream) {         \
        fix_size(1, size);                                                                         \
        fix_size(2, count);                                                                        \
        leave(runtime_sym_descriptor(stream), 0, 3);                                               \
        size_t wrote = name(memory, size, count, stream);                                          \
        let_bytes_go(runtime_sym_descriptor(stream), memory, wrote *size);                         \
        if (is_told())                                                                             \
            tell_bytes(runtime_sym_descriptor(stream), memory, wrote *size);                       \
        return wrote;                                                                              \
    }
FWRITE(fwrite)
FWRITE(fwrite_unlocked)

/* ---- strings ---- */

static void tell_string(int fd, const char *text) {
    size_t length = strlen(text);
    if (fd >= 0)
        runtime_sym_decide_length(text, length + 1);
    tell_bytes(fd, text, length);
}

#define FPUTS(name)                                                                                \
    WRITER int LIB(name)(const char *text, FILE *stream) {                                         \
        leave(runtime_sym_descriptor(stream), 0, 1);                                               \
        int result = name(text, stream);                                                           \
        let_text_go(runtime_sym_descriptor(stream), text);                                         \
        if (is_told() && result != EOF)                                                            \
            tell_string(runtime_sym_descriptor(stream), text);                                     \
        return result;                                                                             \
    }
FPUTS(fputs)
FPUTS(fputs_unlocked)

WRITER int LIB(puts)(const char *text) {
    fix_size(0, (uintptr_t)text);
    if (result_matters)
        runtime_sym_decide_length(text, strlen(text) + 1);
    leave(runtime_sym_descriptor(stdout), 0, 0);
    int result = puts(text);
    let_text_go(runtime_sym_descriptor(stdout), text);
    if (is_told() && result != EOF) {
        tell_string(runtime_sym_descriptor(stdout), text);
        tell_bytes(runtime_sym_descriptor(stdout), "\n", 1);
    }
    return result;
}

/* ---- single bytes ---- */

/* SHADOW is that of the int whose lowest byte is written. */
static void tell_int(int fd, int byte, uint32_t shadow) {
    if (fd >= 0)
        runtime_sym_tell_byte(fd, (unsigned char)byte, runtime_sym_extract(shadow, 0, 8));
}

/* The result is the byte written. */
static void return_int(int fd, uint32_t shadow) {
    uint32_t byte = shadow ? runtime_sym_extract(shadow, 0, 8) : 0;
    if (byte) {
        let_go(fd, false);
        __slowpath_sym_results[0] = runtime_sym_node(ABI_OP_ZEXT, 32, 0, byte, 0, 0);
    }
}

#define PUTC(name)                                                                                 \
    WRITER int LIB(name)(int byte, FILE *stream) {                                                 \
        uint32_t shadow = __slowpath_sym_args[0];                                                  \
        leave(runtime_sym_descriptor(stream), 1, 1);                                               \
        int result = name(byte, stream);                                                           \
        return_int(runtime_sym_descriptor(stream), shadow);                                        \
        if (is_told() && result != EOF)                                                            \
            tell_int(runtime_sym_descriptor(stream), byte, shadow);                                \
        return result;                                                                             \
    }
PUTC(fputc)
PUTC(putc)
PUTC(fputc_unlocked)
PUTC(putc_unlocked)

#define PUTCHAR(name)                                                                              \
    WRITER int LIB(name)(int byte) {                                                               \
        uint32_t shadow = __slowpath_sym_args[0];                                                  \
        leave(runtime_sym_descriptor(stdout), 1, 0);                                               \
        int result = name(byte);                                                                   \
        return_int(runtime_sym_descriptor(stdout), shadow);                                        \
        if (is_told() && result != EOF)                                                            \
            tell_int(runtime_sym_descriptor(stdout), byte, shadow);                                \
        return result;                                                                             \
    }
PUTCHAR(putchar)
PUTCHAR(putchar_unlocked)

/* ---- wide characters ---- */

/* Decides whether it is ASCII. In the "C" locale nothing else can be written, but that error shows
 * only when the stream is flushed; in others, non-ASCII characters are fixed. 0: now concrete. */
static uint32_t take_ascii(wchar_t c, uint32_t shadow) {
    uint32_t limit = shadow ? runtime_sym_constant(32, 0x80) : 0;
    if (!limit)
        return 0;
    runtime_sym_ask(runtime_sym_node(ABI_OP_ULT, 1, 0, shadow, limit, 0), (uint32_t)c < 0x80);
    if ((uint32_t)c < 0x80 || OWN(charset)() == OWN_ASCII)
        return shadow;
    runtime_sym_fix(ABI_EVENT_CONCRETE, shadow, (uint32_t)c);
    return 0;
}

static void tell_wide(int fd, wchar_t c, uint32_t shadow) {
    char bytes[MB_LEN_MAX];
    mbstate_t state = {0};
    if (shadow && (uint32_t)c < 0x80) {
        tell_int(fd, c, shadow);
        return;
    }
    size_t count = wcrtomb(bytes, c, &state);
    if (count != (size_t)-1)
        tell_bytes(fd, bytes, count);
}

static wint_t put_wide(wchar_t c, FILE *stream) {
    int fd = runtime_sym_descriptor(stream);
    uint32_t shadow = take_ascii(c, __slowpath_sym_args[0]);
    leave(fd, 1, 1);
    if (runtime_is_taken_wide(stream))
        runtime_sym_lose("a stream that is read and written by characters");
    wint_t result = fputwc(c, stream);
    if (shadow)
        let_go(fd, false);
    if (shadow && result != WEOF)
        __slowpath_sym_results[0] = shadow;
    if (is_told() && result != WEOF)
        tell_wide(fd, c, shadow);
    return result;
}

#define PUTWC(name)                                                                                \
    WRITER wint_t LIB(name)(wchar_t c, FILE * stream) {                                            \
        return put_wide(c, stream);                                                                \
    }
PUTWC(fputwc)
PUTWC(putwc)
PUTWC(fputwc_unlocked)
PUTWC(putwc_unlocked)

#define PUTWCHAR(name)                                                                             \
    WRITER wint_t LIB(name)(wchar_t c) {                                                           \
        __slowpath_sym_args[1] = 0;                                                                \
        return put_wide(c, stdout);                                                                \
    }
PUTWCHAR(putwchar)
PUTWCHAR(putwchar_unlocked)

bool __slowpath_sym_print_matters(void *stream) {
    int fd = runtime_sym_descriptor(stream);
    bool matters = result_matters || fd < 0 || is_told() || runtime_sym_is_kept(fd);
    bool is_any = runtime_sym_is_any();
    result_matters = false;
    if (!matters && is_any && &runtime_sym_asks_position)
        runtime_sym_note_written(fd, true); /* it may, for all we know */
    return matters && is_any;
}

/* ---- formatted text ---- */

struct printing {
    FILE *stream;    /* NULL: the descriptor */
    int fd;          /* -1: the stream is memory */
    bool matters;    /* is the length of the text used? */
    bool is_watched; /* something may come back, so it has to be looked at */
};

/* "%n", with a length modifier or without. */
static bool stores_length(const char *format) {
    for (; (format = strchr(format, '%')); format++) {
        format += 1 + strspn(format + 1, "hljztLq");
        if (*format == 'n')
            return true;
        if (!*format)
            break;
    }
    return false;
}

static struct printing begin_printing(FILE *stream, int fd, const char *format) {
    struct printing printing = {stream, stream ? runtime_sym_descriptor(stream) : fd,
                                result_matters || stores_length(format), false};
    printing.is_watched = printing.matters || runtime_sym_is_kept(printing.fd) ||
                          &runtime_sym_asks_position; /* even for a device */
    if (stream && !printing.is_watched)
        runtime_sym_hide_stream(stream);
    return printing;
}

/* errno may be printed ("%m"). */
static int print_list(const struct printing *to, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int before = errno;
    int result = to->stream ? vfprintf(to->stream, format, args) : vdprintf(to->fd, format, args);
    int after = errno;
    errno = before;
    if (to->is_watched && runtime_sym_look_at_text(format, again, to->matters))
        let_go(to->fd, true);
    if (is_told() && result >= 0)
        runtime_sym_tell_text(to->fd, format, again);
    errno = after;
    va_end(again);
    return result;
}

/* With an argument list that the program has built itself. */
static int print_made(FILE *stream, int fd, const char *format, va_list args, unsigned named) {
    struct printing to = begin_printing(stream, fd, format);
    if (to.matters)
        fix_named(named - 1, (uintptr_t)format);
    leave(to.fd, 0, named - 1);
    return print_list(&to, format, args);
}

WRITER int LIB(vfprintf)(FILE *stream, const char *format, va_list args) {
    return print_made(stream, -1, format, args, 2);
}

WRITER int LIB(vprintf)(const char *format, va_list args) {
    return print_made(stdout, -1, format, args, 1);
}

WRITER int LIB(vdprintf)(int fd, const char *format, va_list args) {
    return print_made(NULL, fd, format, args, 2);
}

/* While arguments behind `...` are printed, the shadows passed with them lie beneath them. */
static int print_given(FILE *stream, int fd, const char *format, va_list args, unsigned named) {
    struct variadic_given given;
    struct printing to = begin_printing(stream, fd, format);
    bool lies = to.is_watched || is_told();
    if (lies)
        runtime_sym_lay_variadic(&given, (const struct variadic_list *)args);
    if (to.matters)
        fix_named(named - 1, (uintptr_t)format);
    leave(to.fd, 0, named - 1);
    int result = print_list(&to, format, args);
    if (lies)
        runtime_sym_lift_variadic(&given);
    return result;
}

WRITER int LIB(printf)(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int result = print_given(stdout, -1, format, args, 1);
    va_end(args);
    return result;
}

WRITER int LIB(fprintf)(FILE *stream, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int result = print_given(stream, -1, format, args, 2);
    va_end(args);
    return result;
}

WRITER int LIB(dprintf)(int fd, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int result = print_given(NULL, fd, format, args, 2);
    va_end(args);
    return result;
}

/* ---- formatted text in memory ---- */

/* SIZE as in snprintf. The arguments are read before the text is made, which may overwrite them. */
static int print_into(char *to, size_t size, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t room = size ? size - 1 : 0, bytes = length < 0 ? 0 : (size_t)length;
    if (length >= 0)
        runtime_sym_lay_text(to, bytes < room ? bytes : room, format, args);
    int result = vsnprintf(to, size, format, args);
    if (result >= 0 && size)
        __slowpath_sym_clear(to + (bytes < room ? bytes : room), 1);
    return result;
}

int LIB(vsnprintf)(char *to, size_t size, const char *format, va_list args) {
    fix_named(0, (uintptr_t)to);
    fix_named(1, size);
    fix_named(2, (uintptr_t)format);
    __slowpath_sym_give_text("vsnprintf", format);
    __slowpath_sym_outside();
    return print_into(to, size, format, args);
}

int LIB(vsprintf)(char *to, const char *format, va_list args) {
    fix_named(0, (uintptr_t)to);
    fix_named(1, (uintptr_t)format);
    __slowpath_sym_give_text("vsprintf", format);
    __slowpath_sym_outside();
    return print_into(to, INT_MAX, format, args);
}

/* The library chooses the size of the buffer. */
int LIB(vasprintf)(char **to, const char *format, va_list args) {
    va_list again;
    fix_named(0, (uintptr_t)to);
    __slowpath_sym_give_text("vasprintf", format);
    __slowpath_sym_outside();
    va_copy(again, args);
    int length = vasprintf(to, format, again);
    va_end(again);
    if (length < 0)
        return length;
    __slowpath_sym_clear(to, sizeof *to);
    runtime_sym_lay_text(*to, (size_t)length, format, args);
    __slowpath_sym_clear(*to + length, 1);
    return length;
}

int LIB(asprintf)(char **to, const char *format, ...) {
    struct variadic_given given;
    va_list args;
    va_start(args, format);
    runtime_sym_lay_variadic(&given, (const struct variadic_list *)args);
    int result = LIB(vasprintf)(to, format, args);
    runtime_sym_lift_variadic(&given);
    va_end(args);
    return result;
}

int LIB(snprintf)(char *to, size_t size, const char *format, ...) {
    struct variadic_given given;
    va_list args;
    va_start(args, format);
    runtime_sym_lay_variadic(&given, (const struct variadic_list *)args);
    int result = LIB(vsnprintf)(to, size, format, args);
    runtime_sym_lift_variadic(&given);
    va_end(args);
    return result;
}

int LIB(sprintf)(char *to, const char *format, ...) {
    struct variadic_given given;
    va_list args;
    va_start(args, format);
    runtime_sym_lay_variadic(&given, (const struct variadic_list *)args);
    int result = LIB(vsprintf)(to, format, args);
    runtime_sym_lift_variadic(&given);
    va_end(args);
    return result;
}
