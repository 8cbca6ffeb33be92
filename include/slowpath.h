/* SPDX-License-Identifier: Apache-2.0
 *
 * What a C program can say to slowpath. Built with slowpath-cc (or any compiler) and run as usual,
 * these functions do nothing: slowpath_symbolic leaves the memory alone, slowpath_size is 0. Under
 * `slowpath` they give the program its input and count what it counts.
 */
#ifndef SLOWPATH_H
#define SLOWPATH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLOWPATH_DEFAULT __attribute__((weak, noinline))

/* Fills memory with the next bytes of the input. */
SLOWPATH_DEFAULT void slowpath_symbolic(void *memory, size_t bytes, const char *name) {
    (void)memory, (void)bytes, (void)name;
}

/* Inputs for which the condition is false are not of interest: the run ends here. */
SLOWPATH_DEFAULT void slowpath_assume(int condition) {
    (void)condition;
}

/* The size that was given with --size NAME=VALUE. */
SLOWPATH_DEFAULT long slowpath_size(const char *name) {
    (void)name;
    return 0;
}

/* Adds to a counter of your own; it can be measured with --measure count:NAME. */
SLOWPATH_DEFAULT void slowpath_count(const char *name, long amount) {
    (void)name, (void)amount;
}

#ifdef __cplusplus
}
#endif

#endif
