/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of this library: one rank's view of the cluster.
 */
#ifndef SLOWPATH_CLUSTER_INTERNAL_H
#define SLOWPATH_CLUSTER_INTERNAL_H

#include "cluster/cluster.h"

#define CLUSTER_NOBODY UINT32_MAX

struct cluster_waiter { /* a rank that gets the next spare work */
    uint32_t rank, round;
};

struct cluster_wave { /* over.c */
    uint64_t number;  /* of the last one that reached this rank */
    uint64_t early;   /* one of the next round, which this rank has not started; 0: none */
    bool is_open;     /* this rank has not answered it yet */
    bool has_gaps;    /* on any rank below */
    uint32_t answers; /* received from below */
    uint64_t sent, received;
    uint64_t last_sent, last_received; /* on rank 0: totals of the previous wave */
    bool has_last;
};

struct cluster_moment {      /* snapshot.c */
    uint32_t epoch;          /* of this rank's last checkpoint */
    uint64_t sent, received; /* all work messages of this rank, over all rounds */
    /* On rank 0: */
    bool is_open, has_failed;
    uint32_t saved, late;
    uint64_t all_sent, all_received;
};

struct cluster_farming {    /* farm.c */
    struct cluster_row row; /* without pieces: none active */
    uint64_t number;        /* of the row, from 1 */
    size_t next, out;       /* next piece to hand out; pieces at other ranks */
    BASE_VECTOR(size_t) returned;
    uint32_t *held; /* by each rank */
    bool *has_refused;
    uint64_t brought;                        /* results of others, over all rows */
    BASE_VECTOR(struct base_buffer) waiting; /* pieces on the other ranks */
};

struct cluster {
    const struct cluster_transport *transport;
    struct {
        cluster_handler *call;
        void *context;
    } handlers[CLUSTER_KIND_COUNT];
    bool is_damaged;
    void (*before_step)(void *context); /* or NULL */
    void *step_context;

    struct cluster_work work;
    bool has_work, is_over, has_gaps, is_withdrawn;
    uint32_t round;
    uint32_t asked;    /* rank whose answer is due, or CLUSTER_NOBODY */
    uint32_t refusals; /* consecutive */
    bool has_refused;  /* it has refused someone since it last gave work away */
    double last_asked; /* when another rank last asked for work */
    bool is_waiting;   /* its neighbours know that it wants work */
    uint32_t told;     /* neighbours told since they last sent work: one bit each */
    double pause;      /* before it asks others again ... */
    double again;      /* ... at this time */
    BASE_VECTOR(struct cluster_waiter) waiters;
    uint64_t random;
    struct cluster_traffic traffic;

    struct cluster_wave wave;
    struct cluster_disk disk;
    bool has_disk;
    struct cluster_moment moment;
    struct cluster_farming farm;
};

/* balance.c */
void cluster_balance_listen(struct cluster *cluster);
bool cluster_is_idle(const struct cluster *cluster);

/* over.c */
void cluster_over_listen(struct cluster *cluster);
void cluster_over_begin_round(struct cluster *cluster);
void cluster_over_step(struct cluster *cluster);

/* snapshot.c; call it when work is about to leave, or has arrived with the sender's epoch. */
void cluster_snapshot_listen(struct cluster *cluster);
void cluster_snapshot_note_sent(struct cluster *cluster);
void cluster_snapshot_note_received(struct cluster *cluster, uint32_t epoch, const char *data,
                                    size_t size);

/* farm.c */
void cluster_farm_listen(struct cluster *cluster);
void cluster_farm_done(struct cluster *cluster);

/* A tree over the ranks. It is wide, because each idle rank on a message's path delays it. */
#define CLUSTER_BELOW 8u
static inline uint32_t cluster_parent(uint32_t rank) {
    return (rank - 1) / CLUSTER_BELOW;
}
void cluster_send_below(struct cluster *cluster, enum cluster_kind kind, const void *data,
                        size_t size);
uint32_t cluster_count_below(const struct cluster *cluster);

#endif
