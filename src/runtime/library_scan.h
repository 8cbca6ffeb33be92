/* SPDX-License-Identifier: Apache-2.0
 *
 * scanf and its kin as explored code: what a character means to a conversion is a decision. It does
 * what glibc does, including its allocations. Exceptions are reported as losses: wide results of
 * narrow functions, and very long numbers and lists. Formats are converted to wide ones, so that
 * one reader is enough. Part of sym_library.c.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_SCAN_H
#define SLOWPATH_RUNTIME_LIBRARY_SCAN_H

#include "runtime/library_scan_number.h"

#define SCAN_FOREVER LONG_MAX /* a width */
#define SCAN_FIRST_ROOM 100   /* initial size of an allocated string, as in glibc */
#define SCAN_MOST_CHARACTERS 1024

/* ---- characters ---- */

/* Where a conversion stores its characters. */
struct scan_target {
    char *text;    /* or: */
    wchar_t *wide; /* both NULL: discard */
    char **place;  /* where an allocated text goes, or NULL */
    long room, count;
    bool is_from_wide, is_broken; /* broken: a wide character without an encoding */
};

static struct scan_target scan_aim(struct scan_source *source,
                                   const struct scan_conversion *conversion, void *to, long room) {
    struct scan_target target = {.room = room, .is_from_wide = source->is_wide};
    if (conversion->is_dropped)
        return target;
    if (conversion->longs)
        target.wide = to;
    else
        target.text = to;
    if (!conversion->allocates)
        return target;
    target.place = to;
    *target.place = target.text = LIB(malloc)((size_t)room);
    if (source->allocated_count < SCAN_MOST_ALLOCATED)
        source->allocated[source->allocated_count++] = target.place;
    else
        __slowpath_sym_lose("scanf of many allocated strings");
    return target;
}

static void scan_resize(struct scan_target *target, long room) {
    char *text = LIB(realloc)(*target->place, (size_t)room);
    if (!text)
        return;
    *target->place = target->text = text;
    target->room = room;
}

/* Stores a character as it is, or as bytes. */
static void scan_store_character(struct scan_target *target, int c) {
    if (target->wide)
        target->wide[target->count] = c;
    else if (target->text && target->is_from_wide) {
        size_t bytes = LIB(wcrtomb)(target->text + target->count, c, NULL);
        target->is_broken = bytes == (size_t)-1; /* errno is set */
        target->count += target->is_broken ? 0 : (long)bytes;
        return;
    } else if (target->text)
        target->text[target->count] = (char)c;
    target->count++;
}

/* A string always has room for one more byte, as in glibc. */
static void scan_put(struct scan_target *target, int c) {
    scan_store_character(target, c);
    if (target->place && target->count == target->room)
        scan_resize(target, 2 * target->room);
}

static void scan_put_character(struct scan_target *target, int c, long left) {
    if (target->place && target->count == target->room)
        scan_resize(target, target->room + (target->room >= left ? left : target->room));
    scan_store_character(target, c);
}

static void scan_fit(struct scan_target *target) {
    if (target->place && target->count != target->room)
        scan_resize(target, target->count);
}

/* Frees the text of a failed conversion. */
static void scan_drop(struct scan_source *source, const struct scan_target *target) {
    if (!target->place)
        return;
    LIB(free)(*target->place);
    *target->place = NULL;
    if (source->allocated_count)
        source->allocated_count--;
}

/* Nothing was read at all: frees everything allocated. */
static void scan_drop_all(struct scan_source *source) {
    while (source->allocated_count > 0) {
        char **place = source->allocated[--source->allocated_count];
        LIB(free)(*place);
        *place = NULL;
    }
}

static enum scan_status scan_characters(struct scan_source *source,
                                        const struct scan_conversion *conversion, void *to) {
    long width = conversion->width == SCAN_FOREVER ? 1 : conversion->width;
    struct scan_target target = scan_aim(
        source, conversion, to, width > SCAN_MOST_CHARACTERS ? SCAN_MOST_CHARACTERS : width);
    int c = scan_next(source);
    if (c == EOF) {
        scan_drop(source, &target);
        return SCAN_END;
    }
    for (; c != EOF; c = scan_next(source)) {
        scan_put_character(&target, c, width);
        if (--width == 0 || target.is_broken)
            break;
    }
    scan_fit(&target);
    return target.is_broken ? SCAN_END : SCAN_GOOD;
}

/* SET starts behind "[", or is NULL for everything but blanks. */
static bool scan_is_in(const struct scan_source *source, const wchar_t *set, int c) {
    if (!set)
        return !scan_is_blank(source, c);
    bool is_negated = *set == '^';
    set += is_negated;
    const wchar_t *first = set;
    for (; *set && (*set != ']' || set == first); set++) {
        bool is_range = set[1] == '-' && set[2] && set[2] != ']';
        int low = *set, high = is_range ? set[2] : *set;
        if (low == high ? c == low : c >= low && c <= high)
            return !is_negated;
        set += is_range ? 2 : 0;
    }
    return is_negated;
}

static enum scan_status scan_string(struct scan_source *source,
                                    const struct scan_conversion *conversion, const wchar_t *set,
                                    void *to) {
    struct scan_target target = scan_aim(source, conversion, to, SCAN_FIRST_ROOM);
    int c = EOF;
    long count = 0;
    for (; count < conversion->width && !target.is_broken; count++) {
        c = scan_next(source);
        if (c == EOF)
            break;
        if (!scan_is_in(source, set, c)) {
            scan_back(source, c);
            break;
        }
        scan_put(&target, c);
    }
    if (target.is_broken)
        return SCAN_MISMATCH;
    if (count == 0) {
        scan_drop(source, &target);
        return c == EOF ? SCAN_END : SCAN_MISMATCH;
    }
    if (target.wide)
        target.wide[target.count] = 0;
    else if (target.text)
        target.text[target.count] = 0;
    target.count++;
    scan_fit(&target);
    return SCAN_GOOD;
}

/* ---- formats ---- */

static const wchar_t *scan_read_length(const wchar_t *at, struct scan_conversion *to) {
    for (;; at++)
        if (*at == 'l' || *at == 'z' || *at == 'j' || *at == 't')
            to->longs++;
        else if (*at == 'h')
            to->longs--;
        else if (*at == 'L' || *at == 'q')
            to->longs = 3;
        else if (*at == 'm')
            to->allocates = true;
        else
            return at;
}

/* Reads what follows "%"; returns its last character. */
static const wchar_t *scan_read_conversion(const wchar_t *at, struct scan_conversion *to) {
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

static const wchar_t *scan_set_end(const wchar_t *set) {
    const wchar_t *at = set + (*set == '^');
    for (at += *at == ']'; *at && *at != ']'; at++)
        ;
    return at;
}

static enum scan_status scan_literal(struct scan_source *source, wchar_t wanted) {
    int c = scan_next(source);
    if (c == EOF)
        return SCAN_END;
    if (c == wanted)
        return SCAN_GOOD;
    scan_back(source, c);
    return SCAN_MISMATCH;
}

static bool scan_is_one_of(wchar_t kind, const char *kinds) {
    for (; *kinds; kinds++)
        if (kind == *kinds)
            return true;
    return false;
}

static enum scan_status scan_convert(struct scan_source *source,
                                     const struct scan_conversion *conversion,
                                     const wchar_t *format, void *to) {
    wchar_t kind = conversion->kind;
    bool is_text = kind == 's' || kind == 'c' || kind == '[';
    if ((is_text ? conversion->longs != 0 && (!source->is_wide || conversion->longs < 0)
                 : conversion->allocates) ||
        (source->is_wide && conversion->allocates) || !scan_is_one_of(kind, "diouxXpsc[eEfFgGaA")) {
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

static int scan_ended(struct scan_source *source, int done, enum scan_status status) {
    if (status != SCAN_END || done)
        return done;
    scan_drop_all(source);
    return EOF;
}

static int scan(struct scan_source *source, const wchar_t *format, va_list args) {
    int done = 0;
    for (; *format; format++) {
        enum scan_status status;
        struct scan_conversion conversion = {.kind = 0};
        if (source->is_wide ? LIB(iswspace)((wint_t)*format) : LIB(isspace)(*format)) {
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
            return scan_ended(source, done, status);
        done += takes;
        if (conversion.kind == '[')
            format = scan_set_end(format + 1);
    }
    return done;
}

static int scan_narrow(struct scan_source *source, const char *format, va_list args) {
    size_t length = 0;
    while (format[length])
        length++;
    wchar_t wide[length + 1];
    for (size_t i = 0; i <= length; i++)
        wide[i] = (unsigned char)format[i];
    return scan(source, wide, args);
}

/* ---- the functions ---- */

int LIB(vfscanf)(FILE *stream, const char *format, va_list args) {
    struct scan_source source = {.stream = stream};
    return scan_narrow(&source, format, args);
}

int LIB(vscanf)(const char *format, va_list args) {
    return LIB(vfscanf)(stdin, format, args);
}

int LIB(vsscanf)(const char *text, const char *format, va_list args) {
    struct scan_source source = {.text = text};
    return scan_narrow(&source, format, args);
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

int LIB(vfwscanf)(FILE *stream, const wchar_t *format, va_list args) {
    struct scan_source source = {.is_wide = true, .stream = stream};
    return scan(&source, format, args);
}

int LIB(vwscanf)(const wchar_t *format, va_list args) {
    return LIB(vfwscanf)(stdin, format, args);
}

int LIB(vswscanf)(const wchar_t *text, const wchar_t *format, va_list args) {
    struct scan_source source = {.is_wide = true, .wide = text};
    return scan(&source, format, args);
}

int LIB(wscanf)(const wchar_t *format, ...) {
    va_list args;
    va_start(args, format);
    int done = LIB(vfwscanf)(stdin, format, args);
    va_end(args);
    return done;
}

int LIB(fwscanf)(FILE *stream, const wchar_t *format, ...) {
    va_list args;
    va_start(args, format);
    int done = LIB(vfwscanf)(stream, format, args);
    va_end(args);
    return done;
}

int LIB(swscanf)(const wchar_t *text, const wchar_t *format, ...) {
    va_list args;
    va_start(args, format);
    int done = LIB(vswscanf)(text, format, args);
    va_end(args);
    return done;
}

#endif
