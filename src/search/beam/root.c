/* SPDX-License-Identifier: Apache-2.0
 *
 * Which input does the beam start from? It matters: bytes that no decision has fixed yet keep their
 * values from it. The first pass takes the costliest of a few candidates, later ones the costliest
 * test found so far.
 *
 * The candidates are zeros, the inputs given, and random ones of several styles. Where inputs of
 * any size can be run, candidates for a large input are compared by their beginnings, since one
 * whole run may take as long as the whole search.
 */
#include "search/beam/beam.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLE ((size_t)128 << 10)
#define SHORTER 8      /* the first samples are this many times shorter */
#define FINALISTS 4    /* candidates compared by longer samples */
#define WHOLE_PART 8   /* one part in so many of the time, for a run of the whole start */
#define LONGER 4       /* factor between successive beginnings of the costliest start */
#define LONGER_PART 60 /* one part in so many of the time, for running a longer beginning */

/* Random bytes of a limited number of values, or a random sequence of a limited number of words:
 * few values or words make inputs repeat themselves in many ways, 256 values make noise. */
struct style {
    unsigned values, length, words;
};
static const struct style styles[] = {
    {2, 1, 0},    {3, 1, 0},    {4, 1, 0},   {6, 1, 0},    {8, 1, 0},    {16, 1, 0},   {64, 1, 0},
    {256, 1, 0},  {256, 1, 0},  {256, 1, 0}, {256, 2, 16}, {256, 3, 4},  {256, 3, 16}, {256, 4, 4},
    {256, 4, 16}, {256, 4, 64}, {256, 6, 8}, {256, 6, 32}, {256, 8, 16}, {4, 6, 32},   {2, 12, 16}};

struct choice {
    struct beam *beam;
    size_t size; /* of the samples that are compared */
    uint8_t *candidate;
    double most;
    size_t best;   /* number of the best candidate */
    double *costs; /* per byte, of all candidates; below 0: the run failed */
};

static void fill_style(const struct style *style, uint64_t seed, uint8_t *to, size_t size) {
    uint64_t random = seed ^ style->values, words = seed ^ 0x776f726473u;
    size_t length = style->length, dictionary = length * style->words;
    for (size_t at = 0; at < size; at++) {
        size_t word = (size_t)search_random(&random);
        if (!style->words || at < dictionary)
            to[at] = (uint8_t)((style->words ? search_random(&words) : word) % style->values);
        else if (at % length == 0)
            for (size_t i = 0; i < length && at + i < size; i++)
                to[at + i] = to[word % style->words * length + i];
    }
}

void beam_make_start(const struct search *search, size_t number, uint8_t *to, size_t size) {
    const struct search_subject *subject = &search->subject;
    if (!number)
        memset(to, 0, size);
    else if (number <= subject->start_count)
        memcpy(to, subject->starts[number - 1].data, size);
    else
        fill_style(&styles[number - 1 - subject->start_count], search->options.seed * 1000 + number,
                   to, size);
    if (size == subject->layout.bytes)
        search_clamp(&subject->layout, to, size);
    if (number > subject->start_count) /* the run of a start must end */
        search_break_rings(&subject->layout, TARGET_HEAP_ACYCLIC, to, size);
}

/* Uniformly random bytes: the baseline. */
static bool is_random(const struct search *search, size_t number) {
    size_t style = number - 1 - search->subject.start_count;
    return number > search->subject.start_count && styles[style].values == 256 &&
           !styles[style].words;
}

static bool measure_candidate(struct choice *choice, struct abi_result *result, double *cost,
                              struct base_error *error) {
    const struct search_program *program = &choice->beam->search->subject.programs[0];
    struct target_input input = {choice->candidate, choice->size};
    double began = base_seconds();
    if (!program->measure(program->self, &input, 1, result, cost, error))
        return false;
    if (!result->wall_ns)
        result->wall_ns = (uint64_t)((base_seconds() - began) * 1e9);
    return true;
}

static bool try_candidate(struct choice *choice, size_t number, struct base_error *error) {
    struct beam *beam = choice->beam;
    struct abi_result result;
    double cost;
    beam_make_start(beam->search, number, choice->candidate, choice->size);
    if (!measure_candidate(choice, &result, &cost, error))
        return false;
    if (!search_ended_well(&result))
        return true;
    beam_note_pace(beam, cost, &result);
    if (choice->size == beam->search->subject.layout.bytes) {
        search_note_start(beam->search, cost, is_random(beam->search, number));
        beam_note_whole(beam, choice->candidate, cost, &result);
        if (beam->pool.limit)
            search_pool_offer(&beam->pool, choice->candidate, choice->size, cost, &result);
    }
    choice->costs[number] = cost / (double)choice->size;
    if (cost > choice->most) {
        choice->most = cost;
        choice->best = number;
    }
    return true;
}

/* Sorts out the costliest candidates, in order, and the cheapest. */
static void rank_candidates(struct beam *beam, const double *costs, size_t count) {
    beam->start_count = beam->cheapest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = beam->start_count;
        while (at > 0 && costs[i] > costs[beam->starts[at - 1]])
            at--;
        if (costs[i] < 0 || at == BEAM_STARTS)
            continue;
        beam->start_count += beam->start_count < BEAM_STARTS;
        memmove(beam->starts + at + 1, beam->starts + at,
                (beam->start_count - at - 1) * sizeof *beam->starts);
        beam->starts[at] = i;
    }
    for (size_t i = 0; i < count; i++)
        if (costs[i] >= 0 && !(costs[i] >= costs[beam->cheapest] && costs[beam->cheapest] >= 0))
            beam->cheapest = i;
}

static bool may_try(const struct choice *choice) {
    return !search_must_stop(choice->beam->search) && beam_has_time(choice->beam, choice->most);
}

/* Tries all of them, as far as there is time. */
static bool try_all(struct choice *choice, size_t count, struct base_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < count && (!i || may_try(choice)); i++)
        good = try_candidate(choice, i, error);
    rank_candidates(choice->beam, choice->costs, count);
    return good;
}

/* Short runs say little about how long a long one takes, and a beginning says little about the cost
 * per byte further on: runs the costliest start at larger sizes while that is quick. */
static bool try_longer(struct choice *choice, size_t bytes, struct base_error *error) {
    struct beam *beam = choice->beam;
    bool good = beam->start_count && beam->search->options.limits.seconds > 0;
    while (good && choice->size < bytes / LONGER && !search_must_stop(beam->search)) {
        double cost = choice->costs[beam->starts[0]] * (double)(choice->size * LONGER);
        if (beam_run_seconds(beam, cost) * LONGER_PART > search_seconds_left(beam->search))
            break;
        choice->size *= LONGER;
        if (!try_candidate(choice, beam->starts[0], error))
            return false;
    }
    return true;
}

/* Compares candidates by short samples, then the costliest of them by longer ones; finally runs the
 * costliest as a whole unless that takes too much of the time. In that case its cost stays unknown,
 * and later stages make a whole input that runs faster. */
static bool try_samples(struct choice *choice, size_t count, struct base_error *error) {
    struct beam *beam = choice->beam;
    size_t bytes = choice->size, finalists[FINALISTS];
    choice->size = SAMPLE / SHORTER;
    bool good = try_all(choice, count, error);
    size_t last = beam->start_count < FINALISTS ? beam->start_count : FINALISTS;
    memcpy(finalists, beam->starts, last * sizeof *finalists);
    choice->size = SAMPLE;
    choice->most = -1;
    for (size_t i = 0; good && i < last && !search_must_stop(beam->search); i++)
        good = try_candidate(choice, finalists[i], error);
    rank_candidates(beam, choice->costs, count);
    good = good && try_longer(choice, bytes, error);
    double cost = choice->costs[beam->starts[0]] * (double)bytes;
    double seconds = beam_run_seconds(beam, cost);
    choice->best = beam->starts[0];
    choice->size = bytes;
    choice->most = -1;
    return good && (seconds * WHOLE_PART > search_seconds_left(beam->search) ||
                    try_candidate(choice, choice->best, error));
}

static bool choose_first(struct beam *beam, uint8_t *root, struct base_error *error) {
    const struct search_subject *subject = &beam->search->subject;
    bool samples = subject->sizes_vary && subject->layout.bytes > SAMPLE;
    struct choice choice = {
        .beam = beam, .size = subject->layout.bytes, .candidate = root, .most = -1};
    size_t count = 1 + subject->start_count + (subject->prices.is_partial ? 0 : BASE_COUNT(styles));
    choice.costs = base_alloc(count * sizeof *choice.costs);
    for (size_t i = 0; i < count; i++)
        choice.costs[i] = -1;
    bool good = samples ? try_samples(&choice, count, error) : try_all(&choice, count, error);
    beam->start_cost = choice.costs[beam->starts[0]];
    beam->cheapest_cost = choice.costs[beam->cheapest];
    beam_make_start(beam->search, choice.best, root, subject->layout.bytes);
    free(choice.costs);
    beam->first_cost = choice.most;
    if (choice.most < 0)
        base_detail("beam: %zu inputs were compared by their beginnings", count);
    else
        base_detail("beam: starts from the costliest of %zu inputs%s, which costs %.15g", count,
                    samples ? " by their beginnings" : "", choice.most);
    return good;
}

/* Where only whole runs tell what a path costs, a level needs as many runs as it has states. So
 * random inputs and mixtures are tried first, in place of the styles. */
static bool choose_mixed(struct beam *beam, uint8_t *root, struct base_error *error) {
    size_t tests = beam->search->options.tests;
    search_archive_init(&beam->pool, tests < BEAM_STARTS ? BEAM_STARTS : tests);
    return choose_first(beam, root, error) && search_mix(beam->search, &beam->pool, error);
}

bool beam_choose_root(struct beam *beam, uint8_t *root, struct base_error *error) {
    const struct beam_test *best = beam_costliest_test(&beam->finished);
    if (!best)
        return (beam->search->subject.prices.is_partial ? choose_mixed : choose_first)(beam, root,
                                                                                       error);
    beam_compose_test(best, beam->search->subject.layout.bytes, root);
    base_detail("beam: pass %u starts from the costliest test, which costs %.15g", beam->pass + 1,
                best->cost);
    return true;
}
