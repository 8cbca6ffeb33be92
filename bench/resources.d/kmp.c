/* SPDX-License-Identifier: Apache-2.0
 * Finds a word in a text, by what its beginnings have in common. ENTRY: find(p[n], t[n], n) */
int find(const char *p, const char *t, int n) {
    int fail[16], m = n / 2 + 1, found = 0;
    fail[0] = 0;
    for (int i = 1, k = 0; i < m; i++) {
        while (k && p[k] != p[i])
            k = fail[k - 1];
        if (p[k] == p[i])
            k++;
        fail[i] = k;
    }
    for (int i = 0, k = 0; i < n; i++) {
        while (k && p[k] != t[i])
            k = fail[k - 1];
        if (p[k] == t[i])
            k++;
        if (k == m) {
            found++;
            k = fail[k - 1];
        }
    }
    return found;
}
