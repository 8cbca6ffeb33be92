/* SPDX-License-Identifier: Apache-2.0
 * Binary search for several keys. ENTRY: find(a[n], n, keys[3]) */
static int search(const int *a, int n, int key) {
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && a[low] == key;
}

int find(const int *a, int n, const int *keys) {
    int found = 0;
    for (int i = 0; i < 3; i++)
        found += search(a, n, keys[i]);
    return found;
}
