/* SPDX-License-Identifier: Apache-2.0
 *
 * --profile tells where the instructions went: by function, by line, by loop, costliest first, and
 * summed over all inputs. --rows says how many. Hand counts for n = 10, twice:
 *
 *     inner   sext, call, ret                           3, 100 times a run (10 * 10)
 *     twice: 200 calls, 600 instructions; the loops turn 10 + 100 times a run.
 *
 * RUN: printf '\12\0\0\0' >in-ten; cp in-ten in-also
 * RUN: %slowpath measure %s --entry 'square(n)' in-ten in-also --profile --json json | %check
 * CHECK: functions
 * CHECK-NEXT: instructions share calls where
 * CHECK: 600 {{[0-9.]+}}% 200 inner {{.*}}profile.c:[[#INNER:]]
 * CHECK: lines
 * CHECK-NEXT: instructions share times where
 * CHECK: 200 {{.*}}profile.c:
 * CHECK: loops
 * CHECK-NEXT: iterations depth where
 * CHECK-NEXT: 200 2 square {{.*}}profile.c:[[#LOOP:]]
 * CHECK-NEXT: 20 1 square {{.*}}profile.c:[[#LOOP - 1]]
 *
 * The shares of all functions, and the lines of all functions, add up to what was measured.
 * RUN: total=$(awk '/"instructions"/ { gsub(",", ""); if (++seen > 1 && seen < 4) sum += $2 } END { print sum }' json)
 * RUN: %slowpath measure %s --entry 'square(n)' in-ten in-also --profile --rows 1000 >all
 * RUN: for part in functions lines; do
 * RUN:   awk -v part=$part '/^[a-z]+$/ { at = $1 } at == part && $2 ~ /%/ { sum += $1 } END { print sum }' all | grep -qx $total
 * RUN: done
 * RUN: %slowpath measure %s --entry 'square(n)' in-ten --profile --rows 1 | %check --check-prefix=ROWS
 * ROWS: functions
 * ROWS: (1 more)
 * ROWS: lines
 * ROWS: more)
 * ROWS: loops
 * ROWS: (1 more)
 *
 * The counts of the inputs are the same with a profile as without.
 * RUN: %slowpath measure %s --entry 'square(n)' in-ten in-also | awk '{ print $1, $2, $3, $4 }' >plain
 * RUN: head -n 3 all | awk '{ print $1, $2, $3, $4 }' | cmp - plain
 */
__attribute__((noinline)) static long inner(int x) {
    return __builtin_labs(x);
}

long square(int n) {
    long sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += inner(i - j);
    return sum;
}
