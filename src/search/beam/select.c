/* SPDX-License-Identifier: Apache-2.0
 *
 * Which states go on, and which tests does the user get? The costliest of each cluster.
 *
 * A path that is cheap so far may be the beginning of a costly one: a path that stays in an inner
 * loop has paid for fewer iterations of the outer ones after the same number of decisions. So where
 * whole runs are cheap, the state of each cluster whose whole input costs most goes on beside the
 * one that the algorithm chooses. It displaces no other state.
 *
 * A path that ends leaves the frontier, yet it may be the best test. So whole runs are kept with
 * their real cost, and the suite is chosen from these finished tests in the end: the costliest, no
 * two of which share a prefix that leaves less than look-ahead / tests decisions of either.
 */
#include "search/beam/beam.h"

#include <stdlib.h>
#include <string.h>

#define FINISHED_BYTES ((size_t)64 << 20)
#define FINISHED_MOST 256u
#define WORSE 0.9 /* of the costliest state's cost: states below this are dropped */
#define EARLY_BYTES ((size_t)1 << 20) /* larger tests are only offered at the end of the search */

void beam_cluster(const struct beam *beam, const struct beam_states *states, size_t count,
                  struct beam_clusters *clusters) {
    clusters->starts = base_alloc((count + 1) * sizeof *clusters->starts);
    clusters->gaps = base_alloc((states->count + 1) * sizeof *clusters->gaps);
    for (size_t i = 0; i + 1 < states->count; i++)
        clusters->gaps[i] = beam_gap(&beam->origins, &states->data[i], &states->data[i + 1]);
    clusters->count =
        beam_cut(clusters->gaps, states->count, count, 0, clusters->starts, &clusters->smallest);
    clusters->starts[clusters->count] = states->count;
}

void beam_clusters_done(struct beam_clusters *clusters) {
    free(clusters->starts);
    free(clusters->gaps);
    *clusters = (struct beam_clusters){0};
}

/* Among states with the same cost so far, the better one is the one whose whole input costs more,
 * if known, else the one that changes fewer bytes of a costly input. */
static bool is_better(const struct beam_state *a, const struct beam_state *b) {
    if (a->cost != b->cost)
        return a->cost > b->cost;
    return a->whole != b->whole ? a->whole > b->whole : a->changed < b->changed;
}

struct beam_pair beam_best(const struct beam_states *states, size_t first, size_t end) {
    struct beam_pair best = {first, first};
    for (size_t i = first; i < end; i++) {
        if (is_better(&states->data[i], &states->data[best.so_far]))
            best.so_far = i;
        if (states->data[i].whole > states->data[best.whole].whole)
            best.whole = i;
    }
    if (states->data[best.so_far].whole >= states->data[best.whole].whole)
        best.whole = best.so_far;
    return best;
}

size_t beam_select(struct beam_states *states, const struct beam_clusters *clusters) {
    size_t before = states->count, kept = 0;
    bool *stays = base_alloc(before + 1);
    for (size_t cluster = 0; cluster < clusters->count; cluster++) {
        struct beam_pair best =
            beam_best(states, clusters->starts[cluster], clusters->starts[cluster + 1]);
        stays[best.so_far] = stays[best.whole] = true;
    }
    for (size_t i = 0; i < before; i++)
        if (stays[i])
            states->data[kept++] = states->data[i];
        else
            beam_state_done(&states->data[i]);
    free(stays);
    states->count = kept;
    return before - kept;
}

/* ---- finished tests ---- */

static void test_done(struct beam_test *test) {
    beam_ground_drop(test->ground);
    free(test->head);
    free(test->words);
}

void beam_finished_done(struct beam_finished *finished) {
    for (size_t i = 0; i < finished->count; i++)
        test_done(&finished->data[i]);
    base_vector_done(finished);
}

const struct beam_test *beam_costliest_test(const struct beam_finished *finished) {
    const struct beam_test *best = NULL;
    for (size_t i = 0; i < finished->count; i++)
        if (!best || finished->data[i].cost > best->cost)
            best = &finished->data[i];
    return best;
}

void beam_compose_test(const struct beam_test *test, size_t input_size, uint8_t *to) {
    memcpy(to, test->head, test->head_size);
    memcpy(to + test->head_size, test->ground->bytes + test->head_size,
           input_size - test->head_size);
}

static int compare_tests(const void *a, const void *b) {
    const struct beam_test *x = a, *y = b;
    for (uint32_t i = 0; i < x->depth && i < y->depth; i++)
        if (x->words[i] != y->words[i])
            return x->words[i] < y->words[i] ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->cost < y->cost) - (x->cost > y->cost);
}

static uint32_t test_gap(const struct beam_test *a, const struct beam_test *b) {
    uint32_t shorter = a->depth < b->depth ? a->depth : b->depth, at = 0;
    while (at < shorter && a->words[at] == b->words[at])
        at++;
    return shorter - at;
}

/* Cuts at gaps above LEAST into at most COUNT clusters and keeps only the costliest test of each.
 */
static void thin_finished(struct beam_finished *finished, size_t count, uint32_t least) {
    size_t *starts = base_alloc((count + 1) * sizeof *starts);
    uint32_t *gaps = base_alloc((finished->count + 1) * sizeof *gaps), smallest;
    qsort(finished->data, finished->count, sizeof *finished->data, compare_tests);
    for (size_t i = 0; i + 1 < finished->count; i++)
        gaps[i] = test_gap(&finished->data[i], &finished->data[i + 1]);
    size_t clusters = beam_cut(gaps, finished->count, count, least, starts, &smallest);
    starts[clusters] = finished->count;
    for (size_t cluster = 0; cluster < clusters; cluster++) {
        size_t best = starts[cluster];
        for (size_t i = best; i < starts[cluster + 1]; i++)
            if (finished->data[i].cost > finished->data[best].cost)
                best = i;
        struct beam_test kept = finished->data[best];
        finished->data[best] = finished->data[cluster];
        finished->data[cluster] = kept;
    }
    for (size_t i = clusters; i < finished->count; i++)
        test_done(&finished->data[i]);
    finished->count = clusters;
    free(starts);
    free(gaps);
}

static size_t finished_room(const struct search *search) {
    size_t fitting = FINISHED_BYTES / (search->subject.layout.bytes + 1);
    fitting = fitting > FINISHED_MOST ? FINISHED_MOST : fitting;
    return fitting > search->options.tests ? fitting : search->options.tests;
}

static struct beam_test make_test(const struct beam *beam, const struct beam_state *state) {
    const struct beam_origin *origin = &beam->origins.data[state->origin];
    struct beam_test test = {.depth = origin->depth + state->depth,
                             .head_size = origin->first + origin->count,
                             .ground = beam_ground_share(origin->ground)};
    test.head = base_alloc(test.head_size + 1);
    test.words = base_alloc(((size_t)test.depth + 1) * sizeof *test.words);
    memcpy(test.head, origin->head, origin->first);
    memcpy(test.head + origin->first, state->bytes, origin->count);
    memcpy(test.words, origin->words, origin->depth * sizeof *test.words);
    if (state->depth)
        memcpy(test.words + origin->depth, state->words, state->depth * sizeof *test.words);
    return test;
}

/* Offers a test early, for the status line and in case the search is interrupted. */
static void offer(struct search *search, const struct beam_test *test, uint8_t *input) {
    struct search_path path = {1, 2};
    if (test->is_unfollowed)
        path = (struct search_path){test->result.counts_hash, test->result.status};
    for (uint32_t i = 0; i < test->depth; i++) {
        path.a = search_extend(path.a, SEARCH_BRANCH, i, test->words[i]);
        path.b = search_extend(path.b, SEARCH_BRANCH, i, ~test->words[i]);
    }
    struct search_test found = {.input = input,
                                .size = search->subject.layout.bytes,
                                .cost = test->cost,
                                .decisions = test->depth,
                                .path = path,
                                .result = test->result};
    search_archive_offer(&search->archive, &found);
}

/* Keeps TEST, which was measured; BYTES are its input. */
static void remember(struct beam *beam, const struct beam_test *test, uint8_t *bytes) {
    if (beam->search->subject.layout.bytes <= EARLY_BYTES)
        offer(beam->search, test, bytes);
    base_push(&beam->finished, *test);
}

static void limit_finished(struct beam *beam) {
    if (beam->finished.count > finished_room(beam->search))
        thin_finished(&beam->finished, finished_room(beam->search), 0);
}

/* If it has no decisions yet, its path is unknown; a level will find it. */
void beam_remember_origin(struct beam *beam, size_t number, uint8_t *bytes,
                          const struct abi_result *result) {
    const struct beam_origin *origin = &beam->origins.data[number];
    struct beam_state state = {.origin = (uint32_t)number, .bytes = origin->head + origin->first};
    if (!origin->depth)
        return;
    struct beam_test test = make_test(beam, &state);
    test.cost = origin->cost;
    test.result = *result;
    remember(beam, &test, bytes);
    limit_finished(beam);
}

bool beam_finish(struct beam *beam, struct beam_states *states, struct base_error *error) {
    const struct search_program *program = &beam->search->subject.programs[0];
    size_t size = beam->search->subject.layout.bytes;
    uint8_t *bytes = base_alloc(size + 1);
    bool good = true;
    for (size_t i = 0; good && i < states->count; i++) {
        struct beam_test test = make_test(beam, &states->data[i]);
        struct target_input input = {bytes, size};
        if (!beam_has_time(beam, beam_record_cost(beam))) {
            test_done(&test);
            break;
        }
        beam_compose_test(&test, size, bytes);
        good = program->measure(program->self, &input, 1, &test.result, &test.cost, error);
        if (!good || !search_ended_well(&test.result)) {
            test_done(&test);
            continue;
        }
        states->data[i].whole = test.cost;
        beam_note_whole(beam, bytes, test.cost, &test.result);
        remember(beam, &test, bytes);
    }
    beam_note_again(beam);
    free(bytes);
    limit_finished(beam);
    return good;
}

/* Runs the states whose whole cost is not known yet. */
static bool finish_unknown(struct beam *beam, struct base_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < beam->frontier.count; i++) {
        struct beam_states one = {&beam->frontier.data[i], 1, 1};
        good =
            one.data->whole > 0 || search_is_over(beam->search) || beam_finish(beam, &one, error);
    }
    return good;
}

void beam_drop_worse(struct beam *beam) {
    struct beam_states *states = &beam->frontier;
    double most = 0;
    size_t before = states->count;
    for (size_t i = 0; i < before; i++)
        most = states->data[i].whole > most ? states->data[i].whole : most;
    states->count = 0;
    for (size_t i = 0; i < before; i++)
        if (states->data[i].whole >= most * WORSE)
            states->data[states->count++] = states->data[i];
        else
            beam_state_done(&states->data[i]);
    beam_count_pruned(beam, before - states->count);
    beam->let_go += before - states->count;
}

bool beam_end_episode(struct beam *beam, struct base_error *error) {
    if (beam_weighs_whole(beam))
        return true;
    if (!finish_unknown(beam, error))
        return false;
    beam_drop_worse(beam);
    return true;
}

/* ---- the suite ---- */

static uint32_t longest_path(const struct beam_finished *finished) {
    uint32_t longest = 0;
    for (size_t i = 0; i < finished->count; i++)
        longest = finished->data[i].depth > longest ? finished->data[i].depth : longest;
    return longest;
}

/* Members of two clusters may be closer than the clusters where paths differ in length. Tests whose
 * path is unknown count as different if their costs differ. */
static bool is_apart(const struct beam_test *kept, size_t count, const struct beam_test *test,
                     uint32_t least) {
    for (size_t i = 0; i < count; i++)
        if (kept[i].is_unfollowed || test->is_unfollowed ? kept[i].cost == test->cost
                                                         : test_gap(&kept[i], test) <= least)
            return false;
    return true;
}

static int costliest_first(const void *a, const void *b) {
    const struct beam_test *x = a, *y = b;
    return x->cost == y->cost ? compare_tests(a, b) : x->cost < y->cost ? 1 : -1;
}

static void add_unfollowed(struct beam *beam, const uint8_t *bytes, double cost,
                           const struct abi_result *result) {
    size_t size = beam->search->subject.layout.bytes;
    struct beam_test test = {.ground = beam_ground_new(size),
                             .head = base_alloc(1),
                             .words = base_alloc(sizeof *test.words),
                             .is_unfollowed = true,
                             .cost = cost,
                             .result = *result};
    memcpy(test.ground->bytes, bytes, size);
    base_push(&beam->finished, test);
}

/* Makes the record a test if it costs more than all finished ones, even if time was up before its
 * path was traced. It may be large, so its bytes are freed here. */
static void finish_record(struct beam *beam) {
    struct beam_record *record = &beam->record;
    const struct beam_test *best = beam_costliest_test(&beam->finished);
    if (record->bytes && (best ? best->cost < record->cost : !beam->finished.count))
        add_unfollowed(beam, record->bytes, record->cost, &record->result);
    free(record->bytes);
    record->bytes = NULL;
}

/* The same for inputs run before the first level. */
static void finish_pool(struct beam *beam) {
    for (size_t i = 0; i < beam->pool.count; i++)
        add_unfollowed(beam, beam->pool.tests[i].input, beam->pool.tests[i].cost,
                       &beam->pool.tests[i].result);
}

/* Moves the costliest tests that are far enough apart to the front, in order; returns their number.
 */
static size_t choose_apart(struct beam_finished *finished, size_t most, uint32_t least) {
    size_t kept = 0;
    qsort(finished->data, finished->count, sizeof *finished->data, costliest_first);
    for (size_t i = 0; i < finished->count && kept < most; i++) {
        struct beam_test test = finished->data[i];
        if (!is_apart(finished->data, kept, &test, least))
            continue;
        finished->data[i] = finished->data[kept];
        finished->data[kept++] = test;
    }
    return kept;
}

void beam_make_suite(struct beam *beam) {
    struct search *search = beam->search;
    struct beam_finished *finished = &beam->finished;
    size_t tests = search->options.tests, size = search->subject.layout.bytes;
    uint32_t longest = longest_path(finished);
    uint32_t reach = longest < beam->lookahead ? longest : beam->lookahead;
    uint32_t least = (uint32_t)(reach / tests);
    finish_record(beam);
    finish_pool(beam);
    if (!finished->count)
        return;
    size_t kept = choose_apart(finished, tests, least);
    search_archive_done(&search->archive);
    search_archive_init(&search->archive, tests);
    uint8_t *bytes = base_alloc(size + 1);
    for (size_t i = 0; i < kept; i++) {
        beam_compose_test(&finished->data[i], size, bytes);
        offer(search, &finished->data[i], bytes);
    }
    free(bytes);
    base_detail("beam: %zu tests, any two of which differ in more than the last %u decisions", kept,
                least);
}
