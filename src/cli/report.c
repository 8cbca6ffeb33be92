/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath report: a suite as one HTML page. Execution counts per line, which are not in
 * suite.json, come from running the target again; if it cannot be built any more, the page says so
 * and omits them.
 */
#include "cli/reports.h"
#include "cli/session.h"
#include "report/html.h"
#include "suite/finding.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PROFILES 50
#define PROFILE_COST 5e7 /* limit of a run for a profile */
#define SHOWN_BYTES 64   /* limit for an input */

struct drawing {
    struct target *target;
    const struct report *report;
    const char *folder; /* the suite's folder, relative to the current one */
    struct report_profile *profiles;
    size_t count;
    char **inputs;
    size_t *shown, *sizes, test_count;
};

/* ---- profiles ---- */

static uint64_t *count_blocks(struct target *target, const struct base_buffer *bytes) {
    struct target_input input = {bytes->data ? bytes->data : "", bytes->count};
    struct abi_result result;
    struct base_error error;
    const uint64_t *counts = target_run_counted(target, &input, &result, &error);
    size_t slots = target_facts(target)->block_count + 1u;
    if (!counts)
        return NULL;
    uint64_t *copy = base_alloc(slots * sizeof *copy);
    memcpy(copy, counts, slots * sizeof *copy);
    return copy;
}

/* The largest size of the series that does not take long. */
static uint64_t choose_repetitions(const json_t *finding, const struct target_pattern *pattern) {
    const json_t *series = json_object_get(finding, "series"), *point;
    size_t index;
    double size = 0;
    json_array_foreach((json_t *)series, index,
                       point) if (json_number_value(json_array_get(point, 1)) <= PROFILE_COST)
        size = json_number_value(json_array_get(point, 0));
    return size > 0 && size < 1e9 ? target_pattern_fit(pattern, (uint64_t)size) : 0;
}

static void profile_finding(struct drawing *drawing, const json_t *finding,
                            struct report_profile *profile) {
    struct target_pattern pattern;
    struct base_buffer half = {0}, whole = {0};
    profile->name = suite_text(finding, "id", "?");
    profile->pair.facts = target_facts(drawing->target);
    if (!target_pattern_parse(suite_text(finding, "recipe", ""), &pattern))
        return;
    uint64_t k = choose_repetitions(finding, &pattern);
    if (!k)
        return;
    target_pattern_write(&pattern, k / 2 ? k / 2 : 1, &half);
    target_pattern_write(&pattern, k, &whole);
    profile->less = count_blocks(drawing->target, &half);
    profile->more = count_blocks(drawing->target, &whole);
    profile->pair.less_size = (double)half.count;
    profile->pair.more_size = (double)whole.count;
    profile->pair.less = profile->less;
    profile->pair.more = profile->more;
    base_buffer_done(&half);
    base_buffer_done(&whole);
}

static void profile_test(struct drawing *drawing, struct report_profile *profile) {
    const json_t *test = json_array_get(json_object_get(drawing->report->root, "tests"), 0);
    char *path = base_format("%s/%s", drawing->folder, suite_text(test, "file", ""));
    struct base_buffer bytes = {0};
    struct base_error error;
    char *data;
    size_t size;
    profile->name = suite_text(test, "file", "?");
    profile->pair.facts = target_facts(drawing->target);
    if (suite_is_inside(profile->name) && base_read_file(path, &data, &size, &error)) {
        base_buffer_add(&bytes, data, size);
        profile->more = count_blocks(drawing->target, &bytes);
        profile->pair.more = profile->more;
        profile->pair.more_size = profile->pair.less_size = (double)size;
        free(data);
    }
    base_buffer_done(&bytes);
    free(path);
}

static void make_profiles(struct drawing *drawing) {
    const json_t *list = json_object_get(drawing->report->root, "findings"), *finding;
    size_t index, count = json_array_size(list);
    drawing->count = count > MOST_PROFILES ? MOST_PROFILES : count ? count : 1;
    drawing->profiles = base_alloc(drawing->count * sizeof *drawing->profiles);
    json_array_foreach((json_t *)list, index, finding) if (index < drawing->count)
        profile_finding(drawing, finding, &drawing->profiles[index]);
    if (!count)
        profile_test(drawing, &drawing->profiles[0]);
}

/* ---- inputs ---- */

static void read_inputs(struct drawing *drawing) {
    const json_t *tests = json_object_get(drawing->report->root, "tests"), *test;
    size_t index;
    drawing->test_count = json_array_size(tests);
    drawing->inputs = base_alloc((drawing->test_count + 1) * sizeof *drawing->inputs);
    drawing->shown = base_alloc((drawing->test_count + 1) * sizeof *drawing->shown);
    drawing->sizes = base_alloc((drawing->test_count + 1) * sizeof *drawing->sizes);
    json_array_foreach((json_t *)tests, index, test) {
        const char *file = suite_text(test, "file", "");
        char *path = base_format("%s/%s", drawing->folder, file), *data = NULL;
        struct base_error error;
        size_t size = 0;
        if (suite_is_inside(file) && base_read_file(path, &data, &size, &error)) {
            drawing->inputs[index] = data;
            drawing->sizes[index] = size;
            drawing->shown[index] = size < SHOWN_BYTES ? size : SHOWN_BYTES;
        } else
            drawing->inputs[index] = base_strdup("");
        free(path);
    }
}

static void drawing_done(struct drawing *drawing) {
    for (size_t i = 0; i < drawing->count; i++) {
        free(drawing->profiles[i].less);
        free(drawing->profiles[i].more);
    }
    for (size_t i = 0; i < drawing->test_count; i++)
        free(drawing->inputs[i]);
    free(drawing->profiles);
    free(drawing->inputs);
    free(drawing->shown);
    free(drawing->sizes);
}

/* ---- the page ---- */

/* The suite's folder, relative to that of the page. */
static char *link_to(const char *folder, const char *path) {
    char *copy = base_strdup(path), *slash = strrchr(copy, '/');
    if (slash)
        *(slash == copy ? slash + 1 : slash) = 0;
    char *link = base_relative_path(slash ? copy : ".", folder);
    free(copy);
    return link;
}

bool cli_report_page(const char *path, const struct report *report, const char *folder,
                     struct target *target, const char *note, struct base_error *error) {
    struct drawing drawing = {.target = target, .report = report, .folder = folder};
    char *link = link_to(folder, path);
    struct base_buffer out = {0};
    if (target)
        make_profiles(&drawing);
    read_inputs(&drawing);
    struct report_page page = {.report = report,
                               .link = link,
                               .profiles = drawing.profiles,
                               .profile_count = drawing.count,
                               .note = note,
                               .inputs = (const char *const *)drawing.inputs,
                               .shown = drawing.shown,
                               .sizes = drawing.sizes};
    report_html(&page, &out);
    bool good = base_write_file(path, out.data, out.count, error);
    base_buffer_done(&out);
    drawing_done(&drawing);
    free(link);
    return good;
}

static bool write_page(struct cli_session *session, struct base_error *error) {
    const char *given = session->values->given[CLI_OUT], *suite = session->values->before.data[0];
    struct base_error reason;
    bool has_target = cli_session_start(session, &reason);
    char *path =
        given ? cli_session_path(session, given) : base_format("%s/report.html", session->path);
    if (!has_target)
        base_note("without sources and stacks: %s", reason.message);
    struct report report = {.root = session->suite.root, .folder = suite};
    bool good = cli_report_page(path, &report, session->path, has_target ? session->target : NULL,
                                has_target ? NULL : reason.message, error);
    if (good)
        printf("%s%s\n", given ? given : suite, given ? "" : "/report.html");
    free(path);
    return good;
}

int cli_report(const struct cli_values *values, struct base_error *error) {
    struct cli_session session = {0};
    bool good = false;
    if (values->before.count != 1)
        base_fail(error, BASE_USAGE, "one suite is wanted: report SUITE -o report.html");
    else
        good = cli_session_load(&session, values, values->before.data[0], error) &&
               write_page(&session, error);
    cli_session_done(&session);
    return good ? BASE_OK : (int)error->code;
}
