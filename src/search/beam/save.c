/* SPDX-License-Identifier: Apache-2.0
 *
 * What must be saved to resume the beam? The origins of the current episode and the finished tests.
 * States are not saved: the episode begins again. Both stay unchanged while workers run, so the
 * search can be saved at any time.
 *
 * Inputs are saved completely, but a rest that several inputs share, which may be 100 MB, only
 * once. Saved data is not trusted: every length is checked.
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

/* ---- inputs: a beginning, and a rest of its own or shared with an earlier one ---- */

struct input_head {
    uint64_t from;    /* bytes of the beginning */
    uint64_t earlier; /* number + 1 of the input that has the same rest; 0: none, it follows */
};

struct rest {
    struct beam_ground *ground;
    size_t from; /* from this byte on it is the same as in the input */
};

struct rests {
    struct rest *data;
    size_t count, capacity;
};

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* The first HEAD_SIZE bytes are in HEAD, the others in the ground. */
static void save_input(struct rests *rests, const uint8_t *head, size_t head_size,
                       struct beam_ground *ground, size_t size, struct base_buffer *out) {
    struct input_head said = {.from = head_size};
    for (size_t i = 0; !said.earlier && i < rests->count; i++) {
        const struct rest *rest = &rests->data[i];
        size_t from = larger(head_size, rest->from);
        if (memcmp(ground->bytes + from, rest->ground->bytes + from, size - from) == 0)
            said = (struct input_head){from, i + 1};
    }
    search_put(out, &said, sizeof said);
    search_put(out, head, head_size);
    search_put(out, ground->bytes + head_size, (said.earlier ? said.from : size) - head_size);
    base_push(rests, ((struct rest){ground, (size_t)said.from}));
}

static void save_origin(const struct beam_origin *origin, size_t size, struct rests *rests,
                        struct base_buffer *out) {
    struct origin_head head = {
        .first = origin->first, .count = origin->count, .depth = origin->depth};
    search_put(out, &head, sizeof head);
    save_input(rests, origin->head, origin->first + origin->count, origin->ground, size, out);
    search_put(out, origin->fixed, origin->count / 8 + 1);
    search_put(out, origin->words, origin->depth * sizeof *origin->words);
}

static void save_test(const struct beam_test *test, size_t size, struct rests *rests,
                      struct base_buffer *out) {
    struct test_head head = {.cost = test->cost,
                             .result = test->result,
                             .depth = test->depth,
                             .is_unfollowed = test->is_unfollowed};
    search_put(out, &head, sizeof head);
    save_input(rests, test->head, test->head_size, test->ground, size, out);
    search_put(out, test->words, test->depth * sizeof *test->words);
}

void beam_save(const struct beam *beam, struct base_buffer *out) {
    size_t size = beam->search->subject.layout.bytes;
    const struct beam_origins *origins = beam->is_aside ? &beam->profile.front : &beam->origins;
    struct head head = {.origins = origins->count,
                        .tests = beam->finished.count,
                        .fixed = beam->fixed,
                        .expected = beam->expected,
                        .level_runs = beam->level_runs,
                        .level = beam->level,
                        .pass = beam->pass};
    struct rests rests = {0};
    search_put(out, &head, sizeof head);
    for (size_t i = 0; i < origins->count; i++)
        save_origin(&origins->data[i], size, &rests, out);
    for (size_t i = 0; i < beam->finished.count; i++)
        save_test(&beam->finished.data[i], size, &rests, out);
    base_vector_done(&rests);
}

/* ---- reading ---- */

struct source {
    const char *at, *end;
    size_t size;        /* of an input */
    struct rests rests; /* of the inputs read so far */
};

static bool get_words(struct source *from, uint32_t depth, uint64_t **words) {
    if ((size_t)(from->end - from->at) / sizeof **words < depth)
        return false;
    *words = base_alloc(((size_t)depth + 1) * sizeof **words);
    return search_get(&from->at, from->end, *words, depth * sizeof **words);
}

/* HEAD gets the beginning and GROUND the rest; the caller owns what was allocated for them, even on
 * failure. */
static bool load_input(struct source *from, uint8_t **head, size_t *head_size,
                       struct beam_ground **ground) {
    struct input_head said;
    if (!search_get(&from->at, from->end, &said, sizeof said) || said.from > from->size ||
        said.earlier > from->rests.count)
        return false;
    size_t size = *head_size = (size_t)said.from;
    *head = base_alloc(size + 1);
    *ground = said.earlier ? beam_ground_share(from->rests.data[said.earlier - 1].ground)
                           : beam_ground_new(from->size);
    bool good = search_get(&from->at, from->end, *head, size) &&
                (said.earlier ||
                 search_get(&from->at, from->end, (*ground)->bytes + size, from->size - size));
    if (!said.earlier)
        memcpy((*ground)->bytes, *head, size);
    base_push(&from->rests, ((struct rest){*ground, size}));
    return good;
}

static bool load_origin(struct source *from, struct beam_origin *origin) {
    struct origin_head head;
    size_t head_size;
    if (!search_get(&from->at, from->end, &head, sizeof head) || head.first > from->size ||
        head.count > from->size - head.first || head.count > BEAM_WINDOW)
        return false;
    *origin = (struct beam_origin){
        .first = head.first, .count = head.count, .depth = head.depth, .name = beam_new_name()};
    origin->fixed = base_alloc(head.count / 8 + 1);
    return load_input(from, &origin->head, &head_size, &origin->ground) &&
           head_size >= head.first + head.count &&
           search_get(&from->at, from->end, origin->fixed, head.count / 8 + 1) &&
           get_words(from, head.depth, &origin->words);
}

static bool load_test(struct source *from, struct beam_test *test) {
    struct test_head head;
    if (!search_get(&from->at, from->end, &head, sizeof head))
        return false;
    *test = (struct beam_test){.cost = head.cost,
                               .result = head.result,
                               .depth = head.depth,
                               .is_unfollowed = head.is_unfollowed};
    return load_input(from, &test->head, &test->head_size, &test->ground) &&
           get_words(from, head.depth, &test->words);
}

bool beam_load(struct beam *beam, const char *data, size_t size) {
    struct source from = {data, data + size, beam->search->subject.layout.bytes, {0}};
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
    base_vector_done(&from.rests);
    if (!good)
        return false;
    beam->fixed = head.fixed;
    beam->expected = head.expected;
    beam->level_runs = head.level_runs;
    beam->level = head.level;
    beam->pass = head.pass;
    return true;
}
