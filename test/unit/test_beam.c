/* SPDX-License-Identifier: Apache-2.0
 *
 * How the beam cuts a frontier: cases by hand, and random gaps against a cut that sorts. Set SEED
 * to repeat the random part.
 */
#include "search/beam/spread.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "fake.h"

#include <stdlib.h>
#include <string.h>

static void check_cut(const uint32_t *gaps, size_t states, size_t clusters, uint32_t least,
                      const size_t *starts, size_t count, uint32_t smallest) {
    size_t got[16];
    uint32_t got_smallest;
    assert_int_equal(beam_cut(gaps, states, clusters, least, got, &got_smallest), count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(got[i], starts[i]);
    assert_int_equal(got_smallest, smallest);
}

static void test_cuts(void **context) {
    (void)context;
    const uint32_t gaps[] = {1, 4, 2, 6, 1, 4};
    check_cut(gaps, 7, 1, 0, (size_t[]){0}, 1, UINT32_MAX);
    check_cut(gaps, 7, 2, 0, (size_t[]){0, 4}, 2, 6);
    check_cut(gaps, 7, 3, 0, (size_t[]){0, 2, 4}, 3, 4); /* of equal gaps the first */
    check_cut(gaps, 7, 4, 0, (size_t[]){0, 2, 4, 6}, 4, 4);
    check_cut(gaps, 7, 5, 0, (size_t[]){0, 2, 3, 4, 6}, 5, 2);
    check_cut(gaps, 7, 9, 0, (size_t[]){0, 1, 2, 3, 4, 5, 6}, 7,
              1);                                           /* fewer states than clusters */
    check_cut(gaps, 7, 7, 3, (size_t[]){0, 2, 4, 6}, 4, 4); /* small gaps stay */
    check_cut(gaps, 1, 3, 0, (size_t[]){0}, 1, UINT32_MAX);
    check_cut(gaps, 0, 3, 0, NULL, 0, UINT32_MAX);
    const uint32_t none[] = {0, 0, 0};
    check_cut(none, 4, 3, 0, (size_t[]){0}, 1, UINT32_MAX); /* equal paths are one cluster */
}

/* The figures of the paper's illustration: look-ahead 6 and two clusters want more than 3. */
static void test_diversity(void **context) {
    (void)context;
    assert_false(beam_is_diverse(2, 6, 2));
    assert_false(beam_is_diverse(3, 6, 2));
    assert_true(beam_is_diverse(4, 6, 2));
    assert_false(beam_is_diverse(5, 50, 10));
    assert_true(beam_is_diverse(6, 50, 10));
    assert_true(beam_is_diverse(17, 50, 3));
    assert_false(beam_is_diverse(16, 50, 3));
}

static const uint32_t *sorted_gaps;

static int by_gap(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    if (sorted_gaps[x] != sorted_gaps[y])
        return sorted_gaps[x] < sorted_gaps[y] ? 1 : -1;
    return x < y ? -1 : 1;
}

static int by_number(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* The same by sorting all gaps. */
static size_t naive_cut(const uint32_t *gaps, size_t states, size_t clusters, uint32_t least,
                        size_t *starts, uint32_t *smallest) {
    size_t order[64], count = 0;
    for (size_t i = 0; i + 1 < states; i++)
        order[i] = i;
    sorted_gaps = gaps;
    qsort(order, states - 1, sizeof *order, by_gap);
    starts[count++] = 0;
    *smallest = UINT32_MAX;
    for (size_t i = 0; i + 1 < states && count < clusters; i++) {
        if (gaps[order[i]] <= least)
            break;
        starts[count++] = order[i] + 1;
        *smallest = gaps[order[i]];
    }
    qsort(starts, count, sizeof *starts, by_number);
    return count;
}

static void test_against_sorting(void **context) {
    (void)context;
    const char *given = getenv("SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 20260105, random = seed;
    print_message("SEED=%llu\n", (unsigned long long)seed);
    for (int round = 0; round < 20000; round++) {
        uint32_t gaps[64], smallest[2], range = 1 + (uint32_t)(search_random(&random) % 40);
        size_t states = 1 + search_random(&random) % 60, starts[2][64];
        size_t clusters = 1 + search_random(&random) % 63;
        uint32_t least = (uint32_t)(search_random(&random) % 3);
        for (size_t i = 0; i + 1 < states; i++)
            gaps[i] = (uint32_t)(search_random(&random) % range);
        size_t count = beam_cut(gaps, states, clusters, least, starts[0], &smallest[0]);
        size_t want = naive_cut(gaps, states, clusters, least, starts[1], &smallest[1]);
        assert_int_equal(count, want);
        assert_memory_equal(starts[0], starts[1], count * sizeof(size_t));
        assert_int_equal(smallest[0], smallest[1]);
    }
}

/* ---- paths ---- */

static struct beam_state state_of(uint32_t origin, const uint64_t *words, uint32_t depth) {
    struct beam_state state = {.origin = origin, .depth = depth};
    state.words = base_alloc(8 * sizeof *words);
    state.bytes = base_alloc(1);
    memcpy(state.words, words, depth * sizeof *words);
    return state;
}

static void test_order(void **context) {
    (void)context;
    struct beam_origins origins = {0};
    uint64_t fixed[] = {1, 0};
    base_push(&origins, (struct beam_origin){0});
    base_push(&origins, (struct beam_origin){.words = fixed, .depth = 2});
    struct beam_states states = {0};
    base_push(&states, state_of(0, (uint64_t[]){1, 1, 0, 0}, 4));
    base_push(&states, state_of(1, (uint64_t[]){1, 1}, 2)); /* 1 0 1 1 */
    base_push(&states, state_of(0, (uint64_t[]){0, 1, 1, 1}, 4));
    base_push(&states, state_of(0, (uint64_t[]){1, 0, 1}, 3));
    beam_sort(&origins, &states);
    assert_int_equal(states.data[0].words[0], 0);
    assert_int_equal(states.data[1].depth, 3);
    assert_int_equal(states.data[2].origin, 1);
    assert_int_equal(states.data[3].words[1], 1);
    assert_int_equal(beam_gap(&origins, &states.data[0], &states.data[1]), 3);
    assert_int_equal(beam_gap(&origins, &states.data[1], &states.data[2]), 0);
    assert_int_equal(beam_gap(&origins, &states.data[2], &states.data[3]), 3);
    beam_states_done(&states);
    base_vector_done(&origins);
}

/* A fill writes its region and nothing else, and a longer region begins like a shorter one: what
 * was found for a beginning can be done to the whole. Of those that move or scatter only the first
 * is true. */
static void test_fills(void **context) {
    (void)context;
    enum { SIZE = 600, FROM = 90, SHORT = 300, LONG = 555 };
    uint8_t source[SIZE], small[SIZE], large[SIZE];
    uint64_t random = 7;
    for (size_t i = 0; i < SIZE; i++)
        source[i] = (uint8_t)search_random(&random);
    for (int kind = 0; kind < BEAM_FILLS; kind++)
        for (size_t length = 1; length < 40; length++) {
            struct beam_fill fill = {.kind = (enum beam_fill_kind)kind,
                                     .unit = length,
                                     .length = length,
                                     .from = FROM,
                                     .to = SHORT,
                                     .grain = 1,
                                     .part = 1 + length / 3,
                                     .random = search_random(&random)};
            memcpy(small, source, SIZE);
            memcpy(large, source, SIZE);
            beam_fill(&fill, source, SIZE, small);
            fill.to = LONG;
            beam_fill(&fill, source, SIZE, large);
            assert_memory_equal(small, source, FROM);
            assert_memory_equal(small + SHORT, source + SHORT, SIZE - SHORT);
            assert_memory_equal(large + LONG, source + LONG, SIZE - LONG);
            if (kind != BEAM_SCATTERED)
                assert_memory_equal(small + FROM, large + FROM, SHORT - FROM);
        }
}

/* A number of two bytes before a letter counts down across the border between them. */
static void test_numbers(void **context) {
    (void)context;
    const uint8_t source[12] = {0x02, 0x01, 'a'}, want[9] = {2, 1, 'a', 1, 1, 'a', 0, 1, 'a'};
    uint8_t got[12] = {0};
    struct beam_fill fill = {
        .kind = BEAM_NUMBERED, .length = 3, .to = 12, .grain = 1, .part = 2, .random = 0x101};
    beam_fill(&fill, source, 12, got);
    assert_memory_equal(got, want, 9);
    assert_memory_equal(got + 9, ((uint8_t[]){0xff, 0, 'a'}), 3);
}

/* ---- growth ---- */

/* Bytes that differ from the one before and are the one before that; one decision. */
static void alternation(struct fake_run *run, const uint8_t *input, size_t size) {
    fake_event(run, ABI_EVENT_BRANCH, 1, fake_node(run, ABI_OP_INPUT, 8, 0, 0), input[0] != 0);
    for (size_t i = 2; i < size; i++)
        run->untold += input[i] == input[i - 2] && input[i] != input[i - 1];
    run->counts_hash = run->cost + run->untold + 1;
}

static double costliest_of(struct fake_search *fake) {
    const struct search_test *tests;
    assert_true(search_tests(fake->search, &tests) > 0);
    return tests[0].cost;
}

/* No limit of time is met, so the result is the same on any machine. */
static double search_alternation(bool sizes_vary, uint64_t runs) {
    struct fake_search fake = {.abilities = FAKE_TRACED};
    fake.options.limits.seconds = 1e6;
    fake.options.limits.runs = runs;
    fake.options.beam.lookahead = fake.options.beam.max_frontier = 8;
    fake.options.beam.max_constraints = 100;
    fake.subject.sizes_vary = sizes_vary;
    fake_prepare(&fake, "beam", alternation, 8 << 10, 1);
    assert_true(fake_go(&fake));
    double cost = costliest_of(&fake);
    fake_finish(&fake);
    return cost;
}

/* What was found on a small beginning grows to the whole, in fewer runs than the whole takes. */
static void test_growth(void **context) {
    (void)context;
    double grown = search_alternation(true, 6000);
    assert_true(grown > 0.99 * (8 << 10));
    assert_true(grown == search_alternation(true, 6000));
}

/* ---- what is equal stays equal ---- */

static void test_swaps(void **context) {
    (void)context;
    const uint8_t source[] = "abcabdab";
    uint8_t got[] = "abcabdab";
    struct beam_fill fill = {
        .kind = BEAM_SWAPPED, .unit = 2, .length = 1, .from = 1, .to = 7, .grain = 1, .part = 4};
    beam_fill(&fill, source, 8, got);
    assert_string_equal(got, "acbacdab");
}

/* What other inputs cost: nothing, or a bit more than the first one. */
static uint64_t other_cost;

/* Costs more the larger its bytes are as long as all bytes of the first half are equal and those of
 * the second are as well. One byte alone can only make it another input. */
static void two_values(struct fake_run *run, const uint8_t *input, size_t size) {
    bool is_equal = true;
    fake_event(run, ABI_EVENT_BRANCH, 1, fake_node(run, ABI_OP_INPUT, 8, 0, 0), input[0] > 100);
    for (size_t i = 0; i < size; i++)
        is_equal &= input[i] == input[i < size / 2 ? 0 : size / 2];
    run->untold = is_equal ? 1000u + input[0] + input[size / 2] : other_cost;
    run->counts_hash = run->untold + 1;
}

/* A search over values up to HIGH, of which only a whole run tells the cost. */
static void prepare_values(struct fake_search *fake, const struct target_input *start, int64_t high,
                           uint32_t width) {
    fake->options.beam.lookahead = fake->options.beam.max_frontier = width;
    fake->options.beam.max_constraints = 100;
    fake->subject.starts = start;
    fake->subject.start_count = 1;
    fake->subject.prices.is_partial = true;
    for (uint32_t i = 0; i < start->size; i++)
        base_push(&fake->subject.layout.ranges,
                  (struct solver_range){.offset = i, .width = 8, .low = 0, .high = high});
}

static double search_values(const char *strategy) {
    enum { SIZE = 24 };
    uint8_t start[SIZE];
    const struct target_input given = {start, SIZE};
    struct fake_search fake = {.abilities = FAKE_TRACED};
    memset(start, 3, SIZE / 2);
    memset(start + SIZE / 2, 7, SIZE / 2);
    fake.options.limits.runs = 3000;
    prepare_values(&fake, &given, 29, 8);
    fake_prepare(&fake, strategy, two_values, SIZE, 1);
    assert_true(fake_go(&fake));
    double cost = costliest_of(&fake);
    fake_finish(&fake);
    return cost;
}

static void test_climb_swaps(void **context) {
    (void)context;
    assert_true(search_values("climb") >= 1000 + 29 + 28);
}

/* Mixtures cost more than the start here and lead nowhere: the search must not forget the start. */
static void test_beam_keeps_start(void **context) {
    (void)context;
    other_cost = 1015;
    double cost = search_values("beam");
    other_cost = 0;
    assert_true(cost >= 1000 + 29 + 28);
}

/* ---- few runs ---- */

/* Each byte that is 7 costs more the more of them there are; only a whole run tells. */
static void sevens(struct fake_run *run, const uint8_t *input, size_t size) {
    uint64_t count = 0, hash = 1;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t byte = fake_node(run, ABI_OP_INPUT, 8, i, 0),
                 seven = fake_node(run, ABI_OP_CONST, 8, 0, 7);
        fake_event(run, ABI_EVENT_BRANCH, i + 1, fake_node(run, ABI_OP_EQ, 1, byte, seven),
                   input[i] == 7);
        count += input[i] == 7;
        hash = (hash + input[i] + 1) * 0x9e3779b97f4a7c15u;
    }
    run->untold = count * count * 100 + hash % 97;
    run->counts_hash = hash;
}

/* The mean of a suite of 5. */
static double search_few(const char *strategy) {
    enum { SIZE = 20 };
    const uint8_t zeros[SIZE] = {0};
    const struct target_input given = {zeros, SIZE};
    struct fake_search fake = {.abilities = FAKE_TRACED, .options.tests = 5};
    const struct search_test *tests;
    double sum = 0;
    fake.options.limits.runs = 150;
    prepare_values(&fake, &given, 9, 5);
    fake_prepare(&fake, strategy, sevens, SIZE, 1);
    assert_true(fake_go(&fake));
    size_t count = search_tests(fake.search, &tests);
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++)
        sum += tests[i].cost;
    fake_finish(&fake);
    return sum / 5;
}

/* A search must not end below what luck reaches with as many runs. */
static void test_few_runs(void **context) {
    (void)context;
    double luck = search_few("random");
    assert_true(search_few("climb") > luck);
    assert_true(search_few("beam") > luck);
}

/* ---- the choice of the suite ---- */

static void add_test(struct beam *beam, const uint64_t *words, uint32_t depth, double cost) {
    struct beam_test test = {.ground = beam_ground_new(4),
                             .head = base_alloc(1),
                             .words = base_alloc(8 * sizeof *words),
                             .depth = depth,
                             .cost = cost};
    memcpy(test.words, words, depth * sizeof *words);
    base_push(&beam->finished, test);
}

static void check_suite(struct beam *beam, const double *costs, size_t count) {
    const struct search_test *tests;
    beam_make_suite(beam);
    assert_int_equal(search_tests(beam->search, &tests), count);
    for (size_t i = 0; i < count; i++)
        assert_true(tests[i].cost == costs[i]);
}

/* Of two paths that differ in the last decisions only, the costlier stays: more than 8 / 4 have to
 * differ. The costliest whole input is a test though nobody followed its path. */
static void test_suite(void **context) {
    (void)context;
    struct fake_search fake = {.options.tests = 4};
    fake_prepare(&fake, "beam", alternation, 4, 1);
    struct beam beam = {.search = fake.search, .lookahead = 8};
    add_test(&beam, (uint64_t[]){1, 1, 1, 1, 1, 1, 1, 1}, 8, 30);
    add_test(&beam, (uint64_t[]){1, 1, 1, 1, 1, 1, 0, 0}, 8, 40); /* 2 behind what they share */
    add_test(&beam, (uint64_t[]){1, 1, 1, 1, 1, 0, 0, 0}, 8, 20); /* 3 */
    add_test(&beam, (uint64_t[]){0, 1}, 2, 10);                   /* too short for 3 */
    add_test(&beam, (uint64_t[]){0, 1, 1}, 3, 5);
    check_suite(&beam, (double[]){40, 20, 5}, 3);
    const struct abi_result result = {.counts_hash = 1};
    beam_note_whole(&beam, (const uint8_t *)"long", 50, &result);
    beam_note_whole(&beam, (const uint8_t *)"less", 45, &result);
    check_suite(&beam, (double[]){50, 40, 20, 5}, 4);
    const struct search_test *tests;
    search_tests(fake.search, &tests);
    assert_memory_equal(tests[0].input, "long", 4);
    beam_finished_done(&beam.finished);
    free(beam.record.bytes);
    fake_finish(&fake);
}

/* ---- runs that take long ---- */

/* A run of cost 100 took 10 of the 100 seconds. */
static void test_time_for_runs(void **context) {
    (void)context;
    struct fake_search fake = {.options.tests = 1, .options.limits.seconds = 100};
    fake_prepare(&fake, "beam", alternation, 4, 1);
    struct beam beam = {.search = fake.search, .lookahead = 8};
    const struct abi_result result = {.counts_hash = 1, .wall_ns = (uint64_t)10 * 1000000000};
    fake.search->began = base_seconds();
    assert_true(beam_has_time(&beam, 1e9)); /* nothing is known of runs yet */
    beam_note_whole(&beam, (const uint8_t *)"long", 100, &result);
    assert_true(beam_run_seconds(&beam, 300) > 29 && beam_run_seconds(&beam, 300) < 31);
    assert_true(search_seconds_left(fake.search) < 90); /* 11 are kept to run it again */
    assert_true(beam_has_time(&beam, 400));
    assert_false(beam_has_time(&beam, 500)); /* once would do, twice would not */
    add_test(&beam, (uint64_t[]){1}, 1, 100);
    assert_true(beam_has_time(&beam, 500)); /* it would take the place of the other */
    assert_false(beam_has_time(&beam, 1000));
    fake.search->began -= 85;
    assert_false(search_is_late(fake.search));
    fake.search->began -= 10;
    assert_true(search_is_late(fake.search));
    beam_finished_done(&beam.finished);
    free(beam.record.bytes);
    fake_finish(&fake);
}

/* 100 runs of 2 ms and one of 3 s, each of whose costs takes a tenth of theirs: the next long one
 * takes 3 s, not 30. */
static void test_pace(void **context) {
    (void)context;
    struct fake_search fake = {.options.tests = 1, .options.limits.seconds = 100};
    fake_prepare(&fake, "beam", alternation, 4, 1);
    struct beam beam = {.search = fake.search, .lookahead = 8};
    for (int i = 0; i < 100; i++)
        beam_note_pace(&beam, 20, &(struct abi_result){.wall_ns = 2000000});
    assert_true(beam_run_seconds(&beam, 300000) > 29);
    beam_note_pace(&beam, 300000, &(struct abi_result){.wall_ns = 3000000000u});
    assert_true(beam_run_seconds(&beam, 300000) < 3.5);
    fake_finish(&fake);
}

/* ---- the state ---- */

static struct beam_origin make_origin(struct beam_ground *ground, const char *head, size_t first) {
    struct beam_origin origin = {.ground = beam_ground_share(ground), .first = first, .count = 1};
    origin.head = base_alloc(first + 2);
    memcpy(origin.head, head, first + 1);
    origin.fixed = base_alloc(1);
    origin.words = base_alloc(sizeof *origin.words);
    return origin;
}

/* Two origins and a test of 10,000 bytes differ at their beginnings: the rest is saved once. */
static void test_saved_once(void **context) {
    (void)context;
    enum { SIZE = 10000 };
    struct fake_search fake = {.options.tests = 1};
    struct base_buffer state = {0};
    fake_prepare(&fake, "beam", alternation, SIZE, 1);
    struct beam before = {.search = fake.search}, after = {.search = fake.search};
    struct beam_ground *ground = beam_ground_new(SIZE), *other = beam_ground_new(SIZE);
    memcpy(other->bytes, "test", 4);
    base_push(&before.origins, make_origin(ground, "one", 2));
    base_push(&before.origins, make_origin(ground, "three", 4));
    base_push(&before.finished, ((struct beam_test){.ground = other,
                                                    .head = base_alloc(1),
                                                    .words = base_alloc(8),
                                                    .is_unfollowed = true}));
    beam_save(&before, &state);
    assert_in_range(state.count, SIZE, SIZE + 1000);
    assert_true(beam_load(&after, state.data, state.count));
    uint8_t bytes[SIZE], zeros[SIZE] = {0};
    assert_memory_equal(after.origins.data[0].head, "one", 3);
    assert_memory_equal(after.origins.data[1].head, "three", 5);
    assert_memory_equal(after.origins.data[1].ground->bytes + 5, zeros, SIZE - 5);
    beam_compose_test(&after.finished.data[0], SIZE, bytes);
    assert_memory_equal(bytes, other->bytes, SIZE);
    beam_ground_drop(ground);
    base_buffer_done(&state);
    for (struct beam *beam = &before; beam; beam = beam == &before ? &after : NULL) {
        beam_origins_done(&beam->origins);
        beam_finished_done(&beam->finished);
    }
    fake_finish(&fake);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pace),
        cmocka_unit_test(test_saved_once),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_swaps),
        cmocka_unit_test(test_climb_swaps),
        cmocka_unit_test(test_few_runs),
        cmocka_unit_test(test_beam_keeps_start),
        cmocka_unit_test(test_suite),
        cmocka_unit_test(test_time_for_runs),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_fills),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_diversity),
        cmocka_unit_test(test_against_sorting),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
