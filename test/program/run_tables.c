/* SPDX-License-Identifier: Apache-2.0
 *
 * What is loaded from a constant table through a symbolic index is known for every index: also
 * when the load begins between two elements, is wider than they are, or is a field of a struct.
 *
 * RUN: paths() { sed -n 's/^ *"paths": \([0-9]*\),/\1/p' "$1"; }
 * RUN: %cc -DENUMERATE %s -o count
 * RUN: for f in two_bytes four_bytes eight_bytes crossing odd_size aligned packed below twice; do \
 * RUN:   %slowpath run %s --entry "$f(i, j)" --strategy exhaustive --jobs 1 --out s --force --quiet >out; \
 * RUN:   [ "$(paths s/suite.json)" = "$(./count $f)" ] || { echo "$f: not $(./count $f)"; cat out; exit 1; }; \
 * RUN:   grep -q '"complete": true' s/suite.json || { echo "$f"; cat out; exit 1; }; \
 * RUN:   grep -q '"mismatches": 0,' s/suite.json; grep -q '"crashes": 0,' s/suite.json; done
 */
#include "trail.h"
#include <string.h>

typedef unsigned char byte;

static const byte table[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const unsigned short pairs[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const char text[] = "a lazy dog";

static unsigned short load2(const void *at) {
    unsigned short value;
    memcpy(&value, at, sizeof value);
    return value;
}

static unsigned load4(const void *at) {
    unsigned value;
    memcpy(&value, at, sizeof value);
    return value;
}

static unsigned long long load8(const void *at) {
    unsigned long long value;
    memcpy(&value, at, sizeof value);
    return value;
}

static int spend(int turns) {
    int sum = 0;
    for (volatile int k = 0; k < turns; k++)
        sum++;
    return sum;
}

int two_bytes(byte i, byte j) {
    unsigned short value = load2(table + (i & 7));
    if (D(value == 0x0403))
        return spend(40);
    if (D(value == 0x0504))
        return spend(3) + j;
    return 0;
}

int four_bytes(byte i, byte j) {
    unsigned value = load4(table + i % 13);
    if (D(value == 0x0f0e0d0c))
        return 1;
    if (D((value & 0xff) == (j & 15)))
        return 2;
    return 3;
}

int eight_bytes(byte i, byte j) {
    unsigned long long value = load8(table + i % 9);
    if (D(value >> 56 == 11))
        return 1;
    if (D((value & 0xff) > j))
        return 2;
    return 3;
}

int crossing(byte i, byte j) {
    unsigned value = load4((const byte *)pairs + i % 13);
    if (D(value == 0x00040003))
        return 1;
    if (D(value == 0x04000300))
        return 2;
    if (D(value < j))
        return 3;
    return 4;
}

int odd_size(byte i, byte j) {
    unsigned short value = load2(text + i % 10);
    if (D(value == ('g' | 0 << 8)))
        return 1;
    if (D((value & 0xff) == ' '))
        if (D((value >> 8) == (j | 'a')))
            return 2;
    return 0;
}

int aligned(byte i, byte j) {
    if (D(pairs[i & 7] == 5))
        return 1;
    if (D(pairs[i & 7] < pairs[j & 7]))
        return 2;
    return 3;
}

int packed(byte i, byte j) {
    static const struct __attribute__((packed)) {
        byte key;
        unsigned value;
    } rows[3] = {{1, 100}, {2, 200}, {3, 300}};
    if (D(rows[i % 3].value > 150))
        if (D(rows[i % 3].key == j))
            return 2;
    return 0;
}

int below(byte i, byte j) {
    const byte *end = table + 16;
    if (D(end[-1 - (i & 15)] == 3))
        return 1;
    if (D(load2(end - 2 - (i & 7)) == 0x0c0b))
        return 2;
    return j;
}

int twice(byte i, byte j) {
    static const byte next[4] = {2, 3, 1, 0};
    if (D(table[next[i & 3] + (j & 7)] == 9))
        return 1;
    if (D(next[next[next[j & 3]]] == 1))
        return 2;
    return 3;
}

#ifdef ENUMERATE
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(byte i, byte j);
    } all[] = {{"two_bytes", two_bytes}, {"four_bytes", four_bytes}, {"eight_bytes", eight_bytes},
               {"crossing", crossing},   {"odd_size", odd_size},     {"aligned", aligned},
               {"packed", packed},       {"below", below},           {"twice", twice}};
    for (size_t f = 0; argc > 1 && f < sizeof all / sizeof *all; f++)
        for (int code = 0; code < 65536 && strcmp(all[f].name, argv[1]) == 0; code++) {
            all[f].run((byte)(code >> 8), (byte)code);
            keep_trail();
        }
    print_count();
}
#endif
