/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the worst input look like at any size?
 *
 * A pair of worst inputs, one of the largest trained size and one of the size before it, gives a
 * sequence for each field (sequence.c) and with them an input for every size. It is not known which
 * of the tied inputs belong together, so pairs are tried, simple forms first. The measuring build
 * decides whether the inputs of all other trained sizes have their worst cost, too, and whether
 * somewhat larger ones cost what the curve predicts. If no pair of neighbouring sizes passes, only
 * sizes with the same residue as the wanted one are used: halves and alternations look different at
 * even and odd sizes.
 */
#include "search/scale/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CANDIDATES 40 /* inputs of a size that are paired */
#define MOST_STEP 4   /* largest modulus for residue classes of sizes */
#define BEYOND 3      /* sizes above the trained ones at which the cost must agree */

struct hunt {
    struct scale_training *training;
    const struct measure_curve *curve;
    struct measure_schemes schemes;
    int64_t wanted, step;
    struct scale_generator *generator;
    struct scale_generator doubtful; /* the first that fits all trained sizes but not the curve */
    uint64_t *seen;                  /* hashes of generators that were tried */
    size_t seen_count, seen_capacity;
};

void scale_generator_done(struct scale_generator *generator) {
    base_vector_done(&generator->fields);
    base_vector_done(&generator->confirmed);
}

uint8_t *scale_generate(struct search *search, const struct scale_generator *generator,
                        int64_t size, size_t *bytes) {
    struct search_layout layout = {0};
    struct scale_table table = {0};
    uint8_t *input = NULL;
    bool good = scale_layout(search, size, &layout);
    if (good) {
        scale_table_init(&table, &layout);
        good = table.columns.count == generator->fields.count;
        int64_t *values = base_alloc((table.elements + 1) * sizeof *values);
        size_t at = 0;
        for (size_t i = 0; good && i < table.columns.count; i++) {
            uint64_t count = table.columns.data[i].count;
            good = measure_sequence_write(&generator->fields.data[i], size, count, values + at);
            at += count;
        }
        input = base_alloc(layout.bytes + 1);
        *bytes = layout.bytes;
        good = good && scale_table_write(&table, values, input);
        free(values);
    }
    scale_table_done(&table);
    search_layout_done(&layout);
    if (good)
        return input;
    free(input);
    return NULL;
}

/* ---- from a pair to a generator ---- */

static bool fit_field(const struct hunt *hunt, const struct scale_trained *a,
                      const struct scale_trained *b, size_t column, const int64_t *left,
                      const int64_t *right, struct measure_sequence *sequence) {
    size_t left_count = a->table.columns.data[column].count;
    size_t right_count = b->table.columns.data[column].count;
    for (size_t i = 0; i < hunt->schemes.count; i++) {
        struct measure_form first, second;
        if (measure_form_describe(&hunt->schemes.data[i], left, left_count, &first) &&
            measure_form_describe(&hunt->schemes.data[i], right, right_count, &second) &&
            measure_sequence_through(&first, a->size, &second, b->size, sequence))
            return first.count <= left_count;
    }
    return false;
}

static bool fit_pair(const struct hunt *hunt, const struct scale_trained *a,
                     const struct scale_trained *b, const int64_t *left, const int64_t *right) {
    struct scale_generator *generator = hunt->generator;
    generator->fields.count = generator->confirmed.count = 0;
    generator->missed = 0;
    for (size_t i = 0; i < a->table.columns.count; i++) {
        struct measure_sequence sequence;
        if (!fit_field(hunt, a, b, i, left, right, &sequence))
            return false;
        base_push(&generator->fields, sequence);
        left += a->table.columns.data[i].count;
        right += b->table.columns.data[i].count;
    }
    return true;
}

static bool is_new(struct hunt *hunt) {
    const struct scale_generator *generator = hunt->generator;
    const uint8_t *bytes = (const uint8_t *)generator->fields.data;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < generator->fields.count * sizeof *generator->fields.data; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    for (size_t i = 0; i < hunt->seen_count; i++)
        if (hunt->seen[i] == hash)
            return false;
    if (hunt->seen_count == hunt->seen_capacity)
        hunt->seen = base_grow(hunt->seen, &hunt->seen_capacity, sizeof *hunt->seen);
    hunt->seen[hunt->seen_count++] = hash;
    return true;
}

/* ---- checking costs ---- */

bool scale_generator_costs(struct search *search, struct scale_generator *generator, int64_t size,
                           double wanted, bool *agrees, struct base_error *error) {
    struct abi_result result;
    size_t bytes;
    double cost;
    *agrees = false;
    uint8_t *input = scale_generate(search, generator, size, &bytes);
    if (!input)
        return true;
    bool good = scale_measure(search, input, bytes, &cost, &result, error);
    free(input);
    *agrees = good && cost == wanted;
    if (*agrees)
        base_push(&generator->confirmed, size);
    else if (good && !isnan(cost)) {
        generator->missed = size;
        generator->missed_cost = cost;
    }
    return good;
}

static bool costs(struct hunt *hunt, int64_t size, double wanted, bool *agrees,
                  struct base_error *error) {
    return scale_generator_costs(hunt->training->search, hunt->generator, size, wanted, agrees,
                                 error);
}

static bool in_class(const struct hunt *hunt, int64_t size) {
    return (hunt->wanted - size) % hunt->step == 0;
}

static void keep_doubtful(struct hunt *hunt) {
    const struct scale_generator *generator = hunt->generator;
    struct scale_generator *doubtful = &hunt->doubtful;
    if (doubtful->fields.count)
        return;
    for (size_t i = 0; i < generator->fields.count; i++)
        base_push(&doubtful->fields, generator->fields.data[i]);
    doubtful->missed = generator->missed;
    doubtful->missed_cost = generator->missed_cost;
}

/* Checks all trained sizes from the largest to the smallest, then some larger ones. */
static bool check(struct hunt *hunt, bool *agrees, struct base_error *error) {
    const struct scale_training *training = hunt->training;
    int64_t last = 0;
    *agrees = true;
    for (size_t i = training->sizes.count; *agrees && i-- > 0;) {
        const struct scale_trained *trained = &training->sizes.data[i];
        if ((hunt->curve && trained->size < hunt->curve->first) || !in_class(hunt, trained->size))
            continue;
        last = last ? last : trained->size;
        if (!costs(hunt, trained->size, trained->worst, agrees, error))
            return false;
    }
    *agrees = *agrees && hunt->generator->confirmed.count >= 3;
    bool fits_trained = *agrees;
    for (int64_t i = 1; *agrees && hunt->curve && i <= BEYOND; i++) {
        int64_t size = last + i * i * hunt->step;
        if (size < hunt->wanted &&
            !costs(hunt, size, measure_curve_at(hunt->curve, size), agrees, error))
            return false;
    }
    if (fits_trained && !*agrees && hunt->generator->missed)
        keep_doubtful(hunt);
    return true;
}

static bool try_pairs(struct hunt *hunt, const struct scale_trained *a,
                      const struct scale_trained *b, bool *found, struct base_error *error) {
    size_t left = a->canonical.count < CANDIDATES ? a->canonical.count : CANDIDATES;
    size_t right = b->canonical.count < CANDIDATES ? b->canonical.count : CANDIDATES;
    for (size_t i = 0; i < left; i++)
        for (size_t k = 0; k < right; k++) {
            if (search_must_stop(hunt->training->search))
                return true;
            if (!fit_pair(hunt, a, b, a->canonical.data[i], b->canonical.data[k]) || !is_new(hunt))
                continue;
            if (!check(hunt, found, error))
                return false;
            if (*found)
                return true;
        }
    return true;
}

/* The largest trained size below LIMIT in the residue class. */
static struct scale_trained *largest_below(const struct hunt *hunt, int64_t limit) {
    for (size_t i = hunt->training->sizes.count; i-- > 0;) {
        struct scale_trained *trained = &hunt->training->sizes.data[i];
        if (trained->size < limit && in_class(hunt, trained->size))
            return trained;
    }
    return NULL;
}

bool scale_extrapolate(struct scale_training *training, int64_t wanted,
                       const struct measure_curve *curve, struct scale_generator *generator,
                       bool *found, struct base_error *error) {
    struct search *search = training->search;
    struct hunt hunt = {
        .training = training, .curve = curve, .wanted = wanted, .generator = generator};
    bool good = true;
    measure_schemes_init(&hunt.schemes);
    *found = false;
    for (hunt.step = 1; good && !*found && hunt.step <= MOST_STEP; hunt.step++) {
        struct scale_trained *a = largest_below(&hunt, INT64_MAX);
        struct scale_trained *b = a ? largest_below(&hunt, a->size) : NULL;
        if (!b || !largest_below(&hunt, b->size))
            break;
        good = scale_canonical(search, a, error) && scale_canonical(search, b, error) &&
               try_pairs(&hunt, a, b, found, error);
    }
    if (good && !*found && hunt.doubtful.fields.count) {
        scale_generator_done(generator);
        *generator = hunt.doubtful;
        *found = true;
    } else
        scale_generator_done(&hunt.doubtful);
    base_vector_done(&hunt.schemes);
    free(hunt.seen);
    return good;
}
