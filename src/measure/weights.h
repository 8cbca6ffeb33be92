/* SPDX-License-Identifier: Apache-2.0
 *
 * Weight vectors, shared by the files of this library.
 */
#ifndef SLOWPATH_MEASURE_WEIGHTS_H
#define SLOWPATH_MEASURE_WEIGHTS_H

#include "ir/facts.h"
#include "measure/measure.h"

/* A vector of block_count + 1 weights; the caller frees. */
uint32_t *measure_make_vector(enum measure_vector vector, const struct measure_weights *weights,
                              const struct ir_facts *facts);
/* Adds weights to VECTOR that count the calls of a function and of all static ones with its name
 * (returns their number), or the executions of a line's block. */
uint32_t measure_choose_calls(const struct ir_facts *facts, const char *function, uint32_t factor,
                              uint32_t *vector);
bool measure_choose_block(const struct ir_facts *facts, const char *file, uint32_t line,
                          uint32_t *vector);

/* profile.c: all instructions of a profile, and the name for those outside of any function. */
uint64_t measure_total(const struct measure_profile *profile);
extern const char *const measure_bytes_name;

#endif
