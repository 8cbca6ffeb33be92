/* SPDX-License-Identifier: Apache-2.0
 *
 * No strategy runs an input outside of --range, not even the first one: each element divides.
 *
 * RUN: for strategy in auto evolve policy scale exhaustive; do for runs in 20 60; do \
 * RUN:   %slowpath run %s --entry 'shares(a[n], n)' --size n=6 --range a=1..100 --strategy $strategy --runs $runs \
 * RUN:     --jobs 1 --quiet --out s --force >out; \
 * RUN:   grep -q '^tests/0001' out || { echo "$strategy finds nothing"; exit 1; }; \
 * RUN:   ! grep -i 'crash' out || { echo "$strategy leaves the range"; exit 1; }; done; done
 */
int shares(const int *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += 100 / a[i];
        if (a[i] > 50 && sum & 1)
            sum += i;
    }
    return sum;
}
