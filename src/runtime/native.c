/* SPDX-License-Identifier: Apache-2.0
 *
 * How far does a library function get? For memory without symbolic bytes, the C library's own code
 * finds what a memory or string function looks for, and nothing is counted. This is in the archive
 * and not in the bitcode, so that it calls the library's functions even if the target defines
 * functions of the same names.
 *
 * All answers are positions: numbers of bytes from the start.
 */
#include "runtime/hooks.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <wctype.h>

static uint64_t place(const char *found, const char *start, uint64_t otherwise) {
    return found ? (uint64_t)(found - start) : otherwise;
}

uint64_t __slowpath_native_length(const void *text, uint64_t count) {
    return count == SIZE_MAX ? strlen(text) : strnlen(text, count);
}

uint64_t __slowpath_native_find(const void *bytes, uint32_t byte, uint64_t count) {
    return place(memchr(bytes, (int)byte, count), bytes, count);
}

/* How many bytes remain when everything behind the last BYTE is dropped. */
uint64_t __slowpath_native_find_last(const void *bytes, uint32_t byte, uint64_t count) {
    const char *found = memrchr(bytes, (int)byte, count);
    return found ? place(found, bytes, 0) + 1 : 0;
}

uint64_t __slowpath_native_find_or_end(const void *text, uint32_t byte) {
    return place(strchrnul(text, (int)byte), text, 0);
}

uint64_t __slowpath_native_find_bytes(const void *bytes, uint64_t size, const void *word,
                                      uint64_t word_size) {
    return place(memmem(bytes, size, word, word_size), bytes, size);
}

uint64_t __slowpath_native_find_text(const void *text, const void *word) {
    return place(strstr(text, word), text, SIZE_MAX);
}

uint64_t __slowpath_native_span(const void *text, const void *set, bool is_in) {
    return is_in ? strspn(text, set) : strcspn(text, set);
}

uint64_t __slowpath_native_differ(const void *a, const void *b, uint64_t count) {
    const char *x = a, *y = b;
    uint64_t at = 0;
    if (memcmp(a, b, count) == 0)
        return count;
    while (x[at] == y[at])
        at++;
    return at;
}

uint64_t __slowpath_native_differ_text(const void *a, const void *b, uint64_t count) {
    const char *x = a, *y = b;
    uint64_t at = 0;
    while (at < count && x[at] == y[at] && x[at])
        at++;
    return at;
}

uint64_t __slowpath_native_differ_letters(const void *a, const void *b, uint64_t count) {
    const unsigned char *x = a, *y = b;
    uint64_t at = 0;
    while (at < count && tolower(x[at]) == tolower(y[at]) && x[at])
        at++;
    return at;
}

uint32_t __slowpath_native_lower(uint32_t character) {
    return (uint32_t)tolower((int)character);
}

uint32_t __slowpath_native_lower_wide(uint32_t character) {
    return towlower(character);
}
