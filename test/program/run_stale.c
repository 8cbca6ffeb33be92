/* SPDX-License-Identifier: Apache-2.0
 *
 * A buffer on the stack that is not set before it is copied in part, by a length that depends on the
 * input: what lies behind that length is what earlier runs have left there. It decides about nothing,
 * and must not make a path look like another.
 *
 * RUN: %slowpath run %s --entry 'sort(in[3])' --range in=96..103 --strategy exhaustive --jobs 1 --out s --quiet >out
 * RUN: grep -q ' 30 different paths' out && grep -q '"complete": true' s/suite.json || { cat out; exit 1; }
 * RUN: grep -q '"mismatches": 0,' s/suite.json
 */
#include <stddef.h>

static void merge(char *base, size_t count, char *buffer) {
    if (count <= 1)
        return;
    size_t left = count / 2, right = count - left;
    char *a = base, *b = base + left, *to = buffer;
    merge(a, left, buffer);
    merge(b, right, buffer);
    while (left > 0 && right > 0) {
        if (*a <= *b) {
            *to++ = *a++;
            left--;
        } else {
            *to++ = *b++;
            right--;
        }
    }
    if (left > 0)
        __builtin_memcpy(to, a, left);
    __builtin_memcpy(base, buffer, count - right);
}

int sort(const unsigned char *in) {
    char text[8] = {(char)in[0], (char)in[1], 'a', 'b'}, buffer[1024];
    merge(text, 2u + (in[2] & 3), buffer);
    return text[0];
}
