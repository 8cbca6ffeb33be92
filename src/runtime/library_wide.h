/* SPDX-License-Identifier: Apache-2.0
 *
 * Strings of wide characters: like library_counted.h for bytes, and charged one per character. The
 * loops are the same for plain and symbolic text. A file that includes this one defines
 *   lower_wide(character)   a wide character in lower case
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_WIDE_H
#define SLOWPATH_RUNTIME_LIBRARY_WIDE_H

#include <wchar.h>

/* ---- how far ---- */

PART size_t wide_length(const wchar_t *text, size_t count) {
    size_t at = 0;
    while (at < count && text[at])
        at++;
    return at;
}

PART size_t wide_find(const wchar_t *text, wchar_t c, size_t count) {
    size_t at = 0;
    while (at < count && text[at] != c)
        at++;
    return at;
}

PART size_t wide_find_or_end(const wchar_t *text, wchar_t c) {
    size_t at = 0;
    while (text[at] != c && text[at])
        at++;
    return at;
}

PART size_t wide_differ(const wchar_t *a, const wchar_t *b, size_t count) {
    size_t at = 0;
    while (at < count && a[at] == b[at])
        at++;
    return at;
}

PART size_t wide_differ_text(const wchar_t *a, const wchar_t *b, size_t count) {
    size_t at = 0;
    while (at < count && a[at] == b[at] && a[at])
        at++;
    return at;
}

PART size_t wide_differ_letters(const wchar_t *a, const wchar_t *b, size_t count) {
    size_t at = 0;
    while (at < count && lower_wide((wint_t)a[at]) == lower_wide((wint_t)b[at]) && a[at])
        at++;
    return at;
}

static bool wide_is_one_of(wchar_t c, const wchar_t *set) {
    for (; *set; set++)
        if (*set == c)
            return true;
    return false;
}

PART size_t wide_span(const wchar_t *text, const wchar_t *set, bool is_in) {
    size_t at = 0;
    while (text[at] && wide_is_one_of(text[at], set) == is_in)
        at++;
    return at;
}

PART int wide_order(long a, long b) {
    return a < b ? -1 : a > b;
}

/* Like the library, takes the difference of values that may not be valid characters. */
PART int order_letters(wchar_t a, wchar_t b) {
    return (int)(lower_wide((wint_t)a) - lower_wide((wint_t)b));
}

/* ---- memory ---- */

wchar_t *LIB(wmemcpy)(wchar_t *to, const wchar_t *from, size_t count) {
    charge(count);
    return __builtin_memcpy(to, from, count * sizeof *to);
}

wchar_t *LIB(wmempcpy)(wchar_t *to, const wchar_t *from, size_t count) {
    charge(count);
    __builtin_memcpy(to, from, count * sizeof *to);
    return to + count;
}

wchar_t *LIB(wmemmove)(wchar_t *to, const wchar_t *from, size_t count) {
    charge(count);
    return __builtin_memmove(to, from, count * sizeof *to);
}

wchar_t *LIB(wmemset)(wchar_t *to, wchar_t c, size_t count) {
    charge(count);
    for (size_t i = 0; i < count; i++)
        to[i] = c;
    return to;
}

int LIB(wmemcmp)(const wchar_t *a, const wchar_t *b, size_t count) {
    size_t at = wide_differ(a, b, count);
    charge(looked(at, count));
    if (at < count)
        return wide_order(a[at], b[at]);
    return 0;
}

wchar_t *LIB(wmemchr)(const wchar_t *text, wchar_t c, size_t count) {
    size_t at = wide_find(text, c, count);
    charge(looked(at, count));
    if (at < count)
        return (wchar_t *)text + at;
    return NULL;
}

/* ---- lengths and copies ---- */

size_t LIB(wcslen)(const wchar_t *text) {
    size_t length = wide_length(text, SIZE_MAX);
    charge(length + 1);
    return length;
}

size_t LIB(wcsnlen)(const wchar_t *text, size_t count) {
    size_t length = wide_length(text, count);
    charge(looked(length, count));
    return length;
}

PART wchar_t *put_wide(wchar_t *to, const wchar_t *from, size_t length) {
    __builtin_memcpy(to, from, length * sizeof *to);
    to[length] = 0;
    return to;
}

wchar_t *LIB(wcpcpy)(wchar_t *to, const wchar_t *from) {
    size_t length = wide_length(from, SIZE_MAX);
    charge(length + 1);
    return put_wide(to, from, length) + length;
}

wchar_t *LIB(wcscpy)(wchar_t *to, const wchar_t *from) {
    size_t length = wide_length(from, SIZE_MAX);
    charge(length + 1);
    return put_wide(to, from, length);
}

wchar_t *LIB(wcpncpy)(wchar_t *to, const wchar_t *from, size_t count) {
    size_t length = wide_length(from, count);
    charge(count);
    __builtin_memcpy(to, from, length * sizeof *to);
    for (size_t i = length; i < count; i++)
        to[i] = 0;
    return to + length;
}

wchar_t *LIB(wcsncpy)(wchar_t *to, const wchar_t *from, size_t count) {
    LIB(wcpncpy)(to, from, count);
    return to;
}

wchar_t *LIB(wcscat)(wchar_t *to, const wchar_t *from) {
    size_t length = wide_length(to, SIZE_MAX), more = wide_length(from, SIZE_MAX);
    charge(length + 1 + more + 1);
    put_wide(to + length, from, more);
    return to;
}

wchar_t *LIB(wcsncat)(wchar_t *to, const wchar_t *from, size_t count) {
    size_t length = wide_length(to, SIZE_MAX), more = wide_length(from, count);
    charge(length + 1 + looked(more, count));
    put_wide(to + length, from, more);
    return to;
}

wchar_t *LIB(wcsdup)(const wchar_t *text) {
    size_t length = wide_length(text, SIZE_MAX);
    charge(length + 1);
    wchar_t *copy = LIB(malloc)((length + 1) * sizeof *copy);
    return copy ? put_wide(copy, text, length) : NULL;
}

/* ---- orders ---- */

int LIB(wcsncmp)(const wchar_t *a, const wchar_t *b, size_t count) {
    size_t at = wide_differ_text(a, b, count);
    charge(looked(at, count));
    if (at < count)
        return wide_order(a[at], b[at]);
    return 0;
}

int LIB(wcscmp)(const wchar_t *a, const wchar_t *b) {
    size_t at = wide_differ_text(a, b, SIZE_MAX);
    charge(at + 1);
    return wide_order(a[at], b[at]);
}

int LIB(wcsncasecmp)(const wchar_t *a, const wchar_t *b, size_t count) {
    size_t at = wide_differ_letters(a, b, count);
    charge(looked(at, count));
    if (at < count)
        return order_letters(a[at], b[at]);
    return 0;
}

int LIB(wcscasecmp)(const wchar_t *a, const wchar_t *b) {
    size_t at = wide_differ_letters(a, b, SIZE_MAX);
    charge(at + 1);
    return order_letters(a[at], b[at]);
}

int LIB(wcscoll)(const wchar_t *a, const wchar_t *b) {
    size_t at = wide_differ_text(a, b, SIZE_MAX);
    charge(at + 1);
    if (__slowpath_native_orders_bytes())
        return wide_order(a[at], b[at]);
    fix_bytes(a, (wide_length(a, SIZE_MAX) + 1) * sizeof *a);
    fix_bytes(b, (wide_length(b, SIZE_MAX) + 1) * sizeof *b);
    return OWN(wcscoll)(a, b);
}

/* ---- searches ---- */

wchar_t *LIB(wcschrnul)(const wchar_t *text, wchar_t c) {
    size_t at = wide_find_or_end(text, c);
    charge(at + 1);
    return (wchar_t *)text + at;
}

wchar_t *LIB(wcschr)(const wchar_t *text, wchar_t c) {
    size_t at = wide_find_or_end(text, c);
    charge(at + 1);
    if (text[at] == c)
        return (wchar_t *)text + at;
    return NULL;
}

wchar_t *LIB(wcsrchr)(const wchar_t *text, wchar_t c) {
    const wchar_t *found = NULL;
    size_t size = 0;
    do
        if (text[size] == c)
            found = text + size;
    while (text[size++]);
    charge(size);
    return (wchar_t *)found;
}

wchar_t *LIB(wcsstr)(const wchar_t *text, const wchar_t *word) {
    size_t length = wide_length(word, SIZE_MAX), at = 0, same;
    for (;; at++) {
        for (same = 0; same < length; same++)
            if (text[at + same] != word[same])
                break;
        if (same == length || !text[at + same])
            break;
    }
    bool found = same == length;
    charge((found ? at : at + same) + length + 1);
    if (found)
        return (wchar_t *)text + at;
    return NULL;
}

size_t LIB(wcsspn)(const wchar_t *text, const wchar_t *set) {
    size_t length = wide_span(text, set, true);
    charge(length + 1);
    return length;
}

size_t LIB(wcscspn)(const wchar_t *text, const wchar_t *set) {
    size_t length = wide_span(text, set, false);
    charge(length + 1);
    return length;
}

wchar_t *LIB(wcspbrk)(const wchar_t *text, const wchar_t *set) {
    size_t length = wide_span(text, set, false);
    charge(length + 1);
    if (text[length])
        return (wchar_t *)text + length;
    return NULL;
}

#endif
