/* SPDX-License-Identifier: Apache-2.0
 *
 * Recursion, counted by hand. The cleaned function has four blocks:
 *
 *     entry    icmp, br                                1 time per call
 *     base     br                                      where n < 2
 *     step     add, call, add, call, add, br  6        elsewhere
 *     exit     ret (its phi is free)
 *
 * A call that ends the recursion costs 2 + 1 + 1 = 4, another 2 + 6 + 1 = 9 and its two calls. For
 * n = 10 there are 177 calls, 89 of which end it: 89 * 4 + 88 * 9 = 1148.
 *
 * RUN: printf '\12\0\0\0' >ten; printf '\1\0\0\0' >one
 * RUN: %slowpath measure %s --entry 'fibonacci(n)' ten one --json - 2>/dev/null | %check
 * CHECK: "instructions": 1148,
 * CHECK: "calls": 177,
 * CHECK: "instructions": 4,
 * CHECK: "calls": 1,
 */
unsigned fibonacci(unsigned n) {
    if (n < 2)
        return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
}
