/* SPDX-License-Identifier: Apache-2.0
 *
 * When is no work left anywhere? Rank 0 sends waves down a tree of all ranks. Each rank answers
 * when it is idle and those below it have answered, with the numbers of messages with work it has
 * sent and received. Two consecutive waves with equal sums, and as many received as sent, mean that
 * nothing happened between them and nothing is in transit. (The four counters of "Algorithms for
 * Distributed Termination Detection", Mattern, section 5.)
 *
 * A wave waits on busy ranks, so there is hardly any traffic before the end. At the end it takes
 * twice the depth of the tree in steps.
 */
#include "cluster/internal.h"

#include <string.h>

struct wave_head {
    uint32_t round;
    uint32_t has_gaps; /* in answers and the last message only */
    uint64_t number;
    uint64_t sent, received; /* in answers only */
};

static bool read_head(const struct cluster *cluster, const char *data, size_t size,
                      struct wave_head *head) {
    (void)cluster;
    if (size != sizeof *head)
        return false;
    memcpy(head, data, size);
    return true;
}

/* ---- waves ---- */

static void open_wave(struct cluster *cluster, uint64_t number) {
    struct cluster_wave *wave = &cluster->wave;
    struct wave_head head = {.round = cluster->round, .number = number};
    wave->number = number;
    wave->is_open = true;
    wave->has_gaps = false;
    wave->answers = 0;
    wave->sent = wave->received = 0;
    cluster_send_below(cluster, CLUSTER_WAVE, &head, sizeof head);
}

static void end_round(struct cluster *cluster, bool has_gaps) {
    struct wave_head head = {.round = cluster->round, .has_gaps = has_gaps};
    cluster->is_over = true;
    cluster->has_gaps = has_gaps;
    cluster_send_below(cluster, CLUSTER_OVER, &head, sizeof head);
}

/* On rank 0: all have answered. */
static void judge(struct cluster *cluster) {
    struct cluster_wave *wave = &cluster->wave;
    bool is_same = wave->has_last && wave->last_sent == wave->sent &&
                   wave->last_received == wave->received && wave->sent == wave->received;
    wave->has_last = true;
    wave->last_sent = wave->sent;
    wave->last_received = wave->received;
    if (is_same)
        end_round(cluster, wave->has_gaps);
}

static void answer(struct cluster *cluster) {
    struct cluster_wave *wave = &cluster->wave;
    wave->is_open = false;
    wave->sent += cluster->traffic.sent;
    wave->received += cluster->traffic.received;
    wave->has_gaps |= cluster->work.has_gaps(cluster->work.self);
    struct wave_head head = {cluster->round, wave->has_gaps, wave->number, wave->sent,
                             wave->received};
    if (cluster_rank(cluster) == 0)
        judge(cluster);
    else
        cluster_send(cluster, cluster_parent(cluster_rank(cluster)), CLUSTER_IDLE, &head,
                     sizeof head);
}

void cluster_over_step(struct cluster *cluster) {
    if (!cluster_is_idle(cluster))
        return;
    if (cluster->wave.is_open && cluster->wave.answers == cluster_count_below(cluster))
        answer(cluster);
    while (cluster_rank(cluster) == 0 && !cluster->wave.is_open && !cluster->is_over) {
        open_wave(cluster, cluster->wave.number + 1);
        if (cluster_size(cluster) == 1) /* no message would cause the next step */
            answer(cluster);
    }
}

/* ---- messages ---- */

/* Of a round that this rank has not begun it is kept: number and openness say so. */
static void on_wave(void *context, uint32_t from, const char *data, size_t size) {
    struct cluster *cluster = context;
    struct wave_head head;
    (void)from;
    if (!read_head(cluster, data, size, &head))
        return;
    if (head.round == cluster->round && cluster->has_work)
        open_wave(cluster, head.number);
    else if (head.round == cluster->round + 1)
        cluster->wave.early = head.number;
}

static void on_idle(void *context, uint32_t from, const char *data, size_t size) {
    struct cluster *cluster = context;
    struct cluster_wave *wave = &cluster->wave;
    struct wave_head head;
    (void)from;
    if (!read_head(cluster, data, size, &head) || head.round != cluster->round ||
        head.number != wave->number)
        return;
    wave->answers++;
    wave->sent += head.sent;
    wave->received += head.received;
    wave->has_gaps |= head.has_gaps != 0;
}

static void on_over(void *context, uint32_t from, const char *data, size_t size) {
    struct cluster *cluster = context;
    struct wave_head head;
    (void)from;
    if (read_head(cluster, data, size, &head) && head.round == cluster->round)
        end_round(cluster, head.has_gaps != 0);
}

void cluster_over_listen(struct cluster *cluster) {
    cluster_listen(cluster, CLUSTER_WAVE, on_wave, cluster);
    cluster_listen(cluster, CLUSTER_IDLE, on_idle, cluster);
    cluster_listen(cluster, CLUSTER_OVER, on_over, cluster);
}

void cluster_over_begin_round(struct cluster *cluster) {
    uint64_t early = cluster->wave.early;
    cluster->wave = (struct cluster_wave){0};
    if (early)
        open_wave(cluster, early);
}
