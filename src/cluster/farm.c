/* SPDX-License-Identifier: Apache-2.0
 *
 * How do other ranks do pieces of rank 0's work? Rank 0 hands them out, a few to each rank, and its
 * own workers take from the same batch. A result comes back with the piece's number, so that the
 * order of completion does not matter. A rank may return a piece undone; then it gets no more of
 * this batch, and rank 0 does the piece.
 *
 * Batches follow each other. Late results of an earlier one are dropped.
 */
#include "cluster/internal.h"

#include <stdlib.h>
#include <string.h>

#define MOST_HELD 2u /* pieces per worker: the next one waits while the first is in progress */

struct piece_head {
    uint64_t row, number;
    uint64_t is_done; /* answers only */
};

/* ---- on rank 0 ---- */

static size_t count_left(const struct cluster_farming *farm) {
    return farm->row.count - farm->next + farm->returned.count;
}

bool cluster_farm_next(struct cluster *cluster, size_t *number) {
    struct cluster_farming *farm = &cluster->farm;
    if (!count_left(farm))
        return false;
    *number = farm->returned.count ? farm->returned.data[--farm->returned.count] : farm->next++;
    return true;
}

static void put_back(struct cluster_farming *farm, uint32_t rank, size_t number) {
    base_push(&farm->returned, number);
    farm->has_refused[rank] = true;
}

static bool hand_out(struct cluster *cluster, uint32_t rank) {
    struct cluster_farming *farm = &cluster->farm;
    struct base_buffer message = {0};
    struct piece_head head = {.row = farm->number};
    size_t number;
    if (!cluster_farm_next(cluster, &number))
        return false;
    head.number = number;
    base_buffer_add(&message, &head, sizeof head);
    bool good = farm->row.pack(farm->row.self, number, &message);
    if (good) {
        cluster_send(cluster, rank, CLUSTER_PIECE, message.data, message.count);
        farm->held[rank]++;
        farm->out++;
    } else
        put_back(farm, rank, number);
    base_buffer_done(&message);
    return good;
}

/* Gives another piece to each rank that has fewer than MOST, as long as LEAST stay for rank 0. */
static void hand_round(struct cluster *cluster, uint32_t most, size_t least) {
    struct cluster_farming *farm = &cluster->farm;
    for (uint32_t rank = 1; rank < cluster_size(cluster) && count_left(farm) > least; rank++)
        if (!farm->has_refused[rank] && farm->held[rank] < most && !hand_out(cluster, rank))
            return;
}

void cluster_farm_begin(struct cluster *cluster, const struct cluster_row *row) {
    struct cluster_farming *farm = &cluster->farm;
    uint32_t size = cluster_size(cluster), each = row->workers ? row->workers : 1;
    if (!farm->held) {
        farm->held = base_alloc(size * sizeof *farm->held);
        farm->has_refused = base_alloc(size * sizeof *farm->has_refused);
    }
    memset(farm->held, 0, size * sizeof *farm->held);
    memset(farm->has_refused, 0, size * sizeof *farm->has_refused);
    farm->row = *row;
    farm->number++;
    farm->next = farm->out = farm->returned.count = 0;
    for (uint32_t held = 1; held <= each; held++)
        hand_round(cluster, held, each);
    hand_round(cluster, each * MOST_HELD, (size_t)size * each); /* while there are plenty */
}

bool cluster_farm_is_done(const struct cluster *cluster) {
    return !count_left(&cluster->farm) && !cluster->farm.out;
}

bool cluster_farm_is_out(const struct cluster *cluster) {
    return cluster->farm.out > 0;
}

uint64_t cluster_farm_count(const struct cluster *cluster) {
    return cluster->farm.brought;
}

void cluster_farm_end(struct cluster *cluster) {
    cluster->farm.row = (struct cluster_row){0};
    cluster->farm.next = cluster->farm.out = cluster->farm.returned.count = 0;
    cluster->farm.number++;
}

static void on_done(void *context, uint32_t from, const char *data, size_t size) {
    struct cluster *cluster = context;
    struct cluster_farming *farm = &cluster->farm;
    struct piece_head head;
    if (size < sizeof head)
        return;
    memcpy(&head, data, sizeof head);
    if (head.row != farm->number || head.number >= farm->row.count || !farm->held[from])
        return;
    farm->held[from]--;
    farm->out--;
    bool is_taken = head.is_done && farm->row.take(farm->row.self, head.number, data + sizeof head,
                                                   size - sizeof head);
    farm->brought += is_taken;
    if (!is_taken && farm->row.back)
        farm->row.back(farm->row.self, head.number);
    if (!is_taken)
        put_back(farm, from, head.number);
    hand_round(cluster, (farm->row.workers ? farm->row.workers : 1) * MOST_HELD, 0);
}

void cluster_call(struct cluster *cluster, const void *data, size_t size) {
    struct base_buffer message = {0};
    struct piece_head head = {.row = 0};
    base_buffer_add(&message, &head, sizeof head);
    base_buffer_add(&message, data, size);
    cluster_send_all(cluster, CLUSTER_PIECE, message.data, message.count);
    base_buffer_done(&message);
}

/* ---- on the others ---- */

static void on_piece(void *context, uint32_t from, const char *data, size_t size) {
    struct cluster *cluster = context;
    struct base_buffer copy = {0};
    if (from || size < sizeof(struct piece_head))
        return;
    base_buffer_add(&copy, data, size);
    base_push(&cluster->farm.waiting, copy);
}

bool cluster_farm_take(struct cluster *cluster, struct cluster_piece *piece) {
    struct cluster_farming *farm = &cluster->farm;
    if (!farm->waiting.count)
        return false;
    piece->message = farm->waiting.data[0];
    farm->waiting.count--;
    memmove(farm->waiting.data, farm->waiting.data + 1,
            farm->waiting.count * sizeof *farm->waiting.data);
    piece->data = piece->message.data + sizeof(struct piece_head);
    piece->size = piece->message.count - sizeof(struct piece_head);
    return true;
}

void cluster_farm_answer(struct cluster *cluster, struct cluster_piece *piece,
                         const struct base_buffer *answer) {
    struct piece_head head;
    struct base_buffer message = {0};
    memcpy(&head, piece->message.data, sizeof head);
    head.is_done = answer != NULL;
    base_buffer_add(&message, &head, sizeof head);
    if (answer)
        base_buffer_add(&message, answer->data, answer->count);
    if (head.row)
        cluster_send(cluster, 0, CLUSTER_DONE, message.data, message.count);
    base_buffer_done(&message);
    base_buffer_done(&piece->message);
}

/* ---- beginning and end ---- */

void cluster_farm_listen(struct cluster *cluster) {
    cluster_listen(cluster, CLUSTER_PIECE, on_piece, cluster);
    cluster_listen(cluster, CLUSTER_DONE, on_done, cluster);
}

void cluster_farm_done(struct cluster *cluster) {
    struct cluster_farming *farm = &cluster->farm;
    for (size_t i = 0; i < farm->waiting.count; i++)
        base_buffer_done(&farm->waiting.data[i]);
    base_vector_done(&farm->waiting);
    base_vector_done(&farm->returned);
    free(farm->held);
    free(farm->has_refused);
}
