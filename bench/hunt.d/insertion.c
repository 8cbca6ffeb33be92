/* SPDX-License-Identifier: Apache-2.0
 *
 * Insertion sort of the first 64 bytes. Worst: strictly falling bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef BYTES
#define BYTES 64 /* bench/fleet takes more, so that the worst is not found at once */
#endif

static volatile uint8_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t values[BYTES];
    if (size > sizeof values)
        size = sizeof values;
    if (!size)
        return 0;
    memcpy(values, data, size);
    for (size_t i = 1; i < size; i++) {
        uint8_t value = values[i];
        size_t j = i;
        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
    sink = values[0];
    return 0;
}
