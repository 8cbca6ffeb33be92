/* SPDX-License-Identifier: Apache-2.0
 *
 * String search without any table: the worst text agrees with the pattern up to its last character,
 * again and again.
 */
int string_search(const char *text, int n, const char *pattern, int m) {
    int matches = 0;
    for (int at = 0; at + m <= n; at++) {
        int i = 0;
        while (i < m && text[at + i] == pattern[i])
            i++;
        matches += i == m;
    }
    return matches;
}
