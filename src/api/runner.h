/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences run in the measuring build: what the library did, without the harness.
 */
#ifndef SLOWPATH_API_RUNNER_H
#define SLOWPATH_API_RUNNER_H

#include "api/sequence.h"
#include "target/target.h"

struct api_runner {
    const struct api_model *model;
    struct target *target;
    const struct ir_facts *facts;
    uint32_t *weights; /* slots: instructions of the library's blocks, bytes of what it copies */
    uint32_t slot_count;
    uint64_t *all, *last; /* counts of the last run, and of its last statement alone */
    uint64_t runs;
    double end; /* nothing is run after it, so that nobody waits for a law; 0: it takes its time */
};

struct api_outcome {
    bool is_good;           /* it ended well */
    bool is_limited;        /* it took too long or too much memory */
    bool is_limited_before; /* ... without the last call, too */
    double all;             /* cost of the sequence, of the library alone */
    double last;            /* ... of its last statement */
    uint64_t live;          /* bytes that are left */
    uint64_t peak;          /* ... and that there were at most, before the last statement */
    struct abi_result result;
};

/* HARNESS: the file that the harness lies in, which is not counted. */
void api_runner_init(struct api_runner *runner, const struct api_model *model,
                     struct target *target, const char *harness);
/* Runs the sequence, and once more without its last statement. False: the target cannot be run. */
bool api_runner_run(struct api_runner *runner, const struct api_sequence *sequence,
                    struct api_outcome *outcome, struct base_error *error);
bool api_runner_is_over(const struct api_runner *runner);
void api_runner_done(struct api_runner *runner);

#endif
