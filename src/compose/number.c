/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a small input become a large one that costs more than plain repetition? Programs that
 * look for what they have seen, or sort, do little when the same recurs: there the words must
 * differ, and their order matters. Each word is treated as a number whose digits have the radix of
 * their kind (ten digits, 26 letters). In repetition R of a unit of W words, R times W is added to
 * each, or subtracted, so no two repetitions share a word before the numbers are used up.
 *
 * Programs that look for repetitions, as compressors do, process those at once. For them the unit
 * only provides the material: lines, or short pieces, are drawn from it.
 */
#include "compose/number.h"

#include <ctype.h>
#include <string.h>

#define LONGEST_PIECE 8
#define MOST_DIGITS 64 /* digits of a word that are counted; further ones stay unchanged */

static bool is_word(uint8_t byte) {
    return byte < 0x80 && isalnum(byte);
}

/* The first character of its kind, and the size of the kind. */
static uint8_t kind_of(uint8_t byte, unsigned *radix) {
    *radix = isdigit(byte) ? 10 : 26;
    return isdigit(byte) ? '0' : isupper(byte) ? 'A' : 'a';
}

static size_t count_words(const uint8_t *unit, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += is_word(unit[i]) && (!i || !is_word(unit[i - 1]));
    return count;
}

/* Adds to the digits from the last one on; the remaining carry is put in front of them. */
static void add_word(const uint8_t *word, size_t size, uint64_t amount, bool down, bool widens,
                     struct base_buffer *out) {
    uint8_t digits[2 * MOST_DIGITS];
    size_t counted = size < MOST_DIGITS ? size : MOST_DIGITS, at = sizeof digits;
    unsigned radix;
    for (size_t i = 0; i < counted; i++) {
        uint8_t byte = word[size - 1 - i], first = kind_of(byte, &radix);
        uint64_t digit = (uint64_t)(byte - first), part = amount % radix;
        uint64_t sum = down ? digit + radix - part : digit + part;
        digits[--at] = (uint8_t)(first + sum % radix);
        amount = amount / radix + (down ? part > digit : sum >= radix);
    }
    uint8_t first = kind_of(word[0], &radix);
    while (widens && !down && amount && at) {
        digits[--at] = (uint8_t)(first + amount % radix);
        amount /= radix;
    }
    base_buffer_add(out, word, size - counted);
    base_buffer_add(out, digits + at, sizeof digits - at);
}

static uint64_t draw(uint64_t *state, uint64_t below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* Adds the line of the unit around AT, or a piece starting there. */
static void add_piece(const uint8_t *unit, size_t size, bool has_lines, size_t at, uint64_t *state,
                      struct base_buffer *out) {
    const uint8_t *before = has_lines ? memrchr(unit, '\n', at) : NULL;
    const uint8_t *behind = memchr(unit + at, '\n', size - at);
    size_t first = !has_lines ? at : before ? (size_t)(before - unit) + 1 : 0;
    size_t length = behind ? (size_t)(behind - unit) + 1 - first : size - first;
    if (!has_lines)
        length = 1 + draw(state, LONGEST_PIECE);
    base_buffer_add(out, unit + first, length < size - first ? length : size - first);
}

static void mix(const uint8_t *unit, size_t size, size_t wanted, struct base_buffer *out) {
    const uint8_t *first = memchr(unit, '\n', size), *last = memrchr(unit, '\n', size);
    uint64_t state = size;
    bool has_lines = first != last;
    size = has_lines ? (size_t)(last - unit) + 1 : size; /* the last line may be cut */
    for (size_t before = out->count; out->count - before < wanted;)
        add_piece(unit, size, has_lines, draw(&state, size), &state, out);
}

void compose_number(const uint8_t *unit, size_t size, size_t wanted,
                    struct compose_numbering numbering, struct base_buffer *out) {
    size_t before = out->count, words = count_words(unit, size);
    uint64_t step = (uint64_t)(numbering.step < 0 ? -numbering.step : numbering.step) * words;
    if (numbering.mixes && size)
        mix(unit, size, wanted, out);
    for (uint64_t turn = 0; size && out->count - before < wanted; turn++)
        for (size_t i = 0, end; i < size; i = end) {
            for (end = i; end < size && is_word(unit[end]) == is_word(unit[i]); end++)
                ;
            if (is_word(unit[i]))
                add_word(unit + i, end - i, turn * step, numbering.step < 0, numbering.widens, out);
            else
                base_buffer_add(out, unit + i, end - i);
        }
    if (out->count - before > wanted) {
        out->count = before + wanted;
        out->data[out->count] = 0;
    }
}
