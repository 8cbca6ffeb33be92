/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of the builder. Not all operands are constants when these are called:
 * expr_make has folded that case.
 */
#ifndef SLOWPATH_EXPR_BUILD_H
#define SLOWPATH_EXPR_BUILD_H

#include "expr/internal.h"

uint32_t build_plain(struct expr_pool *pool, enum abi_op op, unsigned width, unsigned extra,
                     uint32_t a, uint32_t b, uint32_t c);
uint32_t build_compare(struct expr_pool *pool, enum abi_op op, uint32_t a, uint32_t b);
uint32_t build_extension(struct expr_pool *pool, enum abi_op op, unsigned width, uint32_t a);
uint32_t build_extract(struct expr_pool *pool, unsigned width, unsigned low, uint32_t a);
uint32_t build_concat(struct expr_pool *pool, unsigned width, uint32_t a, uint32_t b);

/* FEQ, FLT, FLE (compare_float.c). */
uint32_t build_float_compare(struct expr_pool *pool, enum abi_op op, uint32_t a, uint32_t b);

/* ID & MASK, the mask pushed down to where it matters (mask.c). */
uint32_t build_masked(struct expr_pool *pool, uint32_t id, uint64_t mask);

#endif
