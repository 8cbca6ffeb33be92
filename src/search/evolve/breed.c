/* SPDX-License-Identifier: Apache-2.0
 *
 * Which inputs does evolution run next? First the starting inputs and those waiting for their first
 * run; then children of the corpus, each a copy with one or more changes. Operators that were
 * successful are drawn more often.
 */
#include "search/evolve/evolve.h"

#include <stdlib.h>
#include <string.h>

#define BATCH_BYTES ((size_t)8 << 20)
#define BATCH_COST ((uint64_t)20 * 1000 * 1000) /* expected instructions of a batch, at most */
#define MOST_CHANGES 6u
#define TRIES 8u

/* ---- the first inputs ---- */

void evolve_add_pending(struct evolve_state *state, const void *bytes, size_t size) {
    struct evolve_child child = {base_alloc(size + 1), size};
    if (size)
        memcpy(child.bytes, bytes, size);
    base_push(&state->pending, child);
}

/* Moves the input within the bounds of --range. */
static void add_start(struct search *search, const void *bytes, size_t size) {
    struct evolve_state *state = search->state;
    evolve_add_pending(state, bytes, size);
    if (search->subject.layout.ranges.count)
        search_clamp(&search->subject.layout, state->pending.data[state->pending.count - 1].bytes,
                     size);
}

static void add_plain_starts(struct search *search, struct evolve_state *state) {
    uint64_t random = (search->options.seed ^ search->options.stream) + 1;
    size_t size = search->subject.layout.bytes;
    if (!evolve_has_fixed_size(search) && size > EVOLVE_FIRST_LIMIT)
        size = EVOLVE_FIRST_LIMIT;
    uint8_t *bytes = base_alloc(size + 8);
    add_start(search, bytes, size);
    if (!evolve_has_fixed_size(search)) {
        add_start(search, bytes, 0);
        add_start(search, bytes, size ? 1 : 0);
    }
    for (size_t at = 0; at < size; at += 8) {
        uint64_t bits = search_random(&random);
        memcpy(bytes + at, &bits, 8);
    }
    add_start(search, bytes, size);
    free(bytes);
    for (int i = 0; !evolve_has_fixed_size(search) && i < EVOLVE_GROUPS; i++)
        for (size_t t = 0; t < state->tokens.groups[i].count; t++)
            if (state->tokens.groups[i].data[t].size <= size)
                add_start(search, state->tokens.groups[i].data[t].data,
                          state->tokens.groups[i].data[t].size);
}

void evolve_add_starts(struct search *search) {
    struct evolve_state *state = search->state;
    const struct search_subject *subject = &search->subject;
    for (size_t i = 0; i < subject->start_count; i++) {
        add_start(search, subject->starts[i].data, subject->starts[i].size);
        if (subject->starts[i].size > state->limit)
            state->limit = subject->starts[i].size;
    }
    add_plain_starts(search, state);
}

/* ---- operators ---- */

/* The success rate of each operator, with a minimum for all. */
void evolve_weigh_operators(struct evolve_state *state) {
    double sum = 0, rate[EVOLVE_OPERATOR_COUNT], most = 0;
    for (int i = 0; i < EVOLVE_OPERATOR_COUNT; i++) {
        bool fits = !state->lanes.count || evolve_is_typed((enum evolve_operator)i);
        rate[i] = fits ? (state->finds[i] + 1) / (state->uses[i] + 200) : 0;
        most = rate[i] > most ? rate[i] : most;
    }
    for (int i = 0; i < EVOLVE_OPERATOR_COUNT; i++)
        sum += rate[i] = rate[i] > 0 ? rate[i] + most / 8 : 0;
    double so_far = 0;
    for (int i = 0; i < EVOLVE_OPERATOR_COUNT; i++)
        state->chances[i] = (so_far += rate[i]) / sum;
}

static enum evolve_operator choose_operator(const struct evolve_state *state, uint64_t *random) {
    double die = (double)(search_random(random) >> 11) * 0x1p-53;
    int i = 0;
    while (i < EVOLVE_OPERATOR_COUNT - 1 && state->chances[i] <= die)
        i++;
    return (enum evolve_operator)i;
}

/* ---- children ---- */

static void change(struct evolve_state *state, struct evolve_draft *draft,
                   struct evolve_birth *birth) {
    size_t changes = 1;
    while (changes < MOST_CHANGES && search_random(draft->random) & 1)
        changes++;
    for (; changes; changes--)
        for (unsigned tries = 0; tries < TRIES; tries++) {
            enum evolve_operator operator= choose_operator(state, draft->random);
            if (!evolve_apply(draft, operator))
                continue;
            birth->operators |= 1u << operator;
            break;
        }
}

/* Avoids entries whose children mostly took too long. */
static uint32_t pick_parent(const struct evolve_state *state, uint64_t *random) {
    uint32_t parent = 0;
    for (unsigned tries = 0; tries < TRIES; tries++) {
        parent = evolve_corpus_pick(&state->corpus, random, state->limit);
        const struct evolve_entry *entry = &state->corpus.entries[parent];
        if (entry->strikes <= entry->finds)
            break;
    }
    return parent;
}

/* Makes a child in BYTES; returns the expected cost of its run. */
static uint64_t make_child(struct search *search, struct evolve_worker *worker, uint8_t *bytes) {
    struct evolve_state *state = search->state;
    uint64_t *random = &worker->random;
    uint32_t parent = pick_parent(state, random);
    const struct evolve_entry *from = &state->corpus.entries[parent];
    const struct evolve_entry *mate =
        &state->corpus.entries[evolve_corpus_pick(&state->corpus, random, state->limit)];
    struct evolve_draft draft = {.bytes = bytes,
                                 .size = from->size < state->limit ? from->size : state->limit,
                                 .limit = state->limit,
                                 .random = random,
                                 .tokens = &state->tokens,
                                 .lanes = &state->lanes,
                                 .mate = {mate->bytes, mate->size}};
    struct evolve_birth *birth = &worker->births[worker->count];
    *birth = (struct evolve_birth){.parent = parent};
    memcpy(bytes, from->bytes, draft.size);
    change(state, &draft, birth);
    if (search->subject.layout.ranges.count)
        search_clamp(&search->subject.layout, bytes, draft.size);
    worker->inputs[worker->count++] = (struct target_input){bytes, draft.size};
    state->corpus.entries[parent].picks++;
    return from->instructions + from->instructions * draft.size / (from->size + 1);
}

static bool has_pending(const struct evolve_state *state) {
    return state->next_pending < state->pending.count;
}

static void take_pending(struct evolve_state *state, struct evolve_worker *worker, uint8_t *bytes) {
    struct evolve_child *child = &state->pending.data[state->next_pending++];
    memcpy(bytes, child->bytes, child->size);
    worker->births[worker->count] = (struct evolve_birth){.parent = UINT32_MAX};
    worker->inputs[worker->count++] = (struct target_input){bytes, child->size};
    if (has_pending(state))
        return;
    evolve_children_done(&state->pending);
    state->next_pending = 0;
}

size_t evolve_largest_batch(const struct search *search) {
    size_t most = BATCH_BYTES / (search->subject.layout.bytes + 1);
    return most < 1 ? 1 : most > EVOLVE_BATCH ? EVOLVE_BATCH : most;
}

static size_t room_of_batch(const struct search *search) {
    size_t most = evolve_largest_batch(search);
    uint64_t left = search_runs_left(search);
    return left < most ? (size_t)left : most;
}

/* With the lock held. Nothing here depends on the clock. */
void evolve_make_batch(struct search *search, struct evolve_worker *worker) {
    struct evolve_state *state = search->state;
    size_t most = room_of_batch(search), stride = search->subject.layout.bytes + 1;
    uint64_t expected = 0;
    worker->count = 0;
    while (worker->count < most && expected < BATCH_COST) {
        uint8_t *bytes = worker->bytes + worker->count * stride;
        if (has_pending(state))
            take_pending(state, worker, bytes);
        else if (state->corpus.count)
            expected += make_child(search, worker, bytes);
        else
            break;
    }
}
