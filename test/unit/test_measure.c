/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures and weights by name, against the facts of a small program made by hand:
 *
 *     main.c:10  main   block 0: load, call work, call puts, br   (line 11)
 *                       block 1: add, br                          (line 12, in a loop)
 *     main.c:20  work   block 2: mul, intrinsic call, ret         (lines 21 and 22)
 *                puts   library
 */
#include "measure/weights.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Offsets into the strings below. */
enum { NO_NAME = 0, MAIN = 1, WORK = 6, PUTS = 11, FILE_NAME = 16 };

static char strings[] = "\0main\0work\0puts\0src/main.c";
static struct ir_function functions[] = {
    {.name = MAIN, .file = FILE_NAME, .line = 10, .first_block = 0, .block_count = 2},
    {.name = WORK, .file = FILE_NAME, .line = 20, .first_block = 2, .block_count = 1},
    {.name = PUTS}};
static struct ir_loop loops[] = {{.function = 0, .header = 1, .parent = IR_NONE, .depth = 1}};
static struct ir_block blocks[] = {{.function = 0,
                                    .loop = IR_NONE,
                                    .instructions = 4,
                                    .opcode_count = 3,
                                    .call_count = 2,
                                    .line_count = 1},
                                   {.function = 0,
                                    .loop = 0,
                                    .instructions = 2,
                                    .first_opcode = 3,
                                    .opcode_count = 2,
                                    .first_line = 1,
                                    .line_count = 2},
                                   {.function = 1,
                                    .loop = IR_NONE,
                                    .instructions = 3,
                                    .first_opcode = 5,
                                    .opcode_count = 3,
                                    .first_call = 2,
                                    .first_line = 3,
                                    .line_count = 2}};
static struct ir_opcode opcodes[] = {{IR_OP_LOAD, 1}, {IR_OP_CALL, 2}, {IR_OP_BR, 1},
                                     {IR_OP_ADD, 1},  {IR_OP_BR, 1},   {IR_OP_MUL, 1},
                                     {IR_OP_CALL, 1}, {IR_OP_RET, 1}};
static struct ir_call calls[] = {{.callee = 1}, {.callee = 2}};
static struct ir_line lines[] = {{FILE_NAME, 11, 4},
                                 {FILE_NAME, 11, 1},
                                 {FILE_NAME, 12, 1},
                                 {FILE_NAME, 21, 2},
                                 {FILE_NAME, 22, 1}};
static const struct ir_facts facts = {.functions = functions,
                                      .blocks = blocks,
                                      .opcodes = opcodes,
                                      .calls = calls,
                                      .lines = lines,
                                      .loops = loops,
                                      .strings = strings,
                                      .function_count = 3,
                                      .block_count = 3,
                                      .opcode_count = 8,
                                      .call_count = 2,
                                      .line_count = 5,
                                      .loop_count = 1,
                                      .string_size = sizeof strings};

/* ---- weights ---- */

static void check_vector(enum measure_vector vector, const struct measure_weights *weights,
                         const uint32_t expected[4]) {
    uint32_t *values = measure_make_vector(vector, weights, &facts);
    for (int i = 0; i < 4; i++)
        assert_int_equal(values[i], expected[i]);
    free(values);
}

static void test_vectors(void **state) {
    (void)state;
    struct measure_weights weights;
    measure_weights_init(&weights);
    /* slot 0 holds library bytes, one each */
    check_vector(MEASURE_INSTRUCTIONS, &weights, (const uint32_t[]){1, 4, 2, 3});
    check_vector(MEASURE_WEIGHTED, &weights, (const uint32_t[]){1, 22, 2, 3});
    /* main and work where they begin, puts where it is called */
    check_vector(MEASURE_CALLS, &weights, (const uint32_t[]){0, 2, 0, 1});
    measure_weights_done(&weights);
}

static void check_weights(const char *text, const uint32_t expected[4]) {
    struct measure_weights weights;
    struct base_error error = {0};
    measure_weights_init(&weights);
    assert_true(measure_weights_parse(&weights, text, &error));
    check_vector(MEASURE_WEIGHTED, &weights, expected);
    measure_weights_done(&weights);
}

static void test_weights_parse(void **state) {
    (void)state;
    check_weights("", (const uint32_t[]){1, 22, 2, 3});
    check_weights("call=1", (const uint32_t[]){1, 4, 2, 3});
    check_weights("call=1,load=7", (const uint32_t[]){1, 10, 2, 3});
    check_weights("other=0", (const uint32_t[]){1, 20, 0, 1}); /* an intrinsic is always one */
    check_weights("other=2 mul=5\n", (const uint32_t[]){1, 24, 4, 8});
    check_weights("work()=100,puts()=3", (const uint32_t[]){1, 105, 2, 3});
    check_weights("other=1,call=10", (const uint32_t[]){1, 22, 2, 3});
    check_weights("load=1000000", (const uint32_t[]){1, 1000021, 2, 3});
}

static void test_weights_file(void **state) {
    (void)state;
    struct base_error error = {0};
    char *folder = base_temp_dir(), *path = base_format("%s/table", folder),
         *text = base_format("@%s", path);
    assert_true(base_write_file(path, "call=2\nload=3\n", 14, &error));
    check_weights(text, (const uint32_t[]){1, 8, 2, 3});
    base_remove_tree(folder);
    free(folder);
    free(path);
    free(text);
}

static void test_weights_errors(void **state) {
    (void)state;
    static const char *const wrong[] = {"load", "load=",    "load=x", "load=1x",
                                        "=1",   "=",        "blub=1", "load=1000001",
                                        "()=1", "load=1,x", "Load=1", "@/nonexistent/table"};
    for (size_t i = 0; i < BASE_COUNT(wrong); i++) {
        struct measure_weights weights;
        struct base_error error = {0};
        measure_weights_init(&weights);
        assert_false(measure_weights_parse(&weights, wrong[i], &error));
        assert_int_equal(error.code, BASE_USAGE);
        assert_true(strlen(error.message) > 0);
        measure_weights_done(&weights);
    }
}

/* ---- measures ---- */

static void test_names(void **state) {
    (void)state;
    static const char *const names[] = {"instructions", "weighted",    "calls",          "memory",
                                        "allocated",    "allocations", "files",          "time",
                                        "count:rounds", "calls:work",  "block:main.c:12"};
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        struct measure measure;
        struct base_error error = {0};
        assert_true(measure_parse(names[i], &facts, &measure, &error));
        assert_int_equal(measure.term_count, 1);
        assert_string_equal(measure.text, names[i]);
        measure_done(&measure);
    }
}

static void test_sum(void **state) {
    (void)state;
    struct measure measure;
    struct base_error error = {0};
    assert_true(measure_parse("instructions+0.5*memory+3*count:a b", &facts, &measure, &error));
    assert_int_equal(measure.term_count, 3);
    assert_true(measure.terms[0].factor == 1.0 && measure.terms[1].factor == 0.5 &&
                measure.terms[2].factor == 3.0);
    assert_int_equal(measure.terms[0].kind, MEASURE_BY_VECTOR);
    assert_int_equal(measure.terms[1].kind, MEASURE_BY_COST);
    assert_int_equal(measure.terms[1].index, offsetof(struct abi_costs, peak));
    assert_int_equal(measure.terms[2].kind, MEASURE_BY_USER);
    assert_string_equal(measure.terms[2].name, "count:a b");
    struct abi_result result = {.weighted = {1000}, .costs.peak = 50};
    measure.term_count = 2; /* what a user counts needs a target */
    assert_true(measure_value(&measure, NULL, &result) == 1025.0);
    measure.term_count = 3;
    measure_done(&measure);
}

static void check_chosen(const char *text, const uint32_t expected[4]) {
    struct measure measure;
    struct base_error error = {0};
    assert_true(measure_parse(text, &facts, &measure, &error));
    assert_non_null(measure.chosen);
    for (int i = 0; i < 4; i++)
        assert_int_equal(measure.chosen[i], expected[i]);
    measure_done(&measure);
}

static void test_chosen(void **state) {
    (void)state;
    check_chosen("calls:main", (const uint32_t[]){0, 1, 0, 0});
    check_chosen("calls:work", (const uint32_t[]){0, 0, 0, 1});
    check_chosen("calls:puts", (const uint32_t[]){0, 1, 0, 0}); /* where it is called */
    /* line 11 is in block 0 and in the loop: the loop's block is meant */
    check_chosen("block:main.c:11", (const uint32_t[]){0, 0, 1, 0});
    check_chosen("block:src/main.c:12", (const uint32_t[]){0, 0, 1, 0});
    check_chosen("block:main.c:22", (const uint32_t[]){0, 0, 0, 1});
}

static void check_wrong(const char *text, const char *says) {
    struct measure measure;
    struct base_error error = {0};
    assert_false(measure_parse(text, &facts, &measure, &error));
    assert_int_equal(error.code, BASE_USAGE);
    if (!strstr(error.message, says))
        fail_msg("'%s' says: %s", text, error.message);
}

static void test_wrong(void **state) {
    (void)state;
    check_wrong("", "is not a measure");
    check_wrong("+calls", "is not a measure");
    check_wrong("calls+", "is not a measure");
    check_wrong("instruction", "is not known; there are instructions, weighted");
    check_wrong("calls+nothing", "'nothing' is not known");
    check_wrong("2calls", "write 0.5*NAME instead of '2calls'");
    check_wrong("2", "write 0.5*NAME instead of '2'");
    check_wrong("calls:wrk", "no such function; did you mean work?");
    check_wrong("calls:unrelated", "no such function");
    check_wrong("count:", "is not known");
    check_wrong("block:main.c", "write block:FILE.c:LINE");
    check_wrong("block:main.c:", "write block:FILE.c:LINE");
    check_wrong("block:main.c:0", "write block:FILE.c:LINE");
    check_wrong("block:main.c:12x", "write block:FILE.c:LINE");
    check_wrong("block:main.c:99", "there is no code with bitcode on that line");
    check_wrong("block:ain.c:12", "there is no code with bitcode on that line");
    check_wrong("calls:main+calls:work", "only one calls:FUNCTION or block:FILE:LINE at a time");
}

static void test_status_names(void **state) {
    (void)state;
    assert_string_equal(measure_status_name(ABI_STATUS_OK), "ok");
    assert_string_equal(measure_status_name(ABI_STATUS_CRASH), "crash");
    assert_string_equal(measure_status_name(ABI_STATUS_TIMEOUT), "timeout");
    assert_string_equal(measure_status_name(ABI_STATUS_MEMORY), "memory");
    assert_string_equal(measure_status_name(99), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),      cmocka_unit_test(test_weights_parse),
        cmocka_unit_test(test_weights_file), cmocka_unit_test(test_weights_errors),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_chosen),       cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_status_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
