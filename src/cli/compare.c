/* SPDX-License-Identifier: Apache-2.0
 *
 * slowpath compare: a differential oracle. Two builds of a program, or two programs that do the
 * same, run one suite. Where the second costs more than the first by more than a threshold, there
 * is a regression or something worth explaining.
 */
#include "cli/cli.h"
#include "suite/suite.h"

#include <stdlib.h>
#include <string.h>

/* One of the two sides. */
struct side {
    const char *name; /* as given by the user */
    struct cli_target description;
    struct base_strings paths;
    struct target *target;
    struct measure measure;
    struct suite_replayed *results;
};

struct session {
    const struct cli_values *values;
    struct suite suite;
    struct cli_there there; /* the folder where the suite was made */
    const char *measure;    /* the suite's, or the one given */
    struct measure_weights weights;
    struct side a, b;
    double threshold;
    size_t failed;
};

/* ---- the two targets, entered as in the suite ---- */

static bool open_side(struct session *session, struct side *side, const char *name,
                      struct base_error *error) {
    char *path = cli_there_path(&session->there, name);
    base_strings_add(&side->paths, path);
    free(path);
    side->name = name;
    if (!cli_target_init(&side->description, session->values, &side->paths, error))
        return false;
    struct target_options options = side->description.options;
    if (!cli_target_from_suite(&side->description, &options, session->values, &session->suite,
                               error))
        return false;
    side->target = target_open(&options, error);
    if (!side->target ||
        !measure_parse(session->measure, target_facts(side->target), &side->measure, error))
        return false;
    measure_apply(&side->measure, &session->weights, side->target);
    side->results = base_alloc((session->suite.count + 1) * sizeof *side->results);
    return suite_replay(&session->suite, side->target, &side->measure, 0, side->results, error);
}

static bool prepare(struct session *session, struct base_error *error) {
    const struct base_strings *words = &session->values->before;
    measure_weights_init(&session->weights);
    if (words->count != 3)
        return base_fail(error, BASE_USAGE,
                         "two targets and a suite are wanted: slowpath compare A B SUITE");
    if (!cli_number(session->values, CLI_THRESHOLD, 0, 1e9, &session->threshold, error) ||
        !cli_try_json(session->values->given[CLI_JSON], error) ||
        !suite_load(words->data[2], &session->suite, error))
        return false;
    cli_there_go(&session->there, session->values, &session->suite, words->data[2]);
    const char *given = session->values->given[CLI_MEASURE];
    session->measure = given ? given : session->suite.measure;
    const char *weights = session->values->given[CLI_WEIGHTS] ? session->values->given[CLI_WEIGHTS]
                                                              : session->suite.weights;
    return (!weights || measure_weights_parse(&session->weights, weights, error)) &&
           open_side(session, &session->a, words->data[0], error) &&
           open_side(session, &session->b, words->data[1], error);
}

/* ---- results ---- */

static bool ended_well(const struct suite_replayed *run) {
    return run->result.status == ABI_STATUS_OK && !run->result.rejected;
}

/* A test that ends well in A but not in B is a failure, whatever its cost. */
static bool is_failure(const struct session *session, size_t test) {
    const struct suite_replayed *a = &session->a.results[test], *b = &session->b.results[test];
    if (!ended_well(a) || !ended_well(b))
        return ended_well(a) != ended_well(b);
    return b->cost > a->cost * (1 + session->threshold / 100);
}

static const char *outcome(const struct suite_replayed *run) {
    return run->result.rejected ? "rejected" : measure_status_name(run->result.status);
}

static void print_row(FILE *out, const struct session *session, size_t test) {
    const struct suite_replayed *a = &session->a.results[test], *b = &session->b.results[test];
    fprintf(out, "%-18s  %15.15g  %15.15g  ", session->suite.items[test].file, a->cost, b->cost);
    if (!ended_well(a) || !ended_well(b))
        fprintf(out, "%9s  %s and %s", "", outcome(a), outcome(b));
    else
        fprintf(out, "%+8.2f%%", a->cost > 0 ? (b->cost / a->cost - 1) * 100 : 0);
    fprintf(out, "%s\n", is_failure(session, test) ? "  BEYOND THE THRESHOLD" : "");
}

static void print_results(FILE *out, const struct session *session) {
    double a = 0, b = 0;
    fprintf(out, "A = %s\nB = %s\n%s\n\n", session->a.name, session->b.name, session->measure);
    fprintf(out, "%-18s  %15s  %15s  %9s\n", "test", "A", "B", "B to A");
    for (size_t i = 0; i < session->suite.count; i++) {
        print_row(out, session, i);
        a += session->a.results[i].cost;
        b += session->b.results[i].cost;
    }
    fprintf(out, "%-18s  %15.15g  %15.15g  %+8.2f%%\n", "all", a, b, a > 0 ? (b / a - 1) * 100 : 0);
    fprintf(out, "%zu of %zu tests are beyond the threshold of %g%%\n", session->failed,
            session->suite.count, session->threshold);
}

static json_t *results_json(const struct session *session) {
    json_t *tests = json_array();
    for (size_t i = 0; i < session->suite.count; i++) {
        const struct suite_replayed *a = &session->a.results[i], *b = &session->b.results[i];
        json_array_append_new(tests, json_pack("{s:s, s:f, s:f, s:s, s:s, s:b}", "file",
                                               session->suite.items[i].file, "a", a->cost, "b",
                                               b->cost, "status_a", outcome(a), "status_b",
                                               outcome(b), "holds", !is_failure(session, i)));
    }
    return json_pack("{s:s, s:s, s:s, s:f, s:I, s:o}", "a", session->a.name, "b", session->b.name,
                     "measure", session->measure, "threshold", session->threshold, "failed",
                     (json_int_t)session->failed, "tests", tests);
}

static bool show_results(struct session *session, struct base_error *error) {
    const char *json = session->values->given[CLI_JSON];
    for (size_t i = 0; i < session->suite.count; i++)
        session->failed += is_failure(session, i);
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

static void side_done(struct side *side) {
    measure_done(&side->measure);
    if (side->target)
        target_close(side->target);
    cli_target_done(&side->description);
    base_strings_done(&side->paths);
    free(side->results);
}

static int judge(const struct session *session, struct base_error *error) {
    if (!session->suite.count)
        base_fail(error, BASE_UNTOLD, "the suite has no tests: there is nothing to compare");
    else if (!measure_check_counters(&session->a.measure, session->a.target) ||
             !measure_check_counters(&session->b.measure, session->b.target))
        base_fail(error, BASE_UNTOLD, "a target does not count what is compared, %s",
                  session->measure);
    else if (session->failed)
        base_fail(error, BASE_GATE, "%zu of %zu tests cost more in B than in A by more than %g%%",
                  session->failed, session->suite.count, session->threshold);
    else
        return BASE_OK;
    return (int)error->code;
}

int cli_compare(const struct cli_values *values, struct base_error *error) {
    struct session session = {.values = values};
    bool good = prepare(&session, error) && show_results(&session, error);
    int code = good ? judge(&session, error) : (int)error->code;
    side_done(&session.a);
    side_done(&session.b);
    measure_weights_done(&session.weights);
    cli_there_done(&session.there);
    suite_done(&session.suite);
    return code;
}
