/* SPDX-License-Identifier: Apache-2.0
 *
 * Where does a baseline come from? From the current costs, for accept; from the file next to
 * suite.json, or a given one; or from another revision, whose target is built in a separate folder
 * and measured as well.
 */
#include "cli/gate.h"
#include "measure/json.h"
#include "suite/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- from current costs ---- */

static const char *weights_of(const struct cli_session *session) {
    const char *given = session->values->given[CLI_WEIGHTS], *own = session->suite.weights;
    return given ? given : own ? own : cli_value(session->values, CLI_WEIGHTS);
}

/* Adds costs that are counts and have a single-word name. */
static void add_prices(struct suite_line *line, const json_t *costs, const char *first) {
    static const char *const others[] = {"instructions", "calls", "memory", "allocated"};
    base_push(
        &line->prices,
        (struct suite_price){base_strdup(first), json_number_value(json_object_get(costs, first))});
    for (size_t i = 0; i < BASE_COUNT(others); i++)
        if (strcmp(others[i], first) != 0 && json_object_get(costs, others[i]))
            base_push(&line->prices,
                      (struct suite_price){base_strdup(others[i]),
                                           json_number_value(json_object_get(costs, others[i]))});
}

static const char *recipe_of(const struct suite *suite, size_t index) {
    const json_t *test = json_array_get(json_object_get(suite->root, "tests"), index);
    return json_string_value(json_object_get(test, "recipe"));
}

static bool add_law(struct suite_line *line, const struct cli_session *session,
                    struct target *target, size_t index, struct base_error *error) {
    const char *recipe = recipe_of(&session->suite, index);
    struct measure_growth growth;
    struct base_buffer class = {0};
    if (!recipe)
        return true;
    if (!suite_measure_law(target, &session->measure, recipe, session->suite.items[index].size,
                           &growth, error))
        return false;
    measure_growth_class(&growth, &class);
    line->law = class.data;
    line->exponent = growth.exponent;
    return true;
}

static void add_findings(struct suite_baseline *baseline, const json_t *root) {
    const json_t *finding;
    size_t index;
    json_array_foreach(json_object_get(root, "findings"), index, finding) {
        const char *function;
        int line;
        suite_finding_place(finding, &line, &function);
        base_push(&baseline->findings,
                  (struct suite_known){base_strdup(suite_text(finding, "fingerprint", "?")),
                                       base_strdup(suite_text(finding, "law", "?")),
                                       base_strdup(function)});
    }
}

bool cli_baseline_make(const struct cli_session *session, struct target *target,
                       const struct suite_replayed *results, struct suite_baseline *baseline,
                       struct base_error *error) {
    const struct suite *suite = &session->suite;
    bool good = true;
    *baseline = (struct suite_baseline){.key = suite_key(suite, weights_of(session))};
    for (size_t i = 0; good && i < suite->count; i++) {
        char hash[33];
        suite_hash_input(&suite->items[i], hash);
        struct suite_line line = {
            .file = base_strdup(suite->items[i].file), .input = base_strdup(hash), .exponent = NAN};
        json_t *costs = measure_cost_json(&session->measure, target, &results[i].result);
        add_prices(&line, costs, session->measure.text);
        json_decref(costs);
        good = add_law(&line, session, target, i, error);
        base_push(&baseline->lines, line);
    }
    add_findings(baseline, suite->root);
    if (!good)
        suite_baseline_done(baseline);
    return good;
}

/* ---- from a file ---- */

static bool check_key(const struct cli_gate *gate, const struct cli_session *session,
                      struct base_error *error) {
    char *key = suite_key(&session->suite, weights_of(session));
    bool same = strcmp(key, gate->baseline.key) == 0;
    if (!same)
        base_fail(
            error, BASE_UNTOLD,
            "%s is of another environment: counts made with '%s' say nothing about those made "
            "with '%s'; look at them, then 'slowpath accept'",
            gate->source, gate->baseline.key, key);
    free(key);
    return same;
}

static bool read_baseline(struct cli_gate *gate, const struct cli_session *session,
                          const char *path, struct base_error *error) {
    char *text;
    size_t size;
    if (!base_read_file(path, &text, &size, error))
        return false;
    gate->source = base_format("'%s'", path);
    gate->has_baseline = suite_baseline_parse(text, path, &gate->baseline, error);
    free(text);
    for (char *at = error->message; !gate->has_baseline && *at; at++)
        *at = (unsigned char)*at < ' ' ? '?' : *at; /* keep text from a damaged file on one line */
    return gate->has_baseline && check_key(gate, session, error);
}

bool cli_gate_load(struct cli_gate *gate, const struct cli_session *session,
                   struct base_error *error) {
    const char *given = session->values->given[CLI_BASELINE];
    char *path = given ? base_strdup(given) : base_format("%s/" SUITE_BASELINE, session->path);
    bool is_there = access(path, F_OK) == 0, good = true;
    const char *promised = json_string_value(json_object_get(session->suite.root, "accepted"));
    if (is_there)
        good = read_baseline(gate, session, path, error);
    else if (!given && (promised || session->values->given[CLI_GATE]))
        good = base_fail(error, BASE_UNTOLD,
                         "there is no baseline: '%s' is %s; 'slowpath accept %s' makes one, and "
                         "--baseline REV does without",
                         path, promised ? "gone" : "not there", session->path);
    free(path);
    return good;
}

/* ---- from another revision ---- */

static bool run_shell(const char *command, struct base_buffer *out) {
    const char *argv[] = {"sh", "-c", command, NULL};
    return base_run(&(struct base_process){.argv = argv, .out = out, .discard_err = true}) == 0;
}

static void quote(const char *text, struct base_buffer *out) {
    base_buffer_add(out, "'", 1);
    for (; *text; text++)
        base_buffer_print(out, *text == '\'' ? "'\\''" : "%c", *text);
    base_buffer_add(out, "'", 1);
}

/* Unpacks the revision to FOLDER; the caller frees the path that corresponds to the current
 * folder. */
static char *check_out(const char *revision, const char *folder, struct base_error *error) {
    struct base_buffer command = {0}, prefix = {0};
    char *archive = base_format("%s/slowpath.tar", folder);
    base_buffer_print(&command, "git rev-parse --show-prefix && top=$(git rev-parse "
                                "--show-toplevel) && git -C \"$top\" archive ");
    quote(revision, &command);
    base_buffer_print(&command, " -o ");
    quote(archive, &command);
    base_buffer_print(&command, " && tar -x -f ");
    quote(archive, &command);
    base_buffer_print(&command, " -C ");
    quote(folder, &command);
    bool good = *revision != '-' && run_shell(command.data, &prefix);
    if (prefix.count && prefix.data[prefix.count - 1] == '\n')
        prefix.data[--prefix.count] = 0;
    char *place = good ? base_format("%s/%s", folder, prefix.data ? prefix.data : "") : NULL;
    if (!good)
        base_fail(error, BASE_USAGE,
                  "--baseline %s: neither a file nor a revision of a git repository around the "
                  "target",
                  revision);
    base_buffer_done(&command);
    base_buffer_done(&prefix);
    free(archive);
    return place;
}

static struct target *build_there(struct cli_session *session, const char *place,
                                  struct base_error *error) {
    char *here = realpath(".", NULL);
    struct target *target = NULL;
    struct target_options options = session->description.options;
    if (!cli_target_from_suite(&session->description, &options, session->values, &session->suite,
                               error))
        free(here);
    else if (!here || chdir(place) != 0)
        base_fail(error, BASE_USAGE, "--baseline: the folder of the target was not there then");
    else {
        target = target_open(&options, error);
        if (chdir(here) != 0)
            base_panic("the current folder is gone");
        free(here);
    }
    return target;
}

bool cli_gate_measure(struct cli_gate *gate, struct cli_session *session,
                      struct base_error *error) {
    const char *revision = session->values->given[CLI_BASELINE];
    if (gate->has_baseline || !revision)
        return true;
    char *folder = base_temp_dir(), *place = check_out(revision, folder, error);
    struct target *target = place ? build_there(session, place, error) : NULL;
    struct suite_replayed *then = base_alloc((session->suite.count + 1) * sizeof *then);
    bool good = target != NULL;
    if (good) {
        measure_apply(&session->measure, &session->weights, target);
        good = suite_replay(&session->suite, target, &session->measure, 0, then, error) &&
               cli_baseline_make(session, target, then, &gate->baseline, error);
        gate->has_baseline = good;
        gate->source = base_format("revision %s", revision);
        target_close(target);
    }
    base_remove_tree(folder);
    free(then);
    free(place);
    free(folder);
    return good;
}
