/* SPDX-License-Identifier: Apache-2.0
 *
 * Ten tests, no two of which share a prefix that leaves a tenth of the look-ahead (here: of the
 * longest path, which is shorter) or less of either. Compiled as a program, the sort prints its
 * decisions.
 *
 * RUN: %cc -DTRAIL %s -o trail
 * RUN: for n in 6 8; do %slowpath run %s --entry 'isort(arr[n], n)' --size n=$n --strategy beam --tests 10 --jobs 1 --time 0 --out s --quiet >out; \
 * RUN:   find s/tests -name "*.input" | sort >list; grep -c . list | grep -qx 10; \
 * RUN:   for t in $(cat list); do ./trail $n <$t; done >paths; \
 * RUN:   awk '{ path[NR] = $1; if (length($1) > longest) longest = length($1) } \
 * RUN:     END { reach = longest < 50 ? longest : 50; \
 * RUN:       for (i = 1; i <= NR; i++) for (j = 1; j < i; j++) { \
 * RUN:         shorter = length(path[i]) < length(path[j]) ? length(path[i]) : length(path[j]); \
 * RUN:         for (same = 0; same < shorter && substr(path[i], same + 1, 1) == substr(path[j], same + 1, 1);) same++; \
 * RUN:         if (shorter - same <= int(reach / 10)) { print path[i], path[j]; exit 1 } } }' paths; done
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef TRAIL
#define TOLD(x) (putchar((x) ? '1' : '0') == '1')
#else
#define TOLD(x) (x)
#endif

void isort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        while (j >= 0 && TOLD(a[j] > x)) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = x;
    }
}

#ifdef TRAIL
int main(int argc, char **argv) {
    int a[64], n = argc > 1 ? atoi(argv[1]) : 0;
    if (fread(a, sizeof *a, (size_t)n, stdin) != (size_t)n)
        return 1;
    isort(a, n);
    putchar('\n');
    return 0;
}
#endif
