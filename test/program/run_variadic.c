/* SPDX-License-Identifier: Apache-2.0
 *
 * Symbolic values behind `...`: in registers, on the stack, between floating-point numbers, handed
 * on as a va_list, and through a pointer to a function. The paths
 * of each function are counted by running all inputs of a small domain.
 *
 * RUN: paths() { sed -n 's/^ *"paths": \([0-9]*\),/\1/p' "$1"; }
 * RUN: %cc -DENUMERATE %s -o count
 * RUN: for f in few many mixed pointer; do \
 * RUN:   %slowpath run %s --entry "$f(a, b, c, d)" --strategy exhaustive --out s --quiet >out; \
 * RUN:   want=$(./count $f); got=$(paths s/suite.json); [ "$got" = "$want" ] || { echo "$f: $got, not $want"; exit 1; }; \
 * RUN:   grep -q '"complete": true' s/suite.json; grep -q '"mismatches": 0,' s/suite.json; done
 *
 * A struct in memory has no place of its own: it is fixed, and the search says so.
 * RUN: %slowpath run %s --entry 'structs(a)' --strategy exhaustive --values 3 --out s --quiet >out
 * RUN: grep -q '"complete": false' s/suite.json; ! grep -q '"concretised": 0,' s/suite.json
 */
#include "trail.h"

#include <stdarg.h>

static int count_rises(int count, va_list list) {
    int rises = 0, last = va_arg(list, int);
    for (int i = 1; i < count; i++) {
        int next = va_arg(list, int);
        if (D(next > last))
            rises++;
        last = next;
    }
    return rises;
}

static int rises(int count, ...) {
    va_list list;
    va_start(list, count);
    int result = count_rises(count, list);
    va_end(list);
    return result;
}

int few(int a, int b, int c, int d) {
    return rises(4, a, b, c, d);
}

/* Five go into registers, the rest onto the stack. */
int many(int a, int b, int c, int d) {
    return rises(9, a, 1, b, 2, c, 3, d, a, d);
}

static int weighed(const char *kinds, ...) {
    va_list list, again;
    long sum = 0;
    va_start(list, kinds);
    va_copy(again, list);
    for (const char *at = kinds; *at; at++)
        if (*at == 'f') {
            sum += (long)va_arg(again, double);
        } else if (*at == 'l') {
            if (D(va_arg(again, long) > 5))
                sum++;
        } else if (D(va_arg(again, int) > 5)) {
            sum += 10;
        }
    va_end(again);
    va_end(list);
    return (int)sum;
}

int mixed(int a, int b, int c, int d) {
    return weighed("ififlifffffffffil", a, 1.5, b, 2.5, (long)c, d, 1., 2., 3., 4., 5., 6., 7., 8.,
                   9., b, (long)d);
}

int (*volatile any)(int, ...) = rises;

int pointer(int a, int b, int c, int d) {
    return any(3, a, b, c) + any(2, d, a);
}

struct large {
    long values[6];
};

static long first_of(int count, ...) {
    va_list list;
    va_start(list, count);
    struct large large = va_arg(list, struct large);
    va_end(list);
    return large.values[0];
}

long structs(long a) {
    struct large large = {{a, 1, 2, 3, 4, 5}};
    return first_of(1, large) > 7;
}

#ifdef ENUMERATE
int main(int argc, char **argv) {
    static int (*const all[])(int, int, int, int) = {few, many, mixed, pointer};
    static const char *const names[] = {"few", "many", "mixed", "pointer"};
    for (int code = 0; argc > 1 && code < 9 * 9 * 9 * 9; code++) {
        int v[4] = {code % 9 - 2, code / 9 % 9 - 2, code / 81 % 9 - 2, code / 729 - 2};
        for (int i = 0; i < 4; i++)
            if (strcmp(argv[1], names[i]) == 0)
                all[i](v[0], v[1], v[2], v[3]);
        keep_trail();
    }
    print_count();
}
#endif
