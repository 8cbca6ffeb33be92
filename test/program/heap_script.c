/* SPDX-License-Identifier: Apache-2.0
 *
 * Peak memory is what the program asked for and had not given back, at its most. Here a program
 * works off a script of random heap calls and keeps its own books on the side (an array of sizes,
 * nothing else), which it reports through slowpath_count; memory, allocated and allocations must
 * say the same for every script, in one process and in fresh ones.
 *
 * A block that grows or shrinks counts with its new size only, never with both at once.
 *
 * RUN: for i in 1 2 3 4 5 6 7 8 9; do awk -v seed=$i 'BEGIN { srand(seed); for (i = 0; i < 300; i++) printf "%c%c%c%c", 65 + rand() * 26, 65 + rand() * 26, 65 + rand() * 26, 65 + rand() * 26 }' >in-$i; done
 * RUN: printf '' >in-0
 * RUN: for mode in '' --fresh; do
 * RUN:   %slowpath measure %s $mode in-0 in-1 in-2 in-3 in-4 in-5 in-6 in-7 in-8 in-9 --json - 2>/dev/null >result
 * RUN:   for name in memory:peak allocated:total allocations:requests; do
 * RUN:     sed -n "s/.*\"${name%%:*}\": //p" result >counted; sed -n "s/.*\"count:${name##*:}\": //p" result >simulated
 * RUN:     [ $(wc -l <counted) = 10 ]; cmp counted simulated
 * RUN:   done
 * RUN:   [ $(sort -u counted | wc -l) -gt 3 ]
 * RUN: done
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <slowpath.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 16

static void *blocks[BLOCKS];
static size_t sizes[BLOCKS];
static long live, peak, total, requests;

static void book(int slot, size_t size) {
    live += (long)size - (long)sizes[slot];
    sizes[slot] = size;
    total += (long)size;
    requests++;
    if (live > peak)
        peak = live;
}

static void release(int slot) {
    free(blocks[slot]);
    blocks[slot] = NULL;
    live -= (long)sizes[slot];
    sizes[slot] = 0;
}

static void resize(int slot, size_t size, int by_count) {
    if (by_count && size % 8 == 0)
        blocks[slot] = reallocarray(blocks[slot], size / 8, 8);
    else
        blocks[slot] = realloc(blocks[slot], size);
    book(slot, size);
}

static void *fresh_block(int kind, size_t size) {
    void *block = NULL;
    switch (kind) {
    case 0:
        return malloc(size);
    case 1:
        return calloc(1, size);
    case 2:
        return aligned_alloc(64, size);
    case 3:
        return posix_memalign(&block, 256, size) == 0 ? block : NULL;
    default:
        return memalign(4096, size);
    }
}

static void duplicate(int slot, size_t size) {
    char *text = blocks[(slot + 1) % BLOCKS];
    size_t room = sizes[(slot + 1) % BLOCKS], length = 0;
    while (length + 1 < room && length < size)
        text[length++] = 'x';
    if (!room)
        return;
    text[length] = 0;
    blocks[slot] = strdup(text);
    book(slot, length + 1);
}

static void step(const uint8_t *data) {
    int slot = data[1] % BLOCKS;
    size_t size = (size_t)(data[2] % 40) * (data[3] % 7 ? data[3] : 1000) + 1;
    int operation = data[0] % 10;
    if (operation < 4 && blocks[slot])
        return resize(slot, size, operation % 2);
    if (blocks[slot])
        release(slot);
    if (operation == 9)
        return duplicate(slot, size);
    blocks[slot] = fresh_block(operation % 5, size);
    book(slot, size);
    memset(blocks[slot], 1, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i + 4 <= size; i += 4)
        step(data + i);
    slowpath_count("peak", peak);
    slowpath_count("total", total);
    slowpath_count("requests", requests);
    return 0;
}
