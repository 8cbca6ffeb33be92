/* SPDX-License-Identifier: Apache-2.0
 *
 * Does an input cost more if the rest of it repeats what the beam has solved?
 *
 * A level decides a few bytes of an input of thousands; the others keep their initial values. So
 * after each episode the bytes after the fixed ones are filled with copies of what precedes them:
 * the unit that the episode solved, and regions of other lengths and places (see fill.c). Whole
 * inputs are measured, and changes that cost more are kept for later episodes.
 *
 * The path so far does not depend on these bytes, so it stays valid. Each origin climbs on its own;
 * if time is limited, a climb starts with what earlier climbs found, and in the end all origins
 * take over the open bytes of the costliest if that raises their cost.
 */
#include "search/beam/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM 16u                 /* open bytes: if there are fewer, levels decide them */
#define SPREAD_BYTES ((size_t)1 << 28) /* total size of inputs that origins may own */

/* One climb. */
struct ascent {
    size_t origin;
    uint8_t *bytes; /* the best input found; NULL: no better one */
    double cost;    /* NAN: not measured */
    struct abi_result result;
    struct beam_rates rates;
};

struct spread {
    struct beam *beam;
    size_t size;
    struct ascent *ascents;
    size_t count, next;
    double seconds;       /* per climb; 0: no limit */
    const uint8_t *found; /* the costliest finished so far */
    double found_cost;
};

/* ---- origins ---- */

/* The input of an origin. */
static void compose(const struct beam_origin *origin, size_t size, uint8_t *to) {
    size_t end = origin->first + origin->count;
    memcpy(to, origin->head, end);
    memcpy(to + end, origin->ground->bytes + end, size - end);
}

/* Replaces the origin's open bytes by those of BYTES. */
static void settle(struct beam_origin *origin, const uint8_t *bytes, size_t size, double cost) {
    struct beam_ground *ground = beam_ground_new(size);
    memcpy(ground->bytes, bytes, size);
    beam_ground_drop(origin->ground);
    origin->ground = ground;
    origin->name = beam_new_name();
    origin->cost = cost;
    memcpy(origin->head, ground->bytes, origin->first + origin->count);
}

static bool has_room(const struct beam_origin *origin, size_t size) {
    return size - origin->first >= LEAST_ROOM;
}

/* ---- climbing ---- */

static void begin_climb(struct beam_climb *climb, const struct spread *spread, size_t number,
                        size_t worker) {
    struct beam *beam = spread->beam;
    const struct beam_origin *origin = &beam->origins.data[spread->ascents[number].origin];
    beam_climb_init(climb, beam->search, worker, spread->size);
    climb->origin = origin;
    climb->first = origin->first;
    climb->random = (search_seed(beam->search, 0) ^ beam->fixed ^ beam->pass) + number;
    climb->rates = beam->rates;
    if (spread->seconds > 0)
        climb->deadline = base_seconds() + spread->seconds;
    compose(origin, spread->size, climb->best);
}

/* Tries what other climbs found, in the open bytes. */
static bool adopt(struct beam_climb *climb, const uint8_t *from, struct base_error *error) {
    memcpy(climb->trial, climb->best, climb->first);
    memcpy(climb->trial + climb->first, from + climb->first, climb->size - climb->first);
    return beam_climb_try(climb, error);
}

static bool climb_from(struct beam_climb *climb, const uint8_t *found, struct ascent *ascent,
                       struct base_error *error) {
    climb->cost = climb->origin->cost;
    if (!(climb->cost > 0) && !beam_climb_begin(climb, error))
        return false;
    double before = ascent->cost = climb->cost;
    if (isnan(before))
        return true;
    bool good = (!found || adopt(climb, found, error)) && beam_climb_run(climb, error);
    ascent->rates = climb->rates;
    ascent->cost = climb->cost;
    if (climb->cost > before) {
        ascent->bytes = climb->best;
        ascent->result = climb->best_result;
        climb->best = NULL;
    }
    return good;
}

/* The next climb that has not been started. */
static bool take_ascent(struct spread *spread, size_t *number, const uint8_t **found) {
    struct search *search = spread->beam->search;
    pthread_mutex_lock(&search->lock);
    bool is_there = spread->next < spread->count && !search_must_stop(search);
    *number = spread->next;
    spread->next += is_there;
    *found = spread->seconds > 0 ? spread->found : NULL;
    pthread_mutex_unlock(&search->lock);
    return is_there;
}

static void note_ascent(struct spread *spread, const struct ascent *ascent) {
    pthread_mutex_lock(&spread->beam->search->lock);
    if (ascent->bytes && ascent->cost > spread->found_cost) {
        spread->found = ascent->bytes;
        spread->found_cost = ascent->cost;
    }
    pthread_mutex_unlock(&spread->beam->search->lock);
}

static bool work(struct search *search, size_t worker, struct base_error *error) {
    struct spread *spread = ((struct beam *)search->state)->spread;
    size_t number;
    const uint8_t *found;
    bool good = true;
    while (good && beam_has_time(spread->beam, beam_record_cost(spread->beam)) &&
           take_ascent(spread, &number, &found)) {
        struct beam_climb climb;
        begin_climb(&climb, spread, number, worker);
        good = climb_from(&climb, found, &spread->ascents[number], error);
        beam_climb_done(&climb);
        note_ascent(spread, &spread->ascents[number]);
    }
    return good;
}

/* ---- using the results ---- */

/* Takes the costliest climb of each origin. */
static void settle_all(struct spread *spread) {
    struct beam_origins *origins = &spread->beam->origins;
    for (size_t i = 0; i < origins->count; i++) {
        const struct ascent *best = NULL;
        for (size_t k = 0; k < spread->count; k++) {
            const struct ascent *ascent = &spread->ascents[k];
            if (ascent->origin == i && ascent->bytes && (!best || ascent->cost > best->cost))
                best = ascent;
        }
        if (!best)
            continue;
        settle(&origins->data[i], best->bytes, spread->size, best->cost);
        beam_remember_origin(spread->beam, i, best->bytes, &best->result);
    }
}

static void add_rates(struct beam_rates *sum, const struct beam_rates *before,
                      const struct beam_rates *after) {
    for (int kind = 0; kind < BEAM_FILLS; kind++) {
        sum->tries[kind] += after->tries[kind] - before->tries[kind];
        sum->wins[kind] += after->wins[kind] - before->wins[kind];
    }
}

/* Only recent rates count: what helped at the beginning may no longer do so. */
static void learn_rates(struct spread *spread) {
    struct beam_rates before = spread->beam->rates, *rates = &spread->beam->rates;
    for (size_t i = 0; i < spread->count; i++)
        if (!isnan(spread->ascents[i].cost))
            add_rates(rates, &before, &spread->ascents[i].rates);
    for (int kind = 0; kind < BEAM_FILLS; kind++) {
        rates->tries[kind] /= 2;
        rates->wins[kind] /= 2;
    }
}

/* Origins that cost less try the open bytes of the costliest. */
static bool share_costliest(struct spread *spread, struct base_error *error) {
    struct beam_origins *origins = &spread->beam->origins;
    bool good = true;
    for (size_t i = 0; good && spread->found && i < spread->count; i++) {
        struct beam_climb climb;
        const struct ascent *ascent = &spread->ascents[i];
        if (!(ascent->cost < spread->found_cost) || search_is_over(spread->beam->search) ||
            !beam_has_time(spread->beam, spread->found_cost))
            continue;
        begin_climb(&climb, spread, i, 0);
        climb.cost = ascent->cost;
        good = adopt(&climb, spread->found, error);
        if (good && climb.cost > ascent->cost)
            settle(&origins->data[ascent->origin], climb.best, spread->size, climb.cost);
        beam_climb_done(&climb);
    }
    return good;
}

bool beam_adopt_record(struct beam *beam, struct base_error *error) {
    struct spread spread = {.beam = beam, .size = beam->search->subject.layout.bytes};
    bool good = true;
    for (size_t i = 0; good && beam->record.bytes && i < beam->origins.count; i++) {
        struct beam_origin *origin = &beam->origins.data[i];
        struct ascent ascent = {.origin = i};
        struct beam_climb climb;
        spread.ascents = &ascent;
        if (!has_room(origin, spread.size) || !(origin->cost < beam_record_cost(beam)) ||
            search_is_over(beam->search) || !beam_has_time(beam, beam_record_cost(beam)))
            continue;
        begin_climb(&climb, &spread, 0, 0);
        climb.cost = origin->cost;
        good = (climb.cost > 0 || beam_climb_begin(&climb, error)) &&
               adopt(&climb, beam->record.bytes, error);
        if (good && climb.cost > origin->cost)
            settle(origin, climb.best, spread.size, climb.cost);
        beam_climb_done(&climb);
    }
    return good;
}

static void make_ascents(struct spread *spread, double seconds) {
    struct beam *beam = spread->beam;
    size_t origins = beam->origins.count, jobs = beam->search->subject.jobs;
    bool is_large = spread->size > SPREAD_BYTES / 16;
    size_t climbs = seconds > 0 && origins < jobs && !is_large ? jobs : origins;
    spread->ascents = base_alloc((climbs + 1) * sizeof *spread->ascents);
    for (size_t i = 0; i < climbs; i++)
        if (has_room(&beam->origins.data[i % origins], spread->size))
            spread->ascents[spread->count++] = (struct ascent){.origin = i % origins, .cost = NAN};
    if (seconds > 0 && spread->count)
        spread->seconds = seconds * (double)jobs / (double)spread->count;
}

bool beam_spread(struct beam *beam, double seconds, struct base_error *error) {
    struct spread spread = {.beam = beam, .size = beam->search->subject.layout.bytes};
    if (!beam->origins.count || spread.size > SPREAD_BYTES / beam->origins.count)
        return true;
    make_ascents(&spread, seconds);
    beam->spread = &spread;
    bool good = search_run_workers(beam->search, work, error);
    beam->spread = NULL;
    settle_all(&spread);
    good = good && share_costliest(&spread, error);
    learn_rates(&spread);
    if (spread.found_cost > beam->highest)
        beam->highest = spread.found_cost;
    for (size_t i = 0; i < spread.count; i++)
        free(spread.ascents[i].bytes);
    free(spread.ascents);
    beam_begin_frontier(beam);
    beam->is_unseen = true;
    return good;
}
