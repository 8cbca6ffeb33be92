/* SPDX-License-Identifier: Apache-2.0
 * Quicksort with the last element as the pivot. ENTRY: sort(a[n], n) */
static void part(int *a, int low, int high) {
    if (low >= high)
        return;
    int pivot = a[high], to = low;
    for (int i = low; i < high; i++)
        if (a[i] < pivot) {
            int x = a[i];
            a[i] = a[to];
            a[to++] = x;
        }
    a[high] = a[to];
    a[to] = pivot;
    part(a, low, to - 1);
    part(a, to + 1, high);
}

void sort(int *a, int n) {
    part(a, 0, n - 1);
}
