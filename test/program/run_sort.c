/* SPDX-License-Identifier: Apache-2.0
 *
 * Insertion sort has n! paths: every order of n elements is one, equal elements count as ordered.
 *
 * RUN: paths() { sed -n 's/^ *"paths": \([0-9]*\),/\1/p' "$1"; }
 * RUN: want=1; for n in 1 2 3 4 5 6 7 8; do want=$((want * n)); \
 * RUN:   %slowpath run %s --entry 'isort(arr[n], n)' --size n=$n --strategy exhaustive --jobs 1 --out s --quiet >out; \
 * RUN:   [ "$(paths s/suite.json)" = $want ]; grep -q '"complete": true' s/suite.json; \
 * RUN:   grep -q '"mismatches": 0,' s/suite.json; done
 * RUN: %check --check-prefix=SUITE <s/suite.json
 * SUITE: "strategy": "exhaustive",
 * SUITE: "measure": "instructions",
 * SUITE: "n": 8
 * SUITE: "file": "tests/0001.input",
 * SUITE: "verified": true,
 * SUITE-NEXT: "predicted": null,
 * SUITE-NEXT: "decisions": 28,
 * SUITE: "condition": "arr[1] < arr[0] && arr[2] < arr[0] && arr[2] < arr[1]
 * SUITE: "file": "tests/0010.input",
 * SUITE-NOT: "file"
 * SUITE: "runs": 40320,
 * SUITE: "infeasible": 0,
 *
 * The program of a test stands alone, and calls the function with the test's input.
 * RUN: %cc -c %s -o isort.o && %cc s/tests/0001.c isort.o -o one && ./one
 *
 * Several workers find the same; one job gives the same bytes again, but for the times.
 * RUN: %slowpath run %s --entry 'isort(arr[n], n)' --size n=7 --strategy exhaustive --jobs 3 --out j3 --quiet >out
 * RUN: [ "$(paths j3/suite.json)" = 5040 ]
 * RUN: for i in 1 2; do %slowpath run %s --entry 'isort(arr[n], n)' --size n=6 --strategy exhaustive --jobs 1 --out d$i --quiet >out; \
 * RUN:   grep -v seconds d$i/suite.json >d$i.json; done
 * RUN: cmp d1.json d2.json && diff -r d1/tests d2/tests
 *
 * Two values: orders of zeros and ones only. At most one turn of the inner loop per entry: each
 * element after the first stays or moves one place.
 * RUN: %cc -DENUMERATE %s -o count
 * RUN: %slowpath run %s --entry 'isort(arr[n], n)' --size n=5 --range arr=0..1 --strategy exhaustive --out r --quiet >out
 * RUN: [ "$(paths r/suite.json)" = "$(./count 2)" ]; grep -q '"complete": true' r/suite.json
 * RUN: for k in 0 1 2 3 4; do %slowpath run %s --entry 'isort(arr[n], n)' --size n=5 --loop-bound $k --strategy exhaustive --out k --quiet >out; \
 * RUN:   [ "$(paths k/suite.json)" = "$(./count 5 $k)" ]; grep -q '"complete": true' k/suite.json; done
 */
#include "trail.h"

static int moves, bound = 100, most;

void isort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        moves = 0;
        while (j >= 0 && D(a[j] > x)) {
            a[j + 1] = a[j];
            j--;
            moves++;
        }
        if (moves > most)
            most = moves;
        a[j + 1] = x;
    }
}

#ifdef ENUMERATE
int main(int argc, char **argv) {
    int values = atoi(argv[1]), all = 1;
    if (argc > 2)
        bound = atoi(argv[2]);
    for (int i = 0; i < 5; i++)
        all *= values;
    for (int code = 0; code < all; code++) {
        int a[5], rest = code;
        for (int i = 0; i < 5; i++, rest /= values)
            a[i] = rest % values;
        most = 0;
        isort(a, 5);
        if (most <= bound)
            keep_trail();
        trail_length = 0;
    }
    print_count();
}
#endif
