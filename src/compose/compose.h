/* SPDX-License-Identifier: Apache-2.0
 *
 * compose: costly inputs of a pipeline, from knowledge about its stages. Each stage is explored
 * alone, which is far easier than exploring the whole. Then paths that fit together are joined to
 * one set of conditions, which is relaxed until an input satisfies it, and the pipeline is run on
 * that input.
 *
 * After Zhang, Elbaum and Dwyer, "Compositional Load Test Generation for Software Pipelines".
 */
#ifndef SLOWPATH_COMPOSE_H
#define SLOWPATH_COMPOSE_H

#include "search/search.h"

struct compose_request {          /* all of it is borrowed */
    struct target_options target; /* a pipeline; its tree of files, if it has one, is a small one */
    struct abi_tree whole; /* the tree that is searched; without objects: the input is bytes */
    const char *measure;
    const struct measure_weights *weights;
    const char *weights_text;             /* NULL: the default ones */
    const struct search_options *options; /* of the searches and of the solver */
    size_t jobs;
    size_t tests;
    uint64_t bytes;          /* of the input */
    double seconds;          /* without builds */
    bool may_wait;           /* other strategies search while large programs are built */
    int64_t wanted;          /* size up to which composed inputs are repeated; -1: not at all */
    const char *library;     /* a folder; NULL: nothing is kept */
    bool (*is_over)(void);   /* NULL, or asked between steps */
    void (*until)(double);   /* NULL, or gets the time at which runs of targets must end */
    struct cluster *cluster; /* other ranks, to make summaries; NULL: there are none */
};

struct compose_test {
    uint8_t *input;
    size_t size;
    double cost;      /* of the whole pipeline, as measured */
    double aim;       /* total weight in their summaries of the paths it was made from */
    size_t conjuncts; /* of all paths together */
    size_t dropped;
    bool is_polished; /* found by polishing, not composed */
};

struct compose_outcome {
    BASE_VECTOR(struct compose_test) tests; /* costliest first */
    BASE_VECTOR(struct compose_test) alone; /* costly inputs of single stages, run as a whole */
    struct base_strings log;                /* every step, for the user */
    struct base_strings left_out;           /* stages that take no part, and why */
    double mean;        /* average cost of the composed tests, before polishing */
    double worst_alone; /* cost of the whole on the input of the heaviest path of a single stage */
    double bound;       /* sum of the heaviest paths of all stages: perhaps not attainable */
    size_t made, found; /* summaries */
    double build_seconds; /* before the clock started */
    double summary_seconds, compose_seconds, polish_seconds;
};

/* Composes in steps, between which other strategies may search. OUTCOME fills up with each step;
 * REQUEST is borrowed. NULL: the pipeline cannot be run. If nothing can be composed, there are no
 * tests and the log says why. */
struct composing;
struct composing *compose_open(const struct compose_request *request,
                               struct compose_outcome *outcome, struct base_error *error);
bool compose_is_ready(const struct composing *composing); /* all builds are done */
bool compose_is_over(const struct composing *composing);
/* Uninterruptible work ends at END at the latest, other work at TURN. */
bool compose_step(struct composing *composing, double turn, double end, struct base_error *error);
/* Takes costly inputs of the whole that others found: stages are explored from what they read then.
 */
void compose_learn(struct composing *composing, const struct search_test *tests, size_t count);
/* Is a stage starved when the whole runs on the costliest input so far (NULL: there is none)? A
 * stage that reads far less than the previous one costs little, whatever it could cost, and
 * strategies that change the input byte by byte rarely find input that passes. */
bool compose_has_hope(struct composing *composing, const struct search_test *best);
/* Nothing more will be composed: stops builds that are still running. */
void compose_leave(struct composing *composing);
const struct compose_outcome *compose_outcome_of(const struct composing *composing);
const struct compose_request *compose_request_of(const struct composing *composing);
void compose_close(struct composing *composing);

/* On ranks other than 0, with the same request: makes summaries for rank 0 until it ends. */
bool compose_help(const struct compose_request *request, struct base_error *error);
void compose_outcome_done(struct compose_outcome *outcome);

/* Composes inputs, and measures them and the starting inputs; also one of the strategies that take
 * turns in auto. The guest in its options is a struct composing. */
extern const struct search_strategy compose_strategy;

#endif
