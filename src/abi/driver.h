/* SPDX-License-Identifier: Apache-2.0
 *
 * What a generated entry driver may call. A driver is C source that calls the function under test
 * with arguments made from the input; it is compiled as it is, without instrumentation, and so
 * costs nothing.
 */
#ifndef SLOWPATH_ABI_DRIVER_H
#define SLOWPATH_ABI_DRIVER_H

/* The driver itself, called once per run. */
void __slowpath_driver(void);

/* Fresh memory (not counted as heap, 16-byte aligned) with the next BYTES of the input; what lies
 * beyond the input's end is zero. NAME is the parameter's name. */
void *__slowpath_take(unsigned long bytes, const char *name);

/* An object for the target, from its own heap: it goes with the run. */
void *__slowpath_lib_malloc(unsigned long bytes);

/* The value of a size given with --size, or found from the input's length. */
long __slowpath_size(const char *name);

#endif
