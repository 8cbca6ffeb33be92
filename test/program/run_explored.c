/* SPDX-License-Identifier: Apache-2.0
 *
 * Library functions that are explored: the first byte chooses one, and it gets the other two. The
 * search is complete, no path is foreseen wrongly, and each cost that an input over a small alphabet
 * has is the cost of a path. Every function gives a number, and each number another cost, so the paths
 * of different results are told apart; `paths` is what the decisions make of all 65,536 texts.
 *
 * RUN: for f in 0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j k; do for x in 0 7 a b - . , / i '\n' '\303'; do \
 * RUN:   for y in 9 a B . e x '\244' '\377'; do printf -- "$f$x$y"; done; done; done >all
 * RUN: split -b 3 -a 4 all in-
 * RUN: %slowpath measure %s -- in-* | awk '$2 == "ok" { print $3 }' | sort -u >want
 * RUN: %slowpath run %s --size 3 --strategy exhaustive --tests 20000 --time 100 --out s --quiet >out
 * RUN: grep -q '"complete": true' s/suite.json || { tail -5 out; exit 1; }
 * RUN: grep -q '"mismatches": 0,' s/suite.json
 * RUN: awk '/^tests/ { print $2 }' out | sort -u >got
 * RUN: missing=$(comm -23 want got); [ -z "$missing" ] || { echo "no path costs" $missing; exit 1; }
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fnmatch.h>
#include <getopt.h>
#include <libgen.h>
#include <locale.h>
#include <regex.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

static volatile int spent;

static void work(long n) {
    for (unsigned long i = (unsigned long)n % 61; i > 0; i--)
        spent++;
}

static int by_byte(const void *a, const void *b) {
    return *(const char *)a - *(const char *)b;
}

static long number(const char *text) {
    char *end;
    double value = strtod(text, &end);
    return (value > 8.5) + 2 * (value < 0) + 4 * (end - text);
}

static long scanned(const char *text) {
    float value = 0;
    int taken = 0;
    return sscanf(text, "%f%n", &value, &taken) + 3 * taken + 9 * (value == 0.5F);
}

static long copied(const char *text) {
    char copy[4];
    char *end = memccpy(copy, text, 'a', 2);
    return end ? end - copy : 5;
}

static long matched(const char *text) {
    regex_t pattern;
    regmatch_t match;
    if (regcomp(&pattern, "[0-9]+a?", REG_EXTENDED))
        abort();
    long result = regexec(&pattern, text, 1, &match, 0) ? 0 : 1 + match.rm_so + 4 * match.rm_eo;
    regfree(&pattern);
    return result;
}

static long address(const char *text) {
    struct in_addr address = {0};
    return inet_aton(text, &address) + 2 * (address.s_addr > 1u << 24);
}

static long found(const char *text) {
    static const char table[] = "ba7.";
    size_t count = 4;
    const char *at = lfind(text, table, &count, 1, by_byte);
    return at ? at - table : 7;
}

static long in_tree(const char *text) {
    void *root = NULL;
    static const char keys[] = "cab";
    for (int i = 0; i < 3; i++)
        tsearch(&keys[i], &root, by_byte);
    const char **node = tfind(text, &root, by_byte);
    long result = node ? *node - keys : 7;
    for (int i = 0; i < 3; i++)
        tdelete(&keys[i], &root, by_byte);
    return result;
}

static long in_table(const char *text) {
    struct hsearch_data table = {0};
    ENTRY *entry;
    hcreate_r(4, &table);
    hsearch_r((ENTRY){"a9", "x"}, ENTER, &entry, &table);
    long result = hsearch_r((ENTRY){(char *)text, NULL}, FIND, &entry, &table);
    hdestroy_r(&table);
    return result;
}

static long options(const char *text) {
    char argument[] = {'-', text[0], text[1], 0}, *arguments[] = {"program", argument, NULL};
    long sum = 0;
    int option;
    opterr = optind = 0;
    while ((option = getopt(2, arguments, "a:b7")) != -1)
        sum = sum * 3 + (option == '?' ? 1 : option == 'a' ? 2 : 4);
    return sum;
}

static long characters(const char *text) {
    wchar_t wide[4] = {0};
    long count = (long)mbstowcs(wide, text, 3);
    return count + 3 * (wide[0] == L'a') + 7 * (long)wcslen(wide);
}

static long wide(const char *text) {
    wint_t c = (unsigned char)text[0] | (wint_t)(unsigned char)text[1] << 8;
    return (iswalpha(c) != 0) + 2 * (iswdigit(c) != 0) + 4 * (towlower(c) == L'b');
}

static long wide_text(const char *text) {
    wchar_t one[] = {text[0], text[1], 0}, *end;
    int order = wcscmp(one, L"a9");
    return 1 + (order > 0) + (order < 0 ? 5 : 0) + 10 * wcstol(one, &end, 10);
}

static long utf8(const char *text) {
    if (!setlocale(LC_ALL, "C.UTF-8"))
        abort();
    return characters(text);
}

static long printed(const char *text) {
    char *copy;
    if (asprintf(&copy, "<%c>", text[0]) < 0)
        abort();
    long result = copy[1] == 'a' ? 9 : 2;
    free(copy);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size != 3)
        return 0;
    char text[3] = {(char)data[1], (char)data[2], 0};
    switch (data[0]) {
    case '0':
        work(number(text));
        break;
    case '1':
        work(scanned(text));
        break;
    case '2':
        work(strcoll(text, "a.") > 0 ? 3 : 8);
        break;
    case '3':
        work(strverscmp("a9", text) > 0 ? 3 : 8);
        break;
    case '4':
        work(copied(text));
        break;
    case '5':
        work(fnmatch("[a-c]*.", text, FNM_CASEFOLD) ? 2 : 9);
        break;
    case '6':
        work(matched(text));
        break;
    case '7':
        work(address(text));
        break;
    case '8':
        work(found(text));
        break;
    case '9':
        work(in_tree(text));
        break;
    case 'a':
        work(in_table(text));
        break;
    case 'b':
        work(options(text));
        break;
    case 'c':
        work(characters(text));
        break;
    case 'd':
        work(wide(text));
        break;
    case 'e':
    case 'f':
        work(wide_text(text));
        break;
    case 'g':
        work(a64l(text));
        break;
    case 'h':
        work(div(text[0], 7).rem + 9 * ffs(text[1] & 12));
        break;
    case 'i':
        work(strlen(basename(text)));
        break;
    case 'j':
        work(printed(text));
        break;
    case 'k':
        work(utf8(text));
        break;
    }
    return 0;
}
