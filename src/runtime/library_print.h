/* SPDX-License-Identifier: Apache-2.0
 *
 * The wprintf family as explored code. Numbers are formatted by the narrow family, which decides on
 * their digits (sym_format.c); characters and strings are converted here, where each conversion may
 * fail and is a decision. Part of sym_library.c.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_PRINT_H
#define SLOWPATH_RUNTIME_LIBRARY_PRINT_H

#include "runtime/library_multibyte.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#define PRINT_ROOM 512 /* bytes of a formatted number */
#define PRINT_SPEC 64  /* of a conversion */
#define PRINT_AT_ONCE 64

int LIB(snprintf)(char *to, size_t size, const char *format, ...);
wint_t LIB(fputwc)(wchar_t c, FILE *stream);

struct print {
    FILE *stream; /* or NULL: */
    wchar_t *to;  /* buffer for at most ROOM characters */
    size_t room;  /* without the terminator */
    size_t count; /* characters so far */
    bool has_failed;
    bool is_lost; /* left to the library */
    va_list *args;
};

struct print_conversion {
    char spec[PRINT_SPEC]; /* for the narrow family, without length modifier and letter */
    size_t length;         /* of SPEC */
    bool is_left;
    int width, precision; /* precision -1: none */
    int longs;            /* "l", "ll", "j", "z", "t": 1 or more; "h": -1, "hh": -2 */
    bool is_long_double;
    wchar_t kind;
};

/* ---- writing characters ---- */

static void print_one(struct print *print, wchar_t c) {
    if (print->stream)
        print->has_failed |= LIB(fputwc)(c, print->stream) == WEOF;
    else if (print->count < print->room)
        print->to[print->count] = c;
    print->count++;
}

static void print_blanks(struct print *print, size_t have, int width) {
    for (; have < (size_t)width && !print->has_failed; have++)
        print_one(print, L' ');
}

static bool fail_print(struct print *print) {
    errno = EILSEQ;
    print->has_failed = true;
    return false;
}

static bool lose_print(struct print *print, const char *what) {
    __slowpath_sym_lose(what);
    print->is_lost = true;
    return false;
}

static void print_wide(struct print *print, const struct print_conversion *how, const wchar_t *text,
                       size_t count) {
    if (!how->is_left)
        print_blanks(print, count, how->width);
    for (size_t i = 0; i < count && !print->has_failed; i++)
        print_one(print, text[i]);
    if (how->is_left)
        print_blanks(print, count, how->width);
}

/* ---- converting ---- */

static size_t limit_of(const struct print_conversion *how) {
    return how->precision < 0 ? SIZE_MAX : (size_t)how->precision;
}

/* Takes the next character of a text; returns its bytes, 0 at the end, -1 if it is invalid. */
static int take_character(const char *text, wchar_t *c) {
    struct partial character;
    if (!*text)
        return 0;
    if (!start_character(&character, (unsigned char)*text))
        return -1;
    while (character.have < character.wanted)
        if (!continue_character(&character, (unsigned char)text[character.have]))
            return -1;
    *c = (wchar_t)character.value;
    return is_character(&character) ? character.have : -1;
}

/* Counts the characters up to the first invalid one. */
static size_t count_characters(const char *text, size_t most, bool *is_good) {
    size_t count = 0;
    int bytes = 0;
    wchar_t c;
    for (; count < most && (bytes = take_character(text, &c)) > 0; count++)
        text += bytes;
    *is_good = bytes >= 0;
    return count;
}

/* The library converts PRINT_AT_ONCE characters before it writes any. */
static bool print_bytes(struct print *print, const struct print_conversion *how, const char *text) {
    bool is_good;
    size_t count = count_characters(text, limit_of(how), &is_good);
    if (!is_good && count >= PRINT_AT_ONCE)
        return lose_print(print, "a long text with bytes that are no character");
    if (!is_good)
        return fail_print(print);
    if (!how->is_left)
        print_blanks(print, count, how->width);
    for (size_t i = 0; i < count && !print->has_failed; i++) {
        wchar_t c = 0;
        text += take_character(text, &c);
        print_one(print, c);
    }
    if (how->is_left)
        print_blanks(print, count, how->width);
    return !print->has_failed;
}

static bool print_string(struct print *print, const struct print_conversion *how) {
    size_t most = limit_of(how), count = 0;
    bool is_wide = how->longs > 0 || how->kind == L'S';
    const void *given = va_arg(*print->args, const void *);
    const wchar_t *text = given;
    if (!given) {
        text = L"(null)";
        is_wide = true;
        most = most < 6 ? 0 : 6;
    }
    if (!is_wide)
        return print_bytes(print, how, given);
    while (count < most && text[count])
        count++;
    print_wide(print, how, text, count);
    return !print->has_failed;
}

static bool print_character(struct print *print, const struct print_conversion *how) {
    int given = va_arg(*print->args, int);
    wint_t c = (wint_t)given;
    if (how->longs <= 0 && how->kind == L'c')
        c = LIB(btowc)((unsigned char)given);
    if (c == WEOF && print->stream)
        return lose_print(print, "WEOF as a character of wprintf");
    if (!how->is_left)
        print_blanks(print, 1, how->width);
    print_one(print, (wchar_t)c);
    print->has_failed |= c == WEOF; /* the library cannot tell it from a failure */
    if (how->is_left)
        print_blanks(print, 1, how->width);
    return !print->has_failed;
}

static void add_to_spec(struct print_conversion *how, const char *text) {
    for (; *text && how->length + 1 < sizeof how->spec; text++)
        how->spec[how->length++] = *text;
    how->spec[how->length] = 0;
}

static int number_text(struct print *print, struct print_conversion *how, char *to) {
    const char kind[2] = {(char)how->kind, 0};
    bool is_float = is_one_of(kind[0], "eEfFgGaA");
    add_to_spec(how, is_float          ? (how->is_long_double ? "L" : "")
                     : how->longs > 0  ? "ll"
                     : how->longs < -1 ? "hh"
                     : how->longs < 0  ? "h"
                                       : "");
    add_to_spec(how, kind);
    if (is_float && how->is_long_double)
        return LIB(snprintf)(to, PRINT_ROOM, how->spec, va_arg(*print->args, long double));
    if (is_float)
        return LIB(snprintf)(to, PRINT_ROOM, how->spec, va_arg(*print->args, double));
    if (how->longs > 0 || how->kind == L'p')
        return LIB(snprintf)(to, PRINT_ROOM, how->spec, va_arg(*print->args, long long));
    if (how->kind == L'm')
        return LIB(snprintf)(to, PRINT_ROOM, how->spec);
    return LIB(snprintf)(to, PRINT_ROOM, how->spec, va_arg(*print->args, int));
}

static bool print_number(struct print *print, struct print_conversion *how) {
    static const struct print_conversion as_it_is = {.precision = -1};
    char text[PRINT_ROOM];
    if (how->kind == L'p')
        how->longs = 0;
    int length = number_text(print, how, text);
    if (length < 0 || length >= PRINT_ROOM)
        return lose_print(print, "a long number as wide text");
    return print_bytes(print, &as_it_is, text);
}

static bool store_count(struct print *print, const struct print_conversion *how) {
    void *to = va_arg(*print->args, void *);
    if (how->longs > 0)
        *(long long *)to = (long long)print->count;
    else if (how->longs < -1)
        *(signed char *)to = (signed char)print->count;
    else if (how->longs < 0)
        *(short *)to = (short)print->count;
    else
        *(int *)to = (int)print->count;
    return true;
}

static bool print_argument(struct print *print, struct print_conversion *how) {
    switch (how->kind) {
    case L'%':
        print_one(print, L'%');
        return !print->has_failed;
    case L's':
    case L'S':
        return print_string(print, how);
    case L'c':
    case L'C':
        return print_character(print, how);
    case L'n':
        return store_count(print, how);
    default:
        return print_number(print, how);
    }
}

/* ---- the format ---- */

static const wchar_t *read_amount(struct print *print, const wchar_t *at, int *amount) {
    if (*at == L'*') {
        *amount = va_arg(*print->args, int);
        return at + 1;
    }
    for (*amount = 0; *at >= L'0' && *at <= L'9'; at++)
        *amount = *amount < INT_MAX / 20 ? *amount * 10 + (*at - L'0') : *amount;
    return at;
}

static void add_number_to_spec(struct print_conversion *how, const char *before, int number) {
    char digits[12];
    size_t at = sizeof digits;
    digits[--at] = 0;
    for (; number || !digits[at]; number /= 10)
        digits[--at] = (char)('0' + number % 10);
    add_to_spec(how, before);
    add_to_spec(how, digits + at);
}

static const wchar_t *read_flags(const wchar_t *at, struct print_conversion *how) {
    for (; *at == L'-' || *at == L'+' || *at == L' ' || *at == L'#' || *at == L'0' ||
           *at == L'\'' || *at == L'I';
         at++) {
        const char flag[2] = {(char)*at, 0};
        how->is_left |= *at == L'-';
        add_to_spec(how, flag);
    }
    return at;
}

static const wchar_t *read_sizes(struct print *print, const wchar_t *at,
                                 struct print_conversion *how) {
    at = read_amount(print, at, &how->width);
    if (how->width < 0) {
        how->width = -how->width;
        how->is_left = true;
        add_to_spec(how, "-");
    }
    if (how->width)
        add_number_to_spec(how, "", how->width);
    how->precision = -1;
    if (*at == L'.') {
        at = read_amount(print, at + 1, &how->precision);
        if (how->precision < 0)
            how->precision = -1;
        else
            add_number_to_spec(how, ".", how->precision);
    }
    return at;
}

/* NULL: not a conversion that we know. */
static const wchar_t *read_print_conversion(struct print *print, const wchar_t *at,
                                            struct print_conversion *how) {
    *how = (struct print_conversion){.precision = -1};
    add_to_spec(how, "%");
    at = read_flags(at + 1, how);
    at = read_sizes(print, at, how);
    for (;; at++) {
        if (*at == L'h')
            how->longs--;
        else if (*at == L'l' || *at == L'j' || *at == L'z' || *at == L't' || *at == L'q')
            how->longs++;
        else if (*at == L'L')
            how->is_long_double = true, how->longs++;
        else
            break;
    }
    how->kind = *at;
    return *at > 0 && *at < 0x80 && is_one_of((char)*at, "diouxXeEfFgGaAcCsSpnm%") ? at + 1 : NULL;
}

static bool print_all(struct print *print, const wchar_t *format) {
    while (*format) {
        struct print_conversion how;
        if (*format != L'%') {
            print_one(print, *format++);
            if (print->has_failed)
                return false;
            continue;
        }
        format = read_print_conversion(print, format, &how);
        if (!format)
            return lose_print(print, "a conversion of wprintf");
        if (!print_argument(print, &how))
            return false;
    }
    return true;
}

/* ---- the functions ---- */

#define PRINTER __attribute__((section("slowpath_writers")))

int LIB(vswprintf)(wchar_t *to, size_t size, const wchar_t *format, va_list args) {
    va_list list;
    struct print print = {.to = to, .room = size ? size - 1 : 0, .args = &list};
    if (!size)
        return -1;
    va_copy(list, args);
    bool good = print_all(&print, format);
    va_end(list);
    if (print.is_lost)
        return OWN(vswprintf)(to, size, format, args);
    to[print.count < print.room ? print.count : print.room] = 0;
    if (good && print.count > print.room)
        errno = E2BIG;
    return good && print.count <= print.room ? (int)print.count : -1;
}

int LIB(swprintf)(wchar_t *to, size_t size, const wchar_t *format, ...) {
    va_list args;
    va_start(args, format);
    int result = LIB(vswprintf)(to, size, format, args);
    va_end(args);
    return result;
}

/* "%n" */
static bool stores_count(const wchar_t *format) {
    for (; *format; format++) {
        if (*format != L'%')
            continue;
        do
            format++;
        while (*format > 0 && *format < 0x80 && is_one_of((char)*format, "hljztLq"));
        if (*format == L'n')
            return true;
        if (!*format)
            break;
    }
    return false;
}

/* If nothing comes back to the program, the library prints. */
static int print_to(FILE *stream, const wchar_t *format, va_list args) {
    va_list list;
    struct print print = {.stream = stream, .args = &list};
    if (!__slowpath_sym_print_matters(stream) && !stores_count(format))
        return OWN(vfwprintf)(stream, format, args);
    if (!OWN(is_printed_wide)(stream)) {
        __slowpath_sym_lose(LOST_WIDE);
        return -1;
    }
    va_copy(list, args);
    bool good = print_all(&print, format);
    va_end(list);
    if (print.is_lost)
        return OWN(vfwprintf)(stream, format, args);
    return good ? (int)print.count : -1;
}

PRINTER int LIB(vfwprintf)(FILE *stream, const wchar_t *format, va_list args) {
    return print_to(stream, format, args);
}

PRINTER int LIB(vwprintf)(const wchar_t *format, va_list args) {
    return print_to(stdout, format, args);
}

PRINTER int LIB(fwprintf)(FILE *stream, const wchar_t *format, ...) {
    va_list args;
    va_start(args, format);
    int result = print_to(stream, format, args);
    va_end(args);
    return result;
}

PRINTER int LIB(wprintf)(const wchar_t *format, ...) {
    va_list args;
    va_start(args, format);
    int result = print_to(stdout, format, args);
    va_end(args);
    return result;
}

int LIB(fputws)(const wchar_t *text, FILE *stream) {
    for (; *text; text++)
        if (LIB(fputwc)(*text, stream) == WEOF)
            return -1;
    return 1;
}

#endif
