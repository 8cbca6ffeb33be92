/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames with large arrays of which a run sets one end only: what it finds at the other, however far
 * below, is not what an earlier run has left there, neither in a function nor in a program.
 *
 * RUN: printf s >set && printf n >read && printf d >deep
 * RUN: costs() { awk '/^read/ { print $3 }' out | sort -u | tee -a all; }
 * RUN: %slowpath measure %s --entry 'look(data[n], n)' read >out && costs
 * RUN: %slowpath measure %s --entry 'look(data[n], n)' set read deep read set read >out && costs
 * RUN: test "$(sort -u all | grep -c .)" = 1 && rm all
 * RUN: %slowpath measure %s read >out && costs
 * RUN: %slowpath measure %s set read deep read set read >out && costs
 * RUN: test "$(sort -u all | grep -c .)" = 1
 */
#include <stddef.h>
#include <stdio.h>

#define FAR 100000

static volatile int found;

__attribute__((noinline)) static void spread(int kind, int depth) {
    char large[FAR]; /* its first byte lies lowest */
    char *volatile at = large;
    if (kind == 's')
        at[0] = 1;
    else if (at[0])
        for (int i = 0; i < 1000; i++)
            found++;
    if (kind == 'd' && depth)
        spread('s', 0);
    at[FAR - 1] = 1;
}

int look(const unsigned char *data, size_t n) {
    if (n)
        spread(data[0], 1);
    return found;
}

int main(void) {
    unsigned char kind = (unsigned char)getchar();
    return look(&kind, 1) > 0;
}
