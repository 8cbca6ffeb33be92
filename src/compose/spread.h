/* SPDX-License-Identifier: Apache-2.0
 *
 * Summaries that do not need each other are made at the same time, one by each rank.
 */
#ifndef SLOWPATH_COMPOSE_SPREAD_H
#define SLOWPATH_COMPOSE_SPREAD_H

#include "cluster/cluster.h"
#include "compose/explore.h"

struct compose_wish { /* a summary that is wanted */
    size_t stage;
    uint64_t bytes;
    double seconds;
    const struct compose_summary *small; /* see compose_explore */
    bool is_made;
    struct compose_summary summary; /* then */
};

struct compose_spreading {
    struct cluster *cluster;
    const struct compose_program *programs; /* by stage */
    size_t stages;
    const struct compose_settings *settings;
    bool (*is_over)(void *context);
    void *context;
};

/* On rank 0: by all ranks. What is not made in time, or cannot be made, is left as it is. */
void compose_spread(const struct compose_spreading *spreading, struct compose_wish *wishes,
                    size_t count);
void compose_spread_end(const struct compose_spreading *spreading); /* the others may go on */
/* On the others: makes what rank 0 asks for, until that is over. */
void compose_serve(const struct compose_spreading *spreading);

#endif
