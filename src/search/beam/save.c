/* SPDX-License-Identifier: Apache-2.0
 *
 * What must be kept so that the beam can go on later? The origins of the episode under way and the
 * finished tests; states are not kept: the episode begins again. Both stay as they are while
 * workers run, so a state can be saved at any time.
 *
 * Inputs are written whole. What is read back may be anything: every length is checked.
 */
#include "search/beam/beam.h"

#include <stdlib.h>
#include <string.h>

struct head {
    uint64_t origins, tests, fixed, expected, level_runs;
    uint32_t level, pass;
};

struct origin_head {
    uint64_t first, count;
    uint32_t depth, reserved;
};

struct test_head {
    double cost;
    struct abi_result result;
    uint32_t depth, is_unfollowed;
};

static void save_origin(const struct beam_origin *origin, size_t size, struct base_buffer *out) {
    struct origin_head head = {
        .first = origin->first, .count = origin->count, .depth = origin->depth};
    size_t end = origin->first + origin->count;
    search_put(out, &head, sizeof head);
    search_put(out, origin->head, end);
    search_put(out, origin->ground->bytes + end, size - end);
    search_put(out, origin->fixed, origin->count / 8 + 1);
    search_put(out, origin->words, origin->depth * sizeof *origin->words);
}

static void save_test(const struct beam_test *test, size_t size, struct base_buffer *out) {
    struct test_head head = {.cost = test->cost,
                             .result = test->result,
                             .depth = test->depth,
                             .is_unfollowed = test->is_unfollowed};
    search_put(out, &head, sizeof head);
    search_put(out, test->head, test->head_size);
    search_put(out, test->ground->bytes + test->head_size, size - test->head_size);
    search_put(out, test->words, test->depth * sizeof *test->words);
}

void beam_save(const struct beam *beam, struct base_buffer *out) {
    size_t size = beam->search->subject.layout.bytes;
    struct head head = {.origins = beam->origins.count,
                        .tests = beam->finished.count,
                        .fixed = beam->fixed,
                        .expected = beam->expected,
                        .level_runs = beam->level_runs,
                        .level = beam->level,
                        .pass = beam->pass};
    search_put(out, &head, sizeof head);
    for (size_t i = 0; i < beam->origins.count; i++)
        save_origin(&beam->origins.data[i], size, out);
    for (size_t i = 0; i < beam->finished.count; i++)
        save_test(&beam->finished.data[i], size, out);
}

/* ---- reading ---- */

struct source {
    const char *at, *end;
    size_t size; /* of an input */
};

static bool get_words(struct source *from, uint32_t depth, uint64_t **words) {
    if ((size_t)(from->end - from->at) / sizeof **words < depth)
        return false;
    *words = base_alloc(((size_t)depth + 1) * sizeof **words);
    return search_get(&from->at, from->end, *words, depth * sizeof **words);
}

/* What was allocated belongs to the origin, good or not. */
static bool load_origin(struct source *from, struct beam_origin *origin) {
    struct origin_head head;
    if (!search_get(&from->at, from->end, &head, sizeof head) || head.first > from->size ||
        head.count > from->size - head.first || head.count > BEAM_WINDOW)
        return false;
    *origin = (struct beam_origin){
        .first = head.first, .count = head.count, .depth = head.depth, .name = beam_new_name()};
    origin->ground = beam_ground_new(from->size);
    origin->head = base_alloc(head.first + head.count + 1);
    origin->fixed = base_alloc(head.count / 8 + 1);
    if (!search_get(&from->at, from->end, origin->ground->bytes, from->size) ||
        !search_get(&from->at, from->end, origin->fixed, head.count / 8 + 1) ||
        !get_words(from, head.depth, &origin->words))
        return false;
    memcpy(origin->head, origin->ground->bytes, head.first + head.count);
    return true;
}

static bool load_test(struct source *from, struct beam_test *test) {
    struct test_head head;
    if (!search_get(&from->at, from->end, &head, sizeof head))
        return false;
    *test = (struct beam_test){.cost = head.cost,
                               .result = head.result,
                               .depth = head.depth,
                               .is_unfollowed = head.is_unfollowed};
    test->ground = beam_ground_new(from->size);
    test->head = base_alloc(1);
    return search_get(&from->at, from->end, test->ground->bytes, from->size) &&
           get_words(from, head.depth, &test->words);
}

bool beam_load(struct beam *beam, const char *data, size_t size) {
    struct source from = {data, data + size, beam->search->subject.layout.bytes};
    struct head head;
    bool good = search_get(&from.at, from.end, &head, sizeof head);
    for (uint64_t i = 0; good && i < head.origins; i++) {
        struct beam_origin origin = {0};
        good = load_origin(&from, &origin);
        base_push(&beam->origins, origin);
    }
    for (uint64_t i = 0; good && i < head.tests; i++) {
        struct beam_test test = {0};
        good = load_test(&from, &test);
        base_push(&beam->finished, test);
    }
    if (!good)
        return false;
    beam->fixed = head.fixed;
    beam->expected = head.expected;
    beam->level_runs = head.level_runs;
    beam->level = head.level;
    beam->pass = head.pass;
    return true;
}
