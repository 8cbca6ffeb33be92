/* SPDX-License-Identifier: Apache-2.0
 *
 * How can a region of an input be made from other parts of it? A unit is repeated, possibly shifted
 * or with other values; numbered; interleaved with what is there; or sampled. It is nested with its
 * own beginning (as in Fibonacci words, in which every part recurs at many distances). A similar
 * text is generated (in which what follows the last few elements also followed them in the unit).
 * Single elements change, two elements are swapped wherever they occur, or the contents of the
 * region move.
 *
 * These are pure functions: nothing is measured here.
 */
#include "search/beam/spread.h"

#include <stdlib.h>
#include <string.h>

static uint8_t filled_byte(const struct beam_fill *fill, const uint8_t *unit, size_t at,
                           uint8_t present) {
    size_t copy = at / fill->length, place = at % fill->length;
    switch (fill->kind) {
    case BEAM_SHIFTED:
        return unit[(place + copy * fill->grain) % fill->length];
    case BEAM_SPACED:
        return copy % 2 ? present : unit[place];
    default:
        return unit[place];
    }
}

static void fill_copies(const struct beam_fill *fill, const uint8_t *source, uint8_t *to) {
    for (size_t at = fill->from; at < fill->to; at++)
        to[at] = filled_byte(fill, source + fill->unit, at - fill->from, source[at]);
}

/* Copies with a number that counts up or down, in PART bytes of the unit (at most 8) at some
 * position, little or big endian. */
static void fill_numbered(const struct beam_fill *fill, const uint8_t *source, uint8_t *to) {
    const uint8_t *unit = source + fill->unit;
    uint64_t number = 0;
    size_t width = fill->part < fill->length ? fill->part : fill->length;
    width = width < sizeof number ? width : sizeof number;
    size_t spare = fill->length - width; /* bytes that may precede the number */
    size_t place = spare ? (size_t)(fill->random >> 8) % spare : 0;
    bool is_down = fill->random & 1, is_high_first = fill->random & 2;
    uint64_t step = is_down ? ~(uint64_t)0 : 1;
    for (size_t i = 0; i < width; i++)
        number = number << 8 | unit[place + (is_high_first ? i : width - 1 - i)];
    for (size_t at = fill->from, within = 0; at < fill->to; at++, within++) {
        if (within == fill->length) {
            within = 0;
            number += step;
        }
        size_t digit = within - place;
        to[at] = within < place || digit >= width
                     ? unit[within]
                     : (uint8_t)(number >> 8 * (is_high_first ? width - 1 - digit : digit));
    }
}

/* Copies in which every element is changed by the same amount, another one for each copy: the
 * structure within a copy stays, but copies differ from each other. */
static void fill_renamed(const struct beam_fill *fill, const uint8_t *source, uint8_t *to) {
    for (size_t at = fill->from, within = 0, copy = 1; at < fill->to; at++, within++) {
        copy += within == fill->length;
        within = within == fill->length ? 0 : within;
        bool is_low = within % fill->grain == 0; /* of an element, whose other bytes stay */
        to[at] = (uint8_t)(source[fill->unit + within] + (is_low ? copy * fill->part : 0));
    }
}

/* Writes element ELEMENT of the unit, as far as there is room. */
static void put_element(const struct beam_fill *fill, const uint8_t *unit, size_t element,
                        uint8_t *to, size_t at) {
    size_t left = fill->to - at;
    memcpy(to + at, unit + element * fill->grain, left < fill->grain ? left : fill->grain);
}

static void fill_few(const struct beam_fill *fill, const uint8_t *source, uint8_t *to) {
    uint64_t random = fill->random;
    size_t elements = fill->length / fill->grain;
    for (size_t at = fill->from; at < fill->to; at += fill->grain)
        put_element(fill, source + fill->unit, (size_t)(search_random(&random) % elements), to, at);
}

/* Sets some elements to random elements of the unit. */
static void fill_scattered(const struct beam_fill *fill, const uint8_t *source, uint8_t *to) {
    uint64_t random = fill->random;
    size_t places = (fill->to - fill->from) / fill->grain, elements = fill->length / fill->grain;
    for (size_t i = 0; places && i < fill->part; i++) {
        size_t at = fill->from + (size_t)(search_random(&random) % places) * fill->grain;
        put_element(fill, source + fill->unit, (size_t)(search_random(&random) % elements), to, at);
    }
}

/* The unit A and its beginning B in the order of the Fibonacci word: A B A A B A B A ... */
static void fill_nested(const struct beam_fill *fill, const uint8_t *source, uint8_t *to) {
    const double golden = 0.6180339887498949;
    uint64_t turn = 1;
    for (size_t at = fill->from; at < fill->to; turn++) {
        bool is_long = (uint64_t)((double)(turn + 1) * golden) > (uint64_t)((double)turn * golden);
        size_t length = is_long ? fill->length : fill->part, left = fill->to - at;
        memcpy(to + at, source + fill->unit, length < left ? length : left);
        at += length;
    }
}

/* ---- a similar text ---- */

/* Links elements that follow the same PART elements in a ring. */
static uint32_t *link_alike(const struct beam_fill *fill, const uint8_t *unit, uint32_t elements) {
    uint32_t *next = base_alloc(elements * sizeof *next), slots = 256;
    while (slots < 2 * elements)
        slots *= 2;
    uint32_t *heads = base_alloc(slots * sizeof *heads); /* number + 1 of an element */
    for (uint32_t i = 0; i < elements; i++) {
        uint64_t hash = 0;
        for (size_t back = 1; back <= fill->part; back++)
            for (size_t k = 0; k < fill->grain; k++)
                hash = (hash + 1 +
                        unit[(i + elements - back % elements) % elements * fill->grain + k]) *
                       0x9e3779b97f4a7c15u;
        uint32_t *head = &heads[(hash >> 32) & (slots - 1)];
        next[i] = *head ? next[*head - 1] : i;
        if (*head)
            next[*head - 1] = i;
        *head = i + 1;
    }
    free(heads);
    return next;
}

static void fill_resampled(const struct beam_fill *fill, const uint8_t *source, uint8_t *to) {
    const uint8_t *unit = source + fill->unit;
    uint32_t elements = (uint32_t)(fill->length / fill->grain);
    uint32_t *next = link_alike(fill, unit, elements);
    uint64_t random = fill->random;
    uint32_t place = (uint32_t)(search_random(&random) % elements);
    for (size_t at = fill->from; at < fill->to; at += fill->grain) {
        for (uint64_t steps = search_random(&random) >> 40 & 3; steps; steps--)
            place = next[place];
        put_element(fill, unit, place, to, at);
        place = (place + 1) % elements;
    }
    free(next);
}

/* Moves the region right, with copies of the unit in the gap, or left. */
static void fill_moved(const struct beam_fill *fill, const uint8_t *source, size_t size,
                       uint8_t *to) {
    bool is_left = fill->random & 1;
    for (size_t at = fill->from; at < fill->to; at++) {
        size_t offset = at - fill->from;
        if (is_left && at + fill->part < size)
            to[at] = source[at + fill->part];
        else if (!is_left && offset >= fill->part)
            to[at] = source[at - fill->part];
        else if (!is_left)
            to[at] = source[fill->unit + offset % fill->length];
    }
}

/* Swaps two elements wherever they occur: what was equal stays equal. */
static void fill_swapped(const struct beam_fill *fill, const uint8_t *source, uint8_t *to) {
    const uint8_t *a = source + fill->unit;
    const uint8_t *b = source + fill->part;
    size_t grain = fill->grain;
    for (size_t at = fill->from; at + grain <= fill->to; at += grain)
        if (memcmp(source + at, a, grain) == 0)
            memcpy(to + at, b, grain);
        else if (memcmp(source + at, b, grain) == 0)
            memcpy(to + at, a, grain);
}

void beam_fill(const struct beam_fill *fill, const uint8_t *source, size_t size, uint8_t *to) {
    switch (fill->kind) {
    case BEAM_NUMBERED:
        fill_numbered(fill, source, to);
        break;
    case BEAM_RENAMED:
        fill_renamed(fill, source, to);
        break;
    case BEAM_FEW_VALUES:
        fill_few(fill, source, to);
        break;
    case BEAM_NESTED:
        fill_nested(fill, source, to);
        break;
    case BEAM_RESAMPLED:
        fill_resampled(fill, source, to);
        break;
    case BEAM_SCATTERED:
        fill_scattered(fill, source, to);
        break;
    case BEAM_MOVED:
        fill_moved(fill, source, size, to);
        break;
    case BEAM_SWAPPED:
        fill_swapped(fill, source, to);
        break;
    default:
        fill_copies(fill, source, to);
    }
}
