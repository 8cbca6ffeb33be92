/* SPDX-License-Identifier: Apache-2.0
 *
 * What runs tell the beam: where a state's path leads and what it costs (look), which inputs take
 * other ways at its open decisions (expand), which bytes its path depends on (support).
 *
 * A prefix is run again and never solved again: its input satisfies it. The work is cut into
 * batches of states with one origin, since the bytes that are concrete are told to the target once
 * per hand-over; workers take batches as they come, and results are put together in the order of
 * the batches, so that they do not depend on the number of workers.
 */
#include "search/beam/beam.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 256u
#define BATCH_BYTES ((size_t)64 << 20) /* of inputs in one hand-over */
#define LEAST_ADDRESS 4096u            /* outcomes above are addresses */

struct batch {
    size_t first, count;
    struct beam_states children;
};

struct worker {
    struct beam_runner *runner;
    const struct search_programs *programs;
    struct solver *solver;
    struct beam_guess *guess;
    struct expr_trace trace;
    uint8_t *model, *inputs;
    struct batch *batch;
    struct search_counters counters;
    struct search_options window; /* as the options, with size and ranges of the origin's window */
    struct solver_range *ranges;
};

struct beam_runner {
    struct search *search;
    const struct beam_origins *origins;
    struct worker *workers;
    target_visit *visit;

    struct beam_state **states; /* of the work under way */
    uint8_t **fixed;
    uint32_t limit;
    bool weighs_whole;
    struct batch *batches;
    size_t batch_count;
    atomic_size_t next;
};

/* ---- look ---- */

/* The outcome of a decision as one number; false when the trace cannot be right. */
static bool outcome_of(const struct search_sites *sites, const struct abi_event *event,
                       uint64_t *word) {
    *word = event->value;
    if (event->kind != ABI_EVENT_SWITCH)
        return true;
    const struct expr_cases *cases = search_cases(sites, event->site);
    if (!cases)
        return false;
    struct expr_event copy = {.kind = ABI_EVENT_SWITCH, .site = event->site, .value = event->value};
    *word = expr_event_outcome(&copy, cases);
    return true;
}

/* Does the decision go as the state's input was made to? */
static bool is_expected(const struct beam_state *state, uint32_t at, uint64_t word) {
    if (at >= state->bound)
        return true;
    if (state->any_value && at + 1 == state->bound)
        return word != state->words[at];
    return word == state->words[at];
}

static double cost_so_far(const struct search *search, const uint64_t *costs) {
    const struct search_worth *worth = &search->options.worth;
    return worth->instructions * (double)costs[ABI_COST_INSTRUCTIONS] +
           worth->memory * (double)costs[ABI_COST_MEMORY];
}

/* The end of the input that the run has read, as far as it is symbolic. */
static uint32_t input_read(const struct abi_trace *header) {
    const struct abi_node *nodes = (const struct abi_node *)(header + 1);
    uint32_t end = 0;
    for (uint32_t i = 1; i < header->node_count; i++)
        if (nodes[i].op == ABI_OP_INPUT && nodes[i].a + nodes[i].width / 8u > end)
            end = nodes[i].a + nodes[i].width / 8u;
    return end;
}

/* What the path has cost since its first event, for each byte read in it. */
static double rate(const struct abi_trace *header, double cost, double before) {
    uint32_t end = input_read(header);
    return (cost - before) / (double)(end ? end : 1);
}

/* Fills in what the events say; false when they are not those that were asked for. */
static bool read_path(const struct search *search, struct beam_state *state, uint32_t limit,
                      const struct abi_trace *header, const struct abi_event *events) {
    uint64_t *words = base_alloc(((size_t)limit + 1) * sizeof *words);
    uint64_t costs[ABI_COST_COUNT] = {0}, told[ABI_COST_COUNT] = {0};
    double before = 0;
    bool good = true, is_first = true;
    state->depth = 0;
    state->is_rejected = false;
    for (uint32_t i = 0; good && i < header->event_count && state->depth < limit; i++) {
        struct abi_event event = events[i];
        abi_follow_costs(told, &event);
        if (event.kind == ABI_EVENT_COST)
            continue; /* what comes behind the last decision does not count */
        memcpy(costs, told, sizeof costs);
        before = is_first ? cost_so_far(search, costs) : before;
        is_first = false;
        state->is_rejected |= search_is_refusal(event.kind, event.site, event.value);
        if (!search_is_decision(event.kind, event.site))
            continue;
        good = outcome_of(&search->sites, &event, &words[state->depth]) &&
               is_expected(state, state->depth, words[state->depth]);
        state->depth++;
    }
    good = good && state->depth >= state->bound;
    state->has_ended = state->depth < limit;
    if (state->has_ended && header->cost > costs[ABI_COST_INSTRUCTIONS])
        costs[ABI_COST_INSTRUCTIONS] = header->cost;
    state->cost = cost_so_far(search, costs);
    if (search->options.worth.judge == SEARCH_RATE)
        state->cost = rate(header, state->cost, before);
    free(state->words);
    state->words = words;
    return good;
}

static void count_ending(struct search_counters *counters, const struct abi_result *result) {
    counters->crashes += result->status == ABI_STATUS_CRASH;
    counters->timeouts += search_is_over(result);
    counters->rejected += result->rejected != 0;
}

static void look(size_t index, const struct abi_result *result, const void *trace, size_t size,
                 void *context) {
    struct worker *worker = context;
    struct beam_runner *runner = worker->runner;
    struct beam_state *state = runner->states[worker->batch->first + index];
    const struct abi_event *events = search_events(trace, size);
    worker->counters.runs++;
    count_ending(&worker->counters, result);
    state->is_lost = true;
    if (!events) {
        worker->counters.lost++;
        return;
    }
    const struct abi_trace *header = trace;
    worker->counters.truncated += (header->flags & ABI_TRACE_TRUNCATED) != 0;
    bool expected = read_path(runner->search, state, runner->limit, header, events);
    worker->counters.mismatches += !expected;
    worker->counters.paths += expected && !state->is_rejected;
    state->is_lost = !expected || result->status != ABI_STATUS_OK;
}

/* ---- expand ---- */

struct walk {
    struct worker *worker;
    struct beam_state *state;
    struct expr_pool *pool;
    const struct expr_event *event;
    uint32_t depth; /* of the event among the decisions */
};

static bool ask(struct worker *worker, uint32_t condition) {
    if (beam_guess_ask(worker->guess, condition, worker->model)) {
        worker->counters.guessed++;
        return true;
    }
    return search_ask(worker->solver, condition, worker->model, &worker->counters);
}

/* A state that the model was found for: it takes the first BOUND decisions, the last as WORD. */
static struct beam_state *add_child(struct walk *walk, uint32_t bound, uint64_t word) {
    const struct beam_state *parent = walk->state;
    const struct beam_origin *origin = &walk->worker->runner->origins->data[parent->origin];
    struct beam_state child = {.origin = parent->origin, .bound = bound, .open = bound};
    child.words = base_alloc(((size_t)bound + 1) * sizeof *child.words);
    memcpy(child.words, parent->words, bound * sizeof *child.words);
    if (bound > walk->depth)
        child.words[bound - 1] = word;
    child.bytes = base_alloc(origin->count + 1);
    memcpy(child.bytes, walk->worker->model, origin->count);
    base_push(&walk->worker->batch->children, child);
    struct beam_states *children = &walk->worker->batch->children;
    return &children->data[children->count - 1];
}

static void hold(struct worker *worker, uint32_t condition) {
    beam_guess_assert(worker->guess, condition);
    solver_assert(worker->solver, condition);
}

static void change_switch(struct walk *walk, const struct expr_cases *cases) {
    const struct expr_event *event = walk->event;
    uint32_t taken = expr_event_outcome(event, cases);
    uint32_t count = search_outcome_count(&walk->worker->runner->search->sites, event->site);
    for (uint32_t outcome = 0; outcome < count; outcome++)
        if (outcome != taken &&
            ask(walk->worker, expr_switch_condition(walk->pool, event->expr, outcome, cases)))
            add_child(walk, walk->depth + 1, outcome);
}

static uint32_t equals(struct expr_pool *pool, uint32_t expr, uint64_t value) {
    uint32_t constant = expr_make_constant(pool, expr_node(pool, expr)->width, value);
    return expr_make(pool, ABI_OP_EQ, 1, 0, expr, constant, 0);
}

/* A value that had to be fixed may be any other: a few that occurred before on this path, since
 * places that are met again are where lists grow and caches clash, and one that is new. */
static void change_value(struct walk *walk) {
    const struct expr_event *event = walk->event;
    uint64_t earlier[BEAM_EARLIER];
    size_t count =
        beam_guess_earlier(walk->worker->guess, event->expr, event->value, earlier, BEAM_EARLIER);
    uint32_t others = expr_make_not(walk->pool, equals(walk->pool, event->expr, event->value));
    for (size_t i = 0; i < count; i++) {
        uint32_t same = equals(walk->pool, event->expr, earlier[i]);
        if (search_is_constant(walk->pool, same))
            continue;
        if (ask(walk->worker, same))
            add_child(walk, walk->depth + 1, earlier[i]);
        others =
            expr_make(walk->pool, ABI_OP_AND, 1, 0, others, expr_make_not(walk->pool, same), 0);
    }
    if (ask(walk->worker, others)) {
        add_child(walk, walk->depth + 1, event->value)->any_value = true;
        walk->worker->counters.concretised++;
    }
}

/* Addresses that the path met before this episode. */
static void note_origin(struct beam_guess *guess, const struct beam_origin *origin) {
    for (uint32_t i = 0; i < origin->depth; i++)
        if (origin->words[i] >= LEAST_ADDRESS)
            beam_guess_note(guess, origin->words[i]);
}

static void walk_decision(struct walk *walk) {
    const struct expr_event *event = walk->event;
    const struct expr_cases *cases =
        event->kind == ABI_EVENT_SWITCH
            ? search_cases(&walk->worker->runner->search->sites, event->site)
            : NULL;
    uint32_t condition = search_is_constant(walk->pool, event->expr)
                             ? 0
                             : expr_event_condition(walk->pool, event, cases);
    if (!search_is_constant(walk->pool, condition)) {
        if (walk->depth < walk->state->open)
            ;
        else if (event->kind == ABI_EVENT_SWITCH)
            change_switch(walk, cases);
        else if (search_fixes_value(event->kind))
            change_value(walk);
        else if (ask(walk->worker, expr_make_not(walk->pool, condition)))
            add_child(walk, walk->depth + 1, !event->value);
        hold(walk->worker, condition);
    }
    if (event->kind == ABI_EVENT_ADDRESS)
        beam_guess_note(walk->worker->guess, event->value);
    walk->depth++;
}

/* Assumptions hold from here on. One that is false ended the run: can it be made true? */
static void walk_assumption(struct walk *walk) {
    const struct expr_event *event = walk->event;
    if (search_is_constant(walk->pool, event->expr))
        return;
    if (!search_is_refusal(event->kind, event->site, event->value))
        hold(walk->worker, event->expr);
    else if (ask(walk->worker, event->expr))
        add_child(walk, walk->depth, 0);
}

static bool read_trace(struct worker *worker, const void *trace, size_t size) {
    struct base_error error;
    size_t next;
    bool good = trace && expr_trace_read(&worker->trace, trace, size, &next, &error);
    worker->counters.lost += !good;
    return good;
}

static void expand(size_t index, const struct abi_result *result, const void *trace, size_t size,
                   void *context) {
    struct worker *worker = context;
    struct beam_runner *runner = worker->runner;
    struct beam_state *state = runner->states[worker->batch->first + index];
    const struct beam_origin *origin = &runner->origins->data[state->origin];
    (void)result;
    worker->counters.runs++;
    state->is_expanded = true;
    if (search_must_stop(runner->search) || !read_trace(worker, trace, size))
        return;
    struct walk walk = {.worker = worker, .state = state, .pool = worker->trace.pool};
    solver_begin(worker->solver, walk.pool, state->bytes, origin->count);
    beam_guess_begin(worker->guess, walk.pool, state->bytes, origin->count);
    note_origin(worker->guess, origin);
    for (size_t i = 0; i < worker->trace.count && walk.depth < state->depth; i++) {
        walk.event = &worker->trace.events[i];
        if (search_is_decision(walk.event->kind, walk.event->site))
            walk_decision(&walk);
        else if (walk.event->kind == ABI_EVENT_ASSUME || walk.event->kind == ABI_EVENT_BRANCH)
            walk_assumption(&walk);
    }
    /* A refusal stands behind the last decision. */
    for (size_t i = worker->trace.count; state->is_rejected && i-- > 0;) {
        walk.event = &worker->trace.events[i];
        if (search_is_refusal(walk.event->kind, walk.event->site, walk.event->value)) {
            walk_assumption(&walk);
            break;
        }
    }
}

/* ---- support ---- */

static void set_bits(uint8_t *bits, struct expr_support support) {
    for (uint32_t i = 0; i < support.count; i++)
        bits[support.offsets[i] / 8] |= (uint8_t)(1u << support.offsets[i] % 8);
}

static void support(size_t index, const struct abi_result *result, const void *trace, size_t size,
                    void *context) {
    struct worker *worker = context;
    struct beam_runner *runner = worker->runner;
    size_t number = worker->batch->first + index;
    uint32_t depth = 0;
    (void)result;
    worker->counters.runs++;
    if (!read_trace(worker, trace, size))
        return;
    for (size_t i = 0; i < worker->trace.count && depth < runner->states[number]->depth; i++) {
        const struct expr_event *event = &worker->trace.events[i];
        bool decides = search_is_decision(event->kind, event->site);
        if (decides || event->kind == ABI_EVENT_ASSUME)
            set_bits(runner->fixed[number], expr_support(worker->trace.pool, event->expr));
        depth += decides;
    }
}

/* ---- batches and workers ---- */

static bool measure_batch(struct worker *worker, const struct target_input *inputs,
                          struct base_error *error) {
    struct beam_runner *runner = worker->runner;
    struct abi_result results[BATCH];
    double costs[BATCH];
    size_t count = worker->batch->count;
    if (!worker->programs->measure(worker->programs->self, inputs, count, results, costs, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct beam_state *state = runner->states[worker->batch->first + i];
        bool is_good = results[i].status == ABI_STATUS_OK && !results[i].rejected;
        state->whole = is_good ? costs[i] : 0;
        if (runner->search->options.worth.judge == SEARCH_WHOLE)
            state->cost = costs[i];
    }
    return true;
}

/* Expressions count from the start of the window, and so must the fields of --range. */
static void look_through_window(struct worker *worker, const struct beam_origin *origin) {
    const struct search_options *options = &worker->runner->search->options;
    size_t count = 0;
    worker->window.input_size = origin->count;
    for (size_t i = 0; i < options->range_count; i++) {
        struct solver_range range = options->ranges[i];
        if (range.offset < origin->first ||
            range.offset + range.width / 8 > origin->first + origin->count)
            continue;
        range.offset -= (uint32_t)origin->first;
        worker->ranges[count++] = range;
    }
    worker->window.range_count = count;
    if (options->range_count)
        solver_set_ranges(worker->solver, worker->ranges, count);
}

static bool run_batch(struct worker *worker, struct base_error *error) {
    struct beam_runner *runner = worker->runner;
    const struct search_programs *programs = worker->programs;
    size_t size = runner->search->options.input_size, count = worker->batch->count;
    struct beam_state **states = runner->states + worker->batch->first;
    const struct beam_origin *origin = &runner->origins->data[states[0]->origin];
    struct target_input inputs[BATCH];
    for (size_t i = 0; i < count; i++) {
        inputs[i] = (struct target_input){worker->inputs + i * size, size};
        beam_compose(runner->origins, states[i], size, worker->inputs + i * size);
    }
    look_through_window(worker, origin);
    if (programs->aim)
        programs->aim(programs->self, &(struct target_aim){origin->fixed, origin->first,
                                                           origin->count, runner->limit});
    return programs->trace(programs->self, inputs, count, runner->visit, worker, error) &&
           (runner->visit != look || !runner->weighs_whole || measure_batch(worker, inputs, error));
}

static bool work(struct search *search, size_t index, struct base_error *error) {
    struct beam_runner *runner = ((struct beam *)search->state)->runner;
    struct worker *worker = &runner->workers[index];
    size_t number;
    while ((number = atomic_fetch_add(&runner->next, 1)) < runner->batch_count) {
        worker->batch = &runner->batches[number];
        worker->counters = (struct search_counters){0};
        if (!run_batch(worker, error))
            return false;
        pthread_mutex_lock(&search->lock);
        search->worker_solver[index] = *solver_statistics(worker->solver);
        search_book(search, &worker->counters);
        bool enough = search_must_stop(search);
        pthread_mutex_unlock(&search->lock);
        if (enough)
            break;
    }
    return true;
}

static size_t batch_size(const struct search *search) {
    size_t fitting = BATCH_BYTES / (search->options.input_size + 1);
    return fitting < 1 ? 1 : fitting > BATCH ? BATCH : fitting;
}

static void make_batches(struct beam_runner *runner, size_t count) {
    size_t most = batch_size(runner->search), even = count / runner->search->jobs + 1;
    runner->batches = base_alloc((count + 1) * sizeof *runner->batches);
    runner->batch_count = 0;
    most = even < most ? even : most;
    for (size_t i = 0; i < count; i++) {
        struct batch *last = runner->batches + runner->batch_count - 1;
        if (!runner->batch_count || last->count == most ||
            runner->states[last->first]->origin != runner->states[i]->origin)
            runner->batches[runner->batch_count++] = (struct batch){.first = i};
        runner->batches[runner->batch_count - 1].count++;
    }
}

/* All states, by all workers; CHILDREN (unless NULL) gets what the batches brought, in
 * their order. */
static bool run_all(struct beam_runner *runner, struct beam_state **states, size_t count,
                    target_visit *visit, uint32_t limit, struct beam_states *children,
                    struct base_error *error) {
    if (!count)
        return true;
    runner->states = states;
    runner->visit = visit;
    runner->limit = limit;
    make_batches(runner, count);
    atomic_store(&runner->next, 0);
    bool good = search_run_workers(runner->search, work, error);
    for (size_t i = 0; i < runner->batch_count; i++) {
        struct beam_states *from = &runner->batches[i].children;
        for (size_t k = 0; children && k < from->count; k++)
            base_push(children, from->data[k]);
        free(from->data);
    }
    free(runner->batches);
    return good;
}

static struct beam_state **point_at(struct beam_state *states, size_t count) {
    struct beam_state **pointers = base_alloc((count + 1) * sizeof *pointers);
    for (size_t i = 0; i < count; i++)
        pointers[i] = &states[i];
    return pointers;
}

bool beam_look(struct beam_runner *runner, struct beam_state *states, size_t count, uint32_t limit,
               struct base_error *error) {
    struct beam_state **pointers = point_at(states, count);
    for (size_t i = 0; i < count; i++)
        states[i].is_lost =
            states[i].depth < states[i].bound; /* when time is up before it is run */
    bool good = run_all(runner, pointers, count, look, limit, NULL, error);
    free(pointers);
    return good;
}

bool beam_expand(struct beam_runner *runner, struct beam_state **states, size_t count,
                 uint32_t limit, struct beam_states *children, struct base_error *error) {
    return run_all(runner, states, count, expand, limit, children, error);
}

bool beam_support(struct beam_runner *runner, struct beam_state *states, size_t count,
                  uint8_t **fixed, struct base_error *error) {
    uint32_t deepest = 0;
    for (size_t i = 0; i < count; i++)
        deepest = states[i].depth > deepest ? states[i].depth : deepest;
    struct beam_state **pointers = point_at(states, count);
    runner->fixed = fixed;
    bool good = run_all(runner, pointers, count, support, deepest, NULL, error);
    free(pointers);
    return good;
}

/* ---- the whole ---- */

void beam_weigh_whole(struct beam_runner *runner, bool weighs) {
    runner->weighs_whole = weighs;
}

struct beam_runner *beam_runner_new(struct search *search, const struct beam_origins *origins) {
    struct beam_runner *runner = base_alloc(sizeof *runner);
    const struct search_options *options = &search->options;
    runner->search = search;
    runner->origins = origins;
    runner->workers = base_alloc(search->jobs * sizeof *runner->workers);
    for (size_t i = 0; i < search->jobs; i++) {
        struct worker *worker = &runner->workers[i];
        worker->runner = runner;
        worker->programs = &search->programs[i];
        worker->solver = solver_new(&options->solver);
        worker->window = *options;
        worker->window.ranges = worker->ranges =
            base_alloc((options->range_count + 1) * sizeof *worker->ranges);
        worker->guess = beam_guess_new(&worker->window);
        worker->trace.pool = expr_pool_new();
        worker->model = base_alloc(BEAM_WINDOW);
        worker->inputs = base_alloc(batch_size(search) * options->input_size + 1);
    }
    return runner;
}

void beam_runner_free(struct beam_runner *runner) {
    for (size_t i = 0; i < runner->search->jobs; i++) {
        struct worker *worker = &runner->workers[i];
        if (worker->programs->aim)
            worker->programs->aim(worker->programs->self, &(struct target_aim){0});
        search_add_solver(&runner->search->solver, solver_statistics(worker->solver));
        runner->search->worker_solver[i] = (struct solver_statistics){0};
        solver_free(worker->solver);
        beam_guess_free(worker->guess);
        expr_trace_done(&worker->trace);
        free(worker->ranges);
        free(worker->model);
        free(worker->inputs);
    }
    free(runner->workers);
    free(runner);
}
