/* SPDX-License-Identifier: Apache-2.0
 *
 * Where shadow memory lies, as the inline hooks and the runtime agree on it.
 *
 * Every byte of the target has a 32-bit entry (0: concrete), every 16 bytes a mark that says
 * whether any of their entries is set, or whether anything else is to be known about an access:
 * the mark is all that the fast path looks at, so it is found by a shift and a sum with a number
 * that fits into an instruction: marks begin behind the executable, below 2 GiB. For entries the
 * lowest 40 bits of an address tell the target's memory apart: the executable lies low, heaps and
 * arguments at fixed places, stack and libraries high.
 */
#ifndef SLOWPATH_ABI_SHADOW_H
#define SLOWPATH_ABI_SHADOW_H

#include <stdint.h>

#define ABI_SHADOW_WINDOW (1ull << 40)
#define ABI_SHADOW_ENTRIES 0x100000000000ull /* 4 bytes per byte: 4 TiB of addresses */
#define ABI_SHADOW_MARKS 0x7fff8000ull       /* a byte per 16 of all addresses: 8 TiB */
#define ABI_SHADOW_ADDRESSES (1ull << 47)
#define ABI_SHADOW_GRANULE 16

/* Bits of a mark: some entry is set; the bytes belong to an object whose size depends on the
 * input; they belong to a stream of the library through which data of the input went. */
#define ABI_MARK_ENTRIES 1u
#define ABI_MARK_SIZED 2u
#define ABI_MARK_STREAM 4u

#define ABI_HEAP_RUN 0x208000000000ull     /* the target's heap */
#define ABI_HEAP_LIBRARY 0x209000000000ull /* what the C library allocates for itself */
#define ABI_HEAP_INPUT 0x20a000000000ull   /* arguments and buffers made from the input */
#define ABI_STDIN 0x20b000000000ull        /* a program's standard input, for us to write to */

/* An entry: a byte of the input (bit 31, and its offset), or byte `position` (bits 28 to 30) of the
 * expression whose number is in the low bits. */
#define ABI_ENTRY_INPUT 0x80000000u
#define ABI_ENTRY_POSITION 28
#define ABI_ENTRY_NODE 0x0fffffffu

static inline uint8_t *abi_shadow_mark(const void *address) {
    return (uint8_t *)(ABI_SHADOW_MARKS + (uintptr_t)address / ABI_SHADOW_GRANULE);
}

static inline uint32_t *abi_shadow_entry(const void *address) {
    return (uint32_t *)ABI_SHADOW_ENTRIES + ((uintptr_t)address & (ABI_SHADOW_WINDOW - 1));
}

/* A function of the program keeps to itself what the run has cost so far and the number of its
 * call, and tells before anybody asks: when it calls, when it returns, when a hook has something to
 * do. */
struct abi_here {
    uint64_t cost;
    uint64_t frame;
};

/* An access, as the hooks are told of it: how many bytes, and these bits. */
#define ABI_ACCESS_BYTES 0xffu
#define ABI_ACCESS_TWO 0x100u     /* it may lie in two granules */
#define ABI_ACCESS_WRITE 0x200u   /* else it reads */
#define ABI_ACCESS_POINTER 0x400u /* what is read is a pointer */
#define ABI_ACCESS_NUMBER 11      /* three bits: which load or store of its block, from 1 on */
#define ABI_ACCESS_MAX_NUMBER 7u  /* this, or one behind it */
#define ABI_ACCESS_SITE 14        /* from here on: the number of its block */
#define ABI_ACCESS_MAX_SITE (UINT32_MAX >> ABI_ACCESS_SITE) /* this, or one beyond */

/* Arrays and structs on the stack whose address went elsewhere: those of so many are known. */
#define ABI_STACK_OBJECTS 8192u
#define ABI_OF_THREAD __thread __attribute__((tls_model("initial-exec")))
struct abi_on_stack {
    const void *start;
    uint64_t size;
};

#endif
