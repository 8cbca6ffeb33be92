/* SPDX-License-Identifier: Apache-2.0
 *
 * auto: which strategy should run when the user names none? Each strategy that fits runs as a
 * search of its own with the same programs. They take turns, and their finds go into one archive.
 *
 * Turns are counted in runs, not seconds, so that a search with one worker is repeatable unless the
 * clock cuts a turn short. A part that raised the best cost in its turn gets another turn at once,
 * a few times in a row; then the next part has its turn. Parts that cannot be interrupted and
 * resumed get one longer turn. The search ends when all paths are covered: there is nothing left to
 * find.
 *
 * A guest is a strategy of another room, whose time depends on what it finds (guest.c).
 *
 * To add a part, add a row to the table; everything specific to it is there.
 */
#include "search/auto/auto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SMALL_INPUT 64u      /* bytes; up to this size all paths are tried */
#define TURNS_IN_A_ROW 3u    /* of a part that keeps raising the best cost */
#define SMALLEST_GROWTH 256u /* bytes: six doublings, starting at four */
#define LONGEST_TURN 0.125   /* of the time */
#define SHORTEST_TURN 2.0    /* seconds that a turn may always take, unless that is more ... */
#define SHORTEST_SHARE 0.08  /* ... than this of the time: every part should get a turn soon */
#define DEFAULT_SECONDS 60.0
#define QUESTION_MS 2000u /* for one question to the solver: other parts are waiting */

/* ---- the table ---- */

static bool can_trace(const struct search *search) {
    return search->subject.programs[0].trace != NULL;
}

static bool is_small(const struct search *search) {
    return search->subject.layout.bytes <= SMALL_INPUT && can_trace(search);
}

static bool has_sizes(const struct search *search) {
    return search->subject.sizes && can_trace(search) && !is_small(search) &&
           search_rank(search) == 0; /* ranks would all do the same */
}

static bool has_bytes(const struct search *search) {
    return search->subject.layout.bytes > 0;
}

static bool is_large(const struct search *search) {
    return can_trace(search) && !is_small(search) && search_is_last_rank(search);
}

static bool may_grow(const struct search *search) {
    return search->subject.sizes_vary && search->subject.programs[0].count;
}

/* Doublings need room to grow. */
static bool can_grow(const struct search *search) {
    return may_grow(search) && search->options.grow_size >= SMALLEST_GROWTH;
}

/* Do all inputs stay within the size of grown patterns? Then their finds can be improved directly.
 */
static bool is_bounded(const struct search *search) {
    return can_grow(search) && search->options.grow_size <= search->subject.layout.bytes;
}

static bool is_open(const struct search *search) {
    return can_grow(search) && !is_bounded(search);
}

static bool has_guest(const struct search *search) {
    return search->options.guest != NULL && search_rank(search) == 0;
}

static const struct auto_row rows[] = {
    {&search_strategy_exhaustive, is_small, auto_start_as_given, 50000, 0, 0, true},
    {&search_strategy_scale, has_sizes, auto_start_as_given, 0, 0, 0.3, true},
    {&search_strategy_evolve, has_bytes, auto_start_as_given, 100000, 0, 0, false},
    {NULL, has_guest, auto_start_with_nothing, 0, 1, 0, false},
    {&search_strategy_patterns, is_open, auto_start_from_all, 0, 1, 0.5, false},
    {&search_strategy_patterns, is_bounded, auto_start_from_all, 0, 1, 0.3, false},
    {&search_strategy_evolve, is_bounded, auto_start_from_all, 100000, 2, 0, false},
    {&search_strategy_beam, is_large, auto_start_from_best, 20000, 4, 0.1, true},
};
_Static_assert(BASE_COUNT(rows) <= AUTO_MOST_PARTS, "more parts than there is room for");

static double seconds_of(const struct search *search) {
    double seconds = search->options.limits.seconds;
    return seconds > 0 ? seconds : DEFAULT_SECONDS;
}

/* ---- parts ---- */

static void begin_part(struct search *search, struct auto_part *part) {
    struct search_options options = search->options;
    if (options.solver.timeout_ms > QUESTION_MS)
        options.solver.timeout_ms = QUESTION_MS;
    part->subject = search->subject;
    part->subject.start_count = 0;
    part->row->start(part, search);
    part->subject.starts = part->starts;
    struct auto_pool *pool = ((struct auto_state *)search->state)->pool;
    if (pool && part->row->start == auto_start_as_given) /* the others are as without a guest */
        options.exchange = auto_pool_exchange(pool);
    part->search = search_new_part(search, auto_strategy(part, search), &options, &part->subject);
    part->search->begins_with_finds = search->archive.count && part->subject.start_count &&
                                      part->row->start != auto_start_as_given;
}

static void part_done(struct auto_part *part) {
    if (part->search)
        search_free(part->search);
    for (size_t i = 0; i < part->subject.start_count; i++)
        free((void *)part->starts[i].data);
    free(part->starts);
}

static struct auto_state *state_of(struct search *search) {
    if (search->state)
        return search->state;
    if (may_grow(search) && !can_grow(search))
        base_note("inputs of at most %zu bytes are too short to show how costs grow (at least %u "
                  "are needed), so there will be no findings",
                  search->options.grow_size, SMALLEST_GROWTH);
    struct auto_state *state = search->state = base_alloc(sizeof *state);
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (rows[i].fits(search))
            state->parts[state->count++].row = &rows[i];
    if (search->options.guest && !search->options.exchange)
        state->pool = auto_pool_new();
    return state;
}

/* ---- turns ---- */

/* With ranks that share the work: it is over when no rank has any left, whatever this one is doing.
 */
static bool has_covered_all(const struct search *search) {
    const struct cluster *cluster = search->options.cluster;
    return cluster && cluster_is_over(cluster) && !cluster_has_gaps(cluster);
}

static void watch(struct search *part, void *context) {
    struct search *search = context;
    auto_gather(search);
    search->seconds = base_seconds() - search->began;
    if (part->news.count)
        search->news = part->news;
    search->doing = part->strategy->name;
    if (search->watch)
        search->watch(search, search->watch_context);
    if (search_must_stop(search) || has_covered_all(search))
        search_stop(part);
}

static double turn_seconds(const struct search *search, const struct auto_part *part,
                           bool is_alone) {
    double all = seconds_of(search), left = all - (base_seconds() - search->began);
    double shortest = fmin(SHORTEST_TURN, SHORTEST_SHARE * all);
    double turn = all * (part->row->share > 0 ? part->row->share : LONGEST_TURN);
    double first = shortest * (double)(1u << (part->turns < 6 ? part->turns : 6));
    if (auto_is_guest(part))
        turn = auto_guest_turn(search, part, all);
    else if (part->row->share <= 0 && turn > first)
        turn = first;
    if (turn < shortest)
        turn = shortest;
    if (is_alone || turn > left)
        turn = left;
    if (auto_is_guest(part) && search->options.limits.runs)
        return 0; /* one uninterrupted turn: turns by the clock would not be repeatable */
    return search->options.limits.seconds > 0 ? (turn > 0.001 ? turn : 0.001) : is_alone ? 0 : turn;
}

static bool take_turn(struct search *search, struct auto_part *part, bool is_alone,
                      struct base_error *error) {
    if (!part->search)
        begin_part(search, part);
    struct search *inner = part->search;
    inner->options.limits.seconds = turn_seconds(search, part, is_alone);
    inner->options.limits.reserve = 0;
    uint64_t left = search_runs_left(search);
    inner->share = left == UINT64_MAX ? 0 : inner->counters.runs + left;
    search_begin_turn(inner, is_alone ? 0 : part->row->runs);
    search_set_watch(inner, watch, search);
    part->turns++;
    bool good = search_run(inner, error);
    auto_gather(search);
    if (inner->growth && !search->growth) {
        search->growth = inner->growth;
        inner->growth = NULL;
    }
    if (inner->model && !search->model) {
        search->model = inner->model;
        inner->model = NULL;
    }
    struct search_statistics now;
    search_statistics(inner, &now);
    part->is_over = part->row->share > 0 || now.end == SEARCH_FINISHED;
    part->spent += inner->seconds;
    if (auto_is_guest(part) && state_of(search)->pool)
        auto_pool_fill(state_of(search)->pool, &inner->archive);
    base_detail("auto: %s had turn %llu, %.2f s; best %.15g", inner->strategy->name,
                (unsigned long long)part->turns, inner->seconds,
                search->archive.count ? search->archive.tests[0].cost : 0);
    return good;
}

static bool is_alone(const struct auto_state *state, size_t index) {
    for (size_t i = 0; i < state->count; i++)
        if (i != index && !state->parts[i].is_over)
            return false;
    return true;
}

static bool is_ready(const struct search *search, const struct auto_part *part) {
    const struct auto_state *state = search->state;
    if (auto_is_guest(part) && !part->is_over &&
        !auto_guest_is_ready(search, part, seconds_of(search),
                             is_alone(state, (size_t)(part - state->parts))))
        return false;
    return !part->is_over && state->turns >= part->row->after &&
           (!part->row->traces || search_can_trace(&search->subject.programs[0]));
}

/* The next part in line, the last one included; state->count when there is none. */
static size_t next_part(const struct search *search) {
    const struct auto_state *state = search->state;
    for (size_t i = 1; i <= state->count; i++) {
        size_t at = (state->last + i) % state->count;
        if (is_ready(search, &state->parts[at]))
            return at;
    }
    return state->count;
}

/* ---- laws of other searches, once the part that grows patterns is over ---- */

static void take_growth(struct search *search, struct search *part) {
    auto_take_tests(&search->archive, &part->archive, NULL);
    if (!search->growth) {
        search->growth = part->growth;
        part->growth = NULL;
        return;
    }
    for (size_t i = 0; i < part->laws.count; i++)
        if (measure_is_superlinear(&part->laws.data[i]->growth)) {
            search_add_finding(search->growth, part->laws.data[i]);
            search->growth->superlinear++;
        }
}

static bool will_grow(const struct auto_state *state) {
    for (size_t i = 0; i < state->count; i++)
        if (state->parts[i].row->strategy == &search_strategy_patterns)
            return !state->parts[i].is_over;
    return false;
}

/* Grows laws of other searches here before they are believed. Failures are ignored. */
static void take_laws(struct search *search) {
    struct auto_state *state = search->state;
    struct base_error error;
    if (!can_grow(search) || !search_has_waiting(search, SEARCH_LAW))
        return;
    struct search_options options = search->options;
    options.limits.runs = 0;
    options.limits.seconds = 0;
    struct search *part =
        search_new_part(search, &search_strategy_patterns, &options, &search->subject);
    part->only_takes = true;
    base_push(&state->late, part);
    if (search_run(part, &error))
        take_growth(search, part);
}

/* A part that fails is dropped while there are others: it may just lack the symbolic build. */
static bool run_part(struct search *search, size_t index, struct base_error *error) {
    struct auto_state *state = search->state;
    struct auto_part *part = &state->parts[index];
    double before = search->archive.count ? search->archive.tests[0].cost : 0;
    if (!take_turn(search, part, is_alone(state, index), error)) {
        part->is_over = true;
        if (is_alone(state, index) && !search->archive.count)
            return false;
        base_note("auto: without %s: %s", auto_strategy(part, search)->name, error->message);
    }
    double after = search->archive.count ? search->archive.tests[0].cost : 0;
    auto_guest_gained(part, before, after);
    state->in_a_row = after > before ? state->in_a_row + 1 : TURNS_IN_A_ROW;
    state->turns++;
    state->last = index;
    return true;
}

/* No part gets a second turn in a row before all others have had their first. */
static bool has_all_begun(const struct search *search) {
    const struct auto_state *state = search->state;
    for (size_t i = 0; i < state->count; i++) {
        const struct auto_part *part = &state->parts[i];
        if (!part->search && (is_ready(search, part) || !part->row->after))
            return false;
    }
    return true;
}

static bool is_complete(const struct search *search, const struct auto_part *part) {
    struct search_statistics now;
    if (part->search && has_covered_all(part->search))
        return true;
    if (!part->search || !auto_strategy(part, search)->covers_all || search_is_shared(part->search))
        return false;
    search_statistics(part->search, &now);
    return now.within_bounds;
}

/* Is there a part that only lacks the symbolic build? */
static bool is_waiting(const struct search *search) {
    const struct auto_state *state = search->state;
    bool can_trace = search_can_trace(&search->subject.programs[0]);
    for (size_t i = 0; i < state->count && !can_trace; i++)
        if (!state->parts[i].is_over && state->parts[i].row->traces &&
            state->turns >= state->parts[i].row->after)
            return true;
    return false;
}

static void wait_a_moment(struct search *search) {
    struct timespec moment = {.tv_nsec = 20000000};
    nanosleep(&moment, NULL);
    search->seconds = base_seconds() - search->began;
    if (search->watch)
        search->watch(search, search->watch_context);
}

static bool run(struct search *search, struct base_error *error) {
    struct auto_state *state = state_of(search);
    state->last = state->count ? state->count - 1 : 0;
    while (state->count && !search_must_stop(search)) {
        if (!will_grow(state))
            take_laws(search);
        bool goes_on = has_all_begun(search) && state->in_a_row < TURNS_IN_A_ROW &&
                       is_ready(search, &state->parts[state->last]);
        size_t next = goes_on ? state->last : next_part(search);
        if (!goes_on)
            state->in_a_row = 0;
        if (next == state->count && is_waiting(search)) {
            wait_a_moment(search);
            continue;
        }
        if (next == state->count)
            break;
        if (!run_part(search, next, error))
            return false;
        if (is_complete(search, &state->parts[next]))
            return true;
    }
    take_laws(search);
    atomic_store(&search->stop, true); /* not everything was covered */
    return true;
}

/* ---- saving and loading ---- */

/* What is left to explore. */
static size_t frontier(const struct search *search) {
    const struct auto_state *state = search->state;
    for (size_t i = 0; state && i < state->count; i++) {
        const struct auto_part *part = &state->parts[i];
        if (part->search && part->search->strategy->covers_all)
            return part->search->strategy->frontier(part->search);
    }
    return 0;
}

static void save(struct search *search, struct base_buffer *out) {
    const struct auto_state *state = search->state;
    for (size_t i = 0; state && i < state->count; i++) {
        if (!state->parts[i].search || state->parts[i].row->share > 0)
            continue; /* a single turn is not resumed */
        struct base_buffer saved = {0};
        search_save(state->parts[i].search, &saved);
        uint64_t head[2] = {(uint64_t)(state->parts[i].row - rows), saved.count};
        search_put(out, head, sizeof head);
        search_put(out, saved.data, saved.count);
        base_buffer_done(&saved);
    }
}

/* NULL: it does not fit here, or belongs to another rank. */
static struct auto_part *part_of_row(struct auto_state *state, uint64_t row) {
    for (size_t i = 0; i < state->count; i++)
        if ((uint64_t)(state->parts[i].row - rows) == row)
            return &state->parts[i];
    return NULL;
}

static bool load_part(struct search *search, struct auto_part *part, const char *data,
                      size_t size) {
    struct base_error error;
    if (part->search)
        return search_merge(part->search, data, size, &error);
    begin_part(search, part);
    return search_load(part->search, data, size, &error);
}

static bool load(struct search *search, const char *data, size_t size) {
    struct auto_state *state = state_of(search);
    const char *end = data + size;
    while (data < end) {
        uint64_t head[2];
        if (!search_get(&data, end, head, sizeof head) || head[0] >= BASE_COUNT(rows) ||
            head[1] > (size_t)(end - data))
            return false;
        struct auto_part *part = part_of_row(state, head[0]);
        if (part && !load_part(search, part, data, head[1]))
            return false;
        data += head[1];
    }
    return true;
}

/* Only the strategy that covers all paths hands out work. */
static bool take_rest(struct search *search, const char *data, size_t size) {
    struct auto_state *state = state_of(search);
    for (size_t i = 0; i < state->count; i++)
        if (auto_strategy(&state->parts[i], search)->take_rest) {
            if (!state->parts[i].search)
                begin_part(search, &state->parts[i]);
            return search_take_rest(state->parts[i].search, data, size);
        }
    return false;
}

static void done(struct search *search) {
    struct auto_state *state = search->state;
    for (size_t i = 0; state && i < state->count; i++)
        part_done(&state->parts[i]);
    for (size_t i = 0; state && i < state->late.count; i++)
        search_free(state->late.data[i]);
    if (state)
        base_vector_done(&state->late);
    if (state && state->pool)
        auto_pool_free(state->pool);
    free(state);
    search->state = NULL;
}

const struct search_strategy search_strategy_auto = {.name = "auto",
                                                     .summary =
                                                         "the others take turns by what they bring",
                                                     .varies_size = true,
                                                     .may_trace = true,
                                                     .may_scale = true,
                                                     .is_scheduler = true,
                                                     .has_islands = true,
                                                     .merges = true,
                                                     .take_rest = take_rest,
                                                     .run = run,
                                                     .save = save,
                                                     .load = load,
                                                     .frontier = frontier,
                                                     .done = done};
