/* SPDX-License-Identifier: Apache-2.0
 *
 * A simulated cluster: ranks in one process, each with a clock that moves only when its rank does
 * something. For tests, and to see how balancing works on more ranks than there are processors.
 */
#ifndef SLOWPATH_CLUSTER_SIM_H
#define SLOWPATH_CLUSTER_SIM_H

#include "base/base.h"
#include "cluster/transport.h"

struct cluster_sim_costs { /* seconds */
    double latency;        /* of a message */
    double jitter;         /* maximum random addition */
    double per_byte;
    double handling; /* of a message, on each side */
};

struct cluster_sim;
struct cluster_sim *cluster_sim_new(uint32_t size, const struct cluster_sim_costs *costs,
                                    uint64_t seed);
void cluster_sim_free(struct cluster_sim *sim);
const struct cluster_transport *cluster_sim_transport(struct cluster_sim *sim, uint32_t rank);

/* The rank whose turn it is: no other rank with something to do has an earlier clock. */
uint32_t cluster_sim_next(const struct cluster_sim *sim);
double cluster_sim_time(const struct cluster_sim *sim, uint32_t rank);
/* The rank was busy for so long. */
void cluster_sim_spend(struct cluster_sim *sim, uint32_t rank, double seconds);
/* It has nothing to do until that time or the next message, which it notices when it checks, every
 * LOOK seconds. */
void cluster_sim_sleep(struct cluster_sim *sim, uint32_t rank, double look, double until);
/* No rank has anything to do, and no message is in transit. */
bool cluster_sim_is_still(const struct cluster_sim *sim);
/* For tests: cuts or changes a message waiting for RANK. False: none. */
bool cluster_sim_damage(struct cluster_sim *sim, uint32_t rank, bool cuts);

#endif
