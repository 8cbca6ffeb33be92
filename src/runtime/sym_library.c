/* SPDX-License-Identifier: Apache-2.0
 *
 * Library functions as explored code: plain loops over bytes, compiled to bitcode and instrumented
 * with the target, so that their comparisons are decisions. Memory and string functions are shared
 * with the measuring build (library_counted.h). The others replace functions of the C library that
 * cost nothing but the call in the measuring build, so they charge nothing here.
 */
#include "runtime/hooks.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define SHORT
#define charge(bytes) __slowpath_hook_cost(bytes)
#define plain_arguments(count) __slowpath_hook_plain_arguments(count)
#define is_plain(memory, bytes) __slowpath_sym_is_plain(memory, bytes)
#define lower(character) LIB(tolower)(character)
#define lower_wide(character) LIB(towlower)(character)
#define fix_bytes(memory, bytes) __slowpath_sym_fix_memory(memory, bytes)
int __slowpath_lib_tolower(int c);
unsigned __slowpath_lib_towlower(unsigned c);
#include "runtime/library_counted.h"
#include "runtime/library_input.h"
#include "runtime/library_texts.h"
#include "runtime/library_wide.h"

int LIB(fprintf)(FILE *stream, const char *format, ...);
void *LIB(calloc)(size_t count, size_t size);
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

int LIB(isascii)(int c) {
    return c >= 0 && c < 128;
}

int LIB(toascii)(int c) {
    return c & 127;
}

/* Without checking the character. */
int LIB(_tolower)(int c) {
    return c + ('a' - 'A');
}

int LIB(_toupper)(int c) {
    return c - ('a' - 'A');
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

long long LIB(llabs)(long long value) {
    return value < 0 ? -value : value;
}

div_t LIB(div)(int a, int b) {
    return (div_t){a / b, a % b};
}

ldiv_t LIB(ldiv)(long a, long b) {
    return (ldiv_t){a / b, a % b};
}

lldiv_t LIB(lldiv)(long long a, long long b) {
    return (lldiv_t){a / b, a % b};
}

int LIB(ffsll)(long long value) {
    int at = 1;
    if (!value)
        return 0;
    for (; !(value & 1); value >>= 1)
        at++;
    return at;
}

int LIB(ffsl)(long value) {
    return LIB(ffsll)(value);
}

int LIB(ffs)(int value) {
    return LIB(ffsll)(value);
}

/* One digit has six bits: "./0-9A-Za-z", the lowest first. */
static int radix_64_digit(char c) {
    if (c >= '.' && c <= '9')
        return c - '.';
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 12;
    return c >= 'a' && c <= 'z' ? c - 'a' + 38 : -1;
}

long LIB(a64l)(const char *text) {
    unsigned long value = 0;
    for (int i = 0; i < 6; i++) {
        int digit = radix_64_digit(text[i]);
        if (digit < 0)
            break;
        value |= (unsigned long)digit << 6 * i;
    }
    return (long)(value & UINT_MAX);
}

char *LIB(l64a)(long value) {
    static char digits[7];
    unsigned left = (unsigned)value;
    int count = 0;
    for (; left; left >>= 6) {
        unsigned digit = left & 0x3f;
        digits[count++] = (char)(digit < 12   ? '.' + digit
                                 : digit < 38 ? 'A' + digit - 12
                                              : 'a' + digit - 38);
    }
    digits[count] = 0;
    return digits;
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

/* Reads the magnitude of a number. Returns 1: read, 2: too large, 0: no number, 3: invalid base,
 * and then *END is unchanged. */
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

#include "runtime/library_multibyte.h"
#include "runtime/library_number.h"
#include "runtime/library_print.h"
#include "runtime/library_scan.h"

#include "runtime/library_address.h"
#include "runtime/library_options.h"
#include "runtime/library_pattern.h"
#include "runtime/library_search.h"
