/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the sequences kept by a search become tests? Those that are clean in the checked build
 * and leak nothing; for each function, the one whose cost grows fastest. The best candidate of
 * every function comes before any second one, so that a lack of time costs depth, not functions.
 */
#include "api/pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BY_COST 5            /* candidates of a function with the highest cost */
#define BY_GOAL 2            /* ... and from each goal */
#define ROUNDS 3             /* candidates of a function whose law is determined */
#define SEARCHED_SECONDS 0.1 /* limit for a sequence, while n is small */
#define GROWN_SECONDS 2      /* ... and while it grows */
#define CHUNK ((size_t)8)    /* functions checked together */
#define WEIGHING 0.3         /* share of the time for a first estimate of all candidates */
#define UNKNOWN 1e-9         /* weight before the estimate: it gets a turn as well */
#define CHECK_SECONDS 5      /* minimum for a batch in the checked build */

void api_picked_init(struct api_picked *picked, struct api_search *search,
                     struct api_checker *checker) {
    *picked = (struct api_picked){.search = search, .checker = checker};
    picked->deep = search->goals->all.count;
    picked->sizes = base_alloc((picked->deep + 1) * sizeof *picked->sizes);
    picked->is_covered = base_alloc(search->model->functions.count + 1);
}

static bool goes_on(const struct api_picked *picked, const struct api_law *law) {
    return !picked->goes_on || picked->goes_on(picked->context, law);
}

/* ---- candidates ---- */

static bool is_new(struct api_picked *picked, const struct api_sequence *sequence) {
    struct base_hash hash;
    char name[33];
    base_hash_init(&hash);
    base_hash_add(&hash, sequence, sizeof *sequence);
    base_hash_done(&hash, name);
    if (base_map_get(&picked->seen, name) != BASE_MAP_NONE)
        return false;
    base_map_set(&picked->seen, name, 1);
    return true;
}

/* First the best of all objectives, then the second ones. */
static void gather(struct api_picked *picked) {
    const struct api_search *search = picked->search;
    size_t goals = search->goals->all.count;
    for (uint32_t k = 0; k < BY_COST; k++)
        for (size_t i = search->count; i-- > 0;) { /* costs follow the goals */
            const struct api_objective *objective = &search->objectives[i];
            if (k >= objective->count || (i < goals && k >= BY_GOAL))
                continue;
            const struct api_sequence *sequence = &objective->members[k]->sequence;
            if (is_new(picked, sequence))
                base_push(&picked->open, (struct api_candidate){.weight = UNKNOWN,
                                                                .found = *sequence,
                                                                .sequence = *sequence,
                                                                .function = objective->function});
        }
}

static bool weigh(struct api_picked *picked, double end, struct base_error *error) {
    for (size_t i = 0; i < picked->open.count; i++) {
        struct api_candidate *candidate = &picked->open.data[i];
        if (candidate->is_weighed || base_seconds() >= end)
            continue;
        candidate->is_weighed = true;
        if (!api_look(picked->search->runner, &candidate->sequence, &candidate->weight, error))
            return false;
    }
    return true;
}

static bool check(struct api_picked *picked, const struct api_sequence *sequences, size_t count,
                  struct api_checked *results, struct base_error *error) {
    return api_checker_run(picked->checker, picked->search->model, sequences, count, CHECK_SECONDS,
                           results, error);
}

/* Uses the shortened form of each candidate if it is clean, otherwise the original. */
static bool check_candidates(struct api_picked *picked, struct api_candidate **chosen, size_t count,
                             struct base_error *error) {
    struct api_sequence *sequences = base_alloc((2 * count + 1) * sizeof *sequences);
    struct api_checked *results = base_alloc((2 * count + 1) * sizeof *results);
    for (size_t i = 0; i < count; i++) {
        sequences[2 * i] = chosen[i]->sequence;
        sequences[2 * i + 1] = chosen[i]->found;
        sequences[2 * i].header.n = sequences[2 * i + 1].header.n = API_CHECKED_SIZE;
    }
    bool good = check(picked, sequences, 2 * count, results, error);
    for (size_t i = 0; good && i < count; i++) {
        bool is_shorter = results[2 * i].verdict == API_CLEAN;
        chosen[i]->is_clean = is_shorter || results[2 * i + 1].verdict == API_CLEAN;
        if (!is_shorter)
            chosen[i]->sequence = chosen[i]->found;
        picked->candidates++;
        picked->unclean += !chosen[i]->is_clean;
    }
    free(sequences);
    free(results);
    return good;
}

/* ---- laws ---- */

static struct api_law *law_of(struct api_picked *picked, uint32_t function) {
    for (size_t i = 0; i < picked->laws.count; i++)
        if (picked->laws.data[i].function == function)
            return &picked->laws.data[i];
    return NULL;
}

/* Checks at the size of the test: clean at small sizes need not mean clean at large ones. */
static bool is_clean_large(struct api_picked *picked, const struct api_law *law, bool *is_clean,
                           struct base_error *error) {
    struct api_sequence test;
    struct api_checked result;
    *is_clean = true;
    if (!api_law_is_finding(law))
        return true;
    api_law_test(law, &test);
    bool good = check(picked, &test, 1, &result, error);
    *is_clean = good && result.verdict != API_MISUSED;
    return good;
}

static bool take_law(struct api_picked *picked, const struct api_law *law,
                     struct base_error *error) {
    struct api_law *before = law_of(picked, law->function);
    bool is_clean;
    if (api_runner_is_over(picked->search->runner)) /* it was cut off */
        return true;
    if (before && !api_law_is_worse(law, before))
        return true;
    if (!is_clean_large(picked, law, &is_clean, error))
        return false;
    if (!is_clean) {
        picked->unclean++;
        return true;
    }
    if (before)
        *before = *law;
    else
        base_push(&picked->laws, *law);
    goes_on(picked, law);
    return true;
}

typedef void hold(const struct api_model *model, struct api_sequence *sequence);

/* Sizes of arguments may hide the effect of the earlier calls, or be too large for callees: try
 * small ones. */
static bool find_held(struct api_picked *picked, const struct api_candidate *candidate, hold *hold,
                      struct base_error *error) {
    const struct api_search *search = picked->search;
    struct api_sequence small = candidate->found;
    struct api_checked result;
    struct api_law law;
    hold(search->model, &small);
    small.header.n = API_CHECKED_SIZE;
    if (!api_simplify(search->runner, search->model, &small, error) ||
        !check(picked, &small, 1, &result, error))
        return false;
    if (result.verdict != API_CLEAN)
        return true;
    return api_grow(search->runner, search->model, &small, &law, error) &&
           take_law(picked, &law, error);
}

static bool find_law(struct api_picked *picked, const struct api_candidate *candidate,
                     struct base_error *error) {
    const struct api_search *search = picked->search;
    struct api_law law;
    size_t unclean = picked->unclean;
    if (!api_grow(search->runner, search->model, &candidate->sequence, &law, error) ||
        !take_law(picked, &law, error))
        return false;
    bool is_too_large = picked->unclean > unclean || law.one.memory > API_GROWS;
    if (is_too_large && !find_held(picked, candidate, api_hold_before, error))
        return false;
    return !api_law_hides(&law) || find_held(picked, candidate, api_hold_sizes, error);
}

/* Functions without a law come first, then greater weight. */
static bool comes_before(struct api_picked *picked, const struct api_candidate *a,
                         const struct api_candidate *b) {
    bool has = law_of(picked, a->function), has_other = law_of(picked, b->function);
    return has != has_other ? has_other : a->weight > b->weight;
}

/* The best untested candidate of each function. */
static size_t choose(struct api_picked *picked, struct api_candidate **chosen) {
    size_t functions = picked->search->model->functions.count;
    struct api_candidate **best = base_alloc((functions + 1) * sizeof(struct api_candidate *));
    size_t count = 0;
    for (size_t i = 0; i < picked->open.count; i++) {
        struct api_candidate *candidate = &picked->open.data[i];
        if (!candidate->is_taken && candidate->weight > 0 &&
            (!best[candidate->function] || candidate->weight > best[candidate->function]->weight))
            best[candidate->function] = candidate;
    }
    for (size_t i = 0; i < functions; i++) {
        if (!best[i])
            continue;
        size_t at = count++;
        for (; at && comes_before(picked, best[i], chosen[at - 1]); at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = best[i];
    }
    free(best);
    return count;
}

static bool pick_some(struct api_picked *picked, struct api_candidate **chosen, size_t count,
                      double end, struct base_error *error) {
    struct api_runner *runner = picked->search->runner;
    size_t ready = 0;
    target_limit_run(runner->target, SEARCHED_SECONDS);
    for (; ready < count && (!ready || base_seconds() < end) && goes_on(picked, NULL); ready++) {
        chosen[ready]->is_taken = true;
        if (!api_simplify(runner, picked->search->model, &chosen[ready]->sequence, error))
            return false;
    }
    if (!check_candidates(picked, chosen, ready, error))
        return false;
    target_limit_run(runner->target, GROWN_SECONDS);
    for (size_t i = 0; i < ready && (!i || base_seconds() < end) && goes_on(picked, NULL); i++)
        if (chosen[i]->is_clean && !find_law(picked, chosen[i], error))
            return false;
    return true;
}

/* Drops candidates that were tested or are bad; the others wait for the next call. */
static void forget_taken(struct api_picked *picked) {
    size_t left = 0;
    for (size_t i = 0; i < picked->open.count; i++)
        if (!picked->open.data[i].is_taken && picked->open.data[i].weight > 0)
            picked->open.data[left++] = picked->open.data[i];
    picked->open.count = left;
}

bool api_pick(struct api_picked *picked, double seconds, struct base_error *error) {
    size_t functions = picked->search->model->functions.count;
    double end = base_seconds() + seconds;
    struct api_candidate **chosen = base_alloc((functions + 1) * sizeof(struct api_candidate *));
    gather(picked);
    bool good = weigh(picked, end - (1 - WEIGHING) * seconds, error);
    for (unsigned round = 0; good && round < ROUNDS; round++) {
        size_t count = choose(picked, chosen);
        if (!count)
            break;
        for (size_t at = 0; good && at < count && (!(round + at) || base_seconds() < end);
             at += CHUNK)
            good =
                pick_some(picked, &chosen[at], count - at < CHUNK ? count - at : CHUNK, end, error);
    }
    target_limit_run(picked->search->runner->target, SEARCHED_SECONDS);
    free(chosen);
    forget_taken(picked);
    return good;
}

static int by_weight(const void *a, const void *b) {
    const struct api_law *x = a, *y = b;
    if (api_law_is_worse(x, y))
        return -1;
    return api_law_is_worse(y, x) ? 1 : (x->function > y->function) - (x->function < y->function);
}

void api_pick_sort(struct api_picked *picked) {
    if (picked->laws.count)
        qsort(picked->laws.data, picked->laws.count, sizeof *picked->laws.data, by_weight);
}

void api_picked_done(struct api_picked *picked) {
    base_vector_done(&picked->laws);
    base_vector_done(&picked->open);
    base_map_done(&picked->seen);
    free(picked->sizes);
    free(picked->is_covered);
}
