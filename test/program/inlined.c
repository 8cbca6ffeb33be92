/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that are to be inlined whatever their size, in 216 places. With shadows in them that
 * kept the optimiser busy for minutes; now the symbolic build takes a few seconds.
 *
 * RUN: timeout 30 %slowpath run %s --entry 'work(s[2])' --strategy exhaustive --time 5 --jobs 1 --quiet --out suite | grep -q '^complete'
 */
#define INLINE static inline __attribute__((always_inline))

INLINE int step(const unsigned char *s, int i, int *sum) {
    int old = *sum;
    for (int k = 0; k < 2; k++) {
        if (s[k] == i)
            *sum += s[1 - k] ^ old;
        else if (*sum < i * 3)
            *sum -= k;
        old += *sum >> 1;
    }
    return old;
}

INLINE int six(const unsigned char *s, int i, int *sum) {
    return step(s, i, sum) + step(s, i + 1, sum) + step(s, i + 2, sum) + step(s, i + 3, sum) +
           step(s, i + 4, sum) + step(s, i + 5, sum);
}

INLINE int more(const unsigned char *s, int i, int *sum) {
    return six(s, i, sum) + six(s, i + 1, sum) + six(s, i + 2, sum) + six(s, i + 3, sum) +
           six(s, i + 4, sum) + six(s, i + 5, sum);
}

int work(const unsigned char *s) {
    int sum = 0;
    if (s[0] != 'x')
        return 0;
    return more(s, 10, &sum) + more(s, 11, &sum) + more(s, 12, &sum) + more(s, 13, &sum) +
           more(s, 14, &sum) + more(s, 15, &sum);
}
