/* SPDX-License-Identifier: Apache-2.0
 *
 * exhaustive: every path of the target, once.
 *
 * Paths form a tree whose inner nodes are decisions. A work item is an input that was made to take
 * a given prefix of decisions; what it does behind that prefix is its own affair. Running it gives
 * one path; at each decision of it behind the prefix the solver is asked for an input that goes
 * another way there, and every such input is a new item with a prefix one longer. So each node's
 * alternatives are asked for once, by the run that first passes it, and no path comes up twice.
 * (The generational search of "Automated Whitebox Fuzz Testing", Godefroid, Levin and Molnar,
 * section 3.2, with a stack in place of its scores.)
 *
 * A value that had to be fixed (an address, an operation without expression) is a decision, too:
 * the item carries the values that were tried, and the next one must be none of them. Such items
 * wait until there are no others: most values of one place lead along the same branches, and a
 * search that runs out of time should have seen the branches first.
 *
 * Invariants: whatever is left out is counted, and the counters decide whether the search may call
 * itself complete. Items that a worker has taken stay in its batch until all that follows from them
 * is in the frontier, so that a state saved in between loses nothing.
 */
#include "search/core/core.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 256u
#define BATCH_COST ((uint64_t)50 * 1000 * 1000) /* instructions; keeps slow targets responsive */
#define WINDOW_BYTES ((size_t)16 << 20)         /* of new items from one run */
#define FRONTIER_BYTES ((size_t)4 << 30)
#define LATER_BYTES ((size_t)512 << 20)

struct found { /* a run that was a path */
    uint32_t index, decisions;
    struct search_path path;
    bool has_fixed, is_endless;
};

struct worker {
    struct search *search;
    const struct search_programs *programs;
    struct solver *solver;
    struct expr_trace trace;
    struct search_turns turns;
    struct base_arena values;
    uint8_t *model;
    uint32_t window; /* decisions of one run that are changed at once */

    struct search_frontier batch, children;
    struct target_input inputs[BATCH];
    struct found found[BATCH];
    size_t found_count;
    struct abi_result results[BATCH];
    double costs[BATCH];
    uint64_t batch_cost;
    struct search_counters counters; /* of this batch */
    size_t most;                     /* items of the next one */
};

struct state {
    struct search_frontier frontier;
    struct search_frontier later; /* further values of fixed ones */
    struct base_arena values;     /* of loaded items */
    struct worker *workers;
    size_t busy; /* workers that may still bring new items */
};

/* ---- new items ---- */

static struct search_item *add_child(struct worker *worker, const uint8_t *input, uint32_t bound,
                                     uint64_t prefix) {
    struct search_item *child = search_frontier_push(&worker->children);
    *child = (struct search_item){.prefix = prefix, .bound = bound, .limit = UINT32_MAX};
    memcpy(child->input, input, worker->children.input_size);
    return child;
}

/* Is there an input that goes this way? If so it is in worker->model. */
static bool ask(struct worker *worker, uint32_t condition) {
    return search_ask(worker->solver, condition, worker->model, &worker->counters);
}

/* ---- the alternatives of one decision ---- */

struct walk {
    struct worker *worker;
    const struct search_item *item;
    struct expr_pool *pool;
    const struct expr_event *event;
    uint32_t depth; /* of the event among the decisions */
    uint64_t hash;  /* of the decisions before it */
};

static void change_branch(struct walk *walk, uint32_t condition) {
    const struct expr_event *event = walk->event;
    if (ask(walk->worker, expr_make_not(walk->pool, condition)))
        add_child(walk->worker, walk->worker->model, walk->depth + 1,
                  search_extend(walk->hash, event->kind, event->site, !event->value));
}

static void change_switch(struct walk *walk, const struct expr_cases *cases) {
    const struct expr_event *event = walk->event;
    uint32_t taken = expr_event_outcome(event, cases);
    uint32_t count = search_outcome_count(&walk->worker->search->sites, event->site);
    for (uint32_t outcome = 0; outcome < count; outcome++) {
        if (outcome == taken)
            continue;
        uint32_t condition = expr_switch_condition(walk->pool, event->expr, outcome, cases);
        if (ask(walk->worker, condition))
            add_child(walk->worker, walk->worker->model, walk->depth + 1,
                      search_extend(walk->hash, event->kind, event->site, outcome));
    }
}

/* EXPR is none of the values. */
static uint32_t exclude(struct expr_pool *pool, uint32_t expr, const struct search_value *values) {
    unsigned width = expr_node(pool, expr)->width;
    uint32_t all = 0;
    for (; values; values = values->next) {
        uint32_t value = expr_make_constant(pool, width, values->value);
        uint32_t other = expr_make_not(pool, expr_make(pool, ABI_OP_EQ, 1, 0, expr, value, 0));
        all = all ? expr_make(pool, ABI_OP_AND, 1, 0, all, other, 0) : other;
    }
    return all;
}

static void change_value(struct walk *walk, const struct search_value *tried) {
    struct worker *worker = walk->worker;
    const struct expr_event *event = walk->event;
    struct search_value *values = base_arena_alloc(&worker->values, sizeof *values);
    *values = (struct search_value){tried, event->value, tried ? tried->count + 1 : 1};
    if (!ask(worker, exclude(walk->pool, event->expr, values)))
        return;
    if (values->count >= worker->search->options.max_values) {
        worker->counters.concretised++;
        return;
    }
    uint64_t prefix = search_extend(walk->hash, event->kind, event->site, SEARCH_ANY_VALUE);
    add_child(worker, worker->model, walk->depth + 1, prefix)->tried = values;
}

/* The decision is open: what else could it be? */
static void change_decision(struct walk *walk, uint32_t condition, const struct expr_cases *cases) {
    uint32_t kind = walk->event->kind;
    if (kind == ABI_EVENT_BRANCH)
        change_branch(walk, condition);
    else if (kind == ABI_EVENT_SWITCH)
        change_switch(walk, cases);
    else
        change_value(walk, NULL);
}

/* Beyond --max-path: is anything lost there? */
static bool is_cut(struct walk *walk, uint32_t condition) {
    if (!ask(walk->worker, expr_make_not(walk->pool, condition)))
        return false;
    walk->worker->counters.cut++;
    return true;
}

/* ---- the walk along one trace ---- */

struct span { /* of decisions: [first, last) are open; beyond `cut` they are only looked at */
    uint32_t first, last, cut;
    bool next_value; /* the decision before `first` takes one more value */
    bool repair;     /* the run ended in an assumption that can be made true */
};

static bool is_open(const struct span *span, const struct walk *walk, uint32_t bound) {
    return (walk->depth >= span->first && walk->depth < span->last) ||
           (span->next_value && walk->depth + 1 == bound);
}

/* One decision of the trace; false when nothing behind it matters. */
static bool walk_decision(struct walk *walk, const struct span *span) {
    const struct expr_event *event = walk->event;
    const struct expr_cases *cases = event->kind == ABI_EVENT_SWITCH
                                         ? search_cases(&walk->worker->search->sites, event->site)
                                         : NULL;
    uint32_t condition = 0;
    if (!search_is_constant(walk->pool, event->expr))
        condition = expr_event_condition(walk->pool, event, cases);
    bool constant = search_is_constant(walk->pool, condition);
    if (!constant && is_open(span, walk, walk->item->bound)) {
        if (walk->depth + 1 == walk->item->bound)
            change_value(walk, walk->item->tried);
        else
            change_decision(walk, condition, cases);
    }
    if (!constant && walk->depth >= span->cut && is_cut(walk, condition))
        return false;
    if (walk->depth + 1 >= span->last && span->cut == UINT32_MAX && !span->repair)
        return false;
    if (!constant)
        solver_assert(walk->worker->solver, condition);
    walk->hash = search_extend(walk->hash, event->kind, event->site,
                               cases ? expr_event_outcome(event, cases) : event->value);
    walk->depth++;
    return true;
}

static void walk_assumption(struct walk *walk) {
    if (!search_is_constant(walk->pool, walk->event->expr))
        solver_assert(walk->worker->solver, walk->event->expr);
}

/* The run ended because an assumption was false: is there an input for which it is true? */
static void repair(struct walk *walk) {
    if (!search_is_constant(walk->pool, walk->event->expr) && ask(walk->worker, walk->event->expr))
        add_child(walk->worker, walk->worker->model, walk->depth, walk->hash);
}

/* The time is up in the middle of a path whose questions are hard: what is open of it becomes an
 * item of its own. */
static bool puts_off(struct walk *walk, const struct span *span) {
    const struct search *search = walk->worker->search;
    if (walk->depth <= span->first || walk->depth >= span->last || span->cut != UINT32_MAX ||
        span->repair || search->options.seconds <= 0 ||
        base_seconds() - search->began < search->options.seconds)
        return false;
    struct search_item *rest = add_child(walk->worker, walk->item->input, walk->depth, walk->hash);
    rest->limit = span->last;
    rest->is_rest = true;
    return true;
}

static void walk_trace(struct worker *worker, const struct search_item *item,
                       const struct span *span) {
    struct walk walk = {.worker = worker, .item = item, .pool = worker->trace.pool};
    solver_begin(worker->solver, walk.pool, item->input, worker->batch.input_size);
    for (size_t i = 0; i < worker->trace.count; i++) {
        walk.event = &worker->trace.events[i];
        uint32_t kind = walk.event->kind, site = walk.event->site;
        if (search_is_refusal(kind, site, walk.event->value)) {
            if (span->repair)
                repair(&walk);
            return;
        }
        if (kind == ABI_EVENT_ASSUME)
            walk_assumption(&walk);
        else if (search_is_decision(kind, site) &&
                 (puts_off(&walk, span) || !walk_decision(&walk, span)))
            return;
    }
}

/* Which decisions of this run are changed now? The rest becomes an item of its own, below the
 * children, so that one long path does not fill the frontier. */
static struct span choose_span(struct worker *worker, const struct search_item *item,
                               const struct search_scan *scan) {
    uint32_t longest = worker->search->options.max_path;
    bool is_first = item->limit == UINT32_MAX; /* look at this path, and not at its rest */
    struct span span = {.first = item->bound,
                        .last = scan->decisions < item->limit ? scan->decisions : item->limit,
                        .cut = UINT32_MAX,
                        .next_value = item->tried && is_first,
                        .repair = scan->is_rejected && is_first};
    if (span.last > scan->exceeded)
        span.last = scan->exceeded;
    if (span.last > longest)
        span.last = longest;
    if (scan->decisions > longest && longest <= scan->exceeded && is_first)
        span.cut = longest;
    if (span.last > span.first && span.last - span.first > worker->window) {
        struct search_item *rest = add_child(worker, item->input, item->bound, item->prefix);
        span.first = span.last - worker->window;
        rest->limit = span.first;
        rest->is_rest = true;
        rest->tried = item->tried;
    }
    return span;
}

static void explore(struct worker *worker, const struct search_item *item,
                    const struct search_scan *scan, const void *trace, size_t size) {
    struct span span = choose_span(worker, item, scan);
    if (span.first >= span.last && span.cut == UINT32_MAX && !span.next_value && !span.repair)
        return;
    struct base_error error;
    size_t next;
    if (!expr_trace_read(&worker->trace, trace, size, &next, &error) ||
        worker->trace.count != scan->events) {
        worker->counters.lost++;
        return;
    }
    walk_trace(worker, item, &span);
}

/* ---- one run ---- */

static void count_ending(struct search_counters *counters, const struct abi_result *result,
                         const struct search_scan *scan) {
    counters->crashes += result->status == ABI_STATUS_CRASH;
    counters->timeouts += search_is_over(result);
    counters->rejected += result->rejected != 0;
    counters->truncated += (scan->flags & ABI_TRACE_TRUNCATED) != 0;
}

static void note_path(struct worker *worker, size_t index, const struct search_scan *scan,
                      bool is_endless) {
    worker->found[worker->found_count++] =
        (struct found){(uint32_t)index, scan->decisions, scan->path, scan->fixed > 0, is_endless};
}

static void look_at_run(size_t index, const struct abi_result *result, const void *trace,
                        size_t size, void *context) {
    struct worker *worker = context;
    const struct search_item *item = search_frontier_at(&worker->batch, index);
    struct search_scan scan;
    worker->counters.runs += !item->is_rest;
    if (!search_scan_trace(&worker->search->sites, &worker->turns, item, trace, size, &scan)) {
        worker->counters.lost++;
        return;
    }
    worker->batch_cost += scan.cost;
    if (!item->is_rest)
        count_ending(&worker->counters, result, &scan);
    bool expected = scan.reached && (!item->bound || scan.prefix == item->prefix) && !scan.repeats;
    worker->counters.mismatches += !expected;
    bool exceeds = scan.exceeded != UINT32_MAX;
    if (exceeds && !item->is_rest)
        worker->counters.cut++;
    if (!item->is_rest && !exceeds && !result->rejected)
        note_path(worker, index, &scan, result->status == ABI_STATUS_ENDLESS);
    if (expected)
        explore(worker, item, &scan, trace, size);
}

/* ---- one batch ---- */

/* The measuring build would not notice that a loop never ends: such a run is not measured. */
static bool measure_found(struct worker *worker, struct base_error *error) {
    struct target_input inputs[BATCH];
    size_t count = 0;
    for (size_t i = 0; i < worker->found_count; i++)
        if (!worker->found[i].is_endless)
            inputs[count++] = worker->inputs[worker->found[i].index];
    if (count && !worker->programs->measure(worker->programs->self, inputs, count, worker->results,
                                            worker->costs, error))
        return false;
    for (size_t i = worker->found_count; i-- > 0;) { /* each result to the place of its run */
        bool is_measured = !worker->found[i].is_endless;
        count -= is_measured;
        worker->costs[i] = is_measured ? worker->costs[count] : 0;
        worker->results[i] = is_measured ? worker->results[count]
                                         : (struct abi_result){.status = ABI_STATUS_ENDLESS};
    }
    return true;
}

static bool run_batch(struct worker *worker, struct base_error *error) {
    size_t count = worker->batch.count;
    worker->counters = (struct search_counters){0};
    worker->found_count = 0;
    worker->batch_cost = 0;
    for (size_t i = 0; i < count; i++)
        worker->inputs[i] = (struct target_input){search_frontier_at(&worker->batch, i)->input,
                                                  worker->batch.input_size};
    if (!worker->programs->trace(worker->programs->self, worker->inputs, count, look_at_run, worker,
                                 error) ||
        !measure_found(worker, error))
        return false;
    uint64_t each = count ? worker->batch_cost / count + 1 : 1;
    worker->most = BATCH_COST / each < BATCH ? (size_t)(BATCH_COST / each) + 1 : BATCH;
    return true;
}

/* With the lock held: the new items, further values apart from all others. */
static void file_children(struct worker *worker, struct state *state) {
    struct search_frontier *children = &worker->children;
    size_t room = FRONTIER_BYTES / state->frontier.stride;
    if (state->frontier.count + state->later.count + children->count > room) {
        worker->counters.dropped += children->count;
        return;
    }
    for (size_t i = 0; i < children->count; i++) {
        const struct search_item *child = search_frontier_at(children, i);
        bool waits = child->tried && !child->is_rest &&
                     state->later.count < LATER_BYTES / state->later.stride;
        struct search_frontier *to = waits ? &state->later : &state->frontier;
        memcpy(search_frontier_push(to), child, children->stride);
    }
}

/* With the lock held: what a batch brought, and away with it. */
static void commit(struct worker *worker, struct state *state) {
    struct search *search = worker->search;
    for (size_t i = 0; i < worker->found_count; i++) {
        const struct found *found = &worker->found[i];
        struct search_test test = {.input = (uint8_t *)worker->inputs[found->index].data,
                                   .size = worker->batch.input_size,
                                   .cost = worker->costs[i],
                                   .decisions = found->decisions,
                                   .path = found->path,
                                   .result = worker->results[i]};
        if (found->has_fixed)
            test.path.a ^= test.result.counts_hash;
        search_found(search, &test);
    }
    file_children(worker, state);
    worker->children.count = worker->batch.count = worker->found_count = 0;
    search->worker_solver[worker - state->workers] = *solver_statistics(worker->solver);
    search_book(search, &worker->counters);
}

static size_t waiting(const struct state *state) {
    return state->frontier.count + state->later.count;
}

/* With the lock held: the next items; false when there will be none. */
static bool take_batch(struct worker *worker, struct state *state) {
    struct search *search = worker->search;
    while (!waiting(state) && state->busy && !atomic_load(&search->stop))
        pthread_cond_wait(&search->changed, &search->lock);
    if (!waiting(state) || search_must_stop(search))
        return false;
    struct search_frontier *from = state->frontier.count ? &state->frontier : &state->later;
    size_t count = from->count / search->jobs + 1;
    if (count > from->count)
        count = from->count;
    if (count > worker->most)
        count = worker->most;
    search_frontier_move(&worker->batch, from, count);
    return true;
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

/* ---- the whole ---- */

static void worker_init(struct worker *worker, struct search *search, size_t index) {
    const struct search_options *options = &search->options;
    worker->search = search;
    worker->programs = &search->programs[index];
    worker->solver = solver_new(&options->solver);
    solver_set_ranges(worker->solver, options->ranges, options->range_count);
    worker->trace.pool = expr_pool_new();
    worker->turns.bound = options->loop_bound;
    search_frontier_init(&worker->batch, options->input_size);
    search_frontier_init(&worker->children, options->input_size);
    worker->model = base_alloc(options->input_size + 1);
    size_t window = WINDOW_BYTES / worker->batch.stride;
    worker->window = window < 16 ? 16 : window > 4096 ? 4096 : (uint32_t)window;
    worker->most = BATCH;
}

static void worker_done(struct worker *worker) {
    search_add_solver(&worker->search->solver, solver_statistics(worker->solver));
    solver_free(worker->solver);
    expr_trace_done(&worker->trace);
    base_vector_done(&worker->turns.open);
    search_frontier_done(&worker->batch);
    search_frontier_done(&worker->children);
    base_arena_done(&worker->values);
    free(worker->model);
}

static struct state *state_of(struct search *search) {
    if (!search->state) {
        struct state *state = search->state = base_alloc(sizeof *state);
        search_frontier_init(&state->frontier, search->options.input_size);
        search_frontier_init(&state->later, search->options.input_size);
    }
    return search->state;
}

static struct search_item *add_start(struct search *search, const struct target_input *seed) {
    const struct search_options *options = &search->options;
    struct search_item *item = search_frontier_push(&state_of(search)->frontier);
    *item = (struct search_item){.limit = UINT32_MAX};
    memset(item->input, 0, options->input_size);
    if (seed)
        memcpy(item->input, seed->data, options->input_size);
    search_clamp(options, item->input, options->input_size);
    return item;
}

/* The root, of whose input nothing is asked, is the first seed or zeros. The other seeds are run
 * for their cost alone: their paths are in the tree as well. */
static void add_starts(struct search *search) {
    const struct search_options *options = &search->options;
    add_start(search, options->seed_count ? &options->seeds[0] : NULL);
    for (size_t i = 1; i < options->seed_count; i++)
        add_start(search, &options->seeds[i])->limit = 0;
}

static bool run(struct search *search, struct base_error *error) {
    struct state *state = search->state;
    if (!state) {
        state = state_of(search);
        add_starts(search);
    }
    if (!state->workers) { /* else it goes on after a pause */
        state->workers = base_alloc(search->jobs * sizeof *state->workers);
        for (size_t i = 0; i < search->jobs; i++)
            worker_init(&state->workers[i], search, i);
    }
    return search_run_workers(search, work, error);
}

static void save(struct search *search, struct base_buffer *out) {
    struct state *state = search->state;
    if (!state)
        return;
    search_frontier_save(&state->later, out);
    search_frontier_save(&state->frontier, out);
    for (size_t i = 0; state->workers && i < search->jobs; i++)
        search_frontier_save(&state->workers[i].batch, out);
}

static bool load(struct search *search, const char *data, size_t size) {
    struct state *state = state_of(search);
    return search_frontier_load(&state->frontier, &data, data + size, &state->values);
}

static size_t frontier(const struct search *search) {
    const struct state *state = search->state;
    size_t count = state ? waiting(state) : 0;
    for (size_t i = 0; state && state->workers && i < search->jobs; i++)
        count += state->workers[i].batch.count;
    return count;
}

static void done(struct search *search) {
    struct state *state = search->state;
    if (!state)
        return;
    for (size_t i = 0; state->workers && i < search->jobs; i++)
        worker_done(&state->workers[i]);
    free(state->workers);
    search_frontier_done(&state->frontier);
    search_frontier_done(&state->later);
    base_arena_done(&state->values);
    free(state);
    search->state = NULL;
}

const struct search_strategy search_strategy_exhaustive = {
    .name = "exhaustive",
    .summary = "every path, depth first, by changing one decision after the other",
    .is_symbolic = true,
    .run = run,
    .save = save,
    .load = load,
    .frontier = frontier,
    .done = done};
