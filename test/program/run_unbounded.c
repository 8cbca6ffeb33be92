/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches without a bound, or with one that reaches around all of memory: what they look at ends
 * with the find. Symbolic bytes on the way are decisions, whatever lies behind. The paths of each
 * function are counted by running all inputs of a small domain through loops of our own.
 *
 * RUN: paths() { sed -n 's/^ *"paths": \([0-9]*\),/\1/p' "$1"; }
 * RUN: %cc -DENUMERATE %s -o count
 * RUN: for f in raw all_of_memory beyond length copy sames; do \
 * RUN:   %slowpath run %s --entry "$f(a[n])" --size n=4 --strategy exhaustive --jobs 1 --out s --quiet >out; \
 * RUN:   want=$(./count $f); got=$(paths s/suite.json); [ "$got" = "$want" ] || { echo "$f: $got, not $want"; exit 1; }; \
 * RUN:   grep -q '"complete": true' s/suite.json; grep -q '"mismatches": 0,' s/suite.json; done
 */
#define _GNU_SOURCE
#include "trail.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(16) char text[64];
static volatile size_t everything = SIZE_MAX, half = SIZE_MAX / 2;

/* Four bytes of the input at the start of a granule of shadow memory, then one that is known. */
static const char *put(const char *a, char last) {
    memcpy(text + 16, a, 4);
    text[20] = last;
    return text + 16;
}

#ifdef ENUMERATE
static size_t find(const char *at, char byte, size_t bound) {
    size_t i = 0;
    (void)bound;
    while (!D(at[i] == byte))
        i++;
    return i;
}
#define find_raw find
#define find_length find
#define find_copied find

static int compare(const char *a, const char *b, size_t bound) {
    size_t i = 0;
    (void)bound;
    while (!D(a[i] != b[i]) && !D(a[i] == 0))
        i++;
    return a[i] - b[i];
}
#else
static size_t find_raw(const char *at, char byte, size_t bound) {
    (void)bound;
    return (size_t)((const char *)rawmemchr(at, byte) - at);
}

static size_t find(const char *at, char byte, size_t bound) {
    return (size_t)((const char *)memchr(at, byte, bound) - at);
}

static size_t find_length(const char *at, char byte, size_t bound) {
    return strnlen(at, bound) + (size_t)byte;
}

static size_t find_copied(const char *at, char byte, size_t bound) {
    char *copied = strndup(at, bound);
    size_t length = copied ? strnlen(copied, bound) : 0;
    free(copied);
    return length + (size_t)byte;
}

#define compare strncmp
#endif

size_t raw(const char *a) {
    return find_raw(put(a, 'x'), 'x', 0);
}

size_t all_of_memory(const char *a) {
    return find(put(a, 'x'), 'x', everything);
}

size_t beyond(const char *a) {
    return find(put(a, 'x'), 'x', half);
}

size_t length(const char *a) {
    return find_length(put(a, 0), 0, everything);
}

size_t copy(const char *a) {
    return find_copied(put(a, 0), 0, everything);
}

int sames(const char *a) {
    return compare(put(a, 0), "xyx", everything);
}

#ifdef ENUMERATE
int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    for (int code = 0; code < 81; code++) {
        char a[4];
        for (int i = 0, rest = code; i < 4; i++, rest /= 3)
            a[i] = "xy"[rest % 3];
        if (strcmp(name, "raw") == 0)
            raw(a);
        else if (strcmp(name, "all_of_memory") == 0)
            all_of_memory(a);
        else if (strcmp(name, "beyond") == 0)
            beyond(a);
        else if (strcmp(name, "length") == 0)
            length(a);
        else if (strcmp(name, "copy") == 0)
            copy(a);
        else
            sames(a);
        keep_trail();
    }
    print_count();
}
#endif
