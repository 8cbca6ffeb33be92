/* SPDX-License-Identifier: Apache-2.0
 *
 * A policy that begins anew with each call. Row i compares i elements with i others, as a merge does:
 * 2i - 1 comparisons at most, two steps each, and one step more if the second side ends first. So
 * the two sides alternate, and each row begins and ends with the second one. Whether a row has just
 * begun cannot be seen from the decisions before it, but from those of the same call. 4 rows take at
 * most 2 * (1 + 3 + 5 + 7) + 4 = 36 steps, n rows 2 * n^2 + n.
 *
 * RUN: %slowpath run %s --entry 'rows(a[n*n], b[n*n], n)' --size n=30 --strategy policy --train 1..4 \
 * RUN:   --measure count:steps --out s --quiet >out
 * RUN: %check <out
 * CHECK: tests/0001.input {{ *}}1830 {{.*}}yes
 * CHECK: 4 {{ *}}36 {{ *}}36 trained
 * CHECK: 30 {{ *}}1830 {{ *}}1830 policy
 * CHECK: cost: 2*n^2 + n, O(n^2)
 * CHECK: by the last 1 decisions of the same branch in the same call
 */
#include <slowpath.h>

static void merge(const char *x, const char *y, int count) {
    int i = 0, k = 0;
    while (i < count && k < count) {
        slowpath_count("steps", 2);
        if (x[i] <= y[k])
            i++;
        else
            k++;
    }
    if (k == count)
        slowpath_count("steps", 1);
}

void rows(const char *a, const char *b, int n) {
    for (int i = 1; i <= n; i++)
        merge(a + (i - 1) * n, b + (i - 1) * n, i);
}
