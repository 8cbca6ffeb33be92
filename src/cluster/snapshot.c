/* SPDX-License-Identifier: Apache-2.0
 *
 * How are the files of all ranks consistent? Each rank saves its state when it hears of a cut, at a
 * time of its own. Work carries the number of its sender's last cut: a rank that receives work from
 * after a cut makes the cut first, and adds work from before its cut to what it saved. So each item
 * is in exactly one file. Rank 0 knows from the counts when nothing is missing, and only then is
 * the cut valid. (After "On distributed snapshots", Lai and Yang; messages are counted as Mattern
 * proposes.)
 */
#include "cluster/internal.h"

#include <string.h>

struct saved {
    uint32_t epoch, is_good;
    uint64_t sent, received;
};

/* ---- on rank 0 ---- */

static void try_commit(struct cluster *cluster) {
    struct cluster_moment *moment = &cluster->moment;
    if (!moment->is_open || moment->saved < cluster_size(cluster) ||
        moment->all_sent != moment->all_received)
        return;
    moment->is_open = false;
    if (!moment->has_failed)
        cluster->disk.commit(cluster->disk.self, moment->epoch, moment->late);
}

static void note_saved(struct cluster *cluster, const struct saved *saved) {
    struct cluster_moment *moment = &cluster->moment;
    if (saved->epoch != moment->epoch)
        return;
    moment->saved++;
    moment->all_sent += saved->sent;
    moment->all_received += saved->received;
    moment->has_failed |= !saved->is_good;
    try_commit(cluster);
}

static void note_late(struct cluster *cluster, const struct saved *saved) {
    struct cluster_moment *moment = &cluster->moment;
    if (saved->epoch != moment->epoch)
        return;
    moment->all_received++;
    moment->late++;
    moment->has_failed |= !saved->is_good;
    try_commit(cluster);
}

/* ---- on each rank ---- */

static void tell(struct cluster *cluster, enum cluster_kind kind, const struct saved *saved) {
    if (cluster_rank(cluster) != 0)
        cluster_send(cluster, 0, kind, saved, sizeof *saved);
    else if (kind == CLUSTER_SAVED)
        note_saved(cluster, saved);
    else
        note_late(cluster, saved);
}

static void make_cut(struct cluster *cluster, uint32_t epoch) {
    struct cluster_moment *moment = &cluster->moment;
    if (epoch <= moment->epoch)
        return;
    moment->epoch = epoch;
    cluster_send_below(cluster, CLUSTER_CUT, &epoch, sizeof epoch);
    struct saved saved = {.epoch = epoch, .sent = moment->sent, .received = moment->received};
    saved.is_good = !cluster->has_disk || cluster->disk.save(cluster->disk.self, epoch);
    tell(cluster, CLUSTER_SAVED, &saved);
}

void cluster_cut(struct cluster *cluster) {
    struct cluster_moment *moment = &cluster->moment;
    if (moment->is_open || !cluster->has_disk)
        return;
    moment->is_open = true;
    moment->has_failed = false;
    moment->saved = moment->late = 0;
    moment->all_sent = moment->all_received = 0;
    make_cut(cluster, moment->epoch + 1);
}

void cluster_snapshot_note_sent(struct cluster *cluster) {
    cluster->moment.sent++;
}

void cluster_snapshot_note_received(struct cluster *cluster, uint32_t epoch, const char *data,
                                    size_t size) {
    struct cluster_moment *moment = &cluster->moment;
    if (epoch > moment->epoch)
        make_cut(cluster, epoch);
    moment->received++;
    if (epoch == moment->epoch)
        return;
    struct saved late = {.epoch = moment->epoch};
    late.is_good =
        !cluster->has_disk || cluster->disk.add(cluster->disk.self, moment->epoch, data, size);
    tell(cluster, CLUSTER_LATE, &late);
}

/* ---- messages ---- */

static void on_cut(void *context, uint32_t from, const char *data, size_t size) {
    struct cluster *cluster = context;
    uint32_t epoch;
    (void)from;
    if (size != sizeof epoch)
        return;
    memcpy(&epoch, data, size);
    make_cut(cluster, epoch);
}

static void on_saved(void *context, uint32_t from, const char *data, size_t size) {
    struct saved saved;
    (void)from;
    if (size != sizeof saved)
        return;
    memcpy(&saved, data, size);
    note_saved(context, &saved);
}

static void on_late(void *context, uint32_t from, const char *data, size_t size) {
    struct saved saved;
    (void)from;
    if (size != sizeof saved)
        return;
    memcpy(&saved, data, size);
    note_late(context, &saved);
}

void cluster_snapshot_listen(struct cluster *cluster) {
    cluster_listen(cluster, CLUSTER_CUT, on_cut, cluster);
    cluster_listen(cluster, CLUSTER_SAVED, on_saved, cluster);
    cluster_listen(cluster, CLUSTER_LATE, on_late, cluster);
}

void cluster_keep(struct cluster *cluster, const struct cluster_disk *disk) {
    cluster->disk = *disk;
    cluster->has_disk = true;
}
