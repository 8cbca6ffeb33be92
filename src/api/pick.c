/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the sequences that a search has kept are tests? Those that are clean in the checked
 * build and leave nothing behind. Of each function the one whose cost grows fastest stays. A goal
 * that was reached with few turns is tried again with a larger n.
 */
#include "api/pick.h"

#include <stdlib.h>
#include <string.h>

#define BY_COST 5 /* candidates of a function from those that cost most */
#define BY_GOAL 3 /* ... and from those of each goal */
#define CHECKED_SIZE 20
#define GROWN 3         /* candidates of a function whose law is looked for */
#define GROWN_SECONDS 2 /* that a sequence may take when it grows */
#define SCALES 5        /* doublings of n for a goal */

struct candidate {
    struct api_sequence found, sequence; /* as it was bred, and made shorter */
    size_t objective;
    bool is_found_clean, is_clean;
    double weight;
};
struct candidates {
    struct candidate *data;
    size_t count, capacity;
};

static void gather(const struct api_search *search, struct candidates *candidates) {
    size_t goals = search->goals->all.count;
    for (size_t i = 0; i < search->count; i++) {
        const struct api_objective *objective = &search->objectives[i];
        uint32_t most = i < goals ? BY_GOAL : BY_COST;
        for (uint32_t k = 0; k < objective->count && k < most; k++)
            base_push(candidates, (struct candidate){.found = objective->members[k]->sequence,
                                                     .sequence = objective->members[k]->sequence,
                                                     .objective = i});
    }
}

static bool check(struct api_checker *checker, struct candidates *candidates,
                  struct base_error *error) {
    size_t count = candidates->count;
    struct api_sequence *sequences = base_alloc((2 * count + 1) * sizeof *sequences);
    struct api_checked *results = base_alloc((2 * count + 1) * sizeof *results);
    for (size_t i = 0; i < count; i++) {
        sequences[i] = candidates->data[i].sequence;
        sequences[count + i] = candidates->data[i].found;
        sequences[i].header.n = sequences[count + i].header.n = CHECKED_SIZE;
    }
    bool good = api_checker_run(checker, sequences, 2 * count, results, error);
    for (size_t i = 0; good && i < count; i++) {
        candidates->data[i].is_clean = results[i].verdict == API_CLEAN;
        candidates->data[i].is_found_clean = results[count + i].verdict == API_CLEAN;
    }
    free(sequences);
    free(results);
    return good;
}

/* ---- laws ---- */

static bool consider(struct api_search *search, const struct candidate *candidate,
                     struct api_law *best, bool *has_best, struct base_error *error) {
    struct api_law law;
    if (!api_grow(search->runner, search->model, &candidate->sequence, &law, error))
        return false;
    if (!*has_best || api_law_is_worse(&law, best))
        *best = law;
    *has_best = true;
    return true;
}

static int by_weight(const void *a, const void *b) {
    const struct api_law *x = a, *y = b;
    if (api_law_is_worse(x, y))
        return -1;
    return api_law_is_worse(y, x) ? 1 : (x->function > y->function) - (x->function < y->function);
}

/* The same sequence may be a candidate for several reasons. */
static bool is_repeated(const struct candidates *candidates, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (memcmp(&candidates->data[i].sequence, &candidates->data[index].sequence,
                   sizeof candidates->data[i].sequence) == 0)
            return true;
    return false;
}

static uint32_t function_of(const struct api_search *search, const struct candidate *candidate) {
    return search->objectives[candidate->objective].function;
}

/* Those that look best become shorter; all of them have a law, of which the worst is kept. */
static bool find_law(struct api_search *search, struct candidates *candidates, uint32_t function,
                     struct api_laws *laws, struct base_error *error) {
    struct api_law best;
    bool has_best = false;
    for (unsigned round = 0; round < GROWN; round++) {
        struct candidate *next = NULL;
        for (size_t i = 0; i < candidates->count; i++) {
            struct candidate *candidate = &candidates->data[i];
            if (candidate->is_clean && function_of(search, candidate) == function &&
                candidate->weight > (next ? next->weight : 0))
                next = candidate;
        }
        if (!next)
            break;
        next->weight = 0;
        if (!consider(search, next, &best, &has_best, error))
            return false;
    }
    if (has_best)
        base_push(laws, best);
    return true;
}

static bool weigh(struct api_search *search, struct candidates *candidates,
                  struct base_error *error) {
    for (size_t i = 0; i < candidates->count; i++) {
        struct candidate *candidate = &candidates->data[i];
        if (!api_simplify(search->runner, &candidate->sequence, error) ||
            (!is_repeated(candidates, i) &&
             !api_look(search->runner, &candidate->sequence, &candidate->weight, error)))
            return false;
    }
    return true;
}

static bool find_laws(struct api_search *search, struct candidates *candidates,
                      struct api_laws *laws, struct base_error *error) {
    for (uint32_t i = 0; i < search->model->functions.count; i++)
        if (!find_law(search, candidates, i, laws, error))
            return false;
    if (laws->count)
        qsort(laws->data, laws->count, sizeof *laws->data, by_weight);
    return true;
}

/* ---- goals ---- */

static bool cover(struct api_search *search, const struct candidate *candidate, double turns,
                  uint32_t *size, struct base_error *error) {
    const struct api_goal *goal = &search->goals->all.data[candidate->objective];
    uint32_t n = turns <= search->turns ? search->size : (uint32_t)turns + 2;
    for (unsigned i = 0; i < SCALES && !*size; i++, n *= 2) {
        struct api_sequence sequence = candidate->found;
        struct api_outcome outcome;
        sequence.header.n = n;
        if (!api_runner_run(search->runner, &sequence, &outcome, error))
            return false;
        if (!outcome.is_good)
            return true;
        if (api_goal_fitness(search->goals, goal, search->runner->last, turns) <= 0)
            *size = n;
    }
    return true;
}

static bool cover_goals(struct api_search *search, const struct candidates *candidates,
                        double turns, struct api_picked *picked, struct base_error *error) {
    size_t goals = search->goals->all.count;
    picked->deep = goals;
    picked->sizes = base_alloc((goals + 1) * sizeof *picked->sizes);
    picked->is_covered = base_alloc(search->model->functions.count + 1);
    for (size_t i = 0; i < candidates->count; i++) {
        const struct candidate *candidate = &candidates->data[i];
        if (candidate->objective >= goals || !candidate->is_found_clean ||
            picked->sizes[candidate->objective])
            continue;
        uint32_t *size = &picked->sizes[candidate->objective];
        if (!cover(search, candidate, turns, size, error))
            return false;
        picked->covered += *size > 0;
        if (*size)
            picked->is_covered[search->goals->all.data[candidate->objective].function] = true;
    }
    return true;
}

bool api_pick(struct api_search *search, struct api_checker *checker, double turns,
              struct api_picked *picked, struct base_error *error) {
    struct candidates candidates = {0};
    *picked = (struct api_picked){0};
    gather(search, &candidates);
    bool good = weigh(search, &candidates, error) && check(checker, &candidates, error);
    target_limit_run(search->runner->target, GROWN_SECONDS);
    good = good && find_laws(search, &candidates, &picked->laws, error) &&
           cover_goals(search, &candidates, turns, picked, error);
    picked->candidates = candidates.count;
    for (size_t i = 0; i < candidates.count; i++)
        picked->unclean += !candidates.data[i].is_clean;
    base_vector_done(&candidates);
    return good;
}

void api_picked_done(struct api_picked *picked) {
    base_vector_done(&picked->laws);
    free(picked->sizes);
    free(picked->is_covered);
}
