/* SPDX-License-Identifier: Apache-2.0
 * Sets that are joined, as trees in an array. ENTRY: join(e[n], n) */
static unsigned char parent[8], rank_[8];

static unsigned find(unsigned x) {
    while (parent[x] != x) {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
    return x;
}

int join(const unsigned char *e, int n) {
    int parts = 8;
    for (unsigned i = 0; i < 8; i++) {
        parent[i] = (unsigned char)i;
        rank_[i] = 0;
    }
    for (int i = 0; i + 1 < n; i += 2) {
        unsigned a = find(e[i] & 7), b = find(e[i + 1] & 7);
        if (a == b)
            continue;
        if (rank_[a] < rank_[b]) {
            unsigned t = a;
            a = b;
            b = t;
        }
        parent[b] = (unsigned char)a;
        if (rank_[a] == rank_[b])
            rank_[a]++;
        parts--;
    }
    return parts;
}
