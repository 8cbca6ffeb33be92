/* SPDX-License-Identifier: Apache-2.0
 *
 * Which object a pointer leads to can depend on the input: c ? a : b, a table of strings, structs
 * with pointers, the rows of a matrix. Each choice is explored, and there are as many paths as a
 * run of all inputs has.
 *
 * RUN: paths() { sed -n 's/^ *"paths": \([0-9]*\),/\1/p' "$1"; }
 * RUN: %cc -DENUMERATE %s -o count
 * RUN: for f in two three literals length structs rows fields chain difference both; do \
 * RUN:   %slowpath run %s --entry "$f(i, j)" --strategy exhaustive --jobs 1 --out s --force --quiet >out; \
 * RUN:   [ "$(paths s/suite.json)" = "$(./count $f)" ] || { echo "$f: not $(./count $f)"; cat out; exit 1; }; \
 * RUN:   grep -q '"complete": true' s/suite.json || { echo "$f"; cat out; exit 1; }; \
 * RUN:   grep -q '"mismatches": 0,' s/suite.json; grep -q '"crashes": 0,' s/suite.json; done
 */
#include "trail.h"
#include <string.h>

typedef unsigned char byte;

static const char first[] = "aaaa", second[] = "bb", third[] = "cccccc";
static const char *const names[] = {"if", "while", "", "do", "switch", "while"};
static const struct word {
    int weight;
    const char *text;
} words[] = {{3, "left"}, {1, "right"}, {2, "up"}, {1, "down"}};
static int row0[] = {1, 5, 2}, row1[] = {4, 0, 4}, row2[] = {3, 3, 1};
static int *const matrix[] = {row0, row1, row2};

static int length_of(const char *text) {
    int length = 0;
    while (D(*text++))
        length++;
    return length;
}

int two(byte i, byte j) {
    return length_of(i & 1 ? first : second) + j;
}

int three(byte i, byte j) {
    const char *text = D(i < 10) ? first : D(j < 20) ? second : third;
    return length_of(text);
}

int literals(byte i, byte j) {
    const char *text = i % 3 == 0 ? "x" : i % 3 == 1 ? "yyy" : "zzzzz";
    return length_of(text) + j;
}

int length(byte i, byte j) {
    int sum = 0;
    for (size_t k = strlen(names[i % 6]); D(k > 0); k--)
        sum += j;
    return sum;
}

static int search(const struct word *word, byte j) {
    int found = 0;
    for (const char *at = word->text; D(*at); at++)
        if (D(*at == j))
            found += word->weight;
    return found;
}

int structs(byte i, byte j) {
    return search(&words[i & 3], j);
}

int rows(byte i, byte j) {
    int sum = 0;
    for (int k = 0; D(k < matrix[i % 3][j % 3]); k++)
        sum++;
    return sum;
}

int fields(byte i, byte j) {
    struct {
        int *row;
        int count;
    } both[2] = {{row0, 2}, {row1, 3}};
    int sum = 0;
    for (int k = 0; D(k < both[i & 1].count); k++)
        if (D(both[i & 1].row[k] == (j & 3)))
            sum++;
    return sum;
}

struct node {
    const struct node *next;
    int value;
};
static const struct node last = {0, 1}, middle = {&last, 2}, head = {&middle, 3};
static const struct node *const starts[] = {&head, &middle, &last, 0};

int chain(byte i, byte j) {
    int sum = 0;
    for (const struct node *at = starts[i & 3]; D(at != 0); at = at->next)
        if (D(at->value == (j & 1) + 1))
            sum++;
    return sum;
}

int difference(byte i, byte j) {
    const char *at = names[1] + i % 6, *end = strchr(names[1], 0);
    if (D(end - at > j))
        return 1;
    if (D(at == end))
        return 2;
    if (D(*at == 'w'))
        return 3;
    return 4;
}

int both(byte i, byte j) {
    const char *a = i & 1 ? first : second, *b = j & 1 ? first : second;
    int sum = 0;
    while (D(*a) && D(*a == *b)) {
        sum++;
        a++;
        b++;
    }
    return sum;
}

#ifdef ENUMERATE
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(byte i, byte j);
    } all[] = {{"two", two},           {"three", three},
               {"literals", literals}, {"length", length},
               {"structs", structs},   {"rows", rows},
               {"fields", fields},     {"chain", chain},
               {"both", both},         {"difference", difference}};
    for (size_t f = 0; argc > 1 && f < sizeof all / sizeof *all; f++)
        for (int code = 0; code < 65536 && strcmp(all[f].name, argv[1]) == 0; code++) {
            all[f].run((byte)(code >> 8), (byte)code);
            keep_trail();
        }
    print_count();
}
#endif
