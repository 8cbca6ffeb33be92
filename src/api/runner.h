/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs sequences in the measuring build: the costs of the library, without the harness.
 */
#ifndef SLOWPATH_API_RUNNER_H
#define SLOWPATH_API_RUNNER_H

#include "api/sequence.h"
#include "target/target.h"

struct api_runner {
    const struct api_model *model;
    struct target *target;
    const struct ir_facts *facts;
    uint32_t *weights; /* slots: instructions of the library's blocks, and bytes that it copies */
    uint32_t slot_count;
    uint64_t *all, *last; /* of the last run, and of its last statement only */
    uint64_t runs;
    double end; /* no run starts after this time; 0: no limit */
};

struct api_outcome {
    bool is_good;           /* it ended well */
    bool is_limited;        /* it hit the limit of time or memory */
    bool is_limited_before; /* ... even without the last call */
    double all;             /* cost of the sequence in the library */
    double last;            /* ... of its last statement */
    uint64_t live;          /* bytes left allocated */
    uint64_t peak;          /* ... and the maximum before the last statement */
    struct abi_result result;
};

/* HARNESS: the harness's source file, which is not counted. */
void api_runner_init(struct api_runner *runner, const struct api_model *model,
                     struct target *target, const char *harness);
/* Runs the sequence, with and without its last statement. False: the target cannot run. */
bool api_runner_run(struct api_runner *runner, const struct api_sequence *sequence,
                    struct api_outcome *outcome, struct base_error *error);
bool api_runner_is_over(const struct api_runner *runner);
void api_runner_done(struct api_runner *runner);

#endif
