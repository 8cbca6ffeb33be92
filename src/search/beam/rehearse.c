/* SPDX-License-Identifier: Apache-2.0
 *
 * How does one find what makes an input costly when a single run takes long? On a small one. Where
 * a target takes inputs of any size, the beginning of the root is changed by itself first (see
 * climb.c), hundreds of times for what a few whole runs would take; then the beginning that is four
 * times as long, and so on.
 *
 * Going from one size to the next, what was done to the beginning is done again: the fills that
 * paid are a recipe, and those that reached the end go on to the new one. Beside that the rest is
 * tried as a repetition of the beginning and as a text like it. Sizes that take too long to compare
 * are not compared. The whole input replaces the root if it costs more.
 */
#include "search/beam/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST ((size_t)512)      /* bytes of the first beginning */
#define GROWTH 4u                /* from one size to the next */
#define MOST ((size_t)128 << 10) /* bytes of a beginning that is changed */

/* In the manner of the beginning; PART: see spread.h. The first is the recipe itself. */
struct manner {
    enum beam_fill_kind kind;
    size_t part;
};
static const struct manner manners[] = {
    {BEAM_FILLS, 0},     {BEAM_REPEATED, 0},  {BEAM_SHIFTED, 0},   {BEAM_RESAMPLED, 1},
    {BEAM_RESAMPLED, 2}, {BEAM_RESAMPLED, 3}, {BEAM_RESAMPLED, 4}, {BEAM_RESAMPLED, 8}};

struct rehearsal {
    struct beam *beam;
    uint8_t *root;
    uint8_t *made, *scratch; /* of the size under way */
    struct beam_recipe recipe;
    size_t size; /* that the recipe is for */
    struct beam_rates rates;
};

/* ---- from one size to the next ---- */

/* Does what lies behind the beginning depend on what was there before? */
static bool adds_to_it(enum beam_fill_kind kind) {
    return kind == BEAM_SPACED || kind == BEAM_MOVED || kind == BEAM_SCATTERED;
}

/* The last fill that writes all of the end: those before it need not be prolonged. */
static size_t find_last_whole(const struct rehearsal *rehearsal) {
    size_t at = rehearsal->recipe.count;
    while (at-- > 0) {
        const struct beam_fill *fill = &rehearsal->recipe.data[at];
        if (fill->to == rehearsal->size && !adds_to_it(fill->kind))
            return at;
    }
    return 0;
}

/* The recipe for SIZE bytes, into MADE. */
static void cook(struct rehearsal *rehearsal, size_t size) {
    size_t whole = find_last_whole(rehearsal);
    memcpy(rehearsal->made, rehearsal->root, size);
    for (size_t i = 0; i < rehearsal->recipe.count; i++) {
        struct beam_fill fill = rehearsal->recipe.data[i];
        if (i >= whole && fill.to == rehearsal->size && fill.kind != BEAM_SCATTERED)
            fill.to = size;
        size_t reach = fill.to > rehearsal->size ? size : rehearsal->size;
        memcpy(rehearsal->scratch, rehearsal->made, reach);
        beam_fill(&fill, rehearsal->scratch, reach, rehearsal->made);
    }
}

static struct beam_fill make_fill(const struct rehearsal *rehearsal, size_t manner, size_t size) {
    return (struct beam_fill){.kind = manners[manner].kind,
                              .length = rehearsal->size,
                              .from = rehearsal->size,
                              .to = size,
                              .grain = 1,
                              .part = manners[manner].part,
                              .random = 1};
}

/* From COOKED, which is kept. */
static void extend(struct rehearsal *rehearsal, size_t manner, size_t size, const uint8_t *cooked) {
    memcpy(rehearsal->made, cooked, size);
    if (manner) {
        struct beam_fill fill = make_fill(rehearsal, manner, size);
        beam_fill(&fill, cooked, size, rehearsal->made);
    }
}

/* The recipe is for SIZE from now on. */
static void prolong(struct rehearsal *rehearsal, size_t manner, size_t size) {
    size_t whole = find_last_whole(rehearsal);
    for (size_t i = whole; i < rehearsal->recipe.count; i++) {
        struct beam_fill *fill = &rehearsal->recipe.data[i];
        if (fill->to == rehearsal->size && fill->kind != BEAM_SCATTERED)
            fill->to = size;
    }
    if (manner)
        base_push(&rehearsal->recipe, make_fill(rehearsal, manner, size));
    rehearsal->size = size;
}

/* Which manner costs most at SIZE? The climb's best input becomes that one. */
static bool choose_manner(struct rehearsal *rehearsal, struct beam_climb *climb,
                          struct base_error *error) {
    struct search *search = rehearsal->beam->search;
    size_t best = 0;
    double most = -1;
    bool good = true;
    cook(rehearsal, climb->size);
    memcpy(climb->scratch, rehearsal->made, climb->size);
    for (size_t i = 0; good && i < BASE_COUNT(manners) && !search_is_over(search); i++) {
        extend(rehearsal, i, climb->size, climb->scratch);
        memcpy(climb->best, rehearsal->made, climb->size);
        good = beam_climb_begin(climb, error);
        if (climb->cost > most) {
            most = climb->cost;
            best = i;
        }
    }
    extend(rehearsal, best, climb->size, climb->scratch);
    memcpy(climb->best, rehearsal->made, climb->size);
    climb->cost = most;
    prolong(rehearsal, best, climb->size);
    return good;
}

/* ---- one size ---- */

static bool climb_size(struct rehearsal *rehearsal, size_t size, double seconds,
                       struct base_error *error) {
    struct search *search = rehearsal->beam->search;
    struct beam_climb climb;
    beam_climb_init(&climb, search, 0, size);
    climb.random = search_seed(search, 0) + size;
    climb.rates = rehearsal->rates;
    climb.recipe = &rehearsal->recipe;
    bool good = choose_manner(rehearsal, &climb, error);
    double before = climb.cost;
    climb.deadline = base_seconds() + seconds;
    good = good && (climb.cost < 0 || beam_climb_run(&climb, error));
    base_detail("beam: a beginning of %zu bytes: %.15g, %.15g when changed", size, before,
                climb.cost);
    rehearsal->rates = climb.rates;
    beam_climb_done(&climb);
    return good;
}

/* The whole input as the recipe says; large ones are not copied more than that needs. */
static bool replace_root(struct rehearsal *rehearsal, struct base_error *error) {
    struct beam *beam = rehearsal->beam;
    size_t size = beam->search->subject.layout.bytes;
    struct beam_climb whole = {.search = beam->search,
                               .program = &beam->search->subject.programs[0],
                               .size = size,
                               .best = rehearsal->made};
    cook(rehearsal, size);
    search_clamp(&beam->search->subject.layout, rehearsal->made, size);
    if (!beam_climb_begin(&whole, error))
        return false;
    if (whole.cost > beam->first_cost)
        memcpy(rehearsal->root, rehearsal->made, size);
    base_detail("beam: the whole in the manner of its beginning: %.15g", whole.cost);
    return true;
}

static size_t first_size(size_t bytes) {
    while (bytes / GROWTH >= LEAST)
        bytes /= GROWTH;
    return bytes;
}

bool beam_rehearse(struct beam *beam, uint8_t *root, double seconds, struct base_error *error) {
    const struct search_subject *subject = &beam->search->subject;
    size_t bytes = subject->layout.bytes, first = first_size(bytes), stages = 0;
    struct rehearsal rehearsal = {.beam = beam, .root = root, .size = first};
    bool good = true;
    for (size_t size = first; size < bytes && size <= MOST; size *= GROWTH)
        stages++;
    if (!subject->sizes_vary || !stages || seconds <= 0 || beam->first_cost < 0)
        return true;
    rehearsal.made = base_alloc(bytes + 1);
    rehearsal.scratch = base_alloc(bytes + 1);
    for (size_t size = first; good && size < bytes && size <= MOST; size *= GROWTH)
        good = search_is_over(beam->search) ||
               climb_size(&rehearsal, size, seconds / (double)stages, error);
    good = good && (search_is_over(beam->search) || replace_root(&rehearsal, error));
    beam->rates = rehearsal.rates;
    base_vector_done(&rehearsal.recipe);
    free(rehearsal.made);
    free(rehearsal.scratch);
    return good;
}
