/* SPDX-License-Identifier: Apache-2.0
 *
 * What do the headers declare, and how are they included? Their text is enough for the first: it
 * names functions, variables and macros. They are included by a name that works on any machine:
 * relative to a folder in the user's options, or else by the file name alone, with its folder
 * passed to the compiler.
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

/* Is this place in a preprocessor line or its continuation? */
static bool is_directive(const char *text, const char *at) {
    while (at > text && (at[-1] != '\n' || (at - 1 > text && at[-2] == '\\')))
        at--;
    return at[strspn(at, " \t")] == '#';
}

/* Does the text contain NAME ( outside of macros, which declare nothing? */
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

/* ---- names ---- */

/* The folder that an option adds to the search path; NULL: none. It may be in the next option. */
static const char *searched_by(const struct base_strings *flags, size_t at) {
    static const char *const options[] = {"-I", "-iquote", "-isystem"};
    const char *flag = flags->data[at];
    for (size_t i = 0; flag && i < BASE_COUNT(options); i++) {
        size_t length = strlen(options[i]);
        if (strncmp(flag, options[i], length) != 0)
            continue;
        return flag[length] ? flag + length : at + 1 < flags->count ? flags->data[at + 1] : NULL;
    }
    return NULL;
}

/* PATH relative to this folder, or NULL if it is elsewhere. */
static const char *below(const char *folder, const char *path) {
    char *real = realpath(folder, NULL);
    size_t length = real ? strlen(real) : 0;
    bool is_below = length && strncmp(path, real, length) == 0 && path[length] == '/';
    free(real);
    return is_below ? path + length + 1 : NULL;
}

static bool has(const struct base_strings *strings, const char *string) {
    for (size_t i = 0; i < strings->count; i++)
        if (strcmp(strings->data[i], string) == 0)
            return true;
    return false;
}

static void add_folder(struct base_strings *folders, const char *folder) {
    if (!has(folders, folder))
        base_strings_add(folders, folder);
}

/* The name that users of the library would write: relative to the first of their folders with
 * it. */
static const char *name_by_flags(const struct base_strings *flags, const char *path) {
    for (size_t i = 0; i < flags->count; i++) {
        const char *folder = searched_by(flags, i);
        const char *name = folder ? below(folder, path) : NULL;
        if (name)
            return name;
    }
    return NULL;
}

/* PATH is the real path of GIVEN. A second file of the same name is included by its full path. */
static void name_header(struct api_model *model, const struct base_strings *flags,
                        const char *given, const char *path) {
    const char *name = name_by_flags(flags, path);
    if (!name && !has(&model->headers, base_basename(given))) {
        size_t length = (size_t)(base_basename(given) - given);
        char *folder = length > 1 ? base_format("%.*s", (int)length - 1, given)
                                  : base_strdup(length ? "/" : ".");
        add_folder(&model->folders, folder);
        name = base_basename(given);
        free(folder);
    } else if (!name) {
        add_folder(&model->folders, "/");
        name = path + strspn(path, "/");
    }
    base_strings_add(&model->headers, name);
}

bool api_headers_read(struct api_model *model, const struct base_strings *headers,
                      const struct base_strings *flags, struct base_strings *texts,
                      struct base_error *error) {
    for (size_t i = 0; i < headers->count; i++) {
        char *text, *path = realpath(headers->data[i], NULL);
        size_t size;
        bool good = base_read_file(headers->data[i], &text, &size, error);
        if (good) {
            base_strings_add(texts, text);
            name_header(model, flags, headers->data[i], path ? path : headers->data[i]);
            free(text);
        }
        free(path);
        if (!good)
            return false;
    }
    return true;
}
