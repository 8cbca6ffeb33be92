/* SPDX-License-Identifier: Apache-2.0
 *
 * How similar are two sequences of reads? Their longest common run is found by bisection: if there
 * is one of length k there is one of k - 1, and a set of the rolling hashes of all runs of length k
 * shows whether there is one. A hit is compared element by element, so a collision only costs time.
 */
#include "redundant/similar.h"

#include <stdlib.h>
#include <string.h>

#define FACTOR 0x9e3779b97f4a7c15u
#define LONGEST 65536u /* limit for a sequence */
#define SIMILAR 0.7    /* minimum share of the shorter sequence */

/* ---- the longest common run ---- */

struct places {
    uint32_t *first; /* one more than the start of a run, by its hash */
    size_t mask;
};

static struct places new_places(size_t count) {
    struct places places = {.mask = 15};
    while (places.mask < 2 * count)
        places.mask = places.mask * 2 + 1;
    places.first = base_alloc((places.mask + 1) * sizeof *places.first);
    return places;
}

static uint64_t hash_run(const uint32_t *run, size_t count) {
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++)
        hash = hash * FACTOR + run[i] + 1;
    return hash;
}

static uint64_t power(size_t exponent) {
    uint64_t result = 1;
    for (size_t i = 0; i < exponent; i++)
        result *= FACTOR;
    return result;
}

static uint64_t roll(uint64_t hash, uint64_t highest, uint32_t leaves, uint32_t comes) {
    return (hash - highest * ((uint64_t)leaves + 1)) * FACTOR + comes + 1;
}

static size_t slot_of(const struct places *places, uint64_t hash) {
    return (size_t)((hash ^ hash >> 29) * FACTOR >> 24) & places->mask;
}

static void add_runs(struct places *places, const uint32_t *a, size_t count, size_t length) {
    uint64_t hash = hash_run(a, length), highest = power(length - 1);
    memset(places->first, 0, (places->mask + 1) * sizeof *places->first);
    for (size_t at = 0;; at++) {
        size_t slot = slot_of(places, hash);
        while (places->first[slot] &&
               memcmp(a + places->first[slot] - 1, a + at, length * sizeof *a) != 0)
            slot = (slot + 1) & places->mask;
        places->first[slot] = (uint32_t)at + 1;
        if (at + length >= count)
            return;
        hash = roll(hash, highest, a[at], a[at + length]);
    }
}

static bool has_run(const struct places *places, const uint32_t *a, const uint32_t *b, size_t count,
                    size_t length) {
    uint64_t hash = hash_run(b, length), highest = power(length - 1);
    for (size_t at = 0;; at++) {
        for (size_t slot = slot_of(places, hash); places->first[slot];
             slot = (slot + 1) & places->mask)
            if (memcmp(a + places->first[slot] - 1, b + at, length * sizeof *b) == 0)
                return true;
        if (at + length >= count)
            return false;
        hash = roll(hash, highest, b[at], b[at + length]);
    }
}

static size_t common_start(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count) {
    size_t at = 0;
    while (at < a_count && at < b_count && a[at] == b[at])
        at++;
    return at;
}

size_t redundant_common_run(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count) {
    size_t high = a_count < b_count ? a_count : b_count;
    size_t low = common_start(a, a_count, b, b_count);
    if (low == high)
        return low;
    struct places places = new_places(a_count);
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        add_runs(&places, a, a_count, middle);
        if (has_run(&places, a, b, b_count, middle))
            low = middle;
        else
            high = middle - 1;
    }
    free(places.first);
    return low;
}

/* ---- small pieces ---- */

static void add_pieces(struct places *places, const uint32_t *b, size_t count) {
    for (size_t at = 0; at + REDUNDANT_PIECE <= count; at++) {
        size_t slot = slot_of(places, hash_run(b + at, REDUNDANT_PIECE));
        while (places->first[slot] &&
               memcmp(b + places->first[slot] - 1, b + at, REDUNDANT_PIECE * sizeof *b) != 0)
            slot = (slot + 1) & places->mask;
        places->first[slot] = (uint32_t)at + 1;
    }
}

static bool has_piece(const struct places *places, const uint32_t *b, const uint32_t *piece) {
    for (size_t slot = slot_of(places, hash_run(piece, REDUNDANT_PIECE)); places->first[slot];
         slot = (slot + 1) & places->mask)
        if (memcmp(b + places->first[slot] - 1, piece, REDUNDANT_PIECE * sizeof *b) == 0)
            return true;
    return false;
}

size_t redundant_shared_pieces(const uint32_t *a, size_t a_count, const uint32_t *b,
                               size_t b_count) {
    struct places places = new_places(b_count);
    size_t shared = 0;
    add_pieces(&places, b, b_count);
    for (size_t at = 0; at + REDUNDANT_PIECE <= a_count; at++)
        shared += has_piece(&places, b, a + at);
    free(places.first);
    return shared;
}

/* ---- two iterations ---- */

struct ordered {
    uint32_t key, order;
};

static int compare_ordered(const void *a, const void *b) {
    const struct ordered *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Values by key; those of one key keep their order. */
struct grouped {
    uint32_t *keys, *values;
    size_t count;
};

static void group(const struct abi_logged *reads, size_t count, struct grouped *grouped) {
    struct ordered *order = base_alloc((count + 1) * sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (struct ordered){reads[i].key, (uint32_t)i};
    qsort(order, count, sizeof *order, compare_ordered);
    grouped->keys = base_alloc((count + 1) * sizeof *grouped->keys);
    grouped->values = base_alloc((count + 1) * sizeof *grouped->values);
    grouped->count = count;
    for (size_t i = 0; i < count; i++) {
        grouped->keys[i] = order[i].key;
        grouped->values[i] = reads[order[i].order].value;
    }
    free(order);
}

static void grouped_done(struct grouped *grouped) {
    free(grouped->keys);
    free(grouped->values);
}

static size_t end_of_key(const struct grouped *grouped, size_t at) {
    size_t end = at;
    while (end < grouped->count && grouped->keys[end] == grouped->keys[at])
        end++;
    return end;
}

static bool is_constant(const uint32_t *values, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return false;
    return true;
}

/* An additional read in between, such as one more byte of a common prefix, breaks long runs: then
 * pieces of the sequence are compared. */
static bool is_similar(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count,
                       size_t least) {
    a_count = a_count < LONGEST ? a_count : LONGEST;
    b_count = b_count < LONGEST ? b_count : LONGEST;
    if (a_count > b_count)
        return is_similar(b, b_count, a, a_count, least);
    return a_count >= least &&
           ((double)redundant_common_run(a, a_count, b, b_count) >= SIMILAR * (double)a_count ||
            (double)redundant_shared_pieces(a, a_count, b, b_count) >= SIMILAR * (double)a_count);
}

struct tally {
    size_t all, similar;
    size_t constant, constant_similar; /* loads that always read the same value */
    bool is_same;
};

static void add_pair(struct tally *tally, const uint32_t *a, size_t a_count, const uint32_t *b,
                     size_t b_count, size_t least) {
    if (a_count != b_count || memcmp(a, b, a_count * sizeof *a) != 0)
        tally->is_same = false;
    bool is_key = is_constant(a, a_count) && is_constant(b, b_count);
    size_t count = a_count + b_count;
    *(is_key ? &tally->constant : &tally->all) += count;
    if (is_similar(a, a_count, b, b_count, least))
        *(is_key ? &tally->constant_similar : &tally->similar) += count;
}

/* A constant value is usually the key of a search. But if nothing else is read it is data: inputs
 * that repeat a byte are common here. */
static double share_of(const struct tally *tally) {
    if (tally->all)
        return (double)tally->similar / (double)tally->all;
    return tally->constant ? (double)tally->constant_similar / (double)tally->constant : 0;
}

void redundant_compare(const struct abi_logged *a, size_t a_count, const struct abi_logged *b,
                       size_t b_count, size_t least, struct redundant_likeness *likeness) {
    struct grouped first, second;
    struct tally tally = {.is_same = true};
    group(a, a_count, &first);
    group(b, b_count, &second);
    size_t i = 0, j = 0;
    while (i < first.count || j < second.count) {
        size_t i_end = end_of_key(&first, i), j_end = end_of_key(&second, j);
        if (j == second.count || (i < first.count && first.keys[i] < second.keys[j]))
            j_end = j; /* only the first has it */
        else if (i == first.count || first.keys[i] > second.keys[j])
            i_end = i;
        add_pair(&tally, first.values + i, i_end - i, second.values + j, j_end - j, least);
        i = i_end;
        j = j_end;
    }
    likeness->share = share_of(&tally);
    likeness->is_same = tally.is_same;
    grouped_done(&first);
    grouped_done(&second);
}
