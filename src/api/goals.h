/* SPDX-License-Identifier: Apache-2.0
 *
 * The goals: loops, by how deep they are nested below a function of the interface, and how close a
 * run came to them.
 */
#ifndef SLOWPATH_API_GOALS_H
#define SLOWPATH_API_GOALS_H

#include "api/model.h"

#define API_DEPTH 4 /* nesting depths that are distinguished */

struct api_goal {
    uint32_t function;         /* of the model */
    uint32_t loop;             /* the innermost loop, in the facts */
    uint32_t chain[API_DEPTH]; /* the loops around it, outermost first, then itself */
    uint32_t depth;            /* loops in the chain */
    uint32_t nesting;          /* total nesting depth, API_DEPTH at most */
    /* Part of the nesting is a recursion: the chain has fewer loops. */
    bool is_recursion;
    /* Where `blocks` lists those that every path to it goes through. */
    uint32_t first_block, block_count;
};

struct api_goals {
    const struct ir_facts *facts;
    BASE_VECTOR(struct api_goal) all;
    size_t given_up; /* loops dropped because there are too many */
    BASE_VECTOR(uint32_t) blocks;
    struct api_loop {                      /* how its iterations are counted */
        uint32_t first_latch, latch_count; /* in latches */
        bool is_exact;                     /* its latches have no other successor */
        uint32_t first_entry, entry_count; /* blocks that enter it, in latches as well */
    } *loops;
    BASE_VECTOR(uint32_t) latches;
};

/* Makes the goals of every function that is one, for loops of at least DEPTH levels. Code in the
 * file HARNESS, mainly callbacks, is left out. */
void api_goals_init(struct api_goals *goals, const struct api_model *model,
                    const struct ir_facts *facts, const char *harness, uint32_t depth);
void api_goals_done(struct api_goals *goals);

/* COUNTS are slots (block i is slot i + 1). The average iterations per execution. */
double api_loop_turns(const struct api_goals *goals, uint32_t loop, const uint64_t *counts,
                      double *executions);
/* The iteration tuple: iterations of each loop of the chain, outermost first; for an inner loop,
 * per iteration of the outer one, whether that reached it or not. */
void api_goal_turns(const struct api_goals *goals, const struct api_goal *goal,
                    const uint64_t *counts, double turns[API_DEPTH]);
/* 0: every loop of the chain makes at least that many iterations; 1: nothing of the path was
 * taken. */
double api_goal_fitness(const struct api_goals *goals, const struct api_goal *goal,
                        const uint64_t *counts, double turns);

#endif
