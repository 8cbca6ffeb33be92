/* SPDX-License-Identifier: Apache-2.0
 *
 * Compresses as deflate does: chains of earlier places by hash, the longest match of a few.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 4096u
#define CANDIDATES 16

static uint32_t hash_of(const uint8_t *at) {
    return ((uint32_t)at[0] << 16 ^ (uint32_t)at[1] << 8 ^ at[2]) * 2654435761u >> 20;
}

static size_t match(const uint8_t *a, const uint8_t *b, size_t most) {
    size_t length = 0;
    while (length < most && a[length] == b[length])
        length++;
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t *heads = calloc(SLOTS, sizeof *heads), *before = calloc(size + 1, sizeof *before);
    uint8_t *out = malloc(2 * size + 16);
    size_t to = 0;
    for (size_t at = 0; at + 3 < size;) {
        uint32_t *head = &heads[hash_of(data + at)];
        size_t best = 0, where = 0;
        int left = CANDIDATES;
        for (uint32_t place = *head; place && left--; place = before[place - 1]) {
            size_t most = size - at < 258 ? size - at : 258;
            size_t length = match(data + place - 1, data + at, most);
            if (length > best) {
                best = length;
                where = at - place;
            }
        }
        size_t step = best >= 4 ? best : 1;
        out[to++] = best >= 4 ? (uint8_t)best : data[at];
        out[to++] = (uint8_t)where;
        for (size_t i = 0; i < step && at + 3 < size; i++, at++) {
            head = &heads[hash_of(data + at)];
            before[at] = *head;
            *head = (uint32_t)at + 1;
        }
    }
    free(heads);
    free(before);
    free(out);
    return 0;
}
