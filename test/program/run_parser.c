/* SPDX-License-Identifier: Apache-2.0
 *
 * A harness that reads digits and plus signs. Per byte: a digit or a plus go on, anything else
 * ends it in one of two ways (below '0', above '9'): 2 f(n - 1) + 2 paths.
 *
 * RUN: paths() { sed -n 's/^ *"paths": \([0-9]*\),/\1/p' "$1"; }
 * RUN: %cc -DENUMERATE %s -o count
 * RUN: for n in 1 2 3 4 5 6; do \
 * RUN:   %slowpath run %s --size $n --strategy exhaustive --jobs 1 --out s --quiet >out; \
 * RUN:   [ "$(paths s/suite.json)" = "$(./count $n)" ]; grep -q '"complete": true' s/suite.json; done
 * RUN: %check --check-prefix=TEXT <out
 * TEXT: tests/0001.input {{.*}} yes
 * TEXT: exhaustive,
 * TEXT: 190 different paths
 * TEXT: questions to the solver
 * TEXT: complete: every path was covered
 * RUN: [ ! -e s/tests/0001.c ]
 *
 * The bytes can be bounded, and the search can start from given inputs.
 * RUN: %slowpath run %s --size 3 --range in=48..57 --strategy exhaustive --out s --quiet >out
 * RUN: [ "$(paths s/suite.json)" = 1 ]
 * RUN: mkdir seeds; printf 12+34 >seeds/a; printf 9 >seeds/b
 * RUN: %slowpath run %s --seeds seeds --strategy exhaustive --out s --quiet >out
 * RUN: [ "$(paths s/suite.json)" = 94 ]
 */
#include "trail.h"
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) {
    int value = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (D(d[i] >= '0') && D(d[i] <= '9')) {
            value = value * 10 + d[i] - '0';
        } else if (D(d[i] == '+')) {
            sum += value;
            value = 0;
        } else {
            return -1;
        }
    }
    return sum + value;
}

#ifdef ENUMERATE
int main(int argc, char **argv) {
    static const uint8_t letters[] = "5+ z";
    int n = argc > 1 ? atoi(argv[1]) : 1, all = 1;
    for (int i = 0; i < n; i++)
        all *= 4;
    for (int code = 0; code < all; code++) {
        uint8_t d[8];
        int rest = code;
        for (int i = 0; i < n; i++, rest /= 4)
            d[i] = letters[rest % 4];
        LLVMFuzzerTestOneInput(d, (size_t)n);
        keep_trail();
    }
    print_count();
}
#endif
