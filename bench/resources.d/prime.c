/* SPDX-License-Identifier: Apache-2.0
 * A hash table whose sizes are prime numbers. ENTRY: build(keys[n], n) */
#include <stdlib.h>

static const unsigned sizes[] = {3, 7, 13, 31};
static unsigned short *slots;
static unsigned level, used;

static unsigned find(unsigned short key) {
    unsigned at = key * 7u % sizes[level];
    while (slots[at] && slots[at] != key)
        at = (at + 1) % sizes[level];
    return at;
}

int build(const unsigned short *keys, int n) {
    level = used = 0;
    slots = calloc(sizes[0], sizeof *slots);
    for (int i = 0; i < n; i++) {
        if (!keys[i])
            continue;
        unsigned at = find(keys[i]);
        if (slots[at])
            continue;
        slots[at] = keys[i];
        if (++used * 3 > sizes[level] * 2) {
            unsigned short *old = slots;
            unsigned count = sizes[level++];
            slots = calloc(sizes[level], sizeof *slots);
            for (unsigned k = 0; k < count; k++)
                if (old[k])
                    slots[find(old[k])] = old[k];
            free(old);
        }
    }
    return (int)used;
}
