/* SPDX-License-Identifier: Apache-2.0
 *
 * A pipeline as one target: the functions of target.h for a target that has a chain.
 */
#ifndef SLOWPATH_TARGET_CHAIN_H
#define SLOWPATH_TARGET_CHAIN_H

#include "target/pipeline.h"
#include "target/target.h"

struct chain;

/* Opens every stage and fills FACTS with those of all stages. NULL and ERROR on failure. */
struct chain *chain_open(const struct target_options *options, struct ir_facts *facts,
                         struct base_error *error);
void chain_close(struct chain *chain);
/* The options of one stage alone. */
void chain_stage_options(const struct target_options *whole, size_t index,
                         struct target_options *options);

const struct target_pipeline *chain_pipeline(const struct chain *chain);
struct target *chain_stage(const struct chain *chain, size_t stage);
const char *chain_key(const struct chain *chain);
/* Sums a value over the stages. */
double chain_sum(const struct chain *chain, double (*value)(const struct target *stage));
bool chain_counter_name(const struct chain *chain, uint32_t counter, char name[ABI_NAME_SIZE]);
void chain_limit_run(struct chain *chain, double seconds);
void chain_set_weights(struct chain *chain, uint32_t vector, const uint32_t *weights);
uint64_t *chain_set_records(struct chain *chain, size_t *count);

bool chain_run(struct chain *chain, const struct target_input *inputs, size_t count,
               struct abi_result *results, struct base_error *error);
const uint64_t *chain_run_counted(struct chain *chain, const struct target_input *input,
                                  struct abi_result *result, struct base_error *error);
/* BY_STAGE gets one result per stage. */
bool chain_run_stages(struct chain *chain, const struct target_input *input,
                      struct abi_result *by_stage, struct base_error *error);
/* The same for the last input that was run, if it was run alone. */
void chain_last_stages(const struct chain *chain, struct abi_result *by_stage);
/* After that: the input that a stage read. */
const void *chain_input_of(const struct chain *chain, const struct target_input *input,
                           size_t stage, size_t *size);
bool chain_check_repeats(struct chain *chain, const struct target_input *input, double longest,
                         struct abi_result *first, enum target_verdict *verdict,
                         struct base_error *error);
/* In the symbolic build: one trace for the run of all stages, in terms of the first stage's
 * input. */
bool chain_run_traced(struct chain *chain, const struct target_input *inputs, size_t count,
                      target_visit *visit, void *context, struct base_error *error);
void chain_set_aim(struct chain *chain, const struct target_aim *aim);
/* Switches on or off that this trace contains what the last stage writes. */
void chain_set_output(struct chain *chain, bool is_told);
bool chain_loss(const struct chain *chain, uint32_t number, struct abi_loss *loss);
/* The stage that caused the last verdict. */
const struct target *chain_suspect(const struct chain *chain);

#endif
