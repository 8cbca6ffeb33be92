/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash over the bytes: linear, whatever the input.
 */
#include <stddef.h>
#include <stdint.h>

static volatile uint32_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 16777619u;
    sink = hash;
    return 0;
}
