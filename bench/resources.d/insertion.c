/* SPDX-License-Identifier: Apache-2.0
 * Insertion sort. ENTRY: sort(a[n], n) */
void sort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        while (j >= 0 && a[j] > x) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = x;
    }
}
