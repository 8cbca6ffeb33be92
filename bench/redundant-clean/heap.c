/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes the input's words of four bytes out of a binary heap, smallest first.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void sink(uint32_t *heap, size_t count, size_t at) {
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && heap[child + 1] < heap[child])
            child++;
        if (heap[at] <= heap[child])
            return;
        uint32_t swapped = heap[at];
        heap[at] = heap[child];
        heap[child] = swapped;
        at = child;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t count = size / 4;
    uint32_t *heap = malloc(size + 4);
    memcpy(heap, data, count * 4);
    for (size_t i = count / 2; i-- > 0;)
        sink(heap, count, i);
    for (size_t left = count; left > 1;) {
        uint32_t smallest = heap[0];
        heap[0] = heap[--left];
        heap[left] = smallest;
        sink(heap, left, 0);
    }
    free(heap);
    return 0;
}
