/* SPDX-License-Identifier: Apache-2.0
 *
 * Wide characters and their bytes, as explored code: the classes of a character, conversions in the
 * "C" locale and in UTF-8, reading from streams. The class of a character beyond ASCII is found by
 * bisection: as long as the C library has different answers in a range, a decision says in which
 * half the character lies. Part of sym_library.c.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_MULTIBYTE_H
#define SLOWPATH_RUNTIME_LIBRARY_MULTIBYTE_H

#include "runtime/library_number.h"
#include "runtime/library_wide.h"

#include <stdio.h>
#include <wchar.h>
#include <wctype.h>

/* ---- classes ---- */

/* What the function says about C, which lies between LOW and HIGH: halves the range until all
 * characters of it have the same answer. */
static int wide_answer(uint64_t function, wint_t c, wint_t low, wint_t high) {
    while (!__slowpath_native_wide_is_uniform(function, low, high)) {
        wint_t middle = low + (high - low) / 2;
        if (c <= middle)
            high = middle;
        else
            low = middle + 1;
    }
    return (int)__slowpath_native_wide_answer(function, low);
}

#define FIRST_WIDE 0x80u /* everything below is ASCII */
#define LAST_WIDE 0x10ffffu

static int answer_beyond_ascii(uint64_t function, wint_t c) {
    return c > LAST_WIDE ? wide_answer(function, c, LAST_WIDE + 1, UINT_MAX)
                         : wide_answer(function, c, FIRST_WIDE, LAST_WIDE);
}

#define WIDE_CLASS(name)                                                                           \
    int LIB(isw##name)(wint_t c) {                                                                 \
        return c < FIRST_WIDE ? LIB(is##name)((int)c) : answer_beyond_ascii(OWN_CLASS_##name, c);  \
    }
OWN_CLASSES(WIDE_CLASS)

int LIB(iswctype)(wint_t c, wctype_t class) {
    return c < FIRST_WIDE ? wide_answer(class, c, 0, FIRST_WIDE - 1)
                          : answer_beyond_ascii(class, c);
}

/* The answer is the distance to the other letter. */
wint_t LIB(towlower)(wint_t c) {
    return c < FIRST_WIDE ? (wint_t)LIB(tolower)((int)c)
                          : c + (wint_t)answer_beyond_ascii(OWN_TO_LOWER, c);
}

wint_t LIB(towupper)(wint_t c) {
    return c < FIRST_WIDE ? (wint_t)LIB(toupper)((int)c)
                          : c + (wint_t)answer_beyond_ascii(OWN_TO_UPPER, c);
}

int LIB(wcwidth)(wchar_t c) {
    return (wint_t)c < FIRST_WIDE ? wide_answer(OWN_WIDTH, (wint_t)c, 0, FIRST_WIDE - 1)
                                  : answer_beyond_ascii(OWN_WIDTH, (wint_t)c);
}

int LIB(wcswidth)(const wchar_t *text, size_t count) {
    int sum = 0;
    for (size_t i = 0; i < count && text[i]; i++) {
        int width = LIB(wcwidth)(text[i]);
        if (width < 0)
            return -1;
        sum += width;
    }
    return sum;
}

/* ---- one character ---- */

static bool is_utf8(void) {
    enum own_charset charset = (enum own_charset)OWN(charset)();
    if (charset == OWN_OTHER)
        __slowpath_sym_lose("characters of another locale");
    return charset == OWN_UTF8;
}

/* An incomplete character, as stored in a mbstate_t. */
struct partial {
    unsigned short have, wanted; /* bytes */
    unsigned value;
};

/* The length of the character that starts with this byte, 0 if none does. */
static unsigned short count_bytes(unsigned char first) {
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xfd || !is_utf8())
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : first < 0xfc ? 5 : 6;
}

static bool start_character(struct partial *to, unsigned char byte) {
    unsigned short wanted = count_bytes(byte);
    *to = (struct partial){1, wanted, wanted > 1 ? byte & 0x7fu >> wanted : byte};
    return wanted;
}

static bool continue_character(struct partial *to, unsigned char byte) {
    if (byte < 0x80 || byte > 0xbf)
        return false;
    to->have++;
    to->value = to->value << 6 | (byte & 0x3fu);
    return true;
}

/* Is a complete sequence a valid character? Not if a shorter one exists, or if it is a
 * surrogate. */
static bool is_character(const struct partial *character) {
    unsigned c = character->value;
    unsigned short wanted = character->wanted;
    return wanted < 3 || (c >= 1u << (5 * wanted - 4) && !(c >= 0xd800 && c <= 0xdfff));
}

#define NO_CHARACTER ((size_t)-1)
#define NOT_COMPLETE ((size_t)-2)

size_t LIB(mbrtowc)(wchar_t *to, const char *text, size_t count, mbstate_t *state) {
    static mbstate_t own;
    struct partial *partial = (struct partial *)(state ? state : &own);
    if (!text)
        return LIB(mbrtowc)(NULL, "", 1, state);
    for (size_t used = 0; used < count; used++) {
        unsigned char byte = (unsigned char)text[used];
        bool is_good =
            partial->have ? continue_character(partial, byte) : start_character(partial, byte);
        bool is_complete = is_good && partial->have == partial->wanted;
        if (is_good && !is_complete)
            continue;
        wchar_t c = (wchar_t)partial->value;
        bool is_one = is_complete && is_character(partial);
        partial->have = partial->wanted = 0;
        if (is_one) {
            if (to)
                *to = c;
            return c ? used + 1 : 0;
        }
        errno = EILSEQ;
        return NO_CHARACTER;
    }
    return NOT_COMPLETE;
}

#define MOST_BYTES 6 /* the library writes more than it would read */

/* Encodes a character; 0 if it has no encoding. */
static int split_bytes(char *to, wchar_t wide) {
    unsigned c = (unsigned)wide;
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (!is_utf8() || c > INT_MAX || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    int count = c < 0x800 ? 2 : c < 0x10000 ? 3 : c < 0x200000 ? 4 : c < 0x4000000 ? 5 : 6;
    for (int i = count - 1; i > 0; i--, c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)((0xff00u >> count & 0xff) | c);
    return count;
}

size_t LIB(wcrtomb)(char *to, wchar_t c, mbstate_t *state) {
    (void)state;
    if (!to)
        return 1;
    int count = split_bytes(to, c);
    if (count)
        return (size_t)count;
    errno = EILSEQ;
    return NO_CHARACTER;
}

int LIB(mbsinit)(const mbstate_t *state) {
    return !state || ((const struct partial *)state)->have == 0;
}

size_t LIB(mbrlen)(const char *text, size_t count, mbstate_t *state) {
    static mbstate_t own;
    return LIB(mbrtowc)(NULL, text, count, state ? state : &own);
}

int LIB(mbtowc)(wchar_t *to, const char *text, size_t count) {
    static mbstate_t state;
    if (!text) {
        state = (mbstate_t){0};
        return 0;
    }
    if (!*text) {
        if (to)
            *to = 0;
        return 0;
    }
    size_t used = LIB(mbrtowc)(to, text, count, &state);
    return used >= NOT_COMPLETE ? -1 : (int)used;
}

int LIB(mblen)(const char *text, size_t count) {
    static mbstate_t state;
    if (!text) {
        state = (mbstate_t){0};
        return 0;
    }
    if (!*text)
        return 0;
    state = (mbstate_t){0};
    size_t used = LIB(mbrtowc)(NULL, text, count, &state);
    return used >= NOT_COMPLETE ? -1 : (int)used;
}

int LIB(wctomb)(char *to, wchar_t c) {
    return to ? (int)LIB(wcrtomb)(to, c, NULL) : 0;
}

wint_t LIB(btowc)(int c) {
    if (c >= 0 && c < 0x80)
        return (wint_t)c;
    return WEOF;
}

int LIB(wctob)(wint_t c) {
    if (c < 0x80)
        return (int)c;
    return EOF;
}

/* ---- strings ---- */

/* Converts at most BYTES bytes into up to COUNT characters; TO may be NULL. */
size_t LIB(mbsnrtowcs)(wchar_t *to, const char **text, size_t bytes, size_t count,
                       mbstate_t *state) {
    static mbstate_t own;
    mbstate_t copy = state ? *state : own;
    const char *at = *text;
    size_t done = 0;
    for (; bytes && (!to || done < count); done++) {
        wchar_t c;
        size_t used = LIB(mbrtowc)(&c, at, bytes, to ? (state ? state : &own) : &copy);
        if (used == NO_CHARACTER) {
            if (to)
                *text = at;
            return NO_CHARACTER;
        }
        if (used == NOT_COMPLETE) {
            at += bytes;
            break;
        }
        if (to)
            to[done] = c;
        if (!c) {
            if (to)
                *text = NULL;
            return done;
        }
        at += used;
        bytes -= used;
    }
    if (to)
        *text = at;
    return done;
}

size_t LIB(mbsrtowcs)(wchar_t *to, const char **text, size_t count, mbstate_t *state) {
    return LIB(mbsnrtowcs)(to, text, SIZE_MAX, count, state);
}

size_t LIB(mbstowcs)(wchar_t *to, const char *text, size_t count) {
    mbstate_t state = {0};
    return LIB(mbsnrtowcs)(to, &text, SIZE_MAX, count, &state);
}

/* Converts at most LENGTH characters into up to COUNT bytes, but no character partly. */
size_t LIB(wcsnrtombs)(char *to, const wchar_t **text, size_t length, size_t count,
                       mbstate_t *state) {
    const wchar_t *at = *text;
    size_t done = 0;
    (void)state;
    for (; length && (!to || done < count); length--, at++) {
        char bytes[MOST_BYTES];
        int used = split_bytes(bytes, *at);
        if (!used) {
            if (to)
                *text = at;
            errno = EILSEQ;
            return NO_CHARACTER;
        }
        if (to && done + (size_t)used > count)
            break;
        for (int i = 0; to && i < used; i++)
            to[done + (size_t)i] = bytes[i];
        if (!*at) {
            if (to)
                *text = NULL;
            return done;
        }
        done += (size_t)used;
    }
    if (to)
        *text = at;
    return done;
}

size_t LIB(wcsrtombs)(char *to, const wchar_t **text, size_t count, mbstate_t *state) {
    return LIB(wcsnrtombs)(to, text, SIZE_MAX, count, state);
}

size_t LIB(wcstombs)(char *to, const wchar_t *text, size_t count) {
    return LIB(wcsnrtombs)(to, &text, SIZE_MAX, count, NULL);
}

wchar_t *LIB(wcstok)(wchar_t *text, const wchar_t *separators, wchar_t **save) {
    if (!text)
        text = *save;
    if (!text)
        return NULL;
    text += wide_span(text, separators, true);
    if (!*text) {
        *save = NULL;
        return NULL;
    }
    wchar_t *end = text + wide_span(text, separators, false);
    *save = *end ? end + 1 : NULL;
    *end = 0;
    return text;
}

/* ---- numbers ---- */

#define WIDE_NUMBER_ROOM 128

/* Copies the ASCII characters at the start as bytes; false when there are too many. */
static bool narrow(const wchar_t *text, char *to) {
    size_t at = 0;
    for (; at < WIDE_NUMBER_ROOM - 1 && text[at] > 0 && text[at] < 0x80; at++)
        to[at] = (char)text[at];
    to[at] = 0;
    return at < WIDE_NUMBER_ROOM - 1;
}

#define WIDE_NUMBER(type, name, narrow_name, parameters, arguments)                                \
    type LIB(name) parameters {                                                                    \
        char bytes[WIDE_NUMBER_ROOM], *stop = NULL;                                                \
        if (!narrow(text, bytes))                                                                  \
            __slowpath_sym_lose(#name " of a long number");                                        \
        type value = LIB(narrow_name) arguments;                                                   \
        if (end && stop)                                                                           \
            *end = (wchar_t *)text + (stop - bytes);                                               \
        return value;                                                                              \
    }
WIDE_NUMBER(long, wcstol, strtol, (const wchar_t *text, wchar_t **end, int base),
            (bytes, &stop, base))
WIDE_NUMBER(long long, wcstoll, strtoll, (const wchar_t *text, wchar_t **end, int base),
            (bytes, &stop, base))
WIDE_NUMBER(unsigned long, wcstoul, strtoul, (const wchar_t *text, wchar_t **end, int base),
            (bytes, &stop, base))
WIDE_NUMBER(unsigned long long, wcstoull, strtoull, (const wchar_t *text, wchar_t **end, int base),
            (bytes, &stop, base))
WIDE_NUMBER(double, wcstod, strtod, (const wchar_t *text, wchar_t **end), (bytes, &stop))
WIDE_NUMBER(float, wcstof, strtof, (const wchar_t *text, wchar_t **end), (bytes, &stop))
WIDE_NUMBER(long double, wcstold, strtold, (const wchar_t *text, wchar_t **end), (bytes, &stop))

/* ---- streams ---- */

#define LOST_WIDE "a stream that is read and written by characters"

/* The next character. WEOF with *IS_BAD: the bytes there are invalid, and stay unread. Like the
 * library, ignores an incomplete character at the end of a file, unless it is all of the file. */
static wint_t next_character(FILE *stream, bool *is_bad) {
    struct partial character = {0};
    unsigned char bytes[MOST_BYTES];
    int count = 0;
    bool is_good = true;
    enum own_wide wide = (enum own_wide)OWN(take_wide)(stream);
    *is_bad = false;
    if (wide == OWN_BYTES)
        return WEOF;
    if (wide == OWN_WIDE) {
        __slowpath_sym_lose(LOST_WIDE);
        return OWN(fgetwc)(stream);
    }
    do {
        if (!__slowpath_sym_next_byte(stream, &bytes[count])) {
            if (!count || wide == OWN_TAKEN)
                return WEOF;
            break;
        }
        is_good = count ? continue_character(&character, bytes[count])
                        : start_character(&character, bytes[count]);
        count++;
    } while (is_good && character.have < character.wanted);
    if (is_good && character.have == character.wanted && is_character(&character))
        return character.value;
    while (count > 0)
        __slowpath_sym_unread_byte(stream, &bytes[--count]);
    OWN(fail_stream)(stream);
    errno = EILSEQ;
    *is_bad = true;
    return WEOF;
}

int LIB(fwide)(FILE *stream, int mode) {
    return OWN(fwide)(stream, mode > 0 ? 1 : mode < 0 ? -1 : 0);
}

wint_t LIB(fgetwc)(FILE *stream) {
    bool is_bad;
    return next_character(stream, &is_bad);
}

wint_t LIB(getwchar)(void) {
    return LIB(fgetwc)(stdin);
}

wchar_t *LIB(fgetws)(wchar_t *line, int size, FILE *stream) {
    int count = 0;
    if (size <= 0)
        return NULL;
    bool is_bad = false;
    while (count + 1 < size) {
        wint_t c = next_character(stream, &is_bad);
        if (c == WEOF)
            break;
        line[count++] = (wchar_t)c;
        if (c == L'\n')
            break;
    }
    if ((count == 0 && size > 1) || is_bad)
        return NULL;
    line[count] = 0;
    return line;
}

/* Pushes back the bytes of the character, the last one first. */
wint_t LIB(ungetwc)(wint_t c, FILE *stream) {
    char bytes[MOST_BYTES];
    if (c == WEOF)
        return WEOF;
    if (OWN(take_wide)(stream) == OWN_WIDE) {
        __slowpath_sym_lose(LOST_WIDE);
        return OWN(ungetwc)(c, stream);
    }
    for (int i = split_bytes(bytes, (wchar_t)c); i > 0; i--)
        __slowpath_sym_unread_byte(stream, &bytes[i - 1]);
    return c;
}

#endif
