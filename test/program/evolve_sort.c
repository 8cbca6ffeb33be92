/* SPDX-License-Identifier: Apache-2.0
 *
 * evolve finds the worst input of an insertion sort over up to 48 bytes without being told of sizes
 * or bytes: 48 * 47 / 2 = 1128 moves. The same seed gives the same suite.
 *
 * RUN: %slowpath run %s --strategy evolve --size 48 --measure count:moves --runs 150000 --time 0 \
 * RUN:   --jobs 1 --seed 3 --out one --json - 2>/dev/null | %check
 * CHECK: "strategy": "evolve"
 * CHECK: "size": 48
 * CHECK: "count:moves": 1128
 * CHECK: "verified": true
 * CHECK: "runs": 150000
 * CHECK: "end": "runs"
 *
 * RUN: %slowpath run %s --strategy evolve --size 48 --measure count:moves --runs 150000 --time 0 \
 * RUN:   --jobs 1 --seed 3 --out two --quiet >/dev/null && diff -r one/tests two/tests
 *
 * Typed arrays keep their size and the bounds of their elements.
 * RUN: %slowpath run %s --entry 'sort(arr[n], n)' --size n=24 --range arr=-9..40 --strategy evolve \
 * RUN:   --measure count:moves --runs 100000 --time 0 --jobs 1 --out typed --json - 2>/dev/null \
 * RUN:   | %check --check-prefix=TYPED
 * TYPED: "size": 96
 * TYPED: "count:moves": 276
 */
#include <slowpath.h>
#include <stddef.h>
#include <stdint.h>

void sort(int *arr, int n) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && arr[j - 1] > arr[j]; j--) {
            int kept = arr[j];
            arr[j] = arr[j - 1];
            arr[j - 1] = kept;
            slowpath_count("moves", 1);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int values[48];
    for (size_t i = 0; i < size; i++)
        values[i] = data[i];
    sort(values, (int)size);
    return 0;
}
