/* SPDX-License-Identifier: Apache-2.0
 *
 * Bubble sort that ends with the first pass that moved nothing.
 */
#include <stdbool.h>

void bubble_sort(int *a, int n) {
    bool moved = true;
    for (int end = n - 1; moved; end--) {
        moved = false;
        for (int i = 0; i < end; i++)
            if (a[i] > a[i + 1]) {
                int value = a[i];
                a[i] = a[i + 1];
                a[i + 1] = value;
                moved = true;
            }
    }
}
