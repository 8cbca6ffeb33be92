/* SPDX-License-Identifier: Apache-2.0
 *
 * Which patterns are kept, and which of them does the next one come from?
 *
 * A pattern is kept if some block runs more often than in any earlier run at the probing size: it
 * is then the champion of that block's slot. It is trimmed first, to what it needs for these
 * counts.
 */
#include "search/patterns/patterns.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_UNIT 8 /* bytes; shorter units are joined with each other */

void patterns_pool_init(struct patterns_pool *pool, uint32_t slots) {
    *pool = (struct patterns_pool){.slots = slots};
    pool->most = base_alloc(slots * sizeof *pool->most);
    pool->champion = base_alloc(slots * sizeof *pool->champion);
}

void patterns_pool_done(struct patterns_pool *pool) {
    base_vector_done(&pool->patterns);
    base_vector_done(&pool->wins);
    base_vector_done(&pool->units);
    base_vector_done(&pool->touched);
    free(pool->most);
    free(pool->champion);
}

void patterns_pool_clear(struct patterns_pool *pool) {
    memset(pool->most, 0, pool->slots * sizeof *pool->most);
    pool->touched.count = pool->patterns.count = pool->hot_count = 0;
    pool->wins.count = pool->units.count = pool->first = pool->second = 0;
}

void patterns_pool_tell(const struct patterns_pool *pool) {
    base_detail("patterns: %zu kept, %zu blocks reached; those with the largest counts:",
                pool->patterns.count, pool->touched.count);
    for (size_t i = 0; i < pool->hot_count; i++) {
        struct base_buffer text = {0};
        target_pattern_print(&pool->patterns.data[pool->champion[pool->hot[i]]], &text);
        base_detail("patterns: %12llu %s", (unsigned long long)pool->most[pool->hot[i]], text.data);
        base_buffer_done(&text);
    }
}

/* ---- which patterns stay ---- */

static bool is_hot(const struct patterns_pool *pool, uint32_t champion) {
    for (size_t i = 0; i < pool->hot_count; i++)
        if (pool->champion[pool->hot[i]] == champion)
            return true;
    return false;
}

/* The slots with the highest counts, each with a different champion. */
static void find_hot(struct patterns_pool *pool) {
    pool->hot_count = 0;
    while (pool->hot_count < BASE_COUNT(pool->hot)) {
        uint32_t best = UINT32_MAX;
        for (size_t i = 0; i < pool->touched.count; i++) {
            uint32_t slot = pool->touched.data[i];
            if ((best == UINT32_MAX || pool->most[slot] > pool->most[best]) &&
                !is_hot(pool, pool->champion[slot]))
                best = slot;
        }
        if (best == UINT32_MAX)
            return;
        pool->hot[pool->hot_count++] = best;
    }
}

static void add_unit(struct patterns_pool *pool, uint32_t number) {
    const struct target_piece *unit = &pool->patterns.data[number].unit;
    if (!unit->size || unit->size > SHORT_UNIT)
        return;
    for (size_t i = 0; i < pool->units.count; i++) {
        const struct target_piece *other = &pool->patterns.data[pool->units.data[i]].unit;
        if (other->size == unit->size && memcmp(other->bytes, unit->bytes, unit->size) == 0)
            return;
    }
    base_push(&pool->units, number);
}

bool patterns_pool_enter(struct patterns_pool *pool, const struct target_pattern *pattern,
                         const uint64_t *counts) {
    uint32_t wins = 0;
    for (uint32_t slot = 0; slot < pool->slots; slot++) {
        if (counts[slot] <= pool->most[slot])
            continue;
        if (!pool->most[slot])
            base_push(&pool->touched, slot);
        else
            pool->wins.data[pool->champion[slot]]--;
        pool->most[slot] = counts[slot];
        pool->champion[slot] = (uint32_t)pool->patterns.count;
        wins++;
    }
    if (!wins)
        return false;
    base_push(&pool->patterns, *pattern);
    base_push(&pool->wins, wins);
    add_unit(pool, (uint32_t)pool->patterns.count - 1);
    find_hot(pool);
    return true;
}

/* ---- parents ---- */

const struct target_pattern *patterns_draw_parent(const struct patterns_pool *pool,
                                                  uint64_t *random) {
    uint64_t draw = search_random(random);
    uint64_t index = draw >> 8;
    if (!pool->patterns.count)
        return NULL;
    switch (draw % 4) {
    case 0:
    case 1:
        return &pool->patterns
                    .data[pool->champion[pool->touched.data[index % pool->touched.count]]];
    case 2: {
        size_t recent = pool->patterns.count < 32 ? pool->patterns.count : 32;
        return &pool->patterns.data[pool->patterns.count - 1 - index % recent];
    }
    default:
        return &pool->patterns.data[pool->champion[pool->hot[index % pool->hot_count]]];
    }
}

static void next_pair(struct patterns_pool *pool) {
    pool->is_turned = !pool->is_turned;
    if (!pool->is_turned && pool->second++ == pool->first) {
        pool->second = 0;
        pool->first++;
    }
}

/* Joins any two units, in either order, the oldest first, each pair once. An effect that needs two
 * pieces together leaves no trace in either of them, so random changes would take long to join the
 * right ones. */
bool patterns_draw_pair(struct patterns_pool *pool, struct target_pattern *pattern) {
    for (; pool->first < pool->units.count; next_pair(pool)) {
        uint32_t one = pool->units.data[pool->first], two = pool->units.data[pool->second];
        if (!pool->wins.data[one] || !pool->wins.data[two])
            continue; /* others have beaten all of its counts */
        *pattern = pool->patterns.data[pool->is_turned ? two : one];
        const struct target_piece *more = &pool->patterns.data[pool->is_turned ? one : two].unit;
        patterns_piece_insert(&pattern->unit, pattern->unit.size, more->bytes, more->size);
        next_pair(pool);
        return true;
    }
    return false;
}

/* ---- trimming: a pattern keeps only what it needs for its counts ---- */

struct trimming {
    struct patterns_worker *worker;
    struct target_pattern *pattern;
    struct patterns_run run; /* of the pattern; its counts are in worker->counts[0] */
};

/* Replaces the pattern by the variant if that does as well in every slot that the pattern wins. */
static void try_trimmed(struct trimming *trimming, const struct target_pattern *variant) {
    struct patterns_worker *worker = trimming->worker;
    const struct patterns_state *state = worker->state;
    struct patterns_run run;
    uint64_t k = target_pattern_fit(variant, worker->probe.size);
    if (memcmp(variant, trimming->pattern, sizeof *variant) == 0 ||
        !patterns_run(&worker->runner, variant, k, true, &run))
        return;
    const uint64_t *counts = worker->counts[0];
    bool is_as_good = true;
    patterns_lock(worker);
    for (uint32_t slot = 0; is_as_good && slot < state->pool.slots; slot++)
        is_as_good = counts[slot] <= state->pool.most[slot] || run.counts[slot] >= counts[slot];
    patterns_unlock(worker);
    if (!is_as_good)
        return;
    *trimming->pattern = *variant;
    trimming->run = run;
    memcpy(worker->counts[0], run.counts, state->pool.slots * sizeof(uint64_t));
}

static void trim_bytes(struct trimming *trimming, size_t offset) {
    for (unsigned at = 0;;) {
        struct target_pattern variant = *trimming->pattern;
        struct target_piece *piece = (struct target_piece *)((char *)&variant + offset);
        unsigned before = piece->size;
        if (at >= before)
            return;
        patterns_piece_erase(piece, at, 1);
        try_trimmed(trimming, &variant);
        piece = (struct target_piece *)((char *)trimming->pattern + offset);
        at += piece->size == before;
    }
}

static void trim_all(struct trimming *trimming) {
    const struct target_pattern empty = target_pattern_empty(TARGET_PATTERN_REPEAT);
    struct target_pattern variant;
#define TRY(change)                                                                                \
    variant = *trimming->pattern;                                                                  \
    change;                                                                                        \
    try_trimmed(trimming, &variant);
    TRY(variant.kind = TARGET_PATTERN_REPEAT; variant.other = variant.middle = empty.other)
    TRY(variant.prefix = empty.prefix)
    TRY(variant.suffix = empty.suffix)
    TRY(variant.middle = empty.middle)
    TRY(variant.copies = 1)
    TRY(variant.unit.hole = TARGET_NO_HOLE)
    TRY(variant.letters = 0)
#undef TRY
#define PIECE(id) trim_bytes(trimming, offsetof(struct target_pattern, id));
    TARGET_PATTERN_PIECES(PIECE)
#undef PIECE
}

void patterns_trim(struct patterns_worker *worker, struct target_pattern *pattern,
                   struct patterns_run *run) {
    struct trimming trimming = {worker, pattern, *run};
    trim_all(&trimming);
    *run = trimming.run;
}
