/* SPDX-License-Identifier: Apache-2.0
 *
 * Recursive merge sort: the worst input makes both halves of every merge end together.
 */
static void merge(int *a, int *copy, int n, int half) {
    int i = 0, k = half, to = 0;
    while (i < half && k < n)
        if (a[i] <= a[k])
            copy[to++] = a[i++];
        else
            copy[to++] = a[k++];
    while (i < half)
        copy[to++] = a[i++];
    while (k < n)
        copy[to++] = a[k++];
    for (i = 0; i < n; i++)
        a[i] = copy[i];
}

static void sort(int *a, int *copy, int n) {
    if (n < 2)
        return;
    sort(a, copy, n / 2);
    sort(a + n / 2, copy, n - n / 2);
    merge(a, copy, n, n / 2);
}

void merge_sort(int *a, int n) {
    static int copy[1 << 20];
    sort(a, copy, n);
}
