/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk: does it tell every kind of step as it is in the trace, with the costs up to it, what
 * each demands of the input and what else it could have been? And does it survive any bytes? Set
 * SEED to repeat the random part.
 */
#include "fake.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <time.h>

struct setting {
    struct fake_run run;
    struct base_buffer trace;
    struct ir_block blocks[FAKE_BLOCKS];
    struct ir_facts facts; /* block 2 ends in a switch: 'a' and 'b' lead on, 'c' elsewhere */
    struct search_sites sites;
    struct search_walk walk;
    struct search_step step;
};

static void begin(struct setting *s) {
    *s = (struct setting){0};
    fake_begin(&s->run, (const uint8_t *)"abc");
    s->facts = fake_facts(s->blocks);
    search_sites_init(&s->sites, &s->facts);
    search_walk_init(&s->walk, &s->sites);
}

static void end(struct setting *s) {
    search_walk_done(&s->walk);
    search_sites_done(&s->sites);
    base_vector_done(&s->run.nodes);
    base_vector_done(&s->run.events);
    base_buffer_done(&s->trace);
}

static void add(struct setting *s, enum abi_event_kind kind, uint32_t site, uint32_t expr,
                uint64_t value, uint32_t number) {
    base_push(&s->run.events, (struct abi_event){.kind = kind,
                                                 .site = site,
                                                 .expr = expr,
                                                 .object = number,
                                                 .value = value,
                                                 .cost = ++s->run.cost});
}

static uint32_t byte_below(struct setting *s, uint32_t offset, uint32_t limit) {
    uint32_t byte = fake_node(&s->run, ABI_OP_INPUT, 8, offset, 0);
    return fake_node(&s->run, ABI_OP_ULT, 1, byte, fake_node(&s->run, ABI_OP_CONST, 8, 0, limit));
}

static void open_trace(struct setting *s) {
    fake_write_trace(&s->run, &s->trace);
    assert_true(search_walk_open(&s->walk, s->trace.data, s->trace.count));
}

static void next(struct setting *s, enum search_step_kind kind) {
    assert_true(search_walk_next(&s->walk, &s->step));
    assert_int_equal(s->step.kind, kind);
}

/* Costs stand before the step that they count for, and are no steps themselves. */
static void test_costs(void **state) {
    struct setting s;
    (void)state;
    begin(&s);
    uint32_t condition = byte_below(&s, 0, 'x');
    add(&s, ABI_EVENT_COST, ABI_COST_MEMORY, 0, 64, 0);
    add(&s, ABI_EVENT_COST, ABI_COST_USER, 0, 7, 0);
    add(&s, ABI_EVENT_BRANCH, 1, condition, 1, 3);
    add(&s, ABI_EVENT_COST, ABI_COST_MEMORY, 0, 128, 3);
    add(&s, ABI_EVENT_BRANCH, 1, condition, 1, 5);
    add(&s, ABI_EVENT_COST, ABI_COST_FILES, 0, 2, 5);
    open_trace(&s);
    for (int round = 0; round < 2; round++) { /* as it lies there, and imported */
        next(&s, SEARCH_BRANCH);
        assert_int_equal(s.walk.costs[ABI_COST_MEMORY], 64);
        assert_int_equal(s.walk.costs[ABI_COST_USER], 7);
        assert_int_equal(s.walk.costs[ABI_COST_INSTRUCTIONS], 3);
        assert_int_equal(s.walk.costs[ABI_COST_CALLS], 3);
        next(&s, SEARCH_BRANCH);
        assert_int_equal(s.step.depth, 1);
        assert_int_equal(s.walk.costs[ABI_COST_MEMORY], 128);
        assert_int_equal(s.walk.costs[ABI_COST_CALLS], 5);
        assert_int_equal(s.walk.costs[ABI_COST_FILES], 0);
        assert_false(search_walk_next(&s.walk, &s.step));
        assert_int_equal(s.walk.costs[ABI_COST_FILES], 2); /* what the end of the run tells */
        assert_int_equal(s.walk.depth, 2);
        assert_true(round || search_walk_import(&s.walk));
    }
    end(&s);
}

static void test_objects_and_output(void **state) {
    struct setting s;
    (void)state;
    begin(&s);
    uint32_t size = fake_node(&s.run, ABI_OP_INPUT, 8, 0, 0);
    uint32_t byte = fake_node(&s.run, ABI_OP_INPUT, 8, 1, 0);
    add(&s, ABI_EVENT_ALLOC, UINT32_MAX, size, 'a', 1);
    add(&s, ABI_EVENT_OUTPUT_PLAIN, 1, 0, 0x6968, 2); /* "hi" */
    add(&s, ABI_EVENT_OUTPUT, 1, byte, 'b', 0);
    add(&s, ABI_EVENT_LOSS, 4, 0, 9, 0);
    add(&s, ABI_EVENT_FREE, UINT32_MAX, 0, 0, 1);
    open_trace(&s);
    assert_true(search_walk_import(&s.walk));
    next(&s, SEARCH_ALLOCATION);
    assert_int_equal(s.step.object, 1);
    assert_int_equal(s.step.value, 'a');
    assert_int_equal(expr_node(s.walk.trace.pool, s.step.expr)->op, ABI_OP_INPUT);
    assert_int_equal(search_condition(&s.walk, &s.step), 0); /* it demands nothing */
    next(&s, SEARCH_OUTPUT);
    assert_int_equal(s.step.count, 2);
    assert_int_equal(s.step.value, 0x6968);
    assert_int_equal(s.step.expr, 0);
    next(&s, SEARCH_OUTPUT);
    assert_int_equal(s.step.count, 1);
    assert_int_equal(s.step.site, 1);
    assert_int_not_equal(s.step.expr, 0);
    next(&s, SEARCH_LOSS);
    assert_int_equal(s.step.site, 4);
    assert_int_equal(s.step.value, 9);
    next(&s, SEARCH_FREE);
    assert_int_equal(s.step.object, 1);
    assert_int_equal(s.walk.depth, 0);
    end(&s);
}

static bool holds(struct setting *s, uint32_t condition, const char *input) {
    expr_eval_begin(s->walk.trace.pool, (const uint8_t *)input, strlen(input));
    return expr_eval(s->walk.trace.pool, condition);
}

static void test_alternatives(void **state) {
    struct setting s;
    struct search_alternative other = {0};
    (void)state;
    begin(&s);
    uint32_t below = byte_below(&s, 0, 'n');
    add(&s, ABI_EVENT_BRANCH, 1, below, 1, 0);
    add(&s, ABI_EVENT_SWITCH, 2, fake_node(&s.run, ABI_OP_INPUT, 8, 1, 0), 'b', 0);
    add(&s, ABI_EVENT_ADDRESS, 1, fake_node(&s.run, ABI_OP_INPUT, 8, 2, 0), 'c', 0);
    open_trace(&s);
    assert_true(search_walk_import(&s.walk));
    next(&s, SEARCH_BRANCH);
    assert_true(holds(&s, search_condition(&s.walk, &s.step), "abc"));
    assert_true(search_next_alternative(&s.walk, &s.step, &other));
    assert_int_equal(other.outcome, 0);
    assert_false(holds(&s, other.condition, "abc"));
    assert_true(holds(&s, other.condition, "zbc"));
    assert_false(search_next_alternative(&s.walk, &s.step, &other));
    next(&s, SEARCH_SWITCH);
    assert_int_equal(s.step.outcome, 1);
    assert_true(holds(&s, search_condition(&s.walk, &s.step), "xax")); /* the same successor */
    other = (struct search_alternative){0};
    assert_true(search_next_alternative(&s.walk, &s.step, &other));
    assert_int_equal(other.outcome, 0); /* the default */
    assert_true(holds(&s, other.condition, "xzx") && !holds(&s, other.condition, "xcx"));
    assert_true(search_next_alternative(&s.walk, &s.step, &other));
    assert_int_equal(other.outcome, 2);
    assert_true(holds(&s, other.condition, "xcx") && !holds(&s, other.condition, "xax"));
    assert_false(search_next_alternative(&s.walk, &s.step, &other));
    next(&s, SEARCH_VALUE);
    assert_true(s.step.is_address);
    other = (struct search_alternative){0};
    assert_false(search_next_alternative(&s.walk, &s.step, &other)); /* that is for strategies */
    assert_true(holds(&s, search_condition(&s.walk, &s.step), "xxc"));
    assert_false(holds(&s, search_condition(&s.walk, &s.step), "xxd"));
    end(&s);
}

/* Two turns are within a bound of 2; a loop without a decision of its own is not bounded. */
static void test_loops(void **state) {
    struct setting s;
    struct search_loops loops = {.bound = 2};
    unsigned exceeded = 0;
    (void)state;
    begin(&s);
    uint32_t condition = byte_below(&s, 0, 'n');
    add(&s, ABI_EVENT_LOOP, 1, 0, 0, 0);
    add(&s, ABI_EVENT_TURN, 1, 0, 2, 0);
    add(&s, ABI_EVENT_BRANCH, 1, condition, 1, 0); /* not yet */
    add(&s, ABI_EVENT_LOOP, 2, 0, 0, 0);
    add(&s, ABI_EVENT_TURN, 2, 0, 9, 0);
    add(&s, ABI_EVENT_LEAVE, 2, 0, 9, 0); /* nothing was decided in it */
    add(&s, ABI_EVENT_TURN, 1, 0, 3, 0);
    add(&s, ABI_EVENT_BRANCH, 1, condition, 1, 0); /* now */
    add(&s, ABI_EVENT_LEAVE, 1, 0, 3, 0);          /* and for the loop as a whole */
    open_trace(&s);
    while (search_walk_next(&s.walk, &s.step))
        if (search_loops_exceed(&loops, &s.step)) {
            assert_int_equal(s.step.kind, exceeded ? SEARCH_LEAVE : SEARCH_BRANCH);
            exceeded++;
        }
    assert_int_equal(exceeded, 2);
    assert_int_equal(loops.open.count, 0);
    base_vector_done(&loops.open);
    end(&s);
}

static void test_refusals(void **state) {
    struct setting s;
    (void)state;
    begin(&s);
    uint32_t condition = byte_below(&s, 0, 'a');
    add(&s, ABI_EVENT_ASSUME, UINT32_MAX, byte_below(&s, 1, 'z'), 1, 0);
    add(&s, ABI_EVENT_BRANCH, UINT32_MAX, condition, 0, 0);
    open_trace(&s);
    assert_true(search_walk_import(&s.walk));
    next(&s, SEARCH_ASSUMPTION);
    assert_true(holds(&s, search_condition(&s.walk, &s.step), "abc"));
    next(&s, SEARCH_REFUSAL);
    assert_false(holds(&s, search_condition(&s.walk, &s.step), "abc")); /* what it would take */
    assert_true(holds(&s, search_condition(&s.walk, &s.step), "Abc"));
    assert_int_equal(s.walk.depth, 0);
    end(&s);
}

/* Any bytes: a walk ends, and what it tells lies within the facts. */
static void test_any_bytes(void **state) {
    struct setting s;
    uint64_t random = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : (uint64_t)time(NULL);
    (void)state;
    printf("SEED=%llu\n", (unsigned long long)random);
    begin(&s);
    uint32_t condition = byte_below(&s, 0, 'n');
    for (int i = 0; i < 20; i++)
        add(&s, i % 3 ? ABI_EVENT_BRANCH : ABI_EVENT_SWITCH, i % 3 ? 1 : 2, condition, 1, 0);
    fake_write_trace(&s.run, &s.trace);
    unsigned broken = 0;
    for (int round = 0; round < 20000; round++) {
        char *copy = base_alloc(s.trace.count);
        size_t size =
            search_random(&random) % 4 ? s.trace.count : search_random(&random) % s.trace.count;
        memcpy(copy, s.trace.data, s.trace.count);
        for (uint64_t i = search_random(&random) % 4; i > 0; i--)
            copy[search_random(&random) % s.trace.count] = (char)search_random(&random);
        bool is_open = search_walk_open(&s.walk, copy, size);
        while (is_open && search_walk_next(&s.walk, &s.step))
            assert_true(s.step.kind < SEARCH_NOTHING && s.step.depth <= 20);
        broken += s.walk.is_broken;
        if (is_open && search_walk_import(&s.walk))
            while (search_walk_next(&s.walk, &s.step))
                search_condition(&s.walk, &s.step);
        free(copy);
    }
    assert_true(broken > 100 && broken < 19900);
    assert_false(search_walk_open(&s.walk, NULL, 0));
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),        cmocka_unit_test(test_objects_and_output),
        cmocka_unit_test(test_alternatives), cmocka_unit_test(test_loops),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
