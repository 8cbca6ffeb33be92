/* SPDX-License-Identifier: Apache-2.0
 *
 * How does another rank run a batch of states? The message contains their origin and the states;
 * the answer contains the results, which are filled into the waiting states on rank 0. A serving
 * rank keeps nothing from one batch to the next.
 */
#include "search/beam/run.h"

#include <stdlib.h>
#include <string.h>

struct batch_head {
    uint32_t visit, limit, weighs_whole, depth; /* depth: of the origin */
    uint64_t states, first, count, name;        /* first, count: of its window */
};

struct state_head {
    double cost, whole, before, before_whole;
    uint32_t depth, open, bound, site;
    bool any_value, has_ended, is_rejected, is_expanded, is_lost;
};

struct source {
    const char *at, *end;
};

/* ---- states ---- */

static uint32_t count_words(const struct state_head *head) {
    return head->depth > head->bound ? head->depth : head->bound;
}

static void put_state(const struct beam_state *state, bool has_words, struct base_buffer *out) {
    struct state_head head;
    memset(&head, 0, sizeof head);
    head.cost = state->cost;
    head.whole = state->whole;
    head.before = state->before;
    head.before_whole = state->before_whole;
    head.site = state->site;
    head.depth = state->depth;
    head.open = state->open;
    head.bound = state->bound;
    head.any_value = state->any_value;
    head.has_ended = state->has_ended;
    head.is_rejected = state->is_rejected;
    head.is_expanded = state->is_expanded;
    head.is_lost = state->is_lost;
    search_put(out, &head, sizeof head);
    if (has_words)
        search_put(out, state->words, count_words(&head) * sizeof *state->words);
}

/* Words and bytes that STATE already has stay if the message contains none. */
static bool get_state(struct source *from, bool has_words, struct beam_state *state) {
    struct state_head head;
    if (!search_get(&from->at, from->end, &head, sizeof head))
        return false;
    if (has_words) {
        uint32_t words = count_words(&head);
        if ((size_t)(from->end - from->at) / sizeof *state->words < words)
            return false;
        free(state->words);
        state->words = base_alloc(((size_t)words + 1) * sizeof *state->words);
        search_get(&from->at, from->end, state->words, words * sizeof *state->words);
    }
    state->cost = head.cost;
    state->whole = head.whole;
    state->before = head.before;
    state->before_whole = head.before_whole;
    state->site = head.site;
    state->depth = head.depth;
    state->open = head.open;
    state->bound = head.bound;
    state->any_value = head.any_value;
    state->has_ended = head.has_ended;
    state->is_rejected = head.is_rejected;
    state->is_expanded = head.is_expanded;
    state->is_lost = head.is_lost;
    return true;
}

static bool get_bytes(struct source *from, size_t size, uint8_t **to) {
    *to = base_alloc(size + 1);
    return search_get(&from->at, from->end, *to, size);
}

/* ---- the batch ---- */

/* With the lock held, on rank 0. */
bool beam_pack_batch(void *self, size_t number, struct base_buffer *out) {
    struct beam_runner *runner = self;
    struct beam_batch *batch = &runner->batches[number];
    const struct beam_origin *origin = &runner->origins->data[runner->states[batch->first]->origin];
    size_t size = runner->search->subject.layout.bytes, end = origin->first + origin->count;
    if (search_runs_left(runner->search) < batch->count)
        return false; /* the last few runs: rank 0 makes them itself, as far as they go */
    search_grant(runner->search, batch->count);
    struct batch_head head = {.visit = (uint32_t)runner->visit,
                              .limit = runner->limit,
                              .weighs_whole = runner->weighs_whole,
                              .depth = origin->depth,
                              .states = batch->count,
                              .first = origin->first,
                              .count = origin->count,
                              .name = origin->name};
    search_put(out, &head, sizeof head);
    search_put(out, origin->head, end);
    search_put(out, origin->ground->bytes + end, size - end);
    search_put(out, origin->fixed, origin->count / 8 + 1);
    search_put(out, origin->words, origin->depth * sizeof *origin->words);
    for (size_t i = 0; i < batch->count; i++) {
        const struct beam_state *state = runner->states[batch->first + i];
        put_state(state, true, out);
        search_put(out, state->bytes, origin->count);
    }
    return true;
}

static bool get_origin(struct source *from, const struct batch_head *head, size_t size,
                       struct beam_origin *origin) {
    if (head->first > size || head->count > size - head->first || head->count > BEAM_WINDOW ||
        (size_t)(from->end - from->at) / sizeof *origin->words < head->depth)
        return false;
    *origin = (struct beam_origin){
        .first = head->first, .count = head->count, .depth = head->depth, .name = head->name};
    origin->ground = beam_ground_new(size);
    origin->head = base_alloc(head->first + head->count + 1);
    origin->words = base_alloc(((size_t)head->depth + 1) * sizeof *origin->words);
    bool good =
        search_get(&from->at, from->end, origin->ground->bytes, size) &&
        get_bytes(from, head->count / 8 + 1, &origin->fixed) &&
        search_get(&from->at, from->end, origin->words, head->depth * sizeof *origin->words);
    memcpy(origin->head, origin->ground->bytes, head->first + head->count);
    return good;
}

/* ---- on the serving rank ---- */

struct served {
    struct beam_runner runner; /* of this batch alone */
    struct beam_origins origins;
    struct beam_states states;
    struct beam_batch batch;
};

static bool get_batch(struct source *from, size_t size, struct served *served) {
    struct batch_head head;
    struct beam_origin origin = {0};
    if (!search_get(&from->at, from->end, &head, sizeof head) || head.states > BEAM_BATCH ||
        !head.states || head.visit > BEAM_SUPPORT)
        return false;
    bool good = get_origin(from, &head, size, &origin);
    base_push(&served->origins, origin);
    for (uint64_t i = 0; good && i < head.states; i++) {
        struct beam_state state = {0};
        good = get_state(from, true, &state) && get_bytes(from, head.count, &state.bytes);
        base_push(&served->states, state);
    }
    served->batch.count = served->states.count;
    served->runner.visit = (enum beam_visit)head.visit;
    served->runner.limit = head.limit;
    served->runner.weighs_whole = head.weighs_whole != 0;
    return good;
}

static void put_answer(const struct served *served, const struct search_counters *counters,
                       struct base_buffer *out) {
    const struct beam_states *children = &served->batch.children;
    size_t window = served->origins.data[0].count;
    uint64_t count = children->count;
    search_put(out, counters, sizeof *counters);
    for (size_t i = 0; i < served->states.count; i++) {
        put_state(&served->states.data[i], served->runner.visit == BEAM_LOOK, out);
        if (served->runner.visit == BEAM_SUPPORT)
            search_put(out, served->runner.fixed[i], window / 8 + 1);
    }
    search_put(out, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
        put_state(&children->data[i], true, out);
        search_put(out, children->data[i].bytes, window);
    }
}

static bool run_served(struct search *search, size_t index, struct served *served,
                       struct base_buffer *answer, struct base_error *error) {
    struct beam_worker *worker = &((struct beam *)search->state)->runner->workers[index];
    struct beam_state *states[BEAM_BATCH];
    uint8_t *fixed[BEAM_BATCH];
    struct beam_runner *own = worker->runner;
    for (size_t i = 0; i < served->states.count; i++) {
        states[i] = &served->states.data[i];
        fixed[i] = base_alloc(served->origins.data[0].count / 8 + 1);
    }
    served->runner.search = search;
    served->runner.origins = &served->origins;
    served->runner.states = states;
    served->runner.fixed = fixed;
    worker->runner = &served->runner;
    worker->batch = &served->batch;
    worker->counters = (struct search_counters){0};
    bool good = beam_run_batch(worker, error);
    worker->runner = own;
    pthread_mutex_lock(&search->lock);
    search->worker_solver[index] = beam_solver_statistics(worker->solver);
    pthread_mutex_unlock(&search->lock);
    if (good)
        put_answer(served, &worker->counters, answer);
    for (size_t i = 0; i < served->states.count; i++)
        free(fixed[i]);
    return good;
}

bool beam_serve(struct search *search, size_t worker, const char *piece, size_t size,
                struct base_buffer *answer, struct base_error *error) {
    struct source from = {piece, piece + size};
    struct served served = {0};
    bool good = (get_batch(&from, search->subject.layout.bytes, &served) ||
                 base_fail(error, BASE_BROKEN, "a message between ranks was damaged")) &&
                run_served(search, worker, &served, answer, error);
    beam_states_done(&served.batch.children);
    beam_states_done(&served.states);
    beam_origins_done(&served.origins);
    return good;
}

/* ---- back on rank 0 ---- */

static bool take_children(struct source *from, uint32_t origin, size_t window,
                          struct beam_states *children) {
    uint64_t count;
    bool good = search_get(&from->at, from->end, &count, sizeof count);
    for (uint64_t i = 0; good && i < count; i++) {
        struct beam_state child = {.origin = origin};
        good = get_state(from, true, &child) && get_bytes(from, window, &child.bytes);
        base_push(children, child);
    }
    return good;
}

static bool take_bits(struct source *from, size_t count, uint8_t *to) {
    uint8_t *bits;
    bool good = get_bytes(from, count, &bits);
    for (size_t i = 0; good && i < count; i++)
        to[i] |= bits[i];
    free(bits);
    return good;
}

/* These two with the lock held. */
void beam_lose_batch(void *self, size_t number) {
    const struct beam_runner *runner = self;
    search_give_back(runner->search, runner->batches[number].count);
}

bool beam_take_batch(void *self, size_t number, const char *data, size_t size) {
    struct beam_runner *runner = self;
    struct beam_batch *batch = &runner->batches[number];
    struct source from = {data, data + size};
    struct search_counters counters;
    uint32_t origin = runner->states[batch->first]->origin;
    size_t window = runner->origins->data[origin].count;
    bool good = search_get(&from.at, from.end, &counters, sizeof counters);
    for (size_t i = 0; good && i < batch->count; i++) {
        size_t at = batch->first + i;
        good =
            get_state(&from, runner->visit == BEAM_LOOK, runner->states[at]) &&
            (runner->visit != BEAM_SUPPORT || take_bits(&from, window / 8 + 1, runner->fixed[at]));
    }
    good = good && take_children(&from, origin, window, &batch->children);
    if (good) {
        beam_lose_batch(self, number);
        search_add_counters(&runner->search->counters, &counters);
    } else
        beam_states_done(&batch->children);
    return good;
}
