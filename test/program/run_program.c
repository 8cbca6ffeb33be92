/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole program: brackets from its standard input, or from a file
 * that is an argument. Per byte: open, close, anything else; a closing bracket too many ends it.
 *
 * RUN: paths() { sed -n 's/^ *"paths": \([0-9]*\),/\1/p' "$1"; }
 * RUN: %cc -DENUMERATE %s -o count
 * RUN: for n in 1 2 3 4; do \
 * RUN:   %slowpath run %s --stdin $n --strategy exhaustive --jobs 2 --out s --quiet >out; \
 * RUN:   [ "$(paths s/suite.json)" = "$(./count $n)" ]; grep -q '"complete": true' s/suite.json; done
 * RUN: %slowpath run %s --file 3 --strategy exhaustive --out f --quiet -- @@ >out
 * RUN: [ "$(paths f/suite.json)" = "$(./count 3)" ]
 * RUN: %slowpath replay f | %check
 * CHECK: tests/0001.input {{.*}} same
 * CHECK: 10 of 10 tests hold
 */
#include "trail.h"
#include <stdio.h>

static int depth, most;

static int take(int c) {
    if (D(c == '(')) {
        depth++;
        if (depth > most)
            most = depth;
    } else if (D(c == ')')) {
        if (--depth < 0)
            return 0;
    }
    return 1;
}

#ifdef ENUMERATE
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1, all = 1;
    for (int i = 0; i < n; i++)
        all *= 3;
    for (int code = 0; code < all; code++) {
        int rest = code;
        depth = 0;
        for (int i = 0; i < n && take("()x"[rest % 3]); i++)
            rest /= 3;
        keep_trail();
    }
    print_count();
}
#else
int main(int argc, char **argv) {
    FILE *from = argc > 1 ? fopen(argv[1], "r") : stdin;
    int c;
    while ((c = getc(from)) != EOF)
        if (!take(c))
            return 1;
    return depth;
}
#endif
