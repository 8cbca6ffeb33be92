/* SPDX-License-Identifier: Apache-2.0
 *
 * How similar two sequences of reads are, against a plain reference; which growth is a proof; and
 * recordings that a target may have written anything into.
 */
#include "redundant/internal.h"
#include "redundant/similar.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONGEST 200u

static uint64_t seed;

static uint32_t next_random(uint32_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

/* ---- the longest common run ---- */

/* By the usual table: common[i][j] is the run that ends at a[i - 1] and b[j - 1]. */
static size_t plain_common_run(const uint32_t *a, size_t a_count, const uint32_t *b,
                               size_t b_count) {
    static size_t common[LONGEST + 1][LONGEST + 1];
    size_t best = 0;
    memset(common, 0, sizeof common);
    for (size_t i = 1; i <= a_count; i++)
        for (size_t j = 1; j <= b_count; j++) {
            common[i][j] = a[i - 1] == b[j - 1] ? common[i - 1][j - 1] + 1 : 0;
            best = common[i][j] > best ? common[i][j] : best;
        }
    return best;
}

/* Random elements of few kinds, and now and then a piece of the other sequence. */
static size_t fill(uint32_t *sequence, const uint32_t *other, size_t other_count) {
    uint32_t kinds = 1 + next_random(1 + next_random(50));
    size_t count = next_random(LONGEST + 1), piece = other_count ? next_random(LONGEST) : 0;
    for (size_t i = 0; i < count; i++)
        sequence[i] = next_random(kinds);
    if (piece > other_count)
        piece = other_count;
    if (piece > count)
        piece = count;
    size_t from = next_random((uint32_t)(other_count - piece) + 1);
    memcpy(sequence + next_random((uint32_t)(count - piece) + 1), other + from,
           piece * sizeof *sequence);
    return count;
}

static void finds_the_longest_common_run(void **state) {
    (void)state;
    uint32_t a[LONGEST + 1], b[LONGEST + 1];
    for (int round = 0; round < 2000; round++) {
        size_t a_count = fill(a, a, 0), b_count = fill(b, a, a_count);
        assert_int_equal(redundant_common_run(a, a_count, b, b_count),
                         plain_common_run(a, a_count, b, b_count));
    }
}

static size_t plain_shared_pieces(const uint32_t *a, size_t a_count, const uint32_t *b,
                                  size_t b_count) {
    size_t shared = 0;
    for (size_t i = 0; i + REDUNDANT_PIECE <= a_count; i++) {
        bool is_there = false;
        for (size_t j = 0; j + REDUNDANT_PIECE <= b_count; j++)
            is_there |= memcmp(a + i, b + j, REDUNDANT_PIECE * sizeof *a) == 0;
        shared += is_there;
    }
    return shared;
}

static void finds_shared_pieces(void **state) {
    (void)state;
    uint32_t a[LONGEST + 1], b[LONGEST + 1];
    for (int round = 0; round < 2000; round++) {
        size_t a_count = fill(a, a, 0), b_count = fill(b, a, a_count);
        assert_int_equal(redundant_shared_pieces(a, a_count, b, b_count),
                         plain_shared_pieces(a, a_count, b, b_count));
    }
}

/* ---- two turns ---- */

static struct redundant_likeness compare(const struct abi_logged *a, size_t a_count,
                                         const struct abi_logged *b, size_t b_count) {
    struct redundant_likeness likeness;
    redundant_compare(a, a_count, b, b_count, 7, &likeness);
    return likeness;
}

/* Two loads in turns: one reads a list, the other a key. */
static size_t search(struct abi_logged *reads, size_t count, uint32_t first, uint32_t key) {
    for (uint32_t i = 0; i < count; i++) {
        reads[2 * i] = (struct abi_logged){1, first + i};
        reads[2 * i + 1] = (struct abi_logged){2, key};
    }
    return 2 * count;
}

static void compares_load_by_load(void **state) {
    (void)state;
    struct abi_logged a[64], b[64];
    struct redundant_likeness likeness;
    size_t count = search(a, 20, 100, 5);
    likeness = compare(a, count, a, count);
    assert_true(likeness.is_same && likeness.share == 1);
    likeness = compare(a, count, b, search(b, 20, 100, 6)); /* another key */
    assert_true(!likeness.is_same && likeness.share == 1);
    likeness = compare(a, count, b, search(b, 10, 100, 6)); /* it was found earlier */
    assert_true(likeness.share == 1);
    likeness = compare(a, count, b, search(b, 20, 103, 5)); /* three items are gone: 17 of 20 */
    assert_true(likeness.share == 1);
    likeness = compare(a, count, b, search(b, 20, 107, 5)); /* seven: 13 of 20 are less than 0.7 */
    assert_true(likeness.share == 0);
    likeness = compare(a, count, b, search(b, 6, 100, 5)); /* too short */
    assert_true(likeness.share == 0);
    likeness = compare(a, count, b, 0);
    assert_true(!likeness.is_same && likeness.share == 0);
    likeness = compare(a, 0, b, 0);
    assert_true(likeness.share == 0);
}

/* Another load reads something else each time: half of all that changes. */
static void half_of_the_loads(void **state) {
    (void)state;
    struct abi_logged a[64], b[64];
    search(a, 20, 100, 0);
    search(b, 20, 100, 0);
    for (uint32_t i = 0; i < 20; i++) {
        a[2 * i + 1].value = 1000 + i;
        b[2 * i + 1].value = 2000 + i;
    }
    struct redundant_likeness likeness = compare(a, 40, b, 40);
    assert_true(likeness.share == 0.5);
}

/* ---- growth ---- */

static bool proves(double loads, double fresh, int64_t first, unsigned sizes) {
    struct redundant_point points[8];
    struct redundant_growth growth;
    for (unsigned i = 0; i < sizes; i++) {
        double size = (double)(first << i);
        points[sizes - 1 - i] = (struct redundant_point){
            first << i, (uint64_t)(3 * pow(size, loads)), (uint64_t)(2 * pow(size, fresh))};
    }
    return redundant_fit(points, sizes, &growth) && redundant_is_proof(&growth);
}

static void tells_a_proof(void **state) {
    (void)state;
    assert_true(proves(2, 1, 8, 3));
    assert_true(proves(2, 1, 100, 5));
    assert_true(proves(2, 0, 8, 4));
    assert_true(proves(3, 2, 8, 4));
    assert_false(proves(1, 1, 8, 5));   /* linear */
    assert_false(proves(1.2, 1, 8, 5)); /* hardly more */
    assert_false(proves(2, 2, 8, 5));   /* a matrix is read */
    assert_false(proves(1.5, 1, 8, 5)); /* matrices, by their bytes */
    assert_false(proves(2, 1, 8, 2));   /* two sizes are too few */
    struct redundant_point near[] = {{10, 100, 10}, {11, 121, 11}, {12, 144, 12}};
    struct redundant_growth growth;
    assert_false(redundant_fit(near, 3, &growth));
    assert_false(redundant_fit(near, 0, &growth));
}

/* ---- recordings ---- */

struct recorded {
    struct abi_trace head;
    struct abi_recording recording;
    struct abi_logged log[64];
};

static void refuses_what_cannot_be(void **state) {
    (void)state;
    struct recorded recorded = {.recording = {.log_count = 64}};
    struct redundant_trace read;
    assert_true(redundant_read_trace(&recorded, sizeof recorded, &read));
    assert_false(redundant_read_trace(NULL, 0, &read));
    assert_false(redundant_read_trace(&recorded, sizeof recorded.head, &read));
    recorded.recording.log_count = 65;
    assert_false(redundant_read_trace(&recorded, sizeof recorded, &read));
    recorded.recording.log_count = UINT32_MAX;
    assert_false(redundant_read_trace(&recorded, sizeof recorded, &read));
    recorded.recording = (struct abi_recording){.nest_count = UINT32_MAX};
    assert_false(redundant_read_trace(&recorded, sizeof recorded, &read));
}

static void reads_the_log(void **state) {
    (void)state;
    struct recorded recorded = {.recording = {.log_count = 12},
                                .log = {{1, 1}, /* in no loop */
                                        {ABI_LOG_BEGIN, 3},
                                        {100, 5},
                                        {77, 0},
                                        {1, 2},
                                        {ABI_LOG_BEGIN, 4},
                                        {110, 6},
                                        {78, 0},
                                        {1, 3},
                                        {ABI_LOG_END, 4},
                                        {9, 0},
                                        {ABI_LOG_END, 3}}}; /* the last mark is cut off */
    struct redundant_trace read;
    struct redundant_instances instances = {0};
    assert_true(redundant_read_trace(&recorded, sizeof recorded, &read));
    redundant_read_log(&read, &instances);
    assert_int_equal(instances.count, 2);
    assert_int_equal(instances.data[0].reads.count, 2);
    assert_int_equal(instances.data[1].reads.count, 1);
    assert_false(instances.data[0].is_whole);
    assert_true(instances.data[1].is_whole);
    assert_int_equal(instances.data[1].turns, 9);
    assert_int_equal(instances.data[1].began, 110);
    redundant_instances_done(&instances);
}

/* Anything at all: it is read to its end, and no further. */
static void reads_any_log(void **state) {
    (void)state;
    for (int round = 0; round < 500; round++) {
        struct recorded recorded = {.recording = {.log_count = next_random(65)}};
        struct redundant_trace read;
        struct redundant_instances instances = {0};
        for (size_t i = 0; i < 64; i++)
            recorded.log[i] = (struct abi_logged){
                next_random(2) ? ABI_LOG_BEGIN + next_random(2) : next_random(9), next_random(5)};
        assert_true(redundant_read_trace(&recorded, sizeof recorded, &read));
        redundant_read_log(&read, &instances);
        redundant_instances_done(&instances);
    }
}

int main(void) {
    seed = (uint64_t)time(NULL);
    print_message("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_longest_common_run),
        cmocka_unit_test(finds_shared_pieces),
        cmocka_unit_test(compares_load_by_load),
        cmocka_unit_test(half_of_the_loads),
        cmocka_unit_test(tells_a_proof),
        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(reads_the_log),
        cmocka_unit_test(reads_any_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
