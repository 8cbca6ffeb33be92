/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run allocates is told in terms of its input, once for each allocation: calloc and
 * reallocarray ask for a product. The costliest test allocates 4 * 255 bytes, or 255 + 2 * 255.
 *
 * RUN: search() { %slowpath run %s --strategy exhaustive --jobs 1 --measure allocated --out s --quiet --entry "$1" >out; }
 * RUN: told() { sed -n 's/^ *"allocated": "\(.*\)"$/\1/p' s/suite.json | head -n 1; }
 *
 * RUN: search 'cleared(n)'
 * RUN: [ "$(told)" = '4*n' ]
 * RUN: search 'grown(n)'
 * RUN: [ "$(told)" = '3*n' ]
 *
 * The path knows the size of the first block; the second is larger all the same.
 * RUN: search 'settled(s[1])'
 * RUN: grep -q '(confirmed' out && ! grep -q 'NOT confirmed' out || { cat out; exit 1; }
 */
#include <stdlib.h>

int cleared(unsigned char n) {
    int *p = calloc(n, sizeof *p);
    free(p);
    return p != 0;
}

int grown(unsigned char n) {
    char *p = malloc(n);
    char *q = reallocarray(p, n, 2);
    free(q);
    return q != 0;
}

int settled(const unsigned char *s) {
    int zeros = 0;
    if (s[0] == 0)
        zeros++;
    int *p = calloc(4u + (s[0] == 0), sizeof *p);
    free(p);
    char *q = malloc(24);
    free(q);
    return zeros;
}
