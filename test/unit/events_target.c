/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions whose traces test_events.c looks at.
 */
#include <slowpath.h>
#include <stdio.h>
#include <stdlib.h>

int costs(unsigned char n) {
    int r = 0;
    if (n > 3)
        r++;
    void *p = malloc(10);
    slowpath_count("turns", -3);
    if (n > 5)
        r++;
    free(p);
    if (n > 7)
        r++;
    FILE *f = fopen("/dev/null", "r");
    fclose(f);
    return r;
}

int nothing(unsigned char n) {
    if (n > 3)
        return 1;
    return 0;
}

int crash(unsigned char n) {
    void *p = malloc(20);
    if (n > 3)
        *(volatile int *)0 = 1;
    return p != 0;
}

int objects(unsigned char n) {
    char *a = malloc(n), *b = calloc(2, n), *c = malloc(7), *d = aligned_alloc(64, n);
    a = realloc(a, n + 1);   /* in its place */
    b = realloc(b, n + 100); /* elsewhere */
    d = realloc(d, 8);       /* its size is concrete from here on */
    free(b);
    free(c);
    free(d);
    return a != 0;
}
