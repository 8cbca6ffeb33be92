/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the trace of a run tell what the run did? The functions of events_target.c are run in the
 * symbolic build, and the events are read back, one line each.
 */
#include "expr/expr.h"
#include "target/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *folder;
static const uint8_t other[] = {100, 100, 100, 100};

struct seen {
    struct expr_trace trace;
    struct abi_result result;
    struct base_buffer text;        /* a line for each event */
    uint64_t costs[ABI_COST_COUNT]; /* at the end */
};

/* ---- what a run did ---- */

/* The value of an expression is told for another input, too: four bytes of 100. */
static void tell_event(struct seen *seen, const struct expr_event *event) {
    static const char *const names[ABI_EVENT_COUNT] = {
        "none",   "branch", "switch", "address", "concrete", "assume", "alloc",
        "object", "bounds", "output", "link",    "amount",   "call",   "return",
        "loop",   "turn",   "leave",  "cost",    "free",     "loss",   "plain"};
    static const char *const costs[ABI_COST_USER] = {
#define CARRIED(id, name) name,
#define TOLD(id, name, field) name,
        ABI_COSTS(CARRIED, TOLD)
#undef CARRIED
#undef TOLD
    };
    struct base_buffer *out = &seen->text;
    base_buffer_print(out, "%s", names[event->kind]);
    if (event->kind == ABI_EVENT_COST && event->site < ABI_COST_USER)
        base_buffer_print(out, " %s", costs[event->site]);
    else if (event->kind == ABI_EVENT_COST)
        base_buffer_print(out, " user%u", event->site - ABI_COST_USER);
    if (abi_event_has_object(event->kind))
        base_buffer_print(out, " #%u", event->object);
    base_buffer_print(out, " %lld", (long long)event->value);
    if (event->expr)
        base_buffer_print(out, ", %llu",
                          (unsigned long long)expr_eval(seen->trace.pool, event->expr));
    base_buffer_print(out, "\n");
}

static void look(size_t index, const struct abi_result *result, const void *trace, size_t size,
                 void *context) {
    struct seen *seen = context;
    struct base_error error;
    size_t next;
    (void)index;
    assert_non_null(trace);
    assert_true(expr_trace_read(&seen->trace, trace, size, &next, &error));
    seen->result = *result;
    expr_eval_begin(seen->trace.pool, other, sizeof other);
    for (size_t i = 0; i < seen->trace.count; i++) {
        tell_event(seen, &seen->trace.events[i]);
        expr_follow_costs(seen->costs, &seen->trace.events[i]);
    }
}

static struct target *open_target(const char *entry, bool tells_loops) {
    const char *paths[] = {TEST_SOURCES "/test/unit/events_target.c"};
    struct target_options options = {.paths = paths,
                                     .path_count = 1,
                                     .entry = entry,
                                     .kind = INSTRUMENT_SYMBOLIC,
                                     .tells_loops = tells_loops,
                                     .limits = {10, 1u << 30, 1u << 20}};
    struct base_error error;
    struct target *target = target_open(&options, &error);
    if (!target)
        fail_msg("%s", error.message);
    return target;
}

static void run(struct target *target, const char *bytes, size_t size, struct seen *seen) {
    const struct target_input input = {bytes, size};
    struct base_error error;
    seen->text.count = 0;
    memset(seen->costs, 0, sizeof seen->costs);
    assert_true(target_run_traced(target, &input, 1, look, seen, &error));
}

static void seen_done(struct seen *seen) {
    expr_trace_done(&seen->trace);
    base_buffer_done(&seen->text);
}

/* ---- traces as they are ---- */

struct whole {
    struct base_buffer bytes[8]; /* of each trace: nodes, events and tables */
    uint32_t same_events;        /* left out, of all of them */
};

static void keep(size_t index, const struct abi_result *result, const void *trace, size_t size,
                 void *context) {
    struct whole *whole = context;
    struct abi_trace header;
    (void)result;
    assert_non_null(trace);
    memcpy(&header, trace, sizeof header);
    size_t rest = header.node_count * sizeof(struct abi_node) +
                  header.event_count * sizeof(struct abi_event) +
                  header.table_count * sizeof(struct abi_table) + header.table_bytes;
    assert_int_equal(header.size, size);
    assert_true(sizeof header + rest <= size);
    whole->same_events += header.same_events;
    base_buffer_add(&whole->bytes[index], (const char *)trace + sizeof header, rest);
}

/* Runs that follow each other hand over what is new alone: all of it is there again. */
static void compare_traces(const char *entry, bool tells_loops, const char (*bytes)[5],
                           size_t count) {
    struct target *target = open_target(entry, tells_loops);
    struct whole together = {0}, alone = {0};
    struct target_input inputs[8];
    struct base_error error;
    for (size_t i = 0; i < count; i++)
        inputs[i] = (struct target_input){bytes[i], 4};
    assert_true(target_run_traced(target, inputs, count, keep, &together, &error));
    for (size_t i = 0; i < count; i++) {
        struct whole one = {0};
        assert_true(target_run_traced(target, &inputs[i], 1, keep, &one, &error));
        assert_int_equal(one.same_events, 0);
        alone.bytes[i] = one.bytes[0];
        assert_int_equal(alone.bytes[i].count, together.bytes[i].count);
        assert_memory_equal(alone.bytes[i].data, together.bytes[i].data, alone.bytes[i].count);
        base_buffer_done(&alone.bytes[i]);
        base_buffer_done(&together.bytes[i]);
    }
    assert_true(together.same_events > 0);
    target_close(target);
}

/* ---- tests ---- */

static void test_costs(void **state) {
    (void)state;
    struct seen seen = {0};
    static const char told[] = "branch 1, 1\n"
                               "cost memory 10\n"
                               "cost live 10\n"
                               "cost allocated 10\n"
                               "cost allocations 1\n"
                               "cost user0 -3\n"
                               "branch 1, 1\n"
                               "cost live 0\n"
                               "branch 0, 1\n";
    struct target *target = open_target("costs(n)", false);
    for (int again = 0; again < 2; again++) {
        run(target, "\7", 1, &seen);
        /* how much stdio allocates for the file is its own affair */
        seen.text.data[strlen(told)] = 0;
        assert_string_equal(seen.text.data, told);
        assert_int_equal(seen.costs[ABI_COST_FILES], 1);
        assert_int_equal(seen.costs[ABI_COST_MEMORY], seen.result.costs.peak);
        assert_int_equal(seen.costs[ABI_COST_LIVE], seen.result.costs.live);
        assert_int_equal(seen.costs[ABI_COST_ALLOCATED], seen.result.costs.allocated);
        assert_int_equal(seen.costs[ABI_COST_ALLOCATIONS], seen.result.costs.allocations);
        assert_int_equal(seen.costs[ABI_COST_INSTRUCTIONS], seen.trace.cost);
        /* costs, malloc, slowpath_count, free, fopen, fclose */
        assert_int_equal(seen.trace.calls, 6);
        assert_int_equal(seen.costs[ABI_COST_CALLS], 6);
        assert_int_equal(seen.trace.events[0].calls, 1);
    }
    target_close(target);
    seen_done(&seen);
}

/* Costs that do not change are not told; decision_limit counts decisions alone. */
static void test_few_events(void **state) {
    (void)state;
    struct seen seen = {0};
    struct target *target = open_target("nothing(n)", false);
    run(target, "\7", 1, &seen);
    assert_string_equal(seen.text.data, "branch 1, 1\n");
    target_close(target);
    target = open_target("costs(n)", false);
    target_set_aim(target, &(struct target_aim){.decisions = 2});
    run(target, "\7", 1, &seen);
    assert_string_equal(seen.text.data, "branch 1, 1\n"
                                        "cost memory 10\n"
                                        "cost live 10\n"
                                        "cost allocated 10\n"
                                        "cost allocations 1\n"
                                        "cost user0 -3\n"
                                        "branch 1, 1\n");
    target_close(target);
    seen_done(&seen);
}

/* The server writes the end of a trace whose process has died. */
static void test_crash(void **state) {
    (void)state;
    struct seen seen = {0};
    struct target *target = open_target("crash(n)", false);
    run(target, "\7", 1, &seen);
    assert_int_equal(seen.result.status, ABI_STATUS_CRASH);
    assert_int_equal(seen.trace.calls, 2);
    assert_int_equal(seen.costs[ABI_COST_LIVE], 20);
    target_close(target);
    seen_done(&seen);
}

/* The lines about costs, out of the text. */
static void drop_costs(struct seen *seen) {
    char *to = seen->text.data;
    for (const char *line = to, *end; *line; line = end) {
        end = strchr(line, '\n') + 1;
        if (strncmp(line, "cost ", 5) != 0) {
            memmove(to, line, (size_t)(end - line));
            to += end - line;
        }
    }
    *to = 0;
}

static void test_objects(void **state) {
    (void)state;
    struct seen seen = {0};
    struct target *target = open_target("objects(n)", false);
    for (int again = 0; again < 2; again++) {
        run(target, "\5", 1, &seen);
        drop_costs(&seen);
        assert_string_equal(seen.text.data, "alloc #1 5, 100\n"
                                            "alloc #2 10, 200\n"
                                            "alloc #3 7, 7\n"
                                            "address 5, 100\n" /* alignment wants a value */
                                            "alloc #4 5, 100\n"
                                            "free #1 0\n"
                                            "alloc #5 6, 101\n"
                                            "free #2 0\n"
                                            "alloc #6 105, 200\n"
                                            "free #4 0\n"
                                            "alloc #7 8, 8\n"
                                            "free #6 0\n"
                                            "free #3 0\n"
                                            "free #7 0\n");
        assert_int_equal(seen.trace.is_freed.count, 7);
        assert_false(seen.trace.is_freed.data[4]);
    }
    target_close(target);
    seen_done(&seen);
}

/* Objects that an entry makes lie where they lay before: here a node that points to itself. */
static void test_addresses(void **state) {
    (void)state;
    struct seen first = {0}, second = {0};
    struct target *target = open_target("second(&list)", false);
    run(target, "\1\2\0\0\0\0", 6, &first);
    run(target, "\1\2\0\0\0\0", 6, &second);
    assert_non_null(strstr(first.text.data, "address"));
    assert_string_equal(first.text.data, second.text.data);
    target_close(target);
    seen_done(&first);
    seen_done(&second);
}

/* What was written to a descriptor; symbolic bytes in braces. */
static void tell_output(const struct seen *seen, uint32_t fd, char *text) {
    *text = 0;
    for (size_t i = 0; i < seen->trace.count; i++) {
        const struct expr_event *event = &seen->trace.events[i];
        if (event->site == fd && event->kind == ABI_EVENT_OUTPUT)
            text += sprintf(text, "{%c}", (char)event->value);
        for (uint32_t at = 0;
             event->kind == ABI_EVENT_OUTPUT_PLAIN && event->site == fd && at < event->count; at++)
            text += sprintf(text, "%c", (char)(event->value >> 8 * at));
    }
}

static void check_output(const struct seen *seen, const char *out, const char *error) {
    char text[256];
    tell_output(seen, 1, text);
    assert_string_equal(text, out);
    tell_output(seen, 2, text);
    assert_string_equal(text, error);
}

/* The losses of a run: their names and how often, one after the other. */
static void check_losses(struct target *target, const struct seen *seen, const char *expected) {
    char text[256], *at = text;
    struct abi_loss loss;
    *text = 0;
    for (size_t i = 0; i < seen->trace.count; i++)
        if (seen->trace.events[i].kind == ABI_EVENT_LOSS) {
            assert_true(target_loss(target, seen->trace.events[i].site, &loss));
            at += sprintf(at, "%s %u\n", loss.name, (unsigned)seen->trace.events[i].value);
        }
    assert_string_equal(text, expected);
}

static unsigned count_kind(const struct seen *seen, enum abi_event_kind kind) {
    unsigned count = 0;
    for (size_t i = 0; i < seen->trace.count; i++)
        count += seen->trace.events[i].kind == kind;
    return count;
}

static struct target *open_telling(const char *entry) {
    struct target *target = open_target(entry, false);
    target_set_output(target, true);
    return target;
}

static void test_output(void **state) {
    (void)state;
    struct seen seen = {0};
    struct abi_loss loss;
    struct target *target = open_telling("bytes(s[4])");
    run(target, "xyz", 4, &seen);
    check_output(&seen, "abcdefghijk{y}{x}{y}<{x}{y}{z}", ".");
    check_losses(target, &seen, "");
    assert_string_equal(strstr(seen.text.data, "output"), "output 121, 101\n"
                                                          "output 120, 100\n"
                                                          "output 121, 100\n"
                                                          "plain 46\n"
                                                          "plain 60\n"
                                                          "output 120, 100\n"
                                                          "output 121, 100\n"
                                                          "output 122, 100\n");
    target_set_output(target, false);
    run(target, "xyz", 4, &seen);
    assert_int_equal(seen.trace.count, 0);
    assert_false(target_loss(target, 0, &loss));
    target_close(target);

    target = open_telling("strings(s[4])");
    run(target, "xy\0", 4, &seen);
    check_output(&seen, "{x}{y}\n", "{x}{y}");
    check_losses(target, &seen, "");
    assert_int_equal(count_kind(&seen, ABI_EVENT_BRANCH), 3); /* where does it end? */
    target_close(target);
    seen_done(&seen);
}

static void test_formats(void **state) {
    (void)state;
    struct seen seen = {0};
    struct target *target = open_target("formats(s[4])", false);
    run(target, "xy\0", 4, &seen);
    uint64_t allocated = seen.costs[ABI_COST_ALLOCATED]; /* by dprintf */
    target_set_output(target, true);
    for (int again = 0; again < 2; again++) {
        run(target, "xy\0", 4, &seen);
        check_output(&seen, "[   {x}{y}|{y}   |{1}{2}{0}|%|u]\nb a\n", "1 2 3 4 five 6.0 {x}");
        check_losses(target, &seen, "");
        assert_int_equal(count_kind(&seen, ABI_EVENT_CONCRETE), 0);
        assert_int_equal(count_kind(&seen, ABI_EVENT_BRANCH), 6); /* 3 bytes, a sign, 2 digits */
        assert_int_equal(seen.costs[ABI_COST_ALLOCATED], allocated);
    }
    target_close(target);
    target = open_telling("concrete(s[4])");
    run(target, "a\0\0", 4, &seen);
    check_output(&seen, "xyz 5 1.500000\n{a}y", "");
    check_losses(target, &seen, "");
    target_close(target);
    seen_done(&seen);
}

static void test_same(void **state) {
    (void)state;
    static const char inputs[8][5] = {"\4\7\1\0",    "\4\7\1\0", "\4\7\2\0",  "\4\7\2\377",
                                      "\1\10\2\200", "\4\7\2\0", "\11\7\5\1", "\11\7\5\2"};
    compare_traces("mixed(s[4])", false, inputs, 8);
    compare_traces("mixed(s[4])", true, inputs, 8);
}

static int prepare(void **state) {
    (void)state;
    folder = base_temp_dir();
    return setenv("SLOWPATH_CACHE", folder, 1);
}

static int clean_up(void **state) {
    (void)state;
    base_remove_tree(folder);
    free(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),     cmocka_unit_test(test_few_events),
        cmocka_unit_test(test_crash),     cmocka_unit_test(test_objects),
        cmocka_unit_test(test_addresses), cmocka_unit_test(test_output),
        cmocka_unit_test(test_formats),   cmocka_unit_test(test_same),
    };
    return cmocka_run_group_tests(tests, prepare, clean_up);
}
