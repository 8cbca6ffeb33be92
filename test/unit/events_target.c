/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions whose traces test_events.c looks at.
 */
#define _GNU_SOURCE
#include <slowpath.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

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

/* A trace of many kinds of events, which may end early. */
int mixed(const unsigned char *s) {
    static const unsigned char table[] = {3, 1, 4, 1, 5, 9, 2, 6};
    int r = s[0] > 3;
    if (s[1] == 7 && table[s[2] & 7] > 2)
        r++;
    char *p = malloc(s[2]), *q = malloc(20);
    if (s[3] == 255)
        *(volatile int *)0 = 1;
    strfry(strcpy(q, s[0] > 7 ? (const char *)s : "abc")); /* nobody follows it */
    free(p);
    for (int i = 0; i < 4; i++)
        if (s[i] > 100)
            return r;
    free(q);
    return s[0] < s[1] ? r : r + 1;
}

/* ---- output ---- */

void bytes(const unsigned char *s) {
    struct iovec parts[2] = {{"<", 1}, {(void *)s, 3}};
    if (write(1, "abcdefghij", 10) != 10 || pwrite(1, "", 0, 0) != 0)
        return;
    putchar('k');
    fputc(s[0] + 1, stdout);
    fwrite(s, 1, 2, stdout);
    fputs_unlocked(".", stderr);
    writev(1, parts, 2);
    fputs("", stdout);
}

void strings(const char *s) {
    puts(s);
    if (strlen(s) == 2)
        fputs(s, stderr);
}

static void say(FILE *stream, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vfprintf(stream, format, args);
    va_end(args);
}

void formats(const char *s) {
    printf("[%5s|%-4c|%d|%%|%.*s]\n", s, s[1], s[0], 1, "uv");
    say(stderr, "%d %d %d %d %s %.1f %c%n", 1, 2, 3, 4, "five", 6.0, s[0], &(int){0});
    dprintf(1, "%2$s %1$s\n", "a", "b");
}

void concrete(const char *s) {
    char copy[4] = "xyz";
    printf("%s %d %Lf\n", copy, 5, 1.5L);
    copy[0] = s[0];
    fprintf(stdout, "%.2s", copy);
}

/* ---- objects that the driver makes ---- */

struct node {
    struct node *next;
    int value;
};

int second(const struct node *list) {
    return list && list->next ? list->next->value : 0;
}
