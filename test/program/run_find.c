/* SPDX-License-Identifier: Apache-2.0
 *
 * Binary search over any n integers, sorted or not, for a key: a path for each place where it can
 * be found and for each gap, 2n + 1. Alternatives that contradict what was compared before are
 * infeasible.
 *
 * RUN: paths() { sed -n 's/^ *"paths": \([0-9]*\),/\1/p' "$1"; }
 * RUN: %cc -DENUMERATE %s -o count
 * RUN: for n in 1 2 3 4 5; do \
 * RUN:   %slowpath run %s --entry 'find(a[n], n, key)' --size n=$n --strategy exhaustive --jobs 1 --out s --quiet >out; \
 * RUN:   [ "$(paths s/suite.json)" = "$(./count $n)" ]; [ "$(paths s/suite.json)" = $((2 * n + 1)) ]; \
 * RUN:   grep -q '"complete": true' s/suite.json; grep -q '"mismatches": 0,' s/suite.json; done
 * RUN: %check <s/suite.json
 * CHECK: "condition": "{{.*}}a[2]{{.*}}key{{.*}}"
 */
#include "trail.h"

int find(const int *a, int n, int key) {
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (D(a[middle] == key))
            return middle;
        if (D(a[middle] < key))
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

#ifdef ENUMERATE
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1, all = 1;
    for (int i = 0; i <= n; i++)
        all *= 3;
    for (int code = 0; code < all; code++) {
        int a[8], rest = code / 3;
        for (int i = 0; i < n; i++, rest /= 3)
            a[i] = rest % 3;
        find(a, n, code % 3);
        keep_trail();
    }
    print_count();
}
#endif
