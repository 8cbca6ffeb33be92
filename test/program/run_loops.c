/* SPDX-License-Identifier: Apache-2.0
 *
 * --loop-bound counts the turns of each activation of a loop: in functions that a loop calls, when
 * the same loop is entered again, in recursion, and after longjmp. The program counts its turns
 * itself, and all inputs over the letters that matter are enumerated.
 *
 * RUN: paths() { sed -n 's/^ *"paths": \([0-9]*\),/\1/p' "$1"; }
 * RUN: %cc -DENUMERATE %s -o count
 * RUN: for f in words depth jump; do for k in 0 2 9; do \
 * RUN:   %slowpath run %s --entry "$f(text[n], n)" --size n=6 --loop-bound $k --strategy exhaustive --out s --quiet >out; \
 * RUN:   want=$(./count $f $k); got=$(paths s/suite.json); [ "$got" = "$want" ] || { echo "$f $k: $got, not $want"; exit 1; }; \
 * RUN:   grep -q '"mismatches": 0,' s/suite.json; grep -q '"complete": true' s/suite.json; done; done
 */
#include "trail.h"

#include <setjmp.h>

static int most; /* turns of any activation that decides */

static void turned(int turns) {
    most = turns > most ? turns : most;
}

/* The decisions of the loop of words() are those of this one: its own turns do not count. */
static int skip(const unsigned char *text, int at, int n) {
    int turns = 0;
    while (at < n && D(text[at] == ' ')) {
        at++;
        turned(++turns);
    }
    return at;
}

int words(const unsigned char *text, int n) {
    int at = 0, count = 0;
    while ((at = skip(text, at, n)) < n) {
        int turns = 0;
        count++;
        at++; /* not a space, and not asked again */
        while (at < n && D(text[at] != ' ')) {
            at++;
            turned(++turns);
        }
    }
    return count;
}

/* Every activation of the function has a loop of its own. */
static int nested(const unsigned char *text, int at, int n, int *turns_of_caller) {
    int turns = 0;
    (void)turns_of_caller;
    while (at < n && D(text[at] != ')')) {
        if (D(text[at] == '('))
            at = nested(text, at + 1, n, &turns);
        else
            at++;
        turned(++turns);
    }
    return at + 1;
}

int depth(const unsigned char *text, int n) {
    return nested(text, 0, n, 0);
}

/* The loop of a function that longjmp leaves is over. */
static jmp_buf out;

static void until_stop(const unsigned char *text, int n) {
    for (int i = 0; i < n; i++) {
        if (D(text[i] == '!'))
            longjmp(out, 1);
        turned(i + 1);
    }
}

int jump(const unsigned char *text, int n) {
    volatile int half = n / 2;
    if (setjmp(out) == 0)
        until_stop(text, half);
    if (setjmp(out) == 0)
        until_stop(text + half, n - half);
    return 0;
}

#ifdef ENUMERATE
int main(int argc, char **argv) {
    static const char letters[] = " !()";
    int bound = atoi(argv[2]), all = argc > 1 ? 4096 : 0;
    for (int code = 0; code < all; code++) {
        unsigned char text[6];
        for (int i = 0; i < 6; i++)
            text[i] = (unsigned char)letters[code >> 2 * i & 3];
        most = 0;
        if (argv[1][0] == 'w')
            words(text, 6);
        else if (argv[1][0] == 'd')
            depth(text, 6);
        else
            jump(text, 6);
        if (most <= bound)
            keep_trail();
        trail_length = 0;
    }
    print_count();
}
#endif
