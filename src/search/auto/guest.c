/* SPDX-License-Identifier: Apache-2.0
 *
 * auto: how much time does a guest get, a strategy of another room? A small share, if that is
 * enough to find anything; more until its first find, if there is hope; and then in proportion to
 * its part in raising the best cost since it began, less with each turn that brings nothing.
 *
 * How do its finds reach strategies that are under way? As if they came from another search
 * (search/exchange.h): those that begin as the user asked take them between batches and run them.
 * The others go on as they would without a guest. If there are other searches, a guest's finds only
 * go into the archive, from which later parts start.
 */
#include "search/auto/auto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURN 0.08       /* of the time ... */
#define HOPE 0.2        /* ... until its first find, if there is hope */
#define REWARD 0.25     /* of the time, besides its share, if it made all the gains ... */
#define STANDSTILL 0.5  /* ... or if nobody makes any and there is hope */
#define IN_VAIN 0.25    /* of the reward, for each turn since then that brought nothing */
#define LEFT_BEHIND 0.8 /* of the best cost, below which its own best is */
#define MOST_GIVEN 8u   /* tests passed on per turn of the guest */

bool auto_is_guest(const struct auto_part *part) {
    return !part->row->strategy;
}

const struct search_strategy *auto_strategy(const struct auto_part *part,
                                            const struct search *search) {
    return auto_is_guest(part) ? search->options.guest->strategy : part->row->strategy;
}

static bool has_hope(const struct search *search) {
    const struct search_guest *guest = search->options.guest;
    return !guest->has_hope ||
           guest->has_hope(guest->self, search->archive.count ? search->archive.tests : NULL);
}

static bool has_found(const struct auto_part *part) {
    return part->search && part->search->archive.count;
}

double auto_guest_turn(const struct search *search, const struct auto_part *part, double seconds) {
    return (!has_found(part) && has_hope(search) ? HOPE : TURN) * seconds;
}

/* Its part of the time besides its share: by its part of the gains since its first turn, in
 * doublings of the cost, unless the others have left it behind since. As long as nobody has gained
 * anything, hope decides. */
static double reward(const struct search *search, const struct auto_part *part, bool is_hopeful) {
    double best = search->archive.count ? search->archive.tests[0].cost : 0;
    double all = part->first_best > 0 ? log2(best / part->first_best) : 0;
    if (!has_found(part))
        return is_hopeful ? REWARD : 0;
    if (all <= 0)
        return is_hopeful ? STANDSTILL : 0;
    if (part->search->archive.tests[0].cost < LEFT_BEHIND * best)
        return 0;
    return REWARD * fmin(part->gained / all, 1) * pow(IN_VAIN, part->in_vain);
}

void auto_guest_gained(struct auto_part *part, double before, double after) {
    if (!auto_is_guest(part))
        return;
    if (part->turns == 1)
        part->first_best = fmax(before, 1);
    part->gained += after > before ? log2(after / fmax(before, 1)) : 0;
    part->in_vain = after > before ? 0 : part->in_vain + 1;
}

/* Time that nobody else wants is free. A share too small to find anything would be wasted. */
bool auto_guest_is_ready(const struct search *search, const struct auto_part *part, double seconds,
                         bool is_alone) {
    const struct search_guest *guest = search->options.guest;
    double elapsed = base_seconds() - search->began, share = guest->share * seconds;
    bool is_hopeful = has_hope(search); /* first: is_ready may depend on it */
    if (!guest->is_ready(guest->self))
        return false;
    if (!is_hopeful && share < guest->needs)
        share = 0;
    return is_alone || part->spent < share + reward(search, part, is_hopeful) * elapsed;
}

/* ---- passing on its finds ---- */

struct auto_pool {
    struct search_exchange exchange;
    pthread_mutex_t lock;
    BASE_VECTOR(struct target_input) inputs; /* copies, the last is taken first */
    double given; /* cost of the costliest one passed on: cheaper ones are not */
};

static void give(void *self, enum search_message kind, const void *data, size_t size) {
    (void)self, (void)kind, (void)data, (void)size; /* the archive has it already */
}

static bool take(void *self, enum search_message kind, uint8_t **data, size_t *size) {
    struct auto_pool *pool = self;
    pthread_mutex_lock(&pool->lock);
    bool has_one = kind == SEARCH_INPUT && pool->inputs.count;
    if (has_one) {
        struct target_input last = pool->inputs.data[--pool->inputs.count];
        *data = (uint8_t *)last.data;
        *size = last.size;
    }
    atomic_store(&pool->exchange.waiting[SEARCH_INPUT], pool->inputs.count);
    pthread_mutex_unlock(&pool->lock);
    return has_one;
}

static void note(void *self, enum search_message kind, bool is_record) {
    (void)self, (void)kind, (void)is_record;
}

static bool ask(void *self, enum search_message kind) {
    (void)self, (void)kind;
    return false; /* everything is in the archive */
}

struct auto_pool *auto_pool_new(void) {
    struct auto_pool *pool = base_alloc(sizeof *pool);
    pool->exchange = (struct search_exchange){.self = pool,
                                              .has_inputs_only = true,
                                              .give = give,
                                              .take = take,
                                              .note = note,
                                              .ask = ask};
    pthread_mutex_init(&pool->lock, NULL);
    return pool;
}

struct search_exchange *auto_pool_exchange(struct auto_pool *pool) {
    return &pool->exchange;
}

void auto_pool_fill(struct auto_pool *pool, const struct search_archive *archive) {
    size_t count = archive->count < MOST_GIVEN ? archive->count : MOST_GIVEN;
    if (!count || archive->tests[0].cost <= pool->given)
        return;
    pool->given = archive->tests[0].cost;
    pthread_mutex_lock(&pool->lock);
    for (size_t i = count; i-- > 0;) {
        const struct search_test *test = &archive->tests[i];
        uint8_t *copy = base_alloc(test->size + 1);
        memcpy(copy, test->input, test->size);
        base_push(&pool->inputs, ((struct target_input){copy, test->size}));
    }
    atomic_store(&pool->exchange.waiting[SEARCH_INPUT], pool->inputs.count);
    pthread_mutex_unlock(&pool->lock);
}

void auto_pool_free(struct auto_pool *pool) {
    for (size_t i = 0; i < pool->inputs.count; i++)
        free((void *)pool->inputs.data[i].data);
    base_vector_done(&pool->inputs);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
