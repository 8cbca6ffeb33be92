/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts the input's words of four bytes by merging.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void merge(uint32_t *items, uint32_t *room, size_t middle, size_t count) {
    size_t left = 0, right = middle, to = 0;
    while (left < middle && right < count)
        room[to++] = items[right] < items[left] ? items[right++] : items[left++];
    while (left < middle)
        room[to++] = items[left++];
    while (right < count)
        room[to++] = items[right++];
    memcpy(items, room, count * sizeof *items);
}

static void sort(uint32_t *items, uint32_t *room, size_t count) {
    if (count < 2)
        return;
    sort(items, room, count / 2);
    sort(items + count / 2, room, count - count / 2);
    merge(items, room, count / 2, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t count = size / 4;
    uint32_t *items = malloc(size + 4), *room = malloc(size + 4);
    memcpy(items, data, count * 4);
    sort(items, room, count);
    free(items);
    free(room);
    return 0;
}
