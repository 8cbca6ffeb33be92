/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath replay: does a suite still cost what it did?
 */
#include "cli/cli.h"
#include "measure/json.h"
#include "suite/suite.h"

#include <stdlib.h>
#include <string.h>

struct session {
    const struct cli_values *values;
    struct suite suite;
    struct cli_target description;
    struct base_strings paths;
    struct cli_there there; /* where the suite was made */
    struct target *target;
    struct measure measure;
    struct measure_weights weights;
    struct suite_replayed *results;
    double threshold;
    size_t failed;
};

static const char *const verdicts[] = {"same", "cheaper", "dearer, within the tolerance",
                                       "COSTS MORE", "DOES NOT END WELL"};

static bool is_failure(enum suite_verdict verdict) {
    return verdict == SUITE_EXCEEDED || verdict == SUITE_BROKEN;
}

/* ---- the target: the suite's own description, changed by the options given ---- */

static bool open_target(struct session *session, struct base_error *error) {
    const char *other = session->values->given[CLI_TARGET];
    const char *weights = session->suite.weights;
    if (other) {
        char *path = cli_there_path(&session->there, other);
        base_strings_add(&session->paths, path);
        free(path);
    }
    for (size_t i = 0; !other && i < session->suite.targets.count; i++)
        base_strings_add(&session->paths, session->suite.targets.data[i]);
    if (!cli_target_init(&session->description, session->values, &session->paths, error))
        return false;
    struct target_given *own = session->description.sizes;
    size_t own_count = session->description.options.size_count;
    if (session->values->given[CLI_WEIGHTS])
        weights = NULL; /* they have been read */
    if (cli_target_from_suite(&session->description, &session->description.options, session->values,
                              &session->suite, error) &&
        (!weights || measure_weights_parse(&session->weights, weights, error)))
        session->target = target_open(&session->description.options, error);
    session->description.sizes = own;
    session->description.options.size_count = own_count;
    return session->target != NULL;
}

static bool choose_measure(struct session *session, struct base_error *error) {
    const char *given = session->values->given[CLI_MEASURE];
    return measure_parse(given ? given : session->suite.measure, target_facts(session->target),
                         &session->measure, error) &&
           (!given || suite_use_measure(&session->suite, &session->measure, error));
}

static bool prepare(struct session *session, struct base_error *error) {
    const struct base_strings *words = &session->values->before;
    const char *weights = session->values->given[CLI_WEIGHTS];
    measure_weights_init(&session->weights);
    if (words->count != 1)
        return base_fail(error, BASE_USAGE,
                         words->count ? "one suite is wanted, not %zu"
                                      : "no suite: name its folder",
                         words->count);
    if (!cli_number(session->values, CLI_THRESHOLD, 0, 1e9, &session->threshold, error) ||
        !cli_try_json(session->values->given[CLI_JSON], error) ||
        (weights && !measure_weights_parse(&session->weights, weights, error)) ||
        !suite_load(words->data[0], &session->suite, error))
        return false;
    cli_there_go(&session->there, session->values, &session->suite, words->data[0]);
    if (!open_target(session, error) || !choose_measure(session, error))
        return false;
    measure_apply(&session->measure, &session->weights, session->target);
    return true;
}

/* ---- results ---- */

static void print_results(FILE *out, const struct session *session) {
    fprintf(out, "%-18s  %15s  %15s  %9s\n", "test", "recorded", "now", "change");
    for (size_t i = 0; i < session->suite.count; i++) {
        const struct suite_item *item = &session->suite.items[i];
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
    fprintf(out, "%zu of %zu tests hold\n", session->suite.count - session->failed,
            session->suite.count);
}

static json_t *results_json(const struct session *session) {
    json_t *root = json_object(), *tests = json_array();
    for (size_t i = 0; i < session->suite.count; i++) {
        const struct suite_replayed *now = &session->results[i];
        json_array_append_new(
            tests,
            json_pack("{s:s, s:s, s:f, s:f, s:s, s:b, s:o}", "file", session->suite.items[i].file,
                      "status", measure_status_name(now->result.status), "recorded",
                      session->suite.items[i].cost, "now", now->cost, "verdict",
                      verdicts[now->verdict], "holds", !is_failure(now->verdict), "cost",
                      measure_cost_json(&session->measure, session->target, &now->result)));
    }
    json_object_set_new(root, "measure", json_string(session->suite.measure));
    json_object_set_new(root, "threshold", json_real(session->threshold));
    json_object_set_new(root, "failed", json_integer((json_int_t)session->failed));
    json_object_set_new(root, "tests", tests);
    return root;
}

static bool show_results(struct session *session, struct base_error *error) {
    const char *json = session->values->given[CLI_JSON];
    for (size_t i = 0; i < session->suite.count; i++)
        session->failed += is_failure(session->results[i].verdict);
    print_results(json && strcmp(json, "-") == 0 ? stderr : stdout, session);
    if (!json)
        return true;
    json_t *root = results_json(session);
    char *path = cli_there_path(&session->there, json);
    bool good = cli_write_json(root, path, error);
    free(path);
    json_decref(root);
    return good;
}

static void session_done(struct session *session) {
    measure_done(&session->measure);
    measure_weights_done(&session->weights);
    if (session->target)
        target_close(session->target);
    cli_target_done(&session->description);
    base_strings_done(&session->paths);
    cli_there_done(&session->there);
    suite_done(&session->suite);
    free(session->results);
}

/* Does the suite hold? */
static int judge(const struct session *session, struct base_error *error) {
    if (!session->suite.count)
        base_fail(error, BASE_UNTOLD, "the suite has no tests: there is nothing to hold");
    else if (!measure_check_counters(&session->measure, session->target))
        base_fail(error, BASE_UNTOLD, "the target does not count what the suite is measured by, %s",
                  session->measure.text);
    else if (session->failed)
        base_fail(error, BASE_GATE,
                  "%zu of %zu tests cost more than is recorded, or do not end "
                  "well",
                  session->failed, session->suite.count);
    else
        return BASE_OK;
    return (int)error->code;
}

int cli_replay(const struct cli_values *values, struct base_error *error) {
    struct session session = {.values = values};
    bool good = prepare(&session, error);
    if (good) {
        session.results = base_alloc((session.suite.count + 1) * sizeof *session.results);
        good = suite_replay(&session.suite, session.target, &session.measure, session.threshold,
                            session.results, error) &&
               show_results(&session, error);
    }
    int code = good ? judge(&session, error) : (int)error->code;
    session_done(&session);
    return code;
}
