/* SPDX-License-Identifier: Apache-2.0
 *
 * What a beam finds is used: does the rest of the input cost more when it repeats what was solved?
 *
 * A level decides about a few bytes of an input of thousands; the others stay what they were at the
 * start. So after each episode the bytes behind the fixed ones are filled with copies of what lies
 * before: the unit that the episode solved, and regions of other lengths and places, repeated,
 * shifted a little with each copy, numbered, or laid between what is there. Whole inputs are
 * measured, and what costs more stays: later episodes go on from it.
 *
 * The path so far does not depend on these bytes, so nothing of it changes.
 */
#include "search/beam/beam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM 16u                 /* open bytes: fewer are left to the levels */
#define SPREAD_BYTES ((size_t)1 << 28) /* of inputs that the origins may have of their own */
#define LONGEST_UNIT 4096u
#define TRIES 24u /* inputs for each origin in an episode, and as many again after a success */
#define TRY_BYTES ((size_t)1 << 20) /* of all these, where no time limits them */
#define PATIENCE 4.0 /* an episode's time, divided by this, is what spreading may take */

struct spread {
    struct beam *beam;
    struct beam_origin *origin;
    size_t size;    /* of an input */
    size_t grain;   /* bytes of an element */
    uint8_t *best;  /* the costliest input of the origin so far */
    uint8_t *trial; /* the one to be measured */
    double cost;    /* of the best */
    uint64_t random;
    double deadline;
};

/* ---- how a region is filled ---- */

enum fill { REPEATED, SHIFTED, NUMBERED, SPACED, FEW_VALUES, FILLS };

struct region {
    enum fill fill;
    size_t unit, length; /* what is copied: where it lies, how long it is */
    size_t from, to;     /* where the copies go */
};

static uint64_t draw(struct spread *spread, uint64_t below) {
    return below ? search_random(&spread->random) % below : 0;
}

/* From 1 to MOST, small ones as likely as large ones: each doubling has the same chance. */
static size_t draw_length(struct spread *spread, size_t most) {
    unsigned doublings = 0;
    while (most >> doublings > 1)
        doublings++;
    size_t low = (size_t)1 << draw(spread, doublings + 1);
    size_t length = low + (size_t)draw(spread, low);
    return length < most ? length : most;
}

static uint8_t filled_byte(const struct region *region, const uint8_t *unit, size_t at,
                           uint8_t present, uint64_t noise) {
    size_t copy = at / region->length, place = at % region->length;
    switch (region->fill) {
    case SHIFTED:
        return unit[(place + copy) % region->length];
    case NUMBERED:
        return place ? unit[place] : (uint8_t)(unit[place] + copy);
    case SPACED:
        return copy % 2 ? present : unit[place];
    case FEW_VALUES:
        return unit[noise % region->length];
    default:
        return unit[place];
    }
}

/* Does the path so far depend on the byte? */
static bool is_fixed(const struct beam_origin *origin, size_t at) {
    size_t place = at - origin->first;
    return place < origin->count && (origin->fixed[place / 8] >> place % 8 & 1);
}

static void fill_region(struct spread *spread, const struct region *region) {
    const uint8_t *unit = spread->best + region->unit;
    memcpy(spread->trial, spread->best, spread->size);
    for (size_t at = region->from; at < region->to; at++) {
        if (is_fixed(spread->origin, at))
            continue;
        uint64_t noise = region->fill == FEW_VALUES ? search_random(&spread->random) : 0;
        spread->trial[at] = filled_byte(region, unit, at - region->from, spread->best[at], noise);
    }
    search_clamp(&spread->beam->search->subject.layout, spread->trial, spread->size);
}

/* Elements stay whole. */
static size_t align(const struct spread *spread, size_t at) {
    return at / spread->grain * spread->grain;
}

/* The first tries: all open bytes repeat the last 1, 2, 3, 4, 6, 8, 12, ... that were fixed. */
static bool solved_unit(const struct spread *spread, unsigned number, struct region *region) {
    size_t first = align(spread, spread->origin->first);
    size_t length =
        number ? spread->grain * (2 + (number + 1) % 2) << (number - 1) / 2 : spread->grain;
    if (length > LONGEST_UNIT || length > first)
        return false;
    *region =
        (struct region){REPEATED, first - length, length, spread->origin->first, spread->size};
    return true;
}

static struct region draw_region(struct spread *spread) {
    size_t open = spread->size - spread->origin->first;
    size_t most = spread->size / 2 < LONGEST_UNIT ? spread->size / 2 : LONGEST_UNIT;
    struct region region = {.fill = (enum fill)draw(spread, FILLS)};
    region.length = draw_length(spread, most / spread->grain) * spread->grain;
    region.unit = align(spread, (size_t)draw(spread, spread->size - region.length + 1));
    region.from = align(spread, spread->origin->first + (size_t)draw(spread, open));
    region.to = spread->size;
    if (draw(spread, 2)) {
        region.to = region.from + draw_length(spread, open / spread->grain) * spread->grain;
    } else if (draw(spread, 2)) {
        region.from = spread->origin->first;
    }
    region.from = region.from < spread->origin->first ? spread->origin->first : region.from;
    region.to = region.to < spread->size ? region.to : spread->size;
    return region;
}

/* ---- measuring ---- */

static bool measure(struct spread *spread, const uint8_t *bytes, struct abi_result *result,
                    double *cost, struct base_error *error) {
    struct target_input input = {bytes, spread->size};
    return search_measure(spread->beam->search, &input, 1, result, cost, error);
}

/* The trial becomes the best if it costs more. */
static bool try_trial(struct spread *spread, bool *pays, struct base_error *error) {
    struct abi_result result;
    double cost;
    *pays = false;
    if (memcmp(spread->trial, spread->best, spread->size) == 0)
        return true;
    if (!measure(spread, spread->trial, &result, &cost, error))
        return false;
    if (isnan(cost) || cost <= spread->cost)
        return true;
    uint8_t *old = spread->best;
    spread->best = spread->trial;
    spread->trial = old;
    spread->cost = cost;
    *pays = true;
    return true;
}

static bool try_region(struct spread *spread, const struct region *region, bool *pays,
                       struct base_error *error) {
    fill_region(spread, region);
    return try_trial(spread, pays, error);
}

static bool is_over(const struct spread *spread) {
    return search_is_over(spread->beam->search) ||
           (spread->deadline > 0 && base_seconds() > spread->deadline);
}

/* Without a limit of time large inputs get fewer: the clock decides nothing then. */
static unsigned count_tries(const struct spread *spread) {
    size_t most = TRY_BYTES / spread->size;
    return spread->deadline > 0 || most >= TRIES ? TRIES : (unsigned)most + 1;
}

static bool climb(struct spread *spread, struct base_error *error) {
    bool pays;
    struct region region;
    unsigned tries = count_tries(spread);
    for (unsigned i = 0; i < tries && solved_unit(spread, i, &region) && !is_over(spread); i++)
        if (!try_region(spread, &region, &pays, error))
            return false;
    for (unsigned left = tries; left && !is_over(spread); left--) {
        region = draw_region(spread);
        if (!try_region(spread, &region, &pays, error))
            return false;
        left += pays ? tries : 0;
    }
    return true;
}

/* ---- origins ---- */

/* The origin's open bytes become those of the best input. */
static void settle(struct spread *spread) {
    struct beam_origin *origin = spread->origin;
    struct beam_ground *ground = beam_ground_new(spread->size);
    memcpy(ground->bytes, spread->best, spread->size);
    beam_ground_drop(origin->ground);
    origin->ground = ground;
    origin->name = beam_new_name();
    memcpy(origin->head, ground->bytes, origin->first + origin->count);
}

/* The input of an origin. */
static void compose(const struct beam_origin *origin, size_t size, uint8_t *to) {
    size_t end = origin->first + origin->count;
    memcpy(to, origin->head, end);
    memcpy(to + end, origin->ground->bytes + end, size - end);
}

/* *COST: what it costs in the end; NaN: it does not end well. */
static bool spread_origin(struct spread *spread, double *cost, struct base_error *error) {
    struct abi_result result;
    compose(spread->origin, spread->size, spread->best);
    if (!measure(spread, spread->best, &result, &spread->cost, error))
        return false;
    *cost = spread->cost;
    if (isnan(spread->cost))
        return true;
    double before = spread->cost;
    bool good = climb(spread, error);
    if (spread->cost > before)
        settle(spread);
    *cost = spread->cost;
    return good;
}

/* ---- what one origin found is tried by the others ---- */

/* The number of the costliest; COUNT: none has been measured. */
static size_t find_costliest(const double *costs, size_t count) {
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (!isnan(costs[i]) && (best == count || costs[i] > costs[best]))
            best = i;
    return best;
}

static bool adopt(struct spread *spread, const uint8_t *from, struct base_error *error) {
    bool pays;
    compose(spread->origin, spread->size, spread->best);
    memcpy(spread->trial, spread->best, spread->size);
    for (size_t at = spread->origin->first; at < spread->size; at++)
        if (!is_fixed(spread->origin, at))
            spread->trial[at] = from[at];
    search_clamp(&spread->beam->search->subject.layout, spread->trial, spread->size);
    if (!try_trial(spread, &pays, error))
        return false;
    if (pays)
        settle(spread);
    return true;
}

static bool share_costliest(struct spread *spread, const double *costs, struct base_error *error) {
    const struct beam_origins *origins = &spread->beam->origins;
    size_t best = find_costliest(costs, origins->count);
    uint8_t *bytes = base_alloc(spread->size + 1);
    bool good = true;
    spread->deadline = 0;
    if (best < origins->count)
        compose(&origins->data[best], spread->size, bytes);
    for (size_t i = 0; good && best < origins->count && i < origins->count; i++) {
        if (i == best || !(costs[i] < costs[best]) || is_over(spread))
            continue;
        spread->origin = &origins->data[i];
        spread->cost = costs[i];
        good = adopt(spread, bytes, error);
    }
    free(bytes);
    return good;
}

/* Bytes of an element: of the largest field, where an input has several. */
static size_t grain_of(const struct search_layout *layout) {
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
    return grain ? grain : 1;
}

static bool has_room(const struct beam *beam, size_t size) {
    return beam->origins.count && size <= SPREAD_BYTES / beam->origins.count;
}

bool beam_spread(struct beam *beam, double seconds, struct base_error *error) {
    size_t size = beam->search->subject.layout.bytes;
    struct spread spread = {.beam = beam,
                            .size = size,
                            .grain = grain_of(&beam->search->subject.layout),
                            .random = search_seed(beam->search, 0) ^ beam->fixed ^ beam->pass};
    bool good = true;
    if (!has_room(beam, size))
        return true;
    spread.best = base_alloc(size + 1);
    spread.trial = base_alloc(size + 1);
    double *costs = base_alloc((beam->origins.count + 1) * sizeof *costs);
    for (size_t i = 0; good && i < beam->origins.count; i++) {
        spread.origin = &beam->origins.data[i];
        spread.deadline =
            seconds > 0 ? base_seconds() + seconds / PATIENCE / (double)beam->origins.count : 0;
        costs[i] = NAN;
        if (size - spread.origin->first >= LEAST_ROOM && !is_over(&spread))
            good = spread_origin(&spread, &costs[i], error);
    }
    good = good && share_costliest(&spread, costs, error);
    free(costs);
    free(spread.best);
    free(spread.trial);
    beam_begin_frontier(beam);
    beam->is_unseen = true;
    return good;
}
