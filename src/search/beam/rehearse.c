/* SPDX-License-Identifier: Apache-2.0
 *
 * How can one find out what makes an input costly when a single run takes long? By trying it on a
 * small one. Where a target takes inputs of any size, short beginnings of the costliest starts are
 * first changed on their own (see climb.c), thousands of times in the time of a few whole runs.
 * Each then grows to twice its size, and the costlier half of them goes on, up to the full size.
 *
 * There are several ways to grow a beginning. The changes that improved it are a recipe, which can
 * be repeated at the new size, with fills that reached the old end extended to the new one. Or the
 * new part repeats what is there, exactly or with other values, or is a similar text. The costliest
 * way is taken. The whole input replaces the root if it costs more; as long as it does, another
 * round follows with other random numbers.
 */
#include "search/beam/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST ((size_t)512)      /* bytes of the first beginning */
#define GROWTH 2u                /* from one size to the next */
#define MOST ((size_t)128 << 10) /* bytes of the largest beginning that is changed */
#define ROUNDS 3u                /* at most, while each finds something better */
#define ROUND 0x726f756e64u      /* changes the random numbers of each round */
#define REFIT 1.5 /* run again if this many times as many costly bytes fit as in the last run */
#define WHOLE_SHARE 0.45 /* of the time left, for running a large input */

/* Grows by a fill from the last LENGTH/SHARE bytes of the beginning; PART: see spread.h. The first
 * one is the recipe itself. */
struct manner {
    enum beam_fill_kind kind;
    size_t part, share;
};
static const struct manner manners[] = {
    {BEAM_FILLS, 0, 1},     {BEAM_REPEATED, 0, 1},  {BEAM_REPEATED, 0, 2},  {BEAM_REPEATED, 0, 8},
    {BEAM_SHIFTED, 0, 1},   {BEAM_SHIFTED, 0, 8},   {BEAM_RENAMED, 1, 1},   {BEAM_RENAMED, 5, 1},
    {BEAM_RENAMED, 64, 1},  {BEAM_RENAMED, 5, 2},   {BEAM_RESAMPLED, 1, 1}, {BEAM_RESAMPLED, 2, 1},
    {BEAM_RESAMPLED, 3, 1}, {BEAM_RESAMPLED, 4, 1}, {BEAM_RESAMPLED, 8, 1}, {BEAM_RESAMPLED, 3, 2},
    {BEAM_RESAMPLED, 6, 2}, {BEAM_RESAMPLED, 6, 8}};

/* One start, and what its beginning has become. */
struct line {
    size_t start;  /* number of the start */
    uint8_t *head; /* the recipe starts from the input with these bytes replaced */
    size_t head_size;
    struct beam_recipe recipe;
    uint8_t *best; /* the best version of the beginning */
    size_t size;   /* its size, which the recipe is for */
    double cost;   /* its cost; below 0: its run failed */
};

struct rehearsal {
    struct beam *beam;
    unsigned round;
    struct line lines[BEAM_STARTS];
    size_t count;            /* of the lines that are left, the costliest first */
    uint8_t *made, *scratch; /* of the current size */
    struct beam_rates rates;
};

/* ---- from one size to the next ---- */

/* Does the fill keep some of what was there before? */
static bool adds_to_it(enum beam_fill_kind kind) {
    return kind == BEAM_SPACED || kind == BEAM_MOVED || kind == BEAM_SCATTERED ||
           kind == BEAM_SWAPPED;
}

/* The last fill that overwrites everything up to the end: earlier ones need not be extended. */
static size_t find_last_whole(const struct line *line) {
    size_t at = line->recipe.count;
    while (at-- > 0) {
        const struct beam_fill *fill = &line->recipe.data[at];
        if (fill->to == line->size && !adds_to_it(fill->kind))
            return at;
    }
    return 0;
}

static bool is_prolonged(const struct line *line, size_t at, size_t whole) {
    const struct beam_fill *fill = &line->recipe.data[at];
    return at >= whole && fill->to == line->size && fill->kind != BEAM_SCATTERED;
}

/* Applies the recipe to SIZE bytes, into MADE. */
static void cook(struct rehearsal *rehearsal, const struct line *line, size_t size) {
    size_t whole = find_last_whole(line);
    beam_make_start(rehearsal->beam->search, line->start, rehearsal->made, size);
    memcpy(rehearsal->made, line->head, line->head_size);
    for (size_t i = 0; i < line->recipe.count; i++) {
        struct beam_fill fill = line->recipe.data[i];
        fill.to = is_prolonged(line, i, whole) ? size : fill.to;
        size_t reach = fill.to > line->size ? size : line->size;
        memcpy(rehearsal->scratch, rehearsal->made, reach);
        beam_fill(&fill, rehearsal->scratch, reach, rehearsal->made);
    }
}

static struct beam_fill make_fill(const struct line *line, size_t manner, size_t size) {
    size_t length = line->size / manners[manner].share;
    return (struct beam_fill){.kind = manners[manner].kind,
                              .unit = line->size - length,
                              .length = length,
                              .from = line->size,
                              .to = size,
                              .grain = 1,
                              .part = manners[manner].part,
                              .random = 1};
}

/* Grows an input to SIZE bytes in this way, into MADE. */
static void extend(struct rehearsal *rehearsal, const struct line *line, size_t manner,
                   size_t size) {
    const struct search_layout *layout = &rehearsal->beam->search->subject.layout;
    struct beam_fill fill = make_fill(line, manner, size);
    if (manner) {
        memcpy(rehearsal->made, line->best, line->size);
        beam_fill(&fill, rehearsal->made, size, rehearsal->made);
    } else {
        cook(rehearsal, line, size);
    }
    if (size == layout->bytes)
        search_clamp(layout, rehearsal->made, size);
}

/* Makes the recipe one for SIZE. */
static void prolong(struct line *line, size_t manner, size_t size) {
    size_t whole = find_last_whole(line);
    for (size_t i = 0; !manner && i < line->recipe.count; i++)
        if (is_prolonged(line, i, whole))
            line->recipe.data[i].to = size;
    if (manner) {
        memcpy(line->head, line->best, line->size);
        line->head_size = line->size;
        line->recipe.count = 0;
        base_push(&line->recipe, make_fill(line, manner, size));
    }
    line->size = size;
}

/* Which way of growing costs most at SIZE? Sets *CHOSEN and leaves that input in MADE. */
static bool choose_manner(struct rehearsal *rehearsal, struct line *line, size_t size,
                          double deadline, size_t *chosen, struct base_error *error) {
    struct search *search = rehearsal->beam->search;
    struct beam_climb climb = {.search = search,
                               .program = &search->subject.programs[0],
                               .size = size,
                               .best = rehearsal->made};
    bool good = true;
    *chosen = 0;
    line->cost = -1;
    for (size_t i = 0; good && i < BASE_COUNT(manners) && !search_is_over(search); i++) {
        if (i && (size == line->size || base_seconds() > deadline))
            break;
        extend(rehearsal, line, i, size);
        good = beam_climb_begin(&climb, error);
        if (climb.cost > line->cost) {
            line->cost = climb.cost;
            *chosen = i;
        }
    }
    extend(rehearsal, line, *chosen, size);
    return good;
}

/* ---- one size ---- */

static bool climb_line(struct rehearsal *rehearsal, struct line *line, size_t size, double seconds,
                       struct base_error *error) {
    struct search *search = rehearsal->beam->search;
    struct beam_climb climb;
    size_t manner;
    double deadline = base_seconds() + seconds;
    if (!choose_manner(rehearsal, line, size, deadline, &manner, error))
        return false;
    beam_climb_init(&climb, search, 0, size);
    climb.random = search_seed(search, 0) + size + line->start + (uint64_t)rehearsal->round * ROUND;
    climb.rates = rehearsal->rates;
    climb.recipe = &line->recipe;
    climb.fresh = line->size;
    climb.cost = line->cost;
    climb.deadline = deadline;
    memcpy(climb.best, rehearsal->made, size);
    prolong(line, manner, size);
    bool good = line->cost < 0 || beam_climb_run(&climb, error);
    memcpy(line->best, climb.best, size);
    base_detail("beam: a beginning of %zu bytes of start %zu: %.15g, %.15g when changed (%zu)",
                size, line->start, line->cost, climb.cost, manner);
    line->cost = climb.cost;
    rehearsal->rates = climb.rates;
    beam_climb_done(&climb);
    return good;
}

static int costliest_first(const void *a, const void *b) {
    const struct line *x = a, *y = b;
    return x->cost != y->cost ? (x->cost < y->cost) - (x->cost > y->cost)
                              : (x->start > y->start) - (x->start < y->start);
}

/* Grows all lines to SIZE; the costlier half goes on. */
static bool run_stage(struct rehearsal *rehearsal, size_t size, double seconds,
                      struct base_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < rehearsal->count; i++)
        good = search_is_over(rehearsal->beam->search) ||
               climb_line(rehearsal, &rehearsal->lines[i], size, seconds / (double)rehearsal->count,
                          error);
    qsort(rehearsal->lines, rehearsal->count, sizeof *rehearsal->lines, costliest_first);
    rehearsal->count = (rehearsal->count + 1) / 2;
    return good;
}

/* ---- the whole input ---- */

/* MADE is a whole input: replaces the root if it costs more. */
static bool try_whole(struct rehearsal *rehearsal, uint8_t *root, size_t manner, bool *pays,
                      struct base_error *error) {
    struct beam *beam = rehearsal->beam;
    struct beam_climb climb = {.search = beam->search,
                               .program = &beam->search->subject.programs[0],
                               .size = beam->search->subject.layout.bytes,
                               .best = rehearsal->made};
    if (!beam_climb_begin(&climb, error))
        return false;
    *pays = climb.cost > beam->first_cost;
    if (*pays) {
        memcpy(root, rehearsal->made, climb.size);
        beam->first_cost = climb.cost;
    }
    base_detail("beam: the whole in the manner of its beginning: %.15g (%zu)", climb.cost, manner);
    return true;
}

/* How many bytes of a whole input can be costly, at COST each, and the others cheap, if it is to be
 * run twice in the time left. */
static size_t find_reach(const struct rehearsal *rehearsal, double cost) {
    struct beam *beam = rehearsal->beam;
    double bytes = (double)beam->search->subject.layout.bytes;
    double budget = search_seconds_left(beam->search) * WHOLE_SHARE;
    double costly = beam_run_seconds(beam, cost * bytes);
    double cheap = beam_run_seconds(beam, beam->cheapest_cost * bytes);
    if (costly <= budget)
        return beam->search->subject.layout.bytes;
    return budget <= cheap ? 0 : (size_t)(bytes * (budget - cheap) / (costly - cheap));
}

/* MADE costs COST per byte: replaces its end by cheap bytes as far as there is no time for it.
 * Returns how many bytes stay. */
static size_t fit(struct rehearsal *rehearsal, double cost) {
    struct beam *beam = rehearsal->beam;
    size_t bytes = beam->search->subject.layout.bytes, reach = find_reach(rehearsal, cost);
    if (reach == bytes)
        return reach;
    beam_make_start(beam->search, beam->cheapest, rehearsal->scratch, bytes);
    memcpy(rehearsal->made + reach, rehearsal->scratch + reach, bytes - reach);
    base_detail("beam: there is time for %zu costly bytes of %zu", reach, bytes);
    return reach;
}

/* Tries a whole input that costs COST per byte, shortened to the time there is: LINE grown by
 * MANNER or, if LINE is NULL, the costliest start. If the run was much shorter than expected, tries
 * again with more costly bytes. */
static bool try_fitting(struct rehearsal *rehearsal, struct line *line, size_t manner, double cost,
                        uint8_t *root, bool *pays, struct base_error *error) {
    struct beam *beam = rehearsal->beam;
    size_t bytes = beam->search->subject.layout.bytes, reach = 0,
           next = find_reach(rehearsal, cost);
    bool good = true, is_better = false;
    do {
        if (line)
            extend(rehearsal, line, manner, bytes);
        else
            beam_make_start(beam->search, beam->starts[0], rehearsal->made, bytes);
        reach = fit(rehearsal, cost);
        good = try_whole(rehearsal, root, manner, &is_better, error);
        *pays |= good && is_better;
        next = find_reach(rehearsal, cost);
    } while (good && (double)next > REFIT * (double)reach && !search_is_over(beam->search));
    return good;
}

/* For when even the costliest start takes too long: as much of it as there is time for. */
static bool take_start(struct rehearsal *rehearsal, uint8_t *root, struct base_error *error) {
    bool pays = false;
    return try_fitting(rehearsal, NULL, 0, rehearsal->beam->start_cost, root, &pays, error);
}

/* For large inputs: compares the ways to grow at twice the size of the beginning, and with the
 * costliest start unchanged. */
static bool grow_large(struct rehearsal *rehearsal, uint8_t *root, double seconds, bool *pays,
                       struct base_error *error) {
    struct beam *beam = rehearsal->beam;
    struct line *line = &rehearsal->lines[0];
    struct search *search = beam->search;
    size_t size = GROWTH * line->size, manner;
    struct beam_climb plain = {.search = search,
                               .program = &search->subject.programs[0],
                               .size = size,
                               .best = rehearsal->made};
    if (!choose_manner(rehearsal, line, size, base_seconds() + seconds, &manner, error))
        return false;
    beam_make_start(search, beam->starts[0], rehearsal->made, size);
    if (!beam_climb_begin(&plain, error))
        return false;
    bool is_plain = plain.cost >= line->cost;
    if (is_plain && beam->first_cost >= 0)
        return true; /* which the root already is */
    double cost = (is_plain ? plain.cost : line->cost) / (double)size;
    return try_fitting(rehearsal, is_plain ? NULL : line, manner, cost, root, pays, error);
}

/* Grows the costliest beginning to the whole input. *PAYS: it costs more than the root. */
static bool replace_root(struct rehearsal *rehearsal, uint8_t *root, double seconds, bool *pays,
                         struct base_error *error) {
    struct line *line = &rehearsal->lines[0];
    size_t size = rehearsal->beam->search->subject.layout.bytes, manner;
    if (!line->best || search_is_over(rehearsal->beam->search))
        return true;
    if (size > GROWTH * MOST)
        return grow_large(rehearsal, root, seconds, pays, error);
    return choose_manner(rehearsal, line, size, base_seconds() + seconds, &manner, error) &&
           try_whole(rehearsal, root, manner, pays, error);
}

static size_t first_size(size_t bytes) {
    while (bytes / GROWTH >= LEAST)
        bytes /= GROWTH;
    return bytes;
}

static void begin_lines(struct rehearsal *rehearsal, size_t size) {
    const struct beam *beam = rehearsal->beam;
    rehearsal->count = beam->start_count;
    for (size_t i = 0; i < rehearsal->count; i++)
        rehearsal->lines[i] = (struct line){.start = beam->starts[i],
                                            .size = size,
                                            .head = base_alloc(MOST),
                                            .best = base_alloc(MOST)};
}

static void end_lines(struct rehearsal *rehearsal) {
    for (size_t i = 0; i < rehearsal->beam->start_count; i++) {
        base_vector_done(&rehearsal->lines[i].recipe);
        free(rehearsal->lines[i].head);
        free(rehearsal->lines[i].best);
    }
}

/* One round through all sizes. */
static bool run_round(struct rehearsal *rehearsal, uint8_t *root, size_t first, double seconds,
                      bool *pays, struct base_error *error) {
    size_t bytes = rehearsal->beam->search->subject.layout.bytes;
    bool good = true;
    begin_lines(rehearsal, first);
    for (size_t size = first; good && size < bytes && size <= MOST; size *= GROWTH)
        good = run_stage(rehearsal, size, seconds, error);
    good = good && replace_root(rehearsal, root, seconds, pays, error);
    end_lines(rehearsal);
    return good;
}

bool beam_rehearse(struct beam *beam, uint8_t *root, double seconds, struct base_error *error) {
    const struct search_subject *subject = &beam->search->subject;
    size_t bytes = subject->layout.bytes, first = first_size(bytes), stages = 1;
    struct rehearsal rehearsal = {.beam = beam};
    bool good = true, pays = true;
    for (size_t size = first; size < bytes && size <= MOST; size *= GROWTH)
        stages++;
    if (!subject->sizes_vary || stages < 2 || seconds <= 0 || !beam->start_count)
        return true;
    rehearsal.made = base_alloc(bytes + 1);
    rehearsal.scratch = base_alloc(bytes + 1);
    seconds /= (double)stages;
    bool is_too_long = find_reach(&rehearsal, beam->start_cost) < bytes;
    if (is_too_long)
        good = take_start(&rehearsal, root, error);
    for (; good && pays && !is_too_long && rehearsal.round < ROUNDS &&
           beam_has_time(beam, beam_record_cost(beam));
         rehearsal.round++) {
        pays = false;
        good = run_round(&rehearsal, root, first, seconds, &pays, error);
    }
    beam->rates = rehearsal.rates;
    free(rehearsal.made);
    free(rehearsal.scratch);
    return good;
}
