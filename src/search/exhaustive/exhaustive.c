/* SPDX-License-Identifier: Apache-2.0
 *
 * exhaustive: every path of the target, once.
 *
 * Paths form a tree whose inner nodes are decisions. A work item is an input made to take a given
 * prefix of decisions; after that prefix it may go anywhere. Running it gives one path; at each
 * decision after the prefix, the solver is asked for an input that goes in another direction there,
 * and every such input is a new item with a longer prefix. So each node's alternatives are asked
 * for once, by the run that first passes it, and no path is found twice. (The generational search
 * of "Automated Whitebox Fuzz Testing", Godefroid, Levin and Molnar, section 3.2, with a stack in
 * place of its scores.)
 *
 * A value that had to be fixed (an address, an operation without expression) is a decision, too:
 * the item lists the values tried so far, and the next one must differ from them. Such items wait
 * until there are no others: most values at one place lead along the same branches, and a search
 * that runs out of time should have seen the branches first.
 *
 * Invariants: whatever is left out is counted, and the counters decide whether the search may call
 * itself complete. Items that a worker has taken stay in its batch until all that follows from them
 * is in the frontier, so that a state saved in between loses nothing.
 */
#include "search/exhaustive/exhaustive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 256u
#define SHORT_BATCH 8u                          /* while other ranks wait for new items */
#define BATCH_COST ((uint64_t)50 * 1000 * 1000) /* instructions; keeps slow targets responsive */
#define FRONTIER_BYTES ((size_t)4 << 30)
#define LATER_BYTES ((size_t)512 << 20)

enum found_kind {
    MEASURED, /* or about to be */
    FAULT,    /* that the measuring build would not notice */
    DULL      /* it succeeded, but costs too little to be kept */
};

struct found { /* a run that counts as a path */
    uint32_t index, decisions;
    uint8_t *worst; /* the costliest input of the path, and the first; NULL: no costlier one */
    struct search_path path;
    double told; /* its cost according to the trace; NAN: unknown */
    enum found_kind kind;
    bool has_fixed, is_open; /* has fixed values; its cost is open */
};

struct worker {
    struct search *search;
    const struct search_program *program;
    struct exhaustive_expander expander;
    struct exhaustive_scanner scanner;
    struct exhaustive_frontier batch;
    struct target_input inputs[BATCH];
    struct found found[BATCH];
    size_t found_count;
    struct base_arena worst;             /* the costliest inputs of their paths */
    struct abi_result unmeasured[BATCH]; /* by index in `found`, if not measured */
    struct abi_result results[BATCH];
    double costs[BATCH];
    uint64_t batch_cost;
    bool is_selective; /* runs that cost less than `least` are not measured */
    double least;
    struct search_counters counters; /* of this batch */
    size_t most, granted;            /* items in the next batch; runs granted to this one */
};

struct state {
    struct exhaustive_frontier frontier;
    struct exhaustive_frontier later; /* items for further values of fixed ones */
    struct base_arena values;         /* of loaded items */
    struct worker *workers;
    size_t busy; /* workers that may still produce items */
    struct exhaustive_share share;
    size_t compared; /* runs whose cost by the trace was compared with the measuring build */
    bool differs;    /* at least one differed */
};

/* ---- what a run costs ----
 *
 * The symbolic build counts instructions and calls as the measuring build does. As long as both
 * agree, only runs that may be among the costliest are measured; a difference ends that. */

#define COMPARED 1024 /* runs that must agree before measuring is skipped */

/* With the lock held: decides which runs of the next batch to measure. */
static void choose_least(struct worker *worker, const struct state *state) {
    const struct search_archive *archive = &worker->search->archive;
    const struct abi_result well = {.status = ABI_STATUS_OK};
    worker->is_selective = !state->differs && state->compared >= COMPARED && archive->count &&
                           search_is_dull(worker->search, &well, -INFINITY);
    worker->least = worker->is_selective ? archive->tests[archive->count - 1].cost : 0;
}

/* With the lock held. */
static void compare_costs(const struct worker *worker, struct state *state) {
    for (size_t i = 0; i < worker->found_count; i++) {
        const struct found *found = &worker->found[i];
        if (found->kind != MEASURED || found->worst || isnan(found->told) ||
            !search_ended_well(&worker->results[i]))
            continue;
        state->compared++;
        state->differs |= found->told != worker->costs[i];
    }
}

/* ---- one run ---- */

/* The measuring build would not notice endless loops or accesses outside of objects. Paths with
 * fixed values are distinguished by its block counts. */
static void note_path(struct worker *worker, size_t index, const struct exhaustive_scan *scan,
                      const struct abi_result *result) {
    struct found *found = &worker->found[worker->found_count];
    *found = (struct found){.index = (uint32_t)index,
                            .decisions = scan->decisions,
                            .path = scan->path,
                            .told = exhaustive_told_cost(worker->search, &worker->expander.walk),
                            .has_fixed = scan->fixed > 0};
    if (result->status == ABI_STATUS_ENDLESS || result->status == ABI_STATUS_BOUNDS) {
        found->kind = FAULT;
        worker->unmeasured[worker->found_count] =
            (struct abi_result){.status = result->status,
                                .outside = result->outside,
                                .counts_hash = result->outside.start}; /* distinguished by object */
    } else if (worker->is_selective && result->status == ABI_STATUS_OK && !found->has_fixed &&
               !scan->open && found->told < worker->least) {
        found->kind = DULL;
    }
    worker->found_count++;
}

/* Looks for a costlier input of the last path noted. If time is up, that is counted as unknown: a
 * resumed search does not return to the path. */
static void find_worst(struct worker *worker, const struct exhaustive_item *item,
                       const struct exhaustive_scan *scan) {
    struct found *found = &worker->found[worker->found_count - 1];
    size_t size = worker->batch.input_size;
    bool is_late = search_is_ending(worker->search),
         is_wanted = scan->open && found->kind == MEASURED;
    worker->counters.unknown += is_wanted && is_late;
    if (!is_wanted || is_late)
        return;
    found->worst = base_arena_alloc(&worker->worst, 2 * size + 1);
    memcpy(found->worst, item->input, size);
    memcpy(found->worst + size, item->input, size);
    struct search_worst about =
        search_find_worst(worker->search, worker->program, worker->expander.solver,
                          &worker->expander.walk, scan->open, found->worst);
    found->is_open = about.is_open;
    worker->counters.conditional += about.is_conditional;
    worker->counters.unknown += about.is_unproven;
    if (memcmp(found->worst, item->input, size) == 0)
        found->worst = NULL;
}

static void look_at_run(size_t index, const struct abi_result *result, const void *trace,
                        size_t size, void *context) {
    struct worker *worker = context;
    search_listen(worker->search);
    const struct exhaustive_item *item = exhaustive_frontier_at(&worker->batch, index);
    struct search_walk *walk = &worker->expander.walk;
    struct exhaustive_scan scan;
    bool is_whole = search_walk_open(walk, trace, size) &&
                    exhaustive_scan_trace(&worker->scanner, walk, item, &scan);
    if (!item->is_rest)
        search_count_run(&worker->counters, result, walk);
    if (!is_whole)
        return;
    if (!item->is_rest)
        search_count_losses(&worker->counters, worker->program, walk);
    worker->batch_cost += walk->cost;
    worker->counters.mismatches += !scan.is_expected;
    bool exceeds = scan.exceeded != UINT32_MAX;
    worker->counters.exceeding += scan.given_up != UINT32_MAX && !item->is_rest;
    if (exceeds && !item->is_rest)
        worker->counters.cut++;
    bool strays = scan.strayed != UINT32_MAX;
    worker->counters.strayed += strays && !item->is_rest;
    bool is_path = !item->is_rest && !exceeds && !strays && !result->rejected;
    if (is_path)
        note_path(worker, index, &scan, result);
    if (scan.is_expected)
        exhaustive_expand(&worker->expander, item, &scan);
    if (is_path)
        find_worst(worker, item, &scan);
}

/* ---- one batch ---- */

static struct target_input input_of(const struct worker *worker, const struct found *found) {
    const struct target_input *input = &worker->inputs[found->index];
    return found->worst ? (struct target_input){found->worst, input->size} : *input;
}

/* If the run of a path's costliest input fails, the input that was found first is used instead. */
static bool measure_first(struct worker *worker, size_t index, struct base_error *error) {
    struct found *found = &worker->found[index];
    if (!found->worst || worker->results[index].status == ABI_STATUS_OK)
        return true;
    found->worst = NULL;
    return worker->program->measure(worker->program->self, &worker->inputs[found->index], 1,
                                    &worker->results[index], &worker->costs[index], error);
}

static bool measure_found(struct worker *worker, struct base_error *error) {
    struct target_input inputs[BATCH];
    size_t count = 0;
    for (size_t i = 0; i < worker->found_count; i++)
        if (worker->found[i].kind == MEASURED)
            inputs[count++] = input_of(worker, &worker->found[i]);
    if (count && !worker->program->measure(worker->program->self, inputs, count, worker->results,
                                           worker->costs, error))
        return false;
    for (size_t i = worker->found_count; i-- > 0;) { /* move each result to the index of its run */
        bool is_measured = worker->found[i].kind == MEASURED;
        count -= is_measured;
        if (is_measured && count == i)
            break; /* this and all earlier ones are in place */
        if (worker->found[i].kind == DULL)
            continue;
        worker->costs[i] = is_measured ? worker->costs[count] : 0;
        worker->results[i] = is_measured ? worker->results[count] : worker->unmeasured[i];
    }
    bool good = true;
    for (size_t i = 0; good && i < worker->found_count; i++)
        good = measure_first(worker, i, error);
    return good;
}

static bool run_batch(struct worker *worker, struct base_error *error) {
    size_t count = worker->batch.count;
    worker->counters = (struct search_counters){0};
    worker->found_count = 0;
    worker->batch_cost = 0;
    for (size_t i = 0; i < count; i++)
        worker->inputs[i] = (struct target_input){exhaustive_frontier_at(&worker->batch, i)->input,
                                                  worker->batch.input_size};
    if (!worker->program->trace(worker->program->self, worker->inputs, count, look_at_run, worker,
                                error) ||
        !measure_found(worker, error))
        return false;
    uint64_t each = count ? worker->batch_cost / count + 1 : 1;
    worker->most = BATCH_COST / each < BATCH ? (size_t)(BATCH_COST / each) + 1 : BATCH;
    return true;
}

/* With the lock held: files the new items; those for further values wait separately. */
static void file_children(struct worker *worker, struct state *state) {
    struct exhaustive_frontier *children = &worker->expander.children;
    size_t room = FRONTIER_BYTES / state->frontier.stride;
    if (state->frontier.count + state->later.count + children->count > room) {
        worker->counters.dropped += children->count;
        return;
    }
    for (size_t i = 0; i < children->count; i++) {
        const struct exhaustive_item *child = exhaustive_frontier_at(children, i);
        bool waits = child->tried && !child->is_rest &&
                     state->later.count < LATER_BYTES / state->later.stride;
        struct exhaustive_frontier *to = waits ? &state->later : &state->frontier;
        memcpy(exhaustive_frontier_push(to), child, children->stride);
    }
}

static void keep_found(struct worker *worker, size_t i) {
    const struct found *found = &worker->found[i];
    search_found(worker->search,
                 &(struct search_test){.input = (uint8_t *)input_of(worker, found).data,
                                       .size = worker->batch.input_size,
                                       .is_open = found->is_open,
                                       .has_first = found->worst != NULL,
                                       .cost = worker->costs[i],
                                       .decisions = found->decisions,
                                       .path = found->path,
                                       .result = worker->results[i]});
}

/* With the lock held: books the results of a batch and empties it. */
static void commit(struct worker *worker, struct state *state) {
    struct search *search = worker->search;
    for (size_t i = 0; i < worker->found_count; i++) {
        if (worker->found[i].has_fixed)
            worker->found[i].path.a ^= worker->results[i].counts_hash;
        search_paths_await(&search->paths, worker->found[i].path);
    }
    for (size_t i = 0; i < worker->found_count; i++) {
        const struct found *found = &worker->found[i];
        if (found->kind == DULL || search_is_dull(search, &worker->results[i], worker->costs[i]))
            search_count_path(search, found->path);
        else
            keep_found(worker, i);
    }
    compare_costs(worker, state);
    file_children(worker, state);
    worker->expander.children.count = worker->batch.count = worker->found_count = 0;
    base_arena_done(&worker->worst);
    search->worker_solver[worker - state->workers] = *solver_statistics(worker->expander.solver);
    search_give_back(search, worker->granted - worker->counters.runs);
    search_book(search, &worker->counters);
}

static size_t waiting(const struct state *state) {
    return state->frontier.count + state->later.count;
}

/* With the lock held: takes the next items; false when there will be none. */
static bool take_batch(struct worker *worker, struct state *state) {
    struct search *search = worker->search;
    double began = base_seconds();
    while ((!waiting(state) || !search_runs_left(search)) && !atomic_load(&search->stop) &&
           (state->busy || exhaustive_may_come(search)))
        if (state->busy)
            pthread_cond_wait(&search->changed, &search->lock);
        else
            exhaustive_wait_for_others(search, began);
    if (!waiting(state) || search_must_stop(search))
        return false;
    struct exhaustive_frontier *from = state->frontier.count ? &state->frontier : &state->later;
    bool wanted = exhaustive_is_wanted(search);
    size_t count = from->count / (search->subject.jobs + wanted) + 1;
    if (count > from->count)
        count = from->count;
    size_t most = wanted && worker->most > SHORT_BATCH ? SHORT_BATCH : worker->most;
    if (count > most)
        count = most;
    choose_least(worker, state);
    worker->granted = search_grant(search, count);
    exhaustive_frontier_move(&worker->batch, from, worker->granted);
    return worker->granted > 0;
}

static bool work(struct search *search, size_t index, struct base_error *error) {
    struct state *state = search->state;
    struct worker *worker = &state->workers[index];
    bool good = true;
    pthread_mutex_lock(&search->lock);
    while (good && take_batch(worker, state)) {
        state->busy++;
        pthread_mutex_unlock(&search->lock);
        good = run_batch(worker, error);
        pthread_mutex_lock(&search->lock);
        if (good)
            commit(worker, state);
        state->busy--;
        pthread_cond_broadcast(&search->changed);
    }
    pthread_mutex_unlock(&search->lock);
    return good;
}

/* ---- the strategy ---- */

static void worker_init(struct worker *worker, struct search *search, size_t index) {
    worker->search = search;
    worker->program = &search->subject.programs[index];
    worker->scanner.guards.loops.bound = search->options.path.loop_bound;
    worker->scanner.guards.policy = search->subject.policy;
    worker->scanner.guards.trail = search->options.trail;
    worker->expander.counters = &worker->counters;
    worker->expander.scanner = &worker->scanner;
    exhaustive_expander_init(&worker->expander, search);
    exhaustive_frontier_init(&worker->batch, search->subject.layout.bytes);
    worker->most = BATCH;
}

static void worker_done(struct worker *worker) {
    exhaustive_expander_done(&worker->expander);
    exhaustive_scanner_done(&worker->scanner);
    exhaustive_frontier_done(&worker->batch);
    base_arena_done(&worker->worst);
}

static struct state *state_of(struct search *search) {
    if (!search->state) {
        struct state *state = search->state = base_alloc(sizeof *state);
        exhaustive_frontier_init(&state->frontier, search->subject.layout.bytes);
        exhaustive_frontier_init(&state->later, search->subject.layout.bytes);
    }
    return search->state;
}

static struct exhaustive_item *add_start(struct search *search, const struct target_input *seed) {
    const struct search_layout *layout = &search->subject.layout;
    struct exhaustive_item *item = exhaustive_frontier_push(&state_of(search)->frontier);
    *item = (struct exhaustive_item){.limit = UINT32_MAX};
    memset(item->input, 0, layout->bytes);
    if (seed)
        memcpy(item->input, seed->data, layout->bytes);
    search_clamp(layout, item->input, layout->bytes);
    return item;
}

/* The root, whose input is unconstrained, is the first seed or zeros. The other seeds are only run
 * for their cost: their paths are in the tree anyway. */
static void add_starts(struct search *search) {
    const struct search_subject *subject = &search->subject;
    add_start(search, subject->start_count ? &subject->starts[0] : NULL);
    for (size_t i = 1; i < subject->start_count; i++)
        add_start(search, &subject->starts[i])->limit = 0;
}

/* False if a message was damaged: its items are lost. */
static bool is_whole(const struct search *search, struct base_error *error) {
    return !cluster_is_damaged(search->options.cluster) ||
           base_fail(error, BASE_BROKEN, "a message between ranks was damaged on its way");
}

static bool run(struct search *search, struct base_error *error) {
    struct state *state = search->state;
    bool is_new = !state;
    if (is_new)
        state = state_of(search);
    if (is_new && search_rank(search) == 0) /* other ranks get some of it */
        add_starts(search);
    if (!state->workers) { /* otherwise it continues after a pause */
        state->workers = base_alloc(search->subject.jobs * sizeof *state->workers);
        for (size_t i = 0; i < search->subject.jobs; i++)
            worker_init(&state->workers[i], search, i);
    }
    if (!search_is_shared(search))
        return search_run_workers(search, work, error);
    if (!state->share.search) {
        state->share = (struct exhaustive_share){search,         &state->frontier, &state->later,
                                                 &state->values, &state->busy,     false};
        exhaustive_share_begin(&state->share);
    }
    state->share.is_open = true;
    bool good = search_run_workers(search, work, error) && is_whole(search, error);
    state->share.is_open = false;
    return good;
}

static void save(struct search *search, struct base_buffer *out) {
    struct state *state = search->state;
    if (!state)
        return;
    exhaustive_frontier_save(&state->later, out);
    exhaustive_frontier_save(&state->frontier, out);
    for (size_t i = 0; state->workers && i < search->subject.jobs; i++)
        exhaustive_frontier_save(&state->workers[i].batch, out);
}

static bool load(struct search *search, const char *data, size_t size) {
    struct state *state = state_of(search);
    return exhaustive_frontier_load(&state->frontier, &data, data + size, &state->values);
}

static bool take_rest(struct search *search, const char *data, size_t size) {
    struct state *state = state_of(search);
    return exhaustive_take(&state->frontier, data, size, &state->values);
}

static size_t frontier(const struct search *search) {
    const struct state *state = search->state;
    size_t count = state ? waiting(state) : 0;
    for (size_t i = 0; state && state->workers && i < search->subject.jobs; i++)
        count += state->workers[i].batch.count;
    return count;
}

static void done(struct search *search) {
    struct state *state = search->state;
    if (!state)
        return;
    for (size_t i = 0; state->workers && i < search->subject.jobs; i++)
        worker_done(&state->workers[i]);
    if (state->share.search)
        cluster_share(search->options.cluster, NULL);
    free(state->workers);
    exhaustive_frontier_done(&state->frontier);
    exhaustive_frontier_done(&state->later);
    base_arena_done(&state->values);
    free(state);
    search->state = NULL;
}

const struct search_strategy search_strategy_exhaustive = {
    .name = "exhaustive",
    .summary = "every path, depth first, by changing one decision after the other",
    .is_symbolic = true,
    .covers_all = true,
    .shares_work = true,
    .merges = true,
    .take_rest = take_rest,
    .run = run,
    .save = save,
    .load = load,
    .frontier = frontier,
    .done = done};
