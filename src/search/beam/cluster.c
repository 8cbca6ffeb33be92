/* SPDX-License-Identifier: Apache-2.0
 *
 * Which clusters does a frontier consist of? Algorithm 2 of "Automatic Generation of Load Tests"
 * (Zhang, Elbaum, Dwyer; section III.C).
 *
 * In depth-first order states are most similar to their neighbours, so the frontier is cut where
 * neighbours are furthest apart. Only the gaps are needed. They are small integers, so the smallest
 * one to cut at is found by counting instead of sorting, in linear time.
 */
#include "search/beam/beam.h"

#include <stdlib.h>

/* The largest gap such that WANTED gaps are at least as large; *BEYOND of them are larger. */
static uint32_t find_border(const uint32_t *gaps, size_t count, size_t wanted, size_t *beyond) {
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++)
        if (gaps[i] > largest)
            largest = gaps[i];
    size_t *counts = base_alloc(((size_t)largest + 1) * sizeof *counts);
    for (size_t i = 0; i < count; i++)
        counts[gaps[i]]++;
    size_t larger = 0;
    uint32_t border = largest;
    while (border > 0 && larger + counts[border] < wanted)
        larger += counts[border--];
    free(counts);
    *beyond = larger;
    return border;
}

size_t beam_cut(const uint32_t *gaps, size_t states, size_t clusters, uint32_t least,
                size_t *starts, uint32_t *smallest) {
    *smallest = UINT32_MAX;
    if (!states || !clusters)
        return 0;
    size_t found = 1, beyond = 0, count = states - 1;
    size_t wanted = clusters - 1 < count ? clusters - 1 : count;
    starts[0] = 0;
    if (!wanted)
        return 1;
    uint32_t border = find_border(gaps, count, wanted, &beyond);
    size_t equal = wanted - beyond; /* of gaps equal to the border, the first ones are cut */
    for (size_t i = 0; i < count; i++) {
        bool is_cut = gaps[i] > border || (gaps[i] == border && equal);
        if (!is_cut || gaps[i] <= least)
            continue;
        equal -= gaps[i] == border;
        starts[found++] = i + 1;
        if (gaps[i] < *smallest)
            *smallest = gaps[i];
    }
    return found;
}

bool beam_is_diverse(uint32_t smallest, uint32_t lookahead, size_t clusters) {
    return (uint64_t)smallest * clusters > lookahead;
}
