/* SPDX-License-Identifier: Apache-2.0
 *
 * The merge of two sorted arrays of different lengths: two sizes, n and m, that grow on their own.
 */
#include <slowpath.h>

void merge_two(const int *a, int n, const int *b, int m) {
    static int out[4000000];
    for (int i = 1; i < n; i++)
        slowpath_assume(a[i - 1] <= a[i]);
    for (int i = 1; i < m; i++)
        slowpath_assume(b[i - 1] <= b[i]);
    int i = 0, k = 0, to = 0;
    while (i < n && k < m)
        if (a[i] <= b[k])
            out[to++] = a[i++];
        else
            out[to++] = b[k++];
    while (i < n)
        out[to++] = a[i++];
    while (k < m)
        out[to++] = b[k++];
}
