/* SPDX-License-Identifier: Apache-2.0
 *
 * How are large inputs found when only a few can be run? Small ones are repeated, as bytes and as
 * whole lines, with their words unchanged, numbered, or mixed (number.c). They grow in steps: an
 * input that costs little at one step, or would take too long at the next, is dropped. Other inputs
 * are drawn at full size; parts of the costliest of these are redrawn and kept if they cost more,
 * which does better than the same number of random inputs.
 */
#include "compose/grow.h"
#include "compose/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 16384     /* bytes; smaller inputs are grown in one step */
#define STEP 2            /* doublings per further step */
#define GOES_ON 0.5       /* of the highest cost at a size: needed for the next step ... */
#define MOST_WAITING 0.25 /* ... of the time left: limit for the next step */
#define LARGE 65536       /* bytes */
#define MOST_GROWN 4      /* inputs of others, per turn */
#define DRAWN 4u          /* inputs drawn before the costliest is changed */
#define MOST_DRAWN 64u    /* per turn */

void compose_growing_done(struct compose_growing *growing) {
    base_vector_done(&growing->grown);
    free(growing->drawn);
}

double compose_end_of(const struct search *search) {
    double seconds = search->options.limits.seconds;
    return seconds > 0 ? search->began + seconds - search->options.limits.reserve : HUGE_VAL;
}

bool compose_measure(struct search *search, const struct target_input *input, double *cost,
                     struct base_error *error) {
    const struct search_program *program = &search->subject.programs[0];
    struct abi_result result;
    *cost = NAN;
    if (!search_grant_locked(search, 1))
        return true;
    if (!program->measure(program->self, input, 1, &result, cost, error))
        return false;
    search_book_measured(search, input, 1, &result, cost);
    *cost = search_ended_well(&result) ? *cost : NAN;
    return true;
}

/* ---- growing small inputs ---- */

static size_t length_of_lines(const struct target_input *input) {
    const uint8_t *bytes = input->data, *last = memrchr(bytes, '\n', input->size);
    return last ? (size_t)(last - bytes) + 1 : input->size;
}

static unsigned steps_to(size_t wanted, size_t unit) {
    unsigned steps = 0;
    while (wanted >> STEP * (steps + 1) >= AT_ONCE && wanted >> STEP * (steps + 1) >= 2 * unit)
        steps++;
    return steps;
}

static bool grow_one(struct search *search, double *best, const struct target_input *unit,
                     size_t wanted, struct compose_numbering way, struct base_error *error) {
    const struct search *outer = search->outer ? search->outer : search;
    bool good = true, goes_on = true;
    for (unsigned left = steps_to(wanted, unit->size) + 1; good && goes_on && left-- > 0;) {
        struct base_buffer bytes = {0};
        double began = base_seconds(), cost;
        compose_number(unit->data, unit->size, wanted >> STEP * left, way, &bytes);
        good =
            compose_measure(search, &(struct target_input){bytes.data, bytes.count}, &cost, error);
        base_buffer_done(&bytes);
        double next = (base_seconds() - began) * (1 << STEP);
        goes_on = cost >= GOES_ON * best[left] &&
                  next < MOST_WAITING * (compose_end_of(outer) - base_seconds());
        best[left] = fmax(best[left], cost);
    }
    return good;
}

static bool grow_unit(struct search *search, double *best, const struct target_input *unit,
                      size_t wanted, struct base_error *error) {
    static const struct compose_numbering ways[] = {
        {0}, {.step = 1}, {.step = -1}, {.step = 1, .widens = true}, {.mixes = true}};
    bool good = true;
    for (size_t i = 0; good && i < BASE_COUNT(ways) && !search_is_over(search); i++)
        good = grow_one(search, best, unit, wanted, ways[i], error);
    return good;
}

bool compose_grow(struct search *search, struct compose_growing *growing,
                  const struct target_input *small, size_t wanted, struct base_error *error) {
    struct target_input lines = {small->data, length_of_lines(small)};
    if (!small->size || wanted < 2 * small->size)
        return true;
    return grow_unit(search, growing->best, small, wanted, error) &&
           (lines.size == small->size || grow_unit(search, growing->best, &lines, wanted, error));
}

bool compose_grow_timed(struct search *search, struct compose_growing *growing,
                        const struct target_input *small, size_t wanted, struct base_error *error) {
    const struct search *outer = search->outer ? search->outer : search;
    double cost, began = base_seconds();
    if (!compose_measure(search, small, &cost, error))
        return false;
    double now = base_seconds(), left = fmax(compose_end_of(outer) - now, 0);
    double times = MOST_WAITING * left / fmax(now - began, 1e-6);
    if (times * (double)small->size < (double)wanted)
        wanted = (size_t)(times * (double)small->size);
    return compose_grow(search, growing, small, wanted, error);
}

/* ---- growing finds of others ---- */

bool compose_is_large(const struct search *search) {
    return search->subject.layout.bytes >= LARGE;
}

static bool is_grown(const struct compose_growing *growing, const struct search_test *test) {
    for (size_t i = 0; i < growing->grown.count; i++)
        if (growing->grown.data[i] == test->result.counts_hash)
            return true;
    return false;
}

static bool grow_found(struct search *search, struct compose_growing *growing,
                       struct base_error *error) {
    const struct search_archive *found = &search->outer->archive;
    size_t wanted = search->subject.layout.bytes, count = 0;
    bool good = true;
    for (size_t i = 0; good && i < found->count && count < MOST_GROWN && !search_is_over(search);
         i++) {
        const struct search_test *test = &found->tests[i];
        if (test->size > wanted / 2 || is_grown(growing, test))
            continue;
        base_push(&growing->grown, test->result.counts_hash);
        count++;
        good = compose_grow(search, growing, &(struct target_input){test->input, test->size},
                            wanted, error);
    }
    return good;
}

/* ---- drawing at full size ---- */

/* Redraws a part of the input, or all of it. */
static void draw(struct compose_growing *growing, uint8_t *bytes, size_t size, bool whole) {
    size_t longest = size >> search_random(&growing->random) % 6;
    size_t length = whole ? size : 1 + search_random(&growing->random) % longest;
    size_t first = whole ? 0 : search_random(&growing->random) % (size - length + 1);
    for (size_t i = 0; i < length; i += 8) {
        uint64_t bits = search_random(&growing->random);
        memcpy(bytes + first + i, &bits, length - i < 8 ? length - i : 8);
    }
}

static bool draw_all(struct search *search, struct compose_growing *growing,
                     struct base_error *error) {
    size_t size = search->subject.layout.bytes;
    uint8_t *bytes = base_alloc(size + 1);
    bool good = true;
    growing->random = growing->random ? growing->random : search_seed(search, 0);
    for (unsigned i = 0; good && i < MOST_DRAWN && !search_is_over(search); i++) {
        double cost;
        bool whole = growing->draws++ < DRAWN;
        if (!whole)
            memcpy(bytes, growing->drawn, size);
        draw(growing, bytes, size, whole);
        good = compose_measure(search, &(struct target_input){bytes, size}, &cost, error);
        if (!growing->drawn || cost > growing->drawn_cost) { /* the first run may have failed */
            growing->drawn = base_realloc(growing->drawn, size + 1);
            memcpy(growing->drawn, bytes, size);
            growing->drawn_cost = cost > 0 ? cost : 0;
        }
    }
    free(bytes);
    return good;
}

bool compose_enlarge(struct search *search, struct compose_growing *growing,
                     struct base_error *error) {
    bool good = (!search->subject.sizes_vary || grow_found(search, growing, error)) &&
                draw_all(search, growing, error);
    if (search->options.limits.seconds > 0)
        search_end_turn(search); /* drawing never ends by itself */
    return good;
}
