/* SPDX-License-Identifier: Apache-2.0
 *
 * The longest common subsequence of two texts by the usual table, without a branch on the
 * characters: the cost depends on the lengths alone.
 */
#include <stdlib.h>

static int larger(int a, int b) {
    int is_less = -(a < b);
    return (a & ~is_less) | (b & is_less);
}

int subsequence(const char *a, const char *b, int n) {
    size_t width = (size_t)n + 1;
    int *table = calloc(width * width, sizeof *table);
    for (int i = 1; i <= n; i++)
        for (int k = 1; k <= n; k++) {
            int *cell = &table[(size_t)i * width + (size_t)k];
            int match = cell[-(long)width - 1] + (a[i - 1] == b[k - 1]);
            *cell = larger(match, larger(cell[-1], cell[-(long)width]));
        }
    int length = table[width * width - 1];
    free(table);
    return length;
}
