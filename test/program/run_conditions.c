/* SPDX-License-Identifier: Apache-2.0
 *
 * What a suite says of its tests is true. The condition of each, as C, holds on its own input and on
 * no other test's, and what it is said to allocate is what it allocated (helpers/evaluate.c). Here
 * for members of structs, characters, switches, tables, 64 bits and sizes, and for other programs.
 *
 * RUN: here=$(dirname %s); clang=$LLVM_BINDIR/clang
 * RUN: $clang -O1 $here/helpers/evaluate.c -ljansson -o evaluate
 * RUN: evaluate() { ./evaluate s $here/$source "$@" >check.c; $clang -w -fwrapv -fno-strict-aliasing \
 * RUN:   -fsanitize=shift-exponent,integer-divide-by-zero,array-bounds -fsanitize-trap=all \
 * RUN:   -I$here/../../include check.c -o check; ./check >>told || { cat told; exit 1; }; }
 * RUN: search() { source=$1 entry=$2; shift 2; %slowpath run $here/$source ${entry:+--entry "$entry"} --strategy exhaustive \
 * RUN:   --jobs 1 --tests 100 --out s --force --quiet "$@" >out; }
 *
 * RUN: search run_conditions.c 'inspect(items[1])'; evaluate 'struct item items[1]'
 * RUN: grep -q 'items\[0\].halves\[1\] > 7"' s/suite.json
 * RUN: search run_conditions.c 'classify(s[3], k)'; evaluate 'unsigned char s[3]' 'int k'
 * RUN: grep -q 'table0\[s\[0\] % 10\] + table0\[s\[1\] & 7\] > 900' s/suite.json
 * RUN: search run_conditions.c 'blend(a, b, c, d)'; evaluate 'long a' 'unsigned long b' 'unsigned c' 'short d'
 * RUN: search run_conditions.c 'corner(grid[2])'; evaluate 'short grid[2][3]'
 * RUN: grep -q '"grid\[1\]\[2\] >= 6 && \*(int32_t \*)&grid\[0\]\[1\] == 9"' s/suite.json
 * RUN: search run_conditions.c 'blocks(rows, columns, kind)'; evaluate 'int rows' 'unsigned columns' 'unsigned char kind'
 * RUN: grep -q '"allocated": "23 + rows\*columns + 6\*rows + columns + kind"' s/suite.json
 *
 * RUN: search run_sort.c 'isort(arr[n], n)' --size n=4; evaluate 'int arr[4]'
 * RUN: search run_find.c 'find(a[n], n, key)' --size n=5; evaluate 'int a[5]' 'int key'
 * RUN: search run_machine.c 'machine(s[n], n)' --size n=3; evaluate 'unsigned char s[3]'
 * RUN: search run_dijkstra.c 'dijkstra(w[n*n], n)' --size n=3; evaluate 'unsigned char w[9]'
 * RUN: search run_words.c 'tok(text[n], n)' --size n=3; evaluate 'char text[3]'
 * RUN: search run_values.c 'grow(icap, k)'; evaluate 'unsigned char icap' 'unsigned char k'
 * RUN: search run_values.c 'place(i, v)'; evaluate 'unsigned char i' 'unsigned char v'
 * RUN: search run_parser.c '' --size 4; evaluate
 * RUN: cat told
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct item {
    short kind;
    unsigned char flags;
    char letter;
    unsigned weight;
    long long total;
    unsigned low : 3, high : 9;
    union {
        int number;
        unsigned short halves[2];
    };
};

int inspect(struct item *items) {
    int r = 0;
    for (int i = 0; i < 1; i++) {
        if (items[i].kind < -3)
            r++;
        if (items[i].flags & 4)
            r += 2;
        if (items[i].letter > 'a')
            r++;
        if (items[i].weight > 3000000000u)
            r++;
        if (items[i].total * 3 + items[i].weight == 1000)
            r++;
        if (items[i].low == 5 && items[i].high > 300)
            r++;
        if (items[i].halves[1] > 7)
            r++;
    }
    return r;
}

static const unsigned short prices[10] = {5, 300, 2, 9, 9, 1, 700, 8, 3, 4};

int classify(const unsigned char *s, int k) {
    int r = 0;
    if (k >= 0 && k < 10 && prices[k] + s[0] > 250)
        r++;
    switch (s[1]) {
    case 'a':
    case 'b':
        r++;
        break;
    case 0xe4:
        r += 2;
        break;
    default:
        break;
    }
    if (prices[s[0] % 10] + prices[s[1] & 7] > 900)
        r += 3;
    if (isalpha(s[2]))
        r++;
    if (s[0] && s[2] / s[0] == 3)
        r++;
    if ((unsigned char)(s[2] + s[1]) < 20)
        r++;
    return r;
}

int blend(long a, unsigned long b, unsigned c, short d) {
    int r = 0;
    if (a * 3 + d > 1000000000000)
        r++;
    if ((b >> 7) + c == 12345678901)
        r++;
    if (d / 7 == -2)
        r++;
    if ((unsigned)d > c)
        r++;
    if ((short)(d * 5) < d)
        r++;
    if (((c << 3 | c >> 29) & 0xff00) == 0x4200)
        r++;
    return r;
}

/* Rows of rows, and an int that lies across two shorts. */
int corner(short (*grid)[3]) {
    int middle;
    memcpy(&middle, &grid[0][1], sizeof middle);
    if (grid[1][2] <= 5)
        return 0;
    if (middle == 9)
        return 1;
    return 2;
}

int blocks(int rows, unsigned columns, unsigned char kind) {
    if (rows < 1 || rows > 3 || columns > 2 || kind > 3)
        return 0;
    void *parts[] = {malloc(rows * sizeof(int) + 16), malloc((size_t)rows * columns),
                     malloc(columns + 2 * rows), malloc(7), malloc(kind)};
    if (kind > 1)
        return 1;
    return parts[0] != 0;
}
