/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a text with holes become a list of parts and choices?
 *
 * The text is split at `{{` and `}}`. The kind of a hole is the first of these that matches its
 * whole content: a set of bytes, a range of numbers, alternatives between bars, or the name of an
 * earlier hole. A backslash escapes the next character. The parser keeps the position of each hole
 * for its messages.
 */
#include "target/template.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 65536u    /* of one hole */
#define MOST_VECTOR 1000000u /* bytes of all choices */
#define SHOWN 60             /* bytes of a line shown in a message, on either side of the place */

struct parser {
    const char *path, *text, *end, *at;
    struct target_template *form;
    struct base_error *error;
};

/* ---- messages ---- */

/* The line around PLACE, without characters that would disturb a terminal; returns the caret's
 * column in it. */
static size_t show_line(const struct parser *parser, const char *place, struct base_buffer *line) {
    const char *start = place, *end = place;
    while (start > parser->text && start[-1] != '\n' && place - start < SHOWN)
        start--;
    while (end < parser->end && *end != '\n' && end - place < SHOWN)
        end++;
    base_buffer_add(line, "", 0);
    for (const char *at = start; at < end; at++)
        base_buffer_add(line, (unsigned char)*at < ' ' ? " " : at, 1);
    return (size_t)(place - start);
}

static bool wrong(const struct parser *parser, const char *place, const char *what) {
    unsigned line = 1, column = 1;
    struct base_buffer shown = {0};
    for (const char *at = parser->text; at < place; at++) {
        column = *at == '\n' ? 1 : column + 1;
        line += *at == '\n';
    }
    size_t caret = show_line(parser, place, &shown);
    base_fail(parser->error, BASE_USAGE, "%s:%u:%u: %s\n    %s\n    %*s^", parser->path, line,
              column, what, shown.data, (int)caret, "");
    base_buffer_done(&shown);
    return false;
}

/* ---- characters ---- */

static int hex_digit(char digit) {
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    digit = (char)(digit | 0x20);
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* One character of a hole, or an escape. */
static const char *read_character(const char *at, const char *end, unsigned char *character) {
    *character = (unsigned char)*at++;
    if (*character != '\\' || at == end)
        return at;
    *character = (unsigned char)*at++;
    if (*character == 'n')
        *character = '\n';
    else if (*character == 't')
        *character = '\t';
    else if (*character == 'x' && end - at >= 2 && hex_digit(at[0]) >= 0 && hex_digit(at[1]) >= 0) {
        *character = (unsigned char)(hex_digit(at[0]) * 16 + hex_digit(at[1]));
        at += 2;
    }
    return at;
}

static struct target_word unescape(struct parser *parser, const char *at, const char *end) {
    char *bytes = base_arena_alloc(&parser->form->arena, (size_t)(end - at) + 1);
    size_t size = 0;
    while (at < end) {
        unsigned char character;
        at = read_character(at, end, &character);
        bytes[size++] = (char)character;
    }
    return (struct target_word){bytes, size};
}

/* ---- holes ---- */

static void add_choice(struct target_template *form, uint64_t count, uint64_t initial) {
    uint32_t width = count <= 1u << 8 ? 1 : count <= 1u << 16 ? 2 : 4;
    base_push(&form->choices, (struct target_choice){form->bytes, width, count, initial});
    form->bytes += width;
}

struct inside { /* the content of the braces, without the name */
    const char *start, *end;
    struct target_hole *hole;
};

static bool add_range(struct parser *parser, const char *place, unsigned first, unsigned last,
                      uint8_t *set, unsigned *count) {
    if (first > last)
        return wrong(parser, place, "the range of bytes runs backwards");
    for (unsigned byte = first; byte <= last; byte++) {
        if (memchr(set, (int)byte, *count))
            return wrong(parser, place, "a byte is in the set twice");
        set[(*count)++] = (uint8_t)byte;
    }
    return true;
}

static bool read_set(struct parser *parser, const char *at, const char *end, uint8_t *set,
                     unsigned *count) {
    while (at < end) {
        const char *place = at;
        unsigned char first, last;
        at = read_character(at, end, &first);
        last = first;
        if (end - at >= 2 && *at == '-')
            at = read_character(at + 1, end, &last);
        if (!add_range(parser, place, first, last, set, count))
            return false;
    }
    return *count > 0 || wrong(parser, end, "the set of bytes is empty");
}

/* The position behind the `]` that closes a set, or NULL. */
static const char *skip_set(const char *at, const char *end) {
    for (at++; at < end && *at != ']'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : NULL;
}

/* The text behind `=` gives the initial values of the choices, from the first one on. */
static bool read_initial(struct parser *parser, const struct inside *inside, const char *at,
                         unsigned count) {
    struct target_template *form = parser->form;
    struct target_word text = unescape(parser, at, inside->end);
    if (text.size != inside->hole->count)
        return wrong(parser, at, "the default has another length than the hole");
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t *found = memchr(inside->hole->set, (unsigned char)text.bytes[i], count);
        if (!found)
            return wrong(parser, at, "a byte of the default is not in the set");
        form->choices.data[inside->hole->first + i].initial = (uint64_t)(found - inside->hole->set);
    }
    return true;
}

enum fit { FITS, FITS_NOT, IS_WRONG };

/* [set], N*[set], each with an optional =default */
static enum fit read_bytes(struct parser *parser, struct inside *inside) {
    const char *at = inside->start, *behind;
    unsigned long repeat = 1;
    unsigned count = 0;
    char *star;
    if (at < inside->end && isdigit((unsigned char)*at)) {
        repeat = strtoul(at, &star, 10);
        if (*star != '*')
            return FITS_NOT;
        at = star + 1;
    }
    if (at >= inside->end || *at != '[' || !(behind = skip_set(at, inside->end)) ||
        (behind < inside->end && *behind != '='))
        return FITS_NOT;
    if (!repeat || repeat > MOST_BYTES) {
        wrong(parser, inside->start, "a hole has 1 to 65536 bytes");
        return IS_WRONG;
    }
    inside->hole->kind = TARGET_BYTES;
    if (!read_set(parser, at + 1, behind - 1, inside->hole->set, &count))
        return IS_WRONG;
    inside->hole->count = (uint32_t)repeat;
    for (unsigned long i = 0; i < repeat; i++)
        add_choice(parser->form, count, 0);
    return behind == inside->end || read_initial(parser, inside, behind + 1, count) ? FITS
                                                                                    : IS_WRONG;
}

static bool read_number(const char **at, const char *end, int64_t *value) {
    char *behind;
    const char *digit = *at < end && **at == '-' ? *at + 1 : *at;
    if (digit >= end || !isdigit((unsigned char)*digit))
        return false;
    errno = 0;
    *value = strtoll(*at, &behind, 10);
    *at = behind;
    return !errno && behind <= end;
}

/* LOW..HIGH, LOW..HIGH=DEFAULT */
static enum fit read_decimal(struct parser *parser, struct inside *inside) {
    const char *at = inside->start;
    int64_t low, high, initial;
    if (!read_number(&at, inside->end, &low) || inside->end - at < 3 || at[0] != '.' ||
        at[1] != '.')
        return FITS_NOT;
    at += 2;
    if (!read_number(&at, inside->end, &high))
        return FITS_NOT;
    initial = low;
    if (at < inside->end && *at == '=') {
        at++;
        if (!read_number(&at, inside->end, &initial))
            return FITS_NOT;
    }
    if (at != inside->end)
        return FITS_NOT;
    const char *problem = low > high                        ? "the range runs backwards"
                          : initial < low || initial > high ? "the default is not in the range"
                          : (uint64_t)high - (uint64_t)low > UINT32_MAX - 1u
                              ? "the range has more than 4294967295 numbers"
                              : NULL;
    if (problem) {
        wrong(parser, inside->start, problem);
        return IS_WRONG;
    }
    inside->hole->kind = TARGET_DECIMAL;
    inside->hole->low = low;
    inside->hole->count = 1;
    add_choice(parser->form, (uint64_t)high - (uint64_t)low + 1, (uint64_t)initial - (uint64_t)low);
    return FITS;
}

static const char *find_bar(const char *at, const char *end) {
    for (; at < end && *at != '|'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at : end;
}

static enum fit read_words(struct parser *parser, struct inside *inside) {
    if (find_bar(inside->start, inside->end) == inside->end)
        return FITS_NOT;
    inside->hole->kind = TARGET_WORDS;
    for (const char *at = inside->start;; at++) {
        const char *bar = find_bar(at, inside->end);
        base_push(&inside->hole->words, unescape(parser, at, bar));
        at = bar;
        if (bar == inside->end)
            break;
    }
    inside->hole->count = 1;
    add_choice(parser->form, inside->hole->words.count, 0);
    return FITS;
}

/* ---- names ---- */

static const char *skip_name(const char *at, const char *end) {
    if (at < end && isdigit((unsigned char)*at))
        return at;
    while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
        at++;
    return at;
}

static bool find_hole(const struct target_template *form, const char *name, size_t size,
                      uint32_t *hole) {
    for (uint32_t i = 0; i < form->holes.count; i++)
        if (strlen(form->holes.data[i].name) == size &&
            memcmp(form->holes.data[i].name, name, size) == 0) {
            *hole = i;
            return true;
        }
    return false;
}

static bool mention(struct parser *parser, const char *start, const char *end) {
    uint32_t hole;
    if (start == end)
        return wrong(parser, start, "the hole is empty");
    if (skip_name(start, end) != end)
        return wrong(parser, start,
                     "a hole has alternatives {{a|b}}, bytes {{4*[a-z]}}, numbers {{1..9}} or the "
                     "name of an earlier one");
    if (!find_hole(parser->form, start, (size_t)(end - start), &hole))
        return wrong(parser, start, "no hole before this one has that name");
    base_push(&parser->form->parts, (struct target_part){.is_hole = true, .hole = hole});
    return true;
}

/* `name:` at the start; blanks after it are skipped. */
static bool read_name(struct parser *parser, struct inside *inside) {
    struct target_template *form = parser->form;
    const char *behind = skip_name(inside->start, inside->end);
    uint32_t other;
    inside->hole->name = base_arena_format(&form->arena, "hole%zu", form->holes.count + 1);
    if (behind == inside->start || behind == inside->end || *behind != ':')
        return true;
    size_t size = (size_t)(behind - inside->start);
    if (find_hole(form, inside->start, size, &other))
        return wrong(parser, inside->start, "another hole has that name already");
    inside->hole->name = base_arena_format(&form->arena, "%.*s", (int)size, inside->start);
    inside->start = behind + 1;
    while (inside->start < inside->end && *inside->start == ' ')
        inside->start++;
    return true;
}

/* ---- the text ---- */

static const char *find_close(const char *at, const char *end) {
    for (; end - at >= 2; at++) {
        if (*at == '\\')
            at++;
        else if (at[0] == '}' && at[1] == '}')
            return at;
    }
    return NULL;
}

static bool read_hole(struct parser *parser, const char *start, const char *end) {
    static enum fit (*const kinds[])(struct parser *, struct inside *) = {read_bytes, read_decimal,
                                                                          read_words};
    struct target_template *form = parser->form;
    struct target_hole hole = {.first = (uint32_t)form->choices.count};
    struct inside inside = {start, end, &hole};
    enum fit fit = read_name(parser, &inside) ? FITS_NOT : IS_WRONG;
    for (size_t i = 0; fit == FITS_NOT && i < BASE_COUNT(kinds); i++)
        fit = kinds[i](parser, &inside);
    if (fit != FITS) {
        base_vector_done(&hole.words);
        return fit == FITS_NOT && mention(parser, inside.start, end);
    }
    base_push(&form->parts,
              (struct target_part){.is_hole = true, .hole = (uint32_t)form->holes.count});
    base_push(&form->holes, hole);
    return form->bytes <= MOST_VECTOR || wrong(parser, start, "the holes have too many choices");
}

static void add_text(struct parser *parser, const char *start, const char *end) {
    struct target_part part = {
        .text = {base_arena_alloc(&parser->form->arena, (size_t)(end - start) + 1),
                 (size_t)(end - start)}};
    if (start == end)
        return;
    memcpy((char *)part.text.bytes, start, part.text.size);
    base_push(&parser->form->parts, part);
}

static bool starts_hole(const struct parser *parser, const char *at) {
    return parser->end - at >= 2 && at[0] == '{' && at[1] == '{';
}

static bool parse(struct parser *parser) {
    const char *start = parser->at;
    while (parser->at < parser->end) {
        bool is_plain = *parser->at == '\\' && starts_hole(parser, parser->at + 1);
        if (!is_plain && !starts_hole(parser, parser->at)) {
            parser->at++;
            continue;
        }
        add_text(parser, start, parser->at);
        start = parser->at + 1; /* literal braces, without the backslash */
        parser->at += is_plain ? 3 : 2;
        if (is_plain)
            continue;
        const char *close = find_close(parser->at, parser->end);
        if (!close)
            return wrong(parser, start - 1, "the hole is not closed: }} is missing");
        if (!read_hole(parser, parser->at, close))
            return false;
        start = parser->at = close + 2;
    }
    add_text(parser, start, parser->end);
    return parser->form->holes.count > 0 ||
           base_fail(parser->error, BASE_USAGE,
                     "%s: the template has no hole: write {{one|another}} where the text may vary",
                     parser->path);
}

bool target_template_parse(const char *path, const char *text, size_t size,
                           struct target_template *form, struct base_error *error) {
    *form = (struct target_template){0};
    struct parser parser = {path, text, text + size, text, form, error};
    if (parse(&parser))
        return true;
    target_template_done(form);
    return false;
}

void target_template_done(struct target_template *form) {
    for (size_t i = 0; i < form->holes.count; i++)
        base_vector_done(&form->holes.data[i].words);
    base_vector_done(&form->holes);
    base_vector_done(&form->parts);
    base_vector_done(&form->choices);
    base_arena_done(&form->arena);
    *form = (struct target_template){0};
}

/* ---- vectors ---- */

void target_template_default(const struct target_template *form, uint8_t *vector) {
    for (size_t i = 0; i < form->choices.count; i++) {
        const struct target_choice *choice = &form->choices.data[i];
        memcpy(vector + choice->offset, &choice->initial, choice->width);
    }
}

double target_template_fillings(const struct target_template *form) {
    double fillings = 1;
    for (size_t i = 0; i < form->choices.count; i++)
        fillings *= (double)form->choices.data[i].count;
    return fillings;
}

uint64_t target_template_get(const struct target_choice *choice, const uint8_t *vector) {
    uint64_t value = 0;
    memcpy(&value, vector + choice->offset, choice->width);
    return value < choice->count ? value : choice->count - 1;
}

void target_template_render_hole(const struct target_template *form, uint32_t number,
                                 const uint8_t *vector, struct base_buffer *out) {
    const struct target_hole *hole = &form->holes.data[number];
    for (uint32_t i = hole->first; i < hole->first + hole->count; i++) {
        uint64_t value = target_template_get(&form->choices.data[i], vector);
        if (hole->kind == TARGET_BYTES)
            base_buffer_add(out, &hole->set[value], 1);
        else if (hole->kind == TARGET_DECIMAL)
            base_buffer_print(out, "%lld", (long long)((uint64_t)hole->low + value));
        else
            base_buffer_add(out, hole->words.data[value].bytes, hole->words.data[value].size);
    }
}

void target_template_render(const struct target_template *form, const uint8_t *vector,
                            struct base_buffer *out) {
    for (size_t i = 0; i < form->parts.count; i++) {
        const struct target_part *part = &form->parts.data[i];
        if (part->is_hole)
            target_template_render_hole(form, part->hole, vector, out);
        else
            base_buffer_add(out, part->text.bytes, part->text.size);
    }
}
