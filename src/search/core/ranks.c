/* SPDX-License-Identifier: Apache-2.0
 *
 * How does a search work with those on other ranks? It handles messages between batches and
 * whenever it has nothing to do. When it ends, every rank sends rank 0 what it has found and what
 * it leaves undone, and rank 0 continues as if it had done all of it alone.
 */
#include "search/core/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LISTEN_SECONDS 0.001
#define REST_NANOSECONDS 200000
#define PATIENCE 0.5 /* seconds to wait for ranks after a signal told them to end */

uint32_t search_rank(const struct search *search) {
    return search->options.cluster ? cluster_rank(search->options.cluster) : 0;
}

bool search_is_shared(const struct search *search) {
    return search->options.cluster && !search->is_own;
}

bool search_has_all(const struct search *search) {
    return search_rank(search) == 0;
}

bool search_is_last_rank(const struct search *search) {
    return !search->options.cluster ||
           search_rank(search) + 1 == cluster_size(search->options.cluster);
}

bool search_lacks_ranks(const struct search *search) {
    return search->lacks_ranks;
}

static void pause_a_moment(void) {
    struct timespec moment = {.tv_nsec = REST_NANOSECONDS};
    nanosleep(&moment, NULL);
}

void search_rest(struct search *search) {
    const struct search_counters nothing = {0};
    search_book(search, &nothing);
    double seconds = search->options.cluster ? cluster_rest(search->options.cluster) : 0;
    struct timespec rest = {.tv_nsec = seconds > 0 ? (long)(seconds * 1e9) : REST_NANOSECONDS};
    pthread_mutex_unlock(&search->lock);
    nanosleep(&rest, NULL);
    pthread_mutex_lock(&search->lock);
}

void search_listen(struct search *search) {
    if (!search->options.cluster)
        return;
    double now = base_seconds();
    if (now - search->heard < LISTEN_SECONDS || pthread_mutex_trylock(&search->lock) != 0)
        return;
    search->heard = now;
    cluster_step(search->options.cluster);
    pthread_mutex_unlock(&search->lock);
}

/* ---- what a rank has found ---- */

struct result {
    uint64_t number; /* of the gathering */
    double start, random;
    uint64_t sent, received; /* messages with work */
    int32_t end;
    uint32_t has_failed;
    char message[512]; /* if so */
    struct search_news news;
};

struct search_gathering { /* the results of ranks that have ended */
    struct search *search;
    uint64_t number, last; /* its own; and, on the outermost search, the last one given to a part */
    BASE_VECTOR(struct base_buffer) results, rests;
    BASE_VECTOR(uint32_t) ranks;
    uint64_t sent, received; /* sum of these ranks: messages with work */
    bool is_dismissed, is_over;
};

static void put_result(struct search *search, const struct base_error *error,
                       struct base_buffer *out) {
    const struct cluster_traffic none = {0};
    const struct cluster_traffic *traffic =
        search->strategy->serve ? &none : cluster_traffic(search->options.cluster);
    struct result result = {.number = search->gathering->number,
                            .start = search->start,
                            .random = search->random,
                            .sent = traffic->sent,
                            .received = traffic->received,
                            .end = atomic_load(&search->end),
                            .has_failed = error != NULL,
                            .news = search->news};
    if (error)
        snprintf(result.message, sizeof result.message, "%.500s", error->message);
    search_put(out, &result, sizeof result);
    search_archive_save(&search->faults, out);
    search_archive_save(&search->plain, out);
    search_archive_save(&search->kinds, out);
    search_save(search, out);
}

/* Where ranks share their work, one that ended early leaves some of it undone. */
static void note_end(struct search *search, enum search_end end) {
    int none = SEARCH_FINISHED;
    if (end == SEARCH_FINISHED)
        return;
    atomic_compare_exchange_strong(&search->end, &none, (int)end);
    if (search->strategy->shares_work)
        atomic_store(&search->stop, true);
}

static bool take_archives(struct search *search, const char **data, const char *end) {
    return search_archive_load(&search->faults, data, end) &&
           search_archive_load(&search->plain, data, end) &&
           search_archive_load(&search->kinds, data, end);
}

static bool take_result(struct search *search, uint32_t rank, const struct base_buffer *message) {
    const char *data = message->data, *end = data + message->count;
    struct result result;
    struct base_error error = {.message = "it is cut short"};
    double before = search->before;
    bool good = search_get(&data, end, &result, sizeof result);
    if (good && result.has_failed)
        base_warn("rank %u ended early: %s", rank, result.message);
    good = good && take_archives(search, &data, end) &&
           search_merge(search, data, (size_t)(end - data), &error);
    search->before = before;      /* ranks work at the same time: not added up */
    if (!search->strategy->serve) /* with it, pieces are never left undone by a rank */
        note_end(search, !good || result.has_failed ? SEARCH_STOPPED : (enum search_end)result.end);
    if (!good) {
        base_warn("what rank %u has found cannot be read: %s", rank, error.message);
        return false;
    }
    search->start = fmax(search->start, result.start);
    search->random = fmax(search->random, result.random);
    if (!search->news.count)
        search->news = result.news;
    return true;
}

/* ---- gathering ---- */

static void keep(struct search_gathering *gathering, bool is_rest, const char *data, size_t size) {
    struct base_buffer copy = {0};
    base_buffer_add(&copy, data, size);
    if (is_rest)
        base_push(&gathering->rests, copy);
    else
        base_push(&gathering->results, copy);
}

static void on_result(void *context, uint32_t from, const char *data, size_t size) {
    struct search_gathering *gathering = context;
    struct result result;
    const char *at = data;
    if (!search_get(&at, data + size, &result, sizeof result))
        result = (struct result){.number = gathering->number}; /* take_result will report it */
    if (result.number != gathering->number)
        return; /* of an earlier part that did not wait for it */
    gathering->sent += result.sent;
    gathering->received += result.received;
    keep(gathering, false, data, size);
    base_push(&gathering->ranks, from);
}

/* Work that reached a rank after its end waits here, for --resume. */
static void on_rest(void *context, uint32_t from, const char *data, size_t size) {
    struct search_gathering *gathering = context;
    (void)from;
    if (gathering->search->strategy->serve)
        return; /* of an earlier part that did not wait for it */
    gathering->received++;
    keep(gathering, true, data, size);
}

/* The gathering that a message of rank 0 is about: this search's, or that of one it is part of. */
static struct search_gathering *find(struct search_gathering *inner, const char *data,
                                     size_t size) {
    uint64_t number;
    if (size != sizeof number)
        return NULL;
    memcpy(&number, data, size);
    for (struct search *search = inner->search; search; search = search->outer)
        if (search->gathering && search->gathering->number == number)
            return search->gathering;
    return NULL;
}

static void on_bye(void *context, uint32_t from, const char *data, size_t size) {
    struct search_gathering *gathering = find(context, data, size);
    (void)from;
    if (gathering)
        gathering->is_over = gathering->is_dismissed = true;
}

static void on_end(void *context, uint32_t from, const char *data, size_t size) {
    struct search_gathering *gathering = find(context, data, size);
    (void)from;
    if (!gathering)
        return;
    gathering->is_dismissed = true;
    search_stop(gathering->search);
}

bool search_is_dismissed(const struct search *search) {
    return search->gathering->is_dismissed;
}

static void listen(struct search_gathering *gathering) {
    static const struct {
        enum cluster_kind kind;
        cluster_handler *handler;
    } all[] = {{CLUSTER_RESULT, on_result},
               {CLUSTER_REST, on_rest},
               {CLUSTER_BYE, on_bye},
               {CLUSTER_END, on_end}};
    for (size_t i = 0; i < BASE_COUNT(all); i++)
        cluster_listen(gathering->search->options.cluster, all[i].kind, all[i].handler, gathering);
}

static struct search_gathering *outermost(const struct search *search) {
    while (search->outer)
        search = search->outer;
    return search->gathering;
}

void search_gather_begin(struct search *search) {
    struct search_gathering *gathering = search->gathering = base_alloc(sizeof *gathering);
    gathering->search = search;
    gathering->number = ++outermost(search)->last;
    listen(gathering);
}

static void stop_listening(struct search *search) {
    static const enum cluster_kind kinds[] = {CLUSTER_RESULT, CLUSTER_REST, CLUSTER_BYE,
                                              CLUSTER_END};
    for (size_t i = 0; i < BASE_COUNT(kinds); i++)
        cluster_listen(search->options.cluster, kinds[i], NULL, NULL);
}

static void gather_end(struct search *search) {
    struct search_gathering *gathering = search->gathering;
    if (search->outer)
        listen(outermost(search));
    else
        stop_listening(search);
    for (size_t i = 0; i < gathering->results.count; i++)
        base_buffer_done(&gathering->results.data[i]);
    for (size_t i = 0; i < gathering->rests.count; i++)
        base_buffer_done(&gathering->rests.data[i]);
    base_vector_done(&gathering->results);
    base_vector_done(&gathering->rests);
    base_vector_done(&gathering->ranks);
    free(gathering);
    search->gathering = NULL;
}

/* Waits until all ranks have sent their results and no work is in transit. A search that a signal
 * ended cannot wait for ranks that hang. */
static void await_results(struct search *search) {
    struct cluster *cluster = search->options.cluster;
    const struct search_gathering *gathering = search->gathering;
    uint32_t others = cluster_size(cluster) - 1;
    double began = base_seconds();
    while (gathering->results.count < others || gathering->sent > gathering->received) {
        bool is_pressed = atomic_load(&search->end) == SEARCH_STOPPED;
        if (is_pressed && base_seconds() - began > PATIENCE) {
            base_warn("%u of %u ranks have not told what they found",
                      others - (uint32_t)gathering->results.count, others + 1);
            search->lacks_ranks = true;
            search->counters.dropped++; /* so that a resumed search does not call itself complete */
            return;
        }
        if (!cluster_hear(cluster))
            pause_a_moment();
    }
}

static void gather_all(struct search *search, bool is_good) {
    struct cluster *cluster = search->options.cluster;
    struct search_gathering *gathering = search->gathering;
    int end = atomic_load(&search->end);
    if (!search->strategy->serve) {
        gathering->sent += cluster_traffic(cluster)->sent;
        gathering->received += cluster_traffic(cluster)->received;
    }
    if (!is_good || end == SEARCH_TIME || end == SEARCH_STOPPED || search->strategy->serve)
        cluster_send_all(cluster, CLUSTER_END, &gathering->number, sizeof gathering->number);
    await_results(search);
    cluster_send_all(cluster, CLUSTER_BYE, &gathering->number, sizeof gathering->number);
    for (size_t i = 0; i < gathering->results.count; i++)
        take_result(search, gathering->ranks.data[i], &gathering->results.data[i]);
    for (size_t i = 0; i < gathering->rests.count; i++) {
        const struct base_buffer *rest = &gathering->rests.data[i];
        if (!search_take_rest(search, rest->data, rest->count))
            search->counters.dropped++;
    }
}

static void hand_in(struct search *search, const struct base_error *error) {
    struct cluster *cluster = search->options.cluster;
    struct base_buffer result = {0};
    cluster_step(cluster); /* flush pending messages first */
    put_result(search, error, &result);
    cluster_send(cluster, 0, CLUSTER_RESULT, result.data, result.count);
    base_buffer_done(&result);
    while (!search->gathering->is_over)
        if (!cluster_hear(cluster))
            pause_a_moment();
}

void search_gather(struct search *search, const struct base_error *error) {
    cluster_withdraw(search->options.cluster);
    if (search_rank(search) == 0)
        gather_all(search, !error);
    else
        hand_in(search, error);
    gather_end(search);
}
