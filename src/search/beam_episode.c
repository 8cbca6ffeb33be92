/* SPDX-License-Identifier: Apache-2.0
 *
 * How does an episode of the beam begin? With origins: inputs whose path so far is fixed. Algorithm
 * 3 of "Automatic Generation of Load Tests" (Zhang, Elbaum, Dwyer; section III.D).
 *
 * The bytes that the path so far depends on keep their values and are concrete from then on. Of the
 * others only a window is symbolic at one time, which starts at the first open byte and moves on
 * with the episodes: what a target keeps for symbolic bytes does not grow with the input.
 */
#include "search/beam.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW ((size_t)64 << 10) /* bytes of the input that are symbolic at one time */
#define OFFSETS ((size_t)1 << 24) /* bytes behind these cannot be symbolic: EXPR_MAX_OFFSET */

static bool get_bit(const uint8_t *bits, size_t at) {
    return bits[at / 8] >> (at % 8) & 1;
}

/* The window starts at the first byte that is still open; what lies outside is concrete. FIXED
 * tells of the bytes that the path depends on. False when no byte is open. */
static bool open_window(struct beam_origin *origin, const uint8_t *fixed, size_t size) {
    size_t end = size < OFFSETS ? size : OFFSETS, first = 0;
    while (first < end && get_bit(fixed, first))
        first++;
    origin->first = first;
    origin->count = end - first < WINDOW ? end - first : WINDOW;
    memcpy(origin->fixed, fixed, (size + 7) / 8);
    for (size_t i = first + origin->count; i < size; i++)
        origin->fixed[i / 8] |= (uint8_t)(1u << i % 8);
    return origin->count > 0;
}

static struct beam_state root_of(const struct beam_origins *origins, size_t number) {
    const struct beam_origin *origin = &origins->data[number];
    struct beam_state root = {.origin = (uint32_t)number};
    root.words = base_alloc(sizeof *root.words);
    root.bytes = base_alloc(origin->count + 1);
    memcpy(root.bytes, origin->input + origin->first, origin->count);
    return root;
}

/* A state's path is fixed: SUPPORT holds the bytes that it depends on. */
static struct beam_origin fix_state(const struct beam *beam, const struct beam_state *state,
                                    const uint8_t *support) {
    const struct beam_origin *from = &beam->origins.data[state->origin];
    size_t size = beam->search->options.input_size;
    struct beam_origin origin = {.depth = from->depth + state->depth};
    origin.input = base_alloc(size + 1);
    origin.fixed = base_alloc(size / 8 + 1);
    origin.words = base_alloc(((size_t)origin.depth + 1) * sizeof *origin.words);
    beam_compose(&beam->origins, state, size, origin.input);
    memcpy(origin.words, from->words, from->depth * sizeof *origin.words);
    memcpy(origin.words + from->depth, state->words, state->depth * sizeof *origin.words);
    open_window(&origin, support, size);
    return origin;
}

/* What was concrete because the path depends on it, without what lies behind the window. */
static void copy_fixed(const struct beam_origin *origin, size_t size, uint8_t *to) {
    memcpy(to, origin->fixed, (size + 7) / 8);
    for (size_t i = origin->first + origin->count; i < size; i++)
        to[i / 8] &= (uint8_t)~(1u << i % 8);
}

/* Algorithm 3: the promising states become origins. */
bool beam_begin_episode(struct beam *beam, struct base_error *error) {
    size_t count = beam->frontier.count, size = beam->search->options.input_size;
    uint8_t **support = base_alloc((count + 1) * sizeof *support);
    struct search_counters counters = {.episodes = 1};
    for (size_t i = 0; i < count; i++) {
        support[i] = base_alloc(size / 8 + 1);
        copy_fixed(&beam->origins.data[beam->frontier.data[i].origin], size, support[i]);
    }
    bool good = beam_support(beam->runner, beam->frontier.data, count, support, error);
    struct beam_origins origins = {0};
    for (size_t i = 0; i < count; i++) {
        counters.constraints += beam->frontier.data[i].depth;
        base_push(&origins, fix_state(beam, &beam->frontier.data[i], support[i]));
        free(support[i]);
    }
    free(support);
    beam_states_done(&beam->frontier);
    beam_origins_done(&beam->origins);
    beam->origins = origins;
    for (size_t i = 0; i < count; i++)
        if (beam->origins.data[i].count)
            base_push(&beam->frontier, root_of(&beam->origins, i));
    pthread_mutex_lock(&beam->search->lock);
    search_book(beam->search, &counters);
    pthread_mutex_unlock(&beam->search->lock);
    base_detail("beam: %llu constraints of %zu states are now concrete",
                (unsigned long long)counters.constraints, count);
    return good;
}

/* ---- the first origin ---- */

/* How many decisions has the path of the root? */
static void count_decisions(size_t index, const struct abi_result *result, const void *trace,
                            size_t size, void *context) {
    struct beam *beam = context;
    const struct abi_event *events = search_events(trace, size);
    (void)index, (void)result;
    for (uint32_t i = 0; events && i < ((const struct abi_trace *)trace)->event_count; i++)
        beam->expected += search_is_decision(events[i].kind, events[i].site);
    if (beam->expected > beam->search->options.max_path)
        beam->expected = beam->search->options.max_path;
}

static bool look_ahead(struct beam *beam, const uint8_t *root, struct base_error *error) {
    const struct search_programs *programs = &beam->search->programs[0];
    struct target_input input = {root, beam->search->options.input_size};
    if (programs->aim)
        programs->aim(programs->self,
                      &(struct target_aim){.decisions = beam->search->options.max_path});
    beam->expected = 0;
    return programs->trace(programs->self, &input, 1, count_decisions, beam, error);
}

bool beam_begin(struct beam *beam, struct base_error *error) {
    size_t size = beam->search->options.input_size;
    struct beam_origin origin = {.input = base_alloc(size + 1),
                                 .fixed = base_alloc(size / 8 + 1),
                                 .words = base_alloc(sizeof(uint64_t))};
    uint8_t *nothing = base_alloc(size / 8 + 1);
    bool good =
        beam_choose_root(beam, origin.input, error) && look_ahead(beam, origin.input, error);
    open_window(&origin, nothing, size);
    free(nothing);
    beam_states_done(&beam->frontier);
    beam_origins_done(&beam->origins);
    beam->fixed = 0;
    base_push(&beam->origins, origin);
    base_push(&beam->frontier, root_of(&beam->origins, 0));
    return good;
}
