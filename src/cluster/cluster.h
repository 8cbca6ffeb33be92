/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster: several ranks, one search. Which rank gives work to which, when is no work left
 * anywhere, and what is a consistent checkpoint on disk?
 *
 * A rank owns the items waiting on it; no other rank knows them. Ranks interact only by messages,
 * and nothing here ever waits: cluster_step handles what has arrived, answers, and returns. It is
 * called between batches by the thread that holds the search's lock.
 */
#ifndef SLOWPATH_CLUSTER_H
#define SLOWPATH_CLUSTER_H

#include "base/base.h"
#include "cluster/transport.h"

/* ---- mail.c: typed and checked messages ---- */

/* KIND(identifier, "what it says") */
#define CLUSTER_KINDS(KIND)                                                                        \
    KIND(ASK, "is there work for me?")                                                             \
    KIND(NONE, "no")                                                                               \
    KIND(WORK, "items, packed")                                                                    \
    KIND(WAIT, "the next that can be spared is for me")                                            \
    KIND(WAVE, "tell when you are idle")                                                           \
    KIND(IDLE, "so are all below me; work sent and received")                                      \
    KIND(OVER, "there is no work anywhere")                                                        \
    KIND(CUT, "save what you have")                                                                \
    KIND(SAVED, "it is on disk; work sent and received before")                                    \
    KIND(LATE, "so is work that was on its way at the cut")                                        \
    KIND(READY, "this rank can begin, or why not")                                                 \
    KIND(BEGIN, "all can, or nobody does")                                                         \
    KIND(STATE, "what a search begins with")                                                       \
    KIND(STATUS, "how far it is")                                                                  \
    KIND(PIECE, "do this")                                                                         \
    KIND(DONE, "what it brought, or: somebody else may do it")                                     \
    KIND(NEWS, "what a search has found that others should know")                                  \
    KIND(END, "end soon")                                                                          \
    KIND(RESULT, "all that a rank has found, and what is left")                                    \
    KIND(REST, "work that reached a rank after its end")                                           \
    KIND(BYE, "that was all")

enum cluster_kind {
#define KIND(id, text) CLUSTER_##id,
    CLUSTER_KINDS(KIND)
#undef KIND
        CLUSTER_KIND_COUNT
};

struct cluster;
typedef void cluster_handler(void *context, uint32_t from, const char *data, size_t size);

/* SEED decides which ranks to ask first. TRANSPORT is borrowed. */
struct cluster *cluster_new(const struct cluster_transport *transport, uint64_t seed);
void cluster_free(struct cluster *cluster);
uint32_t cluster_rank(const struct cluster *cluster);
uint32_t cluster_size(const struct cluster *cluster);
double cluster_now(const struct cluster *cluster);
void cluster_send(struct cluster *cluster, uint32_t to, enum cluster_kind kind, const void *data,
                  size_t size);
void cluster_send_all(struct cluster *cluster, enum cluster_kind kind, const void *data,
                      size_t size); /* except to itself */
/* Sets the handler for messages of this kind; NULL: they are dropped. */
void cluster_listen(struct cluster *cluster, enum cluster_kind kind, cluster_handler *handler,
                    void *context);
/* Passes messages that have arrived to their handlers. False: there was none. */
bool cluster_hear(struct cluster *cluster);
/* A message differs from what its sender wrote: its content is lost, and so the count of remaining
 * work is wrong. */
bool cluster_is_damaged(const struct cluster *cluster);

/* ---- balance.c: sharing work ---- */

struct cluster_work { /* of one rank */
    void *self;
    /* The number of items that other ranks could take. */
    size_t (*spare)(void *self);
    /* No waiting item is for this rank, and none is in progress. */
    bool (*is_idle)(void *self);
    bool (*wants)(void *self); /* wants more work now */
    /* Removes the shallower half of the spare items and appends them, packed. */
    void (*give)(void *self, struct base_buffer *out);
    bool (*take)(void *self, const char *data, size_t size); /* false: unreadable */
    bool (*has_gaps)(void *self); /* it has skipped something; known when everything is over */
};

/* From now on this work is shared, one round after the other: every rank has the same rounds. NULL:
 * the last round ends here, complete or not. *WORK is copied. */
void cluster_share(struct cluster *cluster, const struct cluster_work *work);
/* Handles messages, requests and the termination check. */
void cluster_step(struct cluster *cluster);
/* Calls CALL at the start of each step; it may send. */
void cluster_before_step(struct cluster *cluster, void (*call)(void *context), void *context);
/* When the next step is useful if no message arrives; HUGE_VAL: never. */
double cluster_next_step(const struct cluster *cluster);
/* How many seconds an idle rank may sleep before it checks for messages. */
double cluster_rest(const struct cluster *cluster);
/* Another rank waits for work from this one: spare items should be known soon. */
bool cluster_is_wanted(const struct cluster *cluster);
/* All ranks are idle and no work is in transit. */
bool cluster_is_over(const struct cluster *cluster);
bool cluster_has_gaps(const struct cluster *cluster); /* then: on any rank */
/* This rank gives no more work away, and work that still arrives goes to rank 0 as a rest. */
void cluster_withdraw(struct cluster *cluster);

struct cluster_traffic {
    uint64_t sent, received; /* messages with work in this round */
    uint64_t asked, refused;
    uint64_t bytes; /* of work sent */
};
const struct cluster_traffic *cluster_traffic(const struct cluster *cluster);

/* ---- snapshot.c: consistent checkpoints ---- */

struct cluster_disk {
    void *self;
    /* Writes this rank's complete state; late work is added to it. False: writing failed, and this
     * checkpoint is given up. */
    bool (*save)(void *self, uint32_t epoch);
    bool (*add)(void *self, uint32_t epoch, const char *work, size_t size);
    /* On rank 0: all have saved, LATE pieces were added, and nothing is missing. */
    void (*commit)(void *self, uint32_t epoch, uint32_t late);
};
void cluster_keep(struct cluster *cluster, const struct cluster_disk *disk); /* copied */
/* On rank 0: starts a checkpoint, unless one is in progress. */
void cluster_cut(struct cluster *cluster);

/* ---- farm.c: pieces of rank 0's work for other ranks ---- */

struct cluster_row { /* a batch of independent pieces */
    void *self;
    size_t count;
    uint32_t workers; /* per rank */
    /* The piece as a message; false: only rank 0 may do it. */
    bool (*pack)(void *self, size_t number, struct base_buffer *out);
    /* The result from another rank; false: unreadable, so the piece must be done again. */
    bool (*take)(void *self, size_t number, const char *data, size_t size);
    void (*back)(void *self, size_t number); /* a packed piece came back undone; or NULL */
};
/* On rank 0: other ranks start. ROW is copied; there is one at a time. */
void cluster_farm_begin(struct cluster *cluster, const struct cluster_row *row);
/* The next piece for rank 0 itself; false: none left at present. */
bool cluster_farm_next(struct cluster *cluster, size_t *number);
bool cluster_farm_is_out(const struct cluster *cluster);    /* others are working */
bool cluster_farm_is_done(const struct cluster *cluster);   /* no piece left anywhere */
uint64_t cluster_farm_count(const struct cluster *cluster); /* pieces done by others */
/* Does not wait for what others have not finished by now. */
void cluster_farm_end(struct cluster *cluster);
/* On rank 0: all others handle this, without an answer. */
void cluster_call(struct cluster *cluster, const void *data, size_t size);

struct cluster_piece { /* on another rank */
    struct base_buffer message;
    const char *data; /* as packed by rank 0 */
    size_t size;
};
bool cluster_farm_take(struct cluster *cluster, struct cluster_piece *piece);
/* Frees PIECE. ANSWER is NULL: the piece is returned undone. */
void cluster_farm_answer(struct cluster *cluster, struct cluster_piece *piece,
                         const struct base_buffer *answer);

/* ---- trie.c: packing strings with common prefixes ---- */

struct cluster_packer {
    struct base_buffer *out;
    struct base_buffer last;
};
void cluster_pack(struct cluster_packer *packer, const void *bytes, size_t size);
void cluster_packer_done(struct cluster_packer *packer);
struct cluster_unpacker {
    const char *data, *end;
    struct base_buffer string; /* the last one */
};
/* Stores the next string in unpacker->string. False: no more, or damaged; if damaged, data is not
 * at the end. */
bool cluster_unpack(struct cluster_unpacker *unpacker);
void cluster_unpacker_done(struct cluster_unpacker *unpacker);

#endif
