/* SPDX-License-Identifier: Apache-2.0
 *
 * Which tests are worth a place in the suite? Where inputs are byte strings of any length, the
 * costliest tests are mostly copies of one: one more byte, another letter. So the search keeps more
 * tests than are wanted, and picks in the end: findings first, then only tests that spend their
 * cost differently from all tests already picked.
 *
 * While the search runs, the costliest test of each kind is kept beside the costliest of all. A
 * kind is cheap to compute from a run's counts: its calls and its allocations per instruction.
 *
 * How a test spends its cost is its profile: the share of each block. Two tests are near copies if
 * their profiles are similar, or if one block, or one function in which they spend it alike, takes
 * most of the cost of both. If a test is too long to be profiled, a part of it is run; where that
 * is not possible, its rates of calls and allocations are compared instead. A test that cannot be
 * compared because the budget for profiles is used up gets no place.
 */
#include "search/core/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPARE 7        /* extra tests that are kept for each one wanted ... */
#define MOST_SPARE 64u /* ... at most */
#define MOST_KINDS 64
#define LEAST_SHARE 0.05    /* of the costliest, that a test of another kind must cost */
#define KIND_STEP 2.0       /* kinds per doubling of a rate */
#define NEAR 0.3            /* sum of differences up to which two profiles count as the same ... */
#define NEAR_TEXT 0.6       /* ... or those of two inputs with similar text */
#define MOST 0.45           /* share of a block or function that decides what a test is about */
#define SAME_BYTES 0.5      /* share of common bytes in similar texts */
#define CLEARLY 1.05        /* times the cost of another test */
#define NEAR_RATE 0.03      /* of rates, where there is no profile */
#define PART 4              /* a test that costs more is cut to this fraction for its profile */
#define LAW_COST 2e7        /* of the run that profiles a law's pattern, whose size is free */
#define LEAST_PROFILES 6e8  /* of all runs for profiles: less than half a second ... */
#define MOST_PROFILES 1.2e9 /* ... or more, in a long search ... */
#define SECOND_COST 4e8     /* ... per second reserved for the end of the search */

size_t search_keep_count(const struct search_strategy *strategy, size_t tests) {
    size_t spare = tests * SPARE < MOST_SPARE ? tests * SPARE : MOST_SPARE;
    return strategy->varies_size && !strategy->is_scaled ? tests + spare : tests;
}

/* ---- kinds ---- */

size_t search_count_kinds(const struct search_strategy *strategy) {
    return strategy->varies_size && !strategy->is_scaled ? MOST_KINDS : 0;
}

static uint64_t step_of(double part, double whole) {
    return (uint64_t)(KIND_STEP * log2(1 + part / whole * 0x1p20));
}

static struct search_path kind_of(const struct abi_result *result) {
    double whole = (double)result->weighted[MEASURE_INSTRUCTIONS] + 1;
    return (struct search_path){step_of((double)result->weighted[MEASURE_CALLS], whole) |
                                    step_of((double)result->weighted[MEASURE_WEIGHTED], whole)
                                        << 16,
                                step_of((double)result->costs.allocated, whole)};
}

bool search_wants_kind(const struct search *search, const struct abi_result *result, double cost) {
    const struct search_archive *kinds = &search->kinds;
    if (!search_archive_wants(kinds, cost))
        return false;
    struct search_path kind = kind_of(result);
    for (size_t i = 0; i < kinds->count; i++)
        if (kinds->tests[i].path.a == kind.a && kinds->tests[i].path.b == kind.b)
            return cost > kinds->tests[i].cost;
    return true;
}

void search_offer_kind(struct search *search, const struct search_test *test) {
    struct search_test copy = *test;
    copy.path = kind_of(&test->result);
    if (!test->law)
        search_archive_offer(&search->kinds, &copy);
}

/* Lets the costliest of each kind compete with the costliest of all. */
static void add_kinds(struct search *search) {
    struct search_archive others;
    double least = search->kinds.count ? LEAST_SHARE * search->kinds.tests[0].cost : 0;
    search_archive_init(&others, search->kinds.count);
    for (size_t i = 0; i < search->kinds.count; i++) {
        struct search_test test = search->kinds.tests[i];
        test.path = (struct search_path){test.result.counts_hash, test.result.status};
        if (test.cost >= least && !search_archive_has(&search->archive, &test))
            search_archive_offer(&others, &test);
    }
    search_archive_add_all(&search->archive, &others);
    search_archive_done(&others);
}

struct choice {
    struct search *search;
    float **profiles; /* of each test of the archive; NULL: none */
    bool *is_chosen;
    bool *is_compared; /* chosen, or a near copy of one that is */
    size_t count;      /* of those chosen */
    double budget;     /* of all runs for profiles */
    double left;       /* of it */
    struct base_buffer bytes;
};

/* ---- profiles ---- */

/* The test itself, or its pattern at a size that runs quickly. */
static struct target_input small_input(struct choice *choice, const struct search_test *test) {
    struct target_input input = {test->input, test->size};
    uint64_t size = 0;
    for (size_t i = 0; test->law && i < test->law->series.count; i++)
        if (test->law->series.data[i].cost <= LAW_COST)
            size = (uint64_t)test->law->series.data[i].size;
    uint64_t k = size ? target_pattern_fit(&test->law->pattern, size) : 0;
    if (!k || test->cost <= LAW_COST)
        return input;
    choice->bytes.count = 0;
    target_pattern_write(&test->law->pattern, k, &choice->bytes);
    return (struct target_input){choice->bytes.data, choice->bytes.count};
}

static float *make_profile(const struct ir_facts *facts, const uint64_t *counts) {
    float *profile = base_alloc((facts->block_count + 1u) * sizeof *profile);
    double sum = profile[0] = (float)counts[0];
    for (uint32_t i = 0; i < facts->block_count; i++) {
        profile[i + 1] = (float)((double)counts[i + 1] * facts->blocks[i].instructions);
        sum += profile[i + 1];
    }
    for (uint32_t i = 0; sum > 0 && i <= facts->block_count; i++)
        profile[i] = (float)(profile[i] / sum);
    return profile;
}

/* False: the budget does not allow it. */
static bool run_profile(struct choice *choice, size_t index) {
    const struct search_subject *subject = &choice->search->subject;
    const struct search_program *program = &subject->programs[0];
    struct target_input input = small_input(choice, &choice->search->archive.tests[index]);
    const struct search_test *test = &choice->search->archive.tests[index];
    struct abi_result result;
    struct base_error error;
    const uint64_t *counts = NULL;
    double cost;
    double least = input.data == test->input ? test->cost : 0;
    if (least > choice->budget && subject->sizes_vary && choice->left > choice->budget / 2) {
        input.size /= PART;
        least = 0;
    }
    if (!subject->facts || !program->count || least > choice->budget)
        return true;
    if (choice->left <= 0 || least > choice->left)
        return false;
    if (program->count(program->self, &input, &result, &cost, &counts, &error) && counts) {
        choice->left -= cost;
        choice->profiles[index] = make_profile(subject->facts, counts);
    }
    return true;
}

/* ---- near copies ---- */

static bool is_near_rate(double a, double b) {
    return fabs(a - b) <= NEAR_RATE * fmax(fabs(a), fabs(b));
}

static double rate(uint64_t part, const struct search_test *test) {
    return (double)part / ((double)test->result.weighted[MEASURE_INSTRUCTIONS] + 1);
}

static bool has_near_rates(const struct search_test *a, const struct search_test *b) {
    const struct abi_result *one = &a->result, *other = &b->result;
    return is_near_rate(rate(one->weighted[MEASURE_CALLS], a),
                        rate(other->weighted[MEASURE_CALLS], b)) &&
           is_near_rate(rate(one->weighted[MEASURE_WEIGHTED], a),
                        rate(other->weighted[MEASURE_WEIGHTED], b)) &&
           is_near_rate(rate(one->costs.allocated, a), rate(other->costs.allocated, b));
}

#define GRAM 4
#define GRAM_BITS 16

static uint32_t gram_at(const uint8_t *bytes) {
    uint32_t gram;
    memcpy(&gram, bytes, GRAM);
    return gram * 0x9e3779b1u >> (32 - GRAM_BITS);
}

/* Does more than half of A's text, in pieces of four bytes, also occur in B, wherever it stands? */
static bool says_the_same(const struct search_test *a, const struct search_test *b) {
    uint8_t seen[1 << (GRAM_BITS - 3)] = {0};
    size_t same = 0;
    if (a->size < GRAM || b->size < GRAM)
        return a->size == b->size && memcmp(a->input, b->input, a->size) == 0;
    for (size_t i = 0; i + GRAM <= b->size; i++)
        seen[gram_at(b->input + i) >> 3] |= (uint8_t)(1u << (gram_at(b->input + i) & 7));
    for (size_t i = 0; i + GRAM <= a->size; i++)
        same += seen[gram_at(a->input + i) >> 3] >> (gram_at(a->input + i) & 7) & 1;
    return (double)same > SAME_BYTES * (double)(a->size - GRAM + 1);
}

/* Do both spend most of their cost in FUNCTION: in one block, or spread alike over its blocks? */
static bool is_about_function(const float *one, const float *other,
                              const struct ir_function *function) {
    const uint32_t first = function->first_block + 1, end = first + function->block_count;
    double share = 0, other_share = 0, sum = 0;
    for (uint32_t i = first; i < end; i++) {
        if (one[i] >= MOST && other[i] >= MOST)
            return true;
        share += one[i];
        other_share += other[i];
    }
    if (share < MOST || other_share < MOST)
        return false;
    for (uint32_t i = first; i < end; i++)
        sum += fabs(one[i] / share - other[i] / other_share);
    return sum <= NEAR;
}

static bool is_about_the_same(const float *one, const float *other, const struct ir_facts *facts) {
    bool same = one[0] >= MOST && other[0] >= MOST;
    for (uint32_t i = 0; i < facts->function_count && !same; i++)
        same = is_about_function(one, other, &facts->functions[i]);
    return same;
}

/* Is A, the later one, a near copy of B? */
static bool is_near(const struct choice *choice, size_t a, size_t b) {
    const struct search_test *one_test = &choice->search->archive.tests[a],
                             *other_test = &choice->search->archive.tests[b];
    const float *one = choice->profiles[a], *other = choice->profiles[b];
    double sum = 0;
    if (!one || !other)
        return has_near_rates(one_test, other_test) || says_the_same(one_test, other_test);
    for (uint32_t i = 0; i <= choice->search->subject.facts->block_count && sum <= NEAR_TEXT; i++)
        sum += fabs((double)one[i] - (double)other[i]);
    return sum <= NEAR || (sum <= NEAR_TEXT && says_the_same(one_test, other_test)) ||
           is_about_the_same(one, other, choice->search->subject.facts);
}

/* The costliest test does not count as a copy of a finding's test that costs clearly less: it shows
 * what is possible. */
static bool is_best(const struct choice *choice, size_t index, size_t other) {
    const struct search_test *tests = choice->search->archive.tests;
    return index == 0 && tests[0].cost > CLEARLY * tests[other].cost;
}

static bool is_copy(const struct choice *choice, size_t index) {
    for (size_t i = 0; i < choice->search->archive.count; i++)
        if (choice->is_chosen[i] && !is_best(choice, index, i) && is_near(choice, index, i))
            return true;
    return false;
}

/* A copy that can be recognised without a profile. */
static bool is_plain_copy(const struct choice *choice, size_t index) {
    const struct search_test *tests = choice->search->archive.tests;
    for (size_t i = 0; i < choice->search->archive.count; i++)
        if (choice->is_compared[i] && !is_best(choice, index, i) &&
            has_near_rates(&tests[i], &tests[index]) && says_the_same(&tests[index], &tests[i]))
            return true;
    return false;
}

static bool is_finding(const struct search_test *test) {
    return test->law && test->law->leads;
}

/* Picks tests of one KIND: of findings, of other laws, or all others. */
static void choose(struct choice *choice, bool (*kind)(const struct search_test *test),
                   bool are_findings) {
    const struct search_archive *archive = &choice->search->archive;
    for (size_t i = 0; i < archive->count && choice->count < choice->search->options.tests; i++) {
        if (choice->is_chosen[i] || !kind(&archive->tests[i]) ||
            (!are_findings && is_plain_copy(choice, i)))
            continue;
        choice->is_compared[i] = run_profile(choice, i) || !choice->count;
        choice->is_chosen[i] = are_findings || (choice->is_compared[i] && !is_copy(choice, i));
        choice->count += choice->is_chosen[i];
    }
}

static bool has_law(const struct search_test *test) {
    return test->law != NULL;
}

static bool is_any(const struct search_test *test) {
    return !test->law;
}

static void drop_others(struct choice *choice) {
    struct search_archive *archive = &choice->search->archive;
    size_t kept = 0;
    for (size_t i = 0; i < archive->count; i++)
        if (choice->is_chosen[i])
            archive->tests[kept++] = archive->tests[i];
        else
            free(archive->tests[i].input);
    archive->count = kept;
}

/* The budget for profiles. It does not depend on the clock, so that searches are repeatable. */
static double profile_budget(const struct search *search) {
    double reserve = search->options.limits.reserve;
    return fmin(MOST_PROFILES, fmax(LEAST_PROFILES, reserve * SECOND_COST));
}

void search_choose_tests(struct search *search) {
    if (search->archive.limit == search->options.tests || search->subject.layout.is_typed) {
        while (search->archive.count > search->options.tests)
            free(search->archive.tests[--search->archive.count].input);
        return;
    }
    add_kinds(search);
    size_t count = search->archive.count;
    struct choice choice = {.search = search,
                            .profiles = base_alloc((count + 1) * sizeof *choice.profiles),
                            .is_chosen = base_alloc(count + 1),
                            .is_compared = base_alloc(count + 1),
                            .budget = profile_budget(search)};
    choice.left = choice.budget;
    choose(&choice, is_finding, true);
    choose(&choice, has_law, false);
    choose(&choice, is_any, false);
    drop_others(&choice);
    for (size_t i = 0; i < count; i++)
        free(choice.profiles[i]);
    free(choice.profiles);
    free(choice.is_chosen);
    free(choice.is_compared);
    base_buffer_done(&choice.bytes);
}
