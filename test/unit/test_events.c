/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the trace of a run tell what the run did? A small program is built, run in the symbolic
 * build, and its events are read back, one line each.
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

static const char program[] = "#include <slowpath.h>\n"
                              "#include <stdio.h>\n"
                              "#include <stdlib.h>\n"
                              "int costs(unsigned char n) {\n"
                              "    int r = 0;\n"
                              "    if (n > 3) r++;\n"
                              "    void *p = malloc(10);\n"
                              "    slowpath_count(\"turns\", -3);\n"
                              "    if (n > 5) r++;\n"
                              "    free(p);\n"
                              "    if (n > 7) r++;\n"
                              "    FILE *f = fopen(\"/dev/null\", \"r\");\n"
                              "    fclose(f);\n"
                              "    return r;\n"
                              "}\n"
                              "int nothing(unsigned char n) {\n"
                              "    if (n > 3) return 1;\n"
                              "    return 0;\n"
                              "}\n"
                              "int crash(unsigned char n) {\n"
                              "    void *p = malloc(20);\n"
                              "    if (n > 3) *(volatile int *)0 = 1;\n"
                              "    return p != 0;\n"
                              "}\n";

static char *folder, *source;

struct seen {
    struct expr_trace trace;
    struct abi_result result;
    struct base_buffer text;        /* a line for each event */
    uint64_t costs[ABI_COST_COUNT]; /* at the end */
};

/* ---- what a run did ---- */

static void name_value(uint32_t offset, unsigned bytes, void *context, struct base_buffer *out) {
    (void)bytes, (void)context;
    base_buffer_print(out, "%c", 'n' + (char)offset);
}

static void tell_event(struct seen *seen, const struct expr_event *event) {
    static const char *const names[ABI_EVENT_COUNT] = {
        "none", "branch", "switch", "address", "concrete", "assume", "alloc",
        "call", "return", "loop",   "turn",    "leave",    "cost"};
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
    if (event->expr) {
        base_buffer_print(out, " ");
        expr_print(seen->trace.pool, event->expr, name_value, NULL, out);
    }
    base_buffer_print(out, " %lld\n", (long long)event->value);
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
    const struct abi_trace *header = trace;
    const struct abi_event *raw =
        (const struct abi_event *)((const struct abi_node *)(header + 1) + header->node_count);
    for (size_t i = 0; i < seen->trace.count; i++) {
        tell_event(seen, &seen->trace.events[i]);
        abi_follow_costs(seen->costs, &raw[i]);
    }
}

static struct target *open_target(const char *entry, bool tells_loops) {
    const char *paths[] = {source};
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

/* ---- tests ---- */

static void test_costs(void **state) {
    (void)state;
    struct seen seen = {0};
    static const char told[] = "branch n > 3 1\n"
                               "cost memory 10\n"
                               "cost live 10\n"
                               "cost allocated 10\n"
                               "cost allocations 1\n"
                               "cost user0 -3\n"
                               "branch n > 5 1\n"
                               "cost live 0\n"
                               "branch n > 7 0\n";
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
    assert_string_equal(seen.text.data, "branch n > 3 1\n");
    target_close(target);
    target = open_target("costs(n)", false);
    target_set_aim(target, &(struct target_aim){.decisions = 2});
    run(target, "\7", 1, &seen);
    assert_string_equal(seen.text.data, "branch n > 3 1\n"
                                        "cost memory 10\n"
                                        "cost live 10\n"
                                        "cost allocated 10\n"
                                        "cost allocations 1\n"
                                        "cost user0 -3\n"
                                        "branch n > 5 1\n");
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

static int prepare(void **state) {
    (void)state;
    struct base_error error;
    folder = base_temp_dir();
    source = base_format("%s/program.c", folder);
    setenv("SLOWPATH_CACHE", folder, 1);
    return base_write_file(source, program, strlen(program), &error) ? 0 : -1;
}

static int clean_up(void **state) {
    (void)state;
    base_remove_tree(folder);
    free(folder);
    free(source);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_few_events),
        cmocka_unit_test(test_crash),
    };
    return cmocka_run_group_tests(tests, prepare, clean_up);
}
