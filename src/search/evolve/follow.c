/* SPDX-License-Identifier: Apache-2.0
 *
 * Which inputs does evolution trace in the symbolic build, and when? The best ones, to flip their
 * decisions, when nothing new comes up; and the costliest, at growing intervals, to make its keys
 * collide.
 */
#include "search/evolve/evolve.h"

#include <stdlib.h>
#include <string.h>

#define FLIPPED_AT_ONCE 1u /* entries traced each time evolution stalls */

/* Should A be traced before B? Entries that reached something new come first, as champions may be
 * many and much alike; ties in cost are decided by the number of instructions. */
static bool goes_first(const struct evolve_entry *a, const struct evolve_entry *b) {
    if ((a->broken > 0) != (b->broken > 0))
        return a->broken > 0;
    return a->cost != b->cost ? a->cost > b->cost : a->instructions > b->instructions;
}

/* With the lock held: the entry whose decisions to flip next, or NULL. */
static struct evolve_entry *choose_flipped(struct evolve_state *state) {
    struct evolve_corpus *corpus = &state->corpus;
    struct evolve_entry *best = NULL;
    for (size_t i = 0; i < corpus->count; i++) {
        struct evolve_entry *entry = &corpus->entries[i];
        if (!entry->is_flipped && (entry->broken || entry->roles) &&
            (!best || goes_first(entry, best)))
            best = entry;
    }
    return best;
}

/* With the lock held, which is released while the input is traced. */
static bool follow_one(struct search *search, struct evolve_worker *worker,
                       const struct evolve_entry *entry, bool meets, struct base_error *error) {
    struct evolve_state *state = search->state;
    struct target_input input = {base_alloc(entry->size + 1), entry->size};
    memcpy((uint8_t *)input.data, entry->bytes, entry->size);
    struct evolve_children children = {0};
    struct search_counters counters = {0};
    pthread_mutex_unlock(&search->lock);
    if (!worker->flip)
        worker->flip = evolve_flip_new(search);
    bool good = meets ? evolve_flip_meet(worker->flip, worker->program, &input, &worker->random,
                                         &children, &counters, error)
                      : evolve_flip_follow(worker->flip, worker->program, &input, worker->records,
                                           &children, &counters, error);
    pthread_mutex_lock(&search->lock);
    search->worker_solver[worker - state->workers] = *evolve_flip_solver(worker->flip);
    for (size_t i = 0; i < children.count; i++)
        evolve_add_pending(state, children.data[i].bytes, children.data[i].size);
    search_book(search, &counters);
    evolve_children_done(&children);
    free((uint8_t *)input.data);
    return good;
}

/* With the lock held. If the target cannot be traced, evolution simply goes on without it. */
static void follow(struct search *search, struct evolve_worker *worker,
                   const struct evolve_entry *entry, bool meets) {
    struct evolve_state *state = search->state;
    struct base_error error;
    if (follow_one(search, worker, entry, meets, &error))
        return;
    state->no_flips = true;
    if (error.code != BASE_STOPPED) /* else the search is over: not the target's fault */
        base_note("evolve: the target cannot be followed, so no decision is turned round: %s",
                  error.message);
}

/* With the lock held. */
static void flip(struct search *search, struct evolve_worker *worker) {
    struct evolve_state *state = search->state;
    state->epoch.quiet = 0;
    state->patience *= 2; /* questions are expensive: ask less and less often until one succeeds */
    for (unsigned i = 0; i < FLIPPED_AT_ONCE && !state->no_flips; i++) {
        struct evolve_entry *entry = choose_flipped(state);
        if (!entry || search_must_stop(search))
            return;
        entry->is_flipped = true;
        follow(search, worker, entry, false);
    }
}

/* With the lock held: traces the costliest input. */
static void meet(struct search *search, struct evolve_worker *worker) {
    struct evolve_state *state = search->state;
    struct evolve_entry *best = NULL;
    state->next_meet = state->epochs + state->epochs / 2;
    for (size_t i = 0; i < state->corpus.count; i++) {
        struct evolve_entry *entry = &state->corpus.entries[i];
        if (!best || entry->cost > best->cost)
            best = entry;
    }
    if (!best || best->is_met)
        return;
    best->is_met = true;
    follow(search, worker, best, true);
}

void evolve_follow(struct search *search, struct evolve_worker *worker) {
    struct evolve_state *state = search->state;
    bool may_follow =
        search_can_trace(worker->program) && !search->subject.is_long && !state->no_flips;
    if (may_follow && state->epochs > state->next_meet)
        meet(search, worker);
    if (may_follow && state->epoch.quiet >= state->patience)
        flip(search, worker);
}
