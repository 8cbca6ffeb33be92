/* SPDX-License-Identifier: Apache-2.0
 *
 * Quicksort whose pivot is the first element of its range: the worst inputs put every pivot at an
 * end.
 */
static void sort(int *a, int first, int last) {
    if (first >= last)
        return;
    int pivot = a[first], border = first;
    for (int i = first + 1; i <= last; i++)
        if (a[i] < pivot) {
            int value = a[++border];
            a[border] = a[i];
            a[i] = value;
        }
    a[first] = a[border];
    a[border] = pivot;
    sort(a, first, border - 1);
    sort(a, border + 1, last);
}

void quicksort(int *a, int n) {
    sort(a, 0, n - 1);
}
