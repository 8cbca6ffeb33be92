/* SPDX-License-Identifier: Apache-2.0
 *
 * Which input does the beam start from? What no decision has fixed yet stays as it is in the first
 * input, so it matters. The first pass takes the costliest of a few; later ones the costliest test
 * that was found.
 */
#include "search/beam.h"

#include <stdlib.h>
#include <string.h>

static bool try_root(struct beam *beam, const void *candidate, double *most, uint8_t *root,
                     struct base_error *error) {
    const struct search_programs *programs = &beam->search->programs[0];
    size_t size = beam->search->options.input_size;
    struct target_input input = {candidate, size};
    struct abi_result result;
    double cost;
    if (!programs->measure(programs->self, &input, 1, &result, &cost, error))
        return false;
    if (result.status == ABI_STATUS_OK && !result.rejected && cost > *most) {
        memcpy(root, candidate, size);
        *most = cost;
    }
    return true;
}

/* Random bytes of so many different values: few values make inputs that repeat themselves in many
 * ways, all 256 make noise. */
static void fill_root(const struct search_options *options, unsigned values, uint64_t *random,
                      uint8_t *candidate) {
    for (size_t i = 0; i < options->input_size; i++)
        candidate[i] = (uint8_t)(search_random(random) % values);
}

/* The costliest of zeros, the inputs given and a few random ones. */
static bool choose_first(struct beam *beam, uint8_t *root, struct base_error *error) {
    static const unsigned textures[] = {2, 3, 4, 6, 8, 16, 64, 256, 256, 256};
    const struct search_options *options = &beam->search->options;
    uint64_t random = options->seed;
    double most = -1;
    uint8_t *candidate = base_alloc(options->input_size + 1);
    size_t count = 1 + options->seed_count + BASE_COUNT(textures);
    bool good = true;
    for (size_t i = 0; good && i < count && (!i || !search_must_stop(beam->search)); i++) {
        if (i && i <= options->seed_count)
            memcpy(candidate, options->seeds[i - 1].data, options->input_size);
        else if (i)
            fill_root(options, textures[i - 1 - options->seed_count], &random, candidate);
        search_clamp(options, candidate);
        good = try_root(beam, candidate, &most, root, error);
    }
    free(candidate);
    base_detail("beam: starts from the costliest of %zu inputs, which costs %.15g", count, most);
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
