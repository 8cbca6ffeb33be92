/* SPDX-License-Identifier: Apache-2.0
 *
 * How similar are two sequences of reads?
 */
#ifndef SLOWPATH_REDUNDANT_SIMILAR_H
#define SLOWPATH_REDUNDANT_SIMILAR_H

#include "abi/record.h"
#include "base/base.h"

/* The length of the longest run of elements that A and B have in common. */
size_t redundant_common_run(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count);

/* How many of the pieces of REDUNDANT_PIECE elements in A are somewhere in B. */
#define REDUNDANT_PIECE 4
size_t redundant_shared_pieces(const uint32_t *a, size_t a_count, const uint32_t *b,
                               size_t b_count);

struct redundant_likeness {
    double share; /* share of the loads varying within an iteration whose sequences are similar */
    bool is_same; /* no difference at all */
};
/* Compares what two iterations have read, load by load (equal keys): two sequences are similar if
 * seven tenths of the shorter one are in the other, as one run or in small pieces, and neither is
 * shorter than LEAST. */
void redundant_compare(const struct abi_logged *a, size_t a_count, const struct abi_logged *b,
                       size_t b_count, size_t least, struct redundant_likeness *likeness);

#endif
