/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes of a formatted text are symbolic? The C library makes the text; a walk over the
 * format finds the bytes of "%s" and "%c" in it, so that they keep their expressions. The end of a
 * string and the number of digits of an integer are decisions of the path; floating-point numbers
 * are fixed. If the walk does not understand a format, the whole text is lost.
 */
#include "runtime/symbolic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define ROOM ((size_t)1 << 20) /* longest text that is followed */

static RUNTIME_STATE char *text;
static RUNTIME_STATE uint32_t *exprs; /* by byte of the text; 0: concrete */

void runtime_sym_open_format(void) {
    text = runtime_sym_reserve(NULL, ROOM);
    exprs = runtime_sym_reserve(NULL, ROOM * sizeof *exprs);
}

struct walk {
    struct variadic_list list;      /* starts with the next argument */
    size_t at, end;                 /* in the text */
    bool decides;                   /* decides all that the text depends on; otherwise: */
    bool loses_value, loses_length; /* a decision would have been necessary */
};

/* One conversion, from its '%' on. */
struct conversion {
    char spec[64];
    bool is_left;        /* "-": padded on the right */
    bool is_alternate;   /* "#" */
    bool is_long;        /* "l": a wide character or string */
    unsigned bytes;      /* size of an integer */
    bool is_long_double; /* "L" */
    int precision;       /* -1: none */
    char kind;
};

/* ---- arguments ---- */

static const char *take(struct walk *walk, bool floating) {
    return runtime_sym_next_variadic(&walk->list, floating);
}

/* They lie on the stack, 16-byte aligned. */
static const char *take_long_double(struct walk *walk) {
    char *place = (char *)(((uintptr_t)walk->list.rest + 15) & ~(uintptr_t)15);
    walk->list.rest = place + 16;
    return place;
}

/* The value is formatted as digits or an address. */
static void use_value(struct walk *walk, const char *place, size_t bytes) {
    if (!runtime_sym_is_symbolic(place, bytes))
        return;
    if (walk->decides)
        __slowpath_sym_fix_memory(place, bytes);
    else
        walk->loses_value = true;
}

static void use_length(struct walk *walk, const char *string, size_t bytes) {
    if (!runtime_sym_may_end_elsewhere(string, bytes))
        return;
    if (walk->decides)
        runtime_sym_decide_length(string, bytes);
    else
        walk->loses_length = true;
}

static int take_int(struct walk *walk) {
    int value;
    const char *place = take(walk, false);
    use_value(walk, place, sizeof value);
    memcpy(&value, place, sizeof value);
    return value;
}

/* ---- conversions ---- */

static const char *skip_number(const char *at) {
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

static const char *read_width(struct walk *walk, const char *at, struct conversion *to) {
    for (; *at && strchr("-+ #0'I", *at); at++) {
        to->is_left |= *at == '-';
        to->is_alternate |= *at == '#';
    }
    if (*at != '*')
        return skip_number(at);
    to->is_left |= take_int(walk) < 0;
    return at + 1;
}

static const char *read_precision(struct walk *walk, const char *at, struct conversion *to) {
    to->precision = -1;
    if (*at != '.')
        return at;
    if (at[1] == '*') {
        int given = take_int(walk);
        to->precision = given < 0 ? -1 : given;
        return at + 2;
    }
    const char *end = skip_number(at + 1);
    long long number = 0;
    for (at++; at < end; at++)
        number = number < (long long)ROOM ? number * 10 + (*at - '0') : number;
    to->precision = (int)number;
    return end;
}

/* Reads the conversion at AT, and takes its width and precision arguments. Returns its end; NULL if
 * it is unknown. */
static const char *read_conversion(struct walk *walk, const char *at, struct conversion *to) {
    const char *start = at;
    *to = (struct conversion){.precision = -1, .bytes = 4};
    at = read_width(walk, at + 1, to);
    at = read_precision(walk, at, to);
    for (; *at && strchr("hljztLq", *at); at++) {
        to->is_long |= *at == 'l';
        to->is_long_double |= *at == 'L';
        to->bytes = *at == 'h' ? to->bytes / 2 : 8;
    }
    size_t length = (size_t)(at - start) + 1;
    if (!*at || *at == '$' || length >= sizeof to->spec)
        return NULL;
    to->kind = *at;
    memcpy(to->spec, start, length);
    return at + 1;
}

/* ---- positions in the text ---- */

/* COUNT bytes of memory were copied to position AT of the text. */
static bool lay_bytes(const struct walk *walk, size_t at, const char *bytes, size_t count) {
    if (at > walk->end || count > walk->end - at || memcmp(text + at, bytes, count) != 0)
        return false;
    if (!runtime_sym_is_plain(bytes, count))
        for (size_t i = 0; i < count; i++)
            exprs[at + i] = runtime_sym_byte(bytes + i);
    return true;
}

static bool lay_string(struct walk *walk, const struct conversion *conversion, const char *place,
                       size_t length) {
    const char *string;
    memcpy(&string, place, sizeof string);
    use_value(walk, place, sizeof string);
    if (!string)
        return true;
    size_t most = conversion->precision < 0 ? SIZE_MAX : (size_t)conversion->precision;
    size_t count = strnlen(string, most);
    use_length(walk, string, count + (count < most));
    return count <= length &&
           lay_bytes(walk, walk->at + (conversion->is_left ? 0 : length - count), string, count);
}

static void use_wide_string(struct walk *walk, const struct conversion *conversion,
                            const char *place) {
    const wchar_t *string;
    use_value(walk, place, sizeof string);
    memcpy(&string, place, sizeof string);
    size_t most = conversion->precision < 0 ? SIZE_MAX / 8 : (size_t)conversion->precision;
    size_t count = string ? wcsnlen(string, most) : 0;
    if (string)
        use_value(walk, (const char *)string, (count + (count < most)) * sizeof *string);
}

/* ---- integers ---- */

static struct runtime_number take_number(const struct conversion *conversion, const char *place) {
    struct runtime_number number = {.is_upper = conversion->kind == 'X'};
    number.base = conversion->kind == 'o' ? 8 : strchr("xX", conversion->kind) ? 16 : 10;
    number.is_signed = strchr("di", conversion->kind) != NULL;
    number.expr = runtime_sym_bytes(place, conversion->bytes);
    memcpy(&number.value, place, conversion->bytes);
    return number;
}

/* The digits are at the end of the number's LENGTH bytes, except for blanks. */
static bool lay_number(struct walk *walk, const struct conversion *conversion, const char *place,
                       size_t length) {
    struct runtime_number number = take_number(conversion, place);
    if (!number.expr || !walk->decides) {
        use_value(walk, place, conversion->bytes);
        return true;
    }
    runtime_sym_decide_digits(&number);
    if (conversion->is_alternate || conversion->precision == 0)
        runtime_sym_decide_zero(&number);
    size_t end = walk->at + length;
    if (end > walk->end)
        return false;
    while (conversion->is_left && end > walk->at && text[end - 1] == ' ')
        end--;
    unsigned count = !number.value && conversion->precision == 0 ? 0 : number.digits;
    for (unsigned i = 0; i < count; i++) {
        char letter;
        uint32_t digit = runtime_sym_digit(&number, i, &letter);
        if (end - walk->at <= i || text[end - 1 - i] != letter)
            return false;
        exprs[end - 1 - i] = digit;
    }
    return true;
}

/* "%n" has stored the text's length so far, which the path has decided. */
static void clear_stored(const struct conversion *conversion, const char *place) {
    char *to;
    memcpy(&to, place, sizeof to);
    if (to)
        __slowpath_sym_clear(to, conversion->bytes);
}

/* Takes the argument of a conversion that produced LENGTH bytes of the text. */
static bool lay_argument(struct walk *walk, const struct conversion *conversion, size_t length) {
    const char *place;
    bool is_wide = conversion->is_long || conversion->kind == 'S';
    switch (conversion->kind) {
    case '%':
    case 'm':
        return true;
    case 's':
    case 'S':
        place = take(walk, false);
        if (!is_wide)
            return lay_string(walk, conversion, place, length);
        use_wide_string(walk, conversion, place);
        return true;
    case 'c':
        place = take(walk, false);
        if (!is_wide && length)
            return lay_bytes(walk, walk->at + (conversion->is_left ? 0 : length - 1), place, 1);
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        place = conversion->is_long_double ? take_long_double(walk) : take(walk, true);
        break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        return lay_number(walk, conversion, take(walk, false), length);
    default:
        if (!strchr("pnC", conversion->kind))
            return false;
        place = take(walk, false);
    }
    use_value(walk, place, 8);
    if (conversion->kind == 'n')
        clear_stored(conversion, place);
    return true;
}

/* The length of a conversion's text; LIST starts with its arguments. */
static int measure(const struct conversion *conversion, const struct variadic_list *list) {
    va_list args;
    if (conversion->kind == 'n')
        return 0; /* it stores something, which must happen only once */
    memcpy(args, list, sizeof args);
    return vsnprintf(NULL, 0, conversion->spec, args);
}

/* False if the text shows that we misread the format. */
static bool lay_all(struct walk *walk, const char *format) {
    while (*format) {
        size_t plain = strcspn(format, "%");
        struct conversion conversion;
        walk->at += plain;
        format += plain;
        if (!*format)
            break;
        struct variadic_list before = walk->list;
        format = read_conversion(walk, format, &conversion);
        int length = format ? measure(&conversion, &before) : -1;
        if (length < 0 || !lay_argument(walk, &conversion, (size_t)length))
            return false;
        walk->at += (size_t)length;
    }
    return walk->at == walk->end;
}

/* ---- telling ---- */

/* Is any argument in a register symbolic? */
static bool any_symbolic(const struct variadic_list *list) {
    return runtime_sym_is_symbolic(list->saved, RUNTIME_SAVED_BYTES);
}

/* Makes the text and finds its symbolic bytes; returns its length. Memory that the library
 * allocates meanwhile does not count for the target. */
static size_t make_text(const char *format, va_list args, struct walk *walk) {
    struct abi_costs costs = *runtime.costs;
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(text, ROOM, format, again);
    va_end(again);
    memcpy(&walk->list, args, sizeof walk->list);
    walk->end = length < 0 ? 0 : (size_t)length < ROOM ? (size_t)length : ROOM - 1;
    memset(exprs, 0, walk->end * sizeof *exprs);
    if (!lay_all(walk, format)) {
        memset(exprs, 0, walk->end * sizeof *exprs);
        memcpy(&walk->list, args, sizeof walk->list);
        walk->loses_value |= any_symbolic(&walk->list);
    }
    *runtime.costs = costs;
    return walk->end;
}

/* Is anything in the text symbolic? If the program gets its length, decides what that depends
 * on. */
bool runtime_sym_look_at_text(const char *format, va_list args, bool length_matters) {
    struct walk walk = {.decides = length_matters};
    if (!runtime_sym_is_any())
        return false;
    size_t count = make_text(format, args, &walk);
    bool is_symbolic = walk.loses_value || walk.loses_length;
    if (is_symbolic && length_matters)
        runtime_sym_lose("the result of printf");
    for (size_t i = 0; !is_symbolic && i < count; i++)
        is_symbolic = exprs[i];
    return is_symbolic;
}

/* The first BYTES of the text were written to TO: decides what it depends on, and gives the bytes
 * of strings, characters and integers their expressions. */
void runtime_sym_lay_text(char *to, size_t bytes, const char *format, va_list args) {
    struct walk walk = {.decides = true};
    if (!runtime_sym_is_any())
        return;
    size_t count = make_text(format, args, &walk);
    if (walk.loses_value || bytes > count)
        runtime_sym_lose("sprintf");
    __slowpath_sym_clear(to, bytes);
    for (size_t i = 0; i < count && i < bytes; i++)
        if (exprs[i])
            runtime_sym_put(to + i, exprs[i], 1);
}

void runtime_sym_tell_text(int fd, const char *format, va_list args) {
    struct walk walk = {.decides = true};
    if (fd < 0)
        return;
    size_t count = make_text(format, args, &walk);
    if (count == ROOM - 1)
        runtime_sym_lose(RUNTIME_LOST_REST);
    for (size_t i = 0; i < count; i++)
        runtime_sym_tell_byte(fd, (unsigned char)text[i], exprs[i]);
}
