/* SPDX-License-Identifier: Apache-2.0
 *
 * Dictionaries in the format of AFL and libFuzzer: lines such as
 *
 *     name="text with \x00, \" and \\"
 *     "text alone"
 *     # a remark
 *
 * The name (in AFL possibly with @LEVEL) is ignored. Errors are reported with their line.
 */
#include "cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    const char *path;
    size_t line;
    struct base_error *error;
};

static bool wrong(const struct reading *reading, const char *what) {
    return base_fail(reading->error, BASE_USAGE, "'%s', line %zu: %s", reading->path, reading->line,
                     what);
}

static bool read_hex(const char *text, char *byte) {
    if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
        return false;
    char digits[3] = {text[0], text[1], 0};
    *byte = (char)strtoul(digits, NULL, 16);
    return true;
}

/* One character or escape of a quoted string; moves AT behind it. */
static bool read_byte(const struct reading *reading, const char **at, char *byte) {
    static const char letters[] = "\\\"nrt", meanings[] = "\\\"\n\r\t";
    const char *text = *at;
    if (*text != '\\') {
        *byte = *text;
        *at = text + 1;
        return true;
    }
    if (text[1] == 'x' && read_hex(text + 2, byte)) {
        *at = text + 4;
        return true;
    }
    const char *letter = text[1] ? strchr(letters, text[1]) : NULL;
    if (!letter)
        return wrong(reading, "a backslash stands before x and two hexadecimal digits, or before "
                              "\\, \", n, r or t");
    *byte = meanings[letter - letters];
    *at = text + 2;
    return true;
}

static bool read_text(const struct reading *reading, const char *at, struct base_buffer *text) {
    while (*at && *at != '"') {
        char byte;
        if (!read_byte(reading, &at, &byte))
            return false;
        base_buffer_add(text, &byte, 1);
    }
    if (*at != '"')
        return wrong(reading, "the closing quote is missing");
    at++;
    while (isspace((unsigned char)*at))
        at++;
    if (*at && *at != '#')
        return wrong(reading, "something follows the closing quote");
    return text->count > 0 || wrong(reading, "the text is empty");
}

static bool read_line(const struct reading *reading, const char *line, struct cli_inputs *words) {
    while (isspace((unsigned char)*line))
        line++;
    if (!*line || *line == '#')
        return true;
    const char *quote = strchr(line, '"'), *equals = strchr(line, '=');
    if (!quote || (quote != line && (!equals || equals > quote)))
        return wrong(reading, "write NAME=\"text\" or \"text\"");
    struct base_buffer text = {0};
    if (!read_text(reading, quote + 1, &text)) {
        base_buffer_done(&text);
        return false;
    }
    base_push(words, (struct cli_input){.data = text.data, .size = text.count});
    return true;
}

bool cli_dictionary_read(const char *path, struct cli_inputs *words, struct base_error *error) {
    struct reading reading = {path, 0, error};
    char *data, *rest;
    size_t size;
    if (!base_read_file(path, &data, &size, error))
        return false;
    bool good = !memchr(data, 0, size) || wrong(&reading, "it is no text");
    rest = data;
    for (char *line; good && (line = strsep(&rest, "\n"));) {
        reading.line++;
        good = read_line(&reading, line, words);
    }
    free(data);
    return good;
}

/* ---- words of a pipeline ---- */

static void add_literal(const char *text, size_t size, struct cli_inputs *words) {
    if (!size)
        return;
    for (size_t i = 0; i < words->count; i++)
        if (words->data[i].size == size && memcmp(words->data[i].data, text, size) == 0)
            return;
    base_push(words,
              ((struct cli_input){.data = base_format("%.*s", (int)size, text), .size = size}));
}

/* Adds the literal parts of a pattern, without sets of bytes. Paths are skipped: they do not name
 * inputs. */
static void add_literals(const char *word, struct cli_inputs *words) {
    static const char meaning[] = "[](){}*+?^$|\\";
    if (*word == '-' || strchr(word, '/'))
        return;
    while (*word) {
        size_t length = strcspn(word, meaning);
        add_literal(word, length, words);
        word += length;
        const char *end = *word == '[' && word[1] ? strchr(word + 2, ']') : NULL;
        word = end ? end + 1 : word + (*word != 0);
    }
}

void cli_pipe_words(const struct target_pipeline *pipeline, struct cli_inputs *words) {
    for (size_t i = 0; i < pipeline->stages.count; i++)
        for (size_t k = 1; k < pipeline->stages.data[i].words.count; k++)
            add_literals(pipeline->stages.data[i].words.data[k], words);
}
