/* SPDX-License-Identifier: Apache-2.0
 *
 * How does the cost of a pattern grow? Sizes double as long as the next run is expected to stay
 * within reach; a pattern whose cost explodes is grown by single repetitions instead, because a
 * doubling would jump from nothing to never. The law is fitted by the measuring room; the evidence
 * is kept with it.
 */
#include "search/patterns/patterns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 4   /* bytes */
#define EXPLODES 64  /* factor of the cost in one doubling: steeper than any relevant power */
#define LARGE 0x1p20 /* bytes, for comparing laws */
#define MOST_STEPS 40
#define LEAST_PART 0.6 /* exponent from which a piece counts as a parameter of the law */

/* Free runs may use up half of the time reserved for running the tests again; it does not matter
 * whether this part's turn is over. */
static bool is_too_late(const struct search *search) {
    while (search->outer)
        search = search->outer;
    double seconds = search->options.limits.seconds, kept = search->options.limits.reserve;
    return seconds > 0 && base_seconds_roughly() - search->began >= seconds - kept / 2;
}

static bool may_run(struct patterns_runner *runner) {
    struct search *search = runner->search;
    if (runner->is_free)
        return !is_too_late(search) && atomic_load(&search->end) != SEARCH_STOPPED;
    return !search_is_ending(search) && search_grant_locked(search, 1);
}

/* Runs the bytes that the runner holds. */
static bool run_bytes(struct patterns_runner *runner, bool counted, struct patterns_run *run) {
    const struct search_program *program = runner->program;
    struct target_input input = {runner->bytes.data, runner->bytes.count};
    run->size = input.size;
    counted = counted && program->count;
    bool good = counted ? program->count(program->self, &input, &run->result, &run->cost,
                                         &run->counts, runner->error)
                        : program->measure(program->self, &input, 1, &run->result, &run->cost,
                                           runner->error);
    runner->failed = !good;
    runner->runs++;
    return good && run->result.status == ABI_STATUS_OK && !run->result.rejected;
}

bool patterns_run(struct patterns_runner *runner, const struct target_pattern *pattern,
                  uint64_t repetitions, bool counted, struct patterns_run *run) {
    *run = (struct patterns_run){.repetitions = repetitions};
    if (runner->failed || !may_run(runner))
        return false;
    runner->bytes.count = 0;
    target_pattern_write(pattern, repetitions, &runner->bytes);
    return run_bytes(runner, counted, run);
}

static double cost_of_two(struct patterns_runner *runner, const struct target_pattern *pattern,
                          uint64_t units, uint64_t others) {
    struct patterns_run run = {0};
    if (runner->failed || !may_run(runner))
        return NAN;
    runner->bytes.count = 0;
    target_pattern_write_two(pattern, units, others, &runner->bytes);
    return run_bytes(runner, false, &run) ? run.cost : NAN;
}

void patterns_separate(struct patterns_runner *runner, struct search_growth_law *law) {
    uint64_t units = law->repetitions / 2;
    uint64_t others = target_pattern_others(&law->pattern, law->repetitions) / 2;
    if (!target_pattern_has_other(&law->pattern) || units < 2 || others < 2 ||
        law->growth.kind != MEASURE_GROWTH_POWER)
        return;
    double cost = cost_of_two(runner, &law->pattern, units, others);
    double by_unit = log2(cost_of_two(runner, &law->pattern, 2 * units, others) / cost);
    double by_other = log2(cost_of_two(runner, &law->pattern, units, 2 * others) / cost);
    if (by_unit >= LEAST_PART && by_other >= LEAST_PART) { /* false for NAN */
        law->by_unit = by_unit;
        law->by_other = by_other;
    }
}

/* ---- the series ---- */

static void add_point(struct search_growth_law *law, const struct patterns_run *run,
                      struct patterns_run *last) {
    if (law->series.count && law->series.data[law->series.count - 1].size >= (int64_t)run->size)
        return;
    base_push(&law->series, (struct measure_point){(int64_t)run->size, run->cost});
    *last = *run;
}

/* The cost after a doubling, if it continues like the last one. */
static double foresee(const struct search_growth_law *law) {
    size_t count = law->series.count;
    if (count < 2)
        return 0;
    const struct measure_point *now = &law->series.data[count - 1], *before = now - 1;
    return before->cost > 0 ? now->cost * (now->cost / before->cost) : 0;
}

static bool has_exploded(const struct search_growth_law *law) {
    size_t count = law->series.count;
    if (count < 2)
        return false;
    const struct measure_point *now = &law->series.data[count - 1];
    return now->cost > EXPLODES * now[-1].cost;
}

/* The next size: twice as large, but the largest size instead if that is not much larger. */
static uint64_t next_size(uint64_t size, uint64_t most) {
    return 2 * size > most && 4 * size < 3 * most ? most : 2 * size;
}

/* True when the cost explodes: the series ends early, but not because of its reach. */
static bool double_sizes(struct patterns_runner *runner, const struct target_pattern *pattern,
                         const struct patterns_reach *reach, struct search_growth_law *law,
                         struct patterns_run *last) {
    for (uint64_t size = SMALLEST; size <= reach->size; size = next_size(size, reach->size)) {
        uint64_t k = target_pattern_fit(pattern, size);
        struct patterns_run run;
        if (!k || k == last->repetitions)
            continue;
        if (foresee(law) > reach->cost)
            return false;
        if (!patterns_run(runner, pattern, k, false, &run))
            return run.result.status == ABI_STATUS_TIMEOUT;
        add_point(law, &run, last);
        if (has_exploded(law))
            return true;
    }
    return false;
}

/* Grows by single repetitions, from a quarter of where it exploded. */
static void add_steps(struct patterns_runner *runner, const struct target_pattern *pattern,
                      const struct patterns_reach *reach, struct search_growth_law *law,
                      struct patterns_run *last) {
    uint64_t k = last->repetitions / 4 > 1 ? last->repetitions / 4 : 1;
    law->series.count = 0;
    *last = (struct patterns_run){0};
    for (unsigned steps = 0; steps < MOST_STEPS; steps++, k++) {
        struct patterns_run run;
        if (foresee(law) > reach->cost || target_pattern_size(pattern, k) > reach->size ||
            !patterns_run(runner, pattern, k, false, &run))
            return;
        add_point(law, &run, last);
    }
}

void patterns_grow(struct patterns_runner *runner, const struct target_pattern *pattern,
                   const struct patterns_reach *reach, struct search_growth_law *law,
                   struct patterns_run *last) {
    law->series.count = 0;
    law->pattern = *pattern;
    *last = (struct patterns_run){0};
    if (double_sizes(runner, pattern, reach, law, last))
        add_steps(runner, pattern, reach, law, last);
    law->repetitions = last->repetitions;
    measure_growth_fit_pattern(pattern, law->series.data, law->series.count, &law->growth);
}

double patterns_strength(const struct search_growth_law *law) {
    if (!law->series.count)
        return 0;
    const struct measure_point *last = &law->series.data[law->series.count - 1];
    if (law->growth.kind == MEASURE_GROWTH_EXPONENTIAL)
        return 1e200 * pow(law->growth.factor, 64);
    double exponent = isnan(law->growth.exponent) ? 1 : law->growth.exponent;
    return last->cost * pow(LARGE / (double)last->size, exponent);
}

/* ---- where the cost is spent ---- */

static double block_cost(const struct ir_facts *facts, const uint64_t *counts, uint32_t block) {
    return (double)counts[block + 1] * facts->blocks[block].instructions;
}

/* The block whose cost grows most beyond proportion to the size; for a linear law, the block with
 * the highest cost. */
static uint32_t find_hottest(const struct measure_pair *pair, bool is_steep) {
    const struct ir_facts *facts = pair->facts;
    double ratio = is_steep && pair->less_size > 0 ? pair->more_size / pair->less_size : 0;
    double most = (double)pair->more[0] - ratio * (double)pair->less[0];
    uint32_t best = IR_NONE;
    for (uint32_t i = 0; i < facts->block_count; i++) {
        double excess = block_cost(facts, pair->more, i) - ratio * block_cost(facts, pair->less, i);
        if (excess > most) {
            most = excess;
            best = i;
        }
    }
    return best;
}

/* The size in the unit of the law. */
static double law_size(const struct search_growth_law *law, uint64_t bytes) {
    return law->growth.in_bytes ? (double)bytes : target_pattern_even(&law->pattern, (double)bytes);
}

void patterns_explain(struct patterns_runner *runner, struct search_growth_law *law) {
    const struct ir_facts *facts = runner->search->subject.facts;
    struct patterns_run half, whole;
    law->hottest = IR_NONE;
    law->cause.count = 0;
    if (!facts || !runner->program->count || law->repetitions < 2 ||
        !patterns_run(runner, &law->pattern, law->repetitions / 2, true, &half))
        return;
    size_t slots = facts->block_count + 1u;
    uint64_t *counts = base_alloc(slots * sizeof *counts);
    memcpy(counts, half.counts, slots * sizeof *counts);
    if (patterns_run(runner, &law->pattern, law->repetitions, true, &whole)) {
        struct measure_pair pair = {facts, counts, whole.counts, law_size(law, half.size),
                                    law_size(law, whole.size)};
        bool is_steep = measure_is_superlinear(&law->growth);
        law->hottest = find_hottest(&pair, is_steep);
        if (is_steep)
            measure_cause_find(&pair, law->hottest, &law->cause);
        law->cause.size = (double)whole.size;
    }
    free(counts);
}
