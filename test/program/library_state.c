/* SPDX-License-Identifier: Apache-2.0
 *
 * What the C library keeps for itself is not reset. A target whose second run differs because of
 * that gets a fresh process for every input, with a warning, and its counts are exact again.
 *
 * RUN: for c in a b c d e; do printf $c >in-$c; done
 * RUN: %slowpath measure %s in-a in-b in-c in-d in-e >out 2>err; %check <err
 * CHECK: slowpath: warning: a second run in the same process differs from the first: every input now gets a fresh process
 * RUN: %slowpath measure %s in-a in-b in-c in-d in-e --fresh >fresh 2>err; cmp err /dev/null
 * RUN: awk '{ print $1, $2, $3 }' out >a; awk '{ print $1, $2, $3 }' fresh | cmp - a
 * RUN: [ $(awk '/^in-/ { print $3 }' out | sort -u | wc -l) = 1 ]
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)data, (void)size;
    volatile int sum = 0;
    if (lrand48() != 0)
        for (int i = 0; i < 100; i++)
            sum += i;
    return 0;
}
