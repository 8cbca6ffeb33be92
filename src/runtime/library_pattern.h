/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts matched against a pattern (regexec, fnmatch), as explored code. The C library does the
 * matching. Its result is the same for all texts with bytes of the same kinds in the same places,
 * so the decisions are of which kind each byte is: a byte that the pattern names, one between two
 * that it names (if it has ranges), a letter or digit (if it asks for such). The pattern itself is
 * fixed. If the pattern compares parts of the text, or characters have several bytes, the whole
 * text is fixed. Part of sym_library.c.
 */
#ifndef SLOWPATH_RUNTIME_LIBRARY_PATTERN_H
#define SLOWPATH_RUNTIME_LIBRARY_PATTERN_H

#include "runtime/library_multibyte.h"

#include <regex.h>

/* A number for each set of classes that a character can belong to. The branches are the point: each
 * is a decision. */
static int class_of(unsigned char c) {
    if (LIB(isdigit)(c))
        return 1;
    if (LIB(islower)(c))
        return LIB(isxdigit)(c) ? 2 : 3;
    if (LIB(isupper)(c))
        return LIB(isxdigit)(c) ? 4 : 5;
    if (LIB(ispunct)(c))
        return 6;
    if (c == ' ')
        return 7;
    if (c == '\t')
        return 8;
    if (LIB(isspace)(c))
        return 9;
    return LIB(iscntrl)(c) ? 10 : 11;
}

static int decide_class(unsigned char c, unsigned classes) {
    if (classes & OWN_ASKS_MORE)
        return class_of(c);
    if (classes & OWN_ASKS_ALNUM && LIB(isalnum)(c))
        return 1;
    return classes & OWN_ASKS_SPACE && LIB(isspace)(c) ? 2 : 3;
}

static void decide_kind(unsigned char c, const struct own_kinds *kinds) {
    for (int i = 0; i < kinds->count; i++) {
        if (c == kinds->bytes[i])
            return;
        if (kinds->has_ranges && c < kinds->bytes[i])
            break;
    }
    if (kinds->classes)
        decide_class(c, kinds->classes);
}

/* Decides the kinds of at most COUNT bytes, up to the NUL. */
static void decide_kinds(const char *text, size_t count, const struct own_kinds *kinds) {
    bool is_wide = is_utf8(), is_fixed = !kinds || kinds->compares;
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)text[i];
        if (is_wide && c >= 0x80)
            is_fixed = true;
        if (is_fixed)
            __slowpath_sym_fix_memory(text + i, 1);
        else if (c)
            decide_kind(c, kinds);
        if (!c)
            return;
    }
}

static void fix_text(const char *text) {
    __slowpath_sym_fix_memory(text, __slowpath_native_length(text, SIZE_MAX) + 1);
}

int LIB(fnmatch)(const char *pattern, const char *text, int flags) {
    struct own_kinds kinds;
    fix_text(pattern);
    OWN(kinds_of_name)(pattern, flags, &kinds);
    decide_kinds(text, SIZE_MAX, &kinds);
    return OWN(fnmatch)(pattern, text, flags);
}

int LIB(regcomp)(regex_t *compiled, const char *pattern, int flags) {
    fix_text(pattern);
    int result = OWN(regcomp)(compiled, pattern, flags);
    __slowpath_sym_clear(compiled, sizeof *compiled);
    return result;
}

void LIB(regfree)(regex_t *compiled) {
    OWN(regfree)(compiled);
}

int LIB(regexec)(const regex_t *compiled, const char *text, size_t count, regmatch_t *matches,
                 int flags) {
    const char *start = text;
    size_t length = SIZE_MAX;
    count = (size_t)fix_long((long)count);
    flags = (int)fix_long(flags);
    if (flags & REG_STARTEND) {
        __slowpath_sym_fix_memory(matches, sizeof *matches);
        start = text + matches->rm_so;
        length = (size_t)(matches->rm_eo - matches->rm_so);
    }
    decide_kinds(start, length, OWN(kinds_of)(compiled));
    int result = OWN(regexec)(compiled, text, count, matches, flags);
    if (matches)
        __slowpath_sym_clear(matches, count * sizeof *matches);
    return result;
}

#endif
