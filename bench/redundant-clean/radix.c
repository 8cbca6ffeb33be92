/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts the input's words of four bytes by their digits.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void sort_digit(const uint32_t *from, uint32_t *to, size_t count, unsigned shift) {
    size_t starts[257] = {0};
    for (size_t i = 0; i < count; i++)
        starts[(from[i] >> shift & 255) + 1]++;
    for (size_t i = 0; i < 256; i++)
        starts[i + 1] += starts[i];
    for (size_t i = 0; i < count; i++)
        to[starts[from[i] >> shift & 255]++] = from[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t count = size / 4;
    uint32_t *items = malloc(size + 4), *room = malloc(size + 4);
    memcpy(items, data, count * 4);
    for (unsigned shift = 0; shift < 32; shift += 16) {
        sort_digit(items, room, count, shift);
        sort_digit(room, items, count, shift + 8);
    }
    free(items);
    free(room);
    return 0;
}
