/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking things up: in a sorted array, a search tree, a hash table, a sorted list.
 */
#include <stdint.h>

int binary_search(int x) {
    static const int table[31] = {1,  2,  4,  7,  9,  11, 15, 16, 18, 22, 25, 27, 30, 33, 36, 40,
                                  41, 45, 49, 52, 55, 58, 60, 66, 69, 70, 75, 77, 81, 90, 99};
    int low = 0, high = 31;
    while (low < high) {
        int middle = (low + high) / 2;
        if (table[middle] == x)
            return middle;
        if (table[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

struct node {
    int key, left, right;
};

int tree(const int *keys, int n) {
    struct node nodes[64];
    int count = 0, steps = 0;
    for (int i = 0; i < n && i < 64; i++) {
        int at = 0, *link = 0;
        while (at < count && (!link || *link >= 0)) {
            at = link ? *link : 0;
            link = keys[i] < nodes[at].key ? &nodes[at].left : &nodes[at].right;
            steps++;
        }
        if (link)
            *link = count;
        nodes[count++] = (struct node){keys[i], -1, -1};
    }
    return steps;
}

/* Open addressing in 16 places; a key that is there already is not stored again. */
int table(const uint8_t *keys, int n) {
    uint8_t slots[16] = {0};
    int steps = 0;
    for (int i = 0; i < n && i < 15; i++) {
        unsigned at = keys[i] * 7u % 16;
        while (slots[at] && slots[at] != keys[i]) {
            at = (at + 1) % 16;
            steps++;
        }
        slots[at] = keys[i];
    }
    return steps;
}

/* A sorted list without doubles. */
int list(const int *keys, int n) {
    int next[65], value[65], count = 1, steps = 0;
    next[0] = -1;
    for (int i = 0; i < n && i < 64; i++) {
        int at = 0;
        while (next[at] >= 0 && value[next[at]] < keys[i]) {
            at = next[at];
            steps++;
        }
        if (next[at] >= 0 && value[next[at]] == keys[i])
            continue;
        value[count] = keys[i];
        next[count] = next[at];
        next[at] = count++;
    }
    return steps;
}
