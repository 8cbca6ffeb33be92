/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a range of sizes searched? One size after the other, each by the strategy on inputs of
 * that size alone; the tests of all compete for the places in one suite, and what became of the
 * runs is added up. How many paths each size has is remembered. Of the time and runs that are left,
 * a size may take as much as each that follows.
 */
#include "search/core/core.h"

#include <string.h>

/* Paths of different sizes are different, also where they take the same decisions. */
static void offer_all(struct search_archive *to, const struct search_archive *from, uint64_t size) {
    for (size_t i = 0; i < from->count; i++) {
        struct search_test test = from->tests[i];
        test.path.a = search_extend(test.path.a, 0, 0, size);
        search_archive_offer(to, &test);
    }
}

static void take_over(struct search *search, struct search *part, int64_t size) {
    struct search_statistics now;
    search_statistics(part, &now);
    search_add_counters(&search->counters, &now.counters);
    search_add_solver(&search->solver, &now.solver);
    offer_all(&search->archive, &part->archive, (uint64_t)size);
    offer_all(&search->faults, &part->faults, (uint64_t)size);
    offer_all(&search->plain, &part->plain, (uint64_t)size);
    base_push(&search->sizes, ((struct search_at_size){size, now.counters.paths}));
    for (size_t i = 0; i < part->proposals.count; i++)
        base_strings_add(&search->proposals, part->proposals.data[i]);
    search->is_cut_short |= !part->finished;
    if (now.end != SEARCH_FINISHED)
        atomic_store(&search->end, (int)now.end);
}

/* The size of INDEX, DONE others having been searched. */
static bool run_size(struct search *search, size_t done, size_t index, struct base_error *error) {
    const struct search_sweep *sweep = search->subject.sweep;
    struct search_subject subject = search->subject;
    struct search_options options = search->options;
    uint64_t left = search_runs_left(search), sizes = sweep->count - done;
    double seconds = search->options.limits.seconds - (base_seconds() - search->began);
    subject.layout = sweep->layouts[index];
    subject.start_count = 0;
    subject.sizes = NULL;
    subject.sweep = NULL;
    options.limits.runs = 0;
    options.limits.reserve = 0;
    if (options.limits.seconds > 0)
        options.limits.seconds = seconds > 0 ? seconds / (double)sizes : 1e-3;
    struct search *part = search_new_part(search, search->strategy, &options, &subject);
    part->share = left == UINT64_MAX ? 0 : (left + sizes - 1) / sizes;
    struct search_relay relay = {search, search->counters};
    search_set_watch(part, search_relay_watch, &relay);
    bool good = search_run(part, error);
    search->counters = relay.before;
    take_over(search, part, sweep->first + (int64_t)index);
    search_free(part);
    return good;
}

static void reverse_sizes(struct search *search) {
    for (size_t i = 0, k = search->sizes.count; i + 1 < k; i++) {
        struct search_at_size other = search->sizes.data[--k];
        search->sizes.data[k] = search->sizes.data[i];
        search->sizes.data[i] = other;
    }
}

bool search_run_sweep(struct search *search, struct base_error *error) {
    const struct search_sweep *sweep = search->subject.sweep;
    bool is_falling = search->strategy->proves_worst; /* the largest costs most, as a rule */
    for (size_t i = 0; i < sweep->count; i++) {
        if (search_must_stop(search)) {
            search->is_cut_short = true;
            break;
        }
        if (!run_size(search, i, is_falling ? sweep->count - 1 - i : i, error))
            return false;
    }
    if (is_falling)
        reverse_sizes(search);
    return true;
}

const struct search_layout *search_layout_for(const struct search_subject *subject,
                                              uint64_t bytes) {
    for (size_t i = 0; subject->sweep && i < subject->sweep->count; i++)
        if (subject->sweep->layouts[i].bytes == bytes)
            return &subject->sweep->layouts[i];
    return &subject->layout;
}

size_t search_sizes_run(const struct search *search, const struct search_at_size **sizes) {
    *sizes = search->sizes.data;
    return search->sizes.count;
}
