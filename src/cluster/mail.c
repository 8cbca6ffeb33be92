/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in a message, and is it intact? Each starts with its kind and a checksum of the rest. A
 * transport should deliver what was sent; one that does not is detected only here.
 */
#include "cluster/internal.h"

#include <stdlib.h>
#include <string.h>

struct head {
    uint32_t kind, size;
    uint64_t sum;
};

/* FNV-1a over words, then bytes: it detects damage, not attacks. */
static uint64_t sum_of(uint32_t kind, const char *data, size_t size) {
    uint64_t sum = 0xcbf29ce484222325u ^ kind;
    for (; size >= sizeof sum; size -= sizeof sum, data += sizeof sum) {
        uint64_t word;
        memcpy(&word, data, sizeof word);
        sum = (sum ^ word) * 0x100000001b3u;
        sum ^= sum >> 32;
    }
    for (; size; size--, data++)
        sum = (sum ^ (uint8_t)*data) * 0x100000001b3u;
    return sum ^ sum >> 29;
}

struct cluster *cluster_new(const struct cluster_transport *transport, uint64_t seed) {
    struct cluster *cluster = base_alloc(sizeof *cluster);
    cluster->transport = transport;
    cluster->asked = CLUSTER_NOBODY;
    cluster->random = (seed + 1) * 0x9e3779b97f4a7c15u + transport->rank;
    cluster_balance_listen(cluster);
    cluster_over_listen(cluster);
    cluster_snapshot_listen(cluster);
    cluster_farm_listen(cluster);
    return cluster;
}

void cluster_free(struct cluster *cluster) {
    base_vector_done(&cluster->waiters);
    cluster_farm_done(cluster);
    free(cluster);
}

uint32_t cluster_rank(const struct cluster *cluster) {
    return cluster->transport->rank;
}

uint32_t cluster_size(const struct cluster *cluster) {
    return cluster->transport->size;
}

double cluster_now(const struct cluster *cluster) {
    return cluster->transport->now(cluster->transport->self);
}

void cluster_send(struct cluster *cluster, uint32_t to, enum cluster_kind kind, const void *data,
                  size_t size) {
    struct base_buffer message = {0};
    struct head head = {
        .kind = (uint32_t)kind, .size = (uint32_t)size, .sum = sum_of((uint32_t)kind, data, size)};
    base_buffer_reserve(&message, sizeof head + size);
    base_buffer_add(&message, &head, sizeof head);
    base_buffer_add(&message, data, size);
    cluster->transport->send(cluster->transport->self, to, message.data, message.count);
    base_buffer_done(&message);
}

void cluster_send_all(struct cluster *cluster, enum cluster_kind kind, const void *data,
                      size_t size) {
    for (uint32_t rank = 0; rank < cluster_size(cluster); rank++)
        if (rank != cluster_rank(cluster))
            cluster_send(cluster, rank, kind, data, size);
}

static uint64_t first_below(const struct cluster *cluster) {
    return (uint64_t)CLUSTER_BELOW * cluster_rank(cluster) + 1;
}

void cluster_send_below(struct cluster *cluster, enum cluster_kind kind, const void *data,
                        size_t size) {
    uint64_t first = first_below(cluster), end = first + cluster_count_below(cluster);
    for (uint64_t rank = first; rank < end; rank++)
        cluster_send(cluster, (uint32_t)rank, kind, data, size);
}

uint32_t cluster_count_below(const struct cluster *cluster) {
    uint64_t first = first_below(cluster), size = cluster_size(cluster);
    uint64_t count = first < size ? size - first : 0;
    return count < CLUSTER_BELOW ? (uint32_t)count : CLUSTER_BELOW;
}

void cluster_listen(struct cluster *cluster, enum cluster_kind kind, cluster_handler *handler,
                    void *context) {
    cluster->handlers[kind].call = handler;
    cluster->handlers[kind].context = context;
}

static bool is_whole(const struct head *head, const char *data, size_t size) {
    return size >= sizeof *head && head->kind < CLUSTER_KIND_COUNT &&
           head->size == (uint32_t)(size - sizeof *head) &&
           head->sum == sum_of(head->kind, data + sizeof *head, size - sizeof *head);
}

bool cluster_hear(struct cluster *cluster) {
    const struct cluster_transport *transport = cluster->transport;
    void *data;
    size_t size;
    uint32_t from;
    bool any = false;
    while (transport->poll(transport->self, &from, &data, &size)) {
        const struct head *head = data;
        any = true;
        if (!is_whole(head, data, size) || from >= transport->size)
            cluster->is_damaged = true;
        else if (cluster->handlers[head->kind].call)
            cluster->handlers[head->kind].call(cluster->handlers[head->kind].context, from,
                                               (char *)data + sizeof *head, size - sizeof *head);
        free(data);
    }
    return any;
}

bool cluster_is_damaged(const struct cluster *cluster) {
    return cluster->is_damaged;
}
