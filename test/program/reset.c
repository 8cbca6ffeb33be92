/* SPDX-License-Identifier: Apache-2.0
 *
 * Between runs in one process everything goes back to what it was: variables of every kind, on
 * every page, thread-local ones, the heap with all that was leaked, random numbers. The target
 * calls trap() if it sees anything of an earlier run.
 *
 * RUN: for i in 1 2 3 4 5 6 7 8 9; do printf "%$i""s" >in-$i; done
 * RUN: %slowpath measure %s in-1 in-2 in-3 in-4 in-5 in-6 in-7 in-8 in-9 --repeat 50 --json json | %check
 * CHECK: in-1 ok
 * CHECK-NEXT: in-2 ok
 * CHECK-NEXT: in-3 ok
 * CHECK-NEXT: in-4 ok
 * CHECK-NEXT: in-5 ok
 * CHECK-NEXT: in-6 ok
 * CHECK-NEXT: in-7 ok
 * CHECK-NEXT: in-8 ok
 * CHECK-NEXT: in-9 ok
 * RUN: grep '"restarts": 0' json; grep '"deterministic": true' json
 *
 * A leak of 1 MiB in each of 5000 runs stays within a limit of 64 MiB.
 * RUN: %slowpath measure %s --entry 'leak(x)' --limit-memory 64 --repeat 5000 in-4 --json json | %check --check-prefix=LEAK
 * LEAK: in-4 ok {{.*}} 1,048,576 1,048,576
 * RUN: grep '"restarts": 0' json
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int first_in_data = 7;
static struct {
    int before;
    char pages[40000];
    int after;
} in_data = {.before = 3, .pages = {1}, .after = 5};
static char large_data[400000] = {1};
static char large_zero[3000000];
static _Thread_local int per_thread = 11;
static int zero;
int global = 13;
static int *pointer = &global;
static char *kept;
static int last_random;

static void check(int condition) {
    if (!condition)
        __builtin_trap();
}

static void expect_fresh(void) {
    check(first_in_data == 7 && in_data.before == 3 && in_data.after == 5 && in_data.pages[0] == 1);
    check(!in_data.pages[20000] && large_data[0] == 1 && !large_data[200000]);
    check(!large_data[399999] && !large_zero[0] && !large_zero[1500000] && !large_zero[2999999]);
    check(per_thread == 11 && !zero && global == 13 && pointer == &global && !kept);
}

static void spoil(size_t size) {
    first_in_data = in_data.before = in_data.after = zero = global = (int)size;
    memset(in_data.pages, 2, sizeof in_data.pages);
    memset(large_data, 3, sizeof large_data);
    memset(large_zero, 4, sizeof large_zero);
    per_thread = 0;
    pointer = NULL;
}

static void check_heap(size_t size) {
    static char *first; /* restored with everything else */
    check(!first);
    first = kept = calloc(size, 100);
    for (size_t i = 0; i < size * 100; i++)
        check(!kept[i]);
    memset(kept, 5, size * 100);
    check((uintptr_t)kept >> 40 == (uintptr_t)malloc(10) >> 40);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)data;
    expect_fresh();
    last_random = rand();
    check(last_random == 1804289383); /* the first one of the C library's default seed */
    srand((unsigned)size);
    check_heap(size);
    spoil(size);
    return 0;
}

int leak(int x) {
    char *memory = malloc(1 << 20);
    memset(memory, x, 1 << 20);
    kept = memory;
    return 0;
}
