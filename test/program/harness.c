/* SPDX-License-Identifier: Apache-2.0
 *
 * A fuzz harness is found by itself, is set up once by LLVMFuzzerInitialize (whose work and memory
 * are no run's), and is chosen over main. Behind the end of an input are zeros, whatever ran before.
 *
 * RUN: printf abc >in-abc; printf '' >in-none
 * RUN: %slowpath measure %s in-abc in-none --json - 2>/dev/null | %check
 * CHECK: "entry": null
 * CHECK: "file": "in-abc"
 * CHECK: "memory": 0,
 * CHECK: "count:set up": 1,
 * CHECK: "count:bytes": 3,
 * CHECK: "size": 3
 * CHECK: "file": "in-none"
 * CHECK: "memory": 0,
 * CHECK: "count:set up": 1,
 * CHECK: "count:bytes": 0,
 * CHECK: "count:behind": 0,
 *
 * Without an input the input is empty.
 * RUN: %slowpath measure %s | %check --check-prefix=EMPTY
 * EMPTY: (empty) ok
 */
#include <slowpath.h>
#include <stdint.h>
#include <stdlib.h>

static int *set_up;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    set_up = malloc(1000 * sizeof *set_up);
    set_up[0] = 0;
    for (int i = 0; i < 1000; i++)
        set_up[0]++;
    set_up[0] -= 999;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    slowpath_count("set up", set_up[0]++);
    slowpath_count("bytes", (long)size);
    slowpath_count("behind", data[size]);
    return 0;
}

int main(void) {
    abort();
}
