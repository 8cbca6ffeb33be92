/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting and merging: the order of the elements decides.
 */

void insertion(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        while (j >= 0 && a[j] > x) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = x;
    }
}

void bubble(int *a, int n) {
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < n - 1 - i; j++)
            if (a[j] > a[j + 1]) {
                int other = a[j];
                a[j] = a[j + 1];
                a[j + 1] = other;
            }
}

/* Ends after a round without a swap. */
void bubble_early(int *a, int n) {
    for (int swapped = 1; swapped;) {
        swapped = 0;
        for (int j = 0; j + 1 < n; j++)
            if (a[j] > a[j + 1]) {
                int other = a[j];
                a[j] = a[j + 1];
                a[j + 1] = other;
                swapped = 1;
            }
    }
}

static void sort_range(int *a, int low, int high) {
    while (low < high) {
        int pivot = a[high], border = low;
        for (int i = low; i < high; i++)
            if (a[i] < pivot) {
                int other = a[i];
                a[i] = a[border];
                a[border++] = other;
            }
        a[high] = a[border];
        a[border] = pivot;
        sort_range(a, low, border - 1);
        low = border + 1;
    }
}

void quick(int *a, int n) {
    sort_range(a, 0, n - 1);
}

static void merge_runs(int *to, const int *a, int n, const int *b, int m) {
    int i = 0, j = 0;
    while (i < n && j < m)
        *to++ = a[i] <= b[j] ? a[i++] : b[j++];
    while (i < n)
        *to++ = a[i++];
    while (j < m)
        *to++ = b[j++];
}

static void merge_range(int *a, int n, int *room) {
    if (n < 2)
        return;
    merge_range(a, n / 2, room);
    merge_range(a + n / 2, n - n / 2, room);
    merge_runs(room, a, n / 2, a + n / 2, n - n / 2);
    for (int i = 0; i < n; i++)
        a[i] = room[i];
}

void merge_sort(int *a, int n) {
    int room[64];
    if (n <= 64)
        merge_range(a, n, room);
}

void merge(const int *a, const int *b, int n) {
    int room[128];
    if (n <= 64)
        merge_runs(room, a, n, b, n);
}

static void sift(int *a, int at, int n) {
    for (int child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && a[child] < a[child + 1])
            child++;
        if (a[at] >= a[child])
            return;
        int other = a[at];
        a[at] = a[child];
        a[child] = other;
        at = child;
    }
}

void heap(int *a, int n) {
    for (int i = n / 2; i-- > 0;)
        sift(a, i, n);
    for (int i = n; i-- > 1;) {
        int other = a[0];
        a[0] = a[i];
        a[i] = other;
        sift(a, 0, i);
    }
}
