/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a memory or string function do, and what is it charged? This is the only answer, and
 * both builds include it: the measuring build (hooks.c) and the symbolic build (sym_library.c).
 * docs/library-costs.md has the charges as a table.
 *
 * Each function finds how far it has to look, charges for that, and does the rest. If everything it
 * looks at is plain (concrete), native.c finds that at once, otherwise a loop whose comparisons are
 * decisions. In the measuring build everything is plain, and the loops are dropped.
 *
 * A file that includes this one defines SHORT (an attribute of functions that are inlined) and
 * these macros:
 *   charge(bytes)            adds to the cost
 *   plain_arguments(count)   are the arguments concrete? Only valid before any call.
 *   is_plain(memory, bytes)  is that memory concrete?
 *   lower(character)         a character in lower case
 */
#include "runtime/hooks.h"

#include <stddef.h>

#define LIB(name) __slowpath_lib_##name
#define PART static inline __attribute__((always_inline))

void *LIB(malloc)(size_t size);

/* ---- how far ----
 *
 * The loops ask one thing at a time, and whether a byte is NUL always in the same way: what was
 * decided is not asked again. Until memory is known to be plain nothing but native.c may read it.
 */

/* The bytes that were looked at when something was found at AT of COUNT; AT == COUNT: not found. */
PART size_t looked(size_t at, size_t count) {
    return at < count ? at + 1 : count;
}

/* The length of a text of at most COUNT bytes. */
PART size_t length_of(bool plain, const char *text, size_t count) {
    size_t at = plain ? __slowpath_native_length(text, count) : 0;
    if (plain && is_plain(text, looked(at, count)))
        return at;
    for (at = 0; at < count; at++)
        if (!text[at])
            break;
    return at;
}

PART size_t find(bool plain, const void *bytes, int byte, size_t count) {
    const unsigned char *in = bytes;
    size_t at = plain ? __slowpath_native_find(bytes, (uint32_t)byte, count) : 0;
    if (plain && is_plain(bytes, looked(at, count)))
        return at;
    for (at = 0; at < count; at++)
        if (in[at] == (unsigned char)byte)
            break;
    return at;
}

/* The position of the first BYTE of a text, or of its end. */
PART size_t find_or_end(bool plain, const char *text, int byte) {
    size_t at = plain ? __slowpath_native_find_or_end(text, (uint32_t)byte) : 0;
    if (plain && is_plain(text, at + 1))
        return at;
    for (at = 0; text[at] != (char)byte; at++)
        if (!text[at])
            break;
    return at;
}

/* The first difference, or COUNT. */
PART size_t differ(bool plain, const void *a, const void *b, size_t count) {
    const unsigned char *x = a, *y = b;
    size_t at = plain ? __slowpath_native_differ(a, b, count) : 0;
    if (plain && is_plain(a, looked(at, count)) && is_plain(b, looked(at, count)))
        return at;
    for (at = 0; at < count; at++)
        if (x[at] != y[at])
            break;
    return at;
}

/* The first difference of two texts or their common end, or COUNT. */
PART size_t differ_text(bool plain, const char *a, const char *b, size_t count) {
    size_t at = plain ? __slowpath_native_differ_text(a, b, count) : 0;
    if (plain && is_plain(a, looked(at, count)) && is_plain(b, looked(at, count)))
        return at;
    for (at = 0; at < count && a[at] == b[at]; at++)
        if (!a[at])
            break;
    return at;
}

PART size_t differ_letters(bool plain, const char *a, const char *b, size_t count) {
    size_t at = plain ? __slowpath_native_differ_letters(a, b, count) : 0;
    if (plain && is_plain(a, looked(at, count)) && is_plain(b, looked(at, count)))
        return at;
    for (at = 0; at < count && lower((unsigned char)a[at]) == lower((unsigned char)b[at]); at++)
        if (!a[at])
            break;
    return at;
}

static bool is_one_of(char byte, const char *set) {
    for (; *set; set++)
        if (*set == byte)
            return true;
    return false;
}

/* How many bytes at the start of a text are (or are not) in the set. */
PART size_t span(bool plain, const char *text, const char *set, bool is_in) {
    size_t at = plain ? __slowpath_native_span(text, set, is_in) : 0;
    if (plain && is_plain(text, at + 1) &&
        is_plain(set, __slowpath_native_length(set, SIZE_MAX) + 1))
        return at;
    for (at = 0; text[at]; at++)
        if (is_one_of(text[at], set) != is_in)
            break;
    return at;
}

/* Like the library's: a difference of bytes, of which callers may only use the sign. */
PART int order(int a, int b) {
    return a - b;
}

/* ---- memory ---- */

SHORT void *LIB(memcpy)(void *to, const void *from, size_t count) {
    charge(count);
    return __builtin_memcpy(to, from, count);
}

void *LIB(mempcpy)(void *to, const void *from, size_t count) {
    charge(count);
    return (char *)__builtin_memcpy(to, from, count) + count;
}

SHORT void *LIB(memmove)(void *to, const void *from, size_t count) {
    charge(count);
    return __builtin_memmove(to, from, count);
}

SHORT void *LIB(memset)(void *to, int byte, size_t count) {
    charge(count);
    return __builtin_memset(to, byte, count);
}

void LIB(bzero)(void *to, size_t count) {
    charge(count);
    __builtin_memset(to, 0, count);
}

int LIB(memcmp)(const void *a, const void *b, size_t count) {
    const unsigned char *x = a, *y = b;
    size_t at = differ(plain_arguments(3), a, b, count);
    charge(looked(at, count));
    if (at < count)
        return x[at] < y[at] ? -1 : 1;
    return 0;
}

int LIB(bcmp)(const void *a, const void *b, size_t count) {
    size_t at = differ(plain_arguments(3), a, b, count);
    charge(looked(at, count));
    if (at < count)
        return 1;
    return 0;
}

void *LIB(memchr)(const void *bytes, int byte, size_t count) {
    size_t at = find(plain_arguments(3), bytes, byte, count);
    charge(looked(at, count));
    if (at < count)
        return (char *)bytes + at;
    return NULL;
}

void *LIB(memrchr)(const void *bytes, int byte, size_t count) {
    const unsigned char *in = bytes;
    size_t left = count;
    if (plain_arguments(3) && is_plain(bytes, count))
        left = __slowpath_native_find_last(bytes, (uint32_t)byte, count);
    else
        while (left > 0 && in[left - 1] != (unsigned char)byte)
            left--;
    charge(left > 0 ? count - left + 1 : count);
    if (left > 0)
        return (char *)bytes + left - 1;
    return NULL;
}

void *LIB(rawmemchr)(const void *bytes, int byte) {
    size_t at = find(plain_arguments(2), bytes, byte, SIZE_MAX);
    charge(at + 1);
    return (char *)bytes + at;
}

/* ---- words in memory and in texts ---- */

/* The first place, up to LAST, that holds the SIZE bytes of a word. */
PART bool find_bytes(bool plain, const char *in, size_t last, const void *word, size_t size,
                     size_t *at) {
    if (plain) {
        *at = __slowpath_native_find_bytes(in, last + size, word, size);
        bool found = *at <= last;
        if (is_plain(in, (found ? *at : last) + size) && is_plain(word, size))
            return found;
    }
    for (*at = 0; differ(plain, in + *at, word, size) < size; ++*at)
        if (*at == last)
            return false;
    return true;
}

/* A search costs the bytes before the match, or the whole text, plus the word. */
void *LIB(memmem)(const void *text, size_t size, const void *word, size_t word_size) {
    bool plain = plain_arguments(4);
    size_t at;
    if (word_size > size)
        return NULL;
    bool found = find_bytes(plain, text, size - word_size, word, word_size, &at);
    charge((found ? at : size) + word_size);
    if (found)
        return (char *)text + at;
    return NULL;
}

/* Finds a word of that length in a text; if there is none, *AT is the text's length. */
PART bool find_word(bool plain, const char *text, const char *word, size_t length, size_t *at) {
    if (plain) {
        *at = __slowpath_native_find_text(text, word);
        bool found = *at != SIZE_MAX;
        if (!found)
            *at = __slowpath_native_length(text, SIZE_MAX);
        if (is_plain(text, *at + (found ? length : 1)) && is_plain(word, length + 1))
            return found;
    }
    for (*at = 0;; ++*at) {
        size_t same = 0;
        while (same < length && text[*at + same] == word[same])
            same++;
        if (same == length)
            return true;
        if (!text[*at + same]) {
            *at += same;
            return false;
        }
    }
}

char *LIB(strstr)(const char *text, const char *word) {
    bool plain = plain_arguments(2);
    size_t length = length_of(plain, word, SIZE_MAX), at;
    bool found = find_word(plain, text, word, length, &at);
    charge(at + length + 1);
    if (found)
        return (char *)text + at;
    return NULL;
}

/* ---- texts ---- */

size_t LIB(strlen)(const char *text) {
    size_t length = length_of(plain_arguments(1), text, SIZE_MAX);
    charge(length + 1);
    return length;
}

size_t LIB(strnlen)(const char *text, size_t count) {
    size_t length = length_of(plain_arguments(2), text, count);
    charge(looked(length, count));
    return length;
}

int LIB(strncmp)(const char *a, const char *b, size_t count) {
    size_t at = differ_text(plain_arguments(3), a, b, count);
    charge(looked(at, count));
    if (at < count)
        return order((unsigned char)a[at], (unsigned char)b[at]);
    return 0;
}

int LIB(strcmp)(const char *a, const char *b) {
    size_t at = differ_text(plain_arguments(2), a, b, SIZE_MAX);
    charge(at + 1);
    return order((unsigned char)a[at], (unsigned char)b[at]);
}

int LIB(strncasecmp)(const char *a, const char *b, size_t count) {
    size_t at = differ_letters(plain_arguments(3), a, b, count);
    charge(looked(at, count));
    if (at < count)
        return order(lower((unsigned char)a[at]), lower((unsigned char)b[at]));
    return 0;
}

int LIB(strcasecmp)(const char *a, const char *b) {
    size_t at = differ_letters(plain_arguments(2), a, b, SIZE_MAX);
    charge(at + 1);
    return order(lower((unsigned char)a[at]), lower((unsigned char)b[at]));
}

/* The NUL is written, not copied: it is no longer symbolic. */
PART char *put_text(char *to, const char *from, size_t length) {
    __builtin_memcpy(to, from, length);
    to[length] = 0;
    return to;
}

char *LIB(stpcpy)(char *to, const char *from) {
    size_t length = length_of(plain_arguments(2), from, SIZE_MAX);
    charge(length + 1);
    return put_text(to, from, length) + length;
}

char *LIB(strcpy)(char *to, const char *from) {
    size_t length = length_of(plain_arguments(2), from, SIZE_MAX);
    charge(length + 1);
    return put_text(to, from, length);
}

char *LIB(strncpy)(char *to, const char *from, size_t count) {
    size_t length = length_of(plain_arguments(3), from, count);
    charge(count);
    __builtin_memcpy(to, from, length);
    for (size_t i = length; i < count; i++)
        to[i] = 0;
    return to;
}

char *LIB(strcat)(char *to, const char *from) {
    bool plain = plain_arguments(2);
    size_t length = length_of(plain, to, SIZE_MAX), more = length_of(plain, from, SIZE_MAX);
    charge(length + 1 + more + 1);
    put_text(to + length, from, more);
    return to;
}

char *LIB(strncat)(char *to, const char *from, size_t count) {
    bool plain = plain_arguments(3);
    size_t length = length_of(plain, to, SIZE_MAX), more = length_of(plain, from, count);
    charge(length + 1 + looked(more, count));
    put_text(to + length, from, more);
    return to;
}

char *LIB(strchrnul)(const char *text, int byte) {
    size_t at = find_or_end(plain_arguments(2), text, byte);
    charge(at + 1);
    return (char *)text + at;
}

char *LIB(strchr)(const char *text, int byte) {
    size_t at = find_or_end(plain_arguments(2), text, byte);
    charge(at + 1);
    if (text[at] == (char)byte)
        return (char *)text + at;
    return NULL;
}

char *LIB(strrchr)(const char *text, int byte) {
    bool plain = plain_arguments(2);
    const char *found = NULL;
    size_t size = plain ? __slowpath_native_length(text, SIZE_MAX) + 1 : 0;
    if (plain && is_plain(text, size)) {
        size_t left = __slowpath_native_find_last(text, (uint32_t)byte, size);
        found = left ? text + left - 1 : NULL;
    } else {
        size = 0;
        do
            if (text[size] == (char)byte)
                found = text + size;
        while (text[size++]);
    }
    charge(size);
    return (char *)found;
}

size_t LIB(strspn)(const char *text, const char *set) {
    size_t length = span(plain_arguments(2), text, set, true);
    charge(length + 1);
    return length;
}

size_t LIB(strcspn)(const char *text, const char *set) {
    size_t length = span(plain_arguments(2), text, set, false);
    charge(length + 1);
    return length;
}

char *LIB(strpbrk)(const char *text, const char *set) {
    size_t length = span(plain_arguments(2), text, set, false);
    charge(length + 1);
    if (text[length])
        return (char *)text + length;
    return NULL;
}

/* ---- copies on the heap ---- */

PART char *copy_text(const char *text, size_t length) {
    char *copy = LIB(malloc)(length + 1);
    return copy ? put_text(copy, text, length) : NULL;
}

char *LIB(strndup)(const char *text, size_t count) {
    size_t length = length_of(plain_arguments(2), text, count);
    charge(looked(length, count));
    return copy_text(text, length);
}

char *LIB(strdup)(const char *text) {
    size_t length = length_of(plain_arguments(1), text, SIZE_MAX);
    charge(length + 1);
    return copy_text(text, length);
}
