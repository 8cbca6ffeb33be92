/* SPDX-License-Identifier: Apache-2.0
 *
 * Which pattern is this input an instance of? Something short that occurs several times in a row
 * becomes the unit of a pattern, and a second such run becomes the other piece: what a search has
 * nested step by step in a prefix becomes something that grows.
 */
#include "search/patterns/patterns.h"

#include <string.h>

#define LONGEST_PERIOD 12
#define LEAST_TIMES 3

struct stretch {
    size_t start, period, times;
};

static size_t covered(const struct stretch *stretch) {
    return stretch->period * stretch->times;
}

/* How many bytes from START on equal the byte PERIOD further on? */
static size_t count_equal(const uint8_t *bytes, size_t size, size_t start, size_t period) {
    size_t equal = 0;
    while (start + equal + period < size && bytes[start + equal] == bytes[start + equal + period])
        equal++;
    return equal;
}

/* The stretch from FROM on that covers most bytes, preferring short periods; times 0: there is
 * none. Within repeating bytes the first start covers most of them, so each byte is looked at once
 * per period. */
static struct stretch find_stretch(const uint8_t *bytes, size_t size, size_t from) {
    struct stretch best = {0};
    for (size_t period = 1; period <= LONGEST_PERIOD; period++)
        for (size_t start = from, equal; start + LEAST_TIMES * period <= size; start += equal + 1) {
            equal = count_equal(bytes, size, start, period);
            struct stretch now = {start, period, equal / period + 1};
            if (now.times >= LEAST_TIMES && covered(&now) > covered(&best))
                best = now;
        }
    return best;
}

static bool set_piece(struct target_piece *piece, const uint8_t *bytes, size_t size) {
    *piece = (struct target_piece){.hole = TARGET_NO_HOLE};
    if (size > TARGET_PIECE_BYTES)
        return false;
    memcpy(piece->bytes, bytes, size);
    piece->size = (uint8_t)size;
    return true;
}

bool patterns_fold(const uint8_t *bytes, size_t size, struct target_pattern *pattern) {
    struct stretch one = find_stretch(bytes, size, 0), two;
    if (!one.times)
        return false;
    size_t end = one.start + covered(&one);
    two = find_stretch(bytes, size, end);
    *pattern = target_pattern_empty(two.times ? TARGET_PATTERN_NEST : TARGET_PATTERN_REPEAT);
    bool fits = set_piece(&pattern->prefix, bytes, one.start) &&
                set_piece(&pattern->unit, bytes + one.start, one.period);
    if (!two.times)
        return fits && set_piece(&pattern->suffix, bytes + end, size - end);
    size_t last = two.start + covered(&two);
    return fits && set_piece(&pattern->middle, bytes + end, two.start - end) &&
           set_piece(&pattern->other, bytes + two.start, two.period) &&
           set_piece(&pattern->suffix, bytes + last, size - last);
}
