/* SPDX-License-Identifier: Apache-2.0
 *
 * How the cost of a function grows with n: the number of calls before it, or the size of its
 * arguments.
 */
#ifndef SLOWPATH_API_GROWTH_H
#define SLOWPATH_API_GROWTH_H

#include "api/runner.h"
#include "measure/cause.h"
#include "measure/growth.h"

#define API_POINTS 20

struct api_series {
    struct measure_point points[API_POINTS];
    size_t count;
    struct measure_growth growth;
    double memory;     /* exponent of the memory built before the last statement */
    bool is_confirmed; /* confirmed at sizes other than those of the fit */
};

/* VERDICT(identifier, "text") in order of how much it matters */
#define API_VERDICTS(VERDICT)                                                                      \
    VERDICT(FLAT, "")                                                                              \
    VERDICT(AMORTISED, "amortised")                                                                \
    VERDICT(LINEAR_CALL, "linear call")                                                            \
    VERDICT(CALLS, "superlinear in calls")                                                         \
    VERDICT(CALL, "superlinear call")

enum api_law_verdict {
#define VERDICT(id, text) API_LAW_##id,
    API_VERDICTS(VERDICT)
#undef VERDICT
};

struct api_law {
    uint32_t function;                      /* of the model */
    struct api_sequence sequence, repeated; /* with the last call once, and n times */
    struct api_series one;                  /* cost of the last call */
    struct api_series many;                 /* cost of n of them */
    enum api_law_verdict verdict;
    uint32_t drives;  /* an argument that the cost follows; IR_NONE: none */
    uint32_t hottest; /* block, or IR_NONE */
    struct measure_cause cause;
    /* The costliest call at some sizes, relative to the median of consecutive sizes. */
    double worst;
    bool leaks; /* the memory left grows with n */
    uint32_t test_size;
};

/* Fills LAW for the sequence; false: it cannot run at all. */
bool api_grow(struct api_runner *runner, const struct api_model *model,
              const struct api_sequence *sequence, struct api_law *law, struct base_error *error);
/* A first estimate: how steep and how large its costs are. */
bool api_look(struct api_runner *runner, const struct api_sequence *sequence, double *weight,
              struct base_error *error);
/* Removes statements that the last call's law does not need, and makes unneeded sizes small. */
bool api_simplify(struct api_runner *runner, const struct api_model *model,
                  struct api_sequence *sequence, struct base_error *error);
/* Shortens texts, and all arguments of the last call. */
void api_hold_sizes(const struct api_model *model, struct api_sequence *sequence);
/* ... and those of all calls before it; their numbers of iterations stay. */
void api_hold_before(const struct api_model *model, struct api_sequence *sequence);
/* The size of arguments explains the cost: another law may be hidden behind it. */
bool api_law_hides(const struct api_law *law);
/* Is the evidence for the verdict confirmed? */
bool api_law_is_confirmed(const struct api_law *law);
bool api_law_is_finding(const struct api_law *law); /* superlinear, and confirmed */
const char *api_law_text(const struct api_law *law);
/* The sequence with the finding's cost: the last call once, or n times. */
void api_law_test(const struct api_law *law, struct api_sequence *test);
/* Does A's cost matter more? */
bool api_law_is_worse(const struct api_law *a, const struct api_law *b);

#define API_QUICK_SIZE 24 /* for the first estimate, and four times as much */
#define API_SMALL_SIZE 3  /* ... if that takes too long */
#define API_GROWS 1.25    /* exponent that counts as faster than n */
/* Shared by growing and simplifying: a run with this n; the sequence with its last call made n
 * times; making a growing argument constant (false: it does not grow). */
bool api_run_at(struct api_runner *runner, const struct api_sequence *sequence, uint32_t n,
                struct api_outcome *outcome, struct base_error *error);
/* confirm.c: do other sizes than those of the fit show the same? */
bool api_confirm(struct api_runner *runner, const struct api_sequence *sequence,
                 struct api_series *series, struct base_error *error);
void api_confirm_with(struct api_series *series, const struct measure_point *others, size_t count);
struct api_sequence api_repeat_last(const struct api_sequence *sequence);
/* Finds the costliest way to make the last call n times; REPEATED is unchanged if none ends
 * well. */
bool api_repeat_costliest(struct api_runner *runner, const struct api_sequence *sequence,
                          struct api_sequence *repeated, struct base_error *error);
bool api_hold_still(const struct api_parameter *parameter, struct api_argument *argument);

#endif
