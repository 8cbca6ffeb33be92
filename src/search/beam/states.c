/* SPDX-License-Identifier: Apache-2.0
 *
 * States of the beam as paths: how are they ordered, and how far are they apart?
 *
 * A path consists of the decisions fixed in its origin and those after them. A state stores only
 * the bytes of its origin's window, an origin only those up to the end of its window, and the rest
 * is stored once for all of them: so a large frontier of a large input stays small.
 */
#include "search/beam/beam.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct beam_ground *beam_ground_new(size_t size) {
    struct beam_ground *ground = base_alloc(sizeof *ground);
    *ground = (struct beam_ground){.bytes = base_alloc(size + 1), .users = 1};
    return ground;
}

struct beam_ground *beam_ground_share(struct beam_ground *ground) {
    ground->users++;
    return ground;
}

void beam_ground_drop(struct beam_ground *ground) {
    if (!ground || --ground->users)
        return;
    free(ground->bytes);
    free(ground);
}

/* Unique across searches, as targets outlive them. */
uint64_t beam_new_name(void) {
    static atomic_uint_fast64_t names;
    return atomic_fetch_add(&names, 1) + 1;
}

void beam_state_done(struct beam_state *state) {
    free(state->words);
    free(state->bytes);
    *state = (struct beam_state){0};
}

void beam_states_done(struct beam_states *states) {
    for (size_t i = 0; i < states->count; i++)
        beam_state_done(&states->data[i]);
    base_vector_done(states);
}

void beam_origins_done(struct beam_origins *origins) {
    for (size_t i = 0; i < origins->count; i++) {
        beam_ground_drop(origins->data[i].ground);
        free(origins->data[i].head);
        free(origins->data[i].fixed);
        free(origins->data[i].words);
    }
    base_vector_done(origins);
}

void beam_compose(const struct beam_origins *origins, const struct beam_state *state,
                  size_t input_size, uint8_t *to) {
    const struct beam_origin *origin = &origins->data[state->origin];
    size_t end = origin->first + origin->count;
    memcpy(to, origin->head, origin->first);
    memcpy(to + origin->first, state->bytes, origin->count);
    memcpy(to + end, origin->ground->bytes + end, input_size - end);
}

/* ---- paths ---- */

struct path {
    const struct beam_origin *origin;
    const struct beam_state *state;
    uint32_t length;
};

static struct path path_of(const struct beam_origins *origins, const struct beam_state *state) {
    const struct beam_origin *origin = &origins->data[state->origin];
    return (struct path){origin, state, origin->depth + state->depth};
}

static uint64_t word_at(const struct path *path, uint32_t at) {
    return at < path->origin->depth ? path->origin->words[at]
                                    : path->state->words[at - path->origin->depth];
}

static uint32_t common_prefix(const struct path *a, const struct path *b) {
    uint32_t shorter = a->length < b->length ? a->length : b->length;
    uint32_t at = a->origin == b->origin ? a->origin->depth : 0;
    while (at < shorter && word_at(a, at) == word_at(b, at))
        at++;
    return at;
}

uint32_t beam_gap(const struct beam_origins *origins, const struct beam_state *a,
                  const struct beam_state *b) {
    struct path x = path_of(origins, a), y = path_of(origins, b);
    return (x.length < y.length ? x.length : y.length) - common_prefix(&x, &y);
}

static int compare(const void *a, const void *b, void *context) {
    const struct beam_origins *origins = context;
    struct path x = path_of(origins, a), y = path_of(origins, b);
    uint32_t at = common_prefix(&x, &y);
    if (at < x.length && at < y.length)
        return word_at(&x, at) < word_at(&y, at) ? -1 : 1;
    if (x.length != y.length)
        return x.length < y.length ? -1 : 1;
    return x.origin == y.origin ? memcmp(x.state->bytes, y.state->bytes, x.origin->count)
                                : (x.origin > y.origin) - (x.origin < y.origin);
}

void beam_sort(const struct beam_origins *origins, struct beam_states *states) {
    if (states->count)
        qsort_r(states->data, states->count, sizeof *states->data, compare, (void *)origins);
}
