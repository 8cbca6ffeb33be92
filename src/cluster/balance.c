/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rank gives work to which? An idle rank asks: first a few random others, each of which sends
 * the shallower half of its waiting items or refuses. Then it tells its neighbours (the ranks whose
 * number differs in one bit) that it is waiting, and is quiet; ranks that have work to spare later
 * serve their waiting neighbours. So idle ranks cost busy ones little, and work spreads to all in
 * as many steps as a rank number has bits. As neighbours may have just enough for themselves while
 * others have plenty, it asks random ranks again, with longer and longer pauses. (After
 * "Lifeline-based Global Load Balancing", Saraswat, Kambadur, Kodali, Grove and Krishnamoorthy,
 * sections 2 and 3.)
 *
 * Invariant: an item is on one rank or in one message. Messages with work are counted on both
 * sides, which over.c and snapshot.c rely on.
 */
#include "cluster/internal.h"

#include <math.h>
#include <string.h>

#define MOST_REFUSALS 2u /* then it waits */
#define FIRST_PAUSE 0.001
#define LONGEST_PAUSE 0.032
#define LEAST_SPARE 2u /* items: a rank keeps one for itself */
#define DEMAND 0.001   /* seconds since a request in which another one is expected */
/* Seconds between two checks for messages: if an answer is due or somebody had work recently, and
 * if there was none for a while. */
#define SHORT_REST 5e-5
#define LONG_REST 2e-4

struct work_head {
    uint32_t round, epoch;
};

bool cluster_is_idle(const struct cluster *cluster) {
    return !cluster->has_work || cluster->work.is_idle(cluster->work.self);
}

/* ---- giving ---- */

static bool can_spare(const struct cluster *cluster) {
    return cluster->has_work && !cluster->is_withdrawn &&
           cluster->work.spare(cluster->work.self) >= LEAST_SPARE;
}

static void give(struct cluster *cluster, uint32_t to) {
    struct base_buffer message = {0};
    struct work_head head = {cluster->round, cluster->moment.epoch};
    base_buffer_add(&message, &head, sizeof head);
    cluster->work.give(cluster->work.self, &message);
    cluster->traffic.sent++;
    cluster->has_refused = false;
    cluster->traffic.bytes += message.count;
    cluster_snapshot_note_sent(cluster);
    cluster_send(cluster, to, CLUSTER_WORK, message.data, message.count);
    base_buffer_done(&message);
}

static void add_waiter(struct cluster *cluster, uint32_t rank, uint32_t round) {
    for (size_t i = 0; i < cluster->waiters.count; i++)
        if (cluster->waiters.data[i].rank == rank) {
            cluster->waiters.data[i].round = round;
            return;
        }
    base_push(&cluster->waiters, ((struct cluster_waiter){rank, round}));
}

static void serve_waiters(struct cluster *cluster) {
    while (cluster->waiters.count && can_spare(cluster)) {
        struct cluster_waiter first = cluster->waiters.data[0];
        if (first.round > cluster->round)
            return; /* it is ahead: this rank will follow */
        cluster->waiters.count--;
        memmove(cluster->waiters.data, cluster->waiters.data + 1,
                cluster->waiters.count * sizeof *cluster->waiters.data);
        if (first.round == cluster->round)
            give(cluster, first.rank);
    }
}

static void on_ask(void *context, uint32_t from, const char *data, size_t size) {
    struct cluster *cluster = context;
    uint32_t round;
    if (size != sizeof round)
        return;
    memcpy(&round, data, size);
    cluster->last_asked = cluster_now(cluster);
    if (round == cluster->round && can_spare(cluster)) {
        give(cluster, from);
    } else {
        cluster->traffic.refused++;
        cluster->has_refused = true;
        cluster_send(cluster, from, CLUSTER_NONE, NULL, 0);
    }
}

static void on_wait(void *context, uint32_t from, const char *data, size_t size) {
    struct cluster *cluster = context;
    uint32_t round;
    if (size != sizeof round)
        return;
    memcpy(&round, data, size);
    cluster->last_asked = cluster_now(cluster);
    if (round >= cluster->round)
        add_waiter(cluster, from, round);
}

/* ---- getting ---- */

static uint32_t draw(struct cluster *cluster) {
    uint64_t *state = &cluster->random;
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    uint32_t rank = (uint32_t)((*state >> 32) * (cluster_size(cluster) - 1) >> 32);
    return rank + (rank >= cluster_rank(cluster));
}

static void tell_neighbours(struct cluster *cluster) {
    for (uint32_t bit = 1; bit < cluster_size(cluster); bit <<= 1) {
        uint32_t neighbour = cluster_rank(cluster) ^ bit;
        if (neighbour < cluster_size(cluster) && !(cluster->told & bit))
            cluster_send(cluster, neighbour, CLUSTER_WAIT, &cluster->round, sizeof cluster->round);
        cluster->told |= bit;
    }
    cluster->is_waiting = true;
}

/* If FROM is a neighbour, it may have served this rank, and must be told again. */
static void forget_neighbour(struct cluster *cluster, uint32_t from) {
    uint32_t bit = from ^ cluster_rank(cluster);
    if (!(bit & (bit - 1)))
        cluster->told &= ~bit;
}

/* Neighbours know that this rank waits, and it is too early to ask others again. */
static bool is_pausing(const struct cluster *cluster) {
    return cluster->is_waiting && cluster_now(cluster) < cluster->again;
}

static void pause_asking(struct cluster *cluster) {
    if (!cluster->is_waiting)
        tell_neighbours(cluster);
    cluster->again = cluster_now(cluster) + cluster->pause;
    cluster->pause = cluster->pause * 2 < LONGEST_PAUSE ? cluster->pause * 2 : LONGEST_PAUSE;
}

static void seek(struct cluster *cluster) {
    if (cluster->asked != CLUSTER_NOBODY || cluster_size(cluster) == 1 ||
        !cluster->work.wants(cluster->work.self))
        return;
    if (cluster->refusals >= MOST_REFUSALS && !cluster->is_waiting)
        pause_asking(cluster);
    if (is_pausing(cluster))
        return;
    cluster->asked = draw(cluster);
    cluster->traffic.asked++;
    cluster_send(cluster, cluster->asked, CLUSTER_ASK, &cluster->round, sizeof cluster->round);
}

static void on_none(void *context, uint32_t from, const char *data, size_t size) {
    struct cluster *cluster = context;
    (void)data;
    (void)size;
    if (cluster->asked != from)
        return;
    cluster->asked = CLUSTER_NOBODY;
    cluster->refusals++;
    if (cluster->is_waiting)
        pause_asking(cluster);
}

static void on_work(void *context, uint32_t from, const char *data, size_t size) {
    struct cluster *cluster = context;
    struct work_head head;
    if (size < sizeof head) {
        cluster->is_damaged = true;
        return;
    }
    memcpy(&head, data, sizeof head);
    data += sizeof head;
    size -= sizeof head;
    if (cluster->asked == from)
        cluster->asked = CLUSTER_NOBODY;
    cluster->refusals = 0;
    cluster->is_waiting = false;
    forget_neighbour(cluster, from);
    cluster->pause = FIRST_PAUSE;
    cluster_snapshot_note_received(cluster, head.epoch, data, size);
    if (head.round != cluster->round)
        return; /* from a round that ended early: its remaining work counts as unfinished */
    if (cluster->is_withdrawn || !cluster->has_work) {
        cluster_send(cluster, 0, CLUSTER_REST, data, size);
        return;
    }
    cluster->traffic.received++;
    cluster->is_damaged |= !cluster->work.take(cluster->work.self, data, size);
}

/* ---- steps ---- */

void cluster_balance_listen(struct cluster *cluster) {
    cluster_listen(cluster, CLUSTER_ASK, on_ask, cluster);
    cluster_listen(cluster, CLUSTER_NONE, on_none, cluster);
    cluster_listen(cluster, CLUSTER_WORK, on_work, cluster);
    cluster_listen(cluster, CLUSTER_WAIT, on_wait, cluster);
}

void cluster_share(struct cluster *cluster, const struct cluster_work *work) {
    cluster->has_work = work != NULL;
    if (!work)
        return;
    cluster->work = *work;
    cluster->round++;
    cluster->is_over = cluster->has_gaps = cluster->is_waiting = cluster->is_withdrawn = false;
    cluster->refusals = cluster->told = 0;
    cluster->pause = FIRST_PAUSE;
    cluster->traffic = (struct cluster_traffic){0};
    cluster_over_begin_round(cluster);
}

void cluster_before_step(struct cluster *cluster, void (*call)(void *context), void *context) {
    cluster->before_step = call;
    cluster->step_context = context;
}

void cluster_step(struct cluster *cluster) {
    if (cluster->before_step)
        cluster->before_step(cluster->step_context);
    cluster_hear(cluster);
    if (!cluster->has_work || cluster->is_over || cluster->is_withdrawn)
        return;
    serve_waiters(cluster);
    if (cluster_is_idle(cluster))
        seek(cluster);
    cluster_over_step(cluster);
}

double cluster_next_step(const struct cluster *cluster) {
    bool will_ask = cluster->has_work && !cluster->is_over && !cluster->is_withdrawn &&
                    cluster->is_waiting && cluster->asked == CLUSTER_NOBODY;
    return will_ask ? cluster->again : HUGE_VAL;
}

double cluster_rest(const struct cluster *cluster) {
    double rest = cluster->pause * (SHORT_REST / FIRST_PAUSE);
    return cluster->asked != CLUSTER_NOBODY || rest < SHORT_REST ? SHORT_REST
           : rest > LONG_REST                                    ? LONG_REST
                                                                 : rest;
}

bool cluster_is_wanted(const struct cluster *cluster) {
    return cluster->waiters.count > 0 || cluster->has_refused ||
           cluster_now(cluster) < cluster->last_asked + DEMAND;
}

bool cluster_is_over(const struct cluster *cluster) {
    return cluster->is_over;
}

bool cluster_has_gaps(const struct cluster *cluster) {
    return cluster->has_gaps;
}

void cluster_withdraw(struct cluster *cluster) {
    cluster->is_withdrawn = true;
}

const struct cluster_traffic *cluster_traffic(const struct cluster *cluster) {
    return &cluster->traffic;
}
