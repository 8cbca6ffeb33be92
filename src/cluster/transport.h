/* SPDX-License-Identifier: Apache-2.0
 *
 * How do ranks talk? A transport brings messages from one rank to another, whole and in the order
 * in which they were sent. There are two: the MPI that is installed (mpi/module.c, loaded when a
 * program was started under it) and a simulated one with a virtual clock (sim.c). Whatever decides
 * who does what sees nothing else, so it is the same code in both.
 */
#ifndef SLOWPATH_CLUSTER_TRANSPORT_H
#define SLOWPATH_CLUSTER_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLUSTER_TRANSPORT_VERSION 1u

struct cluster_transport {
    uint32_t version; /* of this record */
    uint32_t rank, size;
    void *self;
    /* Takes a copy, and never waits for anybody. */
    void (*send)(void *self, uint32_t to, const void *data, size_t size);
    /* A message that has come; false: there is none. The caller frees *DATA. */
    bool (*poll)(void *self, uint32_t *from, void **data, size_t *size);
    double (*now)(void *self); /* seconds, from any moment on */
    /* In order: all ranks do it, and what was sent arrives. Else the whole job ends at once. */
    void (*close)(void *self, bool is_in_order);
};

/* What a module exports under this name; NULL: it cannot be used, and REASON says why. */
typedef const struct cluster_transport *cluster_open_transport(const char **reason);
#define CLUSTER_OPEN_TRANSPORT "slowpath_open_transport"

/* ---- module.c: the one of the launcher that started this process ---- */

/* Was this process started as one of several ranks? */
bool cluster_is_launched(void);
/* The transport of its module; NULL and REASON: there is none that works. The launcher's variables
 * are gone from the environment then: what a target sees is the same on all ranks, and without. */
const struct cluster_transport *cluster_load_transport(const char **reason);

#endif
