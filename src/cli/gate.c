/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a suite meet its baseline? Laws come first: a worse class fails whatever the cost at one
 * size. Then costs, within the tolerance of each measure, then findings that are not in the
 * baseline. Improvements are reported, so that they can be accepted.
 */
#include "cli/gate.h"
#include "measure/json.h"
#include "suite/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- --tolerance ---- */

/* "1", "memory=5", "1,memory=5" */
static bool read_tolerance(struct cli_gate *gate, char *word) {
    char *equals = strrchr(word, '='), *number = equals ? equals + 1 : word, *end;
    double percent = strtod(number, &end);
    if (end == number || *end || !(percent >= 0 && percent <= 1e9))
        return false;
    if (!equals) {
        gate->percent = percent;
        return true;
    }
    *equals = 0;
    base_push(&gate->others, (struct cli_tolerance){base_strdup(word), percent});
    return true;
}

bool cli_gate_init(struct cli_gate *gate, const struct cli_values *values,
                   struct base_error *error) {
    *gate = (struct cli_gate){.percent = 0};
    const char *text = cli_value(values, CLI_TOLERANCE);
    if (values->given[CLI_THRESHOLD] && !values->given[CLI_TOLERANCE])
        text = values->given[CLI_THRESHOLD];
    char *copy = base_strdup(text), *place = NULL;
    bool good = *copy != 0;
    for (char *word = strtok_r(copy, ",", &place); good && word; word = strtok_r(NULL, ",", &place))
        good = read_tolerance(gate, word);
    free(copy);
    return good ||
           base_fail(error, BASE_USAGE,
                     "--tolerance %s: write percents, such as 1, memory=5 or 1,memory=5", text);
}

void cli_gate_done(struct cli_gate *gate) {
    for (size_t i = 0; i < gate->others.count; i++)
        free(gate->others.data[i].name);
    base_vector_done(&gate->others);
    suite_baseline_done(&gate->baseline);
    free(gate->laws);
    free(gate->source);
}

/* ---- costs ---- */

static const double *find_price(const struct suite_line *line, const char *name) {
    for (size_t i = 0; line && i < line->prices.count; i++)
        if (strcmp(line->prices.data[i].name, name) == 0)
            return &line->prices.data[i].cost;
    return NULL;
}

/* The baseline's line for a test, unless the test's input has changed. */
static const struct suite_line *line_of(const struct cli_gate *gate,
                                        const struct suite_item *item) {
    const struct suite_line *line = suite_baseline_find(&gate->baseline, item->file);
    char hash[33];
    suite_hash_input(item, hash);
    return line && strcmp(line->input, hash) == 0 ? line : NULL;
}

void cli_gate_apply(struct cli_gate *gate, struct suite *suite) {
    for (size_t i = 0; gate->has_baseline && i < suite->count; i++) {
        const double *cost = find_price(line_of(gate, &suite->items[i]), suite->measure);
        if (cost)
            suite->items[i].cost = *cost;
        else
            gate->unknown_tests++;
    }
}

/* Checks the other measures named by --tolerance. */
static void judge_others(struct cli_gate *gate, struct cli_session *session,
                         struct suite_replayed *results) {
    for (size_t i = 0; gate->others.count && i < session->suite.count; i++) {
        const struct suite_line *line = line_of(gate, &session->suite.items[i]);
        json_t *costs = measure_cost_json(&session->measure, session->target, &results[i].result);
        for (size_t j = 0; j < gate->others.count; j++) {
            const struct cli_tolerance *other = &gate->others.data[j];
            const double *before = find_price(line, other->name);
            double now = json_number_value(json_object_get(costs, other->name));
            if (!before || !(now > *before * (1 + other->percent / 100)))
                continue;
            gate->beyond++;
            if (results[i].verdict != SUITE_BROKEN)
                results[i].verdict = SUITE_EXCEEDED;
        }
        json_decref(costs);
    }
}

/* ---- laws and findings ---- */

static bool judge_law(struct cli_gate *gate, struct cli_session *session, size_t index,
                      struct base_error *error) {
    const struct suite_item *item = &session->suite.items[index];
    const struct suite_line *line = line_of(gate, item);
    const json_t *test = json_array_get(json_object_get(session->suite.root, "tests"), index);
    const char *recipe = json_string_value(json_object_get(test, "recipe"));
    struct cli_law *law = &gate->laws[index];
    if (!line || !line->law || !recipe)
        return true;
    if (!suite_measure_law(session->target, &session->measure, recipe, item->size, &law->now,
                           error))
        return false;
    law->is_known = true;
    law->is_worse = suite_is_worse(line->law, line->exponent, &law->now);
    gate->worse_laws += law->is_worse;
    return true;
}

static void judge_findings(struct cli_gate *gate, const json_t *root) {
    const json_t *finding;
    size_t index;
    json_array_foreach(json_object_get(root, "findings"), index, finding) gate->new_findings +=
        !suite_baseline_knows(&gate->baseline, suite_text(finding, "fingerprint", "?"));
}

bool cli_gate_judge(struct cli_gate *gate, struct cli_session *session,
                    struct suite_replayed *results, struct base_error *error) {
    const struct suite *suite = &session->suite;
    if (!gate->has_baseline)
        return true;
    gate->laws = base_alloc((suite->count + 1) * sizeof *gate->laws);
    for (size_t i = 0; i < suite->count; i++) {
        gate->improved += results[i].verdict == SUITE_CHEAPER &&
                          results[i].cost < suite->items[i].cost * (1 - gate->percent / 100);
        if (!judge_law(gate, session, i, error))
            return false;
    }
    judge_others(gate, session, results);
    judge_findings(gate, suite->root);
    return true;
}

/* ---- output ---- */

static void print_laws(FILE *out, const struct cli_gate *gate, const struct suite *suite) {
    for (size_t i = 0; gate->laws && i < suite->count; i++) {
        struct base_buffer class = {0};
        if (!gate->laws[i].is_worse)
            continue;
        measure_growth_class(&gate->laws[i].now, &class);
        fprintf(out, "%s  grew as %s, now as %s: A WORSE LAW\n", suite->items[i].file,
                line_of(gate, &suite->items[i])->law, class.data);
        base_buffer_done(&class);
    }
}

static void print_new(FILE *out, const struct cli_gate *gate, const json_t *root) {
    const json_t *finding;
    size_t index;
    json_array_foreach(json_object_get(root, "findings"), index, finding) {
        const char *function;
        int line;
        const char *file = suite_finding_place(finding, &line, &function);
        if (suite_baseline_knows(&gate->baseline, suite_text(finding, "fingerprint", "?")))
            continue;
        fprintf(out, "%s  %s in %s", suite_text(finding, "id", "?"),
                suite_text(finding, "law", "?"), function);
        if (*file)
            fprintf(out, " (%s:%d)", file, line);
        fprintf(out, ": A NEW FINDING\n");
    }
}

void cli_gate_print(FILE *out, const struct cli_gate *gate, const struct cli_session *session) {
    if (!gate->has_baseline)
        return;
    print_laws(out, gate, &session->suite);
    print_new(out, gate, session->suite.root);
    if (gate->improved)
        fprintf(out, "%zu test%s cheaper by more than %.15g%%: accept to keep\n", gate->improved,
                gate->improved == 1 ? " is" : "s are", gate->percent);
    fprintf(out, "compared with %s\n", gate->source);
}
