/* SPDX-License-Identifier: Apache-2.0
 *
 * Campaigns: what the file says and where it is wrong; who has the next slice; what is known
 * survives a session; the page quotes what came from elsewhere.
 */
#include "campaign/campaign.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>

/* ---- the file ---- */

static void parse(struct campaign *campaign, const char *text) {
    struct base_error error;
    *campaign = (struct campaign){0};
    if (!campaign_parse("list", text, campaign, &error))
        fail_msg("%s", error.message);
}

static void expect_words(const struct campaign *campaign, size_t index, const char *name,
                         const char *expected) {
    struct base_buffer words = {0};
    const struct campaign_target *target = &campaign->targets.data[index];
    base_buffer_print(&words, "%s:", target->name);
    for (size_t i = 0; i < target->words.count; i++)
        base_buffer_print(&words, "[%s]", target->words.data[i]);
    char *all = base_format("%s:%s", name, expected);
    assert_string_equal(words.data, all);
    free(all);
    base_buffer_done(&words);
}

static void test_lines(void **state) {
    struct campaign campaign;
    (void)state;
    parse(&campaign, "# comment\n\njson: json.c --size 8\n  --tests 2 # more\n"
                     "all: --jobs 1\nsrc/words.c -- -v\nother/words.c\nall:\nlast: a b");
    assert_int_equal(campaign.targets.count, 4);
    expect_words(&campaign, 0, "json", "[json.c][--size][8][--tests][2]");
    expect_words(&campaign, 1, "words", "[--jobs][1][src/words.c][--][-v]");
    expect_words(&campaign, 2, "words-2", "[--jobs][1][other/words.c]");
    expect_words(&campaign, 3, "last", "[a][b]");
    assert_int_equal(campaign.targets.data[1].line, 6);
    campaign_done(&campaign);
}

static void test_quotes(void **state) {
    struct campaign campaign;
    (void)state;
    parse(&campaign, "a: a.c --entry 'f(x, \"y\")' \"two words\" es\\ caped '' \"q\\\"\"x\r\n");
    expect_words(&campaign, 0, "a", "[a.c][--entry][f(x, \"y\")][two words][es caped][][q\"x]");
    campaign_done(&campaign);
}

static void test_errors_name_the_line(void **state) {
    static const char *const texts[][2] = {
        {"a: a.c\nb: 'open\n", "list:2: a quote"},
        {"a: a.c\n\na: b.c\n", "list:3: there is a target of this name"},
        {"a:\n", "list:1: a target is wanted"},
        {"--size 3\n", "list:1: a target is wanted"},
        {"a/b: c\n", "list:1: the name"},
        {"..: c\n", "list:1: the name"},
        {"all: a.c\n", "list:1: 'all:' is for options"},
        {"# nothing\n", "list: it names no target"},
        {"", "list: it names no target"}};
    (void)state;
    for (size_t i = 0; i < BASE_COUNT(texts); i++) {
        struct campaign campaign = {0};
        struct base_error error;
        assert_false(campaign_parse("list", texts[i][0], &campaign, &error));
        assert_int_equal(error.code, BASE_USAGE);
        if (strncmp(error.message, texts[i][1], strlen(texts[i][1])) != 0)
            fail_msg("%s: %s", texts[i][0], error.message);
        campaign_done(&campaign);
    }
}

/* ---- who is next ---- */

static size_t next(struct campaign *campaign, const struct campaign_slice *slice) {
    size_t index = campaign_choose(campaign, 0);
    if (index != CAMPAIGN_NONE)
        campaign_book(campaign, index, slice);
    return index;
}

/* Everyone first; then the one that brings findings has most, and nobody is forgotten. */
static void test_time_goes_to_those_that_bring(void **state) {
    struct campaign campaign;
    unsigned slices[3] = {0};
    (void)state;
    parse(&campaign, "a: a\nb: b\nc: c\n");
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(next(&campaign, &(struct campaign_slice){.seconds = 1}), i);
    for (uint64_t i = 0; i < 60; i++) {
        size_t index = campaign_choose(&campaign, 0);
        struct campaign_slice slice = {.seconds = 1};
        if (index == 1)
            slice.findings = campaign.targets.data[1].findings + 1;
        campaign_book(&campaign, index, &slice);
        slices[index]++;
    }
    assert_true(slices[1] > 40);
    assert_true(slices[0] >= 1 && slices[2] >= 1);
    campaign_done(&campaign);
}

/* What brings nothing any more loses its lead. */
static void test_what_fades_gives_way(void **state) {
    struct campaign campaign;
    unsigned slices[2] = {0};
    (void)state;
    parse(&campaign, "a: a\nb: b\n");
    next(&campaign, &(struct campaign_slice){.seconds = 1, .findings = 3, .best = 10});
    next(&campaign, &(struct campaign_slice){.seconds = 1, .best = 10});
    for (unsigned i = 0; i < 40; i++)
        slices[next(&campaign, &(struct campaign_slice){.seconds = 1, .best = 10})]++;
    assert_true(slices[1] > 12);
    campaign_done(&campaign);
}

static void test_the_same_for_the_same(void **state) {
    struct campaign one, two;
    (void)state;
    parse(&one, "a: a\nb: b\nc: c\nd: d\n");
    parse(&two, "a: a\nb: b\nc: c\nd: d\n");
    for (unsigned i = 0; i < 50; i++) {
        size_t index = campaign_choose(&one, 7);
        struct campaign_slice slice = {
            .seconds = 1, .best = index * 3 + i % 5, .has_new_test = i % 3};
        assert_int_equal(index, campaign_choose(&two, 7));
        campaign_book(&one, index, &slice);
        campaign_book(&two, index, &slice);
    }
    assert_int_equal(campaign_choose(&one, 1), campaign_choose(&two, 1));
    campaign_done(&one);
    campaign_done(&two);
}

static void test_who_cannot_run_is_not_chosen(void **state) {
    struct campaign campaign;
    (void)state;
    parse(&campaign, "a: a\nb: b\nc: c\n");
    campaign.targets.data[0].is_running = true;
    campaign.targets.data[1].status = CAMPAIGN_FAILED;
    assert_int_equal(campaign_choose(&campaign, 0), 2);
    assert_int_equal(next(&campaign, &(struct campaign_slice){.is_complete = true}), 2);
    assert_int_equal(campaign_choose(&campaign, 0), CAMPAIGN_NONE);
    campaign_done(&campaign);
}

static void test_slices_grow_and_end_with_the_time(void **state) {
    struct campaign_target target = {0};
    (void)state;
    assert_true(campaign_slice_seconds(&target, 2, 100) == 2);
    target.slices = 2;
    assert_true(campaign_slice_seconds(&target, 2, 100) == 8);
    target.slices = 1000;
    assert_true(campaign_slice_seconds(&target, 2, 100) == 16);
    assert_true(campaign_slice_seconds(&target, 2, 3) == 3);
}

/* ---- what is kept ---- */

static void test_a_record_comes_back(void **state) {
    char *folder = base_temp_dir(), *path = base_format("%s/campaign.json", folder);
    struct campaign campaign, again;
    struct base_error error;
    (void)state;
    parse(&campaign, "a: a\nb: b\nc: c\n");
    campaign.seconds = 12;
    next(&campaign, &(struct campaign_slice){.seconds = 3, .best = 77, .tests = 4, .findings = 2});
    next(&campaign, &(struct campaign_slice){.seconds = 4, .is_complete = true});
    campaign.targets.data[2].status = CAMPAIGN_FAILED;
    json_t *json = campaign_json(&campaign, "running");
    assert_int_equal(json_dump_file(json, path, 0), 0);
    json_decref(json);
    parse(&again, "b: b\na: a\nc: other words\n");
    assert_true(campaign_load(&again, path, &error));
    assert_true(again.seconds == 12 && again.slices == 2);
    assert_int_equal(again.targets.data[0].status, CAMPAIGN_COMPLETE);
    assert_int_equal(again.targets.data[1].slices, 1);
    assert_int_equal(again.targets.data[1].findings, 2);
    assert_true(again.targets.data[1].best == 77);
    assert_int_equal(again.targets.data[2].status, CAMPAIGN_OPEN);
    assert_int_equal(again.targets.data[2].slices, 0);
    campaign_done(&again);
    parse(&again, "a: a\n");
    assert_true(base_write_file(path, "[]", 2, &error));
    assert_false(campaign_load(&again, path, &error));
    campaign_done(&again);
    campaign_done(&campaign);
    base_remove_tree(folder);
    free(path);
    free(folder);
}

static void test_the_page_quotes(void **state) {
    struct campaign campaign;
    struct base_buffer page = {0};
    (void)state;
    parse(&campaign, "a: a\n");
    campaign.targets.data[0].problem = base_strdup("<script>\"x\" & y");
    campaign.targets.data[0].findings = 1;
    campaign.targets.data[0].found =
        json_pack("[{s:s, s:s}]", "law", "O(n^2)", "recipe", "repeat unit=\"<b>\"");
    campaign_page(&campaign, "a & b", false, &page);
    assert_null(strstr(page.data, "<script>"));
    assert_non_null(strstr(page.data, "&lt;script&gt;&quot;x&quot; &amp; y"));
    assert_non_null(strstr(page.data, "unit=&quot;&lt;b&gt;&quot;"));
    assert_non_null(strstr(page.data, "http-equiv=refresh"));
    base_buffer_done(&page);
    campaign_done(&campaign);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_errors_name_the_line),
        cmocka_unit_test(test_time_goes_to_those_that_bring),
        cmocka_unit_test(test_what_fades_gives_way),
        cmocka_unit_test(test_the_same_for_the_same),
        cmocka_unit_test(test_who_cannot_run_is_not_chosen),
        cmocka_unit_test(test_slices_grow_and_end_with_the_time),
        cmocka_unit_test(test_a_record_comes_back),
        cmocka_unit_test(test_the_page_quotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
