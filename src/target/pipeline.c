/* SPDX-License-Identifier: Apache-2.0
 *
 * How does the text of a pipeline become stages?
 *
 * The text is read once from left to right, word by word. `|` connects a program's output to the
 * next program; `tee >(...)` connects it to several, each with a pipeline of its own behind it, and
 * is not a stage itself. Any other shell syntax is rejected, because it would run differently here:
 * a character that is not understood is never taken literally.
 */
#include "target/pipeline.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *text, *at;
    struct target_pipeline *pipeline;
    struct base_error *error;
    unsigned depth;
};

/* ---- messages ---- */

static bool blame(const char *text, size_t column, enum base_exit code, const char *what,
                  struct base_error *error) {
    char *shown = base_strdup(text);
    for (char *at = shown; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
    base_fail(error, code, "%s\n    %s\n    %*s^", what, shown, (int)column, "");
    free(shown);
    return false;
}

static bool wrong(const struct parser *parser, const char *place, const char *what) {
    return blame(parser->text, (size_t)(place - parser->text), BASE_USAGE, what, parser->error);
}

bool target_pipeline_blame(const struct target_pipeline *pipeline, size_t stage,
                           enum base_exit code, const char *what, struct base_error *error) {
    return blame(pipeline->text, pipeline->stages.data[stage].column, code, what, error);
}

/* ---- words ---- */

static void skip_blanks(struct parser *parser) {
    while (*parser->at == ' ' || *parser->at == '\t')
        parser->at++;
}

static bool ends_word(char character) {
    return !character || strchr(" \t|<>()", character);
}

/* The meaning of an unquoted character to a shell, if it is not supported here. */
static const char *refusal(const struct parser *parser, bool is_first) {
    switch (*parser->at) {
    case ';':
    case '\n':
        return "one pipeline is wanted: lists of commands are not run";
    case '&':
        return "a pipeline ends with its last program: '&' is not run";
    case '$':
    case '`':
        return "variables and substitutions are not expanded: write what they stand for, or "
               "quote with ''";
    case '*':
    case '?':
    case '[':
        return "names of files are not expanded: write them out, or quote with ''";
    case '#':
        return is_first ? "comments are not part of a pipeline" : NULL;
    case '~':
        return is_first ? "'~' is not expanded: write the folder out" : NULL;
    case '!':
        return is_first ? "'!' is not run" : NULL;
    default:
        return NULL;
    }
}

/* Reads up to the closing quote; in "" a backslash escapes the next character. */
static bool read_quoted(struct parser *parser, struct base_buffer *word) {
    const char *open = parser->at, quote = *parser->at++;
    for (; *parser->at && *parser->at != quote; parser->at++) {
        if (quote == '"' && strchr("$`", *parser->at))
            return wrong(parser, parser->at,
                         "variables and substitutions are not expanded: write "
                         "what they stand for, or quote with ''");
        if (quote == '"' && *parser->at == '\\' && parser->at[1] && strchr("$`\"\\", parser->at[1]))
            parser->at++;
        base_buffer_add(word, parser->at, 1);
    }
    if (!*parser->at)
        return wrong(parser, open, "this quote is not closed");
    parser->at++;
    return true;
}

/* {a,b} and {1..9} are several words to a shell; {} is not. */
static bool is_braces(const char *at) {
    size_t length = strcspn(at, "} \t|");
    if (*at != '{' || at[length] != '}')
        return false;
    for (size_t i = 1; i < length; i++)
        if (at[i] == ',' || (at[i] == '.' && at[i + 1] == '.'))
            return true;
    return false;
}

static bool read_word(struct parser *parser, struct base_buffer *word) {
    const char *first = parser->at;
    base_buffer_add(word, "", 0);
    while (!ends_word(*parser->at)) {
        const char *what = refusal(parser, parser->at == first);
        if (!what && is_braces(parser->at))
            what = "braces are not expanded: write the words out, or quote with ''";
        if (what)
            return wrong(parser, parser->at, what);
        if (*parser->at == '\'' || *parser->at == '"') {
            if (!read_quoted(parser, word))
                return false;
            continue;
        }
        if (*parser->at == '\\' && parser->at[1])
            parser->at++;
        base_buffer_add(word, parser->at++, 1);
    }
    return true;
}

/* ---- one program ---- */

static void stage_done(struct target_stage *stage) {
    base_strings_done(&stage->words);
    free(stage->text);
    free(stage->before);
    free(stage->behind);
}

static bool is_assignment(const char *word) {
    size_t length = 0;
    while (isalnum((unsigned char)word[length]) || word[length] == '_')
        length++;
    return length && !isdigit((unsigned char)*word) && word[length] == '=';
}

static void drop_words(struct target_stage *stage, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(stage->words.data[i]);
    stage->words.count -= count;
    memmove(stage->words.data, stage->words.data + count,
            stage->words.count * sizeof *stage->words.data);
}

/* -I{}, -I {}, -iMARK or -i. Returns the number of words; 0: another option. */
static size_t read_mark(const struct target_stage *stage, const char **mark) {
    const char *option = stage->words.count > 1 ? stage->words.data[1] : "";
    *mark = option + 2;
    if (strncmp(option, "-I", 2) == 0 && option[2])
        return 1;
    if (strcmp(option, "-I") == 0 && stage->words.count > 2) {
        *mark = stage->words.data[2];
        return 2;
    }
    if (strncmp(option, "-i", 2) != 0)
        return 0;
    if (!option[2])
        *mark = "{}";
    return 1;
}

static bool cut_hole(struct parser *parser, struct target_stage *stage, const char *mark,
                     const char *place) {
    for (size_t i = 1; i < stage->words.count; i++) {
        char *found = strstr(stage->words.data[i], mark);
        if (!found)
            continue;
        if (stage->hole || strstr(found + strlen(mark), mark))
            return wrong(parser, place, "xargs: the mark may stand in one place only");
        stage->hole = i;
        stage->behind = base_strdup(found + strlen(mark));
        stage->before = base_strdup(stage->words.data[i]);
        stage->before[found - stage->words.data[i]] = 0;
    }
    return true;
}

/* `xargs -I{} cmd ...` becomes the stage `cmd ...`, run once for each line. */
static bool take_xargs(struct parser *parser, struct target_stage *stage, const char *place) {
    const char *mark;
    size_t taken = read_mark(stage, &mark);
    if (!taken)
        return wrong(parser, place,
                     "xargs is run with -I{} only: one run for each line of its input");
    char *kept = base_strdup(mark);
    drop_words(stage, taken + 1);
    bool good = stage->words.count && *kept ? cut_hole(parser, stage, kept, place)
                                            : wrong(parser, place, "xargs: no program to run");
    free(kept);
    stage->is_per_line = true;
    return good;
}

static bool read_redirection(struct parser *parser, size_t from) {
    const char *place = parser->at++;
    struct base_buffer name = {0};
    if (*parser->at == '<' || *parser->at == '(' || *parser->at == '&')
        return wrong(parser, place, "only '<file' is understood, for the first program");
    if (from != TARGET_FIRST || parser->pipeline->file)
        return wrong(parser, place, "this program already reads something else");
    skip_blanks(parser);
    bool good = read_word(parser, &name) &&
                (name.count || wrong(parser, place, "the name of a file is missing"));
    parser->pipeline->file_first = (size_t)(place - parser->text);
    parser->pipeline->file_end = (size_t)(parser->at - parser->text);
    parser->pipeline->file = good ? base_strdup(name.data) : NULL;
    base_buffer_done(&name);
    return good;
}

static bool read_chain(struct parser *parser, size_t from);

/* Reads the branches of a tee; the output of FROM goes to each, and to what follows the tee. */
static bool read_branches(struct parser *parser, size_t from, const char *tee) {
    unsigned count = 0;
    for (skip_blanks(parser); parser->at[0] == '>' && parser->at[1] == '('; skip_blanks(parser)) {
        const char *open = parser->at;
        parser->at += 2;
        parser->depth++;
        if (!read_chain(parser, from))
            return false;
        if (*parser->at != ')')
            return wrong(parser, open, "this bracket is not closed");
        parser->at++;
        parser->depth--;
        count++;
    }
    if (!count)
        return wrong(parser, tee, "tee needs '>(program)': it writes to no files here");
    return ends_word(*parser->at) ||
           wrong(parser, parser->at, "tee: only '>(program)' is understood");
}

/* Reads words up to `|`, `)` or the end. */
static bool read_words(struct parser *parser, struct target_stage *stage, size_t from) {
    for (skip_blanks(parser); *parser->at && !strchr("|)", *parser->at); skip_blanks(parser)) {
        struct base_buffer word = {0};
        if (*parser->at == '>' || *parser->at == '(')
            return wrong(parser, parser->at,
                         *parser->at == '>' ? "output goes to the next program only: '>' is not run"
                                            : "subshells are not run");
        if (*parser->at == '<') {
            if (!read_redirection(parser, from))
                return false;
            continue;
        }
        const char *place = parser->at;
        bool good = read_word(parser, &word) && (stage->words.count || !is_assignment(word.data) ||
                                                 wrong(parser, place, "variables are not set"));
        if (good)
            base_strings_add(&stage->words, word.data);
        base_buffer_done(&word);
        if (!good)
            return false;
    }
    return true;
}

static char *cut_text(const char *start, const char *end) {
    while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return base_format("%.*s", (int)(end - start), start);
}

static bool keep_stage(struct parser *parser, struct target_stage *stage, const char *start) {
    if (!stage->words.count)
        return wrong(parser, start, "a program is missing");
    if (parser->pipeline->stages.count == TARGET_MOST_STAGES)
        return wrong(parser, start, "more than 16 programs");
    if (strcmp(stage->words.data[0], "xargs") == 0 && !take_xargs(parser, stage, start))
        return false;
    stage->text = cut_text(start, parser->at);
    stage->column = (size_t)(start - parser->text);
    base_push(&parser->pipeline->stages, *stage);
    return true;
}

static bool read_program(struct parser *parser, size_t *from) {
    struct target_stage stage = {.from = *from};
    const char *start = parser->at;
    if (read_words(parser, &stage, *from) && keep_stage(parser, &stage, start)) {
        *from = parser->pipeline->stages.count - 1;
        return true;
    }
    stage_done(&stage);
    return false;
}

/* ---- programs between pipes ---- */

static bool is_tee(const char *at) {
    return strncmp(at, "tee", 3) == 0 && ends_word(at[3]);
}

/* Reads a program, or a tee and its branches; FROM becomes what the next one reads. */
static bool read_link(struct parser *parser, size_t *from) {
    const char *start = parser->at;
    if (!is_tee(start))
        return read_program(parser, from);
    parser->at += 3;
    return read_branches(parser, *from, start);
}

static bool read_chain(struct parser *parser, size_t from) {
    for (;;) {
        skip_blanks(parser);
        if (!read_link(parser, &from))
            return false;
        skip_blanks(parser);
        if (*parser->at == ')' && parser->depth)
            return true;
        if (!*parser->at)
            return true;
        if (*parser->at != '|')
            return wrong(parser, parser->at, "'|' or the end is expected here");
        if (parser->at[1] == '|' || parser->at[1] == '&')
            return wrong(parser, parser->at, "only '|' connects programs");
        parser->at++;
    }
}

bool target_pipeline_parse(const char *text, struct target_pipeline *pipeline,
                           struct base_error *error) {
    *pipeline = (struct target_pipeline){.text = base_strdup(text)};
    struct parser parser = {.text = text, .at = text, .pipeline = pipeline, .error = error};
    if (read_chain(&parser, TARGET_FIRST) &&
        (pipeline->stages.count || wrong(&parser, text, "a program is missing")))
        return true;
    target_pipeline_done(pipeline);
    return false;
}

void target_pipeline_done(struct target_pipeline *pipeline) {
    for (size_t i = 0; i < pipeline->stages.count; i++)
        stage_done(&pipeline->stages.data[i]);
    base_vector_done(&pipeline->stages);
    free(pipeline->file);
    free(pipeline->text);
    *pipeline = (struct target_pipeline){0};
}

/* ---- lines for xargs ---- */

/* Reads a line from its first non-blank character to its end. */
static bool read_line(const char *text, size_t size, size_t *at, struct base_buffer *line) {
    char quote = 0;
    for (; *at < size && (quote || text[*at] != '\n'); (*at)++) {
        char character = text[*at];
        if (quote && character == '\n')
            return false;
        if (character == quote)
            quote = 0;
        else if (!quote && (character == '\'' || character == '"'))
            quote = character;
        else if (!quote && character == '\\' && *at + 1 < size)
            base_buffer_add(line, &text[++*at], 1);
        else if (character)
            base_buffer_add(line, &character, 1);
    }
    return !quote;
}

bool target_next_line(const char *text, size_t size, size_t *at, struct base_buffer *line) {
    while (*at < size && strchr(" \t\n", text[*at]) && text[*at])
        (*at)++;
    base_buffer_add(line, "", 0);
    return *at < size && read_line(text, size, at, line);
}
