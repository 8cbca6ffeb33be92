/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a formula of a well-known family as a template: number of variables, clauses and literals
 * of each clause stay, every literal is a hole whose default is the original one. With `plain` it
 * writes the formula itself.
 *
 *   formulas FAMILY SIZE [plain]
 *
 *   random N     uniform 3-SAT, N variables, 4.26 clauses for each, seed 1
 *   pigeons N    N + 1 pigeons, N holes
 *   colours N    3 colours for a graph of N nodes and 2.3 N edges that has a colouring (flat)
 *   parity N     chains of exclusive ors over N variables, with one contradiction
 *   squares N    Latin squares of order N with some places given
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 200000

static int literals[MOST], count, clauses, variables, plain;
static uint64_t state = 1;

static unsigned draw(unsigned below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static void put(int literal) {
    if (count == MOST)
        exit(1);
    literals[count++] = literal;
    clauses += literal == 0;
    if (abs(literal) > variables)
        variables = abs(literal);
}

static void put_pair(int a, int b) {
    put(a);
    put(b);
    put(0);
}

static void make_random(int size) {
    for (int i = 0; i < size * 426 / 100; i++) {
        int chosen[3];
        for (int k = 0; k < 3; k++) {
            do
                chosen[k] = (int)draw((unsigned)size) + 1;
            while ((k > 0 && chosen[k] == chosen[0]) || (k > 1 && chosen[k] == chosen[1]));
            put(draw(2) ? chosen[k] : -chosen[k]);
        }
        put(0);
    }
}

static void make_pigeons(int holes) {
    for (int pigeon = 0; pigeon <= holes; pigeon++) {
        for (int hole = 0; hole < holes; hole++)
            put(pigeon * holes + hole + 1);
        put(0);
    }
    for (int hole = 0; hole < holes; hole++)
        for (int a = 0; a <= holes; a++)
            for (int b = 0; b < a; b++)
                put_pair(-(a * holes + hole + 1), -(b * holes + hole + 1));
}

static void make_colours(int nodes) {
    int *hidden = calloc((size_t)nodes, sizeof *hidden);
    for (int i = 0; i < nodes; i++) {
        hidden[i] = (int)draw(3);
        for (int colour = 1; colour <= 3; colour++)
            put(i * 3 + colour);
        put(0);
        for (int a = 1; a <= 3; a++)
            for (int b = 1; b < a; b++)
                put_pair(-(i * 3 + a), -(i * 3 + b));
    }
    for (int edges = 0; edges < nodes * 23 / 10;) {
        int a = (int)draw((unsigned)nodes), b = (int)draw((unsigned)nodes);
        if (hidden[a] == hidden[b])
            continue;
        for (int colour = 1; colour <= 3; colour++)
            put_pair(-(a * 3 + colour), -(b * 3 + colour));
        edges++;
    }
    free(hidden);
}

/* a ^ b ^ c == odd */
static void put_parity(int a, int b, int c, int odd) {
    for (int signs = 0; signs < 8; signs++) {
        if (__builtin_parity((unsigned)signs) == odd)
            continue;
        put(signs & 1 ? -a : a);
        put(signs & 2 ? -b : b);
        put(signs & 4 ? -c : c);
        put(0);
    }
}

static void make_parity(int size) {
    int *order = calloc((size_t)size, sizeof *order), odd = 0;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < size; i++) {
            int k = (int)draw((unsigned)i + 1);
            order[i] = order[k];
            order[k] = i + 1;
        }
        for (int i = 0; i + 2 < size; i += 3) {
            int bit = (int)draw(2);
            odd ^= bit;
            put_parity(order[i], order[i + 1], order[i + 2],
                       i + 5 >= size && round ? bit ^ odd ^ 1 : bit);
        }
    }
    free(order);
}

static void make_squares(int order) {
    for (int row = 0; row < order; row++)
        for (int column = 0; column < order; column++) {
            int cell = (row * order + column) * order;
            for (int value = 1; value <= order; value++)
                put(cell + value);
            put(0);
            for (int value = 1; value <= order; value++) {
                for (int other = column + 1; other < order; other++)
                    put_pair(-(cell + value), -((row * order + other) * order + value));
                for (int other = row + 1; other < order; other++)
                    put_pair(-(cell + value), -((other * order + column) * order + value));
            }
            if (draw(100) < 15) {
                put(cell + (row + column) % order + 1);
                put(0);
            }
        }
}

static void print_literal(int literal) {
    if (plain)
        printf("%d ", literal);
    else
        printf("{{%s}}{{1..%d=%d}} ", literal < 0 ? "-|" : "|-", variables, abs(literal));
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*make)(int size);
    } families[] = {{"random", make_random},
                    {"pigeons", make_pigeons},
                    {"colours", make_colours},
                    {"parity", make_parity},
                    {"squares", make_squares}};
    plain = argc > 3;
    for (size_t i = 0; argc > 2 && i < sizeof families / sizeof *families; i++)
        if (strcmp(argv[1], families[i].name) == 0)
            families[i].make(atoi(argv[2]));
    if (!count)
        return 2;
    printf("p cnf %d %d\n", variables, clauses);
    for (int i = 0; i < count; i++)
        if (literals[i])
            print_literal(literals[i]);
        else
            puts("0");
    return 0;
}
