/* SPDX-License-Identifier: Apache-2.0
 *
 * The merge step of merge sort: the worst inputs make both runs end together.
 */
#include <slowpath.h>

void merge(const int *a, const int *b, int n) {
    static int out[4000000];
    for (int i = 1; i < n; i++) {
        slowpath_assume(a[i - 1] <= a[i]);
        slowpath_assume(b[i - 1] <= b[i]);
    }
    int i = 0, j = 0, k = 0;
    while (i < n && j < n) {
        if (a[i] <= b[j])
            out[k++] = a[i++];
        else
            out[k++] = b[j++];
    }
    while (i < n)
        out[k++] = a[i++];
    while (j < n)
        out[k++] = b[j++];
}
