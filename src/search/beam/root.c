/* SPDX-License-Identifier: Apache-2.0
 *
 * Which input does the beam start from? What no decision has fixed yet stays as it is in the first
 * input, so it matters. The first pass takes the costliest of a few; later ones the costliest test
 * that was found.
 *
 * The few are zeros, the inputs given, and random ones of several textures. Where an input of any
 * size can be run, textures of large inputs are judged by a sample of them, since one whole run may
 * take as long as all the search is given.
 */
#include "search/beam/beam.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLE ((size_t)128 << 10)

/* Random bytes of so many different values, or a random sequence of words of so many bytes of so
 * many values: few values or words make inputs that repeat themselves in many ways, all 256 make
 * noise. */
struct texture {
    unsigned values, length, words;
};
static const struct texture textures[] = {
    {2, 1, 0},    {3, 1, 0},    {4, 1, 0},   {6, 1, 0},    {8, 1, 0},    {16, 1, 0},   {64, 1, 0},
    {256, 1, 0},  {256, 1, 0},  {256, 1, 0}, {256, 2, 16}, {256, 3, 4},  {256, 3, 16}, {256, 4, 4},
    {256, 4, 16}, {256, 4, 64}, {256, 6, 8}, {256, 6, 32}, {256, 8, 16}, {4, 6, 32},   {2, 12, 16}};

struct choice {
    struct beam *beam;
    size_t size; /* of the bytes that candidates are judged by */
    uint8_t *candidate;
    double most;
    size_t best; /* number of the best candidate */
};

static void fill_texture(const struct texture *texture, uint64_t seed, uint8_t *to, size_t size) {
    uint64_t random = seed ^ texture->values, words = seed ^ 0x776f726473u;
    size_t length = texture->length, dictionary = length * texture->words;
    for (size_t at = 0; at < size; at++) {
        size_t word = (size_t)search_random(&random);
        if (!texture->words || at < dictionary)
            to[at] = (uint8_t)((texture->words ? search_random(&words) : word) % texture->values);
        else if (at % length == 0)
            for (size_t i = 0; i < length && at + i < size; i++)
                to[at + i] = to[word % texture->words * length + i];
    }
}

/* Candidate NUMBER: zeros, a seed or a texture. */
static void make_candidate(const struct search_options *options, size_t number, uint8_t *to,
                           size_t size) {
    if (!number)
        memset(to, 0, size);
    else if (number <= options->seed_count)
        memcpy(to, options->seeds[number - 1].data, size);
    else
        fill_texture(&textures[number - 1 - options->seed_count], options->seed * 1000 + number, to,
                     size);
    if (size == options->input_size)
        search_clamp(options, to, options->input_size);
}

static bool judge(struct choice *choice, size_t number, struct base_error *error) {
    const struct search_programs *programs = &choice->beam->search->programs[0];
    struct target_input input = {choice->candidate, choice->size};
    struct abi_result result;
    double cost;
    make_candidate(&choice->beam->search->options, number, choice->candidate, choice->size);
    if (!programs->measure(programs->self, &input, 1, &result, &cost, error))
        return false;
    if (result.status == ABI_STATUS_OK && !result.rejected && cost > choice->most) {
        choice->beam->first_result = result;
        choice->most = cost;
        choice->best = number;
    }
    return true;
}

static bool choose_first(struct beam *beam, uint8_t *root, struct base_error *error) {
    const struct search_options *options = &beam->search->options;
    bool samples = options->sizes_vary && options->input_size > SAMPLE;
    struct choice choice = {.beam = beam,
                            .size = samples ? SAMPLE : options->input_size,
                            .candidate = root,
                            .most = -1};
    size_t count = 1 + options->seed_count + BASE_COUNT(textures);
    bool good = true;
    for (size_t i = 0; good && i < count && (!i || !search_must_stop(beam->search)); i++)
        good = judge(&choice, i, error);
    if (samples) { /* what the whole input costs */
        size_t best = choice.best;
        choice.size = options->input_size;
        choice.most = -1;
        good = good && judge(&choice, best, error);
    }
    make_candidate(options, choice.best, root, options->input_size);
    beam->first_cost = choice.most;
    base_detail("beam: starts from the costliest of %zu inputs%s, which costs %.15g", count,
                samples ? " by their beginnings" : "", choice.most);
    return good;
}

bool beam_choose_root(struct beam *beam, uint8_t *root, struct base_error *error) {
    const struct beam_test *best = beam_costliest_test(&beam->shelf);
    if (!best)
        return choose_first(beam, root, error);
    beam_compose_test(best, beam->search->options.input_size, root);
    base_detail("beam: pass %u starts from the costliest test, which costs %.15g", beam->pass + 1,
                best->cost);
    return true;
}
