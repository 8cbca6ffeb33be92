/* SPDX-License-Identifier: Apache-2.0
 *
 * The costliest test of a complete search is the worst there is: for instructions, memory and the
 * executions of one line, its cost equals the most that any of the 125 inputs of three values from
 * 0 to 4 costs in the measuring build, which takes every path. No two tests have the same input, and
 * with the fast stages of the solver switched off the paths and the worst are the same.
 *
 * RUN: for a in 0 1 2 3 4; do for b in 0 1 2 3 4; do for c in 0 1 2 3 4; do \
 * RUN:   mkdir -p all; printf "\\00$a\\00$b\\00$c" >all/$a$b$c; done; done; done
 * RUN: line=$(grep -n 'the inner line' %s | tail -n 1 | cut -d: -f1)
 * RUN: off=""; for stage in model domain order equal cycle range sums repair enumerate; do off="$off --no-stage $stage"; done
 * RUN: number() { sed -n "s|^ *\"$1\": \([0-9]*\),*\$|\1|p" "$2"; }
 * RUN: for what in instructions memory block:run_worst.c:$line; do \
 * RUN:   %slowpath measure %s --entry 'grow(v[n], n)' --measure $what --json m.json -- all >table; \
 * RUN:   most=$(number $what m.json | sort -n | tail -n 1); \
 * RUN:   %slowpath run %s --entry 'grow(v[n], n)' --size n=3 --range v=0..4 --measure $what --strategy exhaustive --jobs 1 --out s --quiet >out; \
 * RUN:   [ "$(number $what s/suite.json | head -n 1)" = "$most" ]; grep -q '"complete": true' s/suite.json; \
 * RUN:   [ "$(cat s/tests/*.input | od -An -v -tx1 -w3 | sort | uniq -d | wc -l)" = 0 ]; \
 * RUN:   paths=$(number paths s/suite.json); \
 * RUN:   %slowpath run %s --entry 'grow(v[n], n)' --size n=3 --range v=0..4 --measure $what --strategy exhaustive --jobs 1 --out slow --quiet $off >out; \
 * RUN:   [ "$(number paths slow/suite.json)" = "$paths" ]; [ "$(number $what slow/suite.json | head -n 1)" = "$most" ]; done
 */
#include <stdlib.h>

static volatile int sink;

int grow(const unsigned char *v, int n) {
    char *blocks[8] = {0};
    int total = 0;
    for (int i = 0; i < n; i++) {
        if (v[i] > 2)
            blocks[i] = malloc((size_t)100 * (unsigned)(i + 1));
        if (i > 0 && v[i] < v[i - 1]) {
            free(blocks[i - 1]);
            blocks[i - 1] = NULL;
        }
        for (int j = 0; j < i; j++)
            if (v[j] == v[i])
                total += sink; /* the inner line */
    }
    for (int i = 0; i < n; i++)
        free(blocks[i]);
    return total;
}
