/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes of a text does a pattern distinguish? All that it names, and those that only look
 * like it: too many bytes are still correct, but mean more paths. The result is kept until the
 * pattern is freed or the run ends.
 */
#include "runtime/library_own.h"
#include "runtime/runtime.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#define MOST_PATTERNS 64

static void name_byte(bool *named, unsigned char byte, bool ignores_case) {
    named[byte] = true;
    if (ignores_case)
        named[toupper(byte)] = named[tolower(byte)] = true;
}

/* What follows a backslash may mean a kind of characters. */
static void look_at_escape(char c, bool *named, struct own_kinds *to) {
    to->compares |= c >= '1' && c <= '9';
    if (strchr("wWbB<>", c)) {
        to->classes |= OWN_ASKS_ALNUM;
        named['_'] = true;
    }
    if (c == 's' || c == 'S')
        to->classes |= OWN_ASKS_SPACE;
}

/* SPECIAL: bytes that never stand for themselves, outside of brackets and without a backslash. */
static void find_kinds(const char *pattern, const char *special, bool ignores_case, bool *named,
                       struct own_kinds *to) {
    bool is_simple = !strpbrk(pattern, "[\\");
    to->compares = false;
    to->has_ranges = strchr(pattern, '[') != NULL;
    to->classes = strstr(pattern, "[:") ? OWN_ASKS_MORE : 0;
    for (const char *at = pattern; *at; at++) {
        if (*at == '\\' && at[1])
            look_at_escape(at[1], named, to);
        if (!is_simple || !strchr(special, *at))
            name_byte(named, (unsigned char)*at, ignores_case);
    }
    to->count = 0;
    for (int byte = 1; byte < 256; byte++)
        if (named[byte])
            to->bytes[to->count++] = (unsigned char)byte;
}

void OWN(kinds_of_name)(const char *pattern, int flags, struct own_kinds *to) {
    bool named[256] = {false};
    named['.'] = flags & FNM_PERIOD;
    named['/'] = flags & (FNM_PATHNAME | FNM_LEADING_DIR | FNM_PERIOD);
    find_kinds(pattern, "*?", flags & FNM_CASEFOLD, named, to);
    to->compares = false;
}

int OWN(fnmatch)(const char *pattern, const char *text, int flags) {
    return fnmatch(pattern, text, flags);
}

/* ---- compiled ones ---- */

struct known_pattern {
    const void *compiled; /* the library's data, which is the same in copies of the struct */
    struct own_kinds kinds;
};
static RUNTIME_STATE struct known_pattern known[MOST_PATTERNS]; /* too large to be restored */
static int known_count; /* reset to 0 when the next run starts */

int OWN(regcomp)(regex_t *compiled, const char *pattern, int flags) {
    bool named[256] = {['\n'] = flags & REG_NEWLINE || strpbrk(pattern, "^$")};
    int result = regcomp(compiled, pattern, flags);
    if (result != 0 || known_count == MOST_PATTERNS)
        return result;
    known[known_count].compiled = compiled->buffer;
    find_kinds(pattern, flags & REG_EXTENDED ? ".*+?(|^$" : ".", flags & REG_ICASE, named,
               &known[known_count].kinds);
    known_count++;
    return 0;
}

void OWN(regfree)(regex_t *compiled) {
    for (int i = 0; i < known_count; i++)
        if (known[i].compiled == compiled->buffer)
            known[i--] = known[--known_count];
    regfree(compiled);
}

const struct own_kinds *OWN(kinds_of)(const regex_t *compiled) {
    for (int i = 0; i < known_count; i++)
        if (known[i].compiled == compiled->buffer)
            return &known[i].kinds;
    return NULL;
}

int OWN(regexec)(const regex_t *compiled, const char *text, size_t count, regmatch_t *matches,
                 int flags) {
    return regexec(compiled, text, count, matches, flags);
}
