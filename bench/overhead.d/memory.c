/* SPDX-License-Identifier: Apache-2.0
 *
 * A memory-bound loop: sums over an array much larger than any cache, in small steps.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define COUNT ((size_t)16 << 20)
#define ROUNDS 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t *values = malloc(COUNT * sizeof *values), sum = size ? data[0] : 0;
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (uint32_t)i * 2654435761u;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < COUNT; i++)
            sum += values[i] ^ sum;
    free(values);
    return sum == 1;
}
