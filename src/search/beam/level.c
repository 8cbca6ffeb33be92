/* SPDX-License-Identifier: Apache-2.0
 *
 * One level of the beam: how is the frontier extended, and which of its states go on? Algorithm 1
 * of the paper cited in beam.c.
 */
#include "search/beam/beam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_BYTES ((size_t)8 << 10) /* larger inputs are not run whole at every level */
#define SHARE 1.5                     /* times its even share of the time left, for one level */
#define ASIDE 8                       /* times more of it for a level of an episode further on */

/* ---- the frontier ---- */

/* Moves the states for which LEAVES is true to TO, or frees them if TO is NULL. */
static void take_states(struct beam_states *from, bool (*leaves)(const struct beam_state *),
                        struct beam_states *to) {
    size_t kept = 0;
    for (size_t i = 0; i < from->count; i++)
        if (!leaves(&from->data[i]))
            from->data[kept++] = from->data[i];
        else if (to)
            base_push(to, from->data[i]);
        else
            beam_state_done(&from->data[i]);
    from->count = kept;
}

static bool is_lost(const struct beam_state *state) {
    return state->is_lost;
}

/* A path ended by an assumption is only useful for its alternatives. */
static bool is_useless(const struct beam_state *state) {
    return state->is_rejected && state->is_expanded;
}

/* Nothing more is decided in this window; a later window may have more decisions. */
static bool has_ended(const struct beam_state *state) {
    return state->has_ended && (state->is_rejected || !state->moves_on);
}

static bool goes_on(const struct beam_state *state) {
    return !state->has_ended || state->is_rejected;
}

/* Are whole runs cheap enough to run all states to the end? */
bool beam_weighs_whole(const struct beam *beam) {
    return beam_prospect(beam->search) == SEARCH_WHOLE ||
           beam->search->subject.layout.bytes <= WHOLE_BYTES;
}

void beam_count_pruned(struct beam *beam, size_t count) {
    struct search_counters counters = {.pruned = count};
    search_book_locked(beam->search, &counters);
}

/* States that can still be extended or expanded. */
static size_t count_alive(const struct beam_states *states) {
    size_t count = 0;
    for (size_t i = 0; i < states->count; i++)
        count += !states->data[i].has_ended || !states->data[i].is_expanded;
    return count;
}

/* Keeps the costliest state of each region; up to two where whole runs are weighed. */
static size_t shrink_frontier(struct beam *beam) {
    struct beam_clusters regions;
    size_t most = beam->search->options.beam.max_frontier;
    beam_sort(&beam->origins, &beam->frontier);
    if (beam->frontier.count <= most)
        return 0;
    beam_cluster(beam, &beam->frontier, beam_weighs_whole(beam) ? (most + 1) / 2 : most, &regions);
    size_t alive = count_alive(&beam->frontier);
    size_t gone = beam_select(&beam->frontier, &regions);
    beam->let_go += alive - count_alive(&beam->frontier);
    beam_clusters_done(&regions);
    return gone;
}

/* ---- one level: bounded exploration ---- */

static bool is_fresh(const struct beam_state *state) {
    return !state->is_expanded;
}

/* The costliest states of each of MOST regions that have not been expanded yet. */
static size_t pick_states(struct beam *beam, size_t most, struct beam_state **picked) {
    struct beam_states fresh = {0};
    struct beam_clusters regions;
    size_t *places = base_alloc((beam->frontier.count + 1) * sizeof *places), count = 0;
    for (size_t i = 0; i < beam->frontier.count; i++)
        if (is_fresh(&beam->frontier.data[i])) {
            places[fresh.count] = i;
            base_push(&fresh, beam->frontier.data[i]);
        }
    beam_cluster(beam, &fresh, most, &regions);
    for (size_t cluster = 0; fresh.data && cluster < regions.count; cluster++) {
        struct beam_pair best =
            beam_best(&fresh, regions.starts[cluster], regions.starts[cluster + 1]);
        picked[count++] = &beam->frontier.data[places[best.so_far]];
        if (best.whole != best.so_far)
            picked[count++] = &beam->frontier.data[places[best.whole]];
    }
    beam_clusters_done(&regions);
    base_vector_done(&fresh);
    free(places);
    return count;
}

static void count_changes(const struct beam_origins *origins, struct beam_states *states) {
    for (size_t i = 0; i < states->count; i++) {
        struct beam_state *state = &states->data[i];
        const struct beam_origin *origin = &origins->data[state->origin];
        state->changed = 0;
        for (size_t at = 0; at < origin->count; at++)
            state->changed += state->bytes[at] != origin->head[origin->first + at];
    }
}

/* One round: expands the picked states. *NEWS: how many there were. */
static bool explore_round(struct beam *beam, size_t most, size_t *news, struct base_error *error) {
    struct beam_state **picked = base_alloc((2 * most + 1) * sizeof *picked);
    struct beam_states children = {0};
    size_t count = pick_states(beam, most, picked);
    bool good = beam_expand(beam->runner, picked, count, beam->limit, &children, error) &&
                beam_look(beam->runner, children.data, children.count, beam->limit, error);
    *news = count;
    count_changes(&beam->origins, &children);
    for (size_t i = 0; i < children.count; i++) {
        if (!children.data[i].is_lost)
            beam_note_move(beam, &children.data[i]);
        base_push(&beam->frontier, children.data[i]);
    }
    base_vector_done(&children);
    free(picked);
    take_states(&beam->frontier, is_lost, NULL);
    take_states(&beam->frontier, is_useless, NULL);
    return good;
}

/* Makes the states start a new level where they are now. */
static void begin_level(struct beam *beam) {
    for (size_t i = 0; i < beam->frontier.count; i++) {
        struct beam_state *state = &beam->frontier.data[i];
        state->open = state->bound = state->depth;
        state->any_value = state->is_expanded = false;
    }
}

/* An episode begun further on is at a promising place: its levels get as much as several. */
static double levels_left(const struct beam *beam) {
    uint64_t done = beam->fixed + beam->limit;
    double left = done < beam->expected ? (double)(beam->expected - done) / beam->lookahead + 1 : 1;
    return beam->is_aside ? fmax(left / ASIDE, 1) : left;
}

/* Shares the time left between the remaining levels, as far as the first run showed how many there
 * may be: it is better to search a long path a little everywhere than only at its beginning. */
static double level_deadline(const struct beam *beam) {
    const struct search *search = beam->search;
    double now = base_seconds(), left = search->began + search->options.limits.seconds - now;
    if (search->options.limits.seconds <= 0)
        return now + 1e9;
    return now + left * SHARE / levels_left(beam);
}

/* Shares the runs likewise, if they do not suffice for every decision. */
static uint64_t level_budget(const struct beam *beam) {
    if (!beam_lacks_runs(beam))
        return beam->level_runs;
    double share = (double)search_runs_left(beam->search) * SHARE / levels_left(beam);
    return share < (double)beam->level_runs ? (uint64_t)share : beam->level_runs;
}

static bool explore_level(struct beam *beam, struct base_error *error) {
    struct search *search = beam->search;
    const struct search_options *options = &search->options;
    uint64_t last = search->counters.runs + level_budget(beam);
    size_t most = options->tests < 8 ? 8 : options->tests, news = 1, gone = 0;
    double deadline = level_deadline(beam);
    begin_level(beam);
    beam->is_unseen = false;
    if (!beam_look(beam->runner, beam->frontier.data, beam->frontier.count, beam->limit, error))
        return false;
    take_states(&beam->frontier, is_lost, NULL);
    beam_sort(&beam->origins, &beam->frontier);
    do { /* at least once: where runs are slow, a level's share may be less than one */
        if (search_must_stop(search))
            break;
        if (!explore_round(beam, most, &news, error))
            return false;
        gone += shrink_frontier(beam);
    } while (news && search->counters.runs < last && base_seconds() < deadline);
    size_t unseen = 0;
    for (size_t i = 0; i < beam->frontier.count; i++)
        unseen += is_fresh(&beam->frontier.data[i]);
    beam_count_pruned(beam, gone + unseen);
    beam->let_go += unseen;
    if (gone || unseen)
        base_detail("beam:   too many states: %zu went because a costlier neighbour stays, %zu "
                    "were not explored further",
                    gone, unseen);
    return true;
}

/* ---- the end of a level ---- */

static double costliest(const struct beam_states *states) {
    double most = 0;
    for (size_t i = 0; i < states->count; i++)
        most = states->data[i].cost > most ? states->data[i].cost : most;
    return most;
}

/* If the window does not reach the end of the input, a path that ends in it may go on after it. */
static void mark_movers(struct beam *beam) {
    for (size_t i = 0; i < beam->frontier.count; i++) {
        struct beam_state *state = &beam->frontier.data[i];
        const struct beam_origin *origin = &beam->origins.data[state->origin];
        state->moves_on =
            state->has_ended && origin->first + origin->count < beam->search->subject.layout.bytes;
    }
}

bool beam_all_move_on(const struct beam_states *states) {
    for (size_t i = 0; i < states->count; i++)
        if (!states->data[i].moves_on)
            return false;
    return true;
}

uint32_t beam_deepest(const struct beam_states *states) {
    uint32_t most = 0;
    for (size_t i = 0; i < states->count; i++)
        most = states->data[i].depth > most ? states->data[i].depth : most;
    return most;
}

/* Of paths that ended within the level, keeps the costliest of each cluster as tests. */
static bool finish_ended(struct beam *beam, struct base_error *error) {
    struct beam_states ended = {0};
    struct beam_clusters clusters;
    take_states(&beam->frontier, has_ended, &ended);
    take_states(&ended, goes_on, NULL);
    beam_cluster(beam, &ended, beam->search->options.tests, &clusters);
    if (ended.count)
        base_detail("beam:   %zu paths ended, the costliest after %.15g", ended.count,
                    costliest(&ended));
    size_t gone = beam_select(&ended, &clusters);
    beam_clusters_done(&clusters);
    beam_count_pruned(beam, gone);
    bool good = beam_finish(beam, &ended, error);
    beam_states_done(&ended);
    return good;
}

static void tell_cut(const struct beam *beam, const struct beam_clusters *clusters,
                     bool is_diverse) {
    struct base_buffer gaps = {0};
    base_buffer_add(&gaps, "", 0);
    for (size_t i = 1; i < clusters->count; i++)
        base_buffer_print(&gaps, "%s%u", i > 1 ? " " : "", clusters->gaps[clusters->starts[i] - 1]);
    base_detail("beam:   %zu clusters, gaps %s, threshold %u/%zu: %s", clusters->count,
                clusters->count > 1 ? gaps.data : "none", beam->lookahead, clusters->count,
                is_diverse ? "diverse" : "not diverse, all states go on");
    base_buffer_done(&gaps);
}

static void tell_kept(const struct beam_states *states) {
    struct base_buffer text = {0};
    base_buffer_add(&text, "", 0);
    for (size_t i = 0; i < states->count; i++)
        base_buffer_print(&text, " %.15g", states->data[i].cost);
    base_detail("beam:   %zu states kept, cost so far%s", states->count, text.data);
    base_buffer_done(&text);
}

/* Clusters the frontier and keeps the promising states. */
static void choose_promising(struct beam *beam, bool is_last) {
    struct beam_clusters clusters;
    beam_cluster(beam, &beam->frontier, beam->search->options.tests, &clusters);
    bool is_diverse =
        clusters.count < 2 || beam_is_diverse(clusters.smallest, beam->lookahead, clusters.count);
    tell_cut(beam, &clusters, is_diverse);
    if (is_diverse || is_last) {
        size_t gone = beam_select(&beam->frontier, &clusters);
        beam_count_pruned(beam, gone);
        beam->let_go += gone;
        if (beam_prospect(beam->search) == SEARCH_WHOLE)
            beam_drop_worse(beam);
        tell_kept(&beam->frontier);
    }
    beam_clusters_done(&clusters);
}

/* The inputs of promising states become tests already. For large inputs whole runs cost more than
 * the beginnings that a level looks at, so this is done less often. */
static bool finish_promising(struct beam *beam, struct base_error *error) {
    const struct search_options *options = &beam->search->options;
    size_t rests = beam->search->subject.layout.bytes / WHOLE_BYTES + 1;
    bool is_due = beam->level % rests == 0 || beam->fixed + beam->limit >= options->path.longest ||
                  search_must_stop(beam->search);
    return !is_due || beam->frontier.count > 2 * beam->search->options.tests ||
           beam_finish(beam, &beam->frontier, error);
}

static void tell_level(struct beam *beam) {
    struct search_statistics now;
    search_statistics(beam->search, &now);
    double seconds = base_seconds() - beam->search->began;
    base_detail(
        "beam: level %u to decision %u: frontier %zu, %llu runs, solver %.0f%% of the time",
        beam->level, beam->limit, beam->frontier.count, (unsigned long long)now.counters.runs,
        seconds > 0 ? now.solver.seconds / seconds / (double)beam->search->subject.jobs * 100 : 0);
}

/* Counts how far the front has come if it is further than before. */
static void note_reach(struct beam *beam) {
    const struct search_counters *told = &beam->search->counters;
    uint64_t now = beam->fixed + beam_deepest(&beam->frontier), bytes = 0;
    for (size_t i = 0; i < beam->origins.count; i++)
        bytes = beam->origins.data[i].first > bytes ? beam->origins.data[i].first : bytes;
    if (beam->is_aside)
        return;
    struct search_counters counters = {.reached = now > told->reached ? now - told->reached : 0,
                                       .passed = bytes > told->passed ? bytes - told->passed : 0};
    search_book_locked(beam->search, &counters);
}

bool beam_run_level(struct beam *beam, bool is_last, struct base_error *error) {
    struct search_counters counters = {.levels = 1};
    if (!explore_level(beam, error))
        return false;
    search_book_locked(beam->search, &counters);
    beam->level++;
    tell_level(beam);
    note_reach(beam);
    mark_movers(beam);
    if (!finish_ended(beam, error))
        return false;
    is_last |= search_must_stop(beam->search) || beam_all_move_on(&beam->frontier);
    if (beam->frontier.count)
        choose_promising(beam, is_last);
    return finish_promising(beam, error);
}
