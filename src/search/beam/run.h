/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches as run.c and share.c see them: states of one origin that one worker runs, on this rank or
 * another.
 */
#ifndef SLOWPATH_SEARCH_BEAM_RUN_H
#define SLOWPATH_SEARCH_BEAM_RUN_H

#include "search/beam/beam.h"

#define BEAM_BATCH 256u

enum beam_visit { BEAM_LOOK, BEAM_EXPAND, BEAM_SUPPORT };

struct beam_batch {
    size_t first, count;
    struct beam_states children;
};

struct beam_worker {
    struct beam_runner *runner;
    const struct search_program *program;
    struct beam_solver *solver;
    struct beam_guess *guess;
    struct search_walk walk;
    uint8_t *model, *inputs;
    struct beam_batch *batch;
    struct search_counters counters;
    struct search_layout window; /* size and ranges of the origin's window */
};

struct beam_runner {
    struct search *search;
    const struct beam_origins *origins;
    struct beam_worker *workers;
    enum beam_visit visit;

    struct beam_state **states; /* that are being run */
    uint8_t **fixed;
    uint32_t limit;
    bool weighs_whole;
    struct beam_batch *batches;
    size_t batch_count;
};

/* Runs worker->batch of worker->runner. */
bool beam_run_batch(struct beam_worker *worker, struct base_error *error);

/* ---- share.c: batches as messages ---- */

/* A callback of cluster_row; SELF is the runner. */
bool beam_pack_batch(void *self, size_t number, struct base_buffer *out);
bool beam_take_batch(void *self, size_t number, const char *data, size_t size);
void beam_lose_batch(void *self, size_t number); /* its runs were not made */

#endif
