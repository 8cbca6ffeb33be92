/* SPDX-License-Identifier: Apache-2.0
 *
 * Library functions as code that is explored: plain loops over bytes, compiled to bitcode and
 * instrumented with the target, so that their comparisons are decisions. In the symbolic build
 * they stand for the C library's (and for runtime/hooks.c); what they charge is the same.
 *
 * qsort is a merge sort, as glibc's is: the same comparisons in the same order for arrays that fit
 * its buffer.
 */
#include "runtime/hooks.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>

#define LIB(name) __slowpath_lib_##name

void *LIB(malloc)(size_t size);
void LIB(free)(void *memory);

static void charge(size_t bytes) {
    __slowpath_hook_cost((uint32_t)bytes);
}

static int both_plain(const void *a, const void *b, size_t count) {
    return __slowpath_sym_is_plain(a, count) && __slowpath_sym_is_plain(b, count);
}

/* Bytes that a comparison of plain memory looks at; its result is ORDER. */
static void charge_compared(const unsigned char *a, const unsigned char *b, size_t count,
                            int order) {
    size_t looked = 0;
    while (order && looked < count && a[looked] == b[looked])
        looked++;
    charge(order ? looked + 1 : count);
}

/* ---- memory ---- */

void *LIB(memcpy)(void *to, const void *from, size_t count) {
    charge(count);
    return __builtin_memcpy(to, from, count);
}

void *LIB(mempcpy)(void *to, const void *from, size_t count) {
    return (char *)LIB(memcpy)(to, from, count) + count;
}

void *LIB(memmove)(void *to, const void *from, size_t count) {
    charge(count);
    return __builtin_memmove(to, from, count);
}

void *LIB(memset)(void *to, int byte, size_t count) {
    charge(count);
    return __builtin_memset(to, byte, count);
}

void LIB(bzero)(void *to, size_t count) {
    LIB(memset)(to, 0, count);
}

int LIB(memcmp)(const void *a, const void *b, size_t count) {
    bool plain = __slowpath_hook_plain_arguments(3);
    const unsigned char *x = a, *y = b;
    if (plain && both_plain(a, b, count)) {
        int order = (int)__slowpath_hook_memcmp(a, b, count);
        charge_compared(x, y, count, order);
        return order;
    }
    for (size_t i = 0; i < count; i++)
        if (x[i] != y[i]) {
            charge(i + 1);
            return x[i] < y[i] ? -1 : 1;
        }
    charge(count);
    return 0;
}

int LIB(bcmp)(const void *a, const void *b, size_t count) {
    bool plain = __slowpath_hook_plain_arguments(3);
    const unsigned char *x = a, *y = b;
    if (plain && both_plain(a, b, count))
        return LIB(memcmp)(a, b, count);
    for (size_t i = 0; i < count; i++)
        if (x[i] != y[i]) {
            charge(i + 1);
            return 1;
        }
    charge(count);
    return 0;
}

void *LIB(memchr)(const void *bytes, int byte, size_t count) {
    bool plain = __slowpath_hook_plain_arguments(3);
    const unsigned char *at = bytes;
    const unsigned char *found = __slowpath_hook_memchr(bytes, (uint32_t)byte, count);
    size_t looked = found ? (size_t)(found - at) + 1 : count;
    if (plain && __slowpath_sym_is_plain(bytes, looked)) {
        charge(looked);
        return (void *)found;
    }
    for (size_t i = 0; i < count; i++)
        if (at[i] == (unsigned char)byte) {
            charge(i + 1);
            return (void *)(at + i);
        }
    charge(count);
    return NULL;
}

void *LIB(memrchr)(const void *bytes, int byte, size_t count) {
    const unsigned char *at = bytes;
    for (size_t left = count; left > 0; left--)
        if (at[left - 1] == (unsigned char)byte) {
            charge(count - left + 1);
            return (void *)(at + left - 1);
        }
    charge(count);
    return NULL;
}

void *LIB(rawmemchr)(const void *bytes, int byte) {
    return LIB(memchr)(bytes, byte, SIZE_MAX);
}

void *LIB(memmem)(const void *text, size_t text_size, const void *word, size_t word_size) {
    const char *start = text;
    for (size_t at = 0; at + word_size <= text_size; at++)
        if (LIB(memcmp)(start + at, word, word_size) == 0)
            return (void *)(start + at);
    return NULL;
}

/* ---- strings ---- */

size_t LIB(strlen)(const char *text) {
    bool plain = __slowpath_hook_plain_arguments(1);
    size_t length = __slowpath_hook_strnlen(text, SIZE_MAX);
    if (plain && __slowpath_sym_is_plain(text, length + 1)) {
        charge(length + 1);
        return length;
    }
    length = 0;
    while (text[length])
        length++;
    charge(length + 1);
    return length;
}

size_t LIB(strnlen)(const char *text, size_t count) {
    size_t length = 0;
    while (length < count && text[length])
        length++;
    charge(length < count ? length + 1 : count);
    return length;
}

/* Like the library's: a difference of bytes, which callers may only look at the sign of. */
static int order(unsigned char a, unsigned char b) {
    return (int)a - (int)b;
}

/* Nothing of COUNT may be looked at here while it is symbolic. */
static int compare_plain(const char *a, const char *b, size_t count, int *result) {
    size_t length = __slowpath_hook_strnlen(b, __slowpath_hook_strnlen(a, count));
    size_t compared = length < count ? length + 1 : count;
    if (!both_plain(a, b, compared))
        return 0;
    *result = (int)__slowpath_hook_memcmp(a, b, compared);
    charge_compared((const unsigned char *)a, (const unsigned char *)b, compared, *result);
    return 1;
}

int LIB(strncmp)(const char *a, const char *b, size_t count) {
    int result;
    if (__slowpath_hook_plain_arguments(3) && compare_plain(a, b, count, &result))
        return result;
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i] || !a[i]) {
            charge(i + 1);
            return order((unsigned char)a[i], (unsigned char)b[i]);
        }
    charge(count);
    return 0;
}

int LIB(strcmp)(const char *a, const char *b) {
    return LIB(strncmp)(a, b, SIZE_MAX);
}

/* ---- characters (the "C" locale) ---- */

int LIB(isdigit)(int c) {
    return c >= '0' && c <= '9';
}

int LIB(islower)(int c) {
    return c >= 'a' && c <= 'z';
}

int LIB(isupper)(int c) {
    return c >= 'A' && c <= 'Z';
}

int LIB(isalpha)(int c) {
    return LIB(islower)(c) || LIB(isupper)(c);
}

int LIB(isalnum)(int c) {
    return LIB(isalpha)(c) || LIB(isdigit)(c);
}

int LIB(isblank)(int c) {
    return c == ' ' || c == '\t';
}

int LIB(iscntrl)(int c) {
    return (c >= 0 && c < 32) || c == 127;
}

int LIB(isgraph)(int c) {
    return c > 32 && c < 127;
}

int LIB(isprint)(int c) {
    return c >= 32 && c < 127;
}

int LIB(ispunct)(int c) {
    return LIB(isgraph)(c) && !LIB(isalnum)(c);
}

int LIB(isspace)(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int LIB(isxdigit)(int c) {
    return LIB(isdigit)(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

int LIB(tolower)(int c) {
    return LIB(isupper)(c) ? c + ('a' - 'A') : c;
}

int LIB(toupper)(int c) {
    return LIB(islower)(c) ? c - ('a' - 'A') : c;
}

int LIB(strncasecmp)(const char *a, const char *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int x = LIB(tolower)((unsigned char)a[i]), y = LIB(tolower)((unsigned char)b[i]);
        if (x != y || !a[i]) {
            charge(i + 1);
            return x - y;
        }
    }
    charge(count);
    return 0;
}

int LIB(strcasecmp)(const char *a, const char *b) {
    return LIB(strncasecmp)(a, b, SIZE_MAX);
}

/* ---- copying and searching strings ---- */

char *LIB(stpcpy)(char *to, const char *from) {
    size_t i = 0;
    for (; from[i]; i++)
        to[i] = from[i];
    to[i] = 0;
    charge(i + 1);
    return to + i;
}

char *LIB(strcpy)(char *to, const char *from) {
    LIB(stpcpy)(to, from);
    return to;
}

char *LIB(strncpy)(char *to, const char *from, size_t count) {
    size_t i = 0;
    for (; i < count && from[i]; i++)
        to[i] = from[i];
    for (; i < count; i++)
        to[i] = 0;
    charge(count);
    return to;
}

char *LIB(strcat)(char *to, const char *from) {
    LIB(stpcpy)(to + LIB(strlen)(to), from);
    return to;
}

char *LIB(strncat)(char *to, const char *from, size_t count) {
    size_t length = LIB(strlen)(to), more = LIB(strnlen)(from, count);
    __builtin_memcpy(to + length, from, more);
    to[length + more] = 0;
    return to;
}

char *LIB(strchrnul)(const char *text, int byte) {
    size_t i = 0;
    while (text[i] != (char)byte && text[i])
        i++;
    charge(i + 1);
    return (char *)text + i;
}

char *LIB(strchr)(const char *text, int byte) {
    char *found = LIB(strchrnul)(text, byte);
    return *found == (char)byte ? found : NULL;
}

char *LIB(strrchr)(const char *text, int byte) {
    const char *found = NULL;
    size_t i = 0;
    do
        if (text[i] == (char)byte)
            found = text + i;
    while (text[i++]);
    charge(i);
    return (char *)found;
}

char *LIB(strstr)(const char *text, const char *word) {
    size_t length = LIB(strlen)(word);
    for (;; text++) {
        size_t i = 0;
        while (i < length && text[i] == word[i])
            i++;
        if (i == length)
            return (char *)text;
        charge(1);
        if (!text[i])
            return NULL;
    }
}

static int is_in(char byte, const char *set) {
    for (; *set; set++)
        if (*set == byte)
            return 1;
    return 0;
}

size_t LIB(strspn)(const char *text, const char *set) {
    size_t length = 0;
    while (text[length] && is_in(text[length], set))
        length++;
    charge(length + 1);
    return length;
}

size_t LIB(strcspn)(const char *text, const char *set) {
    size_t length = 0;
    while (text[length] && !is_in(text[length], set))
        length++;
    charge(length + 1);
    return length;
}

char *LIB(strpbrk)(const char *text, const char *set) {
    const char *at = text + LIB(strcspn)(text, set);
    return *at ? (char *)at : NULL;
}

char *LIB(strndup)(const char *text, size_t count) {
    size_t length = LIB(strnlen)(text, count);
    char *copy = LIB(malloc)(length + 1);
    if (!copy)
        return NULL;
    __builtin_memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

char *LIB(strdup)(const char *text) {
    return LIB(strndup)(text, SIZE_MAX);
}

/* ---- words ---- */

static int is_one_of(char byte, const char *set) {
    for (; *set; set++)
        if (byte == *set)
            return 1;
    return 0;
}

/* Up to the next separator, which becomes an end; NULL: there was none. */
static char *cut(char *text, const char *separators) {
    while (*text && !is_one_of(*text, separators))
        text++;
    if (!*text)
        return NULL;
    *text = 0;
    return text + 1;
}

char *LIB(strsep)(char **rest, const char *separators) {
    char *text = *rest;
    if (text)
        *rest = cut(text, separators);
    return text;
}

char *LIB(strtok_r)(char *text, const char *separators, char **save) {
    if (!text)
        text = *save;
    if (!text)
        return NULL;
    while (*text && is_one_of(*text, separators))
        text++;
    if (!*text) {
        *save = text;
        return NULL;
    }
    char *next = cut(text, separators);
    *save = next ? next : text + __slowpath_hook_strnlen(text, SIZE_MAX);
    return text;
}

char *LIB(strtok)(char *text, const char *separators) {
    static char *rest;
    return LIB(strtok_r)(text, separators, &rest);
}

/* ---- numbers ---- */

int LIB(abs)(int value) {
    return value < 0 ? -value : value;
}

long LIB(labs)(long value) {
    return value < 0 ? -value : value;
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return INT_MAX;
}

/* The magnitude of a number, and how it ended: 1 read, 2 too large, 0 no number there. */
static int read_number(const char *text, const char **end, int base, int *negative,
                       unsigned long *value) {
    const char *at = text;
    while (LIB(isspace)((unsigned char)*at))
        at++;
    *negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') &&
        digit_of(at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0)
        base = *at == '0' ? 8 : 10;
    const char *first = at;
    int status = 1, digit;
    unsigned long limit = ULONG_MAX / (unsigned long)base;
    *value = 0;
    for (; (digit = digit_of(*at)) < base; at++) {
        unsigned long next = *value * (unsigned long)base + (unsigned long)digit;
        if (*value > limit || next < (unsigned long)digit)
            status = 2;
        *value = next;
    }
    *end = at == first ? text : at;
    return at == first ? 0 : status;
}

long LIB(strtol)(const char *text, char **end, int base) {
    const char *stop;
    int negative;
    unsigned long value;
    int status = read_number(text, &stop, base, &negative, &value);
    if (end)
        *end = (char *)stop;
    if (status == 2 || value > (unsigned long)LONG_MAX + (unsigned long)negative) {
        errno = ERANGE;
        return negative ? LONG_MIN : LONG_MAX;
    }
    return negative ? (long)-value : (long)value;
}

unsigned long LIB(strtoul)(const char *text, char **end, int base) {
    const char *stop;
    int negative;
    unsigned long value;
    int status = read_number(text, &stop, base, &negative, &value);
    if (end)
        *end = (char *)stop;
    if (status == 2) {
        errno = ERANGE;
        return ULONG_MAX;
    }
    return negative ? -value : value;
}

long long LIB(strtoll)(const char *text, char **end, int base) {
    return LIB(strtol)(text, end, base);
}

unsigned long long LIB(strtoull)(const char *text, char **end, int base) {
    return LIB(strtoul)(text, end, base);
}

int LIB(atoi)(const char *text) {
    return (int)LIB(strtol)(text, NULL, 10);
}

long LIB(atol)(const char *text) {
    return LIB(strtol)(text, NULL, 10);
}

long long LIB(atoll)(const char *text) {
    return LIB(strtol)(text, NULL, 10);
}

/* ---- sorting and searching ---- */

typedef int compare_function(const void *, const void *);

static void merge_sort(char *base, size_t count, size_t size, compare_function *compare,
                       char *buffer) {
    if (count <= 1)
        return;
    size_t left = count / 2, right = count - left;
    char *a = base, *b = base + left * size, *to = buffer;
    merge_sort(a, left, size, compare, buffer);
    merge_sort(b, right, size, compare, buffer);
    while (left > 0 && right > 0) {
        if (compare(a, b) <= 0) {
            __builtin_memcpy(to, a, size);
            a += size;
            left--;
        } else {
            __builtin_memcpy(to, b, size);
            b += size;
            right--;
        }
        to += size;
    }
    if (left > 0)
        __builtin_memcpy(to, a, left * size);
    __builtin_memcpy(base, buffer, (count - right) * size);
}

void LIB(qsort)(void *base, size_t count, size_t size, compare_function *compare) {
    char *buffer = LIB(malloc)(count * size);
    if (buffer)
        merge_sort(base, count, size, compare, buffer);
    LIB(free)(buffer);
}

void *LIB(bsearch)(const void *key, const void *base, size_t count, size_t size,
                   compare_function *compare) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const void *at = (const char *)base + middle * size;
        int result = compare(key, at);
        if (result == 0)
            return (void *)at;
        if (result < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
