/* SPDX-License-Identifier: Apache-2.0
 *
 * Insertion sort that sleeps: a search of seconds that needs hardly any processor time.
 */
#include <unistd.h>

void slow(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        for (; j >= 0 && a[j] > x; j--)
            a[j + 1] = a[j];
        a[j + 1] = x;
    }
    usleep(1500);
}
