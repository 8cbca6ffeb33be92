/* SPDX-License-Identifier: Apache-2.0
 *
 * Independent summaries are made at the same time, one by each rank.
 */
#ifndef SLOWPATH_COMPOSE_SPREAD_H
#define SLOWPATH_COMPOSE_SPREAD_H

#include "cluster/cluster.h"
#include "compose/explore.h"

struct compose_wish { /* a requested summary */
    size_t stage;
    uint64_t bytes;
    double seconds;
    const struct compose_summary *small; /* see compose_explore */
    bool is_made;
    struct compose_summary summary; /* if so */
};

struct compose_spreading {
    struct cluster *cluster;
    const struct compose_program *programs; /* by stage */
    size_t stages;
    const struct compose_settings *settings;
    bool (*is_over)(void *context);
    void *context;
};

/* On rank 0: has all ranks make them. Those that are late, or impossible, stay unmade. */
void compose_spread(const struct compose_spreading *spreading, struct compose_wish *wishes,
                    size_t count);
void compose_spread_end(const struct compose_spreading *spreading); /* the other ranks may go on */
/* On the other ranks: makes what rank 0 asks for, until rank 0 ends it. */
void compose_serve(const struct compose_spreading *spreading);

#endif
