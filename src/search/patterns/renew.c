/* SPDX-License-Identifier: Apache-2.0
 *
 * What if a prefix only holds for one record? If the cost of a pattern grows steeply and then
 * hardly at all, the pattern has often reached the end of what its prefix opened: a line that is
 * too long, a section, a message. Then all its pieces together become a record, which is repeated.
 */
#include "search/patterns/patterns.h"

#include <math.h>

#define STEEP 1.3 /* slope of the cost before it levels off */
#define FLAT 0.5  /* ... and after that */

static double slope(const struct measure_point *from, const struct measure_point *to) {
    if (from->cost <= 0 || to->cost <= 0 || from->size >= to->size)
        return NAN;
    return log(to->cost / from->cost) / log((double)to->size / (double)from->size);
}

bool patterns_is_held_up(const struct search_growth_law *law) {
    const struct measure_point *points = law->series.data;
    size_t count = law->series.count, last = count - 1;
    bool was_steep = false;
    for (size_t i = 1; count && i < last; i++)
        was_steep |= slope(&points[i - 1], &points[i]) >= STEEP;
    return was_steep && slope(&points[last - 1], &points[last]) <= FLAT;
}

/* False: it does not fit. If both have a hole, the first one stays. */
static bool append(struct target_piece *unit, const struct target_piece *piece) {
    if (unit->size + piece->size > TARGET_PIECE_BYTES)
        return false;
    if (unit->hole == TARGET_NO_HOLE && piece->hole != TARGET_NO_HOLE) {
        patterns_piece_insert(unit, unit->size, piece->bytes, piece->size);
        unit->hole = (uint8_t)(unit->size - piece->size + piece->hole);
        return true;
    }
    uint8_t hole = unit->hole; /* inserting may move it */
    patterns_piece_insert(unit, unit->size, piece->bytes, piece->size);
    unit->hole = hole;
    return true;
}

bool patterns_renew(const struct target_pattern *pattern, size_t number,
                    struct target_pattern *renewed) {
    static const uint8_t ends[] = {'\n', '\0', ';', ' '};
    if (number >= PATTERNS_RECORDS)
        return false;
    const struct target_piece end = {
        .bytes = {ends[number / 2]}, .size = 1, .hole = TARGET_NO_HOLE};
    bool with_suffix = number % 2 == 0;
    *renewed = target_pattern_empty(TARGET_PATTERN_REPEAT);
    renewed->letters = pattern->letters;
    struct target_piece *unit = &renewed->unit;
    return append(unit, &pattern->prefix) && append(unit, &pattern->unit) &&
           append(unit, &pattern->middle) && append(unit, &pattern->other) &&
           (!with_suffix || append(unit, &pattern->suffix)) && append(unit, &end);
}
