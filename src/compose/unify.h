/* SPDX-License-Identifier: Apache-2.0
 *
 * The unified set: conditions of paths of several stages, all over the input of the pipeline.
 */
#ifndef SLOWPATH_COMPOSE_UNIFY_H
#define SLOWPATH_COMPOSE_UNIFY_H

#include "compose/channel.h"
#include "compose/relax.h"
#include "compose/summary.h"
#include "target/pipeline.h"
#include "target/target.h"

struct compose_unity;
struct compose_unity *compose_unity_new(size_t stage_count);
void compose_unity_free(struct compose_unity *unity);

/* Adds a path of a stage, whose input comes from the channel; for a stage that runs several times,
 * its next run. False: its trace cannot be read. */
bool compose_unity_add(struct compose_unity *unity, const struct search_sites *sites, size_t stage,
                       const struct compose_path *path, const struct compose_channel *channel);
bool compose_unity_has(const struct compose_unity *unity, size_t stage);
/* The bytes that a stage writes, borrowed until the next path is added. */
size_t compose_unity_output(const struct compose_unity *unity, size_t stage,
                            const uint32_t **bytes);

/* The current input: that of the first path until it is replaced. Also its bytes as expressions,
 * and the values of other expressions on it. */
struct target_input compose_unity_input(const struct compose_unity *unity);
void compose_unity_take_input(struct compose_unity *unity, const uint8_t *input);
uint32_t compose_unity_byte(struct compose_unity *unity, size_t offset);
bool compose_unity_is_constant(const struct compose_unity *unity, uint32_t byte, uint8_t *value);
void compose_unity_values(struct compose_unity *unity, const uint32_t *bytes, size_t count,
                          uint8_t *values);

/* Splits the input of a stage that runs once per line into its arguments, by the lines of the
 * current input. Conjuncts are added, with infinite loss, so that lines stay lines. False: there
 * are too many. */
struct compose_lines {
    BASE_VECTOR(uint32_t) bytes;
    BASE_VECTOR(size_t) starts; /* one more than there are lines */
    size_t count;
};
bool compose_unity_lines(struct compose_unity *unity, size_t stage, const struct target_stage *what,
                         size_t most, struct compose_lines *lines);

/* Sum of the paths' weights. */
double compose_unity_weight(const struct compose_unity *unity);
/* Paths of the relaxing are stages of the pipeline. */
void compose_unity_relaxing(struct compose_unity *unity, struct solver *solver, uint8_t *input,
                            size_t size, struct compose_relaxing *relaxing);

#endif
