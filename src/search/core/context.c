/* SPDX-License-Identifier: Apache-2.0
 *
 * The infrastructure of every strategy: when to stop, how workers run, how results are collected
 * and reported.
 */
#include "search/core/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FAULTS 10
#define MOST_AGAIN 0.5 /* of the time, at most, for running tests again */

static bool is_ending(void *context) {
    return search_is_ending(context);
}

struct search *search_new(const struct search_strategy *strategy,
                          const struct search_options *options,
                          const struct search_subject *subject) {
    struct search *search = base_alloc(sizeof *search);
    search->strategy = strategy;
    search->options = *options;
    search->options.solver.is_over = is_ending;
    search->options.solver.context = search;
    search->subject = *subject;
    search_sites_init(&search->sites, subject->facts);
    search_archive_init(&search->archive, search_keep_count(strategy, options->tests));
    search_archive_init(&search->faults, MOST_FAULTS);
    search_archive_init(&search->kinds, search_count_kinds(strategy));
    search_archive_init(&search->plain, subject->policy ? subject->policy->top : 0);
    search->start = search->random = NAN;
    search->given = -INFINITY;
    search->worker_solver = base_alloc(subject->jobs * sizeof *search->worker_solver);
    pthread_mutex_init(&search->lock, NULL);
    pthread_cond_init(&search->changed, NULL);
    return search;
}

struct search *search_new_part(struct search *outer, const struct search_strategy *strategy,
                               const struct search_options *options,
                               const struct search_subject *subject) {
    struct search *search = search_new(strategy, options, subject);
    search->outer = outer;
    if (!subject->sizes_vary && subject->layout.bytes != outer->subject.layout.bytes)
        search->options.exchange = NULL; /* the others' inputs are not of its size */
    return search;
}

void search_free(struct search *search) {
    if (search->strategy->done)
        search->strategy->done(search);
    search_model_free(search->model);
    for (size_t i = 0; i < search->laws.count; i++) {
        base_vector_done(&search->laws.data[i]->series);
        free(search->laws.data[i]);
    }
    base_vector_done(&search->laws);
    base_vector_done(&search->sizes);
    search_free_sweep(search);
    search_growth_free(search->growth);
    search_archive_done(&search->archive);
    search_archive_done(&search->faults);
    search_archive_done(&search->plain);
    search_archive_done(&search->kinds);
    search_paths_done(&search->paths);
    search_sites_done(&search->sites);
    base_strings_done(&search->proposals);
    free(search->worker_solver);
    pthread_mutex_destroy(&search->lock);
    pthread_cond_destroy(&search->changed);
    free(search);
}

void search_set_watch(struct search *search, void (*watch)(struct search *search, void *context),
                      void *context) {
    search->watch = watch;
    search->watch_context = context;
}

/* ---- stopping ---- */

static void end_with(struct search *search, enum search_end end) {
    int none = SEARCH_FINISHED;
    atomic_compare_exchange_strong(&search->end, &none, (int)end);
    atomic_store(&search->stop, true);
}

void search_limit_runs(struct search *search, uint64_t runs) {
    search->options.limits.runs = runs;
}

void search_stop(struct search *search) {
    end_with(search, SEARCH_STOPPED);
}

void search_end_turn(struct search *search) {
    end_with(search, SEARCH_RUNS);
}

void search_begin_turn(struct search *search, uint64_t runs) {
    search->before += search->seconds;
    search->seconds = 0;
    search->turn = runs ? search->counters.runs + runs : 0;
    atomic_store(&search->end, SEARCH_FINISHED);
    atomic_store(&search->stop, false);
}

uint64_t search_runs_left(const struct search *search) {
    uint64_t most = search->share ? search->share : search->options.limits.runs;
    uint64_t made = search->counters.runs + search->granted;
    return !most ? UINT64_MAX : made < most ? most - made : 0;
}

size_t search_grant(struct search *search, size_t wanted) {
    uint64_t left = search_runs_left(search);
    size_t count = left < wanted ? (size_t)left : wanted;
    search->granted += count;
    return count;
}

void search_give_back(struct search *search, size_t count) {
    search->granted -= count;
}

size_t search_grant_locked(struct search *search, size_t wanted) {
    pthread_mutex_lock(&search->lock);
    size_t count = search_grant(search, wanted);
    pthread_mutex_unlock(&search->lock);
    return count;
}

bool search_can_trace(const struct search_program *program) {
    return program->trace && (!program->can_trace || program->can_trace(program->self));
}

bool search_must_stop(struct search *search) {
    if (atomic_load(&search->stop))
        return true;
    if ((!search_runs_left(search) && !search->granted) ||
        (search->turn && search->counters.runs >= search->turn))
        end_with(search, SEARCH_RUNS);
    else if (search_is_late(search))
        end_with(search, SEARCH_TIME);
    else if (search->outer && search_is_ending(search->outer))
        end_with(search, SEARCH_STOPPED);
    return atomic_load(&search->stop);
}

bool search_is_ending(const struct search *search) {
    for (; search; search = search->outer)
        if (atomic_load(&search->stop) || search_is_late(search))
            return true;
    return false;
}

bool search_is_late(const struct search *search) {
    return search->options.limits.seconds > 0 && search_seconds_left(search) <= 0;
}

double search_seconds_left(const struct search *search) {
    double seconds = search->options.limits.seconds;
    if (seconds <= 0)
        return HUGE_VAL;
    double kept = fmax(search->options.limits.reserve, atomic_load(&search->again));
    return search->began + seconds - kept - base_seconds_roughly();
}

bool search_has_time(struct search *search, double seconds) {
    if (seconds <= search_seconds_left(search))
        return true;
    end_with(search, SEARCH_TIME);
    return false;
}

void search_note_again(struct search *search, double seconds) {
    atomic_store(&search->again, fmin(seconds, search->options.limits.seconds * MOST_AGAIN));
}

bool search_is_over(struct search *search) {
    pthread_mutex_lock(&search->lock);
    bool over = search_must_stop(search);
    pthread_mutex_unlock(&search->lock);
    return over;
}

/* ---- workers ---- */

struct task {
    struct search *search;
    size_t worker;
    bool (*work)(struct search *search, size_t worker, struct base_error *error);
    pthread_t thread;
    bool started;
};

/* Runs that were cut short because the search is over are not a failure. */
static bool was_stopped(struct search *search, const struct base_error *error) {
    if (error->code != BASE_STOPPED)
        return false;
    end_with(search, search_is_late(search) ? SEARCH_TIME : SEARCH_STOPPED);
    pthread_mutex_lock(&search->lock);
    pthread_cond_broadcast(&search->changed);
    pthread_mutex_unlock(&search->lock);
    return true;
}

static void work_one(struct task *task) {
    struct search *search = task->search;
    struct base_error error = {0};
    if (task->work(search, task->worker, &error))
        return;
    if (was_stopped(search, &error))
        return;
    pthread_mutex_lock(&search->lock);
    if (!search->failed)
        search->error = error;
    search->failed = true;
    atomic_store(&search->stop, true);
    pthread_cond_broadcast(&search->changed);
    pthread_mutex_unlock(&search->lock);
}

static void *start_task(void *context) {
    work_one(context);
    return NULL;
}

bool search_run_workers(struct search *search,
                        bool (*work)(struct search *search, size_t worker,
                                     struct base_error *error),
                        struct base_error *error) {
    struct task *tasks = base_alloc(search->subject.jobs * sizeof *tasks);
    for (size_t i = 0; i < search->subject.jobs; i++) {
        tasks[i] = (struct task){.search = search, .worker = i, .work = work};
        if (i)
            tasks[i].started = pthread_create(&tasks[i].thread, NULL, start_task, &tasks[i]) == 0;
    }
    work_one(&tasks[0]);
    for (size_t i = 1; i < search->subject.jobs; i++)
        if (tasks[i].started)
            pthread_join(tasks[i].thread, NULL);
    free(tasks);
    if (search->failed)
        *error = search->error;
    return !search->failed;
}

/* A strategy that neither shares its work nor has islands would do the same on each rank. */
static bool run_strategy(struct search *search, struct base_error *error) {
    const struct search_strategy *strategy = search->strategy;
    bool is_alike = !strategy->shares_work && !strategy->has_islands;
    if (search_rank(search) && !search->outer && is_alike)
        return !strategy->serve || search->subject.sweep || search_serve(search, error);
    return search->subject.sweep ? search_run_sweep(search, error) : strategy->run(search, error);
}

/* If no run has ended, uses the trial run that was made before the search. */
static void take_tried(struct search *search) {
    const struct search_tried *tried = search->subject.tried;
    if (tried && !search->outer && !search_rank(search) && atomic_load(&search->stop) &&
        !search->archive.count && !search->plain.count && !search->faults.count)
        search_book_measured(search, &tried->input, 1, &tried->result, &tried->cost);
}

bool search_run(struct search *search, struct base_error *error) {
    search->began = search->watched = base_seconds();
    bool has_ranks = search->options.cluster && (!search->outer || search->is_joint);
    if (has_ranks)
        search_gather_begin(search);
    bool good = run_strategy(search, error) || was_stopped(search, error);
    if (has_ranks)
        search_gather(search, good ? NULL : error);
    if (good)
        take_tried(search);
    if (good && !search->outer && search_has_all(search)) {
        search_take_waiting(search);
        search_choose_tests(search);
        search_archive_add_all(&search->archive, &search->plain);
        search_tidy(search);
        search_give_tests(search);
    }
    search->seconds = base_seconds() - search->began;
    search->finished = good && search->strategy->frontier &&
                       search->strategy->frontier(search) == 0 && !search->is_cut_short &&
                       !atomic_load(&search->stop);
    return good;
}

void search_relay_watch(struct search *part, void *context) {
    const struct search_relay *relay = context;
    struct search *outer = relay->outer;
    struct search_statistics now;
    search_statistics(part, &now);
    outer->counters = relay->before;
    search_add_counters(&outer->counters, &now.counters);
    outer->seconds = base_seconds() - outer->began;
    if (outer->watch)
        outer->watch(outer, outer->watch_context);
    if (search_must_stop(outer))
        search_stop(part);
}

/* ---- results ---- */

const struct search_model *search_model(const struct search *search) {
    return search->model;
}

const struct base_strings *search_proposals(const struct search *search) {
    return &search->proposals;
}

const struct search_growth *search_growth(const struct search *search) {
    return search->growth;
}

struct search_growth_law *search_keep_law(struct search *search,
                                          const struct search_growth_law *law) {
    struct search_growth_law *copy = base_alloc(sizeof *copy);
    *copy = *law;
    base_push(&search->laws, copy);
    return copy;
}

size_t search_tests(const struct search *search, const struct search_test **tests) {
    *tests = search->archive.tests;
    return search->archive.count;
}

size_t search_faults(const struct search *search, const struct search_test **faults) {
    *faults = search->faults.tests;
    return search->faults.count;
}

void search_add_solver(struct solver_statistics *sum, const struct solver_statistics *part) {
    for (int i = 0; i < SOLVER_STAGE_COUNT; i++) {
        sum->sat[i] += part->sat[i];
        sum->unsat[i] += part->unsat[i];
    }
    sum->unknown += part->unknown;
    sum->wrong_models += part->wrong_models;
    sum->refused_again += part->refused_again;
    sum->seconds += part->seconds;
    sum->smt_seconds += part->smt_seconds;
}

/* Reasons why it is not complete; BOUNDS: also those that the user asked for. */
static uint64_t count_gaps(const struct search_counters *counters, bool bounds) {
    uint64_t gaps = 0;
#define COUNTER(id, blocks, text) gaps += (blocks) ? counters->id : 0;
    SEARCH_COUNTERS(COUNTER)
#undef COUNTER
    return bounds ? gaps : gaps - counters->cut;
}

bool search_has_gaps(const struct search *search) {
    return count_gaps(&search->counters, false) > 0;
}

void search_statistics(const struct search *search, struct search_statistics *statistics) {
    *statistics = (struct search_statistics){
        .news = search->news,
        .doing = search->doing ? search->doing : search->strategy->name,
        .best_size = search->archive.count ? search->archive.tests[0].size : 0,
        .counters = search->counters,
        .solver = search->solver,
        .seconds = search->before + search->seconds,
        .best = search->archive.count ? search->archive.tests[0].cost : 0,
        .start = search->start,
        .random = search->random,
        .frontier = search->subject.sweep        ? search_sweep_left(search)
                    : search->strategy->frontier ? search->strategy->frontier(search)
                                                 : 0,
        .pieces =
            search_can_farm(search) ? cluster_farm_count(search->options.cluster) : search->pieces,
        .end = (enum search_end)atomic_load(&search->end),
        .complete = search->finished && !count_gaps(&search->counters, true),
        .within_bounds = search->finished && !count_gaps(&search->counters, false)};
    for (size_t i = 0; i < search->subject.jobs; i++)
        search_add_solver(&statistics->solver, &search->worker_solver[i]);
}

/* ---- small things that strategies share ---- */

struct solver *search_new_solver(const struct search_options *options,
                                 const struct search_layout *layout) {
    struct solver *solver = solver_new(&options->solver);
    solver_set_ranges(solver, layout->ranges.data, layout->ranges.count);
    return solver;
}

bool search_ask(struct solver *solver, uint32_t condition, uint8_t *model,
                struct search_counters *counters) {
    enum solver_answer answer = solver_ask(solver, condition, model);
    counters->infeasible += answer == SOLVER_UNSAT;
    counters->unknown += answer == SOLVER_UNKNOWN && !solver_is_over(solver);
    return answer == SOLVER_SAT;
}

/* splitmix64, by Sebastiano Vigna (public domain). */
uint64_t search_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Neighbouring seeds and workers must not get the same random numbers shifted by one. */
uint64_t search_seed(const struct search *search, size_t worker) {
    uint64_t state = search->options.seed ^ search->options.stream;
    state = search_random(&state) ^ worker ^ (uint64_t)search_rank(search) << 32;
    return search_random(&state);
}
