/* SPDX-License-Identifier: Apache-2.0
 *
 * Is there an obvious input that takes the other direction? A byte that no decision of the path
 * depends on so far can have any value without affecting the prefix. So before the solver is asked,
 * values of such bytes are tried by evaluating the one condition in question.
 *
 * Programs that read their input once from front to back meet a new byte in most decisions, and mix
 * it with older ones in ways (hashes) that cost a solver milliseconds and this a few microseconds.
 * If guessing fails, the solver is asked.
 */
#include "search/beam/beam.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FREE 3u  /* bytes to try, the last ones of the condition */
#define TOGETHER 256u /* random values for all of them at once */

struct seen {
    uint64_t value;
    uint32_t path, times;
};

struct beam_guess {
    const struct search_layout *layout;
    struct expr_pool *pool;
    uint32_t *used; /* by byte: number of the last path that depends on it */
    uint32_t path;
    const uint8_t *input;
    size_t size;
    uint8_t *clamped;
    struct seen *slots; /* values that paths have fixed, and how often */
    size_t slot_count, seen_count;
};

struct beam_guess *beam_guess_new(const struct search_layout *layout) {
    struct beam_guess *guess = base_alloc(sizeof *guess);
    guess->layout = layout;
    guess->used = base_alloc(BEAM_WINDOW * sizeof *guess->used);
    guess->clamped = base_alloc(BEAM_WINDOW);
    return guess;
}

void beam_guess_free(struct beam_guess *guess) {
    free(guess->used);
    free(guess->clamped);
    free(guess->slots);
    free(guess);
}

void beam_guess_begin(struct beam_guess *guess, struct expr_pool *pool, const uint8_t *input,
                      size_t size) {
    guess->pool = pool;
    guess->input = input;
    guess->size = size;
    guess->path++;
    guess->seen_count = 0;
}

void beam_guess_assert(struct beam_guess *guess, uint32_t condition) {
    struct expr_support support = expr_support(guess->pool, condition);
    for (uint32_t i = 0; i < support.count; i++)
        if (support.offsets[i] < guess->size)
            guess->used[support.offsets[i]] = guess->path;
}

/* Does the model meet the condition, and is it within --range? */
static bool holds(struct beam_guess *guess, uint32_t condition, const uint8_t *model) {
    expr_eval_begin(guess->pool, model, guess->size);
    if (!expr_eval(guess->pool, condition))
        return false;
    if (!guess->layout->ranges.count)
        return true;
    memcpy(guess->clamped, model, guess->size);
    search_clamp(guess->layout, guess->clamped, guess->layout->bytes);
    return memcmp(guess->clamped, model, guess->size) == 0;
}

/* Tries one byte alone, starting above its current value, so that different questions get different
 * answers. */
static bool try_single(struct beam_guess *guess, uint32_t condition, uint32_t offset,
                       uint8_t *model) {
    uint8_t before = model[offset];
    for (unsigned step = 1; step < 256; step++) {
        model[offset] = (uint8_t)(before + step);
        if (holds(guess, condition, model))
            return true;
    }
    model[offset] = before;
    return false;
}

static bool try_together(struct beam_guess *guess, uint32_t condition, const uint32_t *offsets,
                         size_t count, uint8_t *model) {
    uint64_t random = condition;
    for (unsigned i = 0; i < TOGETHER; i++) {
        uint64_t bits = search_random(&random);
        for (size_t k = 0; k < count; k++)
            model[offsets[k]] = (uint8_t)(bits >> 8 * k);
        if (holds(guess, condition, model))
            return true;
    }
    for (size_t k = 0; k < count; k++)
        model[offsets[k]] = guess->input[offsets[k]];
    return false;
}

/* The bytes of an expression that are still free, the last ones first. */
static size_t find_free(struct beam_guess *guess, uint32_t expr, uint32_t offsets[MOST_FREE]) {
    struct expr_support support = expr_support(guess->pool, expr);
    size_t count = 0;
    for (uint32_t i = support.count; i-- > 0 && count < MOST_FREE;) {
        uint32_t offset = support.offsets[i];
        if (offset < guess->size && guess->used[offset] != guess->path)
            offsets[count++] = offset;
    }
    return count;
}

bool beam_guess_ask(struct beam_guess *guess, uint32_t condition, uint8_t *model) {
    uint32_t offsets[MOST_FREE];
    size_t count = find_free(guess, condition, offsets);
    if (!count)
        return false;
    memcpy(model, guess->input, guess->size);
    for (size_t i = 0; i < count; i++)
        if (try_single(guess, condition, offsets[i], model))
            return true;
    return count > 1 && try_together(guess, condition, offsets, count, model);
}

/* ---- values that occurred before ---- */

static size_t slot_of(const struct beam_guess *guess, uint64_t value) {
    size_t at = (size_t)(value * 0x9e3779b97f4a7c15u >> 32) & (guess->slot_count - 1);
    while (guess->slots[at].path == guess->path && guess->slots[at].value != value)
        at = (at + 1) & (guess->slot_count - 1);
    return at;
}

static void double_slots(struct beam_guess *guess) {
    struct seen *old = guess->slots;
    size_t count = guess->slot_count;
    guess->slot_count = count ? count * 2 : 4096;
    guess->slots = base_alloc(guess->slot_count * sizeof *guess->slots);
    for (size_t i = 0; i < count; i++)
        if (old[i].path == guess->path)
            guess->slots[slot_of(guess, old[i].value)] = old[i];
    free(old);
}

void beam_guess_note(struct beam_guess *guess, uint64_t value) {
    if (guess->seen_count * 2 >= guess->slot_count)
        double_slots(guess);
    struct seen *slot = &guess->slots[slot_of(guess, value)];
    if (slot->path != guess->path) {
        *slot = (struct seen){.value = value, .path = guess->path};
        guess->seen_count++;
    }
    slot->times++;
}

static uint32_t times_seen(const struct beam_guess *guess, uint64_t value) {
    if (!guess->slot_count)
        return 0;
    const struct seen *slot = &guess->slots[slot_of(guess, value)];
    return slot->path == guess->path ? slot->times : 0;
}

/* Inserts a value, keeping the most frequent ones in order. */
static size_t rank(uint64_t *values, uint32_t *times, size_t count, size_t most, uint64_t value,
                   uint32_t seen) {
    size_t at = count;
    for (size_t i = 0; i < count; i++)
        if (values[i] == value)
            return count;
    while (at > 0 && times[at - 1] < seen)
        at--;
    if (at == most)
        return count;
    count += count < most;
    memmove(values + at + 1, values + at, (count - at - 1) * sizeof *values);
    memmove(times + at + 1, times + at, (count - at - 1) * sizeof *times);
    values[at] = value;
    times[at] = seen;
    return count;
}

size_t beam_guess_earlier(struct beam_guess *guess, uint32_t expr, uint64_t current,
                          uint64_t *values, size_t most) {
    uint32_t offsets[MOST_FREE], times[BEAM_EARLIER];
    size_t count = 0;
    if (!find_free(guess, expr, offsets))
        return 0;
    memcpy(guess->clamped, guess->input, guess->size);
    for (unsigned byte = 0; byte < 256; byte++) {
        guess->clamped[offsets[0]] = (uint8_t)byte;
        expr_eval_begin(guess->pool, guess->clamped, guess->size);
        uint64_t value = expr_eval(guess->pool, expr);
        uint32_t seen = value == current ? 0 : times_seen(guess, value);
        if (seen)
            count = rank(values, times, count, most, value, seen);
    }
    return count;
}
