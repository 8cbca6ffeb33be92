/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that a run has to fix are tried one after the other: a store through a symbolic index (16
 * places). The size of an allocation stays open, and its test is the costliest of 252. Assumptions that the first input does not meet
 * are mended. What a test allocates is told in terms of its input.
 *
 * RUN: number() { sed -n "s/^ *\"$1\": \([0-9]*\),/\1/p" s/suite.json | head -n 1; }
 * RUN: search() { %slowpath run %s --strategy exhaustive --jobs 1 --out s --force --quiet "$@" >out; }
 *
 * The stored value is compared where the two indices meet, else what was there before.
 * RUN: search --entry 'place(i, v)'
 * RUN: %check --check-prefix=PLACE <s/suite.json
 * PLACE: "mismatches": 0,
 * PLACE: "concretised": 0,
 * PLACE: "complete": true,
 *
 * RUN: search --entry 'grow(icap, k)' --measure allocated
 * RUN: [ "$(number paths)" = 3 ]
 * RUN: %check --check-prefix=GROW <s/suite.json
 * GROW: "allocated": 1032,
 * GROW: "allocated": "12 + 4*icap"
 * GROW-NEXT: }
 * GROW-NEXT: "condition": "icap >= 4 && {{.*}}"
 * GROW: "complete": true,
 *
 * RUN: search --entry 'limits(x, y)'
 * RUN: [ "$(number paths)" = 2 ]; [ "$(number rejected)" -ge 1 ]
 * RUN: grep -q '"complete": true' s/suite.json
 *
 * A crash is counted, its path is one, and it is no test.
 * RUN: search --entry 'divide(x)'
 * RUN: [ "$(number crashes)" = 1 ]; [ "$(number paths)" = 2 ]; grep -q '"complete": false' s/suite.json
 * RUN: [ -f s/tests/0001.input ] && [ ! -e s/tests/0002.input ]; [ "$(cat s/faults/0001.input)" = M ]; grep -q "Segmentation fault in divide" out
 * RUN: %exit 4 %slowpath run %s --strategy exhaustive --out t --quiet --entry 'always(x)'
 */
#include <slowpath.h>
#include <stdlib.h>

int place(unsigned char i, unsigned char v) {
    int a[16];
    for (int k = 0; k < 16; k++)
        a[k] = k % 3;
    a[i & 15] = v;
    if (a[i >> 4] == 2)
        return 1;
    return 0;
}

int grow(unsigned char icap, unsigned char k) {
    if (icap < 4)
        return 0;
    int *p = malloc(12 + 4 * (size_t)icap);
    if (!p)
        return -1;
    p[0] = k;
    int r = 0;
    if (p[0] > 9)
        r = 1;
    free(p);
    return r;
}

int limits(unsigned char x, unsigned char y) {
    slowpath_assume(x > 10);
    if (y > x)
        return 1;
    slowpath_assume(y != 3);
    if (y == 3)
        return 2;
    return 3;
}

int divide(unsigned char x) {
    volatile int zero = 0;
    if (x == 77)
        *(volatile int *)0 = zero;
    return x;
}

int always(unsigned char x) {
    *(volatile int *)0 = x;
    return x;
}
