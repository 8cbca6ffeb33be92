/* SPDX-License-Identifier: Apache-2.0
 *
 * strtok, strtok_r and strsep are explored: each byte up to the end of the text is a separator or not,
 * which makes 2^n texts without an end in them and 2^k that end after k bytes: 2^(n+1) - 1 paths.
 *
 * RUN: for f in tok tok_r sep; do \
 * RUN:   %slowpath run %s --entry "$f(text[n], n)" --size n=5 --strategy exhaustive --out s --quiet >out; \
 * RUN:   grep -q '"paths": 63,' s/suite.json || { echo "$f"; cat out; exit 1; }; \
 * RUN:   grep -q '"complete": true' s/suite.json; grep -q '"mismatches": 0,' s/suite.json; done
 */
#include <string.h>

static char copy[64];

static char *copy_of(const char *text, int n) {
    memcpy(copy, text, (size_t)n);
    copy[n] = 0;
    return copy;
}

int tok(const char *text, int n) {
    int count = 0;
    for (char *word = strtok(copy_of(text, n), " "); word; word = strtok(NULL, " "))
        count++;
    return count;
}

int tok_r(const char *text, int n) {
    int count = 0;
    char *save;
    for (char *word = strtok_r(copy_of(text, n), " ", &save); word;
         word = strtok_r(NULL, " ", &save))
        count++;
    return count;
}

int sep(const char *text, int n) {
    int count = 0;
    char *rest = copy_of(text, n);
    while (strsep(&rest, " "))
        count++;
    return count;
}
