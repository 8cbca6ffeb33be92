/* SPDX-License-Identifier: Apache-2.0
 *
 * Two sizes that grow. Each of n rows is compared with each of m columns up to the first that is equal:
 * at worst n * m comparisons, of which none finds anything. Each size is learned with the other one
 * small; a size of 8 or less stays what it is.
 *
 * RUN: field() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" s/suite.json | head -n 1; }
 * RUN: %slowpath run %s --entry 'compare_all(rows[n], n, columns[m], m)' --size n=70 --size m=40 \
 * RUN:   --strategy scale --measure count:comparisons --out s --force --quiet >out
 * RUN: %check <out && [ "$(wc -c <s/tests/0001.input)" = 110 ] && [ "$(field verified)" = true ]
 * CHECK: tests/0001.input {{ *}}2800 {{.*}}yes
 * CHECK: 1 {{ *}}70 {{ *}}70 grown and verified
 * CHECK: 2 {{ *}}140 {{ *}}140 grown and verified
 * CHECK: 40 {{ *}}2800 {{ *}}2800
 * CHECK: cost: 70*m, O(m)
 * CHECK: note: {{.*}} about m is with n = 70
 * CHECK: note: with m = 3: cost 3*n, verified at n = 70
 *
 * RUN: %slowpath run %s --entry 'compare_all(rows[n], n, columns[m], m)' --size n=70 --size m=2 \
 * RUN:   --strategy scale --measure count:comparisons --out s --force --quiet >out
 * RUN: %check --check-prefix=ONE <out
 * ONE: tests/0001.input {{ *}}140 {{.*}}yes
 * ONE: cost: 2*n, O(n)
 *
 * The merge of two sorted arrays: 32 instructions for each element, and the worst is any order in
 * which both end together.
 * RUN: %slowpath run $(dirname %s)/../../examples/scale/merge_two.c --entry 'merge_two(a[n], n, b[m], m)' \
 * RUN:   --size n=500 --size m=300 --strategy scale --out s --force --quiet >out
 * RUN: [ "$(field predicted)" = "$(field instructions)" ] && [ "$(field verified)" = true ]
 * RUN: grep -q '"cost": "32\*m + 15986"' s/suite.json
 */
#include <slowpath.h>

int compare_all(const char *rows, int n, const char *columns, int m) {
    int found = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) {
            slowpath_count("comparisons", 1);
            if (rows[i] == columns[k]) {
                found++;
                break;
            }
        }
    return found;
}
