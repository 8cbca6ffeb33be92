/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster: several ranks, one search. Which rank hands work to which, when is there none left
 * anywhere, and what of it is on disk at one consistent moment?
 *
 * A rank owns the items that wait with it; nobody else knows them. All that goes on between ranks
 * is messages, and nothing here ever waits: cluster_step looks at what has come, answers, and
 * returns. It is called between batches by whoever holds the lock of the search.
 */
#ifndef SLOWPATH_CLUSTER_H
#define SLOWPATH_CLUSTER_H

#include "base/base.h"
#include "cluster/transport.h"

/* ---- mail.c: messages with a kind, checked ---- */

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

/* SEED: for whom to ask first. TRANSPORT is borrowed. */
struct cluster *cluster_new(const struct cluster_transport *transport, uint64_t seed);
void cluster_free(struct cluster *cluster);
uint32_t cluster_rank(const struct cluster *cluster);
uint32_t cluster_size(const struct cluster *cluster);
double cluster_now(const struct cluster *cluster);
void cluster_send(struct cluster *cluster, uint32_t to, enum cluster_kind kind, const void *data,
                  size_t size);
void cluster_send_all(struct cluster *cluster, enum cluster_kind kind, const void *data,
                      size_t size); /* but to itself */
/* Who hears of messages of this kind; NULL: they are dropped. */
void cluster_listen(struct cluster *cluster, enum cluster_kind kind, cluster_handler *handler,
                    void *context);
/* Hands what has come to who listens. False: nothing had. */
bool cluster_hear(struct cluster *cluster);
/* A message was not what its sender had written: what it said is lost, and with it the count of
 * what there is to do. */
bool cluster_is_damaged(const struct cluster *cluster);

/* ---- balance.c: who hands work to whom ---- */

struct cluster_work { /* of one rank */
    void *self;
    /* Items that somebody else could have. */
    size_t (*spare)(void *self);
    /* Nothing waits that this rank would do, and nothing is under way. */
    bool (*is_idle)(void *self);
    bool (*wants)(void *self); /* more of it, now */
    /* Takes the shallower half of them out and appends them, packed. */
    void (*give)(void *self, struct base_buffer *out);
    bool (*take)(void *self, const char *data, size_t size); /* false: it cannot be read */
    bool (*has_gaps)(void *self); /* it has left something out: known when all is over */
};

/* From here on there is this work to share, in one round after the other: every rank has the same
 * rounds. NULL: the last one ends here, complete or not. What WORK points to is copied. */
void cluster_share(struct cluster *cluster, const struct cluster_work *work);
/* Messages, requests, the count of what is left. */
void cluster_step(struct cluster *cluster);
/* CALL is to be called at the start of each step: it may send. */
void cluster_before_step(struct cluster *cluster, void (*call)(void *context), void *context);
/* Without a message, the next step is of use at this time; HUGE_VAL: never. */
double cluster_next_step(const struct cluster *cluster);
/* An idle rank may rest for so many seconds before it looks for messages. */
double cluster_rest(const struct cluster *cluster);
/* Somebody waits for work from here: what can be spared should be known soon. */
bool cluster_is_wanted(const struct cluster *cluster);
/* All ranks are idle and nothing is on its way. */
bool cluster_is_over(const struct cluster *cluster);
bool cluster_has_gaps(const struct cluster *cluster); /* then: on any rank */
/* This rank gives nothing away any more, and what still comes goes to rank 0 as a rest. */
void cluster_withdraw(struct cluster *cluster);

struct cluster_traffic {
    uint64_t sent, received; /* messages with work, of this round */
    uint64_t asked, refused;
    uint64_t bytes; /* of work that was sent */
};
const struct cluster_traffic *cluster_traffic(const struct cluster *cluster);

/* ---- snapshot.c: a consistent moment on disk ---- */

struct cluster_disk {
    void *self;
    /* What this rank has goes to disk, whole; work that came late is added to it. False: it could
     * not be written, and this moment is given up. */
    bool (*save)(void *self, uint32_t epoch);
    bool (*add)(void *self, uint32_t epoch, const char *work, size_t size);
    /* On rank 0: all have saved, LATE pieces were added, and nothing lacks. */
    void (*commit)(void *self, uint32_t epoch, uint32_t late);
};
void cluster_keep(struct cluster *cluster, const struct cluster_disk *disk); /* copied */
/* On rank 0: a new moment, unless one is under way. */
void cluster_cut(struct cluster *cluster);

/* ---- farm.c: pieces of rank 0's work that others do ---- */

struct cluster_row { /* of pieces that do not depend on each other */
    void *self;
    size_t count;
    uint32_t workers; /* of each rank */
    /* The piece as a message; false: nobody else may do it. */
    bool (*pack)(void *self, size_t number, struct base_buffer *out);
    /* What it brought on another rank; false: it cannot be read, and must be done again. */
    bool (*take)(void *self, size_t number, const char *data, size_t size);
    void (*back)(void *self, size_t number); /* it was packed, and came back undone; or NULL */
};
/* On rank 0: other ranks begin. ROW is copied; there is one at a time. */
void cluster_farm_begin(struct cluster *cluster, const struct cluster_row *row);
/* The next one that rank 0 does itself; false: none is left at present. */
bool cluster_farm_next(struct cluster *cluster, size_t *number);
bool cluster_farm_is_out(const struct cluster *cluster);    /* others are at work */
bool cluster_farm_is_done(const struct cluster *cluster);   /* nothing is left, here or there */
uint64_t cluster_farm_count(const struct cluster *cluster); /* pieces that others have done */
/* What others have not brought by now is not waited for. */
void cluster_farm_end(struct cluster *cluster);
/* On rank 0: all others do this, and nobody waits for an answer. */
void cluster_call(struct cluster *cluster, const void *data, size_t size);

struct cluster_piece { /* on another rank */
    struct base_buffer message;
    const char *data; /* what rank 0 has packed */
    size_t size;
};
bool cluster_farm_take(struct cluster *cluster, struct cluster_piece *piece);
/* Frees PIECE. ANSWER is NULL: it is given back. */
void cluster_farm_answer(struct cluster *cluster, struct cluster_piece *piece,
                         const struct base_buffer *answer);

/* ---- trie.c: strings that begin alike, packed ---- */

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
/* The next string is in unpacker->string. False: there is none, or it is damaged: then data is not
 * at the end. */
bool cluster_unpack(struct cluster_unpacker *unpacker);
void cluster_unpacker_done(struct cluster_unpacker *unpacker);

#endif
