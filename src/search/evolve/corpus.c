/* SPDX-License-Identifier: Apache-2.0
 *
 * Which inputs are worth mutating further? Those that made some part of the program run more often
 * than ever before, and those that cost most, in total or per byte, among inputs of about their
 * size. (That each part of the program counts, and not only the sum, follows "PerfFuzz:
 * Automatically Generating Pathological Inputs", Lemieux, Padhye, Sen and Song.)
 *
 * Sizes are grouped by powers of two. Each bucket has a few champions by either measure, newest
 * first. An entry that broke no record becomes idle when it is no longer a champion, and the next
 * one reuses its memory. When there are too many entries, one that is no champion is replaced, and
 * that is counted. If the caller says so, an input that only equals the champion replaces it, so
 * that the search can cross plateaus.
 */
#include "search/evolve/evolve.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define FEW_TRIES 16 /* to find an entry that can be replaced */

void evolve_corpus_init(struct evolve_corpus *corpus, size_t limit) {
    *corpus = (struct evolve_corpus){.limit = limit ? limit : 1};
}

void evolve_corpus_done(struct evolve_corpus *corpus) {
    for (size_t i = 0; i < corpus->count; i++)
        free(corpus->entries[i].bytes);
    free(corpus->entries);
    base_vector_done(&corpus->idle);
    *corpus = (struct evolve_corpus){0};
}

unsigned evolve_bucket_of(size_t size) {
    unsigned bits = size ? 64 - (unsigned)__builtin_clzll(size) : 0;
    if (size && (size & (size - 1)) == 0)
        bits--; /* a power of two belongs to the lower bucket, as limits are powers of two */
    return bits < EVOLVE_BUCKETS ? bits : EVOLVE_BUCKETS - 1;
}

static double worth_of(double cost, size_t size, enum evolve_worth worth) {
    return worth == EVOLVE_BY_COST ? cost : cost / (double)(size ? size : 1);
}

const struct evolve_entry *evolve_champion(const struct evolve_corpus *corpus, unsigned bucket,
                                           enum evolve_worth worth) {
    const struct evolve_bucket *of = &corpus->buckets[bucket];
    return of->count[worth] ? &corpus->entries[of->champions[worth][0]] : NULL;
}

/* ---- adding and removing ---- */

static bool wins(const struct evolve_corpus *corpus, const struct search_test *test,
                 enum evolve_worth worth, bool drifts) {
    const struct evolve_entry *best = evolve_champion(corpus, evolve_bucket_of(test->size), worth);
    if (!best)
        return true;
    double old = worth_of(best->cost, best->size, worth);
    double now = worth_of(test->cost, test->size, worth);
    return now > old ||
           (now == old && (test->size < best->size || (drifts && test->size == best->size)));
}

/* An idle entry, a new one, or one to overwrite. */
static uint32_t find_place(struct evolve_corpus *corpus) {
    if (corpus->idle.count)
        return corpus->idle.data[--corpus->idle.count];
    if (corpus->count < corpus->limit) {
        if (corpus->count == corpus->capacity)
            corpus->entries =
                base_grow(corpus->entries, &corpus->capacity, sizeof *corpus->entries);
        corpus->entries[corpus->count] = (struct evolve_entry){0};
        return (uint32_t)corpus->count++;
    }
    uint64_t random = corpus->dropped++;
    uint32_t worst = NONE;
    for (int i = 0; i < FEW_TRIES; i++) {
        uint32_t at = (uint32_t)evolve_below(&random, corpus->count);
        const struct evolve_entry *entry = &corpus->entries[at];
        if (!entry->roles && (worst == NONE || entry->finds < corpus->entries[worst].finds))
            worst = at;
    }
    return worst;
}

static void dethrone(struct evolve_corpus *corpus, uint32_t index) {
    struct evolve_entry *entry = &corpus->entries[index];
    if (--entry->roles == 0 && !entry->broken)
        base_push(&corpus->idle, index);
}

static void crown(struct evolve_corpus *corpus, unsigned bucket, enum evolve_worth worth,
                  uint32_t index) {
    struct evolve_bucket *of = &corpus->buckets[bucket];
    uint32_t *list = of->champions[worth];
    if (of->count[worth] == EVOLVE_CHAMPIONS)
        dethrone(corpus, list[EVOLVE_CHAMPIONS - 1]);
    else
        of->count[worth]++;
    memmove(list + 1, list, (of->count[worth] - 1) * sizeof *list);
    list[0] = index;
    corpus->entries[index].roles++;
}

static void fill_entry(struct evolve_entry *entry, const struct search_test *test) {
    uint8_t *bytes = base_realloc(entry->bytes, test->size + 1);
    if (test->size)
        memcpy(bytes, test->input, test->size);
    *entry = (struct evolve_entry){.bytes = bytes,
                                   .size = test->size,
                                   .cost = test->cost,
                                   .instructions = test->result.weighted[MEASURE_INSTRUCTIONS],
                                   .path = test->path,
                                   .broken = test->result.broken};
}

uint32_t evolve_corpus_offer(struct evolve_corpus *corpus, const struct search_test *test,
                             bool drifts) {
    bool is_best[EVOLVE_WORTHS], is_kept = test->result.broken > 0;
    for (int worth = 0; worth < EVOLVE_WORTHS; worth++)
        is_kept |= is_best[worth] = wins(corpus, test, (enum evolve_worth)worth, drifts);
    if (!is_kept)
        return NONE;
    unsigned bucket = evolve_bucket_of(test->size);
    uint32_t index = find_place(corpus);
    if (index == NONE)
        return NONE;
    fill_entry(&corpus->entries[index], test);
    for (int worth = 0; worth < EVOLVE_WORTHS; worth++)
        if (is_best[worth])
            crown(corpus, bucket, (enum evolve_worth)worth, index);
    if (test->result.broken)
        corpus->newest[corpus->newest_count++ % BASE_COUNT(corpus->newest)] = index;
    return index;
}

/* ---- picking ---- */

/* A champion of the largest bucket within the limit that has any or, with half the probability each
 * time, of the next smaller ones. */
static uint32_t pick_champion(const struct evolve_corpus *corpus, uint64_t *random, unsigned top,
                              enum evolve_worth worth) {
    uint32_t found = NONE;
    for (unsigned bucket = top + 1; bucket-- > 0;) {
        const struct evolve_bucket *of = &corpus->buckets[bucket];
        if (!of->count[worth])
            continue;
        size_t place = evolve_below(random, of->count[worth]);
        if (search_random(random) & 1)
            place = 0;
        found = of->champions[worth][place];
        if (search_random(random) & 1)
            break;
    }
    return found;
}

uint32_t evolve_corpus_pick(const struct evolve_corpus *corpus, uint64_t *random, size_t limit) {
    unsigned top = evolve_bucket_of(limit);
    uint64_t die = search_random(random) % 16;
    uint32_t found = NONE;
    if (!corpus->count)
        return NONE;
    if (die < 6)
        found = pick_champion(corpus, random, top, EVOLVE_BY_COST);
    else if (die < 9)
        found =
            pick_champion(corpus, random, (unsigned)evolve_below(random, top + 1), EVOLVE_BY_RATE);
    else if (die < 13 && corpus->newest_count) {
        size_t recent = corpus->newest_count < BASE_COUNT(corpus->newest)
                            ? corpus->newest_count
                            : BASE_COUNT(corpus->newest);
        found = corpus->newest[evolve_below(random, recent)];
    }
    return found == NONE ? (uint32_t)evolve_below(random, corpus->count) : found;
}

/* ---- saving ---- */

void evolve_corpus_save(const struct evolve_corpus *corpus, struct base_buffer *out) {
    uint64_t count = corpus->count;
    search_put(out, &count, sizeof count);
    for (size_t i = 0; i < corpus->count; i++) {
        struct evolve_entry entry = corpus->entries[i];
        entry.bytes = NULL;
        search_put(out, &entry, sizeof entry);
        search_put(out, corpus->entries[i].bytes, entry.size);
    }
}

/* Champions are found again by offering every entry. */
bool evolve_corpus_load(struct evolve_corpus *corpus, const char **data, const char *end) {
    uint64_t count;
    if (!search_get(data, end, &count, sizeof count))
        return false;
    for (; count; count--) {
        struct evolve_entry entry;
        if (!search_get(data, end, &entry, sizeof entry) || (size_t)(end - *data) < entry.size)
            return false;
        struct search_test test = {
            .input = (uint8_t *)*data, .size = entry.size, .cost = entry.cost, .path = entry.path};
        test.result.broken = entry.broken;
        test.result.weighted[MEASURE_INSTRUCTIONS] = entry.instructions;
        *data += entry.size;
        uint32_t index = evolve_corpus_offer(corpus, &test, false);
        if (index != NONE)
            corpus->entries[index].is_flipped = entry.is_flipped;
    }
    return true;
}
