/* SPDX-License-Identifier: Apache-2.0
 *
 * The size of an object that depends on the input stays open: it is no decision until an access
 * needs a bound. What the family of a path costs is told as formulas, its test is the costliest of
 * it, and three runs of the measuring build confirm the formulas.
 *
 * RUN: search() { measure=$1; entry=$2; shift 2; %slowpath run %s --strategy exhaustive --jobs 1 --measure "$measure" --out s --force --quiet --entry "$entry" "$@" >out; }
 * RUN: number() { sed -n "s/^ *\"$1\": \([0-9]*\),/\1/p" s/suite.json | head -n 1; }
 * RUN: expect_() { [ "$(number runs) $(number paths) $(number crashes) $(number mismatches)" = "$1" ] && \
 * RUN:   { grep -qx 'complete: every path was covered' out || grep -qx 'not complete: 1 runs that were followed only .*' out; } || { cat out; exit 1; }; }
 * RUN: told() { grep -qF "$1" out || { cat out; exit 1; }; }
 *
 * The fourth element is there, or it is not. The first of 16 + 4*icap is the struct.
 * RUN: search allocated 'touched(n)'; expect_ '2 2 1 0'; told '= 4*n when n >= 4 (confirmed at 3 points)'
 * RUN: told 'writes 4 bytes outside of a heap block (0 bytes), at offset 12, in touched'
 * RUN: [ "$(awk '/0001.input/ { print $2; exit }' out)" = 1020 ]
 *
 * A variable-length array: index 2 is beyond a[1] and a[2]. Its size costs no heap.
 * RUN: search instructions 'on_stack(n, k)'; expect_ '3 3 1 0'; told 'outside of a stack variable'
 *
 * The copy must fit what is read; a byte behind its end is what it was before.
 * RUN: search instructions 'copied(n, a[8])'; expect_ '4 4 1 0'; told '= 7 + n, memory = n, allocated = n when n <= 5 (confirmed at 3 points)'
 *
 * What fills the whole object leaves its length open, however long that is; so does a product that cannot wrap around.
 * RUN: search instructions 'zeroed(n)'; expect_ '3 3 0 0'; told 'memory = n, allocated = n when n >= 4 && n <= 100000 (confirmed at 3 points)'
 * RUN: search instructions 'on_stack_zeroed(n)'; expect_ '3 3 0 0'; told '+ 4*n when n >= 1 && n <= 1000 (confirmed at 3 points)'
 * RUN: search memory 'matrix(rows, columns)'; expect_ '1 1 0 0'; told 'memory = 4 + 4*rows*columns + 4*rows + 4*columns, allocated'
 *
 * Which of two blocks makes the peak depends on the input.
 * RUN: search memory 'two(n, m)'; expect_ '1 1 0 0'; told 'memory = (n < m ? m : n), allocated = n + m (confirmed at 3 points)'
 * RUN: search memory 'implied(n)'; expect_ '3 3 0 0'; told 'memory = ((n == 0 ? 11 : 10) < 16 ? 16 : n == 0 ? 11 : 10)'
 * RUN: search memory 'grown(n)'; expect_ '2 2 0 0'; told 'memory = 10 + n, allocated = 14 + n when n >= 1 (confirmed at 3 points)'
 *
 * The costliest is found where an integer that moves by itself, or by a power of two, leaves the path, and where the
 * code sees a sign that the integer does not have. What the solver does not answer is not called complete.
 * RUN: worst() { [ "$(awk '/0001.input/ { print $2; exit }' out)" = $1 ] || { cat out; exit 1; }; }
 * RUN: search allocated 'tied(n, k)'; expect_ '2 2 0 0'; worst 7
 * RUN: search allocated 'negative(n)'; expect_ '3 3 0 0'; worst 255
 * RUN: search allocated 'squared(n)' --no-stage smt; [ "$(number unknown)" = 1 ]; grep -q '"complete": false' s/suite.json
 *
 * More than any heap has, and the user's own counter.
 * RUN: search allocated 'failing(n)'; expect_ '2 2 0 0'
 * RUN: search count:work 'counted(n)'; expect_ '1 1 0 0'; told 'count:work = 1 + 3*n'
 * RUN: grep -q '"count:work": "1 + 3\*n"' s/suite.json; grep -q '"family": "n >= 0"' s/suite.json; grep -q '"confirmed": true' s/suite.json
 */
#include <slowpath.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char byte;

int touched(byte n) {
    int *p = malloc(4 * (size_t)n);
    p[3] = 7;
    free(p);
    return 0;
}

int on_stack(byte n, byte k) {
    int a[n + 1];
    a[0] = k;
    if (k == 2)
        a[k] = 1;
    return a[0];
}

/* The path knows what the size is, but not the expression: the second block is larger. */
int implied(byte n) {
    char text[3] = {(char)n, 'b'};
    volatile int result = strpbrk(text, "b") != NULL;
    char *p = malloc(4 + (~(n != 0) & 7));
    p[0] = 1;
    result += p[0];
    free(p);
    char *q = malloc(16);
    q[0] = 1;
    result += q[0];
    free(q);
    return result;
}

int zeroed(unsigned n) {
    if (n < 4 || n > 100000)
        return 0;
    char *p = malloc(n);
    memset(p, 0, n);
    int result = p[3];
    free(p);
    return result;
}

int on_stack_zeroed(unsigned n) {
    if (n < 1 || n > 1000)
        return 0;
    int a[n];
    memset(a, 0, sizeof a);
    return a[0];
}

int matrix(byte rows, byte columns) {
    int *cells = calloc(rows + 1, 4 * (columns + 1));
    int result = cells[0];
    free(cells);
    return result;
}

int copied(byte n, const char *a) {
    char *p = malloc(n);
    int result = 0;
    memcpy(p, a, n);
    if (n > 5 && p[5] == 'x')
        result = 1;
    free(p);
    return result;
}

int two(byte n, byte m) {
    char *p = malloc(n);
    free(p);
    p = malloc(m);
    free(p);
    return 0;
}

int grown(byte n) {
    char *p = malloc(4);
    p[0] = 1;
    p = realloc(p, n);
    if (n)
        p[0]++;
    free(malloc(10));
    free(p);
    return 0;
}

int failing(long n) {
    char *p = malloc((size_t)n);
    free(p);
    return p ? 0 : 1;
}

int counted(byte n) {
    slowpath_count("work", n * 3 + 1);
    return 0;
}

int tied(byte n, byte k) {
    if ((n % 3 * k & 15) != 5)
        return 0;
    free(malloc(n & 7));
    return 0;
}

int negative(signed char n) {
    if (n == 0 || n == -128)
        return 0;
    free(malloc((byte)n));
    return 0;
}

/* 996 is the most: no square ends in 997, 998 or 999. */
int squared(unsigned n) {
    free(malloc((size_t)n * n % 1000));
    return 0;
}
