/* SPDX-License-Identifier: Apache-2.0
 *
 * Which sequences come close to a goal? Every sequence is filed under the goals of its last call,
 * and under that function's cost. By default each objective has a small population (MIO): the one
 * sampled least since its last improvement is next, so that goals out of reach do not use up the
 * time of the others. The share of new random sequences falls over time.
 */
#include "api/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOCUS 0.6        /* share of the time over which random sequences become fewer */
#define MOST_FRESH 50    /* initial percentage of random sequences */
#define CROSSED 20       /* percentage of changed ones with two parents */
#define LARGER 2         /* factor on n, to see what grows */
#define MUCH 3e5         /* do not try a larger n above this many instructions */
#define GROWING 0.2      /* minimum relative growth at double n that matters */
#define STAYING 0.01     /* value of a cost that stays constant */
#define BUILT 1.3        /* maximum exponent of memory */
#define LOOKS 16         /* sequences between two calls of goes_on */
#define SLICE_LEAST 0.05 /* minimum for one goal, if they come one after the other */

/* ---- objectives ---- */

static bool is_cost(const struct api_search *search, size_t objective) {
    return objective >= search->goals->all.count;
}

bool api_search_is_covered(const struct api_search *search, size_t objective) {
    return !is_cost(search, objective) && !isnan(search->objectives[objective].reached);
}

double api_search_seconds(const struct api_search *search) {
    double since = search->resumed > 0 ? base_seconds() - search->resumed : 0;
    return search->worked + since;
}

static bool is_wanted(const struct api_search *search, uint32_t function) {
    const struct api_function *known = &search->model->functions.data[function];
    return known->is_goal && !known->why_not && !known->is_avoided &&
           (!search->wanted || search->wanted[function]);
}

static void init_objectives(struct api_search *search) {
    size_t goals = search->goals->all.count;
    search->count = goals + search->model->functions.count;
    search->objectives = base_alloc((search->count + 1) * sizeof *search->objectives);
    for (size_t i = 0; i < search->count; i++) {
        search->objectives[i].function =
            i < goals ? search->goals->all.data[i].function : (uint32_t)(i - goals);
        search->objectives[i].reached = NAN;
    }
}

/* How much the cost grows, or would grow, with a larger n; a cost that is high already is compared
 * with a smaller n. A large constant cost is worth little. An additional statement must more than
 * double the cost. A sequence that builds more than in proportion to n proves little about the
 * call. */
static bool score_cost(struct api_search *search, const struct api_sequence *sequence,
                       const struct api_outcome *outcome, double *score, struct base_error *error) {
    struct api_sequence other = *sequence;
    struct api_outcome found;
    struct api_objective *objective = &search->objectives[search->goals->all.count];
    objective += search->model->called.data[sequence->statements[sequence->count - 1].function];
    bool is_large = outcome->all > MUCH;
    *score = 1;
    if (outcome->last < 0.8 * objective->most)
        return true;
    other.header.n = is_large ? search->size / LARGER : LARGER * search->size;
    if (!api_runner_run(search->runner, &other, &found, error))
        return false;
    double memory = log2((double)(found.peak + 1) / (double)(outcome->peak + 1)) / log2(LARGER);
    if (!found.is_good || fabs(memory) > BUILT)
        return true;
    double more = is_large ? outcome->last * (outcome->last / fmax(found.last, 1)) : found.last;
    double growth = fmax(more - outcome->last, 0);
    if (growth > GROWING * outcome->last)
        objective->most = fmax(objective->most, outcome->last);
    *score = 1 / (1 + (growth + STAYING * more) * exp2(-1.2 * sequence->count));
    return true;
}

/* Of equal scores, the shorter sequence is better. */
static bool is_better(double score, uint32_t length, const struct api_individual *than) {
    return score < than->score || (score == than->score && length < than->sequence.count);
}

static bool is_there(const struct api_objective *objective, const struct api_sequence *sequence) {
    for (uint32_t i = 0; i < objective->count; i++)
        if (memcmp(&objective->members[i]->sequence, sequence, sizeof *sequence) == 0)
            return true;
    return false;
}

static void file(struct api_objective *objective, const struct api_sequence *sequence,
                 double score) {
    uint32_t at = objective->count;
    while (at && is_better(score, sequence->count, objective->members[at - 1]))
        at--;
    if (at == API_POPULATION || is_there(objective, sequence))
        return;
    struct api_individual *place = objective->count < API_POPULATION
                                       ? base_alloc(sizeof *place)
                                       : objective->members[--objective->count];
    memmove(&objective->members[at + 1], &objective->members[at],
            (objective->count - at) * sizeof(struct api_individual *));
    *place = (struct api_individual){*sequence, score};
    objective->members[at] = place;
    objective->count++;
    if (at == 0)
        objective->samples = 0;
}

static void take_score(struct api_search *search, size_t objective,
                       const struct api_sequence *sequence, double score, double *scores) {
    struct api_objective *place = &search->objectives[objective];
    if (scores)
        scores[objective] = score;
    if (score >= 1)
        return;
    file(place, sequence, score);
    if (!is_cost(search, objective) && score <= 0 && isnan(place->reached))
        place->reached = api_search_seconds(search);
}

static void note_end(struct api_search *search, const struct api_sequence *sequence,
                     const struct api_outcome *outcome) {
    bool is_crash = !outcome->is_good && !outcome->is_limited;
    search->crashes += is_crash;
    search->limited += outcome->is_limited;
    api_search_blame(search, sequence, is_crash);
}

bool api_search_try(struct api_search *search, struct api_sequence *sequence, double *scores,
                    struct base_error *error) {
    struct api_outcome outcome;
    double score;
    for (size_t i = 0; scores && i < search->count; i++)
        scores[i] = 1;
    if (!sequence->count)
        return true;
    sequence->header.n = search->size;
    if (!api_runner_run(search->runner, sequence, &outcome, error))
        return false;
    if (api_runner_is_over(search->runner)) /* the last run may not have happened */
        return true;
    search->evaluations++;
    if (search->goes_on && search->evaluations % LOOKS == 0 &&
        !search->goes_on(search->context, search))
        search->is_stopped = true;
    note_end(search, sequence, &outcome);
    if (!outcome.is_good || outcome.all - outcome.last > API_MOST_BEFORE)
        return true;
    uint32_t last = search->model->called.data[sequence->statements[sequence->count - 1].function];
    size_t goals = search->goals->all.count;
    for (size_t i = 0; i < goals; i++)
        if (search->objectives[i].function == last)
            take_score(search, i, sequence,
                       api_goal_fitness(search->goals, &search->goals->all.data[i],
                                        search->runner->last, search->turns),
                       scores);
    if (!score_cost(search, sequence, &outcome, &score, error))
        return false;
    take_score(search, goals + last, sequence, score, scores);
    return true;
}

bool api_search_is_done(const struct api_search *search) {
    return search->is_stopped || api_search_seconds(search) >= search->seconds ||
           api_runner_is_over(search->runner) ||
           (search->runs && search->evaluations >= search->runs);
}

bool api_search_is_over(const struct api_search *search) {
    bool pauses = search->pause > 0 && search->method == API_METHOD_MIO;
    return api_search_is_done(search) || (pauses && base_seconds() >= search->pause);
}

/* ---- new sequences ---- */

uint32_t api_search_some_function(struct api_search *search) {
    uint32_t chosen = IR_NONE, seen = 0;
    for (uint32_t i = 0; i < search->model->functions.count; i++)
        if (is_wanted(search, i) && api_random_below(&search->random, ++seen) == 0)
            chosen = i;
    return chosen;
}

void api_search_fresh(struct api_search *search, uint32_t function, struct api_sequence *sequence) {
    api_sequence_make(search->model, &search->random,
                      search->model->functions.data[function].number, sequence);
}

/* ---- a population for each goal ---- */

/* The open objective sampled least since its last improvement. */
static size_t next_objective(struct api_search *search) {
    size_t best = SIZE_MAX;
    uint32_t ties = 0;
    for (size_t i = 0; i < search->count; i++) {
        const struct api_objective *objective = &search->objectives[i];
        if (!objective->count || api_search_is_covered(search, i) ||
            !is_wanted(search, objective->function))
            continue;
        if (best != SIZE_MAX && objective->samples > search->objectives[best].samples)
            continue;
        if (best == SIZE_MAX || objective->samples < search->objectives[best].samples)
            ties = 0;
        if (api_random_below(&search->random, ++ties) == 0)
            best = i;
    }
    return best;
}

static void breed(struct api_search *search, const struct api_objective *from,
                  struct api_sequence *child) {
    struct api_random *random = &search->random;
    const struct api_sequence *parent =
        &from->members[api_random_below(random, from->count)]->sequence;
    const struct api_sequence *other =
        &from->members[api_random_below(random, from->count)]->sequence;
    if (api_random_below(random, 100) < CROSSED)
        api_sequence_cross(search->model, random, other, parent, child);
    else
        *child = *parent;
    api_sequence_mutate(search->model, random, child);
}

static double progress(const struct api_search *search) {
    double by_time = api_search_seconds(search) / search->seconds;
    double by_runs = search->runs ? (double)search->evaluations / (double)search->runs : 0;
    return by_runs > by_time || search->runs ? by_runs : by_time;
}

static bool run_mio(struct api_search *search, struct base_error *error) {
    while (!api_search_is_over(search)) {
        struct api_sequence child;
        double left = 1 - progress(search) / FOCUS;
        uint32_t fresh = left > 0 ? (uint32_t)(MOST_FRESH * left) : 0;
        size_t from = next_objective(search);
        if (from == SIZE_MAX || api_random_below(&search->random, 100) < fresh + 2) {
            api_search_fresh(search, api_search_some_function(search), &child);
        } else {
            search->objectives[from].samples++;
            breed(search, &search->objectives[from], &child);
        }
        if (!api_search_try(search, &child, NULL, error))
            return false;
    }
    return true;
}

/* ---- one goal after the other ---- */

static bool chase(struct api_search *search, size_t goal, double until, struct base_error *error) {
    struct api_objective *objective = &search->objectives[goal];
    while (!api_search_is_over(search) && base_seconds() < until &&
           !api_search_is_covered(search, goal)) {
        struct api_sequence child;
        if (!objective->count || api_random_below(&search->random, 100) < 10)
            api_search_fresh(search, objective->function, &child);
        else
            breed(search, objective, &child);
        if (!api_search_try(search, &child, NULL, error))
            return false;
    }
    return true;
}

static bool run_single(struct api_search *search, struct base_error *error) {
    for (size_t i = 0; i < search->count; i++) {
        double left = search->seconds - api_search_seconds(search);
        double slice = left / (double)(search->count - i);
        if (!is_wanted(search, search->objectives[i].function))
            continue;
        if (!chase(search, i, base_seconds() + (slice > SLICE_LEAST ? slice : SLICE_LEAST), error))
            return false;
    }
    return true;
}

/* ---- all of it ---- */

void api_search_begin(struct api_search *search) {
    init_objectives(search);
    search->started = base_seconds();
}

static bool run_method(struct api_search *search, struct base_error *error) {
    switch (search->method) {
    case API_METHOD_MOSA:
        return api_search_mosa(search, error);
    case API_METHOD_SUITE:
        return api_search_suites(search, error);
    case API_METHOD_SINGLE:
        return run_single(search, error);
    default:
        return run_mio(search, error);
    }
}

bool api_search_run(struct api_search *search, struct base_error *error) {
    if (api_search_some_function(search) == IR_NONE)
        return base_fail(error, BASE_TARGET, "there is no function to look for a cost of");
    search->resumed = base_seconds();
    bool good = (search->has_begun || api_search_usual(search, error)) && run_method(search, error);
    search->has_begun = true;
    search->worked = api_search_seconds(search);
    search->resumed = 0;
    return good;
}

void api_search_done(struct api_search *search) {
    for (size_t i = 0; search->objectives && i < search->count; i++)
        for (uint32_t k = 0; k < search->objectives[i].count; k++)
            free(search->objectives[i].members[k]);
    free(search->objectives);
    free(search->blame);
}
