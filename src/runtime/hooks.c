/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of the runtime that is compiled to bitcode, linked into the module under
 * instrumentation and inlined there: the hooks that the instrumenter inserts, and our versions of
 * the library's memory and string functions, which are charged one per byte touched (slot 0).
 *
 * "Touched" is what a straightforward implementation must look at: a comparison costs up to and
 * including the first difference, a search up to and including the find.
 */
#include "runtime/hooks.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define INLINED __attribute__((always_inline))

extern uint64_t __slowpath_counters[];

void *__slowpath_lib_malloc(size_t size);

/* ---- hooks ---- */

INLINED void __slowpath_hook_block(uint32_t slot) {
    __slowpath_counters[slot]++;
}

INLINED void __slowpath_hook_bytes(uint64_t bytes) {
    __slowpath_counters[0] += bytes;
}

/* ---- the library ---- */

static inline void charge(uint64_t bytes) {
    __slowpath_counters[0] += bytes;
}

/* Bytes that a comparison looks at: up to the first difference, at most COUNT. */
static inline size_t common_bytes(const void *a, const void *b, size_t count) {
    const unsigned char *x = a, *y = b;
    size_t at = 0;
    while (at < count && x[at] == y[at])
        at++;
    return at < count ? at + 1 : count;
}

INLINED void *__slowpath_lib_memcpy(void *to, const void *from, size_t count) {
    charge(count);
    return memcpy(to, from, count);
}

void *__slowpath_lib_mempcpy(void *to, const void *from, size_t count) {
    charge(count);
    return (char *)memcpy(to, from, count) + count;
}

INLINED void *__slowpath_lib_memmove(void *to, const void *from, size_t count) {
    charge(count);
    return memmove(to, from, count);
}

INLINED void *__slowpath_lib_memset(void *to, int byte, size_t count) {
    charge(count);
    return memset(to, byte, count);
}

void __slowpath_lib_bzero(void *to, size_t count) {
    charge(count);
    memset(to, 0, count);
}

int __slowpath_lib_memcmp(const void *a, const void *b, size_t count) {
    int order = memcmp(a, b, count);
    charge(order ? common_bytes(a, b, count) : count);
    return order;
}

int __slowpath_lib_bcmp(const void *a, const void *b, size_t count) {
    return __slowpath_lib_memcmp(a, b, count);
}

void *__slowpath_lib_memchr(const void *bytes, int byte, size_t count) {
    const char *found = memchr(bytes, byte, count);
    charge(found ? (size_t)(found - (const char *)bytes) + 1 : count);
    return (void *)found;
}

void *__slowpath_lib_memrchr(const void *bytes, int byte, size_t count) {
    const unsigned char *at = bytes;
    for (size_t left = count; left > 0; left--)
        if (at[left - 1] == (unsigned char)byte) {
            charge(count - left + 1);
            return (void *)(at + left - 1);
        }
    charge(count);
    return NULL;
}

void *__slowpath_lib_rawmemchr(const void *bytes, int byte) {
    const char *found = memchr(bytes, byte, SIZE_MAX / 2);
    charge((size_t)(found - (const char *)bytes) + 1);
    return (void *)found;
}

size_t __slowpath_lib_strlen(const char *text) {
    size_t length = strlen(text);
    charge(length + 1);
    return length;
}

size_t __slowpath_lib_strnlen(const char *text, size_t count) {
    const char *end = memchr(text, 0, count);
    charge(end ? (size_t)(end - text) + 1 : count);
    return end ? (size_t)(end - text) : count;
}

void *__slowpath_lib_memmem(const void *text, size_t text_size, const void *word,
                            size_t word_size) {
    const char *start = text;
    if (word_size == 0)
        return (void *)text;
    for (size_t at = 0; at + word_size <= text_size; at++) {
        size_t looked = common_bytes(start + at, word, word_size);
        charge(looked);
        if (looked == word_size && memcmp(start + at, word, word_size) == 0)
            return (void *)(start + at);
    }
    return NULL;
}

int __slowpath_lib_strcmp(const char *a, const char *b) {
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        at++;
    charge(at + 1);
    return (unsigned char)a[at] - (unsigned char)b[at];
}

int __slowpath_lib_strncmp(const char *a, const char *b, size_t count) {
    size_t at = 0;
    while (at < count && a[at] && a[at] == b[at])
        at++;
    charge(at < count ? at + 1 : count);
    return at < count ? (unsigned char)a[at] - (unsigned char)b[at] : 0;
}

/* The library decides what the letters are; we only find how far it had to look. */
static inline void charge_case(const char *a, const char *b, size_t count) {
    size_t at = 0;
    while (at < count && a[at] && strncasecmp(a + at, b + at, 1) == 0)
        at++;
    charge(at < count ? at + 1 : count);
}

int __slowpath_lib_strcasecmp(const char *a, const char *b) {
    charge_case(a, b, SIZE_MAX);
    return strcasecmp(a, b);
}

int __slowpath_lib_strncasecmp(const char *a, const char *b, size_t count) {
    charge_case(a, b, count);
    return strncasecmp(a, b, count);
}

char *__slowpath_lib_stpcpy(char *to, const char *from) {
    size_t length = strlen(from);
    charge(length + 1);
    memcpy(to, from, length + 1);
    return to + length;
}

char *__slowpath_lib_strcpy(char *to, const char *from) {
    __slowpath_lib_stpcpy(to, from);
    return to;
}

char *__slowpath_lib_strncpy(char *to, const char *from, size_t count) {
    charge(count);
    return strncpy(to, from, count);
}

char *__slowpath_lib_strcat(char *to, const char *from) {
    size_t length = strlen(to);
    charge(length + 1);
    __slowpath_lib_stpcpy(to + length, from);
    return to;
}

char *__slowpath_lib_strncat(char *to, const char *from, size_t count) {
    size_t length = strlen(to), more = __slowpath_lib_strnlen(from, count);
    charge(length + 1);
    memcpy(to + length, from, more);
    to[length + more] = 0;
    return to;
}

char *__slowpath_lib_strchrnul(const char *text, int byte) {
    size_t at = 0;
    while (text[at] && text[at] != (char)byte)
        at++;
    charge(at + 1);
    return (char *)text + at;
}

char *__slowpath_lib_strchr(const char *text, int byte) {
    char *found = __slowpath_lib_strchrnul(text, byte);
    return *found == (char)byte ? found : NULL;
}

char *__slowpath_lib_strrchr(const char *text, int byte) {
    charge(strlen(text) + 1);
    return strrchr(text, byte);
}

char *__slowpath_lib_strstr(const char *text, const char *word) {
    const char *found = strstr(text, word);
    charge((found ? (size_t)(found - text) : strlen(text)) + strlen(word) + 1);
    return (char *)found;
}

size_t __slowpath_lib_strspn(const char *text, const char *set) {
    size_t length = strspn(text, set);
    charge(length + 1);
    return length;
}

size_t __slowpath_lib_strcspn(const char *text, const char *set) {
    size_t length = strcspn(text, set);
    charge(length + 1);
    return length;
}

char *__slowpath_lib_strpbrk(const char *text, const char *set) {
    const char *at = text + __slowpath_lib_strcspn(text, set);
    return *at ? (char *)at : NULL;
}

char *__slowpath_lib_strndup(const char *text, size_t count) {
    size_t length = __slowpath_lib_strnlen(text, count);
    char *copy = __slowpath_lib_malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

char *__slowpath_lib_strdup(const char *text) {
    return __slowpath_lib_strndup(text, SIZE_MAX / 2);
}
