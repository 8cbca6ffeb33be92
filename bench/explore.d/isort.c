/* SPDX-License-Identifier: Apache-2.0
 *
 * Insertion sort: n! paths, each of which is one ordering of the elements. native() is what a plain
 * run of all of them costs: the same sort, compiled as usual, on every permutation.
 */
#ifdef NATIVE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#endif

void isort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int x = a[i], j = i - 1;
        while (j >= 0 && a[j] > x) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = x;
    }
}

#ifdef NATIVE
static unsigned long runs;

static void permute(int *order, int at, int n) {
    if (at == n) {
        int copy[16];
        for (int i = 0; i < n; i++)
            copy[i] = order[i];
        isort(copy, n);
        runs++;
        return;
    }
    for (int i = at; i < n; i++) {
        int x = order[at];
        order[at] = order[i];
        order[i] = x;
        permute(order, at + 1, n);
        order[i] = order[at];
        order[at] = x;
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 8, order[16];
    struct timespec begin, end;
    for (int i = 0; i < n; i++)
        order[i] = i;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    permute(order, 0, n);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds =
        (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
    printf("%lu %.9f\n", runs, seconds);
    return 0;
}
#endif
