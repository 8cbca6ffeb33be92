/* SPDX-License-Identifier: Apache-2.0
 *
 * What do the headers declare? Their text is enough: which functions, variables and macros it
 * names.
 */
#include "api/guess.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Is it a word of the text? */
static bool mentions(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

/* Is this place in a line of the preprocessor, or in one that goes on from it? */
static bool is_directive(const char *text, const char *at) {
    while (at > text && (at[-1] != '\n' || (at - 1 > text && at[-2] == '\\')))
        at--;
    return at[strspn(at, " \t")] == '#';
}

/* NAME ( somewhere in the text? What stands in a macro declares nothing. */
static bool declares(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        const char *after = at + length;
        after += strspn(after, " \t\n)");
        if ((at == text || !is_word(at[-1])) && *after == '(' && !is_word(at[length]) &&
            !is_directive(text, at))
            return true;
    }
    return false;
}

/* Is there a line "#define NAME" in the text? */
static bool defines(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, "define")); at++) {
        const char *word = at + strlen("define");
        word += strspn(word, " \t");
        if (strncmp(word, name, length) == 0 && !is_word(word[length]))
            return true;
    }
    return false;
}

typedef bool finds(const char *text, const char *name);

static bool is_found(const struct base_strings *texts, finds *finds, const char *name) {
    for (size_t i = 0; i < texts->count; i++)
        if (finds(texts->data[i], name))
            return true;
    return false;
}

bool api_headers_declare(const struct base_strings *texts, const char *function) {
    return texts->count == 0 || is_found(texts, declares, function);
}

bool api_headers_mention(const struct base_strings *texts, const char *variable) {
    return texts->count == 0 || is_found(texts, mentions, variable);
}

bool api_headers_define(const struct base_strings *texts, const char *macro) {
    return is_found(texts, defines, macro);
}

bool api_headers_read(const struct base_strings *headers, struct base_strings *paths,
                      struct base_strings *texts, struct base_error *error) {
    for (size_t i = 0; i < headers->count; i++) {
        char *text, *path = realpath(headers->data[i], NULL);
        size_t size;
        bool good = base_read_file(headers->data[i], &text, &size, error);
        if (good) {
            base_strings_add(texts, text);
            base_strings_add(paths, path ? path : headers->data[i]);
            free(text);
        }
        free(path);
        if (!good)
            return false;
    }
    return true;
}
