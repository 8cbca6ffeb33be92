/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop of n, counted by hand. The cleaned function has four blocks:
 *
 *     entry    br                                       1, once
 *     header   icmp, br                                 2, n + 1 times (its phis are free)
 *     body     zext, getelementptr, load, add, add, br  6, n times
 *     exit     ret                                      1, once
 *
 * so that n elements cost 1 + 2 (n + 1) + 6 n + 1 = 8 n + 4.
 *
 * RUN: for n in 0 1 10 1000; do head -c $((4 * n)) /dev/zero >in-$n; done
 * RUN: measure() { %slowpath measure %s --entry 'total(values[n], n)' "$@"; }
 * RUN: measure in-0 in-1 in-10 in-1000 | %check
 * CHECK: in-0 0 ok 4 1
 * CHECK: in-1 1 ok 12 1
 * CHECK: in-10 10 ok 84 1
 * CHECK: in-1000 1000 ok 8,004 1
 *
 * The same with the size given, and as other measures: iterations of the body's line, and sums.
 * RUN: measure in-10 --size n=10 --measure block:counts_loop.c:34 | %check --check-prefix=BLOCK
 * BLOCK: block:counts_loop.c:34
 * BLOCK: in-10 {{.*}} 84 {{.*}} 10 {{[0-9.]+}} ms
 * RUN: measure in-10 --measure 2*instructions+0.5*calls | %check --check-prefix=SUM
 * SUM: in-10 {{.*}} 168.5 {{[0-9.]+}} ms
 *
 * Weights: loads at 5 (n = 10: 84 + 10 * 4).
 * RUN: measure in-10 --measure weighted --weights load=5 | %check --check-prefix=LOAD
 * LOAD: in-10 {{.*}} 124 {{[0-9.]+}} ms
 */
int total(const int *values, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += values[i];
    return sum;
}
