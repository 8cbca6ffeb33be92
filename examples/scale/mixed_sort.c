/* SPDX-License-Identifier: Apache-2.0
 *
 * Merge sort that leaves ranges of fewer than 16 elements to insertion sort: what small sizes teach
 * is wrong for large ones.
 */
static void insertion_sort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int value = a[i], k = i;
        for (; k > 0 && a[k - 1] > value; k--)
            a[k] = a[k - 1];
        a[k] = value;
    }
}

static void merge(int *a, int *copy, int n, int half) {
    int i = 0, k = half;
    for (int to = 0; to < n; to++)
        copy[to] = k == n || (i < half && a[i] <= a[k]) ? a[i++] : a[k++];
    for (i = 0; i < n; i++)
        a[i] = copy[i];
}

static void sort(int *a, int *copy, int n) {
    if (n < 16) {
        insertion_sort(a, n);
        return;
    }
    sort(a, copy, n / 2);
    sort(a + n / 2, copy, n - n / 2);
    merge(a, copy, n, n / 2);
}

void mixed_sort(int *a, int n) {
    static int copy[1 << 20];
    sort(a, copy, n);
}
