/* SPDX-License-Identifier: Apache-2.0
 *
 * Constructors run before the first run, in the order of their priorities, also those that no
 * optimiser could run ahead of time; what they do is part of every run's start, and costs nothing.
 *
 * RUN: printf x >in-x
 * RUN: %slowpath measure %s in-x --repeat 5 --json - 2>/dev/null | %check
 * RUN: %slowpath measure %s in-x --fresh --json - 2>/dev/null | %check
 * CHECK: "instructions": [[#]],
 * CHECK: "calls": 2,
 * CHECK: "memory": 0,
 * CHECK: "count:order": 123
 *
 * A destructor of a fresh process runs at its end and is part of the run.
 * RUN: %slowpath measure %s in-x --cflags -DEND --fresh --json - 2>/dev/null | %check --check-prefix=END
 * END: "count:ended": 1
 */
#include <slowpath.h>
#include <stdint.h>
#include <stdlib.h>

static long *volatile order;

__attribute__((constructor)) static void third(void) {
    *order = *order * 10 + 3;
}

__attribute__((constructor(101))) static void first(void) {
    order = malloc(sizeof *order);
    *order = 1;
}

__attribute__((constructor(102))) static void second(void) {
    *order = *order * 10 + 2;
}

#ifdef END
__attribute__((destructor)) static void end(void) {
    slowpath_count("ended", 1);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)data, (void)size;
    slowpath_count("order", *order);
    *order = 0;
    return 0;
}
