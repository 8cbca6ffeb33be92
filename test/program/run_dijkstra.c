/* SPDX-License-Identifier: Apache-2.0
 *
 * Dijkstra's algorithm on a full graph. The independent count chooses a weight from a small domain
 * whenever one is read for the first time, in all ways, and counts different sequences of decisions;
 * for 5 nodes 2,592 is the published count of this algorithm in C. With every fast stage of the
 * solver switched off the paths are the same.
 *
 * RUN: number() { sed -n 's/^ *"'$1'": \([0-9]*\),*$/\1/p' s/suite.json | head -n 1; }
 * RUN: explore() { n=$1; shift; %slowpath run %s --entry 'dijkstra(w[n*n], n)' --size n=$n --strategy exhaustive --jobs 1 --out s --quiet "$@" >out; }
 * RUN: %cc -O2 -DENUMERATE %s -o count
 * RUN: for n in 3 4; do explore $n; [ "$(number paths)" = "$(./count $n)" ]; [ "$(number mismatches)" = 0 ]; \
 * RUN:   grep -q '"complete": true' s/suite.json; done
 * RUN: explore 5; [ "$(number paths)" = 2592 ]; grep -q '"complete": true' s/suite.json
 * RUN: [ $(($(number smt) * 20)) -lt 2592 ]
 * RUN: %slowpath run %s --entry 'dijkstra(w[n*n], n)' --size n=4 --strategy exhaustive --jobs 1 --out slow --quiet --no-stage sums --no-stage repair --no-stage cycle >out
 * RUN: grep -q '"paths": 56,' slow/suite.json; grep -q '"complete": true' slow/suite.json
 */
#define FAR 1000000
#define MOST 8

#ifdef ENUMERATE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES 13
#define SLOTS (1u << 16)

static int chosen[MOST * MOST], digits[32], used, place_of[MOST * MOST];
static unsigned long trail, seen[SLOTS];
static int different;

static int weight_of(int index) {
    if (!chosen[index]) {
        chosen[index] = 1;
        place_of[index] = used++;
    }
    return digits[place_of[index]];
}
#define W(index) weight_of(index)

static int note(int outcome) {
    trail = trail * 2 + (unsigned long)outcome;
    return outcome;
}
#define D(condition) note((condition) != 0)
#else
#define W(index) w[index]
#define D(condition) (condition)
#endif

int dijkstra(const unsigned char *w, int n) {
    int distance[MOST], done[MOST];
    (void)w;
    for (int i = 0; i < n; i++) {
        distance[i] = FAR;
        done[i] = 0;
    }
    distance[0] = 0;
    for (int k = 0; k < n; k++) {
        int u = -1;
        for (int i = 0; i < n; i++)
            if (!done[i] && (u < 0 || D(distance[i] < distance[u])))
                u = i;
        done[u] = 1;
        for (int v = 0; v < n; v++)
            if (!done[v] && D(distance[u] + W(u * n + v) < distance[v]))
                distance[v] = distance[u] + W(u * n + v);
    }
    return distance[n - 1];
}

#ifdef ENUMERATE
static void keep_trail(void) {
    unsigned at = (unsigned)(trail * 0x9e3779b97f4a7c15u >> 48);
    while (seen[at] && seen[at] != trail)
        at = (at + 1) % SLOTS;
    different += !seen[at];
    seen[at] = trail;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3, reads = n * (n - 1) / 2, carry;
    do {
        used = 0;
        memset(chosen, 0, sizeof chosen);
        trail = 1;
        dijkstra(NULL, n);
        keep_trail();
        for (carry = 0; carry < reads && ++digits[carry] == VALUES; carry++)
            digits[carry] = 0;
    } while (carry < reads);
    printf("%d\n", different);
    return 0;
}
#endif
