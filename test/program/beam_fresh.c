/* SPDX-License-Identifier: Apache-2.0
 *
 * A program runs in a fresh process each time, and what happens behind its last decision counts as
 * well: 10000 rounds of a loop behind the one decision there is.
 *
 * RUN: %slowpath run %s --stdin 1 --strategy beam --tests 1 --jobs 1 --time 0 --out s --verbose >out 2>log
 * RUN: sed -n 's/.*the costliest after //p' log | awk '{ if ($1 > most) most = $1 } END { exit !(most > 20000) }'
 */
#include <stdio.h>

int main(void) {
    volatile int sum = 0;
    if (getchar() > 100)
        for (int i = 0; i < 10000; i++)
            sum += i;
    return 0;
}
