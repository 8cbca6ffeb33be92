/* SPDX-License-Identifier: Apache-2.0
 *
 * beam: a suite of costly and diverse tests without looking at every path. Algorithms 1 and 3 of
 * "Automatic Generation of Load Tests" (Zhang, Elbaum, Dwyer; section III).
 *
 * The search goes level by level. A level extends every promising state by --lookahead decisions in
 * every direction and clusters the resulting states (see cluster.c). If the clusters are far enough
 * apart, only the costliest state of each goes on, otherwise all of them do. The search ends when
 * no state grows any more. The cost of a state is what the run has cost up to it.
 *
 * After --max-constraints decisions the episode ends: the bytes that the path so far depends on
 * keep their values and are concrete from then on, so that no path condition outgrows the solver. A
 * concrete byte leaves no trace, so the next episode sees only new decisions.
 *
 * A level can reach more states than can be explored. Then the costliest states of all regions are
 * explored first, within a budget of runs, and only the costliest --max-frontier states stay in the
 * frontier, spread over its regions; the others are counted. If a pass has dropped states and there
 * is time left, a further pass starts from the costliest input so far.
 */
#include "search/beam/beam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL_RUNS 16u    /* times the largest frontier: budget of one level, in runs */
#define EPISODES 10.0     /* at least this many, if time is limited */
#define SHORT_EPISODE 8.0 /* an episode counts as at least this fraction of its time (1/8) */
#define FIRST_CLIMB 6.0   /* fraction (1/6) of the time for spreading before the first level */
#define REHEARSAL 5.0     /* fraction (1/5) of the time for a round of rehearsal before that */
#define LEAST_SPREAD 0.2  /* of the time, for spreading, at least and at most */
#define MOST_SPREAD 0.8
#define LEAST_GAIN 1e-3 /* that every part is assumed to have brought */
#define PLACE_LEVELS 4u /* look-aheads per episode by profile */
#define LEAST_STATES 8u /* that a level expands, at least */
#define IDLE 2u         /* passes in a row without anything better, after which to stop */

/* ---- how the time is divided ---- */

/* The share of the time that spreading gets, by how much it and the levels have recently gained for
 * theirs. */
static double spread_share(const struct beam *beam) {
    double levels = (beam->levels.gain + LEAST_GAIN) / (beam->levels.spent + 1e-9);
    double spreads = (beam->spreads.gain + LEAST_GAIN) / (beam->spreads.spent + 1e-9);
    double share = spreads / (levels + spreads);
    return share < LEAST_SPREAD ? LEAST_SPREAD : share > MOST_SPREAD ? MOST_SPREAD : share;
}

double beam_episode_seconds(const struct beam *beam) {
    return beam->search->options.limits.seconds / EPISODES * 2 * (1 - spread_share(beam));
}

static double costliest_test(const struct beam *beam) {
    const struct beam_test *test = beam_costliest_test(&beam->finished);
    return test ? test->cost : 0;
}

/* Books the gain since BEGAN; older gains count less. */
static void note_yield(struct beam *beam, struct beam_yield *yield, double began, double before) {
    double now = costliest_test(beam);
    if (now > beam->highest)
        beam->highest = now;
    yield->gain = yield->gain / 2 + (before > 0 ? log(beam->highest / before) : 0);
    yield->spent = yield->spent / 2 + base_seconds() - began;
}

/* Where runs do not suffice for every decision, the run count at which the episode ends. */
static uint64_t episode_end(const struct beam *beam) {
    const struct search *search = beam->search;
    return beam_lacks_runs(beam)
               ? search->counters.runs + (uint64_t)(search->options.limits.runs / EPISODES)
               : UINT64_MAX;
}

bool beam_run_episode(struct beam *beam, uint32_t longest, struct base_error *error) {
    double seconds = beam_episode_seconds(beam), deadline = base_seconds() + seconds;
    uint64_t end = episode_end(beam);
    for (beam->limit = 0; beam->frontier.count && beam->limit < longest;) {
        bool is_last = longest - beam->limit <= beam->lookahead ||
                       (seconds > 0 && base_seconds() > deadline) ||
                       beam->search->counters.runs >= end;
        beam->limit +=
            beam->lookahead < longest - beam->limit ? beam->lookahead : longest - beam->limit;
        if (!beam_run_level(beam, is_last, error))
            return false;
        if (is_last || search_must_stop(beam->search) || beam_all_move_on(&beam->frontier))
            break;
    }
    return true;
}

/* ---- long paths ---- */

uint32_t beam_place_length(const struct beam *beam) {
    uint64_t length = (uint64_t)PLACE_LEVELS * beam->lookahead;
    uint32_t most = beam->search->options.beam.max_constraints;
    return length < most ? (uint32_t)length : most;
}

static double decisions_left(const struct beam *beam) {
    return beam->fixed < beam->expected ? (double)(beam->expected - beam->fixed) : 0;
}

/* Expanding one state takes each of its decisions another way. Do the runs not suffice for that? */
bool beam_lacks_runs(const struct beam *beam) {
    uint64_t left = search_runs_left(beam->search);
    return left < UINT64_MAX && decisions_left(beam) * LEAST_STATES > (double)left;
}

/* Is there too little time, at the pace of the front so far? */
static bool lacks_time(const struct beam *beam) {
    double seconds = search_seconds_left(beam->search);
    double passed = base_seconds() - beam->search->began;
    return isfinite(seconds) && decisions_left(beam) * passed > seconds * ((double)beam->fixed + 1);
}

bool beam_is_long(const struct beam *beam) {
    return decisions_left(beam) > beam_place_length(beam) &&
           (beam_lacks_runs(beam) || lacks_time(beam));
}

/* ---- Algorithm 3 ---- */

/* Time for spreading after an episode. A short episode counts as a fraction of its full time, so
 * that small programs are searched in the same way however busy the machine is. */
static double spread_seconds(const struct beam *beam, double took) {
    double least = beam_episode_seconds(beam) / SHORT_EPISODE, share = spread_share(beam);
    return beam->search->options.limits.seconds <= 0
               ? 0
               : (took > least ? took : least) * share / (1 - share);
}

static bool spread(struct beam *beam, double seconds, struct base_error *error) {
    double began = base_seconds(), before = beam->highest;
    bool good = beam_spread(beam, seconds, error);
    note_yield(beam, &beam->spreads, began, before);
    return good;
}

static bool run_episodes(struct beam *beam, struct base_error *error) {
    const struct search_options *options = &beam->search->options;
    while (beam->frontier.count && beam->fixed < options->path.longest) {
        uint64_t left = options->path.longest - beam->fixed;
        uint32_t longest =
            left < options->beam.max_constraints ? (uint32_t)left : options->beam.max_constraints;
        double began = base_seconds(), before = beam->highest, record = beam_record_cost(beam);
        double spent = beam_spent(beam);
        if (!beam_run_episode(beam, longest, error))
            return false;
        beam_note_turn(beam, &beam->profile.fronts, spent, record);
        uint32_t taken = beam_deepest(&beam->frontier);
        bool is_over = search_must_stop(beam->search) || left <= taken;
        beam->fixed += is_over ? 0 : taken;
        if (!is_over && beam->frontier.count &&
            !(beam_end_episode(beam, error) && beam_begin_episode(beam, error) &&
              beam_run_profile(beam, error)))
            return false;
        note_yield(beam, &beam->levels, began, before);
        if (is_over)
            break;
        if (beam->frontier.count &&
            !spread(beam, spread_seconds(beam, base_seconds() - began), error))
            return false;
    }
    return true;
}

/* ---- passes ---- */

static bool begin_pass(struct beam *beam, struct base_error *error) {
    double limit = beam->search->options.limits.seconds, seconds = limit / FIRST_CLIMB;
    if (!beam_begin(beam, limit / REHEARSAL, error))
        return false;
    if (beam->first_cost > beam->highest)
        beam->highest = beam->first_cost;
    return spread(beam, seconds, error);
}

/* A pass that dropped nothing has seen everything. After a pass without anything better the next
 * one gets twice the runs; the second such pass in a row ends the search. */
static bool run_passes(struct beam *beam, struct base_error *error) {
    bool good = true;
    for (unsigned idle = 0; good && idle < IDLE && !search_must_stop(beam->search);) {
        double before = costliest_test(beam);
        beam->let_go = 0;
        good = (beam->is_loaded || begin_pass(beam, error)) && run_episodes(beam, error);
        beam->is_loaded = false;
        if (!beam->let_go)
            break;
        idle = costliest_test(beam) > before ? 0 : idle + 1;
        beam->level_runs *= idle ? 2 : 1;
        beam->pass++;
    }
    return good;
}

static struct beam *beam_of(struct search *search) {
    if (!search->state) {
        struct beam *beam = search->state = base_alloc(sizeof *beam);
        beam->search = search;
        beam->lookahead = search->options.beam.lookahead;
        beam->profile.stride = 1;
        beam->level_runs = (uint64_t)LEVEL_RUNS * search->options.beam.max_frontier;
    }
    return search->state;
}

static bool run(struct search *search, struct base_error *error) {
    struct beam *beam = beam_of(search);
    beam->runner = beam_runner_new(search, &beam->origins);
    beam_weigh_whole(beam->runner, beam_weighs_whole(beam));
    search_shorten_runs(search, search_ring_seconds(&search->subject.layout));
    bool good = run_passes(beam, error), ended = good || error->code == BASE_STOPPED;
    if (good && beam->is_unseen) /* otherwise what was spread last would be lost */
        good = beam_finish(beam, &beam->frontier, error);
    search_shorten_runs(search, 0);
    beam_runner_free(beam->runner);
    beam->runner = NULL;
    if (ended) /* a run that was cut off has changed nothing */
        beam_make_suite(beam);
    if (!atomic_load(&search->stop)) { /* nothing is left to do within the bounds */
        beam_states_done(&beam->frontier);
        beam_origins_done(&beam->origins);
    }
    return good;
}

/* On other ranks: sets up only what is needed to run batches. */
static bool serve(struct search *search, size_t worker, const char *piece, size_t size,
                  struct base_buffer *answer, struct base_error *error) {
    pthread_mutex_lock(&search->lock);
    struct beam *beam = beam_of(search);
    if (!beam->runner)
        beam->runner = beam_runner_new(search, &beam->origins);
    pthread_mutex_unlock(&search->lock);
    return beam_serve(search, worker, piece, size, answer, error);
}

static void save(struct search *search, struct base_buffer *out) {
    if (search->state)
        beam_save(search->state, out);
}

static bool load(struct search *search, const char *data, size_t size) {
    struct beam *beam = beam_of(search);
    if (size && !beam_load(beam, data, size))
        return false;
    beam->first_cost = -1;
    beam_begin_frontier(beam);
    beam->is_loaded = beam->frontier.count > 0;
    return true;
}

static size_t frontier(const struct search *search) {
    const struct beam *beam = search->state;
    return beam ? beam->frontier.count : 0;
}

static void done(struct search *search) {
    struct beam *beam = search->state;
    if (!beam)
        return;
    if (beam->runner)
        beam_runner_free(beam->runner);
    beam_states_done(&beam->frontier);
    beam_origins_done(&beam->origins);
    beam_finished_done(&beam->finished);
    free(beam->record.bytes);
    search_archive_done(&beam->pool);
    beam_profile_done(&beam->profile);
    free(beam);
    search->state = NULL;
}

const struct search_strategy search_strategy_beam = {
    .name = "beam",
    .summary = "level by level, from the costliest of several different states each",
    .is_symbolic = true,
    .run = run,
    .serve = serve,
    .save = save,
    .load = load,
    .frontier = frontier,
    .done = done};
