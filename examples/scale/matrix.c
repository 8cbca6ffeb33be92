/* SPDX-License-Identifier: Apache-2.0
 *
 * Product of boolean matrices that stops at the first pair of ones of each cell: the worst matrices
 * have no such pair.
 */
#include <stdbool.h>

void multiply(const bool *a, const bool *b, int n) {
    static bool c[1 << 20];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            bool found = false;
            for (int k = 0; k < n && !found; k++)
                found = a[i * n + k] && b[k * n + j];
            c[i * n + j] = found;
        }
}
