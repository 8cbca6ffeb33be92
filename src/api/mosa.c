/* SPDX-License-Identifier: Apache-2.0
 *
 * Which sequences survive if there are many goals at once? Two alternatives to a population per
 * goal.
 *
 * MOSA: one population. The best sequence for each open goal comes first, then Pareto fronts;
 * covered goals are archived and no longer count.
 *
 * Whole suites: individuals are sets of sequences, whose fitness is the sum over the goals of the
 * best value in the set.
 */
#include "api/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POPULATION ((size_t)40)
#define SUITES 10
#define SUITE_SIZE 12

struct member {
    struct api_sequence sequence;
    double *scores; /* of all objectives */
    uint32_t rank;
};

/* ---- fronts ---- */

static bool dominates(const struct api_search *search, const struct member *a,
                      const struct member *b) {
    bool is_better = false;
    for (size_t i = 0; i < search->count; i++) {
        if (api_search_is_covered(search, i))
            continue;
        if (a->scores[i] > b->scores[i])
            return false;
        is_better |= a->scores[i] < b->scores[i];
    }
    return is_better;
}

/* The best for each open goal have rank 0, the others the number of their front, from 1. */
static void rank_members(const struct api_search *search, struct member **members, size_t count) {
    for (size_t i = 0; i < count; i++) {
        members[i]->rank = 1;
        for (size_t k = 0; k < count; k++)
            members[i]->rank += k != i && dominates(search, members[k], members[i]);
    }
    for (size_t goal = 0; goal < search->count; goal++) {
        struct member *best = NULL;
        for (size_t i = 0; i < count && !api_search_is_covered(search, goal); i++)
            if (members[i]->scores[goal] < 1 &&
                (!best || members[i]->scores[goal] < best->scores[goal]))
                best = members[i];
        if (best)
            best->rank = 0;
    }
}

static int by_rank(const void *a, const void *b) {
    const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->sequence.count > y->sequence.count) - (x->sequence.count < y->sequence.count);
}

static const struct member *pick(struct api_search *search, struct member **members) {
    uint32_t a = api_random_below(&search->random, (uint32_t)POPULATION),
             b = api_random_below(&search->random, (uint32_t)POPULATION);
    return members[a]->rank <= members[b]->rank ? members[a] : members[b];
}

static bool make_child(struct api_search *search, struct member **members, struct member *child,
                       struct base_error *error) {
    const struct member *a = pick(search, members), *b = pick(search, members);
    uint32_t dice = api_random_below(&search->random, 10);
    child->sequence = a->sequence;
    if (dice == 0 || !a->sequence.count)
        api_search_fresh(search, api_search_some_function(search), &child->sequence);
    else if (dice < 4 && b->sequence.count)
        api_sequence_cross(search->model, &search->random, &b->sequence, &a->sequence,
                           &child->sequence);
    if (dice)
        api_sequence_mutate(search->model, &search->random, &child->sequence);
    return api_search_try(search, &child->sequence, child->scores, error);
}

bool api_search_mosa(struct api_search *search, struct base_error *error) {
    struct member *store = base_alloc(2 * POPULATION * sizeof *store), *members[2 * POPULATION];
    bool good = true;
    for (size_t i = 0; i < 2 * POPULATION; i++) {
        members[i] = &store[i];
        store[i].scores = base_alloc((search->count + 1) * sizeof(double));
    }
    for (size_t i = 0; good && i < POPULATION; i++) {
        api_search_fresh(search, api_search_some_function(search), &members[i]->sequence);
        good = api_search_try(search, &members[i]->sequence, members[i]->scores, error);
    }
    while (good && !api_search_is_over(search)) {
        for (size_t i = POPULATION; good && i < 2 * POPULATION; i++)
            good = make_child(search, members, members[i], error);
        rank_members(search, members, 2 * POPULATION);
        qsort(members, 2 * POPULATION, sizeof *members, by_rank);
    }
    for (size_t i = 0; i < 2 * POPULATION; i++)
        free(store[i].scores);
    free(store);
    return good;
}

/* ---- whole suites ---- */

struct whole {
    struct member members[SUITE_SIZE];
    double fitness;
};

static void rate(const struct api_search *search, struct whole *suite) {
    suite->fitness = 0;
    for (size_t goal = 0; goal < search->count; goal++) {
        double best = 1;
        for (size_t i = 0; i < SUITE_SIZE; i++)
            best = fmin(best, suite->members[i].scores[goal]);
        suite->fitness += best;
    }
}

static void copy_member(const struct api_search *search, struct member *to,
                        const struct member *from) {
    to->sequence = from->sequence;
    memcpy(to->scores, from->scores, search->count * sizeof *to->scores);
}

/* Replaces the worst suite. */
static bool make_suite(struct api_search *search, const struct whole *a, const struct whole *b,
                       struct whole *child, struct base_error *error) {
    uint32_t cut = api_random_below(&search->random, SUITE_SIZE);
    for (uint32_t i = 0; i < SUITE_SIZE; i++)
        copy_member(search, &child->members[i], i < cut ? &a->members[i] : &b->members[i]);
    for (uint32_t i = 0; i < SUITE_SIZE; i++) {
        struct member *member = &child->members[i];
        if (api_random_below(&search->random, 3))
            continue;
        if (!member->sequence.count || api_random_below(&search->random, 8) == 0)
            api_search_fresh(search, api_search_some_function(search), &member->sequence);
        else
            api_sequence_mutate(search->model, &search->random, &member->sequence);
        if (!api_search_try(search, &member->sequence, member->scores, error))
            return false;
    }
    rate(search, child);
    return true;
}

static int by_fitness(const void *a, const void *b) {
    const struct whole *x = *(struct whole *const *)a, *y = *(struct whole *const *)b;
    return (x->fitness > y->fitness) - (x->fitness < y->fitness);
}

bool api_search_suites(struct api_search *search, struct base_error *error) {
    struct whole *store = base_alloc(SUITES * sizeof *store), *suites[SUITES];
    bool good = true;
    for (size_t i = 0; i < SUITES; i++) {
        suites[i] = &store[i];
        for (size_t k = 0; k < SUITE_SIZE; k++)
            store[i].members[k].scores = base_alloc((search->count + 1) * sizeof(double));
        for (size_t k = 0; good && k < SUITE_SIZE; k++) {
            struct member *member = &store[i].members[k];
            api_search_fresh(search, api_search_some_function(search), &member->sequence);
            good = api_search_try(search, &member->sequence, member->scores, error);
        }
        rate(search, &store[i]);
    }
    while (good && !api_search_is_over(search)) {
        qsort(suites, SUITES, sizeof *suites, by_fitness);
        for (size_t i = SUITES / 2; good && i < SUITES; i++)
            good =
                make_suite(search, suites[api_random_below(&search->random, SUITES / 2)],
                           suites[api_random_below(&search->random, SUITES / 2)], suites[i], error);
    }
    for (size_t i = 0; i < SUITES; i++)
        for (size_t k = 0; k < SUITE_SIZE; k++)
            free(store[i].members[k].scores);
    free(store);
    return good;
}
