/* SPDX-License-Identifier: Apache-2.0
 *
 * qsort with a comparison of the usual kind, which tells less, equal and greater apart: as many
 * paths as there are orders with ties.
 */
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

void sort(int *values, int n) {
    qsort(values, (size_t)n, sizeof *values, compare);
}
