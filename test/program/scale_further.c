/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs beyond sorting and searching in a line: recursion, heaps, hashes, period 2, and those that
 * cannot be learned from small sizes.
 *
 * RUN: programs=$(dirname %s)/../../examples/scale
 * RUN: field() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" s/suite.json | head -n 1; }
 * RUN: run() { %slowpath run $programs/$1.c --entry "$2" --size n=$3 --strategy scale ${4:-} --out s --force --quiet >out; }
 * RUN: scale() { run "$@"; [ "$(field predicted)" = "$(field instructions)" ]; [ "$(field verified)" = true ]; }
 * RUN: scale quicksort 'quicksort(a[n], n)' 200 && grep -q '"O(n^2)"' s/suite.json
 * RUN: scale bubble_sort 'bubble_sort(a[n], n)' 200 && grep -q '"a\[i\] = n - 1 - i"' s/suite.json
 * RUN: scale tree_insert 'tree_insert(keys[n], n)' 200 && grep -q '"O(n^2)"' s/suite.json
 * RUN: scale hash_table 'hash_table(keys[n], n)' 100 '--train 1..3' && grep -q 'worse ones may exist' out
 *
 * Sifting up a heap costs steps of a logarithm; no size that is cheap to explore is left out.
 * RUN: scale heap_insert 'heap_insert(a[n], n)' 200 && grep -q '"O(n log n)"' s/suite.json
 * RUN: ! grep -q 'not explored' out
 *
 * The minimum is found anew n^2/4 times: even and odd sizes differ by a quarter.
 * RUN: scale selection_sort 'selection_sort(a[n], n)' 101 && grep -q 'if n%2 == 1' s/suite.json
 *
 * One path at each size: that the cost does not depend on the values is said.
 * RUN: scale subsequence 'subsequence(a[n], b[n], n)' 100 && grep -q 'does not depend on the values' out
 *
 * Below 16 elements another algorithm: the miss is said, with where it begins and both numbers.
 * RUN: run mixed_sort 'mixed_sort(a[n], n)' 100 '--train 1..7' && [ "$(field verified)" = false ] && %check <out
 * CHECK: NO: its cost differs from the prediction
 * CHECK: 100 {{.*}}: MISS
 * CHECK: its input of size 1{{[6-9]}} costs {{[0-9]+}} where the curve says {{[0-9]+}}: larger sizes behave in another way
 * CHECK: a miss at size 100: measured {{[0-9]+}}, predicted 80597
 *
 * The same where the curve says that a run would take too long: it has been refuted, so the input runs.
 * RUN: run mixed_sort 'mixed_sort(a[n], n)' 400000 '--train 1..7' && [ "$(field verified)" = false ]
 * RUN: grep -q 'larger sizes behave in another way' out && grep -q 'a miss at size 400000' out
 *
 * Fifty million conditions, none of which is ever an expression.
 * RUN: %slowpath run $programs/isort.c --entry 'isort(arr[n], n)' --size n=10000 --strategy scale --way conditions --out s --force --quiet >out
 * RUN: [ "$(field predicted)" = 800069989 ] && [ "$(field instructions)" = 800069989 ] && [ "$(field verified)" = true ]
 *
 * What is trained is the true worst: of all 4^n arrays over four values none costs more.
 * RUN: %slowpath run %s --entry 'sort(a[n], n)' --size n=50 --range a=0..3 --strategy scale --train 1..4 --out s --force --quiet >out
 * RUN: worst=$(awk '$1 == 4 && $4 == "trained" { print $2 }' out)
 * RUN: for a in 0 1 2 3; do for b in 0 1 2 3; do for c in 0 1 2 3; do for d in 0 1 2 3; do \
 * RUN:   printf "\\00$a\\00$b\\00$c\\00$d" >in-$a$b$c$d; done; done; done; done
 * RUN: %slowpath measure %s --entry 'sort(a[n], n)' --json all.json in-* >/dev/null 2>&1
 * RUN: [ "$(grep -c '"status": "ok"' all.json)" = 256 ]
 * RUN: [ "$(sed -n 's/^ *"instructions": \([0-9]*\),*$/\1/p' all.json | sort -n | tail -n 1)" = "$worst" ]
 */

/* Selection sort with a swap that is left out where it would do nothing. */
void sort(char *a, int n) {
    for (int i = 0; i + 1 < n; i++) {
        int least = i;
        for (int k = i + 1; k < n; k++)
            if (a[k] < a[least])
                least = k;
        if (least != i) {
            char value = a[i];
            a[i] = a[least];
            a[least] = value;
        }
    }
}
