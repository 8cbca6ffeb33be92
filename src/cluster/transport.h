/* SPDX-License-Identifier: Apache-2.0
 *
 * How do ranks communicate? A transport delivers messages from one rank to another, intact and in
 * the order of sending. There are two: the installed MPI (mpi/module.c, loaded if the program was
 * started under it) and a simulated one with a virtual clock (sim.c). The code that distributes
 * work sees nothing else, so it is the same for both.
 */
#ifndef SLOWPATH_CLUSTER_TRANSPORT_H
#define SLOWPATH_CLUSTER_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLUSTER_TRANSPORT_VERSION 1u

struct cluster_transport {
    uint32_t version; /* of this struct */
    uint32_t rank, size;
    void *self;
    /* Copies the message, and never blocks. */
    void (*send)(void *self, uint32_t to, const void *data, size_t size);
    /* A message that has arrived; false: none. The caller frees *DATA. */
    bool (*poll)(void *self, uint32_t *from, void **data, size_t *size);
    double (*now)(void *self); /* seconds since some fixed time */
    /* In order: all ranks call it, and messages sent before are delivered. Otherwise the whole job
     * is killed. */
    void (*close)(void *self, bool is_in_order);
};

/* What a module exports under this name; NULL: unusable, for REASON. */
typedef const struct cluster_transport *cluster_open_transport(const char **reason);
#define CLUSTER_OPEN_TRANSPORT "slowpath_open_transport"

/* ---- module.c: the transport of the launcher that started this process ---- */

/* Was this process started as one of several ranks? */
bool cluster_is_launched(void);
/* The module's transport; NULL: none works, for REASON. Removes the launcher's variables from the
 * environment: what a target sees must be the same on all ranks, and without MPI. */
const struct cluster_transport *cluster_load_transport(const char **reason);

#endif
