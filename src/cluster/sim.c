/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated transport: queues, and a clock per rank. A message stays in its receiver's queue
 * until the receiver's clock passes the time of arrival. Messages from one sender to one receiver
 * keep their order, as MPI guarantees; the order of others follows from their delays.
 *
 * Ranks are in a heap by the time of their next action, so that a thousand of them cost little.
 */
#include "cluster/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct letter {
    struct letter *next; /* later ones */
    double arrives;
    uint32_t from;
    size_t size;
    char *data;
};

struct post { /* of one rank */
    struct cluster_sim *sim;
    struct cluster_transport transport;
    struct letter *first;
    double now;
    double look;      /* asleep: seconds between two checks; 0: awake */
    double until;     /* end of the sleep */
    double *last;     /* arrival of the last message from each other rank */
    size_t heap_spot; /* its place in the heap */
};

struct cluster_sim {
    struct cluster_sim_costs costs;
    uint32_t size;
    uint64_t random;
    struct post *posts;
    uint32_t *heap; /* the rank to act next is first */
};

/* ---- the time of a rank's next action ---- */

static double due(const struct post *post) {
    if (!post->look)
        return post->now;
    double first = post->first ? fmin(post->first->arrives, post->until) : post->until;
    if (first == HUGE_VAL)
        return first;
    double waits = first - post->now;
    return waits <= 0 ? post->now + post->look : post->now + ceil(waits / post->look) * post->look;
}

static bool goes_before(const struct cluster_sim *sim, uint32_t a, uint32_t b) {
    double first = due(&sim->posts[a]), second = due(&sim->posts[b]);
    return first != second ? first < second : a < b;
}

static void place(struct cluster_sim *sim, size_t spot, uint32_t rank) {
    sim->heap[spot] = rank;
    sim->posts[rank].heap_spot = spot;
}

/* RANK's time has changed. */
static void reorder(struct cluster_sim *sim, uint32_t rank) {
    size_t spot = sim->posts[rank].heap_spot;
    for (; spot && goes_before(sim, rank, sim->heap[(spot - 1) / 2]); spot = (spot - 1) / 2)
        place(sim, spot, sim->heap[(spot - 1) / 2]);
    for (size_t below; (below = 2 * spot + 1) < sim->size; spot = below) {
        if (below + 1 < sim->size && goes_before(sim, sim->heap[below + 1], sim->heap[below]))
            below++;
        if (!goes_before(sim, sim->heap[below], rank))
            break;
        place(sim, spot, sim->heap[below]);
    }
    place(sim, spot, rank);
}

/* ---- the transport ---- */

static double draw(struct cluster_sim *sim) {
    sim->random = sim->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(sim->random >> 11) * 0x1p-53;
}

static void put_in_order(struct post *post, struct letter *letter) {
    struct letter **at = &post->first;
    while (*at && (*at)->arrives <= letter->arrives)
        at = &(*at)->next;
    letter->next = *at;
    *at = letter;
}

static void sim_send(void *self, uint32_t to, const void *data, size_t size) {
    struct post *from = self, *post = &from->sim->posts[to];
    struct cluster_sim *sim = from->sim;
    uint32_t rank = from->transport.rank;
    struct letter *letter = base_alloc(sizeof *letter);
    from->now += sim->costs.handling;
    double arrives = from->now + sim->costs.latency + (double)size * sim->costs.per_byte +
                     draw(sim) * sim->costs.jitter;
    if (arrives < post->last[rank])
        arrives = post->last[rank];
    post->last[rank] = arrives;
    *letter = (struct letter){.arrives = arrives, .from = rank, .size = size};
    letter->data = base_alloc(size + 1);
    memcpy(letter->data, data, size);
    put_in_order(post, letter);
    reorder(sim, rank);
    reorder(sim, to);
}

static bool sim_poll(void *self, uint32_t *from, void **data, size_t *size) {
    struct post *post = self;
    struct letter *letter = post->first;
    if (!letter || letter->arrives > post->now)
        return false;
    *from = letter->from;
    *data = letter->data;
    *size = letter->size;
    post->first = letter->next;
    post->now += post->sim->costs.handling;
    free(letter);
    reorder(post->sim, post->transport.rank);
    return true;
}

static double sim_now(void *self) {
    const struct post *post = self;
    return post->now;
}

static void sim_close(void *self, bool is_in_order) {
    (void)self;
    (void)is_in_order;
}

/* ---- driving the simulation ---- */

struct cluster_sim *cluster_sim_new(uint32_t size, const struct cluster_sim_costs *costs,
                                    uint64_t seed) {
    struct cluster_sim *sim = base_alloc(sizeof *sim);
    *sim = (struct cluster_sim){.costs = *costs, .size = size, .random = seed * 2 + 1};
    sim->posts = base_alloc(size * sizeof *sim->posts);
    sim->heap = base_alloc(size * sizeof *sim->heap);
    for (uint32_t rank = 0; rank < size; rank++) {
        struct post *post = &sim->posts[rank];
        post->sim = sim;
        post->transport = (struct cluster_transport){.version = CLUSTER_TRANSPORT_VERSION,
                                                     .rank = rank,
                                                     .size = size,
                                                     .self = post,
                                                     .send = sim_send,
                                                     .poll = sim_poll,
                                                     .now = sim_now,
                                                     .close = sim_close};
        post->last = base_alloc(size * sizeof *post->last);
        place(sim, rank, rank);
    }
    return sim;
}

void cluster_sim_free(struct cluster_sim *sim) {
    for (uint32_t rank = 0; rank < sim->size; rank++) {
        for (struct letter *letter = sim->posts[rank].first, *next; letter; letter = next) {
            next = letter->next;
            free(letter->data);
            free(letter);
        }
        free(sim->posts[rank].last);
    }
    free(sim->posts);
    free(sim->heap);
    free(sim);
}

const struct cluster_transport *cluster_sim_transport(struct cluster_sim *sim, uint32_t rank) {
    return &sim->posts[rank].transport;
}

uint32_t cluster_sim_next(const struct cluster_sim *sim) {
    struct post *post = &sim->posts[sim->heap[0]];
    double now = due(post);
    if (now < HUGE_VAL)
        post->now = now;
    post->look = 0;
    return post->transport.rank;
}

double cluster_sim_time(const struct cluster_sim *sim, uint32_t rank) {
    return sim->posts[rank].now;
}

void cluster_sim_spend(struct cluster_sim *sim, uint32_t rank, double seconds) {
    sim->posts[rank].now += seconds;
    reorder(sim, rank);
}

void cluster_sim_sleep(struct cluster_sim *sim, uint32_t rank, double look, double until) {
    sim->posts[rank].look = look;
    sim->posts[rank].until = until;
    reorder(sim, rank);
}

bool cluster_sim_is_still(const struct cluster_sim *sim) {
    return due(&sim->posts[sim->heap[0]]) == HUGE_VAL;
}

bool cluster_sim_damage(struct cluster_sim *sim, uint32_t rank, bool cuts) {
    struct letter *letter = sim->posts[rank].first;
    if (!letter || !letter->size)
        return false;
    size_t at = (size_t)(draw(sim) * (double)letter->size);
    if (cuts)
        letter->size = at;
    else
        letter->data[at] = (char)(letter->data[at] ^ (1 + (int)(draw(sim) * 255)));
    return true;
}
