/* SPDX-License-Identifier: Apache-2.0
 *
 * The search for sequences, and what it keeps.
 */
#ifndef SLOWPATH_API_SEARCH_H
#define SLOWPATH_API_SEARCH_H

#include "api/goals.h"
#include "api/runner.h"

/* METHOD(identifier, "name", "what it is") */
#define API_METHODS(METHOD)                                                                        \
    METHOD(MIO, "mio", "a population for each goal")                                               \
    METHOD(MOSA, "mosa", "one population, in Pareto fronts over all goals")                        \
    METHOD(SUITE, "suite", "individuals are suites, one fitness for all goals")                    \
    METHOD(SINGLE, "single", "one goal after the other")

enum api_method {
#define METHOD(id, name, text) API_METHOD_##id,
    API_METHODS(METHOD)
#undef METHOD
};

#define API_MOST_BEFORE                                                                            \
    1e6 /* instructions before the last call: what doubles with each turn has more */
#define API_POPULATION 10

struct api_individual {
    struct api_sequence sequence;
    double score; /* 0 is best */
};

/* A goal, or the cost of a function; costs follow the goals. */
struct api_objective {
    struct api_individual *members[API_POPULATION]; /* best first */
    uint32_t count;
    uint32_t function; /* of the model */
    uint32_t samples;  /* since the last improvement */
    double most;       /* of a cost: the maximum so far */
    double reached;    /* seconds until it was covered; NAN: not covered */
};

struct api_blame { /* of a function: sequences with it since the last blame */
    uint32_t runs, crashes;
};

struct api_search {
    const struct api_model *model;
    struct api_runner *runner;
    const struct api_goals *goals;
    struct api_random random;
    enum api_method method;
    uint32_t size;      /* n of the sequences */
    double turns;       /* iterations required of every loop of a goal */
    double seconds;     /* time limit, without pauses */
    uint64_t runs;      /* limit; 0: none */
    const bool *wanted; /* functions of the model to search; NULL: all goals */

    struct api_objective *objectives; /* goals, then functions */
    size_t count;
    uint64_t evaluations;
    double spent;              /* instructions of the last sequence */
    uint64_t crashes, limited; /* misuse; and sequences that hit the limit of time or memory */
    struct api_blame *blame;   /* per function of the model (avoid.c), or NULL */
    uint32_t blamed_sequences, blamed_crashes, recent_crashes;
    double started, resumed; /* time of the first and the last start */
    double worked;           /* seconds until the last pause */
    double pause;            /* time at which it returns, to be continued later; 0: never */
    bool is_stopped;
    bool has_begun;
    bool has_tried_usual; /* everything in usual.c was tried, for every function */
    /* Called now and then; false: stop. May be NULL. */
    bool (*goes_on)(void *context, const struct api_search *search);
    void *context;
};

void api_search_begin(struct api_search *search);
/* Runs until the pause or the end. Only MIO pauses. */
bool api_search_run(struct api_search *search, struct base_error *error);
void api_search_done(struct api_search *search);

double api_search_seconds(const struct api_search *search); /* seconds of work */

/* What the strategies share (search.c). */
bool api_search_is_over(const struct api_search *search);
bool api_search_is_done(const struct api_search *search); /* ... for good */
/* Runs a sequence and files it under every objective it is good for. SCORES has one place per
 * objective, or is NULL. */
bool api_search_try(struct api_search *search, struct api_sequence *sequence, double *scores,
                    struct base_error *error);
bool api_search_is_covered(const struct api_search *search, size_t objective);
/* A random sequence for one of the functions to search. */
void api_search_fresh(struct api_search *search, uint32_t function, struct api_sequence *sequence);
uint32_t api_search_some_function(struct api_search *search); /* of the model, or IR_NONE */

/* avoid.c: call after each sequence. */
void api_search_blame(struct api_search *search, const struct api_sequence *sequence,
                      bool is_crash);
/* usual.c: sequences that do not depend on the seed. */
bool api_search_usual(struct api_search *search, struct base_error *error);
/* mosa.c, suite.c */
bool api_search_mosa(struct api_search *search, struct base_error *error);
bool api_search_suites(struct api_search *search, struct base_error *error);

#endif
