/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath-mpi.so: messages over the MPI that is installed. Nothing else of slowpath knows of MPI,
 * and nothing here knows what messages say.
 *
 * Sends are started and looked after later, so that nobody waits for a rank that is busy. A message
 * that is too long for one count of MPI goes in pieces, which come in order.
 */
#include "cluster/transport.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define PIECE ((size_t)1 << 28)
enum { WHOLE, MORE }; /* tags: the last piece, and all before it */

struct sending {
    struct sending *next;
    MPI_Request request;
    char data[];
};

struct partial { /* pieces of a message that is not whole yet */
    char *data;
    size_t size;
};

static struct sending *under_way;
static struct partial *partials; /* of each rank */
static struct cluster_transport transport;

static void *need(void *memory) {
    if (!memory) {
        MPI_Abort(MPI_COMM_WORLD, 4);
        abort(); /* it has not come back */
    }
    return memory;
}

static void send_piece(int to, int tag, const char *data, size_t size) {
    struct sending *sending = need(malloc(sizeof *sending + size));
    if (size)
        memcpy(sending->data, data, size);
    MPI_Isend(sending->data, (int)size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &sending->request);
    sending->next = under_way;
    under_way = sending;
}

static void drop_sent(void) {
    for (struct sending **at = &under_way; *at;) {
        struct sending *sending = *at;
        int is_done = 0;
        MPI_Test(&sending->request, &is_done, MPI_STATUS_IGNORE);
        if (!is_done) {
            at = &sending->next;
            continue;
        }
        *at = sending->next;
        free(sending);
    }
}

static void mpi_send(void *self, uint32_t to, const void *data, size_t size) {
    const char *bytes = data;
    (void)self;
    for (; size > PIECE; size -= PIECE, bytes += PIECE)
        send_piece((int)to, MORE, bytes, PIECE);
    send_piece((int)to, WHOLE, bytes, size);
    drop_sent();
}

/* Adds the piece that waits; true: the message is whole. */
static bool take_piece(const MPI_Status *status) {
    struct partial *partial = &partials[status->MPI_SOURCE];
    int count = 0;
    MPI_Get_count(status, MPI_BYTE, &count);
    partial->data = need(realloc(partial->data, partial->size + (size_t)count + 1));
    MPI_Recv(partial->data + partial->size, count, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    partial->size += (size_t)count;
    return status->MPI_TAG == WHOLE;
}

static bool mpi_poll(void *self, uint32_t *from, void **data, size_t *size) {
    (void)self;
    drop_sent();
    for (;;) {
        int is_there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
        if (!is_there)
            return false;
        if (!take_piece(&status))
            continue;
        struct partial *partial = &partials[status.MPI_SOURCE];
        *from = (uint32_t)status.MPI_SOURCE;
        *data = partial->data;
        *size = partial->size;
        *partial = (struct partial){0};
        return true;
    }
}

static double mpi_now(void *self) {
    (void)self;
    return MPI_Wtime();
}

static void mpi_close(void *self, bool is_in_order) {
    (void)self;
    if (!is_in_order)
        MPI_Abort(MPI_COMM_WORLD, 4);
    while (under_way)
        drop_sent();
    MPI_Finalize();
}

__attribute__((visibility("default"))) const struct cluster_transport *
slowpath_open_transport(const char **reason) {
    int got = MPI_THREAD_SINGLE, rank = 0, size = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &got) != MPI_SUCCESS) {
        *reason = "MPI does not start";
        return NULL;
    }
    if (got < MPI_THREAD_SERIALIZED) {
        *reason = "this MPI may only be used by one thread";
        return NULL;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    partials = need(calloc((size_t)size, sizeof *partials));
    transport = (struct cluster_transport){.version = CLUSTER_TRANSPORT_VERSION,
                                           .rank = (uint32_t)rank,
                                           .size = (uint32_t)size,
                                           .send = mpi_send,
                                           .poll = mpi_poll,
                                           .now = mpi_now,
                                           .close = mpi_close};
    return &transport;
}
