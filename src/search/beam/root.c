/* SPDX-License-Identifier: Apache-2.0
 *
 * Which input does the beam start from? What no decision has fixed yet stays as it is in the first
 * input, so it matters. The first pass takes the costliest of a few; later ones the costliest test
 * that was found.
 *
 * The few are zeros, the inputs given, and random ones of several styles. Where an input of any
 * size can be run, styles of large inputs are compared by a sample of them, since one whole run may
 * take as long as all the search is given.
 */
#include "search/beam/beam.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLE ((size_t)128 << 10)

/* Random bytes of so many different values, or a random sequence of words of so many bytes of so
 * many values: few values or words make inputs that repeat themselves in many ways, all 256 make
 * noise. */
struct style {
    unsigned values, length, words;
};
static const struct style styles[] = {
    {2, 1, 0},    {3, 1, 0},    {4, 1, 0},   {6, 1, 0},    {8, 1, 0},    {16, 1, 0},   {64, 1, 0},
    {256, 1, 0},  {256, 1, 0},  {256, 1, 0}, {256, 2, 16}, {256, 3, 4},  {256, 3, 16}, {256, 4, 4},
    {256, 4, 16}, {256, 4, 64}, {256, 6, 8}, {256, 6, 32}, {256, 8, 16}, {4, 6, 32},   {2, 12, 16}};

struct choice {
    struct beam *beam;
    size_t size; /* of the bytes that candidates are compared by */
    uint8_t *candidate;
    double most;
    size_t best;   /* number of the best candidate */
    double *costs; /* of all; below 0: it did not end well */
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
    if (number > subject->start_count) /* a start must come to an end */
        search_break_rings(&subject->layout, TARGET_HEAP_ACYCLIC, to, size);
}

/* Bytes that are drawn evenly: what luck alone gives. */
static bool is_random(const struct search *search, size_t number) {
    size_t style = number - 1 - search->subject.start_count;
    return number > search->subject.start_count && styles[style].values == 256 &&
           !styles[style].words;
}

static bool try_candidate(struct choice *choice, size_t number, struct base_error *error) {
    const struct search_program *program = &choice->beam->search->subject.programs[0];
    struct target_input input = {choice->candidate, choice->size};
    struct abi_result result;
    double cost;
    beam_make_start(choice->beam->search, number, choice->candidate, choice->size);
    if (!program->measure(program->self, &input, 1, &result, &cost, error))
        return false;
    if (!search_ended_well(&result))
        return true;
    if (choice->size == choice->beam->search->subject.layout.bytes)
        search_note_start(choice->beam->search, cost, is_random(choice->beam->search, number));
    choice->costs[number] = cost;
    if (cost > choice->most) {
        choice->beam->first_result = result;
        choice->most = cost;
        choice->best = number;
    }
    return true;
}

/* The costliest candidates, in order. */
static void rank_candidates(struct beam *beam, const double *costs, size_t count) {
    beam->start_count = 0;
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
}

static bool choose_first(struct beam *beam, uint8_t *root, struct base_error *error) {
    const struct search_subject *subject = &beam->search->subject;
    bool samples = subject->sizes_vary && subject->layout.bytes > SAMPLE;
    struct choice choice = {.beam = beam,
                            .size = samples ? SAMPLE : subject->layout.bytes,
                            .candidate = root,
                            .most = -1};
    size_t count = 1 + subject->start_count + BASE_COUNT(styles);
    bool good = true;
    choice.costs = base_alloc(count * sizeof *choice.costs);
    for (size_t i = 0; i < count; i++)
        choice.costs[i] = -1;
    for (size_t i = 0; good && i < count && (!i || !search_must_stop(beam->search)); i++)
        good = try_candidate(&choice, i, error);
    rank_candidates(beam, choice.costs, count);
    if (samples) { /* what the whole input costs */
        size_t best = choice.best;
        choice.size = subject->layout.bytes;
        choice.most = -1;
        good = good && try_candidate(&choice, best, error);
    }
    beam_make_start(beam->search, choice.best, root, subject->layout.bytes);
    free(choice.costs);
    beam->first_cost = choice.most;
    base_detail("beam: starts from the costliest of %zu inputs%s, which costs %.15g", count,
                samples ? " by their beginnings" : "", choice.most);
    return good;
}

bool beam_choose_root(struct beam *beam, uint8_t *root, struct base_error *error) {
    const struct beam_test *best = beam_costliest_test(&beam->finished);
    if (!best)
        return choose_first(beam, root, error);
    beam_compose_test(best, beam->search->subject.layout.bytes, root);
    base_detail("beam: pass %u starts from the costliest test, which costs %.15g", beam->pass + 1,
                best->cost);
    return true;
}
