/* SPDX-License-Identifier: Apache-2.0
 *
 * A cluster that is not there: ranks in one process, with a clock each that moves only when its
 * rank does something. For tests, and to see how balancing does on more ranks than there are
 * processors.
 */
#ifndef SLOWPATH_CLUSTER_SIM_H
#define SLOWPATH_CLUSTER_SIM_H

#include "base/base.h"
#include "cluster/transport.h"

struct cluster_sim_costs { /* seconds */
    double latency;        /* of a message, from sent to there */
    double jitter;         /* more, at random, up to */
    double per_byte;
    double handling; /* of a message, at each end */
};

struct cluster_sim;
struct cluster_sim *cluster_sim_new(uint32_t size, const struct cluster_sim_costs *costs,
                                    uint64_t seed);
void cluster_sim_free(struct cluster_sim *sim);
const struct cluster_transport *cluster_sim_transport(struct cluster_sim *sim, uint32_t rank);

/* The rank whose turn it is: the clock of no other that has something to do is behind. */
uint32_t cluster_sim_next(const struct cluster_sim *sim);
double cluster_sim_time(const struct cluster_sim *sim, uint32_t rank);
/* It was busy for so long. */
void cluster_sim_spend(struct cluster_sim *sim, uint32_t rank, double seconds);
/* It has nothing to do before that time or the next message, which it notices when it looks, once
 * in so many seconds. */
void cluster_sim_sleep(struct cluster_sim *sim, uint32_t rank, double look, double until);
/* Nobody has anything to do, and no message is on its way. */
bool cluster_sim_is_still(const struct cluster_sim *sim);
/* For tests: a message that waits for RANK is cut or changed. False: none waits. */
bool cluster_sim_damage(struct cluster_sim *sim, uint32_t rank, bool cuts);

#endif
