/* SPDX-License-Identifier: Apache-2.0
 *
 * How is an input of any size made from a few short pieces?
 *
 * What makes parsers slow is nearly always something short that repeats: an opener that is never
 * closed, openers and closers, units that a number makes distinct, rows of rows. Two alternating
 * units are one unit, joined. A pattern's size can be computed without writing it, and everything
 * here depends only on the pattern and k, so that a recipe gives the same bytes forever.
 */
#include "target/pattern.h"

#include <stdlib.h>
#include <string.h>

#define MOST_EVEN 1e15 /* more bytes than anybody writes */

static const char *const kind_names[] = {
#define KIND(id, name, text) name,
    TARGET_PATTERN_KINDS(KIND)
#undef KIND
};

struct target_pattern target_pattern_empty(enum target_pattern_kind kind) {
    struct target_pattern pattern = {.kind = (uint8_t)kind, .copies = 1};
#define PIECE(id) pattern.id.hole = TARGET_NO_HOLE;
    TARGET_PATTERN_PIECES(PIECE)
#undef PIECE
    return pattern;
}

const char *target_pattern_kind_name(const struct target_pattern *pattern) {
    return kind_names[pattern->kind];
}

bool target_pattern_has_other(const struct target_pattern *pattern) {
    return pattern->kind != TARGET_PATTERN_REPEAT;
}

/* ---- sizes ---- */

/* Repetitions of the other piece; in a grid, per row. */
static uint64_t other_count(const struct target_pattern *pattern, uint64_t k) {
    if (pattern->kind != TARGET_PATTERN_BLOCKS)
        return pattern->kind == TARGET_PATTERN_REPEAT ? 0 : k;
    uint64_t unit = pattern->unit.size ? pattern->unit.size : 1;
    uint64_t other = pattern->other.size ? pattern->other.size : 1;
    uint64_t count = k * unit / other;
    return k && !count ? 1 : count;
}

/* The total number of digits of the numbers 0 to COUNT - 1. */
static uint64_t digits_below(uint64_t count) {
    uint64_t sum = count; /* one for each number */
    for (uint64_t power = 10; power < count; power *= 10)
        sum += count - power;
    return sum;
}

/* The size of COUNT repetitions; `evenly`: as if every number had one digit. */
typedef uint64_t run_size(const struct target_piece *piece, uint64_t count);

static uint64_t written(const struct target_piece *piece, uint64_t count) {
    uint64_t numbers = piece->hole == TARGET_NO_HOLE ? 0 : digits_below(count);
    return piece->size * count + numbers;
}

static uint64_t evenly(const struct target_piece *piece, uint64_t count) {
    return (piece->size + (piece->hole != TARGET_NO_HOLE)) * count;
}

static uint64_t size_by(const struct target_pattern *pattern, uint64_t k, run_size *by) {
    uint64_t others = by(&pattern->other, other_count(pattern, k));
    if (pattern->kind == TARGET_PATTERN_GRID)
        others *= k;
    uint64_t size = pattern->prefix.size + by(&pattern->unit, k) + others + pattern->suffix.size;
    if (pattern->kind != TARGET_PATTERN_GRID)
        size += pattern->middle.size;
    return size * pattern->copies;
}

static uint64_t fit_by(const struct target_pattern *pattern, uint64_t size, run_size *by) {
    if (!pattern->unit.size && !(pattern->other.size && target_pattern_has_other(pattern)))
        return 0; /* does not grow */
    uint64_t low = 0, high = 1;
    while (size_by(pattern, high, by) <= size) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        uint64_t k = low + (high - low) / 2;
        if (size_by(pattern, k, by) <= size)
            low = k;
        else
            high = k;
    }
    return low;
}

uint64_t target_pattern_size(const struct target_pattern *pattern, uint64_t k) {
    return size_by(pattern, k, written);
}

uint64_t target_pattern_fit(const struct target_pattern *pattern, uint64_t size) {
    return fit_by(pattern, size, written);
}

static bool has_numbers(const struct target_pattern *pattern) {
    return pattern->unit.hole != TARGET_NO_HOLE ||
           (target_pattern_has_other(pattern) && pattern->other.hole != TARGET_NO_HOLE);
}

double target_pattern_even(const struct target_pattern *pattern, double size) {
    if (!has_numbers(pattern) || !(size < MOST_EVEN))
        return size;
    uint64_t k = target_pattern_fit(pattern, (uint64_t)size);
    return k ? (double)size_by(pattern, k, evenly) : size;
}

double target_pattern_uneven(const struct target_pattern *pattern, double even) {
    if (!has_numbers(pattern) || !(even < MOST_EVEN))
        return even;
    uint64_t k = fit_by(pattern, (uint64_t)even, evenly);
    return k ? (double)target_pattern_size(pattern, k) : even;
}

/* ---- writing ---- */

static void write_number(const struct target_pattern *pattern, uint64_t number,
                         struct base_buffer *out) {
    char digits[24], zero = pattern->letters ? 'a' : '0';
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)(zero + number % 10);
        number /= 10;
    } while (number);
    base_buffer_add(out, digits + first, sizeof digits - first);
}

static void write_piece(const struct target_pattern *pattern, const struct target_piece *piece,
                        uint64_t number, struct base_buffer *out) {
    size_t before = piece->hole == TARGET_NO_HOLE ? piece->size : piece->hole;
    base_buffer_add(out, piece->bytes, before);
    if (piece->hole != TARGET_NO_HOLE)
        write_number(pattern, number, out);
    base_buffer_add(out, piece->bytes + before, piece->size - before);
}

/* Writes COUNT copies of the same bytes by doubling what is already there. */
static void write_copies(const struct target_piece *piece, uint64_t count,
                         struct base_buffer *out) {
    size_t total = (size_t)count * piece->size, first = out->count;
    base_buffer_reserve(out, total);
    uint8_t *to = (uint8_t *)out->data + first;
    for (size_t done = 0, more; done < total; done += more) {
        more = done ? done : piece->size;
        more = more < total - done ? more : total - done;
        memcpy(to + done, done ? to : piece->bytes, more);
    }
    out->count += total;
    out->data[out->count] = 0;
}

static void write_run(const struct target_pattern *pattern, const struct target_piece *piece,
                      uint64_t count, struct base_buffer *out) {
    if (piece->hole == TARGET_NO_HOLE && count)
        write_copies(piece, count, out);
    else
        for (uint64_t i = 0; i < count; i++)
            write_piece(pattern, piece, i, out);
}

static void write_once(const struct target_pattern *pattern, uint64_t k, uint64_t others,
                       struct base_buffer *out) {
    write_piece(pattern, &pattern->prefix, 0, out);
    if (pattern->kind == TARGET_PATTERN_GRID)
        for (uint64_t row = 0; row < k; row++) {
            write_piece(pattern, &pattern->unit, row, out);
            write_run(pattern, &pattern->other, others, out);
        }
    else {
        write_run(pattern, &pattern->unit, k, out);
        write_piece(pattern, &pattern->middle, 0, out);
        write_run(pattern, &pattern->other, others, out);
    }
    write_piece(pattern, &pattern->suffix, 0, out);
}

void target_pattern_write(const struct target_pattern *pattern, uint64_t k,
                          struct base_buffer *out) {
    target_pattern_write_two(pattern, k, other_count(pattern, k), out);
}

void target_pattern_write_two(const struct target_pattern *pattern, uint64_t units, uint64_t others,
                              struct base_buffer *out) {
    for (unsigned copy = 0; copy < pattern->copies; copy++)
        write_once(pattern, units, others, out);
}

uint64_t target_pattern_others(const struct target_pattern *pattern, uint64_t k) {
    return other_count(pattern, k);
}

/* ---- as text ---- */

void target_piece_print(const struct target_piece *piece, struct base_buffer *out) {
    base_buffer_add(out, "\"", 1);
    for (unsigned i = 0; i <= piece->size; i++) {
        if (i == piece->hole)
            base_buffer_add(out, "\\#", 2);
        if (i == piece->size)
            break;
        uint8_t byte = piece->bytes[i];
        if (byte == '"' || byte == '\\')
            base_buffer_print(out, "\\%c", byte);
        else if (byte == '\n')
            base_buffer_add(out, "\\n", 2);
        else if (byte == '\t')
            base_buffer_add(out, "\\t", 2);
        else if (byte >= ' ' && byte < 0x7f)
            base_buffer_add(out, &byte, 1);
        else
            base_buffer_print(out, "\\x%02x", byte);
    }
    base_buffer_add(out, "\"", 1);
}

void target_pattern_print(const struct target_pattern *pattern, struct base_buffer *out) {
    base_buffer_print(out, "%s", kind_names[pattern->kind]);
    if (pattern->letters)
        base_buffer_print(out, " letters");
    if (pattern->copies == 2)
        base_buffer_print(out, " twice");
#define PIECE(id)                                                                                  \
    if (pattern->id.size || pattern->id.hole != TARGET_NO_HOLE) {                                  \
        base_buffer_print(out, " " #id "=");                                                       \
        target_piece_print(&pattern->id, out);                                                     \
    }
    TARGET_PATTERN_PIECES(PIECE)
#undef PIECE
}

static int hex_value(char digit) {
    const char *digits = "0123456789abcdef", *at = digit ? strchr(digits, digit) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Reads an escape after its backslash; false if it is unknown. */
static bool parse_escape(const char **text, struct target_piece *piece, int *byte) {
    char letter = *(*text)++;
    *byte = -1;
    if (letter == '#' && piece->hole == TARGET_NO_HOLE)
        piece->hole = piece->size;
    else if (letter == '"' || letter == '\\')
        *byte = (unsigned char)letter;
    else if (letter == 'n' || letter == 't')
        *byte = letter == 'n' ? '\n' : '\t';
    else if (letter == 'x' && hex_value((*text)[0]) >= 0 && hex_value((*text)[1]) >= 0) {
        *byte = hex_value((*text)[0]) << 4 | hex_value((*text)[1]);
        *text += 2;
    } else
        return false;
    return true;
}

static bool parse_piece(const char **text, struct target_piece *piece) {
    if (*(*text)++ != '"')
        return false;
    while (**text != '"') {
        int byte = (unsigned char)*(*text)++;
        if (!byte || (byte == '\\' && !parse_escape(text, piece, &byte)))
            return false;
        if (byte < 0)
            continue;
        if (piece->size == TARGET_PIECE_BYTES)
            return false;
        piece->bytes[piece->size++] = (uint8_t)byte;
    }
    ++*text;
    return true;
}

static bool skip_word(const char **text, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

static bool parse_kind(const char **text, struct target_pattern *pattern) {
    for (unsigned i = 0; i < TARGET_PATTERN_KIND_COUNT; i++)
        if (skip_word(text, kind_names[i])) {
            *pattern = target_pattern_empty((enum target_pattern_kind)i);
            return true;
        }
    return false;
}

bool target_pattern_parse(const char *text, struct target_pattern *pattern) {
    if (!parse_kind(&text, pattern))
        return false;
    pattern->letters = skip_word(&text, " letters");
    pattern->copies = skip_word(&text, " twice") ? 2 : 1;
#define PIECE(id)                                                                                  \
    if (skip_word(&text, " " #id "=") && !parse_piece(&text, &pattern->id))                        \
        return false;
    TARGET_PATTERN_PIECES(PIECE)
#undef PIECE
    bool has_stray_hole = pattern->prefix.hole != TARGET_NO_HOLE ||
                          pattern->middle.hole != TARGET_NO_HOLE ||
                          pattern->suffix.hole != TARGET_NO_HOLE;
    return !*text && !has_stray_hole;
}

/* ---- for a shell ---- */

/* A byte in a single-quoted printf format; in octal if it could mean something else. */
static void quote_byte(uint8_t byte, bool is_first, struct base_buffer *out) {
    if (byte == '%')
        base_buffer_add(out, "%%", 2);
    else if (byte < ' ' || byte >= 0x7f || byte == '\\' || byte == '\'' ||
             (byte == '-' && is_first))
        base_buffer_print(out, "\\%03o", byte);
    else
        base_buffer_add(out, &byte, 1);
}

static void quote_piece(const struct target_piece *piece, struct base_buffer *out) {
    base_buffer_add(out, "'", 1);
    for (unsigned i = 0; i <= piece->size; i++) {
        if (i == piece->hole)
            base_buffer_add(out, "%s", 2);
        if (i < piece->size)
            quote_byte(piece->bytes[i], i == 0, out);
    }
}

static void shell_numbers(const struct target_pattern *pattern, uint64_t count,
                          struct base_buffer *out) {
    base_buffer_print(out, "$(seq 0 %llu%s)", (unsigned long long)count - 1,
                      pattern->letters ? " | tr 0-9 a-j" : "");
}

static void shell_once(const struct target_piece *piece, struct base_buffer *out) {
    if (!piece->size)
        return;
    base_buffer_print(out, "printf ");
    quote_piece(piece, out);
    base_buffer_print(out, "'; ");
}

static void shell_run(const struct target_pattern *pattern, const struct target_piece *piece,
                      uint64_t count, struct base_buffer *out) {
    bool is_counted = piece->hole != TARGET_NO_HOLE;
    if (!count || (!piece->size && !is_counted))
        return;
    base_buffer_print(out, "printf ");
    quote_piece(piece, out);
    base_buffer_print(out, is_counted ? "' " : "%%.0s' ");
    if (is_counted)
        shell_numbers(pattern, count, out);
    else
        base_buffer_print(out, "$(seq %llu)", (unsigned long long)count);
    base_buffer_print(out, "; ");
}

static void shell_rows(const struct target_pattern *pattern, uint64_t k, struct base_buffer *out) {
    if (!k)
        return;
    base_buffer_print(out, "for i in ");
    shell_numbers(pattern, k, out);
    base_buffer_print(out, "; do ");
    if (pattern->unit.hole != TARGET_NO_HOLE) {
        base_buffer_print(out, "printf ");
        quote_piece(&pattern->unit, out);
        base_buffer_print(out, "' $i; ");
    } else
        shell_once(&pattern->unit, out);
    shell_run(pattern, &pattern->other, k, out);
    base_buffer_print(out, "done; ");
}

void target_pattern_shell(const struct target_pattern *pattern, uint64_t k,
                          struct base_buffer *out) {
    if (pattern->copies == 2)
        base_buffer_print(out, "for c in 1 2; do ");
    shell_once(&pattern->prefix, out);
    if (pattern->kind == TARGET_PATTERN_GRID)
        shell_rows(pattern, k, out);
    else {
        shell_run(pattern, &pattern->unit, k, out);
        shell_once(&pattern->middle, out);
        shell_run(pattern, &pattern->other, other_count(pattern, k), out);
    }
    shell_once(&pattern->suffix, out);
    if (pattern->copies == 2)
        base_buffer_print(out, "done; ");
    while (out->count && strchr("; ", out->data[out->count - 1]))
        out->data[--out->count] = 0;
}
