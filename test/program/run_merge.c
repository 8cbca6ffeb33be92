/* SPDX-License-Identifier: Apache-2.0
 *
 * Merging two runs of n elements that need not be sorted: as many paths as there are ways to
 * interleave them, (2n)! / (n!)^2, because each comparison is of a new pair.
 *
 * RUN: paths() { sed -n 's/^ *"paths": \([0-9]*\),/\1/p' "$1"; }
 * RUN: %cc -DENUMERATE %s -o count
 * RUN: for n in 1 2 3; do \
 * RUN:   %slowpath run %s --entry 'merge(a[n], b[n], out[n+n], n)' --size n=$n --strategy exhaustive --jobs 1 --out s --quiet >out; \
 * RUN:   [ "$(paths s/suite.json)" = "$(./count $n)" ]; grep -q '"complete": true' s/suite.json; done
 * RUN: [ "$(paths s/suite.json)" = 20 ]
 * RUN: %slowpath run %s --entry 'merge(a[n], b[n], out[n+n], n)' --size n=6 --strategy exhaustive --out s --quiet >out
 * RUN: [ "$(paths s/suite.json)" = 924 ]
 */
#include "trail.h"

void merge(const int *a, const int *b, int *out, int n) {
    int i = 0, j = 0, k = 0;
    while (i < n && j < n) {
        if (D(a[i] <= b[j]))
            out[k++] = a[i++];
        else
            out[k++] = b[j++];
    }
    while (i < n)
        out[k++] = a[i++];
    while (j < n)
        out[k++] = b[j++];
}

#ifdef ENUMERATE
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1, all = 1;
    for (int i = 0; i < 2 * n; i++)
        all *= 6;
    for (int code = 0; code < all; code++) {
        int values[6], out[6], rest = code;
        for (int i = 0; i < 2 * n; i++, rest /= 6)
            values[i] = rest % 6;
        merge(values, values + n, out, n);
        keep_trail();
    }
    print_count();
}
#endif
