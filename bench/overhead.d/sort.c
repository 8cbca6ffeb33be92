/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting the input's integers: recursion, unpredictable branches, a comparison by pointer.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int comparison(int a, int b);

static int ascending(int a, int b) {
    return (a > b) - (a < b);
}

static int by_low_bits(int a, int b) {
    return ascending(a & 0xffff, b & 0xffff);
}

static void sort(int *first, int *last, comparison *compare) {
    while (last - first > 1) {
        int pivot = first[(last - first) / 2], *low = first, *high = last - 1;
        while (low <= high) {
            while (compare(*low, pivot) < 0)
                low++;
            while (compare(*high, pivot) > 0)
                high--;
            if (low <= high) {
                int swap = *low;
                *low++ = *high;
                *high-- = swap;
            }
        }
        sort(first, high + 1, compare);
        first = low;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t count = size / sizeof(int);
    int *values = malloc(size + 1);
    for (int round = 0; round < 4; round++) {
        memcpy(values, data, count * sizeof(int));
        sort(values, values + count, round % 2 ? ascending : by_low_bits);
    }
    free(values);
    return 0;
}
