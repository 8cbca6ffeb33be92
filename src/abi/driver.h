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
/* The same for an array: BEHIND zero bytes follow, up to a multiple of 16 in all, and then memory
 * that cannot be accessed. */
void *__slowpath_take_array(unsigned long bytes, unsigned long behind, const char *name);

/* The same into memory that is there. */
void __slowpath_take_into(void *to, unsigned long bytes);

/* What happens from here on costs nothing, until it is switched off. Comes before all that does. */
void __slowpath_uncounted(int is_on);

/* ---- pointers into the heap ---- */

/* What a look at a pointer may find, besides null and an object that nothing has looked at before:
 * any that exists, one that makes no ring, or none. */
#define ABI_HEAP_ANY 0u
#define ABI_HEAP_ACYCLIC 1u
#define ABI_HEAP_TREE 2u
#define ABI_MAX_POOLS 256u

/* Comes before the first pool. */
void __slowpath_heap(unsigned form);
/* So many objects of zeros on the target's heap, which cost nothing; the first is number 1. Pools
 * are numbered from 0 on. */
void **__slowpath_pool(unsigned long count, unsigned long bytes);
/* A pool of functions. */
void __slowpath_functions(void *const *functions, unsigned long count);
/* A pointer into POOL at AT, chosen by the next two bytes of the input: 0 is null. It belongs to an
 * OBJECT of the pool OWNER; object 0: it is an argument. */
void __slowpath_link(void *at, unsigned pool, unsigned owner, unsigned object);
/* The same in a union: a number one beyond the last object says that the bytes which were taken
 * last for AT stay, and are no pointer. */
void __slowpath_link_or_not(void *at, unsigned pool, unsigned owner, unsigned object);

/* The value of a size given with --size, or found from the input's length. */
long __slowpath_size(const char *name);

#endif
