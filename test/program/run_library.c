/* SPDX-License-Identifier: Apache-2.0
 *
 * Library functions on memory without anything symbolic take a short way, but not when an argument is
 * symbolic itself: what is searched for, or how much is compared.
 *
 * RUN: number() { sed -n 's/^ *"'$1'": \([0-9]*\),*$/\1/p' s/suite.json | head -n 1; }
 * RUN: explore() { %slowpath run %s --entry "$1" --strategy exhaustive --jobs 1 --out s --quiet >out; }
 * RUN: explore 'find(c)'; [ "$(number paths)" = 4 ]; grep -q '"complete": true' s/suite.json
 * RUN: explore 'compare(n)'; [ "$(number paths)" = 5 ]; grep -q '"complete": true' s/suite.json
 */
#include <string.h>

static const char text[3] = {'x', 'y', 'z'};

/* At the first, second or third place, or nowhere. */
int find(unsigned char c) {
    const char *found = memchr(text, c, sizeof text);
    return found ? (int)(found - text) : -1;
}

/* None, one, two or three bytes, each its own path, or too many. */
int compare(unsigned char n) {
    static char a[] = "abc", b[] = "abd"; /* not constant: LLVM would fold the call */
    if (n > 3)
        return -1;
    return strncmp(a, b, n) == 0;
}
