/* SPDX-License-Identifier: Apache-2.0
 *
 * A policy of at most so much prunes: 2^20 paths, of which 1 + 20 + 190 allocate no more than twice.
 * Only paths that may adhere are followed, so each other run is one step away from one of them:
 * at most 20 * 19 * 18 / 6 more.
 *
 * RUN: number() { sed -n "s/^ *\"$1\": \([0-9]*\),/\1/p" s/suite.json | head -n 1; }
 * RUN: %slowpath run %s --entry 'marked(bits[20])' --strategy exhaustive --jobs 1 --tests 1000 --policy 'allocated<=32' --out s --quiet >out
 * RUN: grep -c '^tests/' out | grep -qx 211; [ "$(number runs)" -le 1351 ]
 * RUN: grep -q 'complete: every path that can meet the policy was covered' out
 *
 * An open cost that is always above the constant one is the worst; with a limit, only what adheres counts.
 * RUN: worst() { %slowpath run %s --entry 'open(a, n)' --strategy exhaustive --jobs 1 --measure memory --policy "$1" --out s --force --quiet >out; grep -qx "worst memory: $2" out || { cat out; exit 1; }; }
 * RUN: worst worst '16 + n when n >= 0'; worst 'worst && memory<=100' '16 + n when n <= 84'; worst 'worst && memory>=20' '16 + n when n >= 4'
 *
 * RUN: %exit 2 %slowpath run %s --entry 'marked(bits[20])' --policy 'allocated=32' --quiet 2>err; grep -q 'neither a limit' err
 * RUN: %exit 2 %slowpath run %s --entry 'marked(bits[20])' --policy worst --gate --quiet 2>err; grep -q 'always holds' err
 * RUN: %exit 2 %slowpath run %s --entry 'marked(bits[20])' --gate --quiet 2>err; grep -q 'needs a --policy' err
 */
#include <stdlib.h>

int marked(const unsigned char *bits) {
    int count = 0;
    for (int i = 0; i < 20; i++)
        if (bits[i])
            count += malloc(16) != NULL;
    return count;
}

int open(int a, unsigned char n) {
    char *block = a ? malloc(10) : malloc(16 + n);
    block[0] = 1;
    int result = block[0];
    free(block);
    return result;
}
