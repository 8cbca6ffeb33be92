/* SPDX-License-Identifier: Apache-2.0
 *
 * The three functions of KLEE's interface that test drivers use most, so that a driver written for
 * KLEE can be handed to slowpath as it is.
 */
#ifndef SLOWPATH_KLEE_H
#define SLOWPATH_KLEE_H

#include <stddef.h>
#include <stdint.h>

#define SLOWPATH_KLEE_DEFAULT __attribute__((weak, noinline))

SLOWPATH_KLEE_DEFAULT void klee_make_symbolic(void *memory, size_t bytes, const char *name) {
    (void)memory, (void)bytes, (void)name;
}

SLOWPATH_KLEE_DEFAULT void klee_assume(uintptr_t condition) {
    (void)condition;
}

/* A value from low (included) to high (excluded). */
SLOWPATH_KLEE_DEFAULT int klee_range(int low, int high, const char *name) {
    (void)high, (void)name;
    return low;
}

#endif
