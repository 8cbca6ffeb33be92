/* SPDX-License-Identifier: Apache-2.0
 *
 * The same input costs the same: in one process after other inputs, in a fresh process, on a
 * second call, pinned to either core, and while the machine is busy. The target mixes what could
 * spoil that: a static counter, addresses as hash keys, heap blocks of many sizes, rand().
 *
 * RUN: for i in 1 2 3 4 5 6 7 8; do head -c $((i * 977)) %s >in-$i || :; done
 * RUN: costs() { "$@" --json - 2>/dev/null | grep -E '^ {6}.*"(file|status|instructions|weighted|calls|memory|allocated|allocations)"'; }
 * RUN: costs %slowpath measure %s in-1 in-2 in-3 in-4 in-5 in-6 in-7 in-8 >persistent
 * RUN: grep -c '"ok"' persistent | grep -qx 8
 * RUN: costs %slowpath measure %s in-1 in-2 in-3 in-4 in-5 in-6 in-7 in-8 >again; cmp persistent again
 * RUN: costs %slowpath measure %s --fresh in-1 in-2 in-3 in-4 in-5 in-6 in-7 in-8 >fresh; cmp persistent fresh
 * RUN: costs %slowpath measure %s --repeat 50 in-1 in-2 in-3 in-4 in-5 in-6 in-7 in-8 >repeated; cmp persistent repeated
 * RUN: for i in 1 2 3 4 5 6 7 8; do costs %slowpath measure %s in-$i; done >single; cmp persistent single
 *
 * Pinned to the first and to the last core that this process may use.
 * RUN: cores=$(taskset -pc $$ | sed 's/.*: //'); first=${cores%%[,-]*}; last=${cores##*[,-]}
 * RUN: costs taskset -c $first %slowpath measure %s in-1 in-2 in-3 in-4 in-5 in-6 in-7 in-8 >pinned; cmp persistent pinned
 * RUN: costs taskset -c $last %slowpath measure %s in-1 in-2 in-3 in-4 in-5 in-6 in-7 in-8 >pinned; cmp persistent pinned
 *
 * Under load: two busy loops, ended by their own time limit.
 * RUN: timeout 5 sh -c 'while :; do :; done' & one=$!; timeout 5 sh -c 'while :; do :; done' & two=$!
 * RUN: costs %slowpath measure %s --repeat 20 in-1 in-2 in-3 in-4 in-5 in-6 in-7 in-8 >busy; cmp persistent busy
 * RUN: kill $one $two 2>/dev/null || :
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    unsigned char byte;
};

static struct node *buckets[64];
static unsigned seen;

static void insert(unsigned char byte) {
    struct node *node = malloc(sizeof *node + byte % 50);
    node->byte = byte;
    size_t place = ((uintptr_t)node / 16 + (unsigned)rand()) % 64;
    node->next = buckets[place];
    buckets[place] = node;
    seen++;
}

static unsigned longest(void) {
    unsigned most = 0;
    for (size_t i = 0; i < 64; i++) {
        unsigned length = 0;
        for (struct node *node = buckets[i]; node; node = node->next)
            length++;
        most = length > most ? length : most;
    }
    return most;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        insert(data[i]);
    return seen % 2 ? (int)longest() : (int)seen;
}
