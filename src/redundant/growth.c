/* SPDX-License-Identifier: Apache-2.0
 *
 * How do the loads of a nest grow with the size of the input, and how does the memory that they
 * read? A straight line through the logarithms of both. If loads grow much faster than the data,
 * the same data is read more and more often, and that is not an accident of one input.
 */
#include "redundant/internal.h"

#include <math.h>
#include <stdlib.h>

#define FEWEST_SIZES 3
#define SPAN 3.9 /* minimum ratio of the largest to the smallest size */
#define SUPERLINEAR 1.4
#define APART 0.7

static int compare_points(const void *a, const void *b) {
    const struct redundant_point *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return (x->loads < y->loads) - (x->loads > y->loads);
}

/* Of inputs of equal size, the one with the most loads. */
static size_t keep_largest(struct redundant_point *points, size_t count) {
    size_t to = 0;
    for (size_t i = 0; i < count; i++)
        if (points[i].size > 0 && points[i].loads && (!to || points[to - 1].size != points[i].size))
            points[to++] = points[i];
    return to;
}

static double slope(const struct redundant_point *points, size_t count, bool of_fresh) {
    double x_sum = 0, y_sum = 0, xx = 0, xy = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        double x = log((double)points[i].size);
        double y = log((double)(of_fresh ? points[i].fresh : points[i].loads) + 1);
        x_sum += x;
        y_sum += y;
        xx += x * x;
        xy += x * y;
    }
    return (n * xy - x_sum * y_sum) / (n * xx - x_sum * x_sum);
}

bool redundant_fit(struct redundant_point *points, size_t count, struct redundant_growth *growth) {
    *growth = (struct redundant_growth){0};
    qsort(points, count, sizeof *points, compare_points);
    count = keep_largest(points, count);
    if (count < FEWEST_SIZES || (double)points[count - 1].size < SPAN * (double)points[0].size)
        return false;
    *growth = (struct redundant_growth){.is_known = true,
                                        .loads = slope(points, count, false),
                                        .fresh = slope(points, count, true),
                                        .first = points[0].size,
                                        .last = points[count - 1].size,
                                        .sizes = count};
    return true;
}

bool redundant_is_proof(const struct redundant_growth *growth) {
    return growth->is_known && growth->loads >= SUPERLINEAR &&
           growth->loads - growth->fresh >= APART;
}
