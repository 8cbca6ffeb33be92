/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a template read as it was meant, does it render what its choices stand for, and is every wrong
 * one refused at the right place? Random texts never do harm. Set SEED to repeat them.
 */
#include "search/core/template.h"

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

static void parse(const char *text, struct target_template *form) {
    struct base_error error;
    if (!target_template_parse("t", text, strlen(text), form, &error))
        fail_msg("%s", error.message);
}

static void check_text(const struct target_template *form, const uint8_t *vector,
                       const char *expected) {
    struct base_buffer text = {0};
    base_buffer_add(&text, "", 0);
    target_template_render(form, vector, &text);
    assert_string_equal(text.data, expected);
    base_buffer_done(&text);
}

static void check_default(const char *text, double fillings, const char *expected) {
    struct target_template form;
    uint8_t vector[64] = {0};
    parse(text, &form);
    assert_true(form.bytes <= sizeof vector);
    assert_true(target_template_fillings(&form) == fillings);
    target_template_default(&form, vector);
    check_text(&form, vector, expected);
    target_template_done(&form);
}

static void defaults(void **state) {
    (void)state;
    check_default("{{a|b}}", 2, "a");
    check_default("x{{|-}}1", 2, "x1");
    check_default("{{name: one|two}} {{name}}!", 2, "one one!");
    check_default("{{[a-c]}}{{3*[xyz]}}", 81, "axxx");
    check_default("{{3*[a-z]=fit}}", 26 * 26 * 26, "fit");
    check_default("{{1..9}}{{-5..5=0}}", 99, "10");
    check_default("{{n: 10..300=256}}", 291, "256");
    check_default("\\{{no hole}} {{a|b}}", 2, "{{no hole}} a");
    check_default("{{a\\|b|c\\}}|d\\\\}}", 3, "a|b");
    check_default("{{[\\]\\-\\x41]=A}}", 3, "A");
    check_default("{{[a]|[b]}}", 2, "[a]");
    check_default("{{t.id=1|t.id=2}}", 2, "t.id=1");
    check_default("{{x\\:1|y}}", 2, "x:1");
    check_default("{ {{a\\n|b}} } }}", 2, "{ a\n } }}");
}

static void choices(void **state) {
    struct target_template form;
    (void)state;
    parse("{{a|bb|ccc}}{{2*[x-z]}}{{-1..400}}", &form);
    assert_int_equal(form.choices.count, 4);
    assert_int_equal(form.bytes, 5); /* 402 numbers take two bytes */
    const uint8_t last[] = {2, 1, 2, 0x91, 1}, beyond[] = {9, 9, 9, 255, 255};
    check_text(&form, last, "cccyz400");
    check_text(&form, beyond, "ccczz400");
    struct base_buffer text = {0};
    target_template_render_hole(&form, 1, last, &text);
    assert_string_equal(text.data, "yz");
    base_buffer_done(&text);
    target_template_done(&form);
}

/* ---- faults ---- */

static void refused(const char *text, const char *place, const char *what) {
    struct target_template form;
    struct base_error error;
    if (target_template_parse("t", text, strlen(text), &form, &error))
        fail_msg("accepted: %s", text);
    assert_int_equal(error.code, BASE_USAGE);
    if (strncmp(error.message, place, strlen(place)) != 0 || !strstr(error.message, what))
        fail_msg("%s: %s", text, error.message);
}

static void faults(void **state) {
    (void)state;
    refused("nothing", "t: ", "no hole");
    refused("", "t: ", "no hole");
    refused("a\nb {{x|y", "t:2:3: ", "}} is missing\n    b {{x|y\n      ^");
    refused("{{}}", "t:1:3: ", "empty");
    refused("{{other}}", "t:1:3: ", "no hole before this one");
    refused("{{two words}}", "t:1:3: ", "alternatives");
    refused("{{a: x|y}}{{a: x|y}}", "t:1:13: ", "already");
    refused("{{[z-a]}}", "t:1:4: ", "backwards");
    refused("{{[aba]}}", "t:1:6: ", "twice");
    refused("{{[]}}", "t:1:4: ", "empty");
    refused("{{0*[a]}}", "t:1:3: ", "1 to 65536");
    refused("{{99999*[a]}}", "t:1:3: ", "1 to 65536");
    refused("{{2*[ab]=c}}", "t:1:10: ", "another length");
    refused("{{[ab]=c}}", "t:1:8: ", "not in the set");
    refused("{{9..1}}", "t:1:3: ", "backwards");
    refused("{{1..9=10}}", "t:1:3: ", "not in the range");
    refused("{{0..4294967295}}", "t:1:3: ", "more than");
}

/* Any text is either refused or gives a template that renders every vector. */
static void random_texts(void **state) {
    static const char *const pieces[] = {"{{", "}}", "|", "[", "]",  "-", "..", "=", "*",
                                         "\\", "1",  "9", "a", "\n", ":", " ",  "{", "\xff"};
    const char *given = getenv("SEED");
    unsigned seed = given ? (unsigned)atoi(given) : (unsigned)time(NULL), good = 0;
    (void)state;
    print_message("SEED=%u\n", seed);
    srand(seed);
    for (int round = 0; round < 20000; round++) {
        struct base_buffer text = {0}, out = {0};
        struct target_template form;
        struct base_error error;
        base_buffer_print(&text, round % 2 ? "{{a|b}}{{" : "{{");
        for (int i = rand() % 12; i >= 0; i--)
            base_buffer_print(&text, "%s", pieces[(size_t)rand() % BASE_COUNT(pieces)]);
        base_buffer_print(&text, round % 3 ? "}}" : "");
        if (target_template_parse("t", text.data, text.count, &form, &error)) {
            uint8_t *vector = base_alloc(form.bytes);
            for (uint32_t i = 0; i < form.bytes; i++)
                vector[i] = (uint8_t)rand();
            target_template_render(&form, vector, &out);
            free(vector);
            target_template_done(&form);
            good++;
        }
        base_buffer_done(&text);
        base_buffer_done(&out);
    }
    assert_true(good > 0);
}

/* ---- as decisions ---- */

struct seen {
    uint32_t decisions[8];
    size_t runs;
};

static void look(size_t index, const struct abi_result *result, const void *trace, size_t size,
                 void *context) {
    struct seen *seen = context;
    struct expr_trace read = {0};
    struct base_error error;
    size_t next;
    assert_int_equal(result->status, ABI_STATUS_OK);
    assert_true(expr_trace_read(&read, trace, size, &next, &error));
    seen->decisions[index] = (uint32_t)read.count;
    for (size_t i = 0; i < read.count; i++)
        assert_int_equal(read.events[i].kind, ABI_EVENT_BRANCH);
    seen->runs++;
    expr_trace_done(&read);
}

/* 5 alternatives take 2 or 3 decisions, 1000 numbers 9 or 10, a fixed byte none. */
static void decisions(void **state) {
    struct target_template form;
    struct search_program none = {0};
    struct base_error error;
    struct seen seen = {0};
    const uint8_t first[] = {0, 0, 0}, last[] = {4, 0xe7, 3}, fixed = 1;
    const struct target_input inputs[] = {{first, 3}, {last, 3}};
    (void)state;
    parse("{{a|b|c|d|e}}{{1..1000}}", &form);
    struct search_form *self = search_form_new(&form, &none, 100);
    struct search_program program = search_form_program(self);
    assert_true(program.trace(program.self, inputs, 2, look, &seen, &error));
    assert_int_equal(seen.runs, 2);
    assert_int_equal(seen.decisions[0], 2 + 9);
    assert_int_equal(seen.decisions[1], 3 + 10);
    program.aim(program.self, &(struct target_aim){&fixed, 0, 3, 0, 0});
    assert_true(program.trace(program.self, inputs, 2, look, &seen, &error));
    assert_int_equal(seen.decisions[0], 9);
    assert_int_equal(seen.decisions[1], 10);
    program.aim(program.self, &(struct target_aim){NULL, 0, 0, 4, 0});
    assert_true(program.trace(program.self, inputs, 2, look, &seen, &error));
    assert_int_equal(seen.decisions[0], 4);
    assert_int_equal(seen.decisions[1], 4);
    search_form_free(self);
    target_template_done(&form);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults), cmocka_unit_test(choices),
                                       cmocka_unit_test(faults), cmocka_unit_test(random_texts),
                                       cmocka_unit_test(decisions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
