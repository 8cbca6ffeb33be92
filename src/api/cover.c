/* SPDX-License-Identifier: Apache-2.0
 *
 * For which n does each loop of a goal make enough iterations? The search asks for a few; a larger
 * n gives more. The iterations at one n predict the n needed, so a goal takes two or three runs. A
 * goal whose iterations do not grow with n, or too slowly, is soon given up. A run counts for every
 * goal of the function it calls. A sequence that reaches a goal must be clean in the checked build;
 * if it is not, the goal's next best sequence is tried.
 */
#include "api/pick.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDS 3         /* sequences tried per goal */
#define NEAR 0.4         /* fitness from which on a larger n may be enough */
#define STEPS 6          /* sizes tried per sequence */
#define LARGEST 40000    /* ... at most */
#define FURTHER 64       /* maximum factor from one to the next */
#define MORE 1.1         /* safety factor on the predicted n */
#define GROWS 1.2        /* minimum growth of iterations when n at least doubles */
#define RUN_SECONDS 1    /* limit per sequence */
#define CHECK_SECONDS 10 /* for one round */

struct attempt { /* a sequence that reaches goals, not known to be clean yet */
    struct api_sequence sequence;
    uint32_t function, n;
};
struct attempts {
    struct attempt *data;
    size_t count, capacity;
};
struct cover {
    struct api_picked *picked;
    double turns, end;
    struct attempts attempts;
    size_t *by; /* for each goal, 1 + the attempt of this round that reaches it, or 0 */
};

static double fewest_turns(const struct api_search *search, const struct api_goal *goal) {
    double turns[API_DEPTH], fewest = INFINITY;
    api_goal_turns(search->goals, goal, search->runner->last, turns);
    for (uint32_t i = 0; i < goal->depth; i++)
        fewest = fmin(fewest, turns[i]);
    return fewest;
}

/* Notes the function's goals that the last run has reached; is NUMBER among them? */
static bool note_reached(struct cover *cover, size_t number, const struct api_sequence *sequence,
                         uint32_t n) {
    const struct api_search *search = cover->picked->search;
    const struct api_goals *goals = search->goals;
    uint32_t function = goals->all.data[number].function;
    bool any = false;
    for (size_t i = 0; i < goals->all.count; i++) {
        if (goals->all.data[i].function != function || cover->picked->sizes[i] || cover->by[i] ||
            api_goal_fitness(goals, &goals->all.data[i], search->runner->last, cover->turns) > 0)
            continue;
        cover->by[i] = cover->attempts.count + 1;
        any = true;
    }
    if (any)
        base_push(&cover->attempts,
                  (struct attempt){.sequence = *sequence, .function = function, .n = n});
    return cover->by[number] != 0;
}

/* Raises n from that of the search, as fast as the observed iterations suggest. */
static bool climb(struct cover *cover, size_t number, const struct api_sequence *found,
                  struct base_error *error) {
    struct api_search *search = cover->picked->search;
    const struct api_goal *goal = &search->goals->all.data[number];
    double before = 0, n = search->size;
    for (unsigned step = 0; step < STEPS && n <= LARGEST && base_seconds() < cover->end; step++) {
        struct api_sequence sequence = *found;
        struct api_outcome outcome;
        sequence.header.n = (uint32_t)n;
        if (!api_runner_run(search->runner, &sequence, &outcome, error))
            return false;
        double now = fewest_turns(search, goal);
        if (!outcome.is_good || note_reached(cover, number, found, (uint32_t)n) ||
            (step && now < GROWS * before))
            return true;
        before = now;
        n *= fmin(FURTHER, fmax(2, MORE * cover->turns / fmax(now, 1)));
    }
    return true;
}

/* Goals reached by the search come first, then those it came close to. */
static bool climb_all(struct cover *cover, uint32_t round, struct base_error *error) {
    const struct api_search *search = cover->picked->search;
    for (unsigned near = 0; near < 2; near++)
        for (size_t i = 0; i < cover->picked->deep; i++) {
            const struct api_objective *objective = &search->objectives[i];
            if (cover->picked->sizes[i] || cover->by[i] || round >= objective->count)
                continue;
            double score = objective->members[round]->score;
            if (near ? score <= 0 || score > NEAR : score > 0)
                continue;
            if (!climb(cover, i, &objective->members[round]->sequence, error))
                return false;
        }
    return true;
}

static bool check_all(struct cover *cover, struct base_error *error) {
    struct api_picked *picked = cover->picked;
    size_t count = cover->attempts.count;
    struct api_sequence *sequences = base_alloc((count + 1) * sizeof *sequences);
    struct api_checked *results = base_alloc((count + 1) * sizeof *results);
    for (size_t i = 0; i < count; i++) {
        sequences[i] = cover->attempts.data[i].sequence;
        sequences[i].header.n = API_CHECKED_SIZE;
    }
    bool good = api_checker_run(picked->checker, picked->search->model, sequences, count,
                                CHECK_SECONDS, results, error);
    for (size_t i = 0; good && i < picked->deep; i++) {
        size_t by = cover->by[i];
        cover->by[i] = 0;
        if (!by || results[by - 1].verdict != API_CLEAN)
            continue;
        picked->sizes[i] = cover->attempts.data[by - 1].n;
        picked->is_covered[cover->attempts.data[by - 1].function] = true;
        picked->covered++;
    }
    cover->attempts.count = 0;
    free(sequences);
    free(results);
    return good;
}

bool api_cover(struct api_picked *picked, double turns, double seconds, struct base_error *error) {
    struct cover cover = {.picked = picked, .turns = turns, .end = base_seconds() + seconds};
    bool good = true;
    cover.by = base_alloc((picked->deep + 1) * sizeof *cover.by);
    target_limit_run(picked->search->runner->target, RUN_SECONDS);
    for (uint32_t round = 0; good && round < ROUNDS; round++)
        good =
            climb_all(&cover, round, error) && (!cover.attempts.count || check_all(&cover, error));
    base_vector_done(&cover.attempts);
    free(cover.by);
    return good;
}
