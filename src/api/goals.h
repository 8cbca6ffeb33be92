/* SPDX-License-Identifier: Apache-2.0
 *
 * What is to be reached: loops, by how deep they are nested when a function of the interface is
 * called, and how near a run came to them.
 */
#ifndef SLOWPATH_API_GOALS_H
#define SLOWPATH_API_GOALS_H

#include "api/model.h"

#define API_DEPTH 4 /* loops around each other that are told apart */

struct api_goal {
    uint32_t function;                 /* of the model */
    uint32_t loop;                     /* in the facts: the innermost */
    uint32_t chain[API_DEPTH];         /* loops around it, outermost first, it itself last */
    uint32_t depth;                    /* loops in the chain */
    uint32_t nesting;                  /* loops around its turns in all, API_DEPTH at most */
    bool is_recursion;                 /* one of them is a recursion: the chain names fewer loops */
    uint32_t first_block, block_count; /* that every way to it goes through, in blocks */
};

struct api_goals {
    const struct ir_facts *facts;
    BASE_VECTOR(struct api_goal) all;
    size_t given_up; /* loops that are no goals because there are too many */
    BASE_VECTOR(uint32_t) blocks;
    struct api_loop {                      /* how its turns are counted */
        uint32_t first_latch, latch_count; /* in latches */
        bool is_exact;                     /* latches go nowhere else */
        uint32_t first_entry, entry_count; /* blocks that lead into it, in latches as well */
    } *loops;
    BASE_VECTOR(uint32_t) latches;
};

/* Goals of every function that is one, with at least so many loops around each other. What lies in
 * the file HARNESS is left out, callbacks above all. */
void api_goals_init(struct api_goals *goals, const struct api_model *model,
                    const struct ir_facts *facts, const char *harness, uint32_t depth);
void api_goals_done(struct api_goals *goals);

/* COUNTS are slots (block i is slot i + 1). Turns of one execution, on average. */
double api_loop_turns(const struct api_goals *goals, uint32_t loop, const uint64_t *counts,
                      double *executions);
/* The iteration tuple: turns of each loop of the chain, outermost first; of an inner loop those of
 * a turn of the loop around it, whether it came to it or not. */
void api_goal_turns(const struct api_goals *goals, const struct api_goal *goal,
                    const uint64_t *counts, double turns[API_DEPTH]);
/* 0: every loop of the chain makes at least so many turns; 1: nothing of the way was taken. */
double api_goal_fitness(const struct api_goals *goals, const struct api_goal *goal,
                        const uint64_t *counts, double turns);

#endif
