/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nested loops are redundant? All inputs run once: stamps show which inner loops read hardly
 * anything fresh. For each such nest the input that shows it best runs again, now with a log of the
 * values, of some iterations of the outer loop if there are many. Consecutive iterations are
 * compared; a nest is reported if at least half of them are similar.
 */
#include "redundant/internal.h"
#include "redundant/similar.h"

#include <stdlib.h>
#include <string.h>

#define LOGGED_LOADS 262144u /* of a nest, about */
#define FEWEST_LOGGED 16u    /* entries of the inner loop */
#define SIMILAR_SHARE 0.5    /* of the loads of two turns: so many are similar, at least */
#define KEPT_SIZE                                                                                  \
    0.7 /* turns of the inner loop in each other, where the outer one is a recursion */
#define MOST_CANDIDATES 256u

/* A nest over all runs. */
struct candidate {
    uint32_t outer, inner; /* by ABI_LOOP_SAME */
    size_t input;          /* the run that shows it best ... */
    struct abi_nest best;  /* ... and its numbers in that run */
    BASE_VECTOR(struct redundant_point) points;
    size_t compared, similar, same;
};

struct finder {
    struct target *target;
    const struct ir_facts *facts;
    const struct target_input *inputs;
    const struct redundant_options *options;
    struct redundant_report *report;
    BASE_VECTOR(struct candidate) candidates;
    struct base_map numbers;           /* of the candidates, by their loops */
    uint32_t watched[ABI_MAX_WATCHES]; /* candidates in the current run */
    uint32_t watch_count;
};

/* ---- the first run ---- */

/* Do both loops have enough iterations, and is hardly anything read fresh? */
static bool is_suspect(const struct finder *finder, const struct abi_nest *nest) {
    return nest->most_in_one >= finder->options->iterations &&
           (finder->options->by_values || nest->repeating * 2 >= nest->instances);
}

static uint64_t rank(const struct finder *finder, const struct abi_nest *nest) {
    return finder->options->by_values ? nest->instances : nest->repeating;
}

static struct candidate *find_candidate(struct finder *finder, const struct abi_nest *nest) {
    uint32_t outer = nest->outer & ABI_LOOP_SAME, inner = nest->inner & ABI_LOOP_SAME;
    char loops[32];
    snprintf(loops, sizeof loops, "%x in %x", inner, outer);
    uint32_t number = base_map_get(&finder->numbers, loops);
    if (number != BASE_MAP_NONE)
        return &finder->candidates.data[number];
    struct candidate candidate = {.outer = outer, .inner = inner, .input = SIZE_MAX};
    base_map_set(&finder->numbers, loops, (uint32_t)finder->candidates.count);
    base_push(&finder->candidates, candidate);
    return &finder->candidates.data[finder->candidates.count - 1];
}

static void add_nest(struct finder *finder, size_t input, const struct abi_nest *nest) {
    const struct redundant_options *options = finder->options;
    struct candidate *candidate = find_candidate(finder, nest);
    int64_t size = options->sizes ? options->sizes[input] : (int64_t)finder->inputs[input].size;
    struct redundant_point point = {size, nest->loads, nest->fresh};
    base_push(&candidate->points, point);
    if (!is_suspect(finder, nest))
        return;
    if (candidate->input == SIZE_MAX || rank(finder, nest) > rank(finder, &candidate->best)) {
        candidate->input = input;
        candidate->best = *nest;
    }
}

static bool is_sound(const struct abi_nest *nest) {
    return nest->chain_count <= ABI_RECORD_CHAIN && nest->fresh <= nest->first;
}

static void see_run(size_t index, const struct abi_result *result, const void *trace, size_t size,
                    void *context) {
    struct finder *finder = context;
    struct redundant_run *run = &finder->report->runs[index];
    struct redundant_trace read;
    *run = (struct redundant_run){.result = *result};
    if (!redundant_read_trace(trace, size, &read))
        return;
    run->is_recorded = true;
    run->loads = read.head.loads;
    run->distinct = read.head.distinct;
    run->entries_lost = read.head.entries_lost;
    run->stamps_ended = read.head.stamps_ended;
    finder->report->nests += read.head.nest_count;
    for (uint32_t i = 0; i < read.head.nest_count; i++)
        if (is_sound(&read.nests[i]))
            add_nest(finder, index, &read.nests[i]);
}

/* ---- the second run ---- */

static int compare_candidates(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    if (x->input != y->input)
        return x->input < y->input ? -1 : 1;
    if (x->best.loads != y->best.loads)
        return x->best.loads > y->best.loads ? -1 : 1;
    return x->outer != y->outer ? (x->outer > y->outer) - (x->outer < y->outer)
                                : (x->inner > y->inner) - (x->inner < y->inner);
}

/* Two of this many iterations of the outer loop are logged. */
static uint32_t choose_period(const struct abi_nest *nest) {
    uint64_t each = nest->entries ? nest->loads / nest->entries + 1 : 1;
    uint64_t logged = LOGGED_LOADS / each > FEWEST_LOGGED ? LOGGED_LOADS / each : FEWEST_LOGGED;
    uint64_t period = 2 * (nest->entries / logged + 1);
    return period < UINT32_MAX ? (uint32_t)period : UINT32_MAX;
}

/* A recursive function on parts of its problem reads a part of what its caller has read. */
static bool keeps_size(const struct finder *finder, const struct redundant_instance *before,
                       const struct redundant_instance *now) {
    uint32_t outer = finder->candidates.data[finder->watched[now->watch]].outer;
    bool is_recursion = (outer & ABI_LOOP_NUMBER) >= finder->facts->loop_count;
    double part = (double)now->turns / (double)before->turns;
    return !is_recursion || (part >= KEPT_SIZE && part <= 1 / KEPT_SIZE);
}

static void compare_turns(const struct finder *finder, const struct redundant_instance *before,
                          const struct redundant_instance *now) {
    struct candidate *candidate = &finder->candidates.data[finder->watched[now->watch]];
    uint32_t least = finder->options->iterations;
    struct redundant_likeness likeness;
    if (before->turns < least || now->turns < least)
        return;
    redundant_compare(before->reads.data, before->reads.count, now->reads.data, now->reads.count,
                      least, &likeness);
    candidate->compared++;
    candidate->similar += likeness.share >= SIMILAR_SHARE && keeps_size(finder, before, now);
    candidate->same += likeness.is_same;
}

/* The last entry of the same inner loop from the same calls, in the previous iteration. */
static void compare_with_last(const struct finder *finder,
                              const struct redundant_instances *instances, size_t now) {
    const struct redundant_instance *own = &instances->data[now];
    for (size_t i = now; i-- > 0;) {
        const struct redundant_instance *other = &instances->data[i];
        if (other->watch != own->watch)
            continue;
        if (other->began != own->began || other->turn + 1 < own->turn)
            return;
        if (other->calls == own->calls && other->turn + 1 == own->turn && other->is_whole) {
            compare_turns(finder, other, own);
            return;
        }
    }
}

static void see_values(size_t index, const struct abi_result *result, const void *trace,
                       size_t size, void *context) {
    struct finder *finder = context;
    struct redundant_instances instances = {0};
    struct redundant_trace read;
    (void)result, (void)index;
    if (!redundant_read_trace(trace, size, &read))
        return;
    size_t input = finder->candidates.data[finder->watched[0]].input;
    finder->report->runs[input].log_lost += read.head.log_lost;
    redundant_read_log(&read, &instances);
    for (size_t i = 0; i < instances.count; i++)
        if (instances.data[i].is_whole && instances.data[i].watch < finder->watch_count)
            compare_with_last(finder, &instances, i);
    redundant_instances_done(&instances);
}

/* Watches the candidates from FIRST on that the same input shows best; returns their number. */
static size_t set_watches(struct finder *finder, size_t first) {
    struct abi_watch watches[ABI_MAX_WATCHES];
    size_t input = finder->candidates.data[first].input, at = first;
    finder->watch_count = 0;
    for (; at < finder->candidates.count && finder->candidates.data[at].input == input &&
           finder->watch_count < ABI_MAX_WATCHES;
         at++) {
        const struct candidate *candidate = &finder->candidates.data[at];
        watches[finder->watch_count] = (struct abi_watch){candidate->outer, candidate->inner,
                                                          choose_period(&candidate->best), 0};
        finder->watched[finder->watch_count++] = (uint32_t)at;
    }
    target_set_watches(finder->target, watches, finder->watch_count, finder->options->by_values);
    return at - first;
}

static bool watch_all(struct finder *finder, struct base_error *error) {
    bool good = true;
    size_t taken;
    for (size_t at = 0; good && at < finder->candidates.count && at < MOST_CANDIDATES;
         at += taken) {
        if (finder->candidates.data[at].input == SIZE_MAX)
            break; /* sorted to the end */
        taken = set_watches(finder, at);
        good = target_run_traced(finder->target, finder->inputs + finder->candidates.data[at].input,
                                 1, see_values, finder, error);
    }
    target_set_watches(finder->target, NULL, 0, false);
    return good;
}

/* ---- findings ---- */

/* The inner loop's parameters may be in registers only. That it does the same again is visible if
 * it reads something fresh each time, and the values are still the same. */
static enum redundant_mend choose_mend(const struct candidate *candidate) {
    const struct abi_nest *nest = &candidate->best;
    bool varies =
        nest->chain_count ? nest->chain[0] & ABI_CALL_VARIES : nest->inner & ABI_LOOP_VARIES;
    bool is_fresh = nest->later_fresh >= nest->later, is_library = nest->inner & ABI_LOOP_LIBRARY;
    if (!varies && (nest->stores || nest->inner & ABI_LOOP_WRITES))
        return REDUNDANT_STOP;
    if (!varies && !is_fresh)
        return REDUNDANT_HOIST;
    bool is_same = candidate->same * 2 > candidate->compared;
    return !varies || is_library || (is_same && is_fresh) ? REDUNDANT_MEMOISE : REDUNDANT_INDEX;
}

static void add_finding(struct finder *finder, const struct candidate *candidate,
                        const struct redundant_growth *growth, bool repeats) {
    const struct abi_nest *nest = &candidate->best;
    struct redundant_finding finding = {
        .input = candidate->input,
        .entries = nest->instances,
        .most = nest->most_in_one,
        .turns = nest->entries ? (double)nest->turns / (double)nest->entries : 0,
        .loads = nest->loads,
        .fresh = nest->fresh < nest->loads ? nest->fresh : nest->loads,
        .stores = nest->stores,
        .compared = candidate->compared,
        .similar = candidate->similar,
        .repeats = repeats,
        .grows = redundant_is_proof(growth),
        .growth = *growth,
        .mend = choose_mend(candidate),
        .call_count = nest->chain_count};
    redundant_find_place(finder->facts, nest->outer, &finding.outer);
    redundant_find_place(finder->facts, nest->inner, &finding.inner);
    for (size_t i = 0; i < finding.call_count; i++)
        redundant_find_call(finder->facts, nest->chain[i], &finding.calls[i]);
    base_push(&finder->report->findings, finding);
}

static int compare_findings(const void *a, const void *b) {
    const struct redundant_finding *x = a, *y = b;
    return (x->loads < y->loads) - (x->loads > y->loads);
}

static void judge(struct finder *finder) {
    for (size_t i = 0; i < finder->candidates.count; i++) {
        struct candidate *candidate = &finder->candidates.data[i];
        struct redundant_growth growth;
        if (candidate->input == SIZE_MAX)
            continue;
        redundant_fit(candidate->points.data, candidate->points.count, &growth);
        bool repeats = candidate->compared && candidate->similar * 2 >= candidate->compared;
        if (repeats || (!finder->options->by_values && redundant_is_proof(&growth)))
            add_finding(finder, candidate, &growth, repeats);
    }
}

bool redundant_find(struct target *target, const struct target_input *inputs, size_t count,
                    const struct redundant_options *options, struct redundant_report *report,
                    struct base_error *error) {
    struct finder finder = {.target = target,
                            .facts = target_facts(target),
                            .inputs = inputs,
                            .options = options,
                            .report = report};
    *report = (struct redundant_report){.run_count = count};
    report->runs = base_alloc((count + 1) * sizeof *report->runs);
    target_set_watches(target, NULL, 0, false);
    bool good = target_run_traced(target, inputs, count, see_run, &finder, error);
    if (finder.candidates.count)
        qsort(finder.candidates.data, finder.candidates.count, sizeof *finder.candidates.data,
              compare_candidates);
    good = good && watch_all(&finder, error);
    if (good)
        judge(&finder);
    if (report->findings.count)
        qsort(report->findings.data, report->findings.count, sizeof *report->findings.data,
              compare_findings);
    for (size_t i = 0; i < finder.candidates.count; i++)
        base_vector_done(&finder.candidates.data[i].points);
    base_vector_done(&finder.candidates);
    base_map_done(&finder.numbers);
    return good;
}

void redundant_report_done(struct redundant_report *report) {
    free(report->runs);
    base_vector_done(&report->findings);
    *report = (struct redundant_report){0};
}
