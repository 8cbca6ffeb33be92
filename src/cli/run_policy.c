/* SPDX-License-Identifier: Apache-2.0
 *
 * A resource policy on the command line: its effect on other options, the final report, and whether
 * it is met as a gate.
 */
#include "cli/run.h"

#include <math.h>
#include <string.h>

/* ---- options ---- */

bool cli_policy_read(struct cli_run *run, struct base_error *error) {
    const char *text = run->values->given[CLI_POLICY];
    if (run->values->given[CLI_GATE] && !text)
        return base_fail(error, BASE_USAGE, "--gate needs a --policy, such as 'memory<=4096'");
    if (!text)
        return true;
    if (!search_policy_parse(text, &run->policy, error))
        return false;
    if (run->values->given[CLI_GATE] && !run->policy.limits.count)
        return base_fail(error, BASE_USAGE,
                         "--gate needs a limit in --policy, such as "
                         "'memory<=4096': '%s' always holds",
                         text);
    if (!run->values->given[CLI_MEASURE] && run->policy.limits.count)
        run->measure_text = run->policy.limits.data[0].text;
    if (run->policy.top)
        run->options.tests = run->policy.top;
    return true;
}

/* ---- output ---- */

double cli_policy_rival(const struct cli_run *run) {
    const struct search_test *tests;
    size_t count = search_tests(run->search, &tests);
    for (size_t i = 0; run->policy.top && i < count; i++)
        if (!tests[i].is_open)
            return tests[i].cost;
    return NAN;
}

static bool has_winner(const struct cli_result *result) {
    for (size_t i = 0; i < result->count; i++)
        if (result->rows[i].described.measure && result->rows[i].described.always_wins)
            return true;
    return false;
}

/* The condition under which the test is the worst; NULL: never, some constant costs as much. */
static const char *find_time(const struct search_description *told, bool has_rival) {
    if (told->wins)
        return told->wins;
    if (has_rival && !told->always_wins)
        return NULL;
    return told->adheres ? told->adheres : told->family ? told->family : "";
}

/* Has an earlier test the same formula and condition? */
static bool is_repeated(const struct cli_result *result, size_t index, bool has_rival) {
    const struct search_description *told = &result->rows[index].described;
    const char *when = find_time(told, has_rival);
    for (size_t i = 0; i < index; i++) {
        const struct search_description *before = &result->rows[i].described;
        const char *then = find_time(before, has_rival);
        if (then && before->measure && strcmp(then, when) == 0 &&
            strcmp(before->measure, told->measure) == 0)
            return true;
    }
    return false;
}

/* "52, or 16 + 4*icap when icap >= 10" */
static void tell_worst(const struct cli_result *result, struct base_buffer *out) {
    double rival = cli_policy_rival(result->run);
    if (!isnan(rival) && !has_winner(result))
        base_buffer_print(out, "%.15g", rival);
    for (size_t i = 0; i < result->count; i++) {
        const struct search_description *told = &result->rows[i].described;
        const char *when = find_time(told, !isnan(rival));
        if (!told->measure || !when || is_repeated(result, i, !isnan(rival)))
            continue;
        base_buffer_print(out, "%s%s", out->count ? ", or " : "", told->measure);
        if (*when)
            base_buffer_print(out, " when %s", when);
    }
}

void cli_policy_print(FILE *out, const struct cli_result *result) {
    const struct cli_run *run = result->run;
    const struct search_counters *counters = &run->statistics.counters;
    struct base_buffer worst = {0};
    if (run->policy.top)
        tell_worst(result, &worst);
    if (worst.count)
        fprintf(out, "worst %s: %s\n", run->measure_text, worst.data);
    if (run->policy.limits.count)
        fprintf(out, "policy %s: %llu of %llu paths violate it, %llu adhere under a condition\n",
                run->values->given[CLI_POLICY], (unsigned long long)counters->violating,
                (unsigned long long)counters->paths, (unsigned long long)counters->conditional);
    base_buffer_done(&worst);
}

json_t *cli_policy_json(const struct cli_result *result) {
    const struct cli_run *run = result->run;
    const struct search_counters *counters = &run->statistics.counters;
    if (!run->values->given[CLI_POLICY])
        return NULL;
    struct base_buffer worst = {0};
    if (run->policy.top)
        tell_worst(result, &worst);
    json_t *policy = json_pack("{s:s, s:I, s:I}", "text", run->values->given[CLI_POLICY],
                               "violating", (json_int_t)counters->violating, "conditional",
                               (json_int_t)counters->conditional);
    if (worst.count)
        json_object_set_new(policy, "worst", json_string(worst.data));
    base_buffer_done(&worst);
    return policy;
}

/* ---- the gate ---- */

bool cli_policy_gate(const struct cli_run *run, struct base_error *error) {
    const struct search_counters *counters = &run->statistics.counters;
    if (!run->values->given[CLI_GATE])
        return true;
    if (counters->violating || counters->conditional || counters->exceeding)
        return base_fail(error, BASE_GATE,
                         "the policy '%s' is not met: %llu paths violate it, %llu adhere only "
                         "under a condition",
                         run->values->given[CLI_POLICY], (unsigned long long)counters->violating,
                         (unsigned long long)counters->conditional);
    if (!run->statistics.within_bounds)
        base_warn("the policy is met by what was searched, which is not every path");
    return true;
}
