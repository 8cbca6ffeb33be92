/* SPDX-License-Identifier: Apache-2.0
 *
 * Nothing is behind an array of an entry: who reads on crashes, in both builds and in every strategy,
 * instead of costing what nobody meant. Of two arrays the second is not behind the first.
 *
 * RUN: for strategy in exhaustive auto random; do \
 * RUN:   %slowpath run %s --entry 'sum(a[n], m)' --size n=4 --strategy $strategy --runs 2000 --range m=-5..5000 --jobs 1 --quiet --out s --force >out; \
 * RUN:   grep -q 'faults/0001.input  crash: Segmentation fault in sum' out || { cat out; exit 1; }; \
 * RUN:   awk '/^tests/ { if ($2 > 60) exit 1; n++ } END { exit !n }' out || { cat out; exit 1; }; done
 * RUN: %slowpath run %s --entry 'both(a[n], b[n], m)' --size n=4 --range m=0..9 --strategy exhaustive --jobs 1 --quiet --out s --force >out
 * RUN: grep -q ' 3 different paths' out && grep -q ' 1 crashes by a signal' out || { cat out; exit 1; }
 * RUN: %slowpath run %s --entry 'sum(a[n], m)' --size n=4 --assume 'm <= n' --strategy exhaustive --jobs 1 --quiet --out s --force >out
 * RUN: grep -q '^complete' out && ! grep faults out || { cat out; exit 1; }
 *
 * Bytes are followed by a zero, whatever their number.
 * RUN: %slowpath run %s --entry 'length(s[n])' --size n=16 --strategy exhaustive --jobs 1 --quiet --out s --force >out
 * RUN: grep -q ' 17 different paths' out && ! grep -q faults out || { cat out; exit 1; }
 *
 * Arrays without an element, and more of them than have such a place.
 * RUN: %slowpath run %s --entry 'many(a[1], b[1], c[1], d[1], e[1], f[1], g[1], h[1], i[1], j[1], k[1], l[1], m[1], o[1], p[1], q[1], r[1], s[1], z[0])' --strategy exhaustive --jobs 1 --quiet --out s --force >out
 * RUN: grep -q '^complete' out || { cat out; exit 1; }
 */
int sum(const int *a, int m) {
    int sum = 0;
    for (int i = 0; i < m; i++)
        if (a[i] > 3)
            sum += a[i];
    return sum;
}

int length(const char *s) {
    int length = 0;
    while (s[length])
        length++;
    return length;
}

int both(const char *a, const char *b, int m) {
    int sum = 0;
    for (int i = 0; i < m; i++)
        sum += a[i * 16] + b[i];
    return sum;
}

int many(char *a, char *b, char *c, char *d, char *e, char *f, char *g, char *h, char *i, char *j,
         char *k, char *l, char *m, char *o, char *p, char *q, char *r, char *s, char *z) {
    char *all[] = {a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s};
    int sum = 0;
    for (unsigned at = 0; at < sizeof all / sizeof *all; at++) {
        sum += *all[at];
        *all[at] = (char)at;
    }
    return sum > 700 && z != a;
}
