/* SPDX-License-Identifier: Apache-2.0
 *
 * How is a range of sizes searched? One size after another: the strategy searches inputs of that
 * size alone, all tests compete for places in one suite, the counters are added up, and the number
 * of paths of each size is remembered. Each size gets an equal share of the time and runs that are
 * left. If a size is not finished, the state of its search is kept, and --resume continues from
 * there.
 */
#include "search/core/core.h"

#include <stdlib.h>

/* Paths of different sizes count as different, even if they take the same decisions. */
static void offer_all(struct search_archive *to, const struct search_archive *from, uint64_t size) {
    for (size_t i = 0; i < from->count; i++) {
        struct search_test test = from->tests[i];
        test.path.a = search_extend(test.path.a, 0, 0, size);
        search_archive_offer(to, &test);
    }
}

/* ---- the state of each size ---- */

static struct search_swept *swept_at(struct search *search, size_t index) {
    if (!search->swept)
        search->swept = base_alloc(search->subject.sweep->count * sizeof *search->swept);
    return &search->swept[index];
}

void search_free_sweep(struct search *search) {
    for (size_t i = 0; search->swept && i < search->subject.sweep->count; i++)
        base_buffer_done(&search->swept[i].state);
    free(search->swept);
    search->swept = NULL;
}

/* Sums up the counters of all sizes but one. */
static void add_up(struct search *search, size_t without) {
    search->counters = (struct search_counters){0};
    search->solver = (struct solver_statistics){0};
    for (size_t i = 0; i < search->subject.sweep->count; i++) {
        const struct search_swept *swept = swept_at(search, i);
        if (i == without)
            continue;
        search_add_counters(&search->counters, &swept->counters);
        search_add_solver(&search->solver, &swept->solver);
    }
}

/* Saves the current state, so that --resume can continue. */
static void note_part(struct search_swept *swept, struct search *part) {
    struct search_statistics now;
    search_statistics(part, &now);
    swept->is_begun = true;
    swept->is_finished = part->finished;
    swept->counters = now.counters;
    swept->solver = now.solver;
    swept->state.count = 0;
    if (!part->finished)
        search_save(part, &swept->state);
}

static void take_over(struct search *search, struct search *part, int64_t size) {
    enum search_end end = (enum search_end)atomic_load(&part->end);
    offer_all(&search->archive, &part->archive, (uint64_t)size);
    offer_all(&search->faults, &part->faults, (uint64_t)size);
    offer_all(&search->plain, &part->plain, (uint64_t)size);
    for (size_t i = 0; i < part->proposals.count; i++)
        base_strings_add(&search->proposals, part->proposals.data[i]);
    if (end != SEARCH_FINISHED)
        atomic_store(&search->end, (int)end);
}

/* ---- one after another ---- */

/* The search of one size, with its share of the time left for SIZES of them. */
static struct search *new_part(struct search *search, size_t index, uint64_t sizes) {
    const struct search_sweep *sweep = search->subject.sweep;
    struct search_subject subject = search->subject;
    struct search_options options = search->options;
    double seconds = search->options.limits.seconds - (base_seconds() - search->began);
    subject.layout = sweep->layouts[index];
    subject.start_count = 0;
    subject.sizes = NULL;
    subject.sweep = NULL;
    options.limits.runs = 0;
    options.limits.reserve = 0;
    if (options.limits.seconds > 0)
        options.limits.seconds = seconds > 0 ? seconds / (double)sizes : 1e-3;
    return search_new_part(search, search->strategy, &options, &subject);
}

/* Searches one of the SIZES that are left, from its saved state if it has one. */
static bool run_size(struct search *search, size_t index, uint64_t sizes,
                     struct base_error *error) {
    struct search_swept *swept = swept_at(search, index);
    uint64_t left = search_runs_left(search);
    struct search *part = new_part(search, index, sizes);
    bool good = !swept->is_begun || search_load(part, swept->state.data, swept->state.count, error);
    if (left != UINT64_MAX)
        part->share = part->counters.runs + (left + sizes - 1) / sizes;
    add_up(search, index);
    struct search_relay relay = {search, search->counters};
    search_set_watch(part, search_relay_watch, &relay);
    search->part = part;
    search->part_index = index;
    good = good && search_run(part, error);
    search->part = NULL;
    if (good) {
        note_part(swept, part);
        take_over(search, part, search->subject.sweep->first + (int64_t)index);
    }
    add_up(search, SIZE_MAX);
    search_free(part);
    return good;
}

size_t search_sweep_left(const struct search *search) {
    size_t left = 0;
    for (size_t i = 0; search->swept && i < search->subject.sweep->count; i++)
        left += !search->swept[i].is_finished;
    return left;
}

static void list_sizes(struct search *search) {
    const struct search_sweep *sweep = search->subject.sweep;
    for (size_t i = 0; i < sweep->count; i++)
        if (swept_at(search, i)->is_begun)
            base_push(&search->sizes, ((struct search_at_size){sweep->first + (int64_t)i,
                                                               search->swept[i].counters.paths}));
}

bool search_run_sweep(struct search *search, struct base_error *error) {
    size_t count = search->subject.sweep->count;
    bool is_falling = search->strategy->proves_worst; /* usually the largest costs most */
    swept_at(search, 0);
    for (size_t i = 0; i < count; i++) {
        size_t index = is_falling ? count - 1 - i : i;
        if (search->swept[index].is_finished)
            continue;
        if (search_must_stop(search))
            break;
        if (!run_size(search, index, count - i, error))
            return false;
    }
    list_sizes(search);
    search->is_cut_short = search_sweep_left(search) > 0;
    return true;
}

/* ---- resuming ---- */

void search_save_sweep(struct search *search, struct base_buffer *out) {
    for (size_t i = 0; i < search->subject.sweep->count; i++) {
        struct search_swept *swept = swept_at(search, i), now = *swept;
        if (search->part && search->part_index == i) {
            note_part(swept, search->part);
            now = *swept;
        }
        uint64_t bytes = now.state.count;
        now.state = (struct base_buffer){0};
        search_put(out, &now, sizeof now);
        search_put(out, &bytes, sizeof bytes);
        search_put(out, swept->state.data, bytes);
    }
}

bool search_load_sweep(struct search *search, const char *data, const char *end) {
    for (size_t i = 0; i < search->subject.sweep->count; i++) {
        struct search_swept *swept = swept_at(search, i);
        uint64_t bytes;
        if (!search_get(&data, end, swept, sizeof *swept))
            return false;
        swept->state = (struct base_buffer){0};
        if (!search_get(&data, end, &bytes, sizeof bytes) || (size_t)(end - data) < bytes)
            return false;
        base_buffer_add(&swept->state, data, bytes);
        data += bytes;
    }
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
