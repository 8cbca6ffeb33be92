/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath replay: does a suite still cost the same?
 */
#include "cli/gate.h"
#include "cli/reports.h"
#include "measure/json.h"

#include <stdlib.h>
#include <string.h>

struct session {
    struct cli_session base;
    struct cli_gate gate;
    struct suite_replayed *results;
    double threshold;
    size_t failed;
};

static const char *const verdicts[] = {"same", "cheaper", "dearer, within the tolerance",
                                       "COSTS MORE", "DOES NOT END WELL"};

static bool is_failure(enum suite_verdict verdict) {
    return verdict == SUITE_EXCEEDED || verdict == SUITE_BROKEN;
}

static bool prepare(struct session *session, struct base_error *error) {
    const struct cli_values *values = session->base.values;
    const struct base_strings *words = &values->before;
    const char *reports = values->given[CLI_REPORT_TO];
    if (words->count != 1)
        return base_fail(error, BASE_USAGE,
                         words->count ? "one suite is wanted, not %zu"
                                      : "no suite: name its folder",
                         words->count);
    if (!cli_number(values, CLI_THRESHOLD, 0, 1e9, &session->threshold, error) ||
        !cli_gate_init(&session->gate, values, error) ||
        !cli_try_json(values->given[CLI_JSON], error) ||
        (reports && !cli_report_prepare(reports, error)) ||
        !cli_session_load(&session->base, values, words->data[0], error) ||
        !cli_gate_load(&session->gate, &session->base, error) ||
        !cli_session_start(&session->base, error) ||
        !cli_gate_measure(&session->gate, &session->base, error))
        return false;
    if (session->gate.has_baseline)
        session->threshold = session->gate.percent;
    cli_gate_apply(&session->gate, &session->base.suite);
    return true;
}

/* ---- results ---- */

static void print_results(FILE *out, const struct session *session) {
    fprintf(out, "%-18s  %15s  %15s  %9s\n", "test", "recorded", "now", "change");
    for (size_t i = 0; i < session->base.suite.count; i++) {
        const struct suite_item *item = &session->base.suite.items[i];
        const struct suite_replayed *now = &session->results[i];
        double change = item->cost > 0 ? (now->cost / item->cost - 1) * 100 : 0;
        fprintf(out, "%-18s  %15.15g  %15.15g  %+8.2f%%  %s", item->file, item->cost, now->cost,
                change, verdicts[now->verdict]);
        if (now->verdict == SUITE_BROKEN)
            fprintf(out, " (%s)",
                    now->result.rejected ? "an assumption is false"
                                         : measure_status_name(now->result.status));
        fputc('\n', out);
    }
    cli_gate_print(out, &session->gate, &session->base);
    fprintf(out, "%zu of %zu tests hold\n", session->base.suite.count - session->failed,
            session->base.suite.count);
}

static json_t *results_json(const struct session *session) {
    json_t *root = json_object(), *tests = json_array();
    for (size_t i = 0; i < session->base.suite.count; i++) {
        const struct suite_replayed *now = &session->results[i];
        json_array_append_new(
            tests,
            json_pack(
                "{s:s, s:s, s:f, s:f, s:s, s:b, s:o}", "file", session->base.suite.items[i].file,
                "status", measure_status_name(now->result.status), "recorded",
                session->base.suite.items[i].cost, "now", now->cost, "verdict",
                verdicts[now->verdict], "holds", !is_failure(now->verdict), "cost",
                measure_cost_json(&session->base.measure, session->base.target, &now->result)));
    }
    json_object_set_new(root, "measure", json_string(session->base.suite.measure));
    json_object_set_new(root, "threshold", json_real(session->threshold));
    if (session->gate.has_baseline)
        json_object_set_new(root, "baseline",
                            json_pack("{s:s, s:I, s:I, s:I, s:I}", "source", session->gate.source,
                                      "worse_laws", (json_int_t)session->gate.worse_laws,
                                      "unknown_tests", (json_int_t)session->gate.unknown_tests,
                                      "new_findings", (json_int_t)session->gate.new_findings,
                                      "improved", (json_int_t)session->gate.improved));
    json_object_set_new(root, "failed", json_integer((json_int_t)session->failed));
    json_object_set_new(root, "tests", tests);
    return root;
}

/* ---- reports ---- */

static void fill_tests(const struct session *session, struct report_test *tests,
                       struct base_strings *laws) {
    for (size_t i = 0; i < session->base.suite.count; i++) {
        const struct suite_item *item = &session->base.suite.items[i];
        const struct cli_law *law = session->gate.laws ? &session->gate.laws[i] : NULL;
        bool is_worse = law && law->is_worse;
        tests[i] =
            (struct report_test){.file = item->file,
                                 .recorded = item->cost,
                                 .now = session->results[i].cost,
                                 .holds = !is_failure(session->results[i].verdict) && !is_worse,
                                 .verdict = verdicts[session->results[i].verdict]};
        if (!is_worse)
            continue;
        struct base_buffer class = {0};
        measure_growth_class(&law->now, &class);
        base_strings_add(laws, class.data);
        base_buffer_done(&class);
        tests[i].law_before = suite_baseline_find(&session->gate.baseline, item->file)->law;
        tests[i].law_now = laws->data[laws->count - 1];
    }
}

/* Findings that are not in the baseline; without a baseline none is new. */
static bool *list_new(const struct session *session) {
    const json_t *list = json_object_get(session->base.suite.root, "findings"), *finding;
    bool *is_new = base_alloc(json_array_size(list) + 1);
    size_t index;
    json_array_foreach((json_t *)list, index, finding) {
        const char *name = json_string_value(json_object_get(finding, "fingerprint"));
        is_new[index] = session->gate.has_baseline &&
                        !suite_baseline_knows(&session->gate.baseline, name ? name : "?");
    }
    return is_new;
}

static bool write_reports(const struct session *session, struct base_error *error) {
    const char *given = session->base.values->given[CLI_REPORT_TO];
    size_t count = session->base.suite.count;
    struct report_test *tests = base_alloc((count + 1) * sizeof *tests);
    struct base_strings laws = {0};
    bool *is_new = list_new(session);
    fill_tests(session, tests, &laws);
    struct report report = {.root = session->base.suite.root,
                            .folder = session->base.values->before.data[0],
                            .tests = tests,
                            .test_count = count,
                            .is_replayed = true,
                            .is_new = is_new};
    cli_report_annotate(&report);
    char *folder = given ? cli_session_path(&session->base, given) : NULL;
    bool good = !folder ||
                cli_report_write(folder, &report, session->base.path, session->base.target, error);
    base_strings_done(&laws);
    free(folder);
    free(is_new);
    free(tests);
    return good;
}

static bool show_results(struct session *session, struct base_error *error) {
    const char *json = session->base.values->given[CLI_JSON];
    for (size_t i = 0; i < session->base.suite.count; i++)
        session->failed += is_failure(session->results[i].verdict) ||
                           (session->gate.laws && session->gate.laws[i].is_worse);
    print_results(json && strcmp(json, "-") == 0 ? stderr : stdout, session);
    if (!write_reports(session, error))
        return false;
    if (!json)
        return true;
    json_t *root = results_json(session);
    char *path = cli_session_path(&session->base, json);
    bool good = cli_write_json(root, path, error);
    free(path);
    json_decref(root);
    return good;
}

/* Does the suite pass? */
static int judge(const struct session *session, struct base_error *error) {
    if (!session->base.suite.count)
        base_fail(error, BASE_UNTOLD, "the suite has no tests: there is nothing to hold");
    else if (!measure_check_counters(&session->base.measure, session->base.target))
        base_fail(error, BASE_UNTOLD, "the target does not count what the suite is measured by, %s",
                  session->base.measure.text);
    else if (session->gate.worse_laws)
        base_fail(error, BASE_GATE, "%zu of %zu tests grow by a worse law than the baseline says",
                  session->gate.worse_laws, session->base.suite.count);
    else if (session->failed)
        base_fail(error, BASE_GATE,
                  "%zu of %zu tests cost more than is recorded, or do not end "
                  "well",
                  session->failed, session->base.suite.count);
    else if (session->gate.unknown_tests)
        base_fail(error, BASE_UNTOLD,
                  "%zu of %zu tests are not in the baseline, or had another input then: look at "
                  "them, then 'slowpath accept'",
                  session->gate.unknown_tests, session->base.suite.count);
    else if (session->gate.new_findings)
        base_fail(error, BASE_GATE, "%zu finding%s not in the baseline", session->gate.new_findings,
                  session->gate.new_findings == 1 ? " is" : "s are");
    else
        return BASE_OK;
    return (int)error->code;
}

int cli_replay(const struct cli_values *values, struct base_error *error) {
    struct session session = {.base = {.values = values}};
    bool good = prepare(&session, error);
    if (good) {
        session.results = base_alloc((session.base.suite.count + 1) * sizeof *session.results);
        good = suite_replay(&session.base.suite, session.base.target, &session.base.measure,
                            session.threshold, session.results, error) &&
               cli_gate_judge(&session.gate, &session.base, session.results, error) &&
               show_results(&session, error);
    }
    int code = good ? judge(&session, error) : (int)error->code;
    cli_gate_done(&session.gate);
    cli_session_done(&session.base);
    free(session.results);
    return code;
}
