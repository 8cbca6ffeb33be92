/* SPDX-License-Identifier: Apache-2.0
 * Merges two arrays that are sorted or not. ENTRY: merge(a[n], b[n], out[2*n], n) */
void merge(const int *a, const int *b, int *out, int n) {
    int i = 0, j = 0, to = 0;
    while (i < n && j < n) {
        if (a[i] <= b[j])
            out[to++] = a[i++];
        else
            out[to++] = b[j++];
    }
    while (i < n)
        out[to++] = a[i++];
    while (j < n)
        out[to++] = b[j++];
}
