/* SPDX-License-Identifier: Apache-2.0
 *
 * scanf and its kin as code that is explored: what a byte is to a conversion is a decision. It does
 * what the C library of GNU does, but for what is named as a loss: "%m", the words inf and nan,
 * hexadecimal floating-point numbers, wide characters. Part of sym_library.c.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_SCAN_H
#define SLOWPATH_RUNTIME_LIBRARY_SCAN_H

#include <stdarg.h>
#include <stdio.h>

double strtod(const char *text, char **end); /* the library's own: digits are fixed */

#define SCAN_MOST_DIGITS 127
#define SCAN_FOREVER LONG_MAX /* a width */

struct scan_source {
    FILE *stream; /* or NULL: */
    const char *text;
    long taken;
    char byte; /* the last one */
};

struct scan_conversion {
    bool is_dropped; /* "*" */
    long width;
    int longs; /* "l" and the like: 1 or 2; "h": -1 or -2; "L": 3 */
    char kind;
};

/* How a conversion went. */
enum scan_status { SCAN_GOOD, SCAN_MISMATCH, SCAN_END };

/* ---- bytes ---- */

static int scan_next(struct scan_source *source) {
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

static void scan_back(struct scan_source *source, int byte) {
    if (byte == EOF)
        return;
    source->taken--;
    if (source->stream)
        __slowpath_sym_unread_byte(source->stream, &source->byte);
    else
        source->text--;
}

static void scan_skip_blanks(struct scan_source *source) {
    int c = scan_next(source);
    while (c != EOF && LIB(isspace)(c))
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

static int scan_base(char kind) {
    return kind == 'o' ? 8 : kind == 'x' || kind == 'X' || kind == 'p' ? 16 : kind == 'i' ? 0 : 10;
}

/* The magnitude of a number in VALUE; false when there is none. *IS_HUGE: it fits no long. */
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
    for (; width > 0 && c != EOF && (digit = digit_of((char)c)) < base; width--) {
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

/* As strtol and strtoul have it. */
static long scan_signed(unsigned long value, bool negative, bool is_huge) {
    if (is_huge || value > (unsigned long)LONG_MAX + (unsigned long)negative)
        return negative ? LONG_MIN : LONG_MAX;
    return negative ? (long)-value : (long)value;
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
    if (!scan_digits(source, c, width, scan_base(conversion->kind), &value, &is_huge))
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
    bool has_digit;
};

static int scan_keep(struct scan_source *source, struct scan_text *text, int c) {
    if (text->count < SCAN_MOST_DIGITS)
        text->bytes[text->count++] = (char)c;
    else
        __slowpath_sym_lose("scanf of a long number");
    text->left--;
    return scan_next(source);
}

static int scan_keep_digits(struct scan_source *source, struct scan_text *text, int c) {
    while (text->left > 0 && c != EOF && LIB(isdigit)(c)) {
        text->has_digit = true;
        c = scan_keep(source, text, c);
    }
    return c;
}

static int scan_keep_sign(struct scan_source *source, struct scan_text *text, int c) {
    return text->left > 0 && (c == '-' || c == '+') ? scan_keep(source, text, c) : c;
}

static enum scan_status scan_floating(struct scan_source *source,
                                      const struct scan_conversion *conversion, void *to) {
    struct scan_text text = {.left = conversion->width};
    int c = scan_next(source);
    if (c == EOF)
        return SCAN_END;
    c = scan_keep_sign(source, &text, c);
    if (c == 'i' || c == 'I' || c == 'n' || c == 'N')
        __slowpath_sym_lose("scanf of inf or nan");
    c = scan_keep_digits(source, &text, c);
    if (text.left > 0 && (c == 'x' || c == 'X'))
        __slowpath_sym_lose("scanf of a hexadecimal fraction");
    if (text.left > 0 && c == '.')
        c = scan_keep_digits(source, &text, scan_keep(source, &text, c));
    if (text.has_digit && text.left > 0 && (c == 'e' || c == 'E')) {
        c = scan_keep_sign(source, &text, scan_keep(source, &text, c));
        text.has_digit = false;
        c = scan_keep_digits(source, &text, c);
    }
    scan_back(source, c);
    if (!text.has_digit)
        return SCAN_MISMATCH;
    text.bytes[text.count] = 0;
    double value = strtod(text.bytes, NULL);
    if (conversion->is_dropped)
        return SCAN_GOOD;
    if (conversion->longs == 3)
        *(long double *)to = value;
    else if (conversion->longs == 1)
        *(double *)to = value;
    else
        *(float *)to = (float)value;
    return SCAN_GOOD;
}

/* ---- characters ---- */

static enum scan_status scan_characters(struct scan_source *source,
                                        const struct scan_conversion *conversion, char *to) {
    long width = conversion->width == SCAN_FOREVER ? 1 : conversion->width;
    for (long i = 0; i < width; i++) {
        int c = scan_next(source);
        if (c == EOF)
            return i ? SCAN_GOOD : SCAN_END;
        if (!conversion->is_dropped)
            to[i] = (char)c;
    }
    return SCAN_GOOD;
}

/* SET begins behind "[" and is NULL for all that is no blank. */
static bool scan_is_in(const char *set, int c) {
    if (!set)
        return !LIB(isspace)(c);
    bool is_negated = *set == '^';
    set += is_negated;
    const char *first = set;
    for (; *set && (*set != ']' || set == first); set++) {
        bool is_range = set[1] == '-' && set[2] && set[2] != ']';
        int low = (unsigned char)*set, high = (unsigned char)(is_range ? set[2] : *set);
        if (low == high ? c == low : c >= low && c <= high)
            return !is_negated;
        set += is_range ? 2 : 0;
    }
    return is_negated;
}

static enum scan_status scan_string(struct scan_source *source,
                                    const struct scan_conversion *conversion, const char *set,
                                    char *to) {
    long count = 0;
    int c = EOF;
    while (count < conversion->width && (c = scan_next(source)) != EOF) {
        if (!scan_is_in(set, c)) {
            scan_back(source, c);
            break;
        }
        if (!conversion->is_dropped)
            to[count] = (char)c;
        count++;
    }
    if (count == 0)
        return c == EOF ? SCAN_END : SCAN_MISMATCH;
    if (!conversion->is_dropped)
        to[count] = 0;
    return SCAN_GOOD;
}

/* ---- formats ---- */

static const char *scan_read_length(const char *at, struct scan_conversion *to) {
    for (;; at++)
        if (*at == 'l' || *at == 'z' || *at == 'j' || *at == 't')
            to->longs++;
        else if (*at == 'h')
            to->longs--;
        else if (*at == 'L' || *at == 'q')
            to->longs = 3;
        else
            return at;
}

/* What follows "%"; its last byte. */
static const char *scan_read_conversion(const char *at, struct scan_conversion *to) {
    long width = 0;
    *to = (struct scan_conversion){.is_dropped = *at == '*'};
    at += to->is_dropped;
    for (; *at >= '0' && *at <= '9'; at++)
        width = width * 10 + (*at - '0');
    to->width = width ? width : SCAN_FOREVER;
    at = scan_read_length(at, to);
    to->kind = *at;
    return at;
}

static const char *scan_set_end(const char *set) {
    const char *at = set + (*set == '^');
    for (at += *at == ']'; *at && *at != ']'; at++)
        ;
    return at;
}

static enum scan_status scan_literal(struct scan_source *source, char wanted) {
    int c = scan_next(source);
    if (c == EOF)
        return SCAN_END;
    if (c == (unsigned char)wanted)
        return SCAN_GOOD;
    scan_back(source, c);
    return SCAN_MISMATCH;
}

static bool scan_is_one_of(char kind, const char *kinds) {
    for (; *kinds; kinds++)
        if (kind == *kinds)
            return true;
    return false;
}

static enum scan_status scan_convert(struct scan_source *source,
                                     const struct scan_conversion *conversion, const char *format,
                                     void *to) {
    char kind = conversion->kind;
    bool is_text = kind == 's' || kind == 'c' || kind == '[';
    if ((is_text && conversion->longs) || !scan_is_one_of(kind, "diouxXpsc[eEfFgGaA")) {
        __slowpath_sym_lose("conversion in scanf");
        return SCAN_MISMATCH;
    }
    if (kind == 'c')
        return scan_characters(source, conversion, to);
    if (kind == '[')
        return scan_string(source, conversion, format + 1, to);
    scan_skip_blanks(source);
    if (kind == 's')
        return scan_string(source, conversion, NULL, to);
    struct scan_conversion whole = *conversion;
    if (kind == 'p')
        whole.longs = 1;
    return scan_is_one_of(kind, "diouxXp") ? scan_integer(source, &whole, to)
                                           : scan_floating(source, conversion, to);
}

static int scan_ended(int done, enum scan_status status) {
    return status == SCAN_END && !done ? EOF : done;
}

static int scan(struct scan_source *source, const char *format, va_list args) {
    int done = 0;
    for (; *format; format++) {
        enum scan_status status;
        struct scan_conversion conversion = {.kind = 0};
        if (LIB(isspace)((unsigned char)*format)) {
            scan_skip_blanks(source);
            continue;
        }
        if (*format == '%')
            format = scan_read_conversion(format + 1, &conversion);
        bool takes = conversion.kind && conversion.kind != '%' && !conversion.is_dropped;
        void *to = takes ? va_arg(args, void *) : NULL;
        if (conversion.kind == 'n') {
            if (takes)
                scan_store(&conversion, to, source->taken);
            continue;
        }
        if (conversion.kind == '%')
            scan_skip_blanks(source);
        status = !conversion.kind || conversion.kind == '%'
                     ? scan_literal(source, *format)
                     : scan_convert(source, &conversion, format, to);
        if (status != SCAN_GOOD)
            return scan_ended(done, status);
        done += takes;
        if (conversion.kind == '[')
            format = scan_set_end(format + 1);
    }
    return done;
}

/* ---- the functions ---- */

int LIB(vfscanf)(FILE *stream, const char *format, va_list args) {
    struct scan_source source = {.stream = stream};
    return scan(&source, format, args);
}

int LIB(vscanf)(const char *format, va_list args) {
    return LIB(vfscanf)(stdin, format, args);
}

int LIB(vsscanf)(const char *text, const char *format, va_list args) {
    struct scan_source source = {.text = text};
    return scan(&source, format, args);
}

int LIB(scanf)(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int done = LIB(vfscanf)(stdin, format, args);
    va_end(args);
    return done;
}

int LIB(fscanf)(FILE *stream, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int done = LIB(vfscanf)(stream, format, args);
    va_end(args);
    return done;
}

int LIB(sscanf)(const char *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int done = LIB(vsscanf)(text, format, args);
    va_end(args);
    return done;
}

#endif
