/* SPDX-License-Identifier: Apache-2.0
 *
 * What scanf and its kin read from, and how they read numbers. Part of library_scan.h.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_SCAN_NUMBER_H
#define SLOWPATH_RUNTIME_LIBRARY_SCAN_NUMBER_H

#include "runtime/library_multibyte.h"
#include "runtime/library_number.h"

#include <stdarg.h>
#include <stdio.h>

#define SCAN_MOST_DIGITS 127
#define SCAN_MOST_ALLOCATED 16

struct scan_source {
    bool is_wide;
    FILE *stream; /* or NULL: */
    const char *text;
    const wchar_t *wide;
    long taken;
    char byte;                             /* the last one read */
    char **allocated[SCAN_MOST_ALLOCATED]; /* results of "%m" */
    int allocated_count;
};

struct scan_conversion {
    bool is_dropped; /* "*" */
    bool allocates;  /* "m" */
    long width;
    int longs; /* "l" and the like: 1 or 2; "h": -1 or -2; "L": 3 */
    wchar_t kind;
};

/* The outcome of a conversion. */
enum scan_status { SCAN_GOOD, SCAN_MISMATCH, SCAN_END };

/* ---- characters of the source ---- */

static int scan_next_wide(struct scan_source *source) {
    wint_t c = source->stream ? LIB(fgetwc)(source->stream) : (wint_t)*source->wide;
    if (source->stream ? c == WEOF : c == 0 || c == WEOF)
        return EOF;
    if (!source->stream)
        source->wide++;
    source->taken++;
    return (int)c;
}

static int scan_next(struct scan_source *source) {
    if (source->is_wide)
        return scan_next_wide(source);
    if (source->stream) {
        if (!__slowpath_sym_next_byte(source->stream, &source->byte))
            return EOF;
    } else {
        source->byte = *source->text;
        if (!source->byte)
            return EOF;
        source->text++;
    }
    source->taken++;
    return (unsigned char)source->byte;
}

static void scan_back(struct scan_source *source, int c) {
    if (c == EOF)
        return;
    source->taken--;
    if (source->is_wide && source->stream)
        LIB(ungetwc)((wint_t)c, source->stream);
    else if (source->is_wide)
        source->wide--;
    else if (source->stream)
        __slowpath_sym_unread_byte(source->stream, &source->byte);
    else
        source->text--;
}

static bool scan_is_blank(const struct scan_source *source, int c) {
    return source->is_wide ? LIB(iswspace)((wint_t)c) : LIB(isspace)(c);
}

static int scan_digit(const struct scan_source *source, int c) {
    return source->is_wide && (c < 0 || c >= 0x80) ? INT_MAX : digit_of((char)c);
}

static void scan_skip_blanks(struct scan_source *source) {
    int c = scan_next(source);
    while (c != EOF && scan_is_blank(source, c))
        c = scan_next(source);
    scan_back(source, c);
}

/* ---- integers ---- */

static void scan_store(const struct scan_conversion *conversion, void *to, long value) {
    switch (conversion->longs) {
    case -2:
        *(signed char *)to = (signed char)value;
        break;
    case -1:
        *(short *)to = (short)value;
        break;
    case 0:
        *(int *)to = (int)value;
        break;
    default:
        *(long *)to = value;
    }
}

static int scan_base(wchar_t kind) {
    return kind == 'o' ? 8 : kind == 'x' || kind == 'X' || kind == 'p' ? 16 : kind == 'i' ? 0 : 10;
}

/* Reads the magnitude of a number into VALUE; false when there is none. *IS_HUGE: it exceeds a
 * long. */
static bool scan_digits(struct scan_source *source, int c, long width, int base,
                        unsigned long *value, bool *is_huge) {
    bool any = false;
    int digit;
    if (width > 0 && c == '0') {
        any = true;
        width--;
        c = scan_next(source);
        if (width > 0 && (base == 0 || base == 16) && (c == 'x' || c == 'X')) {
            base = 16;
            width--;
            c = scan_next(source);
        } else if (base == 0)
            base = 8;
    }
    base = base ? base : 10;
    unsigned long limit = ULONG_MAX / (unsigned long)base;
    for (; width > 0 && c != EOF && (digit = scan_digit(source, c)) < base; width--) {
        unsigned long next = *value * (unsigned long)base + (unsigned long)digit;
        if (*value > limit || next < (unsigned long)digit)
            *is_huge = true;
        *value = next;
        any = true;
        c = scan_next(source);
    }
    scan_back(source, c);
    return any;
}

/* Saturates like strtol and strtoul. */
static long scan_signed(unsigned long value, bool negative, bool is_huge) {
    if (is_huge || value > (unsigned long)LONG_MAX + (unsigned long)negative)
        return negative ? LONG_MIN : LONG_MAX;
    return negative ? (long)-value : (long)value;
}

/* Reads what "%p" prints for NULL. */
static bool scan_nil(struct scan_source *source, int c) {
    const char *word = "nil)";
    while (*word && (c = scan_next(source)) != EOF && LIB(tolower)(c) == *word)
        word++;
    if (*word)
        scan_back(source, c);
    return !*word;
}

static enum scan_status scan_integer(struct scan_source *source,
                                     const struct scan_conversion *conversion, void *to) {
    unsigned long value = 0;
    long width = conversion->width;
    bool is_huge = false;
    int c = scan_next(source);
    if (c == EOF)
        return SCAN_END;
    bool negative = c == '-';
    if (c == '-' || c == '+') {
        width--;
        c = scan_next(source);
    }
    if (conversion->kind == 'p' && c == '(' && width == conversion->width && width >= 5) {
        if (!scan_nil(source, c))
            return SCAN_MISMATCH;
    } else if (!scan_digits(source, c, width, scan_base(conversion->kind), &value, &is_huge))
        return SCAN_MISMATCH;
    if (conversion->is_dropped)
        return SCAN_GOOD;
    if (conversion->kind == 'd' || conversion->kind == 'i')
        scan_store(conversion, to, scan_signed(value, negative, is_huge));
    else
        scan_store(conversion, to, (long)(is_huge ? ULONG_MAX : negative ? -value : value));
    return SCAN_GOOD;
}

/* ---- floating-point numbers ---- */

struct scan_text {
    char bytes[SCAN_MOST_DIGITS + 1];
    int count;
    long left; /* of the width */
    int c;     /* the next byte, or EOF */
};

static void scan_keep(struct scan_source *source, struct scan_text *text) {
    if (text->count < SCAN_MOST_DIGITS)
        text->bytes[text->count++] = (char)text->c;
    else
        __slowpath_sym_lose("scanf of a long number");
    text->left--;
    text->c = text->left > 0 ? scan_next(source) : EOF;
}

static bool scan_is(const struct scan_text *text, char letter) {
    return text->c != EOF && LIB(tolower)(text->c) == letter;
}

/* Reads the letters of a word; true if all are there. If not, the byte that differs is not pushed
 * back: the C library does not do so either. */
static bool scan_letters(struct scan_source *source, struct scan_text *text, const char *word) {
    for (; *word; word++) {
        if (!scan_is(text, *word))
            return false;
        scan_keep(source, text);
    }
    return true;
}

static bool scan_infinity(struct scan_source *source, struct scan_text *text) {
    if (!scan_letters(source, text, "inf"))
        return false;
    if (scan_is(text, 'i'))
        return scan_letters(source, text, "inity");
    scan_back(source, text->c);
    return true;
}

/* Reads digits, a point and an exponent as far as they go; false when there are no digits. */
static bool scan_fraction(struct scan_source *source, struct scan_text *text) {
    bool is_hexadecimal = false, has_digit = false, has_point = false, has_exponent = false;
    int signs = text->count;
    if (text->c == '0') {
        scan_keep(source, text);
        is_hexadecimal = scan_is(text, 'x');
        has_digit = !is_hexadecimal;
        if (is_hexadecimal)
            scan_keep(source, text);
    }
    char letter = is_hexadecimal ? 'p' : 'e';
    bool is_behind_letter = false;
    for (; text->c != EOF; scan_keep(source, text)) {
        bool was_behind = is_behind_letter;
        is_behind_letter = false;
        if (LIB(isdigit)(text->c) || (is_hexadecimal && !has_exponent && LIB(isxdigit)(text->c)))
            has_digit = true;
        else if (was_behind && (text->c == '-' || text->c == '+'))
            continue;
        else if (has_digit && !has_exponent && scan_is(text, letter))
            has_exponent = has_point = is_behind_letter = true;
        else if (!has_point && text->c == '.')
            has_point = true;
        else
            break;
    }
    scan_back(source, text->c);
    return text->count > signs + (is_hexadecimal ? 2 : 0);
}

static bool scan_number(struct scan_source *source, struct scan_text *text) {
    if (text->c == '-' || text->c == '+')
        scan_keep(source, text);
    if (scan_is(text, 'n')) {
        if (!scan_letters(source, text, "nan"))
            return false;
        scan_back(source, text->c);
        return true;
    }
    return scan_is(text, 'i') ? scan_infinity(source, text) : scan_fraction(source, text);
}

static bool scan_store_floating(const struct scan_conversion *conversion, void *to,
                                const char *text) {
    char *end;
    if (conversion->is_dropped)
        LIB(strtod)(text, &end);
    else if (conversion->longs >= 2)
        *(long double *)to = LIB(strtold)(text, &end);
    else if (conversion->longs == 1)
        *(double *)to = LIB(strtod)(text, &end);
    else
        *(float *)to = LIB(strtof)(text, &end);
    return end != text;
}

static enum scan_status scan_floating(struct scan_source *source,
                                      const struct scan_conversion *conversion, void *to) {
    struct scan_text text = {.left = conversion->width, .c = scan_next(source)};
    if (text.c == EOF)
        return SCAN_END;
    if (!scan_number(source, &text))
        return SCAN_MISMATCH;
    text.bytes[text.count] = 0;
    return scan_store_floating(conversion, to, text.bytes) ? SCAN_GOOD : SCAN_MISMATCH;
}

#endif
