/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the text of --entry mean? A recursive-descent parser, one function per construct:
 *
 *     entry  = name [ "(" [ item { "," item } ] ")" ]
 *     item   = name "[" sum "]" | name | "&" name | string | list | number | "NULL"
 *     list   = "{" [ value { "," value } ] "}"        value = number | string | list
 *     sum    = term { ("+" | "-") term }              term = atom { ("*" | "/") atom }
 *     atom   = integer | name | "(" sum ")"
 *
 * Names in a sum are sizes, so whether a bare name is a size or a scalar is known only at the end.
 * Nothing here knows the function: that is left to entry_fit.c.
 */
#include "target/entry.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 100

struct parser {
    struct target_entry *entry;
    struct base_error *error;
    const char *text, *at;
    int depth;
    BASE_VECTOR(struct target_step) steps; /* of the current sum */
};

static bool parse_sum(struct parser *parser);
static bool parse_list(struct parser *parser, struct target_item *item);

/* ---- errors ---- */

#define SHOWN 100 /* bytes of text shown before and after the error */

static void show_fault(const struct parser *parser, const char *at, struct base_buffer *out) {
    const char *from = at - parser->text > SHOWN ? at - SHOWN : parser->text;
    size_t length = strnlen(from, (size_t)2 * SHOWN);
    int column = 0;
    for (size_t i = 0; i < length; i++) {
        base_buffer_print(out, "%c", (unsigned char)from[i] < ' ' ? ' ' : from[i]);
        column += from + i < at && ((unsigned char)from[i] & 0xc0) != 0x80;
    }
    base_buffer_print(out, "\n  %*s^", column, "");
}

static bool syntax_error(struct parser *parser, const char *at, const char *problem) {
    struct base_buffer fault = {0};
    show_fault(parser, at, &fault);
    base_fail(parser->error, BASE_USAGE, "bad entry: %s\n  %s", problem, fault.data);
    base_buffer_done(&fault);
    return false;
}

/* ---- characters and names ---- */

static char peek(struct parser *parser) {
    while (isspace((unsigned char)*parser->at))
        parser->at++;
    return *parser->at;
}

static bool accept(struct parser *parser, char character) {
    if (peek(parser) != character)
        return false;
    parser->at++;
    return true;
}

static bool expect(struct parser *parser, char character, const char *problem) {
    return accept(parser, character) || syntax_error(parser, parser->at, problem);
}

static bool starts_name(char character) {
    return isalpha((unsigned char)character) || character == '_' || character == '$';
}

static size_t name_length(const char *text) {
    size_t length = 0;
    if (starts_name(*text))
        while (starts_name(text[length]) || isdigit((unsigned char)text[length]))
            length++;
    return length;
}

static char *copy_slice(struct parser *parser, const char *from, const char *to) {
    char *copy = base_arena_alloc(&parser->entry->arena, (size_t)(to - from) + 1);
    memcpy(copy, from, (size_t)(to - from));
    return copy;
}

static const char *parse_name(struct parser *parser, const char *problem) {
    peek(parser);
    size_t length = name_length(parser->at);
    if (!length) {
        syntax_error(parser, parser->at, problem);
        return NULL;
    }
    parser->at += length;
    return copy_slice(parser, parser->at - length, parser->at);
}

/* ---- numbers ---- */

static int digit_value(char character) {
    if (isdigit((unsigned char)character))
        return character - '0';
    if (isxdigit((unsigned char)character))
        return tolower((unsigned char)character) - 'a' + 10;
    return 99;
}

/* Reads digits as C does (0x, 0b, 0); false if there are none or the value exceeds 64 bits. */
static bool read_digits(const char **at, uint64_t *value) {
    int base = 10;
    if ((*at)[0] == '0' && tolower((unsigned char)(*at)[1]) == 'x')
        base = 16;
    else if ((*at)[0] == '0' && tolower((unsigned char)(*at)[1]) == 'b')
        base = 2;
    else if ((*at)[0] == '0')
        base = 8;
    *at += base == 16 || base == 2 ? 2 : 0;
    const char *first = *at;
    for (*value = 0; digit_value(**at) < base; (*at)++)
        if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit_value(**at), value))
            return false;
    return *at > first;
}

static bool is_real(const char *digits) {
    if (digits[0] == '0' && tolower((unsigned char)digits[1]) == 'x')
        return false;
    size_t length = strspn(digits, "0123456789");
    return digits[length] == '.' || tolower((unsigned char)digits[length]) == 'e';
}

static bool parse_number(struct parser *parser, struct target_item *item) {
    const char *start = parser->at;
    item->kind = TARGET_NUMBER;
    item->is_negative = *parser->at == '-';
    parser->at += *parser->at == '-' || *parser->at == '+';
    item->is_real = is_real(parser->at);
    char *end = NULL;
    if (item->is_real) {
        strtod(parser->at, &end);
        bool some = end > parser->at;
        parser->at = end + (some && *end && strchr("fFlL", *end) ? 1 : 0);
        if (!some)
            return syntax_error(parser, start, "expected a number");
    } else {
        if (!read_digits(&parser->at, &item->magnitude))
            return syntax_error(parser, start, "this is no number of up to 64 bits");
        parser->at += strspn(parser->at, "uUlL");
    }
    if (name_length(parser->at) || isdigit((unsigned char)*parser->at) || *parser->at == '.')
        return syntax_error(parser, parser->at, "this does not belong to a number");
    return true;
}

/* ---- strings and characters ---- */

static bool read_escape(struct parser *parser, char *value) {
    static const char letters[] = "abfnrtv\\'\"?e", meanings[] = "\a\b\f\n\r\t\v\\'\"?\033";
    const char *start = parser->at - 1, *letter;
    unsigned number = 0;
    if (*parser->at && (letter = strchr(letters, *parser->at))) {
        *value = meanings[letter - letters];
        parser->at++;
        return true;
    }
    bool hex = *parser->at == 'x';
    parser->at += hex;
    const char *first = parser->at;
    while (digit_value(*parser->at) < (hex ? 16 : 8) && (hex || parser->at - first < 3) &&
           number <= 255)
        number = number * (hex ? 16 : 8) + (unsigned)digit_value(*parser->at++);
    *value = (char)number;
    if (parser->at == first || number > 255)
        return syntax_error(parser, start, "this escape is not known in C");
    return true;
}

/* Reads up to the closing QUOTE; the opening one was read already. */
static bool read_quoted(struct parser *parser, char quote, struct base_buffer *bytes) {
    const char *start = parser->at - 1;
    base_buffer_add(bytes, "", 0);
    while (*parser->at != quote) {
        char character = *parser->at;
        if (!character)
            return syntax_error(parser, start, "this quote is never closed");
        if ((unsigned char)character < ' ')
            return syntax_error(parser, parser->at, "write this character as an escape, as in C");
        parser->at++;
        if (character == '\\' && !read_escape(parser, &character))
            return false;
        base_buffer_add(bytes, &character, 1);
    }
    parser->at++;
    return true;
}

static bool parse_string(struct parser *parser, struct target_item *item) {
    struct base_buffer bytes = {0};
    item->kind = TARGET_STRING;
    bool good = read_quoted(parser, '"', &bytes);
    if (good) {
        item->bytes = copy_slice(parser, bytes.data, bytes.data + bytes.count);
        item->byte_count = bytes.count;
    }
    base_buffer_done(&bytes);
    return good;
}

static bool parse_character(struct parser *parser, struct target_item *item) {
    struct base_buffer bytes = {0};
    const char *start = parser->at - 1;
    item->kind = TARGET_NUMBER;
    bool good = read_quoted(parser, '\'', &bytes);
    if (good && bytes.count != 1)
        good = syntax_error(parser, start, "expected one character between the quotes");
    if (good) {
        int value = (unsigned char)bytes.data[0];
        value -= value > 127 ? 256 : 0; /* plain char is signed here */
        item->is_negative = value < 0;
        item->magnitude = (uint64_t)abs(value);
    }
    base_buffer_done(&bytes);
    return good;
}

/* ---- lists ---- */

static bool starts_number(const char *at) {
    at += *at == '-' || *at == '+';
    return isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]));
}

static bool parse_value(struct parser *parser, struct target_item *list) {
    struct target_item value = {0};
    char next = peek(parser);
    if (accept(parser, '"')) {
        list->has_strings = true;
        return parse_string(parser, &value);
    }
    if (accept(parser, '{')) {
        list->has_braces = true;
        return parse_list(parser, &value);
    }
    list->has_numbers = true;
    if (accept(parser, '\''))
        return parse_character(parser, &value);
    if (starts_number(parser->at))
        return parse_number(parser, &value);
    return syntax_error(parser, parser->at,
                        next ? "expected a number, a string or {..}" : "this list is never closed");
}

static bool parse_list(struct parser *parser, struct target_item *item) {
    item->kind = TARGET_LIST;
    if (++parser->depth > MAX_DEPTH)
        return syntax_error(parser, parser->at, "this is nested too deeply");
    if (!accept(parser, '}')) {
        do
            if (!parse_value(parser, item))
                return false;
        while (accept(parser, ','));
        if (!expect(parser, '}', "expected ',' or '}'"))
            return false;
    }
    parser->depth--;
    return true;
}

/* ---- sums over sizes ---- */

static uint32_t find_size(const struct target_entry *entry, const char *name) {
    uint32_t i = 0;
    while (i < entry->sizes.count && strcmp(entry->sizes.data[i].name, name) != 0)
        i++;
    return i;
}

static uint32_t add_size(struct target_entry *entry, const char *name, int64_t otherwise) {
    uint32_t found = find_size(entry, name);
    if (found == entry->sizes.count)
        base_push(&entry->sizes, (struct target_size){name, otherwise});
    return found;
}

static bool parse_integer(struct parser *parser) {
    uint64_t value;
    const char *start = parser->at;
    if (!read_digits(&parser->at, &value) || value > INT64_MAX || name_length(parser->at) ||
        isdigit((unsigned char)*parser->at))
        return syntax_error(parser, start, "this is no integer of up to 63 bits");
    base_push(&parser->steps, (struct target_step){'#', (int64_t)value});
    return true;
}

static bool parse_atom(struct parser *parser) {
    char next = peek(parser);
    if (isdigit((unsigned char)next))
        return parse_integer(parser);
    if (accept(parser, '(')) {
        if (++parser->depth > MAX_DEPTH)
            return syntax_error(parser, parser->at, "this is nested too deeply");
        bool good = parse_sum(parser) && expect(parser, ')', "expected ')'");
        parser->depth--;
        return good;
    }
    const char *name = parse_name(parser, "expected a size: a name, an integer or (..)");
    if (name)
        base_push(&parser->steps, (struct target_step){'n', add_size(parser->entry, name, 0)});
    return name != NULL;
}

static bool parse_term(struct parser *parser) {
    if (!parse_atom(parser))
        return false;
    for (char next; (next = peek(parser)) == '*' || next == '/';) {
        parser->at++;
        if (!parse_atom(parser))
            return false;
        base_push(&parser->steps, (struct target_step){next, 0});
    }
    return true;
}

static bool parse_sum(struct parser *parser) {
    if (!parse_term(parser))
        return false;
    for (char next; (next = peek(parser)) == '+' || next == '-';) {
        parser->at++;
        if (!parse_term(parser))
            return false;
        base_push(&parser->steps, (struct target_step){next, 0});
    }
    return true;
}

/* ---- items ---- */

static bool parse_dimension(struct parser *parser, struct target_dimension *dimension) {
    parser->steps.count = 0;
    if (!parse_sum(parser) || !expect(parser, ']', "expected ']'"))
        return false;
    size_t bytes = parser->steps.count * sizeof *dimension->steps;
    dimension->count = (uint32_t)parser->steps.count;
    dimension->steps = base_arena_alloc(&parser->entry->arena, bytes);
    memcpy(dimension->steps, parser->steps.data, bytes);
    return true;
}

static bool parse_array(struct parser *parser, struct target_item *item) {
    item->kind = TARGET_ARRAY;
    do {
        if (item->dimension_count == TARGET_DIMENSIONS)
            return syntax_error(parser, parser->at, "too many dimensions");
        if (!parse_dimension(parser, &item->dimensions[item->dimension_count++]))
            return false;
    } while (accept(parser, '['));
    return true;
}

static bool parse_named(struct parser *parser, struct target_item *item) {
    item->name = parse_name(parser, "expected a parameter: name, name[n], &name, \"text\", {1, 2}, "
                                    "a number or NULL");
    if (!item->name)
        return false;
    if (accept(parser, '['))
        return parse_array(parser, item);
    item->kind = strcmp(item->name, "NULL") == 0 ? TARGET_NULL : TARGET_SCALAR;
    if (item->kind == TARGET_NULL)
        item->name = "";
    return true;
}

static bool parse_item_body(struct parser *parser, struct target_item *item) {
    peek(parser);
    if (starts_number(parser->at))
        return parse_number(parser, item);
    if (accept(parser, '"'))
        return parse_string(parser, item);
    if (accept(parser, '\''))
        return parse_character(parser, item);
    if (accept(parser, '{'))
        return parse_list(parser, item);
    if (accept(parser, '&')) {
        item->kind = TARGET_SHAPE;
        item->name = parse_name(parser, "expected a name after '&'");
        return item->name != NULL;
    }
    return parse_named(parser, item);
}

/* Each parameter has its own name; only a size may be passed more than once. */
static bool check_name(struct parser *parser, const struct target_item *item, const char *start) {
    for (size_t i = 0; i < parser->entry->items.count; i++) {
        const struct target_item *other = &parser->entry->items.data[i];
        bool both_bare = item->kind == TARGET_SCALAR && other->kind == TARGET_SCALAR;
        if (*item->name && strcmp(item->name, other->name) == 0 && !both_bare)
            return syntax_error(parser, start, "this name is already another parameter");
    }
    return true;
}

static bool parse_item(struct parser *parser) {
    struct target_item item = {.name = ""};
    peek(parser);
    const char *start = parser->at;
    if (!parse_item_body(parser, &item) || !check_name(parser, &item, start))
        return false;
    item.text = copy_slice(parser, start, parser->at);
    base_push(&parser->entry->items, item);
    return true;
}

static bool parse_items(struct parser *parser) {
    if (accept(parser, ')'))
        return true;
    do
        if (!parse_item(parser))
            return false;
    while (accept(parser, ','));
    return expect(parser, ')', "expected ',' or ')'");
}

/* ---- the whole ---- */

#define OBJECTS 3 /* default number of objects of a heap shape */

/* All sizes are known now: finds the bare names that are sizes, and names used in two ways. */
static bool resolve_names(struct parser *parser) {
    struct target_entry *entry = parser->entry;
    size_t count = entry->sizes.count; /* without those of shapes */
    for (size_t i = 0; i < entry->items.count; i++) {
        struct target_item *item = &entry->items.data[i];
        uint32_t size = find_size(entry, item->name);
        bool is_size = *item->name && size < count;
        if (is_size && item->kind != TARGET_SCALAR)
            return base_fail(parser->error, BASE_USAGE,
                             "bad entry: '%s' is both a size and a parameter of its own in '%s'",
                             item->name, entry->text);
        if (is_size) {
            item->kind = TARGET_SIZE;
            item->size = size;
        } else if (item->kind == TARGET_SHAPE) {
            item->size = add_size(entry, item->name, OBJECTS);
        }
    }
    return true;
}

static bool check_twice(struct parser *parser) {
    const struct target_entry *entry = parser->entry;
    for (size_t i = 0; i < entry->items.count; i++)
        for (size_t j = 0; j < i; j++)
            if (entry->items.data[i].kind == TARGET_SCALAR &&
                strcmp(entry->items.data[i].name, entry->items.data[j].name) == 0)
                return base_fail(parser->error, BASE_USAGE,
                                 "bad entry: two parameters are named '%s' in '%s'",
                                 entry->items.data[i].name, entry->text);
    return true;
}

static bool parse_entry(struct parser *parser) {
    struct target_entry *entry = parser->entry;
    entry->function = parse_name(parser, "expected the name of a function");
    if (!entry->function)
        return false;
    if (*parser->at == '.') { /* isort.1: the linker's name for a second static isort */
        const char *start = parser->at - strlen(entry->function);
        parser->at += 1 + strspn(parser->at + 1, "0123456789");
        entry->function = copy_slice(parser, start, parser->at);
    }
    entry->by_name = !accept(parser, '(');
    if (!entry->by_name && !parse_items(parser))
        return false;
    if (peek(parser))
        return syntax_error(parser, parser->at,
                            entry->by_name ? "expected '('" : "nothing may follow the last ')'");
    return resolve_names(parser) && check_twice(parser);
}

/* The text for messages: on one line, shortened. */
static const char *one_line(struct target_entry *entry, const char *text) {
    char *line = base_arena_strdup(&entry->arena, text);
    for (char *at = line; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
    if (strlen(line) > 2 * SHOWN + 3)
        strcpy(line + (size_t)2 * SHOWN, "...");
    return line;
}

bool target_entry_parse(const char *text, struct target_entry *entry, struct base_error *error) {
    *entry = (struct target_entry){0};
    struct parser parser = {.entry = entry, .error = error, .text = text, .at = text};
    entry->text = one_line(entry, text);
    bool good = parse_entry(&parser);
    base_vector_done(&parser.steps);
    if (!good)
        target_entry_done(entry);
    return good;
}

void target_entry_done(struct target_entry *entry) {
    target_heap_done(&entry->heap);
    base_vector_done(&entry->items);
    base_vector_done(&entry->sizes);
    base_arena_done(&entry->arena);
    *entry = (struct target_entry){0};
}
