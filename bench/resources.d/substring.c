/* SPDX-License-Identifier: Apache-2.0
 * Finds a word in a text, by trying every place. ENTRY: find(text[n], n, word[2]) */
int find(const char *text, int n, const char *word) {
    for (int i = 0; i + 2 <= n; i++) {
        int k = 0;
        while (k < 2 && text[i + k] == word[k])
            k++;
        if (k == 2)
            return i;
    }
    return -1;
}
