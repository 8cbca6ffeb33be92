/* SPDX-License-Identifier: Apache-2.0
 *
 * Two builds against one suite: the same is fine, what costs more is a failure beyond the threshold
 * only, and what crashes in one of them is a failure whatever it costs.
 *
 * RUN: %slowpath run %s --entry 'find(arr[n], n, x)' --size n=3 --strategy exhaustive --jobs 1 --out s --quiet >out
 * RUN: %cc -c %s -o a.o; %cc -DSLOWER -c %s -o b.o; %cc -DCRASH -c %s -o c.o
 * RUN: %slowpath compare a.o a.o s | %check --check-prefix=SAME
 * SAME: A = a.o
 * SAME: tests/0001.input {{.*}} +0.00%{{$}}
 * SAME: 0 of {{[0-9]+}} tests are beyond the threshold of 0%
 *
 * RUN: %exit 1 %slowpath compare a.o b.o s --json j >out 2>err; %check --check-prefix=SLOWER <out; grep -q 'cost more in B' err
 * SLOWER: tests/0001.input {{.*}}BEYOND THE THRESHOLD
 * SLOWER: all
 * RUN: grep -q '"holds": false' j
 * RUN: %exit 0 %slowpath compare a.o b.o s --threshold 1000 >out
 * RUN: %exit 0 %slowpath compare b.o a.o s >out
 * RUN: %exit 1 %slowpath compare a.o c.o s --threshold 1000 >out 2>err; grep -q 'ok and crash' out
 *
 * RUN: %exit 2 %slowpath compare a.o s >out 2>err; grep -q 'two targets and a suite' err
 * RUN: %exit 2 %slowpath compare a.o b.o nowhere >out 2>err
 */
int find(int *a, int n, int x) {
    for (int i = 0; i < n; i++) {
#ifdef SLOWER
        for (volatile int wait = 0; wait < 3; wait++)
            ;
#endif
        if (a[i] == x)
            return i;
    }
#ifdef CRASH
    __builtin_trap();
#endif
    return -1;
}
