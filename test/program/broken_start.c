/* SPDX-License-Identifier: Apache-2.0
 *
 * A target that ends before it has read any input misbehaves by itself: exit code 4, and why.
 *
 * RUN: printf x >in-x
 * RUN: %exit 4 %slowpath measure %s --cflags -DCRASH in-x 2>&1 | %check --check-prefix=CRASH
 * CRASH: slowpath measure: the target crashes before it reads any input (Segmentation fault)
 * RUN: %exit 4 %slowpath measure %s --cflags -DLEAVE in-x 2>&1 | %check --check-prefix=LEAVE
 * LEAVE: slowpath measure: the target ends before it reads any input (exit 5)
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static int *volatile nowhere;

__attribute__((constructor)) static void begin(void) {
#ifdef CRASH
    *nowhere = 1;
#endif
#ifdef LEAVE
    exit(5);
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)data, (void)size;
    return nowhere != NULL;
}
