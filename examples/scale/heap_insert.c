/* SPDX-License-Identifier: Apache-2.0
 *
 * Insertion into a binary heap, one element after the other: in the worst order each one rises to
 * the top.
 */
void heap_insert(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int value = a[i], at = i;
        while (at > 0 && a[(at - 1) / 2] < value) {
            a[at] = a[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        a[at] = value;
    }
}
