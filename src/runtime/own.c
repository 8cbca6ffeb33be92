/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's own functions for explored code, which only sees what library_own.h declares; and
 * what the library says about characters and locales.
 */
#include "runtime/hooks.h"
#include "runtime/library_own.h"
#include "runtime/runtime.h"

#include <langinfo.h>
#include <locale.h>
#include <search.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

double OWN(strtod)(const char *text) {
    return strtod(text, NULL);
}

float OWN(strtof)(const char *text) {
    return strtof(text, NULL);
}

long double OWN(strtold)(const char *text) {
    return strtold(text, NULL);
}

void *OWN(tsearch)(const void *key, void **root, int (*compare)(const void *, const void *)) {
    return tsearch(key, root, compare);
}

void *OWN(tfind)(const void *key, void *const *root, int (*compare)(const void *, const void *)) {
    return tfind(key, root, compare);
}

void *OWN(tdelete)(const void *key, void **root, int (*compare)(const void *, const void *)) {
    return tdelete(key, root, compare);
}

bool OWN(is_posixly_correct)(void) {
    return getenv("POSIXLY_CORRECT") != NULL;
}

void OWN(leave_options)(void) {
    __slowpath_left |= RUNTIME_LEFT_LIBRARY;
}

/* ---- locales ---- */

/* Does the locale order texts by their bytes? */
bool __slowpath_native_orders_bytes(void) {
    const char *name = setlocale(LC_COLLATE, NULL);
    return strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0 || strncmp(name, "C.", 2) == 0;
}

int OWN(strcoll)(const char *a, const char *b) {
    return strcoll(a, b);
}

int OWN(wcscoll)(const wchar_t *a, const wchar_t *b) {
    return wcscoll(a, b);
}

size_t OWN(strxfrm)(char *to, const char *from, size_t count) {
    return strxfrm(to, from, count);
}

int OWN(charset)(void) {
    if (MB_CUR_MAX == 1 && btowc(0x80) == WEOF)
        return OWN_ASCII;
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? OWN_UTF8 : OWN_OTHER;
}

/* ---- wide characters ---- */

#define LAST_CHARACTER 0x10ffffu

uint32_t __slowpath_native_wide_answer(uint64_t function, uint32_t c) {
#define OWN_CLASS(name) #name,
    static const char *const classes[] = {OWN_CLASSES(OWN_CLASS)};
#undef OWN_CLASS
    if (function < OWN_TO_LOWER)
        return iswctype(c, wctype(classes[function])) != 0;
    switch (function) {
    case OWN_TO_LOWER:
        return towlower(c) - c;
    case OWN_TO_UPPER:
        return towupper(c) - c;
    case OWN_WIDTH:
        return (uint32_t)wcwidth((wchar_t)c);
    default:
        return iswctype(c, (wctype_t)function) != 0;
    }
}

/* Earlier answers: the same halves are asked for again and again. */
static RUNTIME_STATE struct uniform {
    const char *charset; /* of the locale; NULL: nothing was asked yet */
    uint64_t function;
    uint32_t low, high;
    bool is_uniform;
} asked[1024];

/* Beyond the last character all answers are the same. So are all beyond ASCII in the "C" locale. */
static bool is_uniform(uint64_t function, uint32_t low, uint32_t high) {
    uint32_t answer = __slowpath_native_wide_answer(function, low);
    uint32_t last = OWN(charset)() == OWN_ASCII ? 0x80 : LAST_CHARACTER + 1;
    for (uint32_t c = low; c < high && c < last; c++)
        if (__slowpath_native_wide_answer(function, c + 1) != answer)
            return false;
    return true;
}

bool __slowpath_native_wide_is_uniform(uint64_t function, uint32_t low, uint32_t high) {
    const char *charset = nl_langinfo(CODESET);
    uint64_t key = (function * 31 + low) * 0x9e3779b97f4a7c15u + high * 0x2545f4914f6cdd1du;
    struct uniform *known = &asked[key >> 54];
    if (known->charset != charset || known->function != function || known->low != low ||
        known->high != high)
        *known = (struct uniform){charset, function, low, high, is_uniform(function, low, high)};
    return known->is_uniform;
}

/* ---- streams ---- */

#define MOST_WIDE 16
#define FILE_BUFFER 4096u /* allocated for a stream not read before */

/* Explored code reads bytes, which makes the stream byte-oriented. So this remembers, for the rest
 * of the run, the streams that the program reads as wide. Streams are only compared here. */
static struct wide_stream {
    const FILE *stream;
    void *buffer; /* unused, but the library would have one */
} taken[MOST_WIDE];
static unsigned taken_count;

bool runtime_is_taken_wide(const FILE *stream) {
    for (unsigned i = 0; i < taken_count; i++)
        if (taken[i].stream == stream)
            return true;
    return false;
}

int OWN(take_wide)(FILE *stream) {
    int orientation = fwide(stream, 0);
    if (orientation > 0)
        return OWN_WIDE;
    if (runtime_is_taken_wide(stream))
        return OWN_TAKEN;
    if (orientation != 0 || taken_count == MOST_WIDE)
        return OWN_BYTES;
    size_t bytes = __fbufsize(stream) ? __fbufsize(stream) : FILE_BUFFER;
    taken[taken_count++] = (struct wide_stream){stream, malloc(bytes * sizeof(wchar_t))};
    return OWN_FRESH;
}

int OWN(fwide)(FILE *stream, int mode) {
    int orientation = runtime_is_taken_wide(stream) ? 1 : fwide(stream, 0);
    if (orientation == 0 && mode > 0 && __freadable(stream))
        return OWN(take_wide)(stream) == OWN_FRESH;
    return orientation ? orientation : fwide(stream, mode);
}

wint_t OWN(fgetwc)(FILE *stream) {
    return fgetwc(stream);
}

wint_t OWN(ungetwc)(wint_t c, FILE *stream) {
    return ungetwc(c, stream);
}

void runtime_forget_wide(const FILE *stream) {
    for (unsigned i = 0; i < taken_count; i++)
        if (taken[i].stream == stream) {
            free(taken[i].buffer);
            taken[i] = taken[--taken_count];
            return;
        }
}

bool OWN(is_printed_wide)(FILE *stream) {
    return !runtime_is_taken_wide(stream) && fwide(stream, 1) > 0;
}

int OWN(vswprintf)(wchar_t *to, size_t size, const wchar_t *format, va_list args) {
    return vswprintf(to, size, format, args);
}

int OWN(vfwprintf)(FILE *stream, const wchar_t *format, va_list args) {
    return vfwprintf(stream, format, args);
}

void OWN(fail_stream)(FILE *stream) {
    stream->_flags |= _IO_ERR_SEEN;
}
