/* SPDX-License-Identifier: Apache-2.0
 *
 * Library functions as code that is explored: plain loops over bytes, compiled to bitcode and
 * instrumented with the target, so that their comparisons are decisions. Memory and string
 * functions are those of the measuring build (library_counted.h). The others stand for the C
 * library's own, which cost nothing but their call there, and so they charge nothing here.
 *
 * qsort is a merge sort, as glibc's is: the same comparisons in the same order for arrays that fit
 * its buffer, and up to 32 bytes per element the same buffer.
 */
#include "runtime/hooks.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>

#define SHORT
#define charge(bytes) __slowpath_hook_cost(bytes)
#define plain_arguments(count) __slowpath_hook_plain_arguments(count)
#define is_plain(memory, bytes) __slowpath_sym_is_plain(memory, bytes)
#define lower(character) LIB(tolower)(character)
int __slowpath_lib_tolower(int c);
#include "runtime/library_counted.h"
#include "runtime/library_input.h"

void LIB(free)(void *memory);
void *LIB(realloc)(void *memory, size_t size);

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

/* ---- words ---- */

static char *end_of_word(char *text, const char *separators) {
    for (; *text; text++)
        if (is_one_of(*text, separators))
            break;
    return text;
}

char *LIB(strsep)(char **rest, const char *separators) {
    char *text = *rest;
    if (!text)
        return NULL;
    char *end = end_of_word(text, separators);
    *rest = NULL;
    if (*end) {
        *end = 0;
        *rest = end + 1;
    }
    return text;
}

char *LIB(strtok_r)(char *text, const char *separators, char **save) {
    if (!text)
        text = *save;
    if (!text)
        return NULL;
    for (; *text; text++)
        if (!is_one_of(*text, separators))
            break;
    char *end = end_of_word(text, separators);
    bool is_word = end != text;
    if (*end)
        *end++ = 0;
    *save = end;
    return is_word ? text : NULL;
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

/* The magnitude of a number, and how it ended: 1 read, 2 too large, 0 no number there, 3 no such
 * base: then *END is left alone. */
static int read_number(const char *text, const char **end, int base, int *negative,
                       unsigned long *value) {
    const char *at = text;
    *value = 0;
    if (base < 0 || base == 1 || base > 36)
        return 3;
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
    if (status == 3) {
        errno = EINVAL;
        return 0;
    }
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
    if (status == 3) {
        errno = EINVAL;
        return 0;
    }
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

#include "runtime/library_number.h"
#include "runtime/library_scan.h"

/* ---- sorting and searching ---- */

#define SMALL_BUFFER 1024 /* smaller ones are not on the heap */

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
    char small[SMALL_BUFFER], *buffer = small;
    if (count * size >= sizeof small)
        buffer = LIB(malloc)(count * size);
    if (buffer)
        merge_sort(base, count, size, compare, buffer);
    if (buffer != small)
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
