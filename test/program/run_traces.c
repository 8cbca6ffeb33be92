/* SPDX-License-Identifier: Apache-2.0
 *
 * What a test says of its path: `then` is what comes next in the source, on one line or several, with one condition or more, and however
 * the compiler turned it; loops have their turns, entry by entry; of many bounds on one value the tightest is told.
 *
 * RUN: search() { %slowpath run %s --jobs 1 --strategy exhaustive --loop-bound 4 --tests 100 --out s --force --quiet "$@" >out 2>err || cat err; }
 * RUN: told() { grep -A1 -F "\"condition\": \"$1\"" s/suite.json | grep -qF "\"trace\": \"$2\"" || { echo "$1"; cat s/suite.json; exit 1; }; }
 * RUN: at() { grep -n "$1" %s | tail -n 1 | cut -d: -f1; }
 *
 * RUN: search --entry 'pick(p, q)'; a=$(at 'if (!p)') b=$(at 'p > 9 &&') c=$(at 'p == 4')
 * RUN: told 'p == 0' "pick: if@$a then, *"; told 'p > 9 && q > 9' "pick: if@$a else, if@$b then, *"
 * RUN: told 'p > 9 && q <= 9' "pick: if@$a else, if@$b else, if@$c else, *"; told 'p == 4' "pick: if@$a else, if@$b else, if@$c then, *"
 *
 * RUN: search --entry 'walk(s[4])'; a=$(at 'i < 3 &&'); told 's[0] > 0 && s[1] <= 0' "walk: loop@$a x1, if@$a then else, *"
 * RUN: search --entry 'turn(k)' --range k=0..3; a=$(at 'do$') b=$(at 'while (c'); told 'k > 1 && k <= 2' "turn: loop@$a x1, if@$b then else, *"
 *
 * The trace of a test leads back to it, entries of loops included.
 * RUN: search --entry 'rows(a, b)' --range a=0..2 --range b=0..2; a=$(at 'm = r')
 * RUN: told 'a > 1 && a <= 2 && b <= 0' "rows: loop@$((a - 1)) x2, loop@$a x2 x0, if@$a then then else else, *"
 * RUN: echo "rows: loop@$a x2 x0" >trace; search --entry 'rows(a, b)' --range a=0..2 --range b=0..2 --trace trace; grep -c '^tests/' out | grep -qx 1
 * RUN: echo "rows: loop@$a x2" >trace; search --entry 'rows(a, b)' --range a=0..2 --range b=0..2 --trace trace; grep -c '^tests/' out | grep -qx 1
 *
 * A factor is not part of a bound.
 * RUN: search --entry 'room(n)' --range n=1..; grep -qF '"condition": "n >= 3"' s/suite.json || { cat s/suite.json; exit 1; }
 *
 * RUN: %exit 2 %slowpath run %s --entry 'room(n)' --show-traces --strategy exhaustive --quiet 2>err; grep -q 'for --strategy driven' err
 * RUN: %exit 2 %slowpath run %s --entry 'room(n)' --heap tree --quiet 2>err; grep -q 'has no pointer on the heap' err
 * RUN: %exit 2 %slowpath run %s --entry 'room(n)' --invariant none --quiet 2>err; grep -q -e '--invariant none: the target has no such function' err
 */
#include <stdlib.h>

/* clang-format off */
int pick(unsigned char p, unsigned char q) {
    if (!p) return 1;
    if (p > 9 && q > 9)
        return 2;
    if (p == 4) return 3;
    return 4;
}

int walk(const signed char *s) {
    int i = 0;
    while (i < 3 && s[i] > 0) i++;
    return i;
}

int turn(unsigned char k) {
    int c = 0;
    do
        c++;
    while (c < k);
    return c;
}

int rows(signed char a, signed char b) {
    int sum = 0;
    for (int r = 0; r < 2; r++)
        for (int m = r ? b : a; m > 0; m--) sum += m;
    return sum;
}

/* clang-format on */
int room(unsigned short n) {
    int *p = malloc(n * sizeof *p);
    p[0] = p[1] = p[2] = 1;
    int sum = p[0] + p[2];
    free(p);
    return sum;
}
