/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating-point numbers are explored like integers: sorting, shortest paths, thresholds,
 * conversions. The independent count runs all inputs over a small set of numbers, with both zeros,
 * infinity and NaN among them, and counts different sequences of decisions: all of them are found
 * and, as every path is verified by a run, none that is not there. What a suite says of its tests
 * holds as C.
 *
 * RUN: number() { sed -n 's/^ *"'$1'": \([0-9]*\),*$/\1/p' s/suite.json | head -n 1; }
 * RUN: clang=$LLVM_BINDIR/clang here=$(dirname %s)
 * RUN: $clang -O1 -DENUMERATE %s -lm -o count
 * RUN: $clang -O1 $here/helpers/evaluate.c -ljansson -o evaluate
 * RUN: explore() { name=$1 entry=$2 n=$3; shift 3; rm -rf s; \
 * RUN:   %slowpath run %s --entry "$entry" ${n:+--size n=$n} --strategy exhaustive --jobs 1 --tests 100 --out s --quiet >out; \
 * RUN:   echo "$name $n: $(number paths) paths"; [ "$(number paths)" = "$(./count $name $n)" ]; [ "$(number mismatches)" = 0 ]; \
 * RUN:   [ "$(number concretised)" = 0 ]; grep -q '"complete": true' s/suite.json; \
 * RUN:   ./evaluate s %s "$@" >check.c; $clang -w -fwrapv -fno-strict-aliasing check.c -lm -o check; ./check; }
 *
 * RUN: for n in 4 5; do explore isort 'isort(a[n], n)' $n "double a[$n]"; [ "$(number smt)" = 0 ]; done
 * RUN: grep -q '"condition": "a\[1\] < a\[0\] && ' s/suite.json
 * RUN: explore select 'select_sort(f[n], n)' 4 'float f[4]'
 * RUN: [ "$(number smt)" = 0 ]
 * RUN: explore rank 'rank(a[n], n)' 3 'double a[3]'
 * RUN: [ "$(number smt)" = 0 ]
 * RUN: explore dijkstra 'dijkstra(w[n*n], n)' 3 'double w[9]'
 * RUN: explore poly 'poly(x)' '' 'double x'
 * RUN: grep -q '"condition": "x \* x > 2.0' s/suite.json
 * RUN: explore convert 'convert(i, d, f)' '' 'int i' 'double d' 'float f'
 * RUN: explore bits 'bits(x, y)' '' 'double x' 'double y'
 * RUN: explore whole 'whole(x, f)' '' 'double x' 'float f'
 * RUN: grep -q '__builtin_floor(x) == 7.0' s/suite.json
 * RUN: explore root 'root(x)' '' 'double x'
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define FAR 1000.0
#define MOST 8

#ifdef ENUMERATE
#include <stdio.h>
#include <stdlib.h>

static unsigned long trail;
static int note(int outcome) {
    trail = trail * 2 + (unsigned long)outcome;
    return outcome;
}
#define D(condition) note((condition) != 0)
#else
#define D(condition) (condition)
#endif

void isort(double *a, int n) {
    for (int i = 1; i < n; i++) {
        double key = a[i];
        int j = i - 1;
        while (j >= 0 && D(a[j] > key)) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = key;
    }
}

void select_sort(float *f, int n) {
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++)
            if (D(f[j] < f[least]))
                least = j;
        float swap = f[i];
        f[i] = f[least];
        f[least] = swap;
    }
}

/* Of two neighbours: less, equal, greater, or NaN. */
int rank(const double *a, int n) {
    int r = 0;
    for (int i = 0; i + 1 < n; i++) {
        if (D(a[i] < a[i + 1]))
            r += 1;
        else if (D(a[i] == a[i + 1]))
            r += 2;
        else if (D(a[i] >= a[i + 1]))
            r += 3;
    }
    return r;
}

double dijkstra(const double *w, int n) {
    double distance[MOST];
    int done[MOST];
    for (int i = 0; i < n; i++) {
        distance[i] = FAR;
        done[i] = 0;
    }
    distance[0] = 0;
    for (int k = 0; k < n; k++) {
        int u = -1;
        for (int i = 0; i < n; i++)
            if (!done[i] && (u < 0 || (u > 0 && D(distance[i] < distance[u]))))
                u = i;
        done[u] = 1;
        for (int v = 0; v < n; v++)
            if (!done[v] && D(distance[u] + w[u * n + v] < distance[v]))
                distance[v] = distance[u] + w[u * n + v];
    }
    return distance[n - 1];
}

int poly(double x) {
    int r = 0;
    if (D(x * x > 2.0))
        r++;
    if (D(x * 0.5 - 1 < 3))
        r++;
    return r;
}

int convert(int i, double d, float f) {
    int r = 0;
    if (D(i * 0.5 > 10))
        r++;
    if (D((int)d == 7))
        r++;
    else if (D((float)d == 0.25f))
        r++;
    if (D(f < 0.1))
        r++;
    if (D((unsigned)i + 1.0 == 5))
        r++;
    return r;
}

int bits(double x, double y) {
    int r = 0;
    int64_t image;
    memcpy(&image, &x, sizeof image);
    if (D(image < 0))
        r++;
    if (D(isnan(x)))
        r++;
    if (D(fabs(y) > 1))
        r++;
    if (D(-y > 0.5))
        r++;
    return r;
}

int whole(double x, float f) {
    int r = 0;
    if (D(floor(x) == 7))
        r++;
    else if (D(rint(x) == -1))
        r++;
    if (D(truncf(f) == f))
        r++;
    else if (D(lroundf(f) == 8))
        r++;
    return r;
}

/* It is the argument that decides about errno. */
int root(double x) {
    errno = 0;
    double y = sqrt(x);
    if (D(errno == EDOM))
        return 1;
    return y > 100 ? 2 : 3;
}

#ifdef ENUMERATE
#define SLOTS (1u << 16)
static unsigned long seen[SLOTS];
static int different;

static void keep_trail(void) {
    unsigned at = (unsigned)(trail * 0x9e3779b97f4a7c15u >> 48);
    while (seen[at] && seen[at] != trail)
        at = (at + 1) % SLOTS;
    different += !seen[at];
    seen[at] = trail;
    trail = 1;
}

static const double values[] = {-1,  -0.0, 0.0, 1, 2,    NAN,  INFINITY,
                                7.5, 0.25, -3,  3, 1e31, -NAN, -0.75};

static void run(const char *name, int n, const double *a) {
    double copy[16];
    float single[16];
    memcpy(copy, a, sizeof copy);
    for (int i = 0; i < 16; i++)
        single[i] = (float)a[i];
    if (!strcmp(name, "isort"))
        isort(copy, n);
    else if (!strcmp(name, "select"))
        select_sort(single, n);
    else if (!strcmp(name, "rank"))
        rank(copy, n);
    else if (!strcmp(name, "dijkstra")) /* of the nine weights, four are read */
        dijkstra((double[]){0, a[0], a[1], 0, 0, a[2], 0, a[3], 0}, n);
    else if (!strcmp(name, "poly"))
        poly(a[0] * 2);
    else if (!strcmp(name, "convert"))
        convert(isfinite(a[0]) && fabs(a[0]) < 100 ? (int)(a[0] * 4) : 4, a[1], single[2]);
    else if (!strcmp(name, "whole"))
        whole(a[0], single[1]);
    else if (!strcmp(name, "root"))
        root(a[0]);
    else
        bits(a[0], a[1]);
    keep_trail();
}

int main(int argc, char **argv) {
    const char *name = argv[1];
    int n = argc > 2 ? atoi(argv[2]) : 0;
    int count = n > 4 ? 5 : 4, most = n > 4 ? 7 : 14, digits[5] = {0}, carry;
    trail = 1;
    do {
        double a[16] = {0};
        for (int i = 0; i < count; i++)
            a[i] = values[digits[i]];
        run(name, n, a);
        for (carry = 0; carry < count && ++digits[carry] == most; carry++)
            digits[carry] = 0;
    } while (carry < count);
    printf("%d\n", different);
    return 0;
}
#endif
