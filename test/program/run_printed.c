/* SPDX-License-Identifier: Apache-2.0
 *
 * Text that is printed and comes back: in memory, or as its length. How long a string is, how many
 * digits a number has and its sign are decisions; the bytes keep their expressions. As in
 * run_explored.c, each cost that an input over a small alphabet has is the cost of a path.
 *
 * RUN: for f in 0 1 2 3 4 5 6 7 8 9 a b; do for x in '\000' '\001' 0 7 a '\200' '\377'; do \
 * RUN:   for y in '\000' 7 9 '\177' '\366'; do printf -- "$f$x$y"; done; done; done >all
 * RUN: split -b 3 -a 4 all in-
 * RUN: %slowpath measure %s -- in-* | awk '$2 == "ok" { print $3 }' | sort -u >want
 * RUN: %slowpath run %s --size 3 --strategy exhaustive --tests 20000 --time 100 --out s --quiet >out
 * RUN: grep -q '"complete": true' s/suite.json || { tail -5 out; exit 1; }
 * RUN: grep -q '"mismatches": 0,' s/suite.json
 * RUN: awk '/^tests/ { print $2 }' out | sort -u >got
 * RUN: missing=$(comm -23 want got); [ -z "$missing" ] || { echo "no path costs" $missing; exit 1; }
 *
 * All 32 bits of a number: ten lengths, with a sign and without.
 * RUN: %slowpath run %s --entry 'length(x)' --strategy exhaustive --out s --force --quiet >out
 * RUN: grep -q ' 20 different paths' out && grep -q '"complete": true' s/suite.json || { cat out; exit 1; }
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int spent;

static void work(long n) {
    for (unsigned long i = (unsigned long)n % 61; i > 0; i--)
        spent++;
}

int length(int x) {
    char text[16];
    return sprintf(text, "%d", x);
}

/* Each byte of it counts. */
static void work_text(int length, const char *text) {
    work(length);
    for (int i = 0; i < length && i < 15; i++)
        work(text[i] == '7' ? 9 : text[i] == ' ' ? 5 : text[i] == 'f' ? 3 : 0);
}

static int (*volatile by_pointer)(const char *, ...) = printf;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[3] = {0}, to[16] = "";
    int stored = 0;
    if (size != 3)
        return 0;
    int one = (int8_t)data[1], two = (uint8_t)data[2];
    memcpy(text, data + 1, 2);
    switch (data[0]) {
    case '0':
        work_text(sprintf(to, "%d", one * 256 + two), to);
        break;
    case '1':
        work_text(snprintf(to, 4, "%+5.3d", one), to);
        break;
    case '2':
        work_text(sprintf(to, "%#x,%-4o|", (unsigned)two, (unsigned)(uint8_t)one), to);
        break;
    case '3':
        work_text(sprintf(to, "%.0d%hhu", two, one), to);
        break;
    case '4':
        work_text(sprintf(to, "<%4s>", text), to);
        break;
    case '5':
        work_text(sprintf(to, "%.*s", two & 3, "a7b"), to);
        break;
    case '6':
        work_text(sprintf(to, "%lX", (long)one * two), to);
        break;
    case '7':
        work(printf("%s%i", text, two));
        break;
    case '8':
        work(by_pointer("%s%c", text, two));
        break;
    case '9':
        work(puts(text));
        break;
    case 'a':
        fprintf(stdout, "%d%n.", one, &stored);
        work(stored);
        break;
    case 'b':
        work_text(sprintf(to, "%.1f", two / 4), to);
        break;
    }
    return 0;
}
