/* SPDX-License-Identifier: Apache-2.0
 *
 * All ways to read the input are explored: the costliest input of a small alphabet is found, each
 * cost that an input of that alphabet has is the cost of a path, and the search is complete.
 *
 * RUN: n=0; for a in 1 - x '\n' ' '; do for b in 1 9 x '\n' ','; do for c in 7 - x '\n'; do \
 * RUN:   n=$((n + 1)); printf -- "$a$b$c" >in-$n; done; done; done
 * RUN: costs() { awk '$2 == "ok" { print $3 }' | sort -nu; }
 * RUN: check() { \
 * RUN:   %slowpath measure %s --args "$1 $2" -- in-* | costs >want; \
 * RUN:   %slowpath run %s $3 --strategy exhaustive --tests 5000 --time 60 --out s --force --quiet --args "$1 $2" >out; \
 * RUN:   grep -q '"complete": true' s/suite.json || { echo "$1: not complete"; tail -3 out; exit 1; }; \
 * RUN:   grep -q '"mismatches": 0,' s/suite.json || { echo "$1: mismatches"; exit 1; }; \
 * RUN:   awk '/^tests/ { print $2 }' out | sort -nu >got; \
 * RUN:   missing=$(comm -23 <(sort want) <(sort got)); \
 * RUN:   [ -z "$missing" ] || { echo "$1: no path costs" $missing; exit 1; }; \
 * RUN:   [ "$(tail -1 want)" -le "$(tail -1 got)" ]; }
 * RUN: for r in by_fgets by_getline by_getdelim by_ungetc by_read by_seek by_parts by_fread by_scanf by_fields by_words by_set by_line_and_scan by_amount by_items by_printing; do \
 * RUN:   check $r '' '--stdin 3'; done
 * RUN: for r in by_map by_pread by_stream; do check $r @@ '--file 3'; done
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile int spent;

static void work(long n) {
    for (unsigned long i = (unsigned long)n % 13; i > 0; i--)
        spent++;
}

/* Another cost for each x, by its place. */
static void look_at(const char *bytes, long count) {
    for (long i = 0; i < count; i++)
        if (bytes[i] == 'x')
            work(5 + 3 * i);
}

/* ---- lines ---- */

static void by_fgets(void) {
    char line[3];
    for (int i = 1; fgets(line, sizeof line, stdin); i++)
        work(7 * i + (line[0] == 'x'));
    work(feof(stdin) ? 20 : 0);
}

static void by_getline(void) {
    char *line = NULL;
    size_t room = 0;
    ssize_t got;
    while ((got = getline(&line, &room, stdin)) >= 0)
        work(got * got * 3);
    free(line);
}

static void by_getdelim(void) {
    char *line = NULL;
    size_t room = 0;
    ssize_t got;
    while ((got = getdelim(&line, &room, 'x', stdin)) >= 0)
        work(got * got * 3);
    free(line);
}

/* ---- bytes ---- */

static void by_ungetc(void) {
    int c = getchar();
    if (c == 'x')
        ungetc('1', stdin);
    else if (c == '1')
        ungetc(c, stdin);
    for (int i = 1; (c = getchar()) != EOF; i++)
        if (c == '1')
            work(11 * i);
}

static void by_read(void) {
    char bytes[8];
    look_at(bytes, read(0, bytes, 2));
    look_at(bytes, read(0, bytes, 8));
}

/* Where and how much is read depends on what was read. */
static void by_amount(void) {
    char bytes[8] = "abcdefg";
    if (read(0, bytes, 1) == 1)
        work(5 * read(0, bytes + 1 + (bytes[0] == 'x'), 1 + (bytes[0] == '1')));
    work(bytes[2] == 'x' ? 30 : read(0, bytes, 1) == 1 ? 50 : 70);
}

static void by_items(void) {
    char bytes[8] = "abcdefg";
    int c = getchar();
    FILE *from = c == 'x' ? fopen("/dev/null", "r") : stdin;
    work(5 * (long)fread(bytes, 1 + (c == '1'), 1, from));
    work(fgetc(from) == 'x' ? 30 : 50);
    work(fgets(bytes, 4, c == ' ' ? stderr : from) ? 20 : 0);
}

/* What is printed, and how much comes back, too. */
static void by_printing(void) {
    char text[8] = "", other[8] = "";
    int c = getchar();
    snprintf(c == 'x' ? text : other, 8, c == '1' ? "%d" : "%x", 255);
    work(text[0] ? 30 : other[1] == 'f' ? 50 : 70);
    work(5 * printf(c == '-' ? "-" : "---"));
    work(7 * puts(c == ' ' ? "" : "text"));
    FILE *file = tmpfile();
    if (!file)
        abort();
    write(fileno(file), "abc", 1 + (c == 'x'));
    work(9 * lseek(fileno(file), 0, SEEK_END));
    fclose(file);
}

static void by_seek(void) {
    char bytes[8];
    lseek(0, 1, SEEK_SET);
    look_at(bytes, read(0, bytes, 8));
    lseek(0, 0, SEEK_SET);
    look_at(bytes, read(0, bytes, 1));
}

static void by_parts(void) {
    char one[1], two[4] = {0};
    struct iovec parts[] = {{one, 1}, {two, 4}};
    if (readv(0, parts, 2) != 3)
        abort();
    look_at(two, 4);
    work(one[0] == '1' ? 50 : 0);
}

static void by_fread(void) {
    char bytes[4] = {0};
    look_at(bytes, (long)fread(bytes, 1, 2, stdin));
    work((long)fread(bytes, 2, 1, stdin)); /* a part of an item is there, too */
    look_at(bytes, 1);
    work(fgetc(stdin) == 'x' ? 60 : 0);
}

static void by_pread(const char *path) {
    char bytes[4];
    int fd = open(path, O_RDONLY);
    look_at(bytes, pread(fd, bytes, 2, 1));
    close(fd);
}

static void by_map(const char *path) {
    int fd = open(path, O_RDONLY);
    struct stat file;
    if (fstat(fd, &file))
        abort();
    look_at(mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0), file.st_size);
    close(fd);
}

static void by_stream(const char *path) {
    char line[8];
    FILE *file = fopen(path, "r");
    fseek(file, 1, SEEK_SET);
    if (fgets(line, sizeof line, file))
        work((long)strlen(line) * 13);
    fclose(file);
}

/* ---- scanf ---- */

static void by_scanf(void) {
    int value = 0;
    work(40 + scanf("%d", &value));
    work(value);
}

static void by_fields(void) {
    short a = 0;
    unsigned long b = 0;
    int count = 0;
    work(20 * (1 + fscanf(stdin, "%2hd ,%lx%n", &a, &b, &count)));
    work(a + (long)b + count);
}

static void by_words(void) {
    char word[4] = "", last = 0;
    work(20 * (1 + scanf("%3s%*1[\n]%c", word, &last)));
    look_at(word, 4);
}

static void by_set(void) {
    char word[4] = "";
    work(20 * (1 + scanf("%3[^\n,x]", word)));
    work((long)strlen(word) * 7);
}

static void by_line_and_scan(void) {
    char line[8];
    int a = 0, b = 0;
    if (!fgets(line, sizeof line, stdin))
        return;
    work(20 * (1 + sscanf(line, "%d,%d", &a, &b)));
    work(a * 3 + b);
}

static const struct {
    const char *name;
    void (*read)(void);
    void (*open)(const char *path);
} readers[] = {
    {"by_fgets", by_fgets, NULL},       {"by_getline", by_getline, NULL},
    {"by_getdelim", by_getdelim, NULL}, {"by_ungetc", by_ungetc, NULL},
    {"by_read", by_read, NULL},         {"by_seek", by_seek, NULL},
    {"by_parts", by_parts, NULL},       {"by_fread", by_fread, NULL},
    {"by_scanf", by_scanf, NULL},       {"by_fields", by_fields, NULL},
    {"by_words", by_words, NULL},       {"by_set", by_set, NULL},
    {"by_map", NULL, by_map},           {"by_pread", NULL, by_pread},
    {"by_stream", NULL, by_stream},     {"by_line_and_scan", by_line_and_scan, NULL},
    {"by_amount", by_amount, NULL},     {"by_items", by_items, NULL},
    {"by_printing", by_printing, NULL},
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (strcmp(argv[1], readers[i].name) == 0) {
            if (argc > 2)
                readers[i].open(argv[2]);
            else
                readers[i].read();
        }
    return 0;
}
