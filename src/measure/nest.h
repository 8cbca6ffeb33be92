/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences of vectors as nested loops, see nest.c.
 */
#ifndef SLOWPATH_MEASURE_NEST_H
#define SLOWPATH_MEASURE_NEST_H

#include "base/base.h"

#define MEASURE_NEST_WIDTH 24
#define MEASURE_NEST_DEPTH 5
struct measure_nest {
    size_t width;                                            /* of the vectors */
    size_t depth;                                            /* loops */
    int64_t strides[MEASURE_NEST_DEPTH][MEASURE_NEST_WIDTH]; /* innermost first */
    int64_t last[MEASURE_NEST_WIDTH]; /* the first vector, then the iterations of each loop */
};
/* COUNT vectors of WIDTH numbers each. */
bool measure_nest_infer(const int64_t *values, size_t count, size_t width,
                        struct measure_nest *nest);
/* The vectors, at most MOST; the caller frees them. */
bool measure_nest_expand(const struct measure_nest *nest, size_t most, int64_t **values,
                         size_t *count);
/* The same without expanding the innermost loop: COUNT vectors, each followed by its length. Their
 * stride is strides[0] (zeros if there is no loop at all). */
bool measure_nest_runs(const struct measure_nest *nest, size_t most, int64_t **runs, size_t *count);
/* Computes the nest of the wanted size from those of COUNT sizes. */
bool measure_nest_predict(struct measure_nest *nests, const int64_t *sizes, size_t count,
                          int64_t wanted, struct measure_nest *nest);

#endif
