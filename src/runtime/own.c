/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's own functions for explored code, which knows no more than what library_own.h
 * declares; and what the library says of characters and locales.
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

/* Are texts in the order of their bytes? */
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

/* Behind the last character all answers are the same, as are all but ASCII's in the "C" locale. */
bool __slowpath_native_wide_is_uniform(uint64_t function, uint32_t low, uint32_t high) {
    uint32_t answer = __slowpath_native_wide_answer(function, low);
    uint32_t last = OWN(charset)() == OWN_ASCII ? 0x80 : LAST_CHARACTER + 1;
    for (uint32_t c = low; c < high && c < last; c++)
        if (__slowpath_native_wide_answer(function, c + 1) != answer)
            return false;
    return true;
}

/* ---- streams ---- */

#define MOST_WIDE 16
#define FILE_BUFFER 4096u /* of one that was not read yet */

/* Explored code reads bytes, which makes the stream one of bytes: so those that it has taken for
 * wide ones are kept, for the run. They are only compared. */
static struct wide_stream {
    const FILE *stream;
    void *buffer; /* nobody uses it, but the library would have one */
} taken[MOST_WIDE];
static unsigned taken_count;

int OWN(take_wide)(FILE *stream) {
    int orientation = fwide(stream, 0);
    for (unsigned i = 0; i < taken_count; i++)
        if (taken[i].stream == stream)
            return OWN_TAKEN;
    if (orientation != 0 || taken_count == MOST_WIDE)
        return OWN_BYTES;
    size_t bytes = __fbufsize(stream) ? __fbufsize(stream) : FILE_BUFFER;
    taken[taken_count++] = (struct wide_stream){stream, malloc(bytes * sizeof(wchar_t))};
    return OWN_FRESH;
}

void runtime_forget_wide(const FILE *stream) {
    for (unsigned i = 0; i < taken_count; i++)
        if (taken[i].stream == stream) {
            free(taken[i].buffer);
            taken[i] = taken[--taken_count];
            return;
        }
}

void OWN(fail_stream)(FILE *stream) {
    stream->_flags |= _IO_ERR_SEEN;
}
