/* SPDX-License-Identifier: Apache-2.0
 *
 * How far do random inputs get, and mixtures of the costliest of them?
 *
 * Where runs take long, there are few of them, and a search that changes one input a little at a
 * time does not get far: the best of as many random inputs may cost more. So a part of the runs
 * goes to uniformly drawn inputs and to mixtures, which take each field from one of two of the
 * costliest so far. A value that costs much usually does so beside other values, too, so mixtures
 * combine such values much sooner than chance does.
 */
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 6u
#define LUCK 4u /* one input in so many is drawn uniformly */
#define PART 2u /* one part in so many, of the time or the runs */
#define IDLE 2u /* stop when the last 1/IDLE of all runs brought nothing new */
#define FEWEST 48u
#define MOST 500u /* with more runs than that, other strategies use them better */

void search_draw_input(const struct search_layout *layout, uint64_t *random, uint8_t *input) {
    for (size_t i = 0; i < layout->bytes; i += 8) {
        uint64_t bits = search_random(random);
        size_t left = layout->bytes - i;
        memcpy(input + i, &bits, left < 8 ? left : 8);
    }
    for (size_t i = 0; i < layout->ranges.count; i++) {
        const struct solver_range *range = &layout->ranges.data[i];
        size_t bytes = range->width / 8;
        if (range->offset + bytes > layout->bytes)
            continue;
        uint64_t span = (uint64_t)range->high - (uint64_t)range->low + 1, bits;
        bits = search_random(random);
        bits = (uint64_t)range->low + (span ? bits % span : bits);
        memcpy(input + range->offset, &bits, bytes);
    }
    search_clamp(layout, input, layout->bytes);
}

/* ---- mixtures ---- */

struct mix {
    struct search *search;
    struct search_archive *pool;
    uint64_t random;
    uint8_t *bytes; /* BATCH inputs, and one to draw fields from */
    size_t *ends;   /* of fields */
    size_t fields;
    struct abi_result results[BATCH];
    double costs[BATCH];
    uint64_t runs, news; /* news: number of the last run that the pool took */
};

/* By offset: the end of the field that begins there. Bytes without a range stand alone. */
static size_t *find_ends(const struct search_layout *layout) {
    size_t *ends = base_alloc((layout->bytes + 1) * sizeof *ends);
    for (size_t i = 0; i < layout->bytes; i++)
        ends[i] = i + 1;
    for (size_t i = 0; i < layout->ranges.count; i++) {
        const struct solver_range *range = &layout->ranges.data[i];
        if (range->offset + range->width / 8 <= layout->bytes)
            ends[range->offset] = range->offset + range->width / 8;
    }
    return ends;
}

/* Replaces one in PART of the fields of INPUT by that of FROM. */
static void take_fields(struct mix *mix, const uint8_t *from, size_t part, uint8_t *input) {
    for (size_t at = 0; at < mix->search->subject.layout.bytes; at = mix->ends[at])
        if (search_random(&mix->random) % part == 0)
            memcpy(input + at, from + at, mix->ends[at] - at);
}

static uint64_t draw(struct mix *mix, uint64_t below) {
    return search_random(&mix->random) % below;
}

/* The costlier of two random ones. */
static const uint8_t *draw_parent(struct mix *mix) {
    size_t a = (size_t)draw(mix, mix->pool->count), b = (size_t)draw(mix, mix->pool->count);
    return mix->pool->tests[a < b ? a : b].input;
}

static void make(struct mix *mix, uint8_t *input) {
    const struct search_layout *layout = &mix->search->subject.layout;
    uint8_t *other = mix->bytes + BATCH * layout->bytes;
    search_draw_input(layout, &mix->random, input);
    if (mix->pool->count < 2 || !draw(mix, LUCK))
        return;
    memcpy(other, input, layout->bytes);
    memcpy(input, draw_parent(mix), layout->bytes);
    take_fields(mix, draw_parent(mix), 2, input);
    take_fields(mix, other, mix->fields, input); /* one field is drawn anew, on average */
    search_clamp(layout, input, layout->bytes);
}

bool search_pool_offer(struct search_archive *pool, const uint8_t *input, size_t size, double cost,
                       const struct abi_result *result) {
    struct search_test test = {.input = (uint8_t *)input,
                               .size = size,
                               .cost = cost,
                               .path = {result->counts_hash, result->status},
                               .result = *result};
    if (!search_ended_well(result) || !search_archive_wants(pool, cost))
        return false;
    search_archive_offer(pool, &test);
    return search_archive_has(pool, &test);
}

static bool measure(struct mix *mix, struct base_error *error) {
    struct target_input inputs[BATCH];
    struct search *search = mix->search;
    size_t size = search->subject.layout.bytes, count = search_grant_locked(search, BATCH);
    const struct search_program *program = &search->subject.programs[0];
    for (size_t i = 0; i < count; i++) {
        make(mix, mix->bytes + i * size);
        inputs[i] = (struct target_input){mix->bytes + i * size, size};
    }
    if (!program->measure(program->self, inputs, count, mix->results, mix->costs, error))
        return false;
    search_book_measured(search, inputs, count, mix->results, mix->costs);
    mix->runs += count;
    for (size_t i = 0; i < count; i++)
        if (search_pool_offer(mix->pool, inputs[i].data, size, mix->costs[i], &mix->results[i]))
            mix->news = mix->runs;
    return true;
}

static bool is_enough(const struct mix *mix, double deadline) {
    double seconds = mix->search->options.limits.seconds;
    uint64_t runs = mix->search->options.limits.runs;
    uint64_t most = runs ? runs / PART : seconds > 0 ? MOST : FEWEST;
    return mix->runs >= (most < MOST ? most : MOST) || (seconds > 0 && base_seconds() > deadline) ||
           (mix->runs >= FEWEST && mix->runs - mix->news > mix->runs / IDLE);
}

bool search_mix(struct search *search, struct search_archive *pool, struct base_error *error) {
    size_t size = search->subject.layout.bytes;
    struct mix mix = {.search = search, .pool = pool, .random = search_seed(search, 0) ^ size};
    double deadline = base_seconds() + search->options.limits.seconds / PART;
    bool good = true;
    mix.bytes = base_alloc((BATCH + 1) * size + 1);
    mix.ends = find_ends(&search->subject.layout);
    for (size_t at = 0; at < size; at = mix.ends[at])
        mix.fields++;
    while (good && !is_enough(&mix, deadline) && !search_is_over(search))
        good = measure(&mix, error);
    free(mix.bytes);
    free(mix.ends);
    if (pool->count)
        base_detail("%s: the costliest of %llu random inputs and mixtures costs %.15g",
                    search->strategy->name, (unsigned long long)mix.runs, pool->tests[0].cost);
    return good;
}
