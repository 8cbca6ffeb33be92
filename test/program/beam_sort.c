/* SPDX-License-Identifier: Apache-2.0
 *
 * Beam search on sorts. Bubble sort of four elements: the suite of two has the worst path, whose
 * six comparisons all swap, and one that goes another way at the first.
 *
 * RUN: %slowpath run %s --entry 'bubble(arr[n], n)' --size n=4 --strategy beam --tests 2 --jobs 1 --out b --quiet >out
 * RUN: %check --check-prefix=BUBBLE <b/suite.json
 * BUBBLE: "strategy": "beam",
 * BUBBLE: "file": "tests/0001.input",
 * BUBBLE: "decisions": 6,
 * BUBBLE: "condition": "arr[1] < arr[0] &&
 * BUBBLE: "file": "tests/0002.input",
 * BUBBLE: "condition": "arr[0] <= arr[1] &&
 * BUBBLE-NOT: "file"
 * RUN: %cc -DCOUNT %s -o count && [ "$(./count <b/tests/0001.input)" = "6 6" ]
 *
 * Where all paths can be seen, the best test costs what the worst path costs.
 * RUN: best() { grep -o '"instructions": [0-9]+' -E $1/suite.json | head -1 | cut -d' ' -f2; }
 * RUN: for f in bubble isort; do for n in 5 6 7; do for s in beam exhaustive; do \
 * RUN:   %slowpath run %s --entry "$f(arr[n], n)" --size n=$n --strategy $s --jobs 1 --time 0 --out $s --quiet >out; done; \
 * RUN:   [ $(best beam) -ge $(($(best exhaustive) * 95 / 100)) ]; done; done
 *
 * The same seed gives the same bytes, with any number of workers.
 * RUN: for j in 1 2; do %slowpath run %s --entry 'isort(arr[n], n)' --size n=10 --strategy beam --tests 4 \
 * RUN:   --max-frontier 32 --jobs $j --seed 7 --time 0 --out d$j --quiet >out; done
 * RUN: diff -r d1/tests d2/tests
 *
 * Constraints are fixed when there are too many of them, and the search goes on behind.
 * RUN: %slowpath run %s --entry 'isort(arr[n], n)' --size n=20 --strategy beam --tests 2 --lookahead 10 --max-constraints 20 \
 * RUN:   --max-frontier 16 --jobs 1 --time 0 --out c --quiet >out
 * RUN: for read in 300 1000 3000; do SLOWPATH_FAULT=clock:$read %slowpath run %s --entry 'isort(arr[n], n)' --size n=20 --strategy beam --tests 2 \
 * RUN:   --lookahead 10 --max-constraints 20 --max-frontier 16 --jobs 1 --time 0 --out e --force --quiet >out2; diff -r c/tests e/tests; done # without a limit of time the clock decides nothing
 * RUN: grep -q 'constraints in these prefixes' out; grep -q '"mismatches": 0,' c/suite.json
 */
#include <stdio.h>

static int comparisons, swaps;

void bubble(int *a, int n) {
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < n - 1 - i; j++) {
            comparisons++;
            if (a[j] > a[j + 1]) {
                int other = a[j];
                a[j] = a[j + 1];
                a[j + 1] = other;
                swaps++;
            }
        }
}

void isort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        while (j >= 0 && a[j] > x) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = x;
    }
}

#ifdef COUNT
int main(void) {
    int a[4];
    if (fread(a, sizeof a, 1, stdin) != 1)
        return 1;
    bubble(a, 4);
    printf("%d %d\n", comparisons, swaps);
    return 0;
}
#endif
