/* SPDX-License-Identifier: Apache-2.0
 *
 * How do searches on several ranks learn of each other's results? What a search gives goes into a
 * box, and the next step of the cluster sends the box. Inputs and claims of patterns go to all
 * ranks, superlinear patterns to rank 0, which reports the findings at the end. Received messages
 * wait here until the search takes them.
 *
 * Workers give and take at any time, but only one thread at a time may talk to other ranks: the one
 * that makes the step.
 */
#include "cli/ranks.h"
#include "search/exchange.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SEND_SECONDS 0.1      /* between two messages to the same rank ... */
#define RANKS_PER_SEND 64.0   /* ... up to this number of ranks */
#define MOST_WAITING 1024u    /* per kind and box; the oldest are dropped */
#define MOST_BYTES (1u << 16) /* limit for an input */

struct item {
    uint8_t *data;
    size_t size;
};

struct box {
    struct item items[MOST_WAITING]; /* ring buffer */
    size_t first, count;
};

struct cli_ranks_exchange {
    struct search_exchange exchange; /* interface for the search */
    struct cluster *cluster;
    pthread_mutex_t lock;
    struct box in[SEARCH_MESSAGE_KINDS], out[SEARCH_MESSAGE_KINDS];
    double sent;
};

/* ---- boxes: call with the lock held ---- */

static bool take_out(struct box *box, struct item *item) {
    if (!box->count)
        return false;
    *item = box->items[box->first];
    box->first = (box->first + 1) % MOST_WAITING;
    box->count--;
    return true;
}

static void put_in(struct box *box, const void *data, size_t size) {
    struct item oldest;
    if (box->count == MOST_WAITING && take_out(box, &oldest))
        free(oldest.data);
    struct item *item = &box->items[(box->first + box->count++) % MOST_WAITING];
    item->size = size;
    item->data = base_alloc(size + 1);
    memcpy(item->data, data, size);
}

static void empty(struct box *box) {
    struct item item;
    while (take_out(box, &item))
        free(item.data);
}

/* ---- the search's side ---- */

static void give(void *self, enum search_message kind, const void *data, size_t size) {
    struct cli_ranks_exchange *own = self;
    if (size > MOST_BYTES)
        return;
    pthread_mutex_lock(&own->lock);
    put_in(&own->out[kind], data, size);
    pthread_mutex_unlock(&own->lock);
}

static bool take(void *self, enum search_message kind, uint8_t **data, size_t *size) {
    struct cli_ranks_exchange *own = self;
    struct item item;
    pthread_mutex_lock(&own->lock);
    bool is_there = take_out(&own->in[kind], &item);
    atomic_store(&own->exchange.waiting[kind], own->in[kind].count);
    pthread_mutex_unlock(&own->lock);
    if (is_there) {
        *data = item.data;
        *size = item.size;
    }
    return is_there;
}

static void note(void *self, enum search_message kind, bool is_record) {
    (void)self;
    (void)kind;
    (void)is_record;
}

/* Tests arrive with a rank's final results; only laws are worth waiting for. */
static bool ask(void *self, enum search_message kind) {
    const struct cli_ranks_exchange *own = self;
    return kind == SEARCH_LAW && atomic_load(&own->exchange.waiting[kind]) > 0;
}

/* ---- the other ranks ---- */

static void on_news(void *context, uint32_t from, const char *data, size_t size) {
    struct cli_ranks_exchange *own = context;
    struct cluster_unpacker unpacker = {.data = data, .end = data + size};
    (void)from;
    pthread_mutex_lock(&own->lock);
    while (cluster_unpack(&unpacker) && unpacker.string.count) {
        unsigned kind = (uint8_t)unpacker.string.data[0];
        if (kind >= SEARCH_MESSAGE_KINDS)
            break;
        put_in(&own->in[kind], unpacker.string.data + 1, unpacker.string.count - 1);
        atomic_store(&own->exchange.waiting[kind], own->in[kind].count);
    }
    pthread_mutex_unlock(&own->lock);
    cluster_unpacker_done(&unpacker);
}

/* Each string starts with its kind. */
static void pack_box(struct cluster_packer *packer, struct box *box, enum search_message kind) {
    struct base_buffer string = {0};
    struct item item;
    while (take_out(box, &item)) {
        char first = (char)kind;
        string.count = 0;
        base_buffer_add(&string, &first, 1);
        base_buffer_add(&string, item.data, item.size);
        cluster_pack(packer, string.data, string.count);
        free(item.data);
    }
    base_buffer_done(&string);
}

static void send_laws(struct cli_ranks_exchange *own) {
    struct base_buffer message = {0};
    struct cluster_packer packer = {.out = &message};
    pack_box(&packer, &own->out[SEARCH_LAW], SEARCH_LAW);
    if (cluster_rank(own->cluster) && message.count)
        cluster_send(own->cluster, 0, CLUSTER_NEWS, message.data, message.count);
    cluster_packer_done(&packer);
    base_buffer_done(&message);
}

static void send_rest(struct cli_ranks_exchange *own) {
    struct base_buffer message = {0};
    struct cluster_packer packer = {.out = &message};
    pack_box(&packer, &own->out[SEARCH_INPUT], SEARCH_INPUT);
    pack_box(&packer, &own->out[SEARCH_CLAIM], SEARCH_CLAIM);
    if (message.count)
        cluster_send_all(own->cluster, CLUSTER_NEWS, message.data, message.count);
    cluster_packer_done(&packer);
    base_buffer_done(&message);
}

/* Longer with more ranks, so that no rank only listens. */
static double send_seconds(const struct cli_ranks_exchange *own) {
    double ranks = cluster_size(own->cluster);
    return ranks > RANKS_PER_SEND ? SEND_SECONDS * ranks / RANKS_PER_SEND : SEND_SECONDS;
}

static void before_step(void *context) {
    struct cli_ranks_exchange *own = context;
    double now = base_seconds();
    pthread_mutex_lock(&own->lock);
    send_laws(own);
    if (now - own->sent >= send_seconds(own)) {
        own->sent = now;
        send_rest(own);
    }
    pthread_mutex_unlock(&own->lock);
}

struct cli_ranks_exchange *cli_ranks_exchange_new(struct cluster *cluster) {
    struct cli_ranks_exchange *own = base_alloc(sizeof *own);
    own->cluster = cluster;
    own->exchange.self = own;
    own->exchange.give = give;
    own->exchange.take = take;
    own->exchange.note = note;
    own->exchange.ask = ask;
    pthread_mutex_init(&own->lock, NULL);
    cluster_listen(cluster, CLUSTER_NEWS, on_news, own);
    cluster_before_step(cluster, before_step, own);
    return own;
}

struct search_exchange *cli_ranks_exchange_of(struct cli_ranks_exchange *exchange) {
    return &exchange->exchange;
}

void cli_ranks_exchange_free(struct cli_ranks_exchange *own) {
    if (!own)
        return;
    cluster_listen(own->cluster, CLUSTER_NEWS, NULL, NULL);
    cluster_before_step(own->cluster, NULL, NULL);
    for (int kind = 0; kind < SEARCH_MESSAGE_KINDS; kind++) {
        empty(&own->in[kind]);
        empty(&own->out[kind]);
    }
    pthread_mutex_destroy(&own->lock);
    free(own);
}
