/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparison of two blocks, word by word up to the first difference and then byte by byte, with the
 * newlines counted: the worst blocks differ in their last byte only.
 */
#include <stddef.h>

typedef unsigned long word;

size_t block_compare(const word *a, const word *b, int n) {
    const word *l0 = a, *l1 = b;
    int i = 0;
    for (; i < n && *l0 == *l1; i++) {
        l0++;
        l1++;
    }
    if (i == n)
        return (size_t)n * sizeof(word);
    const char *c0 = (const char *)l0, *c1 = (const char *)l1;
    while (*c0 == *c1) {
        c0++;
        c1++;
    }
    return (size_t)(c0 - (const char *)a);
}
