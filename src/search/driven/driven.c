/* SPDX-License-Identifier: Apache-2.0
 *
 * driven: the costliest path first, as proposed by an oracle.
 *
 * The oracle knows the program's graph, the cost of each block, and what can be known about values
 * without an input; it lists paths in order of their cost. For each of them the guide checks
 * whether an input takes it. The first path that an input takes is the worst case, and the oracle's
 * bound on all remaining paths is the proof. So only a few of the program's paths are ever run.
 * ("Resource-driven CLP-based Test Case Generation", Albert, Gomez-Zamalloa, Rojas.)
 *
 * As many traces are tried at a time as there are workers, but results are processed in the order
 * of the proposals, and what earlier ones have taught is applied to later ones. So the outcome does
 * not depend on the number of workers.
 */
#include "search/driven/driven.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PREPARE_SHARE 0.6 /* of the time left, for one oracle */
#define PREPARE_SECONDS 60.0
#define MOST_TOLD 10000u

struct slot { /* a trace being tried by a worker */
    struct driven_trace trace;
    struct driven_verdict verdict;
};

struct unsettled { /* a trace that could not be settled completely */
    double bound;
    struct search_counters why;
};

struct record { /* a trace that was judged, kept for --resume */
    double bound, cost;
    uint64_t at;
    uint32_t fate; /* enum driven_fate */
    bool is_kept, is_unsettled;
    struct unsettled unsettled;
};

struct state {
    struct driven_oracle *oracle;
    BASE_VECTOR(struct unsettled) unsettled;
    BASE_VECTOR(struct record) records;
    struct search_counters booked; /* for unsettled traces; taken back on --resume */
    bool is_interrupted;           /* a proposed trace was not tried to its end */
    struct driven_guide *guides;   /* one for each worker */
    struct slot *slots;            /* one for each worker of all ranks */
    size_t slot_count;
    BASE_VECTOR(double) costs; /* of the wanted number of costliest tests so far, in order */
    size_t wanted;
    bool is_proven;
    bool is_doubtful; /* the doubts have been booked */
};

/* ---- the oracle ---- */

/* The most precise oracle that can be prepared in time. */
static struct driven_oracle *choose_oracle(struct search *search) {
    enum driven_precision precision = search->options.driven.is_naive ? DRIVEN_NAIVE : DRIVEN_EXACT;
    double limit = search->options.limits.seconds, end = base_seconds() + limit;
    for (;; precision--) {
        struct driven_oracle *oracle = driven_oracle_new(search, precision);
        double share = (end - base_seconds()) * PREPARE_SHARE;
        if (driven_oracle_prepare(oracle, limit > 0 ? share : PREPARE_SECONDS))
            return oracle;
        bool is_same = precision == DRIVEN_EXACT && !driven_oracle_has_forked(oracle);
        driven_oracle_free(oracle);
        if (precision == DRIVEN_NAIVE)
            return NULL;
        precision -= is_same;
    }
}

/* A run that succeeds cannot hold more memory than its limit. */
static double limit_bound(const struct search *search, double bound) {
    const struct search_subject *subject = &search->subject;
    double most = subject->prices.of[ABI_COST_MEMORY] * (double)subject->run_memory;
    for (unsigned i = 0; i < ABI_COST_COUNT; i++)
        if (i != ABI_COST_MEMORY && subject->prices.of[i] != 0)
            most = 0;
    return most > 0 && !subject->prices.is_partial && bound > most ? most : bound;
}

static bool is_proven(const struct search *search, struct state *state) {
    double bound = limit_bound(search, driven_oracle_bound(state->oracle));
    if (state->is_interrupted)
        return false;
    if (bound == -INFINITY)
        return true;
    return state->costs.count >= state->wanted && state->costs.data[state->wanted - 1] >= bound;
}

/* In a range of sizes, larger ones are searched first: can nothing of this size cost as much? Where
 * sizes of objects are open, all sizes are searched, since tests of open and of constant cost are
 * both reported. */
static bool is_outdone(const struct search *search, struct state *state) {
    const struct search *outer = search->outer;
    const double *of = search->subject.prices.of;
    if (!outer || !outer->subject.sweep || of[ABI_COST_MEMORY] != 0 || of[ABI_COST_ALLOCATED] != 0)
        return false;
    return outer->archive.count >= state->wanted &&
           outer->archive.tests[state->wanted - 1].cost >= driven_oracle_bound(state->oracle);
}

/* ---- the verdict on a trace ---- */

static void note_cost(struct state *state, double cost) {
    size_t at = state->costs.count;
    if (at == state->wanted && cost <= state->costs.data[at - 1])
        return;
    if (at < state->wanted)
        base_push(&state->costs, cost);
    else
        at--;
    for (; at && state->costs.data[at - 1] < cost; at--)
        state->costs.data[at] = state->costs.data[at - 1];
    state->costs.data[at] = cost;
}

static void tell(struct search *search, const struct slot *slot) {
    struct base_buffer text = {0};
    if (!search->options.driven.tells || search->proposals.count >= MOST_TOLD)
        return;
    base_buffer_print(&text, "trace %llu, ", (unsigned long long)search->counters.proposed);
    driven_print_proposal(search->subject.facts, &slot->trace, &slot->verdict, &text);
    base_strings_add(&search->proposals, text.data);
    base_buffer_done(&text);
}

static bool keep(struct search *search, struct state *state, const struct slot *slot) {
    const struct driven_verdict *verdict = &slot->verdict;
    const struct search_policy *policy = search->subject.policy;
    if (policy && !search_policy_holds(policy, &verdict->result)) {
        search_count_path(search, verdict->path);
        search->counters.violating++;
        return false;
    }
    note_cost(state, verdict->cost);
    search_found(search, &(struct search_test){.input = verdict->input,
                                               .size = search->subject.layout.bytes,
                                               .is_open = verdict->is_open,
                                               .has_first = verdict->has_first,
                                               .cost = verdict->cost,
                                               .decisions = verdict->decisions,
                                               .path = verdict->path,
                                               .result = verdict->result});
    return true;
}

/* The reason why a trace is unsettled only matters if the trace may cost more than the final
 * result. */
static void put_off(struct search *search, struct state *state, const struct slot *slot,
                    struct record *record) {
    const struct driven_verdict *verdict = &slot->verdict;
    struct unsettled unsettled = {limit_bound(search, slot->trace.bound), verdict->counters};
    struct search_counters *why = &unsettled.why;
    why->runs = why->conditional = why->crashes = 0;
    if (verdict->fate == DRIVEN_FEASIBLE) {
        if (verdict->cost >= unsettled.bound)
            return;
        why->unproven++;
    } else if (verdict->fate == DRIVEN_STRAYED)
        why->mismatches++;
    else if (verdict->fate == DRIVEN_UNCERTAIN)
        why->lost += !why->unknown && !why->concretised && !why->unfollowed;
    base_push(&state->unsettled, unsettled);
    record->is_unsettled = true;
    record->unsettled = unsettled;
}

static void book_unsettled(struct search *search, struct state *state) {
    bool has_all = state->costs.count >= state->wanted;
    struct search_counters why = {0};
    for (size_t i = 0; i < state->unsettled.count; i++)
        if (!has_all || state->unsettled.data[i].bound > state->costs.data[state->wanted - 1])
            search_add_counters(&why, &state->unsettled.data[i].why);
    search_add_counters(&state->booked, &why);
    search_add_counters(&search->counters, &why);
    state->unsettled.count = 0;
}

/* Every program has a path. An oracle that finds none is wrong, unless the user's limits exclude
 * all. */
static bool is_empty(const struct search *search, const struct state *state) {
    const struct search_policy *policy = search->subject.policy;
    return state->is_proven && !state->costs.count && !search->options.trail &&
           !(policy && policy->limits.count) && !search->counters.cut && !search->faults.count;
}

/* With the lock held. */
static void judge(struct search *search, struct state *state, const struct slot *slot) {
    const struct driven_verdict *verdict = &slot->verdict;
    struct record record = {.bound = slot->trace.bound,
                            .cost = verdict->cost,
                            .at = verdict->at,
                            .fate = (uint32_t)verdict->fate};
    search->counters.proposed++;
    if (verdict->fate != DRIVEN_INFEASIBLE && verdict->fate != DRIVEN_BEYOND)
        put_off(search, state, slot, &record);
    if (verdict->fate == DRIVEN_FEASIBLE && verdict->cost > slot->trace.bound)
        search->counters.unforeseen++;
    switch (verdict->fate) {
    case DRIVEN_FEASIBLE:
        record.is_kept = keep(search, state, slot);
        break;
    case DRIVEN_INFEASIBLE:
    case DRIVEN_BEYOND:
        search->counters.infeasible += verdict->fate == DRIVEN_INFEASIBLE;
        search->counters.cut += verdict->fate == DRIVEN_BEYOND;
        driven_oracle_learn(state->oracle, &slot->trace, verdict->at);
        break;
    case DRIVEN_FAULTY:
        if (verdict->input)
            search_found(search, &(struct search_test){.input = verdict->input,
                                                       .size = search->subject.layout.bytes,
                                                       .path = verdict->path,
                                                       .result = verdict->result});
        break;
    default:
        break;
    }
    base_push(&state->records, record);
    tell(search, slot);
}

/* ---- rounds ---- */

static bool work(struct search *search, size_t worker, struct base_error *error) {
    struct state *state = search->state;
    struct driven_guide *guide = &state->guides[worker];
    bool good = true;
    size_t number;
    while (good && search_row_next(search, &number))
        good = driven_guide_try(guide, &state->slots[number].trace, &state->slots[number].verdict,
                                error);
    pthread_mutex_lock(&search->lock);
    search->worker_solver[worker] = *solver_statistics(guide->solver);
    pthread_mutex_unlock(&search->lock);
    return good;
}

static bool pack(void *self, size_t number, struct base_buffer *out) {
    const struct state *state = self;
    driven_put_trace(&state->slots[number].trace, out);
    return true;
}

static bool take(void *self, size_t number, const char *data, size_t size) {
    const struct state *state = self;
    return driven_get_verdict(data, size, &state->slots[number].verdict);
}

/* Traces that no worker gets to stay untried. */
static bool try_all(struct search *search, struct state *state, size_t count,
                    struct base_error *error) {
    const struct cluster_row row = {.self = state, .count = count, .pack = pack, .take = take};
    for (size_t i = 0; i < count; i++)
        state->slots[i].verdict.is_untried = true;
    search_row_begin(search, &row);
    bool good = search_run_workers(search, work, error);
    return search_row_end(search, error) && good;
}

static size_t propose(struct state *state) {
    size_t count = 0;
    while (count < state->slot_count &&
           driven_oracle_next(state->oracle, &state->slots[count].trace))
        state->slots[count++].verdict = (struct driven_verdict){0};
    return count;
}

/* In the order of the proposals. Traces that the proof covers, or that are known to be infeasible
 * by now, were tried in vain. */
static void judge_all(struct search *search, struct state *state, size_t count) {
    pthread_mutex_lock(&search->lock);
    for (size_t i = 0; i < count; i++) {
        struct slot *slot = &state->slots[i];
        bool is_vain = driven_oracle_knows(state->oracle, &slot->trace) ||
                       (state->costs.count >= state->wanted &&
                        state->costs.data[state->wanted - 1] >= slot->trace.bound);
        search_book(search, &(struct search_counters){
                                .runs = slot->verdict.counters.runs,
                                .crashes = is_vain ? 0 : slot->verdict.counters.crashes,
                                .conditional = is_vain ? 0 : slot->verdict.counters.conditional});
        state->is_interrupted |= slot->verdict.is_untried && !is_vain;
        if (!is_vain && !slot->verdict.is_untried)
            judge(search, state, slot);
        free(slot->verdict.input);
        slot->verdict.input = NULL;
    }
    pthread_mutex_unlock(&search->lock);
}

/* Counts the reasons why the oracle's bound is not a proof. */
static void book_doubts(struct search *search, struct state *state) {
    const struct driven_doubts *doubts = driven_oracle_doubts(state->oracle);
    if (state->is_doubtful)
        return;
    state->is_doubtful = true;
    search->counters.unpriced += doubts->unpriced + !search->subject.entry.is_whole;
    search->counters.unbounded += doubts->unbounded;
    search->counters.unforeseen += doubts->unknown;
    search->counters.cut += driven_oracle_cut(state->oracle);
}

static size_t count_wanted(const struct search *search) {
    const struct search_policy *policy = search->subject.policy;
    return !policy ? 1 : policy->top ? policy->top : search->options.tests;
}

/* Without an oracle, or if no feasible trace was found in time, the first input is the only result.
 */
static bool measure_start(struct search *search, struct base_error *error) {
    const struct search_subject *subject = &search->subject;
    const struct search_program *program = &subject->programs[0];
    uint8_t *zeros = base_alloc(subject->layout.bytes + 1);
    struct target_input input = {zeros, subject->layout.bytes};
    struct abi_result result;
    double cost;
    search_clamp(&subject->layout, zeros, subject->layout.bytes);
    if (subject->start_count)
        input = subject->starts[0];
    bool good = program->measure(program->self, &input, 1, &result, &cost, error);
    if (good)
        search_book_measured(search, &input, 1, &result, &cost);
    free(zeros);
    return good;
}

/* ---- saving and loading ---- */

static struct state *state_of(struct search *search) {
    if (!search->state)
        search->state = base_alloc(sizeof(struct state));
    return search->state;
}

/* Applies the saved verdict on a trace that is proposed again. */
static void judge_again(struct state *state, const struct driven_trace *trace,
                        const struct record *record) {
    if (record->fate == DRIVEN_INFEASIBLE || record->fate == DRIVEN_BEYOND)
        driven_oracle_learn(state->oracle, trace, (size_t)record->at);
    if (record->is_kept)
        note_cost(state, record->cost);
    if (record->is_unsettled)
        base_push(&state->unsettled, record->unsettled);
}

/* The oracle proposes the same traces as before. If it is less precise than before, because it had
 * less time, the remaining ones are tried again. */
static void catch_up(struct state *state) {
    struct driven_trace trace = {0};
    size_t count = 0;
    while (count < state->records.count && driven_oracle_next(state->oracle, &trace) &&
           trace.bound == state->records.data[count].bound)
        judge_again(state, &trace, &state->records.data[count++]);
    state->records.count = count;
    driven_trace_done(&trace);
}

static void save(struct search *search, struct base_buffer *out) {
    const struct state *state = state_of(search);
    uint64_t count = state->records.count;
    search_put(out, &state->is_doubtful, sizeof state->is_doubtful);
    search_put(out, &state->booked, sizeof state->booked);
    search_put(out, &count, sizeof count);
    search_put(out, state->records.data, count * sizeof *state->records.data);
}

static bool load(struct search *search, const char *data, size_t size) {
    const char *end = data + size;
    struct state *state = state_of(search);
    struct search_counters booked;
    struct record record;
    uint64_t count;
    if (!search_get(&data, end, &state->is_doubtful, sizeof state->is_doubtful) ||
        !search_get(&data, end, &booked, sizeof booked) ||
        !search_get(&data, end, &count, sizeof count))
        return false;
    search_take_back(&search->counters, &booked);
    for (; count; count--) {
        if (!search_get(&data, end, &record, sizeof record))
            return false;
        base_push(&state->records, record);
    }
    return true;
}

static void make_guides(struct search *search, struct state *state) {
    size_t jobs = search->subject.jobs;
    state->guides = base_alloc(jobs * sizeof *state->guides);
    for (size_t i = 0; i < jobs; i++)
        driven_guide_init(&state->guides[i], search, i);
}

static void begin(struct search *search) {
    struct state *state = state_of(search);
    state->wanted = count_wanted(search);
    state->slot_count = search_all_workers(search);
    state->slots = base_alloc(state->slot_count * sizeof *state->slots);
    make_guides(search, state);
    if (search->subject.programs[0].force)
        state->oracle = choose_oracle(search);
    if (state->oracle)
        catch_up(state);
}

static bool run(struct search *search, struct base_error *error) {
    struct state *state = state_of(search);
    if (!state->guides)
        begin(search);
    if (!state->oracle) {
        search->counters.unforeseen++;
        return measure_start(search, error);
    }
    book_doubts(search, state);
    if (is_outdone(search, state)) {
        state->is_proven = true;
        return true;
    }
    state->is_proven = is_proven(search, state);
    size_t count;
    while (!state->is_proven && !search_is_over(search) && (count = propose(state)) > 0) {
        if (!try_all(search, state, count, error))
            return false;
        judge_all(search, state, count);
        state->is_proven = is_proven(search, state);
    }
    book_unsettled(search, state);
    search->counters.unforeseen += is_empty(search, state);
    bool is_beyond = state->is_proven && search->counters.cut; /* nothing is left */
    bool has_nothing =
        !search->archive.count && !search->faults.count && !search->options.trail && !is_beyond;
    return !has_nothing || measure_start(search, error);
}

/* On other ranks: traces proposed on rank 0 can be tried without an oracle. */
static bool serve(struct search *search, size_t worker, const char *piece, size_t size,
                  struct base_buffer *answer, struct base_error *error) {
    struct driven_trace trace = {0};
    struct driven_verdict verdict = {0};
    pthread_mutex_lock(&search->lock);
    struct state *state = state_of(search);
    if (!state->guides)
        make_guides(search, state);
    pthread_mutex_unlock(&search->lock);
    struct driven_guide *guide = &state->guides[worker];
    bool good = (driven_get_trace(piece, size, search->subject.facts, &trace) ||
                 base_fail(error, BASE_BROKEN, "a message between ranks was damaged")) &&
                driven_guide_try(guide, &trace, &verdict, error);
    if (good)
        driven_put_verdict(&verdict, search->subject.layout.bytes, answer);
    pthread_mutex_lock(&search->lock);
    search->worker_solver[worker] = *solver_statistics(guide->solver);
    pthread_mutex_unlock(&search->lock);
    free(verdict.input);
    driven_trace_done(&trace);
    return good;
}

static size_t frontier(const struct search *search) {
    const struct state *state = search->state;
    return !state || state->is_proven || !state->oracle ? 0 : driven_oracle_waiting(state->oracle);
}

static void done(struct search *search) {
    struct state *state = search->state;
    if (!state)
        return;
    for (size_t i = 0; state->guides && i < search->subject.jobs; i++)
        driven_guide_done(&state->guides[i]);
    for (size_t i = 0; i < state->slot_count; i++)
        driven_trace_done(&state->slots[i].trace);
    driven_oracle_free(state->oracle);
    base_vector_done(&state->costs);
    base_vector_done(&state->unsettled);
    base_vector_done(&state->records);
    free(state->guides);
    free(state->slots);
    free(state);
    search->state = NULL;
}

const struct search_strategy search_strategy_driven = {
    .name = "driven",
    .summary = "the costliest path first, as an oracle over the program's graph proposes it; ends "
               "with the worst case and the proof that nothing costs more",
    .is_symbolic = true,
    .proves_worst = true,
    .run = run,
    .serve = serve,
    .frontier = frontier,
    .save = save,
    .load = load,
    .done = done};
