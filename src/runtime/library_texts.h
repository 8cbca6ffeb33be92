/* SPDX-License-Identifier: Apache-2.0
 *
 * The less common memory and string functions, charged like those of library_counted.h. Include
 * that first: it lists the macros needed here, plus
 *   fix_bytes(memory, bytes)  makes them concrete
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_TEXTS_H
#define SLOWPATH_RUNTIME_LIBRARY_TEXTS_H

#include "runtime/library_own.h"

#include <sys/types.h>

/* ---- memory ---- */

void LIB(bcopy)(const void *from, void *to, size_t count) {
    charge(count);
    __builtin_memmove(to, from, count);
}

void LIB(explicit_bzero)(void *to, size_t count) {
    charge(count);
    __builtin_memset(to, 0, count);
}

void *LIB(memccpy)(void *to, const void *from, int byte, size_t count) {
    size_t at = find(plain_arguments(4), from, byte, count);
    charge(looked(at, count));
    __builtin_memcpy(to, from, looked(at, count));
    if (at < count)
        return (char *)to + at + 1;
    return NULL;
}

/* Works on pairs of bytes: an odd last byte is ignored. */
void LIB(swab)(const void *from, void *to, ssize_t count) {
    const char *in = from;
    char *out = to;
    ssize_t even = count > 0 ? count & -2 : 0;
    charge((size_t)even);
    for (ssize_t i = 0; i < even; i += 2) {
        char first = in[i];
        out[i] = in[i + 1];
        out[i + 1] = first;
    }
}

/* ---- texts ---- */

char *LIB(stpncpy)(char *to, const char *from, size_t count) {
    size_t length = length_of(plain_arguments(3), from, count);
    charge(count);
    __builtin_memcpy(to, from, length);
    for (size_t i = length; i < count; i++)
        to[i] = 0;
    return to + length;
}

char *LIB(strcasestr)(const char *text, const char *word) {
    size_t length = length_of(plain_arguments(2), word, SIZE_MAX), at = 0, same;
    for (;; at++) {
        for (same = 0; same < length; same++)
            if (lower((unsigned char)text[at + same]) != lower((unsigned char)word[same]))
                break;
        if (same == length || !text[at + same])
            break;
    }
    bool found = same == length;
    charge((found ? at : at + same) + length + 1);
    if (found)
        return (char *)text + at;
    return NULL;
}

PART void fix_both(const char *a, const char *b) {
    fix_bytes(a, __slowpath_native_length(a, SIZE_MAX) + 1);
    fix_bytes(b, __slowpath_native_length(b, SIZE_MAX) + 1);
}

/* Only the library knows the order of a locale that has one of its own. */
int LIB(strcoll)(const char *a, const char *b) {
    size_t at = differ_text(plain_arguments(2), a, b, SIZE_MAX);
    charge(at + 1);
    if (__slowpath_native_orders_bytes())
        return order((unsigned char)a[at], (unsigned char)b[at]);
    fix_both(a, b);
    return OWN(strcoll)(a, b);
}

size_t LIB(strxfrm)(char *to, const char *from, size_t count) {
    size_t length = length_of(plain_arguments(3), from, SIZE_MAX);
    charge(length + 1);
    if (!__slowpath_native_orders_bytes()) {
        fix_bytes(from, length + 1);
        return OWN(strxfrm)(to, from, count);
    }
    __builtin_memcpy(to, from, looked(length, count));
    return length;
}

/* ---- versions ---- */

PART bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

PART size_t count_digits(const char *text) {
    size_t count = 0;
    while (is_digit(text[count]))
        count++;
    return count;
}

/* Orders two texts that first differ at A and B, behind BEFORE common digits. A number that starts
 * with 0 is a fraction. */
static int order_versions(const char *a, const char *b, size_t before) {
    int difference = order((unsigned char)*a, (unsigned char)*b);
    bool is_a = is_digit(*a), is_b = is_digit(*b);
    size_t zeros = 0;
    while (zeros < before && a[(ptrdiff_t)(zeros - before)] == '0')
        zeros++;
    if (zeros > 0)
        return zeros < before || is_a == is_b ? difference : is_a ? -1 : 1;
    if (before == 0 && (!is_a || !is_b || *a == '0' || *b == '0'))
        return difference;
    if (!is_a && !is_b)
        return difference;
    size_t left_a = count_digits(a), left_b = count_digits(b);
    return left_a == left_b ? difference : left_a < left_b ? -1 : 1;
}

int LIB(strverscmp)(const char *a, const char *b) {
    size_t at = differ_text(plain_arguments(2), a, b, SIZE_MAX), before = 0;
    charge(at + 1);
    if (a[at] == b[at])
        return 0;
    while (before < at && is_digit(a[at - before - 1]))
        before++;
    return order_versions(a + at, b + at, before);
}

/* ---- paths ---- */

char *LIB(basename)(const char *path) {
    size_t length = length_of(plain_arguments(1), path, SIZE_MAX), start = length;
    charge(length + 1);
    while (start > 0 && path[start - 1] != '/')
        start--;
    return (char *)path + start;
}

/* The length of a path without the slashes, or the name, at its end. */
static size_t drop_slashes(const char *path, size_t length) {
    while (length > 0 && path[length - 1] == '/')
        length--;
    return length;
}

static size_t drop_name(const char *path, size_t length) {
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length;
}

static char here[2] = ".";

char *LIB(__xpg_basename)(char *path) {
    bool plain = plain_arguments(1);
    if (!path)
        return here;
    size_t length = length_of(plain, path, SIZE_MAX);
    charge(length + 1);
    if (!length)
        return here;
    size_t end = drop_slashes(path, length);
    if (end == 0)
        return path + length - 1;
    if (end < length)
        path[end] = 0;
    return path + drop_name(path, end);
}

char *LIB(dirname)(char *path) {
    bool plain = plain_arguments(1);
    if (!path)
        return here;
    size_t length = length_of(plain, path, SIZE_MAX);
    charge(length + 1);
    size_t slashes = drop_name(path, drop_slashes(path, length));
    if (slashes == 0 && drop_slashes(path, length) == 0)
        slashes = length;
    if (slashes == 0)
        return here;
    size_t end = drop_slashes(path, slashes);
    if (end == 0)
        end = slashes == 2 ? 2 : 1; /* two slashes are a root of their own */
    path[end] = 0;
    return path;
}

#endif
