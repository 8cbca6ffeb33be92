/* SPDX-License-Identifier: Apache-2.0
 *
 * compose: costly inputs of a pipeline from what is known about its stages. Each stage is explored
 * alone, which is far easier than exploring the whole; then paths that fit together are joined to
 * one set of conditions, relaxed until an input meets it, and the pipeline is run on that input.
 *
 * After Zhang, Elbaum and Dwyer, "Compositional Load Test Generation for Software Pipelines".
 */
#ifndef SLOWPATH_COMPOSE_H
#define SLOWPATH_COMPOSE_H

#include "search/search.h"

struct compose_request {          /* all of it is borrowed */
    struct target_options target; /* a pipeline; its tree of files, if it has one, is a small one */
    struct abi_tree whole;        /* the tree that is searched; no objects: the input is bytes */
    const char *measure;
    const struct measure_weights *weights;
    const char *weights_text;             /* NULL: the usual ones */
    const struct search_options *options; /* of the searches and of the solver */
    size_t jobs;
    size_t tests;
    uint64_t bytes;          /* of the input */
    double seconds;          /* without builds */
    bool may_wait;           /* somebody else searches while large programs are built */
    int64_t wanted;          /* bytes that composed inputs are repeated to; -1: they are not */
    const char *library;     /* a folder; NULL: nothing is kept */
    bool (*is_over)(void);   /* NULL, or asked between steps */
    void (*until)(double);   /* NULL, or told when runs of targets are to end at the latest */
    struct cluster *cluster; /* other ranks, which make summaries; NULL: there are none */
};

struct compose_test {
    uint8_t *input;
    size_t size;
    double cost;      /* of the whole pipeline, as measured */
    double aim;       /* what the paths that it was made of cost in their summaries */
    size_t conjuncts; /* of all of them */
    size_t dropped;
    bool is_polished; /* it is not composed, but was found from what was */
};

struct compose_outcome {
    BASE_VECTOR(struct compose_test) tests; /* costliest first */
    BASE_VECTOR(struct compose_test) alone; /* costly inputs of single stages, fed to the whole */
    struct base_strings log;                /* every step, for a person */
    struct base_strings left_out;           /* stages that take no part, and why */
    double mean;        /* cost of what was composed, before anything was made of it */
    double worst_alone; /* what the heaviest path of a single stage makes the whole cost */
    double bound;       /* the heaviest path of each stage, added up: no input need cost as much */
    size_t made, found; /* summaries */
    double build_seconds; /* before the clock began to run */
    double summary_seconds, compose_seconds, polish_seconds;
};

/* In steps, between which others may search. OUTCOME fills up as they are taken; REQUEST is
 * borrowed. NULL: the pipeline cannot be run. Where nothing can be composed, there are no tests and
 * the log says why. */
struct composing;
struct composing *compose_open(const struct compose_request *request,
                               struct compose_outcome *outcome, struct base_error *error);
bool compose_is_ready(const struct composing *composing); /* all is built */
bool compose_is_over(const struct composing *composing);
/* What cannot be interrupted ends at END at the latest, all else at TURN. */
bool compose_step(struct composing *composing, double turn, double end, struct base_error *error);
/* Costly inputs of the whole that others found: stages are explored from what they read then. */
void compose_learn(struct composing *composing, const struct search_test *tests, size_t count);
/* Is something held back when the whole runs on the costliest input so far (NULL: there is none)?
 * A stage that reads hardly anything of what the one before it reads costs little, whatever it
 * could cost, and others who change an input byte by byte do not come to what passes. */
bool compose_has_hope(struct composing *composing, const struct search_test *best);
/* Nothing will be composed: what is still being built need not be. */
void compose_leave(struct composing *composing);
const struct compose_outcome *compose_outcome_of(const struct composing *composing);
const struct compose_request *compose_request_of(const struct composing *composing);
void compose_close(struct composing *composing);

/* On another rank than 0, with the same request: makes summaries for it until it has ended. */
bool compose_help(const struct compose_request *request, struct base_error *error);
void compose_outcome_done(struct compose_outcome *outcome);

/* Composes, and measures what comes of it and what it starts from; one of the strategies that take
 * turns in auto, too. The guest in its options is a struct composing. */
extern const struct search_strategy compose_strategy;

#endif
