/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches in a text of symbolic bytes: every comparison of a straightforward loop is a decision,
 * and there are no others. The paths are counted by running all texts of a small domain through
 * such loops.
 *
 * RUN: paths() { sed -n 's/^ *"paths": \([0-9]*\),/\1/p' "$1"; }
 * RUN: %cc -DENUMERATE %s -o count
 * RUN: for f in word bytes last all_in none_in ordered; do \
 * RUN:   %slowpath run %s --cflags -fno-builtin --entry "$f(a[n])" --size n=4 --strategy exhaustive --jobs 1 --out s --quiet >out; \
 * RUN:   want=$(./count $f); got=$(paths s/suite.json); [ "$got" = "$want" ] || { echo "$f: $got, not $want"; exit 1; }; \
 * RUN:   grep -q '"complete": true' s/suite.json; grep -q '"mismatches": 0,' s/suite.json; done
 */
#define _GNU_SOURCE
#include "trail.h"

#include <stddef.h>
#include <string.h>

static char text[5];

static const char *put(const char *a) {
    for (int i = 0; i < 4; i++)
        text[i] = a[i];
    return text;
}

#ifdef ENUMERATE
static int is_one_of(char byte, const char *set) {
    for (; *set; set++)
        if (D(byte == *set))
            return 1;
    return 0;
}

static const char *find_word(const char *in, const char *word) {
    for (;; in++) {
        size_t same = 0;
        while (word[same] && D(in[same] == word[same]))
            same++;
        if (!word[same])
            return in;
        if (D(in[same] == 0))
            return NULL;
    }
}

static const char *find_bytes(const char *in, size_t size, const char *word, size_t word_size) {
    for (size_t at = 0; at + word_size <= size; at++) {
        size_t same = 0;
        while (same < word_size && D(in[at + same] == word[same]))
            same++;
        if (same == word_size)
            return in + at;
    }
    return NULL;
}

static const char *find_last(const char *in, char byte) {
    const char *found = NULL;
    do
        if (D(*in == byte))
            found = in;
    while (!D(*in++ == 0));
    return found;
}

static size_t span(const char *in, const char *set, int wanted) {
    size_t length = 0;
    while (!D(in[length] == 0) && is_one_of(in[length], set) == wanted)
        length++;
    return length;
}
#define span_in(in, set) span(in, set, 1)
#define span_out(in, set) span(in, set, 0)

static int compare(const char *x, const char *y) {
    for (; D(*x == *y); x++, y++)
        if (D(*x == 0))
            return 0;
    return 1;
}
#else
#define find_word strstr
#define find_bytes memmem
#define find_last strrchr
#define span_in strspn
#define span_out strcspn
#define compare strcmp
#endif

const void *word(const char *a) {
    return find_word(put(a), "xyx");
}

const void *bytes(const char *a) {
    return find_bytes(put(a), 4, "xx", 2);
}

const void *last(const char *a) {
    return find_last(put(a), 'x');
}

size_t all_in(const char *a) {
    return span_in(put(a), "xy");
}

size_t none_in(const char *a) {
    return span_out(put(a), "xy");
}

int ordered(const char *a) {
    return compare(put(a), "xyx");
}

#ifdef ENUMERATE
int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    for (int code = 0; code < 256; code++) {
        char a[4];
        for (int i = 0; i < 4; i++)
            a[i] = "xyz"[code >> 2 * i & 3];
        if (strcmp(name, "word") == 0)
            word(a);
        else if (strcmp(name, "bytes") == 0)
            bytes(a);
        else if (strcmp(name, "last") == 0)
            last(a);
        else if (strcmp(name, "all_in") == 0)
            all_in(a);
        else if (strcmp(name, "none_in") == 0)
            none_in(a);
        else
            ordered(a);
        keep_trail();
    }
    print_count();
}
#endif
