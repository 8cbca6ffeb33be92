/* SPDX-License-Identifier: Apache-2.0
 *
 * How are the values of an input changed, and their order? For algorithms on arrays the worst case
 * is an order (sorted, reversed, all equal, one out of place), so whole ranges are changed as well
 * as single values. The size stays as it is.
 *
 * The arrays and scalars of an entry are lanes, each with its own element width. Plain bytes are
 * usually one lane of bytes, now and then of words of two, four or eight bytes.
 */
#include "search/evolve/evolve.h"

#include <stdlib.h>
#include <string.h>

/* ---- lanes ---- */

static void find_bounds(struct evolve_lane *lane, const struct search_layout *layout) {
    size_t end = lane->offset + lane->count * lane->width;
    for (size_t i = 0; i < layout->ranges.count; i++) {
        const struct solver_range *range = &layout->ranges.data[i];
        if (range->offset < lane->offset || range->offset >= end)
            continue;
        lane->is_bounded = true;
        lane->low = range->low;
        lane->high = range->high;
        return;
    }
}

void evolve_lanes_init(struct evolve_lanes *lanes, const struct search_layout *layout) {
    *lanes = (struct evolve_lanes){0};
    for (size_t i = 0; i < layout->fields.count; i++) {
        const struct target_field *field = &layout->fields.data[i];
        bool is_plain =
            field->element_size <= 8 && (field->element_size & (field->element_size - 1)) == 0;
        unsigned width = is_plain && field->element_size ? (unsigned)field->element_size : 1;
        struct evolve_lane lane = {.offset = field->offset,
                                   .count = field->count * field->element_size / width,
                                   .width = width,
                                   .is_signed = field->is_signed,
                                   .is_float = field->is_float && width >= 4};
        find_bounds(&lane, layout);
        if (lane.count)
            base_push(lanes, lane);
    }
}

/* ---- elements ---- */

struct row { /* a lane within the draft */
    uint8_t *bytes;
    size_t count;
    unsigned width;
    const struct evolve_lane *lane; /* NULL: plain bytes */
};

static struct row row_of_bytes(struct evolve_draft *draft) {
    static const uint8_t widths[8] = {1, 1, 1, 1, 1, 2, 4, 8};
    unsigned width = widths[search_random(draft->random) % BASE_COUNT(widths)];
    return (struct row){draft->bytes, draft->size / width, width, NULL};
}

static struct row pick_row(struct evolve_draft *draft) {
    const struct evolve_lanes *lanes = draft->lanes;
    size_t all = 0;
    if (!lanes->count)
        return row_of_bytes(draft);
    for (size_t i = 0; i < lanes->count; i++)
        all += lanes->data[i].count;
    size_t at = evolve_below(draft->random, all), lane = 0;
    while (at >= lanes->data[lane].count)
        at -= lanes->data[lane++].count;
    if (search_random(draft->random) % 4 == 0) /* so that short ones get a chance, too */
        lane = evolve_below(draft->random, lanes->count);
    const struct evolve_lane *found = &lanes->data[lane];
    size_t room = draft->size > found->offset ? (draft->size - found->offset) / found->width : 0;
    return (struct row){draft->bytes + found->offset, found->count < room ? found->count : room,
                        found->width, found};
}

static uint64_t get(const struct row *row, size_t index) {
    uint64_t value = 0;
    memcpy(&value, row->bytes + index * row->width, row->width);
    return value;
}

static void put(const struct row *row, size_t index, uint64_t value) {
    memcpy(row->bytes + index * row->width, &value, row->width);
}

static bool is_signed(const struct row *row) {
    return row->lane ? row->lane->is_signed : false;
}

static bool is_float(const struct row *row) {
    return row->lane && row->lane->is_float;
}

/* Integers with the same order as the values, whatever their type. */
static int64_t rank(const struct row *row, uint64_t value) {
    unsigned unused = 64 - 8 * row->width;
    if (is_float(row)) { /* floats are ordered like their bits, negative ones in reverse */
        int64_t bits = (int64_t)(value << unused) >> unused;
        return bits < 0 ? INT64_MIN + ~bits : bits;
    }
    if (is_signed(row))
        return (int64_t)(value << unused) >> unused;
    return (int64_t)(value ^ (uint64_t)1 << 63);
}

static uint64_t float_bits(const struct row *row, double number) {
    uint64_t value = 0;
    if (row->width == 4) {
        float narrow = (float)number;
        memcpy(&value, &narrow, sizeof narrow);
    } else
        memcpy(&value, &number, sizeof number);
    return value;
}

static double float_value(const struct row *row, uint64_t value) {
    float narrow;
    double number;
    memcpy(&narrow, &value, sizeof narrow);
    memcpy(&number, &value, sizeof number);
    return row->width == 4 ? (double)narrow : number;
}

static bool spans_everything(const struct evolve_lane *lane) {
    return lane->low == INT64_MIN && lane->high == INT64_MAX;
}

static uint64_t any_value(struct evolve_draft *draft, const struct row *row) {
    uint64_t bits = search_random(draft->random);
    const struct evolve_lane *lane = row->lane;
    if (lane && lane->is_bounded && !spans_everything(lane))
        return (uint64_t)lane->low + bits % ((uint64_t)lane->high - (uint64_t)lane->low + 1);
    if (is_float(row))
        return float_bits(row, (double)(int64_t)(bits % 2001) - 1000);
    return bits & 1 ? bits >> 1 : (bits >> 1) % 128; /* small ones are more useful */
}

static struct row pick_elements(struct evolve_draft *draft, size_t least) {
    struct row row = pick_row(draft);
    if (row.count < least)
        row.count = 0;
    return row;
}

/* ---- single values ---- */

bool evolve_change_set(struct evolve_draft *draft) {
    struct row row = pick_elements(draft, 1);
    if (!row.count)
        return false;
    put(&row, evolve_below(draft->random, row.count), any_value(draft, &row));
    return true;
}

static void add_step(const struct row *row, size_t at, int64_t step) {
    uint64_t value = get(row, at);
    put(row, at,
        is_float(row) ? float_bits(row, float_value(row, value) + (double)step)
                      : value + (uint64_t)step);
}

/* Often another element is changed the opposite way, so that sums stay the same. */
bool evolve_change_step(struct evolve_draft *draft) {
    struct row row = pick_elements(draft, 1);
    if (!row.count)
        return false;
    size_t at = evolve_below(draft->random, row.count);
    int64_t step = (int64_t)evolve_few(draft->random, 32);
    if (search_random(draft->random) & 1)
        step = -step;
    add_step(&row, at, step);
    if (search_random(draft->random) & 1) {
        size_t near = at + 1 + evolve_below(draft->random, 3);
        add_step(&row, near < row.count ? near : evolve_below(draft->random, row.count), -step);
    }
    return true;
}

/* Values near powers of two, the ends of the type, and the ends of the range. */
bool evolve_change_bound(struct evolve_draft *draft) {
    struct row row = pick_elements(draft, 1);
    if (!row.count)
        return false;
    size_t at = evolve_below(draft->random, row.count);
    uint64_t bits = search_random(draft->random);
    uint64_t value = ((uint64_t)1 << (bits >> 8) % (8 * (uint64_t)row.width)) + (bits & 3) - 1;
    if (bits & 4)
        value = ~value;
    if (row.lane && row.lane->is_bounded && bits & 8)
        value = (uint64_t)(bits & 16 ? row.lane->low : row.lane->high);
    put(&row, at, is_float(&row) ? float_bits(&row, (double)(int64_t)value) : value);
    return true;
}

bool evolve_change_bit(struct evolve_draft *draft) {
    if (!draft->size)
        return false;
    size_t at = evolve_below(draft->random, draft->size * 8);
    draft->bytes[at / 8] ^= (uint8_t)(1u << at % 8);
    return true;
}

bool evolve_change_swap(struct evolve_draft *draft) {
    struct row row = pick_elements(draft, 2);
    if (!row.count)
        return false;
    size_t a = evolve_below(draft->random, row.count), b = evolve_below(draft->random, row.count);
    uint64_t kept = get(&row, a);
    put(&row, a, get(&row, b));
    put(&row, b, kept);
    return true;
}

bool evolve_change_move(struct evolve_draft *draft) {
    struct row row = pick_elements(draft, 2);
    if (!row.count)
        return false;
    size_t from = evolve_below(draft->random, row.count);
    size_t to = evolve_below(draft->random, row.count);
    uint64_t kept = get(&row, from);
    size_t low = from < to ? from : to, distance = from < to ? to - from : from - to;
    uint8_t *bytes = row.bytes + low * row.width;
    if (from < to)
        memmove(bytes, bytes + row.width, distance * row.width);
    else
        memmove(bytes + row.width, bytes, distance * row.width);
    put(&row, to, kept);
    return true;
}

/* ---- ranges ---- */

struct range {
    struct row row;
    size_t first, count;
};

/* At least two neighbouring elements, often all of them; none if the count is zero. */
static struct range pick_range(struct evolve_draft *draft) {
    struct range range = {.row = pick_elements(draft, 2)};
    size_t most = range.row.count;
    if (!most)
        return range;
    bool is_whole = search_random(draft->random) % 4 == 0;
    range.count = is_whole ? most : 1 + evolve_few(draft->random, most - 1);
    range.first = evolve_below(draft->random, most - range.count + 1);
    return range;
}

static void reverse(const struct range *range) {
    size_t low = range->first, high = range->first + range->count;
    for (; low + 1 < high; low++) {
        uint64_t kept = get(&range->row, low);
        put(&range->row, low, get(&range->row, --high));
        put(&range->row, high, kept);
    }
}

/* Shell's sort: short, in place, and fast enough for inputs of this size. */
static void sort(const struct range *range) {
    const struct row *row = &range->row;
    for (size_t gap = range->count / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (size_t i = gap; i < range->count; i++) {
            uint64_t value = get(row, range->first + i);
            size_t at = i;
            for (; at >= gap && rank(row, get(row, range->first + at - gap)) > rank(row, value);
                 at -= gap)
                put(row, range->first + at, get(row, range->first + at - gap));
            put(row, range->first + at, value);
        }
}

/* Counting sort for bytes, as most rows are bytes. */
static void sort_bytes(const struct range *range) {
    uint8_t *bytes = range->row.bytes + range->first;
    size_t counts[256] = {0}, at = 0;
    unsigned least = is_signed(&range->row) ? 128 : 0;
    for (size_t i = 0; i < range->count; i++)
        counts[bytes[i]]++;
    for (unsigned i = 0; i < 256; i++) {
        uint8_t value = (uint8_t)(least + i);
        memset(bytes + at, value, counts[value]);
        at += counts[value];
    }
}

bool evolve_change_sort(struct evolve_draft *draft) {
    struct range range = pick_range(draft);
    if (!range.count)
        return false;
    if (range.row.width == 1)
        sort_bytes(&range);
    else
        sort(&range);
    if (search_random(draft->random) & 1)
        reverse(&range);
    return true;
}

bool evolve_change_reverse(struct evolve_draft *draft) {
    struct range range = pick_range(draft);
    if (!range.count)
        return false;
    reverse(&range);
    return true;
}

bool evolve_change_level(struct evolve_draft *draft) {
    struct range range = pick_range(draft);
    if (!range.count)
        return false;
    uint64_t value = search_random(draft->random) & 1
                         ? get(&range.row, evolve_below(draft->random, range.row.count))
                         : any_value(draft, &range.row);
    for (size_t i = 0; i < range.count; i++)
        put(&range.row, range.first + i, value);
    return true;
}

bool evolve_change_ramp(struct evolve_draft *draft) {
    struct range range = pick_range(draft);
    if (!range.count)
        return false;
    const struct row *row = &range.row;
    uint64_t start =
        search_random(draft->random) & 1 ? get(row, range.first) : any_value(draft, row);
    int64_t step = (int64_t)evolve_few(draft->random, 4);
    if (search_random(draft->random) & 1)
        step = -step;
    for (size_t i = 0; i < range.count; i++) {
        int64_t more = step * (int64_t)i;
        put(row, range.first + i,
            is_float(row) ? float_bits(row, float_value(row, start) + (double)more)
                          : start + (uint64_t)more);
    }
    return true;
}

bool evolve_change_echo(struct evolve_draft *draft) {
    struct range range = pick_range(draft);
    if (!range.count)
        return false;
    size_t to = evolve_below(draft->random, range.row.count - range.count + 1);
    memmove(range.row.bytes + to * range.row.width, range.row.bytes + range.first * range.row.width,
            range.count * range.row.width);
    return true;
}

/* Takes the elements at the same place of another input. */
bool evolve_change_mix(struct evolve_draft *draft) {
    struct range range = pick_range(draft);
    size_t start = (size_t)(range.row.bytes - draft->bytes) + range.first * range.row.width;
    size_t bytes = range.count * range.row.width;
    if (!range.count || start + bytes > draft->mate.size)
        return false;
    memcpy(draft->bytes + start, (const uint8_t *)draft->mate.data + start, bytes);
    return true;
}
