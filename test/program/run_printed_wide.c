/* SPDX-License-Identifier: Apache-2.0
 *
 * Wide text that is printed and comes back, as in run_printed.c: numbers and strings, cut where there
 * is no room (a failure), bytes that are no character, how much was printed.
 *
 * RUN: for f in 0 1 2 3 4 5 6 7; do for x in '\000' '\001' 0 7 a '\200' '\377'; do \
 * RUN:   for y in '\000' 7 9 '\177' '\366'; do printf -- "$f$x$y"; done; done; done >all
 * RUN: split -b 3 -a 4 all in-
 * RUN: %slowpath measure %s -- in-* | awk '$2 == "ok" { print $3 }' | sort -u >want
 * RUN: %slowpath run %s --size 3 --strategy exhaustive --tests 20000 --time 100 --out s --quiet >out
 * RUN: grep -q '"complete": true' s/suite.json || { tail -5 out; exit 1; }
 * RUN: grep -q '"mismatches": 0,' s/suite.json
 * RUN: awk '/^tests/ { print $2 }' out | sort -u >got
 * RUN: missing=$(comm -23 want got); [ -z "$missing" ] || { echo "no path costs" $missing; exit 1; }
 *
 * What nobody looks at needs no decision.
 * RUN: %slowpath run %s --entry 'unread(x)' --strategy exhaustive --out s --force --quiet >out
 * RUN: grep -q ' 2 different paths' out && grep -q '"complete": true' s/suite.json || { cat out; exit 1; }
 *
 * A stream that is written and read in wide characters is not followed; one that fwide made wide is.
 * RUN: %slowpath run %s --entry 'back(x)' --strategy exhaustive --out s --force --quiet | grep -q '^not complete: .*read and written by characters'
 * RUN: %slowpath run %s --cflags -DASKED --stdin 1 --strategy exhaustive --out s --force --quiet >out
 * RUN: grep -q '"complete": true' s/suite.json && [ $(awk "/^tests/ { print \$2 }" out | sort -u | wc -l) = 2 ] || { cat out; exit 1; }
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

static volatile int spent;

static void work(long n) {
    for (unsigned long i = (unsigned long)n % 61; i > 0; i--)
        spent++;
}

int unread(int x) {
    wprintf(L"%d\n", x);
    work(x > 5);
    return 0;
}

int back(unsigned char x) {
    FILE *file = tmpfile();
    fputwc(L'q', file);
    rewind(file);
    work(fgetwc(file) == x);
    fclose(file);
    return 0;
}

/* Each character of it counts. */
static void work_text(int length, const wchar_t *text) {
    work(length + 2);
    for (int i = 0; text[i]; i++)
        work(text[i] == L'7' ? 9 : text[i] == L' ' ? 5 : text[i] == L'f' ? 3 : 0);
}

static int print_list(wchar_t *to, const wchar_t *format, ...) {
    va_list args;
    va_start(args, format);
    int result = vswprintf(to, 16, format, args);
    va_end(args);
    return result;
}

#ifdef ASKED
int main(void) {
    fwide(stdin, 1);
    work(getwchar() == L'a' ? 5 : 1);
    return 0;
}
#else
static int (*volatile by_pointer)(const wchar_t *, ...) = wprintf;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[3] = {0};
    wchar_t to[16] = L"", wide[3] = {0};
    int stored = 0;
    if (size != 3)
        return 0;
    int one = (int8_t)data[1], two = (uint8_t)data[2];
    for (int i = 0; i < 2; i++) {
        text[i] = (char)data[1 + i];
        wide[i] = data[1 + i] & 0x7f;
    }
    switch (data[0]) {
    case '0':
        work_text(swprintf(to, 16, L"%d,%-4o|", one, (unsigned)two), to);
        break;
    case '1':
        work_text(swprintf(to, 4, L"%+3.2d", one), to);
        break;
    case '2':
        work_text(swprintf(to, 16, L"<%4s>", text), to);
        break;
    case '3':
        work_text(print_list(to, L"%-3lc%.1ls", (wint_t)two, wide), to);
        break;
    case '4':
        work_text(swprintf(to, 16, L"%c.", two), to);
        break;
    case '5':
        work(by_pointer(L"%hhd%ls", one, wide));
        break;
    case '6':
        wprintf(L"%d%n.", one, &stored);
        work(stored + (fputws(wide, stdout) > 0));
        break;
    case '7':
        work(putwchar(data[1]) == L'7' ? 9 : 1);
        break;
    }
    return 0;
}
#endif
