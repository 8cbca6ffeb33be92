/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector has no shadow: what is loaded into one is fixed, wherever in it the symbolic bytes lie.
 * The 64 bytes below take four or five granules of shadow memory, and only one in the middle is
 * symbolic: 256 values, tried one by one, and two paths.
 *
 * RUN: number() { sed -n "s/^ *\"$1\": \([0-9]*\),/\1/p" s/suite.json | head -n 1; }
 * RUN: %slowpath run %s --entry 'middle(x)' --strategy exhaustive --jobs 1 --out s --quiet >out
 * RUN: grep -q '"complete": true' s/suite.json; [ "$(number runs)" = 256 ]; [ "$(number paths)" = 2 ]
 */
typedef unsigned char bytes __attribute__((vector_size(64), aligned(1)));

static unsigned char memory[80];

int middle(unsigned char x) {
    int sum = 0;
    memory[40] = x;
    *(bytes *)memory += *(const bytes *)memory;
    for (int i = 0; i < 64; i++)
        sum += memory[i];
    if (sum > 9)
        return 1;
    return 0;
}
