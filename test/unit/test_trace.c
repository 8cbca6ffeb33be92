/* SPDX-License-Identifier: Apache-2.0
 *
 * Is every trace either read right or refused? Good traces must come through as they are; damaged
 * ones (random bytes, flipped bits, cut short) must never crash the reader. Run under the
 * sanitizers.
 */
#include "expr/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formula.h"

/* A trace under construction. */
struct writer {
    struct abi_trace header;
    struct abi_node nodes[64];
    struct abi_event events[16];
    struct abi_table tables[2];
    uint8_t table_bytes[64];
};

static uint32_t node(struct writer *w, enum abi_op op, unsigned width, uint32_t a, uint32_t b) {
    if (!w->header.node_count)
        w->header.node_count = 1;
    w->nodes[w->header.node_count] =
        (struct abi_node){.op = (uint8_t)op, .width = (uint8_t)width, .a = a, .b = b};
    return w->header.node_count++;
}

static void event(struct writer *w, enum abi_event_kind kind, uint32_t expr, uint64_t value) {
    w->events[w->header.event_count] = (struct abi_event){.kind = kind,
                                                          .site = 7,
                                                          .expr = expr,
                                                          .calls = 10 * w->header.event_count,
                                                          .value = value,
                                                          .cost = w->header.event_count};
    w->header.event_count++;
}

static void add_bytes(struct base_buffer *out, const void *bytes, size_t count) {
    base_buffer_add(out, bytes, count);
}

static void finish(struct writer *w, struct base_buffer *out) {
    size_t nodes = w->header.node_count * sizeof *w->nodes;
    size_t events = w->header.event_count * sizeof *w->events;
    size_t tables = w->header.table_count * sizeof *w->tables;
    w->header.magic = ABI_TRACE_MAGIC;
    w->header.size = sizeof w->header + nodes + events + tables + w->header.table_bytes;
    out->count = 0;
    add_bytes(out, &w->header, sizeof w->header);
    add_bytes(out, w->nodes, nodes);
    add_bytes(out, w->events, events);
    add_bytes(out, w->tables, tables);
    add_bytes(out, w->table_bytes, w->header.table_bytes);
}

/* An int of which one byte is read, too; a table; a comparison of two ints; a fixed address. */
static void good_trace(struct base_buffer *out) {
    struct writer w = {.header = {.run = 3, .cost = 99}};
    uint32_t x = node(&w, ABI_OP_INPUT, 32, 0, 0), y = node(&w, ABI_OP_INPUT, 32, 4, 0);
    uint32_t byte = node(&w, ABI_OP_INPUT, 8, 6, 0), other = node(&w, ABI_OP_INPUT, 32, 8, 0);
    uint32_t less = node(&w, ABI_OP_SLT, 1, x, other);
    uint32_t same = node(&w, ABI_OP_EQ, 1, y, x);
    uint32_t cell = node(&w, ABI_OP_TABLE, 16, byte, 0);
    uint32_t limit = node(&w, ABI_OP_CONST, 16, 0, 77);
    uint32_t below = node(&w, ABI_OP_ULT, 1, cell, limit);
    node(&w, ABI_OP_ADD, 32, x, y); /* nobody needs it */
    for (unsigned i = 0; i < sizeof w.table_bytes; i++)
        w.table_bytes[i] = (uint8_t)(i * 3);
    w.tables[0] = (struct abi_table){.count = 20, .width = 16, .offset = 4};
    w.header.table_count = 1;
    w.header.table_bytes = sizeof w.table_bytes;
    event(&w, ABI_EVENT_BRANCH, less, 1);
    event(&w, ABI_EVENT_BRANCH, same, 0);
    event(&w, ABI_EVENT_SWITCH, byte, 9);
    event(&w, ABI_EVENT_BRANCH, below, 1);
    event(&w, ABI_EVENT_ADDRESS, y, 12345);
    event(&w, ABI_EVENT_TURN, 0, 7);
    event(&w, ABI_EVENT_COST, 0, 1234);
    event(&w, ABI_EVENT_ALLOC, y, 12);
    event(&w, ABI_EVENT_ALLOC, x, 1);
    event(&w, ABI_EVENT_FREE, 0, 0);
    w.events[7].object = w.events[9].object = 1;
    w.events[8].object = 2;
    event(&w, ABI_EVENT_LOSS, 0, 5);
    event(&w, ABI_EVENT_OUTPUT, byte, 9);
    event(&w, ABI_EVENT_OUTPUT_PLAIN, 0, 0x434241);
    w.events[12].count = 3;
    finish(&w, out);
}

static void test_good(void **state) {
    (void)state;
    struct base_buffer bytes = {0};
    struct expr_trace trace = {0};
    struct base_error error;
    size_t next = 0;
    good_trace(&bytes);
    size_t one = bytes.count;
    char *copy = base_alloc(one);
    memcpy(copy, bytes.data, one);
    base_buffer_add(&bytes, copy, one);
    free(copy);
    for (unsigned i = 0; i < 2; i++) {
        size_t at = i * one;
        assert_true(expr_trace_read(&trace, bytes.data + at, bytes.count - at, &next, &error));
        assert_int_equal(next, one);
    }
    assert_int_equal(trace.count, 13);
    assert_int_equal(trace.events[12].count, 3);
    assert_int_equal(trace.run, 3);
    assert_int_equal(trace.cost, 99);
    assert_int_equal(trace.events[4].value, 12345);
    assert_int_equal(trace.events[5].kind, ABI_EVENT_TURN);
    assert_int_equal(trace.events[5].value, 7);
    assert_int_equal(trace.events[5].expr, 0);
    assert_int_equal(trace.events[6].site, 7);
    assert_int_equal(trace.events[6].value, 1234);
    assert_int_equal(trace.events[6].calls, 60);
    assert_int_equal(trace.events[9].object, 1);
    assert_int_equal(trace.is_freed.count, 2);
    assert_true(trace.is_freed.data[0] && !trace.is_freed.data[1]);
    /* x and other stay whole, the four bytes of y are apart */
    assert_int_equal(expr_variable_count(trace.pool), 6);
    uint8_t input[12] = {1, 0, 0, 0, 0x39, 0x30, 9, 0, 2, 0, 0, 0};
    expr_eval_begin(trace.pool, input, sizeof input);
    assert_int_equal(expr_eval(trace.pool, trace.events[0].expr), 1);
    assert_int_equal(expr_eval(trace.pool, trace.events[1].expr), 0);
    assert_int_equal(expr_eval(trace.pool, trace.events[2].expr), 9);
    assert_int_equal(expr_eval(trace.pool, trace.events[4].expr), 0x00093039);
    expr_pool_set_limit(trace.pool, 3); /* no room: no trace, and the next one is read again */
    assert_false(expr_trace_read(&trace, bytes.data, bytes.count, &next, &error));
    assert_non_null(strstr(error.message, "more expressions than there is room for"));
    expr_pool_set_limit(trace.pool, 1000);
    assert_true(expr_trace_read(&trace, bytes.data, bytes.count, &next, &error));
    expr_trace_done(&trace);
    base_buffer_done(&bytes);
}

static void refuse(const struct base_buffer *bytes, struct expr_trace *trace) {
    struct base_error error;
    size_t next = 0;
    assert_false(expr_trace_read(trace, bytes->data, bytes->count, &next, &error));
    assert_int_equal(trace->count, 0);
}

static void test_refused(void **state) {
    (void)state;
    struct base_buffer bytes = {0};
    struct expr_trace trace = {0};
    for (unsigned fault = 0; fault < 8; fault++) {
        struct writer w = {.header = {.magic = 0}};
        uint32_t x = node(&w, ABI_OP_INPUT, 32, 0, 0), y = node(&w, ABI_OP_INPUT, 16, 4, 0);
        uint32_t c = node(&w, fault == 0 ? ABI_OP_ADD : ABI_OP_EQ, 1, x, fault == 1 ? y : x);
        event(&w, ABI_EVENT_BRANCH, fault == 2 ? x : fault == 3 ? 60 : c, 1);
        w.nodes[c].a = fault == 4 ? c : x;
        w.nodes[x].width = fault == 5 ? 12 : 32;
        w.nodes[c].op = fault == 6 ? 200 : w.nodes[c].op;
        w.nodes[x].a = fault == 7 ? UINT32_MAX - 2 : 0;
        finish(&w, &bytes);
        refuse(&bytes, &trace);
    }
    expr_trace_done(&trace);
    base_buffer_done(&bytes);
}

/* Events without expression that say what cannot be. */
static void test_impossible(void **state) {
    (void)state;
    struct base_buffer bytes = {0};
    struct expr_trace trace = {0};
    for (unsigned fault = 0; fault < 7; fault++) {
        struct writer w = {.header = {.magic = 0}};
        uint32_t x = node(&w, ABI_OP_INPUT, 32, 0, 0);
        event(&w, fault == 6 ? ABI_EVENT_LOSS : ABI_EVENT_COST, 0, 1);
        event(&w, ABI_EVENT_ALLOC, x, 1);
        event(&w, fault == 1 ? ABI_EVENT_ALLOC : ABI_EVENT_FREE, x, 1);
        event(&w, ABI_EVENT_FREE, 0, 1);
        w.events[0].site = fault == 0 ? ABI_COST_COUNT : fault == 6 ? ABI_MAX_LOSSES : 7;
        w.events[1].object = fault == 2 ? 2 : 1;
        w.events[2].object = fault == 3 ? 0 : fault == 4 ? 2 : 1;
        w.events[3].object = 1;
        w.header.event_count -= fault != 5; /* only then it is freed twice */
        finish(&w, &bytes);
        refuse(&bytes, &trace);
    }
    for (unsigned fault = 0; fault < 7; fault++) {
        struct writer w = {.header = {.magic = 0}};
        uint32_t x = node(&w, ABI_OP_INPUT, fault == 0 ? 16 : 8, 0, 0);
        event(&w, ABI_EVENT_OUTPUT, x, fault == 1 ? 256 : 255);
        event(&w, ABI_EVENT_OUTPUT_PLAIN, 0, fault == 2 ? 0x10000 : 0xffff);
        w.events[0].site = fault == 3 ? UINT32_MAX : 1;
        w.events[1].site = fault == 4 ? 1u << 31 : 1;
        w.events[1].count = fault == 5 ? 0 : fault == 6 ? 9 : 2;
        finish(&w, &bytes);
        refuse(&bytes, &trace);
    }
    expr_trace_done(&trace);
    base_buffer_done(&bytes);
}

static void use(struct expr_trace *trace) {
    uint8_t input[64] = {1};
    struct base_buffer text = {0};
    expr_eval_begin(trace->pool, input, sizeof input);
    for (size_t i = 0; i < trace->count; i++) {
        if (!abi_event_has_expr(trace->events[i].kind))
            continue;
        expr_eval(trace->pool, trace->events[i].expr);
        expr_support(trace->pool, trace->events[i].expr);
        expr_event_condition(trace->pool, &trace->events[i], NULL);
        expr_print(trace->pool, trace->events[i].expr, NULL, NULL, &text);
    }
    base_buffer_done(&text);
}

/* A copy at the end of its own memory, so that reading beyond it is noticed. */
static void try_bytes(struct expr_trace *trace, const void *bytes, size_t size) {
    struct base_error error;
    size_t next = 0;
    char *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    if (expr_trace_read(trace, copy, size, &next, &error))
        use(trace);
    free(copy);
}

static void test_damaged(void **state) {
    (void)state;
    struct formula f = {.random = formula_seed("damaged traces")};
    struct base_buffer bytes = {0};
    struct expr_trace trace = {0};
    for (unsigned round = 0; round < 30000; round++) {
        good_trace(&bytes);
        for (unsigned i = 1 + formula_pick(&f, 4); i > 0; i--) {
            unsigned at = formula_pick(&f, (unsigned)bytes.count);
            if (formula_pick(&f, 2))
                bytes.data[at] ^= (char)(1 << formula_pick(&f, 8));
            else
                bytes.data[at] = (char)formula_pick(&f, 32);
        }
        size_t size = formula_pick(&f, 8) ? bytes.count : formula_pick(&f, (unsigned)bytes.count);
        try_bytes(&trace, bytes.data, size);
    }
    for (unsigned round = 0; round < 5000; round++) { /* random bytes behind a good header */
        good_trace(&bytes);
        for (size_t i = formula_pick(&f, 2) ? sizeof(struct abi_trace) : 0; i < bytes.count; i++)
            bytes.data[i] = (char)formula_random(&f);
        try_bytes(&trace, bytes.data, bytes.count);
    }
    expr_trace_done(&trace);
    base_buffer_done(&bytes);
}

/* Nodes and events with random but plausible fields. */
static void test_random(void **state) {
    (void)state;
    struct formula f = {.random = formula_seed("random traces")};
    struct base_buffer bytes = {0};
    struct expr_trace trace = {0};
    static const unsigned widths[] = {1, 8, 8, 16, 32, 32, 64, 7};
    for (unsigned round = 0; round < 20000; round++) {
        struct writer w = {.header = {.magic = 0}};
        for (unsigned i = 1 + formula_pick(&f, 20); i > 0; i--) {
            unsigned known = w.header.node_count ? w.header.node_count : 1;
            enum abi_op op = formula_pick(&f, 3) ? formula_pick(&f, ABI_OP_COUNT) : ABI_OP_INPUT;
            uint32_t id = node(&w, op, widths[formula_pick(&f, 8)], formula_pick(&f, known + 1),
                               formula_pick(&f, known + 1));
            w.nodes[id].c = formula_pick(&f, 4) ? formula_pick(&f, known) : 0;
            w.nodes[id].extra = (uint16_t)formula_pick(&f, 9);
        }
        unsigned expr = w.header.node_count - 1;
        event(&w, ABI_EVENT_ALLOC, expr ? expr : 1, formula_pick(&f, 2));
        w.events[0].object = 1;
        finish(&w, &bytes);
        try_bytes(&trace, bytes.data, bytes.count);
    }
    expr_trace_done(&trace);
    base_buffer_done(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_impossible), cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
