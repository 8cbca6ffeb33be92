/* SPDX-License-Identifier: Apache-2.0
 *
 * Are conditions carried from one stage to another as they were meant, and are the right ones
 * dropped when they contradict each other? Is a summary found again in the library, and one that is
 * damaged or of another version not believed? Are the words of a small input numbered as it grows?
 */
#include "compose/channel.h"
#include "compose/library.h"
#include "compose/number.h"
#include "compose/relax.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct expr_pool *pool;
static struct solver *solver;

static int set_up(void **state) {
    (void)state;
    pool = expr_pool_new();
    solver = solver_new(&(struct solver_options){.timeout_ms = 10000});
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    solver_free(solver);
    expr_pool_free(pool);
    return 0;
}

static uint32_t byte(uint32_t offset) {
    return expr_make_input(pool, 8, offset);
}

static uint32_t less(uint32_t a, uint32_t b) {
    return expr_make(pool, ABI_OP_ULT, 1, 0, a, b, 0);
}

static uint32_t number(uint64_t value) {
    return expr_make_constant(pool, 8, value);
}

static uint32_t equal(uint32_t a, uint32_t b) {
    return expr_make(pool, ABI_OP_EQ, 1, 0, a, b, 0);
}

/* ---- relaxing ---- */

static void relax(struct compose_conjunct *conjuncts, size_t count, const double *weights,
                  size_t paths, enum compose_rule rule, uint8_t *input,
                  struct compose_relaxing *relaxing) {
    *relaxing = (struct compose_relaxing){.rule = rule,
                                          .pool = pool,
                                          .solver = solver,
                                          .conjuncts = conjuncts,
                                          .count = count,
                                          .weights = weights,
                                          .path_count = paths,
                                          .input = input,
                                          .size = 8};
    assert_true(compose_relax(relaxing));
    expr_eval_begin(pool, input, 8);
    for (size_t i = 0; i < count; i++)
        if (!conjuncts[i].is_dropped)
            assert_true(expr_eval(pool, conjuncts[i].condition));
}

static void possible(void **state) {
    (void)state;
    struct compose_conjunct all[] = {{.condition = less(byte(0), byte(1))},
                                     {.condition = less(byte(1), byte(2)), .path = 1}};
    double weights[] = {3, 1};
    uint8_t input[8] = {9, 9, 9, 7, 7, 7, 7, 7};
    struct compose_relaxing relaxing;
    relax(all, 2, weights, 2, COMPOSE_BALANCED, input, &relaxing);
    assert_int_equal(relaxing.steps.count, 0);
    assert_int_equal(input[3], 7); /* nobody asked for it */
    compose_relaxing_done(&relaxing);
}

/* The lighter path gives way, with the conjunct that costs least; the other group is left alone. */
static void lightest(void **state) {
    (void)state;
    struct compose_conjunct all[] = {{.condition = less(byte(0), byte(1)), .path = 0, .loss = 1},
                                     {.condition = less(byte(1), byte(2)), .path = 1, .loss = 5},
                                     {.condition = less(byte(2), byte(0)), .path = 1, .loss = 2},
                                     {.condition = less(byte(4), byte(5)), .path = 1, .loss = 0}};
    double weights[] = {90, 10};
    uint8_t input[8] = {0};
    struct compose_relaxing relaxing;
    relax(all, 4, weights, 2, COMPOSE_BALANCED, input, &relaxing);
    assert_int_equal(relaxing.steps.count, 1);
    assert_true(all[2].is_dropped);
    assert_int_equal(relaxing.steps.data[0].core, 3);
    /* 10% - 2% + 90/10 */
    assert_float_equal(relaxing.steps.data[0].behind, 17, 1e-6);
    compose_relaxing_done(&relaxing);
}

/* Compensation: a path that was relaxed often enough weighs more than the other. */
static void compensated(void **state) {
    (void)state;
    struct compose_conjunct all[8];
    double weights[] = {60, 40};
    uint8_t input[8] = {0};
    for (uint32_t i = 0; i < 4; i++) { /* one contradiction for each byte */
        all[2 * i] = (struct compose_conjunct){.condition = equal(byte(i), number(1)), .path = 0};
        all[2 * i + 1] =
            (struct compose_conjunct){.condition = equal(byte(i), number(2)), .path = 1};
    }
    for (int i = 0; i < 8; i++)
        all[i].loss = 0;
    weights[1] = 58; /* 49.2% + 1.03 is more than 50.8% - 0 only after two steps */
    struct compose_relaxing relaxing;
    relax(all, 8, weights, 2, COMPOSE_BALANCED, input, &relaxing);
    size_t of[2] = {0, 0};
    for (size_t i = 0; i < relaxing.steps.count; i++)
        of[all[relaxing.steps.data[i].conjunct].path]++;
    assert_int_equal(relaxing.steps.count, 4);
    assert_true(of[0] >= 1 && of[1] >= 1);
    compose_relaxing_done(&relaxing);
}

static void from_the_last(void **state) {
    (void)state;
    struct compose_conjunct all[] = {{.condition = less(byte(0), byte(1)), .path = 0, .loss = 0},
                                     {.condition = less(byte(1), byte(0)), .path = 1, .loss = 9}};
    double weights[] = {1, 99};
    uint8_t input[8] = {0};
    struct compose_relaxing relaxing;
    relax(all, 2, weights, 2, COMPOSE_UPSTREAM, input, &relaxing);
    assert_false(all[0].is_dropped);
    assert_true(all[1].is_dropped);
    compose_relaxing_done(&relaxing);
}

/* A value that the run had goes first, whatever it is said to cost, and nobody is compensated. */
static void values_first(void **state) {
    (void)state;
    struct compose_conjunct all[] = {
        {.condition = equal(byte(0), number(5)), .path = 0, .loss = 9, .is_value = true},
        {.condition = less(byte(0), number(3)), .path = 1, .loss = 0}};
    double weights[] = {99, 1};
    uint8_t input[8] = {5};
    struct compose_relaxing relaxing;
    relax(all, 2, weights, 2, COMPOSE_BALANCED, input, &relaxing);
    assert_true(all[0].is_dropped && !all[1].is_dropped);
    assert_true(relaxing.steps.data[0].before == relaxing.steps.data[0].behind);
    assert_true(input[0] < 3);
    compose_relaxing_done(&relaxing);
}

static void impossible(void **state) {
    (void)state;
    struct compose_conjunct all[] = {{.condition = expr_make_constant(pool, 1, 0)},
                                     {.condition = equal(byte(0), number(7)), .path = 1}};
    double weights[] = {1, 1};
    uint8_t input[8] = {0};
    struct compose_relaxing relaxing;
    relax(all, 2, weights, 2, COMPOSE_BALANCED, input, &relaxing);
    assert_true(all[0].is_dropped);
    assert_int_equal(relaxing.steps.data[0].core, 0);
    assert_int_equal(input[0], 7);
    compose_relaxing_done(&relaxing);
}

/* Bytes that the first path wants to be digits and the second letters, or less than the next one:
 * whoever comes first is kept, and what is kept is met. */
static void thousands(void **state) {
    (void)state;
    enum { BYTES = 1500, ALL = 3 * BYTES };
    static struct compose_conjunct all[ALL];
    static uint8_t input[BYTES + 1];
    double weights[] = {1, 99};
    for (uint32_t i = 0; i < BYTES; i++) {
        uint32_t next = byte(i ? i - 1 : BYTES);
        all[3 * i] = (struct compose_conjunct){.condition = less(byte(i), number('9')), .path = 0};
        all[3 * i + 1] =
            (struct compose_conjunct){.condition = equal(byte(i), number('x')), .path = 1};
        all[3 * i + 2] = (struct compose_conjunct){
            .condition = i % 4 ? less(next, byte(i)) : less(number('1'), byte(i)), .path = 1};
    }
    struct compose_relaxing relaxing = {.pool = pool,
                                        .solver = solver,
                                        .conjuncts = all,
                                        .count = ALL,
                                        .weights = weights,
                                        .path_count = 2,
                                        .input = input,
                                        .size = sizeof input};
    assert_true(compose_relax(&relaxing));
    assert_int_equal(relaxing.steps.count, BYTES);
    expr_eval_begin(pool, input, sizeof input);
    for (size_t i = 0; i < ALL; i++) {
        assert_int_equal(all[i].is_dropped, i % 3 == 1);
        assert_true(all[i].is_dropped || expr_eval(pool, all[i].condition));
    }
    compose_relaxing_done(&relaxing);
}

/* ---- channelling ---- */

static void channelled(void **state) {
    (void)state;
    struct expr_pool *later = expr_pool_new();
    uint32_t word = expr_make_input(later, 16, 0);
    uint32_t asked =
        expr_make(later, ABI_OP_EQ, 1, 0, word, expr_make_constant(later, 16, 0x6261), 0);
    uint32_t one = expr_make_constant(pool, 8, 1);
    uint32_t written[] = {expr_make(pool, ABI_OP_ADD, 8, 0, byte(1), one, 0), byte(0)};
    struct compose_carrier *carrier =
        compose_carrier_new(later, pool, &(struct compose_channel){written, 2});
    uint32_t carried = compose_carry(carrier, asked);
    uint8_t input[8] = {'b', 'a' - 1};
    expr_eval_begin(pool, input, sizeof input);
    assert_true(expr_eval(pool, carried));
    input[0] = 'c';
    expr_eval_begin(pool, input, sizeof input);
    assert_false(expr_eval(pool, carried));
    compose_carrier_free(carrier);
    expr_pool_free(later);
}

static void tables(void **state) {
    (void)state;
    static const uint8_t squares[] = {0, 1, 4, 9};
    struct expr_pool *later = expr_pool_new();
    uint32_t table = expr_make_table(later, 8, 4, squares);
    uint32_t look = expr_make(later, ABI_OP_TABLE, 8, 0, expr_make_input(later, 8, 0), table, 0);
    uint32_t asked = expr_make(later, ABI_OP_EQ, 1, 0, look, expr_make_constant(later, 8, 9), 0);
    uint32_t written[] = {byte(3)};
    struct compose_carrier *carrier =
        compose_carrier_new(later, pool, &(struct compose_channel){written, 1});
    uint32_t carried = compose_carry(carrier, asked);
    uint8_t input[8] = {0, 0, 0, 3};
    expr_eval_begin(pool, input, sizeof input);
    assert_true(expr_eval(pool, carried));
    compose_carrier_free(carrier);
    expr_pool_free(later);
}

/* ---- the library ---- */

static void make_summary(struct compose_summary *summary, const char *key) {
    struct compose_path path = {.input = (uint8_t *)base_strdup("ab"),
                                .weight = 12,
                                .output_bytes = 3,
                                .trace = base_strdup("trace"),
                                .trace_size = 5,
                                .losses = base_alloc(2 * sizeof(double)),
                                .conjunct_count = 2};
    path.losses[1] = 4;
    *summary = (struct compose_summary){
        .command = base_strdup("sort -u"), .measure = base_strdup("instructions"), .bytes = 2};
    memset(summary->key, '0', 32);
    memcpy(summary->key, key, strlen(key));
    base_push(&summary->paths, path);
}

static void kept(void **state) {
    (void)state;
    char *folder = base_temp_dir();
    struct compose_summary summary, again;
    make_summary(&summary, "abc");
    assert_false(compose_library_find(folder, summary.key, &again));
    compose_library_keep(folder, &summary);
    assert_true(compose_library_find(folder, summary.key, &again));
    assert_string_equal(again.command, "sort -u");
    assert_int_equal(again.paths.count, 1);
    assert_memory_equal(again.paths.data[0].input, "ab", 2);
    assert_memory_equal(again.paths.data[0].trace, "trace", 5);
    assert_true(again.paths.data[0].losses[1] == 4);
    compose_summary_done(&again);
    size_t dropped;
    struct base_error error;
    assert_false(compose_library_drop(folder, "zzz", &dropped, &error));
    assert_true(compose_library_drop(folder, "abc", &dropped, &error));
    assert_int_equal(dropped, 1);
    compose_summary_done(&summary);
    base_remove_tree(folder);
    free(folder);
}

static void not_believed(void **state) {
    (void)state;
    char *folder = base_temp_dir(), *data;
    struct compose_summary summary, again;
    struct base_error error;
    size_t size;
    base_log_level(0);
    make_summary(&summary, "abc");
    compose_library_keep(folder, &summary);
    char *path = base_format("%s/%s.summary", folder, summary.key);
    assert_true(base_read_file(path, &data, &size, &error));
    for (size_t i = 0; i < size; i += 7) {
        data[i] ^= 1;
        assert_true(base_write_file(path, data, size, &error));
        assert_false(compose_library_find(folder, summary.key, &again));
        data[i] ^= 1;
    }
    assert_true(base_write_file(path, data, size / 2, &error));
    assert_false(compose_library_find(folder, summary.key, &again));
    base_fault_set("write:1+"); /* a full disk is a warning, and what was there stays */
    compose_library_keep(folder, &summary);
    base_fault_set("");
    free(data);
    free(path);
    compose_summary_done(&summary);
    base_remove_tree(folder);
    free(folder);
}

/* Two processes that keep, find and drop the same summary: each finds it whole or not at all. */
static void two_at_once(void **state) {
    (void)state;
    char *folder = base_temp_dir();
    struct compose_summary summary, again;
    make_summary(&summary, "abc");
    pid_t child = fork();
    for (int i = 0; i < 200; i++) {
        size_t dropped;
        struct base_error error;
        compose_library_keep(folder, &summary);
        if (i % 7 == 0)
            compose_library_drop(folder, NULL, &dropped, &error);
        if (compose_library_find(folder, summary.key, &again)) {
            if (again.paths.count != 1 || again.paths.data[0].trace_size != 5)
                abort();
            compose_summary_done(&again);
        }
    }
    if (child == 0)
        _exit(0);
    int status = 1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    compose_summary_done(&summary);
    base_remove_tree(folder);
    free(folder);
}

/* ---- numbering ---- */

static void check_grown(const char *unit, size_t wanted, int step, bool widens, const char *is) {
    struct base_buffer out = {0};
    compose_number((const uint8_t *)unit, strlen(unit), wanted,
                   (struct compose_numbering){.step = step, .widens = widens}, &out);
    assert_string_equal(out.data, is);
    assert_int_equal(out.count, wanted);
    base_buffer_done(&out);
}

/* Two words in the second unit: each has two more in each repetition. */
static void numbered(void **state) {
    (void)state;
    check_grown("ab\n", 8, 0, false, "ab\nab\nab");
    check_grown("a9-B\n", 15, 1, false, "a9-B\nb1-D\nb3-F\n");
    check_grown("a0\n", 9, -1, false, "a0\nz9\nz8\n");
    check_grown("z\n", 6, 1, false, "z\na\nb\n");
    check_grown("z\n", 8, 1, true, "z\nba\nbb\n");
    check_grown("\xff.", 4, 1, true, "\xff.\xff.");
}

static size_t count_in(const struct base_buffer *text, const char *what) {
    size_t count = 0;
    for (const char *at = text->data; (at = strstr(at, what)); at++)
        count++;
    return count;
}

/* Whole lines of the unit, all of them and none twice as often as another, in no order; the last
 * may be cut. A unit of one line is taken apart. */
static void mixed(void **state) {
    struct base_buffer out = {0};
    (void)state;
    compose_number((const uint8_t *)"abc\nde\nf", 8, 4000,
                   (struct compose_numbering){.mixes = true}, &out);
    size_t longer = count_in(&out, "abc\n"), shorter = count_in(&out, "\nde\n");
    assert_int_equal(out.count, 4000);
    assert_null(memchr(out.data, 'f', out.count));
    assert_in_range(4 * longer + 3 * shorter, 3990, 4000);
    assert_true(count_in(&out, "abc\nabc\n") && count_in(&out, "de\nde\n"));
    base_buffer_done(&out);
    compose_number((const uint8_t *)"abcdefgh", 8, 4000, (struct compose_numbering){.mixes = true},
                   &out);
    assert_int_equal(out.count, 4000);
    assert_true(count_in(&out, "ca") && count_in(&out, "cde"));
    base_buffer_done(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(possible, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lightest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(compensated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(from_the_last, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(impossible, set_up, tear_down),
        cmocka_unit_test_setup_teardown(thousands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(channelled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables, set_up, tear_down),
        cmocka_unit_test(numbered),
        cmocka_unit_test(mixed),
        cmocka_unit_test(kept),
        cmocka_unit_test(not_believed),
        cmocka_unit_test(two_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
