/* SPDX-License-Identifier: Apache-2.0
 *
 * What do runs show about states? Where a state's path leads and what it costs (look), which inputs
 * take other directions at its open decisions (expand), and which bytes its path depends on
 * (support).
 *
 * A prefix is run again but never solved again: its input satisfies it. The work is split into
 * batches of states with one origin, because the target is told which bytes are concrete once per
 * hand-over. Workers take batches in any order, and results are combined in the order of the
 * batches, so they do not depend on the number of workers.
 */
#include "search/beam/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_BYTES ((size_t)64 << 20) /* of inputs in one hand-over */
#define LEAST_ADDRESS 4096u            /* larger outcomes are taken for addresses */
#define LEAST_SENT 8u                  /* states in a batch that is worth a message */

/* ---- look ---- */

/* Does the decision go the way the state's input was made for? */
static bool is_expected(const struct beam_state *state, uint32_t at, uint64_t word) {
    if (at >= state->bound)
        return true;
    if (state->any_value && at + 1 == state->bound)
        return word != state->words[at];
    return word == state->words[at];
}

double beam_cost_so_far(const struct search *search, const struct search_walk *walk) {
    double sum = 0;
    for (int i = 0; i < ABI_COST_COUNT; i++)
        sum += search->subject.prices.of[i] * (double)walk->costs[i];
    return sum;
}

/* Fills in what the steps show; false when they are not the expected ones. */
static bool read_path(const struct search *search, struct beam_state *state, uint32_t limit,
                      struct search_walk *walk) {
    uint64_t *words = base_alloc(((size_t)limit + 1) * sizeof *words);
    double before = NAN;
    bool good = true;
    struct search_step step;
    state->is_rejected = false;
    while (good && walk->depth < limit && search_walk_next(walk, &step)) {
        if (isnan(before))
            before = beam_cost_so_far(search, walk);
        state->is_rejected |= step.kind == SEARCH_REFUSAL;
        if (!search_is_decision(&step))
            continue;
        words[step.depth] = step.outcome;
        good = is_expected(state, step.depth, step.outcome);
    }
    state->depth = walk->depth;
    good = good && !walk->is_broken && state->depth >= state->bound;
    state->has_ended = state->depth < limit;
    if (state->has_ended && walk->cost > walk->costs[ABI_COST_INSTRUCTIONS])
        walk->costs[ABI_COST_INSTRUCTIONS] = walk->cost;
    state->cost = beam_cost_so_far(search, walk);
    if (beam_prospect(search) == SEARCH_RATE) { /* in this episode, per byte read */
        uint32_t end = search_walk_input_end(walk);
        state->cost = (state->cost - (isnan(before) ? 0 : before)) / (double)(end ? end : 1);
    }
    free(state->words);
    state->words = words;
    return good;
}

static void look(size_t index, const struct abi_result *result, const void *trace, size_t size,
                 void *context) {
    struct beam_worker *worker = context;
    struct beam_runner *runner = worker->runner;
    struct beam_state *state = runner->states[worker->batch->first + index];
    search_listen(runner->search);
    bool has_trace = search_walk_open(&worker->walk, trace, size);
    search_count_run(&worker->counters, result, &worker->walk);
    state->is_lost = true;
    if (!has_trace)
        return;
    bool expected = read_path(runner->search, state, runner->limit, &worker->walk);
    search_count_losses(&worker->counters, worker->program, &worker->walk);
    worker->counters.mismatches += !expected;
    worker->counters.paths += expected && !state->is_rejected;
    state->is_lost = !expected || result->status != ABI_STATUS_OK;
    size_t bytes = runner->search->subject.layout.bytes;
    struct target_input input = {worker->inputs + index * bytes, bytes};
    search_note_outside(runner->search, &input, result);
}

/* ---- expand ---- */

struct path {
    struct beam_worker *worker;
    struct beam_state *state;
    const struct search_step *step;
};

static bool ask(struct beam_worker *worker, uint32_t condition) {
    if (!beam_guess_ask(worker->guess, condition, worker->model))
        return beam_solver_ask(worker->solver, condition, worker->model, &worker->counters);
    worker->counters.guessed++;
    beam_solver_note_guess(worker->solver);
    return true;
}

/* Adds a state whose input is the model: it takes the first BOUND decisions, the last one as WORD.
 */
static struct beam_state *add_child(struct path *path, uint32_t bound, uint64_t word) {
    const struct beam_state *parent = path->state;
    const struct beam_origin *origin = &path->worker->runner->origins->data[parent->origin];
    struct beam_state child = {.origin = parent->origin,
                               .bound = bound,
                               .open = bound,
                               .site = path->step->site,
                               .before = parent->cost,
                               .before_whole = parent->whole};
    child.words = base_alloc(((size_t)bound + 1) * sizeof *child.words);
    memcpy(child.words, parent->words, bound * sizeof *child.words);
    if (bound > path->step->depth)
        child.words[bound - 1] = word;
    child.bytes = base_alloc(origin->count + 1);
    memcpy(child.bytes, path->worker->model, origin->count);
    base_push(&path->worker->batch->children, child);
    struct beam_states *children = &path->worker->batch->children;
    return &children->data[children->count - 1];
}

static void hold(struct beam_worker *worker, uint32_t condition) {
    beam_guess_assert(worker->guess, condition);
    beam_solver_assert(worker->solver, condition);
}

static void change_outcome(struct path *path) {
    struct search_alternative other = {0};
    while (search_next_alternative(&path->worker->walk, path->step, &other))
        if (ask(path->worker, other.condition))
            add_child(path, path->step->depth + 1, other.outcome);
}

/* A fixed value may be any other one. Tries some that occurred before on this path, because places
 * that are visited again are where lists grow and caches collide, and one new value. */
static void change_value(struct path *path) {
    const struct search_step *step = path->step;
    struct expr_pool *pool = path->worker->walk.trace.pool;
    uint64_t earlier[BEAM_EARLIER];
    size_t count = step->span > 1 ? 0
                                  : beam_guess_earlier(path->worker->guess, step->expr,
                                                       step->outcome, earlier, BEAM_EARLIER);
    uint32_t same = search_make_within(pool, step->expr, step->outcome, step->span);
    uint32_t others = expr_make_not(pool, same);
    for (size_t i = 0; i < count; i++) {
        same = search_make_within(pool, step->expr, earlier[i], 1);
        if (search_is_constant(pool, same))
            continue;
        if (ask(path->worker, same))
            add_child(path, step->depth + 1, earlier[i]);
        others = expr_make(pool, ABI_OP_AND, 1, 0, others, expr_make_not(pool, same), 0);
    }
    if (ask(path->worker, others)) {
        add_child(path, step->depth + 1, step->outcome)->any_value = true;
        path->worker->counters.concretised++;
    }
}

/* Notes addresses that the path met before this episode. */
static void note_origin(struct beam_guess *guess, const struct beam_origin *origin) {
    for (uint32_t i = 0; i < origin->depth; i++)
        if (origin->words[i] >= LEAST_ADDRESS)
            beam_guess_note(guess, origin->words[i]);
}

/* Changes the decision if it is open; the conditions of further steps then include it, as they do
 * assumptions. A false assumption ended the run: asks whether it can be made true. */
static void expand_step(struct path *path) {
    const struct search_step *step = path->step;
    uint32_t condition = search_condition(&path->worker->walk, step);
    bool is_open = condition && search_is_decision(step) && step->depth >= path->state->open;
    if (is_open && step->kind == SEARCH_VALUE)
        change_value(path);
    else if (is_open)
        change_outcome(path);
    if (condition && step->kind != SEARCH_REFUSAL)
        hold(path->worker, condition);
    else if (condition && ask(path->worker, condition))
        add_child(path, step->depth, 0);
    if (step->is_address)
        beam_guess_note(path->worker->guess, step->outcome);
}

/* The path is known already: only a missing trace is counted. */
static bool read_trace(struct beam_worker *worker, const void *trace, size_t size) {
    struct search_walk *walk = &worker->walk;
    bool good = search_walk_open(walk, trace, size) && search_walk_import(walk);
    worker->counters.lost += !good;
    return good;
}

static void expand(size_t index, const struct abi_result *result, const void *trace, size_t size,
                   void *context) {
    struct beam_worker *worker = context;
    struct beam_runner *runner = worker->runner;
    struct beam_state *state = runner->states[worker->batch->first + index];
    const struct beam_origin *origin = &runner->origins->data[state->origin];
    struct search_step step;
    struct path path = {.worker = worker, .state = state, .step = &step};
    search_listen(runner->search);
    worker->counters.runs++;
    worker->counters.continued += result->continued != 0;
    state->is_expanded = true;
    if (search_is_over(runner->search) || !read_trace(worker, trace, size))
        return;
    struct expr_pool *pool = worker->walk.trace.pool;
    beam_solver_begin(worker->solver, pool, state->bytes, origin->count);
    beam_guess_begin(worker->guess, pool, state->bytes, origin->count);
    note_origin(worker->guess, origin);
    while (search_walk_next(&worker->walk, &step))
        if (step.depth < state->depth || (state->is_rejected && step.kind == SEARCH_REFUSAL))
            expand_step(&path);
}

/* ---- support ---- */

/* The trace is written by the target, so it may name bytes outside the window. */
static void set_bits(uint8_t *bits, size_t count, struct expr_support support) {
    for (uint32_t i = 0; i < support.count && support.offsets[i] < count; i++)
        bits[support.offsets[i] / 8] |= (uint8_t)(1u << support.offsets[i] % 8);
}

static void support(size_t index, const struct abi_result *result, const void *trace, size_t size,
                    void *context) {
    struct beam_worker *worker = context;
    struct beam_runner *runner = worker->runner;
    size_t number = worker->batch->first + index;
    const struct beam_origin *origin = &runner->origins->data[runner->states[number]->origin];
    struct search_step step;
    (void)result;
    worker->counters.runs++;
    if (!read_trace(worker, trace, size))
        return;
    while (worker->walk.depth < runner->states[number]->depth &&
           search_walk_next(&worker->walk, &step))
        if (search_is_decision(&step) || step.kind == SEARCH_ASSUMPTION)
            set_bits(runner->fixed[number], origin->count,
                     expr_support(worker->walk.trace.pool, step.expr));
}

/* ---- batches and workers ---- */

static bool measure_batch(struct beam_worker *worker, const struct target_input *inputs,
                          struct base_error *error) {
    struct beam_runner *runner = worker->runner;
    struct abi_result results[BEAM_BATCH];
    double costs[BEAM_BATCH];
    size_t count = worker->batch->count;
    if (!worker->program->measure(worker->program->self, inputs, count, results, costs, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct beam_state *state = runner->states[worker->batch->first + i];
        state->whole = search_ended_well(&results[i]) ? costs[i] : 0;
        if (beam_prospect(runner->search) == SEARCH_WHOLE)
            state->cost = costs[i];
    }
    return true;
}

/* Offsets in expressions count from the start of the window, so the fields of --range must, too. */
static void look_through_window(struct beam_worker *worker, const struct beam_origin *origin) {
    const struct search_layout *layout = &worker->runner->search->subject.layout;
    struct search_layout *window = &worker->window;
    window->bytes = origin->count;
    window->ranges.count = 0;
    for (size_t i = 0; i < layout->ranges.count; i++) {
        struct solver_range range = layout->ranges.data[i];
        if (range.offset < origin->first ||
            range.offset + range.width / 8 > origin->first + origin->count)
            continue;
        range.offset -= (uint32_t)origin->first;
        base_push(&window->ranges, range);
    }
    if (layout->ranges.count)
        beam_solver_set_ranges(worker->solver, window);
}

bool beam_run_batch(struct beam_worker *worker, struct base_error *error) {
    struct beam_runner *runner = worker->runner;
    const struct search_program *program = worker->program;
    size_t size = runner->search->subject.layout.bytes, count = worker->batch->count;
    struct beam_state **states = runner->states + worker->batch->first;
    const struct beam_origin *origin = &runner->origins->data[states[0]->origin];
    static target_visit *const visits[] = {
        [BEAM_LOOK] = look, [BEAM_EXPAND] = expand, [BEAM_SUPPORT] = support};
    struct target_input inputs[BEAM_BATCH];
    for (size_t i = 0; i < count; i++) {
        inputs[i] = (struct target_input){worker->inputs + i * size, size};
        beam_compose(runner->origins, states[i], size, worker->inputs + i * size);
    }
    look_through_window(worker, origin);
    struct target_aim aim = {origin->fixed, origin->first, origin->count, runner->limit,
                             origin->name};
    if (program->aim)
        program->aim(program->self, &aim);
    return program->trace(program->self, inputs, count, visits[runner->visit], worker, error) &&
           (runner->visit != BEAM_LOOK || !runner->weighs_whole ||
            measure_batch(worker, inputs, error));
}

static bool work(struct search *search, size_t index, struct base_error *error) {
    struct beam_runner *runner = ((struct beam *)search->state)->runner;
    struct beam_worker *worker = &runner->workers[index];
    size_t number;
    while (search_row_next(search, &number)) {
        worker->batch = &runner->batches[number];
        worker->counters = (struct search_counters){0};
        worker->batch->count = search_grant_locked(search, worker->batch->count);
        if (!worker->batch->count)
            break;
        if (!beam_run_batch(worker, error))
            return false;
        pthread_mutex_lock(&search->lock);
        search->worker_solver[index] = beam_solver_statistics(worker->solver);
        search_book(search, &worker->counters);
        bool enough = search_must_stop(search);
        pthread_mutex_unlock(&search->lock);
        if (enough)
            break;
    }
    return true;
}

static size_t batch_size(const struct search *search) {
    size_t fitting = BATCH_BYTES / (search->subject.layout.bytes + 1);
    return fitting < 1 ? 1 : fitting > BEAM_BATCH ? BEAM_BATCH : fitting;
}

static void make_batches(struct beam_runner *runner, size_t count) {
    size_t most = batch_size(runner->search), even = count / search_all_workers(runner->search) + 1;
    runner->batches = base_alloc((count + 1) * sizeof *runner->batches);
    runner->batch_count = 0;
    if (search_can_farm(runner->search) && even < LEAST_SENT)
        even = LEAST_SENT;
    most = even < most ? even : most;
    for (size_t i = 0; i < count; i++) {
        struct beam_batch *last = runner->batches + runner->batch_count - 1;
        if (!runner->batch_count || last->count == most ||
            runner->states[last->first]->origin != runner->states[i]->origin)
            runner->batches[runner->batch_count++] = (struct beam_batch){.first = i};
        runner->batches[runner->batch_count - 1].count++;
    }
}

/* Runs all states on all workers; CHILDREN (unless NULL) gets the results of the batches, in order.
 */
static bool run_all(struct beam_runner *runner, struct beam_state **states, size_t count,
                    enum beam_visit visit, uint32_t limit, struct beam_states *children,
                    struct base_error *error) {
    if (!count)
        return true;
    runner->states = states;
    runner->visit = visit;
    runner->limit = limit;
    make_batches(runner, count);
    const struct cluster_row row = {.self = runner,
                                    .count = runner->batch_count,
                                    .pack = beam_pack_batch,
                                    .take = beam_take_batch,
                                    .back = beam_lose_batch};
    search_row_begin(runner->search, &row);
    bool good = search_run_workers(runner->search, work, error);
    good = search_row_end(runner->search, error) && good;
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
    bool good = run_all(runner, pointers, count, BEAM_LOOK, limit, NULL, error);
    free(pointers);
    return good;
}

bool beam_expand(struct beam_runner *runner, struct beam_state **states, size_t count,
                 uint32_t limit, struct beam_states *children, struct base_error *error) {
    return run_all(runner, states, count, BEAM_EXPAND, limit, children, error);
}

bool beam_support(struct beam_runner *runner, struct beam_state *states, size_t count,
                  uint8_t **fixed, struct base_error *error) {
    uint32_t deepest = 0;
    for (size_t i = 0; i < count; i++)
        deepest = states[i].depth > deepest ? states[i].depth : deepest;
    struct beam_state **pointers = point_at(states, count);
    runner->fixed = fixed;
    bool good = run_all(runner, pointers, count, BEAM_SUPPORT, deepest, NULL, error);
    free(pointers);
    return good;
}

/* ---- the runner ---- */

void beam_weigh_whole(struct beam_runner *runner, bool weighs) {
    runner->weighs_whole = weighs;
}

struct beam_runner *beam_runner_new(struct search *search, const struct beam_origins *origins) {
    struct beam_runner *runner = base_alloc(sizeof *runner);
    const struct search_subject *subject = &search->subject;
    runner->search = search;
    runner->origins = origins;
    runner->workers = base_alloc(subject->jobs * sizeof *runner->workers);
    for (size_t i = 0; i < subject->jobs; i++) {
        struct beam_worker *worker = &runner->workers[i];
        worker->runner = runner;
        worker->program = &subject->programs[i];
        worker->solver = beam_solver_new(search);
        worker->guess = beam_guess_new(&worker->window);
        search_walk_init(&worker->walk, &search->sites);
        worker->model = base_alloc(BEAM_WINDOW);
        worker->inputs = base_alloc(batch_size(search) * subject->layout.bytes + 1);
    }
    return runner;
}

void beam_runner_free(struct beam_runner *runner) {
    for (size_t i = 0; i < runner->search->subject.jobs; i++) {
        struct beam_worker *worker = &runner->workers[i];
        if (worker->program->aim)
            worker->program->aim(worker->program->self, &(struct target_aim){0});
        struct solver_statistics work = beam_solver_statistics(worker->solver);
        search_add_solver(&runner->search->solver, &work);
        runner->search->worker_solver[i] = (struct solver_statistics){0};
        beam_solver_free(worker->solver);
        beam_guess_free(worker->guess);
        search_walk_done(&worker->walk);
        search_layout_done(&worker->window);
        free(worker->model);
        free(worker->inputs);
    }
    free(runner->workers);
    free(runner);
}
