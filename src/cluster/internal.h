/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share: one rank's view of all.
 */
#ifndef SLOWPATH_CLUSTER_INTERNAL_H
#define SLOWPATH_CLUSTER_INTERNAL_H

#include "cluster/cluster.h"

#define CLUSTER_NOBODY UINT32_MAX

struct cluster_waiter { /* a rank that gets the next work that can be spared */
    uint32_t rank, round;
};

struct cluster_wave { /* over.c */
    uint64_t number;  /* of the last one that reached this rank */
    uint64_t early;   /* one of the next round, which this rank has not begun; 0: none */
    bool is_open;     /* this rank has not answered it */
    bool has_gaps;    /* of all below */
    uint32_t answers; /* that came from below */
    uint64_t sent, received;
    uint64_t last_sent, last_received; /* on rank 0: of all ranks in the wave before */
    bool has_last;
};

struct cluster_moment {      /* snapshot.c */
    uint32_t epoch;          /* of the last cut that this rank has made */
    uint64_t sent, received; /* all the work of this rank, over all rounds */
    /* On rank 0: */
    bool is_open, has_failed;
    uint32_t saved, late;
    uint64_t all_sent, all_received;
};

struct cluster_farming {    /* farm.c */
    struct cluster_row row; /* without pieces: there is none */
    uint64_t number;        /* of the row, from 1 on */
    size_t next, out;       /* the first that nobody has had; how many others are at */
    BASE_VECTOR(size_t) returned;
    uint32_t *held; /* by each rank */
    bool *has_refused;
    uint64_t brought;                        /* by others, of all rows */
    BASE_VECTOR(struct base_buffer) waiting; /* on the others */
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
    uint32_t asked;    /* the rank that has not answered yet, or CLUSTER_NOBODY */
    uint32_t refusals; /* in a row */
    bool has_refused;  /* somebody, since it last gave anything away */
    double last_asked; /* when somebody last wanted work */
    bool is_waiting;   /* its neighbours know that it wants work */
    uint32_t told;     /* those that have not sent any since: a bit for each */
    double pause;      /* until it asks others again all the same ... */
    double again;      /* ... which is then */
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

/* snapshot.c; work is about to leave, or has come with the sender's epoch. */
void cluster_snapshot_listen(struct cluster *cluster);
void cluster_snapshot_note_sent(struct cluster *cluster);
void cluster_snapshot_note_received(struct cluster *cluster, uint32_t epoch, const char *data,
                                    size_t size);

/* farm.c */
void cluster_farm_listen(struct cluster *cluster);
void cluster_farm_done(struct cluster *cluster);

/* A tree over the ranks. It is wide, because a message rests with each idle rank on its way. */
#define CLUSTER_BELOW 8u
static inline uint32_t cluster_parent(uint32_t rank) {
    return (rank - 1) / CLUSTER_BELOW;
}
void cluster_send_below(struct cluster *cluster, enum cluster_kind kind, const void *data,
                        size_t size);
uint32_t cluster_count_below(const struct cluster *cluster);

#endif
