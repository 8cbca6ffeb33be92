/* SPDX-License-Identifier: Apache-2.0
 *
 * How often does each word of the first 64 bytes come? Words go into a table of 64 chains by the
 * sum of their letters, so that different words of one sum share a chain.
 */
#include <stddef.h>
#include <stdint.h>

#ifndef BYTES
#define BYTES 64 /* bench/fleet takes more, so that the worst is not found at once */
#endif

struct word {
    const uint8_t *text;
    size_t size;
    int times;
    struct word *next;
};
static struct word words[BYTES];
static struct word *chains[64];

static void add(const uint8_t *text, size_t size, size_t *count) {
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += text[i];
    struct word **at = &chains[sum % 64];
    for (; *at; at = &(*at)->next) {
        size_t same = 0;
        while (same < size && same < (*at)->size && (*at)->text[same] == text[same])
            same++;
        if (same == size && size == (*at)->size) {
            (*at)->times++;
            return;
        }
    }
    *at = &words[*count];
    **at = (struct word){text, size, 1, NULL};
    ++*count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t count = 0, begin = 0;
    for (size_t i = 0; i < 64; i++)
        chains[i] = NULL;
    if (size > BYTES)
        size = BYTES;
    for (size_t i = 0; i <= size; i++)
        if (i == size || data[i] == ' ') {
            if (i > begin)
                add(data + begin, i - begin, &count);
            begin = i + 1;
        }
    return 0;
}
