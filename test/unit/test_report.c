/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports: quoting, the hash by which GitHub knows a line, trees of costs, and every format on a
 * suite that is hostile or damaged: always well-formed, never a crash.
 */
#include "ir/facts.h"
#include "measure/tree.h"
#include "report/issues.h"

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

/* ---- the hash of a line ---- */

static void check_hashes(const char *text, const char *const *hashes) {
    char *folder = base_temp_dir(), *path = base_format("%s/a.c", folder), hash[40];
    struct base_error error;
    assert_true(base_write_file(path, text, strlen(text), &error));
    for (int line = 1; hashes[line - 1]; line++) {
        report_hash_line(path, line, hash);
        assert_string_equal(hash, hashes[line - 1]);
    }
    base_remove_tree(folder);
    free(path);
    free(folder);
}

/* The values are those of GitHub's own action for these texts. */
static void test_line_hash(void **state) {
    (void)state;
    char hash[40];
    check_hashes("", (const char *const[]){"c129715d7a2bc9a3:1", NULL});
    check_hashes(" a\nb\n  \t\tc\n d",
                 (const char *const[]){"271789c17abda88f:1", "54703d4cd895b18:1",
                                       "180aee12dab6264:1", "a23a3dc5e078b07b:1", NULL});
    report_hash_line("/nowhere/at/all.c", 1, hash);
    assert_string_equal(hash, "");
}

/* ---- quoting ---- */

static void check_xml(const char *text, const char *quoted) {
    struct base_buffer out = {0};
    report_xml(text, &out);
    assert_string_equal(out.data ? out.data : "", quoted);
    base_buffer_done(&out);
}

static void test_quoting(void **state) {
    (void)state;
    struct base_buffer out = {0};
    check_xml("<a href=\"x\">&'", "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
    check_xml("caf\xc3\xa9\x01\xff\xc0\x80", "caf\xc3\xa9\\x01\\xff\\xc0\\x80");
    check_xml("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* half of a pair */
    check_xml("\xef\xbf\xbe", "\\xef\\xbf\\xbe"); /* no character */
    check_xml("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
    report_uri("a b/c#d.c", &out);
    assert_string_equal(out.data, "a%20b/c%23d.c");
    base_buffer_done(&out);
}

/* ---- trees: main calls f twice and g once; f calls g twice each time, and itself ---- */

static void test_tree(void **state) {
    (void)state;
    static char strings[] = "\0main\0f\0g";
    struct ir_function functions[] = {{.name = 1, .first_block = 0, .block_count = 1},
                                      {.name = 6, .first_block = 1, .block_count = 1},
                                      {.name = 8, .first_block = 2, .block_count = 1}};
    struct ir_call calls[] = {{.callee = 1}, {.callee = 1}, {.callee = 2},
                              {.callee = 2}, {.callee = 2}, {.callee = 1}};
    struct ir_block blocks[] = {
        {.function = 0, .instructions = 10, .first_call = 0, .call_count = 3},
        {.function = 1, .instructions = 20, .first_call = 3, .call_count = 2},
        {.function = 2, .instructions = 30}};
    struct ir_facts facts = {.functions = functions,
                             .blocks = blocks,
                             .calls = calls,
                             .strings = strings,
                             .function_count = 3,
                             .block_count = 3};
    uint64_t counts[] = {7, 1, 2, 5}; /* bytes in library functions, main, f, g */
    struct measure_profile profile = {&facts, counts, 4};
    struct measure_tree tree;
    struct base_buffer out = {0};
    measure_tree_make(&profile, 0, &tree);
    measure_tree_folded(&tree, &out);
    assert_string_equal(out.data, "main 10\nmain;f 40\nmain;f;g 120\nmain;g 30\n"
                                  "(bytes in library memory and string functions) 7\n");
    assert_float_equal(tree.nodes.data[0].all, 207, 0.01);
    out.count = 0;
    report_speedscope(&tree, "a", &out);
    json_t *root = json_loadb(out.data, out.count, 0, NULL);
    assert_non_null(root);
    json_decref(root);
    base_buffer_done(&out);
    measure_tree_done(&tree);
}

/* ---- formats ---- */

static const char hostile[] =
    "{\"slowpath\": \"1\", \"target\": [\"<b>.c\"], \"measure\": \"instructions\", \"tests\": ["
    "{\"file\": \"tests/0001.input\", \"cost\": {\"instructions\": 5}, \"recipe\": "
    "\"]]>\\\"\\u0001,\"}],"
    "\"findings\": [{\"id\": \"F1\", \"law\": \"O(n^2)\", \"name\": \"quadratic\", \"recipe\": "
    "\"a|b\\n::error::%0A<script>\","
    "\"fingerprint\": \"ff\", \"cause\": [{\"kind\": \"loop\", \"function\": \"f<&>\", \"file\": "
    "\"a,b:c.c\", \"line\": 3}],"
    "\"chain\": [{\"kind\": \"call\", \"function\": \"f\", \"file\": \"a.c\", \"line\": 1}], "
    "\"variants\": 2},"
    "{\"id\": \"F2\", \"name\": \"exponential\", \"fingerprint\": \"ff\"}]}";

static void check_json(struct base_buffer *out) {
    json_t *root = json_loadb(out->data, out->count, 0, NULL);
    assert_non_null(root);
    json_decref(root);
    base_buffer_done(out);
}

static void test_formats(void **state) {
    (void)state;
    json_t *root = json_loads(hostile, 0, NULL);
    assert_non_null(root);
    struct report_test test = {
        .file = "tests/0001.input", .recorded = 5, .now = 9, .verdict = "COSTS MORE"};
    bool is_new[] = {true, false};
    struct report report = {root, "a<b>", &test, 1, true, is_new};
    struct base_buffer out = {0};
    report_sarif(&report, &out);
    assert_non_null(strstr(out.data, "\"ruleId\": \"exponential-cost\""));
    assert_non_null(strstr(out.data, "\"uri\": \"a%2Cb%3Ac.c\""));
    check_json(&out);
    report_gitlab(&report, &out);
    assert_non_null(strstr(out.data, "\"ff-1\"")); /* no fingerprint twice */
    check_json(&out);
    report_junit(&report, &out);
    assert_non_null(strstr(out.data, "tests=\"3\" failures=\"2\""));
    assert_null(strstr(out.data, "<script"));
    base_buffer_done(&out);
    report_markdown(&report, &out);
    assert_null(strstr(out.data, "<script"));
    assert_non_null(strstr(out.data, "0 of 1 tests hold"));
    base_buffer_done(&out);
    report_github(&report, 10, &out);
    assert_string_equal(out.data, "::error file=<b>.c,line=1,title=higher-cost::tests/0001.input: "
                                  "COSTS MORE (5 recorded, 9 now)\n"
                                  "::error file=a%2Cb%3Ac.c,line=3,title=superlinear-cost::O(n^2) "
                                  "in f<&>: loop in f<&> (a,b:c.c:3); "
                                  "recipe: a|b%0A::error::%250A<script>; 2 variants\n");
    base_buffer_done(&out);
    report_github(&report, 1, &out);
    assert_null(strchr(strchr(out.data, '\n') + 1, '\n'));
    base_buffer_done(&out);
    json_decref(root);
}

/* Whatever is in suite.json. Set SEED to repeat. */
static void test_damage(void **state) {
    (void)state;
    const char *given = getenv("SEED");
    unsigned seed = given ? (unsigned)atoi(given) : (unsigned)time(NULL), whole = 0;
    print_message("SEED=%u\n", seed);
    srand(seed);
    for (int round = 0; round < 2000; round++) {
        char text[sizeof hostile];
        memcpy(text, hostile, sizeof hostile);
        for (int i = rand() % 4; i >= 0; i--)
            text[(size_t)rand() % (sizeof hostile - 1)] = "0123456789{}[]\",:null ab"[rand() % 24];
        json_t *root = json_loads(text, 0, NULL);
        struct report report = {.root = root, .folder = "s"};
        struct base_buffer out = {0};
        if (!root)
            continue;
        whole++;
#define FORMAT(id, file, what) report_##id(&report, &out);
        REPORT_FORMATS(FORMAT)
#undef FORMAT
        report_github(&report, 10, &out);
        base_buffer_done(&out);
        json_decref(root);
    }
    assert_true(whole > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_hash), cmocka_unit_test(test_quoting),
        cmocka_unit_test(test_tree), cmocka_unit_test(test_formats), cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
