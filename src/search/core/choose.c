/* SPDX-License-Identifier: Apache-2.0
 *
 * Which tests are worth a place in the suite? Where inputs are bytes of any number, the costliest
 * tests are mostly copies of one: a byte more, another letter. So more are kept than are wanted;
 * in the end findings have their places first, and of the others only those that spend their cost
 * in another way than all that have one: near copies have none.
 *
 * The way in which a test spends its cost is its profile: the share of each block. A test that is
 * too long to be run for that, or that there is no time for, is compared by what the search knows
 * of its run: how many of its instructions are calls, and what it allocates.
 */
#include "search/core/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPARE 7          /* tests that are kept for each that is wanted ... */
#define MOST_SPARE 64u   /* ... up to so many */
#define NEAR 0.15        /* sum of the differences of two profiles that are the same ... */
#define NEAR_TEXT 0.6    /* ... or of two inputs that say the same */
#define SAME_BYTES 0.5   /* share of the bytes that are equal in such inputs */
#define NEAR_RATE 0.03   /* of rates, where there is no profile */
#define PROFILE_COST 2e7 /* of a run for a profile */
#define ALL_PROFILES 1e8 /* of all of them */

size_t search_keep_count(const struct search_strategy *strategy, size_t tests) {
    size_t spare = tests * SPARE < MOST_SPARE ? tests * SPARE : MOST_SPARE;
    return strategy->varies_size && !strategy->is_scaled ? tests + spare : tests;
}

struct choice {
    struct search *search;
    float **profiles; /* of each test of the archive; NULL: none */
    bool *is_chosen;
    size_t count; /* of those chosen */
    double left;  /* of ALL_PROFILES */
    struct base_buffer bytes;
};

/* ---- profiles ---- */

/* The test itself, or its pattern at a size that does not take long. */
static struct target_input small_input(struct choice *choice, const struct search_test *test) {
    struct target_input input = {test->input, test->size};
    uint64_t size = 0;
    for (size_t i = 0; test->law && i < test->law->series.count; i++)
        if (test->law->series.data[i].cost <= PROFILE_COST)
            size = (uint64_t)test->law->series.data[i].size;
    uint64_t k = size ? target_pattern_fit(&test->law->pattern, size) : 0;
    if (!k || test->cost <= PROFILE_COST)
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

static void run_profile(struct choice *choice, size_t index) {
    const struct search_subject *subject = &choice->search->subject;
    const struct search_program *program = &subject->programs[0];
    struct target_input input = small_input(choice, &choice->search->archive.tests[index]);
    const struct search_test *test = &choice->search->archive.tests[index];
    struct abi_result result;
    struct base_error error;
    const uint64_t *counts = NULL;
    double cost;
    bool is_small = input.data != test->input || test->cost <= PROFILE_COST;
    if (!subject->facts || !program->count || !is_small || choice->left <= 0 ||
        !program->count(program->self, &input, &result, &cost, &counts, &error) || !counts)
        return;
    choice->left -= cost;
    choice->profiles[index] = make_profile(subject->facts, counts);
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

static bool says_the_same(const struct search_test *a, const struct search_test *b) {
    size_t less = a->size < b->size ? a->size : b->size, more = a->size + b->size - less;
    size_t same = 0;
    for (size_t i = 0; i < less; i++)
        same += a->input[i] == b->input[i];
    return (double)same > SAME_BYTES * (double)more;
}

static bool is_near(const struct choice *choice, size_t a, size_t b) {
    const struct search_test *one_test = &choice->search->archive.tests[a],
                             *other_test = &choice->search->archive.tests[b];
    const float *one = choice->profiles[a], *other = choice->profiles[b];
    double sum = 0;
    if (!one || !other)
        return has_near_rates(one_test, other_test) || says_the_same(one_test, other_test);
    for (uint32_t i = 0; i <= choice->search->subject.facts->block_count && sum <= NEAR_TEXT; i++)
        sum += fabs((double)one[i] - (double)other[i]);
    return sum <= NEAR || (sum <= NEAR_TEXT && says_the_same(one_test, other_test));
}

static bool is_copy(const struct choice *choice, size_t index) {
    for (size_t i = 0; i < choice->search->archive.count; i++)
        if (choice->is_chosen[i] && is_near(choice, i, index))
            return true;
    return false;
}

static bool is_finding(const struct search_test *test) {
    return test->law && test->law->leads;
}

/* Of one KIND: tests of findings, of other laws, all others. */
static void choose(struct choice *choice, bool (*kind)(const struct search_test *test),
                   bool are_findings) {
    const struct search_archive *archive = &choice->search->archive;
    for (size_t i = 0; i < archive->count && choice->count < choice->search->options.tests; i++) {
        if (choice->is_chosen[i] || !kind(&archive->tests[i]))
            continue;
        run_profile(choice, i);
        choice->is_chosen[i] = are_findings || !is_copy(choice, i);
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

void search_choose_tests(struct search *search) {
    size_t count = search->archive.count;
    if (search->archive.limit == search->options.tests || search->subject.layout.is_typed) {
        while (search->archive.count > search->options.tests)
            free(search->archive.tests[--search->archive.count].input);
        return;
    }
    struct choice choice = {.search = search,
                            .profiles = base_alloc((count + 1) * sizeof *choice.profiles),
                            .is_chosen = base_alloc(count + 1),
                            .left = ALL_PROFILES};
    choose(&choice, is_finding, true);
    choose(&choice, has_law, false);
    choose(&choice, is_any, false);
    drop_others(&choice);
    for (size_t i = 0; i < count; i++)
        free(choice.profiles[i]);
    free(choice.profiles);
    free(choice.is_chosen);
    base_buffer_done(&choice.bytes);
}
