/* SPDX-License-Identifier: Apache-2.0
 *
 * Does an input cost more if a region of it is made from another one? One climb: draw a change,
 * measure the whole input, and keep the change if it costs more. Ways to fill that helped before
 * are drawn more often; lengths of regions and units are drawn so that every doubling is equally
 * likely.
 *
 * Bytes that the path so far depends on stay as they are.
 */
#include "search/beam/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_UNIT 4096u
#define LONGEST_CONTEXT 8u
#define TRIES 24u    /* allowed failures in a row, without a time limit; a success adds as many */
#define PATIENT 400u /* the same with a time limit */
#define TRY_BYTES ((size_t)1 << 20)     /* total size of all TRIES */
#define DOUBLE_BYTES ((size_t)16 << 20) /* inputs up to this size may get two changes at once */
#define LUCK 4u /* one kind in so many is drawn uniformly, whatever helped before */

/* ---- drawing ---- */

static uint64_t draw(struct beam_climb *climb, uint64_t below) {
    return below ? search_random(&climb->random) % below : 0;
}

/* From 1 to MOST; each doubling has the same chance. */
static size_t draw_length(struct beam_climb *climb, size_t most) {
    unsigned doublings = 0;
    while (most >> doublings > 1)
        doublings++;
    size_t low = (size_t)1 << draw(climb, doublings + 1);
    size_t length = low + (size_t)draw(climb, low);
    return length < most ? length : most ? most : 1;
}

static double rate_of(const struct beam_rates *rates, int kind) {
    return (rates->wins[kind] + 1) / (rates->tries[kind] + BEAM_FILLS);
}

static enum beam_fill_kind draw_kind(struct beam_climb *climb) {
    double sum = 0;
    if (!draw(climb, LUCK))
        return (enum beam_fill_kind)draw(climb, BEAM_FILLS);
    for (int kind = 0; kind < BEAM_FILLS; kind++)
        sum += rate_of(&climb->rates, kind);
    double at = sum * (double)draw(climb, 1u << 20) / (1u << 20);
    int kind = 0;
    while (kind + 1 < BEAM_FILLS && (at -= rate_of(&climb->rates, kind)) >= 0)
        kind++;
    return (enum beam_fill_kind)kind;
}

/* Rounds down to a whole element. */
static size_t align(const struct beam_climb *climb, size_t at) {
    return at / climb->grain * climb->grain;
}

static void draw_part(struct beam_climb *climb, struct beam_fill *fill) {
    size_t elements = fill->length / climb->grain, open = climb->size - climb->first;
    switch (fill->kind) {
    case BEAM_NESTED:
        fill->part = (elements > 1 ? 1 + (size_t)draw(climb, elements - 1) : 1) * climb->grain;
        break;
    case BEAM_NUMBERED:
        fill->part = 1 + (size_t)draw(climb, 4);
        break;
    case BEAM_RESAMPLED:
        fill->part = 1 + (size_t)draw(climb, LONGEST_CONTEXT);
        break;
    case BEAM_MOVED:
        fill->part = draw_length(climb, open / 2 / climb->grain) * climb->grain;
        break;
    case BEAM_SWAPPED:
        fill->part = align(climb, (size_t)draw(climb, climb->size - climb->grain + 1));
        break;
    case BEAM_RENAMED:
        fill->part = 1 + (size_t)draw(climb, 255);
        break;
    default:
        fill->part = draw_length(climb, 64);
    }
    fill->random = search_random(&climb->random);
}

/* Two fields with equal ranges: the one of two random ones with the larger range, and another. Only
 * on complete inputs; a swap then applies to the whole open region, so what was equal stays equal.
 */
static void draw_swap(struct beam_climb *climb, struct beam_fill *fill) {
    const struct search_layout *layout = &climb->search->subject.layout;
    size_t count = layout->ranges.count;
    fill->from = climb->first;
    fill->to = climb->size;
    if (!count || climb->size < layout->bytes)
        return;
    const struct solver_range *a = &layout->ranges.data[draw(climb, count)];
    const struct solver_range *b = &layout->ranges.data[draw(climb, count)];
    if (a->high - a->low < b->high - b->low)
        a = b;
    do
        b = &layout->ranges.data[draw(climb, count)];
    while (b->width != a->width || b->high - b->low != a->high - a->low);
    if (a->offset + a->width / 8 > climb->size || b->offset + b->width / 8 > climb->size)
        return;
    fill->unit = a->offset;
    fill->part = b->offset;
    fill->grain = a->width / 8;
}

static struct beam_fill draw_fill(struct beam_climb *climb) {
    size_t first =
        climb->fresh && climb->fresh < climb->size && draw(climb, 2) ? climb->fresh : climb->first;
    size_t open = climb->size - first, half = climb->size / 2;
    size_t most = half < LONGEST_UNIT ? half : LONGEST_UNIT;
    struct beam_fill fill = {.kind = draw_kind(climb), .grain = climb->grain};
    fill.length = draw_length(climb, most / climb->grain) * climb->grain;
    fill.unit = align(climb, (size_t)draw(climb, climb->size - fill.length + 1));
    fill.from = align(climb, first + (size_t)draw(climb, open));
    fill.to = climb->size;
    if (draw(climb, 2)) {
        fill.to = fill.from + draw_length(climb, open / climb->grain) * climb->grain;
    } else if (draw(climb, 2)) {
        fill.from = first;
    }
    fill.from = fill.from < first ? first : fill.from;
    fill.to = fill.to < climb->size ? fill.to : climb->size;
    draw_part(climb, &fill);
    if (fill.kind == BEAM_SWAPPED)
        draw_swap(climb, &fill);
    return fill;
}

/* ---- trying ---- */

static bool is_fixed(const struct beam_origin *origin, size_t at) {
    size_t place = at - origin->first;
    return place < origin->count && (origin->fixed[place / 8] >> place % 8 & 1);
}

/* Restores the bytes of the trial that must not change. */
static void keep_fixed(struct beam_climb *climb, size_t from, size_t to) {
    const struct beam_origin *origin = climb->origin;
    size_t end = origin ? origin->first + origin->count : 0;
    for (size_t at = from; at < to && at < end; at++)
        if (is_fixed(origin, at))
            climb->trial[at] = climb->best[at];
}

static bool is_whole(const struct beam_climb *climb) {
    return climb->size == climb->search->subject.layout.bytes;
}

static bool measure(struct beam_climb *climb, const uint8_t *bytes, double *cost,
                    struct base_error *error) {
    struct target_input input = {bytes, climb->size};
    struct search_counters counters = {0};
    *cost = NAN;
    if (!search_grant_locked(climb->search, 1))
        return true;
    if (!climb->program->measure(climb->program->self, &input, 1, &climb->result, cost, error))
        return false;
    search_count_run(&counters, &climb->result, NULL);
    search_book_locked(climb->search, &counters);
    if (!search_ended_well(&climb->result))
        *cost = NAN;
    else if (is_whole(climb))
        beam_note_whole(climb->search->state, bytes, *cost, &climb->result);
    return true;
}

bool beam_climb_begin(struct beam_climb *climb, struct base_error *error) {
    return measure(climb, climb->best, &climb->cost, error);
}

bool beam_climb_try(struct beam_climb *climb, struct base_error *error) {
    double cost;
    search_clamp(&climb->search->subject.layout, climb->trial, climb->size);
    keep_fixed(climb, climb->first, climb->size);
    if (memcmp(climb->trial, climb->best, climb->size) == 0)
        return true;
    if (!measure(climb, climb->trial, &cost, error))
        return false;
    if (isnan(cost) || cost <= climb->cost)
        return true;
    uint8_t *old = climb->best;
    climb->best = climb->trial;
    climb->trial = old;
    climb->cost = cost;
    climb->best_result = climb->result;
    return true;
}

static bool try_fill(struct beam_climb *climb, const struct beam_fill *fill,
                     struct base_error *error) {
    double before = climb->cost;
    bool is_double = /* two changes at once */
        climb->deadline > 0 && climb->scratch && !draw(climb, LUCK);
    struct beam_fill second = is_double ? draw_fill(climb) : (struct beam_fill){0};
    memcpy(climb->trial, climb->best, climb->size);
    beam_fill(fill, climb->best, climb->size, climb->trial);
    if (is_double) {
        memcpy(climb->scratch, climb->trial, climb->size);
        beam_fill(&second, climb->scratch, climb->size, climb->trial);
    }
    if (!beam_climb_try(climb, error))
        return false;
    bool pays = climb->cost > before;
    climb->rates.tries[fill->kind]++;
    climb->rates.wins[fill->kind] += pays;
    if (pays && climb->recipe)
        base_push(climb->recipe, *fill);
    if (pays && climb->recipe && is_double)
        base_push(climb->recipe, second);
    return true;
}

/* The first tries: all open bytes repeat the last 1, 2, 3, 4, 6, 8, 12, ... elements before them.
 */
static bool solved_unit(const struct beam_climb *climb, unsigned number, struct beam_fill *fill) {
    size_t first = align(climb, climb->first), grain = climb->grain;
    size_t length = number ? grain * (2 + (number + 1) % 2) << (number - 1) / 2 : grain;
    if (length > LONGEST_UNIT || length > first)
        return false;
    *fill = (struct beam_fill){.kind = BEAM_REPEATED,
                               .unit = first - length,
                               .length = length,
                               .from = climb->first,
                               .to = climb->size,
                               .grain = grain};
    return true;
}

static bool is_over(const struct beam_climb *climb) {
    return search_is_over(climb->search) ||
           (climb->deadline > 0 && base_seconds() > climb->deadline) ||
           (is_whole(climb) && !beam_has_time(climb->search->state, climb->cost));
}

/* Without a time limit large inputs get fewer tries: a number, as the clock must not decide. */
static unsigned count_tries(const struct beam_climb *climb) {
    size_t most = TRY_BYTES / climb->size;
    return climb->deadline > 0 ? PATIENT : most >= TRIES ? TRIES : (unsigned)most + 1;
}

bool beam_climb_run(struct beam_climb *climb, struct base_error *error) {
    struct beam_fill fill;
    unsigned tries = count_tries(climb);
    for (unsigned i = 0; i < TRIES && i < tries && solved_unit(climb, i, &fill); i++)
        if (!is_over(climb) && !try_fill(climb, &fill, error))
            return false;
    for (unsigned left = tries; left && !is_over(climb); left--) {
        double before = climb->cost;
        fill = draw_fill(climb);
        if (!try_fill(climb, &fill, error))
            return false;
        if (climb->cost > before)
            left = climb->deadline > 0 ? tries : left + tries;
    }
    return true;
}

/* ---- setting up ---- */

/* Size of an element: that of the largest field, where an input has several. */
static size_t grain_of(const struct search_layout *layout, size_t size) {
    size_t grain = 1;
    uint64_t most = 0;
    for (size_t i = 0; layout->is_typed && i < layout->fields.count; i++) {
        const struct target_field *field = &layout->fields.data[i];
        uint64_t bytes = field->count * field->element_size;
        if (bytes > most) {
            most = bytes;
            grain = field->element_size;
        }
    }
    return grain && grain <= size / 2 ? grain : 1;
}

void beam_climb_init(struct beam_climb *climb, struct search *search, size_t worker, size_t size) {
    *climb = (struct beam_climb){.search = search,
                                 .program = &search->subject.programs[worker],
                                 .size = size,
                                 .grain = grain_of(&search->subject.layout, size),
                                 .best = base_alloc(size + 1),
                                 .trial = base_alloc(size + 1)};
    if (size <= DOUBLE_BYTES)
        climb->scratch = base_alloc(size + 1);
}

void beam_climb_done(struct beam_climb *climb) {
    free(climb->best);
    free(climb->trial);
    free(climb->scratch);
}
