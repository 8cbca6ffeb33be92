/* SPDX-License-Identifier: Apache-2.0
 *
 * How does an episode of the beam begin? With origins: inputs whose path so far is fixed. Algorithm
 * 3 of "Automatic Generation of Load Tests" (Zhang, Elbaum, Dwyer; section III.D).
 *
 * The bytes that the path so far depends on keep their values and are concrete from then on. Of the
 * others only a window is symbolic at any time. It starts at the first open byte and moves on with
 * the episodes, so what a target stores for symbolic bytes does not grow with the input.
 */
#include "search/beam/spread.h"

#include <stdlib.h>
#include <string.h>

static bool get_bit(const uint8_t *bits, size_t at) {
    return bits[at / 8] >> (at % 8) & 1;
}

static void set_bit(uint8_t *bits, size_t at) {
    bits[at / 8] |= (uint8_t)(1u << at % 8);
}

/* A field of --range that lies only partly in the window stays as it is. */
static void fix_parts(const struct search_layout *layout, struct beam_origin *origin) {
    size_t end = origin->first + origin->count;
    for (size_t i = 0; i < layout->ranges.count; i++) {
        const struct solver_range *range = &layout->ranges.data[i];
        size_t from = range->offset, to = from + range->width / 8;
        if ((from < origin->first && to > origin->first) || (from < end && to > end))
            for (size_t at = from; at < to; at++)
                if (at >= origin->first && at < end)
                    set_bit(origin->fixed, at - origin->first);
    }
}

/* Moves the window of ORIGIN to the first byte that is still open: BITS says which of the COUNT
 * bytes from FIRST on are fixed; all bytes after them are open. */
static void open_window(const struct search_layout *layout, struct beam_origin *origin,
                        const uint8_t *bits, size_t first, size_t count) {
    size_t skipped = 0, size = layout->bytes;
    while (skipped < count && get_bit(bits, skipped))
        skipped++;
    origin->first = first + skipped;
    origin->count = size - origin->first < BEAM_WINDOW ? size - origin->first : BEAM_WINDOW;
    origin->fixed = base_alloc(origin->count / 8 + 1);
    for (size_t i = skipped; i < count; i++)
        if (get_bit(bits, i))
            set_bit(origin->fixed, i - skipped);
    fix_parts(layout, origin);
}

static struct beam_state root_of(const struct beam_origins *origins, size_t number) {
    const struct beam_origin *origin = &origins->data[number];
    struct beam_state root = {.origin = (uint32_t)number};
    root.words = base_alloc(sizeof *root.words);
    root.bytes = base_alloc(origin->count + 1);
    memcpy(root.bytes, origin->head + origin->first, origin->count);
    return root;
}

/* The input of a state up to the end of the window of TO. */
static void copy_head(const struct beam_origin *from, const struct beam_state *state,
                      struct beam_origin *to) {
    size_t end = to->first + to->count, known = from->first + from->count;
    to->ground = beam_ground_share(from->ground);
    to->head = base_alloc(end + 1);
    memcpy(to->head, from->head, from->first);
    memcpy(to->head + from->first, state->bytes, from->count);
    memcpy(to->head + known, from->ground->bytes + known, end - known);
}

/* Fixes the path of a state: SUPPORT holds the bytes of the window that it depends on. */
static struct beam_origin fix_state(const struct beam *beam, const struct beam_state *state,
                                    const uint8_t *support) {
    const struct beam_origin *from = &beam->origins.data[state->origin];
    struct beam_origin origin = {
        .depth = from->depth + state->depth, .name = beam_new_name(), .cost = state->whole};
    origin.words = base_alloc(((size_t)origin.depth + 1) * sizeof *origin.words);
    memcpy(origin.words, from->words, from->depth * sizeof *origin.words);
    memcpy(origin.words + from->depth, state->words, state->depth * sizeof *origin.words);
    open_window(&beam->search->subject.layout, &origin, support, from->first, from->count);
    copy_head(from, state, &origin);
    return origin;
}

void beam_begin_frontier(struct beam *beam) {
    beam_states_done(&beam->frontier);
    for (size_t i = 0; i < beam->origins.count; i++)
        if (beam->origins.data[i].count)
            base_push(&beam->frontier, root_of(&beam->origins, i));
}

struct beam_origin beam_look_behind(const struct beam *beam, const struct beam_origin *from,
                                    size_t first) {
    const struct search_layout *layout = &beam->search->subject.layout;
    size_t count = layout->bytes - first < BEAM_WINDOW ? layout->bytes - first : BEAM_WINDOW;
    struct beam_origin origin = {.ground = beam_ground_share(from->ground),
                                 .head = base_alloc(first + count + 1),
                                 .first = first,
                                 .count = count,
                                 .fixed = base_alloc(count / 8 + 1),
                                 .words = base_alloc(sizeof(uint64_t)),
                                 .depth = 1, /* so that paths of other windows differ */
                                 .name = beam_new_name(),
                                 .cost = from->cost};
    size_t known = from->first + from->count, end = first + count;
    memcpy(origin.head, from->head, known < end ? known : end);
    if (known < end)
        memcpy(origin.head + known, from->ground->bytes + known, end - known);
    for (size_t at = first; at < known && at < end; at++)
        if (get_bit(from->fixed, at - from->first))
            set_bit(origin.fixed, at - first);
    origin.words[0] = first;
    fix_parts(layout, &origin);
    return origin;
}

/* Algorithm 3: the promising states become origins. */
bool beam_begin_episode(struct beam *beam, struct base_error *error) {
    size_t count = beam->frontier.count;
    uint8_t **support = base_alloc((count + 1) * sizeof *support);
    struct search_counters counters = {.episodes = 1};
    for (size_t i = 0; i < count; i++) {
        const struct beam_origin *from = &beam->origins.data[beam->frontier.data[i].origin];
        support[i] = base_alloc(from->count / 8 + 1);
        memcpy(support[i], from->fixed, from->count / 8 + 1);
    }
    bool good = beam_support(beam->runner, beam->frontier.data, count, support, error);
    struct beam_origins origins = {0};
    for (size_t i = 0; i < count; i++) {
        const struct beam_state *state = &beam->frontier.data[i];
        if (state->moves_on)
            memset(support[i], 0xff, beam->origins.data[state->origin].count / 8 + 1);
        counters.constraints += beam->frontier.data[i].depth;
        base_push(&origins, fix_state(beam, &beam->frontier.data[i], support[i]));
        free(support[i]);
    }
    free(support);
    beam_origins_done(&beam->origins);
    beam->origins = origins;
    beam_begin_frontier(beam);
    search_book_locked(beam->search, &counters);
    base_detail("beam: %llu constraints of %zu states are now concrete",
                (unsigned long long)counters.constraints, count);
    return good;
}

/* ---- the first origin ---- */

static void count_decisions(size_t index, const struct abi_result *result, const void *trace,
                            size_t size, void *context) {
    struct beam *beam = context;
    struct search_walk walk = {.sites = &beam->search->sites};
    struct search_step step;
    (void)index, (void)result;
    if (search_walk_open(&walk, trace, size))
        while (search_walk_next(&walk, &step))
            beam->expected = walk.depth;
}

/* Counts the decisions on the path of the root. If the input is larger than the window, the rest is
 * assumed to be like its beginning. */
static bool look_ahead(struct beam *beam, const struct beam_origin *origin,
                       struct base_error *error) {
    const struct search_program *program = &beam->search->subject.programs[0];
    size_t size = beam->search->subject.layout.bytes;
    uint32_t longest = beam->search->options.path.longest;
    struct target_input input = {origin->ground->bytes, size};
    struct target_aim aim = {.fixed = origin->fixed,
                             .first = origin->first,
                             .bytes = origin->count,
                             .decisions = longest};
    if (program->aim)
        program->aim(program->self, &aim);
    beam->expected = 0;
    if (!program->trace(program->self, &input, 1, count_decisions, beam, error))
        return false;
    if (origin->count)
        beam->expected *= size / origin->count;
    if (beam->expected > longest)
        beam->expected = longest;
    uint64_t before = beam->search->counters.expected;
    struct search_counters counters = {.expected =
                                           beam->expected > before ? beam->expected - before : 0};
    search_book_locked(beam->search, &counters);
    return true;
}

/* The costliest start is not necessarily the best one to continue from: adds the costliest mixture
 * as a second origin, see root.c. */
static void begin_mixture(struct beam *beam) {
    size_t size = beam->search->subject.layout.bytes;
    if (beam->finished.count || !beam->pool.count || !(beam->pool.tests[0].cost > beam->first_cost))
        return;
    struct beam_origin origin = {.ground = beam_ground_new(size),
                                 .words = base_alloc(sizeof(uint64_t)),
                                 .name = beam_new_name(),
                                 .cost = beam->pool.tests[0].cost};
    open_window(&beam->search->subject.layout, &origin, NULL, 0, 0);
    memcpy(origin.ground->bytes, beam->pool.tests[0].input, size);
    origin.head = base_alloc(origin.count + 1);
    memcpy(origin.head, origin.ground->bytes, origin.count);
    base_push(&beam->origins, origin);
}

bool beam_begin(struct beam *beam, double seconds, struct base_error *error) {
    size_t size = beam->search->subject.layout.bytes;
    struct beam_origin origin = {.ground = beam_ground_new(size),
                                 .words = base_alloc(sizeof(uint64_t)),
                                 .name = beam_new_name()};
    open_window(&beam->search->subject.layout, &origin, NULL, 0, 0);
    bool good =
        beam_choose_root(beam, origin.ground->bytes, error) &&
        (beam->finished.count || beam_rehearse(beam, origin.ground->bytes, seconds, error)) &&
        look_ahead(beam, &origin, error);
    origin.cost = beam->finished.count ? 0 : beam->first_cost;
    origin.head = base_alloc(origin.count + 1);
    memcpy(origin.head, origin.ground->bytes, origin.count);
    beam_origins_done(&beam->origins);
    beam->fixed = 0;
    base_push(&beam->origins, origin);
    begin_mixture(beam);
    beam_begin_frontier(beam);
    return good;
}
