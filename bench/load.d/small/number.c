/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers and graphs: values decide how often a loop goes round.
 */
#include <stdint.h>

int dijkstra(const unsigned char *weight, int n) {
    unsigned distance[8], steps = 0;
    int done[8] = {0};
    if (n > 8)
        return 0;
    for (int i = 0; i < n; i++)
        distance[i] = i ? 100000u : 0;
    for (int round = 0; round < n; round++) {
        int nearest = -1;
        for (int i = 0; i < n; i++)
            if (!done[i] && (nearest < 0 || distance[i] < distance[nearest]))
                nearest = i;
        done[nearest] = 1;
        for (int i = 0; i < n; i++)
            if (!done[i] && distance[nearest] + weight[nearest * n + i] < distance[i]) {
                distance[i] = distance[nearest] + weight[nearest * n + i];
                steps++;
            }
    }
    return (int)steps;
}

/* Euclid by subtraction. */
int divisor(unsigned char a, unsigned char b) {
    int steps = 0;
    if (!a || !b || a > 40 || b > 40)
        return 0;
    while (a != b) {
        if (a > b)
            a -= b;
        else
            b -= a;
        steps++;
    }
    return steps;
}

/* 3x + 1, for small x. */
int collatz(unsigned char x) {
    int steps = 0;
    unsigned value = x;
    if (!x || x > 30)
        return 0;
    while (value != 1) {
        value = value & 1 ? 3 * value + 1 : value / 2;
        steps++;
    }
    return steps;
}

int bits(uint8_t x) {
    int count = 0;
    while (x) {
        if (x & 1)
            count++;
        x >>= 1;
    }
    return count;
}

/* Does a subset of the weights fill the sack exactly? */
static int fill(const unsigned char *weight, int n, int room) {
    if (room == 0)
        return 1;
    if (room < 0 || n == 0)
        return 0;
    return fill(weight + 1, n - 1, room - weight[0]) || fill(weight + 1, n - 1, room);
}

int sack(const unsigned char *weight, int n) {
    return fill(weight, n, 50);
}
