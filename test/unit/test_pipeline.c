/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a pipeline taken apart as a shell would, and is what a shell offers beyond it refused at the
 * right place? Random texts never do harm. Set SEED to repeat them.
 */
#include "target/pipeline.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* "a b|c<0": words between blanks, stages between bars, each with the stage it reads. */
static void check(const char *text, const char *expected) {
    struct target_pipeline pipeline;
    struct base_error error;
    struct base_buffer told = {0};
    if (!target_pipeline_parse(text, &pipeline, &error))
        fail_msg("%s", error.message);
    for (size_t i = 0; i < pipeline.stages.count; i++) {
        const struct target_stage *stage = &pipeline.stages.data[i];
        base_buffer_print(&told, "%s", i ? "|" : "");
        for (size_t k = 0; k < stage->words.count; k++)
            base_buffer_print(&told, "%s%s", k ? " " : "", stage->words.data[k]);
        if (stage->from != TARGET_FIRST)
            base_buffer_print(&told, "<%zu", stage->from);
        if (stage->is_per_line)
            base_buffer_print(&told, "*%zu:%s:%s", stage->hole, stage->hole ? stage->before : "",
                              stage->hole ? stage->behind : "");
    }
    if (pipeline.file)
        base_buffer_print(&told, "<%s", pipeline.file);
    assert_string_equal(told.data, expected);
    base_buffer_done(&told);
    target_pipeline_done(&pipeline);
}

/* The caret stands under column PLACE. */
static void check_refused(const char *text, int place) {
    struct target_pipeline pipeline;
    struct base_error error = {0};
    assert_false(target_pipeline_parse(text, &pipeline, &error));
    assert_int_equal(error.code, BASE_USAGE);
    const char *last = strrchr(error.message, '\n');
    assert_non_null(last);
    if (strlen(last + 1) != (size_t)place + 5)
        fail_msg("%s", error.message);
}

static void linear(void **state) {
    (void)state;
    check("sort", "sort");
    check("grep -v .zip | sort -u|uniq", "grep -v .zip|sort -u<0|uniq<1");
    check("./a 'b  c' \"d\\\"e\" f\\ g''", "./a b  c d\"e f g");
    check("grep '[0-9]*' <log | sort", "grep [0-9]*|sort<0<log");
    check("  a  <  'x y'  ", "a<x y");
    check("cut -d : -f 5", "cut -d : -f 5");
    check("a {} x=1 b#c d~e", "a {} x=1 b#c d~e");
}

static void split(void **state) {
    (void)state;
    check("a | tee >(b) >(c | d) | e", "a|b<0|c<0|d<2|e<0");
    check("tee >(b) >(c)", "b|c");
    check("a | tee >( b | tee >(c) | d )", "a|b<0|c<1|d<1");
}

static void per_line(void **state) {
    (void)state;
    check("a | xargs -I{} grep {} book", "a|grep {} book<0*1::");
    check("a | xargs -ifoo grep -e=foo. book", "a|grep -e=foo. book<0*1:-e=:.");
    check("xargs -I @ true", "true*0::");
    check("xargs -i cat {}", "cat {}*1::");
}

static void refused(void **state) {
    (void)state;
    check_refused("", 0);
    check_refused("a |", 3);
    check_refused("a | | b", 4);
    check_refused("a && b", 2);
    check_refused("a || b", 2);
    check_refused("a |& b", 2);
    check_refused("a; b", 1);
    check_refused("a > b", 2);
    check_refused("a $HOME", 2);
    check_refused("a \"$x\"", 3);
    check_refused("a *.c", 2);
    check_refused("a x?", 3);
    check_refused("a {b,c}", 2);
    check_refused("a ~/x", 2);
    check_refused("X=1 a", 0);
    check_refused("(a)", 0);
    check_refused("a )", 2);
    check_refused("a 'b", 2);
    check_refused("a | b <c", 6);
    check_refused("a <b <c", 5);
    check_refused("a << b", 2);
    check_refused("a <", 2);
    check_refused("a | tee file", 4);
    check_refused("a | tee >(b", 8);
    check_refused("a | xargs b", 4);
    check_refused("a | xargs -I{} b {} {}", 4);
    check_refused("a | xargs -I{}", 4);
    check_refused("a\nb", 1);
}

static void check_lines(const char *text, const char *expected) {
    struct base_buffer line = {0}, all = {0};
    size_t at = 0;
    base_buffer_add(&all, "", 0);
    while (target_next_line(text, strlen(text), &at, &line)) {
        base_buffer_print(&all, "%s;", line.data);
        line.count = 0;
    }
    assert_string_equal(all.data, expected);
    base_buffer_done(&line);
    base_buffer_done(&all);
}

static void lines(void **state) {
    (void)state;
    check_lines("a b\n\n  c\nd", "a b;c;d;");
    check_lines("'a b' c\\ d\n\"'\"", "a b c d;';");
    check_lines("a\n'b\nc", "a;");
    check_lines("", "");
    check_lines(" \n ", "");
}

static void random_texts(void **state) {
    (void)state;
    static const char letters[] = "a |<>()tee xargs -I{}'\"\\$";
    unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
    print_message("SEED=%u\n", seed);
    for (int round = 0; round < 20000; round++) {
        char text[32] = {0};
        size_t length = (size_t)rand_r(&seed) % (sizeof text - 1);
        for (size_t i = 0; i < length; i++)
            text[i] = letters[(size_t)rand_r(&seed) % (sizeof letters - 1)];
        struct target_pipeline pipeline;
        struct base_error error;
        if (target_pipeline_parse(text, &pipeline, &error))
            target_pipeline_done(&pipeline);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(linear),   cmocka_unit_test(split),
                                       cmocka_unit_test(per_line), cmocka_unit_test(refused),
                                       cmocka_unit_test(lines),    cmocka_unit_test(random_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
