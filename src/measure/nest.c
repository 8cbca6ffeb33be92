/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nested loops produce these numbers?
 *
 * A sequence of vectors (0,1) (1,2) (0,2) (2,3) (1,3) (0,3) splits into runs with one stride, here
 * (-1,0), the most frequent one. Each run is replaced by its first vector and its length, which
 * gives a shorter sequence of longer vectors, (0,1,1) (1,2,2) (2,3,3), and so on until one vector
 * is left. The strides and the last vector are the parameters of the nest; over the sizes, each
 * must follow a curve. A sequence that does not shrink or has no curve is rejected.
 *
 * This is the generator inference of "XSTRESSOR: Automatic Generation of Large-Scale Worst-Case
 * Test Inputs by Inferring Path Conditions", sections IV-B and IV-C, applied to all leaves of a
 * constraint at once, and with strides as parameters like all others.
 */
#include "measure/nest.h"
#include "measure/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct vectors { /* COUNT vectors of WIDTH numbers */
    int64_t *data;
    size_t count, width;
};

static const int64_t *vector_at(const struct vectors *vectors, size_t i) {
    return vectors->data + i * vectors->width;
}

static bool has_stride(const struct vectors *vectors, size_t i, const int64_t *stride) {
    const int64_t *a = vector_at(vectors, i), *b = vector_at(vectors, i + 1);
    for (size_t k = 0; k < vectors->width; k++)
        if (b[k] - a[k] != stride[k])
            return false;
    return true;
}

static void stride_at(const struct vectors *vectors, size_t i, int64_t *stride) {
    const int64_t *a = vector_at(vectors, i), *b = vector_at(vectors, i + 1);
    for (size_t k = 0; k < vectors->width; k++)
        stride[k] = b[k] - a[k];
}

/* The most frequent difference between neighbours; the first one if there are several. */
static void find_stride(const struct vectors *vectors, int64_t *stride) {
    size_t best = 0;
    int64_t tried[MEASURE_NEST_WIDTH];
    for (size_t i = 0; i + 1 < vectors->count && i < 64; i++) {
        size_t found = 0;
        stride_at(vectors, i, tried);
        for (size_t k = 0; k + 1 < vectors->count; k++)
            found += has_stride(vectors, k, tried);
        if (found > best) {
            best = found;
            memcpy(stride, tried, vectors->width * sizeof *stride);
        }
    }
}

/* Replaces the sequence by its runs. */
static void fold(struct vectors *vectors, const int64_t *stride) {
    size_t width = vectors->width + 1, count = 0;
    int64_t *runs = base_alloc((vectors->count + 1) * width * sizeof *runs);
    for (size_t i = 0; i < vectors->count; count++) {
        size_t end = i + 1;
        while (end < vectors->count && has_stride(vectors, end - 1, stride))
            end++;
        memcpy(runs + count * width, vector_at(vectors, i), vectors->width * sizeof *runs);
        runs[count * width + width - 1] = (int64_t)(end - i);
        i = end;
    }
    free(vectors->data);
    *vectors = (struct vectors){runs, count, width};
}

bool measure_nest_infer(const int64_t *values, size_t count, size_t width,
                        struct measure_nest *nest) {
    *nest = (struct measure_nest){.width = width};
    if (!count || width + MEASURE_NEST_DEPTH >= MEASURE_NEST_WIDTH)
        return false;
    struct vectors vectors = {base_alloc(count * width * sizeof *values + 1), count, width};
    memcpy(vectors.data, values, count * width * sizeof *values);
    while (vectors.count > 1 && nest->depth < MEASURE_NEST_DEPTH) {
        size_t before = vectors.count;
        find_stride(&vectors, nest->strides[nest->depth]);
        fold(&vectors, nest->strides[nest->depth++]);
        if (vectors.count == before)
            break;
    }
    bool good = vectors.count == 1;
    if (good)
        memcpy(nest->last, vectors.data, vectors.width * sizeof *nest->last);
    free(vectors.data);
    return good;
}

/* ---- expanding ---- */

static bool unfold(struct vectors *vectors, const int64_t *stride, size_t most) {
    size_t width = vectors->width - 1, count = 0, at = 0;
    for (size_t i = 0; i < vectors->count; i++) {
        int64_t length = vector_at(vectors, i)[width];
        if (length < 0 || (uint64_t)length > most - count)
            return false;
        count += (size_t)length;
    }
    int64_t *all = base_alloc(count * width * sizeof *all + 1);
    for (size_t i = 0; i < vectors->count; i++)
        for (int64_t k = 0; k < vector_at(vectors, i)[width]; k++, at++)
            for (size_t c = 0; c < width; c++)
                all[at * width + c] = vector_at(vectors, i)[c] + k * stride[c];
    free(vectors->data);
    *vectors = (struct vectors){all, count, width};
    return true;
}

/* Expands the loops down to LEVEL. */
static bool unfold_to(const struct measure_nest *nest, size_t level, size_t most, int64_t **values,
                      size_t *count) {
    struct vectors vectors = {.count = 1, .width = nest->width + nest->depth};
    vectors.data = base_alloc(vectors.width * sizeof *vectors.data);
    memcpy(vectors.data, nest->last, vectors.width * sizeof *vectors.data);
    bool good = true;
    for (size_t depth = nest->depth; good && depth-- > level;)
        good = unfold(&vectors, nest->strides[depth], most);
    if (!good)
        free(vectors.data);
    *values = good ? vectors.data : NULL;
    *count = vectors.count;
    return good;
}

bool measure_nest_expand(const struct measure_nest *nest, size_t most, int64_t **values,
                         size_t *count) {
    return unfold_to(nest, 0, most, values, count);
}

bool measure_nest_runs(const struct measure_nest *nest, size_t most, int64_t **runs,
                       size_t *count) {
    struct measure_nest looped = *nest;
    if (!looped.depth) { /* a loop with one iteration */
        looped.depth = 1;
        looped.last[looped.width] = 1;
    }
    return unfold_to(&looped, 1, most, runs, count);
}

/* ---- over the sizes ---- */

/* The parameter at PLACE: first those of the last vector, then those of the strides. */
static int64_t *parameter(struct measure_nest *nest, size_t place) {
    size_t lasts = nest->width + nest->depth;
    if (place < lasts)
        return &nest->last[place];
    place -= lasts;
    size_t depth = 0;
    for (; place >= nest->width + depth; depth++)
        place -= nest->width + depth;
    return &nest->strides[depth][place];
}

static size_t parameter_count(const struct measure_nest *nest) {
    size_t count = nest->width + nest->depth;
    for (size_t depth = 0; depth < nest->depth; depth++)
        count += nest->width + depth;
    return count;
}

bool measure_nest_predict(struct measure_nest *nests, const int64_t *sizes, size_t count,
                          int64_t wanted, struct measure_nest *nest) {
    struct measure_point points[MEASURE_POINTS];
    *nest = nests[count - 1];
    for (size_t place = 0; place < parameter_count(nest); place++) {
        size_t found = 0;
        for (size_t i = 0; i < count && found < MEASURE_POINTS; i++)
            if (nests[i].depth == nest->depth)
                points[found++] =
                    (struct measure_point){sizes[i], (double)*parameter(&nests[i], place)};
        struct measure_curve curve;
        if (found < 3 || !measure_curve_fit(points, found, &curve))
            return false;
        double value = measure_curve_at(&curve, wanted);
        if (!(fabs(value) < 0x1p53) || value != floor(value))
            return false;
        *parameter(nest, place) = (int64_t)value;
    }
    return true;
}
