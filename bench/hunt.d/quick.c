/* SPDX-License-Identifier: Apache-2.0
 *
 * Quicksort of the first 64 bytes with the first element as pivot. Worst: sorted, each part empty
 * but for one.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef BYTES
#define BYTES 64 /* bench/fleet takes more, so that the worst is not found at once */
#endif

static volatile uint8_t sink;

static void sort(uint8_t *values, size_t count) {
    if (count < 2)
        return;
    size_t place = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] < values[0]) {
            uint8_t value = values[++place];
            values[place] = values[i];
            values[i] = value;
        }
    uint8_t pivot = values[0];
    values[0] = values[place];
    values[place] = pivot;
    sort(values, place);
    sort(values + place + 1, count - place - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t values[BYTES];
    if (size > sizeof values)
        size = sizeof values;
    memcpy(values, data, size);
    sort(values, size);
    sink = size ? values[0] : 0;
    return 0;
}
