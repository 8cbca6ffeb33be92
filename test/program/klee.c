/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver written for KLEE is measured as it is.
 *
 * RUN: printf '\12\0\0\0\5\0\0\0' >good; printf '\12\0\0\0\144\0\0\0' >outside; printf '\0\0\0\0\5\0\0\0' >zero
 * RUN: %slowpath measure %s good outside zero --measure calls:body | %check
 * CHECK: good ok {{.*}} 5 {{[0-9.]+}} ms
 * CHECK-NEXT: outside ok {{.*}} 0 {{[0-9.]+}} ms (slowpath_assume was false)
 * CHECK-NEXT: zero ok {{.*}} 0 {{[0-9.]+}} ms (slowpath_assume was false)
 *
 * A search finds out by itself that the input has eight bytes: one path for each number of turns. With
 * four of them it does not call itself complete.
 * RUN: %slowpath run %s --strategy exhaustive --out s --quiet | %check --check-prefix=PATHS
 * PATHS: 100 different paths
 * PATHS: complete: every path was covered
 * RUN: %slowpath run %s --strategy exhaustive --stdin 4 --out s --quiet 2>&1 | %check --check-prefix=SHORT
 * SHORT: asked for 8 bytes of input, but inputs had 4
 * SHORT: not complete
 */
#include <klee/klee.h>

static volatile int sum;

static void body(int x) {
    sum += x;
}

int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x > 0);
    int times = klee_range(0, 100, "times");
    for (int i = 0; i < times; i++)
        body(x);
    return 0;
}
