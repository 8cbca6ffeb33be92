/* SPDX-License-Identifier: Apache-2.0
 *
 * Are two blocks of n words the same, and if not, which comes first? Byte by byte: two ends at each
 * of them and one behind the last, 1,025 paths for 128 words.
 */
int cmp(const unsigned *a, const unsigned *b, int n) {
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (int i = 0; i < n * (int)sizeof *a; i++) {
        if (x[i] < y[i])
            return -1;
        if (x[i] > y[i])
            return 1;
    }
    return 0;
}
