/* SPDX-License-Identifier: Apache-2.0
 * Bubble sort that ends when a pass swaps nothing. ENTRY: sort(a[n], n) */
void sort(int *a, int n) {
    int swapped = 1;
    for (int end = n - 1; swapped && end > 0; end--) {
        swapped = 0;
        for (int i = 0; i < end; i++)
            if (a[i] > a[i + 1]) {
                int x = a[i];
                a[i] = a[i + 1];
                a[i + 1] = x;
                swapped = 1;
            }
    }
}
