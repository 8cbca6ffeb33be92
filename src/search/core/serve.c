/* SPDX-License-Identifier: Apache-2.0
 *
 * How do the workers of all ranks share the work of one search? Rank 0 searches; its work at any
 * time is a row of pieces that do not depend on each other, and the result of each piece goes to
 * its own place, whoever computed it. So the overall result is that of a single worker. Without
 * other ranks a row is a counter; with them it is the cluster's farm. The other ranks only serve
 * pieces until rank 0 has ended.
 */
#include "search/core/core.h"

bool search_can_farm(const struct search *search) {
    return search->options.cluster && !search->outer && !search->subject.sweep &&
           search->strategy->serve && search_rank(search) == 0;
}

size_t search_all_workers(const struct search *search) {
    size_t ranks = search_can_farm(search) ? cluster_size(search->options.cluster) : 1;
    return search->subject.jobs * ranks;
}

/* ---- on rank 0, or alone ---- */

void search_row_begin(struct search *search, const struct cluster_row *row) {
    struct cluster_row own = *row;
    own.workers = (uint32_t)search->subject.jobs;
    pthread_mutex_lock(&search->lock);
    search->row_next = 0;
    search->row_count = row->count;
    if (search_can_farm(search))
        cluster_farm_begin(search->options.cluster, &own);
    pthread_mutex_unlock(&search->lock);
}

static bool next(struct search *search, size_t *number) {
    if (search_can_farm(search))
        return cluster_farm_next(search->options.cluster, number);
    *number = search->row_next++;
    return *number < search->row_count;
}

static bool may_return(const struct search *search) {
    return search_can_farm(search) && cluster_farm_is_out(search->options.cluster) &&
           !cluster_is_damaged(search->options.cluster);
}

bool search_row_next(struct search *search, size_t *number) {
    pthread_mutex_lock(&search->lock);
    bool found = next(search, number);
    while (!found && may_return(search) && !search_must_stop(search)) {
        search_rest(search);
        found = next(search, number);
    }
    pthread_mutex_unlock(&search->lock);
    return found;
}

bool search_row_end(struct search *search, struct base_error *error) {
    if (!search_can_farm(search))
        return true;
    pthread_mutex_lock(&search->lock);
    cluster_farm_end(search->options.cluster);
    search->granted = 0; /* runs of pieces that never came back do not count */
    bool is_damaged = cluster_is_damaged(search->options.cluster);
    pthread_mutex_unlock(&search->lock);
    return !is_damaged ||
           base_fail(error, BASE_BROKEN, "a message between ranks was damaged on its way");
}

/* ---- on the others ---- */

/* A piece that was cut short is given back: rank 0 knows whether there is time for it. */
static bool do_piece(struct search *search, size_t worker, const struct cluster_piece *piece,
                     struct base_buffer *answer, struct base_error *error) {
    return search->strategy->serve(search, worker, piece->data, piece->size, answer, error) &&
           !search_is_ending(search);
}

static bool serve(struct search *search, size_t worker, struct base_error *error) {
    struct cluster *cluster = search->options.cluster;
    struct cluster_piece piece;
    bool good = true;
    pthread_mutex_lock(&search->lock);
    while (!search_is_dismissed(search)) {
        if (!cluster_farm_take(cluster, &piece)) {
            search_rest(search);
            continue;
        }
        struct base_buffer answer = {0};
        pthread_mutex_unlock(&search->lock);
        error->code = BASE_OK;
        bool is_done = good && do_piece(search, worker, &piece, &answer, error);
        good = good && (is_done || error->code == BASE_OK || error->code == BASE_STOPPED);
        pthread_mutex_lock(&search->lock);
        search->pieces += is_done;
        cluster_farm_answer(cluster, &piece, is_done ? &answer : NULL);
        base_buffer_done(&answer);
    }
    pthread_mutex_unlock(&search->lock);
    return good;
}

bool search_serve(struct search *search, struct base_error *error) {
    bool good = search->strategy->joins ? serve(search, 0, error)
                                        : search_run_workers(search, serve, error);
    atomic_store(&search->end, SEARCH_FINISHED);    /* rank 0 decides how the search ended */
    search->counters = (struct search_counters){0}; /* ... and has booked these runs */
    return good;
}
