/* SPDX-License-Identifier: Apache-2.0
 *
 * A case of bench/claims: a function of a few bytes whose result decides about the work that
 * follows, so that a result that no path has is a cost that no path has. BYTES is the size of its
 * input; the inputs over the ALPHABET are all measured ("" stands for all 256 bytes).
 */
#ifndef CLAIM_H
#define CLAIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char byte;

static volatile int spent;

static void work(long n) {
    for (unsigned i = (unsigned)n & 63; i > 0; i--)
        spent++;
}

#define CASE(name, bytes, alphabet)                                                                \
    static long name##_value(byte *s);                                                             \
    void name(byte *s) {                                                                           \
        work(name##_value(s));                                                                     \
    }                                                                                              \
    static long name##_value(byte *s)

#endif
