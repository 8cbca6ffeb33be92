/* SPDX-License-Identifier: Apache-2.0
 *
 * What do the headers declare, and how does one include them? Their text is enough for the first:
 * which functions, variables and macros it names. They are included by a name that holds on any
 * machine: below a folder that the user's options search, or else by the name of the file alone,
 * and its folder is told to the compiler.
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

/* ---- names ---- */

/* The folder that an option searches; NULL: none. Its name may be the option after it. */
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

/* The rest of the path of a file that lies somewhere below this folder, or NULL. */
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

/* As users of the library would name it: the first folder of theirs that it is in counts. */
static const char *name_by_flags(const struct base_strings *flags, const char *path) {
    for (size_t i = 0; i < flags->count; i++) {
        const char *folder = searched_by(flags, i);
        const char *name = folder ? below(folder, path) : NULL;
        if (name)
            return name;
    }
    return NULL;
}

/* PATH is the real one of GIVEN. A second file of the same name is included by all of its path. */
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
