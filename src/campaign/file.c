/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of a campaign: one line per target, with the arguments of `slowpath run`.
 *
 *     # comment
 *     all: --tests 5 --strategy auto        options for the lines below
 *     json: json.c --size 256               a name, then the words
 *     ./words --stdin 64 -- -v              named after the target
 *         --dict "my words.dict"            an indented line continues the one before
 *
 * Words are as in a shell, with both kinds of quotes and backslashes, but without variables and
 * patterns. Paths are relative to the file's folder.
 */
#include "campaign/campaign.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *path;
    unsigned line;
    struct base_strings all; /* options for the lines below */
    struct base_error *error;
};

static bool refuse(const struct reader *reader, const char *what) {
    return base_fail(reader->error, BASE_USAGE, "%s:%u: %s", reader->path, reader->line, what);
}

/* ---- words ---- */

/* Reads one character, or the content of quotes. Returns the end; NULL: a quote is not closed. */
static const char *take_quoted(const char *at, struct base_buffer *word) {
    char quote = *at++;
    for (; *at != quote; at++) {
        if (*at == '\\' && quote == '"' && (at[1] == '"' || at[1] == '\\'))
            at++;
        if (!*at)
            return NULL;
        base_buffer_add(word, at, 1);
    }
    return at + 1;
}

static const char *take_word(const char *at, struct base_buffer *word) {
    while (at && *at && !isspace((unsigned char)*at)) {
        if (*at == '\'' || *at == '"') {
            at = take_quoted(at, word);
            continue;
        }
        if (*at == '\\' && at[1])
            at++;
        base_buffer_add(word, at++, 1);
    }
    return at;
}

static bool split(const struct reader *reader, const char *text, struct base_strings *words) {
    for (;;) {
        text += strspn(text, " \t\r");
        if (!*text || *text == '#')
            return true;
        struct base_buffer word = {0};
        base_buffer_add(&word, "", 0);
        text = take_word(text, &word);
        if (text)
            base_strings_add(words, word.data ? word.data : "");
        base_buffer_done(&word);
        if (!text)
            return refuse(reader, "a quote has no end");
    }
}

/* ---- names ---- */

static bool is_name(const char *name) {
    size_t length = strlen(name);
    return length && length < 60 && *name != '.' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               length;
}

static bool is_taken(const struct campaign *campaign, const char *name) {
    for (size_t i = 0; i < campaign->targets.count; i++)
        if (strcmp(campaign->targets.data[i].name, name) == 0)
            return true;
    return false;
}

/* Named after the target's file; a second one of that name gets a number. */
static char *make_name(const struct campaign *campaign, const char *target) {
    char *stem = base_strdup(base_basename(target));
    char *ending = strrchr(stem, '.');
    if (ending && ending > stem)
        *ending = 0;
    for (char *at = stem; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
            *at = '_';
    if (*stem == '.')
        *stem = '_';
    if (strlen(stem) > 40)
        stem[40] = 0;
    char *name = base_strdup(stem);
    for (unsigned number = 2; is_taken(campaign, name); number++) {
        free(name);
        name = base_format("%s-%u", stem, number);
    }
    free(stem);
    return name;
}

/* ---- lines ---- */

/* Removes "json:" at the start of the words: the caller frees it. */
static char *take_name(struct base_strings *words) {
    char *first = words->count ? words->data[0] : NULL;
    size_t length = first ? strlen(first) : 0;
    if (length < 2 || first[length - 1] != ':')
        return NULL;
    first[length - 1] = 0;
    words->count--;
    memmove(words->data, words->data + 1, words->count * sizeof *words->data);
    return first;
}

/* The words of the line, then those for all lines, but before "--": the target's own words follow
 * it. */
static void add_words(struct base_strings *to, const struct base_strings *all,
                      const struct base_strings *own) {
    for (size_t i = 0; i < all->count; i++)
        base_strings_add(to, all->data[i]);
    for (size_t i = 0; i < own->count; i++)
        base_strings_add(to, own->data[i]);
}

static bool add_target(struct reader *reader, struct campaign *campaign, char *name,
                       const struct base_strings *words) {
    if (name && !is_name(name))
        return refuse(reader, "the name of a target has letters, digits, '.', '-' and '_'");
    if (name && is_taken(campaign, name))
        return refuse(reader, "there is a target of this name above");
    if (!words->count || words->data[0][0] == '-')
        return refuse(reader,
                      "a target is wanted: NAME: TARGET... [OPTIONS], as for 'slowpath run'");
    struct campaign_target target = {.line = reader->line};
    target.name = name ? base_strdup(name) : make_name(campaign, words->data[0]);
    add_words(&target.words, &reader->all, words);
    base_push(&campaign->targets, target);
    return true;
}

static bool take_line(struct reader *reader, const char *text, struct campaign *campaign) {
    struct base_strings words = {0};
    bool good = split(reader, text, &words);
    char *name = good ? take_name(&words) : NULL;
    if (good && name && strcmp(name, "all") == 0) {
        base_strings_done(&reader->all);
        reader->all = words;
        words = (struct base_strings){0};
        good = !reader->all.count || reader->all.data[0][0] == '-' ||
               refuse(reader, "'all:' is for options, not for a target");
    } else if (good && (name || words.count))
        good = add_target(reader, campaign, name, &words);
    base_strings_done(&words);
    free(name);
    return good;
}

/* Reads the next line with its continuations. Returns the start of the line after them. */
static const char *join_lines(const char *at, struct base_buffer *joined, unsigned *lines) {
    joined->count = 0;
    do {
        size_t length = strcspn(at, "\n");
        const char *comment = strchr(at, '#');
        bool is_comment = comment && (size_t)(comment - at) == strspn(at, " \t");
        base_buffer_add(joined, is_comment ? "" : at, is_comment ? 0 : length);
        base_buffer_add(joined, " ", 1);
        at += length + (at[length] == '\n');
        ++*lines;
    } while ((*at == ' ' || *at == '\t') && joined->data[strspn(joined->data, " \t")]);
    return at;
}

bool campaign_parse(const char *path, const char *text, struct campaign *campaign,
                    struct base_error *error) {
    struct reader reader = {.path = path, .line = 1, .error = error};
    struct base_buffer line = {0};
    bool good = true;
    while (good && *text) {
        unsigned lines = 0;
        text = join_lines(text, &line, &lines);
        good = take_line(&reader, line.data, campaign);
        reader.line += lines;
    }
    base_buffer_done(&line);
    base_strings_done(&reader.all);
    if (good && !campaign->targets.count)
        good = base_fail(
            error, BASE_USAGE,
            "%s: it names no target; write a line for each: 'NAME: TARGET... [OPTIONS]'", path);
    return good;
}

bool campaign_read(const char *path, struct campaign *campaign, struct base_error *error) {
    char *text;
    size_t size;
    if (!base_read_file(path, &text, &size, error))
        return false;
    bool good = strlen(text) == size ? campaign_parse(path, text, campaign, error)
                                     : base_fail(error, BASE_USAGE, "%s: it is no text", path);
    free(text);
    return good;
}

void campaign_done(struct campaign *campaign) {
    for (size_t i = 0; i < campaign->targets.count; i++) {
        struct campaign_target *target = &campaign->targets.data[i];
        free(target->name);
        free(target->problem);
        base_strings_done(&target->words);
        json_decref(target->found);
        json_decref(target->costs);
    }
    base_vector_done(&campaign->targets);
}
