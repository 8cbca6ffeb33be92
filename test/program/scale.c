/* SPDX-License-Identifier: Apache-2.0
 *
 * Worst cases of large sizes, from small ones, for the programs of examples/scale: what was predicted
 * is what is measured, and the trained worst is the true one (complete exploration).
 *
 * RUN: programs=$(dirname %s)/../../examples/scale
 * RUN: field() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" s/suite.json | head -n 1; }
 * RUN: scale() { %slowpath run $programs/$1.c --entry "$2" --size n=$3 --strategy ${4:-scale} --time 10 --out s --force --quiet >out; \
 * RUN:   [ "$(field predicted)" = "$(field instructions)" ]; [ "$(field verified)" = true ]; }
 * RUN: scale isort 'isort(arr[n], n)' 300 && %check --check-prefix=SORT <s/suite.json
 * SORT: "predicted": 722089,
 * SORT: "cost": "8*n^2 + 7*n - 11",
 * SORT-NEXT: "class": "O(n^2)",
 * SORT: "arr[i] = n - 1 - i"
 * RUN: scale list_insert 'insert_all(keys[n], n)' 300 && grep -q '"keys\[i\] = i"' s/suite.json
 * RUN: scale merge 'merge(a[n], b[n], n)' 300 && grep -q '"O(n)"' s/suite.json
 * RUN: scale tree_search 'tree(keys[n], n, wanted)' 300 && grep -q '"O(n^2)"' s/suite.json
 * RUN: scale dijkstra 'dijkstra(weight[n*n], n)' 100 && grep -q '"O(n^2)"' s/suite.json
 * RUN: scale matrix 'multiply(a[n*n], b[n*n], n)' 60 && grep -q '"O(n^3)"' s/suite.json
 * RUN: scale salesman 'tour(distance[n*n], n)' 100 && grep -q '"O(n^2)"' s/suite.json
 * RUN: scale block_compare 'block_compare(a[n], b[n], n)' 300 && grep -q '"O(n)"' s/suite.json
 * RUN: scale boyer_moore 'search(text[n], n)' 300 && grep -q "'b'.*'c'" s/suite.json
 *
 * A size that takes hours is written down, and its cost is the curve's: not verified.
 * RUN: %slowpath run $programs/isort.c --entry 'isort(arr[n], n)' --size n=1000000 --strategy scale --out s --force --quiet >out
 * RUN: %check --check-prefix=LARGE <s/suite.json && [ "$(wc -c <s/tests/0001.input)" = 4000000 ]
 * LARGE: "cost": {},
 * LARGE-NEXT: "verified": false,
 * LARGE-NEXT: "predicted": 8000006999989,
 *
 * Rules for branches do it where the path is their business: always the same way (sort, insert,
 * search), or one that depends on the last decision (merge).
 * RUN: scale isort 'isort(arr[n], n)' 200 policy && grep -q 'by the last 0 decisions' s/suite.json
 * RUN: scale list_insert 'insert_all(keys[n], n)' 200 policy
 * RUN: scale tree_search 'tree(keys[n], n, wanted)' 100 policy
 * RUN: scale salesman 'tour(distance[n*n], n)' 100 policy
 * RUN: scale merge 'merge(a[n], b[n], n)' 200 policy && grep -q 'by the last 1 decisions' s/suite.json
 *
 * The conditions of the path are extrapolated where they are nested sequences of input elements.
 * RUN: scale() { %slowpath run $programs/$1.c --entry "$2" --size n=$3 --strategy scale --way conditions --out s --force --quiet >out; \
 * RUN:   [ "$(field predicted)" = "$(field instructions)" ]; [ "$(field verified)" = true ]; }
 * RUN: scale isort 'isort(arr[n], n)' 200 && grep -q 'path-condition extrapolation' s/suite.json
 * RUN: scale list_insert 'insert_all(keys[n], n)' 200
 * RUN: scale merge 'merge(a[n], b[n], n)' 200
 * RUN: scale tree_search 'tree(keys[n], n, wanted)' 100
 * RUN: scale block_compare 'block_compare(a[n], b[n], n)' 200
 *
 * Small and large sizes differ: the miss is said, with both numbers.
 * RUN: %slowpath run %s --entry 'sort(a[n], n)' --size n=100 --strategy scale --time 5 --out s --force --quiet >out
 * RUN: [ "$(field verified)" = false ] && %check --check-prefix=MISS <out
 * MISS: NO: its cost differs from the prediction
 * MISS: 100 {{.*}}: MISS
 * MISS: a miss at size 100: measured {{[0-9]+}}, predicted {{[0-9]+}}
 *
 * The sizes to learn from can be given; what makes no sense is said.
 * RUN: %slowpath run $programs/isort.c --entry 'isort(arr[n], n)' --size n=50 --strategy scale --train 2..6 --out s --force --quiet >out
 * RUN: grep -A6 '"trained"' s/suite.json | tr -d ' \n' | grep -q '"trained":\[2,3,4,5,6\]'
 * RUN: %exit 2 %slowpath run $programs/isort.c --entry 'isort(arr[n], n)' --size n=50 --strategy scale --train 6 --out s --force 2>err
 * RUN: grep -q 'write A..B' err
 */

/* Selection sort, but long arrays are looked at twice. */
void sort(int *a, int n) {
    for (int pass = 0; pass < (n > 20 ? 2 : 1); pass++)
        for (int i = 0; i + 1 < n; i++) {
            int least = i;
            for (int k = i + 1; k < n; k++)
                if (a[k] < a[least])
                    least = k;
            int value = a[i];
            a[i] = a[least];
            a[least] = value;
        }
}
