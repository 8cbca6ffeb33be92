/* SPDX-License-Identifier: Apache-2.0
 *
 * How do several ranks make summaries? Rank 0 hands out wishes, makes one summary itself, and waits
 * for the others while there is time. A summary is sent in the format of the library. A serving
 * rank handles no messages while it explores, but a wish takes a limited time.
 */
#include "compose/spread.h"
#include "compose/library.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct wish_head {
    uint64_t stage, bytes, small; /* small: size of the summary that follows */
    double seconds;
};

static void pause_a_moment(void) {
    struct timespec moment = {.tv_nsec = 1000000};
    nanosleep(&moment, NULL);
}

static bool make(const struct compose_spreading *spreading, struct compose_wish *wish) {
    struct base_error error;
    wish->is_made =
        compose_explore(&spreading->programs[wish->stage], spreading->settings, wish->bytes,
                        wish->small, wish->seconds, &wish->summary, &error);
    return wish->is_made;
}

/* ---- rank 0 ---- */

static bool pack(void *self, size_t number, struct base_buffer *out) {
    const struct compose_wish *wish = (const struct compose_wish *)self + number;
    struct base_buffer small = {0};
    if (wish->small)
        compose_library_write(wish->small, &small);
    struct wish_head head = {wish->stage, wish->bytes, small.count, wish->seconds};
    base_buffer_add(out, &head, sizeof head);
    base_buffer_add(out, small.data, small.count);
    base_buffer_done(&small);
    return true;
}

static bool take(void *self, size_t number, const char *data, size_t size) {
    struct compose_wish *wish = (struct compose_wish *)self + number;
    wish->is_made = compose_library_read(data, size, &wish->summary);
    return wish->is_made;
}

void compose_spread(const struct compose_spreading *spreading, struct compose_wish *wishes,
                    size_t count) {
    const struct cluster_row row = {.self = wishes, .count = count, .pack = pack, .take = take};
    struct cluster *cluster = spreading->cluster;
    size_t number;
    cluster_farm_begin(cluster, &row);
    while (!cluster_farm_is_done(cluster) && !cluster_is_damaged(cluster) &&
           !spreading->is_over(spreading->context)) {
        if (cluster_farm_next(cluster, &number))
            make(spreading, &wishes[number]);
        if (!cluster_hear(cluster))
            pause_a_moment();
    }
    cluster_farm_end(cluster);
}

void compose_spread_end(const struct compose_spreading *spreading) {
    cluster_send_all(spreading->cluster, CLUSTER_END, NULL, 0);
}

/* ---- the others ---- */

static bool answer(const struct compose_spreading *spreading, const struct cluster_piece *piece,
                   struct base_buffer *out) {
    struct wish_head head;
    struct compose_summary small = {0};
    if (piece->size < sizeof head)
        return false;
    memcpy(&head, piece->data, sizeof head);
    if (head.stage >= spreading->stages || head.small != piece->size - sizeof head)
        return false;
    bool has_small =
        head.small && compose_library_read(piece->data + sizeof head, head.small, &small);
    struct compose_wish wish = {.stage = head.stage,
                                .bytes = head.bytes,
                                .seconds = head.seconds,
                                .small = has_small ? &small : NULL};
    if (make(spreading, &wish)) {
        compose_library_write(&wish.summary, out);
        compose_summary_done(&wish.summary);
    }
    if (has_small)
        compose_summary_done(&small);
    return wish.is_made;
}

static void on_end(void *context, uint32_t from, const char *data, size_t size) {
    bool *is_over = context;
    (void)from;
    (void)data;
    (void)size;
    *is_over = true;
}

void compose_serve(const struct compose_spreading *spreading) {
    struct cluster *cluster = spreading->cluster;
    struct cluster_piece piece;
    bool is_over = false;
    cluster_listen(cluster, CLUSTER_END, on_end, &is_over);
    while (!is_over) {
        struct base_buffer out = {0};
        if (!cluster_hear(cluster))
            pause_a_moment();
        if (is_over || !cluster_farm_take(cluster, &piece))
            continue;
        bool is_done = !spreading->is_over(spreading->context) && answer(spreading, &piece, &out);
        cluster_farm_answer(cluster, &piece, is_done ? &out : NULL);
        base_buffer_done(&out);
    }
    cluster_listen(cluster, CLUSTER_END, NULL, NULL);
}
