/* SPDX-License-Identifier: Apache-2.0
 *
 * How expensive does a law become at the size of the inputs that are searched? Patterns are
 * compared and grown in short runs, which may end far below that size. So the strongest laws, or
 * the steepest one that is not superlinear, are grown on, doubling by doubling, while a run takes
 * only a part of the time left. A size at which the law no longer holds is not used. Without a
 * limit of time nothing is raised: where it ends depends on the clock.
 */
#include "search/patterns/patterns.h"

#include <math.h>
#include <stdlib.h>

#define MOST_RAISED 3u
#define ALL_SHARE 0.25 /* of the time left, for all runs ... */
#define ONE_SHARE 0.15 /* ... and for a single one */
#define LEAST_STEP 0.2 /* doublings: less is not worth a run */
#define STILL 0.9      /* of its cost per byte, that a law which is not superlinear keeps */

struct raising {
    struct patterns_runner *runner;
    double longest; /* seconds, of a run */
    double end;     /* in base_seconds */
};

/* None without a limit of time. */
static double seconds_left(const struct search *search) {
    while (search->outer)
        search = search->outer;
    return search->options.limits.seconds > 0 ? fmax(search_seconds_left(search), 0) : 0;
}

static void begin(struct raising *raising) {
    const struct search *search = raising->runner->search;
    double left = seconds_left(search), limit = search->subject.run_seconds;
    raising->longest = fmin(ONE_SHARE * left, limit > 0 ? limit / 2 : HUGE_VAL);
    raising->end = base_seconds() + ALL_SHARE * left;
}

/* How many times as long a run takes after a doubling. */
static double next_factor(const struct search_growth_law *law) {
    const struct measure_point *last = &law->series.data[law->series.count - 1];
    double doublings = log2((double)last->size / (double)last[-1].size);
    return last[-1].cost > 0 ? pow(last->cost / last[-1].cost, 1 / doublings) : HUGE_VAL;
}

/* Adds the run as one more point of the law; false: the law does not hold there. */
static bool take_point(struct search_growth_law *law, const struct patterns_run *run) {
    const struct measure_point *last = &law->series.data[law->series.count - 1];
    double per_byte = last->cost / (double)last->size;
    struct measure_growth growth;
    base_push(&law->series, (struct measure_point){(int64_t)run->size, run->cost});
    measure_growth_fit_pattern(&law->pattern, law->series.data, law->series.count, &growth);
    bool holds = measure_is_superlinear(&law->growth)
                     ? measure_is_superlinear(&growth)
                     : run->cost >= STILL * per_byte * (double)run->size;
    if (holds) {
        law->growth = growth;
        law->repetitions = run->repetitions;
    } else
        law->series.count--;
    return holds;
}

/* The size after SIZE: twice as large, or the largest if that is less than another doubling away.
 */
static uint64_t next_size(uint64_t size, uint64_t most) {
    return 4 * size > most ? most : 2 * size;
}

/* The next size at which a run takes as long as it may: a doubling, or less. */
static uint64_t affordable(const struct raising *raising, const struct search_growth_law *law,
                           const struct patterns_run *run) {
    uint64_t most = raising->runner->search->subject.layout.bytes;
    double seconds = (double)run->result.wall_ns / 1e9, factor = next_factor(law);
    double left = fmin(raising->longest, raising->end - base_seconds());
    uint64_t size = next_size(run->size, most);
    double doublings = log2((double)size / (double)run->size);
    if (seconds * pow(factor, doublings) <= left)
        return size;
    if (factor <= 1 || left <= 0)
        return 0;
    doublings = log2(left / fmax(seconds, 1e-9)) / log2(factor);
    return doublings < LEAST_STEP ? 0 : (uint64_t)((double)run->size * exp2(doublings));
}

/* RUN is the law's largest so far. */
static bool raise_once(const struct raising *raising, struct search_growth_law *law,
                       struct patterns_run *run) {
    struct patterns_runner *runner = raising->runner;
    uint64_t size = affordable(raising, law, run);
    uint64_t repetitions =
        size > runner->search->subject.layout.bytes ? 0 : target_pattern_fit(&law->pattern, size);
    struct patterns_run next;
    if (runner->failed || repetitions <= run->repetitions ||
        !patterns_run(runner, &law->pattern, repetitions, false, &next) || next.size <= run->size ||
        !take_point(law, &next))
        return false;
    *run = next;
    return true;
}

static void raise_all(const struct raising *raising, struct search_growth_law *law,
                      struct patterns_run *run) {
    bool goes_on = law->growth.kind != MEASURE_GROWTH_EXPONENTIAL && law->series.count > 1;
    while (goes_on)
        goes_on = raise_once(raising, law, run);
}

/* Are inputs of one size given, at which the cost counts? */
static bool is_sized(const struct search *search) {
    return search->subject.sizes_vary &&
           patterns_final_reach(search).size <= search->subject.layout.bytes;
}

void patterns_raise_one(struct patterns_runner *runner, struct search_growth_law *law,
                        struct patterns_run *run) {
    struct raising raising = {.runner = runner};
    begin(&raising);
    if (is_sized(runner->search))
        raise_all(&raising, law, run);
}

void patterns_clear_up(struct patterns_runner *runner, struct search_growth_law *law,
                       struct patterns_run *run) {
    struct raising raising = {.runner = runner};
    begin(&raising);
    bool goes_on = is_sized(runner->search) && law->series.count > 1;
    while (goes_on && law->growth.kind == MEASURE_GROWTH_UNCLEAR)
        goes_on = raise_once(&raising, law, run);
}

/* The strongest that has not been raised yet. */
static size_t find_strongest(struct search_growth_law **laws, const bool *is_raised, size_t count) {
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (!is_raised[i] && (best == count || laws[i]->strength > laws[best]->strength))
            best = i;
    return best;
}

void patterns_raise(struct patterns_runner *runner, struct patterns_state *state,
                    struct search_growth_law **laws) {
    struct raising raising = {.runner = runner};
    size_t count = state->found.count;
    bool *is_raised = base_alloc((count + 1) * sizeof *is_raised);
    begin(&raising);
    for (size_t i = 0; is_sized(runner->search) && i < count && i < MOST_RAISED; i++) {
        size_t next = find_strongest(laws, is_raised, count);
        raise_all(&raising, laws[next], &state->found.data[next].run);
        is_raised[next] = true;
    }
    free(is_raised);
}
