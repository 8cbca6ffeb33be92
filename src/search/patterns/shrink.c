/* SPDX-License-Identifier: Apache-2.0
 *
 * Which parts of a pattern matter? Parts and bytes are removed one after another, large ones first,
 * as long as the law stays the same. Variants without the law are of use, too: the costliest of
 * those that stay linear is the nearest linear relative, which shows what makes the difference.
 */
#include "search/patterns/patterns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPONENT_LOSS 0.12 /* up to which it is still the same law */
#define STRENGTH_LOSS 0.3  /* share of the strength that must remain */
#define MOST_TRIALS 300

struct shrinking {
    struct patterns_runner *runner;
    const struct patterns_reach *reach;
    struct search_growth_law *best, trial;
    struct search_growth_law relative; /* without points: none */
    bool is_distant;                   /* it is a relative of an earlier version of the pattern */
    unsigned trials;
};

static bool is_over(struct patterns_runner *runner) {
    pthread_mutex_lock(&runner->search->lock);
    bool over = search_must_stop(runner->search);
    pthread_mutex_unlock(&runner->search->lock);
    return over || runner->failed;
}

/* ---- trials ---- */

static bool is_same_law(const struct search_growth_law *law,
                        const struct search_growth_law *trial) {
    if (!measure_is_superlinear(&trial->growth) || law->growth.kind != trial->growth.kind)
        return false;
    if (law->growth.kind == MEASURE_GROWTH_EXPONENTIAL)
        return trial->growth.factor > 1 + 0.8 * (law->growth.factor - 1);
    return trial->growth.exponent > law->growth.exponent - EXPONENT_LOSS &&
           patterns_strength(trial) > STRENGTH_LOSS * patterns_strength(law);
}

static void swap_laws(struct search_growth_law *a, struct search_growth_law *b) {
    struct search_growth_law copy = *a;
    *a = *b;
    *b = copy;
}

static void keep_relative(struct shrinking *shrinking) {
    struct search_growth_law *trial = &shrinking->trial, *kept = &shrinking->relative;
    bool is_tame = trial->growth.kind == MEASURE_GROWTH_LINEAR ||
                   trial->growth.kind == MEASURE_GROWTH_LINEAR_LOG;
    if (!is_tame || (kept->series.count && !shrinking->is_distant &&
                     patterns_strength(trial) <= patterns_strength(kept)))
        return;
    swap_laws(trial, kept);
    shrinking->is_distant = false;
}

/* If the law survives, the variant becomes the pattern. */
static bool try_variant(struct shrinking *shrinking, const struct target_pattern *variant) {
    struct patterns_run last;
    if (shrinking->trials >= MOST_TRIALS || is_over(shrinking->runner) ||
        memcmp(variant, &shrinking->best->pattern, sizeof *variant) == 0)
        return false;
    shrinking->trials++;
    patterns_grow(shrinking->runner, variant, shrinking->reach, &shrinking->trial, &last);
    bool survives = is_same_law(shrinking->best, &shrinking->trial);
    if (survives)
        swap_laws(shrinking->best, &shrinking->trial);
    else
        keep_relative(shrinking);
    shrinking->is_distant |= survives;
    return survives;
}

/* ---- variants, coarsest first ---- */

static bool drop_parts(struct shrinking *shrinking) {
    const struct target_pattern empty = target_pattern_empty(TARGET_PATTERN_REPEAT);
    struct target_pattern variant = shrinking->best->pattern;
    bool any = false;
#define TRY(change)                                                                                \
    variant = shrinking->best->pattern;                                                            \
    change;                                                                                        \
    any |= try_variant(shrinking, &variant);
    TRY(variant.kind = TARGET_PATTERN_REPEAT; variant.other = variant.middle = empty.other)
    TRY(variant.prefix = empty.prefix)
    TRY(variant.suffix = empty.suffix)
    TRY(variant.middle = empty.middle)
    TRY(variant.copies = 1)
    TRY(variant.unit.hole = TARGET_NO_HOLE)
    TRY(variant.other.hole = TARGET_NO_HOLE)
    TRY(variant.letters = 0)
    TRY(variant.kind = target_pattern_has_other(&variant) ? TARGET_PATTERN_NEST : variant.kind)
#undef TRY
    return any;
}

/* Erases COUNT bytes wherever the law survives it. */
static bool drop_bytes(struct shrinking *shrinking, size_t offset, unsigned count) {
    bool any = false;
    for (unsigned at = 0;;) {
        struct target_pattern variant = shrinking->best->pattern;
        struct target_piece *piece = (struct target_piece *)((char *)&variant + offset);
        if (at + count > piece->size)
            return any;
        patterns_piece_erase(piece, at, count);
        if (try_variant(shrinking, &variant))
            any = true;
        else
            at++;
    }
}

static bool drop_somewhere(struct shrinking *shrinking, unsigned count) {
    bool any = false;
#define PIECE(id) any |= drop_bytes(shrinking, offsetof(struct target_pattern, id), count);
    TARGET_PATTERN_PIECES(PIECE)
#undef PIECE
    return any;
}

static void try_byte(struct shrinking *shrinking, uint8_t byte) {
    struct target_pattern variant = shrinking->best->pattern;
    struct patterns_run last;
    if (variant.unit.bytes[0] == byte || shrinking->relative.series.count ||
        is_over(shrinking->runner))
        return;
    variant.unit.bytes[0] = byte;
    patterns_grow(shrinking->runner, &variant, shrinking->reach, &shrinking->trial, &last);
    keep_relative(shrinking);
}

/* Tries other first bytes of the unit, for units that cannot get shorter: those that the program
 * distinguishes, and some others. */
static void seek_relative(struct shrinking *shrinking, const struct patterns_alphabet *alphabet) {
    if (!shrinking->best->pattern.unit.size)
        return;
    for (size_t i = 0; i < alphabet->byte_count; i++)
        try_byte(shrinking, alphabet->bytes[i]);
    for (const char *any = "x0 "; *any; any++)
        try_byte(shrinking, (uint8_t)*any);
}

static void note_relative(struct search_growth_law *law, const struct search_growth_law *relative) {
    size_t count = relative->series.count;
    law->has_relative = count > 0;
    law->relative = relative->pattern;
    if (count)
        law->beside = relative->series.data[count - 1];
}

void patterns_shrink(struct patterns_runner *runner, const struct patterns_alphabet *alphabet,
                     const struct patterns_reach *reach, struct search_growth_law *law) {
    struct shrinking shrinking = {.runner = runner, .reach = reach, .best = law};
    bool any;
    do {
        any = drop_parts(&shrinking);
        for (unsigned count = 8; count; count /= 2)
            any |= drop_somewhere(&shrinking, count);
    } while (any && shrinking.trials < MOST_TRIALS && !is_over(runner));
    seek_relative(&shrinking, alphabet);
    note_relative(law, &shrinking.relative);
    base_vector_done(&shrinking.trial.series);
    base_vector_done(&shrinking.relative.series);
}
