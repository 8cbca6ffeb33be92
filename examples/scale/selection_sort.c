/* SPDX-License-Identifier: Apache-2.0
 *
 * Selection sort: the comparisons are always the same, the worst order finds a new minimum as often
 * as possible.
 */
void selection_sort(int *a, int n) {
    for (int i = 0; i + 1 < n; i++) {
        int least = i;
        for (int k = i + 1; k < n; k++)
            if (a[k] < a[least])
                least = k;
        int value = a[i];
        a[i] = a[least];
        a[least] = value;
    }
}
