/* SPDX-License-Identifier: Apache-2.0
 *
 * The product of two boolean matrices. Elements are looked at only as long as the sum is not known,
 * so that paths differ in which of them they have seen: 73,515 paths for three rows.
 */
#define MOST 8

int matrix(const unsigned char *a, const unsigned char *b, int n) {
    int ones = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                if (a[i * n + k] && b[k * n + j]) {
                    ones++;
                    break;
                }
    return ones;
}
