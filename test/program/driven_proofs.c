/* SPDX-License-Identifier: Apache-2.0
 *
 * What `driven` proves is so: programs in which an oracle is easily too sure of itself. The worst case is the one that `exhaustive` finds.
 *
 * RUN: search() { %slowpath run %s --jobs 1 --out s --force --quiet --policy worst "$@" >out 2>err || cat err; }
 * RUN: same() { search "$@" --strategy exhaustive; grep '^worst' out >one; search "$@" --strategy driven; grep '^worst' out >two
 * RUN:   cmp one two && grep -q 'costs more, by the oracle' out || { echo "$@"; cat one out; exit 1; }; }
 *
 * What was decided before the loop is not decided in it, however it is computed: the loop turns ten times and is within the bound.
 * RUN: for which in 1 2 3 4; do same --entry "probe($which, x, y, a[4])" --range y=1.. --loop-bound 4; done
 *
 * What the program has stored in its input is not what --range says. A call that does not return, and memory that is not there.
 * RUN: same --entry 'probe(5, x, 0, a[3])' --range a=0..9
 * RUN: for which in 6 7; do same --entry "probe($which, x, 0, NULL)"; done
 * RUN: same --entry 'probe(8, x, 0, NULL)' --measure memory
 * RUN: same --entry 'probe(1, x, y, a[4])' --range x=3..3 --range y=2..2 --loop-bound 4
 *
 * Where a jump leads, and what a library function calls, the oracle does not know, and says so.
 * RUN: for which in 9 10; do search --entry "probe($which, x, 0, a[2])" --strategy driven; grep -q '^not complete: ' out; done
 *
 * No path lies within the bounds: there is no test.
 * RUN: search --entry 'probe(11, x, 0, NULL)' --loop-bound 4 --strategy driven; grep -q '^no test: no path lies within the bounds' out
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static volatile int cost;

static void work(int times) {
    for (int i = 0; i < times; i++)
        cost += i;
}

static int divides(int x, int y) {
    return x % y == 0;
}

static int is_more(const int *a, int i, int x) {
    return a[i] > x;
}

static int are_large(int x, int y) {
    return (x > 3) & (y > 4);
}

static void leave(int x) {
    if (x == 7) {
        work(50);
        _Exit(0);
    }
}

static jmp_buf back;

static void jump(int x) {
    if (x > 3)
        longjmp(back, 1);
}

static int compare(const void *one, const void *other) {
    return *(const int *)one - *(const int *)other;
}

static int copied(const int *a) {
    int b[4];
    memcpy(b, a, sizeof b);
    return is_more(b, 1, 7);
}

static void again(int which, int x, int y, const int *a) {
    if (which == 1   ? !divides(x, y)
        : which == 2 ? is_more(a, 2, x)
        : which == 3 ? are_large(x, y)
                     : copied(a))
        cost++;
    for (int i = 0; i < 10; i++)
        if (which == 1   ? !divides(x, y)
            : which == 2 ? is_more(a, 2, x)
            : which == 3 ? are_large(x, y)
                         : is_more(a, 1, 7))
            work(3);
}

static void scale(int *a) {
    for (int i = 0; i < 3; i++)
        a[i] *= 100;
    for (int i = 0; i < 3; i++)
        if (a[i] > 50)
            work(3);
}

void probe(int which, int x, int y, int *a) {
    switch (which) {
    default:
        again(which, x, y, a);
        return;
    case 5:
        scale(a);
        return;
    case 6:
        leave(x);
        return;
    case 7:
        a = malloc((size_t)x << 20);
        if (!a)
            work(50);
        free(a);
        return;
    case 8:
        a = x > 5 ? aligned_alloc(64, 1024) : malloc(10);
        cost = a != NULL;
        return;
    case 9:
        if (setjmp(back))
            work(50);
        else
            jump(x);
        return;
    case 10:
        qsort(a, 2, sizeof *a, compare);
        return;
    case 11:
        for (int i = 0; i < 10; i++)
            if (x + i > 5)
                work(1);
        return;
    }
}
