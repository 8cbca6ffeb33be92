/* SPDX-License-Identifier: Apache-2.0
 *
 * Every form that a parameter of --entry can take, each checked by the function that receives it:
 * it counts "seen" only when its arguments are what the input says.
 *
 * RUN: bytes() { printf "$1"; }
 * RUN: seen() { entry=$1; shift; %slowpath measure %s --entry "$entry" --measure count:seen "$@" | awk 'NR > 1 { print $(NF - 2) }' | grep -qx 1 || { echo "not seen: $entry" >&2; exit 1; }; }
 * RUN: bytes '\1\0\2\0\3\0' >shorts; seen 'array(a[n], n)' shorts; seen 'array(a[n], n)' --size n=3 shorts
 * RUN: bytes '\1\0\2\0\3\0' >shorts; seen 'array(a[2*k+1], 3)' shorts; seen 'array(a[6/2], 3)' shorts; seen 'array({1,2,3}, 3)'
 * RUN: bytes '\376\377\377\377\0\0\0\0\0\0\370\77' >scalars; seen 'scalars(i, d)' scalars; seen scalars scalars; seen 'scalars(-2, 1.5)'
 * RUN: seen 'text("a\tb\x41", NULL)'; bytes 'a\tbA\0' >text; seen 'text(s[n], NULL)' text
 * RUN: seen "letter('z', &p)" --size p=1; seen 'names({"one", "two"}, 2)'
 * RUN: bytes '\1\0\7\0\0\0\10\0\0\0\2\0\1\0' >ring; seen 'ring(&list)' ring; bytes '\0\0' >null; seen 'empty(&list)' null
 * RUN: bytes '\3\0\0\0\4\0\0\0' >point; seen 'point(p)' point; seen 'point({3, 4})'; seen 'points(p[n], n)' point
 * RUN: seen 'callback(accept, 5)'; seen 'many("%d", 7)'; seen 'nothing()'; seen nothing
 * RUN: seen 'callback(unused, 5)'; seen 'unused(5)'
 *
 * What does not fit is said with the function's own declaration.
 * RUN: fails() { expect $1 %slowpath measure %s --entry "$2" shorts >/dev/null 2>err; cat err >>errors; }
 * RUN: fails 3 'array(a[n])'; fails 3 'array(a, n)'; fails 3 'scalars(x[n], d)'; fails 3 'array(a[n], "x")'; fails 3 'scalars(99999999999, 1.5)'
 * RUN: fails 3 'aray(a[n], n)'; fails 3 'unrelated(a)'; fails 2 'array(a[n], n'; fails 2 'array(a[, n)'; fails 2 'array(a[n+m], n)'; fails 2 'array(a[4*n], n)'
 * RUN: %check <errors
 * CHECK: entry 'array(a[n])': array takes 2 parameters: void array(short *a, int n)
 * CHECK: 'a' is a pointer ('short *a'), write a[n] for an array
 * CHECK: 'x[n]' does not fit 'int i', which is no pointer
 * CHECK: '"x"' does not fit 'int n', which is no pointer to characters
 * CHECK: '99999999999' does not fit 'int i', which cannot hold that number
 * CHECK: no function 'aray' in the target; did you mean array?
 * CHECK: no function 'unrelated' in the target; it has
 * CHECK: bad entry: expected ',' or ')'
 * CHECK: bad entry: expected a size
 * CHECK: array(a[, n)
 * CHECK-NEXT: {{^ +}}^
 * CHECK: give all but one of these sizes of 'array(a[n+m], n)' with --size: n, m
 * CHECK: shorts: an input of 6 bytes does not fit 'array(a[4*n], n)': it takes 0 (n=0) or 8 (n=1)
 */
#include <slowpath.h>
#include <stdarg.h>
#include <string.h>

struct node {
    int value;
    struct node *next;
};

struct point {
    int x, y;
};

static void see(int condition) {
    if (condition)
        slowpath_count("seen", 1);
}

void array(const short *a, int n) {
    see(n == 3 && a[0] == 1 && a[1] == 2 && a[2] == 3);
}

void scalars(int i, double d) {
    see(i == -2 && d == 1.5);
}

void text(const char *s, const void *nothing) {
    see(strcmp(s, "a\tbA") == 0 && !nothing);
}

void letter(char c, const struct node *p) {
    see(c == 'z' && !p);
}

void names(const char *const *list, int count) {
    see(count == 2 && strcmp(list[0], "one") == 0 && strcmp(list[1], "two") == 0);
}

void ring(const struct node *list) {
    see(list && list->value == 7 && list->next && list->next->value == 8 &&
        list->next->next == list);
}

void empty(const struct node *list) {
    see(!list);
}

void point(struct point p) {
    see(p.x == 3 && p.y == 4);
}

void points(const struct point *p, unsigned long n) {
    see(n == 1 && p[0].x == 3 && p[0].y == 4);
}

int accept(int x) {
    return x == 5;
}

/* Nothing refers to it. */
static int unused(int x) {
    see(x == 5);
    return 0;
}

void callback(int (*function)(int), int x) {
    see(function(x));
}

void many(const char *format, ...) {
    va_list args;
    va_start(args, format);
    see(strcmp(format, "%d") == 0 && va_arg(args, int) == 7);
    va_end(args);
}

void nothing(void) {
    see(1);
}
